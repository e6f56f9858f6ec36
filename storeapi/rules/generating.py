"""Variations made of one product, for combinations of feature variants.

Source: spec/entities/product_variations.md, rule 5.8.
"""

from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection
from storeapi.core.errors import InvalidInput, Refused
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import (
    Product,
    ProductFeatureText,
    ProductFeatureValue,
    ProductPrice,
    ProductText,
)
from storeapi.rules import images
from storeapi.rules.catalog_items import MOST_FEATURES, Joined, Member, value_key
from storeapi.rules.cloning_products import copy_discussions, copy_places
from storeapi.rules.copying import Copy, Part, Values, copy_part, rows_of, write_copies
from storeapi.rules.feature_saving import judge_variants
from storeapi.rules.lending import lend_copy
from storeapi.rules.placement import hold_counted
from storeapi.rules.products import complete_names, write_search
from storeapi.rules.sharing import Work
from storeapi.rules.variation_groups import (
    Group,
    hold_members,
    hold_products,
    members_of,
    ordered_features,
    read_group,
)
from storeapi.rules.variations import create_group, join, refuse

_PRODUCTS = table_of(Product)
_VALUES = table_of(ProductFeatureValue)
_NAME = query(
    select(ProductText.product)
    .where(ProductText.product_id == bindparam("id", required=True))
    .order_by(ProductText.lang_code)
)

Combination = Mapping[int, int]
"""Variant by feature."""


def generate(
    work: Work, product_id: int, combinations: Sequence[Combination]
) -> tuple[int, dict[int, Joined]]:
    """Make a variation for each combination; returns the group and what became.

    The product itself is the first member of a new group if it is in none.
    Raises: `InvalidInput`, `Refused`.
    """
    db = work.db
    (row,) = rows_of(db, _PRODUCTS.c.product_id, [product_id])
    if row["master_product_id"] is not None:
        raise Refused("an offer has no variations of its own")
    _check_variants(work, product_id, combinations)
    group, statuses = _group_of(work, row, combinations)
    rows = hold_members(db, group.id)
    members = members_of(db, group, list(rows.values()))
    (own,) = [member for member in members if member.product_id == product_id]
    holder = rows[product_id].parent_id or product_id
    taken = {value_key(each, group.features): each.product_id for each in members}
    made: list[int] = []
    hold_counted(db, product_id)
    for combination in combinations:
        member = Member(0, own.company_id, {**own.values, **combination})
        key = value_key(member, group.features)
        if key in taken:
            statuses.setdefault(taken[key], Joined.TAKEN)
            continue
        taken[key] = _copy(work, row, combination)
        made.append(taken[key])
    statuses |= join(work, group, made)
    # Children have the options of their default; another default has its own copy.
    for found in hold_products(db, made).values():
        if found.parent_id is None:
            lend_copy(work, holder, found.product_id)
    return group.id, statuses


def _check_variants(
    work: Work, product_id: int, combinations: Sequence[Combination]
) -> None:
    """Refuse variants that the caller could not give the product itself.

    Raises: `InvalidInput`.
    """
    wanted: dict[int, set[int]] = {}
    for feature_id, variant_id in (pair for c in combinations for pair in c.items()):
        wanted.setdefault(feature_id, set()).add(variant_id)
    judge_variants(work.db, product_id, wanted, work.context, field="combinations")


def _group_of(
    work: Work, row: Values, combinations: Sequence[Combination]
) -> tuple[Group, dict[int, Joined]]:
    """The group of a product, or a new one that it is the first to join."""
    product_id, db = int(row["product_id"]), work.db
    named = {feature_id for each in combinations for feature_id in each}
    group_id = row["variation_group_id"]
    if group_id is not None:
        group = read_group(db, group_id, lock=True)
        assert group is not None, "a member holds its group"
        if not named <= {feature.feature_id for feature in group.features}:
            text = "names a feature on which the group is not based"
            raise InvalidInput.of("combinations", text)
        return group, {product_id: Joined.UNCHANGED}
    some = sorted(named)[: MOST_FEATURES + 1]
    features = ordered_features(db, some, work.context.caller)
    if features is None or len(features) > MOST_FEATURES:
        text = "names a feature by which variations cannot differ"
        raise InvalidInput.of("combinations", text)
    group = create_group(work, int(row["company_id"]), "", features)
    statuses = join(work, group, [product_id])
    refuse(product_id, statuses[product_id])
    return group, statuses


def _copy(work: Work, row: Values, values: Combination) -> int:
    """Copy a product with all that belongs to it, but other feature values."""
    db, context = work.db, work.context
    company_id, product_id = int(row["company_id"]), int(row["product_id"])
    copy = Copy(db, company_id, company_id, context.caller.user_id, context.now)
    names: Values = {"company_id": company_id, "product": _name(db, product_id)}
    complete_names(db, names, None)

    def ordinary(copy: Copy, old: Values) -> Values:
        return {
            **old,
            "seo_name": names["seo_name"],
            "product_code": "",
            "amount": 0,
            "product_type": "P",
            "sales_amount": 0,
            "timestamp": copy.now,
            "updated_timestamp": copy.now,
            "parent_product_id": None,
            "variation_group_id": None,
            "variation_sub_group_id": None,
            "variation_key": None,
        }

    def other_value(copy: Copy, old: Values) -> Values:
        variant_id = values.get(old["feature_id"])
        if variant_id is None:
            return old
        return {**old, "variant_id": variant_id, "slot": variant_id}

    write_copies(copy, Part(_PRODUCTS, "company_id", ordinary, "products"), [row])
    for model in (ProductText, ProductPrice):
        copy_part(copy, Part(table_of(model), "product_id"))
    copy_part(copy, Part(_VALUES, "product_id", other_value))
    copy_part(copy, Part(table_of(ProductFeatureText), "product_id"))
    copy_places(copy)
    copy_discussions(copy)
    images.copy(db, "product", copy.of(_PRODUCTS))
    new = copy.number(_PRODUCTS, product_id)
    write_search(db, new, context.installation.languages, new=True)
    return new


def _name(db: Connection, product_id: int) -> str:
    return str(db.value(_NAME, id=product_id))
