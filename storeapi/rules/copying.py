"""Copies of many rows: which table, under which owner, and which new numbers.

Rows are read in batches by the owners that were copied before, their references
are replaced by the numbers of the copies, and each batch is written by one
statement. A reference to something that was not copied stays as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Column, Table, bindparam, select

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.statement import Query, batches
from storeapi.rules.secrets import without_secrets

_queries: dict[tuple[Column[Any], bool], Query] = {}

Values = dict[str, Any]
Numbers = dict[int, int]
Adapt = Callable[["Copy", Values], Values]


@dataclass(slots=True)
class Copy:
    """One copy of a store's data, and what it has numbered so far.

    Shapes: `numbers` maps the name of a table to old and new numbers.
    """

    db: Transaction
    source: int
    target: int
    caller_id: int | None
    now: int
    numbers: dict[str, Numbers] = field(default_factory=dict)

    def of(self, table: Table) -> Numbers:
        """Old and new numbers of the copied rows of a table."""
        return self.numbers.setdefault(table.name, {})

    def number(self, table: Table, old: int) -> int:
        """The number of a copy; its own where a row was not copied."""
        return self.of(table).get(old, old)


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of a table that go along with owners which were copied.

    Shapes: `owner` is the column by which they are found; every other foreign key
    to a copied row is replaced too, and a company by the new one. `adapt` changes
    what is more than a reference. `entity` records each copy as created.
    """

    table: Table
    owner: str
    adapt: Adapt | None = None
    entity: str = ""


def originals(copy: Copy, table: Table) -> list[Values]:
    """The rows of the source, held: what belongs to them stays until it is copied."""
    return rows_of(copy.db, table.c.company_id, [copy.source], hold=True)


def copy_part(copy: Copy, part: Part) -> None:
    """Copy the rows of a table whose owners were copied."""
    owner = part.table.c[part.owner]
    (key,) = owner.foreign_keys
    for ids in batches(sorted(copy.of(key.column.table))):
        write_copies(copy, part, rows_of(copy.db, owner, ids))


def rows_of(
    db: Transaction, owner: Column[Any], ids: Sequence[int], *, hold: bool = False
) -> list[Values]:
    """Read whole rows by a column, in the order of their keys.

    `hold` keeps others from changing or removing them until the commit.
    """
    table: Table = owner.table
    found = _queries.get((owner, hold))
    if found is None:
        statement = (
            select(table)
            .where(owner.in_(bindparam("ids", expanding=True)))
            .order_by(*table.primary_key.columns)
        )
        if hold:
            statement = statement.with_for_update(read=True)
        found = _queries[owner, hold] = Query(statement)
    names = table.columns.keys()
    return [dict(zip(names, row, strict=True)) for row in db.rows(found, ids=ids)]


def write_copies(copy: Copy, part: Part, rows: Sequence[Values]) -> None:
    """Write the copies of rows, number and record them."""
    table = part.table
    numbered = table.autoincrement_column
    copies = [_copied(copy, part, row) for row in rows]
    if numbered is None:
        copy.db.insert_many(table, copies)
        return
    name = numbered.name
    old = [row.pop(name) for row in copies]
    new = copy.db.insert_numbered(table, copies)
    copy.of(table).update(zip(old, new, strict=True))
    if part.entity:
        record(copy, part, dict(zip(new, copies, strict=True)))


def record(copy: Copy, part: Part, rows: Mapping[int, Values]) -> None:
    """Tell the core of rows that were written."""
    company, caller = copy.target, copy.caller_id
    copy.db.record(
        *[
            Change(
                part.entity,
                Operation.CREATE,
                id,
                company,
                caller,
                after=without_secrets(row),
                table=part.table.name,
            )
            for id, row in rows.items()
        ]
    )


def _copied(copy: Copy, part: Part, row: Values) -> Values:
    found = dict(row)
    for name, table in _references(part.table):
        if found[name] is not None:
            found[name] = copy.number(table, found[name])
    if "company_id" in found:
        found["company_id"] = copy.target
    return part.adapt(copy, found) if part.adapt else found


def _references(table: Table) -> list[tuple[str, Table]]:
    """The columns of a table that name rows of others, but for companies."""
    return [
        (column.name, key.column.table)
        for column in table.columns
        for key in column.foreign_keys
        if column.name != "company_id"
    ]
