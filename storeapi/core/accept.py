"""Which media type answers: `Accept` against what is offered."""

import re
from collections.abc import Sequence

from storeapi.core.headers import elements, media_type

JSON = "application/json"
PROBLEM = "application/problem+json"
PLAIN = "text/plain"

ANSWERS = (JSON, PLAIN)
ERRORS = (PROBLEM, JSON, PLAIN)

_QUALITY = re.compile(r"0?\.[0-9]{1,9}|[01]\.?|1\.0{1,9}")


def choose(accept: str | None, offered: Sequence[str]) -> str | None:
    """Pick the offered media type that the client likes best, or `None`.

    The most specific range decides each quality. Equal qualities go to the type
    named in full before one met by a wildcard, then to the order of `offered`. A
    type with a suffix (`application/problem+json`) must be named in full.
    Malformed elements are left out; a field without a sound one counts as `*/*`.
    Source: spec/protocol.md, section 7, response; RFC 9110, section 12.5.1.
    """
    if accept in offered:
        return accept
    ranges = _ranges(accept or "") or {"*/*": 1.0}
    ranked = [(_rank(offer, ranges), offer) for offer in offered]
    (quality, _), best = max(ranked, key=lambda pair: pair[0])
    return best if quality > 0 else None


def _ranges(accept: str) -> dict[str, float]:
    """Read the media ranges and their qualities; of equal ones the best counts."""
    found: dict[str, float] = {}
    for element in elements(accept):
        # Some Java clients send a lone "*".
        text = "*/" + element if element.startswith("*") else element
        wanted = media_type(text.replace("*/*/", "*/", 1))
        if wanted is None:
            continue
        quality = wanted.parameters.get("q", "1")
        if _QUALITY.fullmatch(quality):
            best = max(float(quality), found.get(wanted.name, 0.0))
            found[wanted.name] = best
    return found


def _rank(offer: str, ranges: dict[str, float]) -> tuple[float, int]:
    """Give the quality of an offer and how specific the deciding range is."""
    if offer in ranges:
        return ranges[offer], 2
    if "+" not in offer:
        family = offer.partition("/")[0] + "/*"
        for name, weight in ((family, 1), ("*/*", 0)):
            if name in ranges:
                return ranges[name], weight
    return 0.0, 0
