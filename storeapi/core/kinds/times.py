"""The kind whose value is a point in time."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Unpack

from storeapi.core.kinds.base import JsonSchema, Options
from storeapi.core.kinds.numbers import Integer
from storeapi.core.kinds.problems import invalid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
_ISO = re.compile(rf"({_DATE})(?:[Tt ]({_CLOCK})([Zz]|[+-][0-2][0-9]:?[0-5][0-9]))?")
_SECONDS = re.compile(r"-?[0-9]+")
_LOST_PLUS = re.compile(r"(?<=[0-9]) (?=[0-9]{2}:?[0-9]{2}$)")


def seconds_of(text: str) -> int:
    """Read an ISO 8601 date (midnight UTC), or date and time with its offset.

    Units: whole seconds since 1970 UTC; a fraction is cut.
    Raises: `ValidationError`, also for a time without offset.
    """
    match = _ISO.fullmatch(text)
    if match is None:
        raise invalid(
            "must be UNIX seconds, a date, or an ISO 8601 time with its offset"
        )
    date, clock, offset = match.groups()
    zone = "+00:00" if offset is None or offset in "Zz" else offset
    try:
        moment = datetime.fromisoformat(f"{date}T{clock or '00:00'}{zone}")
        return (moment - _EPOCH) // timedelta(seconds=1)
    except (ValueError, OverflowError):
        raise invalid("must be an existing date and time") from None


class Timestamp(Integer):
    """A point in time: UNIX seconds UTC; ISO 8601 is taken as well.

    Units: seconds; `minimum` below 0 allows years before 1970.
    """

    LARGEST = 2**40

    def __init__(
        self, *, minimum: int = 0, native: bool = False, **options: Unpack[Options]
    ) -> None:
        super().__init__(
            minimum=minimum, maximum=self.LARGEST, native=native, **options
        )

    def parse(self, value: Any) -> int:
        """Read seconds or ISO 8601."""
        if isinstance(value, str) and not _SECONDS.fullmatch(value):
            value = seconds_of(value)
        return super().parse(value)

    def read_filter(self, text: str) -> int:
        """Take a blank for the `+` of an offset, which a query string loses."""
        return self.parse(_LOST_PLUS.sub("+", text) if "T" in text.upper() else text)

    def payload_schema(self) -> JsonSchema:
        """Describe seconds and ISO 8601."""
        return self._limited(["string", "integer"])
