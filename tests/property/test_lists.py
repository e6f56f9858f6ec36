"""Walks over lists: each row once, whatever the order, page size or filter."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storeapi.core.declared import DeclaredEntity
from tests.contract.samples import REGISTRY, SAMPLED, create, shown_id
from tests.shop import Shop

SLOW = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
SORTS = [
    (name, sort)
    for name in SAMPLED
    if issubclass(entity := REGISTRY.get(name), DeclaredEntity)
    and entity.shapes["2.0"] in ("map", "array")
    for sort in entity.declaration.orders
]


def _records(answer: Any, name: str) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.get_data(as_text=True)
    body = answer.get_json()[REGISTRY.get(name).list_key or name]
    return list(body.values()) if isinstance(body, dict) else body


def _pages(shop: Shop, name: str, query: str) -> Iterator[list[str]]:
    page = 1
    while True:
        answer = shop.root.get(f"{name}?{query}&page={page}")
        found = [str(record[shown_id(name)]) for record in _records(answer, name)]
        if not found:
            return
        yield found
        page += 1
        assert page < 200


def _flat(pages: Iterator[list[str]]) -> list[str]:
    return [id for page in pages for id in page]


def _walk(shop: Shop, name: str, query: str, between: Any = None) -> list[str]:
    found: list[str] = []
    cursor: str | None = "*"
    while cursor is not None:
        answer = shop.root.get(f"{name}?{query}&cursor={cursor}")
        found += [str(record[shown_id(name)]) for record in _records(answer, name)]
        cursor = answer.headers.get("X-Next-Cursor")
        if between is not None:
            between()
        assert len(found) < 2000
    return found


@pytest.mark.parametrize(("name", "sort"), SORTS)
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_pages_and_cursor_meet_each_row_once(
    shop: Shop, name: str, sort: str, order: str
) -> None:
    """spec/protocol.md, 5.4; spec/clients.md, L4: every sort name of every entity."""
    ids = [create(shop, name) for _ in range(5)]
    entity = REGISTRY.get(name)
    if sort == entity.touched:  # what changed just now waits for the next walk
        for number, id in enumerate(ids):
            shop.change(entity.model, {shown_id(name): id}, {sort: 1000 + number // 2})
    query = f"sort_by={sort}&sort_order={order}"
    everything = shop.root.get(f"{name}?{query}&items_per_page=0")
    expected = [str(record[shown_id(name)]) for record in _records(everything, name)]
    assert len(set(expected)) == len(expected)
    assert int(everything.headers["X-Total-Count"]) == len(expected)
    paged = [
        id for page in _pages(shop, name, f"{query}&items_per_page=2") for id in page
    ]
    assert paged == expected
    assert _walk(shop, name, f"{query}&items_per_page=2") == expected


@pytest.mark.parametrize("sort", ["product", "price", "timestamp", "code", "amount"])
def test_a_cursor_skips_nothing_while_others_write(shop: Shop, sort: str) -> None:
    """Rows that stay are met once each, though others come and go between pages."""
    kept = [shop.make_product(f"K{n}", price=str(n % 3)) for n in range(9)]
    made: list[int] = []

    def disturb() -> None:
        for id in made[-1:]:
            assert shop.root.delete(f"products/{id}").status_code == 204
        made.extend(shop.make_product(name, price="1") for name in ("A", "K4", "Z"))
        assert len(made) < 500

    query = f"sort_by={sort}&items_per_page=2&status=A"
    rounds = iter(range(6))

    def between() -> None:
        if next(rounds, None) is not None:  # later rows may come for ever
            disturb()

    found = _walk(shop, "products", query, between)
    assert sorted(int(id) for id in found if int(id) in kept) == kept
    assert len(set(found)) == len(found)


@given(
    data=st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "B", "ä", "", "a b", "\U0001f375", "%", "_"]),
            st.integers(0, 3),
            st.sampled_from("AHD"),
        ),
        min_size=1,
        max_size=9,
    ),
    sort=st.sampled_from(["product", "price", "code", "status"]),
    order=st.sampled_from(["asc", "desc"]),
    size=st.integers(1, 4),
    filters=st.dictionaries(
        st.sampled_from(["status", "price", "price_from", "product_code", "pcode"]),
        st.sampled_from(["A", "H", "1", "2", "a", "%25", "_"]),
        max_size=2,
    ),
)
@SLOW
def test_a_filtered_walk_is_what_the_filters_say(
    shop: Shop,
    data: list[tuple[str, int, str]],
    sort: str,
    order: str,
    size: int,
    filters: dict[str, str],
) -> None:
    """Pages, cursor and total agree, and a filter never widens a list."""
    for id in [
        i for page in _pages(shop, "products", "items_per_page=50") for i in page
    ]:
        shop.root.delete(f"products/{id}")
    for code, price, status in data:
        shop.make_product("M" + code, product_code=code, price=price, status=status)
    query = f"sort_by={sort}&sort_order={order}&items_per_page={size}"
    every = _walk(shop, "products", query)
    assert len(every) == len(data)
    numbers = {"1", "2"}
    filters = {
        name: value
        for name, value in filters.items()
        if value in numbers or not name.startswith("price")
    }
    narrowed = query + "".join(f"&{name}={value}" for name, value in filters.items())
    found = _walk(shop, "products", narrowed)
    assert found == _flat(_pages(shop, "products", narrowed))
    assert set(found) <= set(every)
    assert found == [id for id in every if id in set(found)]
    first = shop.root.get(f"products?{narrowed}")
    assert first.headers["X-Total-Count"] == str(len(found))
