"""Misspelt names inside values are told, too (spec/pitfalls.md, partial updates)."""

import json
from typing import Any

import pytest

from tests.choosing import make
from tests.orders import GUEST_DATA, Till, make_user
from tests.shop import Shop
from tests.variations import Mugs

pytestmark = pytest.mark.any_database  # keys are judged before values are stored
STRICT = {"Prefer": "handling=strict"}


@pytest.mark.parametrize(
    ("entity", "body", "name"),
    [
        (
            "products",
            {"main_pair": {"detailed": {"imagepath": "x"}}},
            "main_pair.detailed.imagepath",
        ),
        ("products", {"main_pair": {"detaild": {}}}, "main_pair.detaild"),
        (
            "products",
            {"image_pairs": [{"icon": {"imagepath": "x"}}]},
            "image_pairs.0.icon.imagepath",
        ),
        (
            "products",
            {"image_pairs": {"icon": {"imagepath": "x"}}},
            "image_pairs.icon.imagepath",
        ),
        (
            "products",
            {"prices": {"a": {"lower_limit": 3, "price": 1, "amuont": 2}}},
            "prices.a.amuont",
        ),
        (
            "products",
            {"product_features": {"$colour": {"varint_id": 1}}},
            "product_features.$colour.varint_id",
        ),
        (
            "products",
            {"product_features": [{"feature_id": "$colour", "varint_id": 1}]},
            "product_features.0.varint_id",
        ),
        (
            "products",
            {"product_features": {"$colour": {"variants": {"$green": {"x": 1}}}}},
            "product_features.$colour.variants.$green.x",
        ),
        (
            "features",
            {"variants": [{"variant": "green", "postion": 1}]},
            "variants.0.postion",
        ),
        (
            "features",
            {"variants": {"a": {"variant": "green", "image_pair": {"icno": {}}}}},
            "variants.a.image_pair.icno",
        ),
        (
            "options",
            {"variants": {"1": {"variant_name": "a", "modifeir": 2}}},
            "variants.1.modifeir",
        ),
        ("options", {"main_pair": {"icno": {}}}, "main_pair.icno"),
        (
            "taxes",
            {"rates": [{"destination_id": 1, "rate_value": 5, "rat": 5}]},
            "rates.0.rat",
        ),
        ("shippings", {"rates": [{"destination_id": 1, "rat": 5}]}, "rates.0.rat"),
        ("shippings", {"rates": {"1": {"rat": 5}}}, "rates.1.rat"),
        ("shippings", {"rates": {"rate_value": {}, "rat": 5}}, "rates.rat"),
    ],
)
def test_unknown_key_is_named(shop: Shop, entity: str, body: Any, name: str) -> None:
    mugs = Mugs(shop)
    product = shop.make_product()
    made = {"products": product, "features": mugs.colour, "taxes": shop.make_tax()}
    made["options"] = make(shop, product)
    method = shop.root.post("shippings", {"shipping": "Van"}).get_json()
    path = f"{entity}/{made.get(entity) or method['shipping_id']}"

    def filled(text: str) -> str:
        text = text.replace("$colour", str(mugs.colour))
        return text.replace("$green", str(mugs.variants["green"]))

    sent = json.loads(filled(json.dumps(body)))
    before = shop.everything()
    answer = shop.root.put(path, sent, headers=STRICT)
    assert answer.status_code == 400
    named = {each["field"]: each["message"] for each in answer.get_json()["errors"]}
    assert named[filled(name)] == "is unknown"
    assert shop.everything() == before
    assert filled(name) in shop.root.put(path, sent).headers["X-Ignored-Fields"]


@pytest.mark.parametrize(
    "body",
    [
        {"main_pair": {"detailed": {"image_path": "https://a.example/1.png"}}},
        {"image_pairs": [None, {"icon": {"data": "", "alt": "x"}, "delete": "N"}]},
        {"prices": [], "product_features": []},
        {"prices": "", "main_pair": None, "image_pairs": ""},
    ],
)
def test_known_keys_are_not_named(shop: Shop, body: Any) -> None:
    id = shop.make_product()
    answer = shop.root.put(f"products/{id}", body, headers=STRICT)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert "X-Ignored-Fields" not in answer.headers


@pytest.mark.parametrize("entity", ["orders", "carts"])
def test_unknown_key_of_a_contact_is_named(shop: Shop, entity: str) -> None:
    till = Till(shop)
    body = till.body(user_data={**GUEST_DATA, "b_cty": "x", "fields": {"7": "x"}})
    if entity == "carts":
        body = {name: body[name] for name in ("user_data", "products")}
    answer = shop.root.post(entity, body, headers=STRICT)
    assert [each["field"] for each in answer.get_json()["errors"]] == [
        "user_data.b_cty"
    ]
    answer = shop.root.post(entity, body)
    assert answer.headers["X-Ignored-Fields"] == "user_data.b_cty"


def test_unknown_key_of_a_charge_is_named(shop: Shop) -> None:
    rows = [{"amount": 1, "amuont": 1, "value": 1}]
    charges = {"C": {"0": {"value": 5, "per_uni": "Y"}}, "I": rows}
    names = ["rates.1.rate_value.C.0.per_uni", "rates.1.rate_value.I.0.amuont"]
    body = {"shipping": "x", "rates": {"1": {"rate_value": charges}}}
    answer = shop.root.post("shippings", body, headers=STRICT)
    assert [each["field"] for each in answer.get_json()["errors"]] == names
    answer = shop.root.post("shippings", body)
    assert answer.headers["X-Ignored-Fields"] == ", ".join(names)
    path = answer.headers["Location"]
    answer = shop.root.put(path, shop.root.get(path).get_json(), headers=STRICT)
    assert answer.status_code == 200, answer.get_data(as_text=True)


@pytest.mark.parametrize("entity", ["orders", "carts"])
def test_unknown_key_of_a_line_is_named(shop: Shop, entity: str) -> None:
    till = Till(shop)
    line = {"product_id": till.lantern, "amount": 1, "product_optons": {}}
    changes = {"orders": {}, "carts": {"user_id": make_user(shop)}}[entity]
    body = till.body(products={"a": line}, **changes)
    if entity == "carts":
        body = {name: body[name] for name in ("user_id", "products")}
    before = shop.everything()
    answer = shop.root.post(entity, body, headers=STRICT)
    assert answer.status_code == 400
    (error,) = answer.get_json()["errors"]
    assert error["field"] == "products.a.product_optons"
    assert shop.everything() == before
    answer = shop.root.post(entity, body)
    assert answer.headers["X-Ignored-Fields"] == "products.a.product_optons"
    path = answer.headers["Location"]
    record = shop.root.get(path).get_json()
    answer = shop.root.put(path, record, headers=STRICT)
    assert answer.status_code == 200, answer.get_data(as_text=True)
