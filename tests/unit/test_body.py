"""Request bodies, by the table of spec/protocol.md, section 7."""

import time
from typing import Any

import pytest

from storeapi.core.body import BodyLimits, read_body, read_json
from storeapi.core.errors import InvalidInput, UnsupportedMediaType

LIMITS = BodyLimits()
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = 'multipart/form-data; boundary="x y"'
PARTS = (
    b"--x y\r\n"
    b'Content-Disposition: form-data; name="status"\r\n\r\n'
    b"A\r\n"
    b"--x y \r\n"
    b"Content-Type: text/plain\r\n"
    b'content-disposition: form-data; name="ids[]"\r\n\r\n'
    b"1\r\n2\r\n"
    b"--x y\r\n"
    b'Content-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
    b"\x89PNG\r\n\r\n\xff\r\n"
    b"--x y--\r\nepilogue"
)


def body(content_type: str | None, data: bytes, version: str = "2.0") -> Any:
    return read_body(content_type, data, version, LIMITS)


def parse(data: bytes, **limits: int) -> Any:
    return read_json(data, BodyLimits(**limits))


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize(
    "content_type",
    [JSON, "application/json; charset=utf-8", "APPLICATION/JSON", f" {JSON} ;x"],
)
def test_json_is_read_in_both_versions(version: str, content_type: str):
    assert body(content_type, b'{"status":"A"}', version) == {"status": "A"}


@pytest.mark.parametrize(
    "content_type", [None, "", " ", "text/plain", "Text/Plain; charset=utf-8", FORM]
)
def test_pairs_are_read_in_version_2_only(content_type: str | None):
    assert body(content_type, b"status=A&n=1+2") == {"status": "A", "n": "1 2"}
    with pytest.raises(UnsupportedMediaType):
        body(content_type, b"status=A", "1.0")


def test_multipart_properties_are_read_in_version_2_only():
    assert body(MULTIPART, PARTS) == {"status": "A", "ids": ["1\r\n2"]}
    with pytest.raises(UnsupportedMediaType):
        body(MULTIPART, PARTS, "1.0")


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize(
    "content_type",
    [
        "application/xml",
        "text/json",
        "text/html",
        "application/problem+json",
        "json",
        "application/json, application/json",
        "application/json/x",
    ],
)
def test_other_types_are_unsupported(content_type: str, version: str):
    with pytest.raises(UnsupportedMediaType):
        body(content_type, b"{}", version)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("data", [b"", b" \r\n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n"])
@pytest.mark.parametrize("content_type", [None, JSON, "application/xml", MULTIPART])
def test_an_empty_body_has_no_properties(
    content_type: str | None, data: bytes, version: str
):
    assert body(content_type, data, version) == {}


@pytest.mark.parametrize("data", [b"{}", b"[]", b" [ ] ", b"\xef\xbb\xbf{}"])
def test_empty_json_has_no_properties(data: bytes):
    assert body(JSON, data) == {}


@pytest.mark.parametrize(
    "data", [b'\xef\xbb\xbf{"a":1}', b' {"a":1}\r\n', b'{"a":2,"a":1}']
)
def test_sound_json_is_read(data: bytes):
    assert body(JSON, data) == {"a": 1}


@pytest.mark.parametrize(
    "data",
    [
        b"null",
        b"1",
        b'"text"',
        b"true",
        b"[1]",
        b"[[]]",
        b"{",
        b'{"a":}',
        b'{"a":1,}',
        b"{'a':1}",
        b'{"a":1}{"b":2}',
        b'{"a":1} x',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":1e999}',
        b'{"a":01}',
        b'{"a":"\xff"}',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\\ud800"}',
        b'{"\\udc00":1}',
        b'{"a":"\n"}',
        b"\xff\xfe{\x00}\x00",
        b"status=A",
        b"]]]]",
        b"}" * 100_000,
        b'{"a":' + b"1" * 41 + b"}",
        b'{"a":' + b"1" * 100_000 + b"}",
    ],
)
def test_other_json_is_invalid(data: bytes):
    with pytest.raises(InvalidInput):
        body(JSON, data)


@pytest.mark.parametrize(
    "number",
    [2**63 - 1, 2**63, 2**64, 10**20, -(2**63) - 1, 10**39, -(10**30)],
)
def test_a_large_whole_number_stays_exact(number: int):
    assert parse(b'{"a": [%d], "b": 1.5}' % number) == {"a": [number], "b": 1.5}


def test_depth_is_bounded():
    assert parse(b'{"a":{"b":[]}}', depth=3) == {"a": {"b": []}}
    with pytest.raises(InvalidInput):
        parse(b'{"a":{"b":[]}}', depth=2)


def test_brackets_in_text_have_no_depth():
    assert parse(b'{"a":"[[[\\"[[{{{","b":"\\\\"}', depth=1) == {
        "a": '[[["[[{{{',
        "b": "\\",
    }


def test_many_shallow_maps_are_not_deep():
    assert parse(b'{"a":[{},{},{},{}]}', depth=3) == {"a": [{}, {}, {}, {}]}


def test_members_are_bounded():
    assert parse(b'{"a":1,"b":2}', members=2) == {"a": 1, "b": 2}
    assert parse(b'{"a":"1,2,3,4"}', members=2) == {"a": "1,2,3,4"}
    for data in (b'{"a":1,"b":2,"c":3}', b'{"a":[1,2]}'):
        with pytest.raises(InvalidInput):
            parse(data, members=2)


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b"[" + b"[]," * 3_000_000 + b"1]",
        b"[" * 40 + b"]" * 8_000_000,
        b'{"a":[[[[[[' + b'\\"' * 4_000_000,
        b"[" * 40 + b'"' * 8_000_000,
        b"]" * 8_000_000 + b"[" * 40,
    ],
    ids=range(8),
)
def test_hostile_json_is_cheap(data: bytes):
    start = time.process_time()
    with pytest.raises(InvalidInput):
        body(JSON, data)
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    "data",
    [b"status", b'{"status":"A"}', b"a=\xff", b"\xff=1", b"a=%ff", b"a=1&a[b]=1", b"&"],
)
def test_other_pairs_are_invalid(data: bytes):
    with pytest.raises(InvalidInput):
        body("text/plain", data)


def test_pairs_obey_the_limits():
    limits = BodyLimits(depth=2, members=2)
    for data in (b"a[b][c]=1", b"a=1&b=1&c=1"):
        with pytest.raises(InvalidInput):
            read_body(FORM, data, "2.0", limits)


@pytest.mark.parametrize(
    ("content_type", "data"),
    [
        ("multipart/form-data", PARTS),
        ('multipart/form-data; boundary=""', PARTS),
        ("multipart/form-data; boundary=other", PARTS),
        ("multipart/form-data; boundary=\u0448", PARTS),
        ("multipart/form-data; boundary=" + "b" * 201, PARTS),
        (MULTIPART, PARTS[:-15]),
        (MULTIPART, b"--x y\r\n\r\nvalue\r\n--x y--"),
        (MULTIPART, b"--x yz\r\n\r\nvalue\r\n--x y--"),
        (MULTIPART, b"--x y\r\nvalue\r\n--x y--"),
        (MULTIPART, PARTS.replace(b"A\r\n", b"\xff\r\n", 1)),
        (MULTIPART, PARTS.replace(b'"status"', b'"\xff"')),
        (MULTIPART, PARTS.replace(b'"status"', b'"a b"')),
        (MULTIPART, PARTS.replace(b"form-data", b"attachment", 1)),
        (MULTIPART, PARTS.replace(b"; name", b"; nome", 1)),
        (MULTIPART, PARTS.replace(b"Content-Type:", b"X: " + b"y" * 9000, 1)),
    ],
)
def test_malformed_multipart_is_invalid(content_type: str, data: bytes):
    with pytest.raises(InvalidInput):
        body(content_type, data)


def test_multipart_parts_are_bounded():
    with pytest.raises(InvalidInput):
        read_body(MULTIPART, PARTS, "2.0", BodyLimits(members=2))
    assert read_body(MULTIPART, PARTS, "2.0", BodyLimits(members=3))["status"] == "A"


@pytest.mark.parametrize("data", [b"--x y--", b"preamble\r\n--x y--\r\n"])
def test_multipart_without_parts_has_no_properties(data: bytes):
    assert body(MULTIPART, data) == {}
