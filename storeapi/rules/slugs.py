"""Slugs: the part of a page's address that is built from a name."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any

from anyascii import anyascii
from sqlalchemy import ColumnElement, bindparam, select
from sqlalchemy.orm import InstrumentedAttribute

from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import InvalidInput
from storeapi.core.failures import Again
from storeapi.core.statement import Query, query
from storeapi.models import Company

MAXIMUM = 255

_LOST = "a slug was lost"
_COMPANY = query(
    select(Company.company_id)
    .where(Company.company_id == bindparam("id", required=True))
    .with_for_update(key_share=True)
)


@contextmanager
def taking_slug(db: Transaction, *, is_ours: bool) -> Iterator[None]:
    """Write a slug; one that was made here and lost to another writer is made anew.

    Raises: `Again`, and lets the next attempt wait.
    """
    try:
        yield
    except InvalidInput as fault:
        if is_ours and [each.field for each in fault.errors] == ["seo_name"]:
            db.remember(_LOST)
            raise Again("another writer took the slug") from fault
        raise


def wait_for_slugs(db: Transaction, company_id: int) -> None:
    """Let all who have lost a slug in a company take theirs one after the other."""
    if db.remembers(_LOST):
        db.row(_COMPANY, id=company_id)


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
    column: InstrumentedAttribute[Any], *scope: ColumnElement[bool]
) -> Query:
    """Declare the query of the slugs that could clash, for `taken_slugs`.

    A range, which every database serves from an index. Texts compare by code point,
    and "." comes right after "-": slugs between a base and the base with "." are the
    base itself and those that go on with a hyphen.
    """
    first = column >= bindparam("base", required=True)
    last = column < bindparam("end", required=True)
    return query(select(column).where(first, last, *scope))


def taken_slugs(
    db: Connection, statement: Query, **scope: object
) -> Callable[[str], Collection[str]]:
    """Return the `taken` that `unique_slug` asks, reading from the database.

    Shapes: `statement` is from `slugs_like`; `scope` fills its other parameters.
    """

    def taken(base: str) -> Collection[str]:
        rows = db.rows(statement, base=base, end=f"{base}.", **scope)
        return {row[0] for row in rows}

    return taken


def complete_slug(
    db: Connection,
    statement: Query,
    values: dict[str, Any],
    row: Mapping[str, Any] | None,
    name: Callable[[], str],
) -> bool:
    """Make a slug that is unique in the company, unless one was sent.

    It is made of the name; that of an object which goes to another company is numbered
    if somebody has it there.
    Shapes: `statement` is from `slugs_like`, of one `company_id`; `name` gives what the
    slug is made of.
    Returns whether it was made here, so that another writer may have taken it.
    Source: spec/entities/products.md, rule 5.14; pages.md, rule 8.
    """
    stored = None if row is None else str(row["seo_name"])
    company_id = {**(row or {}), **values}["company_id"]
    moves = row is not None and company_id != row["company_id"]
    sent = values.get("seo_name")
    if sent and not (moves and sent == stored):
        return False
    base = stored
    if stored is None or ("seo_name" in values and not sent):
        base = name()
        if stored is not None and re.fullmatch(rf"{base}(-[0-9]+)?", stored):
            del values["seo_name"]
            base = stored
    if base is None or (base == stored and not moves):
        return False
    taken = taken_slugs(db, statement, company_id=company_id)
    is_free = base == stored and base not in taken(base)
    values["seo_name"] = base if is_free else unique_slug(base, taken)
    return True
