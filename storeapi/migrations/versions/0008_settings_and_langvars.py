"""Settings and language variables."""

revision = "storeapi_0008"
down_revision = "storeapi_0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
