"""Categories as a tree that holds products (spec/entities/categories.md, 5)."""

from typing import Any

import pytest

from storeapi.core.changes import Change
from storeapi.core.rows import table_of
from storeapi.models import Category
from tests.categories import make, names, read, refused
from tests.shop import Shop


@pytest.mark.parametrize("parent", [999999, "999999"])
def test_an_unknown_parent_is_refused(shop: Shop, parent: Any) -> None:
    answer = shop.root.post("categories", {"category": "x", "parent_id": parent})
    refused(answer, "parent_id", "unknown")


def test_a_parent_of_another_company_is_refused(shop: Shop) -> None:
    other = make(shop, "Hill", company_id=shop.other_store)
    answer = shop.root.post("categories", {"category": "x", "parent_id": other})
    refused(answer, "parent_id", "unknown")


def test_a_shared_parent_is_taken(shop: Shop) -> None:
    shared = make(shop, "Shared", company_id=0)
    id = make(shop, "Own", shared)
    assert read(shop, id)["id_path"] == f"{shared}/{id}"


@pytest.mark.parametrize("below", [0, 1, 2])
def test_a_category_is_not_moved_under_itself(shop: Shop, below: int) -> None:
    top = make(shop, "A")
    middle = make(shop, "B", top)
    chain = [top, middle, make(shop, "C", middle)]
    before = shop.everything()
    answer = shop.root.put(f"categories/{top}", {"parent_id": chain[below]})
    refused(answer, "parent_id", "cycle")
    assert shop.everything() == before


def test_a_path_that_would_not_fit_is_refused(shop: Shop) -> None:
    top = make(shop, "Deep")
    path = f"{'1000000/' * 31}{top}"
    shop.database.write(
        lambda db: db.update(
            table_of(Category), {"category_id": top}, {"id_path": path.rjust(254, "1")}
        )
    )
    answer = shop.root.post("categories", {"category": "x", "parent_id": top})
    refused(answer, "parent_id", "too_deep")


def test_moving_takes_the_subtree_along(shop: Shop) -> None:
    top, target = make(shop, "A"), make(shop, "T")
    child = make(shop, "B", top)
    leaf = make(shop, "C", child)
    assert shop.root.put(f"categories/{top}", {"parent_id": target}).status_code == 200
    found = [read(shop, id)["id_path"] for id in (top, child, leaf)]
    assert found == [
        f"{target}/{top}",
        f"{target}/{top}/{child}",
        f"{target}/{top}/{child}/{leaf}",
    ]


def test_moving_to_the_root_shortens_the_paths(shop: Shop) -> None:
    top = make(shop, "A")
    child = make(shop, "B", top)
    leaf = make(shop, "C", child)
    shop.root.put(f"categories/{child}", {"parent_id": 0})
    assert read(shop, child)["id_path"] == str(child)
    assert read(shop, leaf)["id_path"] == f"{child}/{leaf}"
    assert read(shop, leaf)["seo_path"] == str(child)


def test_moving_leaves_other_numbers_that_begin_alike(shop: Shop) -> None:
    """The subtree of 1 is not that of 12."""
    ids = [make(shop, f"N{n}") for n in range(12)]
    child = make(shop, "child", ids[-1])
    shop.root.put(f"categories/{shop.category}", {"parent_id": ids[0]})
    assert read(shop, child)["id_path"] == f"{ids[-1]}/{child}"


def test_ages_come_from_the_nearest_ancestor_that_asks(shop: Shop) -> None:
    top = make(shop, "A", age_verification="Y", age_limit=16)
    middle = make(shop, "B", top, age_verification="Y", age_limit=18)
    leaf = make(shop, "C", make(shop, "M", middle))
    found = read(shop, leaf)
    assert (found["parent_age_verification"], found["parent_age_limit"]) == ("Y", "18")
    shop.root.put(f"categories/{middle}", {"age_verification": "N"})
    assert read(shop, leaf)["parent_age_limit"] == "16"
    assert read(shop, middle)["parent_age_limit"] == "16"


def test_moving_changes_the_ages_that_a_subtree_inherits(shop: Shop) -> None:
    adult = make(shop, "A", age_verification="Y", age_limit=18)
    top = make(shop, "B")
    leaf = make(shop, "C", top)
    shop.root.put(f"categories/{top}", {"parent_id": adult})
    for id in (top, leaf):
        assert read(shop, id)["parent_age_verification"] == "Y"
    shop.root.put(f"categories/{top}", {"parent_id": 0})
    found = read(shop, leaf)
    assert (found["parent_age_verification"], found["parent_age_limit"]) == ("N", "0")


def test_deleting_removes_the_subtree(shop: Shop) -> None:
    top = make(shop, "A")
    child = make(shop, "B", top)
    leaf = make(shop, "C", child)
    answer = shop.root.delete(f"categories/{top}")
    assert (answer.status_code, answer.data) == (204, b"")
    for id in (top, child, leaf):
        assert shop.root.get(f"categories/{id}").status_code == 404
    assert names(shop, "") == ["Mugs"]


def test_deleting_removes_the_images_of_the_subtree(shop: Shop) -> None:
    pair = {"detailed": {"image_path": "https://cdn.example/tent.jpg"}}
    top = make(shop, "A")
    make(shop, "B", top, main_pair=pair)
    shop.root.delete(f"categories/{top}")
    assert shop.everything()["image_pairs"] == []
    assert shop.everything()["images"] == []


def test_products_get_the_remaining_category_with_the_lowest_position(
    shop: Shop,
) -> None:
    main = make(shop, "Main")
    far, near = make(shop, "Far", position=50), make(shop, "Near", position=5)
    id = shop.make_product(category_ids=[main, far, near])
    shop.root.delete(f"categories/{main}")
    found = shop.root.get(f"products/{id}").get_json()
    assert (found["main_category"], found["category_ids"]) == (near, [near, far])
    assert found["status"] == "A"


def test_a_product_without_a_category_is_disabled_not_deleted(shop: Shop) -> None:
    top = make(shop, "A")
    id = shop.make_product(category_ids=[make(shop, "B", top)])
    other = shop.make_product("Other")
    shop.root.delete(f"categories/{top}")
    found = shop.root.get(f"products/{id}").get_json()
    assert (found["status"], found["category_ids"], found["main_category"]) == (
        "D",
        [],
        0,
    )
    total = shop.root.get("products?status=D&items_per_page=1").get_json()["params"]
    assert total["total_items"] == "1"
    left = shop.root.get("products?status=A").get_json()["products"]
    assert [record["product_id"] for record in left] == [str(other)]


def test_a_lost_second_category_leaves_the_main_one(shop: Shop) -> None:
    second = make(shop, "Second")
    id = shop.make_product(category_ids=[shop.category, second])
    shop.root.delete(f"categories/{second}")
    found = shop.root.get(f"products/{id}").get_json()
    assert (found["main_category"], found["status"]) == (shop.category, "A")
    assert read(shop, shop.category)["product_count"] == "1"


def test_nested_products_are_those_of_the_category(shop: Shop) -> None:
    top = make(shop, "A")
    child = make(shop, "B", top)
    one = shop.make_product("One", category_ids=[top])
    two = shop.make_product("Two", category_ids=[child])
    path = f"categories/{top}/products"
    found = shop.root.get(path).get_json()["products"]
    assert [record["product_id"] for record in found] == [str(one)]
    found = shop.root.get(f"{path}?subcats=Y").get_json()["products"]
    assert [record["product_id"] for record in found] == [str(one), str(two)]
    assert shop.root.get(f"{path}/{one}").status_code == 200
    assert shop.root.get(f"{path}/{two}").status_code == 404


def test_a_nested_post_adds_the_category(shop: Shop) -> None:
    other = make(shop, "B")
    path = f"categories/{shop.category}/products"
    id = shop.root.post(path, {"product": "A"}).get_json()["product_id"]
    assert shop.root.get(f"products/{id}").get_json()["main_category"] == shop.category
    body = {"product": "B", "category_ids": [other]}
    id = shop.root.post(path, body).get_json()["product_id"]
    found = shop.root.get(f"products/{id}").get_json()
    assert found["category_ids"] == [other, shop.category]


def feature(shop: Shop, *categories: int, **more: Any) -> int:
    return shop.root.make(
        "features",
        description="A",
        feature_type="T",
        categories_path=categories,
        **more,
    )


def test_a_feature_without_a_category_is_disabled_not_widened(shop: Shop) -> None:
    top = make(shop, "A")
    child, other = make(shop, "B", top), make(shop, "C")
    alone, hidden = feature(shop, child, top), feature(shop, child, status="H")
    shared = feature(shop, top, other, child)
    common = feature(shop, top, company_id=0)
    everywhere = feature(shop)
    product = shop.make_product(category_ids=[child, other])
    value = {"product_features": {alone: "a"}}
    assert shop.root.put(f"products/{product}", value).status_code == 200
    seen: list[Change] = []
    shop.database.subscribers.append(lambda db, changes: seen.extend(changes))
    assert shop.root.delete(f"categories/{top}").status_code == 204
    shop.database.subscribers.pop()
    told = {each.id: dict(each.after) for each in seen if each.entity == "features"}
    gone = {"categories_path": [], "status": "D"}
    assert told == {
        alone: gone, hidden: gone, common: gone, shared: {"categories_path": [other]},
    }  # fmt: skip
    found = {}
    for id in (alone, hidden, common, shared, everywhere):
        record = shop.root.get(f"features/{id}").get_json()
        found[id] = (record["status"], record["categories_path"])
    assert found == {
        alone: ("D", ""), hidden: ("D", ""), common: ("D", ""),
        shared: ("A", str(other)), everywhere: ("A", ""),
    }  # fmt: skip
    record = shop.root.get(f"products/{product}").get_json()
    assert record["product_features"][str(alone)]["value"] == "a"


def test_a_store_that_goes_leaves_no_feature_for_everywhere(shop: Shop) -> None:
    category = make(shop, "A", company_id=shop.other_store)
    id = feature(shop, category, company_id=0)
    assert shop.root.delete(f"stores/{shop.other_store}").status_code == 204
    record = shop.root.get(f"features/{id}").get_json()
    assert (record["status"], record["categories_path"]) == ("D", "")


def test_a_nested_delete_deletes_the_product(shop: Shop) -> None:
    id = shop.make_product()
    other = make(shop, "B")
    assert shop.root.delete(f"categories/{other}/products/{id}").status_code == 404
    path = f"categories/{shop.category}/products/{id}"
    assert shop.root.delete(path).status_code == 204
    assert shop.root.get(f"products/{id}").status_code == 404


def test_product_count_follows_every_link(shop: Shop) -> None:
    other = make(shop, "B")

    def counts() -> tuple[str, str]:
        found = [read(shop, id)["product_count"] for id in (shop.category, other)]
        return found[0], found[1]

    id = shop.make_product(category_ids=[shop.category])
    assert counts() == ("1", "0")
    shop.root.put(f"products/{id}", {"category_ids": [shop.category, other]})
    assert counts() == ("1", "1")
    shop.root.put(f"products/{id}", {"category_ids": [other]})
    assert counts() == ("0", "1")
    shop.root.delete(f"products/{id}")
    assert counts() == ("0", "0")


def test_customers_see_categories_of_their_groups(make_app: Any) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    other, club = [shop.group(type="C") for _ in range(2)]
    clubs = f"{other},{club}"
    member = shop.caller(user_type="C")
    shop.join(member.user_id, club)
    for name, groups in (
        ("Guests", "1"),
        ("Members", "2"),
        ("Club", clubs),
    ):
        make(shop, name, usergroup_ids=groups)
    assert names(shop, "", shop.anonymous) == ["Mugs", "Guests"]
    assert names(shop, "", shop.caller(user_type="C")) == ["Mugs", "Members"]
    assert names(shop, "", member) == ["Mugs", "Members", "Club"]
    assert len(names(shop, "")) == 4


def test_customers_see_nothing_below_a_disabled_category(
    shop: Shop, make_app: Any
) -> None:
    top = make(shop, "A")
    child = make(shop, "B", make(shop, "M", top))
    client = make_app(api_allow_customer=True).test_client()
    assert client.get(f"/api/2.0/categories/{child}").status_code == 200
    shop.root.put(f"categories/{top}", {"status": "D"})
    assert client.get(f"/api/2.0/categories/{child}").status_code == 404
    assert read(shop, child)["status"] == "A"
