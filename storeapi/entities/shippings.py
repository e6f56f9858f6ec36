"""Shipping methods: how an order is delivered, and what that costs where."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi import (
    Choice,
    Code,
    Connection,
    Constant,
    Context,
    Fields,
    Id,
    IdList,
    Integer,
    InvalidInput,
    Key,
    Money,
    Nested,
    Record,
    Text,
    Transaction,
    allow,
    query,
)
from storeapi.core.filters import Equal
from storeapi.core.kinds import JsonSchema, Keys
from storeapi.core.rows import table_of
from storeapi.core.writing import Values
from storeapi.entities.methods import SellingMethod, for_group
from storeapi.models import Shipping, ShippingRate, ShippingText
from storeapi.rules.destinations import check_destinations
from storeapi.rules.id_lists import Removal
from storeapi.rules.image_kinds import ImagePair
from storeapi.rules.owner_methods import forget_method
from storeapi.rules.secrets import SecretMap
from storeapi.rules.shipping_rates import (
    MEASURES,
    Sent,
    read_rates,
    shown_charges,
    stored_charges,
)

_RATES = query(
    select(
        ShippingRate.shipping_id,
        ShippingRate.destination_id,
        ShippingRate.rate_id,
        ShippingRate.rate_value,
    ).where(ShippingRate.shipping_id.in_(bindparam("ids", expanding=True)))
)
_ROW_KEYS = Keys(
    frozenset({"amount", "value", "type", "per_unit"})
    | {"range_from_value", "range_to_value"},
    many=True,
)
_CHARGE_KEYS = Keys(frozenset(), inner=dict.fromkeys(MEASURES, _ROW_KEYS))


class Rates(Nested):
    """The charges of a method, one element for each destination of the store.

    Source: spec/entities/shippings.md, section 2.1.
    """

    keys = Keys(
        frozenset({"destination_id", "status", "localization", "destination"})
        | {"rate_id", "rates_defined"},
        inner={"rate_value": _CHARGE_KEYS},
        many=True,
    )

    def unknown_keys(self, value: Any) -> Iterable[str]:
        """The names of keys that charges do not have; those of everywhere are one."""
        if isinstance(value, dict) and "rate_value" in value:
            return self.keys.unknown_in_one(value)
        return super().unknown_keys(value)

    def parse(self, value: Any) -> Sent:
        """Read charges in any of the three forms."""
        return read_rates(value)

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the charges of a page."""
        stored = {tuple(row[:2]): row[2:] for row in db.rows(_RATES, ids=ids)}
        return {
            id: [
                {
                    "destination_id": str(destination.destination_id),
                    "status": destination.status,
                    "localization": "",
                    "destination": destination.name,
                    **_charges(stored.get((id, destination.destination_id))),
                }
                for destination in context.settings.destinations.every
            ]
            for id in ids
        }

    def save(
        self, db: Transaction, owner_id: int, value: Sent, context: Context
    ) -> bool:
        """Replace the charges of the destinations that were sent; none clears all."""
        check_destinations(context.settings.destinations, value or (), "rates")
        table = table_of(ShippingRate)
        rows = {row[1]: row[3] for row in db.rows(_RATES, ids=[owner_id])}
        wanted = dict.fromkeys(rows, "") if value is None else {}
        for id, charges in (value or {}).items():
            wanted[id] = stored_charges(charges)
        moved = {id: text for id, text in wanted.items() if text != rows.get(id, "")}
        for id, text in moved.items():
            key = {"shipping_id": owner_id, "destination_id": id}
            if not text:
                db.delete(table, key)
            elif id in rows:
                db.update(table, key, {"rate_value": text})
            else:
                db.insert(table, {**key, "rate_value": text})
        return bool(moved)

    def record_schema(self) -> JsonSchema:
        """Describe the array."""
        names = ("destination_id", "status", "localization", "destination", "rate_id")
        properties = {name: {"type": "string"} for name in (*names, "rates_defined")}
        element = {**properties, "rate_value": {"type": "object"}}
        return {"type": "array", "items": {"type": "object", "properties": element}}

    def payload_schema(self) -> JsonSchema:
        """Describe what is taken."""
        return {"type": ["array", "object", "string"]}


def _charges(stored: Any) -> Record:
    if stored is None:
        return {"rate_value": shown_charges("")}
    rate_id, charges = stored
    return {
        "rate_id": str(rate_id),
        "rates_defined": "1",
        "rate_value": shown_charges(charges),
    }


class ShippingFields(Fields):
    """The fields of a shipping method."""

    shipping_id = Id(dump_only=True, listed=True)
    company_id = Id(zero=True, create_only=True)
    destination = Constant("I")
    min_weight = Money(listed=True)
    max_weight = Money(listed=True)
    usergroup_ids = IdList(listed=True)
    rate_calculation = Choice("M", "R")
    service_id = Id(zero=True)
    service_params = SecretMap()
    localization = Text()
    tax_ids = IdList(array=True)
    position = Integer(listed=True)
    status = Choice("A", "D", "H", listed=True)
    shipping = Text(required=True, translated=True, listed=True)
    delivery_time = Text(translated=True, listed=True)
    lang_code = Code(column=ShippingText.lang_code, dump_only=True)
    icon = ImagePair(object_type="shipping")
    rates = Rates()


class Shippings(SellingMethod[Shipping]):
    """Shipping methods of stores: texts, limits, charges by destination, carrier."""

    name = "shippings"
    id_key = "shipping_id"
    masked = "service_params"
    named = "shipping"
    model = Shipping
    texts = ShippingText
    fields = ShippingFields
    filters = (
        Equal("company_id", Shipping.company_id, Id(zero=True)),
        Equal("rate_calculation", Shipping.rate_calculation, Choice("M", "R")),
        Equal("service_id", Shipping.service_id, Id(zero=True)),
        for_group(Shipping),
    )
    sortings = {
        "position": Shipping.position,
        "shipping": ShippingText.shipping_key,
        "status": Shipping.status,
    }
    privileges = allow(view="view_shipping", manage="manage_shipping")

    def check(self, values: Values, row: Record | None) -> None:
        """Judge the weights too; no largest one is 0."""
        super().check(values, row)
        merged = {"min_weight": 0, "max_weight": 0, **(row or {}), **values}
        if 0 < merged["max_weight"] < merged["min_weight"]:
            raise InvalidInput.of("max_weight", "is less than min_weight")

    def remove(self, id: Key, row: Record) -> None:
        """Delete a method, and take it out of what vendors may use."""
        forget_method(self.db, Removal(int(id), self.caller.user_id, self.context.now))
        super().remove(id, row)
