"""Whatever is deleted leaves nothing behind that names it.

Source: spec/pitfalls.md, "deleting a parent leaves orphans".
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.furnishing import Furniture, Outsiders
from tests.contract.samples import REGISTRY
from tests.contract.world import World, number_from
from tests.references import Rows, dangling, files, rows_of, tables
from tests.shop import Shop

DELETABLE = [
    each.entity.name for each in REGISTRY if "delete" in each.entity.privileges
]
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


def ids(shop: Shop, name: str) -> list[str]:
    """The identifiers of all objects, as they stand in addresses."""
    if name in OF_PRODUCTS:
        return [str(key) for (key,) in rows_of(shop)[name]]
    answer = shop.root.get(f"/api/{name}?items_per_page=0")
    assert answer.status_code == 200, answer.get_data(as_text=True)
    found: Any = answer.get_json()
    key = REGISTRY.get(name).id_key
    if isinstance(found, dict) and name in found:
        found = found[name]
    if isinstance(found, list):
        return [str(each.get(key) or each["company_id"]) for each in found]
    return [str(each) for each in found if each not in ("search", "params")]


def languages(rows: Rows) -> set[str]:
    """The languages in which there are texts."""
    return {
        row["lang_code"]
        for table in tables()
        if "lang_code" in table.primary_key.columns
        for row in rows[table.name].values()
    }


def test_nothing_names_what_was_deleted(world: World) -> None:
    shop, gone = world.shop, set()
    for place in (0, -1):
        for name in DELETABLE:
            found = ids(shop, name)
            if not found:
                continue
            answer = shop.root.delete(f"{name}/{found[place]}?force=Y")
            assert answer.status_code in (204, 400), (name, answer.status_code)
            if answer.status_code == 204:
                gone.add(name)
            rows = rows_of(shop)
            assert (name, dangling(rows)) == (name, [])
            installed = {row["lang_code"] for row in rows["languages"].values()}
            assert (name, languages(rows) - installed) == (name, set())
            named, stored = files(shop)
            assert (name, named - stored) == (name, set())
    assert {*DELETABLE} - gone == set()
