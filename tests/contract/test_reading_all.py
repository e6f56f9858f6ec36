"""Lists and records of every entity, over objects in every company."""

from typing import Any

import pytest

from storeapi.core.declaration import COMPANY_ALIAS
from storeapi.core.declared import DeclaredEntity
from tests.contract.reading import address, body_of, ids, read
from tests.contract.samples import LISTED, REGISTRY, filtered_by
from tests.contract.world import World

EMPTY_AS_ARRAYS = frozenset(
    {
        "doc_ids",
        "main_pair",
        "payment_info",
        "payment_method",
        "product_features",
        "product_options",
        "variants",
        "variation_feature_collection",
        "variation_features",
    }
)
"""Maps that are `[]` when they are empty: products.md, options.md, orders.md."""

TWO_TYPES = frozenset({".tax_ids"})
"""A comma list in lists and an array in records: spec/entities/products.md, 2."""

VERSIONS = ("1.0", "2.0")
EVERY = pytest.mark.parametrize("name", LISTED)
STORED = pytest.mark.parametrize(
    "name", [n for n in LISTED if issubclass(REGISTRY.get(n), DeclaredEntity)]
)


# Lists


def walked(world: World, path: str, name: str, version: str) -> list[str]:
    """The IDs that a cursor leads through."""
    found: list[str] = []
    cursor = "*"
    while cursor:
        answer = read(world, f"{path}&items_per_page=2&cursor={cursor}")
        found += ids(answer, name, version)
        cursor = answer.headers.get("X-Next-Cursor", "")
    return found


def paged(world: World, path: str, name: str, version: str, total: int) -> list[str]:
    """The IDs of all pages of two."""
    found: list[str] = []
    for page in range(1, total // 2 + 2):
        answer = read(world, f"{path}&items_per_page=2&page={page}")
        assert answer.headers["X-Total-Count"] == str(total)
        found += ids(answer, name, version)
    return found


@STORED
@pytest.mark.parametrize("version", VERSIONS)
def test_every_order_meets_each_object_once(
    world: World, name: str, version: str
) -> None:
    """Sections 5.2 to 5.4: totals, orders, ties, pages and cursors agree."""
    entity: Any = REGISTRY.get(name)
    path = address(world, name, version)
    shown = set(ids(read(world, f"{path}&items_per_page=1000"), name, version))
    orders = sorted(entity.declaration.orders) if version == "2.0" else [""]
    for order in orders:
        for direction in ("asc", "desc"):
            sorted_by = f"{path}&sort_by={order}&sort_order={direction}"
            answer = read(world, f"{sorted_by}&items_per_page=1000")
            whole = ids(answer, name, version)
            told = (order, direction)
            assert (told, {*whole}, len(whole)) == (told, shown, len(shown))
            assert answer.headers["X-Total-Count"] == str(len(shown))
            pages = paged(world, sorted_by, name, version, len(shown))
            assert (told, pages) == (told, whole)
            if order != entity.touched:  # its cursor stops some seconds before now
                walk = walked(world, sorted_by, name, version)
                assert (told, walk) == (told, whole)


@STORED
def test_equal_objects_stand_in_the_order_of_their_ids(world: World, name: str) -> None:
    """Section 5.4: the ID is the last sort key."""
    entity: Any = REGISTRY.get(name)
    path = address(world, name, "2.0")
    key = entity.declaration.id_name
    if key not in entity.declaration.kinds or name in ("languages", "langvars"):
        return
    for direction in ("asc", "desc"):
        query = f"{path}&sort_by={key}&sort_order={direction}&items_per_page=1000"
        found = [int(each) for each in ids(read(world, query), name, "2.0")]
        assert found == sorted(found, reverse=direction == "desc")


@EVERY
@pytest.mark.parametrize("version", VERSIONS)
def test_empty_lists_have_the_shape_of_full_ones(
    world: World, name: str, version: str
) -> None:
    """Section 5.1: `{}` or `[]`, with the true total (5.3, rule 4)."""
    path = address(world, name, version)
    full = read(world, f"{path}&items_per_page=2")
    empty = read(world, f"{path}&items_per_page=2&page=999")
    total = full.headers["X-Total-Count"]
    assert empty.headers["X-Total-Count"] == total
    left = body_of(empty, name, version)
    assert left == ({} if "map" in REGISTRY.get(name).shapes[version] else [])
    assert type(left) is type(body_of(full, name, version))
    for key in REGISTRY.get(name).echoes[version]:
        if REGISTRY.get(name).shapes[version].startswith("bare"):
            break
        echo = empty.get_json()[key]
        assert (echo["page"], echo["items_per_page"]) == (999, 2)
        assert echo["total_items"] == total


@pytest.mark.parametrize("name", filtered_by(LISTED, "company_id"))
def test_companies_cut_every_list_under_both_names(world: World, name: str) -> None:
    """Section 12: `company_id` is a filter, `storefront_id` its other name."""
    path = f"{address(world, name, '2.0')}&items_per_page=0"
    every, found = ids(read(world, path), name, "2.0"), []
    companies = (0, *(row[0] for row in world.shop.everything()["companies"]))
    for company in sorted(set(companies)):
        cut, alike = (
            read(world, f"{path}&{key}={company}")
            for key in ("company_id", COMPANY_ALIAS)
        )
        assert ids(cut, name, "2.0") == ids(alike, name, "2.0")
        assert COMPANY_ALIAS not in alike.headers.get("X-Ignored-Params", "")
        found += ids(cut, name, "2.0")
    assert sorted(found) == sorted(every)
    contradiction = f"{path}&company_id={world.own.company_id}&{COMPANY_ALIAS}=0"
    assert ids(read(world, contradiction), name, "2.0") == []
    refused = world.shop.root.get(f"{path}&{COMPANY_ALIAS}=x")
    assert refused.status_code == 400
    assert [e["field"] for e in refused.get_json()["errors"]] == [COMPANY_ALIAS]


# Records


@STORED
@pytest.mark.parametrize("version", VERSIONS)
def test_what_was_read_can_be_sent_back(world: World, name: str, version: str) -> None:
    """spec/pitfalls.md: the answer of GET is a PUT that changes nothing."""
    entity = REGISTRY.get(name)
    if "update" not in entity.privileges:
        return
    before = world.shop.everything()
    for (each, _), id in world.objects.items():
        if each == name:
            path = f"/api/{version}/{name}/{id}"
            for query in ("", "?full=Y"):
                record = read(world, path + query).get_json()
                answer = world.shop.root.put(path, record)
                assert answer.status_code == 200, answer.get_data(as_text=True)
                assert read(world, path + query).get_json() == record
    assert world.shop.everything() == before


def types(value: Any, path: str, found: dict[str, set[str]]) -> None:
    """Note the JSON type of every value; null has none."""
    if isinstance(value, dict):
        found.setdefault(path, set()).add("object")
        for key, inner in value.items():
            types(inner, f"{path}.{'*' if _is_id(key) else key}", found)
    elif isinstance(value, list):
        if value or path.rpartition(".")[2] not in EMPTY_AS_ARRAYS:
            found.setdefault(path, set()).add("array")
        for inner in value:
            types(inner, f"{path}[]", found)
    elif value is not None:
        found.setdefault(path, set()).add(type(value).__name__)


def _is_id(key: Any) -> bool:
    return str(key).lstrip("-").isdigit()


@STORED
def test_a_field_has_one_type_in_every_answer(world: World, name: str) -> None:
    """spec/pitfalls.md: in lists and records, full or not, in both versions."""
    found: dict[str, set[str]] = {}
    for version in VERSIONS:
        path = address(world, name, version)
        listed = f"{path}&items_per_page=1000"
        for more in ("", "&detailed_params=Y"):
            body = body_of(read(world, listed + more), name, version)
            for record in body.values() if isinstance(body, dict) else body:
                types(record, "", found)
        for (each, _), id in world.objects.items():
            if each == name:
                for more in ("", "?full=Y"):
                    record = read(world, f"/api/{version}/{name}/{id}{more}")
                    types(record.get_json(), "", found)
    mixed = {
        path: kinds
        for path, kinds in found.items()
        if len(kinds) > 1 and path not in TWO_TYPES
    }
    assert mixed == {}
