"""JSON types that a compiled client insists on, in records of the catalogue.

Source: spec/clients.md, 5.1; spec/entities/products.md, 8.3.
"""

from typing import Any

import pytest

from tests.shop import Shop

TEXTS = (
    "product", "price", "status", "avail_since", "details_layout", "edp_shipping",
    "exceptions_type", "free_shipping", "list_qty_count", "low_avail_limit", "max_qty",
    "out_of_stock_actions", "product_code", "return_period", "seo_name",
    "shipping_freight", "shipping_params", "timestamp", "unlimited_download",
    "updated_timestamp", "zero_price_action",
)  # fmt: skip
NUMERIC = (
    "company_id", "amount", "length", "min_qty", "product_id", "qty_step", "list_price",
    "weight",
)  # fmt: skip
BOXES = ("box_height", "box_width", "max_items_in_box", "min_items_in_box")


def bare(shop: Shop) -> dict[str, Any]:
    """Only what has to be sent."""
    return {}


def full(shop: Shop) -> dict[str, Any]:
    """One of everything that is shown otherwise when it is there."""
    return {
        "price": 5, "list_price": 7.5, "weight": 1, "tax_ids": [shop.make_tax()],
        "usergroup_ids": [1], "box_width": "3", "product_code": 12,
    }  # fmt: skip


@pytest.mark.parametrize("payload", [bare, full])
@pytest.mark.parametrize("listed", [True, False])
def test_products(shop: Shop, payload: Any, listed: bool) -> None:
    id = shop.make_product(**payload(shop))
    if listed:
        (record,) = shop.root.get("products").get_json()["products"]
    else:
        record = shop.root.get(f"products/{id}").get_json()
    assert [name for name in TEXTS if not isinstance(record[name], str)] == []
    assert [record[name] for name in NUMERIC if not float(record[name]) >= 0] == []
    assert record["main_category"] == shop.category
    assert record["category_ids"] == [shop.category]
    assert {type(record[name]) for name in BOXES if name in record} <= {int}
    for name in ("tax_ids", "usergroup_ids"):
        ids = record[name] if isinstance(record[name], list) else [record[name]]
        assert [each for each in ids if each != "" and not each.isdigit()] == []


@pytest.mark.parametrize("listed", [True, False])
def test_categories(shop: Shop, listed: bool) -> None:
    if listed:
        (record,) = shop.root.get("categories").get_json()["categories"]
    else:
        record = shop.root.get(f"categories/{shop.category}").get_json()
    for name in ("category", "company_id", "status"):
        assert type(record[name]) is str
    for name in ("main_pair", "selected_layouts"):
        assert record.get(name) == (None if listed else [])


def test_features(shop: Shop) -> None:
    body = {"description": "Glaze", "feature_type": "S"}
    body |= {"variants": [{"variant": "matt"}]}
    assert shop.root.post("features", body).status_code == 201
    (record,) = shop.root.get("features").get_json()["features"]
    assert record["company_id"].isdigit()
    assert "variants" not in record
    others = {name: value for name, value in record.items() if value is not None}
    assert [name for name, value in others.items() if not isinstance(value, str)] == []
