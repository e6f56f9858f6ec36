"""What is stored of variation groups: features, members, and their values.

Source: spec/entities/product_variations_groups.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.access import Caller
from storeapi.core.database import Connection, Transaction
from storeapi.core.failures import Again
from storeapi.core.statement import Query, query
from storeapi.models import (
    Feature,
    Product,
    ProductFeatureValue,
    VariationGroup,
    VariationGroupFeature,
)
from storeapi.rules.catalog_items import (
    PURPOSES,
    GroupFeature,
    Member,
    item_id,
)

VARIATION_TYPES = ("S", "N", "E")
"""Types of features by which variations differ: one variant a product."""

_id: Any = bindparam("id", required=True)
_ids: Any = bindparam("ids", expanding=True)
_group = select(
    VariationGroup.id, VariationGroup.company_id, VariationGroup.code
).where(VariationGroup.id == _id)
_LOCKED_GROUP = query(_group.with_for_update(nowait=True))
_GROUP = query(_group)
_GROUPS = query(
    select(VariationGroup.id)
    .where(VariationGroup.id.in_(_ids))
    .order_by(VariationGroup.id)
    .with_for_update()
)
_GROUPS_OF = query(
    select(Product.product_id, Product.variation_group_id).where(
        Product.product_id.in_(_ids), Product.variation_group_id.is_not(None)
    )
)
_FEATURES = query(
    select(VariationGroupFeature.feature_id, VariationGroupFeature.purpose)
    .where(VariationGroupFeature.group_id == _id)
    .order_by(VariationGroupFeature.position, VariationGroupFeature.feature_id)
)
_rows = (
    select(
        Product.product_id,
        Product.company_id,
        Product.variation_group_id,
        Product.parent_product_id,
        Product.variation_sub_group_id,
        Product.variation_key,
        Product.status,
        Product.master_product_id,
    )
    .order_by(Product.product_id)
    .with_for_update()
)
_MEMBERS = query(_rows.where(Product.variation_group_id == _id))
_PRODUCTS = query(_rows.where(Product.product_id.in_(_ids)))
_VALUES = query(
    select(
        ProductFeatureValue.product_id,
        ProductFeatureValue.feature_id,
        ProductFeatureValue.variant_id,
    ).where(
        ProductFeatureValue.product_id.in_(_ids),
        ProductFeatureValue.variant_id.is_not(None),
    )
)
_KNOWN_FEATURES = query(
    select(
        Feature.feature_id, Feature.purpose, Feature.feature_type, Feature.company_id
    )
    .where(Feature.feature_id.in_(_ids))
    .order_by(Feature.group_position, Feature.position, Feature.feature_id)
)


@dataclass(frozen=True, slots=True)
class Group:
    """A group and what it is based on."""

    id: int
    company_id: int
    code: str
    features: tuple[GroupFeature, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """What is stored of a product's place."""

    product_id: int
    company_id: int
    group_id: int | None
    parent_id: int | None
    sub_group_id: str | None
    key: str | None
    status: str
    common_id: int | None


def read_group(db: Connection, group_id: int, *, lock: bool = False) -> Group | None:
    """Read a group; locked, no other writer can change its members.

    Who locks it has held it by `hold_groups`. A product may have joined another one
    since then, which is not waited for: a failure that passes, if somebody has that.
    """
    row = db.row(_LOCKED_GROUP if lock else _GROUP, id=group_id)
    if row is None:
        return None
    features = tuple(GroupFeature(*found) for found in db.rows(_FEATURES, id=group_id))
    return Group(row[0], row[1], row[2], features)


def hold_groups(
    db: Transaction, group_ids: Iterable[int], product_ids: Sequence[int]
) -> None:
    """Hold groups, and those that products are in, then the members of all these.

    Whoever may change members or what they share does this first, before any
    product or category is held, so that no two writers wait for each other. Groups
    to which products have gone meanwhile are held as well: most are newer ones, which
    come later in the order of their IDs.
    Raises: `Again` if one comes earlier.
    """
    if not db.concurrent:
        return
    held: list[int] = []
    while more := _groups_of(db, group_ids, product_ids).difference(held):
        if held and min(more) < held[-1]:
            raise Again("a product has changed its group")
        db.rows(_GROUPS, ids=sorted(more))
        held += sorted(more)
    for id in held:
        db.rows(_MEMBERS, id=id)


def _groups_of(
    db: Connection, group_ids: Iterable[int], product_ids: Sequence[int]
) -> set[int]:
    """Groups, and those that products are in now."""
    rows = db.rows(_GROUPS_OF, ids=list(product_ids)) if product_ids else []
    return {*group_ids, *[group_id for _, group_id in rows]}


def hold_products(db: Connection, product_ids: Sequence[int]) -> dict[int, Row]:
    """Read the places of products, in the order of their IDs, and hold them."""
    return _by_id(db, _PRODUCTS, ids=product_ids)


def hold_members(db: Connection, group_id: int) -> dict[int, Row]:
    """Read the places of a group's members likewise."""
    return _by_id(db, _MEMBERS, id=group_id)


def _by_id(db: Connection, statement: Query, **values: Any) -> dict[int, Row]:
    return {row[0]: Row(*row) for row in db.rows(statement, **values)}


def members_of(db: Connection, group: Group, rows: Sequence[Row]) -> list[Member]:
    """The members of a group as they are now, in the order of the rows.

    One leads that led the catalog item which its values say.
    """
    values = values_of(db, [row.product_id for row in rows])
    return [_member(group, row, values[row.product_id]) for row in rows]


def _member(group: Group, row: Row, values: dict[int, int]) -> Member:
    offered = row.common_id is not None
    member = Member(row.product_id, row.company_id, values, offered=offered)
    if row.parent_id is not None or any(
        feature.feature_id not in values for feature in group.features
    ):
        return member
    leads = row.sub_group_id == item_id(group.id, member, group.features)
    return replace(member, leads=leads)


def values_of(db: Connection, product_ids: Sequence[int]) -> dict[int, dict[int, int]]:
    """The variants that products have, by product and feature."""
    found: dict[int, dict[int, int]] = {id: {} for id in product_ids}
    for product_id, feature_id, variant_id in db.rows(_VALUES, ids=list(product_ids)):
        found[product_id][feature_id] = variant_id
    return found


def _known_features(
    db: Connection, ids: Iterable[int], caller: Caller
) -> list[tuple[int, str, str]]:
    """Those of the features that a caller may see, in the order of their list.

    Shapes: ID, purpose and type of each.
    """
    own = (0, caller.company_id)
    return [
        (id, purpose, letter)
        for id, purpose, letter, company_id in db.rows(_KNOWN_FEATURES, ids=sorted(ids))
        if not caller.is_scoped or company_id in own
    ]


def common_features(
    db: Connection, product_ids: Sequence[int], caller: Caller
) -> tuple[GroupFeature, ...]:
    """The features with a variation purpose for which all products have values.

    Source: spec/entities/product_variations_groups.md, rule 5.2.
    """
    values = values_of(db, product_ids)
    shared = set.intersection(*[set(each) for each in values.values()])
    return tuple(
        GroupFeature(feature_id, purpose)
        for feature_id, purpose, _ in _known_features(db, shared, caller)
        if purpose in PURPOSES
    )


def chosen_features(
    db: Connection, wanted: Sequence[tuple[int, str | None]], caller: Caller
) -> tuple[GroupFeature, ...] | None:
    """Complete the features that a client names; `None` if one cannot serve."""
    ids = [feature for feature, _ in wanted]
    known = {row[0]: row for row in _known_features(db, ids, caller)}
    found = []
    for feature_id, purpose in wanted:
        row = known.get(feature_id)
        if row is None or row[2] not in VARIATION_TYPES:
            return None
        chosen = purpose or row[1]
        if chosen not in PURPOSES:
            return None
        found.append(GroupFeature(feature_id, chosen))
    return tuple(found)


def ordered_features(
    db: Connection, feature_ids: Sequence[int], caller: Caller
) -> tuple[GroupFeature, ...] | None:
    """The same for features without chosen purposes, in the order of their list."""
    ids = [row[0] for row in _known_features(db, feature_ids, caller)]
    if len(ids) != len(set(feature_ids)):
        return None
    return chosen_features(db, [(id, None) for id in ids], caller)
