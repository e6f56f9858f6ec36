"""Options of products, combinations and exceptions."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, UniqueConstraint

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

revision = "storeapi_0004"
down_revision = "storeapi_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _options()
    _option_texts()
    _option_variants()
    _option_variant_texts()
    _product_options()
    _combinations()
    _combination_variants()
    _exceptions()
    _exception_variants()


def _options() -> None:
    create_table(
        "options",
        serial("option_id"),
        link("product_id", "products.product_id", "CASCADE", null=True),
        link("company_id", "companies.company_id"),
        *strings(1, "option_type", "inventory", "required"),
        *texts("regexp"),
        *strings(1, "multiupload"),
        *strings(255, "allowed_extensions"),
        *longs("max_file_size"),
        *strings(1, "missing_variants_handling", "status"),
        *wholes("position"),
        Index(None, "product_id", "position", "option_id"),
        Index(None, "position", "option_id"),
        Index(None, "company_id", "position", "option_id"),
    )


def _option_texts() -> None:
    create_table(
        "option_texts",
        owner("option_id", "options.option_id"),
        code(5, "lang_code"),
        *strings(255, "option_name", "option_name_key"),
        *texts(
            "option_text", "incorrect_message", "inner_hint", "description", "comment"
        ),
        Index(None, "lang_code", "option_name_key", "option_id"),
    )


def _option_variants() -> None:
    create_table(
        "option_variants",
        serial("variant_id"),
        link("option_id", "options.option_id", "CASCADE"),
        *wholes("position"),
        *longs("modifier"),
        *strings(1, "modifier_type"),
        *longs("weight_modifier"),
        *strings(1, "weight_modifier_type"),
        *longs("point_modifier"),
        *strings(1, "point_modifier_type"),
        Index(None, "option_id", "position", "variant_id"),
    )


def _option_variant_texts() -> None:
    create_table(
        "option_variant_texts",
        owner("variant_id", "option_variants.variant_id"),
        code(5, "lang_code"),
        *strings(255, "variant_name"),
    )


def _product_options() -> None:
    create_table(
        "product_options",
        owner("product_id", "products.product_id"),
        owner("option_id", "options.option_id"),
        Index(None, "option_id", "product_id"),
    )


def _combinations() -> None:
    create_table(
        "combinations",
        Column("combination_hash", BigInteger, primary_key=True, autoincrement=False),
        link("product_id", "products.product_id", "CASCADE"),
        *strings(765, "choice"),
        *strings(64, "product_code"),
        *wholes("amount", "position"),
        *strings(1, "temp"),
        UniqueConstraint("product_id", "choice"),
        Index(None, "product_id", "position", "combination_hash"),
        Index(None, "product_code", "combination_hash"),
    )


def _combination_variants() -> None:
    create_table(
        "combination_variants",
        Column(
            "combination_hash",
            BigInteger,
            ForeignKey("combinations.combination_hash", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        owner("option_id", "options.option_id"),
        link("variant_id", "option_variants.variant_id", "CASCADE"),
        Index(None, "option_id", "combination_hash"),
        Index(None, "variant_id", "combination_hash"),
    )


def _exceptions() -> None:
    create_table(
        "exceptions",
        serial("exception_id"),
        link("product_id", "products.product_id", "CASCADE"),
        *strings(765, "choice"),
        UniqueConstraint("product_id", "choice"),
        Index(None, "product_id", "exception_id"),
    )


def _exception_variants() -> None:
    create_table(
        "exception_variants",
        owner("exception_id", "exceptions.exception_id"),
        owner("option_id", "options.option_id"),
        link("variant_id", "option_variants.variant_id", "CASCADE", null=True),
        Index(None, "option_id", "exception_id"),
        Index(None, "variant_id", "exception_id"),
    )
