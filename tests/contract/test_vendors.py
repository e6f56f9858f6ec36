"""Vendors: records, lists, rules and privileges."""

import base64
from typing import Any

import pytest

from storeapi.models import Order
from tests.shop import NOW, Caller, Shop

TEN = {
    "company_id",
    "company",
    "email",
    "lang_code",
    "timestamp",
    "status",
    "seo_name",
    "seo_path",
    "average_rating",
    "company_thread_ids",
}
NEW = {"company": "Ropes & Sails", "email": "Sails@example.com"}


def make(shop: Shop, **payload: Any) -> int:
    answer = shop.root.post("vendors", {**NEW, **payload})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["store_id"])


def record(shop: Shop, id: int, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = shop.root.get(f"vendors/{id}{query}").get_json()
    return found


def own_caller(shop: Shop) -> Caller:
    return shop.caller(user_type="V", company_id=shop.vendor)


# Records and lists


def test_list_is_an_array_in_both_versions(shop: Shop) -> None:
    params = {
        "page": 1,
        "items_per_page": 10,
        "total_items": "1",
        "sort_by": "name",
        "sort_order": "desc",
        "sort_order_rev": "asc",
        "status": "A",
    }
    first = shop.root.get("/api/vendors?status=A").get_json()
    second = shop.root.get("vendors?status=A").get_json()
    assert {k: v for k, v in first.items() if k != "vendors"} == {
        "params": params,
        "search": params,
    }
    assert {k: v for k, v in second.items() if k != "vendors"} == {"params": params}
    assert first["vendors"] == second["vendors"]
    assert [set(row) for row in first["vendors"]] == [TEN]


def test_object_has_the_same_fields_in_both_versions(shop: Shop) -> None:
    first = shop.root.get(f"/api/vendors/{shop.vendor}").get_json()
    assert first == record(shop, shop.vendor)
    assert set(first) == TEN
    assert first["company_id"] == str(shop.vendor)
    assert first["company_thread_ids"] == f"{shop.vendor}_0"
    assert (first["average_rating"], first["seo_path"]) == (None, "")


def test_stores_are_no_vendors(shop: Shop) -> None:
    assert shop.root.get(f"vendors/{shop.store}").status_code == 404
    assert shop.root.put(f"vendors/{shop.store}", {"company": "x"}).status_code == 404
    assert shop.root.delete(f"vendors/{shop.store}").status_code == 404


def test_full_adds_the_written_fields_in_2_0(shop: Shop) -> None:
    id = make(shop, city="Porto", country="pt", commission="7.5", terms="<p>Pay</p>")
    full = record(shop, id, "?full=Y")
    assert len(full) == len(TEN) + 18
    assert (full["city"], full["country"], full["terms"]) == (
        "Porto",
        "PT",
        "<p>Pay</p>",
    )
    assert (full["commission"], full["commission_type"]) == ("7.50", "P")
    assert full["pre_moderation"] == "N"
    assert (full["categories"], full["shippings"]) == ("", None)
    assert set(shop.root.get(f"/api/vendors/{id}?full=Y").get_json()) == TEN


@pytest.mark.parametrize(
    "query",
    ["company=rOPES+%26+sails", "email=sails@EXAMPLE.com", "q=SAIL", "q=ils@exa",
     "status=P", "timestamp=1735689600", "seo_name=ropes-sails", "lang_code=pt"],
)  # fmt: skip
def test_vendors_are_filtered(shop: Shop, query: str) -> None:
    id = make(shop, status="P", timestamp="1735689600", lang_code="pt")
    found = shop.root.get(f"vendors?{query}").get_json()["vendors"]
    assert [row["company_id"] for row in found] == [str(id)]


@pytest.mark.parametrize("query", ["q=%25", "q=_", "q=%5C", "company=%25", "status=Z"])
def test_wildcards_are_ordinary_characters(shop: Shop, query: str) -> None:
    assert shop.root.get(f"vendors?{query}").get_json()["vendors"] == []


@pytest.mark.parametrize(
    ("query", "last"),
    [("", True), ("?sort_order=asc", False), ("?sort_by=email", True),
     ("?sort_by=timestamp", True), ("?sort_by=email&sort_order=asc", False),
     ("?sort_by=status", True)],
)  # fmt: skip
def test_vendors_are_sorted(shop: Shop, query: str, last: bool) -> None:
    """Protocol, section 16, row 14."""
    new = make(shop, status="P", email="zz@example.com")
    found = shop.root.get(f"vendors{query}").get_json()["vendors"]
    ids = [int(row["company_id"]) for row in found]
    assert ids == ([new, shop.vendor] if last else [shop.vendor, new])


# Creating


def test_post_answers_both_ids_and_a_message_in_2_0_only(shop: Shop) -> None:
    answer = shop.root.post("vendors", NEW)
    id = answer.get_json()["store_id"]
    assert answer.status_code == 201
    assert answer.get_json() == {
        "store_id": id,
        "company_id": id,
        "message": "The vendor has been created",
    }
    assert isinstance(id, int)
    other = shop.root.post("/api/vendors", {**NEW, "email": "b@example.com"})
    assert other.get_json() == {"store_id": str(id + 1), "company_id": str(id + 1)}


def test_post_fills_defaults(shop: Shop) -> None:
    found = record(shop, make(shop), "?full=Y")
    assert (found["status"], found["lang_code"]) == ("A", "en")
    assert found["seo_name"] == found["storefront"] == "ropes-sails"
    assert int(found["timestamp"]) > NOW


@pytest.mark.parametrize("name", ["company", "email"])
@pytest.mark.parametrize("value", [None, ""])
def test_company_and_email_are_required(
    shop: Shop, name: str, value: str | None
) -> None:
    """Protocol, section 16, row 25."""
    left = {key: text for key, text in NEW.items() if key != name}
    for answer in (
        shop.root.post("vendors", left),
        shop.root.post("vendors", {**left, name: value}),
        shop.root.put(f"vendors/{shop.vendor}", {name: value}),
    ):
        assert answer.status_code == 400
        assert [e["field"] for e in answer.get_json()["errors"]] == [name]


@pytest.mark.parametrize(
    "wrong",
    [{"status": "H"}, {"email": "x"}, {"country": "PRT"}, {"commission": "-1"},
     {"commission_type": "X"}, {"pre_moderation": "maybe"}, {"categories": "4711"},
     {"categories": "x"}],
)  # fmt: skip
def test_bad_values_are_named(shop: Shop, wrong: dict[str, Any]) -> None:
    answer = shop.root.post("vendors", {**NEW, **wrong})
    assert answer.status_code == 400
    assert [e["field"] for e in answer.get_json()["errors"]] == list(wrong)


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_every_field_is_kept_as_sent(shop: Shop, method: str) -> None:
    sent = {
        "company": "Quay", "email": "quay@example.com", "lang_code": "pt",
        "timestamp": "1735689600", "status": "P", "seo_name": "quay-co",
        "storefront": "any string", "phone": "+351", "address": "Quay 4",
        "city": "Porto", "zipcode": "4000", "country": "PT", "state": "13",
        "company_description": "<p>Nets</p>", "url": "https://quay.example",
        "fax": "12", "pre_moderation": "Y", "pre_moderation_edit": "Y",
        "pre_moderation_edit_vendors": "Y", "categories": str(shop.category),
        "shippings": "", "commission": "7.50", "commission_type": "A",
        "terms": "<p>Pay</p>",
    }  # fmt: skip
    id = make(shop, **sent) if method == "POST" else shop.vendor
    if method == "PUT":
        assert shop.root.put(f"vendors/{id}", sent).status_code == 200
    found = record(shop, id, "?full=Y")
    assert {name: found[name] for name in sent} == sent


@pytest.mark.parametrize("status", ["N", "A", "P", "D", "S"])
def test_all_statuses_are_taken(shop: Shop, status: str) -> None:
    assert record(shop, make(shop, status=status))["status"] == status


def test_vendors_may_share_a_name_but_no_seo_name(shop: Shop) -> None:
    first, second = make(shop), make(shop, email="b@example.com")
    third = make(shop, email="c@example.com", seo_name="ropes-sails")
    names = [record(shop, id)["seo_name"] for id in (first, second, third)]
    assert names == ["ropes-sails", "ropes-sails-2", "ropes-sails-3"]


def test_seo_name_is_made_unique_on_put_and_kept_when_empty(shop: Shop) -> None:
    first, second = make(shop), make(shop, email="b@example.com")
    shop.root.put(f"vendors/{second}", {"seo_name": "ropes-sails"})
    assert record(shop, second)["seo_name"] == "ropes-sails-2"
    shop.root.put(f"vendors/{first}", {"seo_name": "ropes-sails"})
    assert record(shop, first)["seo_name"] == "ropes-sails"
    shop.root.put(f"vendors/{first}", {"seo_name": ""})
    assert record(shop, first)["seo_name"] == "ropes-sails"


def test_email_is_unique_among_vendors_in_any_case(shop: Shop) -> None:
    make(shop)
    answer = shop.root.post("vendors", {**NEW, "email": "sAILS@example.com"})
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "email"
    store = {"company": "B", "storefront": "b.example", "email": NEW["email"]}
    assert shop.root.post("stores", store).status_code == 201


def test_sent_storefront_is_unique_among_companies(shop: Shop) -> None:
    make(shop, storefront="Any thing")
    for sent in ("any THING", "https://any thing/"):
        body = {**NEW, "email": "b@example.com", "storefront": sent}
        answer = shop.root.post("vendors", body)
        assert answer.status_code == 400
        assert answer.get_json()["errors"][0]["field"] == "storefront"


def test_generated_storefront_avoids_those_of_stores(shop: Shop) -> None:
    shop.root.put(f"stores/{shop.store}", {"storefront": "ropes-sails"})
    assert record(shop, make(shop), "?full=Y")["storefront"] == "ropes-sails-2"


def test_no_account_is_made_for_a_new_vendor(shop: Shop) -> None:
    before = shop.everything()["users"]
    make(shop)
    assert shop.everything()["users"] == before


# Changing and removing


def test_put_is_partial_and_answers_a_string(shop: Shop) -> None:
    before = record(shop, shop.vendor, "?full=Y")
    answer = shop.root.put(f"vendors/{shop.vendor}", {"commission": "5"})
    assert (answer.status_code, answer.get_json()) == (
        200,
        {"store_id": str(shop.vendor)},
    )
    after = record(shop, shop.vendor, "?full=Y")
    assert after == {**before, "commission": "5.00"}


@pytest.mark.parametrize(
    ("sent", "field"),
    [({"email": "SHOP@example.com"}, "email"), ({"storefront": "Taken/"}, "storefront"),
     ({"storefront": "taken"}, "storefront")],
)  # fmt: skip
def test_what_others_have_is_refused_on_put(
    shop: Shop, sent: dict[str, str], field: str
) -> None:
    other = make(shop, email="shop@example.com", storefront="taken")
    before = shop.everything()
    answer = shop.root.put(f"vendors/{shop.vendor}", sent)
    assert answer.status_code == 400
    assert [e["field"] for e in answer.get_json()["errors"]] == [field]
    assert shop.everything() == before
    assert shop.root.put(f"vendors/{other}", sent).status_code == 200


def test_any_status_follows_any_other(shop: Shop) -> None:
    """Rule 5, for administrators of the marketplace."""
    clerk = shop.caller("view_vendors", "manage_vendors")
    for status in "NAPDSANDPSDASPN":
        answer = clerk.put(f"vendors/{shop.vendor}", {"status": status})
        assert answer.status_code == 200
        assert record(shop, shop.vendor)["status"] == status


def test_put_of_unknown_names_only_is_a_success(shop: Shop) -> None:
    answer = shop.root.put(f"vendors/{shop.vendor}", {"plan_id": 4})
    assert answer.status_code == 200
    assert answer.headers["X-Ignored-Fields"] == "plan_id"


def test_categories_are_a_comma_list(shop: Shop) -> None:
    other = shop.make_category("Ropes")
    id = make(shop, categories=[shop.category, other])
    assert record(shop, id, "?full=Y")["categories"] == f"{shop.category},{other}"
    shop.root.put(f"vendors/{id}", {"categories": ""})
    assert record(shop, id, "?full=Y")["categories"] == ""


def test_vendor_sells_where_the_owner_says(shop: Shop) -> None:
    roots = [shop.make_category(name, company_id=0) for name in ("Sea", "Land")]
    below = shop.make_category("Nets", company_id=0, parent=roots[0])
    own = shop.make_category("Own", company_id=shop.vendor)
    caller, path = own_caller(shop), f"vendors/{shop.vendor}"
    product = {"product": "Net", "category_ids": [roots[1]]}
    assert caller.post("products", product).status_code == 201
    shop.root.put(path, {"categories": str(roots[0])})
    for inside in (roots[0], below, own):
        answer = caller.post("products", {**product, "category_ids": [inside, own]})
        assert answer.status_code == 201
    for someone in (caller, shop.root):
        outside = {**product, "category_ids": [below, roots[1]]}
        answer = someone.post("products", {**outside, "company_id": shop.vendor})
        assert answer.status_code == 400
        assert str(roots[1]) in answer.get_json()["detail"]
        assert [e["field"] for e in answer.get_json()["errors"]] == ["category_ids"]
    assert shop.root.post("products", product).status_code == 201
    shop.root.put(path, {"categories": ""})
    assert caller.post("products", product).status_code == 201


def test_categories_leave_the_list_with_their_deletion(shop: Shop) -> None:
    first, other = (shop.make_category(name, company_id=0) for name in "ab")
    second = shop.make_category("c", company_id=0, parent=first)
    path = f"vendors/{shop.vendor}"
    shop.root.put(path, {"categories": [first, second, other]})
    shop.root.delete(f"categories/{first}")
    assert record(shop, shop.vendor, "?full=Y")["categories"] == str(other)
    shop.root.delete(f"categories/{other}")
    full = record(shop, shop.vendor, "?full=Y")
    assert full["categories"] == str(other)  # an empty list would mean everywhere
    assert shop.root.put(path, full).status_code == 200
    assert shop.root.put(path, {"categories": str(first)}).status_code == 400


@pytest.mark.parametrize("status", ["N", "P", "D", "S"])
def test_customers_are_not_shown_what_inactive_vendors_sell(
    make_app: Any, status: str
) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    kept = shop.make_product("Mug")
    shelf = shop.make_category("Shelf", company_id=0)
    id = shop.make_product("Net", company_id=shop.vendor, category_ids=[shelf])
    option = {"option_name": "Size", "product_id": id}
    option_id = shop.root.post("options", option).get_json()["option_id"]

    def shown() -> tuple[list[str], str, list[int]]:
        found = shop.anonymous.get("products?sort_by=product_id").get_json()
        paths = (f"products/{id}", f"products/{id}/features", f"options/{option_id}")
        statuses = [shop.anonymous.get(path).status_code for path in paths]
        ids = [each["product_id"] for each in found["products"]]
        return ids, found["params"]["total_items"], statuses

    assert shown() == ([str(kept), str(id)], "2", [200, 200, 200])
    shop.root.put(f"vendors/{shop.vendor}", {"status": status})
    assert shown() == ([str(kept)], "1", [404, 404, 404])
    assert shop.root.get("products").get_json()["params"]["total_items"] == "2"


def test_delete_removes_products_and_administrators(shop: Shop) -> None:
    shared = shop.make_category("Shared", company_id=0)
    kept = shop.make_product(category_ids=[shared])
    shop.make_product("Net", company_id=shop.vendor, category_ids=[shared])
    administrator = own_caller(shop).user_id
    path = f"categories/{shared}"
    assert shop.root.get(path).get_json()["product_count"] == "2"
    assert shop.root.delete(f"vendors/{shop.vendor}").status_code == 204
    rows = shop.everything()
    assert [row[0] for row in rows["products"]] == [kept]
    assert administrator not in [row[0] for row in rows["users"]]
    assert shop.root.get(path).get_json()["product_count"] == "1"
    found = shop.root.get("products?items_per_page=1").get_json()
    assert found["params"]["total_items"] == "1"


def test_guests_in_categories_that_go_get_another_main_category(shop: Shop) -> None:
    own = shop.make_category("Own", company_id=shop.vendor)
    values = {"category_ids": [own, shop.category], "main_category": own}
    id = shop.make_product(company_id=0, **values)
    alone = shop.make_product("Lost", company_id=0, category_ids=[own])
    assert shop.root.delete(f"vendors/{shop.vendor}").status_code == 204
    product = shop.root.get(f"products/{id}").get_json()
    assert (product["category_ids"], product["main_category"]) == (
        [shop.category],
        shop.category,
    )
    lost = shop.root.get(f"products/{alone}").get_json()
    assert (lost["category_ids"], lost["status"]) == ([], "A")


# Who may


def test_vendor_with_orders_stays(shop: Shop) -> None:
    shop.insert(Order, company_id=shop.vendor, status="O")
    before = shop.everything()
    answer = shop.root.delete(f"vendors/{shop.vendor}")
    assert answer.status_code == 400
    assert answer.get_json()["detail"] == f"company {shop.vendor} has orders"
    assert shop.everything() == before


def test_vendor_sees_those_who_bought(shop: Shop) -> None:
    buyer, other = (shop.caller(user_type="C", company_id=shop.store) for _ in "ab")
    shop.insert(Order, company_id=shop.vendor, status="O", user_id=buyer.user_id)
    shop.insert(Order, company_id=shop.store, status="O", user_id=other.user_id)
    caller, clerk = own_caller(shop), shop.caller("view_users", company_id=shop.vendor)
    for who in (caller, clerk):
        found = who.get("users?sort_by=user_id").get_json()
        ids = [int(each["user_id"]) for each in found["users"]]
        assert (buyer.user_id in ids, other.user_id in ids) == (True, False)
        assert str(len(ids)) == found["params"]["total_items"]
        assert who.get(f"users/{buyer.user_id}").status_code == 200
        assert who.get(f"users/{other.user_id}").status_code == 404
    assert [each for each in ids if each == clerk.user_id] == [clerk.user_id]


def test_buyers_of_others_are_read_only(shop: Shop) -> None:
    buyer = shop.caller(user_type="C", company_id=shop.other_store)
    shop.insert(Order, company_id=shop.store, status="O", user_id=buyer.user_id)
    rights = ("view_users", "manage_users")
    clerk, path = shop.caller(*rights, company_id=shop.store), f"users/{buyer.user_id}"
    before = shop.everything()
    assert clerk.get(path).status_code == 200
    assert clerk.put(path, {"firstname": "x"}).status_code == 403
    assert clerk.delete(path).status_code == 403
    assert shop.everything() == before


# Switches


def test_either_kind_of_company_may_be_switched_off(make_app: Any) -> None:
    for off, on in (("vendors", "stores"), ("stores", "vendors")):
        shop = Shop(make_app(disabled_entities=(off,)))
        id = shop.vendor if off == "vendors" else shop.store
        for path in (off, f"{off}/{id}", f"{off}/{id}/products"):
            assert shop.root.get(path).status_code == 404
        assert shop.root.get(on).status_code == 200
        assert off not in shop.root.get("/api/2.0").get_json()["entities"]
        assert shop.root.get("products").status_code == 200
        caller = shop.caller(user_type="V", company_id=shop.vendor)
        assert caller.get("products").status_code == 200


def test_privileges_decide(shop: Shop) -> None:
    viewer, manager = shop.caller("view_vendors"), shop.caller("manage_vendors")
    path = f"vendors/{shop.vendor}"
    assert shop.caller().get("vendors").status_code == 403
    assert viewer.get("vendors").status_code == 200
    assert viewer.post("vendors", NEW).status_code == 403
    assert viewer.put(path, {"company": "x"}).status_code == 403
    assert viewer.delete(path).status_code == 403
    assert manager.put(path, {"company": "x"}).status_code == 200
    assert shop.anonymous.get("vendors").status_code == 401


def test_vendor_sees_the_own_record_only(shop: Shop) -> None:
    """Protocol, section 12: stores and vendors."""
    other, caller = make(shop), own_caller(shop)
    found = caller.get("vendors").get_json()
    assert [row["company_id"] for row in found["vendors"]] == [str(shop.vendor)]
    assert found["params"]["total_items"] == "1"
    assert caller.get(f"vendors?company_id={other}").get_json()["vendors"] == []
    assert caller.get(f"vendors/{other}").status_code == 404
    assert caller.put(f"vendors/{other}", {"company": "x"}).status_code == 404


def test_vendor_neither_makes_nor_removes_vendors(shop: Shop) -> None:
    caller = own_caller(shop)
    before = shop.everything()
    assert caller.post("vendors", NEW).status_code == 403
    assert caller.delete(f"vendors/{shop.vendor}").status_code == 403
    assert shop.everything() == before


def test_only_methods_of_the_owner_are_open_to_a_vendor(shop: Shop) -> None:
    path = f"vendors/{shop.vendor}"
    first, second, of_store = (
        shop.root.post("shippings", {"shipping": "Van", "company_id": company})
        for company in (0, 0, shop.store)
    )
    ids = [str(each.get_json()["shipping_id"]) for each in (first, second, of_store)]
    assert (
        shop.root.put(path, {"shippings": {"1": ids[0], "2": 99999}}).status_code == 400
    )
    assert shop.root.put(path, {"shippings": ids}).status_code == 200
    assert record(shop, shop.vendor, "?full=Y")["shippings"] == ",".join(ids[:2])
    shop.root.delete(f"shippings/{ids[0]}")
    assert record(shop, shop.vendor, "?full=Y")["shippings"] == ids[1]
    shop.root.delete(f"shippings/{ids[1]}")
    assert record(shop, shop.vendor, "?full=Y")["shippings"] == ""


def test_what_the_owner_decides_is_ignored_from_a_vendor(shop: Shop) -> None:
    caller, path = own_caller(shop), f"vendors/{shop.vendor}"
    before = record(shop, shop.vendor, "?full=Y")
    body = {
        "company": "Nets",
        "status": "D",
        "commission": "0.01",
        "commission_type": "A",
        "categories": str(shop.category),
        "shippings": [],
        "pre_moderation": "Y",
        "pre_moderation_edit": "Y",
        "pre_moderation_edit_vendors": "no flag",
    }
    answer = caller.put(path, body)
    assert answer.status_code == 200
    assert answer.headers["X-Ignored-Fields"] == ", ".join(
        sorted(set(body) - {"company"})
    )
    assert record(shop, shop.vendor, "?full=Y") == {**before, "company": "Nets"}


def test_scoped_administrator_of_a_store_sees_no_vendors(shop: Shop) -> None:
    caller = shop.caller("view_vendors", company_id=shop.store)
    assert caller.get("vendors").get_json()["vendors"] == []
    assert caller.get(f"vendors/{shop.vendor}").status_code == 404


def test_products_of_a_vendor_are_reached_through_it(shop: Shop) -> None:
    shop.make_product()
    own = shop.make_category("Nets", company_id=shop.vendor)
    id = shop.make_product("Net", company_id=shop.vendor, category_ids=[own])
    found = shop.root.get(f"vendors/{shop.vendor}/products").get_json()["products"]
    assert [row["product_id"] for row in found] == [str(id)]
    assert shop.root.get(f"vendors/{shop.store}/products").status_code == 404


def test_anonymous_reader_sees_no_addresses(shop: Shop, make_app: Any) -> None:
    open_shop = Shop(make_app(api_allow_customer=True))
    open_shop.company("Hidden", kind="V", status="P")
    (row,) = open_shop.anonymous.get("vendors").get_json()["vendors"]
    assert set(row) == TEN - {"email"}
    assert open_shop.anonymous.get("vendors?q=example.com").get_json()["vendors"] == []
    path = f"vendors/{open_shop.vendor}?full=Y"
    assert "commission" not in open_shop.anonymous.get(path).get_json()


@pytest.mark.parametrize("query", ["sort_by=email", "email=shop@example.com"])
def test_anonymous_reader_learns_no_address_by_order_or_filter(
    make_app: Any, query: str
) -> None:
    open_shop = Shop(make_app(api_allow_customer=True))
    open_shop.company("Ropes", kind="V")
    path = f"vendors?items_per_page=1&cursor=*&{query}"
    answer = open_shop.anonymous.get(path)
    assert answer.status_code == 200
    assert answer.get_json()["params"]["sort_by"] == "name"
    assert answer.headers["X-Total-Count"] == "2"
    cursor = answer.headers["X-Next-Cursor"]
    assert b"@" not in base64.urlsafe_b64decode(cursor + "==")
    if query.startswith("email"):
        assert answer.headers["X-Ignored-Params"] == "email"
    stated = open_shop.root.get(f"vendors?items_per_page=1&{query}")
    assert stated.headers["X-Total-Count"] == ("2" if "sort" in query else "0")


def test_only_root_removes_a_vendor_with_administrators(shop: Shop) -> None:
    clerk = shop.caller("view_vendors", "manage_vendors")
    shop.caller(user_type="V", company_id=shop.vendor)
    shop.caller("view_vendors", company_id=shop.vendor)
    before = shop.everything()
    assert clerk.delete(f"vendors/{shop.vendor}").status_code == 403
    assert shop.everything() == before
    assert shop.root.delete(f"vendors/{shop.vendor}").status_code == 204
