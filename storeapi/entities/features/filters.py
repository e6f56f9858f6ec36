"""The special filters of features (spec/entities/features.md, 3)."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, exists, func, or_, select

from storeapi import Condition, Connection, Where, equals, query
from storeapi.core.conditions import NOTHING
from storeapi.core.filters import Filter, contains, read_ids, read_letters, scalar
from storeapi.core.folding import folded
from storeapi.models import (
    Category,
    Feature,
    FeatureCategory,
    FeatureText,
    ProductFeatureValue,
)
from storeapi.rules.feature_values import category_chain
from storeapi.rules.features import GROUP

_paths = select(Category.id_path).where(
    Category.category_id.in_(bindparam("ids", expanding=True))
)
_PATHS = query(_paths)
_PATHS_OF = query(
    _paths.where(Category.company_id.in_(bindparam("owners", expanding=True)))
)


def _fits(bound: str) -> ColumnElement[bool]:
    """The feature applies everywhere, or in one of the bound categories."""
    own = FeatureCategory.feature_id == Feature.feature_id
    listed: Any = bindparam(bound, expanding=True)
    return or_(
        ~exists().where(own),
        exists().where(own, FeatureCategory.category_id.in_(listed)),
    )


def of_product(db: Connection, product_id: int, owners: Iterable[int]) -> Condition:
    """Features that apply to a product by its categories, or that it has values of.

    Shapes: `owners` are the companies whose features apply; a value is one of whoever
    owns its feature.
    Source: spec/entities/features.md, 3 and 5.9.
    """

    def build() -> ColumnElement[bool]:
        has_value = exists().where(
            ProductFeatureValue.product_id == bindparam("of_product", required=True),
            ProductFeatureValue.feature_id == Feature.feature_id,
        )
        applies = and_(
            Feature.feature_type != bindparam("group_type", required=True),
            Feature.status != bindparam("disabled", required=True),
            Feature.company_id.in_(bindparam("owners", expanding=True)),
            _fits("chain"),
        )
        return or_(has_value, applies)

    values = {
        "of_product": product_id,
        "group_type": GROUP,
        "disabled": "D",
        "owners": sorted(owners),
        "chain": category_chain(db, product_id),
    }
    return Condition("of product", build, values)


def _of_types(entity: Any, value: Any) -> Condition:
    letters = read_letters("feature_types", value)
    return equals(Feature.feature_type, letters, role="types")


def _named(entity: Any, value: Any) -> Condition:
    text = scalar({"description": value}, "description") or ""
    return contains(
        FeatureText.description_key,
        folded(text.strip()),
        "description",
        folded=True,
        texts=True,
    )


def _in_categories(entity: Any, value: Any) -> Condition:
    """Features that apply in one of the categories, those of other companies aside."""
    ids = read_ids("category_ids", value)
    if entity.caller.is_scoped:
        owners = (0, entity.caller.company_id)
        rows = entity.reader.rows(_PATHS_OF, ids=ids, owners=owners)
    else:
        rows = entity.reader.rows(_PATHS, ids=ids)
    if not rows:
        return NOTHING
    chain = sorted({int(id) for (path,) in rows for id in path.split("/")})
    return Condition("categories", lambda: _fits("categories"), {"categories": chain})


def _with_path(entity: Any, value: Any) -> Iterable[Condition]:
    """Features whose categories are exactly these."""
    ids = read_ids("categories_path", value)
    own = FeatureCategory.feature_id == Feature.feature_id
    count = select(func.count()).select_from(FeatureCategory).where(own)
    listed: Any = bindparam("path", expanding=True)
    number: Any = bindparam("path_length", required=True)
    matching = count.where(FeatureCategory.category_id.in_(listed))
    yield Condition(
        "path",
        lambda: and_(
            count.scalar_subquery() == number, matching.scalar_subquery() == number
        ),
        {"path": ids, "path_length": len(ids)},
    )


FILTERS: Sequence[Filter] = (
    Where("feature_types", _of_types),
    Where("description", _named),
    Where("category_ids", _in_categories),
    Where("categories_path", _with_path),
)
