"""How many rows a list has, counted as cheaply as it can be.

Numbers are kept by company and status (`counts`). Where more decides, what is few is
counted: an index alone may hold the one, and the other is taken off.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from storeapi.core.conditions import Condition
from storeapi.core.listing import values_of
from storeapi.core.statement import Query

if TYPE_CHECKING:
    from storeapi.core.declared import DeclaredEntity

_MANY = 1000
"""Fewer rows than this are counted one by one: to look for the rest costs more."""


def count_rows(entity: "DeclaredEntity", conditions: Sequence[Condition]) -> int:
    """The number of rows that meet the conditions."""
    kept = _kept(entity, conditions)
    if kept is not None:
        return kept
    following = entity.reader.following
    if following is None:
        return _counted_apart(entity, conditions)
    return following.total(
        entity, conditions, lambda: _counted_apart(entity, conditions)
    )


def _counted_apart(entity: "DeclaredEntity", conditions: Sequence[Condition]) -> int:
    """Count the rows; of one condition and its rest only that which is less work."""
    for each in conditions:
        if each.rest is not None:
            others = [other for other in conditions if other is not each]
            return _without(entity, others, each, each.rest)
    return _counted(entity, conditions)


def _without(
    entity: "DeclaredEntity",
    others: Sequence[Condition],
    condition: Condition,
    rest: Condition,
) -> int:
    """What meets the others, less what of it is in the rest of the condition.

    Where the others are few, or the rest is more than they, what is asked for is
    counted itself: that is less work then.
    """
    every = count_rows(entity, others)
    within = _kept(entity, [rest])
    if within == 0:
        return every
    if every < _MANY or (within or 0) > every:
        return _counted(entity, [*others, condition])
    if within is None:
        return every - _counted(entity, [*others, rest])
    query = entity.declaration.source.count_within(others, rest)
    return every - _value(entity, query, [*others, rest])


def _kept(entity: "DeclaredEntity", conditions: Sequence[Condition]) -> int | None:
    counts = entity.reader.counts
    if not entity.counted or counts is None:
        return None
    return counts.total(entity.reader, entity.declaration, conditions)


def _counted(entity: "DeclaredEntity", conditions: Sequence[Condition]) -> int:
    return _value(entity, entity.declaration.source.count(conditions), conditions)


def _value(
    entity: "DeclaredEntity", query: Query, conditions: Sequence[Condition]
) -> int:
    language = entity.context.lang_code
    found = entity.reader.value(query, lang_code=language, **values_of(conditions))
    return int(found)
