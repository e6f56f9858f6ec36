"""Features of products, and the groups of variations built on them."""

from sqlalchemy import Column, ForeignKey, Index, Integer

from storeapi.migrations.tables import (
    code,
    create_table,
    link,
    longs,
    number,
    owner,
    serial,
    strings,
    texts,
    wholes,
)

revision = "storeapi_0003"
down_revision = "storeapi_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _features()
    _feature_texts()
    _feature_categories()
    _feature_variants()
    _feature_variant_texts()
    _product_feature_values()
    _product_feature_texts()
    _variation_group_features()


def _features() -> None:
    create_table(
        "features",
        serial("feature_id"),
        *strings(64, "feature_code"),
        link("company_id", "companies.company_id"),
        *strings(1, "feature_type"),
        *strings(32, "purpose", "feature_style", "filter_style"),
        link("parent_id", "features.feature_id", "SET NULL", null=True),
        *wholes("group_position", "position"),
        *strings(
            1,
            "status",
            "comparison",
            "display_on_catalog",
            "display_on_product",
            "display_on_header",
        ),
        Index(None, "parent_id", "feature_id"),
        Index(None, "group_position", "position", "feature_id"),
        Index(None, "feature_type", "feature_id"),
        Index(None, "status", "feature_id"),
        Index(None, "purpose", "feature_id"),
        Index(None, "feature_code", "feature_id"),
        Index(None, "company_id", "status", "feature_id"),
    )


def _feature_texts() -> None:
    create_table(
        "feature_texts",
        owner("feature_id", "features.feature_id"),
        code(5, "lang_code"),
        *strings(255, "description", "description_key", "internal_name"),
        *strings(128, "prefix", "suffix"),
        *texts("full_description"),
        Index(None, "lang_code", "description_key", "feature_id"),
    )


def _feature_categories() -> None:
    create_table(
        "feature_categories",
        owner("feature_id", "features.feature_id"),
        owner("category_id", "categories.category_id"),
        *wholes("position"),
        Index(None, "category_id", "feature_id"),
    )


def _feature_variants() -> None:
    create_table(
        "feature_variants",
        serial("variant_id"),
        link("feature_id", "features.feature_id", "CASCADE"),
        *wholes("position"),
        *longs("value_int", null=True),
        *strings(7, "color", null=True),
        *strings(255, "url"),
        *strings(255, "seo_name", null=True),
        Index(None, "feature_id", "position", "variant_id"),
    )


def _feature_variant_texts() -> None:
    create_table(
        "feature_variant_texts",
        owner("variant_id", "feature_variants.variant_id"),
        code(5, "lang_code"),
        *strings(255, "variant", "variant_key", "page_title"),
        *texts("description", "meta_keywords", "meta_description"),
        Index(None, "lang_code", "variant_key", "variant_id"),
    )


def _product_feature_values() -> None:
    create_table(
        "product_feature_values",
        owner("product_id", "products.product_id"),
        owner("feature_id", "features.feature_id"),
        number("slot"),
        link("variant_id", "feature_variants.variant_id", "CASCADE", null=True),
        *strings(1, "value"),
        *longs("value_int", null=True),
        Index(None, "feature_id", "variant_id", "product_id"),
        Index(None, "variant_id", "product_id"),
    )


def _product_feature_texts() -> None:
    create_table(
        "product_feature_texts",
        owner("product_id", "products.product_id"),
        owner("feature_id", "features.feature_id"),
        code(5, "lang_code"),
        *texts("value"),
        Index(None, "feature_id", "lang_code", "product_id"),
    )


def _variation_group_features() -> None:
    create_table(
        "variation_group_features",
        owner("group_id", "variation_groups.id"),
        Column(
            "feature_id", Integer, ForeignKey("features.feature_id"), primary_key=True
        ),
        *wholes("position"),
        *strings(32, "purpose"),
        Index(None, "feature_id", "group_id"),
    )
