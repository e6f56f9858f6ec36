"""Carts, and the lines in them."""

from sqlalchemy import BigInteger, Column, Index, UniqueConstraint

from storeapi.migrations.tables import (
    code,
    create_table,
    link,
    longs,
    owner,
    serial,
    strings,
    texts,
    wholes,
)

revision = "storeapi_0012"
down_revision = "storeapi_0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    create_table(
        "carts",
        serial("cart_id"),
        link("company_id", "companies.company_id"),
        *longs("user_id"),
        link("customer_id", "users.user_id", "CASCADE", null=True),
        *strings(1, "user_type"),
        *longs("timestamp", "updated_timestamp"),
        *strings(64, "ip_address"),
        *wholes("cart_products"),
        *longs("total"),
        *strings(128, "firstname", "lastname", null=True),
        *strings(384, "email_key"),
        *strings(255, "name_key"),
        *strings(765, "person_key"),
        *texts("contact"),
        UniqueConstraint("company_id", "user_id"),
        Index(None, "user_id"),
        Index(None, "customer_id"),
        Index(None, "timestamp", "user_id", "cart_id"),
        Index(None, "company_id", "timestamp", "user_id", "cart_id"),
        Index(None, "user_type", "updated_timestamp"),
    )
    create_table(
        "cart_lines",
        owner("cart_id", "carts.cart_id"),
        code(1, "type"),
        Column("item_id", BigInteger, primary_key=True, autoincrement=False),
        link("product_id", "products.product_id", "CASCADE"),
        *wholes("amount"),
        *longs("price", "base_price", "timestamp"),
        *texts("options"),
        Index(None, "product_id", "cart_id"),
    )
