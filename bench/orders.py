"""Orders in a measured store: enough of them, and the requests about them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import bindparam, func, select, update

from storeapi.core.access import Caller, Installation
from storeapi.core.database import Database, Transaction
from storeapi.core.entity import Context
from storeapi.core.statement import query
from storeapi.demo.orders import fill_orders
from storeapi.demo.words import FIRST_NAMES
from storeapi.models import Order, Payment, Product, ProductText, Shipping

NOW = 1_790_000_000
_LINES = 3
_ENDLESS = 2_000_000_000
_AT_ONCE = 20_000
_SOLD = (
    "product_id", "company_id", "status", "amount", "price", "weight", "tax_ids",
    "product_code", "free_shipping",
)  # fmt: skip

_NUMBER = query(select(func.count()).select_from(Order))
_PLAIN = query(
    select(*[getattr(Product, name) for name in _SOLD], ProductText.product)
    .join(ProductText, ProductText.product_id == Product.product_id)
    .where(
        Product.status == "A",
        Product.company_id == 1,
        Product.tracking == "B",
        ProductText.lang_code == "en",
        Product.product_id > 1000,
    )
    .order_by(Product.product_id)
    .limit(1000)
)
_ENDED = query(
    update(Product)
    .where(Product.product_id.in_(bindparam("ids", expanding=True)))
    .values(amount=_ENDLESS)
)
_METHODS = tuple(
    query(select(func.min(key)).where(company == 1))
    for key, company in (
        (Payment.payment_id, Payment.company_id),
        (Shipping.shipping_id, Shipping.company_id),
    )
)
_INVOICED = query(
    select(func.max(Order.order_id)).where(
        Order.invoice_id > 0, Order.company_id == 1, Order.status == "C"
    )
)


@dataclass(frozen=True, slots=True)
class Sale:
    """What is ordered, and an order to ask for. Shapes: `body` is a payload."""

    order: int = 0
    body: Mapping[str, object] = field(default_factory=dict)


def sell(database: Database, settings: Any, orders: int) -> Sale:
    """See to it that there are so many orders; returns what is asked of them."""
    rows = database.read(lambda db: db.rows(_PLAIN))
    products = [dict(zip((*_SOLD, "product"), row, strict=True)) for row in rows]
    context = Context(Caller(), Installation(), settings, now=NOW)
    while (known := database.read(lambda db: db.value(_NUMBER))) < orders:
        part = min(_AT_ONCE, orders - known)

        def write(db: Transaction, known: int = known, part: int = part) -> None:
            fill_orders(db, products, context, seed=known, number=part)

        database.write(write)
    wanted = [each["product_id"] for each in products[:_LINES]]
    database.write(lambda db: db.run(_ENDED, ids=wanted))
    payment, shipping, order = (
        database.read(lambda db, q=q: db.value(q)) for q in (*_METHODS, _INVOICED)
    )
    address = {"address": "18 Harbour Lane", "city": "Hamburg", "country": "DE",
               "state": "HH", "zipcode": "20457", "firstname": FIRST_NAMES[0],
               "lastname": "{n}"}  # fmt: skip
    body = {
        "payment_id": payment,
        "shipping_id": shipping,
        "products": {str(id): {"amount": 1} for id in wanted},
        "user_data": {
            "email": "b{n}@example.com",
            **{f"b_{part}": value for part, value in address.items()},
        },
    }
    return Sale(order, body)
