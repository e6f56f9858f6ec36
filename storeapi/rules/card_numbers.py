"""Card numbers in texts: how they are found, however they are spelt, and hidden. Pure.

Source: spec/entities/orders.md, rule 5.5.2.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

_SHOWN = 4
_LENGTHS = range(12, 20)
# Telephone numbers begin with 0 or with a plus sign, and have at most 15 digits.
_GROUPS = re.compile(
    r"(?:(?<![0-9+])[1-9][0-9]*|(?<=\+)[1-9][0-9]{15,})(?:[\W_]{1,8}[0-9]+)*"
)
_GROUP = re.compile(r"[0-9]+")
_USUAL = re.compile(r"[\s./_\-]{1,3}")
# What stands between times, figures and lists of numbers stands between the groups of
# a card only if they begin as cards of some network do, and are as long.
_ISSUED = re.compile(
    r"4[0-9]{12}(?:[0-9]{3}){0,2}|5[1-5][0-9]{14}|2[2-7][0-9]{14,17}|3[47][0-9]{13}"
    r"|3[05689][0-9]{12,17}|(?:5[0678]|6[0-9])[0-9]{10,17}|9792[0-9]{12}"
)
_IBAN = re.compile(
    r"\b[A-Z]{2}[0-9]{2}(?:[ \-]?[A-Z0-9]{4}){2,7}(?:[ \-]?[A-Z0-9]{1,3})?\b"
)
# Behind its number a stripe holds name, expiry and a code, up to a question mark.
_STRIPE = re.compile(r"\s*\^|\s*=[\W_]*(?=[0-9])|[Dd](?=[0-9]{4})")
_MASKED = re.compile(r"[Xx*•][Xx*•\s.\-]*(?:[0-9][\s.\-]?){0,4}")
_BETWEEN = r"(?:[^\w*•]|_){0,8}"
_WHOLE_MASK = re.compile(
    rf"(?:[Xx*•]{_BETWEEN}){{8,19}}(?:[0-9]{_BETWEEN}){{3}}[0-9](?![0-9])"
)
_PIECE = re.compile(r"[0-9](?:[\s./_\-]{0,3}[0-9])*")
_PRINTED = frozenset({4, 6, 8, 10, 12})
_MOST_PRINTED = 5


class _Span(NamedTuple):
    """Where a card number stands, and what of its stripe follows up to `rest`."""

    start: int
    end: int
    rest: int


def clean(text: str) -> str:
    """The text as it is read: digits of all scripts as 0 to 9, nothing invisible."""
    if text.isascii():
        return text
    return "".join(map(_seen, unicodedata.normalize("NFKC", text)))


def _seen(character: str) -> str:
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    # Marks of format and accents have no width of their own.
    return "" if unicodedata.category(character) in ("Cf", "Mn", "Me") else character


def without_cards(text: str) -> str:
    """The text with all card numbers hidden that stand in it; stripes end with them."""
    read = clean(text)
    parts, done = [], 0
    for span in _cards(read):
        parts += [read[done : span.start], hide(read[span.start : span.end])]
        done = span.rest
    return "".join([*parts, read[done:]]) if parts else text


def hide(text: str) -> str:
    """All digits but the last four become X, whatever stands between them.

    What is hidden already stays as it is.
    """
    read = clean(text)
    digits = sum(character.isdigit() for character in read)
    if not digits or _MASKED.fullmatch(read) or _is_masked(read):
        return text
    hidden = digits - _SHOWN if digits > 2 * _SHOWN else digits
    shown = []
    for character in read:
        if character.isdigit() and hidden > 0:
            hidden -= 1
            shown.append("X")
        else:
            shown.append(character)
    return "".join(shown)


def _is_masked(text: str) -> bool:
    """Whether all digits are those that a mask shows."""
    rest, masks = _WHOLE_MASK.subn("", text)
    return masks > 0 and not any(map(str.isdigit, rest))


def is_mask(text: str) -> bool:
    """Whether a text is a card number that is hidden, and nothing else."""
    return _WHOLE_MASK.fullmatch(clean(text).strip()) is not None


def hide_as_one(texts: Sequence[str]) -> list[str]:
    """Hide what is one number in pieces; words and what is hidden already stay."""
    found = list(texts)
    pieces = [n for n, text in enumerate(texts) if _is_piece(clean(text))]
    own = [texts[n] for n in pieces]
    for n, text in zip(
        pieces, _split(hide("".join(map(clean, own))), own), strict=True
    ):
        found[n] = text
    return found


def _is_piece(text: str) -> bool:
    """Whether digits or masks of a number stand in a text, but not a whole one."""
    known = any(map(str.isdigit, text)) or _MASKED.fullmatch(text) is not None
    return known and not _is_masked(text)


def hide_across(texts: Sequence[str]) -> list[str]:
    """Hide card numbers whose groups are texts that follow each other."""
    joined = " ".join(map(clean, texts))
    parts, done = [], 0
    for start, end, _ in _cards(joined, across=True):
        parts += [joined[done:start], hide(joined[start:end])]
        done = end
    return _split("".join([*parts, joined[done:]]), texts, gap=1)


def hide_printed(texts: Sequence[str]) -> list[str]:
    """Hide card numbers of which each text is a group, as they are printed on cards.

    Other texts may stand between them.
    """
    places = [n for n, t in enumerate(texts) if _PIECE.fullmatch(clean(t).strip())]
    found, first = list(texts), 0
    while first < len(places):
        own = [clean(texts[n]).strip() for n in places[first : first + _MOST_PRINTED]]
        count = _printed([re.sub(r"[^0-9]", "", text) for text in own])
        hidden = hide_as_one(own[:count]) if count else []
        for place, text in zip(places[first:], hidden, strict=False):
            found[place] = text
        first += count or 1
    return found


def _printed(groups: Sequence[str]) -> int:
    """How many of the groups are a card number together; 0 for none."""
    for count in range(len(groups), 1, -1):
        digits = "".join(groups[:count])
        even = all(len(group) in _PRINTED for group in groups[: count - 1])
        if even and _ISSUED.fullmatch(digits) and _checks(digits):
            return count
    return 0


def _split(joined: str, texts: Sequence[str], *, gap: int = 0) -> list[str]:
    """Cut what was joined again; what has not changed is as it was sent."""
    lengths = [len(clean(text)) for text in texts]
    ends = list(accumulate(length + gap for length in lengths))
    parts = [
        joined[end - gap - length : end - gap]
        for length, end in zip(lengths, ends, strict=True)
    ]
    return [
        text if part == clean(text) else part
        for text, part in zip(texts, parts, strict=True)
    ]


def _cards(text: str, *, across: bool = False) -> Iterator[_Span]:
    """Where card numbers stand: groups of digits that check together."""
    accounts = [each.span() for each in _IBAN.finditer(text) if _is_iban(each[0])]
    after = 0
    for found in _GROUPS.finditer(text):
        begin, end = found.span()
        if any(a <= begin and end <= b for a, b in accounts):
            continue
        strict = across or any(a < end and begin < b for a, b in accounts)
        groups = [
            (begin + each.start(), begin + each.end())
            for each in _GROUP.finditer(found[0])
        ]
        first = 0
        while first < len(groups):
            start, last = groups[first][0], None
            if start >= after:
                last = _last_of_card(text, groups, first, strict=strict)
            if last is not None:
                first = last
                end = groups[last][1]
                after = end if across else _end_of_stripe(text, end)
                yield _Span(start, end, after)
            first += 1


def _end_of_stripe(text: str, end: int) -> int:
    """Where the stripe ends whose number ends here; there, if it is none."""
    if _STRIPE.match(text, end) is None:
        return end
    return text.find("?", end) + 1 or len(text)


def _last_of_card(
    text: str, groups: Sequence[tuple[int, int]], first: int, *, strict: bool
) -> int | None:
    """The last of the groups that are a card number together, as many as can be."""
    digits, found = "", None
    usual = not strict
    for place in range(first, len(groups)):
        start, end = groups[place]
        if len(digits) + end - start >= _LENGTHS.stop:
            break
        if place > first:
            between = text[groups[place - 1][1] : start]
            usual = usual and _USUAL.fullmatch(between) is not None
        digits += text[start:end]
        fits = len(digits) in _LENGTHS and (usual or _ISSUED.fullmatch(digits))
        if fits and _checks(digits):
            found = place
            if _STRIPE.match(text, end):
                break
    return found


def _checks(digits: str) -> bool:
    """Whether the last digit checks the others, as in card numbers (ISO/IEC 7812)."""
    total = 0
    for place, digit in enumerate(map(int, reversed(digits))):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def _is_iban(text: str) -> bool:
    """Whether the digits of a bank account check it (ISO 13616)."""
    plain = re.sub(r"[ \-]", "", text)
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1
