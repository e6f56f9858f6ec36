"""Orders for tests: written straight into the tables, or made through the API."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import select

from storeapi import counting
from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.models import (
    Order,
    OrderItem,
    OrderShipping,
    OrderTax,
    Shipment,
    ShipmentItem,
    User,
)
from storeapi.rules.order_terms import SUMS
from tests.shop import NOW, Shop

_numbers = itertools.count(1)


def stored_order(
    shop: Shop,
    *items: dict[str, Any],
    shippings: tuple[dict[str, Any], ...] = (),
    **values: Any,
) -> int:
    """An order as a row, with lines and shipping as they are given."""
    first, last = values.get("firstname", "Mira"), values.get("lastname", "Kessler")
    row = {
        "company_id": shop.store,
        "status": "O",
        "timestamp": NOW,
        "updated_at": values.get("timestamp", NOW),
        "firstname": first,
        "lastname": last,
        "name_key": f"{folded(last)}\t{folded(first)}",
        "person_key": f"{folded(first)} {folded(last)}",
        "email_key": folded(values.get("email", "")),
        "groups": '[{"name": "Harbour Shop", "company_id": 1, "origination": {}}]',
        **values,
    }

    def action(db: Transaction) -> int:
        id = db.insert(table_of(Order), row)
        for number, item in enumerate(items):
            line = {"order_id": id, "position": number, "item_id": 1 + number, **item}
            db.insert(table_of(OrderItem), line)
        for each in shippings:
            line = {"order_id": id, "group_key": 0, "record": "{}", **each}
            db.insert(table_of(OrderShipping), line)
        db.record(
            Change(
                "orders",
                Operation.CREATE,
                id,
                row["company_id"],
                after=row,
                table="orders",
            )
        )
        return id

    return shop.database.write(action)


def listed(shop: Shop, query: str = "", caller: Any = None) -> list[int]:
    """The IDs of a list of orders, in its order."""
    answer = (caller or shop.root).get(f"orders?{query}")
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return [int(each["order_id"]) for each in answer.get_json()["orders"]]


def make_user(shop: Shop, **values: Any) -> int:
    """A customer."""
    email = values.pop("email", None) or f"buyer{next(_numbers)}@example.com"
    row = {"email": email, "email_key": folded(email), "login_key": email}
    return shop.insert(User, **{"company_id": 0, "user_type": "C", **row, **values})


def differences(shop: Shop) -> list[Any]:
    """What is kept of all objects and does not fit what is there."""
    tables = counting.counted_tables(shop.registry)

    def found(db: Transaction) -> list[Any]:
        return [*counting.differences(db, tables), *unbalanced(db)]

    return shop.database.write(found)


def unbalanced(db: Transaction) -> Iterator[str]:
    """Orders whose parts do not add up to their sums, or to what is in parcels."""
    orders = db.execute(select(table_of(Order))).all()
    items, taxes, shippings = (
        _by_order(db.execute(select(table_of(part))).all())
        for part in (OrderItem, OrderTax, OrderShipping)
    )
    parcels = select(Shipment.order_id, ShipmentItem.item_id, ShipmentItem.amount)
    sent: Counter[Any] = Counter()
    for order_id, item_id, amount in db.execute(
        parcels.join(Shipment, Shipment.shipment_id == ShipmentItem.shipment_id)
    ):
        sent[order_id, item_id] += amount
    children = _by_order(orders, "parent_order_id")
    for order in orders:
        id, own = order.order_id, items[order.order_id]
        if order.is_parent_order == "Y":
            pairs = {n: sum(getattr(c, n) for c in children[id]) for n in SUMS}
        else:
            pairs = _sums(order, own, taxes[id], shippings[id])
        for name, value in pairs.items():
            if getattr(order, name) != value:
                yield f"{name} of order {id}: {getattr(order, name)}, not {value}"
        for item in own:
            if (item.subtotal, item.shipped_amount) != (
                item.price * item.amount,
                sent[id, item.item_id],
            ):
                yield f"item {item.item_id} of order {id}"


def held_pieces(db: Transaction) -> Counter[tuple[int, str | None]]:
    """The pieces that orders hold, by product and the stock they came from."""
    found: Counter[tuple[int, str | None]] = Counter()
    lines = select(OrderItem.product_id, OrderItem.taken_from, OrderItem.amount)
    holding = lines.join(Order, Order.order_id == OrderItem.order_id)
    for id, source, amount in db.execute(holding.where(Order.stock_taken == "Y")):
        found[id, source] += amount
    return found


def _by_order(rows: Iterable[Any], name: str = "order_id") -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        found[getattr(row, name)].append(row)
    return found


def _sums(order: Any, items: Any, taxes: Any, shippings: Any) -> dict[str, int]:
    """The sums that the parts of an order come to; what is set by hand stays."""
    subtotal = sum(item.subtotal for item in items)
    shipping = sum(each.rate for each in shippings)
    on_top = sum(
        tax.of_products + tax.of_shipping + tax.of_surcharge
        for tax in taxes
        if tax.price_includes_tax == "N"
    )
    goods = subtotal - order.subtotal_discount
    if order.set_discount is not None:
        whole = sum(item.original_price * item.amount for item in items)
        goods = whole - order.set_discount - order.subtotal_discount
    total = max(0, goods + shipping + on_top + order.payment_surcharge)
    return {
        "subtotal": subtotal,
        "shipping_cost": shipping,
        "tax_subtotal": on_top,
        "total": total if order.set_total is None else order.set_total,
    }


class Till:
    """What orders are made with: a payment and a shipping method, two products.

    The lantern costs 24.50 and weighs 0.8, the blanket 60.00 and 1.5; the tax of
    20 % is in all prices. So they, the shipping and the surcharge are those of the
    worked example of the specification.
    """

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.tax = self.made(
            "taxes",
            "tax_id",
            tax="VAT 20%",
            regnumber="NP-77",
            price_includes_tax="Y",
            rates={"1": 20},
        )
        self.payment = self.made(
            "payments",
            "payment_id",
            payment="Card at pickup",
            company_id=shop.store,
            a_surcharge="0.3",
            p_surcharge="1",
        )
        rates = {"C": {"0": 9, "50": 5}, "W": {"2": 1.5}}
        self.shipping = self.made(
            "shippings",
            "shipping_id",
            shipping="Harbour Courier",
            company_id=shop.store,
            delivery_time="1-2 days",
            tax_ids=[self.tax],
            rates={"1": {"rate_value": rates}},
        )
        self.lantern = self.product("Trail Lantern", "24.50", weight="0.8")
        self.blanket = self.product("Wool Camp Blanket", "60", weight="1.5")

    def made(self, name: str, key: str, **body: Any) -> int:
        """The ID of an object that is made through the API."""
        answer = self.shop.root.post(name, body)
        assert answer.status_code == 201, answer.get_data(as_text=True)
        return int(answer.get_json()[key])

    def product(self, name: str, price: str, **more: Any) -> int:
        """A product with ten pieces."""
        body = {"price": price, "amount": 10, "tax_ids": [self.tax], **more}
        return self.shop.make_product(name, **body)

    def net(self) -> int:
        """A product of the vendor, of which there are five pieces."""
        vendor = self.shop.vendor
        category = self.shop.make_category("Nets", company_id=vendor)
        more = {"company_id": vendor, "category_ids": [category], "amount": 5}
        return self.shop.make_product("Net", price="10", **more)

    def common(self, name: str, **more: Any) -> int:
        """A payment or shipping method that everybody may use."""
        key = f"{name.removesuffix('s')}_id"
        body = {name.removesuffix("s"): "Any", "company_id": 0, **more}
        return self.made(name, key, **body)

    def body(self, **changes: Any) -> dict[str, Any]:
        """The payload of a guest's order: two lanterns and a blanket."""
        products = {str(self.lantern): {"amount": 2}, str(self.blanket): {"amount": 1}}
        return {
            "user_id": 0,
            "payment_id": self.payment,
            "shipping_id": self.shipping,
            "products": products,
            "user_data": GUEST_DATA,
            **changes,
        }

    def order(self, caller: Any = None, **changes: Any) -> int:
        """Make an order; its ID."""
        answer = (caller or self.shop.root).post("orders", self.body(**changes))
        assert answer.status_code == 201, answer.get_data(as_text=True)
        return int(answer.get_json()["order_id"])

    def put(self, id: int, **body: Any) -> dict[str, Any]:
        """Change an order; the record after it."""
        answer = self.shop.root.put(f"orders/{id}", body)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return self.record(id)

    def record(self, id: int) -> dict[str, Any]:
        """The full record of an order."""
        record: dict[str, Any] = self.shop.root.get(f"orders/{id}").get_json()
        return record

    def stock(self, product_id: int | None = None) -> int:
        """The pieces that are left, by default of the lantern."""
        path = f"products/{product_id or self.lantern}"
        return int(self.shop.root.get(path).get_json()["amount"])


GUEST_DATA = {
    "email": "mira@example.com",
    **{
        f"{side}_{part}": value
        for side in "bs"
        for part, value in {
            "firstname": "Mira",
            "lastname": "Kessler",
            "address": "18 Harbour Lane",
            "city": "Portsmouth",
            "state": "NH",
            "country": "US",
            "zipcode": "03801",
        }.items()
    },
}
