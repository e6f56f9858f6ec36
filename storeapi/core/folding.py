"""Text as it is compared: keys that ignore case."""

import unicodedata


def folded(text: str) -> str:
    """Return the form in which two spellings of one text are equal.

    Composed and decomposed letters, and letters of either case, fold alike, the
    same for every database because it is done here.
    Source: spec/pitfalls.md, "same address in other letter case".
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
