"""Parts of a product that are kept in tables of their own."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi import Connection, Context, Nested, Transaction, query
from storeapi.core.kinds import (
    Faults,
    Integer,
    Keys,
    Money,
    ids_of,
    invalid,
    money_text,
)
from storeapi.core.rows import table_of
from storeapi.models import Product, ProductCategory, ProductPrice
from storeapi.rules.groups import buyer_groups
from storeapi.rules.placement import place

_CATEGORIES = query(
    select(
        ProductCategory.product_id, ProductCategory.category_id, Product.main_category
    )
    .join(Product, Product.product_id == ProductCategory.product_id)
    .where(ProductCategory.product_id.in_(bindparam("ids", expanding=True)))
    .order_by(ProductCategory.product_id, ProductCategory.category_id)
)
_PRICES = query(
    select(
        ProductPrice.product_id,
        ProductPrice.lower_limit,
        ProductPrice.usergroup_id,
        ProductPrice.price,
        ProductPrice.percentage_discount,
    )
    .where(ProductPrice.product_id.in_(bindparam("ids", expanding=True)))
    .order_by(
        ProductPrice.product_id, ProductPrice.lower_limit, ProductPrice.usergroup_id
    )
)

Price = tuple[int, int, int, int]
"""Lower limit, user group, price in minor units, per cent off."""

_LIMIT = Integer(minimum=1, maximum=10**9)
_GROUP = Integer()
_PRICE = Money()
_PER_CENT = Integer(maximum=100)


class CategoryIds(Nested):
    """The categories of a product, the main one first.

    Source: spec/entities/products.md, rules 5.3 and 5.4.
    """

    def parse(self, value: Any) -> list[int]:
        """Read an array, a single ID, or a comma list."""
        found = ids_of(value)
        if 0 in found:
            raise invalid("holds an ID that no category has")
        return found

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the links of a page."""
        found: dict[int, list[int]] = {}
        for product_id, category_id, main in db.rows(_CATEGORIES, ids=ids):
            links = found.setdefault(product_id, [])
            if category_id == main:
                links.insert(0, category_id)
            else:
                links.append(category_id)
        return found

    def save(
        self, db: Transaction, owner_id: int, value: list[int], context: Context
    ) -> bool:
        """Replace the set."""
        return place(db, owner_id, value)


_PRICE_KEYS = ("lower_limit", "usergroup_id", "price", "percentage_discount")
MOST_PRICES = 1000
"""Quantity and user-group prices of one product."""


class Prices(Nested):
    """Quantity and user-group prices; the base price is not among them.

    Source: spec/entities/products.md, 2.7.
    """

    keys = Keys(frozenset(_PRICE_KEYS), many=True)

    def parse(self, value: Any) -> list[Price]:
        """Read an array, or an object with any keys."""
        rows = list(value.values()) if isinstance(value, dict) else value
        if not isinstance(rows, list):
            raise invalid("must be a list of prices")
        if len(rows) > MOST_PRICES:
            raise invalid(f"holds more than {MOST_PRICES} prices", "too_long")
        found: dict[tuple[int, int], Price] = {}
        faults = Faults()
        for number, row in enumerate(rows):
            with faults.of(str(number)):
                price = _price(row)
                if price[:2] == (1, 0):
                    continue
                if price[:2] in found:
                    raise invalid("repeats a lower_limit and usergroup_id")
                found[price[:2]] = price
        faults.tell()
        return sorted(found.values())

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the rows of a page; customers are shown those that are for them.

        Source: spec/protocol.md, section 9, "Anonymous and customer access", rule 4.
        """
        caller = context.caller
        own = buyer_groups(db, caller.user_id or 0) if caller.is_customer else None
        found: dict[int, list[dict[str, str]]] = {}
        for product_id, lower_limit, usergroup_id, price, per_cent in db.rows(
            _PRICES, ids=ids
        ):
            if own is not None and usergroup_id not in own:
                continue
            found.setdefault(product_id, []).append(
                {
                    "lower_limit": str(lower_limit),
                    "usergroup_id": str(usergroup_id),
                    "price": money_text(price),
                    "percentage_discount": str(per_cent),
                }
            )
        return found

    def save(
        self, db: Transaction, owner_id: int, value: list[Price], context: Context
    ) -> bool:
        """Replace all rows."""
        stored = [tuple(row[1:]) for row in db.rows(_PRICES, ids=[owner_id])]
        if stored == value:
            return False
        db.delete(table_of(ProductPrice), {"product_id": owner_id})
        db.insert_many(
            table_of(ProductPrice),
            [
                {"product_id": owner_id, **dict(zip(_PRICE_KEYS, row, strict=True))}
                for row in value
            ],
        )
        return True


def _price(row: Any) -> Price:
    if not isinstance(row, dict):
        raise invalid("must be an object")
    faults = Faults()

    def read(name: str, kind: Any, default: Any) -> int:
        value = row.get(name)
        with faults.of(name):
            return int(kind.parse(default if value is None else value))
        return 0

    found = (
        read("lower_limit", _LIMIT, 1),
        read("usergroup_id", _GROUP, 0),
        read("price", _PRICE, "0"),
        read("percentage_discount", _PER_CENT, 0),
    )
    if row.get("price") is None and not found[3]:
        with faults.of("price"):
            raise invalid("is required")
    faults.tell()
    return found
