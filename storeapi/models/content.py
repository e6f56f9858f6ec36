"""Content of storefronts: pages and blocks, and what customers write."""

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
    Prose,
    Serial,
    SortKey,
    Whole,
    link,
    owner,
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
    parent_id: Mapped[int | None] = link("pages.page_id")
    company_id: Mapped[int] = link("companies.company_id")
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

    page_id: Mapped[int] = owner("pages.page_id")
    lang_code: Mapped[InLanguage]
    page: Mapped[Line]
    page_key: Mapped[SortKey]
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
    company_id: Mapped[int] = link("companies.company_id")
    type: Mapped[str] = mapped_column(str_(64))
    properties: Mapped[Prose]


class BlockText(Model):
    """Name and content of a block in one language.

    Shapes: `content` is a JSON object, or empty where there is none.
    """

    __tablename__ = "block_texts"
    __table_args__ = (Index(None, "lang_code", "name_key", "block_id"),)

    block_id: Mapped[int] = owner("blocks.block_id")
    lang_code: Mapped[InLanguage]
    name: Mapped[Line]
    name_key: Mapped[SortKey]
    content: Mapped[Prose]


class DiscussionThread(Model):
    """What is said about one object; goes with the object.

    The object is named as on the wire (`object_type`, `object_id`), and by a
    reference: one of the other numbers, which is unique. A company has a thread as
    its `owner_id`. The ratings of approved posts are summed up here.
    """

    __tablename__ = "discussion_threads"
    __table_args__ = (
        UniqueConstraint("product_id"),
        UniqueConstraint("category_id"),
        UniqueConstraint("page_id"),
        UniqueConstraint("order_id"),
        UniqueConstraint("owner_id"),
        Index(None, "company_id"),
    )

    thread_id: Mapped[Serial]
    object_type: Mapped[Letter]
    object_id: Mapped[Whole]
    company_id: Mapped[int] = link("companies.company_id", "CASCADE")
    type: Mapped[Letter]
    rating_sum: Mapped[Long]
    rating_count: Mapped[Whole]
    product_id: Mapped[int | None] = link("products.product_id", "CASCADE")
    category_id: Mapped[int | None] = link("categories.category_id", "CASCADE")
    page_id: Mapped[int | None] = link("pages.page_id", "CASCADE")
    order_id: Mapped[int | None] = link("orders.order_id", "CASCADE")
    owner_id: Mapped[int | None] = link("companies.company_id", "CASCADE")


class DiscussionPost(Model):
    """A review or comment; object, company and type are copies of its thread's."""

    __tablename__ = "discussion_posts"
    __table_args__ = (
        Index(None, "thread_id", "timestamp", "post_id"),
        Index(None, "object_type", "object_id", "timestamp", "post_id"),
        Index(None, "company_id", "timestamp", "post_id"),
        Index(None, "status", "timestamp", "post_id"),
        Index(None, "timestamp", "post_id"),
        Index(None, "name_key", "post_id"),
        Index(None, "ip_address", "post_id"),
        Index(None, "rating_value", "post_id"),
        Index(None, "user_id", "post_id"),
    )

    post_id: Mapped[Serial]
    thread_id: Mapped[int] = link("discussion_threads.thread_id", "CASCADE")
    object_type: Mapped[Letter]
    object_id: Mapped[Whole]
    company_id: Mapped[int] = link("companies.company_id", "CASCADE")
    type: Mapped[Letter]
    name: Mapped[Line]
    name_key: Mapped[SortKey]
    message: Mapped[Prose]
    rating_value: Mapped[Whole]
    timestamp: Mapped[Long]
    status: Mapped[Letter] = mapped_column(default="A")
    user_id: Mapped[int | None] = link("users.user_id", "SET NULL")
    ip_address: Mapped[Label]


class CallRequest(Model):
    """A wish to be called back, maybe about a product or with a cart.

    Shapes: `phone_key` holds the digits of the number; `cart_products` a JSON array,
    or nothing.
    """

    __tablename__ = "call_requests"
    __table_args__ = (
        Index(None, "company_id", "timestamp", "request_id"),
        Index(None, "status", "timestamp", "request_id"),
        Index(None, "timestamp", "request_id"),
        Index(None, "name_key", "request_id"),
        Index(None, "phone", "request_id"),
        Index(None, "email", "request_id"),
        Index(None, "user_id", "request_id"),
        Index(None, "order_id", "request_id"),
        Index(None, "product_id", "request_id"),
    )

    request_id: Mapped[Serial]
    company_id: Mapped[int] = link("companies.company_id")
    phone: Mapped[Label]
    phone_key: Mapped[Label]
    email: Mapped[str | None] = mapped_column(str_(128), default=None)
    name: Mapped[Line]
    name_key: Mapped[SortKey]
    time_from: Mapped[str] = mapped_column(str_(32), default="")
    time_to: Mapped[str] = mapped_column(str_(32), default="")
    status: Mapped[str] = mapped_column(str_(16), default="new")
    notes: Mapped[Prose | None] = mapped_column(default=None)
    user_id: Mapped[int | None] = link("users.user_id", "SET NULL")
    order_id: Mapped[int | None] = link("orders.order_id", "SET NULL")
    product_id: Mapped[int | None] = link("products.product_id", "SET NULL")
    timestamp: Mapped[Long]
    cart_products: Mapped[Prose]
