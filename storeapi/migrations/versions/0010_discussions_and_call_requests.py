"""Discussions and call requests."""

revision = "storeapi_0010"
down_revision = "storeapi_0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
