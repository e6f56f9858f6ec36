"""The one seam to the full-text indexes: SQLite FTS5, PostgreSQL, MariaDB.

A match is a piece of SQL over `product_search`; each dialect writes it in its own
words, over an index that its migration made and that moves in the transaction of
the write.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Boolean, ColumnElement
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction

from storeapi.rules.tokens import word_tokens

INDEX = "product_search_fts"


class token_match(GenericFunction[bool]):  # noqa: N801 (an SQL function's name)
    """Whether a row of `product_search` meets a match text.

    Shapes: `token_match(ProductSearch.tokens, bindparam(...))`.
    """

    type = Boolean()
    inherit_cache = True


def _inner(element: Any, compiler: Any, **options: Any) -> tuple[str, str]:
    column, text = element.clauses
    return compiler.process(column, **options), compiler.process(text, **options)


@compiles(token_match, "sqlite")
def _sqlite(element: Any, compiler: Any, **options: Any) -> str:
    column, text = _inner(element, compiler, **options)
    row = column.rpartition(".")[0] + ".search_id"
    return f"{row} IN (SELECT rowid FROM {INDEX} WHERE {INDEX} MATCH {text})"  # noqa: S608 (a bound parameter)


@compiles(token_match, "postgresql")
def _postgresql(element: Any, compiler: Any, **options: Any) -> str:
    column, text = _inner(element, compiler, **options)
    return f"to_tsvector('simple', {column}) @@ to_tsquery('simple', {text})"


@compiles(token_match)
def _mysql(element: Any, compiler: Any, **options: Any) -> str:
    column, text = _inner(element, compiler, **options)
    return f"MATCH ({column}) AGAINST ({text} IN BOOLEAN MODE)"


def match_text(
    dialect_name: str, lang_code: str, parts: Sequence[str], *, any_of: bool
) -> str | None:
    """Write a search in the query language of a database.

    Shapes: each part is a word or more as the client wrote it; its tokens must all
    be there, as beginnings of words. `None` if a part has none: then no index helps.
    """
    groups = [word_tokens(lang_code, part) for part in parts]
    if not groups or not all(groups):
        return None
    write = {"sqlite": _fts5, "postgresql": _tsquery}.get(dialect_name, _boolean)
    return write(groups, any_of)


def _fts5(groups: Sequence[Sequence[str]], any_of: bool) -> str:
    joined = ["(" + " AND ".join(f"{t}*" for t in group) + ")" for group in groups]
    return (" OR " if any_of else " AND ").join(joined)


def _tsquery(groups: Sequence[Sequence[str]], any_of: bool) -> str:
    joined = ["(" + " & ".join(f"{t}:*" for t in group) + ")" for group in groups]
    return (" | " if any_of else " & ").join(joined)


def _boolean(groups: Sequence[Sequence[str]], any_of: bool) -> str:
    joined = ["(" + " ".join(f"+{t}*" for t in group) + ")" for group in groups]
    return " ".join(joined if any_of else [f"+{group}" for group in joined])


Match = ColumnElement[bool]
