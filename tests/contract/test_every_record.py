"""What the protocol says of records and writes, asked of every entity.

Source: spec/protocol.md, sections 3, 4, 6, 7 and 14. What differs is told here
without the code.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from marshmallow import ValidationError

from storeapi.core.declared import DeclaredEntity
from storeapi.core.query import emit_pairs
from tests.contract.reading import read
from tests.contract.samples import (
    EVERY_SAMPLED,
    LISTED,
    MADE_BY_PUT,
    NAMES,
    NEEDED_ON_PUT,
    PAYLOADS,
    REGISTRY,
)
from tests.contract.world import NOBODY, Id, World

EVERY = pytest.mark.parametrize("name", LISTED)
ANY_DATABASE = pytest.mark.any_database
STORED = pytest.mark.parametrize(
    "name",
    [
        name
        for name in LISTED
        if issubclass(REGISTRY.get(name), DeclaredEntity)
        and "update" in REGISTRY.get(name).privileges
    ],
)

ANSWERS: dict[str, tuple[type, type]] = {
    "combinations": (str, str),
    "exceptions": (str, str),
    "langvars": (str, str),
    "master_product_offers": (int, int),
    "master_products": (int, int),
    "product_variations": (int, int),
    "product_variations_groups": (int, int),
    "products": (int, int),
    "users": (int, int),
}
"""The JSON types of an ID in 2.0, of POST and PUT, that the entity files name."""

_PRODUCT = {
    "main_category", "category_ids", "list_discount", "qty_content", "box_length",
    "box_width", "box_height", "min_items_in_box", "max_items_in_box", "has_options",
    "is_high_res", "discounts",
}  # fmt: skip
_ORDER = {
    "subtotal", "display_subtotal", "tax_subtotal", "need_shipping", "need_shipment",
    "taxes", "products", "product_groups", "shipping",
}  # fmt: skip
NUMBERS: dict[str, set[str]] = {
    **dict.fromkeys(
        ("products", "product_variations", "master_products", "master_product_offers"),
        _PRODUCT,
    ),
    "carts": {"extra"},
    "categories": {"is_high_res"},
    "features": {"is_high_res"},
    "options": {"is_high_res"},
    "orders": _ORDER,
    "pages": {"level"},
}
"""Parts of records that are JSON numbers or booleans: section 6.2 and the entities."""

ALL_NUMBERS = frozenset({"product_variations_groups"})
"""spec/entities/product_variations_groups.md, 2: numbers are numbers there."""


def objects_of(world: World, name: str) -> Iterator[Id]:
    """The IDs of the objects that a world has of an entity."""
    for (each, _), id in world.objects.items():
        if each == name:
            yield id
    if name == "settings":
        listed = read(world, "settings?name=timezone").get_json()["settings"]
        yield listed[0]["object_id"]


# Section 6.1: values leave as text


def scalars(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every number and boolean of a record, with the keys that lead to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from scalars(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from scalars(inner, path)
    elif isinstance(value, int | float):
        yield (*path, value)


@ANY_DATABASE
@EVERY
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_scalars_of_records_are_strings(world: World, name: str, version: str) -> None:
    """Sections 6.1 and 6.2: but for the figures that the entity files list."""
    if name in ALL_NUMBERS:
        return
    allowed = NUMBERS.get(name, set())
    for id in objects_of(world, name):
        record = read(world, f"/api/{version}/{name}/{id}").get_json()
        assert [each for each in scalars(record) if allowed.isdisjoint(each)] == []


@ANY_DATABASE
def test_identifiers_have_the_types_of_the_contract() -> None:
    """Section 6.2: numbers from POST, strings from PUT, unless the entity says so.

    That they leave so is shown by `test_root_does_everything`.
    """
    declared = {name: REGISTRY.get(name).answers for name in LISTED}
    expected = {
        name: dict(
            zip(("create", "update"), ANSWERS.get(name, (int, str)), strict=True)
        )
        for name in LISTED
    }
    assert declared == expected


# Sections 4.9 and 6.7: which objects there are


NO_IDS = ("0", "-1", "+1", "1.0", "1e1", "%D9%A1", "9" * 20, "9" * 5000, NOBODY)


@EVERY
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_what_can_have_no_object_is_404(world: World, name: str, method: str) -> None:
    """Section 6.7, and 4.9: an unknown ID comes before bad values."""
    entity: Any = REGISTRY.get(name)
    operation = {"GET": "index", "PUT": "update", "DELETE": "delete"}[method]
    if operation not in entity.privileges or (name in MADE_BY_PUT and method == "PUT"):
        return
    kinds = getattr(entity, "declaration", None) and entity.declaration.kinds
    fields = {*(kinds or ("value",))} - {"lang_code"}
    body = {field: {"a": [[]]} for field in fields}
    for id in NO_IDS:
        answer = world.shop.root.request(method, f"{name}/{id}", json=body)
        assert (id, answer.status_code) == (id, 404)
        assert answer.get_json()["message"].startswith("Not Found: ")


# Sections 3.7 and 6.8: what is read-only


WRITTEN = {
    "carts": {"products", "user_data", "company_id"},
    "orders": {"products", "payment_info", "shipping_ids", "fields"},
}
"""Parts of records that have forms of their own in payloads."""


@ANY_DATABASE
@STORED
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_read_only_fields_are_ignored_whatever_they_hold(
    world: World, name: str, version: str
) -> None:
    """Sections 3.7 and 6.8: for root too, and nothing is written."""
    kinds = REGISTRY.get(name).declaration.kinds
    fixed = [f for f, k in kinds.items() if k.dump_only or k.create_only]
    fixed = [field for field in fixed if field not in WRITTEN.get(name, ())]
    before = world.shop.everything()
    for id in objects_of(world, name):
        for value in ("777", "nosuch", None, {"a": [1]}):
            body = {**dict.fromkeys(fixed, value), **NEEDED_ON_PUT.get(name, {})}
            body = {k: v for k, v in body.items() if k != "lang_code"} or {"x": 1}
            answer = world.shop.root.put(f"/api/{version}/{name}/{id}", body)
            told = answer.get_data(as_text=True)
            assert (value, answer.status_code) == (value, 200), told
    assert world.shop.everything() == before


# Section 6.5: null


@ANY_DATABASE
@STORED
def test_null_is_refused_where_something_is_required(world: World, name: str) -> None:
    """Section 6.5: 400 naming the field."""
    kinds = REGISTRY.get(name).declaration.kinds
    needed = [f for f, k in kinds.items() if k.required and not k.create_only]
    before = world.shop.everything()
    for id in objects_of(world, name):
        for field in needed:
            body = {**NEEDED_ON_PUT.get(name, {}), field: None}
            answer = world.shop.root.put(f"{name}/{id}", body)
            assert (field, answer.status_code) == (field, 400)
            errors = answer.get_json()["errors"]
            assert field in {error["field"] for error in errors}
    assert world.shop.everything() == before


TOGETHER = frozenset({
    ("call_requests", "phone"), ("discussions", "message"),
    ("products", "category_ids"),
    ("product_variations", "category_ids"), ("product_variations_groups", "code"),
    ("shipments", "carrier"),
})  # fmt: skip
"""Fields that are empty in some objects, and not in others."""


def defaulted(name: str, closed: str) -> list[str]:
    """The fields of payloads that have a default, or may be null."""
    found = []
    for field, kind in REGISTRY.get(name).declaration.kinds.items():
        if not (kind.dump_only or getattr(kind, closed)):
            with suppress(ValidationError):
                kind.null()
                found.append(field)
    return found


@ANY_DATABASE
@STORED
def test_null_changes_a_field_to_its_default(world: World, name: str) -> None:
    """Section 6.5: nothing that has a default refuses it."""
    for field in defaulted(name, "create_only"):
        for id in objects_of(world, name):
            body = {**NEEDED_ON_PUT.get(name, {}), field: None}
            answer = world.shop.root.put(f"{name}/{id}", body)
            allowed = {200, 400} if (name, field) in TOGETHER else {200}
            assert answer.status_code in allowed, (field, answer.get_json())


@ANY_DATABASE
@EVERY_SAMPLED
def test_null_makes_what_a_field_left_out_makes(world: World, name: str) -> None:
    """Section 6.5: where the object can do without the field."""
    for field in defaulted(name, "update_only"):
        bodies = [PAYLOADS[name](world.shop) for _ in range(2)]
        bodies[0].pop(field, None)
        bodies[1][field] = None
        missing, null = (world.shop.root.post(name, body) for body in bodies)
        told = null.get_data(as_text=True)
        assert (field, null.status_code) == (field, missing.status_code), told


# Sections 5.5.8, 7 and 3.4: how a record is read


@ANY_DATABASE
@EVERY
def test_a_record_leaves_as_text_and_as_head_too(world: World, name: str) -> None:
    """Sections 3.4 and 7, response, rule 3."""
    for id in objects_of(world, name):
        path = f"{name}/{id}"
        json = read(world, path)
        text = world.shop.root.get(path, headers={"Accept": "text/plain"})
        assert text.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert text.get_data(as_text=True) == emit_pairs(json.get_json())
        head = world.shop.root.request("HEAD", path)
        assert (head.status_code, head.data) == (200, b"")
        assert head.headers["ETag"] == json.headers["ETag"]


@ANY_DATABASE
@EVERY
def test_unknown_parameters_of_a_record_are_told(world: World, name: str) -> None:
    """Section 5.5.8: ignored and named; refused where handling is strict."""
    for id in objects_of(world, name):
        path = f"{name}/{id}"
        answer = read(world, f"{path}?nosuch=1&sl=en")
        assert answer.headers["X-Ignored-Params"] == "nosuch"
        assert answer.data == read(world, path).data
        strict = {"Prefer": "handling=strict"}
        refused = world.shop.root.get(f"{path}?nosuch=1", headers=strict)
        assert refused.status_code == 400


# Section 3.3: what an entity does not offer


OFFERED = {
    "auth": "POST",
    "detach_product_variation": "POST",
    "generate_product_variations": "POST",
    "set_default_product_variation": "POST",
    "settings": "GET PUT",
    "version": "GET",
}
"""Entities that offer less than the four methods."""


@ANY_DATABASE
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tail", ["", "/1"])
def test_what_is_not_offered_is_405_with_the_rest(
    world: World, name: str, tail: str
) -> None:
    """Sections 3.1 to 3.4: `Allow` lists what the path offers, as does `OPTIONS`."""
    offered = OFFERED.get(name, "GET POST PUT DELETE").split()
    fitting = [m for m in offered if m == "GET" or (m == "POST") == (tail == "")]
    allow = [*fitting[:1], "HEAD", *fitting[1:]] if "GET" in fitting else fitting
    for method in ("GET", "POST", "PUT", "DELETE", "PATCH"):
        if method in fitting:
            continue
        answer = world.shop.root.request(method, f"{name}{tail}", json={"a": 1})
        assert (method, answer.status_code) == (method, 405)
        assert answer.headers["Allow"] == ", ".join([*allow, "OPTIONS"])
    options = world.shop.anonymous.request("OPTIONS", f"{name}{tail}")
    assert options.status_code == 204
    assert options.headers["Allow"] == ", ".join([*allow, "OPTIONS"])


# Section 14: what stands below what


NESTINGS = {
    "categories": {"products"},
    "languages": {"langvars"},
    "orders": {"shipments"},
    "products": {"discussions", "features", "options"},
    "stores": {"products", "orders", "features", "categories", "shippings", "statuses"},
    "users": {"usergroups"},
    "vendors": {"products"},
}
"""The nestings that are documented; the companies' others are in test_access.py."""


@ANY_DATABASE
def test_known_nestings_are_served() -> None:
    """Section 14, known nestings."""
    for parent, children in NESTINGS.items():
        assert children <= REGISTRY.children(parent)


@ANY_DATABASE
def test_a_grandchild_chains_the_rules_twice(world: World) -> None:
    """Sections 1.6 and 14.7: both parents are judged, in their order."""
    shop = world.shop
    user, group = (world.objects[n, world.own] for n in ("users", "usergroups"))
    link = shop.join(int(user), int(group))
    path = f"stores/{shop.store}/users/{user}/usergroups"
    for version in ("1.0", "2.0"):
        listed = read(world, f"/api/{version}/{path}").get_json()
        assert listed[str(group)]["link_id"] == str(link)
    assert read(world, f"{path}/{group}").get_json()["user_id"] == str(user)
    for wrong in (
        f"stores/{NOBODY}/users/{user}/usergroups",
        f"stores/{shop.store}/users/{NOBODY}/usergroups",
        f"stores/{world.foreign.company_id}/users/{user}/usergroups",
        f"stores/{shop.store}/usergroups",
        f"{path}/{group}/usergroups",
    ):
        assert shop.root.get(wrong).status_code == 404
    held = ("view_stores", "view_users", "view_usergroups")
    for missing in held:
        caller = shop.caller(*(name for name in held if name != missing))
        assert caller.get(path).status_code == 403
    assert shop.caller(*held).get(path).status_code == 200
    assert shop.root.put(f"{path}/{group}", {"status": "D"}).status_code == 200
    assert read(world, f"{path}/{group}").get_json()["status"] == "D"
    assert shop.root.delete(f"{path}/{group}").status_code == 204
