"""What holds for every entity, as tables over the registry."""

import itertools

import pytest

from storeapi.core.kinds import Flag
from tests.contract.samples import (
    CHANGES,
    EVERY,
    EVERY_SAMPLED,
    EVERY_VERSION,
    MADE_BY_PUT,
    NAMES,
    NEEDED_ON_PUT,
    PAYLOADS,
    REGISTRY,
    create,
    privileges,
    send,
)
from tests.shop import Shop

# Operations (who may do them is told in test_access.py)


@EVERY_SAMPLED
def test_the_privileges_are_enough(shop: Shop, name: str) -> None:
    """An administrator of the whole installation with the entity's privileges."""
    admin = shop.caller(*privileges(name, "index", "create", "update", "delete"))
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


@pytest.mark.parametrize(
    "name", [name for name in NAMES if not REGISTRY.get(name).accepts_empty]
)
def test_empty_bodies_are_405(shop: Shop, name: str) -> None:
    """Section 3.2; the documented actions of 2.0 aside."""
    for body in (b"", b"{}", b"[]"):
        for method, path in (("POST", name), ("PUT", f"{name}/1")):
            answer = shop.root.request(
                method, path, data=body, content_type="application/json"
            )
            assert answer.status_code == 405


# Answers


@EVERY_SAMPLED
def test_what_is_required_is_named(shop: Shop, name: str) -> None:
    """Section 8.1: a payload without anything known."""
    answer = shop.root.post(name, {"nosuch": "x"})
    assert answer.status_code == 400
    assert answer.get_json()["errors"]


@EVERY_SAMPLED
def test_no_secret_leaves(shop: Shop, name: str) -> None:
    """spec/pitfalls.md: keys, hashes and salts are in no record."""
    id = create(shop, name)
    for path in (name, f"{name}/{id}", f"{name}?detailed_params=Y"):
        text = shop.root.get(path).get_data(as_text=True).lower()
        for word in ("api_key", "digest", "password", "hash", "salt", "ekey"):
            assert f'"{word}' not in text


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


@pytest.mark.any_database
@EVERY_SAMPLED
def test_booleans_are_flags_everywhere(shop: Shop, name: str) -> None:
    """Section 6.3: `true` and `false` are read as `Y` and `N`."""
    declaration = getattr(REGISTRY.get(name), "declaration", None)
    kinds = {} if declaration is None else declaration.kinds
    path = f"{name}/{create(shop, name)}"
    for field, kind in kinds.items():
        fixed = kind.dump_only or kind.create_only or field == "is_root"
        if fixed or not isinstance(kind, Flag):
            continue
        for value, letter in ((True, "Y"), (False, "N")):
            body = {**NEEDED_ON_PUT.get(name, {}), field: value}
            assert (field, shop.root.put(path, body).status_code) == (field, 200)
            shown = shop.root.get(f"{path}?full=Y").get_json().get(field, letter)
            assert (field, shown) == (field, value if kind.native else letter)


@pytest.mark.any_database
@EVERY_SAMPLED
def test_unknown_parameters_of_writes_are_told(shop: Shop, name: str) -> None:
    """Section 5.5.8: ignored and named; strict handling refuses them."""
    id = create(shop, name)
    strict = {"Prefer": "handling=strict"}
    for method, path, body in (
        ("POST", name, PAYLOADS[name](shop)),
        ("PUT", f"{name}/{id}", CHANGES[name]),
        ("DELETE", f"{name}/{id}", None),
    ):
        before = shop.everything()
        asked = f"{path}?nosuch=1&sl=en"
        refused = shop.root.request(method, asked, json=body, headers=strict)
        assert (method, refused.status_code) == (method, 400)
        assert shop.everything() == before
        answer = shop.root.request(method, asked, json=body)
        assert answer.status_code < 300
        assert answer.headers["X-Ignored-Params"] == "nosuch"


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
