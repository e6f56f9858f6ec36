"""The examples of the specification: orders.md, carts.md, shipments.md, statuses.md,
payments.md, shippings.md and taxes.md, section 4, with their own numbers."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from config.destinations import EVERYWHERE, Destination, Destinations
from storeapi.models import Cart, Company, Order
from tests.contract.world import number_from
from tests.orders import make_user, stored_order
from tests.shop import Shop

ISLANDS = Destination(2, "Island villages", countries=frozenset({"GR"}))
LANTERN, BLANKET = "3832313845", "3272139685"
CHOICE = {"5": "102", "6": "110"}
BOUGHT, PACKED = 1751361000, 1751447400
ADDRESS = {
    "firstname": "Mira", "lastname": "Kessler", "address": "18 Harbour Lane",
    "city": "Portsmouth", "state": "NH", "country": "US", "zipcode": "03801",
}  # fmt: skip
USER_DATA = {
    "email": "mira@example.com",
    **{f"{side}_{name}": value for side in "bs" for name, value in ADDRESS.items()},
}


def holds(shown: Any, real: Any, path: str = "") -> None:
    """An answer has all that an example shows; it may have more fields."""
    if not isinstance(shown, dict) or not isinstance(real, dict):
        assert real == shown, path
        return
    for name, value in shown.items():
        holds(value, real.get(name, "missing"), f"{path}.{name}")


class Pier:
    """The made-up store of the examples."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        number_from(shop, 7, "shipping_rates")
        shop.change(Company, {"company_id": shop.store}, {"company": "North Pier"})
        self.made("taxes", 3, tax="VAT 20%", price_includes_tax="Y",
                  regnumber="NP-77", rates={"1": 20})  # fmt: skip
        self.made("payments", 5, payment="Card at pickup", position=20,
                  a_surcharge="0.3", p_surcharge="1", payment_category="tab3",
                  description="Pay at the pier", surcharge_title="Card fee",
                  company_id=shop.store)  # fmt: skip
        rows = {"C": {"0": 9, "50": 5}, "W": {"2": 1.5}}
        self.made("shippings", 4, shipping="Harbour Courier", position=10,
                  delivery_time="1-2 days", tax_ids=["3"], company_id=shop.store,
                  rates={"1": {"rate_value": rows}})  # fmt: skip
        taxed = {"tax_ids": ["3"], "amount": 90, "category_ids": [shop.category]}
        self.made("products", 31, product="Trail Lantern", price="24.50",
                  product_code="LNT-31", weight="0.8", **taxed)  # fmt: skip
        self.made("products", 47, product="Wool Camp Blanket", price="60",
                  weight="1.5", **taxed)  # fmt: skip
        for id, variant in ((5, 102), (6, 110)):
            number_from(shop, variant, "option_variants")
            self.made("options", id, product_id=47, option_name=f"Option {id}",
                      position=id, required="Y", inventory="N",
                      variants=[{"variant_name": "one"}])  # fmt: skip

    def made(self, name: str, id: int, version: str = "2.0", **body: Any) -> None:
        """An object with its number in the examples, answered as they say."""
        number_from(self.shop, id, name)
        answer = self.shop.root.post(f"/api/{version}/{name}", body)
        assert answer.status_code == 201, answer.get_data(as_text=True)
        key = f"{name.removesuffix('es' if name in _ES else 's')}_id"
        assert answer.get_json()[key] == (str(id) if version == "1.0" else id)

    def read(self, path: str) -> Any:
        """What a GET answers."""
        answer = self.shop.root.get(path)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return answer.get_json()

    def put(self, path: str, body: Any) -> Any:
        """What a PUT answers."""
        answer = self.shop.root.put(path, body)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return answer.get_json()

    def gone(self, path: str) -> None:
        """Delete an object, which is not there after that."""
        answer = self.shop.root.delete(path)
        assert (answer.status_code, answer.data) == (204, b"")
        assert self.shop.root.get(path).status_code == 404

    def order(self, id: int = 1042, version: str = "2.0", **changes: Any) -> None:
        """The order of the examples, as it is POSTed there."""
        products = {
            "31": {"amount": 2},
            "47": {"amount": 1, "product_options": CHOICE},
        }
        body = {
            "user_id": 0, "payment_id": 5, "shipping_id": 4, "products": products,
            "user_data": USER_DATA, **changes,
        }  # fmt: skip
        self.made("orders", id, version, **body)
        times = {"timestamp": BOUGHT, "updated_at": BOUGHT}
        self.shop.change(Order, {"order_id": id}, times)


_ES = frozenset({"taxes", "statuses"})


@pytest.fixture
def pier(make_app: Callable[..., Flask]) -> Pier:
    return Pier(Shop(make_app(destinations=Destinations((EVERYWHERE, ISLANDS)))))


# orders.md


def test_lists_of_orders(pier: Pier) -> None:
    shop, store = pier.shop, str(pier.shop.store)
    number_from(shop, 1026, "orders")
    for number in range(16):
        late = BOUGHT - 5 if number == 13 else BOUGHT - 500 + number
        stored_order(shop, timestamp=late)
    user = make_user(shop, email="mira@example.com", firstname="Mira",
                     lastname="Kessler", b_country="US", s_country="US")  # fmt: skip
    pier.order(user_id=user)
    shop.change(Order, {"order_id": 1042}, {"issuer_id": None})
    record = {
        "order_id": "1042", "issuer_id": None, "user_id": str(user),
        "is_parent_order": "N", "parent_order_id": "0", "company_id": store,
        "timestamp": "1751361000", "firstname": "Mira", "lastname": "Kessler",
        "email": "mira@example.com", "phone": "", "status": "O", "total": "116.96",
        "invoice_id": None, "credit_memo_id": None, "points": None,
        "updated_at": "1751361000",
    }  # fmt: skip
    echo = {
        "page": 1, "items_per_page": 2, "status": "O", "sort_by": "date",
        "sort_order": "desc", "sort_order_rev": "asc", "include_incompleted": False,
        "total_items": "17",
    }  # fmt: skip
    query = "orders?items_per_page=2&status=O"
    first, second = pier.read(f"/api/{query}"), pier.read(f"/api/2.0/{query}")
    assert first == {"orders": first["orders"], "search": echo}
    assert list(first["orders"]) == ["1042", "1039"]
    assert first["orders"]["1042"] == record
    assert second == {"orders": list(first["orders"].values()), "params": echo}
    old = pier.read(f"{query}&ajax_custom=1")
    assert old["params"] == echo


def test_an_order(pier: Pier) -> None:
    store = str(pier.shop.store)
    pier.order(notes="Leave at the boathouse")
    shown = {
        "order_id": "1042", "is_parent_order": "N", "parent_order_id": "0",
        "company_id": store, "total": "116.96", "subtotal": 109, "discount": "0.00",
        "subtotal_discount": "0.00", "payment_surcharge": "1.46", "shipping_ids": "4",
        "shipping_cost": "6.50", "timestamp": "1751361000", "updated_at": "1751361000",
        "status": "O", "notes": "Leave at the boathouse", "details": "",
        "promotions": [], "promotion_ids": "", "firstname": "Mira",
        "lastname": "Kessler", "email": "mira@example.com", "b_country": "US",
        "b_country_descr": "United States", "b_state": "NH",
        "b_state_descr": "New Hampshire", "payment_id": "5",
        "payment_method": {
            "payment_id": "5", "payment": "Card at pickup", "a_surcharge": "0.300",
            "p_surcharge": "1.000", "processor": None, "image": [],
        },
        "products": {
            LANTERN: {
                "item_id": LANTERN, "cart_id": LANTERN, "order_id": "1042",
                "product_id": "31", "product_code": "LNT-31",
                "product": "Trail Lantern", "price": "24.50", "amount": "2",
                "base_price": 24.5, "original_price": 24.5, "discount": 0,
                "tax_value": 0, "subtotal": 49, "display_subtotal": 49,
                "product_status": "A", "deleted_product": False, "company_id": store,
                "shipped_amount": 0, "shipment_amount": "2", "is_accessible": True,
                "shared_product": False,
                "extra": {
                    "product_options": [], "product": "Trail Lantern", "is_edp": "N",
                    "stored_price": "N",
                },
            },
            BLANKET: {
                "item_id": BLANKET, "product_id": "47",
                "product": "Wool Camp Blanket", "price": "60.00", "amount": "1",
                "subtotal": 60, "extra": {"product_options": CHOICE},
            },
        },
        "taxes": {
            "3": {
                "description": "VAT 20%", "rate_type": "P", "rate_value": "20.000",
                "price_includes_tax": "Y", "regnumber": "NP-77", "priority": 0,
                "tax_subtotal": 19.25,
                "applies": {
                    "P": 18.17, "S": 1.08,
                    "items": {"P": {LANTERN: True, BLANKET: True}, "S": {"4": True}},
                },
            }
        },
        "tax_subtotal": 0, "need_shipping": True, "need_shipment": True,
        "shipment_ids": [], "payment_info": [], "doc_ids": [],
        "secondary_currency": "USD", "display_subtotal": 109,
    }  # fmt: skip
    for version in ("1.0", "2.0"):
        record = pier.read(f"/api/{version}/orders/1042")
        holds(shown, record)
        assert list(record["products"]) == [LANTERN, BLANKET]
        (shipping,) = record["shipping"]
        holds(
            {
                "shipping_id": "4", "shipping": "Harbour Courier",
                "delivery_time": "1-2 days", "rate": 6.5, "group_key": 0,
                "group_name": "North Pier", "need_shipment": True,
            },
            shipping,
        )  # fmt: skip


def test_writes_of_orders(pier: Pier) -> None:
    pier.order(1043, "1.0")
    pier.order(1044)
    path = f"/api/stores/{pier.shop.store}/orders"
    number_from(pier.shop, 1045, "orders")
    body = {
        "user_id": 0, "payment_id": 5, "shipping_id": 4,
        "products": {"31": {"amount": "2"}}, "user_data": USER_DATA,
    }  # fmt: skip
    answer = pier.shop.root.post(path, body)
    assert (answer.status_code, answer.get_json()) == (201, {"order_id": "1045"})
    put = {"status": "P", "notify_user": "Y"}
    assert pier.put("/api/orders/1043", put) == {"order_id": "1043"}
    plain = pier.shop.root.put(
        "/api/2.0/orders/1043", data="payment_id=5", content_type="text/plain"
    )
    assert (plain.status_code, plain.get_json()) == (200, {"order_id": "1043"})
    pier.gone("/api/orders/1043")


# carts.md


def test_lists_of_carts(pier: Pier) -> None:
    shop = pier.shop
    line = {"product_id": 47, "product_options": CHOICE}
    made = pier.shop.root.post(
        "carts", {"products": [{"product_id": 31, "amount": 2}, line]}
    ).get_json()
    values = {"user_id": 3810002211, "timestamp": BOUGHT, "ip_address": "192.0.2.14"}
    shop.change(Cart, {"user_id": made["user_id"]}, values)
    record = {
        "user_id": "3810002211", "firstname": None, "lastname": None,
        "date": "1751361000", "ip_address": "192.0.2.14",
        "company_id": str(shop.store), "cart_products": "3", "total": "109.00",
        "order_id": None, "user_data": [],
    }  # fmt: skip
    echo = {
        "page": 1, "items_per_page": 10, "company_id": str(shop.store),
        "sort_by": "date", "sort_order": "desc", "sort_order_rev": "asc",
        "total_items": "1",
    }  # fmt: skip
    clerk = shop.caller("view_users", company_id=shop.store)
    first = clerk.get("/api/carts").get_json()
    assert first == {"carts": {"3810002211": record}, "search": echo}
    second = clerk.get("/api/2.0/carts").get_json()
    assert second == {"carts": [record], "params": echo}
    # Who belongs to no store sees all of them, and no filter is told of.
    params = shop.root.get("carts").get_json()["params"]
    assert params == {k: v for k, v in echo.items() if k != "company_id"}


def test_a_cart_and_its_writes(pier: Pier) -> None:
    shop = pier.shop
    id = make_user(shop, email="mira@example.com", firstname="Mira",
                   lastname="Kessler", company_id=shop.store)  # fmt: skip
    path, owner = f"carts/{id}", {"user_id": str(id)}
    assert pier.put(path, {"product_id": 31, "amount": 2})["item_id"] == LANTERN
    record = pier.read(path)
    shown = {
        **owner, "firstname": "Mira", "lastname": "Kessler",
        "company_id": str(shop.store), "cart_products": "2", "total": "49.00",
        "order_id": None,
        "user_data": {**owner, "email": "mira@example.com", "usergroups": []},
    }  # fmt: skip
    holds(shown, record)
    (line,) = record["products"]
    shown = {
        "item_id": LANTERN, "item_type": "P", "product_id": "31", "amount": "2",
        "price": "24.50", "product": "Trail Lantern",
        "extra": {
            "type": "C", "product_id": 31, "amount": 2, "price": 24.5,
            "product_options": [], "stored_price": "N", "main_pair": [],
            "category_ids": [shop.category],
        },
    }  # fmt: skip
    holds(shown, line)
    body = {"product_id": "47", "amount": 1, "product_options": CHOICE}
    assert pier.put(path, body) == {**owner, "item_id": BLANKET}
    body = {"item_id": LANTERN, "amount": 0}
    assert pier.put(path, body) == {**owner, "item_id": LANTERN}
    assert [each["item_id"] for each in pier.read(path)["products"]] == [BLANKET]
    body = {
        "products": {"31": {"amount": 3}},
        "user_data": {"email": "guest@example.com"},
    }
    answer = shop.root.post("carts", body)
    guest = answer.get_json()["user_id"]
    assert (answer.status_code, list(answer.get_json())) == (201, ["user_id"])
    assert type(guest) is int
    assert guest >= 2_147_483_648
    pier.gone(path)


# shipments.md


def test_shipments(pier: Pier) -> None:
    shop = pier.shop
    user = make_user(shop, email="mira@example.com", firstname="Mira",
                     lastname="Kessler", b_country="US", s_country="US")  # fmt: skip
    pier.order(user_id=user)
    body = {
        "order_id": 1042, "products": {LANTERN: 2}, "shipping_id": 4,
        "tracking_number": "NP-0099-17", "order_status": "P", "carrier": "usps",
        "shipment_timestamp": PACKED,
    }  # fmt: skip
    pier.made("shipments", 17, "1.0", **body)
    record = {
        "shipment_id": "17", "shipment_timestamp": "1751447400", "order_id": "1042",
        "order_timestamp": "1751361000", "company_id": str(shop.store),
        "user_id": str(user), "firstname": "Mira", "lastname": "Kessler",
        "shipping_id": "4", "shipping": "Harbour Courier", "carrier": "usps",
        "tracking_number": "NP-0099-17", "comments": "", "group_key": "0",
        "status": "P", "order_status": "P", "products": {LANTERN: "2"},
    }  # fmt: skip
    assert pier.read("/api/shipments/17") == record
    query = "shipments?order_id=1042"
    assert pier.read(f"/api/{query}")["shipments"] == {"17": record}
    assert pier.read(f"/api/2.0/{query}")["shipments"] == [record]
    assert pier.put("/api/shipments/17", {"status": "S"}) == {"shipment_id": "17"}
    more = {"order_id": 1042, "products": {BLANKET: "1"}, "tracking_number": "2"}
    pier.made("shipments", 18, **more)
    pier.gone("/api/shipments/17")


# statuses.md


def test_statuses(pier: Pier) -> None:
    params = {
        "inventory": "D", "notify": "Y", "color": "#8866aa", "repay": "N",
        "allow_return": "N", "remove_cc_info": "N",
    }  # fmt: skip
    header = "<p>We will contact you soon.</p>"
    texts = {"email_subj": "is on hold", "email_header": header}
    pier.made("statuses", 9, description="On hold", status="H", params=params, **texts)
    record = pier.read("/api/statuses/9")
    shown = {
        "status_id": "9", "status": "H", "type": "O", "is_default": "N",
        "description": "On hold", **texts, "lang_code": "en", "params": params,
    }  # fmt: skip
    holds(shown, record)
    first, second = pier.read("/api/statuses"), pier.read("/api/2.0/statuses")
    assert list(first["statuses"]) == [str(number) for number in range(1, 10)]
    assert second["statuses"] == list(first["statuses"].values())
    assert first["search"] == second["params"]
    color = {"params": {"color": "#334455"}}
    assert pier.put("/api/statuses/9", color) == {"status_id": "9"}
    assert pier.read("/api/statuses/9")["params"]["inventory"] == "D"
    pier.gone("/api/statuses/9")
    body = {"description": "On hold", "params": {"inventory": "D", "notify": "Y"}}
    pier.made("statuses", 10, "1.0", **body)


# payments.md


def test_payments(pier: Pier) -> None:
    record = {
        "payment_id": "5", "company_id": str(pier.shop.store), "usergroup_ids": "0",
        "position": "20", "status": "A",
        "template": "views/orders/components/payments/business_check.tpl",
        "processor_id": "0", "processor_params": "", "a_surcharge": "0.300",
        "p_surcharge": "1.000", "tax_ids": [], "localization": "",
        "payment_category": "tab3", "payment": "Card at pickup",
        "description": "Pay at the pier", "instructions": "",
        "surcharge_title": "Card fee", "lang_code": "en", "processor": None,
        "processor_type": None, "image": [],
    }  # fmt: skip
    assert pier.read("/api/payments/5") == record
    (own,) = pier.read("/api/2.0/payments")["payments"]
    assert pier.read("/api/payments")["payments"] == {"5": own}
    more = ("processor", "processor_type", "image")
    assert {**own, "tax_ids": []} == {k: v for k, v in record.items() if k not in more}
    assert pier.put("/api/payments/5", {"status": "D"}) == {"payment_id": "5"}
    pier.gone("/api/payments/5")
    body = {"payment": "Card at pickup", "company_id": 1, "p_surcharge": "1"}
    body["company_id"] = pier.shop.store
    pier.made("payments", 6, "1.0", **body)
    assert pier.read("payments/6")["p_surcharge"] == "1.000"


# shippings.md


def row(amount: str, value: Any) -> Any:
    return {"amount": amount, "value": value, "type": "F", "per_unit": "N"}


def test_shippings(pier: Pier) -> None:
    common = {"status": "A", "localization": ""}
    record = {
        "shipping_id": "4", "company_id": str(pier.shop.store), "destination": "I",
        "min_weight": "0.00", "max_weight": "0.00", "usergroup_ids": "0",
        "rate_calculation": "M", "service_id": "0", "service_params": "",
        "localization": "", "tax_ids": ["3"], "position": "10", "status": "A",
        "shipping": "Harbour Courier", "delivery_time": "1-2 days", "icon": [],
        "rates": [
            {
                "destination_id": "1", **common, "destination": "All countries",
                "rate_id": "7", "rates_defined": "1",
                "rate_value": {
                    "C": {"0": row("0", 9), "50": row("50", 5)},
                    "W": {"2": row("2", 1.5)}, "I": [],
                },
            },
            {
                "destination_id": "2", **common, "destination": "Island villages",
                "rate_value": {"C": [], "W": [], "I": []},
            },
        ],
    }  # fmt: skip
    found = pier.read("/api/shippings/4")
    assert {k: v for k, v in found.items() if k != "lang_code"} == record
    listed = {
        name: record[name]
        for name in ("shipping_id", "min_weight", "max_weight", "position", "status",
                     "shipping", "delivery_time", "usergroup_ids")
    }  # fmt: skip
    assert pier.read("/api/2.0/shippings")["shippings"] == [listed]
    assert pier.read("/api/shippings")["shippings"] == {"4": listed}
    assert pier.put("/api/shippings/4", {"status": "D"}) == {"shipping_id": "4"}
    pier.gone("/api/shippings/4")
    rates = {"1": {"rate_value": {"C": {"0": 9, "50": 5}}}}
    body = {"shipping": "Harbour Courier", "rates": rates}
    for version, id in (("1.0", "8"), ("2.0", 9)):
        number_from(pier.shop, int(id), "shippings")
        path = f"/api/{version}/stores/{pier.shop.store}/shippings"
        answer = pier.shop.root.post(path, body)
        assert (answer.status_code, answer.get_json()) == (201, {"shipping_id": id})


# taxes.md


def test_taxes(pier: Pier) -> None:
    rate = {"destination_id": "1", "rate_value": "20.000", "rate_type": "P"}
    listed = {
        "tax_id": "3", "address_type": "S", "status": "A", "price_includes_tax": "Y",
        "display_including_tax": "N", "display_info": "", "regnumber": "NP-77",
        "priority": "0", "tax": "VAT 20%",
    }  # fmt: skip
    record = {**listed, "lang_code": "en", "rates": [rate]}
    assert pier.read("/api/taxes/3") == record
    assert pier.read("/api/taxes")["taxes"] == {"3": listed}
    assert pier.read("/api/2.0/taxes")["taxes"] == [listed]
    assert pier.put("/api/taxes/3", {"status": "D"}) == {"tax_id": "3"}
    pier.gone("/api/taxes/3")
    body = {"tax": "VAT 20%", "price_includes_tax": "Y", "rates": {"1": 20}}
    pier.made("taxes", 4, "1.0", **body)
    assert pier.read("taxes/4")["rates"] == [rate]
