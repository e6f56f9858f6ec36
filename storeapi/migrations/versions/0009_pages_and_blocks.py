"""Pages and blocks."""

revision = "storeapi_0009"
down_revision = "storeapi_0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
