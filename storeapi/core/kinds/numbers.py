"""Kinds whose value is a number: integers, IDs, decimals, money."""

import decimal
import math
import re
from functools import partial
from typing import Any, Unpack

from marshmallow import ValidationError

from storeapi.core.kinds.base import JsonSchema, Kind, Options, Writer
from storeapi.core.kinds.problems import invalid

LARGEST_ID = 2**31 - 1
_DIGITS = 12
# Long texts of digits are out of range; int() would take them, or fail.
_INTEGER = re.compile(r"-?[0-9]+")
_INTEGER_LENGTH = 19
_DECIMAL = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?")


def integer_of(value: Any) -> int:
    """Read an integer: a JSON number without fraction, or ASCII digits.

    Raises: `ValidationError` for everything else, booleans included.
    """
    if type(value) is int:
        return value
    if type(value) is str and _INTEGER.fullmatch(value):
        if len(value) > _INTEGER_LENGTH:
            raise invalid("is out of range", "out_of_range")
        return int(value)
    if type(value) is float and value.is_integer():
        return int(value)
    raise invalid("must be an integer")


def id_in(value: Any) -> int | None:
    """The ID that a value is; `None` for one that cannot be any."""
    try:
        number = integer_of(value)
    except ValidationError:
        return None
    return number if 0 < number <= LARGEST_ID else None


def scaled_of(value: Any, places: int) -> int:
    """Read a decimal as a scaled integer, rounded half up, without binary floats.

    Units: 10 ** -places; "18.9" with 2 places is 1890.
    Raises: `ValidationError` for what is no decimal, exponents in texts included.
    """
    if type(value) is str:
        return _scaled(value, places)
    if type(value) is int:
        if abs(value) >= 10**_INTEGER_LENGTH:
            raise invalid("is out of range", "out_of_range")
        return int(value * 10**places)
    if type(value) is float and math.isfinite(value):
        return _scaled(format(decimal.Decimal(repr(value)), "f"), places)
    raise invalid("must be a decimal number")


def _scaled(text: str, places: int) -> int:
    match = _DECIMAL.fullmatch(text)
    if match is None:
        raise invalid("must be a decimal number")
    sign, whole, fraction = match.groups("")
    if len(whole) > _INTEGER_LENGTH:
        raise invalid("is out of range", "out_of_range")
    number = int(whole + fraction[:places].ljust(places, "0"))
    if fraction[places : places + 1] >= "5":
        number += 1
    return -number if sign else number


def decimal_text(scaled: int, places: int) -> str:
    """Write a scaled integer with all its places: (-1890, 2) is "-18.90"."""
    digits = str(scaled).zfill(places + 1 + (scaled < 0))
    return f"{digits[:-places]}.{digits[-places:]}"


def trimmed_text(scaled: int, places: int) -> str:
    """Write a scaled integer without needless zeros: (-1850, 2) is "-18.5"."""
    return decimal_text(scaled, places).rstrip("0").rstrip(".")


def money_text(minor: int) -> str:
    """Write an amount of money: 1890 is "18.90".

    Units: minor units.
    """
    if minor >= 100:
        digits = str(minor)
        return f"{digits[:-2]}.{digits[-2:]}"
    return decimal_text(minor, 2)


def decimal_number(scaled: int, places: int) -> int | float:
    """Return a scaled integer as the JSON number nearest to it: 1890 is 18.9."""
    scale: int = 10**places
    return scaled / scale if scaled % scale else scaled // scale


def _decimal_writer(places: int) -> Writer:
    scale = 10**places
    form = f"%d.%0{places}d"

    def write(scaled: int) -> str:
        if scaled < 0:
            return decimal_text(scaled, places)
        text: str = form % divmod(scaled, scale)
        return text

    return write


class Integer(Kind):
    """A whole number; a string on the wire unless `native`."""

    def __init__(
        self,
        *,
        minimum: int = 0,
        maximum: int = LARGEST_ID,
        native: bool = False,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        self.minimum = minimum
        self.maximum = maximum
        self.native = native

    def parse(self, value: Any) -> int:
        """Read a whole number within the limits."""
        number = value if type(value) is int else integer_of(value)
        if not self.minimum <= number <= self.maximum:
            raise invalid(
                f"must be between {self.minimum} and {self.maximum}", "out_of_range"
            )
        return number

    def conversion(self, *, full: bool) -> Writer | None:
        """Write the digits, or the number."""
        return None if self.native else str

    def record_schema(self) -> JsonSchema:
        """Describe the number, or its digits."""
        if self.native:
            return self._limited("integer")
        return {"type": "string", "pattern": "^-?[0-9]+$"}

    def payload_schema(self) -> JsonSchema:
        """Describe number and digits."""
        return self._limited(["string", "integer"]) | {"pattern": "^-?[0-9]+$"}

    def _limited(self, names: str | list[str]) -> JsonSchema:
        return {"type": names, "minimum": self.minimum, "maximum": self.maximum}


class Id(Integer):
    """The ID of a record; `zero` lets 0 stand for none.

    Shapes: in a nullable column none is stored as null, and 0 on the wire.
    """

    def __init__(
        self, *, zero: bool = False, native: bool = False, **options: Unpack[Options]
    ) -> None:
        super().__init__(minimum=0 if zero else 1, native=native, **options)
        self.zero = zero

    def parse(self, value: Any) -> Any:
        """Read an ID; none is null where the column lets it be."""
        return self._stored(super().parse(value))

    def read_filter(self, text: str) -> Any:
        """Take 0 too: it matches nothing where no ID is 0."""
        return self._stored(0) if text == "0" else self.parse(text)

    def _stored(self, number: int) -> int | None:
        return None if self.zero and self.nullable and not number else number

    def writer(self, *, full: bool = True) -> Writer | None:
        """Write null as none."""
        if not (self.zero and self.nullable):
            return super().writer(full=full)
        return _id_or_zero if self.native else _id_text_or_zero


def _id_or_zero(stored: int | None) -> int:
    return stored or 0


def _id_text_or_zero(stored: int | None) -> str:
    return str(stored or 0)


class Decimal(Kind):
    """A decimal with fixed places, stored as a scaled integer, rounded half up.

    Units: `minimum` and `maximum` are whole numbers as on the wire; without them
    twelve digits in all, and either sign. A string on the wire unless `native`, with
    all its places unless `trimmed`.
    """

    def __init__(
        self,
        places: int,
        *,
        minimum: int | None = None,
        maximum: int | None = None,
        native: bool = False,
        trimmed: bool = False,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        if places < 1:
            raise TypeError("Decimal has at least one place; Integer has none")
        limit = 10**_DIGITS - 1
        self.places = places
        self.lowest = -limit if minimum is None else minimum * 10**places
        self.highest = limit if maximum is None else maximum * 10**places
        self.native = native
        self.trimmed = trimmed

    def parse(self, value: Any) -> int:
        """Read a decimal within the limits."""
        number = scaled_of(value, self.places)
        if not self.lowest <= number <= self.highest:
            low = decimal_text(self.lowest, self.places)
            high = decimal_text(self.highest, self.places)
            raise invalid(f"must be between {low} and {high}", "out_of_range")
        return number

    def conversion(self, *, full: bool) -> Writer | None:
        """Write the text, or the number."""
        if self.native:
            return partial(decimal_number, places=self.places)
        if self.trimmed:
            return partial(trimmed_text, places=self.places)
        if self.places == 2:
            return money_text
        return _decimal_writer(self.places)

    def record_schema(self) -> JsonSchema:
        """Describe the number, or its text."""
        if self.native:
            return {"type": "number"}
        fraction = rf"\.[0-9]{{{self.places}}}"
        if self.trimmed:
            fraction = rf"(\.[0-9]{{1,{self.places}}})?"
        return {"type": "string", "pattern": f"^-?[0-9]+{fraction}$"}

    def payload_schema(self) -> JsonSchema:
        """Describe number and text."""
        return {
            "type": ["string", "number"],
            "pattern": r"^-?[0-9]+(\.[0-9]+)?$",
            "minimum": decimal_number(self.lowest, self.places),
            "maximum": decimal_number(self.highest, self.places),
        }


class Money(Decimal):
    """An amount of money, not negative unless `minimum` says so.

    Units: stored in minor units, at most twelve digits.
    """

    def __init__(
        self,
        *,
        minimum: int | None = 0,
        maximum: int | None = None,
        native: bool = False,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(2, minimum=minimum, maximum=maximum, native=native, **options)
