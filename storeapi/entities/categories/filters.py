"""The special filters of categories (spec/entities/categories.md, section 3)."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from storeapi import AnyOf, Condition, Params, Where
from storeapi.core.conditions import NOTHING
from storeapi.core.filters import (
    Filter,
    contains,
    read_ids,
    sent,
    single,
    together,
)
from storeapi.core.reading import read_switch
from storeapi.core.rows import table_of
from storeapi.models import Category, CategoryText
from storeapi.rules.trees import children, descendants

_TABLE = table_of(Category)


class BelowParent(Filter):
    """`parent_id`: its direct children, or with `subcats` everything below it."""

    params = ("parent_id", "subcats", "get_subcategories", "subcategories")

    def conditions(
        self, entity: Any, params: Params, applied: dict[str, Any]
    ) -> Iterable[Condition]:
        """Find the children; 0 stands for the roots."""
        value = sent(params, "parent_id")
        switches = [partial(read_switch, params, name) for name in self.params[1:]]
        ids, *deeper = together(lambda: read_ids("parent_id", value or []), *switches)
        deep = True in deeper
        if value is None:
            return
        applied["parent_id"] = value
        if deep:
            applied["subcats"] = "Y"
        if not ids:
            yield NOTHING
        elif deep and 0 not in ids:
            yield descendants(_TABLE, ids)
        elif not deep:
            yield children(_TABLE, ids)


def _named(entity: Any, value: Any) -> Condition | None:
    text = single("q", value)
    if not text.strip():
        return None
    return contains(CategoryText.category_key, text, "q", folded=True, texts=True)


FILTERS: tuple[Filter, ...] = (
    BelowParent(),
    AnyOf(category_ids=Category.category_id, company_ids=Category.company_id),
    Where("q", _named),
)

SORTINGS = {
    "position": Category.position,
    "category": CategoryText.category_key,
    "name": CategoryText.category_key,
    "timestamp": Category.timestamp,
    "product_count": Category.product_count,
}
