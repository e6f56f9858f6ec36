"""The kind whose value is a list of IDs kept in one column."""

from collections.abc import Iterable
from typing import Any, Literal, Unpack

from storeapi.core.kinds.base import Bindable, JsonSchema, Kind, Options, Writer
from storeapi.core.kinds.numbers import LARGEST_ID, integer_of
from storeapi.core.kinds.problems import invalid

MOST_IDS = 4096
"""IDs of one list: as many as a statement takes."""


def ids_of(value: Any) -> list[int]:
    """Read IDs: a list, a comma list, a single one, or the values of an object.

    Shapes: in the order sent, each once; 0 is taken.
    Raises: `ValidationError`.
    Source: spec/entities/products.md, rules 3 and 17.
    """
    found: dict[int, None] = {}
    for item in _items(value):
        number = integer_of(item.strip(" ") if isinstance(item, str) else item)
        if not 0 <= number <= LARGEST_ID:
            raise invalid(f"must hold IDs from 0 to {LARGEST_ID}", "out_of_range")
        found[number] = None
    if len(found) > MOST_IDS:
        raise invalid(f"holds more than {MOST_IDS} IDs", "too_long")
    return list(found)


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, str):
        return value.split(",") if value.strip(" ") else ()
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else (value,)


def id_array(text: str) -> list[str]:
    """Split a stored list of IDs into an array of strings."""
    return text.split(",") if text else []


class IdList(Kind):
    """IDs, stored as "1,2,3".

    Shapes: written as stored, or as an array of strings where `array` is true, or
    in full records only where it is "full".
    """

    def __init__(
        self,
        *,
        array: bool | Literal["full"] = False,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        self.array = array
        self.maxlength: int | None = None
        if self.fallback is None:
            self.fallback = ""

    def bind(self, column: Bindable | None) -> None:
        """Take the length too."""
        super().bind(column)
        if column is not None:
            self.maxlength = getattr(column.type, "length", None)

    def parse(self, value: Any) -> str:
        """Read the list, if the column holds it."""
        text = ",".join(map(str, ids_of(value)))
        if self.required and not text:
            raise invalid("must not be empty", "required")
        if self.maxlength is not None and len(text) > self.maxlength:
            raise invalid("holds too many IDs", "too_long")
        return text

    def read_filter(self, text: str) -> str:
        """Compare with the whole list."""
        return ",".join(map(str, ids_of(text)))

    def conversion(self, *, full: bool) -> Writer | None:
        """Write the text, or an array."""
        return id_array if self._is_array(full) else None

    def _is_array(self, full: bool) -> bool:
        return full if self.array == "full" else self.array

    def record_schema(self) -> JsonSchema:
        """Describe the list as it is in a full record."""
        if self._is_array(full=True):
            return {"type": "array", "items": {"type": "string"}}
        return {"type": "string", "pattern": "^([0-9]+(,[0-9]+)*)?$"}

    def payload_schema(self) -> JsonSchema:
        """Describe what is taken."""
        return {"type": ["string", "integer", "array", "object"]}
