"""The form that each statement of an entity class must have.

Checked at start, before anything is worked out of it: a mistake is told with the
name of the entity and of what it states, not by a traceback.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, get_args

from storeapi.core.entity import OPERATIONS, Entity, Shape, Version
from storeapi.core.filters import Filter

_MAPS = (
    "privileges",
    "privileges_customer",
    "shapes",
    "echoes",
    "answers",
    "unique",
    "flags",
    "block_types",
)
_LISTS = (
    "closed_to_companies",
    "parents",
    "child_entities",
    "filters",
    "sortings",
    "references",
)
_PRIVILEGE = re.compile(r"[a-z][a-z0-9_]*")


def faults(entity: type[Entity]) -> Iterator[str]:
    """Tell what is wrong with the form of a class's statements.

    Take the first only: what comes later reads what was found to be sound before.
    """
    for name in _MAPS:
        stated = getattr(entity, name, {})
        if not isinstance(stated, Mapping):
            yield f"{name} is {_kind_of(stated)}, not a map"
    for name in _LISTS:
        stated = getattr(entity, name, ())
        if isinstance(stated, str) or not isinstance(stated, Collection):
            yield f"{name} is {_kind_of(stated)}, not a list"
    if entity.replaces not in (None, entity.name):
        yield f"replaces is {entity.replaces!r}, which is not its own name"
    yield from _of_privileges(entity)
    yield from _of_lists(entity)
    yield from _of_shapes(entity)


def _kind_of(stated: object) -> str:
    return "a text" if isinstance(stated, str) else f"of type {type(stated).__name__}"


def _of_privileges(entity: type[Entity]) -> Iterator[str]:
    offered = {*entity.privileges_customer, *entity.privileges}
    strange = {*offered, *entity.closed_to_companies} - {*OPERATIONS}
    if strange:
        yield f"privileges for unknown operations {sorted(strange)}"
    missing = sorted(o for o in offered if getattr(entity, o) is getattr(Entity, o))
    if missing:
        yield f"{missing} not implemented"
    for operation, needed in entity.privileges.items():
        if not _can_be_needed(needed):
            yield f"privileges: {operation} needs {needed!r}, which is no privilege"
    customer: Mapping[str, Any] = entity.privileges_customer
    for operation, opened in customer.items():
        if not isinstance(opened, bool):
            yield f"privileges_customer: {operation} is neither True nor False"


def _can_be_needed(needed: Any) -> bool:
    if isinstance(needed, bool):
        return True
    names = (needed,) if isinstance(needed, str) else needed
    return isinstance(names, Collection) and all(
        isinstance(name, str) and _PRIVILEGE.fullmatch(name) for name in names
    )


def _of_lists(entity: type[Entity]) -> Iterator[str]:
    filters: Iterable[Any] = getattr(entity, "filters", ())
    for each in filters:
        if not isinstance(each, Filter):
            yield f"filters holds {each!r}, which is no filter"
    sortings: Any = getattr(entity, "sortings", ())
    for each in () if isinstance(sortings, Mapping) else sortings:
        if not hasattr(each, "key"):
            yield f"sortings holds {each!r}, which is no column"


def _of_shapes(entity: type[Entity]) -> Iterator[str]:
    for name in ("shapes", "echoes"):
        unknown = {*getattr(entity, name)} - {*get_args(Version)}
        if unknown:
            yield f"{name} names unknown versions {sorted(unknown)}"
    strange = {*entity.shapes.values()} - {*get_args(Shape)}
    if strange:
        yield f"shapes has unknown ones {sorted(strange)}"
