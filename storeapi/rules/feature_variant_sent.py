"""What a payload says of the variants of a feature, in any of its shapes.

Source: spec/entities/features.md, 2.2 and rule 5.10.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from marshmallow import ValidationError

from storeapi.core.kinds import (
    Faults,
    Integer,
    Keys,
    Kind,
    Text,
    id_in,
    invalid,
)
from storeapi.rules.feature_records import PICTURE
from storeapi.rules.feature_sent import number_of
from storeapi.rules.image_sent import PAIR_KEYS

_COLOR = re.compile(r"#[0-9A-Fa-f]{6}")
_MOST = 10_000


class _Color(Text):
    """A colour, `#rrggbb`; null for none."""

    def check(self, text: str) -> str:
        if not _COLOR.fullmatch(text):
            raise invalid("must be a colour such as #1e90ff")
        return text.lower()


OWN: Mapping[str, Kind] = {
    "position": Integer(default=0),
    "color": _Color(),
    "url": Text(maxlength=255),
    "seo_name": Text(maxlength=255),
}
"""What a variant has once."""

WORDS: Mapping[str, Kind] = {
    "variant": Text(maxlength=255, required=True),
    "description": Text(),
    "page_title": Text(maxlength=255),
    "meta_keywords": Text(),
    "meta_description": Text(),
}
"""What a variant has in each language."""

_NULLABLE = ("color", "seo_name")
VARIANT_KEYS = Keys(
    frozenset({*OWN, *WORDS, "variant_id", "feature_id", "feature_type"})
    | {"lang_code", "seo_path", "selected"},
    {"image_pair": PAIR_KEYS},
    many=True,
)
"""The keys of variants as they are sent, and as records show them."""


@dataclass(frozen=True, slots=True)
class SentVariant:
    """One variant of a payload; what was not sent is in none of the maps.

    Shapes: `key` is its key or place among the others; `key_id` the ID that a key
    may stand for; `picture` is what the kind of image pairs read; `numbered` whether
    the feature is one of numbers (type `N`).
    """

    key: str
    id: int | None = None
    key_id: int | None = None
    own: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    picture: Any = None
    numbered: bool = False

    @property
    def name(self) -> str | None:
        """The name, if it was sent."""
        return self.words.get("variant")


def read_variants(value: Any) -> list[SentVariant]:
    """Read an array, or an object of variants under their IDs or any other keys.

    Raises: `ValidationError` with the messages of all inner fields.
    """
    if value == "":
        value = []
    if not isinstance(value, list | dict):
        raise invalid("must be an array or an object of variants")
    if len(value) > _MOST:
        raise invalid(f"holds more than {_MOST} variants", "too_long")
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[SentVariant] = []
    faults = Faults()
    for key, entry in entries:
        with faults.of(str(key)):
            key_id = id_in(key) if isinstance(value, dict) else None
            found.append(_variant(str(key), key_id, entry))
    faults.tell()
    return found


def _variant(key: str, key_id: int | None, entry: Any) -> SentVariant:
    if not isinstance(entry, dict):
        raise invalid("must be an object with variant")
    faults = Faults()

    def read(kinds: Mapping[str, Kind]) -> dict[str, Any]:
        values = {}
        for name, kind in kinds.items():
            if name in entry:
                with faults.of(name):
                    values[name] = kind.read(entry[name])
        return values

    own = read(OWN)
    for name in _NULLABLE:
        if own.get(name) == "":
            own[name] = None
    words = read(WORDS)
    picture = read({"image_pair": PICTURE}).get("image_pair")
    faults.tell()
    if picture is not None:
        picture = picture.named(f"variants.{key}.image_pair")
    return SentVariant(key, id_in(entry.get("variant_id")), key_id, own, words, picture)


def number_in(name: str) -> int | None:
    """The number that a name is, in millionths; `None` if it is no number."""
    try:
        return number_of(name.strip())
    except ValidationError:
        return None
