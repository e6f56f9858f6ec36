"""However the rows of a list are found, it is the same list."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from storeapi.core import finding
from tests.shop import Shop

Walks = Callable[..., Iterator[int]]
NAMES = ("Oak tray", "Ash tray", "Oak bowl", "Elm bowl", "Oak mug", "Ash mug", "Jug")


def walks(*lengths: int) -> Walks:
    """Lengths of walks that do not depend on the numbers of rows."""
    return lambda *_: iter(lengths)


WAYS = [walks(), walks(1000), walks(1), walks(1, 2, 1000)]


@pytest.fixture
def filled(shop: Shop) -> Shop:
    for number, name in enumerate(NAMES):
        status = "D" if number % 3 == 2 else "A"
        shop.make_product(name, price=str(10 - number), amount=number, status=status)
    return shop


def pages(shop: Shop, query: str) -> list[str]:
    """The names of a list, read by pages of two and then by cursor."""
    found: list[str] = []
    for start in ("page={}", "cursor={}"):
        names: list[str] = []
        at, total = "1" if start == "page={}" else "*", ""
        while at:
            path = f"products?items_per_page=2&{query}&{start.format(at)}"
            answer = shop.root.get(path)
            body = answer.get_json()
            names += [product["product"] for product in body["products"]]
            total = body["params"]["total_items"]
            full = len(body["products"]) == 2
            if start == "page={}":
                at = str(int(at) + 1) if full else ""
            else:
                at = answer.headers.get("X-Next-Cursor", "") if full else ""
        assert len(names) == int(total)
        found = found or names
        assert names == found
    return found


QUERIES: Sequence[tuple[str, list[str]]] = [
    ("q=oak", ["Oak bowl", "Oak mug", "Oak tray"]),
    ("q=oak&sort_by=price", ["Oak mug", "Oak bowl", "Oak tray"]),
    ("q=oak&sort_by=price&sort_order=desc", ["Oak tray", "Oak bowl", "Oak mug"]),
    ("q=oak+mug&match=any&status=A", ["Oak mug", "Oak tray"]),
    ("pname=oak", ["Oak bowl", "Oak mug", "Oak tray"]),
    ("status=D", ["Ash mug", "Oak bowl"]),
    ("status=D&company_id={company}", ["Ash mug", "Oak bowl"]),
    ("product=bowl&sort_by=product_id", ["Oak bowl", "Elm bowl"]),
    ("cid={cid}", sorted(NAMES)),
    ("cid={cid}&subcats=Y&q=tray", ["Ash tray", "Oak tray"]),
    ("cid={cid}&sort_by=position", list(NAMES)),
    ("company_id={company}", sorted(NAMES)),
    ("amount_from=4&sort_by=amount", ["Oak mug", "Ash mug", "Jug"]),
    ("q=nosuch", []),
]


@pytest.mark.parametrize("way", WAYS, ids=["collected", "walked", "short", "longer"])
def test_walks_and_collections_give_the_same_pages(
    filled: Shop, way: Walks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "_walks", way)
    for pattern, names in QUERIES:
        query = pattern.format(cid=filled.category, company=filled.store)
        assert pages(filled, query) == names, query


def lengths(
    total: int, everything: int, *, size: int = 10, offset: int = 0
) -> list[int]:
    """How many rows are walked for a page of so many matches among so many rows."""

    class Kept:
        def count(self, _: Any) -> int:
            return everything

    page = finding.Page(offset // size + 1, size)
    wanted = finding.Wanted(page, None, ())
    return list(finding._walks(Kept(), wanted, total))


def test_what_many_rows_meet_is_walked_and_what_few_meet_is_not() -> None:
    assert lengths(100, 1_000_000) == []
    assert lengths(900_000, 1_000_000) == [83, 664, 5312, 42496]
    assert lengths(10_000, 1_000_000) == []
    assert lengths(100_000, 1_000_000) == [350, 2800, 22400]
    assert lengths(100_000, 1_000_000, offset=50_000) == []
