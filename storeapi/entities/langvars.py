"""Language variables: texts of the storefront that have a name, in each language."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from marshmallow import ValidationError
from sqlalchemy import String, bindparam, case, func, literal, select, true

from storeapi import (
    Code,
    Condition,
    Connection,
    Contains,
    Context,
    Fields,
    InvalidInput,
    Key,
    NotFound,
    Params,
    Record,
    Result,
    TableEntity,
    Text,
    Where,
    allow,
    query,
)
from storeapi.core.changes import Operation
from storeapi.core.conditions import any_of
from storeapi.core.entity import STATUS_NO_CONTENT, STATUS_OK, WRITES
from storeapi.core.failures import Again, Violation
from storeapi.core.filters import contains, single
from storeapi.core.folding import folded
from storeapi.core.kinds import invalid, storable
from storeapi.core.rows import table_of
from storeapi.core.writing import Values, asked_language
from storeapi.models import Langvar, LangvarText

_NAME = re.compile(r"[a-z0-9_.\-]{1,128}")
_NO_SEGMENTS = frozenset({".", ".."})
_TEXTS = table_of(LangvarText)


def _in(language: str, column: Any) -> Any:
    """A column of the texts in the language of a parameter."""
    code = bindparam(language, required=True, type_=String())
    return (
        select(column)
        .where(LangvarText.langvar_id == Langvar.langvar_id)
        .where(LangvarText.lang_code == code)
        .correlate(Langvar)
        .scalar_subquery()
    )


def _shown(column: Any) -> Any:
    """A column of the texts, of the default language where there is none.

    Source: spec/entities/langvars.md, rule 6.
    """
    own, other = _in("lang_code", column), _in("default_code", column)
    return func.coalesce(own, other, literal(""))


_VALUE = _shown(LangvarText.value)
_VALUE_KEY = _shown(LangvarText.value_key)
# A cursor holds what a list is sorted by, so that has to be short.
_VALUE_SORT = func.substr(_VALUE_KEY, 1, 100, type_=String())
_LANGUAGE = case(
    (
        _in("lang_code", LangvarText.langvar_id).is_not(None),
        bindparam("lang_code", required=True, type_=String()),
    ),
    else_=bindparam("default_code", required=True, type_=String()),
)
_OF = query(
    select(LangvarText.lang_code, LangvarText.value).where(
        LangvarText.langvar_id == bindparam("id", required=True)
    )
)


class Name(Text):
    """The name of a variable, in small letters."""

    def check(self, text: str) -> str:
        """Take letters of either case, digits, underscores, dots and dashes.

        Source: spec/entities/langvars.md, table of fields.
        """
        name = text.lower()
        if not _NAME.fullmatch(name):
            raise invalid("must be of letters, digits, '_', '.' and '-'")
        if name in _NO_SEGMENTS:
            raise invalid("must not be '.' or '..', which no address can end in")
        return name

    def read_filter(self, text: str) -> str:
        """Compare in small letters."""
        return storable(text).lower()


class Value(Text):
    """The text of a variable; null empties it."""

    def null(self) -> str:
        """Return "": what it is read from may be null, the value is not."""
        return ""


class LangvarFields(Fields):
    """The fields of a language variable."""

    name = Name(required=True, create_only=True, listed=True)
    value = Value(column=_VALUE, listed=True)
    lang_code = Code(column=_LANGUAGE, dump_only=True)


def _found(_entity: Any, value: Any) -> Condition:
    """This text anywhere in name or value."""
    columns, text = (Langvar.name, _VALUE_KEY), single("q", value)
    return any_of(*[contains(c, text, "q", folded=True, texts=False) for c in columns])


class Langvars(TableEntity[Langvar]):
    """Language variables: texts of the storefront that have a name."""

    name = "langvars"
    model = Langvar
    id_field = "name"
    id_key = "name"
    fields = LangvarFields
    filters = (
        Contains(folded=True, name=Langvar.name),
        Contains(folded=True, value=_VALUE_KEY),
        Where("q", _found),
    )
    sortings = {"value": _VALUE_SORT}
    default_sort = "name"
    shapes = {"1.0": "array", "2.0": "array"}
    echoes = {"1.0": ("search", "params"), "2.0": ("params",)}
    answers = {"create": str, "update": str}
    privileges = allow(view="view_languages", manage="manage_languages")
    closed_to_companies = WRITES
    privileges_customer = {"index": True}
    parents = {"languages": None}

    def __init__(self, context: Context, db: Connection) -> None:
        """Take the language of the path, whatever else names one."""
        if context.parent is not None:
            code = context.parent.data["lang_code"]
            context = replace(context, lang_code=code, lang_requested=code)
        super().__init__(context, db)

    def identifier(self, id: str) -> Key:
        """Take any text: a name that looks like a number is one, too.

        Source: spec/entities/langvars.md, rule 8.
        """
        try:
            return storable(id).lower()
        except ValidationError:
            raise self.missing("") from None

    def scope(self) -> Iterable[Condition]:
        """All variables; whatever shows a value falls back to one language."""
        yield from super().scope()
        default = self.context.installation.languages[0]
        yield Condition("default language", true, {"default_code": default})

    def language(self, params: Params) -> str:
        """The language that a write is for: that of the path, or what else names one.

        Raises: `InvalidInput` for one that is not installed.
        """
        return asked_language(self.context, self.view_of(params))

    def view_of(self, params: Params) -> Params:
        """The language that a body names, if the path does not."""
        if self.context.parent is not None or "lang_code" not in params:
            return {}
        return {"lang_code": params["lang_code"]}

    def create(self, params: Params) -> Result:
        """Make a variable, with the same value in every language."""
        self.db.hold_languages()
        self.language(params)
        return super().create(params)

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write a variable and its value in every language.

        Source: spec/entities/langvars.md, rules 2 and 5.
        """
        name = str(values["name"])
        try:
            id = self.db.insert(self.declaration.table, {"name": name})
        except Violation:
            text = "is already in use; PUT changes the value"
            raise InvalidInput.of("name", text, "taken") from None
        texts = _texts(values.get("value", ""))
        self.db.insert_many(
            _TEXTS,
            [{"langvar_id": id, "lang_code": code, **texts} for code in languages],
        )
        self.record(Operation.CREATE, name, {}, values)
        return name

    def update(self, id: Key, params: Params) -> Result:
        """Change the value in one language; make the variable if there is none.

        Source: spec/entities/langvars.md, rule 1.
        """
        self.db.hold_languages()
        code = self.language(params)
        try:
            row = self.locked_row(id)
        except NotFound:
            if "value" not in params:
                raise
            return self._make(id, params)
        values = self.load(params, partial=True)
        if "value" in values:
            self._write(row, code, values["value"])
        return Result(STATUS_OK, {self.id_key: id})

    def _make(self, id: Key, params: Params) -> Result:
        values = self.load({**params, "name": id}, partial=False)
        try:
            self.insert(values, self.context.installation.languages)
        except InvalidInput:
            raise Again("another request made the variable") from None
        return Result(STATUS_OK, {self.id_key: id})

    def _stored(self, row: Record) -> dict[str, str]:
        """The values by language."""
        return dict(self.db.rows(_OF, id=row["langvar_id"]))

    def _write(self, row: Record, code: str, value: str) -> None:
        stored = self._stored(row)
        if stored.get(code) == value:
            return
        key = {"langvar_id": row["langvar_id"], "lang_code": code}
        if code in stored:
            self.db.update(_TEXTS, key, _texts(value))
        else:
            self.db.insert(_TEXTS, {**key, **_texts(value)})
        before = {"value": stored.get(code, "")}
        self.record(Operation.UPDATE, row["name"], before, {"value": value}, row=row)

    def delete(self, id: Key) -> Result:
        """Remove a variable, or below a language its value in that one.

        Source: spec/entities/langvars.md, rules 3 and 4.
        """
        if self.context.parent is None:
            return super().delete(id)
        row = self.locked_row(id)
        stored = self._stored(row)
        code = self.context.lang_code
        if code not in stored:
            raise NotFound(f"langvars {id} has no value of its own in {code}")
        if len(stored) == 1:
            self.remove(id, row)
            return Result(STATUS_NO_CONTENT)
        self.db.delete(_TEXTS, {"langvar_id": row["langvar_id"], "lang_code": code})
        before, after = {"value": stored[code]}, {"value": None}
        self.record(Operation.UPDATE, row["name"], before, after, row=row)
        return Result(STATUS_NO_CONTENT)


def _texts(value: str) -> Values:
    return {"value": value, "value_key": folded(value)}
