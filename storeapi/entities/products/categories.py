"""The filter of products by categories (spec/entities/products.md, 3.1)."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, case, exists, func, select

from storeapi import Condition, Params
from storeapi.core.conditions import NOTHING
from storeapi.core.filters import Filter, read_ids, sent, together
from storeapi.core.reading import read_switch
from storeapi.core.statement import query
from storeapi.models import Category, Product, ProductCategory
from storeapi.rules.trees import beneath

_MOST_CATEGORIES = 1000


def _in_categories(ids: list[int], *, first: int, subtree: bool = False) -> Condition:
    """Products of some categories, or of their whole subtrees.

    Shapes: `first` is the category in which a list by position is sorted.
    """
    bound: Any = bindparam("cid", expanding=True)
    link = ProductCategory

    def categories() -> Any:
        if not subtree:
            return bound
        return _beneath(bound)

    def inside() -> ColumnElement[bool]:
        return link.category_id.in_(categories())

    def test() -> ColumnElement[bool]:
        # A sum is in no index: the few places of the product are read, and not one
        # looked for in each category.
        among = (link.category_id + 0).in_(categories())
        return exists().where(link.product_id == Product.product_id, among)

    def number() -> Select[Any]:
        found: Any = func.count()
        if many:
            # Places that are the first of their products need no comparison.
            strange = link.first_id.is_not(None) & link.first_id.not_in(categories())
            others = func.count(case((strange, link.product_id)).distinct())
            found = func.count() - func.count(link.first_id) + others
        return select(found).select_from(link).where(inside())

    many = subtree or len(ids) > 1
    return Condition(
        ("cid", subtree, many),
        lambda: Product.product_id.in_(select(link.product_id).where(inside())),
        {"cid": ids, "sort_cid": first},
        test=test,
        number=number,
        own=not subtree,
    )


def _beneath(ids: Any) -> Select[Any]:
    """The categories of some subtrees."""
    top = select(Category.id_path).where(Category.category_id.in_(ids)).subquery()
    below = beneath(Category.id_path, top.c.id_path)
    return select(Category.category_id).join(top, below)


_BELOW = query(
    _beneath(bindparam("cid", expanding=True))
    .distinct()
    .order_by(Category.category_id)
    .limit(bindparam("most", required=True))
)


def _beneath_categories(entity: Any, ids: list[int]) -> Condition:
    """Products of whole subtrees, whose categories are named one by one.

    Planners know how many products named categories have, but not how many
    categories are in a subtree; of one with too many they have to guess.
    """
    rows = entity.reader.rows(_BELOW, cid=ids, most=_MOST_CATEGORIES + 1)
    if len(rows) > _MOST_CATEGORIES:
        return _in_categories(ids, first=ids[0], subtree=True)
    below = [row[0] for row in rows]
    return _in_categories(below, first=ids[0]) if below else NOTHING


class InCategory(Filter):
    """`cid` with `subcats`."""

    params = ("cid", "subcats")

    def conditions(
        self, entity: Any, params: Params, applied: dict[str, Any]
    ) -> Iterable[Condition]:
        """Find the products of the categories."""
        value = sent(params, "cid")
        ids, subtree = together(
            lambda: read_ids("cid", value or []),
            lambda: read_switch(params, "subcats"),
        )
        if value is None:
            return
        applied["cid"] = value
        applied["subcats"] = "Y" if subtree else "N"
        if subtree and ids:
            yield _beneath_categories(entity, ids)
        else:
            yield _in_categories(ids, first=ids[0]) if ids else NOTHING
