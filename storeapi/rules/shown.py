"""What hangs on objects of another entity, as far as a caller sees those."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, bindparam, select
from sqlalchemy.sql.visitors import replacement_traverse

from storeapi.core.conditions import NOTHING, Condition
from storeapi.core.database import Connection
from storeapi.core.declared import DeclaredEntity
from storeapi.core.entity import Context


def of_shown(context: Context, db: Connection, name: str, key: Any) -> Condition:
    """The condition that a column holds the ID of an object that the caller sees.

    The entity says who sees what; its bound names are made different from those of
    others in the same statement.
    """
    entity = context.registry.get(name) if context.registry else None
    if entity is None or not issubclass(entity, DeclaredEntity):
        return NOTHING
    seen = entity(replace(context, parent=None), db)
    conditions, id = list(seen.scope()), seen.declaration.id

    def build() -> ColumnElement[bool]:
        clauses = [_renamed(each.build(), each.values, name) for each in conditions]
        return select(id).where(id == key, *clauses).exists()

    values = {_name(name, k): v for each in conditions for k, v in each.values.items()}
    return Condition((name, *[each.key for each in conditions]), build, values)


def _name(prefix: str, key: str) -> str:
    return f"{prefix}_{key}"


def _renamed(clause: Any, values: Mapping[str, Any], prefix: str) -> Any:
    def new(element: Any, **_: Any) -> Any:
        if not isinstance(element, BindParameter) or element.key not in values:
            return None
        name = _name(prefix, element.key)
        return bindparam(
            name, required=True, type_=element.type, expanding=element.expanding
        )

    return replacement_traverse(clause, {}, new)
