"""Which objects meet the conditions of a list: their IDs alone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from storeapi.core.conditions import Condition, equals
from storeapi.core.listing import values_of

if TYPE_CHECKING:
    from storeapi.core.declared import DeclaredEntity


def matching(
    entity: "DeclaredEntity", conditions: Sequence[Condition]
) -> Iterator[int]:
    """All of them, in no order."""
    source, id = entity.declaration.source, entity.declaration.id
    query = source.columns("matching", [id], conditions)
    language = entity.context.lang_code
    values = values_of(conditions)
    for row in entity.reader.rows(query, lang_code=language, **values):
        yield row[0]


def matching_among(
    entity: "DeclaredEntity", ids: Sequence[int], conditions: Sequence[Condition]
) -> Iterator[int]:
    """Those of a few objects, each of which is looked at by itself."""
    tested = [
        replace(each, key=("tested", each.key), build=each.test or each.build)
        for each in conditions
    ]
    if ids:
        among = equals(entity.declaration.id, list(ids), role="among")
        yield from matching(entity, [among, *tested])
