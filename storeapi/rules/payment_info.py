"""Payment data as orders may keep it: without what pays. Pure.

Of a card number the last four digits stay; codes that prove a card, passwords and
tokens are never stored, in whatever field they come.
Source: spec/entities/orders.md, rule 5.5.2.
"""

import re
from collections.abc import Mapping
from typing import Any

import orjson
from marshmallow import ValidationError

from storeapi.core.errors import InvalidInput
from storeapi.core.kinds.texts import storable

HIDDEN_CODE = "XXX"
"""What is shown in place of a card's code."""

LONGEST = 16_384
"""Bytes of the payment data of one order, as JSON."""

_SHOWN = 4
_DIGITS = re.compile(r"(?<!\d)\d(?:[ .\-]?\d){11,18}(?!\d)")
_NUMBER = re.compile(r"card_?(number|no|num)?|pan|cc_?(number|no|num)?|account_?number")
_CODE = re.compile(r"cv[vcn]2?|.*(security|verification|card)_?code|csc|cid|pin")
_SECRET = re.compile(r".*(password|passwd|secret|token|api_?key|private_?key).*")
_CARD = re.compile(
    r"(card|cc|cv[vcn]|expir|exp_|start_(month|year|date)|issue_number|.*cardholder).*"
)


def read_payment_info(sent: Any, name: str = "payment_info") -> str:
    """Read payment data and mask it; returns it as JSON, or "" if there is none.

    Raises: `InvalidInput`.
    """
    if sent in (None, "", [], {}):
        return ""
    if not isinstance(sent, Mapping):
        raise InvalidInput.of(name, "must be an object")
    text = orjson.dumps(masked(sent, name)).decode()
    if len(text) > LONGEST:
        raise InvalidInput.of(name, f"is longer than {LONGEST} bytes", "too_long")
    return text if text != "{}" else ""


def masked(sent: Mapping[str, Any], name: str = "payment_info") -> dict[str, Any]:
    """Payment data with everything hidden that could pay."""
    found: dict[str, Any] = {}
    for key, value in sent.items():
        plain = re.sub(r"[\s\-]+", "_", _sound(key, name)).lower()
        if _SECRET.fullmatch(plain):
            continue
        if _CODE.fullmatch(plain):
            found[key] = HIDDEN_CODE
        else:
            whole = _NUMBER.fullmatch(plain) is not None
            found[key] = _masked_value(value, f"{name}.{key}", whole=whole)
    return found


def _masked_value(value: Any, name: str, *, whole: bool) -> Any:
    if isinstance(value, Mapping):
        return masked(value, name)
    if isinstance(value, list):
        return [_masked_value(each, name, whole=whole) for each in value]
    if value is None or isinstance(value, bool):
        return value
    text = _sound(str(value), name)
    if whole:
        return _hide(text)
    return _DIGITS.sub(lambda found: _hide_card(found[0]), text)


def _sound(text: str, name: str) -> str:
    try:
        return storable(text)
    except ValidationError:
        raise InvalidInput.of(name, "holds characters that cannot be stored") from None


def _hide(text: str) -> str:
    """All digits but the last four become X, whatever stands between them."""
    digits = sum(character.isdigit() for character in text)
    hidden = digits - _SHOWN if digits > 2 * _SHOWN else digits
    shown = []
    for character in text:
        if character.isdigit() and hidden > 0:
            hidden -= 1
            shown.append("X")
        else:
            shown.append(character)
    return "".join(shown)


def _hide_card(text: str) -> str:
    digits = [int(character) for character in text if character.isdigit()]
    return _hide(text) if _is_card(digits) else text


def _is_card(digits: list[int]) -> bool:
    """Whether the last digit checks the others, as in card numbers (ISO/IEC 7812)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def without_card(stored: str) -> str:
    """Stored payment data without what is said of a card.

    Source: spec/entities/orders.md, rule 5.3.6.
    """
    if not stored:
        return ""
    known = orjson.loads(stored)
    kept = {
        key: value
        for key, value in known.items()
        if not _CARD.fullmatch(re.sub(r"[\s\-]+", "_", key).lower())
    }
    return orjson.dumps(kept).decode() if kept else ""
