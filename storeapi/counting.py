"""Numbers that are kept instead of counted: are they true, and how to set them so.

Every write keeps them in step. This module is for what goes around the server, as
a restored part of a backup or a repair by hand.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Table, case, func, literal, select, update

from storeapi.core.database import Transaction
from storeapi.core.registry import Registry
from storeapi.core.rows import table_of
from storeapi.core.table import TableEntity
from storeapi.models import (
    Category,
    DiscussionPost,
    DiscussionThread,
    ObjectCount,
    ProductCategory,
)
from storeapi.rules.discussions import APPROVED

_COUNTS = table_of(ObjectCount)
_CATEGORIES = table_of(Category)
_LINKS = table_of(ProductCategory)
_THREADS = table_of(DiscussionThread)


class Difference(NamedTuple):
    """A kept number that is not what counting gives."""

    what: str
    kept: int
    counted: int


def counted_tables(registry: Registry) -> list[Table]:
    """The tables whose objects are counted by company and status."""
    found = {
        registered.entity.declaration.table
        for registered in registry
        if issubclass(registered.entity, TableEntity) and registered.entity.counted
    }
    return sorted(found, key=lambda table: table.name)


def differences(db: Transaction, tables: Iterable[Table]) -> list[Difference]:
    """Compare every kept number with what counting gives."""
    found = [each for table in tables for each in _of_objects(db, table)]
    return [*found, *_of_categories(db), *_of_places(db), *_of_threads(db)]


def recount(db: Transaction, tables: Iterable[Table]) -> None:
    """Set every kept number to what counting gives."""
    for table in tables:
        recount_table(db, table)
    _set_category_counts(db)
    _set_first_places(db)
    _set_rating_sums(db)


def recount_table(db: Transaction, table: Table) -> None:
    """Set the numbers of one table."""
    db.delete(_COUNTS, {"entity": table.name})
    rows = [
        {"entity": table.name, "company_id": company, "status": status, "slot": 0}
        | {"n": n}
        for (company, status), n in sorted(_counted(db, table).items())
    ]
    db.insert_many(_COUNTS, rows)


Cell = tuple[int, str]


def _counted(db: Transaction, table: Table) -> dict[Cell, int]:
    columns = table.columns
    company: ColumnElement[Any] = columns.get("company_id", literal(0))
    status: ColumnElement[Any] = columns.get("status", literal("A"))
    cells = [columns[name] for name in ("company_id", "status") if name in columns]
    statement = select(company, status, func.count()).select_from(table)
    if cells:
        statement = statement.group_by(*cells)
    rows: list[Any] = list(db.execute(statement))
    return {(row[0], row[1]): row[2] for row in rows if row[2]}


def _of_objects(db: Transaction, table: Table) -> Iterator[Difference]:
    columns = _COUNTS.c
    statement = (
        select(columns.company_id, columns.status, func.sum(columns.n))
        .where(columns.entity == table.name)
        .group_by(columns.company_id, columns.status)
    )
    rows: list[Any] = list(db.execute(statement))
    kept = {(row[0], row[1]): int(row[2]) for row in rows}
    counted = _counted(db, table)
    for company, status in sorted(kept.keys() | counted.keys()):
        cell = company, status
        yield from _difference(
            f"{table.name} of company {company} with status {status}",
            kept.get(cell, 0),
            counted.get(cell, 0),
        )


def _difference(what: str, kept: int, counted: int) -> Iterator[Difference]:
    if kept != counted:
        yield Difference(what, kept, counted)


_links: ColumnElement[int] = (
    select(func.count())
    .where(ProductCategory.category_id == _CATEGORIES.c.category_id)
    .correlate(_CATEGORIES)
    .scalar_subquery()
)


def _of_categories(db: Transaction) -> Iterator[Difference]:
    columns = _CATEGORIES.c
    statement = (
        select(columns.category_id, columns.product_count, _links)
        .where(columns.product_count != _links)
        .order_by(columns.category_id)
    )
    rows: list[Any] = list(db.execute(statement))
    for id, kept, counted in rows:
        yield Difference(f"products in category {id}", kept, counted)


def _set_category_counts(db: Transaction) -> None:
    db.execute(
        update(_CATEGORIES)
        .where(_CATEGORIES.c.product_count != _links)
        .values(product_count=_links)
    )


def _of_places(db: Transaction) -> Iterator[Difference]:
    kept = select(func.count()).where(_LINKS.c.first_id.is_(None))
    counted = select(func.count(_LINKS.c.product_id.distinct()))
    what = "products that are in categories"
    yield from _difference(
        what, db.execute(kept).scalar_one(), db.execute(counted).scalar_one()
    )


def _set_first_places(db: Transaction) -> None:
    other = _LINKS.alias()
    least = (
        select(func.min(other.c.category_id))
        .where(other.c.product_id == _LINKS.c.product_id)
        .correlate(_LINKS)
        .scalar_subquery()
    )
    first = case((_LINKS.c.category_id != least, least))
    db.execute(update(_LINKS).values(first_id=first))


_rating: Any = DiscussionPost.rating_value
_SUMS = {
    column: select(value)
    .where(
        DiscussionPost.thread_id == _THREADS.c.thread_id,
        DiscussionPost.status == APPROVED,
        _rating > 0,
    )
    .correlate(_THREADS)
    .scalar_subquery()
    for column, value in (
        ("rating_sum", func.coalesce(func.sum(_rating), 0)),
        ("rating_count", func.count()),
    )
}


def _of_threads(db: Transaction) -> Iterator[Difference]:
    for name, counted in _SUMS.items():
        column = _THREADS.c[name]
        statement = (
            select(_THREADS.c.thread_id, column, counted)
            .where(column != counted)
            .order_by(_THREADS.c.thread_id)
        )
        rows: list[Any] = list(db.execute(statement))
        for id, kept, number in rows:
            yield Difference(f"{name} of thread {id}", kept, int(number))


def _set_rating_sums(db: Transaction) -> None:
    for name, counted in _SUMS.items():
        wrong = _THREADS.c[name] != counted
        db.execute(update(_THREADS).where(wrong).values({name: counted}))
