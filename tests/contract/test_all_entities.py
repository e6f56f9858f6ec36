"""What holds for every entity, as tables over the registry."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi.core.declared import DeclaredEntity
from tests.contract.samples import (
    CHANGES,
    EVERY,
    EVERY_LISTED,
    EVERY_SAMPLED,
    EVERY_VERSION,
    MADE_BY_PUT,
    NEEDED_ON_PUT,
    NUMBER_TOTALS,
    OF_PRODUCTS,
    OPERATIONS,
    OWN_ONLY,
    PAYLOADS,
    REGISTRY,
    create,
    privileges,
    records,
    send,
    shown_id,
)
from tests.shop import Caller, Shop

EVERY_OPERATION = pytest.mark.parametrize("operation", OPERATIONS)


def _offered(name: str, operation: str) -> bool:
    entity = REGISTRY.get(name)
    wanted = "index" if operation == "list" else operation
    return wanted in entity.privileges or wanted in entity.privileges_customer


# Operation by caller (spec/protocol.md, sections 9 to 11)


@EVERY_SAMPLED
def test_refused_callers_change_nothing(shop: Shop, name: str) -> None:
    """401 without sound credentials, 403 without the privilege."""
    id = create(shop, name)
    callers = (
        ("none", shop.anonymous, 401),
        ("wrong key", Caller(shop.client, 0, shop.root.login, "x"), 401),
        ("no privilege", shop.caller("view_reports"), 403),
        ("customer", shop.caller(user_type="C"), 403),
    )
    payload = PAYLOADS[name](shop)
    before = shop.everything()
    for operation in OPERATIONS:
        if not _offered(name, operation):
            continue
        body = CHANGES[name] if operation == "update" else payload
        for rank, caller, expected in callers:
            answer = send(caller, name, operation, id, body)
            assert (operation, rank, answer.status_code) == (operation, rank, expected)
            assert answer.get_json()["status"] == expected
    assert shop.everything() == before


@EVERY_SAMPLED
def test_viewers_only_view(shop: Shop, name: str) -> None:
    """The privilege of reading does not write."""
    id = create(shop, name)
    viewer = shop.caller(*privileges(name, "index"))
    body = PAYLOADS[name](shop)
    before = shop.everything()
    assert send(viewer, name, "list", id, {}).status_code == 200
    for operation in ("create", "update", "delete"):
        if _offered(name, operation) and privileges(name, operation) != privileges(
            name, "index"
        ):
            changed = CHANGES[name] if operation == "update" else body
            answer = send(viewer, name, operation, id, changed)
            assert (operation, answer.status_code) == (operation, 403)
    assert shop.everything() == before


@EVERY_SAMPLED
def test_the_privileges_are_enough(shop: Shop, name: str) -> None:
    """An administrator of the whole installation with the entity's privileges."""
    admin = shop.caller(*privileges(name, "index", "create", "update", "delete"))
    if REGISTRY.get(name).privileges.get("create") is None:
        pytest.skip("not offered")
    id = create(shop, name, admin)
    assert send(admin, name, "list", id, {}).status_code == 200
    assert send(admin, name, "index", id, {}).status_code == 200
    assert send(admin, name, "update", id, CHANGES[name]).status_code == 200
    assert send(admin, name, "delete", id, {}).status_code == 204
    assert send(admin, name, "index", id, {}).status_code == 404


@EVERY_SAMPLED
@EVERY_VERSION
def test_root_does_everything(shop: Shop, name: str, version: str) -> None:
    """Section 3: the statuses, the ID and its type, `Location`."""
    entity = REGISTRY.get(name)
    made = shop.root.post(f"/api/{version}/{name}", PAYLOADS[name](shop))
    assert made.status_code == 201
    id = made.get_json()[entity.id_key]
    assert type(id) is (str if version == "1.0" else entity.answers["create"])
    prefix = "/api" if version == "1.0" else "/api/2.0"
    assert made.headers["Location"] == f"{prefix}/{name}/{id}"
    path = made.headers["Location"]
    assert shop.root.get(path).status_code == 200
    changed = shop.root.put(path, CHANGES[name])
    assert changed.status_code == 200
    expected = str if version == "1.0" else entity.answers["update"]
    assert changed.get_json()[entity.id_key] == expected(id)
    gone = shop.root.delete(path)
    assert (gone.status_code, gone.data) == (204, b"")
    assert shop.root.get(path).status_code == 404
    assert shop.root.delete(path).status_code == 404
    expected = 200 if name in MADE_BY_PUT else 404
    assert shop.root.put(path, CHANGES[name]).status_code == expected


@EVERY_SAMPLED
@EVERY_OPERATION
def test_other_companies_meet_nothing(shop: Shop, name: str, operation: str) -> None:
    """Section 12: 404 or 403, and nothing of it in any list."""
    entity = REGISTRY.get(name)
    if not (
        issubclass(entity, DeclaredEntity) and entity.declaration.company is not None
    ):
        pytest.skip("belongs to no company")
    if entity.shared and operation == "create":
        pytest.skip("creates in the own company")
    id = create(shop, name)
    rights = privileges(name, "index", "create", "update", "delete")
    other = shop.caller(*rights, company_id=shop.other_store)
    before = shop.everything()
    if operation == "list":
        answer = send(other, name, "list", id, {})
        key = shown_id(name)
        if answer.status_code == 200:
            found = [record.get(key) for record in records(answer, name)]
            assert str(id) not in found
    elif operation == "create":
        return
    else:
        answer = send(other, name, operation, id, CHANGES[name])
        assert answer.status_code in (403, 404)
        if operation == "index":
            assert answer.status_code == 404
    assert shop.everything() == before


# Errors


METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "FOO")
TAILS = ("", "/999999", "/x", "/0", "/1/nosuch", "/-1")


@EVERY
def test_every_error_has_the_one_body(shop: Shop, name: str) -> None:
    """Section 8.1, for root and for nobody."""
    for method, tail in itertools.product(METHODS, TAILS):
        for caller in (shop.root, shop.anonymous):
            answer = caller.request(method, f"{name}{tail}")
            if answer.status_code >= 400:
                body = answer.get_json()
                assert (method, tail, body["status"]) == (
                    method,
                    tail,
                    answer.status_code,
                )
                assert answer.status_code < 500
                assert body["message"].startswith(body["title"])
            if answer.status_code == 405:
                allowed = answer.headers["Allow"].split(", ")
                assert "OPTIONS" in allowed
                assert method not in allowed or method in ("POST", "PUT")


@EVERY
def test_empty_bodies_are_405(shop: Shop, name: str) -> None:
    """Section 3.2; the documented actions of 2.0 aside."""
    if REGISTRY.get(name).accepts_empty:
        pytest.skip("takes an empty body")
    for body in (b"", b"{}", b"[]"):
        for method, path in (("POST", name), ("PUT", f"{name}/1")):
            answer = shop.root.request(
                method, path, data=body, content_type="application/json"
            )
            assert answer.status_code == 405


# Answers


@EVERY_SAMPLED
def test_the_smallest_payload_is_enough(shop: Shop, name: str) -> None:
    """spec/pitfalls.md: documented defaults work; required ones are named."""
    entity = REGISTRY.get(name)
    if not issubclass(entity, DeclaredEntity):
        pytest.skip("no table")
    answer = shop.root.post(name, {"nosuch": "x"})
    assert answer.status_code == 400
    assert answer.get_json()["errors"]


def _types(value: Any, path: str, found: dict[str, set[str]]) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _types(inner, f"{path}.{'*' if str(key).isdigit() else key}", found)
    elif isinstance(value, list):
        for inner in value:
            _types(inner, f"{path}[]", found)
    elif value is not None:
        found.setdefault(path, set()).add(type(value).__name__)


@EVERY_SAMPLED
def test_a_field_has_one_type(shop: Shop, name: str) -> None:
    """spec/pitfalls.md: in lists and records, before and after a PUT."""
    id = create(shop, name)
    found: dict[str, set[str]] = {}
    for version in ("1.0", "2.0"):
        for _ in range(2):
            path = f"/api/{version}/{name}"
            listed = records(shop.root.get(f"{path}?items_per_page=1000"), name)
            for record in [*listed, shop.root.get(f"{path}/{id}").get_json()]:
                _types(record, "", found)
            shop.root.put(f"{path}/{id}", CHANGES[name])
    mixed = {path: types for path, types in found.items() if len(types) > 1}
    assert mixed == {}


@EVERY_SAMPLED
def test_no_secret_leaves(shop: Shop, name: str) -> None:
    """spec/pitfalls.md: keys, hashes and salts are in no record."""
    id = create(shop, name)
    for path in (name, f"{name}/{id}", f"{name}?detailed_params=Y"):
        text = shop.root.get(path).get_data(as_text=True).lower()
        for word in ("api_key", "digest", "password", "hash", "salt", "ekey"):
            assert f'"{word}' not in text


@EVERY_SAMPLED
@EVERY_VERSION
def test_a_record_can_be_sent_back(shop: Shop, name: str, version: str) -> None:
    """spec/pitfalls.md: the answer of GET is a PUT that changes nothing."""
    id = create(shop, name)
    path = f"/api/{version}/{name}/{id}"
    record = shop.root.get(path).get_json()
    before = shop.everything()
    answer = shop.root.put(path, record)
    assert (answer.status_code, answer.get_json()) == (200, answer.get_json())
    assert shop.everything() == before


@EVERY_SAMPLED
def test_unknown_fields_change_nothing(shop: Shop, name: str) -> None:
    """Section 3.6; strict handling refuses them."""
    id = create(shop, name)
    before = shop.everything()
    body = {**NEEDED_ON_PUT.get(name, {}), "nosuchfield": "1"}
    answer = shop.root.put(f"{name}/{id}", body)
    assert answer.status_code == 200
    assert answer.headers["X-Ignored-Fields"] == "nosuchfield"
    strict = {"Prefer": "handling=strict"}
    for method, path in (("PUT", f"{name}/{id}"), ("POST", name)):
        refused = shop.root.request(method, path, json=body, headers=strict)
        assert refused.status_code == 400
        names = [error["field"] for error in refused.get_json()["errors"]]
        assert "nosuchfield" in names
    assert shop.everything() == before


@EVERY_SAMPLED
def test_tags_work(shop: Shop, name: str) -> None:
    """`ETag`, 304 and 412."""
    id = create(shop, name)
    path = f"{name}/{id}"
    tag = shop.root.get(path).headers["ETag"]
    same = shop.root.get(path, headers={"If-None-Match": tag})
    assert (same.status_code, same.data) == (304, b"")
    condition = {"If-Match": tag}
    assert shop.root.put(path, CHANGES[name], headers=condition).status_code == 200
    assert shop.root.put(path, CHANGES[name], headers=condition).status_code == 412
    assert shop.root.delete(path, headers=condition).status_code == 412
    assert shop.root.delete(path, headers={"If-Match": "*"}).status_code == 204
    assert shop.root.delete(path, headers={"If-Match": "*"}).status_code == 404


@EVERY_SAMPLED
def test_idempotent_posts_store_one_object(shop: Shop, name: str) -> None:
    """One `Idempotency-Key`, one object."""
    key = {"Idempotency-Key": "sample"}
    body = PAYLOADS[name](shop)
    first = shop.root.post(name, body, headers=key)
    before = shop.everything()
    again = shop.root.post(name, body, headers=key)
    assert first.status_code == again.status_code == 201
    assert first.get_json() == again.get_json()
    assert shop.everything() == before


@EVERY_LISTED
@EVERY_VERSION
def test_lists_carry_totals(shop: Shop, name: str, version: str) -> None:
    """Sections 5.1 and 5.2."""
    if name in OF_PRODUCTS:
        pytest.skip("one product's")
    if name in PAYLOADS:
        create(shop, name)
    entity = REGISTRY.get(name)
    answer = shop.root.get(f"/api/{version}/{name}?items_per_page=1&page=1")
    assert answer.status_code == 200
    assert answer.headers["X-Total-Count"].isdigit()
    body = answer.get_json()
    for key in (
        entity.echoes[version]
        if entity.shapes[version]
        in (
            "map",
            "array",
        )
        else ()
    ):
        total = answer.headers["X-Total-Count"]
        expected = int(total) if name in NUMBER_TOTALS else total
        assert body[key]["total_items"] == expected
        assert body[key]["page"] == 1


@EVERY_LISTED
def test_customers_meet_what_the_map_says(
    shop: Shop, make_app: Callable[..., Flask], name: str
) -> None:
    """Section 9, anonymous: `API_ALLOW_CUSTOMER`."""
    client = make_app(api_allow_customer=True).test_client()
    customer = shop.caller(user_type="C")
    entity = REGISTRY.get(name)
    for caller, refused in (
        (Caller(client, 0, "", ""), 401),
        (Caller(client, 0, customer.login, customer.key), 403),
    ):
        open_to_all = entity.privileges_customer.get("index")
        own = name in OWN_ONLY and caller.key
        expected = 200 if open_to_all or own else refused
        assert caller.get(name).status_code == expected
        if not entity.privileges_customer.get("create") and _offered(name, "create"):
            assert caller.post(name, {"x": "y"}).status_code == refused
        if _offered(name, "delete"):
            assert caller.delete(f"{name}/1").status_code == refused
