"""Shipments: how many pieces of an order's lines are in which parcel.

Whoever writes one holds the order, so that of two clerks who ship the same pieces the
second finds what the first has left.
Source: spec/entities/shipments.md.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from sqlalchemy import bindparam, select, update

from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import FieldError, InvalidInput
from storeapi.core.kinds import Faults, Integer, invalid
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import (
    OrderItem,
    OrderShipping,
    Shipment,
    ShipmentItem,
    Shipping,
    ShippingText,
    Status,
)
from storeapi.rules.statuses import SHIPMENT_LETTERS, TYPE_SHIPMENT

NAMELESS = "Custom shipping method"
NO_METHOD = 1
"""The method of a shipment of which nobody says how it is sent."""

Parcel = Mapping[int, int]
"""Item ID to pieces."""

_ITEM = Integer(minimum=0, maximum=2**32 - 1)
_PIECES = Integer(minimum=1)
_MOST = 10_000

_ITEMS = query(
    select(
        OrderItem.item_id,
        OrderItem.group_key,
        OrderItem.amount,
        OrderItem.shipped_amount,
    ).where(OrderItem.order_id == bindparam("order_id", required=True))
)
_PACKED = query(
    select(ShipmentItem.item_id, ShipmentItem.amount).where(
        ShipmentItem.shipment_id == bindparam("id", required=True)
    )
)
_pieces: Any = bindparam("pieces", required=True)
_SHIP = query(
    update(OrderItem)
    .where(
        OrderItem.order_id == bindparam("of_order", required=True),
        OrderItem.item_id == bindparam("of_item", required=True),
        OrderItem.shipped_amount + _pieces <= OrderItem.amount,
    )
    .values(shipped_amount=OrderItem.shipped_amount + _pieces)
)
_ORDER = query(
    select(Shipment.order_id).where(
        Shipment.shipment_id == bindparam("id", required=True)
    )
)
_ANY = query(
    select(Shipment.shipment_id)
    .where(Shipment.order_id == bindparam("order_id", required=True))
    .limit(1)
)
_CHOSEN = query(
    select(OrderShipping.shipping_id, OrderShipping.record).where(
        OrderShipping.order_id == bindparam("order_id", required=True),
        OrderShipping.group_key == bindparam("group_key", required=True),
    )
)
_METHOD = query(
    select(Shipping.company_id, ShippingText.shipping)
    .join(ShippingText, ShippingText.shipping_id == Shipping.shipping_id)
    .where(
        Shipping.shipping_id == bindparam("id", required=True),
        ShippingText.lang_code == bindparam("lang_code", required=True),
    )
)
# The parameters, which no index has, make MariaDB lock the row itself.
_STATUS = query(
    select(Status.params)
    .where(
        Status.type == TYPE_SHIPMENT,
        Status.status == bindparam("letter", required=True),
    )
    .with_for_update(read=True, key_share=True)
)


def read_parcel(value: Any) -> Parcel:
    """Read which items are in a parcel: a map of item IDs to numbers of pieces.

    Raises: `ValidationError` naming every bad one.
    """
    if not isinstance(value, dict) or not value:
        raise invalid("must be a map of item IDs to numbers of pieces", "required")
    if len(value) > _MOST:
        raise invalid(f"holds more than {_MOST} items", "too_long")
    found: dict[int, int] = {}
    faults = Faults()
    for key, pieces in value.items():
        with faults.of(key):
            item_id = _ITEM.parse(key)
            if item_id in found:
                raise invalid(f"names item {item_id} again")
            found[item_id] = _PIECES.parse(pieces)
    faults.tell()
    return found


def packed(db: Connection, shipment_id: int) -> Parcel:
    """What is in a shipment."""
    return dict(db.rows(_PACKED, id=shipment_id))


def group_of(db: Connection, order_id: int, parcel: Parcel, before: Parcel) -> int:
    """The group that the items of a parcel belong to.

    Shapes: `before` is what is in it now. The caller holds the order.
    Raises: `InvalidInput` naming each item that is not in the order, or of which less
    is left, and a parcel of items that do not go together.
    Source: spec/entities/shipments.md, rules 1 and 6.
    """
    items = {row[0]: row[1:] for row in db.rows(_ITEMS, order_id=order_id)}
    errors = []
    for item_id, pieces in parcel.items():
        if item_id not in items:
            text, code = "is no item of the order", "unknown"
        else:
            _, amount, shipped = items[item_id]
            left = amount - shipped + before.get(item_id, 0)
            text, code = f"has {left} left to ship", "out_of_range"
            if pieces <= left:
                continue
        errors.append(FieldError(f"products.{item_id}", text, code))
    if errors:
        raise InvalidInput(errors=errors)
    groups = {items[item_id][0] for item_id in parcel}
    if len(groups) > 1:
        raise InvalidInput.of("products", "holds items of several groups")
    return int(groups.pop())


def repack(db: Transaction, shipment_id: int, parcel: Parcel) -> bool:
    """Bring what is in a shipment in line, and tell whether anything moved.

    Raises: `InvalidInput` if more would be shipped of an item than was ordered.
    """
    before = packed(db, shipment_id)
    if before == parcel:
        return False
    order_id = db.value(_ORDER, id=shipment_id)
    for item_id in sorted({*before, *parcel}):
        pieces = parcel.get(item_id, 0) - before.get(item_id, 0)
        key = {"of_order": order_id, "of_item": item_id}
        if pieces and not db.run(_SHIP, **key, pieces=pieces):
            field = f"products.{item_id}"
            raise InvalidInput.of(field, "has less left to ship", "out_of_range")
    table = table_of(ShipmentItem)
    db.delete(table, {"shipment_id": shipment_id})
    db.insert_many(
        table,
        [
            {"shipment_id": shipment_id, "item_id": item_id, "amount": pieces}
            for item_id, pieces in sorted(parcel.items())
        ],
    )
    return True


def has_shipments(db: Connection, order_id: int) -> bool:
    """Whether an order, which the caller holds, has a shipment."""
    return db.row(_ANY, order_id=order_id) is not None


def chosen_method(
    db: Connection, order_id: int, group_key: int
) -> tuple[int, str | None]:
    """The shipping method that was chosen for a group of an order, and its name."""
    row = db.row(_CHOSEN, order_id=order_id, group_key=group_key)
    if row is None:
        return NO_METHOD, None
    return int(row[0]), orjson.loads(row[1]).get("shipping") or None


def method_name(
    db: Connection, shipping_id: int, companies: Iterable[int], lang_code: str
) -> str | None:
    """The name of a shipping method; `None` if there is none for these companies."""
    row = db.row(_METHOD, id=shipping_id, lang_code=lang_code)
    if row is None or row[0] not in companies:
        return None
    return str(row[1])


def check_letter(db: Connection, letter: str) -> None:
    """Refuse a status that no shipment can have; one of a shop's own stays.

    Raises: `InvalidInput`.
    Source: spec/entities/shipments.md, section 7, advice 3.
    """
    if letter not in SHIPMENT_LETTERS and db.row(_STATUS, letter=letter) is None:
        raise InvalidInput.of("status", "is no status of shipments", "unknown")
