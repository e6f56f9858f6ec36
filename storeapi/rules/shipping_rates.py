"""Tables of shipping charges: as they are sent, stored, and shown. Pure.

Source: spec/entities/shippings.md, section 2.1.
"""

from collections.abc import Mapping
from typing import Any

import orjson
from marshmallow import ValidationError

from config.destinations import EVERYWHERE_ID
from storeapi.core.kinds import (
    Choice,
    Decimal,
    Flag,
    decimal_number,
    invalid,
    scaled_of,
    trimmed_text,
)
from storeapi.rules.destinations import read_by_destination
from storeapi.rules.shipping_cost import RateRow, Rates

MEASURES: Mapping[str, int] = {"C": 2, "W": 3, "I": 0}
"""Cost, weight and items, and the decimal places of their thresholds."""

_MOST_ROWS = 1000
_LARGEST = 10**12
_VALUE = Decimal(3)
_TYPE = Choice("F", "P")
_PER_UNIT = Flag()

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
    faults: dict[str, Any] = {}
    for measure, rows in value.items():
        try:
            if measure not in MEASURES:
                raise invalid("must be one of C, W, I", "unknown")
            found[measure] = _rows(rows or [], MEASURES[measure])
        except ValidationError as error:
            faults[measure[:64]] = error.messages
    if faults:
        raise ValidationError({"rate_value": faults})
    return {measure: rows for measure, rows in found.items() if rows}


def _rows(sent: Any, places: int) -> list[Row]:
    if isinstance(sent, dict):
        entries = list(sent.items())
    elif isinstance(sent, list):
        # Records of other servers print an empty table as an array in an array.
        entries = [(_threshold_of(row), row) for row in sent if row not in ([], {})]
    else:
        raise invalid("must be an object or an array")
    if len(entries) > _MOST_ROWS:
        raise invalid(f"holds more than {_MOST_ROWS} rows", "too_long")
    found: dict[int, Row] = {}
    for threshold, row in entries:
        number = scaled_of(threshold, places)
        if not 0 <= number < _LARGEST:
            raise invalid("holds a threshold below 0, or too large", "out_of_range")
        if number in found:
            raise invalid(f"holds the threshold {str(threshold)[:20]} twice")
        found[number] = (number, *_row(row))
    return [found[number] for number in sorted(found)]


def _threshold_of(row: Any) -> Any:
    if not isinstance(row, dict):
        raise invalid("must hold objects")
    return row.get("amount", row.get("range_from_value"))


def _row(row: Any) -> tuple[int, str, str]:
    if not isinstance(row, dict):
        return _VALUE.parse(row), "F", "N"
    type, per_unit = row.get("type"), row.get("per_unit")
    return (
        _VALUE.parse(row.get("value")),
        "F" if type is None else _TYPE.parse(type),
        "N" if per_unit is None else _PER_UNIT.parse(per_unit),
    )


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
