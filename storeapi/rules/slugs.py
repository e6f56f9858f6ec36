"""Slugs: the part of a page's address that is built from a name."""

import re
from collections.abc import Callable, Collection
from itertools import count

from anyascii import anyascii
from sqlalchemy import ColumnElement, bindparam, or_, select
from sqlalchemy.orm import InstrumentedAttribute

from storeapi.core.database import Connection
from storeapi.core.statement import Query, query
from storeapi.rules.folding import LIKE_ESCAPE, escape_like

MAXIMUM = 255


def slug(name: str, maximum: int = MAXIMUM) -> str:
    """Build a slug: lower case, ASCII, hyphens; empty if nothing remains.

    Source: spec/entities/products.md, rule 5.14.
    """
    text = re.sub(r"['`\u2019\u02bc]", "", anyascii(name)).lower()
    return re.sub(r"[^a-z0-9_]+", "-", text)[:maximum].strip("-")


def unique_slug(
    base: str, taken: Callable[[str], Collection[str]], maximum: int = MAXIMUM
) -> str:
    """Return `base`, or `base-2`, `base-3` ... if that is taken.

    Shapes: `taken` returns at least the slugs in use that are `base` itself or
    begin with `base-`; it is asked once.
    Source: spec/entities/products.md, rule 5.14.
    """
    base = base[: maximum - 8].rstrip("-") if len(base) > maximum - 8 else base
    used = set(taken(base))
    if base not in used:
        return base
    return next(name for n in count(2) if (name := f"{base}-{n}") not in used)


def slugs_like(
    column: InstrumentedAttribute[str], *scope: ColumnElement[bool]
) -> Query:
    """Declare the query of the slugs that could clash, for `taken_slugs`."""
    same = column == bindparam("base")
    numbered = column.like(bindparam("pattern"), escape=LIKE_ESCAPE)
    return query(select(column).where(or_(same, numbered), *scope), prepare=False)


def taken_slugs(
    db: Connection, statement: Query, **scope: object
) -> Callable[[str], Collection[str]]:
    """Return the `taken` that `unique_slug` asks, reading from the database.

    Shapes: `statement` is from `slugs_like`; `scope` fills its other parameters.
    """

    def taken(base: str) -> Collection[str]:
        pattern = escape_like(base) + "-%"
        rows = db.rows(statement, base=base, pattern=pattern, **scope)
        return {row[0] for row in rows}

    return taken
