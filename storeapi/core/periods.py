"""Named intervals of time: today, last month, the last 24 hours, from and to."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from marshmallow import ValidationError

from storeapi.core.errors import FieldError, InvalidInput
from storeapi.core.kinds import Timestamp

PERIOD_PARAMS = ("period", "time_from", "time_to")
_LAST_DAYS = {"HH": 1, "HW": 7, "HM": 30}
_DAY_S = 86400
_NAMES = "A, D, LD, W, LW, M, LM, Y, LY, HH, HW, HM, C"
_TIME = Timestamp()

Interval = tuple[int | None, int | None]


def read_period(params: Mapping[str, Any], now: int, time_zone: str) -> Interval:
    """Read an interval of UNIX seconds, both ends inclusive, `None` where open.

    A date as the end of an interval means the whole of that day. Ends have to be
    sound where another period leaves them aside, too.
    Raises: `InvalidInput` naming every bad parameter.
    Source: spec/protocol.md, section 5.5, rule 9.
    """
    zone = ZoneInfo(time_zone)
    ends, errors = _ends(params, time_zone)
    name = str(params.get("period", "C" if len(params) else "A")).upper()
    found: Interval | None = None
    if name == "A":
        found = None, None
    elif name == "C":
        found = ends
    elif name in _LAST_DAYS:
        found = now - _LAST_DAYS[name] * _DAY_S, now
    elif days := _calendar(name, datetime.fromtimestamp(now, zone)):
        found = int(days[0].timestamp()), int(days[1].timestamp()) - 1
    if found is None:
        errors.insert(0, FieldError("period", f"must be one of {_NAMES}"))
    if found is None or errors:
        raise InvalidInput(errors=errors)
    return found


def _ends(
    params: Mapping[str, Any], time_zone: str
) -> tuple[Interval, list[FieldError]]:
    ends: dict[str, int] = {}
    errors = []
    for name in ("time_from", "time_to"):
        if name in params:
            try:
                end = name == "time_to"
                ends[name] = moment_of(params[name], time_zone, end=end)
            except ValidationError:
                errors.append(FieldError(name, "must be UNIX seconds or a date"))
    return (ends.get("time_from"), ends.get("time_to")), errors


def moment_of(text: Any, time_zone: str, *, end: bool) -> int:
    """Read one end of an interval: UNIX seconds, or ISO 8601.

    A date is the first second of that day in the zone, as the `end` its last one.
    Raises: `ValidationError`.
    """
    if not isinstance(text, str):
        raise ValidationError("must be a single value")
    moment = int(_TIME.read_filter(text))
    if not _is_date(text):
        return moment
    zone = ZoneInfo(time_zone)
    start = datetime.fromtimestamp(moment, UTC).replace(tzinfo=zone)
    if not end:
        return int(start.timestamp())
    try:
        return int((start + timedelta(days=1)).timestamp()) - 1
    except OverflowError:  # no day comes after 9999-12-31
        return int(start.timestamp()) + _DAY_S - 1


def _is_date(text: str) -> bool:
    return len(text.strip()) == 10 and "-" in text


def _calendar(name: str, now: datetime) -> tuple[datetime, datetime] | None:
    """The first moment of an interval, and the first one after it."""
    # Where clocks go back at midnight, a day begins with the first of the two.
    today = now.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    week = today - timedelta(days=today.weekday())
    month = today.replace(day=1)
    year = month.replace(month=1)
    return {
        "D": (today, today + timedelta(days=1)),
        "LD": (today - timedelta(days=1), today),
        "W": (week, week + timedelta(days=7)),
        "LW": (week - timedelta(days=7), week),
        "M": (month, (month + timedelta(days=32)).replace(day=1)),
        "LM": ((month - timedelta(days=1)).replace(day=1), month),
        "Y": (year, year.replace(year=year.year + 1)),
        "LY": (year.replace(year=year.year - 1), year),
    }.get(name)
