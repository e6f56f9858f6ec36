"""Features: which types there are, and how a definition may change."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam, exists, func, select

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import FieldError, InvalidInput, Refused
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import (
    Feature,
    Product,
    ProductFeatureValue,
    VariationGroupFeature,
)
from storeapi.rules import touching

TYPES = ("C", "M", "S", "N", "E", "T", "O", "D", "G")
VARIANT_TYPES = frozenset("MSNE")
"""Types whose values are variants."""

GROUP = "G"
VARIATION_PURPOSES = ("group_catalog_item", "group_variation_catalog_item")
PURPOSES = (
    "find_products",
    *VARIATION_PURPOSES,
    "organize_catalog",
    "describe_product",
)
FEATURE_STYLES = (
    "text",
    "checkbox",
    "multiple_checkbox",
    "dropdown",
    "dropdown_images",
    "dropdown_labels",
    "brand",
)
FILTER_STYLES = ("checkbox", "date", "color", "slider")

_VARIATION_TYPES = frozenset("SNE")

Values = dict[str, Any]


class Look(NamedTuple):
    """What a feature is used for, and its look."""

    purpose: str
    feature_style: str
    filter_style: str


_LOOKS: Mapping[str, Look] = {
    "C": Look("find_products", "checkbox", "checkbox"),
    "M": Look("find_products", "multiple_checkbox", "checkbox"),
    "S": Look("find_products", "text", "checkbox"),
    "N": Look("find_products", "text", "slider"),
    "E": Look("organize_catalog", "brand", "checkbox"),
    "T": Look("describe_product", "text", ""),
    "O": Look("find_products", "text", "slider"),
    "D": Look("find_products", "text", "date"),
    "G": Look("", "", ""),
}

_USED_BY = query(
    select(ProductFeatureValue.product_id)
    .where(ProductFeatureValue.feature_id == bindparam("id", required=True))
    .distinct()
    .order_by(ProductFeatureValue.product_id)
)
_HELD = query(
    select(Product.product_id)
    .where(Product.product_id.in_(bindparam("ids", expanding=True)))
    .order_by(Product.product_id)
    .with_for_update()
)
_IS_USED = query(
    select(exists().where(ProductFeatureValue.feature_id == bindparam("id")))
)
_HAS_SEVERAL = query(
    select(ProductFeatureValue.product_id)
    .where(ProductFeatureValue.feature_id == bindparam("id", required=True))
    .group_by(ProductFeatureValue.product_id)
    .having(func.count() > 1)
    .limit(1)
)
_IN_VARIATIONS = query(
    select(VariationGroupFeature.group_id)
    .where(VariationGroupFeature.feature_id == bindparam("id", required=True))
    .order_by(VariationGroupFeature.group_id)
    .limit(1)
)
_MEMBERS = query(
    select(Feature.feature_id, Feature.company_id, Feature.status)
    .where(Feature.parent_id == bindparam("id", required=True))
    .order_by(Feature.feature_id)
    .with_for_update()
)
_PRODUCTS = query(
    select(Product.product_id, Product.company_id, Product.status).where(
        Product.product_id.in_(bindparam("ids", expanding=True))
    )
)


SHOWN = frozenset(
    {
        "description", "internal_name", "feature_type", "purpose", "feature_code",
        "parent_id", "display_on_header", "display_on_catalog", "display_on_product",
        "prefix", "suffix", "variants", "status", "company_id",
    }
)  # fmt: skip
"""What products show of a feature that they have a value of.

By its status and its company visitors see the value or do not.
"""


def look_of(feature_type: str, purpose: str = "") -> Look:
    """What a feature of a type is used for, and looks like, unless it says so.

    Source: spec/entities/features.md, 2.4.
    """
    look = _LOOKS[feature_type]
    if purpose in VARIATION_PURPOSES:
        return Look(purpose, "dropdown", look.filter_style)
    return look._replace(purpose=purpose) if purpose else look


def complete_look(values: Values, row: Values | None) -> None:
    """Set purpose and styles by the type where none are sent.

    What was inferred from the old type follows a new one; what was chosen stays.
    Raises: `InvalidInput` for a purpose that the type cannot have.
    Source: spec/entities/features.md, 2.4.
    """
    merged = {**(row or {}), **values}
    new_type = merged["feature_type"]
    before: Mapping[str, str] = look_of(row["feature_type"])._asdict() if row else {}
    sent = values.get("purpose")
    inferred = row is None or row["purpose"] == before["purpose"]
    purpose = sent or (
        row["purpose"]
        if row and not inferred and sent is None
        else look_of(new_type).purpose
    )
    if purpose in VARIATION_PURPOSES and new_type not in _VARIATION_TYPES:
        raise InvalidInput.of("purpose", "needs a feature of type S, N or E")
    values["purpose"] = purpose
    wanted = look_of(new_type, purpose)._asdict()
    stored = look_of(row["feature_type"], row["purpose"])._asdict() if row else {}
    for name in ("feature_style", "filter_style"):
        kept = row is not None and row[name] != stored[name]
        if not values.get(name):
            empty = name in values
            values[name] = row[name] if row and kept and not empty else wanted[name]


def check_type_change(db: Connection, row: Values, new_type: str) -> None:
    """Refuse a new type that values of products or a group would not survive.

    Variations differ by one value each of the features of their group.
    Raises: `InvalidInput`.
    Source: spec/entities/features.md, 2.4 and rule 5.3.
    """
    old_type, id = row["feature_type"], row["feature_id"]
    if new_type == old_type or not db.value(_IS_USED, id=id):
        return
    group = db.row(_IN_VARIATIONS, id=id)
    if group is not None and new_type not in _VARIATION_TYPES:
        text = f"cannot change to {new_type}: it defines variation group {group[0]}"
        raise InvalidInput.of("feature_type", text, "in_use")
    if not {old_type, new_type} <= VARIANT_TYPES:
        text = f"cannot change from {old_type} to {new_type}: products have values"
        raise InvalidInput.of("feature_type", text, "in_use")
    if old_type == "M" and db.row(_HAS_SEVERAL, id=id) is not None:
        text = f"cannot change to {new_type}: a product has several variants"
        raise InvalidInput.of("feature_type", text, "in_use")


def move_members(db: Transaction, group_id: int, position: int) -> None:
    """Copy the new position of a group to its members."""
    db.update(table_of(Feature), {"parent_id": group_id}, {"group_position": position})


def free_members(
    db: Transaction, group_id: int, context: Context, company_id: int | None = None
) -> None:
    """Take the members of a group out of it: all, or those that may not name it.

    Shapes: `company_id` is that of a group that stays one, 0 if all may name it.
    Source: spec/entities/features.md, rule 5.6.
    """
    members = db.rows(_MEMBERS, id=group_id)
    if company_id is not None:
        may_stay = {0, company_id}
        members = [row for row in members if company_id and row[1] not in may_stay]
    if not members:
        return
    ids = [row[0] for row in members]
    out = {"parent_id": None, "group_position": 0}
    for batch in batches(ids):
        db.update(table_of(Feature), {"feature_id": batch}, out)
    changes = (
        Change(
            "features",
            Operation.UPDATE,
            id,
            owner,
            context.caller.user_id,
            {"parent_id": group_id},
            {"parent_id": None},
            "features",
            status,
        )
        for id, owner, status in members
    )
    db.record(*changes)
    touch_users(db, ids, context)


def touch_users(db: Transaction, feature_ids: Iterable[int], context: Context) -> None:
    """Note that products show something else of features that they have values of."""
    users = {user for id in feature_ids for user in products_with(db, id)}
    touching.touch_products(db, users, context)


def check_deletion(db: Connection, feature_id: int) -> None:
    """Refuse to delete a feature that a variation group is built on.

    Raises: `Refused`.
    Source: spec/entities/features.md, rule 5.7.
    """
    row = db.row(_IN_VARIATIONS, id=feature_id)
    if row is not None:
        raise Refused(f"feature {feature_id} defines variation group {row[0]}")


def products_with(db: Connection, feature_id: int) -> list[int]:
    """The products that have a value of a feature."""
    return [row[0] for row in db.rows(_USED_BY, id=feature_id)]


def hold_users(db: Transaction, feature_id: int) -> None:
    """Hold the products that have a value of a feature, before the feature itself.

    Who writes values holds the product first, and the feature as long as it judges.
    """
    if db.concurrent:
        for batch in batches(products_with(db, feature_id)):
            db.rows(_HELD, ids=batch)


def touch_products(
    db: Transaction,
    product_ids: Iterable[int],
    context: Context,
    values: Mapping[int, Any],
) -> None:
    """Note that feature values of products changed: time of change, and record.

    Shapes: `values` maps a feature ID to what was sent, or `None` for no value.
    Source: spec/entities/products.md, rule 5.8.
    """
    for batch in batches(product_ids):
        now = {"updated_timestamp": context.now}
        db.update(table_of(Product), {"product_id": batch}, now)
        changes = (
            Change(
                "products",
                Operation.UPDATE,
                id,
                company_id,
                context.caller.user_id,
                {},
                {"product_features": values},
                "products",
                status,
            )
            for id, company_id, status in db.rows(_PRODUCTS, ids=batch)
        )
        db.record(*changes)


def faults(errors: Sequence[FieldError]) -> None:
    """Raise what was collected, if anything was."""
    if errors:
        raise InvalidInput(errors=errors)
