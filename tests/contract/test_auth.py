"""Login links: who gets one, where it leads, and that it works once."""

import logging
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask

from storeapi.models import ApiKey, Company, LoginKey, User
from storeapi.rules.login_links import user_of
from tests.shop import SECRET, Caller, Shop


def customer(shop: Shop, **values: Any) -> Caller:
    return shop.caller(user_type="C", company_id=shop.store, **values)


def ask(shop: Shop, target: Caller, caller: Caller | None = None, **more: str) -> Any:
    return (caller or shop.root).post("auth", {"email": target.login, **more})


def keys(shop: Shop) -> list[tuple[Any, ...]]:
    return shop.everything()["login_keys"]


# Asking


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_link_carries_the_key_to_the_store_of_the_user(
    shop: Shop, version: str
) -> None:
    shop.change(Company, {"company_id": shop.store}, {"storefront": "harbour.test/s/"})
    target = customer(shop)
    answer = shop.root.post(f"/api/{version}/auth", {"email": target.login.upper()})
    body = answer.get_json()
    assert answer.status_code == 201
    assert body == {
        "key": body["key"],
        "link": f"https://harbour.test/s/auth?ekey={body['key']}",
    }
    assert len(body["key"]) == 40
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Location" not in answer.headers


def test_link_names_where_it_leads(shop: Shop) -> None:
    url = "/orders/981?a=b&c=ü"
    link = ask(shop, customer(shop), redirect_url=url).get_json()["link"]
    assert parse_qs(urlsplit(link).query)["redirect_url"] == [url]


@pytest.mark.parametrize("user_type", ["A", "V"])
def test_without_a_store_the_link_leads_to_the_public_address(
    make_app: Callable[..., Flask], user_type: str
) -> None:
    shop = Shop(make_app(public_url="https://shop.test"))
    company = shop.vendor if user_type == "V" else 0
    target = shop.caller(user_type=user_type, company_id=company)
    link = ask(shop, target).get_json()["link"]
    assert link.startswith("https://shop.test/auth?ekey=")


def test_only_a_digest_is_kept(shop: Shop) -> None:
    headers = {"Idempotency-Key": "once"}
    body = {"email": customer(shop).login}
    first = shop.root.post("auth", body, headers=headers).get_json()
    again = shop.root.post("auth", body, headers=headers)
    assert (again.status_code, again.get_json()) == (201, {})
    assert first["key"] not in str(shop.everything())
    assert len(keys(shop)) == 1


def test_other_properties_are_ignored(shop: Shop) -> None:
    answer = ask(shop, customer(shop), nosuch="x")
    assert (answer.status_code, answer.headers["X-Ignored-Fields"]) == (201, "nosuch")
    strict = {"Prefer": "handling=strict"}
    body = {"email": customer(shop).login, "nosuch": "x"}
    assert shop.root.post("auth", body, headers=strict).status_code == 400


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", ["auth", "auth/1"])
def test_nothing_but_post_is_offered(shop: Shop, method: str, path: str) -> None:
    answer = shop.root.request(method, path, json={"email": "a@example.com"})
    assert answer.status_code == 405
    offered = "POST, OPTIONS" if path == "auth" else "OPTIONS"
    assert answer.headers["Allow"] == offered


def test_post_needs_a_body_and_takes_no_id(shop: Shop) -> None:
    body = {"email": shop.root.login}
    assert shop.root.post("auth", {}).status_code == 405
    assert shop.root.post("auth/1", body).status_code == 405
    assert shop.root.post("stores/1/auth", body).status_code == 404


@pytest.mark.parametrize("email", [None, "", "x", 1, [], {"a": "b"}])
def test_email_has_to_be_one(shop: Shop, email: Any) -> None:
    answer = shop.root.post("auth", {"email": email, "redirect_url": "/"})
    assert answer.status_code == 400
    assert [error["field"] for error in answer.get_json()["errors"]] == ["email"]


def test_unknown_address_is_404(shop: Shop) -> None:
    answer = shop.root.post("auth", {"email": "nobody@example.com"})
    assert answer.status_code == 404
    assert "nobody" not in answer.get_data(as_text=True)


@pytest.mark.parametrize(
    "url",
    [
        "//evil.test", "/\\evil.test", "https://evil.test/", "javascript:alert(1)",
        "https://harbour.test@evil.test/", "https://evil.test/harbour.test", "orders/1",
        "https://harbour.test.evil.test", "http:harbour.test", "https:///harbour.test",
        "/a\nSet-Cookie: x", "/a b", "https://harbour.test:99/", "ftp://harbour.test/",
        "\\\\harbour.test", "https://nets.test/", " /", "/" + "x" * 2000,
    ],
)  # fmt: skip
def test_link_leads_nowhere_else(shop: Shop, url: str) -> None:
    shop.change(Company, {"company_id": shop.store}, {"storefront": "harbour.test"})
    shop.change(Company, {"company_id": shop.vendor}, {"storefront": "nets.test"})
    before = shop.everything()
    answer = ask(shop, customer(shop), redirect_url=url)
    assert answer.status_code == 400
    errors = answer.get_json()["errors"]
    assert [error["field"] for error in errors] == ["redirect_url"]
    assert keys(shop) == before["login_keys"]


@pytest.mark.parametrize(
    "url",
    ["", "/", "/orders/1?x=y#z", "https://HARBOUR.test", "http://harbour.test:8080?x",
     "https://safe.test/a/b"],
)  # fmt: skip
def test_link_leads_to_paths_and_stores(shop: Shop, url: str) -> None:
    stores = ((shop.store, "harbour.test/eu"), (shop.other_store, "harbour.test:8080"))
    for id, storefront in stores:
        values = {"storefront": storefront, "secure_storefront": "safe.test"}
        shop.change(Company, {"company_id": id}, values)
    assert ask(shop, customer(shop), redirect_url=url).status_code == 201


# Ranks


@pytest.mark.parametrize(
    ("asking", "user_type", "expected"),
    [("root", "A", 201), ("root", "V", 201), ("root", "C", 201), ("clerk", "A", 403),
     ("clerk", "V", 201), ("clerk", "C", 201), ("clerk", "P", 201),
     ("viewer", "C", 403), ("of a store", "C", 403), ("vendor", "C", 403),
     ("customer", "C", 403), ("nobody", "C", 401)],
)  # fmt: skip
def test_rank_decides(shop: Shop, asking: str, user_type: str, expected: int) -> None:
    rights = ("view_users", "manage_users")
    caller = {
        "root": lambda: shop.root,
        "clerk": lambda: shop.caller(*rights),
        "viewer": lambda: shop.caller("view_users"),
        "of a store": lambda: shop.caller(*rights, company_id=shop.store),
        "vendor": lambda: shop.caller(user_type="V", company_id=shop.vendor),
        "customer": lambda: customer(shop),
        "nobody": lambda: shop.anonymous,
    }[asking]()
    company = shop.vendor if user_type == "V" else 0
    target = shop.caller(user_type=user_type, company_id=company)
    before = keys(shop)
    assert ask(shop, target, caller).status_code == expected
    assert len(keys(shop)) == len(before) + (expected == 201)


def test_limited_key_of_root_lets_no_administrator_in(shop: Shop) -> None:
    target = shop.caller("view_users")
    where = {"user_id": shop.root.user_id}
    shop.change(ApiKey, where, {"privileges": "manage_users"})
    assert ask(shop, target).status_code == 403
    assert ask(shop, shop.root).status_code == 403
    assert ask(shop, customer(shop)).status_code == 201


@pytest.mark.parametrize("status", ["D", "H"])
def test_nobody_comes_in_as_a_disabled_user(shop: Shop, status: str) -> None:
    assert ask(shop, customer(shop, status=status)).status_code == 400


# Using


def follow(shop: Shop, link: str, method: str = "GET") -> Any:
    parts = urlsplit(link)
    return shop.client.open(f"/auth?{parts.query}", method=method)


@pytest.mark.parametrize(
    ("change", "status"),
    [({"status": "D"}, 403), ({"user_type": "A", "company_id": 0}, 403),
     ({"password": "another one"}, 403), ({"email": "new@example.com"}, 403),
     ({"company_id": 2}, 403), ({"firstname": "Ann", "status": "A"}, 302)],
)  # fmt: skip
def test_links_end_when_the_account_changes(
    shop: Shop, change: dict[str, Any], status: int
) -> None:
    target = customer(shop)
    link = ask(shop, target).get_json()["link"]
    if "company_id" in change:
        change = {**change, "company_id": change["company_id"] and shop.other_store}
    path = f"users/{target.user_id}"
    assert shop.root.put(path, change).status_code == 200
    assert shop.root.put(path, {"status": "A"}).status_code == 200
    assert follow(shop, link).status_code == status


def test_link_works_once(shop: Shop, caplog: Any) -> None:
    caplog.set_level(logging.INFO, "storeapi.auth")
    target = customer(shop)
    link = ask(shop, target, redirect_url="/orders/981").get_json()["link"]
    first, second = follow(shop, link), follow(shop, link)
    assert (first.status_code, first.headers["Location"]) == (302, "/orders/981")
    cookie = first.headers["Set-Cookie"]
    value = cookie.partition("=")[2].partition(";")[0]
    assert user_of(SECRET, value, int(time.time())) == target.user_id
    assert user_of(SECRET, value, int(time.time()) + 600) is None
    assert user_of(SECRET, "1" + value, int(time.time())) is None
    assert {"HttpOnly", "SameSite=Lax", "Max-Age=600"} < set(cookie.split("; "))
    assert first.headers["Cache-Control"] == "no-store"
    assert first.headers["Referrer-Policy"] == "no-referrer"
    assert (second.status_code, second.get_json()["status"]) == (403, 403)
    assert "Set-Cookie" not in second.headers
    facts = [(r.msg, r.caller_id, r.user_id, r.address) for r in caplog.records]
    who = (shop.root.user_id, target.user_id, "127.0.0.1")
    assert facts == [("login link made", *who), ("login link used", *who)]
    shown = shop.root.get(f"users/{target.user_id}").get_json()
    assert abs(int(shown["last_login"]) - time.time()) < 60


def test_link_without_an_address_leads_to_the_store(shop: Shop) -> None:
    shop.change(Company, {"company_id": shop.store}, {"storefront": "harbour.test"})
    link = ask(shop, customer(shop)).get_json()["link"]
    assert follow(shop, link).headers["Location"] == "https://harbour.test/"


def test_address_of_a_link_cannot_be_changed(shop: Shop) -> None:
    key = ask(shop, customer(shop), redirect_url="/cart").get_json()["key"]
    answer = shop.client.get(f"/auth?ekey={key}&redirect_url=https://evil.test/")
    assert answer.headers["Location"] == "/cart"


def test_looking_uses_no_link(shop: Shop) -> None:
    link = ask(shop, customer(shop)).get_json()["link"]
    looked = follow(shop, link, "HEAD")
    assert (looked.status_code, "Set-Cookie" in looked.headers) == (204, False)
    assert follow(shop, link).status_code == 302


def test_new_link_ends_the_one_before(shop: Shop) -> None:
    target, other = customer(shop), customer(shop)
    first, second = (ask(shop, target).get_json()["link"] for _ in range(2))
    beside = ask(shop, other).get_json()["link"]
    assert follow(shop, first).status_code == 403
    assert follow(shop, second).status_code == 302
    assert follow(shop, beside).status_code == 302


def test_link_ends_by_itself(make_app: Callable[..., Flask]) -> None:
    shop = Shop(make_app(ekey_ttl=60))
    target = customer(shop)
    before = int(time.time())
    link = ask(shop, target).get_json()["link"]
    (row,) = keys(shop)
    assert 60 <= row[-1] - before <= 65
    shop.change(LoginKey, {"user_id": target.user_id}, {"expires_at": before})
    assert follow(shop, link).status_code == 403


@pytest.mark.parametrize("status", ["D", "H"])
def test_link_ends_with_the_account(shop: Shop, status: str) -> None:
    target = customer(shop)
    link = ask(shop, target).get_json()["link"]
    shop.change(User, {"user_id": target.user_id}, {"status": status})
    assert follow(shop, link).status_code == 403
    shop.root.delete(f"users/{target.user_id}")
    assert keys(shop) == []


@pytest.mark.parametrize("query", ["", "?ekey=", "?ekey=x", "?ekey=%00&ekey[]=y"])
def test_nobody_comes_in_without_a_key(shop: Shop, query: str) -> None:
    answer = shop.client.get(f"/auth{query}")
    assert answer.status_code == 403
    assert answer.get_json()["status"] == 403
    assert shop.client.post(f"/auth{query}").status_code == 405


@pytest.mark.parametrize(
    "value",
    ["", "x", 0, 1.5, 10**30, True, [], {}, [1], {"a": []}, "\0", "\u0661", "/\0",
     "\U0001f375" * 9, "/" + "\U0001f375" * 9, "x" * 5000, "https://[", "http://%zz"],
)  # fmt: skip
def test_odd_values_never_fail(shop: Shop, value: Any) -> None:
    """spec/pitfalls.md: 400 naming the field, and no key is made."""
    body = {"email": customer(shop).login, "redirect_url": value}
    answer = shop.root.post("auth", body)
    if answer.status_code == 201:
        assert len(keys(shop)) == 1
        return
    assert [e["field"] for e in answer.get_json()["errors"]] == ["redirect_url"]
    assert keys(shop) == []
    answer = shop.root.post("auth", {"email": value})
    assert answer.status_code == 400
    assert [e["field"] for e in answer.get_json()["errors"]] == ["email"]
