"""References in a payload: the object must exist, and be visible to the caller."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Column, bindparam, select

from storeapi.core.database import Connection
from storeapi.core.errors import FieldErrors, InvalidInput
from storeapi.core.statement import Query

_queries: dict[tuple[Column[Any], bool], Query] = {}


def check_reference(
    db: Connection,
    column: Column[Any],
    field: str,
    value: Any,
    company_id: int | None = None,
) -> None:
    """Refuse a value of a foreign key that no object has.

    Shapes: with a company only its objects and shared ones count, where the other
    table tells companies apart.
    Raises: `InvalidInput` naming the field.
    """
    target = _target(column)
    scoped = company_id is not None and "company_id" in target.table.c
    found = _queries.get((target, scoped))
    if found is None:
        statement = select(target).where(target == bindparam("id", required=True))
        if scoped:
            company: Any = bindparam("company_id", required=True)
            statement = statement.where(target.table.c.company_id.in_([company, 0]))
        found = _queries[target, scoped] = Query(statement)
    values = {"company_id": company_id} if scoped else {}
    if db.row(found, id=value, **values) is None:
        raise InvalidInput.of(field, f"{value} does not exist", "unknown")


def check_references(
    db: Connection,
    columns: Mapping[str, Column[Any]],
    values: Mapping[str, Any],
    company_id: int | None,
) -> None:
    """Refuse all values of foreign keys that name nothing the company may see.

    Raises: `InvalidInput` naming every such field.
    """
    errors = FieldErrors()
    for field, column in columns.items():
        if values.get(field) is not None:
            with errors:
                check_reference(db, column, field, values[field], company_id)
    errors.tell()


def _target(column: Column[Any]) -> Column[Any]:
    for key in column.foreign_keys:
        return key.column
    return column
