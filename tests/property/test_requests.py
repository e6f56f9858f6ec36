"""Whatever a client sends is read, or refused by the fault that fits."""

import json
from typing import Any
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from storeapi.core.accept import ANSWERS, ERRORS, choose
from storeapi.core.body import BodyLimits, read_body
from storeapi.core.errors import InvalidInput, NotFound, UnsupportedMediaType
from storeapi.core.headers import EntityTag, entity_tags, preferences
from storeapi.core.path import Step, parse_api_php, parse_path
from storeapi.core.query import emit_pairs, parse_pairs, parse_query, wsgi_text

LIMITS = BodyLimits(depth=6, members=40)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
WIRE = st.binary(max_size=60).map(lambda data: data.decode("latin-1"))
SHAPED = st.text("ab01/%.=&[]+;,\"\\{}:*'-_ \u0448\udcff\0FfZ", max_size=40)
NAMES = st.text("abz_-", min_size=1, max_size=4)
NESTED = st.recursive(
    TEXT,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(NAMES, inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)
PROPERTIES = st.dictionaries(NAMES, NESTED, max_size=4)
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=10,
)


@given(WIRE | SHAPED, st.booleans())
def test_any_path_is_read_or_not_found(raw: str, encoded: bool):
    try:
        path = parse_path(wsgi_text(raw), default_version="1.0", encoded=encoded)
    except NotFound:
        return
    assert len(path.steps) <= 3
    assert all(step.name and step.id for step in path.steps[:-1])


@given(
    st.lists(TEXT.filter(bool), min_size=1, max_size=6),
    st.sampled_from(["1.0", "2.0"]),
    st.integers(1, 3),
)
def test_a_path_reads_back(segments: list[str], version: str, slashes: int):
    raw = ("/" * slashes).join(["", version, *(quote(s, safe="") for s in segments)])
    path = parse_path(raw + "/", default_version="1.0")
    expected = [
        Step(segments[at], segments[at + 1] if at + 1 < len(segments) else None)
        for at in range(0, len(segments), 2)
    ]
    assert (path.version, list(path.steps)) == (version, expected)


@given(WIRE | SHAPED)
def test_any_query_is_read_or_invalid(raw: str):
    try:
        params = parse_query(wsgi_text(raw), max_params=10)
    except InvalidInput:
        return
    json.dumps(params, ensure_ascii=False).encode()
    try:
        parse_api_php(params, default_version="2.0")
    except NotFound:
        return


@given(st.dictionaries(TEXT.filter(lambda name: name and "[" not in name), TEXT))
def test_a_query_reads_back(params: dict[str, str]):
    assert parse_query(urlencode(params), max_params=1000) == params


@given(TEXT.filter(lambda text: not set(text) & set("&=+%")))
def test_raw_text_in_a_query_reads_back(text: str):
    raw = wsgi_text(("q=" + text).encode().decode("latin-1"))
    assert parse_query(raw, max_params=1) == {"q": text}


@given(st.lists(TEXT, min_size=1), st.booleans())
def test_a_list_in_a_query_reads_back(items: list[str], numbered: bool):
    raw = "&".join(
        f"ids[{at if numbered else ''}]={quote_plus(item)}"
        for at, item in enumerate(items)
    )
    assert parse_query(raw, max_params=1000) == {"ids": items}


@given(PROPERTIES)
@example({"a": [{"b": ["1", {"c": "2"}]}]})
def test_pairs_read_back(properties: dict[str, Any]):
    text = emit_pairs(properties)
    assert parse_pairs(text) == properties
    assert "\n" not in text


@given(PROPERTIES)
def test_pairs_come_back_through_a_body(properties: dict[str, Any]):
    data = emit_pairs(properties).encode()
    limits = BodyLimits()
    assert read_body("text/plain", data, "2.0", limits) == properties


@given(WIRE | SHAPED)
def test_any_pairs_are_read_or_invalid(text: str):
    try:
        properties = parse_pairs(text, max_depth=5, max_pairs=5)
    except InvalidInput:
        return
    json.dumps(properties, ensure_ascii=False).encode()


@given(st.dictionaries(TEXT, JSON_VALUES, max_size=4), st.booleans())
def test_json_reads_back(properties: dict[str, Any], escaped: bool):
    data = json.dumps(properties, ensure_ascii=escaped).encode()
    limits = BodyLimits(depth=50, members=1000)
    assert read_body("application/json", data, "1.0", limits) == properties


@given(
    st.none()
    | st.sampled_from(
        [
            "application/json",
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=a",
            "application/xml",
        ]
    )
    | SHAPED,
    st.binary(max_size=60)
    | SHAPED.map(lambda text: text.encode("utf-8", "surrogateescape"))
    | st.lists(
        st.sampled_from(
            [
                b"--a",
                b"--",
                b"\r\n",
                b"\r\n\r\n",
                b'Content-Disposition: form-data; name="b"',
                b"; filename=c",
                b"\xff",
                b"d",
            ]
        )
    ).map(b"".join),
    st.sampled_from(["1.0", "2.0"]),
)
def test_any_body_is_read_or_refused(
    content_type: str | None, data: bytes, version: str
):
    try:
        properties = read_body(content_type, data, version, LIMITS)
    except (InvalidInput, UnsupportedMediaType) as fault:
        fault.message.encode()
        return
    assert isinstance(properties, dict)
    json.dumps(properties, ensure_ascii=False).encode()


@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from(["[", '{"a":']))
def test_depth_is_counted_exactly(depth: int, limit: int, opening: str):
    opened = '{"a":' + opening * (depth - 1)
    closed = ("]" if opening == "[" else "}") * (depth - 1) + "}"
    data = (opened + "1" + closed).encode()
    limits = BodyLimits(depth=limit, members=100)
    if depth <= limit:
        assert read_body("application/json", data, "1.0", limits)
    else:
        with pytest.raises(InvalidInput):
            read_body("application/json", data, "1.0", limits)


@given(st.text(max_size=60) | SHAPED)
def test_any_header_is_read(text: str):
    assert choose(text, ANSWERS) in {*ANSWERS, None}
    assert choose(text, ERRORS) in {*ERRORS, None}
    assert all(name == name.lower() for name in preferences(text))
    assert entity_tags(text) is not None


@given(st.lists(st.sampled_from([*ERRORS, "*/*", "text/*", "a/b"]), unique=True))
def test_refused_types_never_answer(names: list[str]):
    accept = ", ".join(f"{name};q=0" for name in names)
    assert choose(accept, ERRORS) not in names


@given(
    st.lists(
        st.builds(EntityTag, st.text("ab,;/W*", max_size=5), st.booleans()),
        min_size=1,
    )
)
def test_tags_read_back(tags: list[EntityTag]):
    found = entity_tags(", ".join(map(str, tags)))
    assert found is not None
    assert list(found.tags) == tags
    assert all(found.weakly(tag) for tag in tags)
    assert all(found.strongly(tag) is not tag.weak for tag in tags)
