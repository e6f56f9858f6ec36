"""Categories: the tree that products are placed in."""

from sqlalchemy import Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    Flag,
    InLanguage,
    Label,
    Letter,
    Line,
    Long,
    Model,
    Name,
    Prose,
    Serial,
    SortKey,
    Whole,
    link,
    owner,
    str_,
)


class Category(Model):
    """A node of the tree; `id_path` holds the numbers from its root to itself.

    A root has no parent (null). Shapes: `selected_layouts` is a JSON array.
    `external_key` is the integrator's number, or null where there is none.
    """

    __tablename__ = "categories"
    __table_args__ = (
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

    category_id: Mapped[Serial]
    parent_id: Mapped[int | None] = link("categories.category_id")
    company_id: Mapped[int] = link("companies.company_id")
    status: Mapped[Letter] = mapped_column(default="A")
    id_path: Mapped[Line]
    position: Mapped[Whole]
    product_count: Mapped[Whole]
    timestamp: Mapped[Long]
    usergroup_ids: Mapped[Prose] = mapped_column(default="0")
    age_verification: Mapped[Flag]
    age_limit: Mapped[Whole]
    parent_age_verification: Mapped[Flag]
    parent_age_limit: Mapped[Whole]
    product_columns: Mapped[Whole]
    selected_layouts: Mapped[Prose] = mapped_column(default="[]")
    default_layout: Mapped[Label]
    product_details_layout: Mapped[str] = mapped_column(str_(64), default="default")
    localization: Mapped[Prose]
    is_op: Mapped[Flag]
    external_id: Mapped[Name]
    external_key: Mapped[str | None] = mapped_column(str_(128))


class CategoryText(Model):
    """The texts of a category in one language.

    Company and parent (0 for a root) are copies, under which `seo_name` is
    unique.
    """

    __tablename__ = "category_texts"
    __table_args__ = (
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

    category_id: Mapped[int] = owner("categories.category_id")
    lang_code: Mapped[InLanguage]
    company_id: Mapped[Whole]
    parent_id: Mapped[Whole]
    category: Mapped[Line]
    category_key: Mapped[SortKey]
    seo_name: Mapped[str] = mapped_column(str_(255))
    page_title: Mapped[Line]
    age_warning_message: Mapped[Prose]
    meta_keywords: Mapped[Prose]
    meta_description: Mapped[Prose]
    description: Mapped[Prose]
