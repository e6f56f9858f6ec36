"""The parts of a write: which table each value goes to, and what differs."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from marshmallow import ValidationError
from sqlalchemy import bindparam, select

from storeapi.core.entity import Context, Key, Params, Record
from storeapi.core.errors import FieldError, InvalidInput
from storeapi.core.kinds import Fields, errors_of
from storeapi.core.statement import Query

if TYPE_CHECKING:
    from storeapi.core.declaration import Declaration
    from storeapi.core.table import TableEntity

Values = dict[str, Any]


def read_payload(
    context: Context,
    schema: Fields,
    params: Params,
    unknown: Sequence[str],
    *,
    partial: bool = False,
) -> Values:
    """Read a payload by its kinds; unknown names do nothing, or are faults if strict.

    Raises: `InvalidInput` naming every bad field.
    """
    context.ignored_fields.extend(unknown)
    errors: list[FieldError] = []
    if context.strict:
        errors = [FieldError(name, "is unknown", "unknown") for name in unknown]
    values: Values = {}
    try:
        values = schema.read(params, partial=partial)
    except ValidationError as error:
        errors += errors_of(error)
    if errors:
        raise InvalidInput(errors=errors)
    return values


def without_null(params: Params, name: str) -> Params:
    """Leave out a set that is null: a typed client has no other way to say nothing.

    To empty the set is to send it empty. Source: spec/clients.md, 5.1.
    """
    if name not in params or params[name] is not None:
        return params
    return {each: value for each, value in params.items() if each != name}


def split(declaration: "Declaration", values: Values) -> tuple[Values, Values, Values]:
    """Sort written values into the row, the texts, and the nested ones.

    Nested values are saved in the order of the fields: one may stand on another.
    """
    own: Values = {}
    texts: Values = {}
    nested: Values = {}
    kinds = declaration.nested()
    for name, value in values.items():
        if name in kinds:
            nested[name] = value
            continue
        found = declaration.column_of(name)
        if found is None:
            continue
        table, column = found
        (own if table is declaration.table else texts)[column] = value
    return own, texts, {name: nested[name] for name in kinds if name in nested}


def copies(declaration: "Declaration", own: Values) -> Values:
    """What the texts repeat of the row; no reference is 0 there."""
    return {
        name: 0 if own[name] is None else own[name]
        for name in declaration.copied
        if name in own
    }


def changed_only(values: Values, row: Mapping[str, Any]) -> Values:
    """The values that differ from the stored row."""
    return {name: value for name, value in values.items() if row[name] != value}


def clash(declaration: "Declaration", constraint: str) -> str:
    """The columns that a violated constraint keeps unique, joined by a comma.

    Shapes: `constraint` is its name, or on SQLite the columns with their table.
    """
    for each, columns in declaration.unique_columns():
        listed = ", ".join(f"{each.table}.{column.name}" for column in each.columns)
        if constraint in (each.name, listed):
            return columns
    return ""


def write_languages(
    entity: "TableEntity[Any]", params: Params, *, every: bool
) -> Sequence[str]:
    """The languages that a write stores its texts in.

    `every` installed one on POST; on PUT the one that the body names, else the
    query, else the default.
    Raises: `InvalidInput` for a language that is not installed.
    Source: spec/protocol.md, section 13.
    """
    installed = entity.context.installation.languages
    if entity.declaration.texts is None:
        return installed
    code = asked_language(entity.context, params)
    return installed if every else (code,)


def asked_language(context: Context, params: Params) -> str:
    """The language of a write: the body's, else the query's, else the default.

    Raises: `InvalidInput` for a language that is not installed.
    Source: spec/protocol.md, section 13, rules 2 and 3.
    """
    installed = context.installation.languages
    asked = params.get("lang_code")
    if asked is None or asked == "":
        asked = context.lang_requested or installed[0]
    code = asked.lower() if isinstance(asked, str) else ""
    if code not in installed:
        raise InvalidInput.of("lang_code", "is not an installed language", "unknown")
    return code


def stored_texts(
    entity: "TableEntity[Any]", id: Key, lang_code: str, names: tuple[str, ...]
) -> Record:
    """Read the stored texts of one object in one language."""
    table = entity.declaration.texts
    assert table is not None
    cache = entity.declaration.text_queries
    found = cache.get(names)
    if found is None:
        key = next(iter(table.primary_key.columns))
        found = cache[names] = Query(
            select(*[table.c[name] for name in names]).where(
                key == bindparam("id", required=True),
                table.c.lang_code == bindparam("lang_code", required=True),
            )
        )
    row = entity.db.row(found, id=id, lang_code=lang_code)
    return dict(zip(names, row or (None,) * len(names), strict=True))
