"""Columns that hold lists of IDs: what is listed there exists, and leaves with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import Column, ColumnElement, bindparam, literal, or_, select

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import InvalidInput
from storeapi.core.rows import table_of
from storeapi.core.statement import Query, batches, query

Left = Callable[[str, str], tuple[str, str]]
"""From the list without the ID and the status, what both are to be."""


@dataclass(frozen=True, slots=True)
class Holder:
    """An entity whose objects hold a list of IDs in a column.

    Shapes: `nothing` is the list that names none; `touched` the column that holds
    the time of the last change.
    """

    entity: str
    model: type[Any]
    id: str
    column: str
    nothing: str = ""
    touched: str | None = None


@dataclass(frozen=True, slots=True)
class Removal:
    """The deletion of what lists name, by a caller at a time (UNIX seconds)."""

    id: int
    caller_id: int | None
    now: int


@lru_cache(maxsize=1024)
def ids_in(text: str) -> tuple[int, ...]:
    """The IDs of a stored list."""
    return tuple(int(id) for id in text.split(",") if id)


def check_listed(
    db: Connection, target: Column[Any], ids: Sequence[int], field: str
) -> None:
    """Refuse IDs that no row has; those that there are stay until the commit.

    Raises: `InvalidInput` naming the field and the IDs.
    """
    if not ids:
        return
    found = {row[0] for row in db.rows(_known(target), ids=sorted(ids))}
    missing = [str(id) for id in ids if id not in found]
    if missing:
        text = f"names {target.table.name} that do not exist: {', '.join(missing[:20])}"
        raise InvalidInput.of(field, text, "unknown")


@cache
def _known(target: Column[Any]) -> Query:
    return query(
        select(target)
        .where(target.in_(bindparam("ids", expanding=True)))
        .order_by(target)
        .with_for_update(read=True, key_share=True)
    )


@cache
def _holding(holder: Holder) -> Query:
    """The objects that name an ID, locked in the order of their own."""
    table = table_of(holder.model)
    ids = table.c[holder.column]
    # A list is a text like "1,5,7", searched for by none but this.
    found: list[ColumnElement[bool]] = [
        ids == bindparam("alone", required=True),
        ids.like(bindparam("first", required=True)),
        ids.like(bindparam("last", required=True)),
        ids.like(bindparam("inner", required=True)),
    ]
    key = table.c[holder.id]
    columns = [key, table.c.company_id, table.c.status, ids]
    where = [ids != literal(holder.nothing, literal_execute=True), or_(*found)]
    return query(select(*columns).where(*where).order_by(key).with_for_update())


def naming(id: int) -> dict[str, str]:
    """The values by which a list is searched for an ID."""
    return {
        "alone": f"{id}", "first": f"{id},%", "last": f"%,{id}", "inner": f"%,{id},%",
    }  # fmt: skip


def strip(db: Transaction, holder: Holder, removal: Removal, left: Left) -> None:
    """Take an ID out of every list of an entity."""
    table = table_of(holder.model)
    alike: dict[tuple[str, str], list[int]] = {}
    for key, company_id, status, ids in db.rows(_holding(holder), **naming(removal.id)):
        parts = [part for part in ids.split(",") if part != str(removal.id)]
        list_after, status_after = left(",".join(parts), status)
        alike.setdefault((list_after, status_after), []).append(key)
        before = {holder.column: ids, "status": status}
        after = {holder.column: list_after, "status": status_after}
        moved = [name for name in after if before[name] != after[name]]
        change = Change(
            holder.entity, Operation.UPDATE, key, company_id, removal.caller_id,
            {name: before[name] for name in moved},
            {name: after[name] for name in moved},
            table.name, status,
        )  # fmt: skip
        db.record(change)
    for (list_after, status), keys in alike.items():
        written: dict[str, Any] = {holder.column: list_after, "status": status}
        if holder.touched is not None:
            written[holder.touched] = removal.now
        for batch in batches(keys):
            db.update(table, {holder.id: batch}, written)
