"""Products in categories: the links, and the number of products of each category."""

from collections.abc import Iterable, Sequence

from sqlalchemy import bindparam, select, update

from storeapi.core.database import Connection, Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Category, ProductCategory

_PLACED = query(
    select(ProductCategory.category_id)
    .where(ProductCategory.product_id == bindparam("id", required=True))
    .order_by(ProductCategory.category_id)
)
_ADD = query(
    update(Category)
    .where(Category.category_id == bindparam("id", required=True))
    .values(product_count=Category.product_count + bindparam("by", required=True))
)


def placed_ids(db: Connection, product_id: int) -> list[int]:
    """The categories that a product is in."""
    return [row[0] for row in db.rows(_PLACED, id=product_id)]


def place(db: Transaction, product_id: int, category_ids: Sequence[int]) -> None:
    """Put a product into exactly these categories."""
    before = set(placed_ids(db, product_id))
    after = set(category_ids)
    unlink(db, product_id, before - after)
    link(db, product_id, sorted(after - before))


def link(db: Transaction, product_id: int, category_ids: Iterable[int]) -> None:
    """Add a product at the beginning of categories that it is not in yet."""
    rows = [
        {"product_id": product_id, "category_id": id, "position": 0}
        for id in category_ids
    ]
    db.insert_many(table_of(ProductCategory), rows)
    count(db, {row["category_id"]: 1 for row in rows})


def unlink(db: Transaction, product_id: int, category_ids: Iterable[int]) -> None:
    """Take a product out of categories that it is in."""
    ids = sorted(category_ids)
    if ids:
        where = {"product_id": product_id, "category_id": ids}
        db.delete(table_of(ProductCategory), where)
        count(db, dict.fromkeys(ids, -1))


def count(db: Transaction, changes: dict[int, int]) -> None:
    """Change the kept numbers of products, in ID order so that none waits in a ring.

    Source: spec/entities/categories.md, rule 5.7.
    """
    for id in sorted(changes):
        if changes[id]:
            db.run(_ADD, id=id, by=changes[id])
