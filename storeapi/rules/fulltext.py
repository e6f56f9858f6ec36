"""The one seam to the full-text indexes: SQLite FTS5, PostgreSQL, MariaDB.

Which products hold the words of a search, as a piece of SQL: each dialect writes it
in its own words, over an index that its migration made and that moves in the
transaction of the write.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    and_,
    bindparam,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction

from storeapi.rules.tokens import MARK, word_tokens

INDEX = "product_search_fts"


class FoundProducts(GenericFunction[int]):
    """The IDs of the products that hold the words of a match text in a language.

    Shapes: `FoundProducts(text, lang_code)` stands on the right of an IN; the text
    is written by `match_text` for the database.
    """

    name = "found_products"
    type = Integer()
    inherit_cache = True


def holds_words(product_id: Any, text: Any, lang_code: Any) -> ColumnElement[bool]:
    """Whether a product is among them, as a clause that an index can serve."""
    # A function of type Boolean would be compared with 1, which no index serves.
    within = product_id.op("IN", is_comparison=True)
    clause: ColumnElement[bool] = within(FoundProducts(text, lang_code))
    return clause


def number_found(text: Any, lang_code: Any) -> Select[Any]:
    """How many products hold the words, from the index alone."""
    found = FoundProducts(text, lang_code).alias("found")
    return select(func.count()).select_from(found)


def _parts(element: Any, compiler: Any, **options: Any) -> list[str]:
    return [compiler.process(clause, **options) for clause in element.clauses]


@compiles(FoundProducts, "sqlite")
def _sqlite(element: Any, compiler: Any, **options: Any) -> str:
    text, code = _parts(element, compiler, **options)
    # The same number that the triggers of the migration give.
    letters = (
        f"(SELECT (unicode(l) - 97) * 26 + unicode(substr(l, 2)) - 97"  # noqa: S608 (bound)
        f" FROM (SELECT {code} AS l))"
    )
    return (
        f"(SELECT rowid / 1024 FROM {INDEX} WHERE {INDEX} MATCH {text}"  # noqa: S608 (bound)
        f" AND rowid % 1024 = {letters})"
    )


_OTHERS = "(SELECT s.product_id FROM product_search s WHERE "
# The words with their language, as in the migration that made the index.
_WORDS = f"replace(' ' || s.tokens, ' {MARK}', ' ' || s.lang_code)"


@compiles(FoundProducts, "postgresql")
def _postgresql(element: Any, compiler: Any, **options: Any) -> str:
    text, _ = _parts(element, compiler, **options)
    return f"{_OTHERS}to_tsvector('simple', {_WORDS}) @@ to_tsquery('simple', {text}))"


@compiles(FoundProducts)
def _mysql(element: Any, compiler: Any, **options: Any) -> str:
    text, code = _parts(element, compiler, **options)
    found = f"MATCH (s.tokens) AGAINST ({text} IN BOOLEAN MODE)"
    return f"{_OTHERS}{found} AND s.lang_code = {code})"


def match_text(
    kind: str, parts: Sequence[str], lang_code: str, *, any_of: bool
) -> str | None:
    """Write a search in the query language of a kind of database.

    Shapes: each part is a word or more as the client wrote it; its tokens must all
    be there, as beginnings of words. `None` if a part has none: then no index helps.
    """
    groups = groups_of(parts)
    if groups is None:
        return None
    if kind == "postgresql":
        groups = [[t.replace(MARK, lang_code, 1) for t in group] for group in groups]
    write = {"sqlite": _fts5, "postgresql": _tsquery}.get(kind, _boolean)
    return write(groups, any_of)


def groups_of(parts: Sequence[str]) -> list[list[str]] | None:
    """The tokens of each part; `None` if a part has none."""
    groups = [word_tokens(part) for part in parts]
    return groups if groups and all(groups) else None


def tests_words(
    tokens: Any, groups: Sequence[Sequence[str]], *, any_of: bool
) -> tuple[ColumnElement[bool], dict[str, str]]:
    """The same as a match text, for the tokens of one row; and its values.

    Quicker than the index where few rows are looked at and most of them match.
    """
    values: dict[str, str] = {}
    clauses = []
    for group in groups:
        held = []
        for token in group:
            name = f"q_token_{len(values)}"
            values[name] = f"% {token}%"
            held.append(
                literal(" ").concat(tokens).like(bindparam(name, required=True))
            )
        clauses.append(and_(*held))
    return (or_ if any_of else and_)(*clauses), values


def _fts5(groups: Sequence[Sequence[str]], any_of: bool) -> str:
    joined = ["(" + " AND ".join(f"{t}*" for t in group) + ")" for group in groups]
    return (" OR " if any_of else " AND ").join(joined)


def _tsquery(groups: Sequence[Sequence[str]], any_of: bool) -> str:
    joined = ["(" + " & ".join(f"{t}:*" for t in group) + ")" for group in groups]
    return (" | " if any_of else " & ").join(joined)


def _boolean(groups: Sequence[Sequence[str]], any_of: bool) -> str:
    joined = ["(" + " ".join(f"+{t}*" for t in group) + ")" for group in groups]
    return " ".join(joined if any_of else [f"+{group}" for group in joined])
