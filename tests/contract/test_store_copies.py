"""Copies of a store's data into a new store (`clone`, `clone_from`)."""

from typing import Any
from zlib import crc32

import pytest

from storeapi.models.catalog import (
    Combination,
    CombinationVariant,
    ExceptionVariant,
    Feature,
    FeatureCategory,
    FeatureText,
    FeatureVariant,
    FeatureVariantText,
    Option,
    OptionException,
    OptionText,
    OptionVariant,
    OptionVariantText,
    Product,
    ProductFeatureText,
    ProductFeatureValue,
    ProductOption,
    VariationGroup,
    VariationGroupFeature,
)
from storeapi.models.media import Image, ImagePair
from storeapi.rules import cloning
from tests.shop import NOW, Shop

NEW = {"company": "Quay Shop", "storefront": "quay.example"}
Row = dict[str, Any]


def copied(shop: Shop, *attributes: str, **payload: Any) -> int:
    clone = dict.fromkeys(attributes, "Y")
    body = {**NEW, "clone_from": str(shop.store), "clone": clone, **payload}
    answer = shop.root.post("stores", body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["store_id"])


def rows(shop: Shop, model: type[Any], **where: Any) -> list[Row]:
    """The rows of a table with some values, in the order of their keys."""
    table = model.__table__
    query = table.select().order_by(*table.primary_key.columns)
    for name, value in where.items():
        query = query.where(table.c[name] == value)
    found = shop.database.write(lambda db: db.execute(query).mappings().all())
    return [dict(row) for row in found]


def total(shop: Shop, path: str) -> str:
    return str(shop.root.get(path).get_json()["params"]["total_items"])


# Which attributes are copied


@pytest.mark.parametrize(
    "payload",
    [{"clone_from": "{store}"}, {"clone": {"products": "Y", "categories": "Y"}},
     {"clone_from": "{store}", "clone": {"products": "N", "categories": "yes"}},
     {"clone_from": "{store}", "clone": {"things": "Y"}},
     {"clone_from": "{store}", "clone": []}, {"clone_from": None, "clone": None}],
)  # fmt: skip
def test_nothing_is_copied_without_both(shop: Shop, payload: Row) -> None:
    shop.make_product()
    if payload.get("clone_from"):
        payload = {**payload, "clone_from": shop.store}
    id = shop.root.post("stores", {**NEW, **payload}).get_json()["store_id"]
    assert total(shop, f"stores/{id}/products") == "0"
    assert total(shop, f"stores/{id}/categories") == "0"


def test_pairs_name_what_is_copied_too(shop: Shop) -> None:
    """Protocol.md, section 7: brackets build maps in 2.0."""
    shop.make_product()
    shop.make_category("Cups")
    pairs = f"company=Quay&storefront=quay.example&clone_from={shop.store}"
    answer = shop.root.request(
        "POST", "stores", content_type="text/plain",
        data=f"{pairs}&clone[categories]=Y&clone[products]=N",
    )  # fmt: skip
    id = answer.get_json()["store_id"]
    found = [total(shop, f"stores/{id}/{name}") for name in ("categories", "products")]
    assert found == ["2", "0"]


@pytest.mark.parametrize(
    "name",
    ["layouts", "settings", "profile_fields", "pages", "promotions", "shippings",
     "payments", "product_filters", "product_features", "sitemap",
     "static_data_clone", "products", "categories"],
)  # fmt: skip
def test_every_attribute_is_accepted(shop: Shop, name: str) -> None:
    assert copied(shop, name) > shop.vendor


def test_vendor_is_no_store_to_copy(shop: Shop) -> None:
    body = {**NEW, "clone_from": shop.vendor, "clone": {"products": "Y"}}
    answer = shop.root.post("stores", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "clone_from"


def test_failing_copy_leaves_no_store(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.make_product()
    before = shop.everything()

    def fail(_copy: Any) -> None:
        raise RuntimeError("the copy failed")

    steps = (*cloning.STEPS, ("products", fail))
    monkeypatch.setattr(cloning, "STEPS", steps)
    body = {**NEW, "clone_from": shop.store, "clone": {"products": "Y"}}
    assert shop.root.post("stores", body).status_code == 500
    assert shop.everything() == before


def test_settings_copies_company_data_not_sent(shop: Shop) -> None:
    data = {"company_city": "Porto", "company_phone": "1", "entry_page": "none"}
    shop.root.put(f"stores/{shop.store}", data)
    id = copied(shop, "settings", company_phone="2", company_fax="")
    record = shop.root.get(f"stores/{id}?full=Y").get_json()
    assert (record["company_city"], record["company_phone"]) == ("Porto", "2")
    assert (record["company"], record["entry_page"]) == ("Quay Shop", "index")


# Categories


def test_categories_are_copied_as_a_tree(shop: Shop) -> None:
    cups = shop.make_category("Cups", parent=shop.category)
    shop.make_category("Tea cups", parent=cups)
    id = copied(shop, "categories")
    found = shop.root.get(f"stores/{id}/categories?sort_by=category_id").get_json()
    mugs, cups, tea = found["categories"]
    assert [r["category"] for r in (mugs, cups, tea)] == ["Mugs", "Cups", "Tea cups"]
    assert [r["parent_id"] for r in (mugs, cups, tea)] == [
        "0",
        mugs["category_id"],
        cups["category_id"],
    ]
    ids = [record["category_id"] for record in (mugs, cups, tea)]
    assert tea["id_path"] == "/".join(ids)
    assert [record["product_count"] for record in found["categories"]] == ["0"] * 3
    assert int(mugs["category_id"]) != shop.category


def test_copied_categories_have_texts_in_every_language(shop: Shop) -> None:
    id = copied(shop, "categories")
    found = shop.root.get(f"stores/{id}/categories?sl=de").get_json()["categories"]
    assert [record["category"] for record in found] == ["Mugs"]
    own = shop.root.get(f"stores/{shop.store}/categories").get_json()["categories"]
    assert [record["category_id"] for record in own] == [str(shop.category)]


def test_category_below_a_shared_root_stays_below_it(shop: Shop) -> None:
    root = shop.make_category("All", company_id=0)
    shop.make_category("Cups", parent=root)
    id = copied(shop, "categories")
    found = shop.root.get(f"stores/{id}/categories?parent_id={root}").get_json()
    (record,) = found["categories"]
    assert record["id_path"] == f"{root}/{record['category_id']}"


# Products


def test_products_are_mapped_to_copied_categories(shop: Shop) -> None:
    shop.make_product(price="10.55", seo_name="mug")
    id = copied(shop, "products", "categories")
    (category,) = shop.root.get(f"stores/{id}/categories").get_json()["categories"]
    (product,) = shop.root.get(f"stores/{id}/products").get_json()["products"]
    assert product["category_ids"] == [int(category["category_id"])]
    assert product["main_category"] == int(category["category_id"])
    assert (product["price"], product["seo_name"]) == ("10.55", "mug")
    assert category["product_count"] == "1"
    record = shop.root.get(f"categories/{shop.category}").get_json()
    assert record["product_count"] == "1"


def test_products_stay_in_their_categories_otherwise(shop: Shop) -> None:
    shop.make_product()
    id = copied(shop, "products")
    (product,) = shop.root.get(f"stores/{id}/products").get_json()["products"]
    assert product["category_ids"] == [shop.category]
    record = shop.root.get(f"categories/{shop.category}").get_json()
    assert record["product_count"] == "2"


def test_copied_products_have_prices_texts_and_are_found(shop: Shop) -> None:
    prices = [{"lower_limit": 10, "usergroup_id": 0, "price": "9.00"}]
    shop.make_product("Blue mug", prices=prices, full_description="Glazed")
    id = copied(shop, "products")
    (product,) = shop.root.get(f"stores/{id}/products?q=glazed").get_json()["products"]
    record = shop.root.get(f"products/{product['product_id']}?sl=de").get_json()
    assert record["product"] == "Blue mug"
    assert record["prices"] == [
        {
            "lower_limit": "10",
            "usergroup_id": "0",
            "price": "9.00",
            "percentage_discount": "0",
        }
    ]


def test_copies_are_counted(shop: Shop) -> None:
    for number in range(3):
        shop.make_product(f"Mug {number}", status="H" if number else "A")
    id = copied(shop, "products")
    assert total(shop, f"stores/{id}/products?items_per_page=1") == "3"
    assert total(shop, f"stores/{id}/products?status=H&items_per_page=1") == "2"
    assert total(shop, "products?items_per_page=1") == "6"


def test_sales_stay_with_the_original(shop: Shop) -> None:
    id = shop.make_product()
    sold = {"sales_amount": 7}
    table = Product.__table__
    shop.database.write(lambda db: db.update(table, {"product_id": id}, sold))
    store = copied(shop, "products")
    (product,) = rows(shop, Product, company_id=store)
    assert product["sales_amount"] == 0


def test_images_are_shared_by_the_copies(shop: Shop) -> None:
    id = shop.make_product()
    image = shop.insert(Image, path=None, source_url="https://cdn.example/a.png")
    for kind, owner in (("product", id), ("category", shop.category)):
        shop.insert(
            ImagePair, object_type=kind, object_id=owner, kind="M", detailed_id=image
        )
    store = copied(shop, "products", "categories")
    (product,) = rows(shop, Product, company_id=store)
    pairs = rows(shop, ImagePair, object_id=product["product_id"])
    assert [pair["detailed_id"] for pair in pairs] == [image]
    assert len(rows(shop, ImagePair, object_type="category")) == 2


def many(shop: Shop, number: int) -> None:
    for n in range(number):
        shop.make_product(f"Mug {n}")


def test_copying_takes_no_statement_per_product(shop: Shop) -> None:
    def statements() -> int:
        seen: list[str] = []
        shop.database.observer = seen.append
        body = {**NEW, "clone_from": shop.store, "storefront": f"{len(taken)}.example"}
        body["clone"] = {"products": "Y", "categories": "Y"}
        taken.append(shop.root.post("stores", body).get_json()["store_id"])
        shop.database.observer = None
        return len(seen)

    taken: list[int] = []
    many(shop, 2)
    few = statements()
    many(shop, 10)
    assert statements() == few
    assert total(shop, f"stores/{taken[1]}/products") == "12"


# Features


def feature(shop: Shop, company_id: int, parent: int | None = None, **v: Any) -> int:
    values = {"feature_type": "S", "parent_id": parent, **v}
    id = shop.insert(Feature, company_id=company_id, **values)
    for code in ("en", "de"):
        shop.insert(FeatureText, feature_id=id, lang_code=code, description="Colour")
    return id


def variant(shop: Shop, feature_id: int) -> int:
    id = shop.insert(FeatureVariant, feature_id=feature_id, value_int=None, color=None)
    for code in ("en", "de"):
        row = {"variant_id": id, "lang_code": code, "variant": "Blue"}
        shop.insert(FeatureVariantText, **row)
    return id


def test_features_are_copied_with_groups_and_variants(shop: Shop) -> None:
    lone = feature(shop, shop.store)
    group = feature(shop, shop.store, feature_type="G")
    grouped = feature(shop, shop.store, parent=group)
    shop.insert(FeatureCategory, feature_id=grouped, category_id=shop.category)
    variant(shop, lone)
    shared = feature(shop, 0)
    id = copied(shop, "product_features", "categories")
    first, second, third = rows(shop, Feature, company_id=id)
    assert (first["parent_id"], second["parent_id"]) == (None, None)
    assert third["parent_id"] == second["feature_id"]
    (new,) = rows(shop, FeatureVariant, feature_id=first["feature_id"])
    assert len(rows(shop, FeatureVariantText, variant_id=new["variant_id"])) == 2
    assert len(rows(shop, FeatureText, feature_id=third["feature_id"])) == 2
    (link,) = rows(shop, FeatureCategory, feature_id=third["feature_id"])
    assert link["category_id"] > shop.category
    assert [row["feature_id"] for row in rows(shop, Feature, company_id=0)] == [shared]


def valued(shop: Shop) -> tuple[int, int, int]:
    """A product with a value of a feature, and a text of another one."""
    product, colour, note = (
        shop.make_product(),
        feature(shop, shop.store),
        feature(shop, 0, feature_type="T"),
    )
    blue = variant(shop, colour)
    row = {"product_id": product, "feature_id": colour, "slot": blue}
    shop.insert(ProductFeatureValue, variant_id=blue, value_int=None, **row)
    for code in ("en", "de"):
        row = {"product_id": product, "feature_id": note, "lang_code": code}
        shop.insert(ProductFeatureText, value="Old", **row)
    return product, colour, blue


def test_feature_values_name_copied_variants(shop: Shop) -> None:
    _, colour, _ = valued(shop)
    id = copied(shop, "product_features", "products")
    (product,) = rows(shop, Product, company_id=id)
    (new,) = rows(shop, Feature, company_id=id)
    (value,) = rows(shop, ProductFeatureValue, product_id=product["product_id"])
    (blue,) = rows(shop, FeatureVariant, feature_id=new["feature_id"])
    assert value["feature_id"] == new["feature_id"] != colour
    assert value["variant_id"] == value["slot"] == blue["variant_id"]
    texts = rows(shop, ProductFeatureText, product_id=product["product_id"])
    assert [text["value"] for text in texts] == ["Old", "Old"]


def test_feature_values_stay_without_copied_features(shop: Shop) -> None:
    _, colour, blue = valued(shop)
    id = copied(shop, "products")
    (product,) = rows(shop, Product, company_id=id)
    (value,) = rows(shop, ProductFeatureValue, product_id=product["product_id"])
    assert (value["feature_id"], value["variant_id"], value["slot"]) == (
        colour,
        blue,
        blue,
    )


# Options, combinations, exceptions


def option(shop: Shop, product_id: int | None, owner: int) -> tuple[int, int]:
    id = shop.insert(Option, product_id=product_id, company_id=owner)
    value = shop.insert(OptionVariant, option_id=id, modifier=500)
    for code in ("en", "de"):
        shop.insert(OptionText, option_id=id, lang_code=code, option_name="Size")
        row = {"variant_id": value, "lang_code": code, "variant_name": "Big"}
        shop.insert(OptionVariantText, **row)
    return id, value


def chosen(shop: Shop, owner: int = 0) -> int:
    """A product with a global and an own option, a combination and an exception."""
    product = shop.make_product()
    common, own = option(shop, None, owner), option(shop, product, shop.store)
    shop.insert(ProductOption, product_id=product, option_id=common[0])
    choice = f"{common[0]}_{common[1]}:{own[0]}_{own[1]}"
    row = {"combination_hash": 3190457718, "product_id": product}
    shop.insert(Combination, choice=choice, amount=4, **row)
    forbidden = shop.insert(
        OptionException, product_id=product, choice=f"{common[0]}_-1:{own[0]}_{own[1]}"
    )
    for (id, value), barred in ((common, None), (own, own[1])):
        row = {"combination_hash": 3190457718, "option_id": id, "variant_id": value}
        shop.insert(CombinationVariant, **row)
        shop.insert(
            ExceptionVariant, exception_id=forbidden, option_id=id, variant_id=barred
        )
    return common[0]


def copy_of_own_option(shop: Shop, store: int) -> tuple[int, int, int]:
    """The numbers of the copied product, its own option and that one's variant."""
    (product,) = rows(shop, Product, company_id=store)
    (new,) = rows(shop, Option, product_id=product["product_id"])
    (value,) = rows(shop, OptionVariant, option_id=new["option_id"])
    return product["product_id"], new["option_id"], value["variant_id"]


def test_own_options_are_copied_and_options_for_all_linked(shop: Shop) -> None:
    common = chosen(shop)
    store = copied(shop, "products")
    product, own, value = copy_of_own_option(shop, store)
    assert rows(shop, Option, option_id=own)[0]["company_id"] == store
    assert rows(shop, OptionVariant, variant_id=value)[0]["modifier"] == 500
    assert len(rows(shop, OptionText, option_id=own)) == 2
    assert len(rows(shop, OptionVariantText, variant_id=value)) == 2
    (link,) = rows(shop, ProductOption, product_id=product)
    assert link["option_id"] == common


def test_global_options_of_the_store_are_copied_once(shop: Shop) -> None:
    """What the products of the copy are linked to belongs to the copy."""
    common, unused = chosen(shop, shop.store), option(shop, None, shop.store)[0]
    other = shop.make_product("Jug")
    shop.insert(ProductOption, product_id=other, option_id=common)
    store = copied(shop, "products")
    first, second = (p["product_id"] for p in rows(shop, Product, company_id=store))
    (new,) = rows(shop, Option, product_id=None, company_id=store)
    assert new["option_id"] not in (common, unused)
    links = [rows(shop, ProductOption, product_id=id) for id in (first, second)]
    assert [[link["option_id"] for link in each] for each in links] == [
        [new["option_id"]],
        [new["option_id"]],
    ]
    (value,) = rows(shop, OptionVariant, option_id=new["option_id"])
    assert len(rows(shop, OptionText, option_id=new["option_id"])) == 2
    (combination,) = rows(shop, Combination, product_id=first)
    (forbidden,) = rows(shop, OptionException, product_id=first)
    pair = f"{new['option_id']}_{value['variant_id']}"
    assert combination["choice"].startswith(f"{pair}:")
    assert forbidden["choice"].startswith(f"{new['option_id']}_-1:")
    assert rows(shop, Option, option_id=common)[0]["company_id"] == shop.store


def test_combinations_are_copied_under_new_hashes(shop: Shop) -> None:
    common = chosen(shop)
    product, own, value = copy_of_own_option(shop, copied(shop, "products"))
    (combination,) = rows(shop, Combination, product_id=product)
    start, _, end = combination["choice"].partition(":")
    assert start.startswith(f"{common}_")
    assert (end, combination["amount"]) == (f"{own}_{value}", 4)
    number = crc32(f"{product}:{start}:{end}".encode())
    assert combination["combination_hash"] == number
    parts = rows(shop, CombinationVariant, combination_hash=number)
    assert [part["option_id"] for part in parts] == [common, own]


def test_exceptions_are_copied(shop: Shop) -> None:
    common = chosen(shop)
    product, own, value = copy_of_own_option(shop, copied(shop, "products"))
    (forbidden,) = rows(shop, OptionException, product_id=product)
    assert forbidden["choice"] == f"{common}_-1:{own}_{value}"
    parts = rows(shop, ExceptionVariant, exception_id=forbidden["exception_id"])
    assert [part["variant_id"] for part in parts] == [None, value]


# Variations


def test_variation_groups_are_copied(shop: Shop) -> None:
    child, parent = shop.make_product("Small"), shop.make_product("Big")
    colour = feature(shop, shop.store)
    blue = variant(shop, colour)
    group = shop.insert(
        VariationGroup, company_id=shop.store, code="MUGS", created_at=NOW
    )
    row = {"group_id": group, "feature_id": colour, "purpose": "group_catalog_item"}
    shop.insert(VariationGroupFeature, **row)
    key = f"{colour}:{blue}"
    table = Product.__table__
    for id, values in (
        (parent, {"variation_key": "999:999"}),
        (
            child,
            {
                "variation_key": key,
                "parent_product_id": parent,
                "variation_sub_group_id": f"{group}_{key}",
            },
        ),
    ):
        member = {"variation_group_id": group, **values}
        shop.database.write(lambda db, i=id, v=member: db.update(
            table, {"product_id": i}, v
        ))  # fmt: skip
    store = copied(shop, "products", "product_features")
    (new_group,) = rows(shop, VariationGroup, company_id=store)
    assert new_group["code"] != "MUGS"
    found = {row["seo_name"]: row for row in rows(shop, Product, company_id=store)}
    small, big = found["small"], found["big"]
    assert small["parent_product_id"] == big["product_id"]
    assert small["variation_group_id"] == new_group["id"]
    (new,) = rows(shop, Feature, company_id=store)
    (new_blue,) = rows(shop, FeatureVariant, feature_id=new["feature_id"])
    key = f"{new['feature_id']}:{new_blue['variant_id']}"
    assert small["variation_key"] == key
    assert small["variation_sub_group_id"] == f"{new_group['id']}_{key}"
    (based,) = rows(shop, VariationGroupFeature, group_id=new_group["id"])
    assert based["feature_id"] == new["feature_id"]


def test_copy_and_original_are_removed_apart(shop: Shop) -> None:
    chosen(shop)
    valued(shop)
    before = total(shop, f"stores/{shop.store}/products")
    store = copied(
        shop, "products", "categories", "product_features", storefront="c.example"
    )
    assert shop.root.delete(f"stores/{store}").status_code == 204
    assert total(shop, f"stores/{shop.store}/products") == before
    assert rows(shop, Feature, company_id=store) == []
    assert shop.root.delete(f"stores/{shop.store}").status_code == 204
    assert total(shop, f"stores/{shop.other_store}/products") == "0"


def test_payment_and_shipping_methods_are_copied(shop: Shop) -> None:
    root, tax = shop.root, shop.make_tax()
    payment = {
        "payment": "Card", "processor_params": {"key": "s3cret"}, "tax_ids": [tax],
        "image": {"detailed": {"image_path": "https://example.com/card.png"}},
    }  # fmt: skip
    root.post("payments", payment)
    root.post("payments", {"payment": "Shared", "company_id": 0})
    rates = {"rate_value": {"C": {"0": 9}}}
    body = {"shipping": "Van", "rates": rates, "service_params": {"account": "a"}}
    old = root.post("shippings", body).get_json()["shipping_id"]
    root.put(f"shippings/{old}", {"shipping": "Wagen", "lang_code": "de"})
    told: list[Any] = []
    shop.database.subscribers.append(lambda db, changes: told.extend(changes))
    id = copied(shop, "payments", "shippings")
    shop.database.subscribers.pop()
    assert "s3cret" not in repr(told)
    (listed,) = root.get(f"stores/{id}/payments").get_json()["payments"]
    found = root.get(f"payments/{listed['payment_id']}").get_json()
    assert found["company_id"] == str(id)
    assert found["processor_params"] == {"key": "s3cret"}
    assert found["tax_ids"] == [str(tax)]
    assert found["image"]["detailed"]["image_path"] == "https://example.com/card.png"
    (listed,) = root.get(f"stores/{id}/shippings").get_json()["shippings"]
    new = listed["shipping_id"]
    assert root.get(f"shippings/{new}?lang_code=de").get_json()["shipping"] == "Wagen"
    pair = [root.get(f"shippings/{each}").get_json()["rates"] for each in (old, new)]
    before, after = (each[0] for each in pair)
    assert before.pop("rate_id") != after.pop("rate_id")
    assert before == after
