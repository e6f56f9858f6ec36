"""Users: who may do what to whom, and what everyone may do to themselves."""

from typing import Any

import pytest

from storeapi.models import ApiKey
from tests.orders import stored_order
from tests.people import found, make, manager
from tests.shop import Shop

# Ranks


@pytest.mark.parametrize(
    "values",
    [{"user_type": "A"}, {"user_type": "C", "is_root": "Y"},
     {"user_type": "C", "api_access": "Y"}],
)  # fmt: skip
def test_only_root_creates_what_has_rank(shop: Shop, values: dict[str, str]) -> None:
    """Protocol, section 10.5."""
    body = {"email": "a@example.com", **values}
    assert manager(shop).post("users", body).status_code == 403
    assert found(shop.root, "email=a@example.com") == []


@pytest.mark.parametrize(
    "change",
    [{"user_type": "A"}, {"user_type": "V"}, {"is_root": "Y"}, {"api_access": "Y"},
     {"company_id": "0"}],
)  # fmt: skip
def test_only_root_changes_the_rank(shop: Shop, change: dict[str, str]) -> None:
    id, caller = make(shop), manager(shop)
    before = shop.everything()
    assert caller.put(f"users/{id}", change).status_code == 403
    assert shop.everything() == before


def test_manager_may_send_a_record_back(shop: Shop) -> None:
    id, caller = make(shop, user_login="ines"), manager(shop)
    record = caller.get(f"users/{id}").get_json()
    assert caller.put(f"users/{id}", record | {"phone": "1"}).status_code == 200
    assert caller.get(f"users/{id}").get_json() == record | {"phone": "1"}


def test_only_root_touches_other_administrators(shop: Shop) -> None:
    """Protocol, section 10.5."""
    caller, other = manager(shop), shop.caller("view_users")
    before = shop.everything()
    path = f"users/{other.user_id}"
    assert caller.put(path, {"firstname": "x"}).status_code == 403
    assert caller.delete(path).status_code == 403
    assert shop.everything() == before
    assert shop.root.put(path, {"firstname": "x"}).status_code == 200
    assert shop.root.delete(path).status_code == 204


def test_manager_handles_customers_and_vendors_administrators(shop: Shop) -> None:
    """Protocol, section 10.5."""
    caller = manager(shop)
    body = {"email": "v@example.com", "user_type": "V", "company_id": shop.vendor}
    id = caller.post("users", body).get_json()["user_id"]
    assert caller.put(f"users/{id}", {"status": "D"}).status_code == 200
    assert caller.delete(f"users/{id}").status_code == 204


def test_vendors_administrator_needs_a_vendor(shop: Shop) -> None:
    body = {"email": "v@example.com", "user_type": "V"}
    for company in ({}, {"company_id": shop.store}, {"company_id": 0}):
        answer = shop.root.post("users", body | company)
        assert answer.status_code == 400
        assert answer.get_json()["errors"][0]["field"] == "company_id"
    id = make(shop)
    assert shop.root.put(f"users/{id}", {"user_type": "V"}).status_code == 400


@pytest.mark.parametrize("change", [{"user_type": "C"}, {"company_id": "1"}])
def test_root_is_an_administrator_of_company_0(
    shop: Shop, change: dict[str, str]
) -> None:
    other = shop.caller(is_root="Y")
    if "company_id" in change:
        change = {"company_id": str(shop.store)}
    answer = shop.root.put(f"users/{other.user_id}", change)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "is_root"


def test_customer_now_leaves_groups_of_administrators(shop: Shop) -> None:
    other = shop.caller("view_users")
    shop.join(other.user_id, shop.group(type="C"))
    shop.root.put(f"users/{other.user_id}", {"user_type": "C"})
    record = shop.root.get(f"users/{other.user_id}").get_json()
    assert len(record["usergroups"]) == 1


@pytest.mark.parametrize("status", ["D", "H"])
def test_nobody_disables_or_deletes_the_own_account(shop: Shop, status: str) -> None:
    """Protocol, section 10.5."""
    shop.caller(is_root="Y")
    path = f"users/{shop.root.user_id}"
    assert shop.root.put(path, {"status": status}).status_code == 400
    assert shop.root.delete(path).status_code == 400
    assert shop.root.get(path).get_json()["status"] == "A"


def test_last_root_stays(shop: Shop) -> None:
    """Protocol, section 10.5."""
    path = f"users/{shop.root.user_id}"
    disabled = shop.caller(is_root="Y", status="D")
    assert shop.root.put(path, {"is_root": "N"}).status_code == 400
    shop.root.put(f"users/{disabled.user_id}", {"status": "A"})
    assert shop.root.put(path, {"is_root": "N"}).status_code == 200
    other = f"users/{shop.root.user_id}"
    assert disabled.delete(other).status_code == 204


# Scope and the own record


def test_vendor_sees_colleagues_only(shop: Shop) -> None:
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    foreign = make(shop, company_id=shop.store)
    customer = make(shop, "c@example.com", company_id=shop.vendor)
    admin = make(shop, "x@example.com", user_type="A", company_id=shop.vendor)
    assert found(vendor, "") == [vendor.login]
    for id in (foreign, customer, admin):
        assert vendor.get(f"users/{id}").status_code == 404


def test_administrator_of_a_store_sees_its_users(shop: Shop) -> None:
    caller = manager(shop, company_id=shop.store)
    own, foreign = make(shop), make(shop, "b@example.com", company_id=shop.other_store)
    assert "ines@example.com" in found(caller, "")
    assert caller.get(f"users/{foreign}").status_code == 404
    assert caller.put(f"users/{foreign}", {"phone": "1"}).status_code == 404
    assert caller.delete(f"users/{foreign}").status_code == 404
    assert found(caller, f"company_id={shop.other_store}") == []
    answer = caller.put(f"users/{own}", {"company_id": shop.other_store, "phone": "1"})
    record = shop.root.get(f"users/{own}").get_json()
    assert answer.status_code == 200
    assert (record["company_id"], record["phone"]) == (str(shop.store), "1")


def test_post_of_a_store_administrator_is_placed_in_the_store(shop: Shop) -> None:
    caller = manager(shop, company_id=shop.other_store)
    body = {"email": "a@example.com", "user_type": "C", "company_id": shop.store}
    id = caller.post("users", body).get_json()["user_id"]
    record = shop.root.get(f"users/{id}").get_json()
    assert record["company_id"] == str(shop.other_store)


@pytest.mark.parametrize("user_type", ["A", "V"])
def test_companies_know_who_bought_from_them(shop: Shop, user_type: str) -> None:
    """Protocol.md, section 12: customers, wherever else they belong."""
    company = shop.vendor if user_type == "V" else shop.store
    clerk = shop.caller("view_users", "manage_users", "view_orders", "manage_catalog",
                        user_type=user_type, company_id=company)  # fmt: skip
    buyer = make(shop, "b@example.com", company_id=shop.other_store)
    strange = make(shop, "s@example.com", company_id=shop.other_store)
    admin = shop.caller()
    own = stored_order(shop, user_id=buyer, company_id=company)
    for user_id in (buyer, strange, admin.user_id):
        stored_order(shop, user_id=user_id, company_id=shop.other_store)
    stored_order(shop, user_id=admin.user_id, company_id=company)
    assert sorted(found(clerk, "")) == sorted(["b@example.com", clerk.login])
    assert found(clerk, "email=b@&user_type=C") == ["b@example.com"]
    assert found(clerk, "email=s@") == []
    assert clerk.get(f"users/{buyer}").get_json()["email"] == "b@example.com"
    below = clerk.get(f"users/{buyer}/orders").get_json()["orders"]
    assert [each["order_id"] for each in below] == [str(own)]
    for hidden in (strange, f"{strange}/orders", admin.user_id):
        assert clerk.get(f"users/{hidden}").status_code == 404
    before = shop.everything()
    assert clerk.put(f"users/{buyer}", {"phone": "1"}).status_code == 403
    assert clerk.delete(f"users/{buyer}").status_code == 403
    assert shop.everything() == before
    assert shop.root.delete(f"orders/{own}").status_code == 204
    assert clerk.get(f"users/{buyer}").status_code == 404


def test_payloads_of_a_company_name_people_it_knows(shop: Shop) -> None:
    clerk = manager(shop, company_id=shop.store)
    buyer = make(shop, "b@example.com", company_id=shop.other_store)
    strange = make(shop, "s@example.com", company_id=shop.other_store)
    own = stored_order(shop, user_id=buyer)
    editor = shop.caller("edit_order", company_id=shop.store)
    products = {str(shop.make_product(amount=3)): {"amount": 1}}
    for user_id, status in ((buyer, 201), (strange, 400)):
        body = {"user_id": user_id, "products": products}
        assert clerk.post("carts", body).status_code == status
        answer = editor.put(f"orders/{own}", {"user_id": user_id})
        assert answer.status_code == (200 if status == 201 else 400)
    assert answer.get_json()["errors"][0]["field"] == "user_id"


@pytest.mark.parametrize("user_type", ["A", "V"])
def test_everyone_reads_and_changes_the_own_record(shop: Shop, user_type: str) -> None:
    company = shop.vendor if user_type == "V" else 0
    caller = shop.caller(user_type=user_type, company_id=company)
    path = f"users/{caller.user_id}"
    change = {"firstname": "New", "phone": "1", "b_city": "Porto", "s_country": "PT"}
    assert caller.put(path, change | {"password": "harbour light"}).status_code == 200
    record = caller.get(path).get_json()
    assert {name: record[name] for name in change} == change
    assert caller.put(path, record | {"lastname": "Own"}).status_code == 200


@pytest.mark.parametrize(
    "change",
    [{"email": "new@example.com"}, {"user_login": "new"}, {"status": "D"},
     {"is_root": "Y"}, {"user_type": "C"}, {"api_access": "N"}, {"tax_exempt": "Y"}],
)  # fmt: skip
def test_own_record_keeps_the_rest(shop: Shop, change: dict[str, str]) -> None:
    caller = shop.caller()
    before = shop.everything()
    assert caller.put(f"users/{caller.user_id}", change).status_code == 403
    assert shop.everything() == before


def test_own_record_is_all_without_privileges(shop: Shop) -> None:
    caller = shop.caller()
    other = make(shop)
    assert caller.get("users").status_code == 403
    assert caller.get(f"users/{other}").status_code == 403
    assert caller.put(f"users/{other}", {"phone": "1"}).status_code == 403
    assert caller.delete(f"users/{caller.user_id}").status_code == 403


def test_customers_have_no_access_by_default(shop: Shop) -> None:
    customer = shop.caller(user_type="C", company_id=shop.store)
    assert customer.get(f"users/{customer.user_id}").status_code == 403


def test_customer_let_in_reads_the_own_record_only(shop: Shop, make_app: Any) -> None:
    """Protocol, section 9, customers, rule 5."""
    open_shop = Shop(make_app(api_allow_customer=True))
    customer = open_shop.caller(user_type="C", company_id=open_shop.store)
    other = make(open_shop)
    path = f"users/{customer.user_id}"
    assert customer.put(path, {"phone": "1"}).status_code == 200
    assert customer.get(path).get_json()["phone"] == "1"
    assert customer.put(path, {"email": "x@example.com"}).status_code == 403
    assert customer.get(f"users/{other}").status_code == 403
    assert customer.get("users").status_code == 403
    assert open_shop.anonymous.get(path).status_code == 401


# Below a company


@pytest.mark.parametrize("parent", ["stores", "vendors"])
def test_users_below_a_company_are_its_own(shop: Shop, parent: str) -> None:
    company = shop.store if parent == "stores" else shop.vendor
    path = f"{parent}/{company}/users"
    body = {"email": "a@example.com", "user_type": "C", "company_id": shop.other_store}
    id = shop.root.post(path, body).get_json()["user_id"]
    foreign = make(shop, "b@example.com", company_id=shop.other_store)
    data = shop.root.get(f"{path}?items_per_page=0").get_json()
    assert [user["user_id"] for user in data["users"]] == [str(id)]
    assert data["users"][0]["company_id"] == str(company)
    assert shop.root.put(f"{path}/{id}", {"phone": "1"}).status_code == 200
    for method in ("GET", "DELETE"):
        answer = shop.root.request(method, f"{path}/{foreign}")
        assert answer.status_code == 404
    assert shop.root.put(f"{path}/{foreign}", {"phone": "1"}).status_code == 404


def test_wrong_kind_of_company_is_no_parent(shop: Shop) -> None:
    assert shop.root.get(f"stores/{shop.vendor}/users").status_code == 404
    assert shop.root.get(f"vendors/{shop.store}/users").status_code == 404


@pytest.mark.parametrize("privileges", ["view_catalog", "view_users,manage_users"])
def test_limited_key_has_no_rights_of_its_holder(shop: Shop, privileges: str) -> None:
    path, body = f"users/{shop.root.user_id}", {"password": "harbour light"}
    where = {"user_id": shop.root.user_id}
    shop.change(ApiKey, where, {"privileges": privileges})
    before = shop.everything()
    for change in (body, {"email": "other@example.com"}, {"firstname": "Ann"}):
        assert shop.root.put(path, change).status_code == 403
    assert shop.everything() == before
    sees = "view_users" in privileges
    assert shop.root.get(path).status_code == (200 if sees else 403)
