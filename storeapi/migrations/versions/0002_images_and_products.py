"""Images, taxes, categories and products."""

from sqlalchemy import Index, UniqueConstraint, text

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

revision = "storeapi_0002"
down_revision = "storeapi_0001"
branch_labels = None
depends_on = None

_LIMITED = text("usergroup_ids > '0'")


def upgrade() -> None:
    _images()
    _image_pairs()
    _taxes()
    _tax_texts()
    _tax_rates()
    _categories()
    _category_texts()
    _variation_groups()
    _products()
    _product_texts()
    _product_search()
    _product_categories()
    _product_prices()


def _images() -> None:
    create_table(
        "images",
        serial("image_id"),
        *strings(255, "path", null=True),
        *wholes("width", "height"),
        *longs("size_bytes"),
        *strings(64, "digest"),
        *texts("source_url", null=True),
        *strings(255, "alt"),
        UniqueConstraint("path"),
    )


def _image_pairs() -> None:
    create_table(
        "image_pairs",
        serial("pair_id"),
        *strings(32, "object_type"),
        *longs("object_id"),
        *strings(1, "kind"),
        *wholes("position"),
        link("image_id", "images.image_id", "SET NULL", null=True),
        link("detailed_id", "images.image_id", "SET NULL", null=True),
        Index(
            "ix_image_pairs_object",
            "object_type",
            "object_id",
            "kind",
            "position",
            "pair_id",
        ),
        Index(None, "image_id"),
        Index(None, "detailed_id"),
    )


def _taxes() -> None:
    create_table(
        "taxes",
        serial("tax_id"),
        *strings(
            1, "address_type", "status", "price_includes_tax", "display_including_tax"
        ),
        *strings(255, "display_info", "regnumber"),
        *wholes("priority"),
        Index(None, "priority", "tax_id"),
        Index(None, "status", "tax_id"),
        Index(None, "regnumber", "tax_id"),
    )


def _tax_texts() -> None:
    create_table(
        "tax_texts",
        owner("tax_id", "taxes.tax_id"),
        code(5, "lang_code"),
        *strings(255, "tax", "tax_key"),
        Index(None, "lang_code", "tax_key", "tax_id"),
    )


def _tax_rates() -> None:
    create_table(
        "tax_rates",
        owner("tax_id", "taxes.tax_id"),
        number("destination_id"),
        *longs("rate_value"),
        *strings(1, "rate_type"),
        Index(None, "destination_id", "tax_id"),
    )


def _categories() -> None:
    create_table(
        "categories",
        serial("category_id"),
        link("parent_id", "categories.category_id", null=True),
        link("company_id", "companies.company_id"),
        *strings(1, "status"),
        *strings(255, "id_path"),
        *wholes("position", "product_count"),
        *longs("timestamp"),
        *texts("usergroup_ids"),
        *strings(1, "age_verification"),
        *wholes("age_limit"),
        *strings(1, "parent_age_verification"),
        *wholes("parent_age_limit", "product_columns"),
        *texts("selected_layouts"),
        *strings(64, "default_layout", "product_details_layout"),
        *texts("localization"),
        *strings(1, "is_op"),
        *strings(128, "external_id"),
        *strings(128, "external_key", null=True),
        UniqueConstraint("company_id", "external_key"),
        Index(None, "parent_id", "position", "category_id"),
        Index(None, "company_id", "parent_id", "position", "category_id"),
        Index(None, "company_id", "status", "category_id"),
        Index(None, "position", "category_id"),
        Index(None, "status", "category_id"),
        Index(None, "timestamp", "category_id"),
        Index(None, "product_count", "category_id"),
        Index(None, "id_path"),
    )


def _category_texts() -> None:
    create_table(
        "category_texts",
        owner("category_id", "categories.category_id"),
        code(5, "lang_code"),
        *wholes("company_id", "parent_id"),
        *strings(255, "category", "category_key", "seo_name", "page_title"),
        *texts(
            "age_warning_message", "meta_keywords", "meta_description", "description"
        ),
        UniqueConstraint(
            "company_id",
            "parent_id",
            "seo_name",
            "lang_code",
            name="uq_category_texts_seo_name",
        ),
        Index(None, "lang_code", "category_key", "category_id"),
        Index(
            "ix_category_texts_company_id_category_key",
            "lang_code",
            "company_id",
            "category_key",
            "category_id",
        ),
    )


def _variation_groups() -> None:
    create_table(
        "variation_groups",
        serial("id"),
        link("company_id", "companies.company_id"),
        *strings(64, "code"),
        *longs("created_at", "updated_at"),
        UniqueConstraint("code"),
        Index(None, "company_id", "id"),
    )


def _products() -> None:
    create_table(
        "products",
        serial("product_id"),
        link("company_id", "companies.company_id"),
        *strings(64, "product_code"),
        *strings(1, "product_type", "status"),
        link("main_category", "categories.category_id", "SET NULL", null=True),
        *strings(255, "seo_name"),
        *strings(64, "details_layout"),
        *texts("localization"),
        *strings(765, "usergroup_ids"),
        *texts("tax_ids"),
        *longs("timestamp", "updated_timestamp", "avail_since"),
        *wholes("popularity", "sales_amount"),
        *strings(1, "shared_product"),
        *longs("price", "list_price", "point_price"),
        *strings(1, "zero_price_action"),
        *wholes("amount"),
        *strings(1, "tracking"),
        *wholes("low_avail_limit"),
        *strings(1, "out_of_stock_actions"),
        *wholes("min_qty", "max_qty", "qty_step", "list_qty_count"),
        *longs("weight"),
        *wholes("length", "width", "height"),
        *longs("shipping_freight"),
        *strings(1, "free_shipping"),
        *wholes(
            "box_length",
            "box_width",
            "box_height",
            "min_items_in_box",
            "max_items_in_box",
        ),
        *strings(1, "is_edp", "edp_shipping", "unlimited_download"),
        *wholes("return_period"),
        *strings(
            1,
            "is_returnable",
            "options_type",
            "exceptions_type",
            "feature_comparison",
            "age_verification",
        ),
        *wholes("age_limit"),
        *strings(1, "is_pbp", "is_op", "is_oper"),
        link("parent_product_id", "products.product_id", "SET NULL", null=True),
        link("variation_group_id", "variation_groups.id", "SET NULL", null=True),
        *strings(255, "variation_sub_group_id", "variation_key", null=True),
        link("master_product_id", "products.product_id", null=True),
        UniqueConstraint("company_id", "seo_name"),
        UniqueConstraint("master_product_id", "company_id"),
        UniqueConstraint("variation_group_id", "variation_key"),
        Index(None, "parent_product_id", "company_id", "status", "product_id"),
        Index(None, "main_category", "product_id"),
        Index(None, "product_code", "product_id"),
        Index(None, "price", "product_id"),
        Index(None, "list_price", "product_id"),
        Index(None, "amount", "product_id"),
        Index(None, "status", "product_id"),
        Index(None, "timestamp", "product_id"),
        Index(None, "updated_timestamp", "product_id"),
        Index(None, "popularity", "product_id"),
        Index(None, "weight", "product_id"),
        Index(None, "usergroup_ids", sqlite_where=_LIMITED, postgresql_where=_LIMITED),
        Index(None, "company_id", "status", "product_id"),
        Index(None, "company_id", "product_code", "product_id"),
        Index(None, "company_id", "price", "product_id"),
        Index(None, "company_id", "amount", "product_id"),
        Index(None, "company_id", "updated_timestamp", "product_id"),
    )


def _product_texts() -> None:
    create_table(
        "product_texts",
        owner("product_id", "products.product_id"),
        code(5, "lang_code"),
        *wholes("company_id"),
        *strings(255, "product", "product_key", "page_title"),
        *texts(
            "short_description",
            "full_description",
            "promo_text",
            "meta_description",
            "meta_keywords",
            "search_words",
            "age_warning_message",
        ),
        Index(None, "lang_code", "product_key", "product_id"),
        Index(
            "ix_product_texts_company_id_product_key",
            "lang_code",
            "company_id",
            "product_key",
            "product_id",
        ),
    )


def _product_search() -> None:
    create_table(
        "product_search",
        owner("product_id", "products.product_id"),
        code(5, "lang_code"),
        *texts(
            "product_code",
            "product",
            "short_description",
            "full_description",
            "meta_keywords",
            "search_words",
            "age_warning_message",
            "tokens",
        ),
    )


def _product_categories() -> None:
    create_table(
        "product_categories",
        owner("product_id", "products.product_id"),
        owner("category_id", "categories.category_id"),
        *wholes("position"),
        *wholes("first_id", null=True),
        Index(None, "category_id", "position", "product_id"),
        Index(None, "category_id", "first_id", "product_id"),
    )


def _product_prices() -> None:
    create_table(
        "product_prices",
        owner("product_id", "products.product_id"),
        number("lower_limit"),
        number("usergroup_id"),
        *longs("price"),
        *wholes("percentage_discount"),
        Index(None, "usergroup_id", "product_id"),
    )
