"""What is wrong with a value: messages that carry a stable code."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from marshmallow import ValidationError
from marshmallow.exceptions import SCHEMA

from storeapi.core.errors import FieldError


class Problem(str):
    """A message about one value, with its code.

    Shapes: the text continues `field '<name>' ...`; the code is `required`,
    `invalid`, `too_long`, `out_of_range` or `unknown`.
    """

    __slots__ = ("code",)
    code: str

    def __new__(cls, text: str, code: str = "invalid") -> Self:
        """Make the message."""
        problem = super().__new__(cls, text)
        problem.code = code
        return problem


def invalid(text: str, code: str = "invalid") -> ValidationError:
    """Make the error that a kind raises for a value it cannot read."""
    return ValidationError(Problem(text, code))


class Faults:
    """What is wrong with the parts of a value, told all at once."""

    def __init__(self) -> None:
        self._found: dict[str, Any] = {}

    def of(self, name: str) -> "_Part":
        """Keep what is raised while a part is read: `with faults.of(name)`."""
        return _Part(self._found, name[:64])

    def tell(self) -> None:
        """Raise what was kept.

        Raises: `ValidationError` naming every bad part.
        """
        if self._found:
            raise ValidationError(self._found)


@dataclass(frozen=True, slots=True)
class _Part:
    found: dict[str, Any]
    name: str

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, ValidationError):
            return False
        self.found[self.name] = error.messages
        return True


@contextmanager
def under(name: str) -> Iterator[None]:
    """Name what is raised as a part of the value."""
    try:
        yield
    except ValidationError as error:
        raise ValidationError({name: error.messages}) from None


def errors_of(error: ValidationError) -> list[FieldError]:
    """List every bad field of a validation error, in the order of the fields.

    Shapes: inner fields are dotted; a fault of the payload itself has the field "".
    """
    return list(_flatten({error.field_name: error.messages}, ""))


def _flatten(messages: Any, path: str) -> Iterator[FieldError]:
    if isinstance(messages, dict):
        for key, inner in messages.items():
            yield from _flatten(inner, path if key == SCHEMA else _join(path, key))
    elif isinstance(messages, list):
        for inner in messages:
            yield from _flatten(inner, path)
    else:
        code = messages.code if isinstance(messages, Problem) else "invalid"
        yield FieldError(path, str(messages), code)


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)
