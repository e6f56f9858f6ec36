"""Where a store delivers to: named parts of the world, from a JSON file."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EVERYWHERE_ID = 1
_LARGEST_ID = 2**31 - 1
MOST = 10_000
_KEYS = ("destination_id", "name", "status", "countries", "states", "zipcodes")
_COUNTRY = re.compile(r"[A-Z]{2}")
_STATE = re.compile(r"[A-Z]{2}-\S{1,32}")
_ZIPCODE = re.compile(r"[^\s]{1,32}")


@dataclass(frozen=True, slots=True)
class Destination:
    """A part of the world; the one with the ID 1 is all of it.

    Shapes: `countries` are codes of two letters, `states` codes after one and a
    hyphen (`US-CA`), `zipcodes` masks with `*` and `?`; all in capitals, without
    blanks. Empty ones do not limit it.
    """

    destination_id: int
    name: str
    status: str = "A"
    countries: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    zipcodes: tuple[str, ...] = ()


EVERYWHERE = Destination(EVERYWHERE_ID, "All countries")


@dataclass(frozen=True)
class Destinations:
    """All destinations of a store, in the order of their IDs."""

    every: tuple[Destination, ...] = (EVERYWHERE,)
    known: Mapping[int, Destination] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index them by ID."""
        object.__setattr__(self, "known", {d.destination_id: d for d in self.every})

    def __str__(self) -> str:
        """Nothing: what is there without a file needs none."""
        return ""


ONLY_EVERYWHERE = Destinations()


def read_destinations(text: str) -> Destinations:
    """Read the file of that path.

    Raises: `ValueError` with the entry and the reason.
    """
    try:
        content = json.loads(Path(text).read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"names a file that cannot be read: {error}") from None
    except ValueError as error:
        raise ValueError(f"names a file that is no JSON: {error}") from None
    if not isinstance(content, list) or len(content) > MOST:
        raise ValueError(f"must name a file with a JSON array of at most {MOST}")
    found = {EVERYWHERE_ID: EVERYWHERE}
    seen: set[int] = set()
    for number, entry in enumerate(content, 1):
        try:
            destination = _destination(entry)
            if destination.destination_id in seen:
                raise ValueError("destination_id is that of another entry")
        except ValueError as error:
            raise ValueError(f"names a file whose entry {number}: {error}") from None
        seen.add(destination.destination_id)
        found[destination.destination_id] = destination
    return Destinations(tuple(found[id] for id in sorted(found)))


def _destination(entry: Any) -> Destination:
    if type(entry) is not dict:
        raise ValueError("must be an object")
    unknown = sorted(set(entry) - set(_KEYS))
    if unknown:
        raise ValueError(f"has the unknown key {unknown[0]!r}")
    id, name = entry.get("destination_id"), entry.get("name")
    if type(id) is not int or not 0 < id <= _LARGEST_ID:
        raise ValueError("destination_id must be a number from 1")
    if not (isinstance(name, str) and name.strip() and len(name) <= 255):
        raise ValueError("name must be a text of at most 255 characters")
    status = entry.get("status", "A")
    if status not in ("A", "D"):
        raise ValueError("status must be A or D")
    limits = [tuple(_codes(entry, *form)) for form in _FORMS]
    if any(limits) is (id == EVERYWHERE_ID):
        raise ValueError(
            "destination_id 1 is everywhere and takes no limits"
            if id == EVERYWHERE_ID
            else "must name countries, states or zipcodes"
        )
    countries, states, zipcodes = limits
    return Destination(
        id, name, status, frozenset(countries), frozenset(states), zipcodes
    )


_FORMS = (
    ("countries", _COUNTRY, "codes of two letters"),
    ("states", _STATE, "codes such as US-CA"),
    ("zipcodes", _ZIPCODE, "masks of at most 32 characters"),
)


def _codes(
    entry: Mapping[str, Any], key: str, form: re.Pattern[str], what: str
) -> Iterator[str]:
    value = entry.get(key, [])
    texts: Iterable[Any] = value if isinstance(value, list) else [None]
    for text in texts:
        code = "".join(text.split()).upper() if isinstance(text, str) else ""
        if not form.fullmatch(code):
            raise ValueError(f"{key} must be an array of {what}")
        yield code
