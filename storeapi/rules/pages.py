"""How a page's values depend on its type and its company, and who may read it."""

import re
from collections.abc import Iterator
from typing import Any

from sqlalchemy import String, and_, bindparam, cast, literal, or_, select

from storeapi.core.access import Caller
from storeapi.core.conditions import Condition
from storeapi.core.database import Connection
from storeapi.core.errors import InvalidInput
from storeapi.core.statement import query
from storeapi.models import Page, PageText, UsergroupLink
from storeapi.rules.slugs import slug, slugs_like, taken_slugs, unique_slug

LINK = "L"
BLOG = "B"
CUT = "<!--CUT-->"

Values = dict[str, Any]

_OF_LINKS = ("link", "new_window")
_EVERYBODY = (0, 1)
_SIGNED_IN = (0, 2)
_SLUGS = slugs_like(
    Page.seo_name, Page.company_id == bindparam("company_id", required=True)
)
_NAME = query(
    select(PageText.page).where(
        PageText.page_id == bindparam("id", required=True),
        PageText.lang_code == bindparam("lang_code", required=True),
    )
)


def spoiler(description: str) -> str:
    """The teaser of a blog post: what comes before the mark, or all of it.

    Source: spec/entities/pages.md, rule 10.
    """
    return description.partition(CUT)[0]


def drop_of_other_types(values: Values, page_type: str) -> None:
    """Ignore what only links, or only blog posts, have.

    Source: spec/entities/pages.md, rule 9.
    """
    if page_type != LINK:
        for name in _OF_LINKS:
            values.pop(name, None)
    if page_type != BLOG:
        values.pop("main_pair", None)


def check_period(values: Values, row: Values | None) -> None:
    """Refuse a period that ends before it begins; 0 leaves an end open.

    Raises: `InvalidInput`.
    Source: spec/entities/pages.md, rule 7.
    """
    merged = {"use_avail_period": "N", **(row or {}), **values}
    start = merged.get("avail_from_timestamp", 0)
    end = merged.get("avail_till_timestamp", 0)
    if merged["use_avail_period"] == "Y" and 0 < end < start:
        text = "must not lie before avail_from_timestamp"
        raise InvalidInput.of("avail_till_timestamp", text, "out_of_range")


def complete_slug(
    db: Connection, values: Values, row: Values | None, lang_code: str
) -> bool:
    """Make the part of the address of the name, unless one was sent.

    Returns whether it was made here, so that another writer may have taken it.
    Source: spec/entities/pages.md, rule 8.
    """
    if values.get("seo_name") or (row is not None and "seo_name" not in values):
        return False
    name = values.get("page")
    if name is None and row is not None:
        name = db.value(_NAME, id=row["page_id"], lang_code=lang_code)
    base = slug(str(name or "")) or "page"
    if row is not None and re.fullmatch(rf"{base}(-[0-9]+)?", row["seo_name"]):
        del values["seo_name"]
        return False
    company_id = {**(row or {}), **values}["company_id"]
    taken = taken_slugs(db, _SLUGS, company_id=company_id)
    values["seo_name"] = unique_slug(base, taken)
    return True


def readable(caller: Caller, now: int) -> Iterator[Condition]:
    """The conditions under which a customer or a visitor reads a page at all.

    Source: spec/entities/pages.md, rule 6.
    """
    moment: Any = bindparam("moment", required=True)
    yield Condition(
        "in its period",
        lambda: or_(
            Page.use_avail_period == "N",
            and_(
                Page.avail_from_timestamp <= moment,
                or_(
                    Page.avail_till_timestamp == 0, Page.avail_till_timestamp >= moment
                ),
            ),
        ),
        {"moment": now},
    )
    if caller.user_id is None:
        yield Condition("for visitors", lambda: or_(*map(_names, _EVERYBODY)))
        return
    yield Condition(
        "for own groups",
        lambda: or_(*map(_names, _SIGNED_IN), _names_own_group()),
        {"reader_id": caller.user_id},
    )


def _names(group: Any) -> Any:
    """The condition that a page's list of groups, like "0,5", names one."""
    listed = literal(",").concat(Page.usergroup_ids).concat(",")
    number = str(group) if isinstance(group, int) else cast(group, String)
    return listed.like(literal("%,").concat(number).concat(",%"))


def _names_own_group() -> Any:
    return (
        select(UsergroupLink.link_id)
        .where(
            UsergroupLink.user_id == bindparam("reader_id", required=True),
            UsergroupLink.status == "A",
            _names(UsergroupLink.usergroup_id),
        )
        .exists()
    )
