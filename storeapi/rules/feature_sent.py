"""What a payload says of one feature value, in any of its shapes.

Source: spec/entities/products.md, 2.6.
"""

from dataclasses import dataclass
from itertools import chain
from typing import Any

from storeapi.core.kinds import (
    LARGEST_ID,
    Decimal,
    Flag,
    Keys,
    Timestamp,
    integer_of,
    invalid,
    text_of,
    trimmed_text,
)
from storeapi.models.catalog.features import VALUE_SCALE
from storeapi.rules.features import GROUP, VARIANT_TYPES

_PLACES = 6
_LARGEST = 10**12
_MOST_VARIANTS = 1000
_FLAG = Flag()
_NUMBER = Decimal(_PLACES, minimum=-_LARGEST, maximum=_LARGEST)
_MOMENT = Timestamp(minimum=-_LARGEST)

_CHOSEN = frozenset({"value", "value_int", "variant_id", "variant"})
_HOLDING = {
    "C": ("value",),
    "T": ("value",),
    "O": ("value_int", "value"),
    "D": ("value_int", "value"),
    "S": ("variant_id", "variants"),
    "E": ("variant_id", "variants"),
    "N": ("variant_id", "variants", "value_int"),
    "M": ("variants", "variant_id"),
}
"""The keys that hold a value, by the type of the feature; the first wins."""
_ANY_HOLDING = tuple(dict.fromkeys(chain.from_iterable(_HOLDING.values())))
VALUE_KEYS = Keys(
    _CHOSEN
    | {"feature_id", "feature_type", "feature_code", "features_hash", "parent_id"}
    | {"internal_name", "description", "prefix", "suffix", "purpose"}
    | {f"display_on_{place}" for place in ("header", "catalog", "product")},
    {"variants": Keys(_CHOSEN | {"image_pairs"}, many=True)},
    many=True,
)
"""The keys of values by feature ID, as they are shown and sent back."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a product has, or is to have; an empty one is none.

    Units: `number` in millionths.
    """

    text: str = ""
    number: int | None = None
    variants: frozenset[int] = frozenset()


NONE = Value()


def number_of(value: Any) -> int:
    """Read a decimal without thousands marks.

    Units: millionths. Raises: `ValidationError`.
    """
    return _NUMBER.parse(value)


def number_text(number: int) -> str:
    """Write a number without trailing zeros.

    Units: millionths. Source: spec/entities/features.md, rule 5.10.
    """
    return trimmed_text(number, _PLACES)


def sent_value(feature_type: str, raw: Any) -> Value | None:
    """Read a value by the type of its feature; `None` if nothing is said of it.

    Shapes: a number of type `N` without a variant stands for the variant that has
    it. Raises: `ValidationError`, also for an object whose only value is under a key
    that holds none of the type: nothing is left out in silence.
    """
    if _is_empty(raw):
        return NONE
    if feature_type == GROUP:
        raise invalid("is a group, and takes no value")
    read = _chosen if feature_type in VARIANT_TYPES else _plain
    value = read(feature_type, raw)
    if isinstance(raw, dict) and value in (None, NONE):
        _refuse_misplaced(feature_type, raw)
    return value


def _refuse_misplaced(feature_type: str, raw: dict[str, Any]) -> None:
    keys = _HOLDING[feature_type]
    for key in _ANY_HOLDING:
        if key not in keys and not _names_none(raw.get(key)):
            raise invalid(f"takes {' or '.join(keys)}, not {key}")


def _names_none(raw: Any) -> bool:
    return _is_empty(raw) or raw in (0, "0")


def _plain(feature_type: str, raw: Any) -> Value | None:
    if not isinstance(raw, dict):
        return _scalar(feature_type, raw)
    sent = [raw[key] for key in _HOLDING[feature_type] if key in raw]
    if not sent:
        return None
    return _scalar(feature_type, next((v for v in sent if not _is_empty(v)), None))


def _is_empty(raw: Any) -> bool:
    return raw is None or raw == "" or (isinstance(raw, list | dict) and not raw)


def _scalar(feature_type: str, raw: Any) -> Value:
    if _is_empty(raw):
        return NONE
    if feature_type == "C":
        return Value(text=_FLAG.parse(raw))
    if feature_type == "T":
        return Value(text=text_of(raw))
    if feature_type == "D":
        return Value(number=_MOMENT.parse(raw) * VALUE_SCALE)
    return Value(number=number_of(raw))


def _chosen(feature_type: str, raw: Any) -> Value | None:
    if isinstance(raw, dict):
        named = _named(feature_type, raw)
        if named is None:
            return _by_number(feature_type, raw)
        raw = named
    ids = _ids(raw if isinstance(raw, list) else [raw])
    if feature_type != "M" and len(ids) > 1:
        raise invalid("takes one variant")
    if len(ids) > _MOST_VARIANTS:
        raise invalid(f"names more than {_MOST_VARIANTS} variants")
    return Value(variants=ids)


def _named(feature_type: str, raw: dict[str, Any]) -> list[Any] | None:
    """The variants that an object names; `None` if it has no key for them."""
    keys = [key for key in _HOLDING[feature_type] if key != "value_int"]
    sent = [raw[key] for key in keys if key in raw]
    if not sent:
        return None
    found: Any = next((v for v in sent if not _names_none(v)), [])
    if isinstance(found, dict):
        return list(found)
    return found if isinstance(found, list) else [found]


def _by_number(feature_type: str, raw: dict[str, Any]) -> Value | None:
    if feature_type != "N" or "value_int" not in raw:
        return None
    sent = raw["value_int"]
    return NONE if _is_empty(sent) else Value(number=number_of(sent))


def _ids(items: list[Any]) -> frozenset[int]:
    found = set()
    for item in items:
        id = integer_of(item.get("variant_id") if isinstance(item, dict) else item)
        if not 0 <= id <= LARGEST_ID:
            raise invalid("names a variant that does not exist", "unknown")
        if id:
            found.add(id)
    return frozenset(found)
