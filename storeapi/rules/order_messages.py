"""Messages about an order: who gets them, and what is in each.

Source: spec/entities/orders.md, rule 5.3.3.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.statement import query
from storeapi.models import Company
from storeapi.rules.notifications import CUSTOMER, DEPARTMENT, VENDOR, notify
from storeapi.rules.setting_values import in_force
from storeapi.rules.store_settings import COMPANY_DATA_SETTINGS

_DEPARTMENT = COMPANY_DATA_SETTINGS["company_orders_department"]
_COMPANY = query(
    select(Company.kind, Company.email, in_force(_DEPARTMENT)).where(
        Company.company_id == bindparam("id", required=True)
    )
)

Row = Mapping[str, Any]


def tell(
    db: Transaction,
    order: Row,
    flags: Collection[str],
    message: tuple[str, Mapping[str, Any]],
    context: Context,
) -> None:
    """Write a message about an order to each receiver whose flag is on.

    Shapes: `message` is the event and what is to be told of it; number and customer
    of the order are added.
    """
    if not flags:
        return
    event, payload = message
    who = {name: order[name] for name in ("order_id", "firstname", "lastname")}
    notify(
        db,
        [
            {
                "event": event,
                "receiver": receiver,
                "email": address,
                "company_id": order["company_id"],
                "order_id": order["order_id"],
                "lang_code": context.installation.spoken(order["lang_code"]),
                "timestamp": context.now,
                "payload": {**who, **payload},
            }
            for receiver, address in _receivers(db, order, flags)
        ],
    )


def _receivers(
    db: Transaction, order: Row, flags: Collection[str]
) -> Iterator[tuple[str, str]]:
    """The kinds of receivers and their addresses."""
    row = db.row(_COMPANY, id=order["company_id"])
    kind, email, department = row or ("", "", "")
    if "notify_user" in flags:
        yield CUSTOMER, order["email"]
    if "notify_department" in flags:
        yield DEPARTMENT, department or email
    if "notify_vendor" in flags and kind == "V":
        yield VENDOR, email
