"""Options of products (spec/entities/options.md)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi.core.rows import table_of
from storeapi.models import Product
from tests.album import encoded
from tests.shop import NOW, Shop

LID = {
    "option_name": "Lid",
    "option_type": "R",
    "variants": {
        "1": {"variant_name": "Without"},
        "2": {"variant_name": "Beech lid", "modifier": "3.5"},
    },
}


def make(shop: Shop, product_id: int, **changes: Any) -> int:
    answer = shop.root.post("options", {"product_id": product_id, **LID, **changes})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["option_id"])


def read(shop: Shop, option_id: int) -> dict[str, Any]:
    answer = shop.root.get(f"options/{option_id}")
    assert answer.status_code == 200
    return dict(answer.get_json())


def variant_ids(shop: Shop, option_id: int) -> list[str]:
    return list(read(shop, option_id)["variants"])


def age(shop: Shop, *product_ids: int) -> None:
    def action(db: Any) -> None:
        where = {"product_id": list(product_ids)}
        db.update(table_of(Product), where, {"updated_timestamp": NOW})

    shop.database.write(action)


def updated(shop: Shop, product_id: int) -> bool:
    """Whether the product has changed since `age`."""
    record = shop.root.get(f"products/{product_id}").get_json()
    return int(record["updated_timestamp"]) != NOW


def put(shop: Shop, option_id: int, body: Any, status: int = 200) -> Any:
    answer = shop.root.put(f"options/{option_id}", body)
    assert answer.status_code == status, answer.get_data(as_text=True)
    return answer.get_json()


def test_created_option_is_read_as_documented(shop: Shop) -> None:
    product_id = shop.make_product()
    option_id = make(shop, product_id)
    record = read(shop, option_id)
    first, second = record["variants"].values()
    assert record == {
        "option_id": str(option_id), "product_id": str(product_id),
        "company_id": str(shop.store), "option_name": "Lid", "option_text": "",
        "option_type": "R", "inventory": "Y", "required": "N", "regexp": "",
        "incorrect_message": "", "inner_hint": "", "description": "", "comment": "",
        "multiupload": "N", "allowed_extensions": "", "max_file_size": "0",
        "missing_variants_handling": "M", "status": "A", "position": "0",
        "value": "",
        "variants": {first["variant_id"]: first, second["variant_id"]: second},
    }  # fmt: skip
    assert second == {
        "variant_id": second["variant_id"], "option_id": str(option_id),
        "position": "10", "modifier": "3.500", "modifier_type": "A",
        "weight_modifier": "0.000", "weight_modifier_type": "A",
        "point_modifier": "0.000", "point_modifier_type": "A",
        "variant_name": "Beech lid", "image_pair": [],
    }  # fmt: skip


def test_post_answers_a_number_in_2_0_and_a_text_in_1_0(shop: Shop) -> None:
    body = {"product_id": shop.make_product(), **LID}
    assert type(shop.root.post("options", body).get_json()["option_id"]) is int
    answer = shop.root.post("/api/options", body).get_json()
    assert type(answer["option_id"]) is str


def test_put_answers_the_id_as_text(shop: Shop) -> None:
    option_id = make(shop, shop.make_product())
    assert put(shop, option_id, {"required": "Y"}) == {"option_id": str(option_id)}


def test_list_of_a_product_is_a_bare_map_with_its_count(shop: Shop) -> None:
    product_id = shop.make_product()
    late = make(shop, product_id, position=20)
    early = make(shop, product_id, position=10)
    make(shop, shop.make_product())
    answer = shop.root.get(f"options?product_id={product_id}&items_per_page=1")
    assert list(answer.get_json()) == [str(early), str(late)]
    assert answer.get_json()[str(late)] == read(shop, late)
    assert answer.headers["X-Total-Count"] == "2"


def test_list_of_a_product_in_1_0_stands_beside_search(shop: Shop) -> None:
    product_id = shop.make_product()
    option_id = make(shop, product_id)
    body = shop.root.get(f"/api/options?product_id={product_id}").get_json()
    assert body["options"] == {str(option_id): read(shop, option_id)}
    assert body["search"]["product_id"] == str(product_id)
    nested = shop.root.get(f"/api/products/{product_id}/options").get_json()
    assert nested == body


@pytest.mark.parametrize("prefix", ["/api/2.0", "/api"])
def test_product_without_options_has_an_empty_map(shop: Shop, prefix: str) -> None:
    product_id = shop.make_product()
    body = shop.root.get(f"{prefix}/products/{product_id}/options").get_json()
    assert body.get("options", body) == {}


def test_list_without_product_is_short_records_of_global_options(shop: Shop) -> None:
    make(shop, shop.make_product())
    option_id = make(shop, 0)
    body = shop.root.get("options").get_json()
    (record,) = body["product_options"]
    expected = read(shop, option_id)
    del expected["variants"]
    assert record == expected
    assert record["product_id"] == "0"
    assert body["params"]["total_items"] == "1"
    assert body["params"]["items_per_page"] == 10
    first = shop.root.get("/api/options").get_json()
    assert list(first) == ["options", "search"]
    assert list(first["options"]) == [str(option_id)]


def test_global_options_are_paged_sorted_and_filtered(shop: Shop) -> None:
    c = str(make(shop, 0, option_name="c", position=1))
    b = str(make(shop, 0, option_name="B", status="D"))
    a = str(make(shop, 0, option_name="a"))

    def listed(query: str) -> list[str]:
        body = shop.root.get(f"options?{query}").get_json()
        return [record["option_id"] for record in body["product_options"]]

    assert listed("") == [b, a, c]
    assert listed("sort_by=option_name") == [a, b, c]
    assert listed("sort_by=option_id&sort_order=desc") == [a, b, c]
    assert listed("items_per_page=1&page=3") == [c]
    assert listed("status=D") == [b]
    assert listed(f"company_id={shop.other_store}") == []


def test_list_of_an_unknown_product_is_404(shop: Shop) -> None:
    assert shop.root.get("options?product_id=99999").status_code == 404
    assert shop.root.get("options?product_id=x").status_code == 400


def test_product_and_name_are_required(shop: Shop) -> None:
    answer = shop.root.post("options", {"required": "Y"})
    assert answer.status_code == 400
    fields = [error["field"] for error in answer.get_json()["errors"]]
    assert fields == ["product_id", "option_name"]
    body = {"product_id": 99999, "option_name": "x"}
    answer = shop.root.post("options", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "product_id"


@pytest.mark.parametrize(
    ("kind", "inventory"), [(None, "Y"), ("R", "Y"), ("C", "Y"), ("I", "N"), ("F", "N")]
)
def test_type_decides_inventory(shop: Shop, kind: str | None, inventory: str) -> None:
    body = {"product_id": shop.make_product(), "option_name": "x"}
    body |= {"option_type": kind} if kind else {}
    answer = shop.root.post("options", body)
    record = read(shop, answer.get_json()["option_id"])
    assert (record["option_type"], record["inventory"]) == (kind or "S", inventory)


def test_check_box_has_two_variants_and_modifiers_go_to_the_ticked(shop: Shop) -> None:
    product_id = shop.make_product()
    option_id = make(
        shop, product_id, option_type="C", variants={"1": {"modifier": "-2"}}
    )
    variants = list(read(shop, option_id)["variants"].values())
    assert [each["modifier"] for each in variants] == ["0.000", "-2.000"]
    bare = make(shop, product_id, option_type="C", variants=[])
    assert len(variant_ids(shop, bare)) == 2


def test_put_of_a_check_box_keeps_both_variants(shop: Shop) -> None:
    option_id = make(shop, shop.make_product(), option_type="C", variants={})
    before = variant_ids(shop, option_id)
    put(shop, option_id, {"variants": {"x": {"modifier": 4, "modifier_type": "P"}}})
    put(shop, option_id, {"variants": {before[0]: {"modifier": 9}}})
    variants = read(shop, option_id)["variants"]
    assert list(variants) == before
    assert [each["modifier"] for each in variants.values()] == ["0.000", "4.000"]
    three = {str(n): {"modifier": 1} for n in range(3)}
    put(shop, option_id, {"variants": three}, 400)


@pytest.mark.parametrize("kind", ["I", "T", "F"])
def test_types_without_variants_refuse_them(shop: Shop, kind: str) -> None:
    body = {"product_id": shop.make_product(), **LID, "option_type": kind}
    assert shop.root.post("options", body).status_code == 400
    option_id = make(shop, body["product_id"], option_type=kind, variants=[])
    assert read(shop, option_id)["variants"] == []


def test_put_with_variants_replaces_the_set(shop: Shop) -> None:
    option_id = make(shop, shop.make_product())
    first, second = variant_ids(shop, option_id)
    put(shop, option_id, {"variants": {second: {"variant_name": "Oak lid"},
                                       "new": {"variant_name": "Cork"}}})  # fmt: skip
    found = read(shop, option_id)["variants"]
    names = {id: each["variant_name"] for id, each in found.items()}
    assert names[second] == "Oak lid"
    assert found[second]["modifier"] == "3.500"
    assert list(names.values()) == ["Oak lid", "Cork"]
    assert first not in names


def test_variants_match_by_id_then_key_then_name(shop: Shop) -> None:
    option_id = make(shop, shop.make_product())
    first, second = variant_ids(shop, option_id)
    sent = {"x": {"variant_name": "Beech lid", "position": 5},
            "y": {"variant_id": first, "modifier": "1"}}  # fmt: skip
    put(shop, option_id, {"variants": sent})
    found = read(shop, option_id)["variants"]
    assert {id: each["variant_name"] for id, each in found.items()} == {
        first: "Without",
        second: "Beech lid",
    }
    assert (found[first]["modifier"], found[second]["position"]) == ("1.000", "5")


def test_put_without_variants_leaves_them_alone(shop: Shop) -> None:
    option_id = make(shop, shop.make_product())
    before = read(shop, option_id)
    put(shop, option_id, {"comment": "new"})
    assert read(shop, option_id) == {**before, "comment": "new"}


def test_new_variant_needs_a_name(shop: Shop) -> None:
    option_id = make(shop, shop.make_product())
    body = put(shop, option_id, {"variants": {"n": {"modifier": 1}}}, 400)
    assert body["errors"][0]["field"] == "variants.n.variant_name"
    body = put(shop, option_id, {"variants": {"n": {"modifier": "x"}}}, 400)
    assert body["errors"][0]["field"] == "variants.n.modifier"


def test_get_then_put_changes_nothing(shop: Shop) -> None:
    product_id = shop.make_product()
    ids = [make(shop, product_id), make(shop, product_id, option_type="C", variants={}),
           make(shop, product_id, option_type="T", variants=[])]  # fmt: skip
    put(shop, ids[0], {"main_pair": {"icon": {"image_path": {
        variant_ids(shop, ids[0])[0]: "https://cdn.example/a.jpg"}}}})  # fmt: skip
    before = shop.everything()
    for option_id in ids:
        put(shop, option_id, read(shop, option_id))
    assert shop.everything() == before


def test_icons_come_by_the_keys_of_the_variants(shop: Shop) -> None:
    icons = {"icon": {"image_path": {"2": "https://cdn.example/lid.jpg"}}}
    option_id = make(shop, shop.make_product(), main_pair=icons)
    first, second = read(shop, option_id)["variants"].values()
    assert first["image_pair"] == []
    icon = second["image_pair"]["icon"]
    assert icon["image_path"] == "https://cdn.example/lid.jpg"
    assert icon["object_type"] == "variant_image"
    paths = {"icon": {"image_path": {"7": "https://cdn.example/lid.jpg"}}}
    body = put(shop, option_id, {"main_pair": paths}, 400)
    assert body["errors"][0]["field"] == "main_pair.icon.image_path.7"


def test_image_pair_of_a_variant_is_written(shop: Shop) -> None:
    pair = {"icon": {"data": encoded()}}
    variants = [{"variant_name": "Red", "image_pair": pair}]
    option_id = make(shop, shop.make_product(), variants=variants)
    (variant,) = read(shop, option_id)["variants"].values()
    assert variant["image_pair"]["icon"]["image_x"] == "8"


@pytest.mark.parametrize("pattern", ["(", "[", "*", "(?P<a>x)(?P=b)"])
def test_pattern_that_does_not_compile_is_400(shop: Shop, pattern: str) -> None:
    body = {"product_id": shop.make_product(), "option_name": "Engraving",
            "option_type": "I", "regexp": pattern}  # fmt: skip
    answer = shop.root.post("options", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "regexp"


def test_change_of_type_inside_s_and_r_keeps_variants(shop: Shop) -> None:
    option_id = make(shop, shop.make_product())
    before = variant_ids(shop, option_id)
    put(shop, option_id, {"option_type": "S"})
    assert variant_ids(shop, option_id) == before


@pytest.mark.parametrize(("kind", "count"), [("C", 2), ("I", 0), ("T", 0), ("F", 0)])
def test_other_changes_of_type_drop_variants(shop: Shop, kind: str, count: int) -> None:
    option_id = make(shop, shop.make_product())
    before = variant_ids(shop, option_id)
    put(shop, option_id, {"option_type": kind})
    after = variant_ids(shop, option_id)
    assert len(after) == count
    assert set(before).isdisjoint(after)


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


def test_product_cannot_be_changed(shop: Shop) -> None:
    product_id = shop.make_product()
    option_id = make(shop, product_id)
    put(shop, option_id, {"product_id": shop.make_product(), "company_id": 0})
    record = read(shop, option_id)
    assert record["product_id"] == str(product_id)
    assert record["company_id"] == str(shop.store)


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


def test_texts_are_kept_per_language(shop: Shop) -> None:
    option_id = make(shop, shop.make_product())
    first, _ = variant_ids(shop, option_id)
    body = {"option_name": "Deckel", "lang_code": "de",
            "variants": {first: {"variant_name": "Ohne"}}}  # fmt: skip
    put(shop, option_id, body)
    german = shop.root.get(f"options/{option_id}?lang_code=de").get_json()
    english = read(shop, option_id)
    assert (german["option_name"], english["option_name"]) == ("Deckel", "Lid")
    names = [r["variants"][first]["variant_name"] for r in (german, english)]
    assert names == ["Ohne", "Without"]


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


def test_number_of_statements_does_not_grow(shop: Shop) -> None:
    few, many = shop.make_product(), shop.make_product()
    make(shop, few)
    for _ in range(5):
        make(shop, many)
    seen: list[str] = []
    shop.database.observer = seen.append
    try:
        shop.root.get(f"options?product_id={few}")
        first = len(seen)
        shop.root.get(f"options?product_id={many}")
    finally:
        shop.database.observer = None
    assert len(seen) == 2 * first


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


def test_options_are_read_from_form_bodies_in_2_0(shop: Shop) -> None:
    product_id = shop.make_product()
    body = (f"product_id={product_id}&option_name=Lid&option_type=R"
            "&variants[1][variant_name]=Without&variants[2][variant_name]=Oak"
            "&variants[2][modifier]=3.5")  # fmt: skip
    answer = shop.root.request("POST", "options", data=body, content_type="text/plain")
    assert answer.status_code == 201, answer.get_data(as_text=True)
    variants = read(shop, answer.get_json()["option_id"])["variants"].values()
    assert [(v["variant_name"], v["modifier"]) for v in variants] == [
        ("Without", "0.000"),
        ("Oak", "3.500"),
    ]


@pytest.mark.parametrize("value", [None, "x", 7, {"a": 1}, [[]]])
def test_odd_variants_are_never_500(shop: Shop, value: Any) -> None:
    body = {"product_id": shop.make_product(), "option_name": "x", "variants": value}
    expected = 201 if value is None else 400
    assert shop.root.post("options", body).status_code == expected
    body = {**body, "variants": [], "main_pair": value}
    assert shop.root.post("options", body).status_code in (201, 400)
