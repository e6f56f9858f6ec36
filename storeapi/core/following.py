"""Long lists that are asked for again: read whole once, then followed by what changes.

To count the matches of a common word costs as much as there are of them. Few words are
common, and they are asked for again and again: so a process remembers which objects are
in such a list, and from then on looks only at the rows that changed since, found by the
time of their last change. What it remembers is of use to itself alone.
"""

import time
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, select

from storeapi.core.conditions import Condition
from storeapi.core.counts import counted_column
from storeapi.core.matching import matching, matching_among
from storeapi.core.statement import Query

if TYPE_CHECKING:
    from storeapi.core.declared import DeclaredEntity

_LONG = 1000
_LONGEST = 300_000
"""Shorter lists are counted quickly; longer ones would not be read so."""

_CHANGES = 2000
"""Where more rows changed than this since the last look, the list is read anew."""

_NOTED = 20_000
"""The same for all looks since it was read."""

_SLOWEST_S = 60
"""No write takes longer from the time that it notes to its commit."""

_FOLLOWED_S = 600
"""After so long a list is read anew in any case."""

_LISTS = 200
_REMEMBERED = 1_000_000
"""So many lists, with so many IDs of eight bytes; the oldest list goes first."""


@dataclass(slots=True, eq=False)
class _List:
    """Which objects are in a list, as of a time.

    Shapes: `ids` in order, as read at `begun`; what `changed` since is or is not in the
    list. Of the whole table, it knows how many rows there were, and the `last` ID.
    """

    lock: Lock = field(default_factory=Lock)
    ids: "array[int]" = field(default_factory=lambda: array("q"))
    changed: dict[int, bool] = field(default_factory=dict)
    total: int = 0
    every: int = 0
    last: int = 0
    since: int = 0
    begun: float = 0.0

    def holds(self, id: int) -> bool:
        """Whether an object is in the list, as far as this knows."""
        known = self.changed.get(id)
        if known is not None:
            return known
        place = bisect_left(self.ids, id)
        return place < len(self.ids) and self.ids[place] == id

    def take(self, changed: Sequence[int], fitting: Collection[int]) -> None:
        """Note of some objects whether they are in the list now."""
        for id in changed:
            fits = id in fitting
            self.total += fits - self.holds(id)
            self.changed[id] = fits


class Following:
    """The lists that this process follows."""

    def __init__(self, *, long: int = _LONG) -> None:
        self.long = long
        self._lists: OrderedDict[Hashable, _List] = OrderedDict()
        self._lock = Lock()
        self._queries: dict[Hashable, Query] = {}

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
        if held is None:
            number = count()
            if self.long <= number <= _LONGEST:
                self._hold(key)
            return number
        with held.lock:
            if not self._follow(held, entity, conditions):
                self._read(held, entity, conditions)
        self._hold(key, held)
        return held.total

    def _hold(self, key: Hashable, held: _List | None = None) -> None:
        """Remember a list as the newest, as long as there is room for all of them."""
        with self._lock:
            self._lists[key] = held or _List()
            self._lists.move_to_end(key)
            while len(self._lists) > _LISTS or self._remembered() > _REMEMBERED:
                self._lists.popitem(last=False)

    def _remembered(self) -> int:
        return sum(len(each.ids) for each in self._lists.values())

    def _follow(
        self, held: _List, entity: "DeclaredEntity", conditions: Sequence[Condition]
    ) -> bool:
        """Look at what changed; whether that tells all that is to be known.

        It does not where rows are gone: nothing says which ones those were.
        """
        now = time.time()
        if now - held.begun > _FOLLOWED_S or len(held.changed) > _NOTED:
            return False
        every = entity.count(())
        found = self._changed(held.since, entity)
        fresh = sum(1 for id in found if id > held.last)
        if len(found) > _CHANGES or every != held.every + fresh:
            return False
        held.take(found, frozenset(matching_among(entity, found, conditions)))
        held.every, held.last = every, max([held.last, *found])
        held.since = int(now) - _SLOWEST_S
        return True

    def _read(
        self, held: _List, entity: "DeclaredEntity", conditions: Sequence[Condition]
    ) -> None:
        """Read the whole list; a failure leaves what was known as it was."""
        begun = time.time()
        every = entity.count(())
        last = entity.reader.value(self._query("last", entity))
        ids = matching(entity, conditions)
        held.ids = array("q", sorted(ids))
        held.changed = {}
        held.total, held.every, held.last = len(held.ids), every, int(last or 0)
        held.begun, held.since = begun, int(begun) - _SLOWEST_S

    def _changed(self, since: int, entity: "DeclaredEntity") -> list[int]:
        query = self._query("changed", entity)
        rows = entity.reader.rows(query, since=since, most=_CHANGES + 1)
        return [row[0] for row in rows]

    def _query(self, name: str, entity: "DeclaredEntity") -> Query:
        """The last ID of a table, or the rows that changed since a time."""
        declaration = entity.declaration
        key = (name, declaration.table)
        found = self._queries.get(key)
        if found is None:
            touched = declaration.table.c[entity.touched or ""]
            since: Any = bindparam("since", required=True)
            changed = select(declaration.id).where(touched >= since)
            statements = {
                "last": select(func.max(declaration.id)),
                "changed": changed.limit(bindparam("most", required=True)),
            }
            found = self._queries[key] = Query(statements[name])
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
