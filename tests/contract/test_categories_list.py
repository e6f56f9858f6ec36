"""Lists of categories (spec/entities/categories.md, 3)."""

import pytest

from tests.categories import make, names
from tests.shop import Shop


def test_children_and_subtrees_are_filtered_by_parent(shop: Shop) -> None:
    top = make(shop, "A")
    child = make(shop, "B", top)
    make(shop, "C", child)
    assert names(shop, f"parent_id={top}") == ["B"]
    assert names(shop, "parent_id=0") == ["Mugs", "A"]
    found = names(shop, f"parent_id[]=0&parent_id[]={child}&sort_by=category")
    assert found == ["A", "C", "Mugs"]


@pytest.mark.parametrize("query", ["subcats=all", "subcats[]=Y", "subcategories=2"])
def test_an_impossible_depth_is_refused(shop: Shop, query: str) -> None:
    for path in (f"categories?parent_id={shop.category}", "categories?q=mugs"):
        answer = shop.root.get(f"{path}&{query}")
        assert answer.status_code == 400
        name = query.partition("=")[0].removesuffix("[]")
        assert answer.get_json()["errors"][0]["field"] == name


@pytest.mark.parametrize("flag", ["subcats", "get_subcategories", "subcategories"])
def test_a_subtree_is_asked_for_by_any_of_its_names(shop: Shop, flag: str) -> None:
    top = make(shop, "A")
    make(shop, "C", make(shop, "B", top))
    assert names(shop, f"parent_id={top}&{flag}=Y") == ["B", "C"]
    assert names(shop, f"parent_id={top}&{flag}=N") == ["B"]
    assert sorted(names(shop, f"parent_id=0&{flag}=Y")) == ["A", "B", "C", "Mugs"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("status=A", ["Mugs"]),
        ("status=A,H", ["Mugs", "Hidden"]),
        ("status[]=H&status[]=D", ["Hidden", "Down"]),
        ("status=Z", []),
        ("q=HID", ["Hidden"]),
        ("q=%25", []),
        ("q=_", []),
        ("q=%20", ["Mugs", "Hidden", "Down"]),
        ("category=Hidden", ["Hidden"]),
        ("category=hidden", []),
        ("sort_by=category", ["Down", "Hidden", "Mugs"]),
        ("sort_by=name&sort_order=desc", ["Mugs", "Hidden", "Down"]),
        ("sort_by=category_id&sort_order=desc", ["Down", "Hidden", "Mugs"]),
        ("sort_by=nosuch", ["Mugs", "Hidden", "Down"]),
    ],
)
def test_filters_and_orders(shop: Shop, query: str, found: list[str]) -> None:
    make(shop, "Hidden", status="H")
    make(shop, "Down", status="D")
    assert names(shop, query) == found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("sort_by=timestamp", ["Old", "Mugs", "New"]),
        ("sort_by=timestamp&sort_order=desc", ["New", "Mugs", "Old"]),
        ("sort_by=product_count", ["Old", "Mugs", "New"]),
        ("sort_by=product_count&sort_order=desc", ["New", "Mugs", "Old"]),
        ("product_count=1", ["Mugs"]),
        ("sort_by=position&sort_order=desc", ["New", "Old", "Mugs"]),
    ],
)
def test_orders_by_time_and_products(shop: Shop, query: str, found: list[str]) -> None:
    make(shop, "Old", timestamp=5)
    new = make(shop, "New", timestamp=2_000_000_000)
    shop.make_product(category_ids=[new, shop.category])
    shop.make_product(category_ids=[new])
    assert names(shop, query) == found


def test_names_are_sorted_and_compared_in_the_language(shop: Shop) -> None:
    for english, german in (("Apple", "Zweig"), ("Bowl", "Apfel")):
        id = make(shop, english)
        shop.root.put(f"categories/{id}?lang_code=de", {"category": german})
    assert names(shop, "sort_by=name") == ["Apple", "Bowl", "Mugs"]
    assert names(shop, "sort_by=name&sl=de") == ["Apfel", "Mugs", "Zweig"]
    assert names(shop, "category=Apfel&sl=de") == ["Apfel"]
    assert names(shop, "category=Apfel") == []


def test_categories_are_filtered_by_ids_and_companies(shop: Shop) -> None:
    hill = make(shop, "Hill", company_id=shop.other_store)
    both = f"{shop.category},{hill}"
    assert names(shop, f"category_ids={both}") == ["Mugs", "Hill"]
    assert names(shop, f"category_ids={both}&category_id={hill}") == ["Hill"]
    assert names(shop, f"company_id={shop.other_store}") == ["Hill"]
    assert names(shop, f"company_ids={shop.store},{shop.other_store}") == [
        "Mugs",
        "Hill",
    ]


@pytest.mark.parametrize(
    "query", ["parent_id=x", "category_ids=1,x", "company_id=x", "q[]=a"]
)
def test_impossible_filters_are_named(shop: Shop, query: str) -> None:
    answer = shop.root.get(f"categories?{query}")
    assert answer.status_code == 400
    name = query.partition("=")[0].removesuffix("[]")
    assert [error["field"] for error in answer.get_json()["errors"]] == [name]


def test_the_search_looks_in_the_language_asked_for(shop: Shop) -> None:
    id = make(shop, "Tents")
    shop.root.put(f"categories/{id}?lang_code=de", {"category": "Zelte"})
    assert names(shop, "q=zel") == []
    assert names(shop, "q=zel&lang_code=de") == ["Zelte"]
