"""Request bodies: the declared format and the bytes make properties."""

import json
import re
from dataclasses import dataclass
from typing import Any

import orjson

from storeapi.core.errors import InvalidInput, UnsupportedMediaType
from storeapi.core.headers import MediaType, media_type
from storeapi.core.multipart import form_pairs
from storeapi.core.query import MAX_DEPTH, MAX_PAIRS, nest, parse_pairs

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_SAME_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER = b"0" * 19
_MAX_DIGITS = 40


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """How large the structure of a body may be, whatever its bytes.

    Units: `depth` counts levels of maps and lists, the outermost included;
    `members` counts properties and list items at all levels.
    """

    depth: int = MAX_DEPTH
    members: int = MAX_PAIRS


def read_body(
    content_type: str | None, data: bytes, version: str, limits: BodyLimits
) -> dict[str, Any]:
    """Read the properties of a POST or PUT.

    A body of nothing but white space has none, whatever type it declares. Text
    is not checked for NUL characters: that is for the fields.
    Raises: `UnsupportedMediaType`, `InvalidInput`.
    Source: spec/protocol.md, sections 4 and 7.
    """
    data = data.removeprefix(_BYTE_ORDER_MARK)
    if not data or data.isspace():
        return {}
    declared = media_type((content_type or "").strip() or "text/plain")
    if declared is not None:
        if declared.name == "application/json":
            return read_json(data, limits)
        if version != "1.0":
            properties = _read_form(declared, data, limits)
            if properties is not None:
                return properties
    raise UnsupportedMediaType(
        f"version {version} of the API does not read a body of this type"
    )


def read_json(data: bytes, limits: BodyLimits) -> dict[str, Any]:
    """Read one JSON object; an empty list counts as an empty object.

    Shapes: of repeated keys the last counts. A whole number of any size up to 40
    digits stays an exact `int`, so a field can refuse it by range.
    Raises: `InvalidInput`.
    Source: spec/protocol.md, section 7; spec/clients.md, T14.
    """
    _check_shape(data, limits)
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"the body is not valid JSON: {error}") from None
    if value == []:
        return {}
    if not isinstance(value, dict):
        raise InvalidInput("the body must be one JSON object")
    if _LONG_NUMBER not in data.translate(_SAME_DIGITS):
        return value
    # orjson rounds whole numbers beyond 64 bits to floats; this one does not.
    exact: dict[str, Any] = json.loads(data.decode(), parse_int=_whole_number)
    return exact


def _read_form(
    declared: MediaType, data: bytes, limits: BodyLimits
) -> dict[str, Any] | None:
    """Read the formats of 2.0; `None` where the type is another one."""
    if declared.name in ("text/plain", "application/x-www-form-urlencoded"):
        text = data.decode("utf-8", "surrogateescape")
        return parse_pairs(text, max_depth=limits.depth, max_pairs=limits.members)
    if declared.name == "multipart/form-data":
        boundary = declared.parameters.get("boundary", "")
        pairs = form_pairs(data, boundary, max_parts=limits.members)
        return nest(pairs, max_depth=limits.depth)
    return None


def _check_shape(data: bytes, limits: BodyLimits) -> None:
    """Refuse JSON that is too deep or too rich, before anything is built from it.

    Commas and opening brackets outside strings bound the number of members.
    """
    if _openings(data) <= limits.depth and _members(data) <= limits.members:
        return
    bare = _STRING.sub(b"", data)
    if _members(bare) > limits.members:
        raise InvalidInput(f"the body holds more than {limits.members} properties")
    depth = 0
    for bracket in _BRACKET.finditer(bare):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > limits.depth:
            raise InvalidInput(f"the body nests deeper than {limits.depth} levels")
        if depth < 0:
            return


def _openings(data: bytes) -> int:
    return data.count(b"[") + data.count(b"{")


def _members(data: bytes) -> int:
    return data.count(b",") + _openings(data)


def _whole_number(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise InvalidInput("the body holds a number with too many digits")
    return int(text)
