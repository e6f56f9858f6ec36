"""Kinds without a column of their own: constants, derived values, other tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from storeapi.core.kinds.base import JsonSchema, Kind, Options
from storeapi.core.kinds.keys import Keys

if TYPE_CHECKING:
    from storeapi.core.database import Connection, Transaction
    from storeapi.core.entity import Context


class Absent:
    """The type of `ABSENT`, which a derived value returns to leave its key out."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


class Constant(Kind):
    """The same JSON value in every record; read-only."""

    def __init__(self, value: Any, **options: Unpack[Options]) -> None:
        options.setdefault("filterable", False)
        options["dump_only"] = True
        super().__init__(**options)
        self.value = value

    def record_schema(self) -> JsonSchema:
        """Describe the value."""
        return {"const": self.value}


class Derived(Kind):
    """A JSON value computed from stored values of the same record; read-only.

    Shapes: `function` takes the stored values of the columns named in `inputs`, in
    that order; where `optional` it may return `ABSENT`, and the key is left out.
    `schema` is what `describe` says of it.
    """

    def __init__(
        self,
        inputs: Sequence[str],
        function: Callable[..., Any],
        *,
        optional: bool = False,
        schema: JsonSchema | None = None,
        **options: Unpack[Options],
    ) -> None:
        options.setdefault("filterable", False)
        options["dump_only"] = True
        super().__init__(**options)
        self.inputs = tuple(inputs)
        self.function = function
        self.optional = optional
        self.schema = schema or {}

    def record_schema(self) -> JsonSchema:
        """Describe the value."""
        return dict(self.schema)


class Nested(Kind):
    """A value kept in other tables, loaded once per page and saved with its owner.

    A subclass says `load` unless it is write-only, `parse` and `save` unless it is
    read-only. `keys` are those of its objects. One whose `flag` is off is left out,
    or where `kept` shown as of an owner without rows. Where `optional`, `load` and
    `empty` may say `ABSENT`, and the key is left out.
    """

    optional = False
    kept = False
    keys: Keys | None = None

    def __init__(self, **options: Unpack[Options]) -> None:
        options.setdefault("filterable", False)
        super().__init__(**options)
        missing = {
            "load": not self.load_only and type(self).load is Nested.load,
            "save": not self.dump_only and type(self).save is Nested.save,
        }
        for name in filter(missing.get, missing):
            raise TypeError(f"{type(self).__name__} does not say {name}")

    def read(self, value: Any) -> Any:
        """Read an empty text as null: a form has no other way to send nothing."""
        return super().read(None if value == "" else value)

    def unknown_keys(self, value: Any) -> Iterable[str]:
        """The names of keys that are none of `keys`."""
        if self.keys is None or self.dump_only:
            return ()
        return self.keys.unknown(value)

    def load(
        self, db: "Connection", ids: Sequence[Any], context: "Context"
    ) -> Mapping[Any, Any]:
        """Load the JSON values of the owners of a page, by one statement.

        Shapes: owners without rows may be left out.
        """
        return {}

    def empty(self) -> Any:
        """Return the JSON value of an owner without rows."""
        return []

    def save(
        self, db: "Transaction", owner_id: Any, value: Any, context: "Context"
    ) -> bool:
        """Store what `read` returned, and tell whether that changed anything.

        It runs again if the transaction is retried.
        """
        return False

    def remove(self, db: "Transaction", ids: Sequence[Any], context: "Context") -> None:
        """Delete the rows of owners that are being deleted.

        By default nothing: foreign keys that cascade need no statement of ours.
        """

    def null(self) -> Any:
        """Read null as nothing.

        Raises: `ValidationError` if the field is required.
        """
        return super().null() if self.required else self.parse([])
