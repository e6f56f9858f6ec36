"""Faults and their statuses.

Success is returned, failure is raised. Each class knows its status; the front
controller alone turns it into the one error body.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType


@dataclass(frozen=True, slots=True)
class FieldError:
    """One invalid value: its field, what is wrong, and a stable code.

    Shapes: `field` is the name on the wire, dotted for inner values
    (`main_pair.detailed.image_path`).
    """

    field: str
    message: str
    code: str = "invalid"

    @property
    def pointer(self) -> str:
        """The field as a JSON pointer (RFC 6901) into the request body."""
        parts = self.field.split(".")
        return "".join(
            "/" + part.replace("~", "~0").replace("/", "~1") for part in parts
        )


class Fault(Exception):
    """A request that cannot be served, with the status that says so."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR

    def __init__(
        self,
        detail: str = "",
        errors: Sequence[FieldError] = (),
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = dict(headers or {})

    @property
    def message(self) -> str:
        """The reason phrase, and the detail when there is one.

        Source: spec/protocol.md, section 8, rule 2.
        """
        phrase = self.status.phrase
        return f"{phrase}: {self.detail}" if self.detail else phrase


class InvalidInput(Fault):
    """400: a value is missing or invalid; names every such field."""

    status = HTTPStatus.BAD_REQUEST

    def __init__(
        self,
        detail: str = "",
        errors: Sequence[FieldError] = (),
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if not detail and errors:
            detail = "; ".join(f"field '{e.field}' {e.message}" for e in errors)
        super().__init__(detail, errors, headers=headers)

    @classmethod
    def of(cls, field: str, message: str, code: str = "invalid") -> "InvalidInput":
        """Make the fault for one field."""
        return cls(errors=[FieldError(field, message, code)])


class FieldErrors:
    """The bad fields of several parts, told all at once.

    Each part is read inside `with`, which keeps what it says of its fields.
    """

    def __init__(self) -> None:
        self._found: list[FieldError] = []

    def __enter__(self) -> None:
        """Begin to read a part."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Keep a fault of fields; let any other one through."""
        if not (isinstance(error, InvalidInput) and error.errors):
            return False
        self._found += error.errors
        return True

    def tell(self) -> None:
        """Raise what was kept.

        Raises: `InvalidInput` naming every bad field.
        """
        if self._found:
            raise InvalidInput(errors=self._found)


class Refused(Fault):
    """400: the shop's rules forbid it."""

    status = HTTPStatus.BAD_REQUEST


class Unauthorized(Fault):
    """401: credentials are missing or wrong."""

    status = HTTPStatus.UNAUTHORIZED


class Forbidden(Fault):
    """403: the caller lacks the privilege."""

    status = HTTPStatus.FORBIDDEN


class NotFound(Fault):
    """404: unknown, or outside the caller's scope."""

    status = HTTPStatus.NOT_FOUND


class MethodNotAllowed(Fault):
    """405: the path does not offer the method, or a body is missing."""

    status = HTTPStatus.METHOD_NOT_ALLOWED

    def __init__(self, allow: Sequence[str], detail: str = "") -> None:
        super().__init__(detail, headers={"Allow": ", ".join(allow)})


class NotAcceptable(Fault):
    """406: no offered media type satisfies `Accept`."""

    status = HTTPStatus.NOT_ACCEPTABLE


class Conflict(Fault):
    """409: the same request is still running."""

    status = HTTPStatus.CONFLICT


class PreconditionFailed(Fault):
    """412: the record changed since the caller read it."""

    status = HTTPStatus.PRECONDITION_FAILED


class LengthRequired(Fault):
    """411: the body came in chunks, and the WSGI server does not join them."""

    status = HTTPStatus.LENGTH_REQUIRED


class BodyTooLarge(Fault):
    """413: the body is above the limit."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class UnsupportedMediaType(Fault):
    """415: the declared type of the body is not accepted in this version."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE


class Unprocessable(Fault):
    """422: an idempotency key came back with another request."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY


class HeadersTooLarge(Fault):
    """431: too many header fields."""

    status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE


class Unavailable(Fault):
    """503: a passing failure that the server's own retries did not overcome."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
