"""The time of a product's last change, where something beside the product changed.

Source: spec/entities/products.md, rule 5.8.
"""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import Product

_PRODUCTS = table_of(Product)
_ids: Any = bindparam("ids", expanding=True)
_OFFERS = query(select(Product.product_id).where(Product.master_product_id.in_(_ids)))
_MAINLY_IN = query(select(Product.product_id).where(Product.main_category.in_(_ids)))
_HELD = query(
    select(
        Product.product_id,
        Product.company_id,
        Product.status,
        Product.updated_timestamp,
    )
    .where(Product.product_id.in_(_ids))
    .order_by(Product.product_id)
    .with_for_update()
)


def touch_products(db: Transaction, ids: Iterable[int], context: Context) -> None:
    """Hold products and note that what readers see of them is different now.

    Offers show the options of their common product, and change with it.
    """
    named = set(ids)
    for batch in batches(named):
        named = named | {row[0] for row in db.rows(_OFFERS, ids=batch)}
    now = {"updated_timestamp": context.now}
    for batch in batches(sorted(named)):
        rows = db.rows(_HELD, ids=batch)
        db.update(_PRODUCTS, {"product_id": [row[0] for row in rows]}, now)
        db.record(
            *[
                Change(
                    "products", Operation.UPDATE, id, company_id,
                    context.caller.user_id, {"updated_timestamp": before}, now,
                    _PRODUCTS.name, status,
                )
                for id, company_id, status, before in rows
            ]
        )  # fmt: skip


def touch_below(db: Transaction, category_ids: Iterable[int], context: Context) -> None:
    """Note that products have other paths: their main categories have moved."""
    products: list[int] = []
    for batch in batches(category_ids):
        products += [row[0] for row in db.rows(_MAINLY_IN, ids=batch)]
    touch_products(db, products, context)
