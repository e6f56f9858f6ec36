"""Products: how they behave (spec/entities/products.md, 5)."""

from typing import Any

import pytest

from storeapi.models import Usergroup
from tests.products import age, check_counts, put, read, refused
from tests.shop import Shop

# 5.1, 5.3, 5.4, 5.5: categories


def test_name_and_categories_are_all_that_is_required(shop: Shop) -> None:
    refused(shop.root.post("products", {"price": "1"}), "product")
    refused(shop.root.post("products", {"product": "Mug"}), "category_ids")
    refused(
        shop.root.post("products", {"product": "Mug", "category_ids": []}),
        "category_ids",
    )
    body = {"product": "Mug", "main_category": shop.category}
    assert shop.root.post("products", body).status_code == 201


@pytest.mark.parametrize("form", ["list", "single", "text", "comma", "doubled"])
def test_categories_are_taken_in_any_form(shop: Shop, form: str) -> None:
    other = shop.make_category("B")
    one, two = shop.category, other
    sent: Any = {
        "list": [two, one],
        "single": one,
        "text": str(one),
        "comma": f"{two},{one}",
        "doubled": [two, one, two],
    }[form]
    found = read(shop, shop.make_product(category_ids=sent))
    expected = [one] if form in ("single", "text") else [two, one]
    assert (found["category_ids"], found["main_category"]) == (expected, expected[0])


def test_a_main_category_is_added_to_the_others(shop: Shop) -> None:
    other = shop.make_category("B")
    id = shop.make_product(category_ids=[shop.category], main_category=other)
    found = read(shop, id)
    assert found["category_ids"] == [other, shop.category]
    assert found["main_category"] == other


def test_a_product_that_lost_its_last_category_stays_disabled(shop: Shop) -> None:
    gone = shop.make_category("B")
    id = shop.make_product(category_ids=[gone])
    assert shop.root.delete(f"categories/{gone}").status_code == 204
    for status in "AH":
        refused(shop.root.put(f"products/{id}", {"status": status}), "category_ids")
        body = {"status": status, "category_ids": []}
        refused(shop.root.put(f"products/{id}", body), "category_ids")
    put(shop, id, **read(shop, id))
    put(shop, id, price="3.00")
    assert read(shop, id)["status"] == "D"
    put(shop, id, status="A", category_ids=[shop.category])
    assert read(shop, id)["status"] == "A"


def test_a_dropped_main_category_is_followed_by_the_first(shop: Shop) -> None:
    b, c = shop.make_category("B"), shop.make_category("C")
    id = shop.make_product(category_ids=[shop.category, b])
    put(shop, id, category_ids=[c, b])
    assert read(shop, id)["main_category"] == c
    put(shop, id, category_ids=[b, c])
    assert read(shop, id)["main_category"] == c
    put(shop, id, main_category=shop.category)
    assert read(shop, id)["category_ids"] == [shop.category, b, c]


@pytest.mark.parametrize("empty", [[], "", None])
def test_an_empty_set_of_categories_is_refused(shop: Shop, empty: Any) -> None:
    id = shop.make_product()
    refused(shop.root.put(f"products/{id}", {"category_ids": empty}), "category_ids")


def test_unknown_categories_are_named(shop: Shop) -> None:
    foreign = shop.make_category("Hill", company_id=shop.other_store)
    body = {"product": "x", "category_ids": [shop.category, 999999, foreign]}
    answer = shop.root.post("products", body)
    refused(answer, "category_ids")
    assert f"999999, {foreign}" in answer.get_json()["errors"][0]["message"]


# 5.2: company


def test_the_default_company_owns_a_product(shop: Shop) -> None:
    assert read(shop, shop.make_product())["company_id"] == str(shop.store)


def test_the_body_names_the_company(shop: Shop) -> None:
    category = shop.make_category("Hill", company_id=shop.other_store)
    id = shop.make_product(company_id=shop.other_store, category_ids=[category])
    assert read(shop, id)["company_id"] == str(shop.other_store)


def test_a_company_administrator_creates_in_the_own_one(shop: Shop) -> None:
    category = shop.make_category("Hill", company_id=shop.other_store)
    admin = shop.caller("view_catalog", "manage_catalog", company_id=shop.other_store)
    body = {"product": "x", "category_ids": [category], "company_id": shop.store}
    id = admin.post("products", body).get_json()["product_id"]
    assert read(shop, id)["company_id"] == str(shop.other_store)
    assert admin.put(f"products/{id}", {"company_id": shop.store}).status_code == 200
    assert read(shop, id)["company_id"] == str(shop.other_store)
    refused(
        admin.post("products", {"product": "x", "category_ids": [shop.category]}),
        "category_ids",
    )


def test_root_decides_what_stores_share(shop: Shop) -> None:
    """2.1: `shared_product` of a company's administrator is read-only."""
    admin = shop.caller("view_catalog", "manage_catalog", company_id=shop.store)
    body = {"product": "x", "category_ids": [shop.category], "shared_product": "Y"}
    id = admin.post("products", body).get_json()["product_id"]
    assert read(shop, id)["shared_product"] == "N"
    assert admin.put(f"products/{id}", {"shared_product": "Y"}).status_code == 200
    assert read(shop, id)["shared_product"] == "N"
    put(shop, id, shared_product="Y")
    body = {"shared_product": "N", "price": "5"}
    assert admin.put(f"products/{id}", body).status_code == 200
    assert (read(shop, id)["shared_product"], read(shop, id)["price"]) == ("Y", "5.00")


@pytest.mark.parametrize("kind", ["stores", "vendors"])
def test_the_path_decides_the_company(shop: Shop, kind: str) -> None:
    company = shop.other_store if kind == "stores" else shop.vendor
    category = shop.make_category("Shared", company_id=0)
    path = f"{kind}/{company}/products"
    body = {"product": "x", "category_ids": [category], "company_id": shop.store}
    id = shop.root.post(path, body).get_json()["product_id"]
    assert read(shop, id)["company_id"] == str(company)
    body = {"price": "2", "company_id": shop.store}
    assert shop.root.put(f"{path}/{id}", body).status_code == 200
    assert read(shop, id)["company_id"] == str(company)
    found = shop.root.get(path).get_json()["products"]
    assert [record["product_id"] for record in found] == [str(id)]
    other = shop.make_product()
    for method in ("GET", "DELETE"):
        assert shop.root.request(method, f"{path}/{other}").status_code == 404
    assert shop.root.delete(f"{path}/{id}").status_code == 204
    check_counts(shop)


def test_a_category_path_gives_the_company_of_the_category(shop: Shop) -> None:
    own = shop.make_category("Hill", company_id=shop.other_store)
    shared = shop.make_category("Shared", company_id=0)
    for category, company in ((own, shop.other_store), (shared, shop.store)):
        path = f"categories/{category}/products"
        id = shop.root.post(path, {"product": "x"}).get_json()["product_id"]
        assert read(shop, id)["company_id"] == str(company)
    body = {"product": "x", "company_id": shop.other_store}
    id = shop.root.post(f"categories/{shared}/products", body).get_json()["product_id"]
    assert read(shop, id)["company_id"] == str(shop.other_store)


def test_a_new_owner_needs_categories_of_its_own(shop: Shop) -> None:
    id = shop.make_product()
    answer = shop.root.put(f"products/{id}", {"company_id": shop.other_store})
    refused(answer, "category_ids")
    category = shop.make_category("Hill", company_id=shop.other_store)
    put(shop, id, company_id=shop.other_store, category_ids=[category])
    assert read(shop, id)["company_id"] == str(shop.other_store)
    check_counts(shop)


# 5.6, 5.7, 5.8: changes


def test_a_put_changes_only_what_it_sends(shop: Shop) -> None:
    id = shop.make_product(
        product_code="M1", short_description="s", tax_ids=[shop.make_tax()],
        prices=[{"lower_limit": 5, "price": "1"}],
        image_pairs=[{"detailed": {"image_path": "https://cdn.example/a.jpg"}}],
    )  # fmt: skip
    before = read(shop, id)
    put(shop, id, price="319.20")
    after = read(shop, id)
    changed = {name for name in before if before[name] != after[name]}
    assert changed - {"updated_timestamp"} == {"price", "base_price"}


def test_a_put_of_unknown_fields_succeeds_and_changes_nothing(shop: Shop) -> None:
    id = shop.make_product()
    age(shop, id)
    before = shop.everything()
    answer = shop.root.put(f"products/{id}", {"name": "x"})
    assert (answer.status_code, answer.get_json()) == (200, {"product_id": id})
    assert answer.headers["X-Ignored-Fields"] == "name"
    assert shop.everything() == before


@pytest.mark.parametrize(
    "change",
    [
        {"price": "5"},
        {"product": "Cup"},
        {"product": "Becher", "lang_code": "de"},
        {"prices": [{"lower_limit": 5, "price": "1"}]},
        {"main_pair": {"detailed": {"image_path": "https://cdn.example/a.jpg"}}},
        {"category_ids": "other"},
    ],
)
def test_every_change_moves_the_time_of_the_last_one(shop: Shop, change: Any) -> None:
    id = shop.make_product()
    age(shop, id)
    if change == {"category_ids": "other"}:
        change = {"category_ids": [shop.make_category("B"), shop.category]}
    put(shop, id, **change)
    assert int(read(shop, id)["updated_timestamp"]) > 1_700_000_000


def test_the_time_of_the_last_change_is_set_by_the_server(shop: Shop) -> None:
    id = shop.make_product(updated_timestamp="5")
    assert int(read(shop, id)["updated_timestamp"]) > 1_700_000_000


# 5.9: languages


def test_texts_are_written_to_every_language_and_changed_in_one(shop: Shop) -> None:
    id = shop.make_product("Mug", full_description="Stone.")
    put(shop, id, product="Becher", lang_code="de")
    german = read(shop, id, "?lang_code=de")
    assert (german["product"], german["full_description"]) == ("Becher", "Stone.")
    assert german["lang_code"] == "de"
    assert read(shop, id)["product"] == "Mug"
    answer = shop.root.put(f"products/{id}?sl=de", {"product": "Krug"})
    assert answer.status_code == 200
    assert read(shop, id, "?sl=de")["product"] == "Krug"


# 5.10: images


def test_the_order_of_the_image_keys_does_not_matter(shop: Shop) -> None:
    urls = ("https://cdn.example/main.jpg", "https://cdn.example/side.jpg")
    main, side = [{"detailed": {"image_path": url}} for url in urls]
    for body in (
        {"main_pair": main, "image_pairs": [side]},
        {"image_pairs": [side], "main_pair": main},
    ):
        found = read(shop, shop.make_product(**body))
        (pair,) = found["image_pairs"].values()
        shown = (found["main_pair"], pair)
        assert tuple(each["detailed"]["image_path"] for each in shown) == urls


def test_pairs_that_are_not_named_stay_and_named_ones_go(shop: Shop) -> None:
    urls = [f"https://cdn.example/{n}.jpg" for n in range(2)]
    id = shop.make_product(
        image_pairs=[{"detailed": {"image_path": url}} for url in urls]
    )
    first, second = read(shop, id)["image_pairs"]
    put(shop, id, image_pairs={first: {"delete": "Y"}})
    assert list(read(shop, id)["image_pairs"]) == [second]
    put(shop, id, image_pairs=None)
    assert list(read(shop, id)["image_pairs"]) == [second]


# 5.11, 5.13 are in test_products.py; 5.11 over two requests:


def test_the_greatest_quantity_is_not_below_the_least(shop: Shop) -> None:
    id = shop.make_product(min_qty=5)
    refused(shop.root.put(f"products/{id}", {"max_qty": 4}), "max_qty")
    put(shop, id, max_qty=5)
    refused(shop.root.put(f"products/{id}", {"min_qty": 6}), "max_qty")
    put(shop, id, max_qty=0, min_qty=6)


# 5.14: slugs


def test_slugs_are_built_and_numbered_per_store(shop: Shop) -> None:
    names = ["Größe Zwei!", "Größe Zwei", "Größe Zwei"]
    found = [read(shop, shop.make_product(name))["seo_name"] for name in names]
    assert found == ["grosse-zwei", "grosse-zwei-2", "grosse-zwei-3"]
    category = shop.make_category("Hill", company_id=shop.other_store)
    id = shop.make_product(
        names[0], company_id=shop.other_store, category_ids=[category]
    )
    assert read(shop, id)["seo_name"] == "grosse-zwei"


def test_a_slug_that_is_taken_is_refused(shop: Shop) -> None:
    shop.make_product("Mug", seo_name="own")
    id = shop.make_product("Cup")
    refused(shop.root.put(f"products/{id}", {"seo_name": "own"}), "seo_name")
    body = {"product": "x", "category_ids": [shop.category], "seo_name": "own"}
    refused(shop.root.post("products", body), "seo_name")


@pytest.mark.parametrize("empty", ["", None])
def test_an_emptied_slug_is_built_anew(shop: Shop, empty: Any) -> None:
    id = shop.make_product("Mug", seo_name="own")
    put(shop, id, seo_name=empty)
    assert read(shop, id)["seo_name"] == "mug"
    put(shop, id, seo_name=empty, product="Cup")
    assert read(shop, id)["seo_name"] == "cup"


# 5.15: below a category


def test_a_product_below_a_category_belongs_to_it(shop: Shop) -> None:
    id, other = shop.make_product(), shop.make_category("B")
    before = shop.everything()
    for method, body in (("GET", None), ("PUT", {"price": "9"}), ("DELETE", None)):
        path = f"categories/{other}/products/{id}"
        assert shop.root.request(method, path, json=body).status_code == 404
    assert shop.everything() == before


def test_the_category_of_the_path_stays_among_them(shop: Shop) -> None:
    id, other = shop.make_product(), shop.make_category("B")
    path = f"categories/{shop.category}/products/{id}"
    assert shop.root.put(path, {"category_ids": [other]}).status_code == 200
    assert set(read(shop, id)["category_ids"]) == {other, shop.category}


# 5.16: deleting


def test_deleting_takes_all_that_belongs_to_the_product(shop: Shop) -> None:
    before = shop.everything()
    pair = {"detailed": {"image_path": "https://cdn.example/a.jpg"}}
    id = shop.make_product(
        prices=[{"lower_limit": 5, "price": "1"}], main_pair=pair, image_pairs=[pair]
    )
    assert shop.root.delete(f"products/{id}").status_code == 204
    after = shop.everything()
    after["object_counts"] = before["object_counts"]
    assert after == before
    check_counts(shop)


# 5.17: lists of IDs


@pytest.mark.parametrize("form", ["comma", "list", "object", "single"])
def test_tax_ids_are_taken_in_any_form(shop: Shop, form: str) -> None:
    tax = shop.make_tax()
    sent: Any = {
        "comma": str(tax),
        "list": [tax],
        "object": {"tax_id": str(tax)},
        "single": tax,
    }[form]
    assert read(shop, shop.make_product(tax_ids=sent))["tax_ids"] == [str(tax)]


def test_unknown_taxes_are_named(shop: Shop) -> None:
    id = shop.make_product()
    answer = shop.root.put(f"products/{id}", {"tax_ids": [999999]})
    refused(answer, "tax_ids")
    assert "999999" in answer.get_json()["errors"][0]["message"]


# 2.1: user groups


def test_customers_see_what_is_for_their_groups(make_app: Any) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    club, closed = shop.group(type="C"), shop.group(type="C", status="D")
    alike = shop.insert(
        Usergroup, usergroup_id=int(f"1{club}"), type="C", status="A", text="Other"
    )
    other = f"0,{shop.group(type='C')}"
    lists = ("0", "1", "2", f"{club}", f"{closed}", f"{alike}", f"2,{club}", other)
    ids = {each: shop.make_product(usergroup_ids=each) for each in lists}
    feature = shop.root.post("features", {"description": "T", "feature_type": "T"})
    member = shop.caller(user_type="C")
    for group in (club, closed):
        shop.join(member.user_id, group)
    option = {"option_name": "Size", "product_id": ids[f"{club}"]}
    option_id = shop.root.post("options", option).get_json()["option_id"]
    for caller, seen, single in (
        (shop.root, lists, 200),
        (shop.anonymous, ("0", "1", other), 404),
        (shop.caller(user_type="C"), ("0", "2", f"2,{club}", other), 404),
        (member, ("0", "2", f"{club}", f"2,{club}", other), 200),
    ):
        answer = caller.get("products?sort_by=product_id")
        found = [each["usergroup_ids"] for each in answer.get_json()["products"]]
        assert found == [*seen]
        assert answer.headers["X-Total-Count"] == str(len(seen))
        for each in lists:
            status = 200 if each in seen else 404
            features = caller.get(f"features?product_id={ids[each]}")
            assert caller.get(f"products/{ids[each]}").status_code == status
            assert caller.get(f"options?product_id={ids[each]}").status_code == status
            assert len(features.get_json()["features"]) == (1 if each in seen else 0)
        assert caller.get(f"options/{option_id}").status_code == single
    assert feature.status_code == 201


def test_posts_about_what_is_for_a_group_are_for_it_too(make_app: Any) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    club, member = shop.group(type="C"), shop.caller(user_type="C")
    shop.join(member.user_id, club)
    id = shop.make_product(usergroup_ids=f"{club}", discussion_type="C")
    post = {"object_type": "P", "object_id": id, "name": "x", "message": "m"}
    assert shop.root.post("discussions", {**post, "status": "A"}).status_code == 201
    for caller, total in ((shop.anonymous, "0"), (member, "1")):
        assert caller.get("discussions").headers["X-Total-Count"] == total


# 5.18: scope


def test_a_company_administrator_sees_own_products_only(shop: Shop) -> None:
    foreign = shop.make_product()
    category = shop.make_category("Hill", company_id=shop.other_store)
    own = shop.make_product(company_id=shop.other_store, category_ids=[category])
    admin = shop.caller("view_catalog", "manage_catalog", company_id=shop.other_store)
    body = admin.get("products").get_json()
    assert [record["product_id"] for record in body["products"]] == [str(own)]
    assert body["params"]["total_items"] == "1"
    before = shop.everything()
    for method, payload in (("GET", None), ("PUT", {"price": "9"}), ("DELETE", None)):
        answer = admin.request(method, f"products/{foreign}", json=payload)
        assert answer.status_code == 404
    found = admin.get(f"products?company_id={shop.store}")
    assert (found.status_code, found.get_json()["products"]) == (200, [])
    assert shop.everything() == before
