"""Settings and language variables."""

from sqlalchemy import UniqueConstraint

from storeapi.migrations.tables import code, create_table, owner, serial, strings, texts

revision = "storeapi_0008"
down_revision = "storeapi_0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    _settings()
    _langvars()


def _settings() -> None:
    create_table(
        "setting_names",
        serial("number"),
        *strings(1, "kind"),
        *strings(64, "section"),
        *strings(128, "name"),
        UniqueConstraint("kind", "section", "name"),
    )
    create_table(
        "setting_values",
        owner("company_id", "companies.company_id"),
        code(64, "section"),
        code(128, "name"),
        *texts("value"),
    )


def _langvars() -> None:
    create_table(
        "langvars",
        serial("langvar_id"),
        *strings(128, "name"),
        UniqueConstraint("name"),
    )
    create_table(
        "langvar_texts",
        owner("langvar_id", "langvars.langvar_id"),
        code(5, "lang_code"),
        *texts("value", "value_key"),
    )
