"""Named intervals of time: today, last month, the last 24 hours, from and to."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
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


def read_period(params: Mapping[str, str], now: int, time_zone: str) -> Interval:
    """Read an interval of UNIX seconds, both ends inclusive, `None` where open.

    Ends are judged even where a named interval does not use them.
    Raises: `InvalidInput` naming the parameter.
    Source: spec/protocol.md, section 5.5, rule 9.
    """
    custom = _custom(params, time_zone)
    name = params.get("period", "C" if len(params) else "A").upper()
    if name == "A":
        return None, None
    if name == "C":
        return custom
    if name in _LAST_DAYS:
        return now - _LAST_DAYS[name] * _DAY_S, now
    days = _calendar(name, datetime.fromtimestamp(now, ZoneInfo(time_zone)))
    if days is None:
        raise InvalidInput.of("period", f"must be one of {_NAMES}")
    start, end = days
    return int(start.timestamp()), int(end.timestamp()) - 1


def _custom(params: Mapping[str, str], time_zone: str) -> Interval:
    ends: list[int | None] = []
    errors = []
    for name in ("time_from", "time_to"):
        text = params.get(name)
        end = name == "time_to"
        try:
            ends.append(None if text is None else moment_of(text, time_zone, end=end))
        except ValidationError:
            errors.append(FieldError(name, "must be UNIX seconds or a date"))
    if errors:
        raise InvalidInput(errors=errors)
    return ends[0], ends[1]


def moment_of(text: str, time_zone: str, *, end: bool) -> int:
    """Read one end of an interval: UNIX seconds, or ISO 8601.

    A date is the first second of that day in the zone, as the `end` its last one.
    Raises: `ValidationError`.
    """
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
