"""What is shown in a product's record and kept elsewhere moves its time of change."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from tests.products import age, put, read
from tests.shop import Shop
from tests.variations import Mugs

AGED = "1000"


def branded(shop: Shop) -> tuple[int, int]:
    """A product with a brand out of two, and the brand's feature, in a group."""
    group = shop.root.make("features", description="Group", feature_type="G")
    variants = [{"variant": "Nordtopf"}, {"variant": "Suedtopf"}]
    brand = shop.root.make(
        "features",
        description="Brand",
        feature_type="S",
        parent_id=group,
        variants=variants,
    )
    chosen = min(shop.root.get(f"features/{brand}").get_json()["variants"])
    values = {"product_features": {str(brand): chosen}}
    categories = [shop.category]
    id = shop.root.make("products", product="Mug", category_ids=categories, **values)
    return id, brand


def variants(shop: Shop, brand: int, **change: Any) -> dict[str, Any]:
    """All variants of a brand, the first one with a change."""
    found = sorted(shop.root.get(f"features/{brand}").get_json()["variants"])
    return {"variants": [{"variant_id": found[0], **change}, {"variant_id": found[1]}]}


FEATURE: dict[str, Callable[[Shop, int], dict[str, Any]]] = {
    "name": lambda shop, id: {"description": "Maker"},
    "internal name": lambda shop, id: {"internal_name": "Maker"},
    "code": lambda shop, id: {"feature_code": "M"},
    "prefix": lambda shop, id: {"prefix": "by"},
    "suffix": lambda shop, id: {"suffix": "Ltd"},
    "type": lambda shop, id: {"feature_type": "M"},
    "purpose": lambda shop, id: {"purpose": "organize_catalog"},
    "group": lambda shop, id: {"parent_id": 0},
    "place": lambda shop, id: {"display_on_header": "Y"},
    "variant": lambda shop, id: variants(shop, id, variant="Westtopf"),
    "picture": lambda shop, id: variants(
        shop, id, image_pair={"detailed": {"image_path": "https://cdn.example/a.png"}}
    ),
}


@pytest.mark.parametrize("change", FEATURE)
def test_a_feature_changes_for_those_with_a_value(shop: Shop, change: str) -> None:
    id, brand = branded(shop)
    other = shop.make_product("Without a brand")
    before = read(shop, id)["product_features"]
    for each in (id, other):
        age(shop, each)
    answer = shop.root.put(f"features/{brand}", FEATURE[change](shop, brand))
    assert answer.status_code == 200, answer.get_data(as_text=True)
    after = read(shop, id)
    assert after["product_features"] != before
    assert after["updated_timestamp"] != AGED
    assert read(shop, other)["updated_timestamp"] == AGED


def test_a_group_of_features_is_deleted(shop: Shop) -> None:
    id, brand = branded(shop)
    group = shop.root.get(f"features/{brand}").get_json()["parent_id"]
    age(shop, id)
    assert shop.root.delete(f"features/{group}").status_code == 204
    found = read(shop, id)
    assert found["product_features"][str(brand)]["parent_id"] == "0"
    assert found["updated_timestamp"] != AGED


def test_what_no_product_shows_of_a_feature_touches_none(shop: Shop) -> None:
    id, brand = branded(shop)
    age(shop, id)
    for body in ({"position": 7}, {"comparison": "Y"}):
        assert shop.root.put(f"features/{brand}", body).status_code == 200
    same = shop.root.get(f"features/{brand}").get_json()
    assert shop.root.put(f"features/{brand}", same).status_code == 200
    assert read(shop, id)["updated_timestamp"] == AGED


def test_visitors_lose_and_get_the_values_of_a_feature(
    make_app: Callable[..., Flask],
) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    id, brand = branded(shop)
    for status, shown in (("H", False), ("A", True), ("D", False)):
        age(shop, id)
        answer = shop.root.put(f"features/{brand}", {"status": status})
        assert answer.status_code == 200
        found = shop.anonymous.get(f"products/{id}").get_json()
        assert (str(brand) in found["product_features"]) is shown
        assert found["updated_timestamp"] != AGED


def test_a_category_takes_the_values_of_its_features_from_visitors(
    make_app: Callable[..., Flask],
) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    top = shop.make_category("Top")
    last = shop.root.make("categories", category="Last", parent_id=top)
    feature = shop.root.make(
        "features", description="Care", feature_type="T", categories_path=f"{last}"
    )
    values = {"product_features": {str(feature): "Dry"}}
    id = shop.make_product("Mug", category_ids=[last], **values)
    put(shop, id, category_ids=[shop.category])
    age(shop, id)
    assert shop.root.delete(f"categories/{top}").status_code == 204
    found = shop.anonymous.get(f"products/{id}").get_json()
    assert found["product_features"] == []
    assert found["updated_timestamp"] != AGED


def test_categories_move_with_the_paths_of_their_products(shop: Shop) -> None:
    top = shop.make_category("Top")
    middle = shop.root.make("categories", category="Middle", parent_id=shop.category)
    below = shop.root.make("categories", category="Below", parent_id=middle)
    id = shop.make_product("Mug", category_ids=[below])
    other = shop.make_product("Jug", category_ids=[shop.category, below])
    for each in (id, other):
        age(shop, each)
    assert shop.root.put(f"categories/{middle}", {"parent_id": top}).status_code == 200
    found = read(shop, id)
    assert found["seo_path"] == f"{top}/{middle}/{below}"
    assert found["updated_timestamp"] != AGED
    assert read(shop, other)["updated_timestamp"] == AGED
    renamed = {"category": "Beneath", "status": "H"}
    age(shop, id)
    assert shop.root.put(f"categories/{below}", renamed).status_code == 200
    assert read(shop, id)["updated_timestamp"] == AGED


def test_the_moved_category_moves_its_own_products(shop: Shop) -> None:
    top = shop.make_category("Top")
    id = shop.make_product("Mug")
    age(shop, id)
    body = {"parent_id": top}
    assert shop.root.put(f"categories/{shop.category}", body).status_code == 200
    found = read(shop, id)
    assert found["seo_path"] == f"{top}/{shop.category}"
    assert found["updated_timestamp"] != AGED


def test_a_group_is_renamed(shop: Shop) -> None:
    mugs = Mugs(shop)
    ids = [mugs.mug("green", "small"), mugs.mug("green", "large")]
    group = mugs.group(*ids)
    for code, moved in (("NEW", True), ("NEW", False)):
        for each in ids:
            age(shop, each)
        body = {"code": code}
        path = f"product_variations_groups/{group}"
        assert shop.root.put(path, body).status_code == 200
        for each in ids:
            found = read(shop, each)
            assert found["variation_group_code"] == code
            assert (found["updated_timestamp"] != AGED) is moved


CHOICE: dict[str, Callable[[Mugs, int], Any]] = {
    "other value": lambda mugs, id: mugs.shop.root.put(
        f"products/{id}", {"product_features": mugs.values("huge")}
    ),
    "other value below the product": lambda mugs, id: mugs.shop.root.put(
        f"products/{id}/features/{mugs.size}", {"variant_id": mugs.variants["huge"]}
    ),
    "detached": lambda mugs, id: mugs.shop.root.post(
        f"product_variations/{id}/detach_product_variation", {}
    ),
    "taken out": lambda mugs, id: mugs.shop.root.put(
        f"products/{id}", {"variation_group_id": 0}
    ),
    "deleted": lambda mugs, id: mugs.shop.root.delete(f"products/{id}"),
    "joined": lambda mugs, id: mugs.shop.root.post(
        "product_variations_groups/MUGS/product_variations",
        {
            "product": "Huge",
            "category_ids": [mugs.shop.category],
            "product_features": mugs.values("green", "huge"),
        },
    ),
    "generated": lambda mugs, id: mugs.shop.root.post(
        f"products/{id}/generate_product_variations",
        {"combinations": [mugs.values("green", "huge")]},
    ),
}


@pytest.mark.parametrize("change", CHOICE)
def test_members_of_a_group_show_what_there_is_to_choose(
    shop: Shop, change: str
) -> None:
    mugs = Mugs(shop)
    first, other = mugs.mug("green", "small"), mugs.mug("blue", "small")
    last = mugs.mug("green", "large")
    mugs.group(first, other, last, code="MUGS")
    query = "?get_variation_features_variants=1"
    before = read(shop, other, query)["variation_features_variants"]
    for each in (first, other):
        age(shop, each)
    answer = CHOICE[change](mugs, last)
    assert answer.status_code < 300, answer.get_data(as_text=True)
    assert read(shop, other, query)["variation_features_variants"] != before
    for each in (first, other):
        assert read(shop, each)["updated_timestamp"] != AGED


def test_another_default_changes_nothing_for_other_items(shop: Shop) -> None:
    mugs = Mugs(shop)
    first, other = mugs.mug("green", "small"), mugs.mug("blue", "small")
    last = mugs.mug("green", "large")
    mugs.group(first, other, last)
    age(shop, other)
    path = f"product_variations/{last}/set_default_product_variation"
    assert shop.root.post(path, {}).status_code == 201
    assert read(shop, other)["updated_timestamp"] == AGED


@pytest.mark.parametrize("hiding", [{"status": "D"}, {"usergroup_ids": "2"}])
def test_visitors_do_not_choose_a_member_that_is_not_for_them(
    make_app: Callable[..., Flask], hiding: dict[str, str]
) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    mugs = Mugs(shop)
    first, last = mugs.mug("green", "small"), mugs.mug("green", "large")
    mugs.group(last, first)
    path = f"products/{last}?get_variation_features_variants=1"
    for body, sizes in ((hiding, 1), ({"status": "A", "usergroup_ids": "0"}, 2)):
        age(shop, last)
        assert shop.root.put(f"products/{first}", body).status_code == 200
        found = shop.anonymous.get(path).get_json()
        chosen = found["variation_features_variants"][str(mugs.size)]["variants"]
        assert len(chosen) == sizes
        assert found["updated_timestamp"] != AGED
    age(shop, last)
    assert shop.root.put(f"products/{first}", {"status": "A"}).status_code == 200
    assert shop.root.put(f"products/{first}", {"price": "7"}).status_code == 200
    assert read(shop, last)["updated_timestamp"] == AGED


COMMON: dict[str, Callable[[Shop, int, int], Any]] = {
    "status": lambda shop, id, _: shop.root.put(f"products/{id}", {"status": "H"}),
    "another offer": lambda shop, id, _: shop.root.post(
        f"master_products/{id}/master_product_offers",
        {"company_id": shop.company("Third", kind="V")},
    ),
    "an offer less": lambda shop, _, last: shop.root.delete(
        f"master_product_offers/{last}"
    ),
    "a vendor less": lambda shop, _, last: shop.root.delete(
        f"vendors/{read(shop, last)['company_id']}"
    ),
}


@pytest.mark.parametrize("change", COMMON)
def test_offers_and_their_common_product_tell_of_each_other(
    shop: Shop, change: str
) -> None:
    id = shop.root.make("master_products", product="Kettle", price=3)
    vendors = (shop.vendor, shop.company("Second", kind="V"))
    path = f"master_products/{id}/master_product_offers"
    first, last = [shop.root.make(path, company_id=each) for each in vendors]
    shown = ("master_product_status", "master_product_offers_count")
    before = [read(shop, first).get(name) for name in shown]
    for each in (id, first):
        age(shop, each)
    answer = COMMON[change](shop, id, last)
    assert answer.status_code < 300, answer.get_data(as_text=True)
    assert [read(shop, first).get(name) for name in shown] != before
    for each in (id, first):
        assert read(shop, each)["updated_timestamp"] != AGED
