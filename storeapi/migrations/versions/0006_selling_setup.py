"""Statuses of orders, payment methods and shipping methods."""

from sqlalchemy import Index, UniqueConstraint

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

revision = "storeapi_0006"
down_revision = "storeapi_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    _statuses()
    _payments()
    _shippings()


def _statuses() -> None:
    create_table(
        "statuses",
        serial("status_id"),
        *strings(1, "status", "type", "is_default"),
        *texts("params"),
        UniqueConstraint("type", "status"),
    )
    create_table(
        "status_texts",
        owner("status_id", "statuses.status_id"),
        code(5, "lang_code"),
        *strings(255, "description", "description_key", "email_subj"),
        *texts("email_header"),
        Index(None, "lang_code", "description_key", "status_id"),
    )
    create_table(
        "status_company_texts",
        owner("status_id", "statuses.status_id"),
        owner("company_id", "companies.company_id"),
        code(5, "lang_code"),
        *strings(255, "email_subj", null=True),
        *texts("email_header", null=True),
        Index(None, "company_id"),
    )


def _payments() -> None:
    create_table(
        "payments",
        serial("payment_id"),
        link("company_id", "companies.company_id"),
        *strings(1, "status"),
        *wholes("position"),
        *texts("usergroup_ids"),
        *strings(255, "template"),
        *wholes("processor_id"),
        *texts("processor_params"),
        *longs("a_surcharge", "p_surcharge"),
        *texts("tax_ids"),
        *strings(255, "localization"),
        *strings(8, "payment_category"),
        Index(None, "company_id", "position", "payment_id"),
        Index(None, "position", "payment_id"),
        Index(None, "status", "payment_id"),
        Index(None, "processor_id"),
    )
    create_table(
        "payment_texts",
        owner("payment_id", "payments.payment_id"),
        code(5, "lang_code"),
        *strings(255, "payment", "payment_key"),
        *texts("description", "instructions"),
        *strings(255, "surcharge_title"),
        Index(None, "lang_code", "payment_key", "payment_id"),
    )


def _shippings() -> None:
    create_table(
        "shippings",
        serial("shipping_id"),
        link("company_id", "companies.company_id"),
        *strings(1, "status"),
        *wholes("position"),
        *texts("usergroup_ids"),
        *longs("min_weight", "max_weight"),
        *strings(1, "rate_calculation"),
        *wholes("service_id"),
        *texts("service_params", "tax_ids"),
        *strings(255, "localization"),
        Index(None, "company_id", "position", "shipping_id"),
        Index(None, "position", "shipping_id"),
        Index(None, "status", "shipping_id"),
        Index(None, "service_id"),
    )
    create_table(
        "shipping_texts",
        owner("shipping_id", "shippings.shipping_id"),
        code(5, "lang_code"),
        *strings(255, "shipping", "shipping_key", "delivery_time"),
        Index(None, "lang_code", "shipping_key", "shipping_id"),
    )
    create_table(
        "shipping_rates",
        serial("rate_id"),
        link("shipping_id", "shippings.shipping_id", "CASCADE"),
        *wholes("destination_id"),
        *texts("rate_value"),
        UniqueConstraint("shipping_id", "destination_id"),
    )
