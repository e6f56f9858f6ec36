"""Who may do what (spec/protocol.md, sections 9 to 12 and 14)."""

import base64
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi.models import ApiKey, Company
from tests.contract.samples import create
from tests.shop import Caller, Shop


def _on(app: Flask, caller: Caller) -> Caller:
    return Caller(app.test_client(), caller.user_id, caller.login, caller.key)


def _basic(login: str, key: str, *, scheme: str = "Basic", end: str = "") -> Any:
    pair = base64.b64encode(f"{login}:{key}".encode()).decode()
    return {"Authorization": f"{scheme} {pair}{end}"}


@pytest.fixture
def open_shop(shop: Shop, make_app: Callable[..., Flask]) -> Shop:
    """The shop, served with `API_ALLOW_CUSTOMER` on."""
    client = make_app(api_allow_customer=True).test_client()
    for caller in (shop.root, shop.anonymous):
        caller.client = client
    shop.client = client
    return shop


# Section 9: authentication


@pytest.mark.parametrize("scheme", ["Basic", "basic", "BASIC", "bAsIc"])
def test_the_scheme_has_no_letter_case(shop: Shop, scheme: str) -> None:
    """Section 9.2."""
    headers = _basic(shop.root.login, shop.root.key, scheme=scheme)
    assert shop.anonymous.get("languages", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "change", [str.upper, str.title, "  {}  ".format, "{}\t".format]
)
def test_the_login_has_neither_case_nor_blanks(
    shop: Shop, change: Callable[[str], str]
) -> None:
    """Section 9.2: the key is compared exactly."""
    login, key = shop.root.login, shop.root.key
    good = shop.anonymous.get("languages", headers=_basic(change(login), key))
    assert good.status_code == 200
    for wrong in (key.swapcase(), key + " ", " " + key, key[:-1], key + "\0"):
        answer = shop.anonymous.get("languages", headers=_basic(login, wrong))
        assert answer.status_code == 401


def test_the_pair_is_split_at_the_first_colon(shop: Shop) -> None:
    """Section 9.2: a key may hold colons; no key of ours does."""
    headers = _basic(shop.root.login, ":" + shop.root.key)
    assert shop.anonymous.get("languages", headers=headers).status_code == 401


def test_a_colon_after_the_pair_is_forgiven(shop: Shop) -> None:
    """spec/clients.md, T4."""
    headers = _basic(shop.root.login, shop.root.key, end=":")
    assert shop.anonymous.get("languages", headers=headers).status_code == 200


@pytest.mark.parametrize(("status", "expected"), [("A", 200), ("D", 401), ("H", 401)])
def test_only_active_users_may_call(shop: Shop, status: str, expected: int) -> None:
    """Section 9.3."""
    caller = shop.caller(is_root="Y", status=status)
    assert caller.get("languages").status_code == expected


def test_a_key_of_another_user_is_wrong(shop: Shop) -> None:
    """Section 9.1: login and key belong together."""
    other = shop.caller(is_root="Y")
    headers = _basic(other.login, shop.root.key)
    assert shop.anonymous.get("languages", headers=headers).status_code == 401


def test_expired_keys_are_wrong(shop: Shop) -> None:
    """Section 9.6."""
    caller = shop.caller(is_root="Y")
    assert caller.get("languages").status_code == 200
    shop.change(ApiKey, {"user_id": caller.user_id}, {"expires_at": 1})
    assert caller.get("languages").status_code == 401


def test_root_only(shop: Shop, make_app: Callable[..., Flask]) -> None:
    """Section 9.5: `API_ROOT_ONLY`."""
    app = make_app(api_root_only=True)
    admin = shop.caller("view_languages")
    assert admin.get("languages").status_code == 200
    assert _on(app, admin).get("languages").status_code == 401
    assert _on(app, shop.root).get("languages").status_code == 200


@pytest.mark.parametrize("path", ["products", "languages", "/api", "nosuch"])
def test_nobody_gets_in_by_default(shop: Shop, path: str) -> None:
    """Section 9, anonymous, rule 1."""
    assert shop.anonymous.get(path).status_code == 401
    customer = shop.caller(user_type="C")
    expected = {"/api": 200, "nosuch": 404}.get(path, 403)
    assert customer.get(path).status_code == expected


def test_customer_maps_decide_when_customers_may_call(open_shop: Shop) -> None:
    """Section 9, anonymous, rules 2 to 4: 401 for nobody, 403 for customers."""
    shop = open_shop
    id = shop.make_product(amount=7)
    customer = shop.caller(user_type="C")
    for caller, refused in ((shop.anonymous, 401), (customer, 403)):
        assert caller.get("products").headers["X-Total-Count"] == "1"
        assert caller.get(f"products/{id}").status_code == 200
        assert caller.get("languages").status_code == 200
        before = shop.everything()
        assert caller.put(f"products/{id}", {"price": "1"}).status_code == refused
        assert caller.delete(f"products/{id}").status_code == refused
        body = {"lang_code": "fr", "name": "French"}
        assert caller.post("languages", body).status_code == refused
        assert shop.everything() == before


def test_an_affiliate_is_a_customer(open_shop: Shop) -> None:
    """Section 10, `P`: privileges of groups do not count."""
    affiliate = open_shop.caller("manage_catalog", "manage_languages", user_type="P")
    body = {"lang_code": "fr", "name": "French"}
    assert affiliate.get("languages").status_code == 200
    assert affiliate.post("languages", body).status_code == 403


def test_customers_see_active_objects_only(open_shop: Shop) -> None:
    """Section 9, anonymous, rule 4: status A, and nothing internal."""
    shop = open_shop
    ids = {s: shop.make_product(s, status=s, sales_amount=5) for s in "AHD"}
    for caller in (shop.anonymous, shop.caller(user_type="C")):
        listed = caller.get("products").get_json()
        assert [record["product"] for record in listed["products"]] == ["A"]
        assert listed["params"]["total_items"] == "1"
        assert caller.get("products?status=D").get_json()["products"] == []
        assert caller.get(f"products/{ids['H']}").status_code == 404
        record = caller.get(f"products/{ids['A']}").get_json()
        assert "sales_amount" not in record
        assert "sales_amount" in shop.root.get(f"products/{ids['A']}").get_json()


def test_wrong_credentials_are_wrong_everywhere(open_shop: Shop) -> None:
    """Section 9.7: also where nobody needs them."""
    shop = open_shop
    assert shop.anonymous.get("products").status_code == 200
    for auth in (("a@example.com", "wrong"), (shop.root.login, "")):
        assert shop.anonymous.get("products", auth=auth).status_code == 401
    for text in ("Bearer x", "Basic", "Basic %%%", ""):
        answer = shop.anonymous.get("products", headers={"Authorization": text})
        assert answer.status_code == 401


# Section 10: users and ranks


def test_root_needs_no_privilege(shop: Shop) -> None:
    """Section 10.1: and groups do not limit it."""
    root = shop.caller("view_taxes", is_root="Y")
    assert root.get("languages").status_code == 200


def test_root_of_a_company_is_no_root(shop: Shop) -> None:
    """Section 10.1: `company_id` must be 0, and the type `A`."""
    assert shop.caller(is_root="Y", company_id=shop.store).get(
        "languages"
    ).status_code == (403)
    assert shop.caller(is_root="Y", user_type="C").get("languages").status_code == 403


def test_privileges_are_the_union_of_groups(shop: Shop) -> None:
    """Section 10.2: active links to active groups of type A."""
    caller = shop.caller("view_languages")
    body = {"lang_code": "fr", "name": "French"}
    assert caller.get("languages").status_code == 200
    assert caller.post("languages", body).status_code == 403
    shop.join(caller.user_id, shop.group("manage_languages"))
    assert caller.get("languages").status_code == 200
    assert caller.post("languages", body).status_code == 201


@pytest.mark.parametrize(
    ("group", "link", "expected"),
    [({}, "A", 200), ({"status": "D"}, "A", 403), ({"status": "H"}, "A", 200),
     ({"type": "C"}, "A", 403), ({}, "D", 403), ({}, "P", 403), ({}, "F", 403)],
)  # fmt: skip
def test_inactive_groups_grant_nothing(
    shop: Shop, group: dict[str, str], link: str, expected: int
) -> None:
    """Section 10.2, and usergroups, rule 8: a hidden group counts as active."""
    caller = shop.caller("view_taxes")
    shop.join(caller.user_id, shop.group("view_languages", **group), link)
    assert caller.get("languages").status_code == expected


@pytest.mark.parametrize(("setting", "expected"), [("none", 403), ("all", 200)])
def test_administrators_without_groups(
    shop: Shop, make_app: Callable[..., Flask], setting: str, expected: int
) -> None:
    """Section 10.3: `ADMIN_WITHOUT_GROUPS`."""
    app = make_app(admin_without_groups=setting)
    lonely = _on(app, shop.caller())
    assert lonely.get("languages").status_code == expected
    assert lonely.get("products").status_code == expected
    grouped = _on(app, shop.caller("view_taxes"))
    assert grouped.get("languages").status_code == 403
    for other in ("C", "P"):
        customer = _on(app, shop.caller(user_type=other))
        assert customer.get("languages").status_code == 403


def test_an_administrator_of_a_store_is_scoped(shop: Shop) -> None:
    """Section 10.4."""
    shop.make_product("Ours")
    admin = shop.caller("view_catalog", company_id=shop.other_store)
    assert admin.get("products").get_json()["products"] == []


# Section 11: privileges


def test_vendors_hold_the_built_in_set(shop: Shop) -> None:
    """Section 11: in no group."""
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    assert vendor.get("products").status_code == 200
    assert vendor.get("languages").status_code == 200
    body = {"lang_code": "fr", "name": "French"}
    assert vendor.post("languages", body).status_code == 403


def test_vendors_never_hold_more(shop: Shop) -> None:
    """Section 11: also not through groups."""
    vendor = shop.caller(
        "manage_languages", "view_settings", user_type="V", company_id=shop.vendor
    )
    body = {"lang_code": "fr", "name": "French"}
    assert vendor.post("languages", body).status_code == 403


def test_manage_orders_is_short_for_four(shop: Shop) -> None:
    """Section 11: the registry knows each name."""
    names = {"manage_orders", "create_order", "edit_order", "delete_orders",
             "change_order_status", "view_currencies", "upgrade_store"}  # fmt: skip
    assert names <= shop.registry.privileges


def test_privileges_of_one_entity_do_not_serve_another(shop: Shop) -> None:
    """Section 11."""
    id = shop.make_product()
    caller = shop.caller("view_catalog", "manage_languages")
    before = shop.everything()
    assert caller.get(f"products/{id}").status_code == 200
    assert caller.get("languages").status_code == 403
    assert caller.put(f"products/{id}", {"price": "1"}).status_code == 403
    assert caller.delete(f"products/{id}").status_code == 403
    assert shop.everything() == before


# Section 12: company scope


def _vendor(shop: Shop) -> Caller:
    return shop.caller(user_type="V", company_id=shop.vendor)


def _of_vendor(shop: Shop) -> int:
    shared = shop.make_category("Shared", company_id=0)
    return shop.make_product("Theirs", company_id=shop.vendor, category_ids=[shared])


def test_scoped_lists_hold_the_own_objects(shop: Shop) -> None:
    """Section 12: list; a foreign company filter gives an empty list."""
    shop.make_product("Ours")
    theirs = _of_vendor(shop)
    vendor = _vendor(shop)
    listed = vendor.get("products").get_json()
    assert [record["product_id"] for record in listed["products"]] == [str(theirs)]
    assert listed["params"]["total_items"] == "1"
    own = vendor.get(f"products?company_id={shop.vendor}").get_json()
    assert own["params"]["total_items"] == "1"
    foreign = vendor.get(f"products?company_id={shop.store}")
    assert foreign.status_code == 200
    assert foreign.get_json()["products"] == []
    assert foreign.headers["X-Total-Count"] == "0"


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_objects_of_others_do_not_exist(shop: Shop, method: str) -> None:
    """Section 12: 404, not 403, and as for an ID that is not there."""
    id = shop.make_product()
    vendor = _vendor(shop)
    before = shop.everything()
    answer = vendor.request(method, f"products/{id}", json={"price": "1"})
    missing = vendor.request(method, "products/999999", json={"price": "1"})
    assert answer.status_code == missing.status_code == 404
    texts = [
        body.get_json()["message"].replace(number, "N")
        for body, number in ((answer, str(id)), (missing, "999999"))
    ]
    assert texts[0].split("N")[-1] == texts[1].split("N")[-1]
    assert shop.everything() == before


def test_post_sets_the_company(shop: Shop) -> None:
    """Section 12: whatever the body says."""
    vendor = _vendor(shop)
    category = shop.make_category("Shared", company_id=0)
    for company in (shop.store, 0, shop.vendor, str(shop.store), None, 999, "x", []):
        body = {"product": "X", "category_ids": [category], "company_id": company}
        made = vendor.post("products", body)
        assert made.status_code == 201
        record = shop.root.get(f"products/{made.get_json()['product_id']}").get_json()
        assert record["company_id"] == str(shop.vendor)


def test_put_cannot_change_the_company(shop: Shop) -> None:
    """Section 12."""
    id = _of_vendor(shop)
    vendor = _vendor(shop)
    for company in (shop.store, 0, 999, "x", None):
        answer = vendor.put(f"products/{id}", {"company_id": company, "price": "1"})
        assert answer.status_code == 200
        assert vendor.get(f"products/{id}").get_json()["company_id"] == str(shop.vendor)


def test_shared_objects_are_read_only(shop: Shop) -> None:
    """Section 12: PUT of an object of company 0 is 403."""
    id = shop.make_product("Common", company_id=0)
    vendor = _vendor(shop)
    before = shop.everything()
    assert vendor.get(f"products/{id}").status_code == 200
    assert vendor.put(f"products/{id}", {"price": "1"}).status_code == 403
    assert vendor.delete(f"products/{id}").status_code == 403
    assert shop.everything() == before


def test_foreign_references_are_400(shop: Shop) -> None:
    """Section 12: references in a body must be visible to the caller."""
    foreign = shop.make_category("Hills", company_id=shop.other_store)
    admin = shop.caller("manage_catalog", "view_catalog", company_id=shop.store)
    before = shop.everything()
    body = {"product": "X", "category_ids": [foreign]}
    answer = admin.post("products", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "category_ids"
    assert shop.everything() == before


def test_root_filters_by_company(shop: Shop) -> None:
    """Section 12: an ordinary filter; POST uses the default company."""
    ours = shop.make_product("Ours")
    theirs = _of_vendor(shop)
    for company, id in ((shop.store, ours), (shop.vendor, theirs)):
        listed = shop.root.get(f"products?company_id={company}").get_json()["products"]
        assert [record["product_id"] for record in listed] == [str(id)]
    record = shop.root.get(f"products/{ours}").get_json()
    assert record["company_id"] == str(shop.store)


def test_the_default_company_is_the_first_active_store(shop: Shop) -> None:
    """Section 12: the lowest-numbered active store."""
    shop.change(Company, {"company_id": shop.store}, {"status": "D"})
    category = shop.make_category("Hills", company_id=shop.other_store)
    id = shop.make_product("X", category_ids=[category])
    record = shop.root.get(f"products/{id}").get_json()
    assert record["company_id"] == str(shop.other_store)


@pytest.mark.parametrize(
    "name", ["blocks", "call_requests", "categories", "features", "pages", "payments",
             "shippings", "users"],
)  # fmt: skip
def test_what_root_makes_belongs_to_the_default_company(shop: Shop, name: str) -> None:
    """Section 12: to the lowest-numbered active store, whatever else is there."""
    path = f"{name}/{create(shop, name)}"
    assert shop.root.get(path).get_json()["company_id"] == str(shop.store)
    shop.change(Company, {"company_id": shop.store}, {"status": "D"})
    path = f"{name}/{create(shop, name)}"
    assert shop.root.get(path).get_json()["company_id"] == str(shop.other_store)


def test_stores_and_vendors_share_their_numbers(shop: Shop) -> None:
    """Section 12: one table and one sequence, so that no `company_id` is ambiguous."""
    bodies = [{"company": n, "storefront": f"{n}.example", "email": f"a@{n}.example"}
              for n in ("quay", "nets", "pier")]  # fmt: skip
    kinds = ("stores", "vendors", "stores")
    made = [
        shop.root.post(kind, body).get_json()["store_id"]
        for kind, body in zip(kinds, bodies, strict=True)
    ]
    assert made == sorted({*made})
    for id, kind in zip(made, kinds, strict=True):
        for name in ("stores", "vendors"):
            expected = 200 if name == kind else 404
            assert shop.root.get(f"{name}/{id}").status_code == expected


def test_a_company_that_does_not_exist_is_400(shop: Shop) -> None:
    """Section 12, for callers of the whole installation."""
    body = {"product": "X", "category_ids": [shop.category], "company_id": 4711}
    answer = shop.root.post("products", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "company_id"
    id = shop.make_product()
    changed = shop.root.put(f"products/{id}", {"company_id": "4711"})
    assert changed.status_code == 400


# Section 14: nested entities


def test_the_id_of_the_parent_is_mandatory(shop: Shop) -> None:
    """Section 14.1."""
    for path in ("/api/categories//products", "/api/categories/products"):
        assert shop.root.get(path).status_code == 404


def test_the_parent_answers_when_it_is_missing(shop: Shop) -> None:
    """Section 14.2: its own status and body."""
    parent = shop.root.get("categories/999").get_json()
    child = shop.root.get("categories/999/products").get_json()
    assert child["status"] == 404
    assert child["message"] == parent["message"]


def test_children_are_listed_by_their_parents(shop: Shop) -> None:
    """Section 14.4."""
    id = shop.make_product()
    for path in (f"products/{id}/languages", "languages/1/products", "products/1/x"):
        assert shop.root.get(path).status_code == 404


def test_the_parent_is_a_fixed_filter(shop: Shop) -> None:
    """Section 14.5."""
    other = shop.make_category("Cups")
    mug = shop.make_product("Mug")
    shop.make_product("Cup", category_ids=[other])
    for query in ("", f"?cid={other}", f"?cid={shop.category}"):
        answer = shop.root.get(f"categories/{shop.category}/products{query}")
        found = [record["product_id"] for record in answer.get_json()["products"]]
        assert found == [str(mug)]


def test_the_parent_is_a_fixed_property(shop: Shop) -> None:
    """Section 14.5: another value in the body is overridden."""
    body = {"product": "X", "category_ids": [shop.category],
            "company_id": shop.other_store}  # fmt: skip
    made = shop.root.post(f"stores/{shop.store}/products", body)
    assert made.status_code == 201
    id = made.get_json()["product_id"]
    path = f"stores/{shop.store}/products/{id}"
    assert made.headers["Location"] == f"/api/2.0/{path}"
    assert shop.root.put(path, {"company_id": shop.other_store}).status_code == 200
    assert shop.root.get(path).get_json()["company_id"] == str(shop.store)


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_children_of_other_parents_do_not_exist(shop: Shop, method: str) -> None:
    """Section 14.5, and pitfalls: nothing moves, nothing is re-homed."""
    id = shop.make_product()
    other = shop.make_category("Cups")
    before = shop.everything()
    for parent in (f"categories/{other}", f"stores/{shop.other_store}"):
        path = f"{parent}/products/{id}"
        assert shop.root.request(method, path, json={"price": "1"}).status_code == 404
    assert shop.everything() == before


def test_foreign_parents_do_not_exist(shop: Shop) -> None:
    """Section 12, nested path: the parent is read under the same scope."""
    admin = shop.caller("view_catalog", company_id=shop.other_store)
    assert admin.get(f"categories/{shop.category}/products").status_code == 404


def test_both_privileges_are_needed(shop: Shop) -> None:
    """Section 11: the parent's index and the child's operation."""
    path = f"stores/{shop.store}/products"
    assert shop.caller("view_catalog").get(path).status_code == 403
    assert shop.caller("view_stores").get(path).status_code == 403
    both = shop.caller("view_catalog", "view_stores")
    assert both.get(path).status_code == 200
    body = {"product": "X", "category_ids": [shop.category]}
    assert both.post(path, body).status_code == 403
    writer = shop.caller("manage_catalog", "view_stores")
    assert writer.post(path, body).status_code == 201
