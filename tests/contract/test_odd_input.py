"""Bad input of every kind, as tables over the registry (spec/pitfalls.md)."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from storeapi.core.declared import DeclaredEntity
from storeapi.core.kinds import Constant, Derived, Nested
from tests.contract.samples import (
    CLEARING,
    EVERY_LISTED,
    EVERY_SAMPLED,
    EVERY_VERSION,
    NAMES,
    OF_PRODUCTS,
    PAYLOADS,
    REGISTRY,
    create,
    records,
    shown_id,
)
from tests.shop import Shop

QUERIES = [
    "sort_by=nosuch", "sort_by[]=x", "sort_by[a]=b", "sort_order=x", "sort_order[]=x",
    "page=1&page=2", "status[0]=A", "status[a][b]=A", "status=%00", "price_from=abc",
    "page=99999999999999999999", "page=x", "items_per_page=0", "items_per_page=-1",
    "items_per_page=1000000", "items_per_page[]=1", "cursor=x", "cursor[]=x",
    "cursor=*", "cursor=%FF", "q=%5C", "q=%25", "q=_", "q='", "q[]=x", "q=" + "a+" * 99,
    "fields=nosuch", "fields[]=x", "fields[a][b]=x", "fields=", "lang_code[]=x",
    "sl=%F0%9F%8D%B5", "company_id=abc", "company_id=-1", "company_id[]=1",
    "company_id=99999999999999999999", "period=x", "period[]=D", "time_from=x",
    "time_from=99999999999999999999", "time_to=0001-01-01&period=C", "a[b=c", "]=[",
    "time_from=2024-13-45", "=", "&&&", "%", "%zz", "detailed_params[]=1",
    "%F0%9F%8D%B5=1", "ids=1,2,x", "ids[][]=1", "ids=" + "1," * 1100,
]  # fmt: skip


@EVERY_LISTED
@EVERY_VERSION
def test_odd_queries_never_fail(shop: Shop, name: str, version: str) -> None:
    """Every query is understood, ignored or refused with 400."""
    create_one = name in PAYLOADS
    id = create(shop, name) if create_one else 1
    for query in QUERIES:
        for path in (name, f"{name}/{id}"):
            answer = shop.root.get(f"/api/{version}/{path}?{query}")
            assert (query, answer.status_code) in {(query, s) for s in (200, 400, 404)}


def _plain_fields(name: str) -> Iterator[tuple[str, Any]]:
    entity = REGISTRY.get(name)
    if issubclass(entity, DeclaredEntity):
        for field, kind in entity.declaration.kinds.items():
            if field == "lang_code":  # chooses the language of the texts
                continue
            stored = not isinstance(kind, Nested | Constant | Derived)
            if kind.listed and kind.filterable and stored:
                yield field, kind


FILTER_VALUES = [
    "x", "-1", "0", "1.5", "1e3", "NaN", "%00", "9" * 30, "'", "%25", "_", "%5C", "1_0",
    "%D9%A1", "%F0%9F%8D%B5", "true", "A,H", ",", "a" * 3000, "2024-01-01", "%20",
]  # fmt: skip


@pytest.mark.parametrize("name", sorted({*NAMES} - OF_PRODUCTS))
def test_odd_filters_never_fail_nor_widen(shop: Shop, name: str) -> None:
    """Section 5.5.7: an impossible value is 400, another matches or does not."""
    if name in PAYLOADS:
        create(shop, name)
    for field, _ in _plain_fields(name):
        sent = [(field, value) for value in FILTER_VALUES]
        for key, value in [*sent, (f"{field}[]", "x"), (f"{field}[a]", "x")]:
            answer = shop.root.get(f"{name}?{key}={value}")
            seen = (key, value, answer.status_code)
            assert seen in {(key, value, status) for status in (200, 400)}
            ignored = answer.headers.get("X-Ignored-Params", "").split(", ")
            assert field not in ignored


UNFILTERED = frozenset({("pages", "page")})
"""Fields that bear the name of paging."""


@EVERY_SAMPLED
def test_every_listed_scalar_filters(shop: Shop, name: str) -> None:
    """Section 5.5.2: the value of a record finds it, another one does not."""
    id = create(shop, name)
    entity = REGISTRY.get(name)
    assert issubclass(entity, DeclaredEntity)
    key = shown_id(name)
    everyone = records(shop.root.get(f"{name}?items_per_page=1000"), name)
    record = next(r for r in everyone if str(r.get(key)) == str(id))
    for field, value in record.items():
        if not isinstance(value, str) or value == "" or field == "lang_code":
            continue
        answer = shop.root.get(
            name, query_string={field: value, "items_per_page": "1000"}
        )
        status = 400 if (name, field) in UNFILTERED else 200
        assert (field, answer.status_code) == (field, status)
        if status == 200:
            found = [str(r.get(key)) for r in records(answer, name)]
            assert (field, str(id) in found) == (field, True)
            assert field not in answer.headers.get("X-Ignored-Params", "")


ODD_VALUES: tuple[Any, ...] = (
    None, "", "x", 0, -1, 1.5, 10**30, 1e300, True, [], {}, [1], {"a": 1}, [[1]],
    "\0", "\U0001f375" * 3, "x" * 5000, "9" * 30, "1_0", [None], [{"a": None}],
    {"0": {"x": []}},
)  # fmt: skip
ODD_OF_POST: tuple[Any, ...] = (
    None, "", [], {}, "\0", 10**30, {"a": [1]}, [{"b": 1}], -1
)  # fmt: skip


def _fields_of(name: str) -> list[str]:
    entity = REGISTRY.get(name)
    assert issubclass(entity, DeclaredEntity)
    return list(entity.declaration.kinds)


def _clears(name: str, field: str, value: Any) -> bool:
    return (name, field) in CLEARING and value in ("", [], {})


def _named(answer: Any, fields: Iterable[str]) -> set[str]:
    """The fields that a refusal names; each error has a field and a message."""
    errors = answer.get_json().get("errors", [])
    assert all(e["field"] and e["message"] for e in errors)
    return {re.split(r"[.\[]", e["field"])[0] for e in errors} & {*fields}


def _stored_or_named(
    fields: Iterable[str], value: Any, send: Callable[[dict[str, Any]], Any]
) -> None:
    """Send one value in all fields at once, then without those that were refused.

    So each field is refused by name or stored; a refusal that names none of them is
    looked at field by field.
    """
    left = [*fields]
    while left:
        answer = send(dict.fromkeys(left, value))
        if answer.status_code != 400:
            return
        named = _named(answer, left)
        if not named and len(left) > 1:
            for field in left:
                send({field: value})
        left = [field for field in left if field not in named] if named else []


@EVERY_SAMPLED
def test_odd_values_never_fail(shop: Shop, name: str) -> None:
    """Every value of every field is stored or named in a 400; nothing else moves."""
    path = f"{name}/{create(shop, name)}"
    before = shop.root.get(path).data

    def put(body: dict[str, Any]) -> Any:
        nonlocal before
        answer = shop.root.put(path, body)
        after = shop.root.get(path).data
        assert (body, answer.status_code) in ((body, 200), (body, 400))
        if answer.status_code == 400:
            assert (body, after) == (body, before)
        before = after
        return answer

    for value in ODD_VALUES:
        fields = [f for f in _fields_of(name) if not _clears(name, f, value)]
        _stored_or_named(fields, value, put)
    assert shop.root.get(path).status_code == 200


@EVERY_SAMPLED
@pytest.mark.any_database
def test_odd_values_of_one_field_never_fail(shop: Shop, name: str) -> None:
    """The same, one field at a time."""
    path = f"{name}/{create(shop, name)}"
    before = shop.root.get(path).data
    for field, value in itertools.product(_fields_of(name), ODD_VALUES):
        if _clears(name, field, value):
            continue
        answer = shop.root.put(path, {field: value})
        after = shop.root.get(path).data
        seen = (field, value, answer.status_code)
        assert seen in ((field, value, 200), (field, value, 400))
        if answer.status_code == 400:
            _named(answer, [field])
            assert (field, value, after) == (field, value, before)
        before = after
    assert shop.root.get(path).status_code == 200


def _total(shop: Shop, name: str) -> int:
    query = "items_per_page=1&period=A"
    return int(shop.root.get(f"{name}?{query}").headers["X-Total-Count"])


@EVERY_SAMPLED
def test_odd_values_of_post_never_fail(shop: Shop, name: str) -> None:
    """A refused POST leaves nothing behind."""
    before = _total(shop, name)

    def post(body: dict[str, Any]) -> Any:
        nonlocal before
        answer = shop.root.post(name, {**PAYLOADS[name](shop), **body})
        assert (body, answer.status_code) in ((body, 201), (body, 400))
        after = _total(shop, name)
        created = answer.status_code == 201
        assert (body, after) == (body, before + created)
        before = after
        return answer

    for value in ODD_OF_POST:
        _stored_or_named(_fields_of(name), value, post)


@pytest.mark.only_on("mariadb")
def test_a_record_above_what_the_database_takes(shop: Shop) -> None:
    """MariaDB takes statements of 16 MiB unless told otherwise; quotes count twice."""
    before = _total(shop, "products")
    body = PAYLOADS["products"](shop) | {"full_description": "'" * 9_000_000}
    answer = shop.root.post("products", body)
    more = _total(shop, "products") - before
    assert (answer.status_code, more) in ((413, 0), (201, 1))
