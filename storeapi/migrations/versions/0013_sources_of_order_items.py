"""Which stock the pieces of an order's line were taken from."""

from alembic import op
from sqlalchemy import column, or_, select, table, update

from storeapi.migrations.tables import strings

revision = "storeapi_0013"
down_revision = "storeapi_0012"
branch_labels = None
depends_on = None

_ITEMS = table(
    "order_items",
    *[column(name) for name in ("order_id", "product_id", "stocked", "taken_from")],
)
_ORDERS = table("orders", column("order_id"), column("stock_taken"))
_PRODUCTS = table("products", column("product_id"), column("tracking"))
_COMBINATIONS = table("combinations", column("product_id"), column("choice"))


def upgrade() -> None:
    """Add the column; lines that hold pieces hold them as their products count now.

    Nothing tells how these counted when the pieces were taken.
    """
    op.add_column("order_items", *strings(1, "taken_from", null=True))
    holding = select(_ORDERS.c.order_id).where(_ORDERS.c.stock_taken == "Y")
    held = update(_ITEMS).where(_ITEMS.c.order_id.in_(holding))
    tracked = _PRODUCTS.c.tracking
    mixed = select(_COMBINATIONS.c.product_id)
    own = select(_PRODUCTS.c.product_id).where(
        or_(
            tracked == "B",
            (tracked == "O") & _PRODUCTS.c.product_id.not_in(mixed),
        )
    )
    op.execute(held.where(_ITEMS.c.product_id.in_(own)).values(taken_from="B"))
    by_choice = select(_PRODUCTS.c.product_id).where(tracked == "O")
    chosen = select(_COMBINATIONS.c.product_id).where(
        _COMBINATIONS.c.product_id == _ITEMS.c.product_id,
        _COMBINATIONS.c.choice == _ITEMS.c.stocked,
        _COMBINATIONS.c.product_id.in_(by_choice),
    )
    op.execute(held.where(chosen.exists()).values(taken_from="O"))
