"""Header fields read into values."""

import time

import pytest

from storeapi.core.headers import (
    EntityTag,
    MediaType,
    elements,
    entity_tags,
    media_type,
    parameters,
    preferences,
    read_address,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", ["a"]),
        (" a , ,b,", ["a", "b"]),
        ('a="x,y", b', ['a="x,y"', "b"]),
        (r'"\",", b', [r'"\","', "b"]),
        ('"open, b', ['"open, b']),
    ],
)
def test_elements_respect_quotes(text: str, expected: list[str]):
    assert elements(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("", {})),
        (";q=1", ("", {"q": "1"})),
        ("a;Q=1;q=2; b", ("a", {"q": "1", "b": ""})),
        ('form-data; name="a;b\\"c"', ("form-data", {"name": 'a;b"c'})),
    ],
)
def test_parameters_are_read(text: str, expected: tuple[str, dict[str, str]]):
    assert parameters(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("application/json", MediaType("application/json")),
        ("APPLICATION/JSON", MediaType("application/json")),
        (
            ' application/json ;Charset="UTF-8"',
            MediaType("application/json", {"charset": "UTF-8"}),
        ),
        ("*/*", MediaType("*/*")),
        ("", None),
        ("json", None),
        ("/json", None),
        ("application/", None),
        ("a/b/c", None),
        ("text/plain, text/html", None),
    ],
)
def test_media_types_are_read(text: str, expected: MediaType | None):
    assert media_type(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, {}),
        ("", {}),
        ("handling=strict", {"handling": "strict"}),
        ('Handling = "lenient"; x=1', {"handling": "lenient"}),
        (
            "respond-async, wait=10, handling=strict, handling=lenient",
            {"respond-async": "", "wait": "10", "handling": "strict"},
        ),
        ('foo=""', {"foo": ""}),
        ("=x, ;y", {}),
    ],
)
def test_preferences_are_read(text: str | None, expected: dict[str, str]):
    assert preferences(text) == expected


def test_an_absent_field_names_no_tags():
    assert entity_tags(None) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"a"', [EntityTag("a")]),
        ('W/"a"', [EntityTag("a", weak=True)]),
        ('w/"a"', [EntityTag("a", weak=True)]),
        ('"a", W/"b,c" ,"d"', [EntityTag("a"), EntityTag("b,c", True), EntityTag("d")]),
        ('""', [EntityTag("")]),
        ("abc", [EntityTag("abc")]),
        ("", []),
        (" , ", []),
    ],
)
def test_tags_are_read(text: str, expected: list[EntityTag]):
    found = entity_tags(text)
    assert found is not None
    assert [found.any, *found.tags] == [False, *expected]


@pytest.mark.parametrize(
    ("text", "current", "strong", "weak"),
    [
        ('"a"', EntityTag("a"), True, True),
        ('"a"', EntityTag("a", weak=True), False, True),
        ('W/"a"', EntityTag("a"), False, True),
        ('W/"a"', EntityTag("a", weak=True), False, True),
        ('"a", "b"', EntityTag("b"), True, True),
        ('"A"', EntityTag("a"), False, False),
        ('"a"', None, False, False),
        ("*", EntityTag("a"), True, True),
        (" * ", EntityTag("a", weak=True), True, True),
        ("*", None, False, False),
        ("", EntityTag("a"), False, False),
    ],
)
def test_tags_are_compared(
    text: str, current: EntityTag | None, strong: bool, weak: bool
):
    found = entity_tags(text)
    assert found is not None
    assert (found.strongly(current), found.weakly(current)) == (strong, weak)


def test_a_tag_is_written_as_it_is_read():
    assert str(EntityTag("a")) == '"a"'
    assert str(EntityTag("a", weak=True)) == 'W/"a"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("192.0.2.14", "192.0.2.14"),
        (" 192.0.2.14:51820 ", "192.0.2.14"),
        ("2001:DB8::1", "2001:db8::1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        (f"fe80::1%{'z' * 200}", "fe80::1"),
        ("x" * 200, ""),
        ("<b>", ""),
        ("unknown", ""),
        ("192.0.2.999", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_an_address_is_read_as_a_proxy_tells_it(text: str | None, expected: str):
    assert read_address(text) == expected


@pytest.mark.parametrize("text", ['"' * 65_536, '\\"' * 65_536, "," * 65_536])
def test_hostile_fields_cost_linear_time(text: str):
    start = time.process_time()
    elements(text)
    parameters(text)
    preferences(text)
    entity_tags(text)
    assert time.process_time() - start < 5
