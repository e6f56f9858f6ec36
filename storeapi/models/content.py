"""Content of storefronts: pages, and the blocks that layouts are built of."""

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    KEY_LENGTH,
    Flag,
    LangCode,
    Letter,
    Line,
    Long,
    Model,
    Prose,
    Serial,
    Whole,
    str_,
)


class Page(Model):
    """A page of a storefront; `id_path` holds the numbers from its root to itself.

    A root has no parent (null). Shapes: `new_window` is 0 or 1.
    """

    __tablename__ = "pages"
    __table_args__ = (
        UniqueConstraint("company_id", "seo_name"),
        Index(None, "parent_id", "position", "page_id"),
        Index(None, "company_id", "position", "page_id"),
        Index(None, "position", "page_id"),
        Index(None, "timestamp", "page_id"),
        Index(None, "page_type", "page_id"),
        Index(None, "status", "page_id"),
        Index(None, "id_path"),
    )

    page_id: Mapped[Serial]
    parent_id: Mapped[int | None] = mapped_column(
        ForeignKey("pages.page_id"), default=None
    )
    company_id: Mapped[int] = mapped_column(ForeignKey("companies.company_id"))
    page_type: Mapped[Letter]
    status: Mapped[Letter] = mapped_column(default="A")
    id_path: Mapped[Line]
    position: Mapped[Whole]
    timestamp: Mapped[Long]
    usergroup_ids: Mapped[Prose] = mapped_column(default="0")
    localization: Mapped[Prose]
    new_window: Mapped[Whole]
    use_avail_period: Mapped[Flag]
    avail_from_timestamp: Mapped[Long]
    avail_till_timestamp: Mapped[Long]
    seo_name: Mapped[str] = mapped_column(str_(255))
    author: Mapped[Line]


class PageText(Model):
    """The texts of a page in one language."""

    __tablename__ = "page_texts"
    __table_args__ = (Index(None, "lang_code", "page_key", "page_id"),)

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.page_id", ondelete="CASCADE"), primary_key=True
    )
    lang_code: Mapped[LangCode] = mapped_column(primary_key=True)
    page: Mapped[Line]
    page_key: Mapped[str] = mapped_column(str_(KEY_LENGTH), default="")
    page_title: Mapped[Line]
    description: Mapped[Prose]
    meta_keywords: Mapped[Prose]
    meta_description: Mapped[Prose]
    link: Mapped[Prose]


class Block(Model):
    """A part that pages are built of. Shapes: `properties` is a JSON object."""

    __tablename__ = "blocks"
    __table_args__ = (
        Index(None, "company_id", "block_id"),
        Index(None, "type", "block_id"),
    )

    block_id: Mapped[Serial]
    company_id: Mapped[int] = mapped_column(ForeignKey("companies.company_id"))
    type: Mapped[str] = mapped_column(str_(64))
    properties: Mapped[Prose]


class BlockText(Model):
    """Name and content of a block in one language.

    Shapes: `content` is a JSON object, or empty where there is none.
    """

    __tablename__ = "block_texts"
    __table_args__ = (Index(None, "lang_code", "name_key", "block_id"),)

    block_id: Mapped[int] = mapped_column(
        ForeignKey("blocks.block_id", ondelete="CASCADE"), primary_key=True
    )
    lang_code: Mapped[LangCode] = mapped_column(primary_key=True)
    name: Mapped[Line]
    name_key: Mapped[str] = mapped_column(str_(KEY_LENGTH), default="")
    content: Mapped[Prose]
