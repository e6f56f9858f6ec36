"""Payment data as orders may keep it: without what pays. Pure.

Of a card number the last four digits stay; codes that prove a card, passwords and
tokens are never stored, in whatever field they come. Sent as it is shown, payment data
stays as it is.
Source: spec/entities/orders.md, rule 5.5.2.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from marshmallow import ValidationError

from storeapi.core.errors import InvalidInput
from storeapi.core.kinds.texts import storable

HIDDEN_CODE = "XXX"
"""What is shown in place of a card's code."""

LONGEST = 16_384
"""Bytes of the payment data of one order, as JSON."""

Span = tuple[int, int]

_SHOWN = 4
_CARD_DIGITS = range(12, 20)
# Telephone numbers begin with 0 or with a plus sign, and have at most 15 digits.
_GROUPS = re.compile(
    r"(?:(?<![\d+])[1-9]\d*|(?<=\+)[1-9]\d{15,})(?:[\s./_\-]{1,3}\d+)*"
)
_GROUP = re.compile(r"\d+")
_MASKED = re.compile(r"[Xx*•][Xx*•\s.\-]*(?:\d[\s.\-]?){0,4}")
_NUMBER = re.compile(
    r".*card_?(number|no|num)|((credit|debit)_?)?card|(.*_)?pan"
    r"|cc_?(number|no|num)?|account_?(number|no)"
)
_CODE = re.compile(
    r".*cv[vc].*|(.*_)?(cvn2?|csc|cid|pin)(_.*)?"
    r"|.*(security|verification)_?(code|value|number)|.*card_?code"
)
_SECRET = re.compile(r".*(password|passwd|secret|token|api_?key|private_?key).*")
_CARD = re.compile(
    r".*card.*|cc.*|(.*_)?(pan|expir.*|exp_.*)"
    r"|start_(month|year|date)|valid_(from|thru|to|until)|issue_number"
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
        shown = _without_cards(_sound(key, name))
        plain = _plain(key)
        if _SECRET.fullmatch(plain):
            continue
        if _CODE.fullmatch(plain):
            found[shown] = HIDDEN_CODE
        else:
            whole = _NUMBER.fullmatch(plain) is not None
            found[shown] = _masked_value(value, f"{name}.{shown}", whole=whole)
    return found


def _plain(key: str) -> str:
    """A key by which the fields of all clients are told apart: `card_number`."""
    return re.sub(r"[\s\-]+", "_", key).lower()


def _masked_value(value: Any, name: str, *, whole: bool) -> Any:
    if isinstance(value, Mapping):
        return masked(value, name)
    if isinstance(value, list):
        return [_masked_value(each, name, whole=whole) for each in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = _sound(str(value), name)
    return _hide(text) if whole else _without_cards(text)


def _sound(text: str, name: str) -> str:
    try:
        return storable(text)
    except ValidationError:
        raise InvalidInput.of(name, "holds characters that cannot be stored") from None


def _hide(text: str) -> str:
    """All digits but the last four become X, whatever stands between them.

    What is hidden already stays as it is.
    """
    if _MASKED.fullmatch(text):
        return text
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


def _without_cards(text: str) -> str:
    """The text with all card numbers hidden that stand in it."""
    parts, done = [], 0
    for start, end in _cards(text):
        parts += [text[done:start], _hide(text[start:end])]
        done = end
    return "".join([*parts, text[done:]])


def _cards(text: str) -> Iterator[Span]:
    """Where card numbers begin and end: groups of digits that check together."""
    for found in _GROUPS.finditer(text):
        begin = found.start()
        groups = [
            (begin + each.start(), begin + each.end())
            for each in _GROUP.finditer(found[0])
        ]
        first = 0
        while first < len(groups):
            last = _last_of_card(text, groups, first)
            if last is not None:
                yield groups[first][0], groups[last][1]
            first = (first if last is None else last) + 1


def _last_of_card(text: str, groups: Sequence[Span], first: int) -> int | None:
    """The last of the groups that are a card number together, as many as can be."""
    digits: list[int] = []
    found = None
    for place in range(first, len(groups)):
        start, end = groups[place]
        if len(digits) + end - start >= _CARD_DIGITS.stop:
            break
        digits += map(int, text[start:end])
        if len(digits) in _CARD_DIGITS and _is_card(digits):
            found = place
    return found


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
    kept = _cardless(orjson.loads(stored))
    return orjson.dumps(kept).decode() if kept else ""


def _cardless(value: Any) -> Any:
    if isinstance(value, list):
        return [_cardless(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: _cardless(each) for key, each in value.items() if not _of_card(key)}


def _of_card(key: str) -> bool:
    plain = _plain(key)
    return bool(_CARD.fullmatch(plain) or _CODE.fullmatch(plain))
