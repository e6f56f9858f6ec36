"""Addresses: the version, the entities and the IDs that a path names."""

import re
from dataclasses import dataclass
from typing import Literal

from storeapi.core.errors import NotFound
from storeapi.core.query import Params, decode

Version = Literal["1.0", "2.0"]

MAX_NAMES = 3
_LONGEST_ID = 19

_VERSIONS: dict[str, Version] = {"1": "1.0", "1.0": "1.0", "2": "2.0", "2.0": "2.0"}
_VERSION = re.compile(r"v?([0-9]+(?:\.[0-9]+)?)")


@dataclass(frozen=True, slots=True)
class Step:
    """An entity's name, and the ID that follows it, as text and unproven.

    Shapes: only the last step of a path can lack the ID.
    """

    name: str
    id: str | None = None

    @property
    def key(self) -> int | str | None:
        """The ID before its entity has judged it."""
        text = self.id
        if text and text.isascii() and text.isdigit() and len(text) <= _LONGEST_ID:
            return int(text)
        return text


@dataclass(frozen=True, slots=True)
class Path:
    """What an address names: the chain from the top entity to the one meant."""

    version: Version
    steps: tuple[Step, ...] = ()


def parse_path(raw: str, *, default_version: str, encoded: bool = True) -> Path:
    """Read the part of an address after `/api`.

    Shapes: `raw` is text (after `wsgi_text`) without the query; `encoded` is false
    where the server has undone the percent-encoding, which hides whether a slash
    belonged to an ID. Doubled and trailing slashes do not count.
    Raises: `NotFound` for an unknown version, for more than `MAX_NAMES` names, and
    for a segment that is not UTF-8 or holds NUL.
    Source: spec/protocol.md, sections 1 and 2.
    """
    segments = [segment for segment in raw.split("/") if segment]
    # A version and MAX_NAMES pairs; nothing longer is worth decoding.
    if len(segments) > 2 * MAX_NAMES + 1:
        raise NotFound("the path is too long")
    segments = [_segment(segment, encoded) for segment in segments]
    version = _VERSIONS[default_version]
    if segments and (match := _VERSION.fullmatch(segments[0])):
        version = _version(match[1])
        del segments[0]
    if len(segments) > 2 * MAX_NAMES:
        raise NotFound("the path is too long")
    ids: list[str | None] = [*segments[1::2]]
    if len(segments) % 2:
        ids.append(None)
    return Path(version, tuple(map(Step, segments[::2], ids)))


def parse_api_php(params: Params, *, default_version: str) -> tuple[Path, Params]:
    """Read an `api.php` address: the path in `_d` (else `q`), and the filters.

    Shapes: `params` is the parsed query, so that the path is decoded already.
    Raises: `NotFound`, as `parse_path`.
    Source: spec/protocol.md, section 1.
    """
    name = "_d" if "_d" in params else "q"
    raw = params.get(name, "")
    if not isinstance(raw, str):
        raise NotFound("the path is not a single value")
    path = parse_path(raw, default_version=default_version, encoded=False)
    return path, {key: value for key, value in params.items() if key != name}


def _segment(segment: str, encoded: bool) -> str:
    try:
        text = decode(segment) if encoded else segment
        text.encode()
    except UnicodeError:
        raise NotFound("the path is not UTF-8 text") from None
    if "\0" in text:
        raise NotFound("the path holds a NUL character")
    return text


def _version(number: str) -> Version:
    if number not in _VERSIONS:
        raise NotFound("the API version does not exist")
    return _VERSIONS[number]
