"""References in a payload: the object must exist, and be visible to the caller."""

from typing import Any

from sqlalchemy import Column, bindparam, select

from storeapi.core.database import Connection
from storeapi.core.errors import InvalidInput
from storeapi.core.statement import Query

_queries: dict[Column[Any], Query] = {}


def check_reference(
    db: Connection, column: Column[Any], field: str, value: Any
) -> None:
    """Refuse a value of a foreign key that no object has.

    Raises: `InvalidInput` naming the field.
    """
    target = _target(column)
    found = _queries.get(target)
    if found is None:
        found = _queries[target] = Query(
            select(target).where(target == bindparam("id", required=True))
        )
    if db.row(found, id=value) is None:
        raise InvalidInput.of(field, f"{value} does not exist", "unknown")


def _target(column: Column[Any]) -> Column[Any]:
    for key in column.foreign_keys:
        return key.column
    return column
