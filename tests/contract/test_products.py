"""Products: records and their fields (spec/entities/products.md, 2 and 4)."""

from typing import Any

import pytest

from tests.products import read
from tests.shop import Shop

LISTED = [
    "product_id",
    "product",
    "product_code",
    "product_type",
    "parent_product_id",
    "status",
    "company_id",
    "category_ids",
    "main_category",
    "seo_name",
    "seo_path",
    "details_layout",
    "localization",
    "usergroup_ids",
    "timestamp",
    "updated_timestamp",
    "avail_since",
    "price",
    "base_price",
    "list_price",
    "list_discount",
    "list_discount_prc",
    "discounts",
    "zero_price_action",
    "amount",
    "tracking",
    "low_avail_limit",
    "out_of_stock_actions",
    "min_qty",
    "max_qty",
    "qty_step",
    "list_qty_count",
    "qty_content",
    "options_type_raw",
    "exceptions_type_raw",
    "tracking_raw",
    "zero_price_action_raw",
    "min_qty_raw",
    "max_qty_raw",
    "qty_step_raw",
    "list_qty_count_raw",
    "details_layout_raw",
    "weight",
    "length",
    "width",
    "height",
    "shipping_freight",
    "free_shipping",
    "shipping_params",
    "tax_ids",
    "is_edp",
    "edp_shipping",
    "unlimited_download",
    "return_period",
    "is_returnable",
    "options_type",
    "exceptions_type",
    "has_options",
    "selected_options",
    "product_options",
    "product_features",
    "variation_features",
    "master_product_id",
    "master_product_offers_count",
    "age_verification",
    "age_limit",
    "is_pbp",
    "is_op",
    "is_oper",
    "main_pair",
]
SINGLE = [
    "lang_code",
    "short_description",
    "full_description",
    "promo_text",
    "meta_description",
    "meta_keywords",
    "page_title",
    "search_words",
    "popularity",
    "sales_amount",
    "shared_product",
    "prices",
    "point_price",
    "box_length",
    "box_width",
    "box_height",
    "min_items_in_box",
    "max_items_in_box",
    "feature_comparison",
    "age_warning_message",
    "discussion_type",
    "discussion_thread_id",
    "image_pairs",
]
NUMBERS = {"main_category", "list_discount", "has_options"} | {
    f"box_{side}" for side in ("length", "width", "height")
}


# Census of the keys (section 2)


def test_a_record_has_every_documented_key(shop: Shop) -> None:
    id = shop.make_product(price="5", list_price="10")
    assert set(read(shop, id)) >= {*LISTED, *SINGLE}


def test_a_list_record_has_the_listed_keys_only(shop: Shop) -> None:
    shop.make_product(price="5", list_price="10")
    (found,) = shop.root.get("products").get_json()["products"]
    assert set(found) >= set(LISTED)
    assert not set(found) & set(SINGLE)


def test_a_detailed_list_record_is_the_full_one(shop: Shop) -> None:
    id = shop.make_product(price="5", list_price="10")
    (found,) = shop.root.get("products?detailed_params=1").get_json()["products"]
    full = read(shop, id)
    assert found == {**full, "tax_ids": found["tax_ids"]}


def test_scalars_are_strings_but_for_the_documented_numbers(shop: Shop) -> None:
    record = read(shop, shop.make_product(price="5", list_price="10"))
    natives = {
        name
        for name, value in record.items()
        if isinstance(value, int | float) and name not in ("variation_group_id",)
    }
    assert natives == NUMBERS | {"min_items_in_box", "max_items_in_box"}


def test_a_new_product_has_the_documented_defaults(shop: Shop) -> None:
    found = read(shop, shop.make_product("Mug", timestamp=1717600000))
    expected = {
        "product": "Mug", "product_code": "", "product_type": "P",
        "parent_product_id": "0", "status": "A", "company_id": str(shop.store),
        "category_ids": [shop.category], "main_category": shop.category,
        "seo_name": "mug", "seo_path": str(shop.category), "lang_code": "en",
        "details_layout": "default", "localization": "", "usergroup_ids": "0",
        "timestamp": "1717600000", "avail_since": "0", "popularity": "3",
        "sales_amount": "0", "shared_product": "N", "price": "0.00",
        "base_price": "0.00", "list_price": "0.00", "discounts": {"A": 0, "P": 0},
        "prices": [], "point_price": "0", "zero_price_action": "R", "amount": "1",
        "tracking": "B",
        "low_avail_limit": "0", "out_of_stock_actions": "N", "min_qty": "0",
        "max_qty": "0", "qty_step": "0", "list_qty_count": "0", "qty_content": [],
        "details_layout_raw": "default", "min_qty_raw": None, "weight": "0.000",
        "length": "0", "shipping_freight": "0.00", "free_shipping": "N",
        "box_length": 0, "tax_ids": [], "is_edp": "N", "edp_shipping": "N",
        "unlimited_download": "N", "return_period": "10", "is_returnable": "Y",
        "options_type": "P", "exceptions_type": "F", "has_options": False,
        "selected_options": [], "product_options": [], "product_features": [],
        "feature_comparison": "N", "master_product_id": "0", "age_verification": "N",
        "age_limit": "0", "age_warning_message": "", "is_pbp": "Y", "is_op": "N",
        "is_oper": "N", "discussion_type": "D", "main_pair": [], "image_pairs": [],
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected
    assert "list_discount" not in found
    assert "list_discount_prc" not in found


# Values that are computed


@pytest.mark.parametrize(
    ("price", "list_price", "amount", "per_cent"),
    [
        ("18.90", "21.00", 2.1, "10"),
        ("5", "10", 5, "50"),
        ("0.01", "10", 9.99, "100"),
        ("8.95", "9", 0.05, "1"),
    ],
)
def test_the_discount_of_the_list_price_is_shown(
    shop: Shop, price: str, list_price: str, amount: float, per_cent: str
) -> None:
    found = read(shop, shop.make_product(price=price, list_price=list_price))
    assert (found["list_discount"], found["list_discount_prc"]) == (amount, per_cent)


@pytest.mark.parametrize(
    ("values", "content"),
    [
        ({"list_qty_count": 3}, [1, 2, 3]),
        ({"list_qty_count": 3, "qty_step": 5}, [5, 10, 15]),
        (
            {"list_qty_count": 5, "qty_step": 4, "min_qty": 6, "max_qty": 16},
            [8, 12, 16],
        ),
        ({"qty_step": 5}, []),
    ],
)
def test_quantities_of_the_drop_down(shop: Shop, values: Any, content: Any) -> None:
    assert read(shop, shop.make_product(**values))["qty_content"] == content


def test_box_fields_are_packed(shop: Shop) -> None:
    id = shop.make_product(box_length=30, min_items_in_box="2")
    found = read(shop, id)
    assert (found["box_length"], found["min_items_in_box"]) == (30, 2)
    assert found["shipping_params"] == (
        'a:5:{s:16:"min_items_in_box";i:2;s:16:"max_items_in_box";i:0;'
        's:10:"box_length";i:30;s:9:"box_width";i:0;s:10:"box_height";i:0;}'
    )


def test_seo_path_is_the_chain_of_the_main_category(shop: Shop) -> None:
    child = shop.make_category("Steins", parent=shop.category)
    found = read(shop, shop.make_product(category_ids=[child]))
    assert found["seo_path"] == f"{shop.category}/{child}"


def test_taxes_are_an_array_in_records_and_a_text_in_lists(shop: Shop) -> None:
    one, two = shop.make_tax(), shop.make_tax("Duty")
    id = shop.make_product(tax_ids=[one, two])
    assert read(shop, id)["tax_ids"] == [str(one), str(two)]
    (listed,) = shop.root.get("products").get_json()["products"]
    assert listed["tax_ids"] == f"{one},{two}"


# Answers (section 4)


def test_answers_are_numbers_in_2_0_and_strings_in_1_0(shop: Shop) -> None:
    body = {"product": "Mug", "category_ids": shop.category}
    answer = shop.root.post("products", body)
    id = answer.get_json()["product_id"]
    assert (answer.status_code, answer.get_json()) == (201, {"product_id": id})
    assert answer.headers["Location"] == f"/api/2.0/products/{id}"
    assert isinstance(id, int)
    answer = shop.root.put(f"products/{id}", {"price": "1"})
    assert (answer.status_code, answer.get_json()) == (200, {"product_id": id})
    answer = shop.root.put(f"/api/products/{id}", {"price": "1"})
    assert answer.get_json() == {"product_id": str(id)}
    answer = shop.root.post("/api/products", body)
    assert answer.get_json() == {"product_id": str(id + 1)}


def test_delete_answers_204_without_a_body(shop: Shop) -> None:
    id = shop.make_product()
    answer = shop.root.delete(f"products/{id}")
    assert (answer.status_code, answer.data) == (204, b"")
    assert shop.root.delete(f"products/{id}").status_code == 404


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_an_unknown_product_is_404(shop: Shop, method: str) -> None:
    body = {"json": {"price": "1"}} if method == "PUT" else {}
    assert shop.root.request(method, "products/999999", **body).status_code == 404
