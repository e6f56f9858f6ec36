"""The kind whose value is a JSON document of its own, kept as text."""

from abc import ABC, abstractmethod
from typing import Any, Unpack

import orjson

from storeapi.core.kinds.base import JsonSchema, Kind, Options, Writer


class Document(Kind, ABC):
    """A list or an object, stored as JSON.

    A subclass says `take`. Shapes: where `blank`, nothing is an empty text, both
    stored and on the wire.
    """

    def __init__(self, *, blank: bool = False, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.blank = blank

    @abstractmethod
    def take(self, value: Any) -> Any:
        """Return the list or object to store.

        Raises: `ValidationError` for a value that is none.
        """

    def parse(self, value: Any) -> str:
        """Read the document; an empty list or object of PHP is nothing, too."""
        taken = None if self.blank and value in ("", [], {}) else self.take(value)
        return "" if self.blank and not taken else orjson.dumps(taken).decode()

    def null(self) -> Any:
        """Null is nothing where there may be none."""
        return "" if self.blank else super().null()

    def conversion(self, *, full: bool) -> Writer | None:
        """Write the document, or the empty text."""
        return _written if self.blank else orjson.loads

    def record_schema(self) -> JsonSchema:
        """Describe a document of either form."""
        return {"type": ["object", "array", *(["string"] if self.blank else [])]}


def _written(stored: str) -> Any:
    return orjson.loads(stored) if stored else ""
