"""Faults that users of such interfaces met (spec/pitfalls.md): the probes as told.

What other tests show is not repeated; they name the pitfall, or the rule of the
protocol that it stands on.
"""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.samples import EVERY_LISTED, PAYLOADS, REGISTRY
from tests.orders import Till
from tests.shop import Shop


@pytest.fixture
def till(shop: Shop) -> Till:
    """A shop that can sell."""
    return Till(shop)


def one(till: Till, product: int, amount: Any = "1") -> dict[str, Any]:
    """The payload of an order of one product."""
    return till.body(products={str(product): {"amount": amount}})


# Money


def test_ten_pieces_cost_ten_times_one(till: Till) -> None:
    """Money: no float on the way."""
    product = till.product("Rope", "14.31")
    made = till.shop.root.post("orders", one(till, product, "10"))
    raw = till.shop.root.get(f"orders/{made.get_json()['order_id']}").get_data(True)
    record = till.record(made.get_json()["order_id"])
    (line,) = record["products"].values()
    assert (line["price"], record["subtotal"]) == ("14.31", 143.1)
    assert "14.309" not in raw
    assert "143.1," in raw


def test_parts_of_taxes_add_up(till: Till) -> None:
    """Money: rounded once, per tax; the stored parts are the total."""
    taxes = [
        till.made("taxes", "tax_id", tax=f"{rate} %", rates={"1": rate})
        for rate in (4, 5)
    ]
    product = till.product("Rope", "14.70", tax_ids=taxes)
    made = till.shop.root.post("orders", one(till, product)).get_json()
    record = till.record(made["order_id"])
    parts = [record["taxes"][str(tax)]["tax_subtotal"] for tax in taxes]
    assert parts == [0.59, 0.74]
    assert record["tax_subtotal"] == 1.33
    total = sum(
        float(record[name])
        for name in ("subtotal", "shipping_cost", "tax_subtotal", "payment_surcharge")
    )
    assert record["total"] == f"{total - float(record['subtotal_discount']):.2f}"


def test_many_cheap_pieces_do_not_drift(till: Till) -> None:
    """Money: 1111 pieces at 0.07."""
    product = till.product("Screw", "0.07", amount=2000)
    made = till.shop.root.post("orders", one(till, product, 1111)).get_json()
    assert till.record(made["order_id"])["subtotal"] == 77.77


# Stock and orders


def test_stock_follows_the_status_of_an_order(till: Till) -> None:
    """Stock: taken by the order, given back when it is cancelled."""
    product = till.product("Rope", "14.31", amount=5)
    made = till.shop.root.post("orders", one(till, product)).get_json()
    assert till.stock(product) == 4
    till.put(made["order_id"], status="I")
    assert till.stock(product) == 5


def test_a_failed_order_frees_its_key(till: Till) -> None:
    """Stock: an unknown payment, then the same key with a sound body, then again."""
    product = till.product("Rope", "14.31", amount=5)
    key, root = {"Idempotency-Key": "k2"}, till.shop.root
    wrong = {**one(till, product), "payment_id": 999999}
    assert root.post("orders", wrong, headers=key).status_code == 400
    first, again = (root.post("orders", one(till, product), headers=key) for _ in "ab")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.get_json() == again.get_json()
    assert till.stock(product) == 4
    other = one(till, product, "2")
    assert root.post("orders", other, headers=key).status_code == 422


def test_an_order_between_reading_and_writing_is_noticed(till: Till) -> None:
    """Stock: two tills that read the same tag, and an order in the meantime."""
    product = till.product("Rope", "14.31", amount=25)
    path, root = f"products/{product}", till.shop.root

    def tag() -> dict[str, str]:
        return {"If-Match": root.get(path).headers["ETag"]}

    both = tag()
    assert root.put(path, {"amount": "24"}, headers=both).status_code == 200
    assert root.put(path, {"amount": "24"}, headers=both).status_code == 412
    later = tag()
    assert root.post("orders", one(till, product)).status_code == 201
    assert root.put(path, {"amount": "24"}, headers=later).status_code == 412
    assert till.stock(product) == 23


# Partial updates, empty values, types


@pytest.mark.parametrize(
    ("body", "status", "shown"),
    [
        ({"list_price": ""}, 400, "9.00"),
        ({"list_price": None}, 200, "0.00"),
        ({"list_price": "0"}, 200, "0.00"),
        ({"list_price": 0}, 200, "0.00"),
        ({"avail_since": None}, 200, "9.00"),
    ],
)
def test_empty_values_have_a_stated_result(
    shop: Shop, body: Any, status: int, shown: str
) -> None:
    """Partial updates: empty, null and zero are three things, and never 500."""
    id = shop.make_product(list_price="9", avail_since="5")
    assert shop.root.put(f"products/{id}", body).status_code == status
    record = shop.root.get(f"products/{id}").get_json()
    assert record["list_price"] == shown
    assert record["avail_since"] == ("0" if "avail_since" in body else "5")


def test_a_key_of_a_map_is_removed_by_null(shop: Shop) -> None:
    """Partial updates: `null` removes it, what is absent stays."""
    made = [
        shop.root.post("features", {"description": name, "feature_type": "T"})
        for name in ("Colour", "Glaze")
    ]
    first, second = (str(answer.get_json()["feature_id"]) for answer in made)
    id = shop.make_product(product_features={first: "red", second: "matt"})
    shop.root.put(f"products/{id}", {"product_features": {first: None}})
    record = shop.root.get(f"products/{id}").get_json()
    assert [*record["product_features"]] == [second]


COMPULSORY = {
    "blocks": "type name properties",
    "call_requests": "phone",
    "carts": "product_id",
    "categories": "category",
    "discussions": "object_type object_id message",
    "features": "description feature_type",
    "languages": "lang_code name",
    "langvars": "name",
    "options": "product_id option_name",
    "orders": "payment_id products user_data",
    "pages": "page_type page",
    "payments": "payment",
    "products": "product category_ids",
    "shipments": "order_id products carrier",
    "shippings": "shipping",
    "statuses": "description",
    "stores": "company storefront",
    "taxes": "tax",
    "usergroups": "type status",
    "users": "email user_type",
    "vendors": "company email",
}
"""What a new object cannot do without; all else has a default."""


@pytest.mark.any_database
@pytest.mark.parametrize("name", COMPULSORY)
def test_a_new_object_needs_its_required_fields_only(shop: Shop, name: str) -> None:
    """Partial updates: documented defaults work, and each missing field is named."""
    names = COMPULSORY[name].split()
    payload = PAYLOADS[name](shop)
    for missing in names:
        body = {key: payload[key] for key in names if key != missing}
        answer = shop.root.post(name, {**body, "nosuch": "1"})
        assert (missing, answer.status_code) == (missing, 400)
        assert missing in answer.get_json()["message"]
    made = shop.root.post(name, {key: payload[key] for key in names})
    assert made.status_code == 201, made.get_data(as_text=True)


# Lists, filters, search


@pytest.fixture(params=["UTC", "Asia/Tokyo", "America/New_York"])
def zone_of_the_machine(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The time zone in which the process runs."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.any_database
@pytest.mark.usefixtures("zone_of_the_machine")
@pytest.mark.parametrize(
    ("text", "found"),
    [("1711843200", 1), ("2024-03-31T00:00:00Z", 1),
     ("2024-03-31T02:00:00%2B02:00", 1), ("2024-03-31T02:00:00+02:00", 1),
     ("2024-03-31", 1), ("1711843201", 0), ("2024-03-31T00:00:01Z", 0)],
)  # fmt: skip
def test_times_do_not_depend_on_the_machine(shop: Shop, text: str, found: int) -> None:
    """Lists: seconds, or ISO with an offset, whatever zone the server is in."""
    shop.make_product(timestamp="1711843200")
    answer = shop.root.get(f"products?time_from={text}")
    assert answer.headers["X-Total-Count"] == str(found)


@pytest.mark.any_database
@pytest.mark.parametrize("name", ["updated_at_from", "updated_at_to", "time_from"])
@pytest.mark.parametrize("text", ["2024-13-01", "2024-03-31T00:00", "31.3.2024", "now"])
@pytest.mark.parametrize("entity", ["orders", "products"])
def test_dates_that_are_none_are_400(
    shop: Shop, entity: str, name: str, text: str
) -> None:
    """Lists: the parameter is named; a time without an offset is none."""
    answer = shop.root.get(f"{entity}?{name}={text}")
    assert answer.status_code == 400
    assert [error["field"] for error in answer.get_json()["errors"]] == [name]


# HTTP behaviour


@pytest.mark.parametrize("tail", ["9" * 20, "9" * 5000, "9" * 12])
@EVERY_LISTED
def test_no_id_of_a_parent_is_too_large(shop: Shop, name: str, tail: str) -> None:
    """HTTP: out of range is 404; for objects, see `test_every_record.py`."""
    for child in REGISTRY.children(name):
        assert shop.root.get(f"{name}/{tail}/{child}").status_code in (404, 405)


# Access and data safety


def test_a_code_is_free_again_when_its_owner_is_gone(till: Till) -> None:
    """Access: what was sold may go; the order stays, and the code can be used anew."""
    product = till.product("Rope", "14.31", product_code="R-1", seo_name="rope")
    id = till.shop.root.post("orders", one(till, product)).get_json()["order_id"]
    assert till.shop.root.delete(f"products/{product}").status_code == 204
    again = till.product("Rope", "14.31", product_code="R-1", seo_name="rope")
    record = till.shop.root.get(f"products/{again}").get_json()
    assert (record["product_code"], record["seo_name"]) == ("R-1", "rope")
    (line,) = till.record(id)["products"].values()
    assert (line["product"], line["product_code"]) == ("Rope", "R-1")
