"""Numbers of objects by company and status, kept in step with every write.

The exact total is the dearest part of a long list. Each write adds to one slot
of its number in its own transaction; a reader adds the slots up. Writers of
different processes use different slots, so that they do not queue for one row.
"""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Table, bindparam, func, select, update

from storeapi.core.changes import Change
from storeapi.core.conditions import Condition
from storeapi.core.database import Connection, Transaction
from storeapi.core.failures import Again, Violation
from storeapi.core.statement import Query

if TYPE_CHECKING:
    from storeapi.core.declaration import Declaration

_SLOTS = 16
_Cell = tuple[int, str]


class Counts:
    """The table of numbers, and which tables are counted."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._counted: set[str] = set()
        self._totals: dict[tuple[Any, ...], Query] = {}
        columns = table.c
        self._add = Query(
            update(table)
            .where(
                columns.entity == bindparam("w_entity", required=True),
                columns.company_id == bindparam("w_company", required=True),
                columns.status == bindparam("w_status", required=True),
                columns.slot == bindparam("w_slot", required=True),
            )
            .values(n=columns.n + bindparam("by", required=True))
        )
        self._all = self._total_query(())

    def keep(self, table: str) -> None:
        """Count the objects of a table from now on."""
        self._counted.add(table)

    def keeps(self, table: str) -> bool:
        """Whether the objects of a table are counted."""
        return table in self._counted

    def number(self, db: Connection, entity: str) -> int:
        """A number that is kept under a name, of all companies and statuses."""
        return int(db.value(self._all, w_entity=entity) or 0)

    def __call__(self, db: Connection, changes: Sequence[Change]) -> None:
        """Note what writes do to the numbers, added up for the end of the write."""
        assert isinstance(db, Transaction)
        for change in changes:
            if change.table not in self._counted:
                continue
            for cell, by in _moves(change).items():
                place = (change.table, cell)
                db.counted[place] = db.counted.get(place, 0) + by

    def write(self, db: Transaction) -> None:
        """Take what was noted into the numbers.

        All writers meet in them, so it is done when nothing else is to be held, and
        in one order: none waits in a ring.
        """
        for (table, cell), by in sorted(db.counted.items()):
            self.add(db, table, cell, by)
        db.counted.clear()

    def add(self, db: Transaction, table: str, cell: _Cell, by: int) -> None:
        """Change the number of one company and status."""
        if not by:
            return
        slot = os.getpid() % _SLOTS if db.concurrent else 0
        company_id, status = cell
        touched = db.run(
            self._add,
            w_entity=table,
            w_company=company_id,
            w_status=status,
            w_slot=slot,
            by=by,
        )
        if not touched:
            row = {"entity": table, "company_id": company_id, "status": status}
            try:
                db.insert(self._table, {**row, "slot": slot, "n": by})
            except Violation as error:
                raise Again("another writer made the first row") from error

    def forget(self, db: Transaction, company_id: int) -> None:
        """Drop the numbers of a company that goes; they add up to nothing by now."""
        for place in [place for place in db.counted if place[1][0] == company_id]:
            del db.counted[place]
        names = sorted(self._counted)
        db.delete(self._table, {"entity": names, "company_id": company_id})

    def total(
        self,
        db: Connection,
        declaration: "Declaration",
        conditions: Sequence[Condition],
    ) -> int | None:
        """The number that meets the conditions, if company and status decide it."""
        wanted: dict[str, Any] = {}
        shape: list[tuple[str, str, str]] = []
        for number, condition in enumerate(conditions):
            found = counted_column(condition)
            if found is None:
                return None
            (value,) = condition.values.values()
            bound = f"w_{number}"
            wanted[bound] = value
            shape.append((bound, *found))
        query = self._totals.get(tuple(shape))
        if query is None:
            query = self._totals[tuple(shape)] = self._total_query(shape)
        return int(db.value(query, w_entity=declaration.table.name, **wanted) or 0)

    def _total_query(self, shape: Sequence[tuple[str, str, str]]) -> Query:
        where: list[Any] = [
            self._table.c.entity == bindparam("w_entity", required=True)
        ]
        for bound, column, comparison in shape:
            own = self._table.c[column]
            if comparison == "in":
                where.append(own.in_(bindparam(bound, expanding=True)))
            elif comparison == "not in":
                where.append(own.not_in(bindparam(bound, expanding=True)))
            else:
                where.append(own == bindparam(bound, required=True))
        return Query(select(func.sum(self._table.c.n)).where(*where))


def _moves(change: Change) -> dict[_Cell, int]:
    moves: dict[_Cell, int] = {}
    company = change.company_id or 0
    before, after = change.before, change.after
    if change.operation == "create":
        moves[company, str(after.get("status", "A"))] = 1
    elif change.operation == "delete":
        moves[before.get("company_id", company), str(before.get("status", "A"))] = -1
    elif "status" in after or "company_id" in after:
        old = (before.get("company_id", company), _status(change, before))
        new = (after.get("company_id", company), _status(change, after))
        moves[old] = moves.get(old, 0) - 1
        moves[new] = moves.get(new, 0) + 1
    return moves


def _status(change: Change, values: Mapping[str, Any]) -> str:
    return str(values.get("status", change.status))


def counted_column(condition: Condition) -> tuple[str, str] | None:
    """The column of a condition that kept numbers answer, and how it is compared."""
    key = condition.key
    if not isinstance(key, tuple) or len(condition.values) != 1:
        return None
    role, column = key[0], key[-1]
    comparison = key[1] if len(key) == 3 else "="
    plain = role in ("eq", "ne", "scope", "shown", "parent") and len(key) in (2, 3)
    known = column in ("company_id", "status") and comparison in ("=", "in", "not in")
    return (str(column), comparison) if plain and known else None
