"""The special filters of pages (spec/entities/pages.md, List)."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import String, bindparam, func, select
from sqlalchemy.orm import aliased

from storeapi import AnyOf, Condition, InvalidInput, Params, Where, equals
from storeapi.core.conditions import NOTHING, any_of
from storeapi.core.filters import Filter, contains, read_ids, scalar, sent, single
from storeapi.core.reading import read_flag
from storeapi.core.rows import table_of
from storeapi.models import Page, PageText
from storeapi.rules.pages import BLOG
from storeapi.rules.trees import beneath, children, descendants

PLAIN = "plain"
NESTED = "true"

_TABLE = table_of(Page)
_SEARCHED = (
    PageText.page,
    PageText.description,
    PageText.meta_keywords,
    PageText.meta_description,
    PageText.page_title,
)
_parent: Any = aliased(Page)
_position_above = (
    select(_parent.position).where(_parent.page_id == Page.parent_id).scalar_subquery()
)


def read_tree(params: Params) -> str | None:
    """Which form of tree is asked for, if one is.

    Raises: `InvalidInput`.
    """
    text = scalar(params, "get_tree")
    if text is None:
        return None
    if text.lower() == PLAIN:
        return PLAIN
    wanted = read_flag(text)
    if wanted is None:
        raise InvalidInput.of("get_tree", "must be true or plain")
    return NESTED if wanted else None


class BelowParent(Filter):
    """`parent_id`: its direct children, or in a tree everything below it."""

    params = ("parent_id", "get_tree")

    def conditions(
        self, entity: Any, params: Params, applied: dict[str, Any]
    ) -> Iterable[Condition]:
        """Find the children; 0 stands for the roots."""
        form = read_tree(params)
        if form is not None:
            applied["get_tree"] = form
        value = sent(params, "parent_id")
        if value is None:
            return
        ids = read_ids("parent_id", value)
        applied["parent_id"] = value
        if not ids:
            yield NOTHING
        elif form is None:
            yield children(_TABLE, ids)
        elif 0 not in ids:
            yield descendants(_TABLE, ids)


def _found(_entity: Any, value: Any) -> Condition | None:
    text = single("q", value)
    if not text.strip():
        return None
    return any_of(
        *[contains(c, text, "q", folded=False, texts=True) for c in _SEARCHED]
    )


def _at_path(_entity: Any, value: Any) -> Iterable[Condition]:
    """The pages whose path of parents is the one that was sent."""
    text = single("seo_path", value)
    last = text.rpartition("/")[2]
    if not (last.isascii() and last.isdigit() and len(last) < 10):
        return [NOTHING]
    above: Any = bindparam("above", required=True, type_=String())
    return [
        equals(Page.parent_id, int(last), role="path_end"),
        Condition(
            "below a path",
            lambda: beneath(Page.id_path, above, itself=False),
            {"above": text},
        ),
    ]


def _by(_entity: Any, value: Any) -> Iterable[Condition]:
    """Blog posts of an author: no other page shows one."""
    author = single("author", value)
    return [
        equals(Page.page_type, BLOG, role="blog"),
        equals(Page.author, author, role="author"),
    ]


def _simple(_entity: Any, _value: Any) -> None:
    """Nothing is left out of the list, only of its records."""


FILTERS: tuple[Filter, ...] = (
    BelowParent(),
    AnyOf(item_ids=Page.page_id),
    Where("q", _found),
    Where("seo_path", _at_path),
    Where("author", _by),
    Where("simple", _simple),
)

SORTINGS = {
    "position": Page.position,
    "name": PageText.page_key,
    "timestamp": Page.timestamp,
    "type": Page.page_type,
    "multi_level": (
        func.coalesce(_position_above, -1),
        func.coalesce(Page.parent_id, 0),
        Page.position,
    ),
}
