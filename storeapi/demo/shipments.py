"""What of the demo's orders was sent, and in which parcels."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.demo.selling import PICK_UP
from storeapi.models import Shipment, ShipmentItem
from storeapi.rules.order_items import Sold
from storeapi.rules.order_terms import Charge
from storeapi.seeding import advance, largest

_CARRIERS = ("dhl", "dhl", "ups", "fedex", "usps")
_COUNTER = "Counter"
_COMPLETE, _WAITING = "C", "PB"
_SPLIT = 0.25
"""So many orders of several lines go in two parcels."""


class Dispatch:
    """Packs orders, then writes the parcels of all of them at once."""

    def __init__(self, db: Transaction, chance: random.Random) -> None:
        self._db = db
        self._chance = chance
        self._last = largest(db, table_of(Shipment))
        self._shipments: list[dict[str, Any]] = []
        self._items: list[dict[str, int]] = []

    def pack(
        self, order: Mapping[str, Any], items: Sequence[Sold], charge: Charge
    ) -> list[Sold]:
        """Pack what was sent of an order; returns its lines, which tell so."""
        sent = self._sent(order["status"], items)
        split = len(sent) > 1 and self._chance.random() < _SPLIT
        parcels = [sent[:1], sent[1:]] if split else [sent]
        time, each = order["timestamp"], order["updated_at"] - order["timestamp"]
        for parcel in filter(None, parcels):
            time += each // len(parcels)
            self._add({**self._shipment(order, charge), "timestamp": time}, parcel)
        gone = {item.item_id for item in sent}
        return [
            replace(item, shipped_amount=item.amount) if item.item_id in gone else item
            for item in items
        ]

    def _sent(self, status: str, items: Sequence[Sold]) -> Sequence[Sold]:
        """All of a complete order; of some others what was there at once."""
        if status == _COMPLETE:
            return items
        begun = status in _WAITING and self._chance.random() < 0.5
        return items[:-1] if begun else ()

    def _shipment(self, order: Mapping[str, Any], charge: Charge) -> dict[str, Any]:
        method = orjson.loads(charge.record)["shipping"]
        carrier, number = _COUNTER, ""
        if method != PICK_UP[0]:
            carrier = self._chance.choice(_CARRIERS)
            number = f"{carrier[:2].upper()}{self._chance.randrange(10**9):09}"
        copied = ("order_id", "company_id", "user_id", "name_key")
        return {
            **{name: order[name] for name in copied},
            "shipping_id": charge.shipping_id,
            "shipping": method,
            "carrier": carrier,
            "tracking_number": number,
            "status": "S" if order["status"] == _COMPLETE else "P",
            "order_timestamp": order["timestamp"],
        }

    def _add(self, shipment: dict[str, Any], items: Sequence[Sold]) -> None:
        self._last += 1
        self._shipments.append({"shipment_id": self._last, **shipment})
        self._items += [
            {"shipment_id": self._last, "item_id": item.item_id, "amount": item.amount}
            for item in items
        ]

    def write(self) -> None:
        """Write the parcels of orders that are written already."""
        self._db.insert_many(table_of(Shipment), self._shipments)
        advance(self._db, table_of(Shipment))
        self._db.insert_many(table_of(ShipmentItem), self._items)
