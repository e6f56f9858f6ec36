"""Orders that go together: a parent and the orders of each company.

Locks are taken in the order of the numbers, and a parent has the lowest.
Source: spec/entities/orders.md, rule 5.1.7.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select, union_all

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Context
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import Order, Shipment
from storeapi.rules.copying import rows_of
from storeapi.rules.order_items import give_pieces_back, sold_in

Row = dict[str, Any]

_TABLE = table_of(Order)
_IN_SHIPMENTS = ("user_id", "name_key")
_id: Any = bindparam("id", required=True)
_CHILDREN = select(Order.order_id).where(Order.parent_order_id == _id)
_PARENT = select(Order.parent_order_id).where(Order.order_id == _id)
_LEFT = query(_CHILDREN)
_FAMILY = query(union_all(_CHILDREN, _PARENT))
_HELD = query(
    select(*_TABLE.columns)
    .where(Order.order_id.in_(bindparam("ids", expanding=True)))
    .order_by(Order.order_id)
    .with_for_update()
)


def family_of(db: Connection, order_id: int) -> list[int]:
    """An order with its parent, or a parent with its orders; that never changes."""
    return [order_id, *(row[0] for row in db.rows(_FAMILY, id=order_id) if row[0])]


def is_last(db: Connection, parent_id: int | None) -> bool:
    """Whether a parent that is held has one order left."""
    return parent_id is not None and len(db.rows(_LEFT, id=parent_id)) == 1


def hold(db: Transaction, ids: Iterable[int]) -> dict[int, Row]:
    """Lock orders in the order of their numbers; returns those that still exist."""
    names = _TABLE.columns.keys()
    rows = db.rows(_HELD, ids=sorted(set(ids)))
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def give_back(
    db: Transaction, orders: Iterable[Mapping[str, Any]], context: Context
) -> None:
    """Give the pieces of orders back that have left the stock."""
    ids = [order["order_id"] for order in orders if order["stock_taken"] == "Y"]
    give_pieces_back(db, sold_in(db, ids), context)


def write_order(
    db: Transaction, row: Row, changed: Mapping[str, Any], context: Context
) -> None:
    """Write columns of an order that is held, or only that it shows something else.

    Source: spec/entities/orders.md, rule 5.3.8.
    """
    id, written = row["order_id"], {**changed, "updated_at": context.now}
    after = changed or written
    before = {name: row[name] for name in after}
    db.update(_TABLE, {"order_id": id}, written)
    copied = {name: changed[name] for name in _IN_SHIPMENTS if name in changed}
    db.update(table_of(Shipment), {"order_id": id}, copied)
    change = Change(
        "orders",
        Operation.UPDATE,
        id,
        row["company_id"],
        context.caller.user_id,
        before,
        after,
        _TABLE.name,
        row["status"],
    )
    db.record(change)


def drop_shipments(db: Transaction, ids: Sequence[int], context: Context) -> None:
    """Delete the parcels of orders that are about to go, and record each of them."""
    table = table_of(Shipment)
    for batch in batches(ids):
        rows = rows_of(db, table.c.order_id, batch)
        db.delete(table, {"order_id": batch})
        db.record(
            *[
                Change.deletion(
                    "shipments",
                    row["shipment_id"],
                    row=row,
                    table=table.name,
                    caller_id=context.caller.user_id,
                )
                for row in rows
            ]
        )


def delete_rows(db: Transaction, ids: Sequence[int]) -> None:
    """Delete orders with all that is theirs; a parent goes after its own."""
    for id in sorted(ids, reverse=True):
        db.delete(_TABLE, {"order_id": id})
