"""How a page's values depend on its type and its company, and who may read it."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import and_, bindparam, or_, select

from storeapi.core.access import Caller
from storeapi.core.conditions import Condition
from storeapi.core.database import Connection
from storeapi.core.errors import InvalidInput
from storeapi.core.statement import query
from storeapi.models import Page, PageText
from storeapi.rules.audience import for_reader
from storeapi.rules.slugs import complete_slug, slug, slugs_like

LINK = "L"
BLOG = "B"
CUT = "<!--CUT-->"

Values = dict[str, Any]

_OF_LINKS = ("link", "new_window")
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


def complete_address(
    db: Connection, values: Values, row: Values | None, lang_code: str
) -> bool:
    """Make the part of the address of the name, unless one was sent.

    Returns whether it was made here, so that another writer may have taken it.
    Source: spec/entities/pages.md, rule 8.
    """

    def name() -> str:
        text = values.get("page")
        if text is None and row is not None:
            text = db.value(_NAME, id=row["page_id"], lang_code=lang_code)
        return slug(text or "") or "page"

    return complete_slug(db, _SLUGS, values, row, name)


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
    yield for_reader(Page.usergroup_ids, caller)
