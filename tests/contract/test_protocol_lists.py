"""Lists: shape, echo, paging, sorting, filters (spec/protocol.md, section 5)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from tests.shop import Caller, Shop

EVERY_VERSION = pytest.mark.parametrize("version", ["1.0", "2.0"])


def _five(shop: Shop) -> list[int]:
    return [shop.make_product(f"Mug {n}", price=str(n)) for n in range(5)]


def _names(answer: Any) -> list[str]:
    return [record["product"] for record in answer.get_json()["products"]]


def test_1_0_is_a_map_and_search(shop: Shop) -> None:
    """Section 5.1: keyed by ID as text, in result order in the raw bytes."""
    ids = [shop.make_product(name) for name in ("B", "C", "A")] + [
        shop.make_product(f"D{n}") for n in range(8)
    ]
    answer = shop.root.get("/api/products?sort_by=product&sort_order=desc&page=1")
    body = answer.get_json()
    assert list(body) == ["products", "search"]
    expected = [*reversed(ids[3:]), ids[1], ids[0], ids[2]][:10]
    raw = answer.get_data(as_text=True)
    places = [raw.index(f'"{id}":{{') for id in expected]
    assert places == sorted(places)
    assert all(body["products"][str(id)]["product_id"] == str(id) for id in expected)


def test_2_0_is_an_array_and_params(shop: Shop) -> None:
    """Section 5.1."""
    id = shop.make_product()
    body = shop.root.get("products").get_json()
    assert list(body) == ["products", "params"]
    assert [record["product_id"] for record in body["products"]] == [str(id)]


def test_languages_are_a_map_by_code(shop: Shop) -> None:
    """Section 5.1: `search` and `params` in 1.0, `params` in 2.0."""
    body = shop.root.get("/api/languages").get_json()
    assert set(body) == {"languages", "search", "params"}
    assert body["search"] == body["params"]
    assert list(shop.root.get("languages").get_json()) == ["languages", "params"]
    assert set(body["languages"]) == {"en", "de"}
    sparse = shop.root.get("languages?fields=name").get_json()["languages"]
    assert set(sparse) == {"en", "de"}


def test_empty_lists_keep_their_shape(shop: Shop) -> None:
    """Section 5.1: `{}` and `[]`, never the other way round."""
    assert shop.root.get("/api/products").get_json()["products"] == {}
    assert shop.root.get("products").get_json()["products"] == []
    assert shop.root.get("languages?status=Z").get_json()["languages"] == {}


@EVERY_VERSION
def test_the_echo(shop: Shop, version: str) -> None:
    """Section 5.2: one rule for the types; every filter understood is in it."""
    _five(shop)
    path = (
        f"/api/{version}/products?page=2&items_per_page=2&status=A&price_from=1"
        "&sort_by=price&sort_order=DESC&nosuch=1"
    )
    echo = shop.root.get(path).get_json()["search" if version == "1.0" else "params"]
    assert echo == {
        "page": 2,
        "items_per_page": 2,
        "total_items": "4",
        "sort_by": "price",
        "sort_order": "desc",
        "sort_order_rev": "asc",
        "status": "A",
        "price_from": "1",
    }


def test_counts_and_links_are_headers_too(shop: Shop) -> None:
    """Section 5.1: `X-Total-Count` and `Link`."""
    _five(shop)
    answer = shop.root.get("products?items_per_page=2&page=2&status=A")
    assert answer.headers["X-Total-Count"] == "5"
    links = dict(
        reversed(part.strip().split("; ")) for part in answer.headers["Link"].split(",")
    )
    page = "/api/2.0/products?items_per_page=2&status=A&page="
    assert links == {
        'rel="first"': f"<{page}1>",
        'rel="prev"': f"<{page}1>",
        'rel="next"': f"<{page}3>",
        'rel="last"': f"<{page}3>",
    }
    assert _names(shop.root.get(links['rel="last"'][1:-1])) == ["Mug 4"]
    beyond = shop.root.get("products?items_per_page=2&page=9").headers["Link"]
    assert 'page=3>; rel="prev"' in beyond
    assert 'rel="next"' not in beyond


def test_links_keep_strange_parameters_whole(shop: Shop) -> None:
    """Section 5.1: what came in a parameter leaves percent-encoded."""
    query = "status[]=A&status[]=H&pcode=%3E%2C%22%0D%0A%C3%A4&items_per_page=1"
    link = shop.root.get(f"products?{query}").headers["Link"]
    assert "pcode=%3E%2C%22%0D%0A%C3%A4" in link
    assert link.isascii()
    assert link.count("<") == link.count(">") == 2


@pytest.mark.parametrize(
    ("query", "page", "size", "found"),
    [
        ("", 1, 10, 5),
        ("page=&items_per_page=", 1, 10, 5),
        ("page=0", 1, 10, 5),
        ("page=1&items_per_page=2", 1, 2, 2),
        ("page=3&items_per_page=2", 3, 2, 1),
        ("page=4&items_per_page=2", 4, 2, 0),
        ("page=9999", 9999, 10, 0),
        ("items_per_page=0", 1, 1000, 5),
        ("items_per_page=5", 1, 5, 5),
        ("items_per_page=1000", 1, 1000, 5),
        ("items_per_page=1001", 1, 1000, 5),
        ("items_per_page=1000000", 1, 1000, 5),
        ("items_per_page=99999999999999999999", 1, 1000, 5),
        ("page=002&items_per_page=03", 2, 3, 2),
        ("page=7&page=1", 1, 10, 5),
    ],
)
@EVERY_VERSION
def test_pages(
    shop: Shop, version: str, query: str, page: int, size: int, found: int
) -> None:
    """Section 5.3, rules 1, 3, 4, 5, and 5.5.4."""
    _five(shop)
    body = shop.root.get(f"/api/{version}/products?{query}").get_json()
    echo = body["search" if version == "1.0" else "params"]
    assert (echo["page"], echo["items_per_page"]) == (page, size)
    assert echo["total_items"] == "5"
    assert len(body["products"]) == found


@pytest.mark.parametrize("name", ["page", "items_per_page"])
@pytest.mark.parametrize(
    "text", ["x", "-1", "1.5", "1e3", "%20", "+1", "1_0", "%D9%A1", "0x1", "NaN"]
)
def test_pages_that_are_no_number_are_400(shop: Shop, name: str, text: str) -> None:
    """Section 5.3.5: the parameter is named."""
    answer = shop.root.get(f"products?{name}={text}")
    assert answer.status_code == 400
    assert [error["field"] for error in answer.get_json()["errors"]] == [name]


@pytest.mark.parametrize("name", ["page", "items_per_page"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_pages_that_do_not_count_are_judged(
    shop: Shop, name: str, version: str
) -> None:
    """Section 5.3.5: also of what a product has, which is listed as a whole."""
    product = shop.make_product()
    for entity in ("options", "combinations", "exceptions"):
        for path in (
            f"{entity}?product_id={product}&",
            f"products/{product}/{entity}?",
        ):
            answer = shop.root.get(f"/api/{version}/{path}{name}=x")
            assert (path, answer.status_code) == (path, 400)
            assert [error["field"] for error in answer.get_json()["errors"]] == [name]


def test_pages_as_lists_are_400(shop: Shop) -> None:
    """Section 5.3.5; both parameters are named at once."""
    answer = shop.root.get("products?page[]=1&items_per_page[a]=x")
    assert answer.status_code == 400
    assert len(answer.get_json()["errors"]) == 2


def test_huge_pages_are_empty(shop: Shop) -> None:
    """Section 5.3.4 and spec/pitfalls.md: no 5xx for any number."""
    shop.make_product()
    for page in ("99999999999999999999", "9" * 5000, "1000000000"):
        body = shop.root.get(f"products?page={page}").get_json()
        assert body["products"] == []
        assert body["params"]["total_items"] == "1"


def test_page_sizes_are_settings(shop: Shop, make_app: Callable[..., Flask]) -> None:
    """Section 5.3, rules 1 and 3: `ITEMS_PER_PAGE`, `MAX_ITEMS_PER_PAGE`."""
    _five(shop)
    client = make_app(items_per_page=2, max_items_per_page=3).test_client()
    root = Caller(client, 0, shop.root.login, shop.root.key)
    assert len(root.get("products").get_json()["products"]) == 2
    for query in ("items_per_page=0", "items_per_page=4"):
        body = root.get(f"products?{query}").get_json()
        assert len(body["products"]) == body["params"]["items_per_page"] == 3
        assert body["params"]["total_items"] == "5"


def test_unknown_sorts_fall_back(shop: Shop) -> None:
    """Section 5.4: visible in the echo."""
    for name in ("B", "A"):
        shop.make_product(name)
    for query in ("sort_by=nosuch", "sort_by[]=price", "sort_by=", "sort_by[a]=x"):
        answer = shop.root.get(f"products?{query}")
        assert answer.get_json()["params"]["sort_by"] == "product"
        assert _names(answer) == ["A", "B"]
    answer = shop.root.get("products?sort_order=sideways&sort_order[]=x")
    assert answer.get_json()["params"]["sort_order"] == "asc"


@pytest.mark.parametrize(("order", "names"), [("asc", "ABC"), ("DESC", "CBA")])
def test_sort_order_is_read_in_any_case(shop: Shop, order: str, names: str) -> None:
    """Section 5.4."""
    for name in "CAB":
        shop.make_product(name)
    answer = shop.root.get(f"products?sort_by=product&sort_order={order}")
    assert "".join(_names(answer)) == names
    assert answer.get_json()["params"]["sort_order"] == order.lower()


def test_the_id_is_the_last_sort_key(shop: Shop) -> None:
    """Section 5.4: pages neither repeat nor skip."""
    ids = [shop.make_product("Same", price="1") for _ in range(7)]
    for order in ("asc", "desc"):
        found = []
        for page in range(1, 5):
            query = f"sort_by=price&sort_order={order}&items_per_page=2&page={page}"
            records = shop.root.get(f"products?{query}").get_json()["products"]
            found += [int(record["product_id"]) for record in records]
        assert found == ids


def test_filters_combine_with_and(shop: Shop) -> None:
    """Section 5.5.1."""
    _five(shop)
    assert _names(shop.root.get("products?price_from=1&price_to=3&product=2")) == [
        "Mug 2"
    ]
    assert _names(shop.root.get("products?price=1&price_from=2")) == []


def test_empty_values_are_no_filter(shop: Shop) -> None:
    """Section 5.5.3."""
    _five(shop)
    answer = shop.root.get("products?status=&price=&price_from=&q=&cid=&pid[]=")
    assert answer.headers["X-Total-Count"] == "5"
    assert "status" not in answer.get_json()["params"]


def test_the_last_of_equal_parameters_counts(shop: Shop) -> None:
    """Section 5.5.4."""
    _five(shop)
    answer = shop.root.get("products?price=1&price=2")
    assert _names(answer) == ["Mug 2"]
    assert answer.get_json()["params"]["price"] == "2"


@pytest.mark.parametrize(
    "query", ["pid[]={0}&pid[]={1}", "pid[0]={0}&pid[1]={1}", "pid={0},{1}",
              "pid=%20{0}%20,{1}", "pid[]={0}&pid[]={1}&pid[]="],
)  # fmt: skip
def test_lists_of_values(shop: Shop, query: str) -> None:
    """Section 5.5.5: three spellings."""
    ids = _five(shop)
    answer = shop.root.get("products?" + query.format(*ids))
    assert _names(answer) == ["Mug 0", "Mug 1"]


def test_statuses_combine(shop: Shop) -> None:
    """Section 5.5.5 for one-letter choices; texts are taken whole."""
    shop.make_product("A", status="A")
    shop.make_product("H", status="H")
    shop.make_product("D", status="D", product_code="a,b")
    assert _names(shop.root.get("products?status=A,H")) == ["A", "H"]
    assert _names(shop.root.get("products?status[]=D&status[]=A")) == ["A", "D"]
    assert _names(shop.root.get("products?product_code=a,b")) == ["D"]
    assert _names(shop.root.get("products?product_code=a")) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [("%25", ["100% wool"]), ("_", ["a_b"]), ("%5C", ["back\\slash"]),
     ("100%25", ["100% wool"]), ("!", ["wow!"]), ("W", ["100% wool", "wow!"])],
)  # fmt: skip
def test_substrings_are_literal(shop: Shop, text: str, found: list[str]) -> None:
    """Section 5.5.6."""
    for name in ("100% wool", "a_b", "axb", "back\\slash", "wow!", "100 x"):
        shop.make_product(name)
    assert _names(shop.root.get(f"products?product={text}")) == found
    assert _names(shop.root.get(f"products?pname=Y&q={text}")) == found


@pytest.mark.parametrize(
    ("name", "text"),
    [("company_id", "abc"), ("price_from", "x"), ("price", "1e3"), ("pid", "1,x"),
     ("amount_from", "1.5"), ("updated_at_from", "soon"), ("period", "Q"),
     ("time_from", "yesterday"), ("cid", "-1"), ("is_edp", "maybe"),
     ("price_to", "NaN"), ("product_id", "99999999999999999999")],
)  # fmt: skip
def test_impossible_values_are_400(shop: Shop, name: str, text: str) -> None:
    """Section 5.5.7: the parameter is named, in both versions."""
    shop.make_product()
    for version in ("1.0", "2.0"):
        answer = shop.root.get(f"/api/{version}/products?{name}={text}")
        assert answer.status_code == 400
        assert [error["field"] for error in answer.get_json()["errors"]] == [name]


@pytest.mark.parametrize(
    "query", ["status=Z", "company_id=4711", "price=123456", "is_edp=X",
              "product_code=nosuch", "pid=999999", "cid=0", "tracking_raw=x"],
)  # fmt: skip
def test_values_that_match_nothing_give_an_empty_list(shop: Shop, query: str) -> None:
    """Section 5.5.7."""
    shop.make_product()
    answer = shop.root.get(f"products?{query}")
    assert answer.status_code == 200
    assert answer.get_json()["products"] == []
    assert answer.headers["X-Total-Count"] == "0"


def test_every_bad_parameter_is_named(shop: Shop) -> None:
    """Sections 5.5.7 and 8.3."""
    answer = shop.root.get("products?price=x&company_id=y&status=A")
    errors = answer.get_json()["errors"]
    assert {error["field"] for error in errors} == {"price", "company_id"}


def test_ignored_parameters_are_named(shop: Shop) -> None:
    """Section 5.5.8; the usual ones of clients are not worth a word."""
    query = "language=en&sl=en&lang_code=en&ajax_custom=1&client=x&nosuch=1&a%0D%0Ab=1"
    answer = shop.root.get(f"products?{query}&%C3%A4=1")
    assert answer.status_code == 200
    assert answer.headers["X-Ignored-Params"] == "client, nosuch, a  b, \\xe4"
    assert "X-Ignored-Params" not in shop.root.get("products?page=1").headers
    id = shop.make_product()
    one = shop.root.get(f"products/{id}?status=Z")
    assert (one.status_code, one.headers["X-Ignored-Params"]) == (200, "status")


def test_periods(shop: Shop) -> None:
    """Section 5.5.9: `C` from `time_from` to `time_to`, both inclusive."""
    shop.make_product("Old", timestamp="1700000000")
    shop.make_product("New", timestamp="1711843200")
    expected = {
        "period=A": 2,
        "period=C&time_from=1711843200": 1,
        "time_from=1711843200&time_to=1711843200": 1,
        "time_from=1711843201": 0,
        "time_to=1700000000": 1,
        "period=C": 2,
        "period=c&time_from=2024-03-31&time_to=2024-03-31": 1,
        "time_from=2024-04-01": 0,
        "period=D": 0,
        "period=LY&time_from=1": 0,
    }
    for query, found in expected.items():
        answer = shop.root.get(f"products?{query}")
        assert (query, answer.headers["X-Total-Count"]) == (query, str(found))


def test_totals_are_what_the_caller_can_page_through(shop: Shop) -> None:
    """spec/pitfalls.md: filtered and scoped counts, on every page."""
    _five(shop)
    scoped = shop.caller("view_catalog", company_id=shop.other_store)
    assert scoped.get("products").headers["X-Total-Count"] == "0"
    for page in (1, 2, 3, 4):
        query = f"price_from=1&items_per_page=2&page={page}"
        answer = shop.root.get(f"products?{query}")
        assert answer.headers["X-Total-Count"] == "4"


def test_cursors(shop: Shop) -> None:
    """`cursor=*` starts a walk; `X-Next-Cursor` and `Link` continue it."""
    ids = _five(shop)
    answer = shop.root.get("products?items_per_page=2&sort_by=price&cursor=*")
    found = []
    while True:
        found += [int(r["product_id"]) for r in answer.get_json()["products"]]
        assert answer.headers["X-Total-Count"] == "5"
        if "Link" not in answer.headers:
            break
        target = answer.headers["Link"].removeprefix("<").partition(">")[0]
        answer = shop.root.get(target)
    assert found == ids


@pytest.mark.parametrize(
    "cursor", ["x", "%00", "W10", "WyJwcmljZSBhc2MiXQ", "a" * 5000, "%C3%A4", "[]=x",
               "WyJwcmljZSBhc2MiLCJ4IiwxXQ", "bnVsbA", "WyJw!!!!cmljZSBhc2MiLDAsMV0"],
)  # fmt: skip
def test_broken_cursors_are_400(shop: Shop, cursor: str) -> None:
    """A cursor of another list or order names itself."""
    answer = shop.root.get(f"products?sort_by=price&cursor={cursor}")
    assert answer.status_code == 400
