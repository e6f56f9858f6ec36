"""The fields of a shipment, in the order of spec/entities/shipments.md."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi import (
    Connection,
    Context,
    Fields,
    Flag,
    Id,
    Integer,
    Nested,
    Text,
    Timestamp,
    Transaction,
    query,
)
from storeapi.core.kinds import JsonSchema, Letter
from storeapi.models import Order, Shipment, ShipmentItem
from storeapi.rules.shipments import Parcel, read_parcel, repack

_ITEMS = query(
    select(ShipmentItem.shipment_id, ShipmentItem.item_id, ShipmentItem.amount)
    .where(ShipmentItem.shipment_id.in_(bindparam("ids", expanding=True)))
    .order_by(ShipmentItem.shipment_id, ShipmentItem.item_id)
)


def of_order(column: Any) -> Any:
    """A column of the order that a shipment is of."""
    found = select(column).where(Order.order_id == Shipment.order_id)
    return found.scalar_subquery()


class Products(Nested):
    """What is in a parcel: a map of the order's item IDs to numbers of pieces."""

    def parse(self, value: Any) -> Parcel:
        """Read the map."""
        return read_parcel(value)

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the items of a page."""
        found: dict[int, dict[str, str]] = {}
        for shipment_id, item_id, amount in db.rows(_ITEMS, ids=ids):
            found.setdefault(shipment_id, {})[str(item_id)] = str(amount)
        return found

    def save(
        self, db: Transaction, owner_id: int, value: Parcel, context: Context
    ) -> bool:
        """Replace them, and count what of the order is shipped now."""
        return repack(db, owner_id, value)

    def remove(self, db: Transaction, ids: Sequence[int], context: Context) -> None:
        """Give the pieces back to what is to be shipped."""
        for shipment_id in ids:
            repack(db, shipment_id, {})

    def record_schema(self) -> JsonSchema:
        """Describe the map."""
        return {"type": "object", "additionalProperties": {"type": "string"}}

    def payload_schema(self) -> JsonSchema:
        """Describe what is taken."""
        pieces = {"type": ["string", "integer"]}
        return {"type": "object", "additionalProperties": pieces}


class ShipmentFields(Fields):
    """All fields of `shipments`."""

    shipment_id = Id(dump_only=True, listed=True)
    shipment_timestamp = Timestamp(
        column=Shipment.timestamp, listed=True, aliases=("timestamp",)
    )
    order_id = Id(required=True, create_only=True, listed=True)
    order_timestamp = Timestamp(dump_only=True, listed=True)
    company_id = Id(dump_only=True, listed=True)
    user_id = Id(zero=True, dump_only=True, listed=True)
    firstname = Text(column=of_order(Order.firstname), dump_only=True, listed=True)
    lastname = Text(column=of_order(Order.lastname), dump_only=True, listed=True)
    shipping_id = Id(zero=True, listed=True)
    shipping = Text(listed=True)
    carrier = Text(listed=True)
    tracking_number = Text(listed=True)
    comments = Text(listed=True)
    group_key = Integer(dump_only=True, listed=True)
    status = Letter(listed=True)
    order_status = Letter(column=of_order(Order.status), listed=True)
    products = Products(required=True, listed=True)
    notify_user = Flag(load_only=True, default="N")
    notify_department = Flag(load_only=True, default="N")
    notify_vendor = Flag(load_only=True, default="N")
