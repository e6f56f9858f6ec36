"""What a payload says of image pairs, read and checked before anything is done."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from storeapi.core.kinds import (
    LARGEST_ID,
    Faults,
    Flag,
    Keys,
    id_in,
    integer_of,
    invalid,
    text_of,
)

SLOTS = ("icon", "detailed")
# The first of these that is sent says where an image is to be taken from.
SOURCES = ("data", "image_path", "image_url", "absolute_path", "relative_path")
MAXIMUM_ALT = 255
_OWNER_KEYS = frozenset({"object_id", "object_type"})
_IMAGE = Keys(
    _OWNER_KEYS
    | {*SOURCES, "type", "alt", "image_x", "image_y", "is_high_res"}
    | {"http_image_path", "https_image_path"}
)
PAIR_KEYS = Keys(
    _OWNER_KEYS | {"pair_id", "image_id", "detailed_id", "position", "delete"},
    dict.fromkeys(SLOTS, _IMAGE),
)
"""The keys of a pair as it is sent, and as records show it."""

_FLAG = Flag()


@dataclass(frozen=True, slots=True)
class SentImage:
    """One image of a pair; `None` stands for what was not sent.

    Shapes: `sources` maps keys of `SOURCES` to what was sent, in that order.
    """

    sources: Mapping[str, str] = dataclasses.field(default_factory=dict)
    alt: str | None = None
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True, slots=True)
class SentPair:
    """One pair of a payload.

    Shapes: `key` is its key or place among several, and part of field names;
    `key_id` the pair ID that a key may stand for.
    """

    key: str | None = None
    key_id: int | None = None
    pair_id: int | None = None
    position: int | None = None
    delete: bool = False
    icon: SentImage = SentImage()
    detailed: SentImage = SentImage()

    def image(self, slot: str) -> SentImage:
        """Return what was sent for a slot."""
        return self.icon if slot == "icon" else self.detailed

    def field(self, *names: str) -> str:
        """Return the dotted name of a value inside the pair."""
        return ".".join((() if self.key is None else (self.key,)) + names)

    @property
    def lead(self) -> str:
        """The slot by which the pair is recognised: the full image, if sent."""
        return "detailed" if self.detailed.sources else "icon"


@dataclass(frozen=True, slots=True)
class Sent:
    """The pairs of one field of a payload; `field` is its name, for errors."""

    pairs: tuple[SentPair, ...] = ()
    field: str = "main_pair"

    def named(self, field: str) -> "Sent":
        """Return the same under the name it has on the wire."""
        return dataclasses.replace(self, field=field)


def parse_pair(value: Any) -> Sent:
    """Read one pair; what is empty (null, `""`, `[]`, `{}`) says nothing.

    Raises: `ValidationError` with the messages of all inner fields.
    """
    return Sent((_pair(value, None),)) if value else Sent()


def parse_pairs(value: Any) -> Sent:
    """Read an array of pairs, or an object of pairs under any keys.

    Raises: `ValidationError` with the messages of all inner fields.
    Source: spec/entities/products.md, rule 5.10.
    """
    if not value:
        return Sent()
    if not isinstance(value, list | dict):
        raise invalid("must be an array or an object of image pairs")
    if isinstance(value, dict) and not value.keys().isdisjoint(SLOTS):
        return parse_pair(value)
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    pairs, faults = [], Faults()
    for key, entry in entries:
        with faults.of(str(key)):
            if entry:
                pair = _pair(entry, str(key))
                by_key = id_in(key) if isinstance(value, dict) else None
                pairs.append(dataclasses.replace(pair, key_id=by_key))
    faults.tell()
    return Sent(tuple(pairs))


def _pair(value: Any, key: str | None) -> SentPair:
    if not isinstance(value, dict):
        raise invalid("must be an object with detailed or icon")
    read = _Reader(value)
    pair = SentPair(
        key=key,
        pair_id=id_in(value.get("pair_id")),
        position=read.value("position", _position),
        delete=bool(read.value("delete", _is_yes)),
        icon=read.value("icon", _image) or SentImage(),
        detailed=read.value("detailed", _image) or SentImage(),
    )
    read.finish()
    return pair


def _image(value: Any) -> SentImage:
    if not value:
        return SentImage()
    if not isinstance(value, dict):
        raise invalid("must be an object with image_path")
    read = _Reader(value)
    sources = {key: read.value(key, _source) for key in SOURCES}
    image = SentImage(
        {key: text for key, text in sources.items() if text},
        alt=read.value("alt", _alt),
        width=read.value("image_x", _size),
        height=read.value("image_y", _size),
    )
    read.finish()
    return image


class _Reader:
    """Reads the values of an object and collects what is wrong with them."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values
        self._faults = Faults()

    def value(self, name: str, parse: Any) -> Any:
        """Return the value, or `None` if it was not sent or is wrong."""
        if name not in self._values:
            return None
        with self._faults.of(name):
            return parse(self._values[name])
        return None

    def finish(self) -> None:
        """Raise what was collected."""
        self._faults.tell()


def _source(value: Any) -> str:
    return "" if value is None else text_of(value)


def _alt(value: Any) -> str:
    text = "" if value is None else text_of(value)
    if len(text) > MAXIMUM_ALT:
        raise invalid(f"is longer than {MAXIMUM_ALT} characters", "too_long")
    return text


def _position(value: Any) -> int:
    return _bounded(0 if value in (None, "") else value)


def _size(value: Any) -> int | None:
    return None if value in (None, "") else _bounded(value)


def _bounded(value: Any) -> int:
    number = integer_of(value)
    if not 0 <= number <= LARGEST_ID:
        raise invalid(f"must be between 0 and {LARGEST_ID}", "out_of_range")
    return number


def _is_yes(value: Any) -> bool:
    return value not in (None, "") and _FLAG.parse(value) == "Y"
