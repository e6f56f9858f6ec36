"""Parts of a cart's record that are kept elsewhere: the owner, and the lines."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
from sqlalchemy import bindparam, exists, select

from storeapi import Connection, Context, Nested, query
from storeapi.core.kinds import decimal_number, money_text
from storeapi.models import (
    Cart,
    CartLine,
    Combination,
    Product,
    ProductCategory,
    ProductText,
    User,
)
from storeapi.rules import images
from storeapi.rules.choosable import codes_of
from storeapi.rules.customer_records import COLUMNS, customer_record
from storeapi.rules.images import MAIN, Media
from storeapi.rules.sent_lines import LINE_KEYS

_ids: Any = bindparam("ids", expanding=True)
_OWNERS = query(
    select(Cart.cart_id, *COLUMNS)
    .join(User, User.user_id == Cart.customer_id)
    .where(Cart.cart_id.in_(_ids))
)
_CATEGORIES = query(
    select(ProductCategory.product_id, ProductCategory.category_id)
    .where(ProductCategory.product_id.in_(_ids))
    .order_by(ProductCategory.product_id, ProductCategory.category_id)
)


class OwnerData(Nested):
    """The account of a registered owner, with its profile; `[]` for a guest."""

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the accounts of the owners of a page."""
        return {row[0]: customer_record(row[1:]) for row in db.rows(_OWNERS, ids=ids)}


class _Line(NamedTuple):
    """A line of a cart, with what the catalogue says of its product now."""

    cart_id: int
    type: str
    item_id: int
    product_id: int
    amount: int
    price: int
    base_price: int
    timestamp: int
    options: str
    user_id: int
    user_type: str
    ip_address: str
    company_id: int
    product_code: str
    product: str
    options_type: str
    exceptions_type: str
    is_edp: str
    edp_shipping: str
    unlimited_download: str
    is_coded: bool = False


_LINES = query(
    select(
        *[getattr(CartLine, name) for name in _Line._fields[:9]],
        Cart.user_id,
        Cart.user_type,
        Cart.ip_address,
        Product.company_id,
        Product.product_code,
        ProductText.product,
        *[getattr(Product, name) for name in _Line._fields[15:-1]],
        exists().where(
            Combination.product_id == CartLine.product_id,
            Combination.product_code != "",
        ),
    )
    .join(Cart, Cart.cart_id == CartLine.cart_id)
    .join(Product, Product.product_id == CartLine.product_id)
    .join(ProductText, ProductText.product_id == CartLine.product_id)
    .where(
        CartLine.cart_id.in_(_ids),
        ProductText.lang_code == bindparam("lang_code", required=True),
    )
    .order_by(CartLine.cart_id, CartLine.timestamp, CartLine.item_id)
)


class _Around(NamedTuple):
    """What the products of the lines have beside themselves."""

    pictures: Mapping[int, Any]
    categories: Mapping[int, Sequence[int]]
    pieces: Mapping[tuple[int, int], int]


class CartProducts(Nested):
    """The lines of a cart, with the names and pictures that products have now."""

    def unknown_keys(self, value: Any) -> Iterable[str]:
        """The names of keys that lines do not have; the entity reads lines itself."""
        return LINE_KEYS.unknown(value)

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the lines of a page, and what belongs to their products."""
        rows = db.rows(_LINES, ids=ids, lang_code=context.lang_code)
        lines = _coded(db, [_Line(*row) for row in rows], context)
        around = _around(db, lines, context)
        found: dict[int, list[dict[str, Any]]] = {}
        for line in lines:
            found.setdefault(line.cart_id, []).append(_record(line, around))
        return found


def _coded(db: Connection, lines: Sequence[_Line], context: Context) -> Sequence[_Line]:
    """The lines with the codes of their combinations, as an order shows them."""
    wanted = [
        (line.product_id, orjson.loads(line.options)) for line in lines if line.is_coded
    ]
    if not wanted:
        return lines
    codes = iter(codes_of(db, wanted, context.lang_code))
    return [
        line._replace(product_code=next(codes) or line.product_code)
        if line.is_coded
        else line
        for line in lines
    ]


def _around(db: Connection, lines: Sequence[_Line], context: Context) -> _Around:
    products = sorted({line.product_id for line in lines})
    media = Media.of(context.settings, context.base_url)
    pairs = images.load(db, "product", products, media, MAIN)
    categories: dict[int, list[int]] = {}
    for product_id, category_id in db.rows(_CATEGORIES, ids=products):
        categories.setdefault(product_id, []).append(category_id)
    pieces: dict[tuple[int, int], int] = {}
    for line in lines:
        key = (line.cart_id, line.product_id)
        pieces[key] = pieces.get(key, 0) + line.amount
    pictures = {id: next(iter(each[MAIN].values())) for id, each in pairs.items()}
    return _Around(pictures, categories, pieces)


def _record(line: _Line, around: _Around) -> dict[str, Any]:
    """A line as clients know it; nothing of a session is ever part of it."""
    return {
        "item_id": str(line.item_id),
        "item_type": "P",
        "product_id": str(line.product_id),
        "amount": str(line.amount),
        "price": money_text(line.price),
        "product": line.product,
        "extra": _extra(line, around),
    }


def _extra(line: _Line, around: _Around) -> dict[str, Any]:
    options = orjson.loads(line.options) or []
    price = decimal_number(line.price, 2)
    return {
        "user_id": str(line.user_id),
        "timestamp": str(line.timestamp),
        "type": line.type,
        "user_type": line.user_type,
        "item_id": str(line.item_id),
        "item_type": "P",
        "product_id": line.product_id,
        "amount": line.amount,
        "price": price,
        "order_id": None,
        "company_id": str(line.company_id),
        "product_code": line.product_code,
        "product": line.product,
        "ip_address": line.ip_address,
        "extra": {
            "product_options": options,
            "unlimited_download": line.unlimited_download,
        },
        "product_options": options,
        "stored_price": "N",
        "stored_discount": None,
        "main_pair": around.pictures.get(line.product_id, []),
        "amount_total": around.pieces[line.cart_id, line.product_id],
        "options_type": line.options_type,
        "exceptions_type": line.exceptions_type,
        "modifiers_price": decimal_number(line.price - line.base_price, 2),
        "base_price": decimal_number(line.base_price, 2),
        "display_price": price,
        "discount": 0,
        "is_edp": line.is_edp,
        "edp_shipping": line.edp_shipping,
        "promotions": [],
        "category_ids": around.categories.get(line.product_id, []),
    }
