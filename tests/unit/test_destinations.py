"""Destinations: how their file is read, and which one an address lies in."""

import json
from pathlib import Path
from typing import Any

import pytest

from config.destinations import EVERYWHERE, Destination, Destinations, read_destinations
from config.settings import SettingError, Settings
from storeapi.rules.destinations import Address, destination_of

FILE = [
    {
        "destination_id": 4,
        "name": "Downtown",
        "zipcodes": ["90 0*"],
        "states": ["us-ca"],
    },
    {"destination_id": 2, "name": "America", "countries": ["us", "CA"]},
    {"destination_id": 3, "name": "California", "states": ["US-CA"]},
    {"destination_id": 5, "name": "Block", "zipcodes": ["9001?"], "countries": ["US"]},
    {"destination_id": 6, "name": "Closed", "countries": ["GR"], "status": "D"},
    {"destination_id": 7, "name": "Also America", "countries": ["US"]},
]


def file(folder: Path, content: Any) -> str:
    path = folder / "destinations.json"
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, "utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (Address(), 1),
        (Address("FR", zipcode="90012"), 1),
        (Address("CA"), 2),
        (Address("us"), 2),
        (Address("US", "ca"), 3),
        (Address("US", "CA", "9 0 0 99"), 4),
        (Address("US", "CA", "90012"), 5),
        (Address("US", "NY", "90012"), 5),
        (Address("GR"), 1),
    ],
)
def test_the_most_specific_active_one_counts(
    tmp_path: Path, address: Address, expected: int
) -> None:
    found = read_destinations(file(tmp_path, FILE))
    assert [each.destination_id for each in found.every] == [1, 2, 3, 4, 5, 6, 7]
    assert destination_of(found, address) == expected


def test_everywhere_may_be_renamed_or_closed(tmp_path: Path) -> None:
    closed = {"destination_id": 1, "name": "Rest of the world", "status": "D"}
    found = read_destinations(file(tmp_path, [closed]))
    assert found.every == (Destination(1, "Rest of the world", "D"),)
    assert destination_of(found, Address("FR")) == 0
    assert destination_of(Destinations(), Address("FR")) == 1
    assert Destinations().every == (EVERYWHERE,)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("{", "no JSON"),
        ({}, "array"),
        ([7], "entry 1: must be an object"),
        ([{"destination_id": 2, "name": "x"}], "must name countries"),
        ([{"destination_id": 1, "name": "x", "countries": ["US"]}], "everywhere"),
        ([{"destination_id": 0, "name": "x"}], "destination_id"),
        ([{"destination_id": True, "name": "x"}], "destination_id"),
        ([{"destination_id": 2, "name": " "}], "name"),
        ([{"destination_id": 2, "name": "x", "status": "H"}], "status"),
        ([{"destination_id": 2, "name": "x", "countries": "US"}], "countries"),
        ([{"destination_id": 2, "name": "x", "countries": ["USA"]}], "countries"),
        ([{"destination_id": 2, "name": "x", "states": ["CA"]}], "states"),
        ([{"destination_id": 2, "name": "x", "zipcodes": [90]}], "zipcodes"),
        ([{"destination_id": 2, "name": "x", "zip": ["9"]}], "unknown key 'zip'"),
        ([FILE[1], FILE[1]], "entry 2: destination_id is that of another"),
    ],
)
def test_a_file_that_cannot_be_used_stops_the_start(
    tmp_path: Path, content: Any, text: str
) -> None:
    variables = {
        "STOREAPI_SECRET_KEY": "k" * 32,
        "STOREAPI_DESTINATIONS": file(tmp_path, content),
    }
    with pytest.raises(SettingError, match="STOREAPI_DESTINATIONS") as fault:
        Settings.from_environment(variables)
    assert text in str(fault.value)


def test_a_missing_file_stops_the_start(tmp_path: Path) -> None:
    variables = {
        "STOREAPI_SECRET_KEY": "k" * 32,
        "STOREAPI_DESTINATIONS": str(tmp_path / "none.json"),
    }
    with pytest.raises(SettingError, match="cannot be read"):
        Settings.from_environment(variables)
