"""The feature values of products: in their records, and below their paths."""

from typing import Any

import pytest

from storeapi.core.changes import Change
from storeapi.core.rows import table_of
from storeapi.models import Product
from tests.sending_back import check_sent_back
from tests.shop import Shop


def make(shop: Shop, letter: str, *names: str, **values: Any) -> int:
    body = {"description": f"Type {letter}", "feature_type": letter, **values}
    if names:
        body["variants"] = [{"variant": name} for name in names]
    answer = shop.root.post("features", body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["feature_id"])


def variants(shop: Shop, feature: int) -> list[str]:
    return list(shop.root.get(f"features/{feature}").get_json()["variants"])


def values(shop: Shop, product: int, query: str = "") -> Any:
    record = shop.root.get(f"products/{product}{query}").get_json()
    return record["product_features"]


def put(shop: Shop, product: int, sent: Any, query: str = "") -> Any:
    body = {"product_features": sent}
    return shop.root.put(f"products/{product}{query}", body)


def age(shop: Shop) -> None:
    """Make every product one that nobody changed for long."""

    def action(db: Any) -> None:
        db.execute(table_of(Product).update().values(updated_timestamp=5))

    shop.database.write(action)


def changed_at(shop: Shop, product: int) -> int:
    record = shop.root.get(f"products/{product}").get_json()
    return int(record["updated_timestamp"])


# In the record of a product


def test_chosen_variant_has_the_shape_of_the_contract(shop: Shop) -> None:
    brand = make(shop, "E", "Nordtopf", display_on_header="Y")
    (variant,) = variants(shop, brand)
    product = shop.make_product(product_features={brand: variant})
    assert values(shop, product) == {
        str(brand): {
            "feature_id": str(brand),
            "feature_type": "E",
            "internal_name": "Type E",
            "description": "Type E",
            "prefix": "",
            "suffix": "",
            "value": "",
            "value_int": None,
            "variant_id": variant,
            "variant": "Nordtopf",
            "parent_id": "0",
            "display_on_header": "Y",
            "display_on_catalog": "N",
            "display_on_product": "N",
            "feature_code": "",
            "purpose": "organize_catalog",
            "features_hash": f"{brand}-{variant}",
            "variants": {
                variant: {
                    "value": "",
                    "value_int": None,
                    "variant_id": variant,
                    "variant": "Nordtopf",
                    "image_pairs": [],
                }
            },
        }
    }


@pytest.mark.parametrize(
    ("letter", "sent", "shown"),
    [
        ("C", "Y", ("Y", None)),
        ("C", True, ("Y", None)),
        ("C", {"value": "N"}, ("N", None)),
        ("T", "stoneware", ("stoneware", None)),
        ("T", {"value": "clay"}, ("clay", None)),
        ("O", "16.00", ("", "16")),
        ("O", 0.35, ("", "0.35")),
        ("O", {"value_int": "-1.5"}, ("", "-1.5")),
        ("O", {"value": "7"}, ("", "7")),
        ("O", 0, ("", "0")),
        ("D", 1717600000, ("", "1717600000")),
        ("D", {"value_int": "2024-06-05"}, ("", "1717545600")),
    ],
)
def test_value_is_written_short_and_in_full(
    shop: Shop, letter: str, sent: Any, shown: tuple[str, str | None]
) -> None:
    feature = make(shop, letter)
    product = shop.make_product(product_features={str(feature): sent})
    record = values(shop, product)[str(feature)]
    assert (record["value"], record["value_int"]) == shown
    assert (record["variant_id"], record["variant"]) == (None, "")
    assert record["variants"] == []


def test_number_of_a_variant_is_shown_trimmed(shop: Shop) -> None:
    size = make(shop, "N", "16.50")
    (variant,) = variants(shop, size)
    product = shop.make_product(product_features={size: int(variant)})
    record = values(shop, product)[str(size)]
    assert (record["value_int"], record["variant"]) == ("16.5", "16.50")
    assert record["variants"][variant]["value_int"] == "16.5"


def test_translated_name_does_not_move_the_number(shop: Shop) -> None:
    size = make(shop, "N", "1")
    (variant,) = variants(shop, size)
    product = shop.make_product(product_features={size: variant})

    def shown(query: str) -> tuple[str, str]:
        record = values(shop, product, query)[str(size)]
        return record["variant"], record["value_int"]

    def write(query: str, name: str) -> None:
        body = {"variants": [{"variant_id": variant, "variant": name}]}
        answer = shop.root.put(f"features/{size}{query}", body)
        assert answer.status_code == 200

    write("?lang_code=de", "99")
    assert (shown(""), shown("?lang_code=de")) == (("1", "1"), ("99", "1"))
    write("?lang_code=de", "99")
    write("", "2.50")
    assert (shown(""), shown("?lang_code=de")) == (("2.50", "2.5"), ("99", "2.5"))
    check_sent_back(shop, f"features/{size}?lang_code=de")
    body = {"variants": [{"variant_id": variant}, {"variant": "7"}]}
    assert shop.root.put(f"features/{size}?lang_code=de", body).status_code == 200
    assert put(shop, product, {size: {"value_int": 7}}).status_code == 200
    assert shown("") == ("7", "7")


def test_number_alone_finds_its_variant(shop: Shop) -> None:
    size = make(shop, "N", "16", "32")
    product = shop.make_product(product_features={size: {"value_int": "32.0"}})
    assert values(shop, product)[str(size)]["variant"] == "32"
    assert put(shop, product, {size: {"value_int": 64}}).status_code == 400


@pytest.mark.parametrize("shape", ["list", "object", "objects"])
def test_several_variants_are_written_as(shop: Shop, shape: str) -> None:
    feature = make(shop, "M", "red", "green", "blue")
    red, _, blue = variants(shop, feature)
    shapes: dict[str, Any] = {
        "list": [red, int(blue)],
        "object": {"variants": {red: {}, blue: {"variant_id": blue}}},
        "objects": {"variants": [{"variant_id": red}, {"variant_id": blue}]},
    }
    product = shop.make_product(product_features={feature: shapes[shape]})
    record = values(shop, product)[str(feature)]
    assert list(record["variants"]) == [red, blue]
    assert (record["variant_id"], record["variant"]) == (None, "")
    assert record["features_hash"] == f"{feature}-{red}-{blue}"


def test_only_the_features_named_change(shop: Shop) -> None:
    first, second = make(shop, "T"), make(shop, "O")
    product = shop.make_product(product_features={first: "a", second: 1})
    put(shop, product, {second: 2})
    found = values(shop, product)
    assert found[str(first)]["value"] == "a"
    assert found[str(second)]["value_int"] == "2"


@pytest.mark.parametrize("nothing", [None, "", []])
@pytest.mark.parametrize("letter", ["S", "M", "T", "O", "C"])
def test_empty_value_removes(shop: Shop, letter: str, nothing: Any) -> None:
    names = ("matt",) if letter in "SM" else ()
    feature = make(shop, letter, *names)
    sent: Any = variants(shop, feature)[0] if names else "1"
    product = shop.make_product(product_features={feature: sent})
    assert put(shop, product, {str(feature): nothing}).status_code == 200
    assert values(shop, product) == []
    rows = shop.everything()
    assert rows["product_feature_values"] == rows["product_feature_texts"] == []


def test_put_of_the_record_read_changes_nothing(shop: Shop) -> None:
    sent: dict[str, Any] = {}
    for letter in "SNEM":
        feature = make(shop, letter, "16", "32")
        sent[str(feature)] = variants(shop, feature)[1]
    for letter, value in {"C": "Y", "T": "x", "O": "1.5", "D": "1717600000"}.items():
        sent[str(make(shop, letter))] = value
    product = shop.make_product(product_features=sent)
    record = values(shop, product)
    assert len(record) == 8
    age(shop)
    before = shop.everything()["product_feature_values"]
    assert put(shop, product, record).status_code == 200
    assert shop.everything()["product_feature_values"] == before
    assert values(shop, product) == record


def test_record_of_a_disabled_feature_may_be_sent_back(shop: Shop) -> None:
    feature = make(shop, "T")
    product = shop.make_product(product_features={feature: "a"})
    shop.root.put(f"features/{feature}", {"status": "D"})
    assert put(shop, product, values(shop, product)).status_code == 200
    answer = put(shop, product, {feature: "b"})
    assert answer.status_code == 400
    (error,) = answer.get_json()["errors"]
    assert error["field"] == f"product_features.{feature}"


def test_feature_of_other_categories_is_refused(shop: Shop) -> None:
    other = shop.make_category("Other")
    feature = make(shop, "T", categories_path=str(other))
    product = shop.make_product()
    assert put(shop, product, {feature: "a"}).status_code == 400
    body = {"category_ids": [other], "product_features": {feature: "a"}}
    assert shop.root.put(f"products/{product}", body).status_code == 200


def test_feature_of_a_category_above_is_accepted(shop: Shop) -> None:
    inner = shop.make_category("Inner", parent=shop.category)
    feature = make(shop, "T", categories_path=str(shop.category))
    body = {"product": "A", "main_category": inner, "product_features": {feature: "a"}}
    assert shop.root.post("products", body).status_code == 201


def test_all_bad_values_are_named(shop: Shop) -> None:
    number, glaze, group = make(shop, "O"), make(shop, "S", "a"), make(shop, "G")
    other = make(shop, "E", "b")
    (foreign,) = variants(shop, other)
    product = shop.make_product()
    sent = {number: "1,000", glaze: foreign, group: "x", 777: "y"}
    answer = put(shop, product, sent)
    assert answer.status_code == 400
    found = {error["field"] for error in answer.get_json()["errors"]}
    bad = {f"product_features.{id}" for id in (number, group, 777)}
    assert found - {f"product_features.{glaze}"} == bad
    assert put(shop, product, {glaze: foreign}).status_code == 400
    assert put(shop, product, {glaze: "matt"}).status_code == 400
    assert values(shop, product) == []


def test_one_variant_is_all_that_a_select_box_takes(shop: Shop) -> None:
    feature = make(shop, "S", "a", "b")
    product = shop.make_product()
    assert put(shop, product, {feature: variants(shop, feature)}).status_code == 400


MISPLACED = {
    "C": ("value_int", "variant_id", "variants"),
    "T": ("value_int", "variant_id", "variants"),
    "O": ("variant_id", "variants"),
    "D": ("variant_id", "variants"),
    "S": ("value", "value_int"),
    "E": ("value", "value_int"),
    "M": ("value", "value_int"),
    "N": ("value",),
}
"""The keys that hold no value of a type."""


@pytest.mark.parametrize(
    ("letter", "key"),
    [(letter, key) for letter, keys in MISPLACED.items() for key in keys],
)
def test_value_under_a_key_of_other_types_is_refused(
    shop: Shop, letter: str, key: str
) -> None:
    names = ("1", "2") if letter in "SENM" else ()
    feature, product = make(shop, letter, *names), shop.make_product()
    sent = {key: [7] if key == "variants" else "7"}
    answer = put(shop, product, {feature: sent})
    (error,) = answer.get_json()["errors"]
    assert (answer.status_code, error["field"]) == (400, f"product_features.{feature}")
    assert error["message"].endswith(f", not {key}")
    path = f"products/{product}/features"
    answers = [
        shop.root.put(f"{path}/{feature}", sent),
        shop.root.post(path, {"feature_id": feature, **sent}),
    ]
    for answer in answers:
        (error,) = answer.get_json()["errors"]
        assert (answer.status_code, error["field"]) == (400, key)
    assert values(shop, product) == []


@pytest.mark.parametrize("letter", "CTODSEMN")
def test_empty_keys_of_other_types_say_nothing(shop: Shop, letter: str) -> None:
    names = ("1", "2") if letter in "SENM" else ()
    feature, product = make(shop, letter, *names), shop.make_product()
    sent = {"value": "", "value_int": None, "variant_id": None, "variants": []}
    assert put(shop, product, {feature: sent}).status_code == 200
    path = f"products/{product}/features/{feature}"
    assert shop.root.put(path, sent).status_code == 200
    assert values(shop, product) == []


def test_variants_are_limited_in_number(shop: Shop) -> None:
    feature, product = make(shop, "M", "1"), shop.make_product()
    answer = put(shop, product, {feature: list(range(1, 1002))})
    (error,) = answer.get_json()["errors"]
    assert (answer.status_code, error["field"]) == (400, f"product_features.{feature}")
    assert "1000" in error["message"]
    many = [{"variant": str(n)} for n in range(10_001)]
    body = {"description": "Size", "feature_type": "S", "variants": many}
    answer = shop.root.post("features", body)
    (error,) = answer.get_json()["errors"]
    assert (answer.status_code, error["field"]) == (400, "variants")


def test_text_is_kept_per_language(shop: Shop) -> None:
    feature = make(shop, "T")
    product = shop.make_product(product_features={feature: "clay"})
    put(shop, product, {feature: "Ton"}, "?lang_code=de")
    assert values(shop, product)[str(feature)]["value"] == "clay"
    assert values(shop, product, "?sl=de")[str(feature)]["value"] == "Ton"


def test_new_text_is_there_in_every_language(shop: Shop) -> None:
    feature = make(shop, "T")
    product = shop.make_product()
    put(shop, product, {feature: "Ton"}, "?lang_code=de")
    assert values(shop, product)[str(feature)]["value"] == "Ton"


def test_list_shows_values_unless_switched_off(shop: Shop) -> None:
    feature = make(shop, "O", position=1)
    first = make(shop, "C", position=0)
    shop.make_product(product_features={feature: 1, first: "Y"})
    (record,) = shop.root.get("products").get_json()["products"]
    assert list(record["product_features"]) == [str(first), str(feature)]
    body = shop.root.get("products?get_features=N").get_json()
    assert "product_features" not in body["products"][0]


def test_list_takes_the_same_statements_for_any_number(shop: Shop) -> None:
    feature = make(shop, "S", "a")
    (variant,) = variants(shop, feature)

    def statements(query: str) -> int:
        seen: list[str] = []
        shop.database.observer = seen.append
        shop.root.get(f"products?items_per_page=100{query}")
        shop.database.observer = None
        return len(seen)

    shop.make_product("A", product_features={feature: variant})
    first = statements("")
    # Their pictures, too; the values that tell variations apart are read once.
    assert first - statements("&get_features=N") == 2
    for name in "BCDEF":
        other = make(shop, "T")
        shop.make_product(name, product_features={feature: variant, other: name})
    assert statements("") == first


def test_features_hash_finds_one_variant_of_each_group(shop: Shop) -> None:
    glaze, brand = make(shop, "S", "matt", "raw"), make(shop, "E", "Nord")
    (matt, raw), (nord,) = variants(shop, glaze), variants(shop, brand)
    shop.make_product("A", product_features={glaze: matt, brand: nord})
    shop.make_product("B", product_features={glaze: raw})

    def found(text: str) -> list[str]:
        body = shop.root.get(f"products?features_hash={text}").get_json()
        return [record["product"] for record in body["products"]]

    assert found(f"{glaze}-{matt}-{raw}") == ["A", "B"]
    assert found(f"{glaze}-{matt}-{raw}_{brand}-{nord}") == ["A"]
    assert found(f"{glaze}-777") == []
    wrong = ("abc", "4", "4-x", "4-1__", "-1", "a-1", "0-1", "1-", "-", "1--2",
             "4-1_-1", "4-1_x-2", f"{2**31}-1")  # fmt: skip
    for text in wrong:
        answer = shop.root.get(f"products?features_hash={text}")
        assert answer.status_code == 400, text
        assert {e["field"] for e in answer.get_json()["errors"]} == {"features_hash"}


def test_vendor_uses_no_feature_of_others(shop: Shop) -> None:
    caller = shop.caller(user_type="V", company_id=shop.vendor)
    category = shop.make_category("Own", company_id=shop.vendor)
    common, foreign = make(shop, "T", company_id=0), make(shop, "T")
    body = {"product": "A", "category_ids": [category]}
    for feature, status in ((common, 201), (foreign, 400)):
        sent = body | {"product_features": {feature: "x"}}
        assert caller.post("products", sent).status_code == status


def test_value_shows_the_picture_of_its_variant(shop: Shop) -> None:
    picture = {"detailed": {"image_path": "https://cdn.example/n.png"}}
    sent = [{"variant": "Nord", "image_pair": picture}]
    brand = make(shop, "E")
    shop.root.put(f"features/{brand}", {"variants": sent})
    (variant,) = variants(shop, brand)
    product = shop.make_product(product_features={brand: variant})
    shown = values(shop, product)[str(brand)]["variants"][variant]["image_pairs"]
    assert shown["detailed"]["image_path"] == "https://cdn.example/n.png"


# Below the path of a product


def test_path_lists_what_applies_with_the_values(shop: Shop) -> None:
    other = shop.make_category("Other")
    make(shop, "G")
    make(shop, "T", categories_path=str(other))
    make(shop, "C", status="D")
    text, glaze = make(shop, "T", position=1), make(shop, "S", "matt", position=2)
    (variant,) = variants(shop, glaze)
    product = shop.make_product(product_features={glaze: variant})
    body = shop.root.get(f"products/{product}/features").get_json()
    first, second = body["features"]
    assert (first["feature_id"], first["value"]) == (str(text), "")
    assert "variants" not in first
    assert (second["variant_id"], second["variant"]) == (variant, "matt")
    assert second["variants"][variant]["selected"] == variant
    assert body["params"]["total_items"] == "2"
    filtered = shop.root.get(f"features?product_id={product}").get_json()
    assert filtered["features"] == body["features"]


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("value", {"value": "Dry"}),
        ("description,value", {"description": "Care", "value": "Dry"}),
        ("variant_id,variants", {"variant_id": None, "variants": []}),
        ("description", {"description": "Care"}),
    ],
)
def test_sparse_records_hold_the_values_that_are_asked_for(
    shop: Shop, asked: str, shown: dict[str, Any]
) -> None:
    care = make(shop, "T", description="Care")
    id = shop.make_product(product_features={str(care): "Dry"})
    expected = {"feature_id": str(care), **shown}
    for path in (f"products/{id}/features", f"features?product_id={id}"):
        mark = "&" if "?" in path else "?"
        found = shop.root.get(f"{path}{mark}fields={asked}").get_json()["features"]
        assert found == [expected]
    one = shop.root.get(f"products/{id}/features/{care}?fields={asked}")
    assert one.get_json() == expected


def test_filter_by_a_product_that_is_not_there_finds_nothing(shop: Shop) -> None:
    make(shop, "T")
    assert shop.root.get("features?product_id=777").get_json()["features"] == []


def test_path_reads_one_feature_with_its_value(shop: Shop) -> None:
    feature = make(shop, "O")
    product = shop.make_product(product_features={feature: "16.0"})
    record = shop.root.get(f"products/{product}/features/{feature}").get_json()
    assert (record["value_int"], record["value"]) == ("16", "")
    assert record["internal_name"] == "Type O"


def test_path_shows_no_variants_as_an_array(shop: Shop) -> None:
    """Products.md, 2: an empty map inside of a record is `[]`."""
    glaze, product = make(shop, "S", "matt"), shop.make_product()
    record = shop.root.get(f"products/{product}/features/{glaze}").get_json()
    assert (record["variants"], record["variant_id"]) == ([], None)


def test_path_ends_with_the_features(shop: Shop) -> None:
    """Features.md, 7.4: nothing shows what `products/features/images` returns."""
    feature, product = make(shop, "E", "Nord"), shop.make_product()
    path = f"products/{product}/features/{feature}/images"
    assert shop.root.get(path).status_code == 404


def test_path_does_not_reach_features_of_other_categories(shop: Shop) -> None:
    feature = make(shop, "T", categories_path=str(shop.make_category("Other")))
    product = shop.make_product()
    path = f"products/{product}/features/{feature}"
    assert shop.root.get(path).status_code == 404
    assert shop.root.put(path, {"value": "a"}).status_code == 400
    assert shop.root.delete(path).status_code == 404


@pytest.mark.parametrize("path", ["products/777/features", "products/1/features/777"])
def test_path_of_what_is_not_there(shop: Shop, path: str) -> None:
    shop.make_product()
    assert shop.root.get(path).status_code == 404


def test_put_below_a_product_sets_the_value(shop: Shop) -> None:
    feature = make(shop, "S", "matt", "raw")
    matt, raw = variants(shop, feature)
    product = shop.make_product(product_features={feature: matt})
    path = f"products/{product}/features/{feature}"
    before = shop.root.get(f"features/{feature}").get_json()
    answer = shop.root.put(path, {"variant_id": int(raw), "description": "X"})
    assert (answer.status_code, answer.get_json()) == (
        200,
        {"feature_id": str(feature)},
    )
    assert values(shop, product)[str(feature)]["variant"] == "raw"
    assert shop.root.get(f"features/{feature}").get_json() == before


@pytest.mark.parametrize(
    ("letter", "body", "shown"),
    [
        ("T", {"value": "a"}, ("a", None)),
        ("C", {"value": "Y"}, ("Y", None)),
        ("O", {"value_int": "2.50"}, ("", "2.5")),
    ],
)
def test_put_below_a_product_takes(
    shop: Shop, letter: str, body: Any, shown: tuple[str, str | None]
) -> None:
    feature, product = make(shop, letter), shop.make_product()
    shop.root.put(f"products/{product}/features/{feature}", body)
    record = values(shop, product)[str(feature)]
    assert (record["value"], record["value_int"]) == shown


@pytest.mark.parametrize(
    ("letter", "name", "value"),
    [
        ("S", "variant_id", 2**31 - 1),
        ("M", "variants", [2**31 - 1]),
        ("O", "value_int", "1,5"),
        ("C", "value", "maybe"),
    ],
)
def test_bad_value_below_a_product_is_named_as_it_was_sent(
    shop: Shop, letter: str, name: str, value: Any
) -> None:
    feature, product = make(shop, letter), shop.make_product()
    path = f"products/{product}/features/{feature}"
    answer = shop.root.put(path, {name: value})
    assert answer.status_code == 400
    assert [each["field"] for each in answer.get_json()["errors"]] == [name]


def test_put_below_a_product_takes_several_variants(shop: Shop) -> None:
    feature, product = make(shop, "M", "a", "b", "c"), shop.make_product()
    a, _, c = variants(shop, feature)
    path = f"products/{product}/features/{feature}"
    shop.root.put(path, {"variants": {a: {}, c: {}}})
    assert list(values(shop, product)[str(feature)]["variants"]) == [a, c]
    age(shop)
    shop.root.put(path, shop.root.get(path).get_json())
    assert changed_at(shop, product) == 5


def test_delete_below_a_product_clears_the_value_alone(shop: Shop) -> None:
    feature = make(shop, "T")
    product = shop.make_product(product_features={feature: "a"})
    path = f"products/{product}/features/{feature}"
    answer = shop.root.delete(path)
    assert (answer.status_code, answer.data) == (204, b"")
    assert values(shop, product) == []
    assert shop.root.get(f"features/{feature}").status_code == 200
    assert shop.root.delete(path).status_code == 404


def test_post_below_a_product_sets_a_value(shop: Shop) -> None:
    feature, product = make(shop, "O"), shop.make_product()
    path = f"products/{product}/features"
    answer = shop.root.post(path, {"feature_id": str(feature), "value_int": 3})
    assert (answer.status_code, answer.get_json()) == (201, {"feature_id": feature})
    assert values(shop, product)[str(feature)]["value_int"] == "3"
    for body in ({"feature_id": feature}, {"feature_id": 777, "value": "a"}):
        assert shop.root.post(path, body).status_code == 400


def test_post_below_a_product_makes_a_feature_of_its_category(shop: Shop) -> None:
    product = shop.make_product(company_id=shop.store)
    body = {"description": "New", "feature_type": "T", "value": "a"}
    answer = shop.root.post(f"products/{product}/features", body)
    id = answer.get_json()["feature_id"]
    assert answer.status_code == 201
    record = shop.root.get(f"features/{id}").get_json()
    assert record["categories_path"] == str(shop.category)
    assert record["company_id"] == str(shop.store)
    assert values(shop, product)[str(id)]["value"] == "a"


def test_new_feature_is_not_kept_when_its_value_is_wrong(shop: Shop) -> None:
    product = shop.make_product()
    body = {"description": "New", "feature_type": "O", "value": "abc"}
    assert shop.root.post(f"products/{product}/features", body).status_code == 400
    assert shop.everything()["features"] == []


def test_value_of_a_foreign_feature_is_reached_by_its_path(shop: Shop) -> None:
    caller = shop.caller(user_type="V", company_id=shop.vendor)
    category = shop.make_category("Own", company_id=shop.vendor)
    size, other = make(shop, "S", "a", "b"), make(shop, "T")
    first, second = variants(shop, size)
    product = shop.make_product(company_id=shop.vendor, category_ids=[category])
    assert put(shop, product, {size: first}).status_code == 200
    path = f"products/{product}/features"
    (listed,) = caller.get(path).get_json()["features"]
    assert (listed["feature_id"], listed["variant"]) == (str(size), "a")
    record = caller.get(f"{path}/{size}").get_json()
    assert (record["company_id"], record["variant_id"]) == (str(shop.store), first)
    before = shop.everything()
    assert caller.put(f"{path}/{size}", record).status_code == 200
    assert caller.put(f"{path}/{size}", {"variant_id": second}).status_code == 400
    assert caller.get(f"{path}/{other}").status_code == 404
    assert caller.put(f"{path}/{other}", {"value": "x"}).status_code == 404
    assert caller.get(f"features/{size}").status_code == 404
    assert shop.everything() == before
    assert caller.delete(f"{path}/{size}").status_code == 204
    assert values(shop, product) == []
    assert caller.get(f"{path}/{size}").status_code == 404
    assert caller.delete(f"{path}/{size}").status_code == 404


def test_vendor_sets_values_of_common_features(shop: Shop) -> None:
    caller = shop.caller(user_type="V", company_id=shop.vendor)
    category = shop.make_category("Own", company_id=shop.vendor)
    feature = make(shop, "T", company_id=0)
    own = shop.make_product(company_id=shop.vendor, category_ids=[category])
    path = f"products/{own}/features/{feature}"
    assert caller.put(path, {"value": "a"}).status_code == 200
    foreign = shop.make_product()
    path = f"products/{foreign}/features/{feature}"
    assert caller.put(path, {"value": "a"}).status_code == 404


def test_values_of_a_common_product_are_not_a_vendors(shop: Shop) -> None:
    caller = shop.caller(user_type="V", company_id=shop.vendor)
    feature = make(shop, "T", company_id=0)
    product = shop.make_product(company_id=0)
    path = f"products/{product}/features/{feature}"
    assert caller.put(path, {"value": "a"}).status_code == 403


# What a change of a value does


@pytest.mark.parametrize("way", ["record", "path", "delete", "variant", "feature"])
def test_change_of_a_value_is_a_change_of_the_product(shop: Shop, way: str) -> None:
    feature = make(shop, "S", "a", "b")
    first, second = variants(shop, feature)
    product = shop.make_product(product_features={feature: first})
    age(shop)
    seen: list[Change] = []
    shop.database.subscribers.append(lambda db, changes: seen.extend(changes))
    path = f"products/{product}/features/{feature}"
    if way == "record":
        put(shop, product, {feature: second})
    elif way == "path":
        shop.root.put(path, {"variant_id": second})
    elif way == "delete":
        shop.root.delete(path)
    elif way == "variant":
        sent = {"variants": [{"variant_id": second}]}
        shop.root.put(f"features/{feature}", sent)
    else:
        shop.root.delete(f"features/{feature}")
    shop.database.subscribers.pop()
    assert changed_at(shop, product) > 5
    (change,) = [each for each in seen if each.entity == "products"]
    assert (change.operation, change.id) == ("update", product)
    assert feature in change.after["product_features"]


def test_same_value_is_no_change(shop: Shop) -> None:
    feature = make(shop, "T")
    product = shop.make_product(product_features={feature: "a"})
    age(shop)
    shop.root.put(f"products/{product}/features/{feature}", {"value": "a"})
    assert changed_at(shop, product) == 5


def test_deleted_product_takes_its_values_along(shop: Shop) -> None:
    feature = make(shop, "T")
    product = shop.make_product(product_features={feature: "a"})
    shop.root.delete(f"products/{product}")
    rows = shop.everything()
    assert rows["product_feature_values"] == rows["product_feature_texts"] == []
