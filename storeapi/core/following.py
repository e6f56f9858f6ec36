"""Long lists that are asked for again: read whole once, then followed by what changes.

To count the matches of a common word costs as much as there are of them. Few words are
common, and they are asked for again and again: so a process remembers which objects are
in such a list, and from then on looks only at the rows that changed since, found by the
time of their last change. What it remembers is of use to itself alone.

What cannot be seen so is told by a number that is kept beside those of objects: it
grows when a row goes, when a language comes or goes, and with every write that took so
long that its times of change may lie behind what was looked at.
"""

import time
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from sqlalchemy import Table, bindparam, select

from storeapi.core.changes import Change, Operation
from storeapi.core.conditions import Condition
from storeapi.core.counts import Counts, counted_column
from storeapi.core.database import Connection, Transaction
from storeapi.core.matching import matching, matching_among
from storeapi.core.statement import Query

if TYPE_CHECKING:
    from storeapi.core.declared import DeclaredEntity

_LONG = 1000
_LONGEST = 300_000
"""Shorter lists are counted quickly; longer ones would not be read so."""

_CHANGES = 200
"""Where more rows changed than this since the last look, the list is counted."""

_NOTED = 2000
"""The same for all looks since it was read."""

_SLOW_S = 5
"""A write that takes longer is told of."""

_WINDOW_S = 15
"""So far behind the last look every change is looked at again; more than slow writes
and the clocks of several machines may need."""

_FOLLOWED_S = 600
"""After so long a list is read anew in any case."""

_LISTS = 50
_REMEMBERED = 1_000_000
"""So many lists, with so many IDs of eight bytes; the oldest list goes first."""

_NUMBER = "lists to be read anew"


@dataclass(slots=True, eq=False)
class _List:
    """Which objects are in a list, as of a time.

    Shapes: `ids` in order, as read at `begun`, `None` before; what `changed` since is
    or is not in the list. `number` is that which tells of what cannot be seen.
    Units: `begun` by the clock that never goes back, `looked` in UNIX seconds.
    """

    lock: Lock = field(default_factory=Lock)
    ids: "array[int] | None" = None
    changed: dict[int, bool] = field(default_factory=dict)
    total: int = 0
    number: int = 0
    looked: float = 0.0
    begun: float = 0.0

    def holds(self, id: int) -> bool:
        """Whether an object is in the list, as far as this knows."""
        known = self.changed.get(id)
        if known is not None or self.ids is None:
            return bool(known)
        place = bisect_left(self.ids, id)
        return place < len(self.ids) and self.ids[place] == id

    def take(self, changed: Sequence[int], fitting: Collection[int]) -> None:
        """Note of some objects whether they are in the list now."""
        for id in changed:
            fits = id in fitting
            self.total += fits - self.holds(id)
            self.changed[id] = fits


class Following:
    """The lists that this process follows, and what tells other processes of writes."""

    def __init__(self, counts: Counts, *, long: int = _LONG) -> None:
        self.counts = counts
        self.long = long
        self._lists: OrderedDict[Hashable, _List] = OrderedDict()
        self._lock = Lock()
        self._changed: dict[Table, Query] = {}

    def __call__(self, db: Connection, changes: Sequence[Change]) -> None:
        """Note that rows go, or that languages come or go."""
        assert isinstance(db, Transaction)
        if any(map(self._is_unseen, changes)):
            db.unseen = True

    def _is_unseen(self, change: Change) -> bool:
        gone = change.operation == Operation.DELETE and self.counts.keeps(change.table)
        return gone or change.table == "languages"

    def tell(self, db: Transaction, taken_s: float) -> None:
        """Have every process read its lists anew, if a write has to be told of.

        It is the last thing before the commit, so that none waits for it in a ring.
        """
        if db.unseen or taken_s > _SLOW_S:
            self.counts.add(db, _NUMBER, (0, ""), 1)

    def total(
        self,
        entity: "DeclaredEntity",
        conditions: Sequence[Condition],
        count: Callable[[], int],
    ) -> int:
        """The number of objects in a list: followed if it can be, else counted."""
        key = _key(entity, conditions)
        if key is None:
            return count()
        with self._lock:
            held = self._lists.get(key)
        if held is not None:
            with held.lock:
                if held.ids is None:
                    self._read(held, entity, conditions)
                    followed = True
                else:
                    followed = self._follow(held, entity, conditions)
                total = held.total
            if followed:
                self._hold(key, held)
                return total
        total = count()
        if self.long <= total <= _LONGEST:
            self._hold(key, _List())
        return total

    def _hold(self, key: Hashable, held: _List) -> None:
        """Remember a list as the newest, as long as there is room for all of them."""
        with self._lock:
            self._lists[key] = held
            self._lists.move_to_end(key)
            while len(self._lists) > _LISTS or self._remembered() > _REMEMBERED:
                self._lists.popitem(last=False)

    def _remembered(self) -> int:
        return sum(len(each.ids or ()) for each in self._lists.values())

    def _read(
        self, held: _List, entity: "DeclaredEntity", conditions: Sequence[Condition]
    ) -> None:
        """Read the whole list; a failure leaves what was known as it was."""
        begun, looked = time.monotonic(), time.time()
        number = self.counts.number(entity.reader, _NUMBER)
        held.ids = array("q", sorted(matching(entity, conditions)))
        held.total, held.number = len(held.ids), number
        held.begun, held.looked = begun, looked

    def _follow(
        self, held: _List, entity: "DeclaredEntity", conditions: Sequence[Condition]
    ) -> bool:
        """Look at what changed; whether that tells all that is to be known."""
        now = time.time()
        old = time.monotonic() - held.begun > _FOLLOWED_S
        if old or now < held.looked or len(held.changed) > _NOTED:
            return False
        if self.counts.number(entity.reader, _NUMBER) != held.number:
            return False
        since = int(held.looked) - _WINDOW_S
        rows = entity.reader.rows(self._query(entity), since=since, most=_CHANGES + 1)
        if len(rows) > _CHANGES:
            return False
        ids = [row[0] for row in rows]
        held.take(ids, frozenset(matching_among(entity, ids, conditions)))
        held.looked = now
        return True

    def _query(self, entity: "DeclaredEntity") -> Query:
        """The rows that changed since a time."""
        declaration = entity.declaration
        found = self._changed.get(declaration.table)
        if found is None:
            touched = declaration.table.c[entity.touched or ""]
            since: Any = bindparam("since", required=True)
            changed = select(declaration.id).where(touched >= since)
            limited = changed.limit(bindparam("most", required=True))
            found = self._changed[declaration.table] = Query(limited)
        return found


def _key(entity: "DeclaredEntity", conditions: Sequence[Condition]) -> Hashable | None:
    """What a list is remembered by; `None` for one that cannot be followed.

    That its objects change must be all that changes it.
    """
    if not entity.counted or entity.touched is None:
        return None
    known = all(each.own or counted_column(each) for each in conditions)
    if not known or not any(each.own for each in conditions):
        return None
    values = tuple(
        (name, tuple(value) if isinstance(value, list) else value)
        for each in conditions
        for name, value in each.values.items()
    )
    keys = tuple(each.key for each in conditions)
    return entity.declaration.table, entity.context.lang_code, keys, values
