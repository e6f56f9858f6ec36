"""Text as it is compared: keys that ignore case, and literal search patterns."""

import unicodedata

LIKE_ESCAPE = "!"


def folded(text: str) -> str:
    """Return the form in which two spellings of one text are equal.

    Composed and decomposed letters, and letters of either case, fold alike, the
    same for every database because it is done here.
    Source: spec/pitfalls.md, "same address in other letter case".
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def escape_like(text: str) -> str:
    """Make a text stand for itself in a LIKE pattern with `ESCAPE '!'`.

    Source: spec/entities/products.md, 3.1, search rules.
    """
    for character in (LIKE_ESCAPE, "%", "_"):
        text = text.replace(character, LIKE_ESCAPE + character)
    return text
