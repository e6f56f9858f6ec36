"""What vendors and sign-in links need."""

from sqlalchemy import UniqueConstraint

from storeapi.migrations.tables import (
    create_table,
    longs,
    owner,
    strings,
    texts,
    wholes,
)

revision = "storeapi_0011"
down_revision = "storeapi_0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    create_table(
        "login_keys",
        owner("user_id", "users.user_id"),
        *strings(64, "digest"),
        *texts("target"),
        *wholes("caller_id"),
        *longs("expires_at"),
        UniqueConstraint("digest"),
    )
