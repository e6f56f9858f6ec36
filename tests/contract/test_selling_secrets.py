"""What is secret in orders, carts and methods leaves in no answer, event or log.

spec/entities/orders.md 5.5 and 2.7, carts.md 2.1 and 2.3, payments.md 5.4,
shippings.md 5.3.2; spec/pitfalls.md, "API keys or password hashes in lists".
"""

import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from storeapi import waiting_notifications
from storeapi.core.database import Connection
from storeapi.models import User
from storeapi.rules.card_numbers import clean
from tests.orders import GUEST_DATA, Till, make_user
from tests.sending_back import check_sent_back
from tests.shop import Caller, Shop

pytestmark = pytest.mark.any_database  # shown or not, which no database decides
CARD, CODE = "4111111111111111", "98713"
PASSWORD, SESSION = "harbour-l1ght", "s3ssion-token"
ACCOUNT, KEY = "s3cret-account", "s3cret-key"
NEVER = (CARD, "411111", CODE, PASSWORD, SESSION)
"""What is neither stored nor shown."""

OF_METHODS = (ACCOUNT, KEY)
"""What is stored, and shown to who manages the method alone."""

WORDS = ("session", "password", "passwd", "api_key", "digest", "hash", "salt", "cvv2")
LISTS = ("orders", "carts", "shipments", "statuses", "payments", "shippings", "taxes")


class Drawer:
    """A shop with something secret in every place that can hold it."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.told: list[Any] = []
        shop.database.subscribers.append(self.note)
        self.till = till = Till(shop)
        secret = {"service_params": {"account": ACCOUNT}}
        self.shipping = till.common(
            "shippings", **secret, rates={"1": {"rate_value": {"C": {"0": 2}}}}
        )
        self.payment = till.common("payments", processor_params={"key": KEY})
        self.user = make_user(shop, email="ida@example.com", firstname="Ida")
        shop.root.put(f"users/{self.user}", {"password": PASSWORD})
        info = {
            "card_number": CARD, "cvv2": CODE, "password": PASSWORD, "memo": CARD,
            "expiry": "09/31", "access_token": SESSION,
        }  # fmt: skip
        self.order = till.order(
            user_id=self.user, payment_id=self.payment, shipping_id=self.shipping,
            payment_info=info, session_id=SESSION,
        )  # fmt: skip
        till.put(self.order, status="P", notify_user="Y", notify_department="Y")
        till.put(self.order, payment_info=info, status="B", notify_user="Y")
        item = next(iter(till.record(self.order)["products"]))
        parcel = {"order_id": self.order, "products": {item: 1}, "carrier": "ups"}
        self.shipment = till.made("shipments", "shipment_id", **parcel)
        line = {"product_id": till.lantern, "session_id": SESSION}
        shop.root.put(f"carts/{self.user}", line)
        guest = {**line, "user_data": {**GUEST_DATA, "password": PASSWORD}}
        self.guest = shop.root.post("carts", guest).get_json()["user_id"]

    def note(self, db: Connection, changes: Any) -> None:
        """Keep what subscribers are told."""
        self.told.extend(changes)

    def paths(self) -> Iterator[str]:
        """Every address that tells of these objects."""
        records = (
            f"orders/{self.order}", f"carts/{self.user}", f"carts/{self.guest}",
            f"shipments/{self.shipment}", f"payments/{self.payment}",
            f"shippings/{self.shipping}", f"orders/{self.order}/shipments",
            f"users/{self.user}/carts", f"users/{self.user}/orders",
        )  # fmt: skip
        store = f"stores/{self.shop.store}"
        fields = "service_params,processor_params,payment_info,products,shipping"
        for path in (*LISTS, *records, *[f"{store}/{name}" for name in LISTS]):
            for query in ("", "?detailed_params=Y", f"?fields={fields}"):
                yield f"/api/2.0/{path}{query}"
            yield f"/api/1.0/{path}"

    def answers(self, caller: Caller) -> Iterator[tuple[str, str]]:
        """What a caller is told at each of them, also as plain text."""
        for path in self.paths():
            for accept in ("application/json", "text/plain"):
                answer = caller.get(path, headers={"Accept": accept})
                yield path, f"{answer.headers}{answer.get_data(as_text=True)}"


@pytest.fixture
def drawer(shop: Shop) -> Iterator[Drawer]:
    found = Drawer(shop)
    try:
        yield found
    finally:
        shop.database.subscribers.remove(found.note)


def test_readers_see_no_secret(drawer: Drawer) -> None:
    shop = drawer.shop
    views = ("view_orders", "view_users", "view_payments", "view_shipping",
             "view_taxes", "view_stores")  # fmt: skip
    keys = [shop.root.key]
    for caller in (
        shop.caller(*views),
        shop.caller(*views, "manage_payments", "manage_shipping",
                    company_id=shop.store),
        shop.caller(user_type="V", company_id=shop.vendor),
    ):  # fmt: skip
        keys.append(caller.key)
        for path, told in drawer.answers(caller):
            found = [each for each in (*NEVER, *OF_METHODS, *keys) if each in told]
            assert found == [], path


def test_managers_see_accounts_at_the_method_alone(drawer: Drawer) -> None:
    methods = (f"payments/{drawer.payment}", f"shippings/{drawer.shipping}")
    for path, told in drawer.answers(drawer.shop.root):
        assert [each for each in (*NEVER, drawer.shop.root.key) if each in told] == []
        shown = [each for each in OF_METHODS if each in told]
        own = path.partition("?")[0].endswith(methods)
        assert bool(shown) is own, path


def test_no_field_is_called_by_a_secret(drawer: Drawer) -> None:
    for path, told in drawer.answers(drawer.shop.root):
        names = [word for word in WORDS if f'"{word}' in told.lower()]
        # The code that was sent is shown as one that is hidden.
        expected = ["cvv2"] if '"cvv2":"XXX"' in told else []
        assert names == expected, path


def test_customers_see_no_secret(
    drawer: Drawer, make_app: Callable[..., Flask]
) -> None:
    shop = drawer.shop
    customer = shop.caller(user_type="C")
    shop.change(User, {"user_id": customer.user_id}, {"firstname": "Own"})
    own = drawer.till.order(
        user_id=customer.user_id, payment_id=drawer.payment,
        shipping_id=drawer.shipping, payment_info={"card_number": CARD},
    )  # fmt: skip
    customer.client = make_app(api_allow_customer=True).test_client()
    told = customer.get(f"orders/{own}").get_data(as_text=True)
    assert '"card_number":"XXXXXXXXXXXX1111"' in told
    for path, text in [("own", told), *drawer.answers(customer)]:
        assert [each for each in (*NEVER, *OF_METHODS) if each in text] == [], path


def test_neither_tables_nor_events_hold_what_pays(drawer: Drawer) -> None:
    shop = drawer.shop
    rows, told = repr(shop.everything()), repr(drawer.told)
    waiting = repr(shop.database.read(waiting_notifications))
    assert "order.status" in waiting
    assert '"account":"s3cret-account"' in rows
    for secret in NEVER:
        assert secret not in rows + told + waiting
    for secret in OF_METHODS:
        assert secret not in told + waiting


def test_logs_hold_no_secret(drawer: Drawer, caplog: pytest.LogCaptureFixture) -> None:
    shop, caplog.handler.level = drawer.shop, logging.DEBUG
    with caplog.at_level(logging.DEBUG):
        for name, body in (
            ("payments", {"payment": "X", "processor_params": {"key": KEY}}),
            ("payments", {"processor_params": [KEY]}),
            ("shippings", {"shipping": "X", "service_params": {"a": ACCOUNT}}),
            ("orders", drawer.till.body(payment_info={"card_number": CARD})),
            ("orders", drawer.till.body(payment_info=CARD)),
        ):
            answer = shop.root.post(name, body)
            told = f"{answer.headers}{answer.get_data(as_text=True)}"
            assert [x for x in (*NEVER, *OF_METHODS) if x in told] == []
    secrets = (*NEVER, *OF_METHODS, shop.root.key)
    assert [each for each in secrets if each in caplog.text] == []


PIECES = (
    {"card_number": {"a": "41111111", "b": "11111111"}},
    {"x": "4111,1111,1111,1111"},
    {"x": "4111\u200b1111\u200b1111\u200b1111"},
    {"x": "".join(chr(0xFF10 + int(digit)) for digit in CARD)},
    {"x": "".join(chr(0x660 + int(digit)) for digit in CARD)},
    {"x": ["4111", "1111", "1111", "1111"]},
    {"card_number_1": "41111", "card_number_2": "11111111111"},
    {"x": f"{CARD}=25121011000012345678"},
    {"x": f"%B{CARD}^DOE/JOHN^25121011000012345678?"},
    {"x": "1", "Authorization": "Bearer t0k"},
)
"""Card numbers and tokens, spelt and cut in all ways."""


@pytest.mark.parametrize("info", PIECES)
@pytest.mark.parametrize("place", ["payment_info", "user_data"])
def test_no_spelling_gets_a_card_into_an_order(
    shop: Shop, info: dict[str, Any], place: str
) -> None:
    """By POST and PUT; nor into the custom fields of the customer."""
    till, body = Till(shop), {"payment_info": info}
    if place == "user_data":
        if any(not isinstance(value, str) for value in info.values()):
            return
        body = {"user_data": {**GUEST_DATA, "fields": info}}
    told: list[Any] = []

    def note(db: Connection, changes: Any) -> None:
        told.extend(changes)

    shop.database.subscribers.append(note)
    try:
        made = till.order(**body)
        changed = till.order()
        till.put(changed, status="B", notify_user="Y", **body)
    finally:
        shop.database.subscribers.remove(note)
    shown = [till.record(id) for id in (made, changed)]
    kept = shop.everything()["orders"]
    waiting = shop.database.read(waiting_notifications)
    for text in map(clean, (repr(shown), repr(kept), repr(told), repr(waiting))):
        found = re.findall(r"4\W*1\W*1\W*1\W*1|251210|DOE|t0k|uthorization", text)
        assert found == []
    for id in (made, changed):
        check_sent_back(shop, f"orders/{id}")
    name = "fields" if place == "user_data" else place
    assert shown[0][name] == shown[1][name]
