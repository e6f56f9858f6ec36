"""Which destination an address lies in. Pure.

Source: spec/entities/shippings.md, section 5.1.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from config.destinations import EVERYWHERE_ID, MOST, Destination, Destinations
from storeapi.core.errors import InvalidInput
from storeapi.core.kinds import Faults, Id, invalid, under

NOWHERE = 0
"""The destination of an address that lies in no active one."""

Rank = tuple[int, bool]
T = TypeVar("T")
_ID = Id(required=True)


class Address(NamedTuple):
    """What of an address decides where it lies.

    Shapes: `country` and `state` are codes.
    """

    country: str = ""
    state: str = ""
    zipcode: str = ""
    city: str = ""


def destination_of(destinations: Destinations, address: Address) -> int:
    """The ID of the most specific active destination that contains an address.

    Postal codes are more specific than states, these than countries; of two alike
    the lower ID counts. The one that is everywhere counts only where no other does.
    """
    best: tuple[Rank, int] | None = None
    everywhere = NOWHERE
    for destination in destinations.every:
        if destination.status != "A":
            continue
        if destination.destination_id == EVERYWHERE_ID:
            everywhere = EVERYWHERE_ID
            continue
        rank = _rank(destination, address)
        if rank is not None and (best is None or rank > best[0]):
            best = rank, destination.destination_id
    return everywhere if best is None else best[1]


def _rank(destination: Destination, address: Address) -> Rank | None:
    """How closely a destination fits an address; `None` if it is outside."""
    country, state = _plain(address.country), _plain(address.state)
    in_state = bool(state) and f"{country}-{state}" in destination.states
    limited = bool(destination.countries or destination.states)
    if limited and not in_state and country not in destination.countries:
        return None
    if not destination.zipcodes:
        return -1, in_state
    zipcode = _plain(address.zipcode)
    fits = [mask for mask in destination.zipcodes if _pattern(mask).fullmatch(zipcode)]
    if not fits:
        return None
    return max(len(mask) - mask.count("*") - mask.count("?") for mask in fits), in_state


def _plain(text: str) -> str:
    return "".join(text.split()).upper()


@lru_cache(maxsize=4096)
def _pattern(mask: str) -> re.Pattern[str]:
    escaped = re.escape(mask).replace(r"\*", ".*").replace(r"\?", ".")
    return re.compile(escaped)


def read_by_destination(value: Any, read: Callable[[Any], T]) -> dict[int, T]:
    """Read what differs by destination: a map of IDs, or an array that names them.

    Shapes: `read` takes what is said of one destination, in an array with its ID.
    Raises: `ValidationError` naming every bad entry.
    """
    if isinstance(value, dict):
        entries = [(id, id, entry) for id, entry in value.items()]
    elif isinstance(value, list):
        entries = [(str(n), None, entry) for n, entry in enumerate(value)]
    else:
        raise invalid("must be an array or an object")
    if len(entries) > MOST:
        raise invalid(f"holds more than {MOST} destinations", "too_long")
    found: dict[int, T] = {}
    faults = Faults()
    for name, id, entry in entries:
        with faults.of(name):
            number = _named(entry) if id is None else _ID.parse(id)
            if number in found:
                raise invalid(f"names destination {number} again")
            found[number] = read(entry)
    faults.tell()
    return dict(sorted(found.items()))


def _named(entry: Any) -> int:
    if not isinstance(entry, dict):
        raise invalid("must be an object with destination_id")
    with under("destination_id"):
        return int(_ID.read(entry.get("destination_id")))


def check_destinations(
    destinations: Destinations, ids: Iterable[int], field: str
) -> None:
    """Refuse destinations that the settings do not name.

    Raises: `InvalidInput` naming the field and the destinations.
    """
    missing = [str(id) for id in ids if id not in destinations.known]
    if missing:
        text = f"names destinations that do not exist: {', '.join(missing[:20])}"
        raise InvalidInput.of(field, text, "unknown")
