"""Messages that wait to be sent: written with what they tell of, read by senders.

Nothing here sends mail. A sender takes what waits, sends it, and marks it; the number
of a message stays the same when it is tried again.
Source: spec/entities/orders.md, rule 5.3.3.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
from sqlalchemy import bindparam, select, update

from storeapi.core.database import Connection, Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Notification

CUSTOMER, DEPARTMENT, VENDOR = "customer", "department", "vendor"


class WaitingNotification(NamedTuple):
    """A message that is to be sent.

    Shapes: `receiver` is `customer`, `department` or `vendor`.
    """

    notification_id: int
    event: str
    receiver: str
    email: str
    company_id: int
    order_id: int
    lang_code: str
    timestamp: int
    payload: Mapping[str, Any]


_WAITING = query(
    select(*[getattr(Notification, name) for name in WaitingNotification._fields])
    .where(
        Notification.sent_at.is_(None),
        Notification.notification_id > bindparam("after", required=True),
    )
    .order_by(Notification.notification_id)
    .limit(bindparam("most", required=True))
)
_SENT = query(
    update(Notification)
    .where(
        Notification.notification_id.in_(bindparam("ids", expanding=True)),
        Notification.sent_at.is_(None),
    )
    .values(sent_at=bindparam("now", required=True))
)


def waiting_notifications(
    db: Connection, *, after: int = 0, most: int = 100
) -> list[WaitingNotification]:
    """The oldest messages that were not sent yet, behind the number `after`."""
    rows = db.rows(_WAITING, after=after, most=most)
    found = [WaitingNotification(*row) for row in rows]
    return [each._replace(payload=orjson.loads(str(each.payload))) for each in found]


def mark_notifications_sent(db: Transaction, ids: Sequence[int], now: int) -> int:
    """Note that messages were sent; returns how many were not noted before."""
    return db.run(_SENT, ids=list(ids), now=now) if ids else 0


def notify(db: Transaction, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write messages; each row names the columns, and a `payload` as a map."""
    prepared = [{**r, "payload": orjson.dumps(r["payload"]).decode()} for r in rows]
    db.insert_many(table_of(Notification), prepared)
