"""Addresses and versions (spec/protocol.md, sections 1 and 2)."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask

from tests.shop import Caller, Shop

pytestmark = pytest.mark.any_database  # decided before an entity is asked


def _as(app: Flask, caller: Caller) -> Caller:
    return Caller(app.test_client(), caller.user_id, caller.login, caller.key)


@pytest.mark.parametrize("prefix", ["/api/2.0", "/api/2", "/api/v2", "/api/v2.0"])
def test_every_spelling_of_2_0_answers_alike(shop: Shop, prefix: str) -> None:
    """Sections 1 and 2.1: the spellings of version 2.0."""
    id = shop.make_product()
    listed = shop.root.get(f"{prefix}/products").get_json()
    assert [record["product_id"] for record in listed["products"]] == [str(id)]
    assert shop.root.get(f"{prefix}/products/{id}").get_json()["product"] == "Mug"


@pytest.mark.parametrize("prefix", ["/api", "/api/1.0", "/api/1", "/api/v1"])
def test_every_spelling_of_1_0_answers_alike(shop: Shop, prefix: str) -> None:
    """Sections 1 and 2.2: version 1.0 is the default."""
    id = shop.make_product()
    assert list(shop.root.get(f"{prefix}/products").get_json()["products"]) == [str(id)]


@pytest.mark.parametrize(
    "path",
    [
        "/api.php?_d=products/{id}",
        "/api.php?_d=products%2F{id}",
        "/api.php?_d=/products/{id}/",
        "/api.php?_d=2.0/products/{id}",
        "/api.php?_d=2.0%2Fproducts%2F{id}",
        "/api.php?q=products/{id}",
        "/api.php?_d=products/{id}&ajax_custom=1",
        "/api.php?ajax_custom=1&_d=products/{id}&q=languages",
        "/api.php?_d=categories/{category}/products/{id}",
    ],
)
def test_api_php_names_the_same_object(shop: Shop, path: str) -> None:
    """Sections 1.1, 1.4, 1.5: `_d`, and `q` where `_d` is missing."""
    id = shop.make_product()
    answer = shop.root.get(path.format(id=id, category=shop.category))
    assert answer.status_code == 200
    assert answer.get_json()["product_id"] == str(id)


def test_api_php_filters_like_the_rewritten_form(shop: Shop) -> None:
    """Section 1.5."""
    first = shop.make_product("Mug", price="5")
    shop.make_product("Cup", price="9")
    answer = shop.root.get("/api.php?_d=products&price=5&page=1&items_per_page=5")
    assert list(answer.get_json()["products"]) == [str(first)]
    assert answer.get_json()["search"]["price"] == "5"


def test_api_php_writes(shop: Shop) -> None:
    """Section 1: all four methods."""
    path = "/api.php?_d=products"
    made = shop.root.post(path, {"product": "Mug", "category_ids": [shop.category]})
    assert made.status_code == 201
    id = made.get_json()["product_id"]
    assert made.headers["Location"] == f"/api/products/{id}"
    assert shop.root.put(f"{path}/{id}", {"price": "7"}).status_code == 200
    assert shop.root.get(f"{path}/{id}").get_json()["price"] == "7.00"
    assert shop.root.delete(f"{path}%2F{id}").status_code == 204


@pytest.mark.parametrize(
    "path", ["/", "/products", "/apis/products", "/api.phpx", "/index.php", "/ap"]
)
def test_other_paths_are_not_the_api(shop: Shop, path: str) -> None:
    """Section 1.1: and their 404 has the one error body."""
    answer = shop.root.get(path)
    assert answer.status_code == 404
    assert answer.get_json()["status"] == 404


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "path",
    ["products", "products/", "/products", "//products//", "products/{id}",
     "products/{id}/", "//products///{id}//", "2.0/products/{id}/"],
)  # fmt: skip
def test_slashes_lead_to_no_redirect(shop: Shop, method: str, path: str) -> None:
    """Sections 1.2 and 1.3: trailing and doubled slashes, every method."""
    id = shop.make_product()
    body = {"product": "Cup", "category_ids": [shop.category]}
    json = body if method in ("POST", "PUT") else None
    answer = shop.root.request(method, "/api/" + path.format(id=id), json=json)
    single = "{id}" in path
    expected = {
        "GET": 200,
        "HEAD": 200,
        "OPTIONS": 204,
        "POST": 405 if single else 201,
        "PUT": 200 if single else 405,
        "DELETE": 204 if single else 405,
    }
    assert answer.status_code == expected[method]
    assert not 300 <= answer.status_code < 400


def test_segments_are_decoded_once(shop: Shop) -> None:
    """Section 1.3: a segment is percent-decoded once, after splitting."""
    id = shop.make_product()
    digits = "".join(f"%{ord(digit):02x}" for digit in str(id))
    assert shop.root.get("/api/%70roducts").status_code == 200
    assert shop.root.get(f"/api/products/{digits}").status_code == 200
    assert shop.root.get("/api/%2570roducts").status_code == 404
    assert shop.root.get(f"/api/products%2F{id}").status_code == 404


@pytest.mark.parametrize(
    "path", ["Products", "PRODUCTS", "product", "product/1/features", "usergs/3"]
)
def test_names_are_matched_exactly(shop: Shop, path: str) -> None:
    """Sections 1.3 and 1.7: lower case, plural, correct."""
    assert shop.root.get(f"/api/{path}").status_code == 404


@pytest.mark.parametrize(
    "path",
    ["products/1/products/2/products/3/products", "a/1/b/2/c/3/d", "a/" * 40,
     "2.0/products/1/features/2/images/3/4"],
)  # fmt: skip
def test_deeper_paths_do_not_exist(shop: Shop, path: str) -> None:
    """Section 1.6: two levels of nesting at most."""
    assert shop.root.get(f"/api/{path}").status_code == 404
    assert shop.anonymous.get(f"/api/{path}").status_code == 404


@pytest.mark.parametrize("query", ["version", "version=True", "version=", "version=1"])
@pytest.mark.parametrize("path", ["/api", "/api/", "/api/2.0/", "/api.php"])
def test_the_brand_line_needs_no_credentials(shop: Shop, path: str, query: str) -> None:
    """Section 1.8: brand, version and edition, separated by single spaces."""
    answer = shop.anonymous.get(f"{path}?{query}")
    assert answer.status_code == 200
    assert answer.get_data(as_text=True) == "CS-Cart 4.18.1 ULTIMATE"
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"


def test_the_brand_is_a_setting(make_app: Callable[..., Flask]) -> None:
    """Section 1.8: clients decide by the first word."""
    app = make_app(brand="Multi-Vendor", brand_edition="MULTIVENDOR")
    answer = app.test_client().get("/api/?version")
    assert answer.get_data(as_text=True) == "Multi-Vendor 4.18.1 MULTIVENDOR"


@pytest.mark.parametrize(
    ("count", "base", "address"),
    [(0, "http://localhost", "127.0.0.1"), (1, "https://shop.example:8443", "9.9.9.9")],
)
def test_proxies_are_believed_as_far_as_they_are_trusted(
    shop: Shop, make_app: Callable[..., Flask], count: int, base: str, address: str,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """Ports and prefixes are no proxy's: a client could name them."""
    shop.root.client = make_app(trusted_proxies=count).test_client()
    headers = {
        "X-Forwarded-For": "6.6.6.6, 9.9.9.9", "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "shop.example:8443", "X-Forwarded-Port": "1",
        "X-Forwarded-Prefix": "/evil",
    }  # fmt: skip
    with caplog.at_level("INFO", "storeapi.access"):
        made = shop.root.post("auth", {"email": shop.root.login}, headers=headers)
    assert made.get_json()["link"].startswith(f"{base}/")
    assert "evil" not in made.get_json()["link"]
    assert caplog.records[-1].address == address


def test_the_index_names_the_entities(shop: Shop) -> None:
    """Section 1.9: an index, for callers only."""
    assert shop.anonymous.get("/api").status_code == 401
    body = shop.root.get("/api").get_json()
    assert body["entities"]["products"] == "/api/products"
    assert shop.root.post("/api", {"a": "b"}).status_code == 405


@pytest.mark.parametrize("setting", ["1.0", "2.0"])
def test_the_default_version_is_a_setting(
    shop: Shop, make_app: Callable[..., Flask], setting: str
) -> None:
    """Section 2.2: `API_DEFAULT_VERSION`, at every unversioned address."""
    id = shop.make_product()
    root = _as(make_app(api_default_version=setting), shop.root)
    for path in ("/api/products", "/api.php?_d=products"):
        key = "search" if setting == "1.0" else "params"
        assert key in root.get(path).get_json()
    assert "search" in root.get("/api/1.0/products").get_json()
    assert "params" in root.get("/api.php?_d=2.0/products").get_json()
    made = root.post(
        "/api/products", {"product": "Cup", "category_ids": [shop.category]}
    )
    assert made.get_json()["product_id"] != id
    assert isinstance(made.get_json()["product_id"], str if setting == "1.0" else int)


@pytest.mark.parametrize(
    "version", ["3.0", "9", "4.0", "v3", "1.1", "2.00", "0", "2.1"]
)
def test_unknown_versions_do_not_exist(shop: Shop, version: str) -> None:
    """Section 2.3: 404, before credentials are looked at."""
    assert shop.root.get(f"/api/{version}/products").status_code == 404
    assert shop.anonymous.get(f"/api/{version}/products").status_code == 404


def test_a_version_changes_no_rule(shop: Shop) -> None:
    """Section 2.4: what one version refuses the other refuses alike."""
    bodies: list[dict[str, Any]] = [{"product": ""}, {"product": "X", "price": "-1"}]
    for body in bodies:
        answers = [shop.root.post(f"/api/{v}/products", body) for v in ("1.0", "2.0")]
        found = [{**a.get_json(), "request_id": ""} for a in answers]
        assert found[0] == found[1]
        assert answers[0].status_code == 400


@pytest.mark.parametrize("text", ["a/b", "ä", "x y", "%", "..", ".", "\u0661\u0662"])
def test_strange_ids_do_not_exist(shop: Shop, text: str) -> None:
    """Section 6.7."""
    path = f"/api/products/{quote(text, safe='')}"
    assert shop.root.get(path).status_code == 404
    assert shop.root.get(f"/api.php?_d=products/{quote(path)}").status_code == 404
