"""Orders: which fields there are, and rules about several of them (orders.md)."""

from collections.abc import Iterator
from typing import Any

import pytest

from storeapi.models import Order
from tests.orders import GUEST_DATA, Till, differences, listed, make_user, stored_order
from tests.shop import Shop
from tests.wares import stock

ADDRESS = [
    "firstname", "lastname", "address", "address_2", "city", "county", "state",
    "country", "zipcode", "phone", "country_descr", "state_descr",
]  # fmt: skip
FULL = {
    "order_id", "is_parent_order", "parent_order_id", "company_id", "issuer_id",
    "user_id", "status", "timestamp", "updated_at", "total", "subtotal",
    "display_subtotal", "discount", "subtotal_discount", "payment_surcharge",
    "shipping_cost", "display_shipping_cost", "tax_subtotal", "tax_exempt", "taxes",
    "products", "product_groups", "shipping", "shipping_ids", "need_shipping",
    "need_shipment", "shipment_ids", "payment_id", "payment_method", "payment_info",
    "promotions", "promotion_ids", "invoice_id", "credit_memo_id", "doc_ids", "repaid",
    "notes", "details", "email", "firstname", "lastname", "company", "phone", "fax",
    "url", "fields", "profile_id", "lang_code", "localization_id", "ip_address",
    "validation_code", "secondary_currency", "points", "s_address_type",
    *(f"{side}_{part}" for side in "bs" for part in ADDRESS),
}  # fmt: skip
GROUP = {
    "name", "company_id", "products", "package_info", "all_edp_free_shipping",
    "all_free_shipping", "free_shipping", "shipping_no_required", "shippings",
    "chosen_shippings",
}  # fmt: skip
LOCATION = {*ADDRESS, "address_type"}
ORIGINATION = {
    "name", "address", "city", "country", "state", "zipcode", "phone", "fax",
}  # fmt: skip
FIGURES = (int, float)


@pytest.fixture
def till(shop: Shop) -> Iterator[Till]:
    """A shop that can sell; what it keeps of its orders is right at the end."""
    yield Till(shop)
    assert differences(shop) == []


# Fields


def test_a_record_has_these_fields_and_no_others(shop: Shop, till: Till) -> None:
    """Sections 2.4 and 2.8: what samples leak of users is not among them."""
    record = till.record(till.order())
    assert {*record} == FULL
    (group,) = record["product_groups"]
    assert {*group} == GROUP
    info = group["package_info"]
    assert {*info} == {
        "C", "W", "I", "shipping_freight", "packages", "origination", "location",
    }  # fmt: skip
    assert {*info["location"]} == LOCATION
    assert {*info["origination"]} == ORIGINATION
    line = next(iter(group["products"].values()))
    assert {*line} == {
        "product_id", "product_code", "product", "amount", "price",
        "product_options", "extra",
    }  # fmt: skip
    single = shop.root.get(f"payments/{till.payment}").get_json()
    assert {*record["payment_method"]} == {*single, "processor_status"}


def test_stored_columns_are_texts_and_figures_are_numbers(till: Till) -> None:
    """spec/clients.md 5.2: the types that one real server had."""
    record = till.record(till.order())
    numbers = {"subtotal", "display_subtotal", "tax_subtotal"}
    flags = {"need_shipping", "need_shipment"}
    nulls = {"invoice_id", "credit_memo_id", "points"}
    kept = {name: v for name, v in record.items() if not isinstance(v, dict | list)}
    assert {n for n, v in kept.items() if type(v) in FIGURES} == numbers
    assert {n for n, v in kept.items() if type(v) is bool} == flags
    assert {n for n, v in kept.items() if v is None} == nulls
    empty = {n for n, v in record.items() if v == []}
    assert empty == {
        "promotions", "payment_info", "doc_ids", "fields", "shipment_ids",
    }  # fmt: skip


def test_all_that_is_sent_of_a_guest_is_kept(till: Till) -> None:
    """Section 2.2: at the top of the record."""
    parts = ("address_2", "county", "phone")
    data = GUEST_DATA | {
        "company": "Kessler & Co", "phone": "555", "fax": "556",
        "url": "https://mira.example", "firstname": "Mi", "lastname": "Ke",
        "s_address_type": "commercial", "fields": {"36": "gold"},
        **{f"{side}_{part}": f"{side} {part}" for side in "bs" for part in parts},
    }  # fmt: skip
    more = {"notes": "<b>Ring</b> twice ☎", "details": "regular"}
    record = till.record(till.order(user_data=data, **more))
    assert {name: record[name] for name in data | more} == data | more


def test_the_codes_of_places_are_named(till: Till) -> None:
    there = {"s_country": "DE", "s_state": "BY", "b_country": "ZZ", "b_state": "X"}
    record = till.record(till.order(user_data=GUEST_DATA | there))
    assert (record["s_country_descr"], record["s_state_descr"]) == (
        "Germany",
        "Bayern",
    )
    assert (record["b_country_descr"], record["b_state_descr"]) == ("", "")


# Behaviour


def test_an_order_leaves_the_cart_alone(shop: Shop, till: Till) -> None:
    """Rule 5.1.8; carts.md 5.5 and 5.7: a cart reserves nothing either."""
    user = make_user(shop)
    line = {"product_id": till.lantern, "amount": 3}
    assert shop.root.put(f"carts/{user}", line).status_code == 200
    assert till.stock() == 10
    before = shop.root.get(f"carts/{user}").get_json()
    till.order(user_id=user)
    assert shop.root.get(f"carts/{user}").get_json() == before


@pytest.mark.parametrize(
    "change", ["products", "shipping_id", "payment_id", "discount", "subtotal_discount"]
)
def test_a_total_by_hand_lasts_until_something_changes(
    shop: Shop, till: Till, change: str
) -> None:
    """Rule 5.2.8."""
    rates = {"1": {"rate_value": {"C": {"0": 2}}}}
    bodies: dict[str, Any] = {
        "products": {"products": {str(till.lantern): {"amount": 1}}},
        "shipping_id": {"shipping_id": till.common("shippings", rates=rates)},
        "payment_id": {"payment_id": till.common("payments")},
        "discount": {"discount": "1"},
        "subtotal_discount": {"subtotal_discount": "1"},
    }
    id = till.order()
    assert till.put(id, total="50", discount="3")["total"] == "50.00"
    before = till.put(id, notes="x", repaid="Y", details="y", user_data={"b_city": "z"})
    assert before["total"] == "50.00"
    # The same again is no change.
    same = {"products": till.body()["products"], "shipping_id": till.shipping,
            "payment_id": till.payment, "discount": "3",
            "subtotal_discount": 0}  # fmt: skip
    assert till.put(id, **{change: same[change]})["total"] == "50.00"
    assert till.put(id, **bodies[change])["total"] != "50.00"
    again = till.put(id, **{change: same[change]}, total="7")
    assert again["total"] == "7.00"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("x" * 200, ""), ("6.6.6.6, 9.9.9.9:4431", "9.9.9.9"), ("::1%" + "z" * 90, "::1")],
)
def test_the_address_of_a_buyer_is_one(make_app: Any, sent: str, kept: str) -> None:
    """Whatever a client says that it was forwarded for; carts keep it as well."""
    shop = Shop(make_app(trusted_proxies=1))
    till, headers = Till(shop), {"X-Forwarded-For": sent}
    answer = shop.root.post("orders", till.body(), headers=headers)
    assert answer.status_code == 201
    assert till.record(answer.get_json()["order_id"])["ip_address"] == kept
    body = {"product_id": till.lantern}
    cart = shop.root.post("carts", body, headers=headers).get_json()["user_id"]
    assert shop.root.get(f"carts/{cart}").get_json()["ip_address"] == kept


def test_a_query_of_a_write_changes_nothing(shop: Shop, till: Till) -> None:
    """spec/clients.md, section 4: clients send `?company_id=` with a PUT."""
    id = till.order()
    path = f"orders/{id}?company_id={shop.other_store}"
    answer = shop.root.put(path, {"status": "P"})
    assert (answer.status_code, answer.get_json()) == (200, {"order_id": str(id)})
    record = till.record(id)
    assert (record["status"], record["company_id"]) == ("P", str(shop.store))


def test_a_parent_lists_the_methods_of_its_orders(shop: Shop, till: Till) -> None:
    rates = {"1": {"rate_value": {"C": {"0": 2}}}}
    courier = till.common("shippings", rates=rates)
    lines = [
        {"product_id": till.net(), "amount": 1},
        {"product_id": till.lantern, "amount": 1},
    ]
    chosen = {"0": courier, "1": till.shipping}
    payment = till.common("payments")
    body = {"products": lines, "payment_id": payment}
    before = shop.everything()
    answer = shop.root.post("orders", till.body(**body, shipping_id={"0": courier}))
    assert answer.get_json()["errors"][0]["field"] == "shipping_id"
    assert shop.everything() == before
    parent = till.order(**body, shipping_id=chosen)
    assert till.record(parent)["shipping_ids"] == f"{courier},{till.shipping}"
    orders = sorted(listed(shop, f"parent_order_id={parent}"))
    assert [till.record(id)["shipping_ids"] for id in orders] == [
        str(courier),
        str(till.shipping),
    ]
    assert listed(shop, "parent_order_id=0") == []
    alone = till.order()
    assert listed(shop, "parent_order_id=0") == [alone]


def test_a_status_that_changes_moves_no_stock_by_itself(shop: Shop, till: Till) -> None:
    """spec/entities/statuses.md, rule 4."""
    id = till.order()
    (record,) = shop.root.get("statuses?status=O").get_json()["statuses"]
    path = f"statuses/{record['status_id']}"
    for inventory in ("I", "D", "I"):
        body = {"params": {"inventory": inventory}}
        assert shop.root.put(path, body).status_code == 200
        assert stock(shop, till.lantern) == 8
    # What the order holds is known: it gives back once it gets such a status anew.
    till.put(id, status="P")
    assert stock(shop, till.lantern) == 8
    till.put(id, status="O")
    assert stock(shop, till.lantern) == 10
    till.order()
    assert stock(shop, till.lantern) == 10


def test_equal_orders_are_listed_by_their_numbers(shop: Shop) -> None:
    """Section 3: in the same direction, so that pages are stable."""
    ids = [stored_order(shop, timestamp=5) for _ in range(5)]
    for order, expected in (("asc", ids), ("desc", ids[::-1])):
        for sort in ("date", "status", "customer", "email", "total", "updated_at"):
            query = f"sort_by={sort}&sort_order={order}&items_per_page=2"
            found = [id for n in (1, 2, 3) for id in listed(shop, f"{query}&page={n}")]
            assert found == expected, sort


def test_orders_begin_now_and_tell_when_they_changed(shop: Shop, till: Till) -> None:
    """Rules 5.1.1 and 5.3.8."""
    id = till.order()
    old = {"timestamp": 5, "updated_at": 5}
    bodies: list[Any] = [
        {"notes": "x"}, {"status": "P"}, {"total": "5"}, {"repaid": "Y"},
        {"user_data": {"b_city": "X"}}, {"payment_info": {"a": "b"}},
    ]  # fmt: skip
    for body in bodies:
        shop.change(Order, {"order_id": id}, old)
        record = till.put(id, **body)
        assert record["timestamp"] == "5"
        assert int(record["updated_at"]) > 5
