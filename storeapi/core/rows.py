"""Inserts, updates and deletes of whole rows, as compiled statements."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Dialect, Table, bindparam
from sqlalchemy import delete as sql_delete
from sqlalchemy import insert as sql_insert
from sqlalchemy import update as sql_update

from storeapi.core.statement import Query

_Key = tuple[Any, ...]
# Tables remember what is made for them under these names.
_STATEMENTS = "storeapi_statements"
_DEFAULTS = "storeapi_defaults"
_BY_LANGUAGE = "storeapi_by_language"


def table_of(model: type[Any]) -> Table:
    """The table of a model.

    Raises: `TypeError` for a class that is mapped to something else.
    """
    table = model.__table__
    if not isinstance(table, Table):
        raise TypeError(f"{model.__name__} has no table")
    return table


def column_defaults(table: Table) -> Mapping[str, Any]:
    """The scalar defaults of a table's columns, by column name."""
    found: dict[str, Any] | None = table.info.get(_DEFAULTS)
    if found is None:
        defaults: dict[str, Any] = {c.name: c.default for c in table.columns}
        found = table.info[_DEFAULTS] = {
            name: default.arg
            for name, default in defaults.items()
            if default is not None and default.is_scalar
        }
    return found


def is_by_language(table: Table) -> bool:
    """Whether the table has a row for each language."""
    found: bool | None = table.info.get(_BY_LANGUAGE)
    if found is None:
        found = table.info[_BY_LANGUAGE] = "lang_code" in table.primary_key.columns
    return found


def is_generated(table: Table, values: Mapping[str, Any]) -> bool:
    """Whether the database makes the key of a new row."""
    key = table.autoincrement_column
    return key is not None and key.name not in values


def _cached(table: Table, key: _Key, make: Any) -> Query:
    cache: dict[_Key, Query] = table.info.setdefault(_STATEMENTS, {})
    found = cache.get(key)
    if found is None:
        found = cache[key] = Query(make())
    return found


def insertion(
    table: Table, values: Mapping[str, Any], dialect: Dialect, *, many: bool = False
) -> tuple[Query, dict[str, Any]]:
    """Return the insert of one row and its parameters, defaults filled in."""
    row = {**column_defaults(table), **values}
    names = tuple(row)
    key_column: Any = table.autoincrement_column
    returning = not many and dialect.name == "postgresql" and is_generated(table, row)

    def make() -> Any:
        statement = sql_insert(table).values(
            {name: bindparam(name, required=True) for name in names}
        )
        if returning:
            return statement.returning(key_column)
        return statement.inline()

    return _cached(table, ("insert", names, returning), make), row


def _matching(table: Table, where: Mapping[str, Any]) -> tuple[_Key, dict[str, Any]]:
    key = tuple(
        (name, isinstance(value, list | tuple)) for name, value in where.items()
    )
    return key, {f"w_{name}": value for name, value in where.items()}


def _condition(table: Table, key: _Key) -> list[Any]:
    return [
        table.columns[name].in_(bindparam(f"w_{name}", expanding=True))
        if listed
        else table.columns[name] == bindparam(f"w_{name}", required=True)
        for name, listed in key
    ]


def update(
    table: Table, where: Mapping[str, Any], values: Mapping[str, Any]
) -> tuple[Query, dict[str, Any]]:
    """Return an update by equality and its parameters."""
    key, parameters = _matching(table, where)
    names = tuple(values)

    def make() -> Any:
        return (
            sql_update(table)
            .where(*_condition(table, key))
            .values({name: bindparam(f"v_{name}", required=True) for name in names})
        )

    for name, value in values.items():
        parameters[f"v_{name}"] = value
    return _cached(table, ("update", key, names), make), parameters


def deletion(table: Table, where: Mapping[str, Any]) -> tuple[Query, dict[str, Any]]:
    """Return a delete by equality and its parameters."""
    key, parameters = _matching(table, where)

    def make() -> Any:
        return sql_delete(table).where(*_condition(table, key))

    return _cached(table, ("delete", key), make), parameters
