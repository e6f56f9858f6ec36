"""What the protocol says of lists, asked of every list there is.

Source: spec/protocol.md, section 5. The shapes are told here without the code.
"""

from typing import Any

import pytest

from storeapi.core.declared import DeclaredEntity
from storeapi.core.paging import LIST_PARAMS
from storeapi.core.query import emit_pairs
from tests.contract.reading import address, read
from tests.contract.samples import LISTED, REGISTRY
from tests.contract.world import World

BELOW = ("users/usergroups", "products/features", "products/options")
"""Lists that stand below a parent and differ from those at the top."""

LISTS = (*LISTED, *BELOW)
VERSIONS = ("1.0", "2.0")
EVERY = pytest.mark.parametrize("name", LISTS)
EVERY_VERSION = pytest.mark.parametrize("version", VERSIONS)
ANY_DATABASE = pytest.mark.any_database

Shape = tuple[str, tuple[str, ...]]
_MAP: Shape = ("map", ("search",))
_ARRAY: Shape = ("array", ("params",))
_BARE_MAP: Shape = ("bare map", ())
_BARE_ARRAY: Shape = ("bare array", ())
_BOTH = ("search", "params")
SHAPES: dict[str, tuple[Shape, Shape]] = {
    "stores": (_BARE_ARRAY, _ARRAY),
    "blocks": (_MAP, _BARE_ARRAY),
    "usergroups": (_BARE_MAP, _BARE_MAP),
    "users/usergroups": (_BARE_MAP, _BARE_MAP),
    "languages": (("map", _BOTH), ("map", ("params",))),
    "langvars": (("array", _BOTH), _ARRAY),
    "vendors": (("array", _BOTH), _ARRAY),
    "pages": (_MAP, ("array", ("params", "search"))),
    "combinations": (_MAP, _BARE_ARRAY),
    "exceptions": (_MAP, _BARE_ARRAY),
    "products/options": (_MAP, _BARE_MAP),
}
"""Section 5.1 and the entity files: the shape of a list, and where its echo stands."""

KEYS = {
    "master_product_offers": "products",
    "master_products": "products",
    "options": "product_options",
    "product_variations": "products",
    "product_variations_groups": "groups",
}
"""Names of lists in 2.0 that are not those of the entity."""

WHOLE = {
    "blocks": ("2.0",),
    "combinations": VERSIONS,
    "exceptions": VERSIONS,
    "products/options": VERSIONS,
    "stores": ("1.0",),
    "usergroups": VERSIONS,
    "users/usergroups": VERSIONS,
}
"""Section 5.3.2 and the entity files: lists that hold all unless a page is asked."""

NEVER_PAGED = frozenset({"products/options"})
"""spec/entities/options.md, 3.1."""

PAGED_BY_SIZE = frozenset({"combinations", "exceptions"})
"""spec/entities/combinations.md, 3: `items_per_page` makes pages, `page` alone none."""

ONE_ORDER = frozenset({"settings"})
"""Lists that have no sort names."""

_CHOOSES = {"product_id"}
TURNING = {
    "combinations": _CHOOSES,
    "exceptions": _CHOOSES,
    "options": _CHOOSES,
    "pages": {"get_tree", "simple"},
    "products/options": _CHOOSES,
    "settings": {"section_id"},
    "master_product_offers": {"match"},
    "master_products": {"match", "show_master_products_only"},
    "product_variations": {"match"},
    "products": {"match"},
}
"""Parameters that cut nothing, but say which list it is, or how others are read."""


@pytest.fixture(scope="module")
def lists(world: World) -> World:
    """The world, with a user who is in a group, and an option of all products."""
    user, group = (world.objects[name, world.own] for name in ("users", "usergroups"))
    world.shop.join(int(user), int(group))
    body = {"product_id": 0, "option_name": "Size", "option_type": "I"}
    assert world.shop.root.post("options", body).status_code == 201
    return world


def parent_of(world: World, name: str) -> str:
    """The path of a parent that has something in a list below it."""
    parent, _, child = name.partition("/")
    id = world.objects[parent, world.own]
    if child == "options":
        record = read(world, f"{child}/{world.objects[child, world.own]}").get_json()
        id = record["product_id"]
    return f"{parent}/{id}"


def path_of(world: World, name: str, version: str) -> str:
    """The address of a list, to which parameters can be added."""
    if "/" not in name:
        return address(world, name, version)
    return f"/api/{version}/{parent_of(world, name)}/{name.partition('/')[2]}?"


def entity_of(name: str) -> Any:
    """The class that serves a list."""
    parent, _, child = name.rpartition("/")
    entity: Any = REGISTRY.get(child)
    return entity.under.get(parent, entity) if parent else entity


def shape_of(name: str, version: str) -> Shape:
    """The shape of a list by the contract."""
    return SHAPES.get(name, (_MAP, _ARRAY))[VERSIONS.index(version)]


def key_of(name: str, version: str) -> str:
    """The name of the records in the envelope."""
    own = name.rpartition("/")[2]
    return own if version == "1.0" else KEYS.get(name, own)


def records_of(answer: Any, name: str, version: str) -> list[Any]:
    """The records of a list, which has its shape."""
    (shape, _), body = shape_of(name, version), answer.get_json()
    found = body if shape.startswith("bare") else body[key_of(name, version)]
    assert type(found) is (dict if shape.endswith("map") else list)
    return list(found.values()) if isinstance(found, dict) else found


def echo_of(answer: Any, name: str, version: str) -> dict[str, Any] | None:
    """What was asked and applied, where the envelope tells it."""
    _, echoes = shape_of(name, version)
    found: dict[str, Any] | None = answer.get_json()[echoes[0]] if echoes else None
    return found


def filters_of(world: World, name: str) -> list[str]:
    """The parameters that cut a list."""
    entity = entity_of(name)
    if issubclass(entity, DeclaredEntity):
        params = entity.declaration.params
    else:
        (first, *_) = records_of(read(world, path_of(world, name, "2.0")), name, "2.0")
        params = frozenset(first)
    return sorted(params - LIST_PARAMS - TURNING.get(name, set()))


# 5.1 Shape


@ANY_DATABASE
@EVERY
@EVERY_VERSION
def test_lists_have_the_shape_of_the_contract(
    lists: World, name: str, version: str
) -> None:
    """Section 5.1: maps and arrays, bare or beside the echo."""
    answer = read(lists, path_of(lists, name, version))
    _, echoes = shape_of(name, version)
    body = answer.get_json()
    assert records_of(answer, name, version)
    if echoes:
        assert {*body} == {key_of(name, version), *echoes}
        assert all(body[key] == body[echoes[0]] for key in echoes)


@ANY_DATABASE
@EVERY
@EVERY_VERSION
def test_counts_and_links_stand_in_the_header(
    lists: World, name: str, version: str
) -> None:
    """Section 5.1: `X-Total-Count` always, `Link` when a page size applies."""
    path = path_of(lists, name, version)
    for query, paged in (
        ("", version not in WHOLE.get(name, ())),
        ("&items_per_page=1", name not in NEVER_PAGED),
    ):
        answer = read(lists, path + query)
        assert answer.headers["X-Total-Count"].isdigit()
        assert ("Link" in answer.headers) == paged
        assert not paged or 'rel="first"' in answer.headers["Link"]


@ANY_DATABASE
@EVERY
@EVERY_VERSION
def test_lists_leave_as_text_too(lists: World, name: str, version: str) -> None:
    """Section 7, response, rule 3: one line that mirrors the JSON."""
    path = path_of(lists, name, version)
    text = lists.shop.root.get(path, headers={"Accept": "text/plain"})
    assert text.status_code == 200
    assert text.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert text.get_data(as_text=True) == emit_pairs(read(lists, path).get_json())


# 5.2 The echo


@ANY_DATABASE
@EVERY
@EVERY_VERSION
def test_the_echo_has_one_rule_for_all(lists: World, name: str, version: str) -> None:
    """Section 5.2: page and size are numbers, the total a string; order and reverse."""
    path = path_of(lists, name, version)
    answer = read(lists, f"{path}&page=1&items_per_page=2&sort_order=DESC")
    echo = echo_of(answer, name, version)
    if echo is None:
        return
    total = answer.headers["X-Total-Count"]
    size = int(total) if name in NEVER_PAGED else 2
    assert (echo["page"], echo["items_per_page"]) == (1, size)
    assert echo["total_items"] == total
    if name not in ONE_ORDER:
        assert isinstance(echo["sort_by"], str)
        assert (echo["sort_order"], echo["sort_order_rev"]) == ("desc", "asc")


# 5.3 Paging


PAGES = (
    ("page=1&items_per_page=1", 1, 1),
    ("page=2&items_per_page=1", 2, 1),
    ("page=99&items_per_page=1", 99, 1),
    ("page=0&items_per_page=1", 1, 1),
    ("page=&items_per_page=1", 1, 1),
    ("items_per_page=0", 1, 1000),
    ("items_per_page=99999", 1, 1000),
    ("page=1&items_per_page=", 1, 10),
)
"""What is asked for, and the page and size that are applied."""


@EVERY
@EVERY_VERSION
def test_every_list_is_paged_alike(lists: World, name: str, version: str) -> None:
    """Section 5.3, rules 1, 3, 4 and 5."""
    if name in NEVER_PAGED:
        return
    path = path_of(lists, name, version)
    usual = read(lists, path).headers["X-Total-Count"]
    for query, page, size in PAGES:
        if name in PAGED_BY_SIZE and size == 10:
            continue
        answer = read(lists, f"{path}&{query}")
        assert answer.headers["X-Total-Count"] == usual
        left = max(0, int(usual) - (page - 1) * size)
        assert len(records_of(answer, name, version)) == min(size, left)
        echo = echo_of(answer, name, version)
        if echo is not None:
            applied = (echo["page"], echo["items_per_page"])
            assert (query, applied) == (query, (page, size))


@ANY_DATABASE
@EVERY
@pytest.mark.parametrize("param", ["page", "items_per_page"])
def test_no_list_has_a_page_that_is_no_number(
    lists: World, name: str, param: str
) -> None:
    """Section 5.3.5: 400 naming the parameter."""
    if name in NEVER_PAGED:
        return
    for text in ("x", "-1", "1.5", "%20"):
        answer = lists.shop.root.get(f"{path_of(lists, name, '2.0')}&{param}={text}")
        assert (text, answer.status_code) == (text, 400)
        assert [error["field"] for error in answer.get_json()["errors"]] == [param]


# 5.4 Sorting


@ANY_DATABASE
@EVERY
@EVERY_VERSION
def test_unknown_sorts_fall_back_everywhere(
    lists: World, name: str, version: str
) -> None:
    """Section 5.4: to the default, which the echo shows."""
    path = path_of(lists, name, version)
    usual = read(lists, path)
    for query in ("sort_by=nosuch", "sort_by=", "sort_by[]=x", "sort_order[]=asc"):
        answer = read(lists, f"{path}&{query}&sort_order=x")
        assert (query, answer.data) == (query, usual.data)


# 5.5 Filtering


@EVERY
def test_no_filter_is_dropped_in_silence(lists: World, name: str) -> None:
    """Sections 5.5.6 and 5.5.7: 400 naming the parameter, or nothing is found.

    No object has these characters; as wildcards they would match all. A filter that
    was understood is in the echo (5.2).
    """
    wrong = []
    path = path_of(lists, name, "2.0")
    for param in filters_of(lists, name):
        for text in ("%", "\\", "nosuch~"):
            query = {param: text}
            answer = lists.shop.root.get(f"{path}&{emit_pairs(query)}")
            if answer.status_code == 400:
                fields = [error["field"] for error in answer.get_json()["errors"]]
                found: Any = fields == [param]
            else:
                echo = echo_of(answer, name, "2.0") or query
                found = answer.headers["X-Total-Count"] == "0" and (
                    echo.get(param) == text
                )
            if not found:
                wrong.append((param, text, answer.status_code))
    assert wrong == [], "\n".join(map(str, wrong))


@ANY_DATABASE
@EVERY
def test_every_bad_filter_is_named_at_once(lists: World, name: str) -> None:
    """Sections 5.5.7 and 8.3."""
    path, root = path_of(lists, name, "2.0"), lists.shop.root
    bad = [
        param
        for param in filters_of(lists, name)
        if root.get(f"{path}&{param}[a][b]=~").status_code == 400
    ]
    query = "".join(f"&{param}[a][b]=~" for param in bad)
    answer = root.get(f"{path}{query}")
    fields = {error["field"] for error in answer.get_json().get("errors", ())}
    assert fields == {*bad}


@ANY_DATABASE
@EVERY
@EVERY_VERSION
def test_empty_values_filter_nothing(lists: World, name: str, version: str) -> None:
    """Section 5.5.3: whatever the filter, alone or as a list."""
    path = path_of(lists, name, version)
    usual = read(lists, path)
    for form in ("=", "[]="):
        query = "".join(f"&{param}{form}" for param in filters_of(lists, name))
        answer = read(lists, f"{path}{query.replace('&period[]=', '&period=')}")
        assert answer.headers["X-Total-Count"] == usual.headers["X-Total-Count"]
        assert records_of(answer, name, version) == records_of(usual, name, version)


@EVERY
def test_the_fields_of_a_record_find_it(lists: World, name: str) -> None:
    """Section 5.5.2: every scalar of a list record is an equality filter."""
    path, wrong = path_of(lists, name, "2.0"), []
    bearers: dict[tuple[str, str | int], list[Any]] = {}
    for record in records_of(read(lists, f"{path}&items_per_page=9"), name, "2.0"):
        for field, value in record.items():
            if not isinstance(value, str | int) or value == "":
                continue
            if field in {*LIST_PARAMS, *TURNING.get(name, ())} - _CHOOSES:
                continue
            bearers.setdefault((field, value), []).append(record)
    for (field, value), records in bearers.items():
        query = emit_pairs({field: value, "items_per_page": "1000"})
        answer = lists.shop.root.get(f"{path}&{query}")
        found = records_of(answer, name, "2.0") if answer.status_code == 200 else []
        if any(record not in found for record in records):
            wrong.append((field, value, answer.status_code))
    assert wrong == [], "\n".join(map(str, wrong))


@ANY_DATABASE
@EVERY
@EVERY_VERSION
def test_unknown_parameters_are_told(lists: World, name: str, version: str) -> None:
    """Section 5.5.8: ignored and named; refused where handling is strict."""
    path = path_of(lists, name, version)
    answer = read(lists, f"{path}&nosuch=1&status_=A")
    ignored = answer.headers["X-Ignored-Params"].split(", ")
    assert {*ignored} - {"period"} == {"nosuch", "status_"}
    assert answer.get_data() == read(lists, path).get_data()
    strict = {"Prefer": "handling=strict"}
    refused = lists.shop.root.get(f"{path}&nosuch=1", headers=strict)
    assert refused.status_code == 400
    assert "nosuch" in {error["field"] for error in refused.get_json()["errors"]}
