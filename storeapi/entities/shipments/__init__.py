"""Shipments: the parcels in which the items of an order are sent."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import bindparam, or_, select

from storeapi import (
    AnyOf,
    Condition,
    Forbidden,
    InvalidInput,
    Key,
    Period,
    Record,
    Refused,
    TableEntity,
    Where,
    allow,
    setting_value,
)
from storeapi.core.filters import read_letters
from storeapi.core.rows import column_defaults, table_of
from storeapi.core.writing import Values
from storeapi.entities.shipments.fields import ShipmentFields
from storeapi.models import Order, Shipment
from storeapi.rules.order_families import family_of, hold, write_order
from storeapi.rules.order_messages import tell
from storeapi.rules.order_sent import NOTIFY
from storeapi.rules.order_statuses import change_status
from storeapi.rules.shipments import (
    NAMELESS,
    check_letter,
    chosen_method,
    group_of,
    has_shipments,
    method_name,
    packed,
)
from storeapi.rules.statuses import hold_status
from storeapi.rules.store_settings import SEVERAL_SHIPMENTS

EVENT = "order.shipment"
_DATE = Shipment.timestamp


def _in_status(_entity: Any, value: Any) -> Condition:
    """The shipments of orders that are in one of some statuses."""
    letters = read_letters("order_status", value)
    wanted: Any = bindparam("order_statuses", expanding=True)
    orders = select(Order.order_id).where(Order.status.in_(wanted))
    return Condition(
        "order status",
        lambda: Shipment.order_id.in_(orders),
        {"order_statuses": letters},
    )


def _of_order_or_its_own(order_id: Key) -> Condition:
    """Of an order; of a parent, which has none, those of the orders below it."""
    above: Any = bindparam("above", required=True)
    orders = select(Order.order_id).where(
        or_(Order.order_id == above, Order.parent_order_id == above)
    )
    return Condition(
        "of the order above", lambda: Shipment.order_id.in_(orders), {"above": order_id}
    )


class Shipments(TableEntity[Shipment]):
    """Parcels of orders: which items, by which carrier, with which number."""

    name = "shipments"
    id_key = "shipment_id"
    model = Shipment
    fields = ShipmentFields
    filters = (
        AnyOf(shipment_id=Shipment.shipment_id),
        Where("order_status", _in_status),
        Period(_DATE),
    )
    sortings = {
        "shipment_date": _DATE,
        "date": _DATE,
        "id": Shipment.shipment_id,
        "order_id": Shipment.order_id,
        "order_date": Shipment.order_timestamp,
        "customer": Shipment.name_key,
        "status": Shipment.status,
    }
    default_sort = "shipment_date"
    default_descending = True
    privileges = allow(view="view_orders", manage="edit_order")
    parents = {"orders": None, "stores": "company_id", "vendors": "company_id"}

    _orders: dict[int, Record]
    """The order of this write, held, with those that go with it."""

    def scope(self) -> Iterable[Condition]:
        """Below an order its shipments; below a parent those of its orders.

        Source: spec/entities/orders.md, rule 5.1.7.
        """
        yield from super().scope()
        parent = self.context.parent
        if parent is not None and parent.name == "orders":
            yield _of_order_or_its_own(parent.id)

    def decided(self) -> Values:
        """The order of the path too, whatever a payload says.

        Source: spec/protocol.md, section 14, rule 5.
        """
        found, parent = super().decided(), self.context.parent
        if parent is not None and parent.name == "orders":
            found["order_id"] = parent.id
        return found

    def place(self, values: Values) -> None:
        """Hold the order, and take company, customer and time from it.

        Raises: `InvalidInput` for an order that the caller cannot see, or that has no
        items of its own.
        """
        values.update(self.decided())
        order_id = values["order_id"]
        self._hold(order_id)
        order = self._orders.get(order_id)
        if order is None or values.get("company_id") not in (None, order["company_id"]):
            raise InvalidInput.of("order_id", f"{order_id} does not exist", "unknown")
        if order["is_parent_order"] == "Y":
            others = ", ".join(str(id) for id in self._orders if id != order_id)
            raise InvalidInput.of("order_id", f"is the parent of {others}: ship these")
        copied = {name: order[name] for name in ("company_id", "user_id", "name_key")}
        values |= {**copied, "order_timestamp": order["timestamp"]}

    def _hold(self, order_id: int) -> None:
        """Hold an order and its parent: orders come before all that is theirs."""
        self._orders = hold(self.db, family_of(self.db, order_id))

    def locked_row(self, id: Key) -> Record:
        """Hold the order, then the shipment; its order never changes."""
        order_id = int(self.read_one(id, {"fields": "order_id"})["order_id"])
        self._hold(order_id)
        return super().locked_row(id)

    def check(self, values: Values, row: Record | None) -> None:
        """Judge items, status and carrier; complete group, method and time."""
        order = self._orders[values["order_id"] if row is None else row["order_id"]]
        if row is None:
            self._check_number(order)
            values["shipment_timestamp"] = (
                values.get("shipment_timestamp") or self.context.now
            )
        if "products" in values:
            before = {} if row is None else packed(self.db, row["shipment_id"])
            values["group_key"] = group_of(
                self.db, order["order_id"], values["products"], before
            )
        if "status" in values and (row is None or values["status"] != row["status"]):
            check_letter(self.db, values["status"])
        merged = {"carrier": "", "tracking_number": "", **(row or {}), **values}
        if not (merged["carrier"].strip() or merged["tracking_number"].strip()):
            text = "is required where there is no carrier"
            raise InvalidInput.of("tracking_number", text, "required")
        self._complete_method(values, row, order)
        self._check_order_status(values, order)

    def _check_number(self, order: Record) -> None:
        """Refuse a second shipment where the store has one for each order.

        Source: spec/entities/shipments.md, rule 9.
        """
        environment, company_id = self.context.settings, order["company_id"]
        several = setting_value(self.db, environment, SEVERAL_SHIPMENTS, company_id)
        if several != "Y" and has_shipments(self.db, order["order_id"]):
            raise Refused("the store sends each order in one shipment")

    def _complete_method(
        self, values: Values, row: Record | None, order: Record
    ) -> None:
        """Find the shipping method and its name where they were not sent.

        Source: spec/entities/shipments.md, section 2.
        """
        if row is not None and values.get("shipping_id") in (None, row["shipping_id"]):
            return
        group_key = int({**(row or {}), **values}["group_key"])
        chosen, name = chosen_method(self.db, order["order_id"], group_key)
        shipping_id = values.setdefault("shipping_id", chosen)
        lang_code = self.context.installation.spoken(order["lang_code"])
        if not shipping_id:
            name = None
        elif shipping_id != chosen or name is None:
            companies = (0, order["company_id"])
            name = method_name(self.db, shipping_id, companies, lang_code)
            if name is None and shipping_id != chosen:
                text = f"{shipping_id} is no shipping method of the order's company"
                raise InvalidInput.of("shipping_id", text, "unknown")
        if not values.get("shipping"):
            values["shipping"] = name or NAMELESS

    def _check_order_status(self, values: Values, order: Record) -> None:
        """Judge the status that the order is to get with the shipment.

        Source: spec/entities/shipments.md, rule 3 and section 6.
        """
        letter = _letter(values, order)
        if letter == order["status"]:
            return
        if not self.caller.allows("change_order_status"):
            raise Forbidden("no privilege to change the status of orders")
        hold_status(self.db, letter, "order_status")

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write a shipment, and what follows for its order."""
        id = super().insert(values, languages)
        written = {**column_defaults(table_of(Shipment)), **values}
        self._follow(id, written, values["order_id"])
        return id

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change a shipment, and what follows for its order."""
        changed = super().change(id, row, values, languages)
        order = self._orders[row["order_id"]]
        if changed or _letter(values, order) != order["status"]:
            self._follow(id, {**row, **values}, row["order_id"])
        return changed

    def remove(self, id: Key, row: Record) -> None:
        """Give back what is in a shipment; the order keeps its status."""
        super().remove(id, row)
        for order in self._orders.values():
            write_order(self.db, order, {}, self.context)

    def _follow(self, id: Key, values: Values, order_id: int) -> None:
        """Let the order, and its parent, show the shipment; set its status; tell."""
        order = self._orders[order_id]
        flags = frozenset(name for name in NOTIFY if values.get(name) == "Y")
        letter = _letter(values, order)
        changed = change_status(self.db, order, letter, flags, self.context)
        for each in self._orders.values():
            own = changed if each is order else {}
            write_order(self.db, each, own, self.context)
        kept = ("shipping", "carrier", "tracking_number", "status")
        message = {"shipment_id": int(id), **{n: values.get(n, "") for n in kept}}
        tell(self.db, order, flags, (EVENT, message), self.context)


def _letter(values: Values, order: Record) -> str:
    """The status that an order is to have: the one that was sent, or its own."""
    return str(values.get("order_status") or order["status"])


__all__ = ["ShipmentFields", "Shipments"]
