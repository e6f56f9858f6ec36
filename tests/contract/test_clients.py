"""What real clients send, and what they read (spec/clients.md).

Facts of the transport (T), of lists (L) and of answers (A), and what is sent to each
entity. What strict parsers want is in test_typed_client.py.
"""

import base64
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask

from tests.contract.samples import CHANGES, PAYLOADS, REGISTRY
from tests.orders import GUEST_DATA, Till
from tests.shop import Caller, Shop

pytestmark = pytest.mark.any_database  # shapes and types, which no database decides
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
EVERY_VERSION = pytest.mark.parametrize("version", ["1.0", "2.0"])

# Section 2: the transport


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/users/?page=1", 200),
        ("GET", "/api/2.0/products/{id}/", 200),
        ("GET", "/api/2.0/products/{id}/?sl=en&language=en&items_per_page=5", 200),
        ("POST", "/api/products/", 201),
        ("PUT", "/api/products/{id}/", 200),
        ("DELETE", "/api/2.0/products/{id}/", 204),
        ("GET", "/api.php?_d=products&page=2", 200),
        ("GET", "/api.php?_d=products%2F{id}&ajax_custom=1", 200),
        ("POST", "/api.php?_d=products", 201),
        ("PUT", "/api.php?_d=products/{id}", 200),
        ("DELETE", "/api.php?_d=products/{id}", 204),
    ],
)
def test_addresses_as_clients_write_them(
    shop: Shop, method: str, path: str, status: int
) -> None:
    """T1 and T19: answered directly, whatever the method."""
    id = shop.make_product()
    body = {"product": "Cup", "price": 3, "category_ids": [shop.category]}
    sent = {"json": body} if method in ("POST", "PUT") else {"content_type": JSON}
    answer = shop.root.request(method, path.format(id=id), **sent)
    assert answer.status_code == status


@pytest.mark.parametrize(
    "query",
    [
        "pname=True&get_features=False&q=M%C3%B6 x",
        "page=1&page=1&items_per_page=5&items_per_page=5",
        "params[page]=2&icon_sizes[main_pair][0][0]=100&selected_options[7]=17",
        "language=en&sl=en&lang_code=en&client=app&ajax_custom=1&include=x",
        "sort_order_rev=asc&detailed_params=Y&get_icon=1&get_detailed=true",
        "fields=&sort_by=&sort_order=desc&status=",
    ],
)
@pytest.mark.parametrize("name", ["products", "categories", "orders", "users"])
@EVERY_VERSION
def test_queries_as_clients_write_them(
    shop: Shop, version: str, name: str, query: str
) -> None:
    """T9 to T12: unescaped, doubled, in brackets, and unknown."""
    assert shop.root.get(f"/api/{version}/{name}?{query}").status_code == 200


def test_credentials_only_on_get(shop: Shop) -> None:
    """T6: what comes without them is 401 with a JSON body."""
    for method, path in (("POST", "products"), ("PUT", "products/1"),
                         ("DELETE", "products/1")):  # fmt: skip
        answer = shop.anonymous.request(method, path, json={"product": "Cup"})
        assert (answer.status_code, answer.get_json()["status"]) == (401, 401)
        assert answer.headers["Content-Type"] == JSON


def test_credentials_from_the_address(shop: Shop) -> None:
    """T7: `%40` is undone by the client; sent as it is, it is another login."""
    for login, status in ((shop.root.login, 200), (quote(shop.root.login), 401)):
        pair = base64.b64encode(f"{login}:{shop.root.key}".encode()).decode()
        headers = {"authorization": f"Basic {pair}"}
        assert shop.anonymous.get("products", headers=headers).status_code == status


@pytest.mark.parametrize(
    ("kind", "data", "status"),
    [(JSON, b"[]", 405), (JSON, b"status=D", 400), (FORM, b"status=D", 200),
     ("text/plain", b"status=D", 200), (f"{JSON};charset=utf-8", b'{"a":1}', 200)],
)  # fmt: skip
def test_bodies_as_clients_write_them(
    shop: Shop, kind: str, data: bytes, status: int
) -> None:
    """T3, and T14 to T16: `[]` for no properties, forms, and a form called JSON."""
    customer = shop.caller(user_type="C")
    path = f"users/{customer.user_id}"
    answer = shop.root.request("PUT", path, data=data, content_type=kind)
    assert answer.status_code == status


def test_a_post_that_is_sent_again_makes_another_object(shop: Shop) -> None:
    """T18: without a key nothing tells that it is the same one."""
    body = {"product": "Cup", "category_ids": [shop.category]}
    made = [shop.root.post("products", body).get_json() for _ in range(2)]
    assert made[0] != made[1]


@pytest.mark.parametrize("query", ["version", "version=True"])
def test_the_brand_is_read_by_splitting(shop: Shop, query: str) -> None:
    """T20: three words without tags."""
    line = shop.anonymous.get(f"/api/?{query}").get_data(as_text=True)
    assert line.split(" ") == line.split() == ["CS-Cart", "4.18.1", "ULTIMATE"]


def test_credentials_are_checked_by_statuses(shop: Shop) -> None:
    """T21: 200 or 401."""
    assert shop.root.get("/api/statuses").status_code == 200
    wrong = Caller(shop.client, 0, shop.root.login, "x")
    assert wrong.get("/api/statuses").status_code == 401


# Section 3: what clients read


def test_unversioned_addresses_may_speak_2_0(
    shop: Shop, make_app: Callable[..., Flask]
) -> None:
    """L8, 7.1: the operator's setting serves clients that know no prefix."""
    client = make_app(api_default_version="2.0").test_client()
    root = Caller(client, 0, shop.root.login, shop.root.key)
    for name in ("products", "categories", "features", "users", "orders"):
        body = root.get(f"/api/{name}").get_json()
        assert (type(body[name]), type(body["params"])) == (list, dict)
    assert isinstance(shop.root.get("/api/stores").get_json(), list)


@pytest.mark.parametrize("size", [1, 5, 10, 20, 50, 100, 200, 250, 500, 1000])
def test_page_sizes_are_honoured(shop: Shop, size: int) -> None:
    """L4 and L5: reading ends by total, by an empty page, and by a short one."""
    for number in range(6):
        shop.make_product(f"Mug {number}")
    found: list[str] = []
    for page in range(1, 9):
        body = shop.root.get(f"products?items_per_page={size}&page={page}").get_json()
        shown = [record["product_id"] for record in body["products"]]
        assert body["params"]["items_per_page"] == size
        assert len(shown) == max(0, min(size, 6 - (page - 1) * size))
        found += shown
        if int(body["params"]["total_items"]) <= page * size:
            break
    assert len(found) == len({*found}) == 6


SILENT = ("products", "categories", "users", "features", "pages", "payments",
          "shippings", "taxes", "statuses", "usergroups", "blocks", "languages",
          "langvars", "stores", "call_requests", "carts")  # fmt: skip


@pytest.mark.parametrize("name", SILENT)
@EVERY_VERSION
def test_successes_have_no_message(shop: Shop, version: str, name: str) -> None:
    """A2, A3 and A6: exact statuses, the ID, and nothing that looks like an error."""
    made = shop.root.post(f"/api/{version}/{name}", PAYLOADS[name](shop))
    id = made.get_json()[REGISTRY.get(name).id_key]
    path = f"/api/{version}/{name}/{id}"
    changed = shop.root.put(path, CHANGES[name])
    gone = shop.root.delete(path)
    assert [a.status_code for a in (made, changed, gone)] == [201, 200, 204]
    assert "message" not in {**made.get_json(), **changed.get_json()}
    assert gone.data == b""


def test_a_vendor_is_greeted_in_2_0_only(shop: Shop) -> None:
    """7.2, and protocol, section 16, row 26: others take it for an error."""
    for version in ("1.0", "2.0"):
        made = shop.root.post(f"/api/{version}/vendors", PAYLOADS["vendors"](shop))
        body = made.get_json()
        assert {*body} - {"message"} == {"store_id", "company_id"}
        assert bool(body.get("message")) == (version == "2.0")
        kind = str if version == "1.0" else int
        assert {type(body["store_id"]), type(body["company_id"])} == {kind}


@pytest.mark.parametrize(
    ("path", "status"),
    [("companies", 404), ("statistics/sales", 404), ("sra_products", 404),
     ("/api/4.0/sra_products", 404), ("products/999999", 404), ("/api/x/y/z", 404)],
)  # fmt: skip
def test_unknown_things_are_json_errors(shop: Shop, path: str, status: int) -> None:
    """A5, A9: an object with a message that is not empty."""
    answer = shop.root.get(path)
    body = answer.get_json()
    assert (answer.status_code, body["status"]) == (status, status)
    assert isinstance(body["message"], str)
    assert body["message"]


@pytest.mark.parametrize(
    ("body", "moved"),
    [({"amount": 7}, {"amount"}), ({"price": "8.10"}, {"price", "base_price"}),
     ({"status": "H"}, {"status"}), ({"list_price": 1}, {"list_price"})],
)  # fmt: skip
def test_one_field_alone_moves(shop: Shop, body: Any, moved: set[str]) -> None:
    """Section 3.3: no other field, text, category, image or feature."""
    image = {"detailed": {"image_path": "https://img.example/mug.jpg"}}
    feature = {"description": "Colour", "feature_type": "T"}
    id = shop.root.post("features", feature).get_json()["feature_id"]
    product = shop.make_product(
        "Mug", full_description="<p>x</p>", main_pair=image, image_pairs=[image],
        tax_ids=[shop.make_tax()], product_features={str(id): "red"}, price="2",
        prices=[{"lower_limit": 5, "price": "1"}],
    )  # fmt: skip
    path = f"products/{product}"
    before = shop.root.get(path).get_json()
    assert shop.root.put(path, body).status_code == 200
    after = shop.root.get(path).get_json()
    assert {*before} == {*after}
    changed = {name for name in before if before[name] != after[name]}
    assert changed - {"updated_timestamp"} == moved
    stored = shop.everything()
    assert shop.root.put(path, body).status_code == 200
    assert shop.everything() == stored


def test_an_image_that_does_not_answer_refuses_no_product(shop: Shop) -> None:
    """Section 4, products: pairs as a map or an array, features as a map."""
    image = {"detailed": {"image_path": "https://img.example/none.jpg"}}
    for pairs in ({"0": image, "1": image}, [image]):
        body = {"product": "Mug", "price": 1, "category_ids": [shop.category]}
        body |= {"main_pair": image, "image_pairs": pairs, "description": "x"}
        made = shop.root.post("products", body)
        assert (made.status_code, made.headers["X-Ignored-Fields"]) == (
            201,
            "description",
        )


def test_categories_as_clients_send_them(shop: Shop) -> None:
    """Section 4, categories: a root of the shop with fields that nobody knows."""
    body = {"category": "Bowls", "parent_id": 0, "status": "A", "storefront_id": 1,
            "company_id": 0, "lang_code": "en", "source": "erp"}  # fmt: skip
    made = shop.root.post("categories", body)
    assert made.status_code == 201
    path = f"categories/{made.get_json()['category_id']}"
    for query in ("get_subcategories=Y&subcategories=Y", "subcats=Y"):
        assert shop.root.get(f"{path}?{query}").status_code == 200


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("users", {"email": "a@example.com", "user_type": "C", "company_id": "{store}",
                   "status": "A", "firstname": "", "lastname": "", "phone": 5551234,
                   "password": "plain text", "country": "US", "state": "NH"}),
        ("stores", {"company": "Hill", "storefront": "hill.example",
                    "secure_storefront": "hill.example", "clone_from": "{store}",
                    "clone": {"pages": "Y", "nosuch": "Y"}, "countries_list": ["US"]}),
        ("vendors", {"company": "Nets", "email": "n@example.com", "phone": "1",
                     "address": "Pier 1", "city": "Portsmouth", "country": "US",
                     "state": "NH"}),
        ("features", {"description": "Colour", "feature_type": "S", "company_id": 0,
                      "variants": [{"variant": "red"}]}),
        ("options", {"product_id": "{product}", "option_name": "Size",
                     "option_type": "S", "required": "Y", "inventory": "N",
                     "variants": {"a": {"variant_name": "S"},
                                  "b": {"variant_name": "M"}}}),
        ("payments", {"payment": "Cash"}),
        ("shippings", {"shipping": "Courier", "company_id": "{store}"}),
        ("auth", {"email": "{login}"}),
        ("products", {"product": "Mug", "price": "3.5", "amount": 2, "tracking": "B",
                      "category_ids": ["{category}"], "main_category": "{category}",
                      "weight": "0.3", "shipping_freight": 1, "status": "A"}),
    ],
)  # fmt: skip
def test_bodies_by_entity(shop: Shop, name: str, body: dict[str, Any]) -> None:
    """Section 4: what the clients POST."""
    known = {"store": shop.store, "product": shop.make_product()}
    known |= {"login": shop.root.login, "category": shop.category}
    text = json.dumps(body)
    for word, value in known.items():
        text = text.replace(f"{{{word}}}", str(value))
    sent = json.loads(text)
    answer = shop.root.post(name, sent)
    assert answer.status_code == 201, answer.get_data(as_text=True)


@pytest.mark.parametrize(
    "path",
    [
        "pages?page_type=T&sort_by=position&sort_order=desc&page=1&items_per_page=10",
        "langvars/hint?sl=en", "usergroups?type=A&status=A&page=1&items_per_page=10",
        "products?cid={category}&filter=Y&company_id={store}&subcats=Y",
        "products?get_options=1&get_features=true&get_detailed=True&get_icon=Y",
        "products?pname=Y&pshort=Y&pfull=Y&pkeywords=Y&pcode=x&q=mug",
        "products?amount_from=1&amount_to=9&price_from=0&price_to=99",
        "products?sort_by=updated_timestamp&sort_order=desc",
        "products/{product}/features?items_per_page=250",
        "categories/{category}?get_subcategories=Y&subcategories=Y",
        "categories/{category}/products", "orders?period=C&time_from=2024-01-01",
        "orders?status=O&email=a&company_id={store}&get_orders_data=Y&sort_by=date",
        "users?user_type=C&status=A&email=ANN@example.com",
        "combinations?product_id={product}", "exceptions?product_id={product}",
        "options?product_id={product}",
        "carts?period=A", "settings?section_id=1", "statuses?type=O", "taxes",
        "products?variation_group_id=1", "shipments", "languages", "blocks",
        "discussions?object_type=P&object_id={product}", "product_variations_groups",
    ],
)  # fmt: skip
@EVERY_VERSION
def test_reads_by_entity(shop: Shop, version: str, path: str) -> None:
    """Section 4: what the clients read."""
    shop.root.post("langvars", {"name": "hint", "value": "Cup"})
    path = path.format(
        category=shop.category, store=shop.store, product=shop.make_product()
    )
    answer = shop.root.get(f"/api/{version}/{path}")
    assert answer.status_code == 200, answer.get_data(as_text=True)


@pytest.mark.parametrize(
    "body",
    [{"status": "non_answer", "phone": "1", "notes": "again"},
     {"status": "no_answer", "phone": 5551234, "notes": None}],
)  # fmt: skip
def test_a_call_that_nobody_took(shop: Shop, body: dict[str, Any]) -> None:
    """Section 4, call requests; protocol, section 16, row 32."""
    id = shop.root.post("call_requests", {"phone": "1"}).get_json()["request_id"]
    path = f"call_requests/{id}"
    assert shop.root.put(path, body).status_code == 200
    assert shop.root.get(path).get_json()["status"] == "no_answer"


def test_an_address_without_a_state_is_taken(shop: Shop) -> None:
    """7.7: refusing it stops the export of orders."""
    data = {**GUEST_DATA, "b_country": "HK", "s_country": "HK"}
    till = Till(shop)
    id = till.order(user_data={**data, "b_state": "", "s_state": ""})
    assert till.record(id)["b_state"] == ""
