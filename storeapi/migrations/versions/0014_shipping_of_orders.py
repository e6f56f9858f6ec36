"""How orders are shipped is said by their lines and chosen methods alone."""

from alembic import op

revision = "storeapi_0014"
down_revision = "storeapi_0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop what a parent repeated of its orders, and kept when these changed."""
    op.drop_column("orders", "shipping_ids")
    op.drop_column("orders", "need_shipping")
