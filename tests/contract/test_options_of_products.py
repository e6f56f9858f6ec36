"""Options as parts of products: links, scope, records, traces."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from tests.choosing import LID, age, make, put, read, updated
from tests.shop import Shop


def test_linked_global_option_is_listed_and_unlinked(shop: Shop) -> None:
    product_id = shop.make_product()
    option_id = make(shop, 0)
    path = f"products/{product_id}/options"
    for _ in range(2):
        answer = shop.root.post(path, {"option_id": option_id})
        assert answer.status_code == 201
        assert answer.get_json() == {"option_id": option_id}
    assert list(shop.root.get(path).get_json()) == [str(option_id)]
    assert shop.root.get(f"{path}/{option_id}").get_json() == read(shop, option_id)
    assert shop.root.delete(f"{path}/{option_id}").status_code == 204
    assert shop.root.get(path).get_json() == {}
    assert shop.root.get(f"{path}/{option_id}").status_code == 404
    assert read(shop, option_id)["option_id"] == str(option_id)


def test_only_global_options_can_be_linked(shop: Shop) -> None:
    path = f"products/{shop.make_product()}/options"
    own = make(shop, shop.make_product())
    for option_id in (own, 99999):
        answer = shop.root.post(path, {"option_id": option_id})
        assert answer.status_code == 400
        assert answer.get_json()["errors"][0]["field"] == "option_id"


def test_nested_create_takes_the_product_of_the_path(shop: Shop) -> None:
    product_id, other = shop.make_product(), shop.make_product()
    path = f"products/{product_id}/options"
    answer = shop.root.post(path, {**LID, "product_id": other})
    assert answer.status_code == 201
    option_id = answer.get_json()["option_id"]
    assert read(shop, option_id)["product_id"] == str(product_id)
    assert shop.root.get(f"products/{other}/options/{option_id}").status_code == 404
    assert shop.root.delete(f"{path}/{option_id}").status_code == 204
    assert shop.root.get(f"options/{option_id}").status_code == 404


def test_what_readers_see_moves_the_product(shop: Shop) -> None:
    product_id, linked = shop.make_product(), shop.make_product()
    own, everywhere = make(shop, product_id), make(shop, 0)
    shop.root.post(f"products/{linked}/options", {"option_id": everywhere})
    age(shop, product_id, linked)
    put(shop, own, {"required": "N"})
    assert not updated(shop, product_id)
    put(shop, own, {"required": "Y"})
    assert (updated(shop, product_id), updated(shop, linked)) == (True, False)
    age(shop, product_id, linked)
    put(shop, everywhere, {"variants": []})
    assert (updated(shop, product_id), updated(shop, linked)) == (False, True)
    age(shop, product_id)
    shop.root.delete(f"options/{own}")
    assert updated(shop, product_id)


def test_foreign_options_are_404(shop: Shop) -> None:
    own = make(shop, shop.make_product())
    clerk = shop.caller("view_catalog", "manage_catalog", company_id=shop.other_store)
    before = shop.everything()
    product_id = read(shop, own)["product_id"]
    assert clerk.get(f"options/{own}").status_code == 404
    assert clerk.put(f"options/{own}", {"status": "D"}).status_code == 404
    assert clerk.delete(f"options/{own}").status_code == 404
    assert clerk.get(f"options?product_id={product_id}").status_code == 404
    assert clerk.post(f"products/{product_id}/options", LID).status_code == 404
    answer = clerk.post("options", {"product_id": product_id, **LID})
    assert answer.status_code == 400
    assert shop.everything() == before


def test_product_of_another_company_unlinks_but_changes_not(shop: Shop) -> None:
    everywhere = make(shop, 0)
    category = shop.make_category("Cups", company_id=shop.other_store)
    product_id = shop.make_product(company_id=shop.other_store, category_ids=[category])
    path = f"products/{product_id}/options"
    shop.root.post(path, {"option_id": everywhere})
    clerk = shop.caller("view_catalog", "manage_catalog", company_id=shop.other_store)
    assert list(clerk.get(path).get_json()) == [str(everywhere)]
    assert clerk.put(f"{path}/{everywhere}", {"status": "D"}).status_code == 403
    assert clerk.get(f"options/{everywhere}").status_code == 404
    assert clerk.delete(f"{path}/{everywhere}").status_code == 204
    assert clerk.get(path).get_json() == {}


def test_product_shows_its_options(shop: Shop) -> None:
    product_id = shop.make_product()
    record = shop.root.get(f"products/{product_id}").get_json()
    assert (record["has_options"], record["product_options"]) == (False, [])
    late, early = make(shop, product_id, position=9), make(shop, 0, position=1)
    shop.root.post(f"products/{product_id}/options", {"option_id": early})
    record = shop.root.get(f"products/{product_id}").get_json()
    assert record["has_options"] is True
    assert list(record["product_options"]) == [str(early), str(late)]
    assert record["product_options"][str(late)] == read(shop, late)


def test_list_of_products_shows_options_on_demand(shop: Shop) -> None:
    product_id = shop.make_product()
    option_id = make(shop, product_id)
    shop.make_product()

    def options(query: str) -> list[Any]:
        body = shop.root.get(f"products?sort_by=timestamp&{query}").get_json()
        return [record["product_options"] for record in body["products"]]

    assert options("") == [[], []]
    assert options("get_options=True") == [{str(option_id): read(shop, option_id)}, []]
    assert options("detailed_params=Y&get_options=N") == [[], []]
    assert options("detailed_params=Y")[0] != []


@pytest.mark.parametrize("linked", [False, True])
def test_has_options_asks_for_an_active_one(shop: Shop, linked: bool) -> None:
    product_id = shop.make_product()
    option_id = make(shop, 0 if linked else product_id)
    if linked:
        shop.root.post(f"products/{product_id}/options", {"option_id": option_id})
    path = "products?has_options=Y"
    assert len(shop.root.get(path).get_json()["products"]) == 1
    put(shop, option_id, {"status": "D"})
    assert shop.root.get(path).get_json()["products"] == []
    assert shop.root.get(f"products/{product_id}").get_json()["has_options"] is False


def test_options_take_a_constant_number_of_statements_per_page(shop: Shop) -> None:
    first = shop.make_product()
    make(shop, first)
    seen: list[str] = []

    def count() -> int:
        seen.clear()
        shop.database.observer = seen.append
        shop.root.get("products?get_options=Y")
        shop.database.observer = None
        return len(seen)

    before = count()
    for _ in range(4):
        make(shop, shop.make_product())
    assert count() == before


def test_product_takes_its_options_and_their_images_along(shop: Shop) -> None:
    product_id = shop.make_product()
    before = shop.everything()
    icons = {"icon": {"image_path": {"2": "https://cdn.example/lid.jpg"}}}
    doomed = shop.make_product()
    make(shop, doomed, main_pair=icons)
    assert shop.root.delete(f"products/{doomed}").status_code == 204
    after = shop.everything()
    names = ("options", "option_variants", "image_pairs", "images", "products")
    assert {name: after[name] for name in names} == {n: before[n] for n in names}
    assert shop.root.get(f"products/{product_id}").status_code == 200


def test_options_follow_their_product_to_another_company(shop: Shop) -> None:
    product_id = shop.make_product()
    own, everywhere = make(shop, product_id), make(shop, 0)
    shop.root.post(f"products/{product_id}/options", {"option_id": everywhere})
    category = shop.make_category("Cups", company_id=shop.other_store)
    body = {"company_id": shop.other_store, "category_ids": [category]}
    assert shop.root.put(f"products/{product_id}", body).status_code == 200
    assert read(shop, own)["company_id"] == str(shop.other_store)
    assert read(shop, everywhere)["company_id"] == str(shop.store)


def test_customers_see_active_options_of_active_products(
    make_app: Callable[..., Flask],
) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    product_id, hidden = shop.make_product(), shop.make_product(status="D")
    active, disabled = make(shop, product_id), make(shop, product_id, status="D")
    unseen = make(shop, hidden)
    path = f"options?product_id={product_id}"
    assert list(shop.anonymous.get(path).get_json()) == [str(active)]
    assert shop.anonymous.get(f"options/{active}").status_code == 200
    assert shop.anonymous.get(f"options?product_id={hidden}").status_code == 404
    for option_id in (disabled, unseen):
        assert shop.anonymous.get(f"options/{option_id}").status_code == 404
    record = shop.anonymous.get(f"products/{product_id}").get_json()
    assert list(record["product_options"]) == [str(active)]
    assert (
        shop.anonymous.get(f"combinations?product_id={product_id}").status_code == 401
    )


def test_customers_see_nothing_of_what_inactive_vendors_sell(
    make_app: Callable[..., Flask],
) -> None:
    """Vendors.md, rule 6: whichever way options and values are asked for."""
    shop = Shop(make_app(api_allow_customer=True))
    shelf = shop.make_category("Shelf", company_id=0)
    id = shop.make_product(company_id=shop.vendor, category_ids=[shelf])
    option_id = make(shop, id)
    body = {"description": "Care", "feature_type": "T", "company_id": 0}
    feature = shop.root.post("features", body).get_json()["feature_id"]
    put = shop.root.put(f"products/{id}", {"product_features": {feature: "a"}})
    assert put.status_code == 200

    def seen(caller: Any) -> tuple[int, int]:
        features = caller.get(f"features?product_id={id}").get_json()["features"]
        return caller.get(f"options?product_id={id}").status_code, len(features)

    assert seen(shop.anonymous) == (200, 1)
    shop.root.put(f"vendors/{shop.vendor}", {"status": "D"})
    assert seen(shop.anonymous) == (404, 0)
    assert shop.anonymous.get(f"options/{option_id}").status_code == 404
    assert seen(shop.root) == (200, 1)


def test_changes_of_options_are_recorded(shop: Shop) -> None:
    seen: list[tuple[str, str, int | str]] = []

    def note(db: Any, changes: Any) -> None:
        seen.extend((c.entity, str(c.operation), c.id) for c in changes)

    product_id = shop.make_product()
    shop.database.subscribers.append(note)
    try:
        option_id = make(shop, product_id)
        put(shop, option_id, {"variants": []})
        put(shop, option_id, {"variants": []})
        shop.root.delete(f"products/{product_id}")
    finally:
        shop.database.subscribers.remove(note)
    assert seen == [
        ("products", "update", product_id),
        ("options", "create", option_id),
        ("options", "update", option_id),
        ("products", "update", product_id),
        ("options", "delete", option_id),
        ("products", "delete", product_id),
    ]


def test_a_choice_is_priced(shop: Shop) -> None:
    product_id = shop.make_product(price="18.90")
    lid = make(shop, product_id, required="Y")
    plain, beech = read(shop, lid)["variants"]
    path = f"products/{product_id}?fields=price,base_price,selected_options"

    def shown(query: str) -> dict[str, Any]:
        answer = shop.root.get(f"{path}{query}")
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return dict(answer.get_json())

    base = {"price": "18.90", "base_price": "18.90", "selected_options": []}
    base["product_id"] = str(product_id)
    assert shown("") == base
    assert shown(f"&selected_options[{lid}]=") == base
    choice = {str(lid): beech}
    assert shown(f"&selected_options[{lid}]={beech}") == {
        **base,
        "price": "22.40",
        "selected_options": choice,
    }
    assert shown(f"&selected_options[{lid}]={plain}")["price"] == "18.90"


@pytest.mark.parametrize("query", ["[{lid}]=999999", "[999999]=1", "=1", "[{lid}][]=1"])
def test_bad_choices_are_named(shop: Shop, query: str) -> None:
    product_id = shop.make_product()
    lid = make(shop, product_id)
    path = f"products/{product_id}?selected_options{query.format(lid=lid)}"
    answer = shop.root.get(path)
    assert answer.status_code == 400
    (error,) = answer.get_json()["errors"]
    assert error["field"].startswith("selected_options")
