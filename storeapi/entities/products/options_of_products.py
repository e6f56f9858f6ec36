"""The options of a product inside its record."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import case, exists, or_

from storeapi import (
    Connection,
    Context,
    Money,
    Nested,
    Record,
    TableEntity,
    Transaction,
    equals,
)
from storeapi.core.conditions import Condition
from storeapi.core.declaration import RecordShape
from storeapi.core.kinds import JsonSchema, money_text
from storeapi.core.listing import Cut, values_of
from storeapi.models import Option, ProductOption
from storeapi.rules.choices import shown_choice
from storeapi.rules.choosable import offers_of
from storeapi.rules.options import HOLDERS, drop_belongings, offered

_PRICE = Money()
_own = exists().where(Option.product_id.in_(HOLDERS), Option.status == "A")
_linked = exists().where(
    ProductOption.product_id.in_(HOLDERS),
    ProductOption.option_id == Option.option_id,
    Option.status == "A",
)

has_active_option = case((or_(_own, _linked), "Y"), else_="N")
"""Whether a product has an active option: its own, a linked one, or one it shares."""


class ProductOptions(Nested):
    """All options of a product, an object by option ID, or `[]`.

    The records are those of the entity `options`, read by the same projection.
    Source: spec/entities/products.md, 2.4.
    """

    kept = True

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the options of a page of products, and each option once."""
        options_of = offered(db, ids)
        wanted = {option for options in options_of.values() for option in options}
        records = _records(db, sorted(wanted), context) if wanted else {}
        found: dict[int, dict[str, Any]] = {}
        for product_id, options in options_of.items():
            mine = set(options)
            chosen = {str(id): row for id, row in records.items() if id in mine}
            if chosen:
                found[product_id] = chosen
        return found

    def remove(self, db: Transaction, ids: Sequence[Any], context: Context) -> None:
        """Remove the images of variants and combinations that go with products."""
        drop_belongings(db, ids, context)

    def record_schema(self) -> JsonSchema:
        """Describe the options, or nothing."""
        options = {"type": "object", "additionalProperties": {"type": "object"}}
        return {"anyOf": [options, {"type": "array"}]}


class SelectedOptions(Nested):
    """The choice for which the price is shown: `choose` fills it in."""

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Nothing is chosen, unless the request says so."""
        return {}

    def record_schema(self) -> JsonSchema:
        """Describe variants or texts by option ID, or nothing."""
        choice = {"type": "object", "additionalProperties": {"type": "string"}}
        return {"anyOf": [choice, {"type": "array"}]}


def choose(
    db: Connection, product_id: int, sent: Any, record: Record, lang_code: str
) -> None:
    """Show the price of a choice of options, as far as the record shows both.

    Raises: `InvalidInput`.
    Source: spec/entities/products.md, 2.2 and 2.4.
    """
    offer = offers_of(db, [product_id], lang_code)[product_id]
    choice = shown_choice(offer, sent)
    if "selected_options" in record:
        record["selected_options"] = choice.values or []
    if "price" in record:
        record["price"] = money_text(choice.price(_PRICE.parse(record["price"])))


def _records(
    db: Connection, ids: Sequence[int], context: Context
) -> dict[int, dict[str, Any]]:
    """The full records of options, in their order."""
    options = None if context.registry is None else context.registry.get("options")
    if options is None or not issubclass(options, TableEntity):
        return {}
    declaration = options.declaration
    customer = context.caller.is_customer
    shape = RecordShape(True, context.version, customer)
    projection = declaration.projection(shape)
    conditions: list[Condition] = [equals(declaration.id, ids, role="offered")]
    if customer:
        conditions.append(equals(Option.status, "A", role="shown"))
    order = declaration.order("position", descending=False)
    rows = db.rows(
        declaration.source.page(
            ("of products", shape), projection, conditions, Cut(order)
        ),
        lang_code=context.lang_code,
        **values_of(conditions),
    )
    records = projection.encode(rows, db, context)
    return {row[0]: record for row, record in zip(rows, records, strict=True)}
