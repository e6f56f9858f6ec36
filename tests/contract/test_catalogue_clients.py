"""What clients send of the catalogue, as they send it (spec/clients.md, 3.3 and 4)."""

from typing import Any

import pytest

from tests.shop import Shop


def whole_product(shop: Shop) -> dict[str, Any]:
    """All that a connector says of a product, time and again."""
    body = {"description": "Brand", "feature_type": "E", "company_id": shop.store}
    body |= {"variants": [{"variant": "Nordtopf"}]}
    brand = shop.root.make("features", **body)
    (variant,) = shop.root.get(f"features/{brand}").get_json()["variants"]
    images = [
        {"detailed": {"image_path": f"https://cdn.example/{n}.jpg"}} for n in "abc"
    ]
    return {
        "product": "Alpine mug", "price": 18.9, "category_ids": [shop.category],
        "main_category": shop.category, "amount": 7, "status": "A", "tracking": "D",
        "product_code": "M-1", "company_id": str(shop.store), "weight": 0.32,
        "shipping_freight": "2", "full_description": "<p>Stoneware</p>",
        "short_description": "Mug", "description": "unknown", "main_pair": images[0],
        "image_pairs": {"0": images[1], "1": images[2]},
        "product_features": {
            str(brand): {"feature_id": str(brand), "variant_id": variant}
        },
    }  # fmt: skip


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_whole_product_sent_again_changes_nothing(shop: Shop, version: str) -> None:
    body = whole_product(shop)
    id = shop.root.make(f"/api/{version}/products", **body)
    record = shop.root.get(f"products/{id}").get_json()
    shown = [record[name] for name in ("price", "amount", "weight", "shipping_freight")]
    assert shown == ["18.90", "7", "0.320", "2.00"]
    assert (len(record["image_pairs"]), len(record["product_features"])) == (2, 1)
    before = shop.everything()
    for _ in range(2):
        answer = shop.root.put(f"/api/{version}/products/{id}", body)
        assert answer.status_code == 200
        assert answer.headers["X-Ignored-Fields"] == "description"
    assert shop.everything() == before


@pytest.mark.parametrize(
    "change", [{"amount": 8}, {"price": 3}, {"price": "3"}, {"status": "H"}]
)
def test_one_field_alone_moves_no_other(shop: Shop, change: Any) -> None:
    id = shop.root.make("products", **whole_product(shop))
    before = shop.root.get(f"products/{id}").get_json()
    assert shop.root.put(f"products/{id}", change).status_code == 200
    after = shop.root.get(f"products/{id}").get_json()
    moved = {name for name in before if before[name] != after[name]}
    assert moved - {"updated_timestamp", "base_price"} == set(change)


@pytest.mark.parametrize("word", ["1", "true", "True", "Y"])
def test_lists_take_the_flags_of_every_language(shop: Shop, word: str) -> None:
    id = shop.root.make("products", **whole_product(shop))
    shop.root.make("options", product_id=str(id), option_name="Lid")
    names = ("options", "features", "detailed", "icon", "additional")
    query = "&".join(f"get_{name}={word}" for name in names)
    searched = f"q=mug&pname={word}&pshort={word}&pfull={word}&pkeywords={word}"
    path = f"products?cid={shop.category}&filter=Y&{query}&{searched}&status=A"
    answer = shop.root.get(f"{path}&sort_by=updated_timestamp&items_per_page=1000")
    (record,) = answer.get_json()["products"]
    assert (len(record["product_options"]), len(record["image_pairs"])) == (1, 2)
    assert "X-Ignored-Params" not in answer.headers


@pytest.mark.parametrize("company", [0, "0", None])
def test_categories_are_made_and_read(shop: Shop, company: Any) -> None:
    body = {"category": "Pots", "parent_id": 0, "status": "A", "lang_code": "en"}
    body |= {"storefront_id": 1}
    body |= {} if company is None else {"company_id": company}
    id = shop.root.make("categories", **body)
    for query in ("?get_subcategories=Y&subcategories=Y", "?subcats=Y", ""):
        record = shop.root.get(f"categories/{id}{query}").get_json()
        assert (record["category"], record["parent_id"]) == ("Pots", "0")
    assert record["company_id"] == ("0" if company is not None else str(shop.store))
    found = shop.root.get("categories?parent_id=0&status=A&items_per_page=250")
    assert len(found.get_json()["categories"]) == 2


def test_values_of_a_product_come_on_one_page(shop: Shop) -> None:
    id = shop.root.make("products", **whole_product(shop))
    for number in range(12):
        shop.root.make("features", description=f"F{number}", feature_type="T")
    answer = shop.root.get(f"/api/products/{id}/features/?items_per_page=250")
    found = answer.get_json()
    assert len(found["features"]) == 13
    assert found["search"]["total_items"] == "13"
    chosen = [each["variant"] for each in found["features"].values() if each["variant"]]
    assert chosen == ["Nordtopf"]


def test_an_option_with_icons_is_made(shop: Shop) -> None:
    body = {
        "product_id": str(shop.make_product()), "option_name": "Lid",
        "option_type": "R", "required": "Y", "inventory": "N",
        "variants": {"a": {"variant_name": "Without"}, "b": {"variant_name": "Beech"}},
        "main_pair": {"icon": {"image_path": {"b": "https://cdn.example/lid.jpg"}}},
    }  # fmt: skip
    id = shop.root.make("options", **body)
    variants = shop.root.get(f"options/{id}").get_json()["variants"].values()
    icons = [bool(each["image_pair"]) for each in variants]
    assert icons == [False, True]
