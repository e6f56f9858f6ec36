"""Methods, statuses, and the order of checks (spec/protocol.md, sections 3 and 4)."""

from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.shop import Caller, Shop

pytestmark = pytest.mark.any_database  # decided before an entity is asked
JSON = "application/json"
EVERY_VERSION = pytest.mark.parametrize("version", ["1.0", "2.0"])


def _send(caller: Caller, method: str, path: str, body: bytes, kind: str | None) -> Any:
    return caller.request(method, path, data=body, content_type=kind)


def _allow(answer: TestResponse) -> set[str]:
    return set(answer.headers["Allow"].split(", "))


@EVERY_VERSION
def test_statuses_and_bodies_of_success(shop: Shop, version: str) -> None:
    """Section 3: 200, 201, 200, 204; sections 6.2 and 3.8: the ID and Location."""
    path = f"/api/{version}/products"
    made = shop.root.post(path, {"product": "Mug", "category_ids": [shop.category]})
    id = made.get_json()["product_id"]
    assert made.status_code == 201
    assert made.get_json() == {"product_id": str(id) if version == "1.0" else int(id)}
    prefix = "/api" if version == "1.0" else "/api/2.0"
    assert made.headers["Location"] == f"{prefix}/products/{id}"
    assert shop.root.get(made.headers["Location"]).status_code == 200
    changed = shop.root.put(f"{path}/{id}", {"price": "2"})
    assert (changed.status_code, list(changed.get_json())) == (200, ["product_id"])
    gone = shop.root.delete(f"{path}/{id}")
    assert (gone.status_code, gone.data) == (204, b"")
    assert "Content-Type" not in gone.headers
    assert shop.root.get(f"{path}/{id}").status_code == 404
    assert shop.root.delete(f"{path}/{id}").status_code == 404


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_put_answers_the_id_as_text(shop: Shop, version: str) -> None:
    """Section 6.2, languages: a string for PUT, in both versions."""
    made = shop.root.post(
        f"/api/{version}/languages",
        {"lang_code": "fr", "name": "Français", "country_code": "FR"},
    )
    assert made.status_code == 201
    id = made.get_json()["lang_id"]
    assert isinstance(id, str if version == "1.0" else int)
    changed = shop.root.put(f"/api/{version}/languages/{id}", {"name": "French"})
    assert changed.get_json() == {"lang_id": str(id)}


@EVERY_VERSION
@pytest.mark.parametrize("body", [b"", b"{}", b"  ", b"[]", b" { } "])
@pytest.mark.parametrize("kind", [JSON, None, "text/plain", "application/xml"])
def test_a_body_without_properties_is_405(
    shop: Shop, version: str, body: bytes, kind: str | None
) -> None:
    """Sections 3.2 and 4: no properties; an empty body whatever its type."""
    if kind != JSON:
        body = b" " * len(body)
    id = shop.make_product()
    made = _send(shop.root, "POST", f"/api/{version}/products", body, kind)
    assert made.status_code == 405
    assert _allow(made) == {"GET", "HEAD", "POST", "OPTIONS"}
    put = _send(shop.root, "PUT", f"/api/{version}/products/{id}", body, kind)
    assert put.status_code == 405
    assert _allow(put) == {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}


def test_a_form_without_pairs_is_405(shop: Shop) -> None:
    """Section 3.2: no pair, no properties; a file is no property."""
    kind = "multipart/form-data; boundary=x"
    part = b'--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nc\r\n'
    for data in (b"--x--\r\n", part + b"--x--\r\n"):
        answer = _send(shop.root, "POST", "/api/2.0/products", data, kind)
        assert answer.status_code == 405
    form = "application/x-www-form-urlencoded"
    assert (
        _send(shop.root, "POST", "/api/2.0/products", b"\r\n", form).status_code == 405
    )


@pytest.mark.parametrize("body", [b"", b"{}"])
def test_only_actions_of_2_0_may_come_empty(shop: Shop, body: bytes) -> None:
    """Section 3.2: the three documented actions of variations; in 1.0 405 as all."""
    actions = {n for n, e in shop.entities().items() if e.accepts_empty}
    assert actions == {
        "detach_product_variation",
        "generate_product_variations",
        "set_default_product_variation",
    }
    id = shop.make_product()
    for name in sorted(actions):
        path = f"products/{id}/{name}"
        old = _send(shop.root, "POST", f"/api/1.0/{path}", body, JSON)
        new = _send(shop.root, "POST", f"/api/2.0/{path}", body, JSON)
        assert old.status_code == 405
        assert new.status_code in (400, 404)  # the product is in no group


def test_query_parameters_are_no_properties(shop: Shop) -> None:
    """Section 3.2."""
    path = f"products?product=Mug&category_ids={shop.category}"
    assert shop.root.request("POST", path).status_code == 405
    assert shop.root.request("POST", path, json={}).status_code == 405


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "products/{id}"), ("PUT", "products"), ("DELETE", "products"),
     ("POST", "categories/{category}/products/{id}"),
     ("PUT", "categories/{category}/products"),
     ("DELETE", "categories/{category}/products")],
)  # fmt: skip
def test_ids_belong_to_put_and_delete_only(shop: Shop, method: str, path: str) -> None:
    """Sections 3.1 and 3.2: the child's ID counts in a nested path."""
    id = shop.make_product()
    before = shop.everything()
    path = path.format(id=id, category=shop.category)
    answer = shop.root.request(method, path, json={"product": "Cup"})
    assert answer.status_code == 405
    single = method == "POST"
    offered = {"GET", "HEAD", "PUT", "DELETE"} if single else {"GET", "HEAD", "POST"}
    assert _allow(answer) == offered | {"OPTIONS"}
    assert shop.everything() == before


@pytest.mark.parametrize("method", ["PATCH", "TRACE", "PROPFIND", "LOCK", "FOO"])
@pytest.mark.parametrize("path", ["products", "products/1", "languages"])
def test_other_methods_are_405(shop: Shop, method: str, path: str) -> None:
    """Section 3.4; section 4: 401 comes first."""
    answer = shop.root.request(method, path)
    assert answer.status_code == 405
    assert "GET" in _allow(answer)
    assert answer.get_json()["status"] == 405
    assert shop.anonymous.request(method, path).status_code == 401
    assert shop.root.request(method, "nosuch").status_code == 404


@pytest.mark.parametrize("path", ["products", "products/{id}", "products/999999", ""])
def test_head_is_get_without_a_body(shop: Shop, path: str) -> None:
    """Section 3.4."""
    path = path.format(id=shop.make_product())
    get = shop.root.get(path)
    head = shop.root.request("HEAD", path)
    assert (head.status_code, head.data) == (get.status_code, b"")
    skipped = {"X-Request-ID"}
    assert dict(head.headers) | dict.fromkeys(skipped) == dict(
        get.headers
    ) | dict.fromkeys(skipped)
    assert shop.anonymous.request("HEAD", path).status_code == 401


@pytest.mark.parametrize(
    ("path", "allow"),
    [("products", "GET, HEAD, POST, OPTIONS"),
     ("products/1", "GET, HEAD, PUT, DELETE, OPTIONS"),
     ("products/999/", "GET, HEAD, PUT, DELETE, OPTIONS"),
     ("nosuch", "GET, HEAD, POST, OPTIONS"),
     ("nosuch/5", "GET, HEAD, PUT, DELETE, OPTIONS"),
     ("", "GET, HEAD, OPTIONS")],
)  # fmt: skip
def test_options_needs_no_credentials(shop: Shop, path: str, allow: str) -> None:
    """Section 3.4: 204 with `Allow`; nothing tells whether an entity exists."""
    answer = shop.anonymous.request("OPTIONS", path)
    assert (answer.status_code, answer.data) == (204, b"")
    assert answer.headers["Allow"] == allow
    wrong = Caller(shop.client, 0, "nobody@example.com", "wrong")
    assert wrong.request("OPTIONS", path).status_code == 204


def test_put_changes_only_what_is_sent(shop: Shop) -> None:
    """Section 3.5: partial, and lists are replaced as a whole."""
    other = shop.make_category("Cups")
    id = shop.make_product(full_description="long", amount=3)
    before = shop.root.get(f"products/{id}").get_json()
    shop.root.put(f"products/{id}", {"price": "3.50"})
    after = shop.root.get(f"products/{id}").get_json()
    changed = {name for name in before if before[name] != after[name]}
    assert changed - {"updated_timestamp"} == {"price", "base_price"}
    shop.root.put(f"products/{id}", {"category_ids": [other]})
    assert shop.root.get(f"products/{id}").get_json()["category_ids"] == [other]


@EVERY_VERSION
def test_unknown_properties_are_ignored(shop: Shop, version: str) -> None:
    """Section 3.6: PUT of nothing known changes nothing and succeeds."""
    id = shop.make_product()
    before = shop.everything()
    answer = shop.root.put(f"/api/{version}/products/{id}", {"prcie": "5", "x": None})
    assert answer.status_code == 200
    assert str(answer.get_json()["product_id"]) == str(id)
    assert answer.headers["X-Ignored-Fields"] == "prcie, x"
    assert shop.everything() == before


def test_read_only_properties_are_ignored(shop: Shop) -> None:
    """Sections 3.7 and 6.8."""
    id = shop.make_product()
    before = shop.root.get(f"products/{id}").get_json()
    answer = shop.root.put(
        f"products/{id}",
        {"product_id": "77", "updated_timestamp": "1", "base_price": "9"},
    )
    assert answer.status_code == 200
    assert shop.root.get(f"products/{id}").get_json() == before


def test_strict_handling_refuses_unknown_names(shop: Shop) -> None:
    """RFC 7240: `Prefer: handling=strict` (spec/pitfalls.md, partial updates)."""
    id = shop.make_product()
    before = shop.everything()
    strict = {"Prefer": "handling=strict"}
    body = {"prcie": "5", "price": "-1"}
    answer = shop.root.put(f"products/{id}", body, headers=strict)
    assert answer.status_code == 400
    fields = {error["field"]: error["code"] for error in answer.get_json()["errors"]}
    assert fields["prcie"] == "unknown"
    assert set(fields) == {"prcie", "price"}
    assert shop.everything() == before
    sound = shop.root.put(f"products/{id}", {"price": "4"}, headers=strict)
    assert sound.headers["Preference-Applied"] == "handling=strict"
    listed = shop.root.get("products?statsu=A", headers=strict)
    assert listed.status_code == 400
    assert listed.get_json()["errors"][0]["field"] == "statsu"


# Section 4: each fault has one answer. Every request below has all the faults from
# its own check on; the earlier ones are mended one by one.

MENDED: list[tuple[str, dict[str, Any], int]] = [
    ("path", {"path": "/api/7.0/nosuch/5", "auth": False}, 404),
    ("credentials", {"path": "/api/nosuch/5", "auth": False}, 401),
    ("entity", {"path": "/api/nosuch/5"}, 404),
    ("method", {"path": "/api/languages/5"}, 405),
    ("accept", {"path": "/api/languages"}, 406),
    ("type", {"path": "/api/languages", "accept": "*/*"}, 415),
    ("syntax", {"path": "/api/languages", "accept": "*/*", "kind": JSON}, 400),
    ("properties",
     {"path": "/api/languages", "accept": "*/*", "kind": JSON, "data": b"{}"}, 405),
    ("privilege",
     {"path": "/api/languages", "accept": "*/*", "kind": JSON,
      "data": b'{"name": 5, "lang_code": "1"}'}, 403),
]  # fmt: skip


@pytest.mark.parametrize(("check", "request_", "status"), MENDED)
def test_the_order_of_checks(
    shop: Shop, check: str, request_: dict[str, Any], status: int
) -> None:
    """Section 4."""
    caller = shop.caller("view_languages") if request_.get("auth", True) else None
    answer = (caller or shop.anonymous).request(
        "POST",
        request_["path"],
        data=request_.get("data", b"{broken"),
        content_type=request_.get("kind", "application/xml"),
        headers={"Accept": request_.get("accept", "application/xml")},
    )
    assert (check, answer.status_code) == (check, status)


def test_unknown_id_comes_before_bad_values(shop: Shop) -> None:
    """Section 4.9."""
    assert shop.root.put("products/999999", {"price": "x"}).status_code == 404
    assert shop.root.put("products/0", {"price": "x"}).status_code == 404


def test_privileges_come_before_the_parent(shop: Shop) -> None:
    """Section 4.7 and 4.8: 403 for the parent's index, before it is read."""
    caller = shop.caller("view_languages")
    for path in ("stores/999/products", "stores/x/products", "categories/0/products"):
        if path.split("/")[0] not in shop.entities():
            continue
        assert caller.get(path).status_code == 403
        assert shop.root.get(path).status_code == 404
