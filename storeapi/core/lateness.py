"""Times of change of writes that take long.

A walk by the time of change ends some seconds before now (`core/reading.py`), so that
it does not pass a write that is slower than another, and so carries an earlier time. A
write that takes longer than that, since it waits for others or changes much, would be
passed all the same. So it gets its times anew right before the commit, when there is
nothing left to wait for.
"""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Table

from storeapi.core.changes import Change, Operation
from storeapi.core.connection import Connection, Transaction
from storeapi.core.statement import batches

if TYPE_CHECKING:
    from storeapi.core.declaration import Declaration

_AT_LEAST_S = 0.5
_ROWS_A_SECOND = 20_000
"""So many rows get another time in a second, on a slow machine."""


class Lateness:
    """The objects that a write changes, and the time that they get if it is late."""

    def __init__(self, lag_s: int) -> None:
        # A time is the second that has begun; and half of the rest is for the commit.
        self.late_s = max((lag_s - 1) / 2, _AT_LEAST_S)
        self._kept: dict[str, tuple[Table, str, str]] = {}

    def keep(self, declaration: "Declaration", touched: str) -> None:
        """Let the objects of a table have their time of change, a column, kept true."""
        table = declaration.table
        self._kept[table.name] = table, declaration.id.name, touched

    def __call__(self, db: Connection, changes: Sequence[Change]) -> None:
        """Note which objects a write changes."""
        assert isinstance(db, Transaction)
        for change in changes:
            if change.table in self._kept and change.operation != Operation.DELETE:
                db.changed.setdefault(change.table, set()).add(change.id)

    def renew(self, db: Transaction, taken_s: float) -> None:
        """Give what a late write changed the time that it is now.

        For many rows it is the time at which they are all written: walks meet it later.
        """
        if taken_s < self.late_s:
            return
        rows = sum(len(ids) for ids in db.changed.values())
        now = int(time.time()) + rows // _ROWS_A_SECOND
        for name, ids in sorted(db.changed.items()):
            table, key, touched = self._kept[name]
            for batch in batches(sorted(ids)):
                db.update(table, {key: batch}, {touched: now})
