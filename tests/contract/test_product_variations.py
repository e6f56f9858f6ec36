"""Product variations, as spec/entities/product_variations.md states them."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi.core import finding
from storeapi.core.rows import table_of
from storeapi.entities.products import variations
from storeapi.models import Product
from tests.album import encoded
from tests.shop import NOW, Shop
from tests.variations import SIZES, Mugs

GROUPS = "product_variations_groups"


@pytest.fixture
def mugs(shop: Shop) -> Mugs:
    """Two features and no product."""
    return Mugs(shop)


def refused(answer: Any, text: str) -> None:
    assert answer.status_code == 400
    assert text in answer.get_json()["message"]


def listed(mugs: Mugs, path: str) -> list[int]:
    """The IDs of a list, by ID."""
    mark = "&" if "?" in path else "?"
    answer = mugs.shop.root.get(f"{path}{mark}sort_by=product_id")
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return [int(each["product_id"]) for each in answer.get_json()["products"]]


class Family:
    """A group of green mugs in two sizes, a small blue one, and one outside."""

    def __init__(self, mugs: Mugs) -> None:
        self.mugs = mugs
        self.default = mugs.mug("green", "small")
        self.child = mugs.mug("green", "large")
        self.blue = mugs.mug("blue", "small")
        self.outside = mugs.mug("red", "huge")
        self.group = mugs.group(self.default, self.child, self.blue, code="MUGS")
        self.category = mugs.shop.category

    def ids(self, names: str) -> list[int]:
        return [getattr(self, name) for name in names.split()]


# The fields of a product


def test_product_without_a_group(mugs: Mugs) -> None:
    found = mugs.product(mugs.shop.make_product())
    assert {name: found[name] for name in found if "variation" in name} == {
        "variation_features": [],
        "variation_group_id": None,
        "variation_group_code": None,
        "variation_parent_product_id": None,
        "variation_sub_group_id": None,
        "variation_feature_ids": [],
        "variation_feature_collection": [],
    }
    assert (found["product_type"], found["parent_product_id"]) == ("P", "0")


def test_child_variation_tells_of_its_group(mugs: Mugs) -> None:
    family = Family(mugs)
    found = mugs.product(family.child)
    colour, size = str(mugs.colour), str(mugs.size)
    green = mugs.variants["green"]
    assert found["product_type"] == "V"
    assert found["parent_product_id"] == str(family.default)
    assert found["variation_group_id"] == str(family.group)
    assert found["variation_group_code"] == "MUGS"
    assert found["variation_parent_product_id"] == str(family.default)
    assert found["variation_sub_group_id"] == f"{family.group}_{colour}:{green}"
    assert found["variation_feature_ids"] == [colour, size]
    assert found["variation_feature_collection"] == {
        colour: {"feature_id": colour, "purpose": "group_catalog_item"},
        size: {"feature_id": size, "purpose": "group_variation_catalog_item"},
    }


def test_default_variation_has_no_parent(mugs: Mugs) -> None:
    found = mugs.product(Family(mugs).default)
    assert found["variation_parent_product_id"] == "0"


def test_variation_features_are_in_every_list_record(mugs: Mugs) -> None:
    plain = mugs.feature("Plain", "find_products", ("a",))
    product = mugs.mug("green", "small")
    (variant,) = mugs.shop.root.get(f"features/{plain}").get_json()["variants"]
    mugs.shop.root.put(f"products/{product}", {"product_features": {plain: variant}})
    (record,) = mugs.shop.root.get("products").get_json()["products"]
    found = record["variation_features"]
    assert {id: value["variant"] for id, value in found.items()} == {
        str(mugs.colour): "green",
        str(mugs.size): "small",
    }


def test_list_tells_of_the_group_on_request(mugs: Mugs) -> None:
    family = Family(mugs)
    names = {"variation_group_id", "variation_sub_group_id", "variation_feature_ids"}
    names |= {"variation_group_code", "variation_parent_product_id"}
    names |= {"variation_feature_collection"}
    path = f"products?pid={family.child}"
    (plain,) = mugs.shop.root.get(path).get_json()["products"]
    (full,) = mugs.shop.root.get(f"{path}&get_variation_info=1").get_json()["products"]
    assert names.isdisjoint(plain)
    assert set(full) - set(plain) == names
    single = mugs.product(family.child)
    assert {name: full[name] for name in names} == {
        name: single[name] for name in names
    }


@pytest.mark.parametrize("single", [True, False])
def test_name_with_the_varying_values_on_request(mugs: Mugs, single: bool) -> None:
    family = Family(mugs)
    shop = mugs.shop
    assert "variation_name" not in mugs.product(family.child)
    if single:
        record = shop.root.get(f"products/{family.child}?get_variation_name=1")
        found = record.get_json()["variation_name"]
    else:
        path = f"products?pid={family.child}&get_variation_name=1"
        found = shop.root.get(path).get_json()["products"][0]["variation_name"]
    assert found == "Mug green large, Colour: green (large)"


def test_name_without_a_group_is_the_name(mugs: Mugs) -> None:
    product = mugs.shop.make_product("Jug")
    record = mugs.shop.root.get(f"products/{product}?get_variation_name=Y")
    assert record.get_json()["variation_name"] == "Jug"


@pytest.mark.parametrize("single", [True, False])
def test_selector_on_request(mugs: Mugs, single: bool) -> None:
    family = Family(mugs)
    flag = "get_variation_features_variants=1"
    if single:
        record = mugs.shop.root.get(f"products/{family.child}?{flag}").get_json()
    else:
        path = f"products?pid={family.child}&{flag}"
        (record,) = mugs.shop.root.get(path).get_json()["products"]
    found = record["variation_features_variants"]

    def variant(name: str, product: int) -> dict[str, Any]:
        id = str(mugs.variants[name])
        return {"variant_id": id, "variant": name, "product_id": str(product)}

    colour = found[str(mugs.colour)]
    assert list(found) == [str(mugs.colour), str(mugs.size)]
    assert colour["description"] == "Colour"
    assert colour["purpose"] == "group_catalog_item"
    assert colour["variant_id"] == str(mugs.variants["green"])
    assert list(colour["variants"].values()) == [
        variant("green", family.child),
        variant("blue", family.blue),
    ]
    assert list(found[str(mugs.size)]["variants"].values()) == [
        variant("small", family.default),
        variant("large", family.child),
    ]


@pytest.mark.parametrize("hiding", [{"status": "D"}, {"usergroup_ids": "99"}])
def test_customers_choose_among_what_they_see(
    mugs: Mugs, make_app: Any, hiding: dict[str, str]
) -> None:
    family = Family(mugs)
    client = make_app(api_allow_customer=True).test_client()
    path = f"/api/2.0/products/{family.child}?get_variation_features_variants=1"

    def chosen() -> list[str]:
        found = client.get(path).get_json()["variation_features_variants"]
        return [
            each["product_id"]
            for feature in found.values()
            for each in feature["variants"].values()
        ]

    assert str(family.blue) in chosen()
    mugs.shop.change(Product, {"product_id": family.blue}, hiding)
    assert str(family.blue) not in chosen()
    assert set(chosen()) == {str(family.default), str(family.child)}


def test_customers_do_not_choose_by_hidden_features(mugs: Mugs, make_app: Any) -> None:
    family, root = Family(mugs), mugs.shop.root
    client = make_app(api_allow_customer=True).test_client()
    flags = "get_variation_info=1&get_variation_name=1"
    flags += "&get_variation_features_variants=1"
    of_features = (
        "variation_features", "variation_features_variants",
        "variation_feature_ids", "variation_feature_collection",
    )  # fmt: skip

    def shown(reader: Any) -> tuple[str, list[list[str]]]:
        path = f"/api/2.0/products/{family.child}?{flags}"
        one = reader.get(path).get_json()
        path = f"/api/2.0/products?pid={family.child}&{flags}"
        (listed,) = reader.get(path).get_json()["products"]
        found = [one[name] for name in ("variation_name", *of_features)]
        assert found == [listed[name] for name in ("variation_name", *of_features)]
        return found[0], [list(each) for each in found[1:]]

    both = [str(mugs.colour), str(mugs.size)]
    whole = ("Mug green large, Colour: green (large)", [both] * 4)
    assert shown(client) == whole
    assert root.put(f"features/{mugs.size}", {"status": "D"}).status_code == 200
    assert shown(client) == ("Mug green large, Colour: green", [both[:1]] * 4)
    assert root.put(f"features/{mugs.colour}", {"status": "H"}).status_code == 200
    assert shown(client) == ("Mug green large", [[]] * 4)


Step = Callable[["Family"], tuple[str, str, Any]]
STEPS: dict[str, Step] = {
    "join": lambda f: (
        "PUT",
        f"products/{f.mugs.mug('red', 'small')}",
        {"variation_group_id": f.group},
    ),
    "generate": lambda f: (
        "POST",
        f"products/{f.default}/generate_product_variations",
        {"combinations": [f.mugs.values("red", "small")]},
    ),
    "value": lambda f: (
        "PUT",
        f"products/{f.child}",
        {"variation_feature_values": f.mugs.values("huge")},
    ),
    "detach": lambda f: ("POST", f"products/{f.child}/detach_product_variation", {}),
    "delete": lambda f: ("DELETE", f"products/{f.child}", None),
    "members": lambda f: (
        "PUT",
        f"product_variations_groups/{f.group}",
        {"product_ids": [f.default, f.blue]},
    ),
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_other_members_to_choose_from_move_the_time_of_change(
    mugs: Mugs, step: Step
) -> None:
    family = Family(mugs)
    flag = "get_variation_features_variants=1"
    method, path, body = step(family)
    mugs.age()
    before = mugs.shop.root.get(f"products/{family.blue}?{flag}").get_json()
    answer = mugs.shop.root.request(method, path, json=body)
    assert answer.status_code < 300, answer.get_data(as_text=True)
    after = mugs.shop.root.get(f"products/{family.blue}?{flag}").get_json()
    shown = "variation_features_variants"
    assert before[shown] != after[shown]
    assert before["updated_timestamp"] == str(NOW) != after["updated_timestamp"]


def test_setting_the_default_again_changes_nothing(mugs: Mugs) -> None:
    family = Family(mugs)
    mugs.age()
    before = mugs.shop.everything()
    path = f"products/{family.default}/set_default_product_variation"
    assert mugs.shop.root.post(path, {}).status_code == 201
    assert mugs.shop.everything() == before


# Lists


def test_list_holds_products_in_groups(mugs: Mugs) -> None:
    family = Family(mugs)
    found = listed(mugs, "product_variations")
    assert found == family.ids("default child blue")


def test_list_in_version_1_has_the_name_of_the_entity(mugs: Mugs) -> None:
    family = Family(mugs)
    body = mugs.shop.root.get("/api/product_variations").get_json()
    assert list(body) == ["product_variations", "search"]
    wanted = {str(id) for id in family.ids("default child blue")}
    assert set(body["product_variations"]) == wanted


@pytest.mark.parametrize("name", ["{group}", "MUGS"])
def test_list_of_a_group(mugs: Mugs, name: str) -> None:
    family = Family(mugs)
    mugs.group(family.outside)
    path = f"{GROUPS}/{name.format(group=family.group)}/product_variations"
    assert listed(mugs, path) == family.ids("default child blue")
    params = mugs.shop.root.get(path).get_json()["params"]
    assert params["variation_group_id"] == str(family.group)


def test_product_of_a_group(mugs: Mugs) -> None:
    family = Family(mugs)
    mugs.group(family.outside)
    path = f"{GROUPS}/MUGS/product_variations"
    answer = mugs.shop.root.get(f"{path}/{family.child}")
    assert answer.get_json()["product_id"] == str(family.child)
    assert mugs.shop.root.get(f"{path}/{family.outside}").status_code == 404


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("product_type=P", "default blue outside"),
        ("product_type=V", "child"),
        ("variation_group_id={group}", "default child blue"),
        ("variations_by_product_id={blue}", "default child blue"),
        ("variations_by_product_id={outside}", ""),
        ("parent_product_id={default}", "child"),
        ("has_variation_group=1", "default child blue"),
        ("has_variation_group=0", "outside"),
        ("include_child_variations=0", "default blue outside"),
        ("include_child_variations=1", "default child blue outside"),
        ("group_child_variations=1", "default blue outside"),
        ("group_child_variations=0", "default child blue outside"),
        ("group_child_variations=1&pid={child}", "default"),
        ("group_child_variations=1&pid[]={child}&pid[]={blue}", "default blue"),
        ("group_child_variations=1&q=large", "default"),
        ("group_child_variations=1&q=large&status=D", ""),
        (
            "group_child_variations=1&cid={category}&price_from=0",
            "default blue outside",
        ),
        ("group_child_variations=1&product_type=V", "default"),
        ("include_child_variations=0&pid={child}", ""),
    ],
)
@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize("walked", [(), (1000,)], ids=["collected", "walked"])
def test_filters_of_products(
    mugs: Mugs,
    query: str,
    found: str,
    few: int,
    walked: tuple[int, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many children a shop has, and however rows are found."""
    monkeypatch.setattr(variations, "_FEW_CHILDREN", few)
    monkeypatch.setattr(finding, "_walks", lambda *_: iter(walked))
    family = Family(mugs)
    size = len(found.split()) or 1  # a page that is full needs no other way
    query = query.format(**vars(family)) + f"&items_per_page={size}"
    assert listed(mugs, f"products?{query}") == family.ids(found)


def test_walks_fold_child_variations_too(
    mugs: Mugs, monkeypatch: pytest.MonkeyPatch
) -> None:
    family = Family(mugs)
    others = [mugs.shop.make_product(f"Bowl {n:02}", price=5) for n in range(40)]
    mugs.shop.root.put(f"products/{family.child}", {"price": 5})
    monkeypatch.setattr(finding, "_LEAST_WALK", 1)
    path = "products?group_child_variations=1&price_from=5&items_per_page=1"
    found = mugs.shop.root.get(f"{path}&sort_order=desc")
    assert found.headers["X-Total-Count"] == str(len(others) + 1)
    (first,) = found.get_json()["products"]
    assert first["product_id"] == str(family.default)


@pytest.mark.parametrize(
    "query",
    [
        "has_variation_group=x",
        "include_child_variations=x",
        "group_child_variations=2",
        "variation_group_id=x",
        "variations_by_product_id=x",
    ],
)
def test_bad_filter_is_named(mugs: Mugs, query: str) -> None:
    refused(mugs.shop.root.get(f"products?{query}"), query.partition("=")[0])


def test_page_takes_the_same_statements_whatever_its_size(mugs: Mugs) -> None:
    Family(mugs)
    flags = "get_variation_info=1&get_variation_name=1"
    flags += "&get_variation_features_variants=1"
    counts = []
    for size in (1, 3):
        statements: list[str] = []
        mugs.shop.database.observer = statements.append
        path = f"product_variations?{flags}&items_per_page={size}&page=1"
        assert mugs.shop.root.get(path).status_code == 200
        mugs.shop.database.observer = None
        counts.append(len([s for s in statements if "count(" not in s]))
    assert counts[0] == counts[1]


# Joining and leaving


def test_create_inside_a_group(mugs: Mugs) -> None:
    family = Family(mugs)
    body = {
        "product": "Mug, huge",
        "price": 26,
        "category_ids": [mugs.shop.category],
        "product_features": mugs.values("green", "huge"),
    }
    answer = mugs.shop.root.post(f"{GROUPS}/MUGS/product_variations", body)
    assert answer.status_code == 201
    id = answer.get_json()["product_id"]
    assert mugs.place(id) == ("V", str(family.default), str(family.group))


def test_create_with_values_by_feature(mugs: Mugs) -> None:
    family = Family(mugs)
    body = {
        "product": "Mug",
        "category_ids": [mugs.shop.category],
        "variation_group_id": str(family.group),
        "variation_feature_values": mugs.values("red", "huge"),
    }
    id = mugs.shop.root.post("products", body).get_json()["product_id"]
    assert mugs.place(id) == ("P", "0", str(family.group))


def test_create_without_a_group_makes_an_ordinary_product(mugs: Mugs) -> None:
    body = {"product": "Mug", "category_ids": [mugs.shop.category]}
    id = mugs.shop.root.post("product_variations", body).get_json()["product_id"]
    assert mugs.place(id) == ("P", "0", None)


def test_create_of_a_taken_combination_makes_nothing(mugs: Mugs) -> None:
    Family(mugs)
    before = mugs.shop.everything()
    body = {
        "product": "Mug",
        "category_ids": [mugs.shop.category],
        "product_features": mugs.values("green", "large"),
    }
    path = f"{GROUPS}/MUGS/product_variations"
    refused(mugs.shop.root.post(path, body), "the new product: ")
    assert mugs.shop.everything() == before


@pytest.mark.parametrize("letter", ["N", "E", "M"])
def test_variations_keep_one_value_of_a_feature(mugs: Mugs, letter: str) -> None:
    family = Family(mugs)
    body = {"feature_type": letter, "purpose": "find_products"}
    variants = [
        {"variant_id": mugs.variants[name], "variant": str(number)}
        for number, name in enumerate(SIZES)
    ]
    answer = mugs.shop.root.put(f"features/{mugs.size}", {**body, "variants": variants})
    assert answer.status_code == (400 if letter == "M" else 200)
    if letter == "M":
        (error,) = answer.get_json()["errors"]
        assert error["field"] == "feature_type"
        assert error["message"].endswith(f"variation group {family.group}")


@pytest.mark.parametrize("entity", ["products", "product_variations"])
def test_put_adds_a_product_to_a_group(mugs: Mugs, entity: str) -> None:
    family = Family(mugs)
    body = {"variation_group_id": family.group}
    answer = mugs.shop.root.put(f"{entity}/{family.outside}", body)
    assert answer.get_json() == {"product_id": family.outside}
    assert mugs.place(family.outside) == ("P", "0", str(family.group))


@pytest.mark.parametrize(
    ("values", "code"), [(("green", "large"), 254), (("green",), 255)]
)
def test_product_that_cannot_join(mugs: Mugs, values: Any, code: int) -> None:
    family = Family(mugs)
    product = mugs.mug(*values)
    before = mugs.shop.everything()
    body = {"variation_group_id": family.group}
    answer = mugs.shop.root.put(f"products/{product}", body)
    refused(answer, f"product {product}: ")
    assert f"({code})" in answer.get_json()["message"]
    assert mugs.shop.everything() == before


def test_product_of_another_company_cannot_join(mugs: Mugs) -> None:
    family = Family(mugs)
    shop = mugs.shop
    there = shop.make_category("C", company_id=shop.other_store)
    product = mugs.mug(
        "green", "huge", company_id=shop.other_store, category_ids=[there]
    )
    body = {"variation_group_id": family.group}
    refused(shop.root.put(f"products/{product}", body), "(253)")


@pytest.mark.parametrize("echoed", [False, True])
def test_member_cannot_change_its_company(mugs: Mugs, echoed: bool) -> None:
    family = Family(mugs)
    there = mugs.shop.make_category("C", company_id=mugs.shop.other_store)
    body = {"company_id": mugs.shop.other_store, "category_ids": [there]}
    if echoed:
        body["variation_group_id"] = family.group
    refused(mugs.shop.root.put(f"products/{family.child}", body), "(253)")


def test_unknown_group_is_refused(mugs: Mugs) -> None:
    body = {"variation_group_id": 999999}
    answer = mugs.shop.root.put(f"products/{mugs.mug('green')}", body)
    refused(answer, "field 'variation_group_id' 999999 does not exist")


def test_product_moves_to_another_group(mugs: Mugs) -> None:
    family = Family(mugs)
    other = mugs.group(family.outside)
    body = {"variation_group_id": other}
    assert mugs.shop.root.put(f"products/{family.default}", body).status_code == 200
    assert mugs.place(family.default) == ("P", "0", str(other))
    assert mugs.place(family.child) == ("P", "0", str(family.group))


def test_product_moves_with_new_values(mugs: Mugs) -> None:
    family = Family(mugs)
    other = mugs.group(family.outside)
    body = {
        "variation_group_id": other,
        "product_features": mugs.values("green", "large"),
    }
    assert mugs.shop.root.put(f"products/{family.default}", body).status_code == 200
    assert mugs.place(family.default) == ("P", "0", str(other))


@pytest.mark.parametrize("value", [0, "0", "", None])
def test_no_group_takes_the_product_out(mugs: Mugs, value: Any) -> None:
    family = Family(mugs)
    body = {"variation_group_id": value}
    assert mugs.shop.root.put(f"products/{family.child}", body).status_code == 200
    assert mugs.place(family.child) == ("P", "0", None)


def test_put_of_the_own_group_changes_nothing(mugs: Mugs) -> None:
    family = Family(mugs)
    before = mugs.shop.everything()
    body = {"variation_group_id": str(family.group)}
    assert mugs.shop.root.put(f"products/{family.child}", body).status_code == 200
    assert mugs.shop.everything() == before


def test_whole_record_can_be_sent_back(mugs: Mugs) -> None:
    family = Family(mugs)
    before = mugs.shop.everything()
    record = mugs.product(family.child)
    answer = mugs.shop.root.put(f"products/{family.child}", record)
    assert answer.status_code == 200
    assert mugs.shop.everything() == before


def test_group_of_the_path_stays(mugs: Mugs) -> None:
    family = Family(mugs)
    path = f"{GROUPS}/MUGS/product_variations/{family.child}"
    body = {"variation_group_id": None, "product": "New"}
    assert mugs.shop.root.put(path, body).status_code == 200
    assert mugs.place(family.child) == ("V", str(family.default), str(family.group))


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_group_of_the_path_holds_the_product(mugs: Mugs, method: str) -> None:
    family = Family(mugs)
    mugs.group(family.outside)
    before = mugs.shop.everything()
    path = f"{GROUPS}/MUGS/product_variations"
    answer = mugs.shop.root.request(
        method, f"{path}/{family.outside}", json={"price": "4"}
    )
    assert answer.status_code == 404
    assert mugs.shop.everything() == before
    answer = mugs.shop.root.request(
        method, f"{path}/{family.child}", json={"price": "4"}
    )
    assert answer.status_code == (200 if method == "PUT" else 204)
    found = mugs.shop.root.get(f"products/{family.child}")
    assert found.status_code == (200 if method == "PUT" else 404)


@pytest.mark.parametrize("path", ["{group}", "{group}/product_variations"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_group_of_the_path_has_to_exist(mugs: Mugs, method: str, path: str) -> None:
    body = {"product": "Mug"} if "/" in path else None
    if (method, body) != ("POST", None):
        answer = mugs.shop.root.request(
            method, f"{GROUPS}/{path.format(group='NOPE')}", json=body
        )
        assert answer.status_code == 404


# Values change


@pytest.mark.parametrize("field", ["product_features", "variation_feature_values"])
def test_new_value_moves_the_product_to_its_catalog_item(
    mugs: Mugs, field: str
) -> None:
    family = Family(mugs)
    body = {field: mugs.values("blue")}
    answer = mugs.shop.root.put(f"product_variations/{family.child}", body)
    assert answer.status_code == 200
    assert mugs.place(family.child) == ("V", str(family.blue), str(family.group))


def test_default_that_moves_leaves_its_item_to_the_next(mugs: Mugs) -> None:
    family = Family(mugs)
    body = {"product_features": mugs.values("blue", "huge")}
    mugs.shop.root.put(f"products/{family.default}", body)
    assert mugs.place(family.default) == ("V", str(family.blue), str(family.group))
    assert mugs.place(family.child) == ("P", "0", str(family.group))


def test_taken_combination_is_refused(mugs: Mugs) -> None:
    family = Family(mugs)
    before = mugs.shop.everything()
    body = {"product_features": mugs.values("small")}
    refused(mugs.shop.root.put(f"products/{family.child}", body), "(254)")
    assert mugs.shop.everything() == before


def test_value_of_the_group_cannot_be_removed(mugs: Mugs) -> None:
    family = Family(mugs)
    before = mugs.shop.everything()
    path = f"products/{family.child}/features/{mugs.size}"
    refused(mugs.shop.root.delete(path), "(255)")
    assert mugs.shop.everything() == before


def test_value_set_below_the_product_moves_it_too(mugs: Mugs) -> None:
    family = Family(mugs)
    path = f"products/{family.child}/features/{mugs.colour}"
    body = {"variant_id": mugs.variants["blue"]}
    assert mugs.shop.root.put(path, body).status_code == 200
    assert mugs.place(family.child) == ("V", str(family.blue), str(family.group))


@pytest.mark.parametrize("sent", [5, "x", {"x": 1}, {"71": "x"}, {"71": 0}])
def test_bad_values_by_feature_are_refused(mugs: Mugs, sent: Any) -> None:
    body = {"variation_feature_values": sent}
    answer = mugs.shop.root.put(f"products/{Family(mugs).child}", body)
    refused(answer, "variation_feature_values")


# Deleting


@pytest.mark.parametrize("entity", ["products", "product_variations"])
def test_deleting_a_default_promotes_the_first_child(mugs: Mugs, entity: str) -> None:
    family = Family(mugs)
    third = mugs.mug("green", "huge", variation_group_id=family.group)
    answer = mugs.shop.root.delete(f"{entity}/{family.default}")
    assert answer.status_code == 204
    assert mugs.place(family.child) == ("P", "0", str(family.group))
    assert mugs.place(third) == ("V", str(family.child), str(family.group))


def test_group_goes_with_its_last_product(mugs: Mugs) -> None:
    product = mugs.mug("green", "small")
    group = mugs.group(product)
    mugs.shop.root.delete(f"product_variations/{product}")
    assert mugs.shop.root.get(f"{GROUPS}/{group}").status_code == 404


def test_group_keeps_its_only_product(mugs: Mugs) -> None:
    first, second = mugs.mug("green", "small"), mugs.mug("green", "large")
    group = mugs.group(first, second)
    mugs.shop.root.delete(f"products/{first}")
    assert mugs.place(second) == ("P", "0", str(group))


# The actions


@pytest.mark.parametrize("parent", ["product_variations", "products"])
@pytest.mark.parametrize("body", [{}, None, {"any": 1}])
def test_detach_takes_the_product_out(mugs: Mugs, parent: str, body: Any) -> None:
    family = Family(mugs)
    path = f"{parent}/{family.default}/detach_product_variation"
    answer = mugs.shop.root.post(path, body)
    assert answer.status_code == 201
    assert answer.get_json() == {"product_id": family.default}
    assert "Location" not in answer.headers
    assert mugs.place(family.default) == ("P", "0", None)
    assert mugs.place(family.child) == ("P", "0", str(family.group))


@pytest.mark.parametrize("parent", ["product_variations", "products"])
def test_set_default_makes_the_others_children(mugs: Mugs, parent: str) -> None:
    family = Family(mugs)
    third = mugs.mug("green", "huge", variation_group_id=family.group)
    path = f"{parent}/{third}/set_default_product_variation"
    answer = mugs.shop.root.post(path, {})
    assert (answer.status_code, answer.get_json()) == (201, {"product_id": third})
    group = str(family.group)
    assert mugs.place(third) == ("P", "0", group)
    assert mugs.place(family.default) == ("V", str(third), group)
    assert mugs.place(family.child) == ("V", str(third), group)
    assert mugs.place(family.blue) == ("P", "0", group)


@pytest.mark.parametrize("action", ["detach", "set_default"])
def test_action_on_a_product_in_no_group_is_404(mugs: Mugs, action: str) -> None:
    product = mugs.mug("green")
    path = f"product_variations/{product}/{action}_product_variation"
    answer = mugs.shop.root.post(path, {})
    assert answer.status_code == 404
    assert f"product {product} is in no" in answer.get_json()["message"]


@pytest.mark.parametrize(
    "action",
    [
        "detach_product_variation",
        "set_default_product_variation",
        "generate_product_variations",
    ],
)
def test_actions_take_a_post_only(mugs: Mugs, action: str) -> None:
    family = Family(mugs)
    path = f"products/{family.child}/{action}"
    for method in ("GET", "PUT", "DELETE"):
        answer = mugs.shop.root.request(method, path, json={"a": 1})
        assert answer.status_code == 405
        assert answer.headers["Allow"] == "POST, OPTIONS"
    assert mugs.shop.root.post(action, {"a": 1}).status_code == 404
    assert mugs.shop.root.post(f"/api/{path}", {}).status_code == 405
    missing = mugs.shop.root.post(f"products/999999/{action}", {})
    assert missing.status_code == 404


def generate(mugs: Mugs, product: int, *combinations: Any) -> Any:
    path = f"product_variations/{product}/generate_product_variations"
    return mugs.shop.root.post(path, {"combinations": list(combinations)})


def test_generate_makes_a_group_and_copies(mugs: Mugs) -> None:
    first = mugs.mug("green", "small", product_code="M1", price="9.50", amount=7)
    answer = generate(
        mugs, first, mugs.values("green", "large"), mugs.values("blue", "small")
    )
    body = answer.get_json()
    assert answer.status_code == 201
    assert list(body) == ["group", "products_status"]
    second, third = sorted(map(int, body["products_status"].keys() - {str(first)}))
    assert set(body["products_status"].values()) == {1}
    group = str(body["group"]["id"])
    assert mugs.place(first) == ("P", "0", group)
    assert mugs.place(second) == ("V", str(first), group)
    assert mugs.place(third) == ("P", "0", group)
    assert body["group"] == mugs.shop.root.get(f"{GROUPS}/{group}").get_json()


def test_generated_copy_has_own_values(mugs: Mugs) -> None:
    plain = mugs.feature("Plain", "find_products", ("a",))
    (variant,) = mugs.shop.root.get(f"features/{plain}").get_json()["variants"]
    prices = [{"lower_limit": 5, "price": "8.00"}]
    first = mugs.mug(
        "green", "small", product_code="M1", price="9.50", amount=7, prices=prices
    )
    body = {"product_features": {plain: variant}, "full_description": "Text"}
    mugs.shop.root.put(f"products/{first}", body)
    statuses = generate(mugs, first, mugs.values("large")).get_json()
    old = mugs.product(first)
    new = mugs.product(max(map(int, statuses["products_status"])))
    assert (new["product_code"], new["amount"]) == ("", "0")
    assert new["seo_name"] == f"{old['seo_name']}-2"
    for name in ("product", "price", "prices", "category_ids", "full_description"):
        assert new[name] == old[name]
    values = {id: v["variant"] for id, v in new["product_features"].items()}
    assert values == {
        str(mugs.colour): "green",
        str(mugs.size): "large",
        str(plain): "a",
    }
    found = listed(mugs, "products?q=green&pname=Y")
    assert int(new["product_id"]) in found
    category = mugs.shop.root.get(f"categories/{mugs.shop.category}").get_json()
    assert category["product_count"] == "2"


def test_generated_copy_has_pictures_of_its_own(mugs: Mugs) -> None:
    picture = {"detailed": {"data": encoded(), "alt": "Front"}}
    more = [{"detailed": {"data": encoded("blue")}}]
    first = mugs.mug("green", "small", main_pair=picture, image_pairs=more)
    statuses = generate(mugs, first, mugs.values("large")).get_json()
    new = max(map(int, statuses["products_status"]))
    old_pair, pair = (mugs.product(id)["main_pair"] for id in (first, new))
    assert pair["pair_id"] != old_pair["pair_id"]
    assert pair["detailed"]["image_path"] == old_pair["detailed"]["image_path"]
    assert len(mugs.product(new)["image_pairs"]) == 1
    mugs.shop.root.delete(f"products/{first}")
    assert mugs.product(new)["main_pair"] == pair


def test_identifiers_are_texts_in_version_1(mugs: Mugs) -> None:
    """Protocol.md, 6.2; those inside of a group stay numbers."""
    family, root = Family(mugs), mugs.shop.root
    path, sent = f"/api/product_variations/{family.child}", {"any": 1}
    wanted = {"product_id": str(family.child)}
    for action in ("set_default", "detach"):
        answer = root.post(f"{path}/{action}_product_variation", sent)
        assert (answer.status_code, answer.get_json()) == (201, wanted)
    answer = root.put(path, {"variation_group_id": family.group})
    assert (answer.status_code, answer.get_json()) == (200, wanted)
    combinations = [mugs.values("green", "huge")]
    path = f"{path}/generate_product_variations"
    answer = root.post(path, {"combinations": combinations})
    assert answer.get_json()["group"]["id"] == family.group
    answer = root.put(f"/api/{GROUPS}/MUGS", {"code": "M2"})
    assert answer.get_json() == {"id": str(family.group), "code": "M2"}


def test_generate_skips_combinations_that_exist(mugs: Mugs) -> None:
    family = Family(mugs)
    answer = generate(mugs, family.default, mugs.values("large"), mugs.values("huge"))
    statuses = answer.get_json()["products_status"]
    new = str(max(map(int, statuses)))
    assert statuses == {str(family.default): 0, str(family.child): 254, new: 1}
    assert len(mugs.members(family.group)) == 4


@pytest.mark.parametrize(
    ("combinations", "text"),
    [
        ([], "field 'combinations' is required"),
        ("x", "field 'combinations' is required"),
        ([5], "must be an array of objects"),
        ([{}], "must be an array of objects"),
        ([{"x": 1}], "must be an array of objects"),
        ([{"999999": 1}], "'combinations' names a feature that does not exist"),
        ([{"71": -1}], "must be an array of objects"),
    ],
)
def test_bad_combinations_are_refused(mugs: Mugs, combinations: Any, text: str) -> None:
    product = mugs.mug("green", "small")
    path = f"products/{product}/generate_product_variations"
    before = mugs.shop.everything()
    refused(mugs.shop.root.post(path, {"combinations": combinations}), text)
    assert mugs.shop.everything() == before


def test_generate_needs_variants_of_the_feature(mugs: Mugs) -> None:
    values = {**mugs.values("large"), str(mugs.colour): mugs.variants["huge"]}
    answer = generate(mugs, mugs.mug("green", "small"), values)
    refused(answer, "names variants that the feature does not have")


@pytest.mark.parametrize(
    ("change", "text"),
    [("disabled", "is a feature that is disabled"), ("elsewhere", "other categories")],
)
def test_generate_gives_no_value_that_a_put_may_not(
    mugs: Mugs, change: str, text: str
) -> None:
    product = mugs.mug("green", "small")
    other = str(mugs.shop.make_category("Cups"))
    body = {"status": "D"} if change == "disabled" else {"categories_path": other}
    mugs.shop.root.put(f"features/{mugs.size}", body)
    values = mugs.values("large")
    put = {"product_features": values}
    refused(mugs.shop.root.put(f"products/{product}", put), text)
    refused(generate(mugs, product, values), text)
    assert generate(mugs, product, mugs.values("blue", "small")).status_code == 201


def test_generate_needs_the_values_of_the_product(mugs: Mugs) -> None:
    product = mugs.mug("green")
    refused(generate(mugs, product, mugs.values("large")), "(255)")


def test_generate_needs_features_of_the_group(mugs: Mugs) -> None:
    product = mugs.mug("green", "small")
    mugs.group(product, features=[{"feature_id": mugs.size}])
    answer = generate(mugs, product, mugs.values("blue"))
    refused(answer, "on which the group is not based")


def test_generate_needs_features_for_variations(mugs: Mugs) -> None:
    plain = mugs.feature("Plain", "find_products", ("a",))
    (variant,) = mugs.shop.root.get(f"features/{plain}").get_json()["variants"]
    answer = generate(mugs, mugs.mug("green"), {str(plain): variant})
    refused(answer, "by which variations cannot differ")


# What variations share


SHARED: dict[str, tuple[Any, Any]] = {
    "short_description": ("S", "S"),
    "full_description": ("F", "F"),
    "promo_text": ("P", "P"),
    "search_words": ("W", "W"),
    "shipping_freight": ("4.50", "4.50"),
    "free_shipping": ("Y", "Y"),
    "box_length": (3, 3),
    "box_width": (4, 4),
    "box_height": (5, 5),
    "min_items_in_box": (1, 1),
    "max_items_in_box": (9, 9),
    "usergroup_ids": ("1", "1"),
}
OWN: dict[str, Any] = {
    "product": "Other",
    "product_code": "C",
    "price": "5.00",
    "list_price": "6.00",
    "amount": "3",
    "weight": "0.500",
    "status": "H",
    "seo_name": "other",
    "page_title": "T",
    "meta_keywords": "K",
    "meta_description": "D",
    "timestamp": "5",
}


def test_child_takes_over_at_joining(mugs: Mugs) -> None:
    family = Family(mugs)
    sent = {name: pair[0] for name, pair in SHARED.items()}
    other = mugs.shop.make_category("Cups")
    body = {**sent, "category_ids": [other], "main_category": other}
    mugs.shop.root.put(f"products/{family.default}", body)
    child = mugs.mug("green", "huge")
    before = mugs.product(child)
    mugs.shop.root.put(f"products/{child}", {"variation_group_id": family.group})
    found = mugs.product(child)
    wanted = {name: pair[1] for name, pair in SHARED.items()}
    assert {name: found[name] for name in SHARED} == wanted
    assert (found["category_ids"], found["main_category"]) == ([other], other)
    assert {name: found[name] for name in OWN} == {name: before[name] for name in OWN}


def test_child_keeps_its_categories_where_its_default_has_none(mugs: Mugs) -> None:
    family = Family(mugs)
    mugs.shop.root.delete(f"categories/{mugs.product(family.default)['main_category']}")
    assert mugs.product(family.default)["category_ids"] == []
    own = mugs.shop.make_category("Cups")
    child = mugs.mug("green", "huge", category_ids=[own])
    answer = mugs.shop.root.put(
        f"products/{child}", {"variation_group_id": family.group}
    )
    assert answer.status_code == 200
    found = mugs.product(child)
    assert found["parent_product_id"] == str(family.default)
    assert (found["category_ids"], found["main_category"]) == ([own], own)
    new = mugs.shop.make_category("Mugs again")
    mugs.shop.root.put(f"products/{family.default}", {"category_ids": [new]})
    assert mugs.product(child)["category_ids"] == [new]


def test_default_of_another_item_takes_nothing(mugs: Mugs) -> None:
    family = Family(mugs)
    mugs.shop.root.put(f"products/{family.default}", {"full_description": "F"})
    red = mugs.mug("red", "small", variation_group_id=family.group)
    assert mugs.product(red)["full_description"] == ""


def test_what_the_joining_request_sends_is_kept(mugs: Mugs) -> None:
    family = Family(mugs)
    texts = {"full_description": "F", "short_description": "S"}
    mugs.shop.root.put(f"products/{family.default}", texts)
    child = mugs.mug("green", "huge")
    body = {"variation_group_id": family.group, "full_description": "Mine"}
    mugs.shop.root.put(f"products/{child}", body)
    found = mugs.product(child)
    assert (found["full_description"], found["short_description"]) == ("Mine", "S")


def test_child_follows_its_default(mugs: Mugs) -> None:
    family = Family(mugs)
    sent = {name: pair[0] for name, pair in SHARED.items()} | OWN
    other = mugs.shop.make_category("Cups")
    before = mugs.product(family.child)
    body = {**sent, "category_ids": [other], "tax_ids": [mugs.shop.make_tax()]}
    answer = mugs.shop.root.put(f"products/{family.default}", body)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    found, default = mugs.product(family.child), mugs.product(family.default)
    for name in (*SHARED, "category_ids", "main_category", "tax_ids"):
        assert found[name] == default[name] != before[name], name
    assert {name: found[name] for name in OWN} == {name: before[name] for name in OWN}
    assert mugs.product(family.blue)["full_description"] == ""


def test_child_is_found_by_what_it_shares(mugs: Mugs) -> None:
    family = Family(mugs)
    mugs.shop.root.put(f"products/{family.default}", {"search_words": "kettle"})
    assert listed(mugs, "products?q=kettle") == family.ids("default child")


def test_child_keeps_its_own_value_until_the_default_changes_it(mugs: Mugs) -> None:
    family = Family(mugs)
    root = mugs.shop.root
    root.put(f"products/{family.child}", {"full_description": "Mine"})
    root.put(f"products/{family.default}", {"short_description": "S"})
    found = mugs.product(family.child)
    assert (found["full_description"], found["short_description"]) == ("Mine", "S")
    root.put(f"products/{family.default}", {"full_description": "F"})
    assert mugs.product(family.child)["full_description"] == "F"


def promo(mugs: Mugs, id: int) -> tuple[str, str]:
    """A text that variations share, in English and in German."""
    path = f"products/{id}?fields=promo_text&lang_code="
    found = [mugs.shop.root.get(path + code).get_json() for code in ("en", "de")]
    return found[0]["promo_text"], found[1]["promo_text"]


def test_child_follows_texts_in_the_language_that_changes(mugs: Mugs) -> None:
    first, second = mugs.mug("green", "small"), mugs.mug("green", "large")
    mugs.group(first, second)
    root = mugs.shop.root
    root.put(f"products/{first}", {"promo_text": "Neu", "lang_code": "de"})
    assert promo(mugs, second) == ("", "Neu")
    root.put(f"products/{second}", {"promo_text": "Meins", "lang_code": "de"})
    root.put(f"products/{first}", {"promo_text": "New"})
    assert promo(mugs, second) == ("New", "Meins")
    root.put(f"products/{second}", {"full_description": "Gut", "lang_code": "de"})
    root.put(f"products/{first}", {"full_description": "Good"})
    for word, code in (("good", "en"), ("gut", "de")):
        path = f"products?q={word}&lang_code={code}&product_id={second}"
        assert root.get(path).get_json()["params"]["total_items"] == "1"


def test_what_is_sent_is_kept_in_its_language(mugs: Mugs) -> None:
    first = mugs.mug("green", "small", promo_text="New")
    second = mugs.mug("green", "large", promo_text="Own")
    group = mugs.group(first)
    body = {"variation_group_id": group, "promo_text": "Meins", "lang_code": "de"}
    assert mugs.shop.root.put(f"products/{second}", body).status_code == 200
    assert promo(mugs, second) == ("New", "Meins")


def test_change_of_a_child_stays_there(mugs: Mugs) -> None:
    family = Family(mugs)
    body = {"full_description": "Mine"}
    mugs.shop.root.put(f"products/{family.child}", body)
    assert mugs.product(family.default)["full_description"] == ""


def test_child_follows_values_of_other_features(mugs: Mugs) -> None:
    family = Family(mugs)
    plain = mugs.feature("Plain", "find_products", ("a", "b"))
    variant, _ = mugs.shop.root.get(f"features/{plain}").get_json()["variants"]
    body = {"product_features": {plain: variant}}
    mugs.shop.root.put(f"products/{family.default}", body)
    values = mugs.product(family.child)["product_features"]
    shown = {id: value["variant"] for id, value in values.items()}
    assert shown == {
        str(mugs.colour): "green",
        str(mugs.size): "large",
        str(plain): "a",
    }
    mugs.shop.root.delete(f"products/{family.default}/features/{plain}")
    assert str(plain) not in mugs.product(family.child)["product_features"]


def test_child_takes_over_values_but_those_sent(mugs: Mugs) -> None:
    family = Family(mugs)
    plain = mugs.feature("Plain", "find_products", ("a", "b"))
    one, two = mugs.shop.root.get(f"features/{plain}").get_json()["variants"]
    body = {"product_features": {plain: one}}
    mugs.shop.root.put(f"products/{family.default}", body)
    took = mugs.mug("green", "huge", variation_group_id=family.group)
    assert mugs.product(took)["product_features"][str(plain)]["variant"] == "a"
    mugs.shop.root.delete(f"products/{took}")
    kept = mugs.shop.make_product(
        variation_group_id=family.group,
        product_features={**mugs.values("green", "huge"), str(plain): two},
    )
    assert mugs.product(kept)["product_features"][str(plain)]["variant"] == "b"


def test_following_moves_the_time_of_change(mugs: Mugs) -> None:
    family = Family(mugs)

    def age(db: Any) -> None:
        db.execute(table_of(Product).update().values(updated_timestamp=NOW))

    mugs.shop.database.write(age)
    mugs.shop.root.put(f"products/{family.default}", {"full_description": "F"})
    assert int(mugs.product(family.child)["updated_timestamp"]) > NOW
    assert mugs.product(family.blue)["updated_timestamp"] == str(NOW)


# Who may


def test_actions_need_the_privilege(mugs: Mugs) -> None:
    family = Family(mugs)
    path = f"products/{family.child}/detach_product_variation"
    viewer = mugs.shop.caller("view_catalog")
    manager = mugs.shop.caller("view_catalog", "manage_catalog")
    assert viewer.post(path, {}).status_code == 403
    assert manager.post(path, {}).status_code == 201


def test_vendor_acts_on_own_products_only(mugs: Mugs) -> None:
    family = Family(mugs)
    vendor = mugs.shop.caller(
        "view_catalog", "manage_catalog", company_id=mugs.shop.vendor
    )
    for parent in ("products", "product_variations"):
        path = f"{parent}/{family.child}/detach_product_variation"
        assert vendor.post(path, {}).status_code == 404
    body = {"variation_group_id": family.group}
    mine = mugs.shop.make_category("V", company_id=mugs.shop.vendor)
    own = mugs.mug("red", "huge", company_id=mugs.shop.vendor, category_ids=[mine])
    refused(vendor.put(f"products/{own}", body), "does not exist")


def test_vendor_generates_no_values_of_a_foreign_feature(mugs: Mugs) -> None:
    mine = mugs.shop.make_category("V", company_id=mugs.shop.vendor)
    own = mugs.mug("red", "huge", company_id=mugs.shop.vendor, category_ids=[mine])
    vendor = mugs.shop.caller(
        "view_catalog", "manage_catalog", company_id=mugs.shop.vendor
    )
    path = f"products/{own}/generate_product_variations"
    before = mugs.shop.everything()
    for name in ("large", "green"):
        body = {"combinations": [mugs.values(name)]}
        refused(vendor.post(path, body), "names a feature that does not exist")
    body = {"combinations": [mugs.values("huge")]}
    refused(vendor.post(path, body), "by which variations cannot differ")
    assert mugs.shop.everything() == before


@pytest.fixture
def front(make_app: Callable[..., Flask]) -> Mugs:
    """A shop that lets customers in."""
    return Mugs(Shop(make_app(api_allow_customer=True)))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "default blue outside"),
        ("?include_child_variations=1", "default child blue outside"),
        ("?group_child_variations=0", "default child blue outside"),
        ("?variations_by_product_id={blue}", "default child blue"),
        ("?parent_product_id={default}", "child"),
        ("?q=large", "default"),
        ("?q=large&include_child_variations=1", "child"),
    ],
)
def test_storefront_folds_child_variations(front: Mugs, query: str, found: str) -> None:
    family = Family(front)
    path = f"products{query.format(**vars(family))}"
    body = front.shop.anonymous.get(path).get_json()
    ids = sorted(int(each["product_id"]) for each in body["products"])
    assert ids == family.ids(found)
