"""How the rows of a page are found, and what its total is.

A database plans a list by guesses of how many rows meet its conditions. Where totals
are kept the number is asked for first and decides: what few rows meet is collected
and sorted; what many meet is found by walking in the order of the list, where the
first rows that meet the conditions are the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from storeapi.core.conditions import Condition
from storeapi.core.database import Row
from storeapi.core.declaration import RecordShape
from storeapi.core.listing import Cut, Order, Part, Way, values_of
from storeapi.core.paging import Page
from storeapi.core.projection import Projection

if TYPE_CHECKING:
    from storeapi.core.declared import DeclaredEntity

_WALKED_TIMES = 3
"""A walk is this much longer than it should have to be."""

_WORTH_TIMES = 4
"""A walk must be this much shorter than the number of rows to collect."""

_LONGER_TIMES = 8
"""The rows that match may lie together: the next walk is this much longer."""

_LEAST_WALK = 50
_DEEP = 10_000


class Wanted(NamedTuple):
    """A page that is wanted: of which list, and which part of it.

    `settled` leaves out of the list what changed just now; its second condition is
    met by what is left out.
    """

    page: Page
    order: Order
    filters: Sequence[Condition]
    settled: tuple[Condition, Condition] | None = None

    @property
    def conditions(self) -> list[Condition]:
        """All that the rows meet."""
        return [*self.filters, *(self.settled or ())[:1]]

    @property
    def part(self) -> Part:
        """Which part of the list it is."""
        if self.page.size is None:
            return Part.ALL
        return Part.PAGE if self.page.after is None else Part.AFTER


def find(
    entity: "DeclaredEntity",
    wanted: Wanted,
    shape: RecordShape,
    projection: Projection,
) -> tuple[list[Row], int]:
    """Find the rows of a page, and the number of rows in the whole list."""
    values = _values(entity, wanted)

    def rows(way: Way, **more: Any) -> list[Row]:
        cut = Cut(wanted.order, wanted.part, way)
        source = entity.declaration.source
        query = source.page(shape, projection, wanted.conditions, cut)
        return entity.reader.rows(query, **values, **more)

    if not _is_planned(entity, wanted):
        found = rows(Way.PLAIN)
        return found, _total(entity, wanted, len(found))
    total = _count(entity, wanted)
    if total <= wanted.page.offset:
        return [], total
    for length in _walks(entity, wanted, total):
        found = rows(Way.WALKED, walked=length)
        if len(found) == wanted.page.size:
            return found, total
    # Rows far behind the first page are spread evenly enough for the guesses.
    return rows(Way.PICKED if wanted.page.offset > _DEEP else Way.COLLECTED), total


def _values(entity: "DeclaredEntity", wanted: Wanted) -> Mapping[str, Any]:
    values = values_of(wanted.conditions)
    for number, value in enumerate(wanted.page.after or ()):
        values[f"after_{number}"] = value
    return {
        **values,
        "lang_code": entity.context.lang_code,
        "limit": wanted.page.size,
        "offset": wanted.page.offset,
    }


def _is_planned(entity: "DeclaredEntity", wanted: Wanted) -> bool:
    """Whether the total comes first: not where an index holds the list in its order."""
    if not entity.counted or wanted.page.size is None:
        return False
    source, by_texts = entity.declaration.source, wanted.order.texts
    return any(not (by_texts and source.is_copied(c)) for c in wanted.filters)


def _walks(entity: "DeclaredEntity", wanted: Wanted, total: int) -> Iterator[int]:
    """How many rows to walk, and how many when that finds too few."""
    if total < _WORTH_TIMES * _LEAST_WALK:
        return
    reach = wanted.page.offset + (wanted.page.size or 0)
    length = _WALKED_TIMES * (entity.count(()) * reach // total) + _LEAST_WALK
    while length * _WORTH_TIMES <= total:
        yield length
        length *= _LONGER_TIMES


def _total(entity: "DeclaredEntity", wanted: Wanted, found: int) -> int:
    """The number of matches; not counted where the page itself shows it."""
    page = wanted.page
    if page.size is None or (
        not page.offset and page.after is None and found < page.size
    ):
        return found
    if page.after is None and 0 < found < page.size:
        return page.offset + found
    return _count(entity, wanted)


def _count(entity: "DeclaredEntity", wanted: Wanted) -> int:
    """Count the list; what is left out is less to count than what is not."""
    every = entity.count(wanted.filters)
    if wanted.settled is None:
        return every
    return every - entity.count([*wanted.filters, wanted.settled[1]])
