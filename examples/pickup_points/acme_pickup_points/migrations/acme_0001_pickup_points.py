"""Pickup points."""

import sqlalchemy as sa
from alembic import op

revision = "acme_pickup_points_0001"
down_revision = None
branch_labels = ("acme_pickup_points",)
depends_on = "storeapi_0001"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "acme_pickup_points",
        sa.Column("point_id", sa.Integer, primary_key=True),
        sa.Column(
            "company_id",
            sa.Integer,
            sa.ForeignKey("companies.company_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("title", sa.String(120), nullable=False),
        sa.Column("city", sa.String(80), nullable=False),
        sa.Column("fee", sa.Integer, nullable=False),
        sa.Column("parcels", sa.Integer, nullable=False),
        sa.Column("status", sa.String(1), nullable=False),
        sa.Index("ix_acme_pickup_points_company_id", "company_id"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("acme_pickup_points")
