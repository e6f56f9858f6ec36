"""What real clients send, and what they read (spec/clients.md).

Facts of the transport (T), of lists (L) and of answers (A), and the typed client.
"""

import base64
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask

from tests.contract.reading import read
from tests.contract.samples import CHANGES, PAYLOADS, REGISTRY
from tests.contract.world import World
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


def test_an_address_without_a_state_is_taken(shop: Shop) -> None:
    """7.7: refusing it stops the export of orders."""
    data = {**GUEST_DATA, "b_country": "HK", "s_country": "HK"}
    till = Till(shop)
    id = till.order(user_data={**data, "b_state": "", "s_state": ""})
    assert till.record(id)["b_state"] == ""


# Section 5.1: the typed client


def words(text: str) -> frozenset[str]:
    """The names in a text."""
    return frozenset(text.split())


STRINGS = {
    "products": words(
        "product price status avail_since details_layout edp_shipping exceptions_type"
        " free_shipping list_qty_count low_avail_limit max_qty out_of_stock_actions"
        " product_code return_period seo_name shipping_freight shipping_params"
        " timestamp unlimited_download updated_timestamp zero_price_action"
    ),
    "categories": words("category company_id status"),
    "users": words("email user_type company_id status is_root"),
    "vendors": words("company_id"),
    "blocks": words("block_id type company_id lang_code name"),
    "carts": words("user_id date ip_address cart_products total"),
    "call_requests": words("phone"),
    "discussions": words(
        "post_id thread_id object_type object_id name message rating_value timestamp"
        " status user_id ip_address type company_id"
    ),
    "langvars": words("name value"),
    "languages": words("lang_id lang_code name country_code direction"),
    "payments": words("payment a_surcharge status surcharge_title template"),
    "settings": words("name type"),
    "statuses": words("description"),
    "taxes": words("tax tax_id"),
    "shippings": words("shipping"),
}
"""Fields that have to be there, as JSON strings."""

EITHER = {
    "products": words("company_id amount length min_qty product_id qty_step list_price"
                      " weight"),
    "orders": words("order_id"),
    "payments": words("company_id"),
    "features": words("company_id"),
}  # fmt: skip
"""Fields that are a number or a string of digits."""

INTEGERS = {"products": words("main_category"), "pages": words("level")}
"""Fields that have to be JSON numbers."""

TYPED = sorted({*STRINGS, *EITHER, *INTEGERS, "usergroups"})


def seen(world: World, name: str) -> Iterator[dict[str, Any]]:
    """Every record of an entity in 2.0: those of the list, and the single ones."""
    body = read(world, f"{name}?items_per_page=1000&period=A").get_json()
    listed = body.get(name, body) if isinstance(body, dict) else body
    yield from listed.values() if isinstance(listed, dict) else listed
    for (each, _), id in world.objects.items():
        if each == name:
            yield read(world, f"{name}/{id}").get_json()


@pytest.mark.parametrize("name", TYPED)
def test_the_typed_client_reads_every_record(world: World, name: str) -> None:
    """Section 5.1: types that a strict parser wants, in lists and single records."""
    for record in seen(world, name):
        for field in STRINGS.get(name, ()):
            assert (field, type(record[field])) == (field, str)
        for field in EITHER.get(name, ()):
            assert float(record[field]) >= 0
        for field in INTEGERS.get(name, ()):
            assert (field, type(record[field])) == (field, int)
        for field in ("tax_ids", "usergroup_ids"):
            value = record.get(field, "")
            parts = value if isinstance(value, list) else value.split(",")
            assert all(part == "" or part.isdigit() for part in parts)


@pytest.mark.parametrize("name", ["orders", "users", "vendors", "categories", "pages"])
def test_what_the_typed_client_may_lack_is_no_number(world: World, name: str) -> None:
    """Section 5.1: everything else it knows of these is a string or null."""
    known = {
        "orders": "status total firstname lastname email phone timestamp notes details"
        " company user_id payment_id lang_code ip_address invoice_id discount",
        "users": "user_id firstname lastname user_login company phone timestamp",
        "vendors": "company email storefront status lang_code average_rating",
        "categories": "category_id parent_id position id_path product_count timestamp",
        "pages": "page_id page parent_id status position timestamp page_type",
    }[name]
    for record in seen(world, name):
        for field in words(known) & {*record}:
            assert record[field] is None or isinstance(record[field], str)


def test_parts_that_the_typed_client_reads_as_they_are(world: World) -> None:
    """Section 5.1, last column: arrays, empty values, and what must be left out."""
    for record in seen(world, "products"):
        assert all(type(each) is int for each in record["category_ids"])
    for record in seen(world, "categories"):
        assert record.get("main_pair", []) in (None, [])
    body = read(world, "features?items_per_page=1000").get_json()
    assert all(isinstance(r.get("variants", ""), str) for r in body["features"])
    body = read(world, "settings?items_per_page=1000").get_json()
    assert all(isinstance(r.get("variants", []), list) for r in body["settings"])
    assert all(isinstance(r["value"], str | None) for r in body["settings"])
    for record in seen(world, "carts"):
        for line in record.get("products", ()):
            texts = words("item_id item_type product_id amount price product")
            assert all(isinstance(line[field], str) for field in texts)
            assert isinstance(line["extra"], dict)
    for record in seen(world, "usergroups"):
        assert record["type"] in ("A", "C")
        assert record["status"] in ("A", "H", "D")
        assert all(isinstance(p, str) for p in record.get("privileges", ()))


# Section 6: strict readers


LISTED_FIELDS = {
    "carts": words("user_id firstname lastname date ip_address company_id"
                   " cart_products total order_id user_data"),
    "languages": words("lang_id lang_code name status country_code direction"),
    "langvars": words("name value"),
    "discussions": STRINGS["discussions"],
    "blocks": words("block_id type name properties company_id lang_code"),
    "categories": words("category_id parent_id id_path category position status"
                        " product_count company_id"),
    "payments": words(
        "payment_id company_id usergroup_ids position status template processor_id"
        " processor_params a_surcharge p_surcharge tax_ids localization"
        " payment_category payment description instructions surcharge_title lang_code"),
}  # fmt: skip
"""List records to which nothing may be added."""


@pytest.mark.parametrize("name", LISTED_FIELDS)
@EVERY_VERSION
def test_list_records_have_no_other_fields(
    world: World, version: str, name: str
) -> None:
    """Section 6: one client builds records of a fixed list, and fails on any other."""
    body = read(world, f"/api/{version}/{name}?items_per_page=1000").get_json()
    listed = body[name] if isinstance(body, dict) else body
    records = [*listed.values()] if isinstance(listed, dict) else listed
    assert records
    assert {frozenset(record) for record in records} == {LISTED_FIELDS[name]}
