"""What customers of the demo have bought over the last year.

The sums are those of the calculation of orders; only the choice is chance. Rows are
written in bulk, so that a million orders can be made as well.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import orjson
from sqlalchemy import bindparam, select, update

from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.counting import recount_table
from storeapi.demo.chance import chance_of
from storeapi.demo.shipments import Dispatch
from storeapi.demo.words import FIRST_NAMES, LAST_NAMES
from storeapi.models import (
    Invoice,
    Order,
    OrderItem,
    OrderShipping,
    OrderStatusChange,
    OrderTax,
    Payment,
    Product,
    Shipping,
    User,
)
from storeapi.rules.buying import Buyer
from storeapi.rules.destinations import Address
from storeapi.rules.lines import item_id
from storeapi.rules.money import currency_of
from storeapi.rules.order_contacts import CONTACT, named
from storeapi.rules.order_items import Sold, item_rows
from storeapi.rules.order_terms import (
    Charge,
    Seller,
    sellers,
    sums_of,
    surcharge_of,
    tax_rows,
)
from storeapi.rules.payments import available_payment
from storeapi.rules.shipping_cost import Measures, measures_of, shipping_cost
from storeapi.rules.shippings import Parcel, ShippingMethod, available_shippings
from storeapi.rules.stock_books import OWN
from storeapi.rules.tax_rules import tax_rules
from storeapi.rules.totals import Bill, ShippingCharge, Totals, calculate
from storeapi.seeding import advance, largest

ORDERS = 500

_CHUNK = 1000
_DAY_S = 24 * 3600
_YEAR_S = 365 * _DAY_S
_MOST_LINES = 4
_LANG = "en"
_CITIES = (
    ("Portsmouth", "NH", "US", "03801"), ("Bristol", "BST", "GB", "BS1 4DJ"),
    ("Lisboa", "11", "PT", "1100-148"), ("Hamburg", "HH", "DE", "20457"),
    ("Bergen", "46", "NO", "5003"), ("Genova", "GE", "IT", "16126"),
)  # fmt: skip
_STREETS = ("Harbour Lane", "Mill Street", "Quay Road", "Chapel Hill", "North Pier")
# Recent orders are open more often; what gave the stock back is not sold.
_RECENT = ("O",) * 5 + ("P",) * 4 + ("C",) * 2 + ("Y", "B")
_OLD = ("C",) * 17 + ("P", "I", "D")
_GIVEN_BACK = "IDF"
_INVOICED = "PC"
_BUYERS = query(
    select(*[getattr(User, name) for name in ("user_id", *CONTACT)])
    .where(User.user_type == "C")
    .order_by(User.user_id)
    .limit(200)
)
_SOLD = query(
    update(Product)
    .where(Product.product_id == bindparam("id", required=True))
    .values(sales_amount=Product.sales_amount + bindparam("by", required=True))
)

Row = dict[str, Any]


class _Method(NamedTuple):
    payment_id: int
    record: str


@dataclass(frozen=True, slots=True)
class _Shop:
    """A company that sells: its products and methods."""

    seller: Seller
    products: Sequence[Row]
    payments: Sequence[_Method]
    shippings: Sequence[ShippingMethod]


class _Made(NamedTuple):
    """An order with its parts."""

    order: Row
    items: list[Sold]
    charge: Charge
    totals: Totals


def fill_orders(
    db: Transaction,
    products: Iterable[Row],
    context: Context,
    *,
    seed: int,
    number: int = ORDERS,
) -> None:
    """Write orders of the plain products of each company; `context` knows the time."""
    chances = (chance_of(f"{seed} orders"), chance_of(f"{seed} shipments"))
    writing = _Writing(db, context, *chances)
    shops = writing.shops(products)
    for start in range(0, number if shops else 0, _CHUNK):
        writing.write(shops, min(_CHUNK, number - start))
    recount_table(db, table_of(Order))


class _Writing:
    def __init__(
        self,
        db: Transaction,
        context: Context,
        chance: random.Random,
        chance_to_send: random.Random,
    ) -> None:
        self._db = db
        self._now = context.now
        self._chance = chance
        self._chance_to_send = chance_to_send
        self._currency = currency_of(context.settings.currency)
        self._context = context
        rows = db.rows(_BUYERS)
        self._buyers = [dict(zip(("user_id", *CONTACT), r, strict=True)) for r in rows]
        self._taxes: Any = {}

    def shops(self, products: Iterable[Row]) -> list[_Shop]:
        """The companies with active products that they have pieces of."""
        by_company: dict[int, list[Row]] = {}
        for each in products:
            if each["status"] == "A" and each["company_id"] and each["amount"] > 0:
                by_company.setdefault(each["company_id"], []).append(each)
        taxes = {int(p["tax_ids"]) for own in by_company.values() for p in own}
        self._taxes = tax_rules(self._db, taxes, {"S": 1, "B": 1}, _LANG)
        known = sellers(self._db, by_company)
        found = [
            _Shop(known[id], own, self._payments(id), self._shippings(id))
            for id, own in sorted(by_company.items())
        ]
        return [shop for shop in found if shop.payments and shop.shippings]

    def _ids(self, model: Any, company_id: int) -> list[int]:
        key = next(iter(table_of(model).primary_key.columns))
        found = self._db.execute(
            select(key).where(model.company_id == company_id).order_by(key)
        )
        return [int(id) for id in found.scalars()]

    def _payments(self, company_id: int) -> list[_Method]:
        buyer = Buyer(frozenset({company_id}), frozenset({0}), lang_code=_LANG)
        return [
            _Method(
                id,
                orjson.dumps(
                    available_payment(self._db, id, buyer, self._context).record
                ).decode(),
            )
            for id in self._ids(Payment, company_id)
        ]

    def _shippings(self, company_id: int) -> list[ShippingMethod]:
        buyer = Buyer(frozenset({company_id}), frozenset({0}), lang_code=_LANG)
        parcel = Parcel(company_id, Address("US"), Measures(100, 100, 1, 0, 100))
        ids = self._ids(Shipping, company_id)
        found = available_shippings(self._db, ids, parcel, buyer, self._context)
        return list(found.values())

    # Orders

    def write(self, shops: Sequence[_Shop], number: int) -> None:
        """Write so many orders, the oldest first."""
        times = sorted(
            self._now - 600 - self._chance.randrange(_YEAR_S) for _ in range(number)
        )
        first = largest(self._db, table_of(Order)) + 1
        invoice = largest(self._db, table_of(Invoice))
        made, invoices = [], []
        for id, since in enumerate(times, first):
            each = self._make(id, since, self._chance.choice(shops))
            if each.order["status"] in _INVOICED:
                invoice += 1
                each.order["invoice_id"] = invoice
                invoices.append(
                    {
                        "invoice_id": invoice,
                        "order_id": id,
                        "timestamp": each.order["updated_at"],
                    }
                )
            made.append(each)
        self._insert(made, invoices)

    def _make(self, id: int, since: int, shop: _Shop) -> _Made:
        chance = self._chance
        count = min(len(shop.products), chance.choice((1, 1, 2, 2, 3, _MOST_LINES)))
        items = [_sold(p, chance) for p in chance.sample(shop.products, count)]
        charge = self._charge(items, chance.choice(shop.shippings))
        payment = chance.choice(shop.payments)
        totals = self._totals(items, charge, payment)
        old = since < self._now - 14 * _DAY_S
        status = chance.choice(_OLD if old else _RECENT)
        if status not in _GIVEN_BACK:
            items = [replace(item, taken_from=OWN) for item in items]
        later = since if status == "O" else since + chance.randrange(600, 3 * _DAY_S)
        order = {
            **self._buyer(),
            "order_id": id,
            "company_id": shop.seller.company_id,
            "status": status,
            "stock_taken": "N" if status in _GIVEN_BACK else "Y",
            "timestamp": since,
            "updated_at": min(later, self._now),
            "payment_id": payment.payment_id,
            "payment_method": payment.record,
            "groups": shop.seller.group,
            "invoice_id": 0,
            "lang_code": _LANG,
            "ip_address": f"192.0.2.{chance.randint(1, 254)}",
            "secondary_currency": self._currency.code,
            **sums_of(totals),
        }
        return _Made(order, items, charge, totals)

    def _charge(self, items: Sequence[Sold], method: ShippingMethod) -> Charge:
        rate = shipping_cost(method.rates, measures_of(items), self._currency)
        record = orjson.dumps(method.record).decode()
        return Charge(method.shipping_id, rate, record, method.tax_ids)

    def _totals(
        self, items: Sequence[Sold], charge: Charge, payment: _Method
    ) -> Totals:
        sent = ShippingCharge(charge.shipping_id, charge.rate, charge.tax_ids)
        bill = Bill(
            lines=items,
            shippings=[sent],
            surcharge=surcharge_of(payment.payment_id, payment.record),
            taxes=self._taxes,
        )
        return calculate(bill, self._currency)

    def _buyer(self) -> Row:
        """A customer, or a guest; whoever said no address gets one."""
        chance = self._chance
        known = bool(self._buyers) and chance.random() < 0.7
        contact = dict(chance.choice(self._buyers)) if known else _guest(chance)
        user_id = contact.pop("user_id", 0)
        city, state, country, zipcode = chance.choice(_CITIES)
        street = f"{chance.randint(1, 120)} {chance.choice(_STREETS)}"
        place = {
            "address": street,
            "city": city,
            "state": state,
            "country": country,
            "zipcode": zipcode,
            "firstname": contact["firstname"],
            "lastname": contact["lastname"],
        }
        for side in "bs":
            if not contact[f"{side}_address"]:
                contact |= {f"{side}_{part}": value for part, value in place.items()}
        return {**named(contact), "user_id": user_id, "profile_id": user_id}

    def _insert(self, made: Sequence[_Made], invoices: Sequence[Row]) -> None:
        db = self._db
        db.insert_many(table_of(Order), [each.order for each in made])
        advance(db, table_of(Order))
        db.insert_many(table_of(Invoice), invoices)
        advance(db, table_of(Invoice))
        items, taxes, shippings, steps = [], [], [], []
        sold: dict[int, int] = {}
        dispatch = Dispatch(db, self._chance_to_send)
        for order, lines, charge, totals in made:
            id = order["order_id"]
            packed = dispatch.pack(order, lines, charge)
            items += item_rows(id, packed, totals.lines)
            taxes += tax_rows(id, totals)
            shippings.append(charge.row(id))
            steps += _steps(order)
            if order["stock_taken"] == "Y":
                for line in lines:
                    sold[line.product_id] = sold.get(line.product_id, 0) + line.amount
        db.insert_many(table_of(OrderItem), items)
        db.insert_many(table_of(OrderTax), taxes)
        db.insert_many(table_of(OrderShipping), shippings)
        db.insert_many(table_of(OrderStatusChange), steps)
        dispatch.write()
        db.run_many(_SOLD, [{"id": id, "by": by} for id, by in sorted(sold.items())])


def _guest(chance: random.Random) -> Row:
    first, last = chance.choice(FIRST_NAMES), chance.choice(LAST_NAMES)
    email = f"{folded(first)}.{chance.randrange(1000)}@example.net"
    names = {"email": email, "firstname": first, "lastname": last}
    return dict.fromkeys(CONTACT, "") | names


def _sold(product: Row, chance: random.Random) -> Sold:
    """A product without options, as it is sold at its usual price."""
    id = product["product_id"]
    return Sold(
        item_id=item_id(id, ()),
        product_id=id,
        company_id=product["company_id"],
        product=product["product"],
        product_code=product["product_code"],
        price=product["price"],
        base_price=product["price"],
        original_price=product["price"],
        amount=chance.choice((1, 1, 1, 2, 2, 3)),
        tax_ids=(int(product["tax_ids"]),),
        weight=product["weight"],
        free_shipping=product["free_shipping"] == "Y",
    )


def _steps(order: Row) -> list[Row]:
    """How an order came to its status."""
    id, status = order["order_id"], order["status"]
    step = {"order_id": id, "user_id": None}
    begun = {
        **step,
        "timestamp": order["timestamp"],
        "status_before": "",
        "status_after": "O",
    }
    if status == "O":
        return [begun]
    after = {
        **step,
        "timestamp": order["updated_at"],
        "status_before": "O",
        "status_after": status,
    }
    return [begun, after]
