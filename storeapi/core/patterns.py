"""Texts that are looked for in others: patterns, and letter cases made equal."""

from typing import Any

from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction
from sqlalchemy.types import String

from storeapi.core.errors import InvalidInput

LONGEST_SEARCH = 4000
"""Characters of a text that is looked for."""


class Folding(GenericFunction[str]):
    """A text with its letter cases made equal, beyond ASCII too."""

    type = String()
    inherit_cache = True


@compiles(Folding, "sqlite")
def _folding_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    return f"casefold({compiler.process(element.clauses, **options)})"


@compiles(Folding, "postgresql")
def _folding_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    inner = compiler.process(element.clauses, **options)
    return f'lower(({inner}) COLLATE "und-x-icu") COLLATE "C"'


@compiles(Folding)
def _folding_other(element: Any, compiler: Any, **options: Any) -> str:
    return f"lower({compiler.process(element.clauses, **options)})"


def like_pattern(name: str, text: str) -> str:
    """A LIKE pattern that finds a text anywhere, its wildcards taken literally.

    Raises: `InvalidInput` naming the parameter for a text that SQLite, whose
    patterns have at most 50,000 bytes, would not look for.
    """
    if len(text) > LONGEST_SEARCH:
        raise InvalidInput.of(
            name, f"is longer than {LONGEST_SEARCH} characters", "too_long"
        )
    for mark in ("!", "%", "_"):
        text = text.replace(mark, "!" + mark)
    return f"%{text}%"
