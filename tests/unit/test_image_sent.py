"""What a payload says of image pairs."""

from typing import Any

import pytest
from marshmallow import ValidationError

from storeapi.core.kinds import errors_of
from storeapi.rules.image_sent import (
    Sent,
    SentImage,
    SentPair,
    parse_pair,
    parse_pairs,
)


def fields(error: ValidationError) -> list[str]:
    return [each.field.removeprefix("_schema.") for each in errors_of(error)]


def test_whole_pair_is_read() -> None:
    sent = parse_pair(
        {
            "pair_id": "90",
            "position": "2",
            "object_id": "412",
            "delete": "n",
            "icon": [],
            "detailed": {
                "relative_path": "detailed/0/a.jpg",
                "image_path": "https://cdn.example/a.jpg",
                "alt": None,
                "image_x": "800",
                "image_y": 600,
                "is_high_res": False,
            },
        }
    )
    detailed = SentImage(
        {
            "image_path": "https://cdn.example/a.jpg",
            "relative_path": "detailed/0/a.jpg",
        },
        alt="",
        width=800,
        height=600,
    )
    assert sent == Sent((SentPair(pair_id=90, position=2, detailed=detailed),))
    assert list(sent.pairs[0].detailed.sources) == ["image_path", "relative_path"]


@pytest.mark.parametrize("value", [None, "", [], {}, 0, False])
def test_what_is_empty_says_nothing(value: Any) -> None:
    assert parse_pair(value) == parse_pairs(value) == Sent()


@pytest.mark.parametrize("id", [None, "", "0", 0, -1, "x", 2**31, True, [], "9" * 5000])
def test_impossible_id_is_no_id(id: Any) -> None:
    assert parse_pair({"pair_id": id}).pairs == (SentPair(),)


def test_keys_of_an_object_may_be_ids_and_places_may_not() -> None:
    entry = {"position": 1}
    by_key = parse_pairs({"91": entry, "new": entry}).pairs
    assert [(pair.key, pair.key_id) for pair in by_key] == [("91", 91), ("new", None)]
    by_place = parse_pairs([None, entry]).pairs
    assert [(pair.key, pair.key_id) for pair in by_place] == [("1", None)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("https://cdn.example/a.jpg", [""]),
        ([1], [""]),
        ({"detailed": "https://cdn.example/a.jpg"}, ["detailed"]),
        ({"detailed": [1], "icon": 5}, ["icon", "detailed"]),
        ({"position": "x", "delete": "maybe"}, ["position", "delete"]),
        ({"detailed": {"image_path": {}}}, ["detailed.image_path"]),
        ({"detailed": {"image_path": "a\0b"}}, ["detailed.image_path"]),
        ({"detailed": {"alt": "x" * 256}}, ["detailed.alt"]),
        (
            {"detailed": {"alt": True, "image_x": -1}},
            ["detailed.alt", "detailed.image_x"],
        ),
        ({"detailed": {"image_y": 2**31}}, ["detailed.image_y"]),
    ],
)
def test_faults_are_named(value: Any, expected: list[str]) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_pair(value)
    assert fields(caught.value) == expected


def test_faults_of_all_pairs_are_named() -> None:
    with pytest.raises(ValidationError) as caught:
        parse_pairs({"91": {"position": -1}, "92": "x", "93": {"position": 1}})
    assert fields(caught.value) == ["91.position", "92"]


@pytest.mark.parametrize("value", ["x", 5, True])
def test_what_is_no_collection_is_refused(value: Any) -> None:
    with pytest.raises(ValidationError):
        parse_pairs(value)
