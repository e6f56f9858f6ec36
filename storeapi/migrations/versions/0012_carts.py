"""Carts."""

revision = "storeapi_0012"
down_revision = "storeapi_0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
