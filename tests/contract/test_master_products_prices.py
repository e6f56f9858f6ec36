"""The price that a list of common products shows is what it is filtered by, too."""

from typing import Any

import pytest

from storeapi.core import finding
from tests.marketplace import common, offer, sellers
from tests.shop import Shop
from tests.variations import Mugs

PATH = "master_products"


@pytest.fixture
def kettles(shop: Shop) -> dict[str, int]:
    """Common products, shown at 1, 5, 9, 54 and 60; the last one has no offer."""
    first, second = sellers(shop, 2)
    made = {}
    for name, own, shown in (("a", 10, 9), ("b", 20, 1), ("c", 30, 5), ("d", 60, 54)):
        made[name] = common(shop, f"Kettle {name}", price=own, list_price=60)
        offer(shop, made[name], first, price=shown, amount=1)
        offer(shop, made[name], second, price=shown + 1, amount=1)
    made["e"] = common(shop, "Kettle e", price=60, list_price=60)
    offer(shop, made["e"], first, price=2, amount=0)
    offer(shop, made["e"], second, price=2, amount=5, status="H")
    return made


def found(shop: Shop, query: str, path: str = PATH) -> list[dict[str, Any]]:
    answer = shop.root.get(f"{path}?{query}")
    assert answer.status_code == 200, answer.get_data(as_text=True)
    body = answer.get_json()
    assert len(body["products"]) == int(body["params"]["total_items"])
    records: list[dict[str, Any]] = body["products"]
    return records


def letters(records: list[dict[str, Any]]) -> str:
    return "".join(each["product"][-1] for each in records)


FILTERS = {
    "price=1": "b",
    "price=1.00": "b",
    "price=10": "",
    "price=20": "",
    "price=60": "e",
    "price[]=1&price[]=9": "ab",
    "price[0]=5&price[1]=60": "ce",
    "price_to=5": "bc",
    "price_from=60": "e",
    "price_from=54": "de",
    "price_from=5&price_to=9": "ac",
    "price_from=5&price_to=60&price[]=5&price[]=54": "cd",
    "list_discount=59": "b",
    "list_discount=50": "",
    "list_discount=6": "d",
    "list_discount_prc=85": "a",
    "list_discount_prc=10": "d",
    "base_price=20": "b",
    "base_price=60": "de",
    "amount_from=1&price_to=1": "b",
}
WAYS = (
    "",
    "&sort_by=price",
    "&sort_by=price&sort_order=desc",
    "&sort_by=updated_timestamp",
    "&q=kettle",
    "&q=kettle&sort_by=price",
    "&group_child_variations=1",
    "&detailed_params=Y",
)


@pytest.mark.parametrize("way", WAYS)
def test_filters_go_by_the_price_that_is_shown(
    shop: Shop, kettles: dict[str, int], way: str
) -> None:
    for query, wanted in FILTERS.items():
        records = found(shop, query + way)
        assert sorted(letters(records)) == sorted(wanted), query + way


def test_walked_list_is_filtered_alike(
    shop: Shop, kettles: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "_LEAST_WALK", 1)
    for query, wanted in FILTERS.items():
        for way in ("&q=kettle", "&q=kettle&sort_by=price"):
            walked = shop.root.get(f"{PATH}?{query}{way}&items_per_page=2").get_json()
            count = int(walked["params"]["total_items"])
            assert count == len(wanted), query + way


@pytest.mark.parametrize("way", WAYS)
def test_each_record_is_found_by_the_price_it_shows(
    shop: Shop, kettles: dict[str, int], way: str
) -> None:
    everything = found(shop, way)
    prices = {each["product"][-1]: each["price"] for each in everything}
    shown = {"a": "9.00", "b": "1.00", "c": "5.00", "d": "54.00", "e": "60.00"}
    assert prices == shown
    for each in everything:
        assert each["base_price"] in ("10.00", "20.00", "30.00", "60.00")
        for name in ("price", "list_discount", "list_discount_prc"):
            if name in each:
                again = found(shop, f"{name}={each[name]}{way}")
                assert each["product_id"] in [one["product_id"] for one in again]


def test_discounts_are_those_of_the_price_that_is_shown(
    shop: Shop, kettles: dict[str, int]
) -> None:
    records = found(shop, "sort_by=price&fields=price,list_discount,list_discount_prc")
    assert [
        (each["price"], each.get("list_discount"), each.get("list_discount_prc"))
        for each in records
    ] == [
        ("1.00", 59, "98"),
        ("5.00", 55, "92"),
        ("9.00", 51, "85"),
        ("54.00", 6, "10"),
        ("60.00", None, None),
    ]
    for each in found(shop, "fields=list_discount"):
        assert "price" not in each


def test_an_offer_that_counts_no_stock_is_found(
    shop: Shop, kettles: dict[str, int]
) -> None:
    third = shop.company("Third", kind="V")
    offer(shop, kettles["e"], third, price=4, amount=0, tracking="D")
    offer(shop, kettles["d"], third, price=6, amount=0)
    assert letters(found(shop, "price=4")) == "e"
    assert letters(found(shop, "sort_by=price")) == "becad"


def test_walk_meets_each_at_its_price(shop: Shop, kettles: dict[str, int]) -> None:
    path = f"{PATH}?sort_by=price&items_per_page=1&price_from=5&cursor="
    seen, cursor = "", "*"
    while cursor:
        answer = shop.root.get(path + cursor)
        seen += letters(answer.get_json()["products"])
        cursor = answer.headers.get("X-Next-Cursor", "")
    assert seen == "cade"


def test_below_a_category_it_is_the_same(shop: Shop) -> None:
    id = common(shop, price=20, category_ids=[shop.category])
    offer(shop, id, price=3, amount=1)
    path = f"categories/{shop.category}/{PATH}"
    for query, prices in (
        ("price=3", ["3.00"]),
        ("price_from=4", []),
        ("price=20", []),
    ):
        assert [each["price"] for each in found(shop, query, path)] == prices


def test_other_lists_and_single_records_show_their_own_price(
    shop: Shop, kettles: dict[str, int]
) -> None:
    id = kettles["b"]
    (listed,) = found(shop, f"pid={id}", "products")
    single = shop.root.get(f"{PATH}/{id}").get_json()
    for record in (listed, single):
        assert (record["price"], record["base_price"]) == ("20.00", "20.00")
        assert (record["list_discount"], record["list_discount_prc"]) == (40, "67")
    assert len(found(shop, f"pid={id}&price=20", "products")) == 1
    assert found(shop, f"pid={id}&price=1", "products") == []


@pytest.mark.parametrize("entity", ["master_products", "products"])
def test_a_record_of_a_list_sent_back_keeps_the_own_price(
    shop: Shop, entity: str
) -> None:
    id = common(shop, price="9")
    offer(shop, id, price="4", amount=1)
    (record,) = shop.root.get("master_products").get_json()["products"]
    assert (record["price"], record["base_price"]) == ("4.00", "9.00")
    before = shop.everything()
    assert shop.root.put(f"{entity}/{id}", record).status_code == 200
    assert shop.everything() == before
    for body in ({**record, "price": "5"}, {"price": "4"}):
        assert shop.root.put(f"{entity}/{id}", body).status_code == 200
        own = shop.root.get(f"products/{id}").get_json()
        assert float(own["price"]) == float(body["price"])


@pytest.mark.parametrize("name", ["price", "price_from", "price_to", "list_discount"])
def test_what_is_no_price_is_named(shop: Shop, name: str) -> None:
    answer = shop.root.get(f"{PATH}?{name}=x")
    assert answer.status_code == 400
    assert [each["field"] for each in answer.get_json()["errors"]] == [name]


def test_folded_defaults_meet_the_price_of_their_children(shop: Shop) -> None:
    mugs = Mugs(shop)
    first, second = (
        common(shop, size, price=20, product_features=mugs.values("green", size))
        for size in ("small", "large")
    )
    mugs.group(first, second)
    offer(shop, first, price=9, amount=1)
    offer(shop, second, price=4, amount=1)
    fold = "&group_child_variations=1"
    for query, wanted in {
        "price=4": [first],
        "price=9": [first],
        "price_to=4": [first],
        "price=20": [],
        "price_from=10": [],
    }.items():
        for way in ("", "&sort_by=price", "&q=small,large&match=any"):
            records = found(shop, query + fold + way.replace(",", "+"))
            assert [int(each["product_id"]) for each in records] == wanted, query + way
            assert [each["price"] for each in records] == ["9.00"] * len(wanted)
