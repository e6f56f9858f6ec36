"""Features: properties of products, their variants and their values."""

from sqlalchemy import BigInteger, Index
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    Flag,
    InLanguage,
    Label,
    Letter,
    Line,
    Model,
    Name,
    Number,
    Prose,
    Serial,
    SortKey,
    Whole,
    link,
    owner,
    str_,
)

VALUE_SCALE = 1_000_000
"""Numbers of features (`value_int`) are stored in millionths."""


class Feature(Model):
    """A property by which products are described, or a group of such (`G`).

    `group_position` is a copy of the position of the group it is in.
    """

    __tablename__ = "features"
    __table_args__ = (
        Index(None, "parent_id", "feature_id"),
        Index(None, "group_position", "position", "feature_id"),
        Index(None, "feature_type", "feature_id"),
        Index(None, "status", "feature_id"),
        Index(None, "purpose", "feature_id"),
        Index(None, "feature_code", "feature_id"),
        Index(None, "company_id", "status", "feature_id"),
    )

    feature_id: Mapped[Serial]
    feature_code: Mapped[Label]
    company_id: Mapped[int] = link("companies.company_id")
    feature_type: Mapped[Letter]
    purpose: Mapped[str] = mapped_column(str_(32), default="")
    feature_style: Mapped[str] = mapped_column(str_(32), default="")
    filter_style: Mapped[str] = mapped_column(str_(32), default="")
    parent_id: Mapped[int | None] = link("features.feature_id", "SET NULL")
    group_position: Mapped[Whole]
    position: Mapped[Whole]
    status: Mapped[Letter] = mapped_column(default="A")
    comparison: Mapped[Flag]
    display_on_catalog: Mapped[Flag]
    display_on_product: Mapped[Flag]
    display_on_header: Mapped[Flag]


class FeatureText(Model):
    """The texts of a feature in one language."""

    __tablename__ = "feature_texts"
    __table_args__ = (Index(None, "lang_code", "description_key", "feature_id"),)

    feature_id: Mapped[int] = owner("features.feature_id")
    lang_code: Mapped[InLanguage]
    description: Mapped[Line]
    description_key: Mapped[SortKey]
    internal_name: Mapped[Line]
    prefix: Mapped[Name]
    suffix: Mapped[Name]
    full_description: Mapped[Prose]


class FeatureCategory(Model):
    """A category in which a feature applies; without any it does everywhere."""

    __tablename__ = "feature_categories"
    __table_args__ = (Index(None, "category_id", "feature_id"),)

    feature_id: Mapped[int] = owner("features.feature_id")
    category_id: Mapped[int] = owner("categories.category_id")
    position: Mapped[Whole]


class FeatureVariant(Model):
    """A value to choose; `value_int` is its number (type `N`)."""

    __tablename__ = "feature_variants"
    __table_args__ = (Index(None, "feature_id", "position", "variant_id"),)

    variant_id: Mapped[Serial]
    feature_id: Mapped[int] = link("features.feature_id", "CASCADE")
    position: Mapped[Whole]
    value_int: Mapped[int | None] = mapped_column(BigInteger)
    color: Mapped[str | None] = mapped_column(str_(7))
    url: Mapped[Line]
    seo_name: Mapped[str | None] = mapped_column(str_(255))


class FeatureVariantText(Model):
    """The texts of a feature's variant in one language."""

    __tablename__ = "feature_variant_texts"
    __table_args__ = (Index(None, "lang_code", "variant_key", "variant_id"),)

    variant_id: Mapped[int] = owner("feature_variants.variant_id")
    lang_code: Mapped[InLanguage]
    variant: Mapped[Line]
    variant_key: Mapped[SortKey]
    page_title: Mapped[Line]
    description: Mapped[Prose]
    meta_keywords: Mapped[Prose]
    meta_description: Mapped[Prose]


class ProductFeatureValue(Model):
    """A value of a feature at a product; several rows for type `M`.

    `slot` is the variant's number, or 0 for types without variants. `value`
    is the flag of type `C`; the text of type `T` is in `ProductFeatureText`.
    """

    __tablename__ = "product_feature_values"
    __table_args__ = (
        Index(None, "feature_id", "variant_id", "product_id"),
        Index(None, "variant_id", "product_id"),
    )

    product_id: Mapped[int] = owner("products.product_id")
    feature_id: Mapped[int] = owner("features.feature_id")
    slot: Mapped[Number]
    variant_id: Mapped[int | None] = link("feature_variants.variant_id", "CASCADE")
    value: Mapped[str] = mapped_column(str_(1), default="")
    value_int: Mapped[int | None] = mapped_column(BigInteger)


class ProductFeatureText(Model):
    """The text that a product has for a feature of type `T`, in one language."""

    __tablename__ = "product_feature_texts"
    __table_args__ = (Index(None, "feature_id", "lang_code", "product_id"),)

    product_id: Mapped[int] = owner("products.product_id")
    feature_id: Mapped[int] = owner("features.feature_id")
    lang_code: Mapped[InLanguage]
    value: Mapped[Prose]
