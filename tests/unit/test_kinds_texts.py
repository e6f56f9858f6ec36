"""Texts: kept as sent, bounded, storable on every database (pitfall T9)."""

import pytest
from marshmallow import ValidationError

from storeapi.core.kinds import Choice, Code, Email, Flag, Text, Url


def code_of(kind, value):
    with pytest.raises(ValidationError) as caught:
        kind.read(value)
    return caught.value.messages[0].code


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (" two \n", " two \n"),
        ("\U0001f9f6 <b>", "\U0001f9f6 <b>"),
        (5, "5"),
        (5.5, "5.5"),
        ("", ""),
        ("  ", "  "),
        (None, ""),
        (351210000000, "351210000000"),
    ],
)
def test_text_is_kept_as_sent(value, stored):
    assert Text().read(value) == stored


@pytest.mark.parametrize("value", [True, False, [], {}, ["a"], "a\x00b", "\ud800"])
def test_text_refuses_what_cannot_be_stored(value):
    assert code_of(Text(), value) == "invalid"


@pytest.mark.parametrize("value", [10**400, 2**64, float("nan"), float("inf"), 1e300])
def test_text_refuses_numbers_out_of_range(value):
    assert code_of(Text(), value) == "out_of_range"


def test_text_is_bounded_in_characters():
    kind = Text(maxlength=3)
    assert kind.read("\U0001f9f6" * 3) == "\U0001f9f6" * 3
    assert code_of(kind, "abcd") == "too_long"


@pytest.mark.parametrize("value", ["", " ", "\n\t", None])
@pytest.mark.parametrize("kind", [Text(required=True), Email(required=True)])
def test_required_text_is_not_blank(kind, value):
    assert code_of(kind, value) == "required"


def test_text_that_may_be_left_out_may_still_refuse_blank():
    kind = Text(blank=False)
    assert code_of(kind, "") == "required"
    assert code_of(kind, None) == "invalid"
    assert Text(blank=False, default="x").read(None) == "x"


def test_text_filter_takes_every_storable_text():
    assert Text(maxlength=3).read_filter("abcdef") == "abcdef"
    with pytest.raises(ValidationError):
        Text().read_filter("a\x00")


def test_choice_takes_its_letters_only():
    kind = Choice("A", "D", "1")
    assert [kind.read("A"), kind.read(1)] == ["A", "1"]
    for value in ("a", "", "ZZ", 0):
        assert code_of(kind, value) == "unknown"
    for value in (True, [], {}):
        assert code_of(kind, value) == "invalid"


def test_choice_filter_takes_unknown_letters():
    assert Choice("A", "D").read_filter("Z") == "Z"


@pytest.mark.parametrize("value", ["Y", "y", True, 1, 1.0, "1", "true", "TRUE"])
def test_flag_yes(value):
    assert Flag().read(value) == "Y"


@pytest.mark.parametrize("value", ["N", "n", False, 0, 0.0, "0", "false"])
def test_flag_no(value):
    assert Flag().read(value) == "N"


@pytest.mark.parametrize("value", ["", "X", "yes", 2, 0.5, [], {}, float("nan"), None])
def test_flag_refuses_what_is_neither(value):
    assert code_of(Flag(), value) == "invalid"


def test_flag_filter_takes_any_letter_and_no_words():
    assert Flag().read_filter("z") == "Z"
    assert Flag().read_filter("true") == "Y"
    with pytest.raises(ValidationError):
        Flag().read_filter("maybe")


def test_flag_is_written_as_letter_or_boolean():
    assert Flag().writer() is None
    assert [Flag(native=True).writer()(flag) for flag in "YN"] == [True, False]


def test_code_has_one_case():
    assert Code().read("EN") == "en"
    assert Code(upper=True).read("pt") == "PT"
    assert Code(letters=3, upper=True).read("eur") == "EUR"
    assert Code().read(None) == ""
    assert Code(upper=True).read_filter("pt") == "PT"


@pytest.mark.parametrize("value", ["e", "eng", "e1", "\u00e9n", 12, " en", "  "])
def test_code_refuses_what_is_no_code(value):
    assert code_of(Code(), value) == "invalid"


@pytest.mark.parametrize(
    "value",
    [
        "ines@example.com",
        "Ann.Lee+x@Sub.Example.com",
        "a@localhost",
        "\u00fc@b\u00fc.de",
        "o'neil@example.com",
        "",
    ],
)
def test_email_is_kept_as_typed(value):
    assert Email().read(value) == value


@pytest.mark.parametrize(
    "value",
    [
        "x",
        "x@",
        "@x.com",
        "a@b",
        "a@@b.com",
        "a b@c.com",
        "a@b.com ",
        "a@-b.com",
        " ",
        "a@b..com",
        ".a@b.com",
        "a.@b.com",
        "a..b@c.com",
        "a@b.com\n",
        "a,b@c.com",
        5,
    ],
)
def test_email_refuses_what_is_no_address(value):
    assert code_of(Email(), value) == "invalid"


def test_email_has_128_characters():
    assert code_of(Email(), "a" * 120 + "@example.com") == "too_long"


@pytest.mark.parametrize(
    "value",
    ["http://example.com", "HTTPS://example.com:8080/a?b=c#d", "https://[::1]/x", ""],
)
def test_url_is_kept_as_typed(value):
    assert Url().read(value) == value


@pytest.mark.parametrize(
    "value",
    [
        "example.com",
        "ftp://example.com",
        "javascript:alert(1)",
        "http://",
        "http://a b",
        "http://u:p@example.com",
        "http://[::1",
        "http://a:99999",
        "http://a:x",
        "//a.com",
        "http://a\\b",
        "http://a\n",
        "http://:80",
        "http://a:0",
        "http://\u2100.com",
    ],
)
def test_url_refuses_what_is_no_web_address(value):
    assert code_of(Url(), value) == "invalid"
    assert code_of(Url(bare="://" in value), value) == "invalid"


def test_bare_url_needs_no_scheme():
    assert Url(bare=True).read("harbour.example/shop") == "harbour.example/shop"
    assert code_of(Url(bare=True), "two words") == "invalid"
