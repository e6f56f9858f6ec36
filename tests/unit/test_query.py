"""Query strings and pairs, by spec/protocol.md, sections 5.5 and 7."""

import time
from decimal import Decimal
from typing import Any

import pytest

from storeapi.core.errors import InvalidInput
from storeapi.core.query import emit_pairs, nest, parse_pairs, parse_query, wsgi_text


def query(raw: str, most: int = 100) -> Any:
    return parse_query(raw, max_params=most)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("", {}),
        ("&&", {}),
        ("page=2", {"page": "2"}),
        ("status=", {"status": ""}),
        ("version", {"version": ""}),
        ("=x", {}),
        ("a=b=c", {"a": "b=c"}),
        ("a=1&&b=2&", {"a": "1", "b": "2"}),
        ("user_type=A&user_type=A", {"user_type": "A"}),
        ("page=1&page=2", {"page": "2"}),
        ("q=red+shoes", {"q": "red shoes"}),
        ("q=red%20shoes", {"q": "red shoes"}),
        ("q=red shoes", {"q": "red shoes"}),
        ("q=1%2B1", {"q": "1+1"}),
        ("q=100%", {"q": "100%"}),
        ("q=%25", {"q": "%"}),
        ("q=%zz", {"q": "%zz"}),
        ("q=%D1%88", {"q": "\u0448"}),
        ("q=\u0448", {"q": "\u0448"}),
        ("q=%2525", {"q": "%25"}),
        ("a;b=1", {"a;b": "1"}),
    ],
)
def test_parameters_are_decoded(raw: str, expected: dict[str, str]):
    assert query(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("ids[]=1&ids[]=2", {"ids": ["1", "2"]}),
        ("ids%5B%5D=1&ids%5B%5D=2", {"ids": ["1", "2"]}),
        ("ids[0]=1&ids[1]=2", {"ids": ["1", "2"]}),
        ("ids[1]=2&ids[0]=1", {"ids": ["1", "2"]}),
        ("ids[]=1", {"ids": ["1"]}),
        ("ids[0]=1&ids[]=2", {"ids": ["1", "2"]}),
        ("ids[5]=1&ids[]=2", {"ids": {"5": "1", "6": "2"}}),
        ("ids=1&ids[]=2", {"ids": ["2"]}),
        ("ids[]=2&ids=1", {"ids": "1"}),
        ("ids[0]=1&ids[0]=2", {"ids": ["2"]}),
        ("selected_options[7]=17", {"selected_options": {"7": "17"}}),
        ("a[b][c]=d", {"a": {"b": {"c": "d"}}}),
        ("a[b]=1&a[b][c]=d", {"a": {"b": {"c": "d"}}}),
        (
            "icon_sizes[main_pair][0][0]=100",
            {"icon_sizes": {"main_pair": [["100"]]}},
        ),
        ("a[b=1", {"a[b": "1"}),
        ("a]b=1", {"a]b": "1"}),
        ("[x]=1", {"[x]": "1"}),
        ("a[b]c=1", {"a[b]c": "1"}),
        ("a" + "[b]" * 9 + "=1", {"a" + "[b]" * 9: "1"}),
        ("x[" + "9" * 5000 + "]=1", {"x": {"9" * 5000: "1"}}),
        ("x[\u0661]=1", {"x": {"\u0661": "1"}}),
    ],
)
def test_brackets_are_no_error(raw: str, expected: dict[str, object]):
    assert query(raw) == expected


def test_too_many_parameters_are_refused():
    assert query("a=1&b=2", 2) == {"a": "1", "b": "2"}
    with pytest.raises(InvalidInput):
        query("a=1&b=2&a=3", 2)


@pytest.mark.parametrize("raw", ["q=%ff", "q=a%00b", "q=\udce9", "q=%ED%A0%80"])
def test_a_value_that_is_no_text_is_refused_by_name(raw: str):
    with pytest.raises(InvalidInput) as caught:
        query(raw)
    assert [error.field for error in caught.value.errors] == ["q"]


@pytest.mark.parametrize("raw", ["%ff=1", "\udce9=1", "a%00=1"])
def test_a_name_that_is_no_text_is_refused(raw: str):
    with pytest.raises(InvalidInput) as caught:
        query(raw)
    caught.value.message.encode()


def test_wsgi_text_reads_bytes_as_utf8():
    assert wsgi_text("q=\xd1\x88") == "q=\u0448"
    assert wsgi_text("q=1") == "q=1"
    assert wsgi_text("q=\u0448") == "q=\u0448"
    assert wsgi_text("q=\xe9") == "q=\udce9"


def test_half_encoded_bytes_are_joined():
    assert query(wsgi_text("q=\xd1%88")) == {"q": "\u0448"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("\r\n", {}),
        ("status=D", {"status": "D"}),
        ("status=D\n", {"status": "D"}),
        (
            "type=A&status=D&usergroup=New+%26%20old",
            {"type": "A", "status": "D", "usergroup": "New & old"},
        ),
        ("shippings[1]=3", {"shippings": {"1": "3"}}),
        ("countries_list[]=GB", {"countries_list": ["GB"]}),
        ("ids%5B%5D=GB&ids%5B%5D=FR", {"ids": ["GB", "FR"]}),
        ("notes=", {"notes": ""}),
        ("a=b=c", {"a": "b=c"}),
        ("a=1&a=2", {"a": "2"}),
        ("a=line%0Abreak", {"a": "line\nbreak"}),
        (
            "products[12][amount]=1&products[15][amount]=2",
            {"products": {"12": {"amount": "1"}, "15": {"amount": "2"}}},
        ),
        ("v[][a]=1&v[][a]=2", {"v": [{"a": "1"}, {"a": "2"}]}),
        ("v[0][a]=1&v[0][b]=2", {"v": [{"a": "1", "b": "2"}]}),
    ],
)
def test_pairs_build_properties(text: str, expected: dict[str, object]):
    assert parse_pairs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "status",
        "a=1&",
        "&a=1",
        "a=1&&b=2",
        "=1",
        '{"status":"A"}',
        '{"q":"a=b"}',
        "a b=1",
        "a.b=1",
        "a[b=1",
        "a]=1",
        "[a]=1",
        "a[b]c=1",
        "a[b c]=1",
        "\u0448=1",
        "a=%ff",
        "%ff=1",
        "a=\udcff",
        "a=1&a[b]=2",
        "a[b]=1&a=2",
        "a[b]=1&a[b][c]=2",
        "a" + "[b]" * 100_000 + "=1",
    ],
)
def test_malformed_pairs_are_refused(text: str):
    with pytest.raises(InvalidInput):
        parse_pairs(text)


def test_pairs_are_bounded_in_number_and_depth():
    assert parse_pairs("a=1&b=2", max_pairs=2) == {"a": "1", "b": "2"}
    with pytest.raises(InvalidInput):
        parse_pairs("a=1&b=2&c=3", max_pairs=2)
    assert parse_pairs("a[b]=1", max_depth=2) == {"a": {"b": "1"}}
    with pytest.raises(InvalidInput):
        parse_pairs("a[b][c]=1", max_depth=2)


def test_a_clash_names_the_property():
    with pytest.raises(InvalidInput) as caught:
        nest([("a", "1"), ("a[]", "2")])
    assert [error.field for error in caught.value.errors] == ["a"]


def test_many_appended_items_cost_linear_time():
    start = time.process_time()
    assert len(parse_pairs("&".join(["a[]=1"] * 50_000))["a"]) == 50_000
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, ""),
        ([], ""),
        ({"store_id": "7"}, "store_id=7"),
        ({"a": "x y&z=\u0448"}, "a=x%20y%26z%3D%D1%88"),
        ({"a": None, "b": [], "c": {}, "d": ""}, "a=&b=&c=&d="),
        (
            {"a": True, "b": False, "c": 3, "d": Decimal("1.50")},
            "a=true&b=false&c=3&d=1.50",
        ),
        ({"ids": ["1", "2"]}, "ids[0]=1&ids[1]=2"),
        ({"a": {"b": {"c": "d"}}}, "a[b][c]=d"),
        ([{"id": "1"}, {"id": "2"}], "0[id]=1&1[id]=2"),
        ({"a.b/c": "1", "x]": {"[": "2"}}, "a.b%2Fc=1&x%5D[%5B]=2"),
    ],
)
def test_output_mirrors_input(value: Any, expected: str):
    assert emit_pairs(value) == expected
