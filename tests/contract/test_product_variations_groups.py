"""Variation groups, as spec/entities/product_variations_groups.md states them."""

import re
from typing import Any

import pytest

from storeapi.models import VariationGroup
from tests.shop import NOW, Shop
from tests.variations import Mugs

PATH = "product_variations_groups"


@pytest.fixture
def mugs(shop: Shop) -> Mugs:
    """Two features and no product."""
    return Mugs(shop)


def pair(mugs: Mugs) -> tuple[int, int]:
    """A green mug in two sizes."""
    return mugs.mug("green", "small"), mugs.mug("green", "large")


def feature(id: int, purpose: str) -> dict[str, Any]:
    separate = purpose == "group_catalog_item"
    return {
        "feature_id": id,
        "purpose": purpose,
        "is_purpose_create_catalog_item": separate,
        "is_purpose_create_variation_of_catalog_item": not separate,
    }


def record(mugs: Mugs, id: int, first: int, second: int) -> dict[str, Any]:
    """The group of a pair, but for its times."""
    green, company = str(mugs.variants["green"]), mugs.shop.store
    small, large = (str(mugs.variants[name]) for name in ("small", "large"))
    colour = {"feature_id": mugs.colour, "variant_id": green}
    return {
        "id": id,
        "code": "MUGS",
        "features": [
            feature(mugs.colour, "group_catalog_item"),
            feature(mugs.size, "group_variation_catalog_item"),
        ],
        "products": [
            {
                "product_id": first,
                "parent_product_id": 0,
                "company_id": company,
                "feature_values": [
                    colour,
                    {"feature_id": mugs.size, "variant_id": small},
                ],
            },
            {
                "product_id": second,
                "parent_product_id": first,
                "company_id": company,
                "feature_values": [
                    colour,
                    {"feature_id": mugs.size, "variant_id": large},
                ],
            },
        ],
    }


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    """A record without its times, which must be equal numbers."""
    found = dict(found)
    assert found.pop("created_at") == found.pop("updated_at") > NOW
    return found


def refused(answer: Any, text: str) -> None:
    assert answer.status_code == 400
    assert text in answer.get_json()["message"]


# Create


def test_create_answers_with_id_group_and_statuses(mugs: Mugs) -> None:
    first, second = pair(mugs)
    answer = mugs.post_group(first, second, code="MUGS")
    body = answer.get_json()
    assert answer.status_code == 201
    assert list(body) == ["id", "group", "products_status"]
    assert without_times(body["group"]) == record(mugs, body["id"], first, second)
    assert body["products_status"] == {str(first): 1, str(second): 1}
    assert answer.headers["Location"].endswith(f"/{PATH}/{body['id']}")


def test_create_in_version_1_answers_with_a_string_id(mugs: Mugs) -> None:
    first, second = pair(mugs)
    body = mugs.shop.root.post(f"/api/{PATH}", {"product_ids": [first, second]})
    id = body.get_json()["id"]
    assert id == str(body.get_json()["group"]["id"])


@pytest.mark.parametrize("body", [{"code": "A"}, {"product_ids": []}])
def test_create_needs_products(mugs: Mugs, body: dict[str, Any]) -> None:
    answer = mugs.shop.root.post(PATH, body)
    refused(answer, "field 'product_ids' is required")


def test_product_ids_may_be_a_comma_list(mugs: Mugs) -> None:
    first, second = pair(mugs)
    answer = mugs.shop.root.post(PATH, {"product_ids": f"{first},{second}"})
    assert mugs.members(answer.get_json()["id"]) == [first, second]


def test_create_refuses_products_that_do_not_exist(mugs: Mugs) -> None:
    refused(mugs.post_group(2_000_000), "products that do not exist: 2000000")


def test_code_is_made_when_none_is_sent(mugs: Mugs) -> None:
    answer = mugs.post_group(*pair(mugs))
    assert re.fullmatch(r"PV-[0-9A-F]{9}", answer.get_json()["group"]["code"])


@pytest.mark.parametrize("code", ["12", "A B", "Ä", "a.b", "x" * 65])
def test_bad_codes_are_refused(mugs: Mugs, code: str) -> None:
    first, second = pair(mugs)
    before = mugs.shop.everything()
    refused(mugs.post_group(first, second, code=code), "field 'code'")
    assert mugs.shop.everything() == before


def test_code_in_use_is_refused(mugs: Mugs) -> None:
    first, second = pair(mugs)
    mugs.group(first, code="MUGS")
    refused(mugs.post_group(second, code="MUGS"), "field 'code' is already in use")


def test_features_are_those_that_all_products_have(mugs: Mugs) -> None:
    both, one = mugs.mug("green", "small"), mugs.mug("blue")
    answer = mugs.post_group(both, one).get_json()
    found = [each["feature_id"] for each in answer["group"]["features"]]
    assert found == [mugs.colour]


def test_products_without_a_common_feature_are_refused(mugs: Mugs) -> None:
    refused(mugs.post_group(mugs.mug("green"), mugs.mug("small")), "in common")


def test_features_may_be_chosen_with_their_purpose(mugs: Mugs) -> None:
    first, second = pair(mugs)
    chosen = [{"feature_id": mugs.size, "purpose": "group_catalog_item"}]
    answer = mugs.post_group(first, second, features=chosen).get_json()
    assert answer["group"]["features"] == [feature(mugs.size, "group_catalog_item")]
    assert [p["parent_product_id"] for p in answer["group"]["products"]] == [0, 0]


def test_chosen_feature_has_its_own_purpose_by_default(mugs: Mugs) -> None:
    first, second = pair(mugs)
    chosen = [{"feature_id": str(mugs.size)}]
    answer = mugs.post_group(first, second, features=chosen).get_json()
    wanted = [feature(mugs.size, "group_variation_catalog_item")]
    assert answer["group"]["features"] == wanted


@pytest.mark.parametrize(
    "entry",
    [
        {"feature_id": 2_000_000},
        {"feature_id": 0},
        {"feature_id": 10**10},
        {"feature_id": "99999999999999999999"},
        {"feature_id": "plain"},
        {"feature_id": "plain", "purpose": "find_products"},
        {"feature_id": "x"},
        "x",
    ],
)
def test_features_that_cannot_serve_are_refused(mugs: Mugs, entry: Any) -> None:
    plain = mugs.feature("Plain", "find_products", ("a",))
    if isinstance(entry, dict) and entry["feature_id"] == "plain":
        entry = {**entry, "feature_id": plain}
    refused(mugs.post_group(*pair(mugs), features=[entry]), "field 'features'")


def test_refusals_name_the_first_that_is_in_the_way(mugs: Mugs) -> None:
    """Whatever the order in which a database finds them."""
    sizes = ("huge", "large", "small")
    products = [mugs.mug("green", size) for size in sizes]
    groups = [mugs.group(id) for id in products]
    answer = mugs.shop.root.delete(f"features/{mugs.size}")
    refused(answer, f"defines variation group {groups[0]}")
    answer = mugs.shop.root.put(f"features/{mugs.size}", {"feature_type": "M"})
    refused(answer, f"it defines variation group {groups[0]}")
    answer = mugs.shop.root.put(f"features/{mugs.size}", {"variants": []})
    refused(answer, f"variant {min(mugs.variants[size] for size in sizes)} tells")


def test_repeated_feature_is_refused(mugs: Mugs) -> None:
    twice = [{"feature_id": mugs.size}] * 2
    refused(mugs.post_group(*pair(mugs), features=twice), "repeats a feature")


def test_status_is_told_for_each_product(mugs: Mugs) -> None:
    first, twin = mugs.mug("green", "small"), mugs.mug("green", "small")
    poor = mugs.mug("green")
    alien = mugs.mug(
        "green", "huge", company_id=mugs.shop.other_store,
        category_ids=[mugs.shop.make_category("C", company_id=mugs.shop.other_store)],
    )  # fmt: skip
    chosen = [{"feature_id": mugs.colour}, {"feature_id": mugs.size}]
    answer = mugs.post_group(first, twin, poor, alien, features=chosen)
    assert answer.status_code == 201
    statuses = {str(first): 1, str(twin): 254, str(poor): 255, str(alien): 253}
    assert answer.get_json()["products_status"] == statuses
    assert mugs.members(answer.get_json()["id"]) == [first]


def test_nothing_is_made_when_no_product_can_join(mugs: Mugs) -> None:
    poor = mugs.mug("green")
    before = mugs.shop.everything()
    answer = mugs.post_group(poor, features=[{"feature_id": mugs.size}])
    refused(answer, f"product {poor}: it lacks a value")
    assert "(255)" in answer.get_json()["message"]
    assert mugs.shop.everything() == before


def test_products_move_from_their_old_group(mugs: Mugs) -> None:
    first, second = pair(mugs)
    old = mugs.group(first, second)
    new = mugs.group(second)
    assert (mugs.members(old), mugs.members(new)) == ([first], [second])
    assert mugs.place(second) == ("P", "0", str(new))


def test_group_goes_when_its_last_product_moves_away(mugs: Mugs) -> None:
    product = mugs.mug("green", "small")
    old = mugs.group(product)
    mugs.group(product)
    assert mugs.shop.root.get(f"{PATH}/{old}").status_code == 404


def test_first_product_to_join_is_the_default(mugs: Mugs) -> None:
    first, second = pair(mugs)
    other = mugs.mug("blue", "small")
    group = str(mugs.group(second, other, first))
    assert mugs.place(second) == ("P", "0", group)
    assert mugs.place(first) == ("V", str(second), group)
    assert mugs.place(other) == ("P", "0", group)


# Read


def test_list_has_the_key_groups(mugs: Mugs) -> None:
    first, second = pair(mugs)
    id = mugs.group(first, second, code="MUGS")
    body = mugs.shop.root.get(PATH).get_json()
    assert [without_times(each) for each in body["groups"]] == [
        record(mugs, id, first, second)
    ]
    assert body["params"] == {
        "page": 1,
        "items_per_page": 10,
        "sort_by": "id",
        "sort_order": "asc",
        "sort_order_rev": "desc",
        "total_items": "1",
    }


def test_list_in_version_1_is_a_map(mugs: Mugs) -> None:
    id = mugs.group(*pair(mugs))
    body = mugs.shop.root.get(f"/api/{PATH}").get_json()
    assert list(body) == [PATH, "search"]
    assert list(body[PATH]) == [str(id)]


@pytest.mark.parametrize("name", ["{id}", "MUGS"])
def test_group_is_found_by_id_or_code(mugs: Mugs, name: str) -> None:
    first, second = pair(mugs)
    id = mugs.group(first, second, code="MUGS")
    answer = mugs.shop.root.get(f"{PATH}/{name.format(id=id)}")
    assert without_times(answer.get_json()) == record(mugs, id, first, second)


@pytest.mark.parametrize("name", ["999999", "NOPE", "a.b", "0", "99999999999"])
def test_unknown_group_is_404(mugs: Mugs, name: str) -> None:
    assert mugs.shop.root.get(f"{PATH}/{name}").status_code == 404


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("product_ids={first}", [0]),
        ("product_ids[]={first}&product_ids[]={other}", [0, 1]),
        ("feature_ids={size}", [0]),
        ("feature_ids={size},{colour}", [0, 1]),
        ("code=B", [1]),
        ("company_id={store}", [0, 1]),
        ("company_id={vendor}", []),
        ("product_ids=999999", []),
    ],
)
def test_filters(mugs: Mugs, query: str, found: list[int]) -> None:
    first, other = mugs.mug("green", "small"), mugs.mug("blue")
    groups = [mugs.group(first, code="A"), mugs.group(other, code="B")]
    names = {"first": first, "other": other, "size": mugs.size, "colour": mugs.colour}
    names |= {"store": mugs.shop.store, "vendor": mugs.shop.vendor}
    body = mugs.shop.root.get(f"{PATH}?{query.format(**names)}").get_json()
    assert [each["id"] for each in body["groups"]] == [groups[n] for n in found]
    assert body["params"]["total_items"] == str(len(found))


@pytest.mark.parametrize("query", ["product_ids=x", "feature_ids=1,x", "company_id=x"])
def test_bad_filter_is_named(mugs: Mugs, query: str) -> None:
    refused(mugs.shop.root.get(f"{PATH}?{query}"), query.partition("=")[0])


def test_page_takes_the_same_statements_whatever_its_size(mugs: Mugs) -> None:
    counts = []
    for colour in ("green", "blue", "red"):
        mugs.group(mugs.mug(colour, "small"), mugs.mug(colour, "large"))
        statements: list[str] = []
        mugs.shop.database.observer = statements.append
        mugs.shop.root.get(PATH)
        mugs.shop.database.observer = None
        counts.append(len(statements))
    assert counts[0] == counts[1] == counts[2]


# Update


def test_put_renames_a_group(mugs: Mugs) -> None:
    id = mugs.group(*pair(mugs), code="MUGS")
    mugs.shop.change(VariationGroup, {"id": id}, {"updated_at": 5})
    answer = mugs.shop.root.put(f"{PATH}/MUGS", {"code": "MUGS-2"})
    assert (answer.status_code, answer.get_json()) == (
        200,
        {"id": id, "code": "MUGS-2"},
    )
    assert mugs.shop.root.get(f"{PATH}/MUGS").status_code == 404
    assert mugs.shop.root.get(f"{PATH}/MUGS-2").get_json()["updated_at"] > NOW


def test_put_of_a_bad_or_used_code_is_refused(mugs: Mugs) -> None:
    first, second = pair(mugs)
    id = mugs.group(first, code="A")
    mugs.group(second, code="B")
    for code in ("B", "12", ""):
        refused(mugs.shop.root.put(f"{PATH}/{id}", {"code": code}), "field 'code'")


def test_put_does_not_change_the_features(mugs: Mugs) -> None:
    id = mugs.group(*pair(mugs))
    body = {"features": [{"feature_id": mugs.size}]}
    assert mugs.shop.root.put(f"{PATH}/{id}", body).status_code == 200
    found = mugs.shop.root.get(f"{PATH}/{id}").get_json()["features"]
    assert [each["feature_id"] for each in found] == [mugs.colour, mugs.size]


def test_put_of_product_ids_sets_the_members(mugs: Mugs) -> None:
    first, second = pair(mugs)
    third, twin = mugs.mug("green", "huge"), mugs.mug("green", "small")
    id = mugs.group(first, second)
    answer = mugs.shop.root.put(f"{PATH}/{id}", {"product_ids": [second, third, twin]})
    statuses = {str(second): 0, str(third): 1, str(twin): 1}
    assert answer.get_json()["products_status"] == statuses
    assert mugs.members(id) == sorted([second, third, twin])
    assert mugs.place(first) == ("P", "0", None)
    assert mugs.place(second) == ("P", "0", str(id))
    assert mugs.place(third) == ("V", str(second), str(id))


def test_put_of_products_none_of_which_can_join_is_refused(mugs: Mugs) -> None:
    poor = mugs.mug("green")
    id = mugs.group(*pair(mugs))
    before = mugs.shop.everything()
    refused(mugs.shop.root.put(f"{PATH}/{id}", {"product_ids": [poor]}), "(255)")
    assert mugs.shop.everything() == before


@pytest.mark.parametrize("change", ["join", "leave", "detach", "delete", "set"])
def test_membership_moves_the_time_of_change(mugs: Mugs, change: str) -> None:
    first, second = pair(mugs)
    id = mugs.group(first) if change == "join" else mugs.group(first, second)
    mugs.shop.change(VariationGroup, {"id": id}, {"updated_at": 5})
    root, path = mugs.shop.root, f"products/{second}"
    answer = {
        "join": lambda: root.put(path, {"variation_group_id": id}),
        "leave": lambda: root.put(path, {"variation_group_id": 0}),
        "detach": lambda: root.post(f"{path}/detach_product_variation", {}),
        "delete": lambda: root.delete(path),
        "set": lambda: root.put(f"{PATH}/{id}", {"product_ids": [first]}),
    }[change]()
    assert answer.status_code in (200, 201, 204)
    assert mugs.shop.root.get(f"{PATH}/{id}").get_json()["updated_at"] > NOW


# Delete


def test_delete_disbands_and_keeps_the_products(mugs: Mugs) -> None:
    first, second = pair(mugs)
    id = mugs.group(first, second, code="MUGS")
    answer = mugs.shop.root.delete(f"{PATH}/MUGS", json={})
    assert (answer.status_code, answer.data) == (204, b"")
    assert mugs.shop.root.get(f"{PATH}/{id}").status_code == 404
    assert mugs.place(first) == mugs.place(second) == ("P", "0", None)


@pytest.mark.parametrize(
    ("method", "path"),
    [("PUT", PATH), ("DELETE", PATH), ("POST", f"{PATH}/MUGS")],
)
def test_methods_that_a_path_lacks_are_405(mugs: Mugs, method: str, path: str) -> None:
    answer = mugs.shop.root.request(method, path, json={"code": "X"})
    assert answer.status_code == 405


# Who may


def test_vendor_sees_groups_of_own_products_only(mugs: Mugs) -> None:
    shop = mugs.shop
    mine = shop.make_category("V", company_id=shop.vendor)
    own = mugs.mug("green", company_id=shop.vendor, category_ids=[mine])
    vendor = shop.caller("view_catalog", "manage_catalog", company_id=shop.vendor)
    foreign = mugs.group(mugs.mug("green", "small"))
    visible = mugs.group(own)
    groups = vendor.get(PATH).get_json()["groups"]
    assert [each["id"] for each in groups] == [visible]
    assert vendor.get(f"{PATH}/{foreign}").status_code == 404
    assert vendor.delete(f"{PATH}/{foreign}").status_code == 404


@pytest.mark.parametrize("named", [True, False])
def test_vendor_cannot_group_by_foreign_features(mugs: Mugs, named: bool) -> None:
    mine = mugs.shop.make_category("V", company_id=mugs.shop.vendor)
    own = mugs.mug("red", "huge", company_id=mugs.shop.vendor, category_ids=[mine])
    vendor = mugs.shop.caller(
        "view_catalog", "manage_catalog", company_id=mugs.shop.vendor
    )
    body = {"product_ids": [own]}
    if named:
        body["features"] = [{"feature_id": mugs.size}]
    texts = {True: "by which variations cannot differ", False: "feature in common"}
    refused(vendor.post("product_variations_groups", body), texts[named])
    mugs.shop.root.put(f"features/{mugs.size}", {"company_id": 0})
    answer = vendor.post("product_variations_groups", body)
    features = answer.get_json()["group"]["features"]
    assert [feature["feature_id"] for feature in features] == [mugs.size]


def test_vendor_cannot_group_foreign_products(mugs: Mugs) -> None:
    shop = mugs.shop
    foreign = mugs.mug("green", "small")
    vendor = shop.caller("manage_catalog", company_id=shop.vendor)
    answer = vendor.post(PATH, {"product_ids": [foreign]})
    refused(answer, f"products that do not exist: {foreign}")


@pytest.mark.parametrize("held", ["", "view_catalog", "manage_catalog"])
def test_privileges(mugs: Mugs, held: str) -> None:
    caller = mugs.shop.caller(*([held] if held else []))
    product = mugs.mug("green", "small")
    reads = caller.get(PATH).status_code
    writes = caller.post(PATH, {"product_ids": [product]}).status_code
    assert reads == (200 if held == "view_catalog" else 403)
    assert writes == (201 if held == "manage_catalog" else 403)
