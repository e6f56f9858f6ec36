"""The time of a product's last change, where something beside the product changed.

Source: spec/entities/products.md, rule 5.8.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import aliased

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Connection, Row, Transaction
from storeapi.core.entity import Context
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import Product

_PRODUCTS = table_of(Product)
_ids: Any = bindparam("ids", expanding=True)
_OFFERS = query(select(Product.product_id).where(Product.master_product_id.in_(_ids)))
_child = aliased(Product)
_SHARING = query(
    select(Product.product_id)
    .where(Product.parent_product_id.in_(_ids))
    .union(
        select(Product.product_id).where(Product.master_product_id.in_(_ids)),
        select(Product.product_id)
        .join(_child, _child.product_id == Product.master_product_id)
        .where(_child.parent_product_id.in_(_ids)),
    )
)
_MAINLY_IN = query(select(Product.product_id).where(Product.main_category.in_(_ids)))
_held = (
    select(
        Product.product_id,
        Product.company_id,
        Product.status,
        Product.updated_timestamp,
    )
    .where(Product.product_id.in_(_ids))
    .order_by(Product.product_id)
)
_HELD = query(_held.with_for_update())
_HELD_AT_ONCE = query(_held.with_for_update(nowait=True))


def touch_products(db: Transaction, ids: Iterable[int], context: Context) -> None:
    """Hold products and note that what readers see of them is different now.

    Offers show the options of their common product, and change with it.
    """
    note_change(db, with_offers(db, ids), context.now, context.caller.user_id)


def touch_sharing(db: Transaction, ids: Iterable[int], context: Context) -> None:
    """The same of products and of all that have their options.

    Source: spec/entities/product_variations.md, rule 9.
    """
    note_change(db, sharing(db, ids), context.now, context.caller.user_id)


def hold_sharing(db: Transaction, ids: Iterable[int]) -> None:
    """Hold products and all that have their options, before an option is held.

    Who moves options along with products holds these first as well.
    """
    if db.concurrent:
        hold(db, sharing(db, ids))


def hold(db: Transaction, ids: Iterable[int]) -> None:
    """Hold products against other writers, in the order of their IDs."""
    for batch in batches(sorted(set(ids))):
        db.rows(_HELD, ids=batch)


def hold_at_once(db: Transaction, ids: Iterable[int]) -> list[Row]:
    """Hold products; a failure that passes, where another writer holds one."""
    found: list[Row] = []
    for batch in batches(sorted(set(ids))):
        found += db.rows(_HELD_AT_ONCE, ids=batch)
    return found


def touch_offers(db: Transaction, common_id: int, context: Context) -> None:
    """Note that the offers of a common product show something else of it."""
    offers = with_offers(db, [common_id]) - {common_id}
    note_change(db, offers, context.now, context.caller.user_id)


def sharing(db: Connection, ids: Iterable[int]) -> set[int]:
    """Products and all that have their options: child variations, and offers."""
    named = set(ids)
    for batch in batches(sorted(named)):
        named = named | {row[0] for row in db.rows(_SHARING, ids=batch)}
    return named


def with_offers(db: Connection, ids: Iterable[int]) -> set[int]:
    """Products, and the offers of those that are common products."""
    named = set(ids)
    for batch in batches(sorted(named)):
        named = named | {row[0] for row in db.rows(_OFFERS, ids=batch)}
    return named


def note_change(
    db: Transaction, ids: Iterable[int], now: int, user_id: int | None
) -> None:
    """Hold products, and write when they changed and who did it."""
    for batch in batches(sorted(set(ids))):
        note_held(db, db.rows(_HELD, ids=batch), now, user_id)


def note_held(
    db: Transaction, rows: Sequence[Row], now: int, user_id: int | None
) -> None:
    """The same of products that are held, as `hold_at_once` has them."""
    if not rows:
        return
    written = {"updated_timestamp": now}
    db.update(_PRODUCTS, {"product_id": [row[0] for row in rows]}, written)
    db.record(
        *[
            Change(
                "products",
                Operation.UPDATE,
                id,
                company_id,
                user_id,
                {"updated_timestamp": before},
                written,
                _PRODUCTS.name,
                status,
            )
            for id, company_id, status, before in rows
        ]
    )


def touch_below(db: Transaction, category_ids: Iterable[int], context: Context) -> None:
    """Note that products have other paths: their main categories have moved."""
    products: list[int] = []
    for batch in batches(category_ids):
        products += [row[0] for row in db.rows(_MAINLY_IN, ids=batch)]
    touch_products(db, products, context)
