"""Whom a company knows: its own people, and customers who have bought from it."""

from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, exists, or_, select

from storeapi.core.access import CUSTOMER_TYPES, Caller
from storeapi.core.changes import Change, Operation
from storeapi.core.conditions import Condition
from storeapi.core.database import Connection, Transaction
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


def _known(*, vendor: bool) -> ColumnElement[bool]:
    company: Any = bindparam("scope_company", required=True)
    own = [User.company_id == company]
    if vendor:
        own.append(User.user_type == "V")
    bought = exists().where(Order.user_id == User.user_id, Order.company_id == company)
    return or_(and_(*own), and_(User.user_type.in_(CUSTOMER_TYPES), bought))


_KNOWN = {
    vendor: query(
        select(User.user_id).where(
            User.user_id == bindparam("id", required=True), _known(vendor=vendor)
        )
    )
    for vendor in (False, True)
}


def of_company(caller: Caller) -> Condition:
    """The people of the caller's company, and customers who have bought from it.

    A vendor's administrators see no administrators of other ranks.
    Source: spec/entities/users.md, rule 8; spec/protocol.md, section 12.
    """
    vendor = caller.user_type == "V"
    return Condition(
        ("of company", vendor),
        lambda: _known(vendor=vendor),
        {"scope_company": caller.company_id},
    )


def is_known(db: Connection, user_id: int, caller: Caller) -> bool:
    """Whether a user, who exists, does so for the caller."""
    if not caller.is_scoped:
        return True
    known = _KNOWN[caller.user_type == "V"]
    return bool(db.row(known, id=user_id, scope_company=caller.company_id))


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
    update = Operation.UPDATE
    db.record(
        *[
            Change("users", update, id, 0, caller_id, before, after, table.name, status)
            for id, status in rows
        ]
    )
