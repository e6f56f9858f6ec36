"""Slugs from names."""

import pytest

from storeapi.rules.slugs import slug, unique_slug


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Alpine mug, 350 ml", "alpine-mug-350-ml"),
        ("  --Größe & Maß--  ", "grosse-mass"),
        ("Щётка для обуви", "shchetka-dlya-obuvi"),
        ("Соль", "sol"),
        ("北京", "beijing"),
        ('Cat\'s "Bowl", 5%', "cats-bowl-5"),
        ("summer_sale", "summer_sale"),
        ("İstanbul", "istanbul"),
        ("///", ""),
        ("", ""),
        ("a" * 300, "a" * 255),
        ("a" * 254 + " b", "a" * 254),
    ],
)
def test_slug(name: str, expected: str) -> None:
    assert slug(name) == expected


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ([], "mug"),
        (["mug-2"], "mug"),
        (["mug"], "mug-2"),
        (["mug", "mug-2", "mug-4", "mug-x"], "mug-3"),
    ],
)
def test_unique_slug_takes_the_first_free_number(
    taken: list[str], expected: str
) -> None:
    assert unique_slug("mug", lambda base: taken) == expected


def test_unique_slug_of_a_long_name_keeps_room_for_the_number() -> None:
    found: list[str] = []
    for _ in range(3):
        found.append(unique_slug("a" * 255, lambda base: found))
    assert len(set(found)) == 3
    assert max(map(len, found)) <= 255
