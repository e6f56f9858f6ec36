"""What customers and visitors are not shown: things of other groups and companies.

Source: spec/protocol.md, section 9; products.md and categories.md, `usergroup_ids`.
"""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi.models import Company, Product
from tests.shop import NOW, Caller, Shop


@pytest.fixture
def shop(make_app: Callable[..., Flask]) -> Shop:
    return Shop(make_app(api_allow_customer=True))


def customer(shop: Shop, *groups: int, status: str = "A") -> Caller:
    found = shop.caller(user_type="C", company_id=shop.store)
    for group in groups:
        shop.join(found.user_id, group, status)
    return found


CHILDREN = ("options", "features", "discussions")
ID_NAMES = {
    "products": "product_id", "categories": "category_id", "pages": "page_id",
    "blocks": "block_id", "features": "feature_id", "discussions": "post_id",
}  # fmt: skip


def sees(caller: Caller, entity: str, id: int) -> bool:
    """Whether the record is there; list and total agree."""
    found = caller.get(f"{entity}/{id}").status_code == 200
    answer = caller.get(f"{entity}?items_per_page=0")
    body = answer.get_json()
    records = body if isinstance(body, list) else body[entity]
    assert answer.headers["X-Total-Count"] == str(len(records))
    assert (str(id) in [record[ID_NAMES[entity]] for record in records]) is found
    return found


def limited(shop: Shop, entity: str, groups: str) -> int:
    if entity == "products":
        return shop.make_product(usergroup_ids=groups)
    if entity == "categories":
        return shop.root.make("categories", category="Club", usergroup_ids=groups)
    return shop.root.make("pages", page="Club", page_type="T", usergroup_ids=groups)


@pytest.mark.parametrize("entity", ["products", "categories", "pages"])
def test_things_of_groups_are_for_their_members(shop: Shop, entity: str) -> None:
    club, closed = shop.group(type="C"), shop.group(type="C", status="D")
    visitor, plain, member = shop.anonymous, customer(shop), customer(shop, club)
    left, gone = customer(shop, club, status="D"), customer(shop, closed)
    everyone = [visitor, plain, member, left, gone]
    expected = {
        "0": everyone, "1": [visitor], "2": everyone[1:], f"{club}": [member],
        f"0,{club}": everyone, f"1,{club}": [visitor, member], f"{closed}": [],
        f"{club},{closed}": [member],
    }  # fmt: skip
    for groups, readers in expected.items():
        id = limited(shop, entity, groups)
        for caller in everyone:
            assert sees(caller, entity, id) is (caller in readers), groups
        assert shop.root.get(f"{entity}/{id}").status_code == 200


def test_what_hangs_on_a_product_of_a_group_is_for_its_members(shop: Shop) -> None:
    club = shop.group(type="C")
    product = shop.make_product(usergroup_ids=str(club))
    option = shop.root.make(
        "options", product_id=product, option_name="Text", option_type="I"
    )
    post = shop.root.make(
        "discussions", object_type="P", object_id=product, message="Good."
    )
    below = [f"products/{product}/{child}" for child in CHILDREN]
    alone = [
        f"options/{option}",
        f"discussions/{post}",
        f"options?product_id={product}",
    ]
    for caller, status in ((customer(shop, club), 200), (shop.anonymous, 404)):
        for path in (*below, *alone):
            assert caller.get(path).status_code == status, path
    about = {"object_type": "P", "object_id": product, "message": "x"}
    assert shop.anonymous.post("discussions", about).status_code == 400
    asked = {"phone": "1", "product_id": product}
    assert shop.anonymous.post("call_requests", asked).status_code == 400


def test_nothing_is_shown_below_a_category_of_a_group(shop: Shop) -> None:
    club = shop.group(type="C")
    top = shop.root.make("categories", category="Club", usergroup_ids=str(club))
    child = shop.root.make("categories", category="Open", parent_id=top)
    assert not sees(shop.anonymous, "categories", child)
    assert sees(customer(shop, club), "categories", child)
    assert shop.anonymous.get(f"categories/{child}/products").status_code == 404


@pytest.mark.parametrize("status", ["D", "H"])
def test_nothing_of_a_closed_store_is_shown(shop: Shop, status: str) -> None:
    store = shop.other_store
    category = shop.make_category("Far", company_id=store)
    html = {"type": "html_block", "properties": {"template": "t"}}
    product = shop.make_product(company_id=store, category_ids=[category])
    ids = {
        "categories": category,
        "products": product,
        "pages": shop.root.make(f"stores/{store}/pages", page="x", page_type="T"),
        "blocks": shop.root.make(f"stores/{store}/blocks", name="x", **html),
        "features": shop.root.make(
            f"stores/{store}/features", description="x", feature_type="T"
        ),
        "discussions": shop.root.make(f"products/{product}/discussions", message="x"),
    }
    assert all(sees(shop.anonymous, *each) for each in ids.items())
    shop.change(Company, {"company_id": store}, {"status": status})
    assert not any(sees(shop.anonymous, *each) for each in ids.items())
    assert all(
        shop.root.get(f"{name}/{id}").status_code == 200 for name, id in ids.items()
    )


def test_products_are_not_found_by_values_that_are_not_shown(shop: Shop) -> None:
    feature = shop.root.make(
        "features",
        description="Glaze",
        feature_type="S",
        variants=[{"variant": "matt"}],
    )
    (matt,) = shop.root.get(f"features/{feature}").get_json()["variants"]
    id = shop.make_product(product_features={str(feature): matt})
    path = f"products?features_hash={feature}-{matt}&fields=product_id"
    for status, public in (("A", 1), ("H", 0), ("D", 0)):
        answer = shop.root.put(f"features/{feature}", {"status": status})
        assert answer.status_code == 200
        for caller, total in ((shop.root, 1), (shop.anonymous, public)):
            found = caller.get(path)
            assert found.get_json()["products"] == [{"product_id": str(id)}] * total
            assert found.headers["X-Total-Count"] == str(total)


def test_values_of_hidden_features_leave_an_empty_list(shop: Shop) -> None:
    feature = shop.root.make(
        "features",
        description="Size",
        feature_type="S",
        purpose="group_catalog_item",
        variants=[{"variant": "small"}],
    )
    (small,) = shop.root.get(f"features/{feature}").get_json()["variants"]
    id = shop.make_product(product_features={str(feature): small})
    shop.root.put(f"features/{feature}", {"status": "D"})
    (record,) = shop.anonymous.get("products").get_json()["products"]
    for shown in (record, shop.anonymous.get(f"products/{id}").get_json()):
        assert shown["product_features"] == []
        assert shown["variation_features"] == []


@pytest.mark.parametrize("kind", ["stores", "vendors"])
def test_nothing_tells_of_features_of_closed_companies(shop: Shop, kind: str) -> None:
    """Neither records of products of others, nor what they are found by."""
    owner = shop.other_store if kind == "stores" else shop.vendor
    size = shop.root.make(
        f"{kind}/{owner}/features",
        description="Size",
        feature_type="S",
        purpose="group_variation_catalog_item",
        variants=[{"variant": "small"}],
    )
    (small,) = shop.root.get(f"features/{size}").get_json()["variants"]
    id = shop.make_product("Mug", product_features={str(size): small})
    body = {"product_ids": [id], "features": [{"feature_id": size}]}
    assert shop.root.post("product_variations_groups", body).status_code == 201
    flags = "get_variation_info=1&get_variation_name=1"
    flags += "&get_variation_features_variants=1"
    names = (
        "product_features", "variation_features", "variation_features_variants",
        "variation_feature_ids", "variation_feature_collection",
    )  # fmt: skip

    def shown(caller: Caller) -> list[Any]:
        record = caller.get(f"products/{id}?{flags}").get_json()
        (listed,) = caller.get(f"products?pid={id}&{flags}").get_json()["products"]
        for name in (*names, "variation_name"):
            assert record[name] == listed[name]
        by_value = caller.get(f"products?features_hash={size}-{small}")
        return [
            record["variation_name"],
            *[list(record[name]) for name in names],
            [e["feature_id"] for e in caller.get(below).get_json()["features"]],
            by_value.headers["X-Total-Count"],
            caller.get(f"{below}/{size}").status_code,
        ]

    below = f"products/{id}/features"
    whole = ["Mug (small)", *[[str(size)]] * 6, "1", 200]
    nothing = ["Mug", *[[]] * 6, "0", 404]
    for status, public in (("D", nothing), ("A", whole)):
        shop.change(Product, {"product_id": id}, {"updated_timestamp": NOW})
        assert shop.root.put(f"{kind}/{owner}", {"status": status}).status_code == 200
        assert shown(shop.anonymous) == public
        assert shown(shop.root) == whole
        changed = shop.root.get(f"products/{id}").get_json()["updated_timestamp"]
        assert int(changed) > NOW


def test_closing_a_company_moves_no_time_of_its_own_products(shop: Shop) -> None:
    category = shop.make_category("Far", company_id=shop.vendor)
    feature = shop.root.make(
        f"vendors/{shop.vendor}/features", description="Care", feature_type="T"
    )
    id = shop.make_product(
        company_id=shop.vendor,
        category_ids=[category],
        product_features={str(feature): "by hand"},
    )
    shop.change(Product, {"product_id": id}, {"updated_timestamp": NOW})
    for status in ("D", "S", "A"):
        answer = shop.root.put(f"vendors/{shop.vendor}", {"status": status})
        assert answer.status_code == 200
        record = shop.root.get(f"products/{id}").get_json()
        assert record["updated_timestamp"] == str(NOW)
