"""Carts: how they go, and lines of products with them.

Source: spec/entities/carts.md, section 5.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, case, func, select, update

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import Query, batches, query
from storeapi.models import Cart, CartLine

Row = Mapping[str, Any]

GUEST = "G"
IN_CART = "C"
WISHED = "W"
_BATCH = 500
_CARTS = table_of(Cart)
_LINES = table_of(CartLine)
_ids: Any = bindparam("ids", expanding=True)


def _held(condition: Any) -> Query:
    found = select(_CARTS).where(condition).order_by(_CARTS.c.cart_id)
    return query(found.limit(_BATCH).with_for_update())


_WITH_PRODUCTS = _held(
    _CARTS.c.cart_id.in_(select(CartLine.cart_id).where(CartLine.product_id.in_(_ids)))
)
_OF_USERS = _held(_CARTS.c.customer_id.in_(_ids))
_OLD_GUESTS = _held(
    (_CARTS.c.user_type == GUEST)
    & (_CARTS.c.updated_timestamp < bindparam("before", required=True))
)


def _of_cart(column: Any) -> Any:
    """What the lines in the cart count; a wish list counts for nothing."""
    return func.sum(case((CartLine.type == IN_CART, column), else_=0))


_SUMS = query(
    select(
        CartLine.cart_id,
        _of_cart(CartLine.amount),
        _of_cart(CartLine.amount * CartLine.price),
        func.min(CartLine.timestamp),
    )
    .where(CartLine.cart_id.in_(_ids))
    .group_by(CartLine.cart_id)
)
_SUM = query(
    update(Cart)
    .where(Cart.cart_id == bindparam("id", required=True))
    .values(
        {
            name: bindparam(f"new_{name}", required=True)
            for name in ("cart_products", "total", "timestamp", "updated_timestamp")
        }
    )
)


def cart_change(
    operation: Operation,
    row: Row,
    caller_id: int | None,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> Change:
    """What is told of a write to a cart."""
    id, company_id = row["user_id"], row["company_id"]
    return Change(
        "carts", operation, id, company_id, caller_id, before, after, _CARTS.name
    )


def delete_carts(db: Transaction, rows: Sequence[Row], caller_id: int | None) -> None:
    """Delete carts that are held, with all their lines."""
    db.delete(_CARTS, {"cart_id": [row["cart_id"] for row in rows]})
    db.record(*[cart_change(Operation.DELETE, row, caller_id, row, {}) for row in rows])


def _rows(found: Iterable[Any]) -> list[Row]:
    return [dict(zip(_CARTS.columns.keys(), row, strict=True)) for row in found]


def delete_carts_of(
    db: Transaction, user_ids: Iterable[int], caller_id: int | None
) -> None:
    """Delete the carts of users that are about to go.

    Source: spec/entities/carts.md, rule 5.6.
    """
    for ids in batches(user_ids):
        while rows := _rows(db.rows(_OF_USERS, ids=ids)):
            delete_carts(db, rows, caller_id)


def drop_lines(
    db: Transaction, product_ids: Iterable[int], now: int, caller_id: int | None
) -> None:
    """Take products that are about to go out of all carts.

    Source: spec/entities/carts.md, rule 5.6.
    """
    for ids in batches(product_ids):
        while rows := _rows(db.rows(_WITH_PRODUCTS, ids=ids)):
            numbers = [row["cart_id"] for row in rows]
            db.delete(_LINES, {"cart_id": numbers, "product_id": ids})
            _sum_anew(db, rows, now, caller_id)


def _sum_anew(
    db: Transaction, rows: Sequence[Row], now: int, caller_id: int | None
) -> None:
    """Let carts say what their lines are now; those without lines go."""
    numbers = [row["cart_id"] for row in rows]
    sums = {row[0]: row[1:] for row in db.rows(_SUMS, ids=numbers)}
    written: list[Row] = []
    changes, empty = [], []
    for row in rows:
        if row["cart_id"] not in sums:
            empty.append(row)
            continue
        pieces, total, since = map(int, sums[row["cart_id"]])
        values = {"cart_products": pieces, "total": total, "timestamp": since}
        values["updated_timestamp"] = now
        written.append({"id": row["cart_id"]} | {f"new_{k}": values[k] for k in values})
        before = {name: row[name] for name in values}
        changes.append(cart_change(Operation.UPDATE, row, caller_id, before, values))
    db.run_many(_SUM, written)
    db.record(*changes)
    if empty:
        delete_carts(db, empty, caller_id)


def purge_guests(db: Transaction, before: int) -> int:
    """Delete some carts of guests that nobody has changed since; returns how many.

    Source: spec/entities/carts.md, rule 5.9.
    """
    rows = _rows(db.rows(_OLD_GUESTS, before=before))
    if rows:
        delete_carts(db, rows, None)
    return len(rows)
