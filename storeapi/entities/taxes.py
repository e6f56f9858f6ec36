"""Taxes: rules that products, payment and shipping methods name."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi import (
    Choice,
    Code,
    Connection,
    Context,
    Fields,
    Flag,
    Id,
    Integer,
    Key,
    Nested,
    Record,
    TableEntity,
    Text,
    Transaction,
    allow,
    query,
)
from storeapi.core.entity import WRITES
from storeapi.core.folding import folded
from storeapi.core.kinds import JsonSchema, Keys, decimal_text
from storeapi.core.rows import table_of
from storeapi.core.writing import Values
from storeapi.models import Tax, TaxRate, TaxText
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.destinations import check_destinations
from storeapi.rules.id_lists import Removal
from storeapi.rules.taxes import TaxRates, forget_tax, read_rates

_RATES = query(
    select(
        TaxRate.tax_id, TaxRate.destination_id, TaxRate.rate_value, TaxRate.rate_type
    )
    .where(TaxRate.tax_id.in_(bindparam("ids", expanding=True)))
    .order_by(TaxRate.tax_id, TaxRate.destination_id)
)


class Rates(Nested):
    """The rates of a tax by destination; 0 stands for no tax there.

    Source: spec/entities/taxes.md, section 2.
    """

    keys = Keys(frozenset({"destination_id", "rate_value", "rate_type"}), many=True)

    def parse(self, value: Any) -> TaxRates:
        """Read an array of rates, or a map of destinations."""
        return read_rates(value)

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the rates of a page."""
        found: dict[int, list[Record]] = {}
        for tax_id, destination_id, rate, rate_type in db.rows(_RATES, ids=ids):
            row = {
                "destination_id": str(destination_id),
                "rate_value": decimal_text(rate, 3),
                "rate_type": rate_type,
            }
            found.setdefault(tax_id, []).append(row)
        return found

    def save(
        self, db: Transaction, owner_id: int, value: TaxRates, context: Context
    ) -> bool:
        """Replace the rates."""
        check_destinations(context.settings.destinations, value, "rates")
        rows = db.rows(_RATES, ids=[owner_id])
        if {row[1]: (row[2], row[3]) for row in rows} == value:
            return False
        table = table_of(TaxRate)
        db.delete(table, {"tax_id": owner_id})
        key = {"tax_id": owner_id}
        db.insert_many(
            table,
            [
                {**key, "destination_id": id, "rate_value": rate, "rate_type": type}
                for id, (rate, type) in value.items()
            ],
        )
        return True

    def record_schema(self) -> JsonSchema:
        """Describe the array."""
        texts = {"destination_id", "rate_value", "rate_type"}
        properties = {name: {"type": "string"} for name in sorted(texts)}
        return {"type": "array", "items": {"type": "object", "properties": properties}}

    def payload_schema(self) -> JsonSchema:
        """Describe what is taken."""
        return {"type": ["array", "object", "string"]}


class TaxFields(Fields):
    """The fields of a tax."""

    tax_id = Id(dump_only=True, listed=True)
    address_type = Choice("S", "B", listed=True)
    status = Choice("A", "D", "H", listed=True)
    price_includes_tax = Flag(listed=True)
    display_including_tax = Flag(listed=True)
    display_info = Text(listed=True)
    regnumber = Text(listed=True)
    priority = Integer(listed=True)
    tax = Text(required=True, translated=True, listed=True)
    lang_code = Code(column=TaxText.lang_code, dump_only=True)
    rates = Rates()


class Taxes(TableEntity[Tax]):
    """Tax rules, the same for all stores: whether prices contain them, and rates."""

    name = "taxes"
    id_key = "tax_id"
    model = Tax
    texts = TaxText
    fields = TaxFields
    sortings = {
        "priority": Tax.priority,
        "tax": TaxText.tax_key,
        "status": Tax.status,
    }
    default_sort = "tax_id"
    privileges = allow(view="view_taxes", manage="manage_taxes")
    closed_to_companies = WRITES
    parents = {"stores": None, "vendors": None}

    def check(self, values: Values, row: Record | None) -> None:
        """Complete the sort key."""
        if "tax" in values:
            values["tax_key"] = folded(values["tax"])[:KEY_LENGTH]

    def remove(self, id: Key, row: Record) -> None:
        """Delete a tax, and take it out of all that name it."""
        removal = Removal(int(id), self.caller.user_id, self.context.now)
        forget_tax(self.db, removal)
        super().remove(id, row)
