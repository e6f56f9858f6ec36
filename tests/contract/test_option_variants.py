"""Variants of options and their icons (spec/entities/options.md, rules 2 to 5)."""

from typing import Any

import pytest

from tests.album import encoded
from tests.choosing import LID, make, put, read, variant_ids
from tests.sending_back import check_sent_back
from tests.shop import Shop


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
    put(shop, option_id, {"comment": "old"})
    put(shop, option_id, {"comment": "new", "variants": None})
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
    paths = {"icon": {"image_path": {"x": "https://cdn.example/lid.jpg"}}}
    body = put(shop, option_id, {"main_pair": paths}, 400)
    assert body["errors"][0]["field"] == "main_pair.icon.image_path.x"


def test_icons_come_by_the_keys_that_were_sent_whatever_the_ids(shop: Shop) -> None:
    product_id = shop.make_product()
    last = int(variant_ids(shop, make(shop, product_id))[-1])
    key = str(last + 2)  # this will be the ID of the other one
    variants = {key: {"variant_name": "A"}, "b": {"variant_name": "B"}}
    icons = {"icon": {"image_path": {key: "https://cdn.example/a.jpg"}}}
    option_id = make(shop, product_id, variants=variants, main_pair=icons)
    a, b = read(shop, option_id)["variants"].values()
    assert (a["variant_name"], b["image_pair"]) == ("A", [])
    assert a["image_pair"]["icon"]["image_path"] == "https://cdn.example/a.jpg"


def test_image_pair_of_a_variant_is_written(shop: Shop) -> None:
    pair = {"icon": {"data": encoded()}}
    variants = [{"variant_name": "Red", "image_pair": pair}]
    option_id = make(shop, shop.make_product(), variants=variants)
    (variant,) = read(shop, option_id)["variants"].values()
    assert variant["image_pair"]["icon"]["image_x"] == "8"


def test_change_of_type_inside_s_and_r_keeps_variants(shop: Shop) -> None:
    option_id = make(shop, shop.make_product())
    before = variant_ids(shop, option_id)
    put(shop, option_id, {"option_type": "S"})
    assert variant_ids(shop, option_id) == before


@pytest.mark.parametrize("kind", ["S", "R", "I"])
def test_a_check_box_that_becomes_something_else_loses_its_two(
    shop: Shop, kind: str
) -> None:
    option_id = make(shop, shop.make_product(), option_type="C", variants={})
    put(shop, option_id, {"option_type": kind})
    assert read(shop, option_id)["variants"] == []


@pytest.mark.parametrize("kind", ["I", "T", "F"])
def test_what_becomes_a_check_box_has_two_variants(shop: Shop, kind: str) -> None:
    option_id = make(shop, shop.make_product(), option_type=kind, variants=[])
    put(shop, option_id, {"option_type": "C"})
    assert len(read(shop, option_id)["variants"]) == 2
    check_sent_back(shop, f"options/{option_id}")


@pytest.mark.parametrize(("kind", "count"), [("C", 2), ("I", 0), ("T", 0), ("F", 0)])
def test_other_changes_of_type_drop_variants(shop: Shop, kind: str, count: int) -> None:
    option_id = make(shop, shop.make_product())
    before = variant_ids(shop, option_id)
    put(shop, option_id, {"option_type": kind})
    after = variant_ids(shop, option_id)
    assert len(after) == count
    assert set(before).isdisjoint(after)


@pytest.mark.parametrize("value", [None, "x", 7, {"a": 1}, [[]]])
def test_odd_variants_are_never_500(shop: Shop, value: Any) -> None:
    body = {"product_id": shop.make_product(), "option_name": "x", "variants": value}
    expected = 201 if value is None else 400
    assert shop.root.post("options", body).status_code == expected
    body = {**body, "variants": [], "main_pair": value}
    assert shop.root.post("options", body).status_code in (201, 400)
