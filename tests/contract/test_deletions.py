"""Whatever is deleted is told, and leaves nothing behind that names it.

Source: spec/pitfalls.md, "deleting a parent leaves orphans".
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from storeapi.core.changes import Change
from storeapi.core.database import Connection
from storeapi.core.table import TableEntity
from tests.contract.furnishing import Furniture, Outsiders
from tests.contract.samples import REGISTRY
from tests.contract.world import World, number_from
from tests.references import Rows, dangling, files, rows_of, tables
from tests.shop import Shop

DELETABLE = [
    each.entity.name for each in REGISTRY if "delete" in each.entity.privileges
]
TOLD = {
    kept.declaration.table.name: kept.declaration.table.primary_key.columns[0].name
    for kept in (each.entity for each in REGISTRY)
    if issubclass(kept, TableEntity)
} | {"carts": "user_id", "langvars": "name", "languages": "lang_id"}
"""Tables of objects, and the columns by which changes name them."""

Target = tuple[str, Any]
OF_PRODUCTS = ("combinations", "exceptions")
"""Entities that are listed for one product only."""


@pytest.fixture
def world(shop: Shop) -> Iterator[World]:
    """Objects of every entity that name each other, in two stores, a vendor and 0."""
    world = World(shop)
    shared = [int(world.objects[n, world.own]) for n in ("taxes", "usergroups")]
    furniture = [Furniture(each, *shared) for each in (world.own, world.vendor)]
    outsiders = Outsiders(world.shared, world.vendor.company_id)
    outsiders.tie(furniture[0])
    yield world
    shop.empty()
    number_from(shop, 1)


def ids(shop: Shop, rows: Rows, name: str) -> list[str]:
    """The identifiers of objects, as in addresses; orders with parcels come first."""
    if name in OF_PRODUCTS:
        return [str(key) for (key,) in rows[name]]
    answer = shop.root.get(f"/api/{name}?items_per_page=0")
    assert answer.status_code == 200, answer.get_data(as_text=True)
    found: Any = answer.get_json()
    key = REGISTRY.get(name).id_key
    if isinstance(found, dict) and name in found:
        found = found[name]
    if isinstance(found, list):
        return [str(each.get(key) or each["company_id"]) for each in found]
    names = [str(each) for each in found if each not in ("search", "params")]
    sent = {str(row["order_id"]) for row in rows["shipments"].values()}
    return sorted(names, key=lambda id: name == "orders" and id not in sent)


def languages(rows: Rows) -> set[str]:
    """The languages in which there are texts."""
    return {
        row["lang_code"]
        for table in tables()
        if "lang_code" in table.primary_key.columns
        for row in rows[table.name].values()
    }


def deleted(shop: Shop, path: str) -> Counter[Target]:
    """Delete an object; returns the deletions of which subscribers are told."""
    told: Counter[Target] = Counter()

    def note(_db: Connection, changes: Sequence[Change]) -> None:
        told.update(
            (each.table, each.id)
            for each in changes
            if each.operation == "delete" and each.table in TOLD
        )

    subscribers = shop.database.subscribers
    subscribers.append(note)
    answer = shop.root.delete(path)
    subscribers.remove(note)
    assert answer.status_code in (204, 400), (path, answer.status_code)
    return told


def missing(before: Rows, after: Rows) -> Counter[Target]:
    """The objects that are gone, by the identifiers that clients know."""
    return Counter(
        (name, row[TOLD[name]])
        for name in TOLD
        for key, row in before[name].items()
        if key not in after[name]
    )


def test_whatever_goes_is_told_and_named_by_nothing(world: World) -> None:
    shop, gone = world.shop, set()
    rows = rows_of(shop)
    for place in (0, -1):
        for name in DELETABLE:
            found = ids(shop, rows, name)
            if not found:
                continue
            told = deleted(shop, f"{name}/{found[place]}?force=Y")
            gone |= {name} if told else set()
            before, rows = rows, rows_of(shop)
            assert (name, missing(before, rows)) == (name, told)
            assert (name, dangling(rows)) == (name, [])
            installed = {row["lang_code"] for row in rows["languages"].values()}
            assert (name, languages(rows) - installed) == (name, set())
            named, stored = files(shop, rows)
            assert (name, named - stored) == (name, set())
    assert {*DELETABLE} - gone == set()
