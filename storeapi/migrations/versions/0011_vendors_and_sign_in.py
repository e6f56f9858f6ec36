"""What vendors and sign-in links need."""

revision = "storeapi_0011"
down_revision = "storeapi_0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
