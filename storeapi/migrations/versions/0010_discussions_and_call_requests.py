"""Discussions and call requests."""

from sqlalchemy import Index, UniqueConstraint

from storeapi.migrations.tables import (
    create_table,
    link,
    longs,
    serial,
    strings,
    texts,
    wholes,
)

revision = "storeapi_0010"
down_revision = "storeapi_0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    _threads()
    _posts()
    _call_requests()


def _threads() -> None:
    create_table(
        "discussion_threads",
        serial("thread_id"),
        *strings(1, "object_type"),
        *wholes("object_id"),
        link("company_id", "companies.company_id", "CASCADE"),
        *strings(1, "type"),
        *longs("rating_sum"),
        *wholes("rating_count"),
        link("product_id", "products.product_id", "CASCADE", null=True),
        link("category_id", "categories.category_id", "CASCADE", null=True),
        link("page_id", "pages.page_id", "CASCADE", null=True),
        link("order_id", "orders.order_id", "CASCADE", null=True),
        link("owner_id", "companies.company_id", "CASCADE", null=True),
        UniqueConstraint("product_id"),
        UniqueConstraint("category_id"),
        UniqueConstraint("page_id"),
        UniqueConstraint("order_id"),
        UniqueConstraint("owner_id"),
        Index(None, "company_id"),
    )


def _posts() -> None:
    create_table(
        "discussion_posts",
        serial("post_id"),
        link("thread_id", "discussion_threads.thread_id", "CASCADE"),
        *strings(1, "object_type"),
        *wholes("object_id"),
        link("company_id", "companies.company_id", "CASCADE"),
        *strings(1, "type"),
        *strings(255, "name", "name_key"),
        *texts("message"),
        *wholes("rating_value"),
        *longs("timestamp"),
        *strings(1, "status"),
        link("user_id", "users.user_id", "SET NULL", null=True),
        *strings(64, "ip_address"),
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


def _call_requests() -> None:
    create_table(
        "call_requests",
        serial("request_id"),
        link("company_id", "companies.company_id"),
        *strings(64, "phone", "phone_key"),
        *strings(128, "email", null=True),
        *strings(255, "name", "name_key"),
        *strings(32, "time_from", "time_to"),
        *strings(16, "status"),
        *texts("notes", null=True),
        link("user_id", "users.user_id", "SET NULL", null=True),
        link("order_id", "orders.order_id", "SET NULL", null=True),
        link("product_id", "products.product_id", "SET NULL", null=True),
        *longs("timestamp"),
        *texts("cart_products"),
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
