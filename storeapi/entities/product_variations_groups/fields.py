"""The fields of a variation group; numbers are JSON numbers here."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import and_, bindparam, func, select

from storeapi import (
    Connection,
    Context,
    Fields,
    Id,
    Integer,
    Nested,
    Text,
    Transaction,
    query,
)
from storeapi.core.kinds import (
    LARGEST_ID,
    JsonSchema,
    Keys,
    ids_of,
    integer_of,
    invalid,
)
from storeapi.models import Product, ProductFeatureValue, VariationGroupFeature
from storeapi.rules.catalog_items import MOST_FEATURES, PURPOSES, SEPARATE, TOGETHER

_MOST_PRODUCTS = 1000
_ids: Any = bindparam("ids", expanding=True)
_FEATURES = query(
    select(
        VariationGroupFeature.group_id,
        VariationGroupFeature.feature_id,
        VariationGroupFeature.purpose,
    )
    .where(VariationGroupFeature.group_id.in_(_ids))
    .order_by(
        VariationGroupFeature.group_id,
        VariationGroupFeature.position,
        VariationGroupFeature.feature_id,
    )
)
_PRODUCTS = query(
    select(
        Product.variation_group_id,
        Product.product_id,
        func.coalesce(Product.parent_product_id, 0),
        Product.company_id,
        VariationGroupFeature.feature_id,
        ProductFeatureValue.variant_id,
    )
    .join(
        VariationGroupFeature,
        VariationGroupFeature.group_id == Product.variation_group_id,
    )
    .join(
        ProductFeatureValue,
        and_(
            ProductFeatureValue.product_id == Product.product_id,
            ProductFeatureValue.feature_id == VariationGroupFeature.feature_id,
        ),
    )
    .where(Product.variation_group_id.in_(_ids))
    .order_by(
        Product.variation_group_id,
        Product.product_id,
        VariationGroupFeature.position,
        VariationGroupFeature.feature_id,
    )
)

ChosenFeature = tuple[int, str | None]
"""A feature that a client names for a new group, and its purpose there."""


class GroupFeatures(Nested):
    """The features that a group is based on; they are fixed when it is made.

    Source: spec/entities/product_variations_groups.md, 2.1.
    """

    keys = Keys(
        frozenset({"feature_id", "purpose"})
        | {"is_purpose_create_catalog_item"}
        | {"is_purpose_create_variation_of_catalog_item"},
        many=True,
    )

    def parse(self, value: Any) -> list[ChosenFeature]:
        """Read an array of features with their purposes."""
        if not isinstance(value, list):
            raise invalid("must be an array of features")
        found = dict(_feature(entry) for entry in value)
        if len(found) < len(value):
            raise invalid("repeats a feature")
        if len(found) > MOST_FEATURES:
            raise invalid(f"names more than {MOST_FEATURES} features", "too_long")
        return list(found.items())

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the features of a page of groups."""
        found: dict[int, list[dict[str, Any]]] = {}
        for group_id, feature_id, purpose in db.rows(_FEATURES, ids=ids):
            found.setdefault(group_id, []).append(feature_record(feature_id, purpose))
        return found

    def save(
        self, db: Transaction, owner_id: Any, value: Any, context: Context
    ) -> bool:
        """Nothing changes in a group that is there."""
        return False

    def record_schema(self) -> JsonSchema:
        """Describe the features."""
        properties = {
            "feature_id": {"type": "integer"},
            "purpose": {"enum": list(PURPOSES)},
            "is_purpose_create_catalog_item": {"type": "boolean"},
            "is_purpose_create_variation_of_catalog_item": {"type": "boolean"},
        }
        return {"type": "array", "items": {"type": "object", "properties": properties}}


def feature_record(feature_id: int, purpose: str) -> dict[str, Any]:
    """What a group shows of one of its features."""
    return {
        "feature_id": feature_id,
        "purpose": purpose,
        "is_purpose_create_catalog_item": purpose == SEPARATE,
        "is_purpose_create_variation_of_catalog_item": purpose == TOGETHER,
    }


def _feature(entry: Any) -> ChosenFeature:
    raw = entry.get("feature_id") if isinstance(entry, dict) else entry
    feature_id = integer_of(raw)
    if not 0 < feature_id <= LARGEST_ID:
        raise invalid(f"names a feature that does not exist: {feature_id}", "unknown")
    purpose = entry.get("purpose") if isinstance(entry, dict) else None
    if purpose not in (None, "", *PURPOSES):
        raise invalid(f"has a purpose that is none of {', '.join(PURPOSES)}")
    return feature_id, purpose or None


class GroupProducts(Nested):
    """The members of a group with the values by which they differ.

    Source: spec/entities/product_variations_groups.md, 2.2.
    """

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the members of a page of groups."""
        found: dict[int, dict[int, dict[str, Any]]] = {}
        for row in db.rows(_PRODUCTS, ids=ids):
            group_id, product_id, parent_id, company_id, feature_id, variant_id = row
            product = found.setdefault(group_id, {}).setdefault(
                product_id,
                {
                    "product_id": product_id,
                    "parent_product_id": parent_id,
                    "company_id": company_id,
                    "feature_values": [],
                },
            )
            value = {"feature_id": feature_id, "variant_id": str(variant_id)}
            product["feature_values"].append(value)
        return {id: list(products.values()) for id, products in found.items()}

    def record_schema(self) -> JsonSchema:
        """Describe the members."""
        number = {"type": "integer"}
        properties = {
            "product_id": number,
            "parent_product_id": number,
            "company_id": number,
            "feature_values": {"type": "array", "items": {"type": "object"}},
        }
        return {"type": "array", "items": {"type": "object", "properties": properties}}


class ProductIds(Nested):
    """The products to put in a group, in the order in which they join."""

    def parse(self, value: Any) -> list[int]:
        """Read an array or a comma list."""
        ids = ids_of(value)
        if not ids:
            raise invalid("is required", "required")
        if 0 in ids:
            raise invalid("holds an ID that no product has")
        if len(ids) > _MOST_PRODUCTS:
            raise invalid(f"names more than {_MOST_PRODUCTS} products", "too_long")
        return ids

    def save(
        self, db: Transaction, owner_id: Any, value: Any, context: Context
    ) -> bool:
        """The entity itself lets products join and leave."""
        return False

    def payload_schema(self) -> JsonSchema:
        """Describe the IDs."""
        return {"type": "array", "items": {"type": "integer"}}


class ProductVariationsGroupFields(Fields):
    """All fields of a variation group."""

    id = Id(native=True, dump_only=True, listed=True)
    code = Text(listed=True)
    features = GroupFeatures(create_only=True, listed=True)
    products = GroupProducts(dump_only=True, listed=True)
    product_ids = ProductIds(required=True, load_only=True)
    created_at = Integer(native=True, dump_only=True, listed=True)
    updated_at = Integer(native=True, dump_only=True, listed=True)
