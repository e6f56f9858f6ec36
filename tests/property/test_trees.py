"""The tree of categories keeps its shape under any sequence of writes."""

from typing import Any

from flask import Flask
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.categories import make
from tests.products import check_counts
from tests.shop import Shop

_STEP = st.tuples(
    st.sampled_from(["add", "move", "delete", "age", "product"]),
    st.integers(0, 9),
    st.integers(0, 9),
)


def perform(shop: Shop, ids: list[int], step: tuple[str, int, int]) -> None:
    """One write, on categories chosen by number; a refusal is fine."""
    verb, one, two = step
    if verb == "add" or not ids:
        parent = ids[one % len(ids)] if ids and one else 0
        ids.append(make(shop, f"N{two % 3}", parent))
        return
    id, other = ids[one % len(ids)], ids[two % len(ids)]
    if verb == "delete":
        shop.root.delete(f"categories/{id}")
    elif verb == "move":
        shop.root.put(f"categories/{id}", {"parent_id": other if two else 0})
    elif verb == "age":
        flag = "Y" if two % 2 else "N"
        body = {"age_verification": flag, "age_limit": two}
        shop.root.put(f"categories/{id}", body)
    else:
        body = {"product": "P", "category_ids": [id, other]}
        shop.root.post("products", body)
    known = shop.root.get("categories?items_per_page=0").get_json()["categories"]
    ids[:] = [int(record["category_id"]) for record in known]


def records(shop: Shop) -> dict[str, Any]:
    """The full records of all categories, by ID."""
    body = shop.root.get("categories?items_per_page=0&detailed_params=Y").get_json()
    return {record["category_id"]: record for record in body["categories"]}


def check_tree(shop: Shop) -> None:
    """Paths, inherited ages, slugs and numbers of products are what they must be."""
    found = records(shop)
    slugs = [(each["parent_id"], each["seo_name"]) for each in found.values()]
    assert len(slugs) == len(set(slugs))
    for id, each in found.items():
        parent = found.get(each["parent_id"])
        ages = ("N", "0")
        if parent is not None and parent["age_verification"] == "Y":
            ages = ("Y", parent["age_limit"])
        elif parent is not None:
            ages = (parent["parent_age_verification"], parent["parent_age_limit"])
        assert (each["parent_age_verification"], each["parent_age_limit"]) == ages
        above = f"{parent['id_path']}/" if parent else ""
        assert each["id_path"] == f"{above}{id}"
        query = f"products?cid={id}&items_per_page=0"
        listed = shop.root.get(query).get_json()["products"]
        assert each["product_count"] == str(len(listed))


@settings(max_examples=15, deadline=None)
@given(steps=st.lists(_STEP, max_size=14))
def test_a_tree_keeps_its_shape(app: Flask, steps: list[tuple[str, int, int]]) -> None:
    shop = Shop(app)
    ids: list[int] = []
    for step in steps:
        perform(shop, ids, step)
    check_tree(shop)
    check_counts(shop)
    for each in shop.root.get("products?items_per_page=0").get_json()["products"]:
        linked, main = each["category_ids"], each["main_category"]
        assert (main in linked) if linked else (main == 0 and each["status"] == "D")
