"""Orders, shipments and notifications."""

revision = "storeapi_0007"
down_revision = "storeapi_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
