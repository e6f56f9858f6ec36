"""Companies as a whole: what is copied with them, and that nothing stays of them.

The tables are found in the models, so that a new one is judged the day it appears.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from storeapi.core.changes import Change
from storeapi.core.database import Connection
from storeapi.core.table import TableEntity
from storeapi.counting import counted_tables, differences
from storeapi.models import Model
from tests.album import encoded
from tests.contract.furnishing import Furniture, Outsiders
from tests.contract.samples import REGISTRY
from tests.contract.world import GLOBAL, SPECIAL, Branch, World, number_from
from tests.references import Rows, dangling, files, references, rows_of, unjudged
from tests.shop import Shop

COPIED = {
    "blocks": "layouts",
    "categories": "categories",
    "category_texts": "categories",
    "features": "product_features",
    "options": "products",
    "pages": "pages",
    "payments": "payments",
    "product_texts": "products",
    "products": "products",
    "setting_values": "settings",
    "shippings": "shippings",
    "variation_groups": "products",
}
"""Tables with a company, and the attribute of `clone` that copies their rows.

Source: spec/entities/stores.md, rule 4.
"""
NEVER_COPIED = {
    "call_requests", "carts", "companies", "company_countries", "discussion_posts",
    "discussion_threads", "notifications", "object_counts", "order_items", "orders",
    "shipments", "status_company_texts", "usergroups", "users",
}  # fmt: skip
NOT_COUNTED = ("discussion_threads", "object_counts")
"""Threads go along with products, for they say whether these are discussed."""
OWNED = [
    table
    for table in Model.metadata.sorted_tables
    if "company_id" in table.c and table.name != "companies"
]


@pytest.fixture
def world(shop: Shop) -> Iterator[World]:
    """Objects of every entity in two stores, a vendor and company 0."""
    yield World(shop)
    shop.empty()
    number_from(shop, 1)


def keys(shop: Shop) -> dict[str, set[Any]]:
    """The keys of all rows of all tables, but for kept numbers."""
    rows = shop.everything()
    found = {}
    for table in Model.metadata.sorted_tables:
        if table.name in rows and table.name != "object_counts":
            names = list(table.columns)
            places = [names.index(column) for column in table.primary_key.columns]
            found[table.name] = {
                tuple(row[place] for place in places) for row in rows[table.name]
            }
    return found


def left_over(before: dict[str, set[Any]], after: dict[str, set[Any]]) -> Any:
    """The rows that are more, and those that are fewer, by table."""
    return {name: (after[name] - before[name], before[name] - after[name])
            for name in after if after[name] != before[name]}  # fmt: skip


def miscounted(shop: Shop) -> list[Any]:
    """What the kept numbers say that is not so."""
    tables = counted_tables(shop.registry)
    return list(shop.database.write(lambda db: differences(db, tables)))


def settle(world: World, branch: Branch) -> Furniture:
    """Make objects of every entity in a company, with pictures where they may be."""
    left_out = {*GLOBAL, "master_products", "stores", "vendors"}
    for name in [each for each in world.sampled() if each not in left_out]:
        body = _payload(world, name, branch)
        if body is not None and "_made" not in body:
            body = {"company_id": str(branch.company_id), **body}
            answer = world.shop.root.post(name, {**body, **_pictured(name)})
            assert answer.status_code == 201, (name, answer.get_data(as_text=True))
    company = branch.company_id
    world.shop.caller(user_type="V" if branch.kind == "vendors" else "A",
                      company_id=company)  # fmt: skip
    root = world.shop.root
    found = root.get("settings?name=timezone").get_json()["settings"]
    status = world.objects["statuses", world.own]
    puts = {
        f"{branch.parent}/settings/{found[0]['object_id']}": {"value": "Asia/Tokyo"},
        f"{branch.parent}/statuses/{status}": {"email_subj": "On hold"},
        branch.parent: {"countries_list": ["PT"]},
    }
    for path, body in puts.items():
        answer = root.put(path, body)
        assert answer.status_code == 200, answer.get_data(as_text=True)
    review = {"message": "Good", "rating_value": 5}
    for parent in (branch.parent, f"categories/{branch.category}"):
        answer = root.post(f"{parent}/discussions", review)
        assert answer.status_code == 201, answer.get_data(as_text=True)
    return furnish(world, branch)


def furnish(world: World, branch: Branch) -> Furniture:
    """Objects of a company that name each other, and what is everybody's."""
    tax_id, usergroup_id = (
        int(world.objects[name, world.own]) for name in ("taxes", "usergroups")
    )
    return Furniture(branch, tax_id, usergroup_id)


def _payload(world: World, name: str, branch: Branch) -> Any:
    if name != "master_product_offers":
        return world.payload(name, branch)
    return {"master_product_id": world.common} if branch.kind == "vendors" else None


def _pictured(name: str) -> dict[str, Any]:
    kinds = getattr(REGISTRY.get(name), "declaration", None)
    if kinds is None or "main_pair" not in kinds.kinds or name in SPECIAL:
        return {}
    return {"main_pair": {"detailed": {"data": encoded()}}}


def new_branch(world: World, kind: str) -> Branch:
    """A company of a kind that has nothing yet, but for a shelf."""
    letter = "S" if kind == "stores" else "V"
    return Branch(world.shop, world.shop.company("Passing", kind=letter), kind)


def bring_down(world: World, branch: Branch, note: Any = None) -> None:
    """Remove a company, after its orders; `note` is told of what goes with it."""
    root, told = world.shop.root, world.shop.database.subscribers
    below = f"{branch.parent}/orders?items_per_page=0"
    for order in root.get(below).get_json()["orders"]:
        assert root.delete(f"orders/{order['order_id']}").status_code == 204
    before = list(told)
    told.extend([note] if note else [])
    answer = root.delete(branch.parent)
    told[:] = before
    assert answer.status_code == 204, answer.get_data(as_text=True)


@pytest.mark.parametrize("kind", ["stores", "vendors"])
def test_nothing_stays_of_a_company(world: World, kind: str) -> None:
    """spec/entities/stores.md, rule 8; spec/entities/vendors.md, rule 7."""
    outsiders = Outsiders(world.shared, world.vendor.company_id)
    before, seen = keys(world.shop), outsiders.records()
    stored = files(world.shop, rows_of(world.shop))
    branch = new_branch(world, kind)
    outsiders.tie(settle(world, branch))
    assert dangling(rows_of(world.shop)) == []
    bring_down(world, branch)
    rows = rows_of(world.shop)
    assert files(world.shop, rows) == stored
    assert left_over(before, keys(world.shop)) == {}
    assert outsiders.records() == seen
    assert dangling(rows) == []
    assert miscounted(world.shop) == []


@pytest.mark.parametrize("kind", ["stores", "vendors"])
def test_whatever_goes_with_a_company_is_told(world: World, kind: str) -> None:
    """Every object of an entity, once."""
    branch = new_branch(world, kind)
    settle(world, branch)
    before, told = keys(world.shop), Counter[tuple[str, Any]]()

    def note(_db: Connection, changes: Sequence[Change]) -> None:
        told.update((c.table, c.id) for c in changes if c.operation == "delete")

    bring_down(world, branch, note)
    after = keys(world.shop)
    tables = {each.entity.declaration.table.name for each in REGISTRY
              if issubclass(each.entity, TableEntity)}  # fmt: skip
    kept = tables - {"carts", "orders", "shipments"}
    gone = [(name, key) for name in kept for (key,) in before[name] - after[name]]
    assert {name for name, _ in gone} >= {"options", "combinations", "exceptions"}
    assert Counter(gone) == Counter(
        {each: n for each, n in told.items() if each[0] in kept}
    )


@pytest.mark.parametrize("kind", ["stores", "vendors"])
def test_company_whose_feature_others_vary_by_stays(world: World, kind: str) -> None:
    """spec/entities/features.md, rule 5.7."""
    outsiders = Outsiders(world.shared, world.vendor.company_id)
    branch = new_branch(world, kind)
    furniture = furnish(world, branch)
    outsiders.tie(furniture)
    ids = [outsiders.product]
    group = world.shared.root.make("product_variations_groups", product_ids=ids)
    before = world.shop.everything()
    answer = world.shop.root.delete(branch.parent)
    assert answer.status_code == 400
    assert answer.get_json()["detail"] == (
        f"feature {furniture.feature} of company {branch.company_id} defines"
        f" variation group {group} of another company"
    )
    assert world.shop.everything() == before
    world.shop.root.delete(f"product_variations_groups/{group}")
    assert world.shop.root.delete(branch.parent).status_code == 204


@pytest.mark.parametrize("kind", ["stores", "vendors"])
def test_company_with_orders_stays(world: World, kind: str) -> None:
    """The same rules: 400, and nothing is gone."""
    branch = new_branch(world, kind)
    settle(world, branch)
    before = world.shop.everything()
    answer = world.shop.root.delete(f"{kind}/{branch.company_id}")
    assert answer.status_code == 400
    assert "orders" in answer.get_json()["detail"]
    assert world.shop.everything() == before


def test_every_table_of_companies_is_judged() -> None:
    assert {table.name for table in OWNED} | {"companies"} == {*COPIED, *NEVER_COPIED}


def owned_rows(world: World, company_id: int) -> dict[str, int]:
    """How many rows of each table a company has."""
    rows = world.shop.everything()
    found = {}
    for table in OWNED:
        place = list(table.columns).index(table.c.company_id)
        found[table.name] = sum(row[place] == company_id for row in rows[table.name])
    return {name: found[name] for name in found if name not in NOT_COUNTED}


def clone(world: World, source: int, *attributes: str) -> int:
    """A new store with some attributes of another."""
    body = {
        "company": "Copy",
        "storefront": "copy.example",
        "clone_from": source,
        "clone": dict.fromkeys(attributes, "Y"),
    }
    answer = world.shop.root.post("stores", body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["store_id"])


def test_each_attribute_copies_its_own_and_nothing_else(world: World) -> None:
    """spec/entities/stores.md, rule 4; a removed copy leaves nothing."""
    settle(world, world.own)
    own = owned_rows(world, world.own.company_id)
    for attribute in sorted({*COPIED.values()}):
        before = keys(world.shop)
        copy = clone(world, world.own.company_id, attribute)
        wanted = {
            name: own[name] if COPIED.get(name) == attribute else 0 for name in own
        }
        assert (attribute, owned_rows(world, copy)) == (attribute, wanted)
        missing = [n for n in own if COPIED.get(n) == attribute and not own[n]]
        assert missing == []
        assert world.shop.root.delete(f"stores/{copy}").status_code == 204
        assert left_over(before, keys(world.shop)) == {}
    assert miscounted(world.shop) == []


def test_whole_copy_names_nothing_of_the_original(world: World) -> None:
    """Every reference of a copy leads to the copy, or to what is everybody's."""
    settle(world, world.own)
    source = world.own.company_id
    before, own = rows_of(world.shop), owned_rows(world, source)
    known = keys(world.shop)
    copy = clone(world, source, *COPIED.values())
    assert owned_rows(world, copy) == {
        name: number if name in COPIED else 0 for name, number in own.items()
    }
    after, mine = rows_of(world.shop), belongings(before, source)
    new = [each for each in references(after) if each.key not in before[each.table]]
    assert [each for each in new if (each.target, each.number) in mine] == []
    assert dangling(after) == []
    assert world.shop.root.delete(f"stores/{copy}").status_code == 204
    assert left_over(known, keys(world.shop)) == {}
    assert miscounted(world.shop) == []


@pytest.mark.parametrize("attributes", [["products"], [*COPIED.values()]])
def test_copy_outlives_the_original(world: World, attributes: list[str]) -> None:
    """Variations by features that were not copied keep the original where it is."""
    original = new_branch(world, "stores")
    furnish(world, original)
    copy = clone(world, original.company_id, *attributes)
    mine = owned_rows(world, copy)
    answer = world.shop.root.delete(original.parent)
    rows = rows_of(world.shop)
    assert dangling(rows) == []
    named, stored = files(world.shop, rows)
    assert named - stored == set()
    if len(attributes) == 1:
        assert answer.status_code == 400
        assert "variation group" in answer.get_json()["detail"]
        assert world.shop.root.delete(f"stores/{copy}").status_code == 204
        answer = world.shop.root.delete(original.parent)
    else:
        assert owned_rows(world, copy) == mine
    assert answer.status_code == 204


def belongings(rows: Rows, company_id: int) -> set[tuple[str, int]]:
    """What belongs to a company, and what goes with that, by table and number."""
    found = {("companies", company_id)}
    for table in Model.metadata.sorted_tables:
        owners = [
            (column.name, key.column.table.name)
            for column in table.columns
            for key in column.foreign_keys
            if key.ondelete == "CASCADE" or column.name == "company_id"
        ]
        for key, row in rows.get(table.name, {}).items():
            if any((target, row[name]) in found for name, target in owners):
                found.add((table.name, key[0]))
    return found


def test_every_reference_is_judged() -> None:
    assert unjudged() == []
