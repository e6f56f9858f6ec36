"""Products: filters, searches, orders, flags (spec/entities/products.md, 3)."""

from typing import Any
from urllib.parse import urlencode

import pytest

from storeapi.entities.products import categories
from tests.shop import Shop


def found(shop: Shop, query: str, path: str = "products") -> list[str]:
    answer = shop.root.get(f"{path}?{query}")
    assert answer.status_code == 200, answer.get_data(as_text=True)
    body = answer.get_json()
    assert body["params"]["total_items"] == str(len(body["products"]))
    return [record["product"] for record in body["products"]]


@pytest.fixture
def stocked(shop: Shop) -> Shop:
    """A shop with four products."""
    shop.make_product(
        "Alpine mug", product_code="MUG-1", price="18.90", list_price="21",
        amount=40, free_shipping="Y", timestamp=1000, weight="0.3", popularity=9,
        short_description="Stone, blue", meta_keywords="cup",
    )  # fmt: skip
    shop.make_product(
        "Blue bowl", product_code="BOWL_2", price="5", amount=0, status="H",
        is_edp="Y", timestamp=2000, weight="2", full_description="Deep and ROUND",
    )  # fmt: skip
    shop.make_product(
        "ÉTÉ 100% wool", product_code="W%3", price="30", list_price="30", amount=7,
        tracking="D", age_verification="Y", age_limit=18, timestamp=3000,
        age_warning_message="For adults", search_words="winter",
    )  # fmt: skip
    shop.make_product(
        "Ête 100 wool", product_code="W4", price="30", status="D", amount=7,
        is_returnable="N", timestamp=4000,
    )  # fmt: skip
    return shop


MUG, BOWL, ETE, OTHER = "Alpine mug", "Blue bowl", "ÉTÉ 100% wool", "Ête 100 wool"


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("q=mug", [MUG]),
        ("q=MUG", [MUG]),
        ("q=blue", [MUG, BOWL]),
        ("q=blue+mug", [MUG]),
        ("q=blue+mug&match=any", [MUG, BOWL]),
        ("q=blue+mug&match=exact", []),
        ("q=alpine+mug&match=exact", [MUG]),
        ("q=%20mug%20", [MUG]),
        ("q=", [MUG, BOWL, ETE, OTHER]),
        ("q=%20", [MUG, BOWL, ETE, OTHER]),
        ("q=blue&pname=Y", [BOWL]),
        ("q=blue&pshort=Y", [MUG]),
        ("q=blue&pname=Y&pshort=Y", [MUG, BOWL]),
        ("q=blue&pname=True&pshort=0", [BOWL]),
        ("q=blue&pname=N", [MUG]),
        ("q=blue&pname=N&pshort=N&pfull=N&pkeywords=N&pcode_from_q=N", []),
        ("q=round&pfull=Y", [BOWL]),
        ("q=cup&pkeywords=Y", [MUG]),
        ("q=cup", [MUG]),
        ("q=winter", [ETE]),
        ("q=winter&pname=Y", []),
        ("q=mug-1", [MUG]),
        ("q=mug-1&pname=Y", []),
        ("q=mug-1&pname=Y&pcode_from_q=Y", [MUG]),
        ("q=mug-1&pcode_from_q=N", []),
        ("q=été", [ETE]),
        ("q=%C3%AATE", [OTHER]),
        ("q=%25", [ETE]),
        ("q=_", [BOWL]),
        ("q=100%25&pname=Y", [ETE]),
        ("q=%5C", []),
        ("q=!", []),
        ("q='", []),
        ("pname=blue", [BOWL]),
        ("pshort=stone", [MUG]),
        ("pfull=deep", [BOWL]),
        ("pkeywords=cup", [MUG]),
        ("pname=wool&q=été", [ETE]),
        ("pname=%20", [MUG, BOWL, ETE, OTHER]),
        ("product=WOOL", [ETE, OTHER]),
        ("product=%25", [ETE]),
        ("pcode=ug", [MUG]),
        ("pcode=_", [BOWL]),
        ("code=MUG-1", [MUG]),
        ("code=MUG", []),
        ("product_code=W4", [OTHER]),
        ("price_from=18.90", [MUG, ETE, OTHER]),
        ("price_to=18.90", [MUG, BOWL]),
        ("price_from=18.91&price_to=29.99", []),
        ("amount_from=7", [MUG, ETE, OTHER]),
        ("amount_to=6", [BOWL]),
        ("free_shipping=Y", [MUG]),
        ("status=A", [MUG, ETE]),
        ("status[]=A&status[]=H", [MUG, BOWL, ETE]),
        ("status=A,H", [MUG, BOWL, ETE]),
        ("status=Z", []),
        ("status=", [MUG, BOWL, ETE, OTHER]),
        ("status=H&status=A", [MUG, ETE]),
        ("is_edp=Y", [BOWL]),
        ("tracking=D", [ETE]),
        ("is_returnable=N", [OTHER]),
        ("age_verification=Y", [ETE]),
        ("age_limit=18", [ETE]),
        ("age_warning_message=ADULT", [ETE]),
        ("code[]=MUG-1&code[]=W4", [MUG, OTHER]),
        ("list_price=30", [ETE]),
        ("list_discount=2.1", [MUG]),
        ("list_discount=2.10&list_discount_prc=10", [MUG]),
        ("list_discount=0", []),
        ("list_discount_prc=9", []),
        ("list_discount_prc=101", []),
        ("shipping_params=x", []),
        ("price=30.00", [ETE, OTHER]),
        ("base_price=30&price=30", [ETE, OTHER]),
        ("amount=7&status=D", [OTHER]),
        ("weight=0.3", [MUG]),
        ("product_type=V", []),
        ("time_from=2000&time_to=3000", [BOWL, ETE]),
        ("filter=Y&unknown=1", [MUG, BOWL, ETE, OTHER]),
        ("company_id=999999", []),
        ("show_master_products_only=Y", []),
        ("order_ids=999998,999999", []),
    ],
)
def test_filters(stocked: Shop, query: str, names: list[str]) -> None:
    assert found(stocked, query) == names


@pytest.mark.parametrize(
    "query",
    [
        "price_from=abc", "price_to=1e3", "amount_from=x", "amount_to=1.5", "price=x",
        "company_id=abc", "cid=x", "pid=1,x", "order_ids=x", "match=some",
        "pcode_from_q=maybe", "time_from=never", "show_master_products_only=maybe",
        "code[a]=b", "q[]=a", "company_id=1,x", "product_id=1,,2", "list_discount=x",
        "list_discount_prc=1.5", "list_discount_prc[]=1", "shipping_params[]=a",
        "free_shipping=maybe", "age_limit=x", "items_per_page=-1",
        "page=x",
    ],
)  # fmt: skip
def test_impossible_filters_are_named(shop: Shop, query: str) -> None:
    answer = shop.root.get(f"products?{query}")
    assert answer.status_code == 400
    name = query.partition("=")[0].partition("[")[0]
    assert [error["field"] for error in answer.get_json()["errors"]] == [name]


@pytest.mark.parametrize(
    ("price", "list_price"),
    [("18.90", "21"), ("8.95", "9"), ("9.95", "10"), ("9.96", "10"), ("0.01", "10")],
)
def test_a_computed_figure_finds_what_shows_it(
    shop: Shop, price: str, list_price: str
) -> None:
    shop.make_product("Dear", price=list_price)
    shop.make_product("Cheap", price=price, list_price=list_price, box_length=30)
    record, _ = shop.root.get("products").get_json()["products"]
    for name in ("list_discount", "list_discount_prc", "shipping_params"):
        assert found(shop, urlencode({name: record[name]})) == ["Cheap"]


def test_too_many_words_are_refused(shop: Shop) -> None:
    words = "+".join(f"w{n}" for n in range(17))
    assert shop.root.get(f"products?q={words}").status_code == 400


def test_only_some_products_are_asked_for(stocked: Shop) -> None:
    body = stocked.root.get("products").get_json()["products"]
    ids = [record["product_id"] for record in body]
    assert found(stocked, f"pid={ids[0]},{ids[2]}") == [MUG, ETE]
    assert found(stocked, f"pid[]={ids[0]}&pid[]={ids[2]}") == [MUG, ETE]
    assert found(stocked, f"pid={ids[0]},{ids[2]}&product_id={ids[2]}") == [ETE]
    assert found(stocked, f"product_id={ids[0]},%20{ids[2]}") == [MUG, ETE]


def test_no_id_is_one_of_several(shop: Shop) -> None:
    common = {"product": "Kettle", "price": 3}
    id = shop.root.post("master_products", common).get_json()["product_id"]
    for vendor in (shop.vendor, shop.company("Second", kind="V")):
        path = f"master_products/{id}/master_product_offers"
        answer = shop.root.post(path, {"company_id": vendor, "product": "x"})
        assert answer.status_code == 201
    shop.make_product("Mug")
    assert found(shop, f"master_product_id={id}") == ["Kettle", "Kettle"]
    assert found(shop, "master_product_id=0") == ["Kettle", "Mug"]
    assert found(shop, "master_product_id=0,0") == ["Kettle", "Mug"]
    every = ["Kettle", "Kettle", "Kettle", "Mug"]
    assert found(shop, f"master_product_id=0,{id}") == every
    assert found(shop, f"master_product_id[]={id}&master_product_id[]=0") == every


@pytest.mark.parametrize("query", ["product_id={}", "status={}"])
def test_too_many_values_are_refused(shop: Shop, query: str) -> None:
    for number, status in ((1000, 200), (1001, 400)):
        values = ",".join("1" for _ in range(number))
        answer = shop.root.get(f"products?{query.format(values)}")
        assert answer.status_code == status


def test_the_search_looks_in_the_language_asked_for(shop: Shop) -> None:
    id = shop.make_product("Mug")
    shop.root.put(f"products/{id}", {"product": "Becher", "lang_code": "de"})
    assert found(shop, "q=becher") == []
    assert found(shop, "q=becher&lang_code=de") == ["Becher"]
    assert found(shop, "q=becher&sl=de") == ["Becher"]
    shop.root.put(f"products/{id}", {"product_code": "B-77"})
    assert found(shop, "q=b-77&lang_code=de") == ["Becher"]


# Categories


@pytest.mark.parametrize("named", [1, 1000])
def test_categories_and_their_subtrees(
    shop: Shop, named: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a subtree has more categories than are named one by one."""
    monkeypatch.setattr(categories, "_MOST_CATEGORIES", named)
    top = shop.make_category("Top")
    child = shop.make_category("Child", parent=top)
    leaf = shop.make_category("Leaf", parent=child)
    for name, category in (("A", top), ("B", child), ("C", leaf)):
        shop.make_product(name, category_ids=[category])
    shop.make_product("D", category_ids=[top, leaf])
    assert found(shop, f"cid={top}") == ["A", "D"]
    assert found(shop, f"cid={top}&subcats=N") == ["A", "D"]
    assert found(shop, f"cid={top}&subcats=Y") == ["A", "B", "C", "D"]
    assert found(shop, f"cid={child}&subcats=Y&filter=Y") == ["B", "C", "D"]
    for wrong in ("subcats=all", "subcats[]=Y"):
        answer = shop.root.get(f"products?cid={top}&{wrong}")
        assert answer.get_json()["errors"][0]["field"] == "subcats"
    assert found(shop, f"cid={top},{child}") == ["A", "B", "D"]
    assert found(shop, f"cid[]={child}&cid[]={leaf}") == ["B", "C", "D"]
    assert found(shop, "cid=999999") == []
    assert found(shop, f"cid={child}", f"categories/{top}/products") == ["A", "D"]


def test_the_echo_of_a_category_list(shop: Shop) -> None:
    shop.make_product()
    category = str(shop.category)
    query = f"cid={category}&items_per_page=1"
    echo = shop.root.get(f"products?{query}").get_json()["params"]
    assert echo == {
        "cid": category, "subcats": "N", "page": 1, "items_per_page": 1,
        "sort_by": "product", "sort_order": "asc", "sort_order_rev": "desc",
        "total_items": "1",
    }  # fmt: skip
    assert shop.root.get(f"/api/products?{query}").get_json()["search"] == echo


# Orders


def test_names_are_sorted_in_the_language_asked_for(shop: Shop) -> None:
    for english, german in (("Apple", "Zweig"), ("Bowl", "Apfel")):
        id = shop.make_product(english)
        shop.root.put(f"products/{id}", {"product": german, "lang_code": "de"})
    assert found(shop, "") == ["Apple", "Bowl"]
    assert found(shop, "lang_code=de") == ["Apfel", "Zweig"]
    assert found(shop, "sl=de&sort_by=product&sort_order=desc") == ["Zweig", "Apfel"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", [MUG, BOWL, ETE, OTHER]),
        ("sort_order=desc", [OTHER, ETE, BOWL, MUG]),
        ("sort_by=price", [BOWL, MUG, ETE, OTHER]),
        ("sort_by=price&sort_order=desc", [ETE, OTHER, MUG, BOWL]),
        ("sort_by=list_price&sort_order=DESC", [ETE, MUG, BOWL, OTHER]),
        ("sort_by=code", [BOWL, MUG, ETE, OTHER]),
        ("sort_by=amount", [BOWL, ETE, OTHER, MUG]),
        ("sort_by=status", [MUG, ETE, OTHER, BOWL]),
        ("sort_by=date&sort_order=desc", [OTHER, ETE, BOWL, MUG]),
        ("sort_by=timestamp", [MUG, BOWL, ETE, OTHER]),
        ("sort_by=product_id&sort_order=desc", [OTHER, ETE, BOWL, MUG]),
        ("sort_by=popularity&sort_order=desc", [MUG, BOWL, ETE, OTHER]),
        ("sort_by=weight&sort_order=desc", [BOWL, MUG, ETE, OTHER]),
    ],
)
def test_orders_end_with_the_id(stocked: Shop, query: str, names: list[str]) -> None:
    assert found(stocked, query) == names


@pytest.mark.parametrize("sort", ["nosuch", "position", ""])
def test_an_unknown_order_falls_back_to_the_name(stocked: Shop, sort: str) -> None:
    body = stocked.root.get(f"products?sort_by={sort}").get_json()
    assert body["params"]["sort_by"] == "product"
    assert [r["product"] for r in body["products"]] == [MUG, BOWL, ETE, OTHER]


def test_position_orders_within_a_category(shop: Shop) -> None:
    for name in ("B", "A"):
        shop.make_product(name)
    query = f"cid={shop.category}&sort_by=position"
    body = shop.root.get(f"products?{query}").get_json()
    assert body["params"]["sort_by"] == "position"
    assert [r["product"] for r in body["products"]] == ["B", "A"]
    path = f"categories/{shop.category}/products"
    assert found(shop, "sort_by=position", path) == ["B", "A"]
    assert found(shop, "sort_by=nosuch", path) == ["A", "B"]


def test_a_map_keeps_the_order(stocked: Shop) -> None:
    answer = stocked.root.get("/api/products?sort_by=price&sort_order=desc")
    body = answer.get_json()
    assert [r["product"] for r in body["products"].values()] == [ETE, OTHER, MUG, BOWL]
    ids = [r["product_id"] for r in body["products"].values()]
    assert list(body["products"]) == ids


# Pages


def test_pages_meet_every_product_once_and_tell_the_total(shop: Shop) -> None:
    for number in range(7):
        shop.make_product(f"P{number % 2}")
    seen = []
    for page in (1, 2, 3, 4):
        answer = shop.root.get(f"products?items_per_page=3&page={page}")
        body = answer.get_json()
        assert body["params"]["total_items"] == "7"
        assert answer.headers["X-Total-Count"] == "7"
        seen.append([record["product_id"] for record in body["products"]])
    assert [len(page) for page in seen] == [3, 3, 1, 0]
    assert len({id for page in seen for id in page}) == 7


def test_an_empty_list_keeps_its_shape(shop: Shop) -> None:
    assert shop.root.get("products").get_json()["products"] == []
    assert shop.root.get("/api/products").get_json()["products"] == {}


# Flags


def images(shop: Shop) -> int:
    pair = {
        "detailed": {"image_path": "https://cdn.example/a.jpg"},
        "icon": {"image_path": "https://cdn.example/i.jpg"},
    }
    side = {"detailed": {"image_path": "https://cdn.example/b.jpg"}}
    return shop.make_product(main_pair=pair, image_pairs=[side])


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {"detailed", "icon"}),
        ("get_detailed=N", {"icon"}),
        ("get_icon=false", {"detailed"}),
        ("get_icon=False&get_detailed=0", set()),
        ("get_icon=True&get_detailed=1", {"detailed", "icon"}),
    ],
)
def test_flags_choose_the_images_of_a_pair(
    shop: Shop, query: str, shown: set[str]
) -> None:
    images(shop)
    (record,) = shop.root.get(f"products?{query}").get_json()["products"]
    assert {"detailed", "icon"} & set(record["main_pair"]) == shown


@pytest.mark.parametrize(
    ("query", "has"),
    [
        ("", False),
        ("get_additional=Y", True),
        ("get_additional=True", True),
        ("get_additional=n", False),
        ("detailed_params=Y", True),
    ],
)
def test_additional_images_are_asked_for(shop: Shop, query: str, has: bool) -> None:
    images(shop)
    (record,) = shop.root.get(f"products?{query}").get_json()["products"]
    assert ("image_pairs" in record) == has


# Constant cost


def test_a_page_takes_the_same_statements_whatever_its_size(shop: Shop) -> None:
    pair = {"detailed": {"image_path": "https://cdn.example/a.jpg"}}
    for number in range(6):
        shop.make_product(
            f"P{number}", main_pair=pair, prices=[{"lower_limit": 5, "price": "1"}]
        )
    seen: dict[int, list[str]] = {1: [], 6: []}
    for size, texts in seen.items():
        shop.database.observer = texts.append
        query = f"items_per_page={size}&detailed_params=Y&status=A&price_from=0"
        assert shop.root.get(f"products?{query}").status_code == 200
        shop.database.observer = None
    assert len(seen[1]) - len(seen[6]) in (0, 1)


def test_anonymous_readers_see_active_products_without_figures(
    stocked: Shop, make_app: Any
) -> None:
    client = make_app(api_allow_customer=True).test_client()
    body = client.get("/api/2.0/products").get_json()
    assert [record["product"] for record in body["products"]] == [MUG, ETE]
    assert body["params"]["total_items"] == "2"
    id = body["products"][0]["product_id"]
    assert "sales_amount" not in client.get(f"/api/2.0/products/{id}").get_json()
    assert client.post("/api/2.0/products", json={"product": "x"}).status_code == 401
