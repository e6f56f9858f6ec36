"""Filters by listed figures that are computed from columns.

Source: spec/protocol.md, section 5.5, rule 2 (every scalar of a list record).
"""

from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam

from storeapi import Condition, Integer, Money, Where
from storeapi.core.conditions import NOTHING
from storeapi.core.filters import Filter, Make, read_value, single
from storeapi.models import Product
from storeapi.rules.packing import unpacked

_AMOUNT = Money()
_PER_CENT = Integer()
_BOX = (
    Product.min_items_in_box,
    Product.max_items_in_box,
    Product.box_length,
    Product.box_width,
    Product.box_height,
)


def _discounted_by(price: Any) -> Make:
    def make(entity: Any, value: Any) -> Condition:
        """Products whose price lies so far below the list price."""
        amount = read_value("list_discount", _AMOUNT.read_filter, value)
        if not amount:
            return NOTHING
        return Condition(
            "list discount",
            lambda: (
                Product.list_price - price == bindparam("list_discount", required=True)
            ),
            {"list_discount": amount},
        )

    return make


def _discounted_by_per_cent(price: Any) -> Make:
    def make(entity: Any, value: Any) -> Condition:
        """Products whose price lies so many per cent below the list price."""
        per_cent = read_value("list_discount_prc", _PER_CENT.read_filter, value)
        if per_cent > 100:
            return NOTHING
        values = {"per_cent": per_cent, "next_per_cent": per_cent + 1}
        return Condition("list discount per cent", lambda: _is_off(price), values)

    return make


def _is_off(price: Any) -> ColumnElement[bool]:
    """As `discount_per_cent` has it, which divides by twice the list price."""
    off = Product.list_price - price
    twice, part = 2 * Product.list_price, 200 * off + Product.list_price
    least: Any = bindparam("per_cent", required=True)
    above: Any = bindparam("next_per_cent", required=True)
    return and_(off > 0, part >= twice * least, part < twice * above)


def _packed_as(entity: Any, value: Any) -> Condition:
    """Products with these box data."""
    found = unpacked(single("shipping_params", value))
    if found is None:
        return NOTHING
    names = [f"box_{number}" for number in range(len(found))]
    return Condition(
        "box data",
        lambda: and_(
            *[
                column == bindparam(name, required=True)
                for column, name in zip(_BOX, names, strict=True)
            ]
        ),
        dict(zip(names, found, strict=True)),
    )


def figures(price: Any) -> tuple[Filter, ...]:
    """The filters by figures, of lists that show this price."""
    return (
        Where("list_discount", _discounted_by(price)),
        Where("list_discount_prc", _discounted_by_per_cent(price)),
        Where("shipping_params", _packed_as),
    )
