"""Products: what is sold, with texts, prices and places in categories."""

from sqlalchemy import Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    Flag,
    InLanguage,
    Label,
    Letter,
    Line,
    Long,
    Model,
    Number,
    Prose,
    Serial,
    SortKey,
    Whole,
    link,
    owner,
    str_,
)

# Nearly all are for everybody, and the others are asked for as if they were rare.
_LIMITED = text("usergroup_ids > '0'")


class Product(Model):
    """A product: an ordinary one, a variation, a common product or an offer.

    Units: money in minor units, `weight` in thousandths of the store's unit.
    A common product belongs to company 0; an offer names it in
    `master_product_id`. `variation_key` holds the values by which the product
    differs from the others of its group; both are null outside of groups.
    """

    __tablename__ = "products"
    __table_args__ = (
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

    product_id: Mapped[Serial]
    company_id: Mapped[int] = link("companies.company_id")
    product_code: Mapped[Label]
    product_type: Mapped[Letter] = mapped_column(default="P")
    status: Mapped[Letter] = mapped_column(default="A")
    main_category: Mapped[int | None] = link("categories.category_id", "SET NULL")
    seo_name: Mapped[str] = mapped_column(str_(255))
    details_layout: Mapped[str] = mapped_column(str_(64), default="default")
    localization: Mapped[Prose]
    usergroup_ids: Mapped[str] = mapped_column(str_(765), default="0")
    # A comma list: it is read with every record, and searched for by none.
    tax_ids: Mapped[Prose]
    timestamp: Mapped[Long]
    updated_timestamp: Mapped[Long]
    avail_since: Mapped[Long]
    popularity: Mapped[Whole] = mapped_column(default=3)
    sales_amount: Mapped[Whole]
    shared_product: Mapped[Flag]

    price: Mapped[Long]
    list_price: Mapped[Long]
    point_price: Mapped[Long]
    zero_price_action: Mapped[Letter] = mapped_column(default="R")
    amount: Mapped[Whole] = mapped_column(default=1)
    tracking: Mapped[Letter] = mapped_column(default="B")
    low_avail_limit: Mapped[Whole]
    out_of_stock_actions: Mapped[Letter] = mapped_column(default="N")
    min_qty: Mapped[Whole]
    max_qty: Mapped[Whole]
    qty_step: Mapped[Whole]
    list_qty_count: Mapped[Whole]

    weight: Mapped[Long]
    length: Mapped[Whole]
    width: Mapped[Whole]
    height: Mapped[Whole]
    shipping_freight: Mapped[Long]
    free_shipping: Mapped[Flag]
    box_length: Mapped[Whole]
    box_width: Mapped[Whole]
    box_height: Mapped[Whole]
    min_items_in_box: Mapped[Whole]
    max_items_in_box: Mapped[Whole]
    is_edp: Mapped[Flag]
    edp_shipping: Mapped[Flag]
    unlimited_download: Mapped[Flag]
    return_period: Mapped[Whole] = mapped_column(default=10)
    is_returnable: Mapped[Flag] = mapped_column(default="Y")

    options_type: Mapped[Letter] = mapped_column(default="P")
    exceptions_type: Mapped[Letter] = mapped_column(default="F")
    feature_comparison: Mapped[Flag]
    age_verification: Mapped[Flag]
    age_limit: Mapped[Whole]
    is_pbp: Mapped[Flag] = mapped_column(default="Y")
    is_op: Mapped[Flag]
    is_oper: Mapped[Flag]

    parent_product_id: Mapped[int | None] = link("products.product_id", "SET NULL")
    variation_group_id: Mapped[int | None] = link("variation_groups.id", "SET NULL")
    variation_sub_group_id: Mapped[str | None] = mapped_column(str_(255))
    variation_key: Mapped[str | None] = mapped_column(str_(255))
    master_product_id: Mapped[int | None] = link("products.product_id")


class ProductText(Model):
    """The texts of a product in one language; the company is a copy."""

    __tablename__ = "product_texts"
    __table_args__ = (
        Index(None, "lang_code", "product_key", "product_id"),
        Index(
            "ix_product_texts_company_id_product_key",
            "lang_code",
            "company_id",
            "product_key",
            "product_id",
        ),
    )

    product_id: Mapped[int] = owner("products.product_id")
    lang_code: Mapped[InLanguage]
    company_id: Mapped[Whole]
    product: Mapped[Line]
    product_key: Mapped[SortKey]
    page_title: Mapped[Line]
    short_description: Mapped[Prose]
    full_description: Mapped[Prose]
    promo_text: Mapped[Prose]
    meta_description: Mapped[Prose]
    meta_keywords: Mapped[Prose]
    search_words: Mapped[Prose]
    age_warning_message: Mapped[Prose]


class ProductSearch(Model):
    """The folded texts of a product in one language, in which `q` looks.

    `tokens` holds their words as the full-text index takes them; that index is made
    by a migration of its own, since each database has another kind.
    """

    __tablename__ = "product_search"

    product_id: Mapped[int] = owner("products.product_id")
    lang_code: Mapped[InLanguage]
    product_code: Mapped[Prose]
    product: Mapped[Prose]
    short_description: Mapped[Prose]
    full_description: Mapped[Prose]
    meta_keywords: Mapped[Prose]
    search_words: Mapped[Prose]
    age_warning_message: Mapped[Prose]
    tokens: Mapped[Prose]


class ProductCategory(Model):
    """The place of a product in a category.

    Each product has one place without `first_id`; its others name that category, so
    that products of several categories can be counted once each.
    """

    __tablename__ = "product_categories"
    __table_args__ = (
        Index(None, "category_id", "position", "product_id"),
        Index(None, "category_id", "first_id", "product_id"),
    )

    product_id: Mapped[int] = owner("products.product_id")
    category_id: Mapped[int] = owner("categories.category_id")
    position: Mapped[Whole]
    first_id: Mapped[int | None]


class ProductPrice(Model):
    """A price from a quantity on, for a user group (0 for all).

    The price for all from one piece on is `products.price` and not kept here.
    """

    __tablename__ = "product_prices"
    __table_args__ = (Index(None, "usergroup_id", "product_id"),)

    product_id: Mapped[int] = owner("products.product_id")
    lower_limit: Mapped[Number]
    usergroup_id: Mapped[Number]
    price: Mapped[Long]
    percentage_discount: Mapped[Whole]
