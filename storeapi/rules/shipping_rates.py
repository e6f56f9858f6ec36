"""Tables of shipping charges: as they are sent, stored, and shown. Pure.

Source: spec/entities/shippings.md, section 2.1.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson
from marshmallow import ValidationError

from config.destinations import EVERYWHERE_ID
from storeapi.core.kinds import (
    Choice,
    Decimal,
    Faults,
    Flag,
    Kind,
    decimal_number,
    invalid,
    scaled_of,
    trimmed_text,
    under,
)
from storeapi.rules.destinations import read_by_destination
from storeapi.rules.shipping_cost import RateRow, Rates

MEASURES: Mapping[str, int] = {"C": 2, "W": 3, "I": 0}
"""Cost, weight and items, and the decimal places of their thresholds."""

_MOST_ROWS = 1000
_LARGEST = 10**12
_VALUE = Decimal(3, required=True)
_ROW: Mapping[str, Kind] = {
    "value": _VALUE,
    "type": Choice("F", "P"),
    "per_unit": Flag(),
}

Row = tuple[int, int, str, str]
Charges = Mapping[str, list[Row]]
"""Measure to rows of threshold, value, type and per unit, by threshold."""

Sent = Mapping[int, Charges] | None
"""Destination to its charges as they are to be, or nothing at all: clear them."""


def read_rates(value: Any) -> Sent:
    """Read charges in any of the three forms.

    An array as in records, a map of destinations, or the charges of everywhere.
    Raises: `ValidationError` naming every bad one.
    """
    if not value:
        return None
    if isinstance(value, dict) and "rate_value" in value:
        value = {str(EVERYWHERE_ID): value}
    return read_by_destination(value, _charges)


def _charges(entry: Any) -> Charges:
    if not isinstance(entry, dict):
        raise invalid("must be an object with rate_value")
    value = entry.get("rate_value") or {}
    if not isinstance(value, dict):
        raise invalid("must be an object")
    found: dict[str, list[Row]] = {}
    faults = Faults()
    for measure, rows in value.items():
        with faults.of(measure):
            if measure not in MEASURES:
                raise invalid("must be one of C, W, I", "unknown")
            found[measure] = _rows(rows or [], MEASURES[measure])
    with under("rate_value"):
        faults.tell()
    return {measure: rows for measure, rows in found.items() if rows}


def _rows(sent: Any, places: int) -> list[Row]:
    if isinstance(sent, dict):
        entries = [(str(key), key, row) for key, row in sent.items()]
    elif isinstance(sent, list):
        # Records of other servers print an empty table as an array in an array.
        entries = [
            (str(index), None, row)
            for index, row in enumerate(sent)
            if row not in ([], {})
        ]
    else:
        raise invalid("must be an object or an array")
    if len(entries) > _MOST_ROWS:
        raise invalid(f"holds more than {_MOST_ROWS} rows", "too_long")
    found: dict[int, Row] = {}
    faults = Faults()
    for name, key, row in entries:
        with faults.of(name):
            threshold = _threshold_of(row) if key is None else key
            number = _threshold(threshold, places)
            if number in found:
                raise invalid(f"names the threshold {str(threshold)[:20]} again")
            found[number] = (number, *_row(row))
    faults.tell()
    return [found[number] for number in sorted(found)]


def _threshold_of(row: Any) -> Any:
    if not isinstance(row, dict):
        raise invalid("must be an object")
    return row.get("amount", row.get("range_from_value"))


def _threshold(sent: Any, places: int) -> int:
    try:
        number = scaled_of(sent, places)
    except ValidationError:
        raise invalid("has a threshold that is no decimal number") from None
    if not 0 <= number < _LARGEST:
        raise invalid("has a threshold below 0, or too large", "out_of_range")
    return number


def _row(row: Any) -> tuple[int, str, str]:
    if not isinstance(row, dict):
        return _VALUE.read(row), "F", "N"
    values: dict[str, Any] = {"type": "F", "per_unit": "N"}
    faults = Faults()
    for name, kind in _ROW.items():
        if name not in values or row.get(name) is not None:
            with faults.of(name):
                values[name] = kind.read(row.get(name))
    faults.tell()
    return values["value"], values["type"], values["per_unit"]


def stored_charges(charges: Charges) -> str:
    """The charges of a destination as JSON; empty for none."""
    return orjson.dumps(charges).decode() if charges else ""


def shown_charges(stored: str) -> dict[str, Any]:
    """The charges of a destination as records show them."""
    charges = orjson.loads(stored) if stored else {}
    return {
        measure: {
            row["amount"]: row
            for row in (_shown(each, places) for each in charges.get(measure, ()))
        }
        or []
        for measure, places in MEASURES.items()
    }


def _shown(row: Row, places: int) -> dict[str, Any]:
    threshold, value, type, per_unit = row
    return {
        "amount": threshold_text(threshold, places),
        "value": decimal_number(value, 3),
        "type": type,
        "per_unit": per_unit,
    }


def threshold_text(threshold: int, places: int) -> str:
    """A threshold without needless decimals: 50, 50.5."""
    if not places:
        return str(threshold)
    return trimmed_text(threshold, places)


@lru_cache(maxsize=1024)
def rates_of(stored: str) -> Rates:
    """The charges of a destination as the calculation takes them."""
    charges = orjson.loads(stored) if stored else {}
    return Rates(
        *[
            tuple(
                RateRow(threshold, value, type, per_unit == "Y")
                for threshold, value, type, per_unit in charges.get(measure, ())
            )
            for measure in MEASURES
        ]
    )
