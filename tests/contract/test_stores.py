"""Stores: records, lists, rules and privileges (copies: test_store_copies.py)."""

from typing import Any

import pytest

from storeapi.models import Company, Order, User
from tests.choosing import age, updated
from tests.shop import NOW, Caller, Shop
from tests.wares import make_combination, make_option

SIX = {"company_id", "company", "lang_code", "email", "timestamp", "status"}
TEN = SIX | {
    "storefront",
    "secure_storefront",
    "average_rating",
    "company_thread_ids",
}
NEW = {"company": "Quay Shop", "storefront": "quay.example"}


def make(shop: Shop, **payload: Any) -> int:
    answer = shop.root.post("stores", {**NEW, **payload})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["store_id"])


def full(shop: Shop, id: int) -> dict[str, Any]:
    found: dict[str, Any] = shop.root.get(f"stores/{id}?full=Y").get_json()
    return found


# Records and lists


def test_list_in_1_0_is_a_bare_array_of_six_fields(shop: Shop) -> None:
    """Protocol, section 16, rows 2 and 3."""
    answer = shop.root.get("/api/stores?sort_order=asc")
    records = answer.get_json()
    assert [set(record) for record in records] == [SIX, SIX]
    assert records[0]["company_id"] == str(shop.store)
    assert records[0]["timestamp"] == str(NOW)
    assert answer.headers["X-Total-Count"] == "2"


def test_list_in_2_0_has_ten_fields_and_an_echo(shop: Shop) -> None:
    """Protocol, section 16, rows 2 and 3."""
    body = shop.root.get("stores").get_json()
    assert set(body) == {"stores", "params"}
    assert [set(record) for record in body["stores"]] == [TEN, TEN]
    assert body["params"] == {
        "page": 1,
        "items_per_page": 10,
        "total_items": "2",
        "sort_by": "name",
        "sort_order": "desc",
        "sort_order_rev": "asc",
    }


def test_object_has_the_shape_of_the_version(shop: Shop) -> None:
    """Protocol, section 16, row 3: six fields in 1.0, ten in 2.0."""
    assert set(shop.root.get(f"/api/stores/{shop.store}").get_json()) == SIX
    record = shop.root.get(f"stores/{shop.store}").get_json()
    assert set(record) == TEN
    assert record["company_thread_ids"] == f"{shop.store}_0"
    assert record["average_rating"] is None


def test_list_in_1_0_is_paged_only_when_asked(shop: Shop) -> None:
    """Protocol, section 5.3.2."""
    for number in range(10):
        shop.company(f"Store {number}")
    assert len(shop.root.get("/api/stores").get_json()) == 12
    assert len(shop.root.get("/api/stores?page=1").get_json()) == 10
    assert len(shop.root.get("/api/stores?items_per_page=5").get_json()) == 5
    assert len(shop.root.get("stores").get_json()["stores"]) == 10


def test_stores_are_sorted_by_name_downwards(shop: Shop) -> None:
    """Protocol, section 16, row 14."""
    names = [r["company"] for r in shop.root.get("/api/stores").get_json()]
    assert names == ["Hill Shop", "Harbour Shop"]


@pytest.mark.parametrize(
    ("query", "names"),
    [("sort_by=name&sort_order=asc", "abc"), ("sort_by=timestamp", "cab"),
     ("sort_by=timestamp&sort_order=ASC", "bac"), ("sort_by=id", "cba"),
     ("sort_by=status&sort_order=asc", "acb"), ("sort_by=nosuch", "cba")],
)  # fmt: skip
def test_stores_are_sorted_as_asked(shop: Shop, query: str, names: str) -> None:
    stores = {"a": shop.store, "b": shop.other_store, "c": shop.company("Quay")}
    shop.change(Company, {"company_id": stores["c"]}, {"timestamp": NOW + 1})
    shop.change(
        Company, {"company_id": stores["b"]}, {"timestamp": NOW - 1, "status": "H"}
    )
    found = shop.root.get(f"stores?{query}").get_json()["stores"]
    assert [int(r["company_id"]) for r in found] == [stores[name] for name in names]


def test_vendors_are_no_stores(shop: Shop) -> None:
    assert shop.root.get(f"stores/{shop.vendor}").status_code == 404
    assert shop.root.put(f"stores/{shop.vendor}", {"company": "x"}).status_code == 404
    assert shop.root.delete(f"stores/{shop.vendor}").status_code == 404
    assert shop.root.get("stores/0").status_code == 404


@pytest.mark.parametrize(
    "query",
    ["company=hARBOUR+shop", "status=D", "lang_code=pt", "email=Desk@example.com",
     "timestamp=1735689600", "storefront=HTTP://Harbour.example/shop/"],
)  # fmt: skip
def test_stores_are_filtered(shop: Shop, query: str) -> None:
    shop.root.put(
        f"stores/{shop.store}",
        {
            "status": "D",
            "lang_code": "pt",
            "email": "Desk@example.com",
            "timestamp": "1735689600",
            "storefront": "https://harbour.example/shop",
        },
    )
    found = shop.root.get(f"stores?{query}").get_json()["stores"]
    assert [record["company_id"] for record in found] == [str(shop.store)]


def test_full_adds_the_written_fields_to_objects_in_2_0(shop: Shop) -> None:
    id = make(
        shop, company_city="Porto", countries_list=["es", "PT"], entry_page="none"
    )
    record = full(shop, id)
    assert len(record) == 10 + 4 + 16
    assert record["company_city"] == "Porto"
    assert record["countries_list"] == ["ES", "PT"]
    assert (record["redirect_customer"], record["entry_page"]) == ("Y", "none")
    assert set(shop.root.get(f"/api/stores/{id}?full=Y").get_json()) == SIX
    assert set(shop.root.get("stores?full=Y").get_json()["stores"][0]) == TEN


# Creating


def test_post_answers_the_store_id(shop: Shop) -> None:
    answer = shop.root.post("stores", NEW)
    id = answer.get_json()["store_id"]
    assert (answer.status_code, answer.get_json()) == (201, {"store_id": id})
    assert isinstance(id, int)
    assert answer.headers["Location"].endswith(f"/stores/{id}")
    other = shop.root.post("/api/stores", {**NEW, "storefront": "b.example"})
    assert other.get_json() == {"store_id": str(id + 1)}


def test_post_fills_defaults(shop: Shop) -> None:
    record = shop.root.get(f"stores/{make(shop)}").get_json()
    assert record["storefront"] == record["secure_storefront"] == "quay.example"
    assert (record["lang_code"], record["email"], record["status"]) == ("en", "", "A")
    assert int(record["timestamp"]) > NOW


def test_time_of_creation_may_be_sent_and_changed(shop: Shop) -> None:
    id = make(shop, timestamp="1000")
    assert shop.root.get(f"stores/{id}").get_json()["timestamp"] == "1000"
    shop.root.put(f"stores/{id}", {"timestamp": 2000})
    assert shop.root.get(f"stores/{id}").get_json()["timestamp"] == "2000"


def test_emptied_secure_address_is_the_storefront_again(shop: Shop) -> None:
    id = make(shop, secure_storefront="https://safe.example/quay")

    def addresses() -> tuple[str, str]:
        record = shop.root.get(f"stores/{id}").get_json()
        return record["storefront"], record["secure_storefront"]

    assert addresses() == ("quay.example", "safe.example/quay")
    shop.root.put(f"stores/{id}", {"storefront": "pier.example"})
    assert addresses() == ("pier.example", "safe.example/quay")
    shop.root.put(f"stores/{id}", {"secure_storefront": ""})
    assert addresses() == ("pier.example", "pier.example")


def test_sent_company_id_is_ignored(shop: Shop) -> None:
    id = make(shop, company_id=4711)
    assert id != 4711
    assert shop.root.put(f"stores/{id}", {"company_id": 1}).status_code == 200
    assert shop.root.get(f"stores/{id}").get_json()["company_id"] == str(id)


@pytest.mark.parametrize("name", ["company", "storefront"])
@pytest.mark.parametrize("value", [None, "", "  "])
def test_company_and_storefront_are_required(
    shop: Shop, name: str, value: str | None
) -> None:
    left = {key: text for key, text in NEW.items() if key != name}
    for answer in (
        shop.root.post("stores", left),
        shop.root.post("stores", {**left, name: value}),
        shop.root.put(f"stores/{shop.store}", {name: value}),
    ):
        assert answer.status_code == 400
        assert [e["field"] for e in answer.get_json()["errors"]] == [name]


@pytest.mark.parametrize(
    "wrong",
    [{"status": "X"}, {"entry_page": "some"}, {"redirect_customer": "maybe"},
     {"email": "desk"}, {"company_orders_department": "x y"},
     {"countries_list": ["ZZ"]}, {"countries_list": "Portugal"}, {"lang_code": "eng"},
     {"clone_from": "4711"},
     {"clone_from": "0"}, {"clone": "pages"}, {"secure_storefront": "ftp://a.example"}],
)  # fmt: skip
def test_bad_values_are_named(shop: Shop, wrong: dict[str, Any]) -> None:
    answer = shop.root.post("stores", {**NEW, **wrong})
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"].startswith(next(iter(wrong)))
    assert shop.root.get("stores").get_json()["params"]["total_items"] == "2"


def test_any_two_letter_language_is_taken(shop: Shop) -> None:
    id = make(shop, lang_code="ru")
    assert shop.root.get(f"stores/{id}").get_json()["lang_code"] == "ru"


# Storefronts


@pytest.mark.parametrize(
    "sent",
    ["https://Quay.example/", "http://quay.example", "HTTPS://QUAY.EXAMPLE",
     "quay.example/"],
)  # fmt: skip
def test_storefront_is_unique_in_all_its_spellings(shop: Shop, sent: str) -> None:
    """Protocol, section 16, row 12: with and without a scheme."""
    make(shop)
    answer = shop.root.post("stores", {"company": "B", "storefront": sent})
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "storefront"
    answer = shop.root.put(f"stores/{shop.store}", {"storefront": sent})
    assert answer.status_code == 400


def test_storefront_of_a_vendor_is_taken_too(shop: Shop) -> None:
    shop.root.put(f"vendors/{shop.vendor}", {"storefront": "quay.example"})
    assert shop.root.post("stores", NEW).status_code == 400


def test_www_and_paths_make_other_storefronts(shop: Shop) -> None:
    make(shop)
    make(shop, storefront="www.quay.example")
    make(shop, storefront="quay.example/Shop")
    make(shop, storefront="quay.example/shop")
    id = make(shop, storefront="https://quay.example:8443/shop")
    storefront = shop.root.get(f"stores/{id}").get_json()["storefront"]
    assert storefront == "quay.example:8443/shop"


@pytest.mark.parametrize(
    "sent",
    ["a b.example", "ftp://a.example", "u:p@a.example", "a.example?x=1", "a.example/#x",
     "http://", "a.example:0", "a.example:99999", "mailto:a", "//a.example"],
)  # fmt: skip
def test_what_is_no_address_is_refused(shop: Shop, sent: str) -> None:
    assert shop.root.post("stores", {**NEW, "storefront": sent}).status_code == 400


# Changing


def test_put_answers_a_string_and_keeps_the_rest(shop: Shop) -> None:
    before = full(shop, shop.store)
    answer = shop.root.put(f"stores/{shop.store}", {"status": "H"})
    assert (answer.status_code, answer.get_json()) == (
        200,
        {"store_id": str(shop.store)},
    )
    assert full(shop, shop.store) == {**before, "status": "H"}


def test_put_of_countries_replaces_the_list(shop: Shop) -> None:
    id = make(shop, countries_list=["PT", "ES"])
    shop.root.put(f"stores/{id}", {"countries_list": ["fr", "FR"]})
    assert full(shop, id)["countries_list"] == ["FR"]
    shop.root.put(f"stores/{id}", {"company": "B"})
    assert full(shop, id)["countries_list"] == ["FR"]
    shop.root.put(f"stores/{id}", {"countries_list": []})
    assert full(shop, id)["countries_list"] == []


def test_a_country_may_belong_to_several_stores(shop: Shop) -> None:
    make(shop, countries_list=["PT"])
    make(shop, storefront="b.example", countries_list=["PT"])


def test_last_active_store_stays_active(shop: Shop) -> None:
    assert shop.root.put(f"stores/{shop.store}", {"status": "D"}).status_code == 200
    other = f"stores/{shop.other_store}"
    for status in ("D", "H"):
        answer = shop.root.put(other, {"status": status})
        assert answer.status_code == 400
        assert "last active" in answer.get_json()["message"]
    assert shop.root.delete(other).status_code == 400
    assert shop.root.get(other).get_json()["status"] == "A"


def test_any_status_follows_any_other(shop: Shop) -> None:
    for status in ("D", "H", "D", "A", "H", "A"):
        answer = shop.root.put(f"stores/{shop.store}", {"status": status})
        assert answer.status_code == 200


def test_clone_does_nothing_on_put(shop: Shop) -> None:
    shop.make_product()
    body = {"clone_from": shop.store, "clone": {"products": "Y"}}
    assert shop.root.put(f"stores/{shop.other_store}", body).status_code == 200
    found = shop.root.get(f"stores/{shop.other_store}/products").get_json()
    assert found["params"]["total_items"] == "0"


# Removing


def test_last_store_is_not_removed(shop: Shop) -> None:
    assert shop.root.delete(f"stores/{shop.store}").status_code == 204
    answer = shop.root.delete(f"stores/{shop.other_store}")
    assert answer.status_code == 400
    assert "last one" in answer.get_json()["message"]


def test_delete_removes_categories_products_and_people(shop: Shop) -> None:
    below = shop.make_category("Cups", parent=shop.category)
    shop.make_product(category_ids=[shop.category, below])
    kept = shop.make_category("Ropes", company_id=shop.other_store)
    other = shop.make_product(category_ids=[kept], company_id=shop.other_store)
    values = {"user_type": "C", "company_id": shop.store}
    customer = shop.caller(**values).user_id
    assert shop.root.delete(f"stores/{shop.store}").status_code == 204
    rows = shop.everything()
    assert [row[0] for row in rows["products"]] == [other]
    assert [row[0] for row in rows["categories"]] == [kept]
    assert customer not in [row[0] for row in rows["users"]]
    assert shop.store not in [row[0] for row in rows["companies"]]


def test_delete_removes_methods_and_the_words_of_statuses(shop: Shop) -> None:
    image = {"detailed": {"image_path": "https://example.com/card.png"}}
    for company in (shop.store, shop.other_store):
        path = f"stores/{company}"
        shop.root.post(f"{path}/payments", {"payment": "Card", "image": image})
        shop.root.post(f"{path}/shippings", {"shipping": "Van", "icon": image})
        shop.root.put(f"{path}/statuses/1", {"email_subj": "paid"})
    tables = (
        "payments", "payment_texts", "shippings", "shipping_texts", "image_pairs",
        "status_company_texts",
    )  # fmt: skip
    before = shop.everything()
    assert shop.root.delete(f"stores/{shop.store}").status_code == 204
    after = shop.everything()
    assert [2 * len(after[n]) for n in tables] == [len(before[n]) for n in tables]


@pytest.mark.parametrize("what", ["value", "option"])
def test_products_that_lose_something_of_a_store_have_changed(
    shop: Shop, what: str
) -> None:
    shelf = shop.make_category("Shelf", company_id=shop.other_store)
    jar, lid = (
        shop.make_product(name, category_ids=[shelf], company_id=shop.other_store)
        for name in ("Jar", "Lid")
    )
    before = shop.root.get(f"products/{jar}").get_json()
    if what == "value":
        feature = {"description": "Wood", "feature_type": "T", "company_id": shop.store}
        id = shop.root.post("features", feature).get_json()["feature_id"]
        shop.root.put(f"products/{jar}", {"product_features": {str(id): "oak"}})
    else:
        option, variants = make_option(shop, 0)
        shop.root.post(f"products/{jar}/options", {"option_id": option})
        make_combination(shop, jar, {option: variants[0]})
    assert shop.root.get(f"products/{jar}").get_json() != before
    age(shop, jar, lid)
    assert shop.root.delete(f"stores/{shop.store}").status_code == 204
    assert (updated(shop, jar), updated(shop, lid)) == (True, False)
    after = shop.root.get(f"products/{jar}").get_json()
    assert {**after, "updated_timestamp": before["updated_timestamp"]} == before
    assert shop.everything()["combinations"] == []


@pytest.mark.parametrize("kind", ["stores", "vendors"])
def test_what_was_unique_is_free_again(shop: Shop, kind: str) -> None:
    """Pitfalls.md, "deleting a parent leaves ... blocked codes"."""
    company = {"company": "Quay", "email": "q@example.com", "storefront": "q.example"}
    user = {"email": "boss@example.com", "user_login": "boss"}
    user["user_type"] = "A" if kind == "stores" else "V"
    for _ in range(2):
        id = shop.root.post(kind, company).get_json()["store_id"]
        below = f"{kind}/{id}"
        category = {"category": "Cups", "external_id": "17"}
        answers = [
            shop.root.post(f"{below}/categories", category),
            shop.root.post("users", {**user, "company_id": id}),
            shop.root.post(f"{below}/pages", {"page_type": "T", "page": "About"}),
        ]
        assert [answer.status_code for answer in answers] == [201] * 3
        assert shop.root.delete(below).status_code == 204


def test_delete_keeps_the_counts_true(shop: Shop) -> None:
    shared = shop.make_category("Shared", company_id=0)
    for number in range(3):
        shop.make_product(f"Mug {number}", category_ids=[shared])
    shop.make_product(category_ids=[shared], company_id=shop.other_store)
    shop.root.delete(f"stores/{shop.store}")
    body = shop.root.get("products?items_per_page=1").get_json()
    assert body["params"]["total_items"] == "1"
    counts = {row[0]: row for row in shop.everything()["categories"]}
    assert shop.root.get(f"categories/{shared}").get_json()["product_count"] == "1"
    assert list(counts) == [shared]


# Who may


def test_privileges_decide(shop: Shop) -> None:
    nobody, viewer = shop.caller(), shop.caller("view_stores")
    manager = shop.caller("manage_stores")
    path = f"stores/{shop.store}"
    assert nobody.get("stores").status_code == 403
    assert viewer.get("stores").status_code == 200
    for caller in (nobody, viewer):
        assert caller.post("stores", NEW).status_code == 403
        assert caller.put(path, {"company": "x"}).status_code == 403
        assert caller.delete(path).status_code == 403
    assert manager.put(path, {"company": "x"}).status_code == 200
    assert shop.anonymous.get("stores").status_code == 401


def scoped(shop: Shop) -> Caller:
    return shop.caller("view_stores", "manage_stores", company_id=shop.store)


def test_scoped_administrator_sees_the_own_store_only(shop: Shop) -> None:
    caller = scoped(shop)
    found = caller.get("stores").get_json()
    assert [record["company_id"] for record in found["stores"]] == [str(shop.store)]
    assert found["params"]["total_items"] == "1"
    other = caller.get(f"stores?company_id={shop.other_store}").get_json()
    assert other["stores"] == []
    assert caller.get(f"stores/{shop.other_store}").status_code == 404


def test_scoped_administrator_changes_the_own_store_only(shop: Shop) -> None:
    caller = scoped(shop)
    before = shop.everything()
    assert caller.post("stores", NEW).status_code == 403
    assert caller.delete(f"stores/{shop.store}").status_code == 403
    assert caller.put(f"stores/{shop.other_store}", {"company": "x"}).status_code == 404
    assert shop.everything() == before
    assert caller.put(f"stores/{shop.store}", {"company": "x"}).status_code == 200


def test_vendors_do_not_reach_stores(shop: Shop) -> None:
    caller = shop.caller(user_type="V", company_id=shop.vendor)
    assert caller.get("stores").status_code == 403
    assert caller.get(f"stores/{shop.store}").status_code == 403


def test_anonymous_reader_sees_active_stores_without_addresses(
    shop: Shop, make_app: Any
) -> None:
    open_shop = Shop(make_app(api_allow_customer=True))
    open_shop.root.put(f"stores/{open_shop.store}", {"status": "H"})
    answer = open_shop.anonymous.get("stores?email=shop@example.com")
    (record,) = answer.get_json()["stores"]
    assert record["company_id"] == str(open_shop.other_store)
    assert "email" not in record
    path = f"stores/{open_shop.other_store}?full=Y"
    assert "company_orders_department" not in open_shop.anonymous.get(path).get_json()


def test_delete_without_a_store_leaves_administrators_of_others(shop: Shop) -> None:
    shop.root.delete(f"stores/{shop.store}")
    users = [row[0] for row in shop.everything()[User.__tablename__]]
    assert users == [shop.root.user_id]


def test_only_root_removes_a_store_with_administrators(shop: Shop) -> None:
    clerk = shop.caller("view_stores", "manage_stores")
    shop.caller("view_stores", company_id=shop.other_store)
    before = shop.everything()
    assert clerk.delete(f"stores/{shop.other_store}").status_code == 403
    assert shop.everything() == before
    assert shop.root.delete(f"stores/{shop.other_store}").status_code == 204


def test_customers_with_orders_elsewhere_stay(shop: Shop) -> None:
    buyer, other = (shop.caller(user_type="C", company_id=shop.store) for _ in "ab")
    shop.insert(Order, company_id=shop.vendor, status="O", user_id=buyer.user_id)
    assert shop.root.delete(f"stores/{shop.store}").status_code == 204
    assert shop.root.get(f"users/{buyer.user_id}").get_json()["company_id"] == "0"
    assert shop.root.get(f"users/{other.user_id}").status_code == 404
