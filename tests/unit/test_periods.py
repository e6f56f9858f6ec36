"""Named intervals of time, and the days that they begin with (protocol.md, 5.5.9)."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from storeapi.core.errors import InvalidInput
from storeapi.core.periods import moment_of, read_period

WEDNESDAY = "2024-05-15 12:30"
DAY = 86400


def at(text: str, zone: str = "UTC") -> int:
    """The UNIX seconds of a time on the clocks of a zone."""
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp())


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
@pytest.mark.parametrize(
    ("period", "first", "after"),
    [
        ("D", "2024-05-15", "2024-05-16"),
        ("LD", "2024-05-14", "2024-05-15"),
        ("W", "2024-05-13", "2024-05-20"),
        ("LW", "2024-05-06", "2024-05-13"),
        ("M", "2024-05-01", "2024-06-01"),
        ("LM", "2024-04-01", "2024-05-01"),
        ("Y", "2024-01-01", "2025-01-01"),
        ("LY", "2023-01-01", "2024-01-01"),
        ("ly", "2023-01-01", "2024-01-01"),
    ],
)
def test_days_begin_in_the_zone(period: str, first: str, after: str, zone: str) -> None:
    now = at(WEDNESDAY, zone)
    expected = at(first, zone), at(after, zone) - 1
    assert read_period({"period": period}, now, zone) == expected


@pytest.mark.parametrize(("period", "days"), [("HH", 1), ("HW", 7), ("HM", 30)])
def test_the_last_days_end_now(period: str, days: int) -> None:
    found = read_period({"period": period}, 10_000_000, "Asia/Tokyo")
    assert found == (10_000_000 - days * DAY, 10_000_000)


def test_one_moment_lies_in_two_days() -> None:
    """20:00 in New York is 9:00 of the next day in Tokyo."""
    now = at("2024-05-15 20:00", "America/New_York")
    for zone, day in (("America/New_York", "2024-05-15"), ("Asia/Tokyo", "2024-05-16")):
        start, _ = read_period({"period": "D"}, now, zone)
        assert start == at(day, zone)


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", "2024-03-31", 23),
        ("Europe/Berlin", "2024-10-27", 25),
        # Clocks go back from 1:00 to midnight.
        ("America/Havana", "2024-11-03", 25),
    ],
)
@pytest.mark.parametrize("hour", [0, 3, 23])
def test_a_day_has_the_hours_of_its_clocks(
    zone: str, day: str, hours: int, hour: int
) -> None:
    moment = datetime.fromisoformat(f"{day} {hour:02}:30").replace(
        tzinfo=ZoneInfo(zone), fold=1
    )
    found = read_period({"period": "D"}, int(moment.timestamp()), zone)
    assert found == (at(day, zone), at(day, zone) + hours * 3600 - 1)
    date = {"time_from": day, "time_to": day}
    assert read_period(date, 0, zone) == found


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, (None, None)),
        ({"period": "A"}, (None, None)),
        ({"period": "A", "time_from": "5"}, (None, None)),
        ({"period": "C"}, (None, None)),
        ({"time_from": "5"}, (5, None)),
        ({"period": "C", "time_to": "7"}, (None, 7)),
        ({"time_from": "5", "time_to": "7"}, (5, 7)),
        ({"time_from": "2024-03-31T02:00:00+02:00"}, (at("2024-03-31"), None)),
        ({"time_to": "2024-03-31T00:00:00Z"}, (None, at("2024-03-31"))),
        ({"time_from": "2024-03-31"}, (at("2024-03-31"), None)),
        ({"time_to": "2024-03-31"}, (None, at("2024-04-01") - 1)),
    ],
)
def test_custom_intervals(
    params: dict[str, str], expected: tuple[int | None, int | None]
) -> None:
    assert read_period(params, 10_000_000, "UTC") == expected


@pytest.mark.parametrize(
    ("params", "fields"),
    [
        ({"period": "X"}, ["period"]),
        ({"period": ""}, ["period"]),
        ({"time_from": "x", "time_to": "2024-02-30"}, ["time_from", "time_to"]),
        ({"period": "D", "time_from": "x"}, ["time_from"]),
        ({"period": "A", "time_to": "2024-03-31T00:00:00"}, ["time_to"]),
    ],
)
def test_bad_intervals_are_named(params: dict[str, str], fields: list[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_period(params, 10_000_000, "UTC")
    assert [each.field for each in caught.value.errors] == fields


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/New_York"])
def test_the_last_day_of_the_calendar_ends(zone: str) -> None:
    start = moment_of("9999-12-31", zone, end=False)
    assert moment_of("9999-12-31", zone, end=True) == start + DAY - 1
