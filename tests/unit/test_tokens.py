"""Words as tokens that every full-text index takes alike."""

import pytest

from storeapi.rules.fulltext import match_text
from storeapi.rules.tokens import MAXIMUM, is_one_word, tokens_of, word_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Alpine mug, 350 ml", ["enxalpine", "enxmug", "enx350", "enxml"]),
        ("MUG-350-GR", ["enxmug", "enx350", "enxgr"]),
        ("100% wool_x", ["enx100", "enxwool", "enxx"]),
        ("Qi", ["enxqqi"]),
        ("Ж", ["enxq436w"]),
        ("茶碗", ["enxq8336w", "enxq7897w"]),
        ("茶mug", ["enxq8336w", "enxmug"]),
        ("% _ - +", []),
    ],
)
def test_a_text_gives_its_words(text: str, tokens: list[str]) -> None:
    assert word_tokens("en", text) == tokens


def test_letter_case_does_not_count_beyond_ascii() -> None:
    assert word_tokens("en", "ÄRGER Straße") == word_tokens("en", "ärger STRASSE")


def test_a_beginning_of_a_word_is_a_beginning_of_its_token() -> None:
    (short,), (long,) = word_tokens("ru", "Чаш"), word_tokens("ru", "Чашка")
    assert long.startswith(short)


def test_tokens_are_ascii_bounded_and_each_once() -> None:
    text = tokens_of("en", ["Ж" * 100, "mug mug", "Mug"])
    assert text.isascii()
    assert sorted(map(len, text.split())) == [len("enxmug"), MAXIMUM]


@pytest.mark.parametrize(
    ("text", "one"), [("mug", True), ("350-GR", False), ("茶碗", False), ("%", False)]
)
def test_one_word_is_a_single_token(text: str, one: bool) -> None:
    assert is_one_word(text) is one


@pytest.mark.parametrize(
    ("dialect", "all_of", "any_of"),
    [
        ("sqlite", "(enxa* AND enxb*) AND (enxc*)", "(enxa* AND enxb*) OR (enxc*)"),
        (
            "postgresql",
            "(enxa:* & enxb:*) & (enxc:*)",
            "(enxa:* & enxb:*) | (enxc:*)",
        ),
        ("mariadb", "+(+enxa* +enxb*) +(+enxc*)", "(+enxa* +enxb*) (+enxc*)"),
    ],
)
def test_each_database_has_its_own_words(
    dialect: str, all_of: str, any_of: str
) -> None:
    parts = ["a-b", "c"]
    assert match_text(dialect, "en", parts, any_of=False) == all_of
    assert match_text(dialect, "en", parts, any_of=True) == any_of


def test_without_tokens_no_index_helps() -> None:
    assert match_text("sqlite", "en", ["mug", "%"], any_of=False) is None
