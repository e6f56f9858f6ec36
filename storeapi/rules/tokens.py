"""Words of a text as tokens that every database's full-text index takes alike.

Each database splits texts in its own way: stop words, least lengths, letters it
does not know. So the server splits, and writes each word in ASCII letters and
digits behind a mark that makes short words long enough; the index of the database
only has to find beginnings of such tokens. Scripts without blanks between words
give a token a character.
"""

import re
from collections.abc import Iterable

from storeapi.core.folding import folded

MAXIMUM = 80
"""Longest token; a longer word is found by its beginning."""

MARK = "xx"
"""The letters before each word; the index of PostgreSQL has the language there."""

_WORD = re.compile(r"[^\W_]+")
_PLAIN = frozenset("abcdefghijklmnoprstuvwxyz0123456789")
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x312F),  # CJK radicals, kana, bopomofo
    (0x31A0, 0x9FFF),  # CJK ideographs
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def tokens_of(texts: Iterable[str]) -> str:
    """The tokens of some texts, each once, as one text."""
    words = set(_WORD.findall(folded("\n".join(texts))))
    return " ".join(sorted({token for word in words for token in _tokens(word)}))


def word_tokens(text: str) -> list[str]:
    """The tokens of a text, in its order."""
    return [token for word in _WORD.findall(folded(text)) for token in _tokens(word)]


def _tokens(word: str) -> list[str]:
    return [f"{MARK}{_ascii(part)}"[:MAXIMUM] for part in _parts(word)]


def is_one_word(text: str) -> bool:
    """Whether a text is a single token and nothing else."""
    word = folded(text)
    return bool(_WORD.fullmatch(word)) and len(_parts(word)) == 1


def _parts(word: str) -> list[str]:
    if word.isascii():
        return [word]
    parts: list[str] = []
    held = ""
    for character in word:
        if not _is_unspaced(character):
            held += character
            continue
        parts += [held, character] if held else [character]
        held = ""
    return [*parts, held] if held else parts


def _is_unspaced(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in _UNSPACED)


def _ascii(word: str) -> str:
    """Write a word in ASCII; beginnings stay beginnings, different words differ."""
    if word.isascii() and "q" not in word:
        return word
    return "".join(
        c if c in _PLAIN else "qq" if c == "q" else f"q{ord(c):x}w" for c in word
    )
