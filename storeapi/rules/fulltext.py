"""The one seam to the full-text indexes: SQLite FTS5, PostgreSQL, MariaDB.

Which products hold the words of a search, as a piece of SQL: each dialect writes it
in its own words, over an index that its migration made and that moves in the
transaction of the write.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Boolean
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction

from storeapi.rules.tokens import word_tokens

INDEX = "product_search_fts"


class holds_words(GenericFunction[bool]):  # noqa: N801 (an SQL function's name)
    """Whether a product holds the words of a match text in a language.

    Shapes: `holds_words(Product.product_id, text, lang_code)`; the text is written
    by `match_text` for the database.
    """

    type = Boolean()
    inherit_cache = True


def _parts(element: Any, compiler: Any, **options: Any) -> list[str]:
    return [compiler.process(clause, **options) for clause in element.clauses]


@compiles(holds_words, "sqlite")
def _sqlite(element: Any, compiler: Any, **options: Any) -> str:
    product, text, code = _parts(element, compiler, **options)
    # The same number that the triggers of the migration give.
    found = f"SELECT rowid / 1024 FROM {INDEX} WHERE {INDEX} MATCH {text}"  # noqa: S608 (bound)
    letters = (
        f"(SELECT (unicode(l) - 97) * 26 + unicode(substr(l, 2)) - 97"  # noqa: S608 (bound)
        f" FROM (SELECT {code} AS l))"
    )
    return f"{product} IN ({found} AND rowid % 1024 = {letters})"


def _elsewhere(product: str, condition: str, code: str) -> str:
    found = f"SELECT s.product_id FROM product_search s WHERE {condition}"  # noqa: S608 (bound)
    return f"{product} IN ({found} AND s.lang_code = {code})"


@compiles(holds_words, "postgresql")
def _postgresql(element: Any, compiler: Any, **options: Any) -> str:
    product, text, code = _parts(element, compiler, **options)
    condition = f"to_tsvector('simple', s.tokens) @@ to_tsquery('simple', {text})"
    return _elsewhere(product, condition, code)


@compiles(holds_words)
def _mysql(element: Any, compiler: Any, **options: Any) -> str:
    product, text, code = _parts(element, compiler, **options)
    condition = f"MATCH (s.tokens) AGAINST ({text} IN BOOLEAN MODE)"
    return _elsewhere(product, condition, code)


def match_text(kind: str, parts: Sequence[str], *, any_of: bool) -> str | None:
    """Write a search in the query language of a kind of database.

    Shapes: each part is a word or more as the client wrote it; its tokens must all
    be there, as beginnings of words. `None` if a part has none: then no index helps.
    """
    groups = [word_tokens(part) for part in parts]
    if not groups or not all(groups):
        return None
    write = {"sqlite": _fts5, "postgresql": _tsquery}.get(kind, _boolean)
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
