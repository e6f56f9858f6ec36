"""Patterns that a shop sets for what its customers enter.

Whoever writes a pattern may write one that never ends, so it runs under a limit.
"""

import regex

from storeapi.core.errors import InvalidInput

TIME_LIMIT_S = 0.1
_MAX_LENGTH = 10_000


def check_pattern(pattern: str) -> None:
    """Refuse a pattern that does not compile.

    Raises: `InvalidInput`.
    Source: spec/entities/options.md, rule 9.
    """
    try:
        regex.compile(pattern)
    except (regex.error, ValueError, OverflowError, RecursionError):
        raise InvalidInput.of("regexp", "is not a regular expression") from None


def agrees(pattern: str, text: str) -> bool:
    """Whether the pattern is found in the text; one that takes too long is not.

    Units: at most `TIME_LIMIT_S` seconds.
    """
    if len(text) > _MAX_LENGTH:
        return False
    try:
        return regex.search(pattern, text, timeout=TIME_LIMIT_S) is not None
    except (regex.error, TimeoutError, ValueError, OverflowError, RecursionError):
        return False
