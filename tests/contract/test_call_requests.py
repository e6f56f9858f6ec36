"""Call requests: contacts, states, carts, who works on them (call_requests.md)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi.models import Order
from tests.orders import stored_order
from tests.shop import NOW, Caller, Shop

PHONE = "+351 210 000 000"


def make(shop: Shop, **payload: Any) -> int:
    """A request, made through the API by the root caller."""
    answer = shop.root.post("call_requests", {"phone": PHONE, **payload})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["request_id"])


def read(shop: Shop, id: int, query: str = "") -> Any:
    return shop.root.get(f"call_requests/{id}{query}").get_json()


def names(shop: Shop, query: str = "", caller: Caller | None = None) -> str:
    body = (caller or shop.root).get(f"call_requests?{query}").get_json()
    return "".join(record["name"] for record in body["call_requests"])


def refused(answer: Any, *fields: str) -> None:
    assert answer.status_code == 400, answer.get_data(as_text=True)
    assert [error["field"] for error in answer.get_json()["errors"]] == list(fields)


def test_records_are_those_of_the_documents(shop: Shop) -> None:
    sent = {"name": "Rui", "time_from": "9:00", "time_to": "10:00",
            "timestamp": 1735689600}  # fmt: skip
    id = make(shop, **sent)
    record = {
        "request_id": str(id), "company_id": str(shop.store), "phone": PHONE,
        "email": None, "name": "Rui", "time_from": "9:00", "time_to": "10:00",
        "status": "new", "notes": None, "user_id": "0", "order_id": "0",
        "product_id": "0", "timestamp": "1735689600", "cart_products": "",
        "order_status": None, "product": None,
    }  # fmt: skip
    echo = {
        "page": 1, "items_per_page": 10, "sort_by": "date", "sort_order": "desc",
        "sort_order_rev": "asc", "total_items": "1",
    }  # fmt: skip
    body = shop.root.get("call_requests").get_json()
    assert body == {"call_requests": [record], "params": echo}
    body = shop.root.get("/api/call_requests").get_json()
    assert body == {"call_requests": {str(id): record}, "search": echo}
    assert read(shop, id) == record


def test_an_address_is_enough(shop: Shop) -> None:
    found = read(shop, make(shop, phone="", email="rui@example.com"))
    assert (found["phone"], found["email"]) == ("", "rui@example.com")
    assert int(found["timestamp"]) > NOW


@pytest.mark.parametrize(
    ("body", "fields"),
    [({"name": "Rui"}, ["phone", "email"]), ({"phone": " "}, ["phone", "email"]),
     ({"phone": None, "email": ""}, ["phone", "email"]),
     ({"phone": "1", "email": "x"}, ["email"]),
     ({"phone": "1", "status": "nosuch"}, ["status"]),
     ({"phone": "1", "product_id": 999999, "user_id": 999999},
      ["user_id", "product_id"]),
     ({"phone": "1", "order_id": 999999}, ["order_id"]),
     ({"phone": "1", "company_id": 999999}, ["company_id"]),
     ({"phone": "1" * 65}, ["phone"]),
     ({"phone": "1", "time_from": "x" * 33}, ["time_from"]),
     ({"phone": "1", "cart_products": "x"}, ["cart_products"]),
     ({"phone": "1", "cart_products": ["x"]}, ["cart_products"]),
     ({"phone": "1", "cart_products": [{"amount": "1"}] * 501}, ["cart_products"]),
     ({"phone": "1", "cart_products": [{"amount": []}]}, ["cart_products"])],
)  # fmt: skip
def test_bad_requests_are_refused(shop: Shop, body: Any, fields: Any) -> None:
    before = shop.everything()
    refused(shop.root.post("call_requests", body), *fields)
    assert shop.everything() == before


@pytest.mark.parametrize("state", ["in_progress", "completed", "no_answer", "new"])
def test_any_state_follows_any_other(shop: Shop, state: str) -> None:
    for first in ("completed", "no_answer", "new"):
        id = make(shop, status=first)
        answer = shop.root.put(f"call_requests/{id}", {"status": state})
        assert answer.get_json() == {"request_id": str(id)}
        assert read(shop, id)["status"] == state


def test_one_client_spells_no_answer_in_its_own_way(shop: Shop) -> None:
    """Protocol, section 16, row 32."""
    id = make(shop, status="non_answer", name="A")
    assert read(shop, id)["status"] == "no_answer"
    assert names(shop, "status=non_answer") == "A"
    shop.root.put(f"call_requests/{id}", {"status": "new"})
    shop.root.put(f"call_requests/{id}", {"status": "non_answer"})
    assert read(shop, id)["status"] == "no_answer"


def test_only_five_fields_change(shop: Shop) -> None:
    id, product = make(shop, name="Rui"), shop.make_product()
    before = read(shop, id)
    ignored = {"phone": "1", "email": "x", "name": "x", "time_from": "x",
               "company_id": 9, "timestamp": 1, "cart_products": "x",
               "order_status": "P"}  # fmt: skip
    changes = {"status": "completed", "notes": "call again", "product_id": product,
               "user_id": shop.root.user_id}  # fmt: skip
    answer = shop.root.put(f"call_requests/{id}", {**ignored, **changes})
    assert answer.status_code == 200
    assert read(shop, id) == {
        **before, "status": "completed", "notes": "call again", "product": "Mug",
        "product_id": str(product), "user_id": str(shop.root.user_id),
    }  # fmt: skip
    unchanged = shop.everything()
    body = read(shop, id)
    assert shop.root.put(f"call_requests/{id}", body).status_code == 200
    assert shop.everything() == unchanged
    body = {"product_id": 0, "user_id": "0", "notes": None}
    assert shop.root.put(f"call_requests/{id}", body).status_code == 200
    assert read(shop, id) == {**before, "status": "completed"}
    for field in ("user_id", "order_id", "product_id"):
        refused(shop.root.put(f"call_requests/{id}", {field: 999999}), field)


def test_carts_keep_four_parts_of_each_product(shop: Shop) -> None:
    item = {"product_id": 210, "amount": 2, "price": 9.9, "product": "Rope", "x": [1]}
    kept = {"product_id": "210", "amount": "2", "price": "9.9", "product": "Rope"}
    some = {"amount": "1"}
    for sent, shown in (([item, some], [kept, some]), ({"77": item}, [kept]),
                        ([], ""), (None, ""), ("", "")):  # fmt: skip
        assert read(shop, make(shop, cart_products=sent))["cart_products"] == shown


def test_names_and_states_are_looked_up(shop: Shop) -> None:
    product, order = shop.make_product(), stored_order(shop, status="P")
    id = make(shop, product_id=product, order_id=order)
    body = {"product": "Becher", "lang_code": "de"}
    shop.root.put(f"products/{product}", body)
    found = read(shop, id, "?sl=de")
    assert (found["product"], found["order_status"]) == ("Becher", "P")
    shop.change(Order, {"order_id": order}, {"status": "C"})
    assert read(shop, id)["order_status"] == "C"
    shop.root.delete(f"products/{product}")
    assert shop.root.delete(f"orders/{order}").status_code == 204
    found = read(shop, id)
    assert (found["product"], found["product_id"]) == (None, "0")
    assert (found["order_status"], found["order_id"]) == (None, "0")


@pytest.mark.parametrize(
    ("query", "expected"),
    [("", "CBA"), ("sort_order=asc", "ABC"), ("sort_by=id", "CBA"),
     ("sort_by=name", "CBA"), ("sort_by=phone", "CBA"), ("sort_by=status", "BAC"),
     ("sort_by=user_id", "ABC"), ("sort_by=user", "ABC"), ("sort_by=order", "BAC"),
     ("sort_by=order_status", "BAC"), ("sort_by=user&sort_order=asc", "BCA"),
     ("status=new", "B"), ("status=completed", "C"),
     ("name=a", "A"), ("phone=210-00", "A"), ("phone=x", ""), ("phone=%25", ""),
     ("company_id={S}", "CBA"), ("company_id=0", ""), ("order_status=P", "B"),
     ("user_id={U}", "A"), ("user_id={U},0", "CBA"), ("user_id=0", "CB"),
     ("order_exists=Y", "B"), ("order_exists=n", "CA"), ("email=c@example.com", "C"),
     ("product_id={P}", "C"), ("product_id=0", "BA"), ("order_id={O}", "B"),
     ("product=Mug", "C"), ("timestamp=20", "B")],
)  # fmt: skip
def test_lists_are_filtered_and_sorted(shop: Shop, query: str, expected: str) -> None:
    product, order = shop.make_product(), stored_order(shop, status="P")
    handler = shop.caller(name_key="zoe").user_id
    make(shop, name="A", timestamp=10, user_id=handler, status="in_progress")
    make(shop, name="B", timestamp=20, phone="+44 20 7946", order_id=order)
    make(shop, name="C", timestamp=30, product_id=product, status="completed",
         phone="800", email="c@example.com")  # fmt: skip
    ids = {"S": shop.store, "U": handler, "P": product, "O": order}
    assert names(shop, query.format(**ids)) == expected


@pytest.mark.parametrize(
    ("name", "query"),
    [("order_exists", "order_exists=x"), ("user_id", "user_id=x"),
     ("phone", "phone[]=1"), ("product_id", "product_id=x"),
     ("timestamp", "timestamp=x")],
)  # fmt: skip
def test_bad_filters_are_named(shop: Shop, name: str, query: str) -> None:
    refused(shop.root.get(f"call_requests?{query}"), name)


# Callers


def test_companies_keep_to_their_own(shop: Shop) -> None:
    own = make(shop, name="own")
    foreign = make(shop, name="foreign", company_id=shop.other_store)
    rights = ("view_call_requests", "manage_call_requests")
    clerk = shop.caller(*rights, company_id=shop.store)
    assert names(shop, "", clerk) == "own"
    assert clerk.get(f"call_requests/{foreign}").status_code == 404
    product = shop.make_product(company_id=shop.other_store, category_ids=[
        shop.make_category("Shared", company_id=0)])  # fmt: skip
    body = {"product_id": product}
    refused(clerk.put(f"call_requests/{own}", body), "product_id")
    body = {"phone": "1", "company_id": shop.other_store}
    id = clerk.post("call_requests", body).get_json()["request_id"]
    assert read(shop, id)["company_id"] == str(shop.store)


def test_vendors_work_on_theirs(shop: Shop) -> None:
    id = make(shop, company_id=shop.vendor)
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    answer = vendor.put(f"call_requests/{id}", {"status": "completed"})
    assert answer.status_code == 200
    assert vendor.get(f"call_requests/{id}").get_json()["status"] == "completed"
    assert vendor.put(f"call_requests/{make(shop)}", {"notes": "x"}).status_code == 404
    assert vendor.post("call_requests", {"phone": "1"}).status_code == 403
    assert vendor.delete(f"call_requests/{id}").status_code == 403


@pytest.mark.parametrize("parent", ["stores", "vendors"])
def test_requests_nest_under_companies(shop: Shop, parent: str) -> None:
    company = shop.store if parent == "stores" else shop.vendor
    path = f"{parent}/{company}/call_requests"
    body = {"phone": "1", "company_id": shop.other_store}
    id = shop.root.post(path, body).get_json()["request_id"]
    make(shop, company_id=shop.other_store)
    found = shop.root.get(path).get_json()["call_requests"]
    assert [record["request_id"] for record in found] == [str(id)]


def test_customers_only_ask(make_app: Callable[..., Flask]) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    product, hidden = shop.make_product(), shop.make_product("H", status="D")
    staff = {"status": "completed", "user_id": 1, "order_id": 1, "notes": "x",
             "timestamp": 5, "company_id": shop.other_store}  # fmt: skip
    customer = shop.caller(user_type="C")
    for caller, status in ((shop.anonymous, 401), (customer, 403)):
        body = {"phone": PHONE, "product_id": product, **staff}
        answer = caller.post(f"stores/{shop.store}/call_requests", body)
        assert answer.status_code == 201
        found = read(shop, answer.get_json()["request_id"])
        assert (found["status"], found["user_id"], found["notes"]) == ("new", "0", None)
        assert found["company_id"] == str(shop.store)
        body = {"phone": "1", "product_id": hidden}
        refused(caller.post("call_requests", body), "product_id")
        assert caller.get("call_requests").status_code == status
        id = found["request_id"]
        answer = caller.put(f"call_requests/{id}", {"notes": "x"})
        assert answer.status_code == status


def test_requests_go_with_their_store(shop: Shop) -> None:
    body = {"company": "Quay", "storefront": "quay.example"}
    store = shop.root.post("stores", body).get_json()["store_id"]
    make(shop, company_id=store)
    kept = make(shop)
    assert shop.root.delete(f"stores/{store}").status_code == 204
    assert [row[0] for row in shop.everything()["call_requests"]] == [kept]
