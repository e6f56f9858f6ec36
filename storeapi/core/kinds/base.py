"""What every kind of field is: its options, and the two halves read and write."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, TypedDict, Unpack

from marshmallow import ValidationError, fields, missing
from sqlalchemy import Column, ColumnElement
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.sql.schema import ScalarElementColumnDefault

from storeapi.core.kinds.problems import invalid

Writer: TypeAlias = Callable[[Any], Any]
JsonSchema: TypeAlias = dict[str, Any]
Bindable: TypeAlias = ColumnElement[Any] | InstrumentedAttribute[Any]


class Options(TypedDict, total=False):
    """What a declaration may say of a field, whatever its kind.

    Shapes: `required` on POST, and never emptied; `listed` in list records;
    `dump_only` read-only, ignored on input; `load_only` never in a record;
    `create_only` ignored on PUT, `update_only` on POST; `versions` in which it is
    shown; `column` an attribute or SQL expression other than the model's column of
    that name; `list_column` an SQL expression that lists show and are filtered by
    instead;
    `translated` a column of the texts table; `internal` hidden from customers and
    anonymous callers; `filterable` a listed one gives an equality filter; `aliases`
    other names taken on input; `default` a stored value instead of the column's;
    `asked` the request flag without which it is in no record; `flag` the request flag
    that switches it on in lists, or off, and whether it is on without the flag.
    """

    required: bool
    listed: bool
    dump_only: bool
    load_only: bool
    create_only: bool
    update_only: bool
    versions: tuple[str, ...]
    column: Any
    list_column: Any
    translated: bool
    internal: bool
    filterable: bool
    aliases: tuple[str, ...]
    default: Any
    asked: str
    flag: tuple[str, bool] | None


class Kind(fields.Field[Any]):
    """How one value is read from JSON, and written to JSON.

    A subclass says `parse` unless it is read-only, `record_schema`, and `conversion`
    where a stored value does not go out as it is. Before `bind` a kind is not
    nullable and has no column default.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        super().__init__(
            required=options.pop("required", False),
            dump_only=options.pop("dump_only", False),
            load_only=options.pop("load_only", False),
        )
        self.listed = options.pop("listed", False)
        self.create_only = options.pop("create_only", False)
        self.update_only = options.pop("update_only", False)
        self.versions = options.pop("versions", ("1.0", "2.0"))
        self.column = options.pop("column", None)
        self.list_column = options.pop("list_column", None)
        self.translated = options.pop("translated", False)
        self.internal = options.pop("internal", False)
        self.filterable = options.pop("filterable", True)
        self.aliases = options.pop("aliases", ())
        self.default = options.pop("default", None)
        self.asked = options.pop("asked", None)
        self.flag = options.pop("flag", None)
        self.nullable = False
        self.fallback = self.default
        name = type(self).__name__
        if options:
            raise TypeError(f"{name} has no option {', '.join(options)}")
        if self.dump_only and (self.required or self.load_only or self.aliases):
            raise TypeError(f"{name} is read-only: it takes no input")
        if not self.dump_only and type(self).parse is Kind.parse:
            raise TypeError(f"{name} does not say parse")

    def bind(self, column: Bindable | None) -> None:
        """Take nullability and scalar default from the column.

        Shapes: any other SQL expression may be null; without one nothing changes.
        """
        if column is None:
            return
        expression = column.expression
        if not isinstance(expression, Column):
            self.nullable = True
            return
        self.nullable = bool(expression.nullable)
        default = expression.default
        if self.default is None and isinstance(default, ScalarElementColumnDefault):
            self.fallback = default.arg

    def read(self, value: Any) -> Any:
        """Turn a JSON value into the stored one.

        Raises: `ValidationError`, and nothing else, whatever the value.
        Source: spec/protocol.md, section 6.
        """
        return self.null() if value is None else self.parse(value)

    def read_filter(self, text: str) -> Any:
        """Turn a query parameter into the stored value to compare with.

        Raises: `ValidationError` if no value of this kind is written like that.
        """
        return self.parse(text)

    def parse(self, value: Any) -> Any:
        """Turn a JSON value that is not null into the stored one."""
        raise invalid("is read-only")

    def unknown_keys(self, value: Any) -> Iterable[str]:
        """The dotted names of keys inside a JSON value that nobody understands.

        Whatever the value; what is wrong with it `read` tells.
        """
        return ()

    def null(self) -> Any:
        """Return what null stores: null if it may be, else the default.

        Raises: `ValidationError` if the field is required or has no default.
        Source: spec/protocol.md, section 6, rule 5.
        """
        if self.required:
            raise invalid("is required", "required")
        if self.nullable:
            return None
        if self.fallback is None:
            raise invalid("must not be null")
        return self.fallback

    def writer(self, *, full: bool = True) -> Writer | None:
        """Return the function from a stored value to JSON, or None for as it is.

        Shapes: `full` is false in list records. A null passes where it may occur.
        Chosen after `bind`; meant for `map(writer, column)`.
        """
        write = self.conversion(full=full)
        if write is None or not self.nullable:
            return write
        return unless_null(write)

    def conversion(self, *, full: bool) -> Writer | None:
        """Return the writer of values that are not null."""
        return None

    def describe(self, *, payload: bool = False) -> JsonSchema:
        """Describe the value as a JSON schema: in records, or in a payload."""
        schema = self.payload_schema() if payload else self.record_schema()
        if self._takes_null() if payload and not self.dump_only else self.nullable:
            schema = _or_null(schema)
        if self.dump_only:
            schema["readOnly"] = True
        if self.load_only:
            schema["writeOnly"] = True
        return schema

    def _takes_null(self) -> bool:
        try:
            self.null()
        except ValidationError:
            return False
        return True

    def record_schema(self) -> JsonSchema:
        """Describe a value that is not null in a record."""
        return {}

    def payload_schema(self) -> JsonSchema:
        """Describe a value that is not null in a payload."""
        return self.record_schema()

    def _validate_missing(self, value: Any) -> None:
        # Null is left to `read`, which knows the column.
        if value is missing and self.required:
            raise invalid("is required", "required")

    def _validate(self, value: Any) -> None:
        # A kind has no validators: `parse` is the whole check.
        return

    def _deserialize(
        self,
        value: Any,
        attr: str | None,
        data: Mapping[str, Any] | None,
        **kwargs: Any,
    ) -> Any:
        return self.read(value)


def unless_null(write: Writer) -> Writer:
    """Make a writer that lets null pass."""

    def convert(value: Any) -> Any:
        return None if value is None else write(value)

    return convert


def _or_null(schema: JsonSchema) -> JsonSchema:
    types = schema.get("type")
    if types is None:
        return schema
    changed = {**schema, "type": [*([types] if isinstance(types, str) else types)]}
    changed["type"].append("null")
    if "enum" in schema:
        changed["enum"] = [*schema["enum"], None]
    return changed
