"""Statuses of orders, payment methods and shipping methods."""

revision = "storeapi_0006"
down_revision = "storeapi_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
