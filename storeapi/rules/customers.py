"""Customers who have bought from others than the company that goes."""

from sqlalchemy import bindparam, exists, select

from storeapi.core.access import CUSTOMER_TYPES
from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import Order, User

_BUYERS = query(
    select(User.user_id, User.status)
    .where(
        User.company_id == bindparam("company_id", required=True),
        User.user_type.in_(CUSTOMER_TYPES),
        exists().where(Order.user_id == User.user_id),
    )
    .order_by(User.user_id)
    .with_for_update()
)


def keep_buyers(db: Transaction, company_id: int, caller_id: int | None) -> None:
    """Leave customers of a company that goes, who have orders, to no single company.

    Source: spec/entities/stores.md, rule 8 (only customers without orders go).
    """
    rows = db.rows(_BUYERS, company_id=company_id)
    if not rows:
        return
    table = table_of(User)
    for ids in batches(row[0] for row in rows):
        db.update(table, {"user_id": ids}, {"company_id": 0})
    before, after = {"company_id": company_id}, {"company_id": 0}
    db.record(
        *[
            Change(
                "users", Operation.UPDATE, id, 0, caller_id, before, after,
                table.name, status,
            )
            for id, status in rows
        ]
    )  # fmt: skip
