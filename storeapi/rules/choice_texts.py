"""Choices of variants as they are stored: `44_118:45_121`, options ascending.

The text is the same whatever the order of sending, so a database can keep it
unique.
"""

from collections.abc import Mapping
from typing import Any
from zlib import crc32

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection
from storeapi.core.kinds import (
    LARGEST_ID,
    Faults,
    JsonSchema,
    Kind,
    integer_of,
    invalid,
)
from storeapi.core.kinds.base import Writer
from storeapi.core.statement import query
from storeapi.models import Combination
from storeapi.models.catalog.options import CHOICE_LENGTH

ANY = -1
"""Stands for any variant of an option, in exceptions."""

NONE = -2
"""Stands for no variant of an option, in exceptions."""

_TAKEN = query(
    select(Combination.combination_hash).where(
        Combination.combination_hash == bindparam("hash", required=True)
    )
)


def choice_text(choice: Mapping[int, int]) -> str:
    """Write a choice, option ID to variant ID, as its canonical text."""
    return ":".join(f"{option}_{choice[option]}" for option in sorted(choice))


def choice_of(text: str) -> dict[int, int]:
    """Read a canonical text back."""
    pairs = [pair.split("_") for pair in text.split(":") if pair]
    return {int(option): int(variant) for option, variant in pairs}


def choice_record(text: str) -> dict[str, str]:
    """The JSON value of a canonical text."""
    return {str(option): str(variant) for option, variant in choice_of(text).items()}


def free_hash(db: Connection, product_id: int, choice: str) -> int:
    """The identifier of a new combination: CRC-32 of its product and choice.

    A number that is taken is passed over by a counter behind the text.
    Source: spec/entities/combinations.md, rule 4.
    """
    text, tries = f"{product_id}:{choice}", 0
    found = crc32(text.encode())
    while not found or db.row(_TAKEN, hash=found) is not None:
        tries += 1
        found = crc32(f"{text}:{tries}".encode())
    return found


class ChoiceMap(Kind):
    """A choice of variants, an object from option ID to variant ID.

    Shapes: stored as canonical text; `wildcards` takes -1 and -2 for variants.
    """

    def __init__(self, *, wildcards: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.wildcards = wildcards

    def parse(self, value: Any) -> str:
        """Read the object; at least one option is to be named."""
        if not isinstance(value, dict):
            raise invalid("must be an object of option and variant IDs")
        if not value:
            raise invalid("must name an option", "required")
        found: dict[int, int] = {}
        faults = Faults()
        for key, variant in value.items():
            with faults.of(str(key)):
                option = _number(key, 1)
                if option in found:
                    raise invalid("names the option twice")
                found[option] = self._variant(variant)
        faults.tell()
        text = choice_text(found)
        if len(text) > CHOICE_LENGTH:
            raise invalid("names too many options", "too_long")
        return text

    def _variant(self, value: Any) -> int:
        number = integer_of(value)
        if self.wildcards and number in (ANY, NONE):
            return number
        if self.wildcards and number < 1:
            raise invalid(f"must be the ID of a variant, {ANY} or {NONE}", "unknown")
        return _number(number, 1)

    def read_filter(self, text: str) -> str:
        """Compare with the canonical text."""
        return text

    def conversion(self, *, full: bool) -> Writer | None:
        """Write the object."""
        return choice_record

    def record_schema(self) -> JsonSchema:
        """Describe the object."""
        return {"type": "object", "additionalProperties": {"type": "string"}}


def _number(value: Any, least: int) -> int:
    number = integer_of(value)
    if not least <= number <= LARGEST_ID:
        raise invalid(f"must be between {least} and {LARGEST_ID}", "out_of_range")
    return number
