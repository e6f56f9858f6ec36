"""Orders, shipments and notifications."""

from sqlalchemy import BigInteger, Column, Index, UniqueConstraint, text

from storeapi.migrations.tables import (
    contact,
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

revision = "storeapi_0007"
down_revision = "storeapi_0006"
branch_labels = None
depends_on = None

_HAS_PARENT = text("parent_order_id IS NOT NULL")


def upgrade() -> None:
    """Make the tables."""
    _orders()
    _order_items()
    _order_taxes()
    _order_shippings()
    _documents()
    _status_changes()
    _notifications()
    _shipments()


def _orders() -> None:
    create_table(
        "orders",
        serial("order_id"),
        link("company_id", "companies.company_id"),
        link("parent_order_id", "orders.order_id", null=True),
        *strings(1, "is_parent_order", "status", "stock_taken"),
        *wholes("issuer_id", null=True),
        *wholes("invoice_id", "credit_memo_id"),
        *wholes("user_id", "payment_id", "repaid", "profile_id"),
        *longs("timestamp", "updated_at"),
        *longs("total", "subtotal", "display_subtotal", "discount"),
        *longs("subtotal_discount", "payment_surcharge", "tax_subtotal"),
        *longs("shipping_cost", "display_shipping_cost"),
        *longs("set_total", "set_discount", null=True),
        *strings(1, "tax_exempt", "need_shipping"),
        *texts("payment_method", "payment_info", "groups", "notes", "details"),
        *strings(255, "shipping_ids"),
        *strings(5, "lang_code"),
        *strings(64, "ip_address"),
        *strings(3, "secondary_currency"),
        *texts("fields"),
        *contact(),
        Index(None, "timestamp", "order_id"),
        Index(None, "updated_at", "order_id"),
        Index(None, "company_id", "timestamp", "order_id"),
        Index(None, "user_id", "timestamp", "order_id"),
        Index(None, "status", "order_id"),
        Index(None, "email_key", "order_id"),
        Index(None, "name_key", "order_id"),
        Index(None, "total", "order_id"),
        Index(None, "phone", "order_id"),
        Index(None, "invoice_id", "order_id"),
        Index(None, "credit_memo_id", "order_id"),
        Index(
            None,
            "parent_order_id",
            sqlite_where=_HAS_PARENT,
            postgresql_where=_HAS_PARENT,
        ),
    )


def _item_id() -> Column[int]:
    return Column("item_id", BigInteger, primary_key=True, autoincrement=False)


def _order_items() -> None:
    create_table(
        "order_items",
        owner("order_id", "orders.order_id"),
        _item_id(),
        *wholes("position", "group_key", "product_id", "company_id"),
        *strings(64, "product_code"),
        *strings(255, "product"),
        *wholes("amount", "shipped_amount"),
        *longs("price", "base_price", "original_price", "discount"),
        *longs("tax_value", "subtotal", "display_subtotal"),
        *texts("options", "stocked", "tax_ids"),
        *longs("weight", "shipping_freight"),
        *strings(1, "free_shipping", "is_edp", "edp_shipping", "unlimited_download"),
        Index(None, "product_id", "order_id"),
    )


def _order_taxes() -> None:
    create_table(
        "order_taxes",
        owner("order_id", "orders.order_id"),
        number("tax_id"),
        *strings(255, "description", "regnumber"),
        *strings(1, "rate_type", "price_includes_tax"),
        *longs("rate_value"),
        *wholes("priority"),
        *longs("of_products", "of_shipping", "of_surcharge"),
        *texts("items", "shippings", "payments"),
    )


def _order_shippings() -> None:
    create_table(
        "order_shippings",
        owner("order_id", "orders.order_id"),
        number("group_key"),
        *wholes("shipping_id"),
        *longs("rate"),
        *texts("record", "tax_ids"),
        Index(None, "shipping_id", "order_id"),
    )


def _documents() -> None:
    for table, id in (
        ("order_invoices", "invoice_id"),
        ("order_credit_memos", "credit_memo_id"),
    ):
        create_table(
            table,
            serial(id),
            link("order_id", "orders.order_id", "CASCADE"),
            *longs("timestamp"),
            UniqueConstraint("order_id"),
        )


def _status_changes() -> None:
    create_table(
        "order_status_changes",
        serial("change_id"),
        link("order_id", "orders.order_id", "CASCADE"),
        *wholes("user_id", null=True),
        *longs("timestamp"),
        *strings(1, "status_before", "status_after"),
        Index(None, "order_id", "change_id"),
    )


def _notifications() -> None:
    create_table(
        "notifications",
        serial("notification_id"),
        *strings(64, "event"),
        *strings(32, "receiver"),
        *strings(128, "email"),
        *wholes("company_id"),
        link("order_id", "orders.order_id", "CASCADE"),
        *strings(5, "lang_code"),
        *texts("payload"),
        *longs("timestamp"),
        *longs("sent_at", null=True),
        Index(None, "sent_at", "notification_id"),
        Index(None, "order_id"),
    )


def _shipments() -> None:
    create_table(
        "shipments",
        serial("shipment_id"),
        link("order_id", "orders.order_id", "CASCADE"),
        link("company_id", "companies.company_id"),
        *wholes("user_id", "group_key", "shipping_id"),
        *strings(255, "shipping", "tracking_number"),
        *strings(64, "carrier"),
        *texts("comments"),
        *strings(1, "status"),
        *longs("timestamp", "order_timestamp"),
        *strings(255, "name_key"),
        Index(None, "order_id", "shipment_id"),
        Index(None, "timestamp", "shipment_id"),
        Index(None, "company_id", "timestamp", "shipment_id"),
        Index(None, "tracking_number", "shipment_id"),
        Index(None, "order_timestamp", "shipment_id"),
        Index(None, "name_key", "shipment_id"),
    )
    create_table(
        "shipment_items",
        owner("shipment_id", "shipments.shipment_id"),
        _item_id(),
        *wholes("amount"),
    )
