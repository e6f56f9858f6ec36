"""Products: values in and out (spec/entities/products.md, 2 and 5)."""

from typing import Any

import pytest

from storeapi.core.rows import table_of
from storeapi.models import Product
from tests.products import read, refused
from tests.shop import Shop


@pytest.mark.parametrize(
    ("field", "sent", "shown"),
    [
        ("price", 31, "31.00"),
        ("price", "31.00", "31.00"),
        ("price", 31.5, "31.50"),
        ("price", "19.99", "19.99"),
        ("price", "19.995", "20.00"),
        ("price", "0.005", "0.01"),
        ("point_price", "12.50", "12.5"),
        ("point_price", "120", "120"),
        ("weight", "0.32", "0.320"),
        ("weight", "1.2345", "1.235"),
        ("amount", "30", "30"),
        ("free_shipping", True, "Y"),
        ("free_shipping", "y", "Y"),
        ("product_code", 12345, "12345"),
        ("usergroup_ids", [1, 2], "1,2"),
        ("localization", "1,2", "1,2"),
        ("avail_since", "1717600000", "1717600000"),
        ("tracking", "O", "O"),
    ],
)
def test_values_are_read_leniently(
    shop: Shop, field: str, sent: Any, shown: str
) -> None:
    assert read(shop, shop.make_product(**{field: sent}))[field] == shown


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("price", "-5"), ("price", "abc"), ("price", "1e3"), ("price", "NaN"),
        ("price", "1_0"), ("price", True), ("amount", "-1"), ("amount", "1.5"),
        ("amount", "99999999999"), ("status", "Z"), ("status", ""), ("tracking", "X"),
        ("free_shipping", "maybe"), ("weight", "-0.1"), ("product_code", "x" * 65),
        ("product", "x" * 256), ("min_qty", "-1"), ("list_price", "-0.01"),
        ("product", ["x"]), ("product", ""), ("point_price", "-1"),
        ("zero_price_action", "Z"), ("out_of_stock_actions", "Z"),
        ("usergroup_ids", "a,b"), ("tax_ids", "999999"), ("category_ids", "x"),
        ("company_id", "999999"), ("main_category", "x"), ("discussion_type", "Z"),
    ],
)  # fmt: skip
def test_bad_values_are_refused_and_change_nothing(
    shop: Shop, field: str, value: Any
) -> None:
    id = shop.make_product()
    before = shop.everything()
    refused(shop.root.put(f"products/{id}", {field: value, "age_limit": "9"}), field)
    body = {"product": "x", "category_ids": [shop.category], field: value}
    refused(shop.root.post("products", body), field)
    assert shop.everything() == before


def test_all_bad_fields_are_named_at_once(shop: Shop) -> None:
    answer = shop.root.post("products", {"price": "x", "amount": "y"})
    refused(answer, "product", "price", "amount")


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("short_description", None, ""),
        ("product_code", None, ""),
        ("list_price", None, "0.00"),
        ("avail_since", None, "0"),
        ("amount", None, "1"),
        ("usergroup_ids", None, "0"),
        ("usergroup_ids", "", "0"),
        ("tax_ids", None, []),
        ("tax_ids", "", []),
        ("prices", None, []),
        ("status", None, "A"),
    ],
)
def test_null_gives_a_field_its_default(
    shop: Shop, field: str, value: Any, shown: Any
) -> None:
    tax = shop.make_tax()
    id = shop.make_product(
        short_description="s", product_code="c", list_price="9", avail_since="5",
        amount="7", usergroup_ids="1", tax_ids=[tax], status="H",
        prices=[{"lower_limit": 5, "price": "1"}],
    )  # fmt: skip
    assert shop.root.put(f"products/{id}", {field: value}).status_code == 200
    assert read(shop, id)[field] == shown


@pytest.mark.parametrize("field", ["product", "category_ids"])
def test_null_in_a_required_field_is_refused(shop: Shop, field: str) -> None:
    id = shop.make_product()
    refused(shop.root.put(f"products/{id}", {field: None}), field)


@pytest.mark.parametrize(
    "field",
    ["product_id", "product_type", "seo_path", "sales_amount", "base_price", "weird"],
)
def test_read_only_and_unknown_fields_do_nothing(shop: Shop, field: str) -> None:
    id = shop.make_product()
    before = shop.everything()
    assert shop.root.put(f"products/{id}", {field: "9"}).status_code == 200
    assert shop.everything() == before


def test_the_read_record_sent_back_changes_nothing(shop: Shop) -> None:
    pair = {"detailed": {"image_path": "https://cdn.example/mug.jpg", "alt": "Mug"}}
    side = {"detailed": {"image_path": "https://cdn.example/side.jpg"}}
    id = shop.make_product(
        "Mug", price="18.90", list_price="21", tax_ids=[shop.make_tax()],
        category_ids=[shop.category, shop.make_category("B")],
        prices=[{"lower_limit": 10, "price": "16.50"}], main_pair=pair,
        image_pairs=[side], box_length=3, usergroup_ids="1,2",
    )  # fmt: skip
    before = shop.everything()
    for version in ("1.0", "2.0"):
        path = f"/api/{version}/products/{id}"
        body = shop.root.get(path).get_json()
        assert shop.root.put(path, body).status_code == 200
        assert shop.everything() == before
    (listed,) = shop.root.get("products").get_json()["products"]
    assert shop.root.put(f"products/{id}", listed).status_code == 200
    assert shop.everything() == before


def test_a_stock_below_zero_may_be_echoed_but_not_written(shop: Shop) -> None:
    id = shop.make_product()
    shop.database.write(
        lambda db: db.update(table_of(Product), {"product_id": id}, {"amount": -3})
    )
    assert read(shop, id)["amount"] == "-3"
    before = shop.everything()
    assert shop.root.put(f"products/{id}", read(shop, id)).status_code == 200
    assert shop.everything() == before
    refused(shop.root.put(f"products/{id}", {"amount": "-2"}), "amount")
