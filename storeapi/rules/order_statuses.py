"""The status of an order: what follows when it gets one.

The row of the order is locked by whoever changes its status, so that of parallel
changes each finds what the one before has done.
Source: spec/entities/orders.md, section 5.3.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.kinds import money_text
from storeapi.core.rows import table_of
from storeapi.models import CreditMemo, Invoice, OrderStatusChange
from storeapi.rules.order_items import Sold, mark_sources, move_pieces, sold_in
from storeapi.rules.order_messages import tell
from storeapi.rules.payment_info import without_card
from storeapi.rules.statuses import CREDIT_MEMO, INVOICE, StatusRule, hold_status

EVENT = "order.status"
_DOCUMENTS = (
    (INVOICE, Invoice, "invoice_id"),
    (CREDIT_MEMO, CreditMemo, "credit_memo_id"),
)
Row = Mapping[str, Any]


def change_status(
    db: Transaction, order: Row, letter: str, flags: Collection[str], context: Context
) -> dict[str, Any]:
    """Give an order a status, with all that follows; returns the columns to write.

    Shapes: `order` is the locked row; `flags` holds those of `notify_*` that are on.
    The same status again changes nothing.
    Raises: `InvalidInput` for a letter that no order may get, `Refused` if the stock
    has too little.
    """
    if letter == order["status"]:
        return {}
    rule = status_to(db, order, letter, context)
    moved = move(db, order, rule, None, context)
    mark_sources(db, order["order_id"], moved.before, moved.after)
    return {**moved.columns, **enter_status(db, order, rule, flags, context)}


def status_to(db: Transaction, order: Row, letter: str, context: Context) -> StatusRule:
    """The status that an order is to get, held until the commit."""
    company = order["company_id"]
    lang_code = context.installation.spoken(order["lang_code"])
    return hold_status(db, letter, company_id=company, lang_code=lang_code)


class Moved(NamedTuple):
    """What a movement of the stock leaves: columns of the order, and its lines.

    Shapes: `before` are the lines as they are to be, `after` the same with the stock
    that they have their pieces from then; none if nothing is to move.
    """

    columns: dict[str, Any]
    before: list[Sold]
    after: list[Sold]


def move(
    db: Transaction,
    order: Row,
    rule: StatusRule | None,
    items: tuple[list[Sold], list[Sold]] | None,
    context: Context,
) -> Moved:
    """Move the stock for an order whose lines or status change.

    Shapes: `items` are the lines before and after, `None` where they stay; without
    `rule` the status stays.
    Whether its pieces are out of the stock is kept with the order, so they leave once.
    Source: spec/entities/orders.md, rule 5.3.4.
    """
    was = order["stock_taken"] == "Y"
    now = was if rule is None else rule.takes_stock
    if items is None and was == now:
        return Moved({}, [], [])
    before, after = items or (sold_in(db, [order["order_id"]]),) * 2
    taken = move_pieces(db, before if was else (), after if now else (), context)
    if not now:
        taken = [replace(item, taken_from=None) for item in after]
    columns = {} if was == now else {"stock_taken": "Y" if now else "N"}
    return Moved(columns, after, taken)


def enter_status(
    db: Transaction,
    order: Row,
    rule: StatusRule,
    flags: Collection[str],
    context: Context,
) -> dict[str, Any]:
    """Number documents, drop card data, note the step, and write the messages.

    Source: spec/entities/orders.md, rules 5.3.3, 5.3.5 and 5.3.6.
    """
    changed: dict[str, Any] = {"status": rule.status}
    changed |= number_documents(db, order, rule, context.now)
    if rule.removes_cc_info:
        changed["payment_info"] = without_card(order["payment_info"])
    note_step(db, order["order_id"], (order["status"], rule.status), context)
    tell(db, order, flags, (EVENT, _message(order, rule)), context)
    return changed


def _message(order: Row, rule: StatusRule) -> Row:
    return {
        "status": rule.status,
        "status_before": order["status"],
        "description": rule.description,
        "subject": rule.email_subj,
        "header": rule.email_header,
        "total": money_text(order["total"]),
    }


def number_documents(
    db: Transaction, order: Row, rule: StatusRule, now: int
) -> dict[str, int]:
    """Give an order the document of its status, if it has none yet.

    The database counts the numbers: none is given twice, and no order waits for
    another that gets one.
    """
    for appearance, model, column in _DOCUMENTS:
        if rule.appearance == appearance and not order[column]:
            values = {"order_id": order["order_id"], "timestamp": now}
            return {column: db.insert(table_of(model), values)}
    return {}


def note_step(
    db: Transaction, order_id: int, step: tuple[str, str], context: Context
) -> None:
    """Keep the step from one status to the next."""
    row = {
        "order_id": order_id,
        "user_id": context.caller.user_id,
        "timestamp": context.now,
        "status_before": step[0],
        "status_after": step[1],
    }
    db.insert(table_of(OrderStatusChange), row)
