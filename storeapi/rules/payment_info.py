"""Payment data as orders may keep it: without what pays. Pure.

Of a card number the last four digits stay, in however many pieces it comes; codes that
prove a card, what its stripe says, passwords and tokens are never stored, in whatever
field they come. Sent as it is shown, payment data stays as it is.
Source: spec/entities/orders.md, rule 5.5.2.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson
from marshmallow import ValidationError

from storeapi.core.errors import InvalidInput
from storeapi.core.kinds.texts import storable
from storeapi.rules.card_numbers import (
    clean,
    hide_across,
    hide_as_one,
    hide_printed,
    is_mask,
    without_cards,
)

HIDDEN_CODE = "XXX"
"""What is shown in place of a card's code."""

LONGEST = 16_384
"""Bytes of the payment data of one order, as JSON."""

# What is so long is refused before it is looked through.
_FAR_TOO_LONG = 4 * LONGEST
_MOST_PASSES = 20
_NUMBER = re.compile(
    r"(.*card_?(?:number|no|num)|(?:.*_)?pan|cc_?(?:number|no|num)?"
    r"|account_?(?:number|no))(?:_?(?:part|group|block|first|middle|last(?!_?4)))?(?:_?\d+)?"
)
_WHOLE_CARD = re.compile(r"(?:(?:credit|debit)_?)?card")
_CODE = re.compile(
    r".*cv[vc].*|(.*_)?(ccv2?|cv2|cvd|cvn2?|csc|cid|pin)(_.*)?|cv_?code|pin(code|block)"
    r"|.*(sec|security|verification)_?(code|value|number)|.*card_?(code|security)"
    r"|.*cryptogram|.*track_?data.*|(.*_)?track_?[123](_?data|_.*)?|tracks"
    r"|.*mag(netic|stripe).*|.*swipe.*|.*(stripe|chip|emv|icc)_?data.*"
)
_SPELT = re.compile(r"(card)?(cv[vcn]2?|ccv2?|cvd|cv2|csc|cid|pin(code|block)?)")
_SECRET = re.compile(
    r".*(password|passwd|passphrase|passcode|secret(?!ar)|token|api_?key|private_?key"
    r"|access_?key|credential|bearer|cookie|jwt|nonce).*"
    r"|((user|login|api|db)_?)?(pwd|pass|pw|otp)|session_?(id|key)"
    r"|((proxy|http)_)?(authori[sz]ation|auth)(_header)?"
)
_CARD = re.compile(
    r".*card.*|cc.*|(.*_)?(pan|expir.*|exp_.*)"
    r"|start_(month|year|date)|valid_(from|thru|to|until)|issue_number"
)
_LABELS = frozenset({"name", "key", "field"})
_LABELED = frozenset({"value", "val", "content"})
_BEARER = re.compile(r"\b(bearer)\s+[^\s,;]+", re.IGNORECASE)
_SIGNED = re.compile(r"(?<![\w\-])eyJ[\w\-]+\.[\w\-]+\.[\w\-]*")


@dataclass(slots=True)
class _Text:
    """A text of the payload; what is spread over several is hidden afterwards."""

    text: str


class _Place(NamedTuple):
    """Where a value stands: its dotted name, the key above, and what it is part of."""

    name: str
    key: str = ""
    in_number: bool = False
    in_list: bool = False


def read_payment_info(sent: Any, name: str = "payment_info") -> str:
    """Read payment data and mask it; returns it as JSON, or "" if there is none.

    Raises: `InvalidInput`.
    """
    if sent in (None, "", [], {}):
        return ""
    if not isinstance(sent, Mapping):
        raise InvalidInput.of(name, "must be an object")
    if len(repr(sent)) > _FAR_TOO_LONG:
        raise _too_long(name)
    text = orjson.dumps(masked(sent, name)).decode()
    if len(text) > LONGEST:
        raise _too_long(name)
    return text if text != "{}" else ""


def _too_long(name: str) -> InvalidInput:
    return InvalidInput.of(name, f"is longer than {LONGEST} bytes", "too_long")


def masked(sent: Mapping[str, Any], name: str = "payment_info") -> dict[str, Any]:
    """Payment data with everything hidden that could pay.

    The digits that a mask shows may be a number together with those behind them; so
    what was hidden is read again until all is as it would be shown.

    Raises: `InvalidInput`.
    """
    found = _masked_once(sent, name)
    for _ in range(_MOST_PASSES):
        again = _masked_once(found, name)
        if again == found:
            return found
        found = again
    raise InvalidInput.of(name, "holds too many numbers")


def _masked_once(sent: Mapping[str, Any], name: str) -> dict[str, Any]:
    kept = _kept_object(sent, _Place(name))
    _rewrite(_texts(kept), hide_printed)
    found: dict[str, Any] = _written(kept)
    return found


def _kept_object(sent: Mapping[str, Any], place: _Place) -> dict[str, Any]:
    found: dict[str, Any] = {}
    numbers: dict[str, list[Any]] = {}
    label = _label(sent)
    for key, value in sent.items():
        shown = _shown(key, place.name)
        plain = _plain(key)
        names = [plain, f"{place.key}_{plain}"]
        if label and plain in _LABELED:
            names.append(label)
        joined = [each.replace("_", "") for each in (plain, names[-1])]
        if any(map(_SECRET.fullmatch, (*names, *joined))):
            continue
        if any(map(_CODE.fullmatch, names)) or any(map(_SPELT.fullmatch, joined)):
            found[shown] = HIDDEN_CODE
            continue
        number = None if place.in_number else _number_of(names, value)
        inside = place.in_number or number is not None
        own = _Place(f"{place.name}.{shown}", plain, inside, place.in_list)
        found[shown] = kept = _kept(value, own)
        if number is not None:
            numbers.setdefault(number, []).append(kept)
    for parts in numbers.values():
        _rewrite(_texts(parts), hide_as_one)
    return found


def _label(sent: Mapping[str, Any]) -> str:
    """What a pair of name and value calls its value, as other objects their fields."""
    names = (value for key, value in sent.items() if _plain(key) in _LABELS)
    return next((_plain(name) for name in names if isinstance(name, str)), "")


def _plain(key: str) -> str:
    """A key by which the fields of all clients are told apart: `card_number`."""
    return re.sub(r"[\W_]+", "_", clean(key)).strip("_").lower()


def _number_of(names: Iterable[str], value: Any) -> str | None:
    """Which number a value is, or is a part of, by its key: `card_no_2` of `card_no`.

    An object that is a card has its number in a field of its own.
    """
    for name in names:
        found = _NUMBER.fullmatch(name)
        if found is not None:
            return found[1]
        if _WHOLE_CARD.fullmatch(name) and not _holds_objects(value):
            return name
    return None


def _holds_objects(value: Any) -> bool:
    inner = value if isinstance(value, list) else [value]
    return any(isinstance(each, Mapping) for each in inner)


def _kept(value: Any, place: _Place) -> Any:
    if isinstance(value, Mapping):
        return _kept_object(value, place)
    if isinstance(value, list):
        kept = [_kept(each, place._replace(in_list=True)) for each in value]
        if not (place.in_list or place.in_number):
            _rewrite(_texts(kept), hide_across)
        return kept
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _Text(_shown(str(value), place.name))


def _shown(text: str, name: str) -> str:
    """A text, or a key, without the card numbers and tokens that stand in it."""
    try:
        found = without_cards(storable(text))
    except ValidationError:
        raise InvalidInput.of(name, "holds characters that cannot be stored") from None
    return _SIGNED.sub(HIDDEN_CODE, _BEARER.sub(rf"\1 {HIDDEN_CODE}", found))


def _texts(kept: Any) -> Iterator[_Text]:
    """The texts of a value, in their order."""
    if isinstance(kept, _Text):
        yield kept
    elif isinstance(kept, dict | list):
        for each in kept.values() if isinstance(kept, dict) else kept:
            yield from _texts(each)


def _rewrite(
    texts: Iterable[_Text], hide: Callable[[Sequence[str]], Sequence[str]]
) -> None:
    """Hide what several texts are together."""
    found = list(texts)
    for each, text in zip(found, hide([each.text for each in found]), strict=True):
        each.text = text


def _written(kept: Any) -> Any:
    if isinstance(kept, dict):
        return {key: _written(each) for key, each in kept.items()}
    if isinstance(kept, list):
        return [_written(each) for each in kept]
    return kept.text if isinstance(kept, _Text) else kept


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
        return [_cardless(each) for each in value if not _is_mask(each)]
    if not isinstance(value, dict):
        return value
    label = _label(value)
    return {
        key: _cardless(each)
        for key, each in value.items()
        if not (
            _of_card(_plain(key))
            or (_plain(key) in _LABELED and _of_card(label))
            or is_mask(key)
            or _is_mask(each)
        )
    }


def _of_card(name: str) -> bool:
    """Whether a field is one of a card by its name: `pan_2` as `pan` is."""
    part = _NUMBER.fullmatch(name)
    names = (name,) if part is None else (name, part[1])
    return any(_CARD.fullmatch(each) or _CODE.fullmatch(each) for each in names)


def _is_mask(value: Any) -> bool:
    return isinstance(value, str) and is_mask(value)
