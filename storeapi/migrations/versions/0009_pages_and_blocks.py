"""Pages and blocks."""

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

revision = "storeapi_0009"
down_revision = "storeapi_0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    _pages()
    _page_texts()
    _blocks()
    _block_texts()


def _pages() -> None:
    create_table(
        "pages",
        serial("page_id"),
        link("parent_id", "pages.page_id", null=True),
        link("company_id", "companies.company_id"),
        *strings(1, "page_type", "status"),
        *strings(255, "id_path"),
        *wholes("position"),
        *longs("timestamp"),
        *texts("usergroup_ids", "localization"),
        *wholes("new_window"),
        *strings(1, "use_avail_period"),
        *longs("avail_from_timestamp", "avail_till_timestamp"),
        *strings(255, "seo_name", "author"),
        UniqueConstraint("company_id", "seo_name"),
        Index(None, "parent_id", "position", "page_id"),
        Index(None, "company_id", "position", "page_id"),
        Index(None, "position", "page_id"),
        Index(None, "timestamp", "page_id"),
        Index(None, "page_type", "page_id"),
        Index(None, "status", "page_id"),
        Index(None, "id_path"),
    )


def _page_texts() -> None:
    create_table(
        "page_texts",
        owner("page_id", "pages.page_id"),
        code(5, "lang_code"),
        *strings(255, "page", "page_key", "page_title"),
        *texts("description", "meta_keywords", "meta_description", "link"),
        Index(None, "lang_code", "page_key", "page_id"),
    )


def _blocks() -> None:
    create_table(
        "blocks",
        serial("block_id"),
        link("company_id", "companies.company_id"),
        *strings(64, "type"),
        *texts("properties"),
        Index(None, "company_id", "block_id"),
        Index(None, "type", "block_id"),
    )


def _block_texts() -> None:
    create_table(
        "block_texts",
        owner("block_id", "blocks.block_id"),
        code(5, "lang_code"),
        *strings(255, "name", "name_key"),
        *texts("content"),
        Index(None, "lang_code", "name_key", "block_id"),
    )
