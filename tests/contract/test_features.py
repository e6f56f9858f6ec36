"""Features: definitions, their variants, and how they may change."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi.core.rows import table_of
from storeapi.models import (
    FeatureCategory,
    FeatureText,
    FeatureVariant,
    Product,
    VariationGroup,
    VariationGroupFeature,
)
from tests.sending_back import check_sent_back
from tests.shop import NOW, Shop

GLAZES = [{"variant": "matt", "position": 10}, {"variant": "glossy", "position": 20}]


def make(shop: Shop, description: str = "Glaze", **values: Any) -> int:
    body = {"description": description, "feature_type": "S", **values}
    answer = shop.root.post("features", body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["feature_id"])


def one(shop: Shop, id: int, query: str = "") -> Any:
    return shop.root.get(f"features/{id}{query}").get_json()


def names(shop: Shop, query: str = "") -> list[str]:
    found = shop.root.get(f"features?items_per_page=0{query}").get_json()["features"]
    return [record["description"] for record in found]


def variants(shop: Shop, id: int, query: str = "") -> dict[str, str]:
    found = one(shop, id, query)["variants"]
    return {key: each["variant"] for key, each in found.items()}


def group_of(shop: Shop, feature: int, **values: Any) -> int:
    """A variation group built on a feature."""
    group = shop.insert(
        VariationGroup, company_id=shop.store, code="PV-1", created_at=NOW, **values
    )
    row = {"group_id": group, "feature_id": feature, "purpose": "group_catalog_item"}
    shop.insert(VariationGroupFeature, **row)
    return group


# Records


def test_post_answers_the_number_and_where_it_is(shop: Shop) -> None:
    answer = shop.root.post("features", {"description": "G", "feature_type": "S"})
    id = answer.get_json()["feature_id"]
    assert (answer.status_code, answer.get_json()) == (201, {"feature_id": id})
    assert isinstance(id, int)
    assert answer.headers["Location"] == f"/api/2.0/features/{id}"


def test_new_feature_has_the_defaults_of_the_contract(shop: Shop) -> None:
    id = make(shop)
    assert one(shop, id) == {
        "feature_id": str(id),
        "feature_code": "",
        "company_id": str(shop.store),
        "description": "Glaze",
        "internal_name": "Glaze",
        "feature_type": "S",
        "purpose": "find_products",
        "feature_style": "text",
        "filter_style": "checkbox",
        "categories_path": "",
        "parent_id": "0",
        "group_position": None,
        "position": "0",
        "status": "A",
        "comparison": "N",
        "display_on_catalog": "N",
        "display_on_product": "N",
        "display_on_header": "N",
        "prefix": "",
        "suffix": "",
        "full_description": "",
        "lang_code": "en",
        "variants": [],
    }


def test_list_records_have_neither_variants_nor_fields_of_one(shop: Shop) -> None:
    make(shop, variants=GLAZES)
    record = shop.root.get("features").get_json()["features"][0]
    hidden = {"variants", "feature_code", "internal_name"}
    assert (len(record), hidden & set(record)) == (20, set())


def test_version_1_lists_by_id(shop: Shop) -> None:
    id = make(shop)
    body = shop.root.get("/api/features").get_json()
    assert list(body) == ["features", "search"]
    assert list(body["features"]) == [str(id)]


def test_required_are_description_and_type(shop: Shop) -> None:
    answer = shop.root.post("features", {"position": 1})
    found = {error["field"] for error in answer.get_json()["errors"]}
    assert (answer.status_code, found) == (400, {"description", "feature_type"})


@pytest.mark.parametrize(
    ("letter", "look"),
    [
        ("C", ("find_products", "checkbox", "checkbox")),
        ("M", ("find_products", "multiple_checkbox", "checkbox")),
        ("S", ("find_products", "text", "checkbox")),
        ("N", ("find_products", "text", "slider")),
        ("E", ("organize_catalog", "brand", "checkbox")),
        ("T", ("describe_product", "text", "")),
        ("O", ("find_products", "text", "slider")),
        ("D", ("find_products", "text", "date")),
        ("G", ("", "", "")),
    ],
)
def test_look_is_inferred_from_the_type(
    shop: Shop, letter: str, look: tuple[str, ...]
) -> None:
    record = one(shop, make(shop, feature_type=letter))
    shown = tuple(record[n] for n in ("purpose", "feature_style", "filter_style"))
    assert shown == look


def test_variation_purpose_has_a_drop_down(shop: Shop) -> None:
    record = one(shop, make(shop, purpose="group_catalog_item"))
    assert record["feature_style"] == "dropdown"


def test_variation_purpose_needs_a_type_with_one_variant(shop: Shop) -> None:
    body = {"description": "A", "feature_type": "M", "purpose": "group_catalog_item"}
    answer = shop.root.post("features", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "purpose"


def test_put_of_the_record_read_changes_nothing(shop: Shop) -> None:
    id = make(shop, variants=GLAZES, categories_path=str(shop.category), prefix="a")
    record, before = one(shop, id), shop.everything()
    answer = shop.root.put(f"features/{id}", record)
    assert (answer.status_code, answer.get_json()) == (200, {"feature_id": str(id)})
    assert shop.everything() == before


def test_form_body_disables_a_feature(shop: Shop) -> None:
    id = make(shop)
    options = {"data": "status=D", "content_type": "text/plain"}
    answer = shop.root.request("PUT", f"features/{id}", **options)
    assert (answer.status_code, answer.get_json()) == (200, {"feature_id": str(id)})
    assert one(shop, id)["status"] == "D"


def test_texts_are_kept_per_language(shop: Shop) -> None:
    id = make(shop, variants=[{"variant": "matt"}])
    (key,) = variants(shop, id)
    change = {"description": "Glasur", "variants": {key: {"variant": "stumpf"}}}
    shop.root.put(f"features/{id}?lang_code=de", change)
    assert (one(shop, id)["description"], variants(shop, id)) == (
        "Glaze",
        {key: "matt"},
    )
    german = one(shop, id, "?lang_code=de")
    assert (german["description"], german["lang_code"]) == ("Glasur", "de")
    assert variants(shop, id, "?lang_code=de") == {key: "stumpf"}


def test_unknown_feature_is_not_found(shop: Shop) -> None:
    assert shop.root.get("features/77").status_code == 404
    assert shop.root.put("features/77", {"position": 1}).status_code == 404
    assert shop.root.delete("features/77").status_code == 404


# Variants


def test_variants_are_taken_as_array_and_as_object(shop: Shop) -> None:
    first = make(shop, variants=GLAZES)
    second = make(shop, "Other", variants={"a": GLAZES[0], "b": GLAZES[1]})
    assert list(variants(shop, first).values()) == ["matt", "glossy"]
    assert list(variants(shop, second).values()) == ["matt", "glossy"]


def test_variant_has_the_fields_of_the_contract(shop: Shop) -> None:
    id = make(shop, variants=[{"variant": "matt", "color": "#1E90FF", "url": "x"}])
    ((key, record),) = one(shop, id)["variants"].items()
    assert record == {
        "variant_id": key,
        "variant": "matt",
        "description": "",
        "page_title": "",
        "meta_keywords": "",
        "meta_description": "",
        "lang_code": "en",
        "feature_id": str(id),
        "feature_type": "S",
        "url": "x",
        "color": "#1e90ff",
        "position": "0",
        "seo_name": None,
        "seo_path": None,
        "image_pair": None,
    }


@pytest.mark.parametrize(
    ("color", "shown"), [("", None), (None, None), ("#ABCDEF", "#abcdef")]
)
def test_colour_of_a_variant_is_taken(
    shop: Shop, color: Any, shown: str | None
) -> None:
    id = make(shop, variants=[{"variant": "matt", "color": color}])
    (variant,) = one(shop, id)["variants"].values()
    assert variant["color"] == shown


@pytest.mark.parametrize("color", ["red", "#12345", "1e90ff", "#1e90fg"])
def test_what_is_no_colour_is_refused(shop: Shop, color: str) -> None:
    body = {"description": "A", "feature_type": "S"}
    body |= {"variants": [{"variant": "matt", "color": color}]}
    answer = shop.root.post("features", body)
    (error,) = answer.get_json()["errors"]
    assert (answer.status_code, error["field"]) == (400, "variants.0.color")


def test_types_without_variants_have_no_such_key(shop: Shop) -> None:
    assert "variants" not in one(shop, make(shop, feature_type="T"))


def test_types_without_variants_take_none(shop: Shop) -> None:
    body = {"description": "A", "feature_type": "T", "variants": GLAZES}
    assert shop.root.post("features", body).status_code == 400


def test_put_with_variants_replaces_the_set(shop: Shop) -> None:
    id = make(shop, variants=GLAZES)
    matt, glossy = variants(shop, id)
    change = [{"variant_id": glossy, "variant": "shiny"}, {"variant": "raw"}]
    assert shop.root.put(f"features/{id}", {"variants": change}).status_code == 200
    found = variants(shop, id)
    assert sorted(found.values()) == ["raw", "shiny"]
    assert found[glossy] == "shiny"
    assert matt not in found


def test_put_without_variants_leaves_them_alone(shop: Shop) -> None:
    id = make(shop, variants=GLAZES)
    before = variants(shop, id)
    for body in ({"suffix": "!"}, {"suffix": "?", "variants": None}):
        assert shop.root.put(f"features/{id}", body).status_code == 200
        assert variants(shop, id) == before


def test_variant_of_the_same_name_is_not_doubled(shop: Shop) -> None:
    id = make(shop, variants=GLAZES)
    before = list(variants(shop, id))
    sent = [{"variant": "MATT"}, {"variant": "Glossy"}]
    shop.root.put(f"features/{id}", {"variants": sent})
    assert variants(shop, id) == dict(zip(before, ["MATT", "Glossy"], strict=True))


def test_name_of_a_variant_is_surer_than_its_key(shop: Shop) -> None:
    id = make(shop, variants=GLAZES)
    matt, glossy = variants(shop, id)
    sent = {matt: {"variant": "Glossy"}, glossy: {"variant": "raw"}}
    assert shop.root.put(f"features/{id}", {"variants": sent}).status_code == 200
    found = variants(shop, id)
    assert found.pop(glossy) == "Glossy"
    assert list(found.values()) == ["raw"]
    assert matt not in found


def test_variant_keeps_what_is_not_sent(shop: Shop) -> None:
    id = make(shop, variants=[{"variant": "matt", "description": "dull"}])
    (key,) = variants(shop, id)
    change = {"variants": [{"variant_id": key, "position": "5"}]}
    shop.root.put(f"features/{id}", change)
    record = one(shop, id)["variants"][key]
    shown = (record["variant"], record["description"], record["position"])
    assert shown == ("matt", "dull", "5")


def test_variant_names_are_unique_inside_a_feature(shop: Shop) -> None:
    body = {"description": "A", "feature_type": "S"}
    body |= {"variants": [{"variant": "Matt"}, {"variant": "matt"}]}
    answer = shop.root.post("features", body)
    (error,) = answer.get_json()["errors"]
    assert (answer.status_code, error["field"]) == (400, "variants.1.variant")


def test_names_that_are_alike_in_a_language_may_stay_so(shop: Shop) -> None:
    id = make(shop, variants=[{"variant": "rose"}, {"variant": "red"}])
    rose, red = variants(shop, id)
    change = {"lang_code": "de", "variants": {rose: {"variant": "Pink"}, red: {}}}
    assert shop.root.put(f"features/{id}", change).status_code == 200
    sent = [{"variant_id": rose}, {"variant_id": red}, {"variant": "pink"}]
    assert shop.root.put(f"features/{id}", {"variants": sent}).status_code == 200
    (pink,) = variants(shop, id).keys() - {rose, red}
    alike = {rose: "Pink", red: "red", pink: "pink"}
    assert variants(shop, id, "?lang_code=de") == alike
    for query in ("", "?lang_code=de"):
        check_sent_back(shop, f"features/{id}{query}")
    for key, name in ((red, "PINK"), (pink, "Red"), (rose, "Red")):
        kept: dict[str, Any] = {each: {"variant_id": each} for each in alike}
        kept[key]["variant"] = name
        body = {"lang_code": "de", "variants": kept}
        answer = shop.root.put(f"features/{id}", body)
        (error,) = answer.get_json()["errors"]
        assert (answer.status_code, error["code"]) == (400, "taken")
        assert error["field"] == f"variants.{key}.variant"


def test_variant_that_is_named_by_two_entries_is_refused(shop: Shop) -> None:
    id = make(shop, variants=GLAZES)
    matt, glossy = variants(shop, id)
    for name in ("matt", "dull"):
        sent = [{"variant_id": matt}, {"variant_id": matt, "variant": name}]
        body = {"variants": [*sent, {"variant_id": glossy}]}
        answer = shop.root.put(f"features/{id}", body)
        (error,) = answer.get_json()["errors"]
        assert (answer.status_code, error["field"]) == (400, "variants.1.variant")


def test_variant_of_another_feature_is_refused(shop: Shop) -> None:
    other = make(shop, variants=[{"variant": "matt"}])
    (key,) = variants(shop, other)
    id = make(shop, "Other")
    sent = {"variants": [{"variant_id": key, "variant": "x"}]}
    assert shop.root.put(f"features/{id}", sent).status_code == 400
    assert variants(shop, other) == {key: "matt"}


def test_copied_record_makes_variants_of_its_own(shop: Shop) -> None:
    id = make(shop, variants=GLAZES)
    copy = make(shop, variants=one(shop, id)["variants"])
    assert list(variants(shop, copy).values()) == ["matt", "glossy"]
    assert variants(shop, id).keys().isdisjoint(variants(shop, copy))


def test_variant_needs_a_name(shop: Shop) -> None:
    body = {"description": "A", "feature_type": "S", "variants": [{"position": 1}]}
    answer = shop.root.post("features", body)
    (error,) = answer.get_json()["errors"]
    assert (error["field"], error["code"]) == ("variants.0.variant", "required")


def test_variants_of_numbers_are_decimals(shop: Shop) -> None:
    body = {"description": "A", "feature_type": "N", "variants": [{"variant": "big"}]}
    assert shop.root.post("features", body).status_code == 400
    id = make(shop, feature_type="N", variants=[{"variant": "16"}])
    assert list(variants(shop, id).values()) == ["16"]


def test_variants_of_numbers_differ_by_number(shop: Shop) -> None:
    names = [{"variant": "1"}, {"variant": "1.0"}, {"variant": "2"}, {"variant": "01"}]
    body = {"description": "A", "feature_type": "N", "variants": names}
    errors = shop.root.post("features", body).get_json()["errors"]
    assert [(each["field"], each["code"]) for each in errors] == [
        ("variants.1.variant", "taken"),
        ("variants.3.variant", "taken"),
    ]
    id = make(shop, feature_type="N", variants=[{"variant": "1"}, {"variant": "2"}])
    first, second = variants(shop, id)
    before = shop.everything()
    kept = [{"variant_id": first}, {"variant_id": second}]
    for sent in ([kept[0], kept[1] | {"variant": "1.00"}], [*kept, {"variant": "1.0"}]):
        answer = shop.root.put(f"features/{id}", {"variants": sent})
        assert answer.status_code == 400
        (error,) = answer.get_json()["errors"]
        assert error["field"] == f"variants.{len(sent) - 1}.variant"
    assert shop.everything() == before
    # Two may change places, and what is alike already may stay.
    swapped = {first: {"variant": "2.0"}, second: {"variant": "1.0"}}
    assert shop.root.put(f"features/{id}", {"variants": swapped}).status_code == 200
    shop.change(FeatureVariant, {"feature_id": id}, {"value_int": 1_000_000})
    check_sent_back(shop, f"features/{id}")
    make(shop, feature_type="S", variants=names)


def test_deleted_variant_takes_the_values_of_products_along(shop: Shop) -> None:
    id = make(shop, variants=GLAZES)
    matt, glossy = variants(shop, id)
    product = shop.make_product(product_features={id: matt})
    shop.root.put(f"features/{id}", {"variants": [{"variant_id": glossy}]})
    assert shop.root.get(f"products/{product}").get_json()["product_features"] == []


def test_variant_that_tells_variations_apart_stays(shop: Shop) -> None:
    id = make(shop, variants=GLAZES)
    matt, glossy = variants(shop, id)
    product = shop.make_product(product_features={id: matt})
    group = group_of(shop, id)

    def join(db: Any) -> None:
        where = {"product_id": product}
        db.update(table_of(Product), where, {"variation_group_id": group})

    shop.database.write(join)
    change = {"variants": [{"variant_id": glossy}]}
    assert shop.root.put(f"features/{id}", change).status_code == 400
    assert list(variants(shop, id)) == [matt, glossy]


def test_brand_has_a_picture(shop: Shop) -> None:
    picture = {"detailed": {"image_path": "https://cdn.example/n.png", "alt": "N"}}
    sent = [{"variant": "Nordtopf", "image_pair": picture}]
    id = make(shop, "Brand", feature_type="E", variants=sent)
    record, before = one(shop, id), shop.everything()
    (variant,) = record["variants"].values()
    pair = variant["image_pair"]
    shown = (pair["object_type"], pair["object_id"], pair["detailed"]["alt"])
    assert shown == ("feature_variant", variant["variant_id"], "N")
    shop.root.put(f"features/{id}", record)
    assert shop.everything() == before
    shop.root.delete(f"features/{id}")
    assert shop.everything()["image_pairs"] == []


@pytest.mark.parametrize("keys", [None, ("a", "b")])
def test_fault_of_a_picture_names_its_place(shop: Shop, keys: Any) -> None:
    private = {"icon": {"image_path": "http://127.0.0.1/a.png"}}
    sent: Any = [{"variant": "Nordtopf"}, {"variant": "Ost", "image_pair": private}]
    place = "variants.1.image_pair.icon.image_path"
    if keys is not None:
        sent = dict(zip(keys, sent, strict=True))
        place = "variants.b.image_pair.icon.image_path"
    id = make(shop, "Brand", feature_type="E", variants=GLAZES)
    body = {"description": "A", "feature_type": "E", "variants": sent}
    before = shop.everything()
    for answer in (
        shop.root.post("features", body),
        shop.root.put(f"features/{id}", body),
    ):
        assert answer.status_code == 400
        (error,) = answer.get_json()["errors"]
        assert error["field"] == place
    assert shop.everything() == before


def test_get_variants_switches_them(shop: Shop) -> None:
    id = make(shop, variants=GLAZES)
    assert "variants" not in one(shop, id, "?get_variants=N")
    listed = shop.root.get("features?get_variants=Y").get_json()["features"]
    assert len(listed[0]["variants"]) == 2


# Groups, types


def test_group_gives_its_position_to_members(shop: Shop) -> None:
    group = make(shop, "Group", feature_type="G", position=7)
    id = make(shop, parent_id=group)
    assert one(shop, id)["group_position"] == "7"
    shop.root.put(f"features/{group}", {"position": 9})
    assert one(shop, id)["group_position"] == "9"
    shop.root.put(f"features/{id}", {"parent_id": "0"})
    assert one(shop, id)["group_position"] is None


@pytest.mark.parametrize("letter", ["S", "T"])
def test_parent_must_be_a_group(shop: Shop, letter: str) -> None:
    body = {"description": "A", "feature_type": "S"}
    body["parent_id"] = str(make(shop, feature_type=letter))
    assert shop.root.post("features", body).status_code == 400
    assert shop.root.post("features", body | {"parent_id": 777}).status_code == 400


def test_group_has_no_parent(shop: Shop) -> None:
    group = make(shop, "Group", feature_type="G")
    body = {"description": "A", "feature_type": "G", "parent_id": group}
    assert shop.root.post("features", body).status_code == 400


def test_group_that_becomes_something_else_frees_its_members(shop: Shop) -> None:
    group = make(shop, "Group", feature_type="G", position=7)
    id = make(shop, parent_id=group)
    assert shop.root.put(f"features/{group}", {"feature_type": "T"}).status_code == 200
    record = one(shop, id)
    assert (record["parent_id"], record["group_position"]) == ("0", None)


def test_member_that_becomes_a_group_leaves_its_own(shop: Shop) -> None:
    group = make(shop, "Group", feature_type="G")
    id = make(shop, parent_id=group)
    assert shop.root.put(f"features/{id}", {"feature_type": "G"}).status_code == 200
    assert one(shop, id)["parent_id"] == "0"
    answer = shop.root.put(f"features/{id}", {"parent_id": group})
    assert answer.status_code == 400


def test_deleted_group_frees_its_members(shop: Shop) -> None:
    group = make(shop, "Group", feature_type="G", position=7)
    id = make(shop, parent_id=group)
    assert shop.root.delete(f"features/{group}").status_code == 204
    record = one(shop, id)
    assert (record["parent_id"], record["group_position"]) == ("0", None)


@pytest.mark.parametrize("letter", ["N", "E", "M"])
def test_type_changes_among_those_with_variants(shop: Shop, letter: str) -> None:
    id = make(shop, variants=[{"variant": "16"}])
    (key,) = variants(shop, id)
    shop.make_product(product_features={id: key})
    answer = shop.root.put(f"features/{id}", {"feature_type": letter})
    assert answer.status_code == 200
    assert variants(shop, id) == {key: "16"}


def test_type_in_use_does_not_lose_values(shop: Shop) -> None:
    id = make(shop, variants=GLAZES)
    shop.make_product(product_features={id: next(iter(variants(shop, id)))})
    before = shop.everything()
    answer = shop.root.put(f"features/{id}", {"feature_type": "T"})
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "feature_type"
    assert shop.everything() == before


def test_several_variants_do_not_become_one(shop: Shop) -> None:
    id = make(shop, feature_type="M", variants=GLAZES)
    shop.make_product(product_features={id: list(variants(shop, id))})
    answer = shop.root.put(f"features/{id}", {"feature_type": "S"})
    assert answer.status_code == 400


def test_type_of_an_unused_feature_is_free(shop: Shop) -> None:
    id = make(shop, variants=GLAZES)
    assert shop.root.put(f"features/{id}", {"feature_type": "T"}).status_code == 200
    record = one(shop, id)
    assert (record["purpose"], "variants" in record) == ("describe_product", False)
    shop.root.put(f"features/{id}", {"feature_type": "S"})
    assert one(shop, id)["variants"] == []


def test_chosen_look_stays_when_the_type_changes(shop: Shop) -> None:
    id = make(shop, purpose="describe_product", filter_style="color")
    shop.root.put(f"features/{id}", {"feature_type": "E"})
    record = one(shop, id)
    shown = [record[n] for n in ("purpose", "feature_style", "filter_style")]
    assert shown == ["describe_product", "brand", "color"]


# Deletion


def test_deleted_feature_takes_all_along(shop: Shop) -> None:
    empty = shop.everything()["feature_texts"]
    id = make(shop, variants=GLAZES, categories_path=str(shop.category))
    product = shop.make_product(product_features={id: next(iter(variants(shop, id)))})
    answer = shop.root.delete(f"features/{id}")
    assert (answer.status_code, answer.data) == (204, b"")
    rows = shop.everything()
    assert rows["feature_texts"] == empty == []
    assert rows["feature_variants"] == rows["feature_variant_texts"] == []
    assert rows["feature_categories"] == rows["product_feature_values"] == []
    assert shop.root.get(f"products/{product}").get_json()["product_features"] == []


def test_feature_of_a_variation_group_stays(shop: Shop) -> None:
    id = make(shop, purpose="group_catalog_item", variants=GLAZES)
    group_of(shop, id)
    before = shop.everything()
    assert shop.root.delete(f"features/{id}").status_code == 400
    assert shop.everything() == before


# Lists


def test_list_begins_with_groups(shop: Shop) -> None:
    late = make(shop, "Late group", feature_type="G", position=5)
    make(shop, "Early group", feature_type="G", position=1)
    make(shop, "In late", parent_id=late)
    make(shop, "Second", position=2)
    make(shop, "b first", position=1)
    make(shop, "A first", position=1)
    assert names(shop) == [
        "Early group", "Late group", "A first", "b first", "Second", "In late"
    ]  # fmt: skip


def test_list_sorts_by_name_id_and_type(shop: Shop) -> None:
    make(shop, "b", feature_type="T")
    make(shop, "A")
    assert names(shop, "&sort_by=description") == ["A", "b"]
    assert names(shop, "&sort_by=feature_id&sort_order=desc") == ["A", "b"]
    assert names(shop, "&sort_by=feature_type&sort_order=desc") == ["b", "A"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("feature_types=T,M", ["many", "text"]),
        ("feature_types[]=T", ["text"]),
        ("feature_type=S", ["in group", "plain"]),
        ("description=AI", ["plain"]),
        ("description=%25", []),
        ("status=D", ["text"]),
        ("purpose=describe_product", ["text"]),
        ("display_on_catalog=Y", ["many"]),
        ("parent_id=0", ["group", "many", "plain", "text"]),
        ("group_position=3", ["in group"]),
        ("company_id=0", []),
    ],
)
def test_list_is_cut_by(shop: Shop, query: str, found: list[str]) -> None:
    group = make(shop, "group", feature_type="G", position=3)
    make(shop, "plain")
    make(shop, "text", feature_type="T", status="D")
    make(shop, "many", feature_type="M", display_on_catalog="Y")
    make(shop, "in group", parent_id=group)
    assert sorted(names(shop, f"&{query}")) == found


def test_categories_include_what_applies_above_and_everywhere(shop: Shop) -> None:
    inner = shop.make_category("Inner", parent=shop.category)
    other = shop.make_category("Other")
    make(shop, "a", categories_path=str(shop.category))
    make(shop, "b", categories_path=f"{other},{inner}")
    make(shop, "c")
    assert names(shop, f"&category_ids={inner}") == ["a", "b", "c"]
    assert names(shop, f"&category_ids={shop.category}") == ["a", "c"]
    assert names(shop, f"&categories_path={other},{inner}") == ["b"]
    assert one(shop, make(shop, categories_path=[other, inner]))["categories_path"] == (
        f"{other},{inner}"
    )


def test_categories_of_others_are_as_unknown(shop: Shop) -> None:
    far = shop.make_category("Far", company_id=shop.other_store)
    shared = shop.make_category("Shared", company_id=0)
    make(shop, "everywhere")
    caller = shop.caller("view_catalog", company_id=shop.store)
    for reader, category, total in (
        (caller, shop.category, "1"),
        (caller, shared, "1"),
        (caller, far, "0"),
        (caller, 999999, "0"),
        (shop.root, far, "1"),
    ):
        answer = reader.get(f"features?category_ids={category}")
        assert answer.headers["X-Total-Count"] == total


def test_categories_must_exist(shop: Shop) -> None:
    id = make(shop)
    answer = shop.root.put(f"features/{id}", {"categories_path": "777"})
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "categories_path"


def group(shop: Shop) -> str:
    return str(make(shop, "Group", feature_type="G"))


@pytest.mark.parametrize("name", ["categories_path", "parent_id"])
def test_company_names_what_is_its_own_or_shared(shop: Shop, name: str) -> None:
    foreign = {"categories_path": str(shop.category), "parent_id": group(shop)}[name]
    path = f"stores/{shop.other_store}/features"
    body = {"description": "A", "feature_type": "T"}
    before = shop.everything()
    answer = shop.root.post(path, body | {name: foreign})
    assert answer.status_code == 400
    assert [error["field"] for error in answer.get_json()["errors"]] == [name]
    assert shop.everything() == before
    shared = {
        "categories_path": str(shop.make_category("Shared", company_id=0)),
        "parent_id": str(make(shop, "Shared", feature_type="G", company_id=0)),
    }
    id = shop.root.make(path, **body, **shared)
    answer = shop.root.put(f"features/{id}", {name: foreign})
    assert answer.status_code == 400
    check_sent_back(shop, f"features/{id}")
    common = make(shop, company_id=0, **{name: foreign})
    assert one(shop, common)[name] == foreign


@pytest.mark.parametrize("name", ["categories_path", "parent_id"])
def test_feature_moves_with_what_its_new_owner_may_name(shop: Shop, name: str) -> None:
    own = {"categories_path": str(shop.category), "parent_id": group(shop)}[name]
    id, move = make(shop, **{name: own}), {"company_id": shop.other_store}
    before = shop.everything()
    for body in (move, move | {name: own}, one(shop, id) | move):
        answer = shop.root.put(f"features/{id}", body)
        assert answer.status_code == 400
        assert [error["field"] for error in answer.get_json()["errors"]] == [name]
    assert shop.everything() == before
    assert shop.root.put(f"features/{id}", move | {name: None}).status_code == 200
    assert one(shop, id)["company_id"] == str(shop.other_store)


def test_group_that_moves_leaves_members_that_may_not_name_it(shop: Shop) -> None:
    companies = (0, shop.store, shop.other_store)
    moved = {0: companies, shop.store: companies[:2], shop.other_store: companies[::2]}
    for company_id, staying in moved.items():
        group = make(shop, "Group", feature_type="G", company_id=0, position=7)
        members = {
            each: make(shop, company_id=each, parent_id=group) for each in companies
        }
        body = {"company_id": company_id, "position": 9}
        assert shop.root.put(f"features/{group}", body).status_code == 200
        for each, id in members.items():
            record = one(shop, id)
            shown = (record["parent_id"], record["group_position"])
            assert shown == ((str(group), "9") if each in staying else ("0", None))
            check_sent_back(shop, f"features/{id}")


def test_foreign_category_that_a_feature_has_may_stay(shop: Shop) -> None:
    id = make(shop, company_id=shop.other_store)
    shop.insert(FeatureCategory, feature_id=id, category_id=shop.category)
    rights = ("view_catalog", "manage_catalog")
    admin = shop.caller(*rights, company_id=shop.other_store)
    own = shop.make_category("Own", company_id=shop.other_store)
    for sent in (f"{shop.category}", f"{shop.category},{own}", f"{own}"):
        answer = admin.put(f"features/{id}", {"categories_path": sent})
        assert answer.status_code == 200
        assert one(shop, id)["categories_path"] == sent
    again = {"categories_path": str(shop.category)}
    assert admin.put(f"features/{id}", again).status_code == 400


def test_bad_filter_is_named(shop: Shop) -> None:
    for query in ("product_id=x", "category_ids=a", "company_id=b"):
        answer = shop.root.get(f"features?{query}")
        assert answer.status_code == 400
        assert answer.get_json()["errors"][0]["field"] == query.partition("=")[0]


# Companies


def test_path_of_a_company_fixes_it(shop: Shop) -> None:
    answer = shop.root.post(
        f"vendors/{shop.vendor}/features",
        {"description": "A", "feature_type": "T", "company_id": shop.store},
    )
    id = answer.get_json()["feature_id"]
    assert one(shop, id)["company_id"] == str(shop.vendor)
    assert shop.root.get(f"vendors/{shop.vendor}/features/{id}").status_code == 200
    assert shop.root.get(f"stores/{shop.store}/features/{id}").status_code == 404
    body = shop.root.get(f"stores/{shop.store}/features").get_json()
    assert body["features"] == []


def test_vendor_sees_common_features_and_own_ones(shop: Shop) -> None:
    caller = shop.caller(user_type="V", company_id=shop.vendor)
    common, own = make(shop, company_id=0), make(shop, company_id=shop.vendor)
    foreign = make(shop)
    listed = caller.get("features").get_json()["features"]
    assert [record["feature_id"] for record in listed] == [str(common), str(own)]
    assert caller.get(f"features/{foreign}").status_code == 404


def test_vendor_changes_own_features_only(shop: Shop) -> None:
    caller = shop.caller(user_type="V", company_id=shop.vendor)
    common, own = make(shop, company_id=0), make(shop, company_id=shop.vendor)
    assert caller.put(f"features/{own}", {"position": 1}).status_code == 200
    before = shop.everything()
    assert caller.put(f"features/{common}", {"position": 1}).status_code == 403
    assert caller.delete(f"features/{common}").status_code == 403
    assert caller.put(f"features/{make(shop)}", {"position": 1}).status_code == 404
    assert before["features"][0] == shop.everything()["features"][0]


def test_vendor_creates_in_the_own_company(shop: Shop) -> None:
    caller = shop.caller(user_type="V", company_id=shop.vendor)
    body = {"description": "A", "feature_type": "T", "company_id": shop.store}
    id = caller.post("features", body).get_json()["feature_id"]
    assert one(shop, id)["company_id"] == str(shop.vendor)


def test_vendor_names_no_group_of_others(shop: Shop) -> None:
    caller = shop.caller(user_type="V", company_id=shop.vendor)
    group = make(shop, "Group", feature_type="G")
    body = {"description": "A", "feature_type": "T", "parent_id": group}
    assert caller.post("features", body).status_code == 400


def test_privileges_are_those_of_the_catalogue(shop: Shop) -> None:
    id = make(shop)
    reader = shop.caller("view_catalog")
    assert reader.get(f"features/{id}").status_code == 200
    assert reader.put(f"features/{id}", {"position": 1}).status_code == 403
    assert shop.caller("view_users").get("features").status_code == 403


def test_customers_see_active_features_without_names_for_the_staff(
    make_app: Callable[..., Flask],
) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    id, hidden = make(shop), make(shop, status="H")
    product = shop.make_product(product_features={make(shop, feature_type="T"): "a"})
    record = shop.anonymous.get(f"features/{id}").get_json()
    assert {"internal_name", "feature_code"}.isdisjoint(record)
    assert shop.anonymous.get(f"features/{hidden}").status_code == 404
    shown = shop.anonymous.get(f"products/{product}").get_json()["product_features"]
    (value,) = shown.values()
    assert (value["value"], "internal_name" in value) == ("a", False)


def test_list_takes_the_same_statements_for_any_number(shop: Shop) -> None:
    def statements() -> int:
        seen: list[str] = []
        shop.database.observer = seen.append
        shop.root.get("features?items_per_page=100&get_variants=Y")
        shop.database.observer = None
        return len(seen)

    make(shop, variants=GLAZES, categories_path=str(shop.category))
    first = statements()
    for number in range(5):
        make(shop, f"F{number}", variants=GLAZES)
    assert statements() == first


def test_every_language_has_the_texts(shop: Shop) -> None:
    make(shop)
    rows = shop.everything()[table_of(FeatureText).name]
    assert sorted(row[1] for row in rows) == ["de", "en"]
