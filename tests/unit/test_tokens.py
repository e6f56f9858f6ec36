"""Words as tokens that every full-text index takes alike."""

import pytest

from storeapi.rules.fulltext import match_text
from storeapi.rules.tokens import MAXIMUM, is_one_word, tokens_of, word_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Alpine mug, 350 ml", ["xxalpine", "xxmug", "xx350", "xxml"]),
        ("MUG-350-GR", ["xxmug", "xx350", "xxgr"]),
        ("100% wool_x", ["xx100", "xxwool", "xxx"]),
        ("Qi", ["xxqqi"]),
        ("Ж", ["xxq436w"]),
        ("茶碗", ["xxq8336w", "xxq7897w"]),
        ("茶mug", ["xxq8336w", "xxmug"]),
        ("% _ - +", []),
    ],
)
def test_a_text_gives_its_words(text: str, tokens: list[str]) -> None:
    assert word_tokens(text) == tokens


def test_letter_case_does_not_count_beyond_ascii() -> None:
    assert word_tokens("ÄRGER Straße") == word_tokens("ärger STRASSE")


def test_a_beginning_of_a_word_is_a_beginning_of_its_token() -> None:
    (short,), (long,) = word_tokens("Чаш"), word_tokens("Чашка")
    assert long.startswith(short)


def test_tokens_are_ascii_bounded_and_each_once() -> None:
    text = tokens_of(["Ж" * 100, "mug mug", "Mug"])
    assert text.isascii()
    assert sorted(map(len, text.split())) == [len("xxmug"), MAXIMUM]


@pytest.mark.parametrize(
    ("text", "one"), [("mug", True), ("350-GR", False), ("茶碗", False), ("%", False)]
)
def test_one_word_is_a_single_token(text: str, one: bool) -> None:
    assert is_one_word(text) is one


@pytest.mark.parametrize(
    ("dialect", "all_of", "any_of"),
    [
        ("sqlite", "(xxa* AND xxb*) AND (xxc*)", "(xxa* AND xxb*) OR (xxc*)"),
        (
            "postgresql",
            "(ena:* & enb:*) & (enc:*)",
            "(ena:* & enb:*) | (enc:*)",
        ),
        ("mariadb", "+(+xxa* +xxb*) +(+xxc*)", "(+xxa* +xxb*) (+xxc*)"),
    ],
)
def test_each_database_has_its_own_words(
    dialect: str, all_of: str, any_of: str
) -> None:
    parts = ["a-b", "c"]
    assert match_text(dialect, parts, "en", any_of=False) == all_of
    assert match_text(dialect, parts, "en", any_of=True) == any_of


def test_without_tokens_no_index_helps() -> None:
    assert match_text("sqlite", ["mug", "%"], "en", any_of=False) is None
