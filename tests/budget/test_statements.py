"""Statements per request: fails on growth, so that speed is a test."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from storeapi.models import Model
from tests.contract.samples import CHANGES, PAYLOADS, REGISTRY, SAMPLED, create
from tests.shop import Shop

EVERY = pytest.mark.parametrize("name", SAMPLED)

# The caller, the row, and one statement for each kind of part.
ONE = {
    "products": 8, "features": 4, "languages": 2, "stores": 2, "vendors": 2, "carts": 6,
    "shippings": 4, "orders": 8,
}  # fmt: skip
ONE_USUAL = 3
LIST = {"products": 7, "features": 4, "carts": 4, "shipments": 4}
LIST_USUAL = 3


@contextmanager
def observed(shop: Shop) -> Iterator[list[str]]:
    """The statements that requests run."""
    found: list[str] = []
    shop.database.observer = found.append
    try:
        yield found
    finally:
        shop.database.observer = None


def _count(shop: Shop, ask: Any) -> tuple[int, Any]:
    ask()  # statements are compiled at their first use
    with observed(shop) as found:
        answer = ask()
    return len(found), answer


def test_a_refused_caller_costs_one_statement(shop: Shop) -> None:
    """The caller with key, company, groups and privileges is one statement."""
    for path in ("products", "products/1", "nosuch"):
        count, answer = _count(shop, lambda path=path: shop.anonymous.get(path))
        assert (count, answer.status_code) == (1, 401)
    caller = shop.caller("view_catalog")
    count, answer = _count(shop, lambda: caller.get("languages"))
    assert (count, answer.status_code) == (1, 403)
    count, answer = _count(shop, lambda: shop.root.get("nosuch"))
    assert (count, answer.status_code) == (1, 404)


@EVERY
def test_one_record(shop: Shop, name: str) -> None:
    """Caller, row, and one statement for each kind of part."""
    id = create(shop, name)
    count, answer = _count(shop, lambda: shop.root.get(f"{name}/{id}"))
    assert answer.status_code == 200
    assert count <= ONE.get(name, ONE_USUAL)
    missing, answer = _count(shop, lambda: shop.root.get(f"{name}/999999"))
    assert (missing, answer.status_code) == (2, 404)


@EVERY
def test_a_list_takes_as_many_statements_for_100_as_for_2(
    shop: Shop, name: str
) -> None:
    """Constant, whatever the page size; without a count where the page shows it."""
    for _ in range(12):
        create(shop, name)
    few, answer = _count(shop, lambda: shop.root.get(f"{name}?items_per_page=2"))
    assert answer.status_code == 200
    many, answer = _count(shop, lambda: shop.root.get(f"{name}?items_per_page=100"))
    assert answer.status_code == 200
    assert many <= few <= LIST.get(name, LIST_USUAL)


@pytest.mark.parametrize("name", sorted({*SAMPLED} & REGISTRY.children("stores")))
def test_a_parent_costs_one_statement(shop: Shop, name: str) -> None:
    """Protocol, section 14.6: a check of the parent, not its whole record."""
    create(shop, name)
    flat, answer = _count(shop, lambda: shop.root.get(name))
    assert answer.status_code == 200
    below = f"stores/{shop.store}/{name}"
    nested, answer = _count(shop, lambda: shop.root.get(below))
    assert answer.status_code == 200
    own = 1 if name == "statuses" else 0  # the words of that store
    assert nested <= flat + 1 + own


@EVERY
def test_writes_do_not_grow_with_what_is_there(shop: Shop, name: str) -> None:
    """POST and PUT take as many statements with 1 object as with 20."""
    entity = REGISTRY.get(name)

    def post() -> Any:
        return shop.root.post(name, PAYLOADS[name](shop))

    post()
    with observed(shop) as first:
        id = post().get_json()[entity.id_key]
    with observed(shop) as changed:
        assert shop.root.put(f"{name}/{id}", CHANGES[name]).status_code == 200
    for _ in range(20):
        post()
    with observed(shop) as later:
        other = post().get_json()[entity.id_key]
    with observed(shop) as changed_later:
        assert shop.root.put(f"{name}/{other}", CHANGES[name]).status_code == 200
    assert len(later) <= len(first) + 2
    assert len(changed_later) <= len(changed) + 2


@EVERY
def test_reads_make_no_orm_instances(shop: Shop, name: str) -> None:
    """A projection reads columns; the ORM is for writing, if at all."""
    id = create(shop, name)
    made: list[Any] = []

    def note(target: Any, _context: Any) -> None:
        made.append(target)

    event.listen(Model, "load", note, propagate=True)
    try:
        for path in (name, f"{name}/{id}", f"{name}?detailed_params=Y"):
            assert shop.root.get(path).status_code == 200
    finally:
        event.remove(Model, "load", note)
    assert made == []
