"""What a shipping method costs for a group of products. Pure.

Source: spec/entities/shippings.md, section 5.2.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from storeapi.rules.lines import Goods
from storeapi.rules.money import PER_CENT, THOUSANDTHS, Currency, Exact

_DOLLARS = Currency()


class RateRow(NamedTuple):
    """A charge that holds from a threshold on.

    Units: `threshold` in those of its measure; `value` in thousandths, of a unit of
    money (`F`) or of a per cent of the goods (`P`).
    """

    threshold: int
    value: int
    type: str = "F"
    per_unit: bool = False


class Rates(NamedTuple):
    """The charges of a method at a destination: by cost, by weight, by pieces."""

    cost: Sequence[RateRow] = ()
    weight: Sequence[RateRow] = ()
    items: Sequence[RateRow] = ()


class Measures(NamedTuple):
    """What charges are measured by.

    Units: `cost` and `freight` in minor units; weights in thousandths.
    Shapes: what ships free counts in `package_weight` only.
    """

    cost: int = 0
    weight: int = 0
    items: int = 0
    freight: int = 0
    package_weight: int = 0


def measures_of(lines: Iterable[Goods]) -> Measures:
    """Measure the lines that are to be shipped; those that ship free cost nothing."""
    shipped = [line for line in lines if line.needs_shipping]
    paid = [line for line in shipped if not line.free_shipping]
    return Measures(
        sum(line.price * line.amount for line in paid),
        sum(line.weight * line.amount for line in paid),
        sum(line.amount for line in paid),
        sum(line.shipping_freight * line.amount for line in paid),
        sum(line.weight * line.amount for line in shipped),
    )


def shipping_cost(
    rates: Rates,
    measures: Measures,
    currency: Currency = _DOLLARS,
    *,
    carrier: int = 0,
) -> int:
    """The cost of a method: the sum of its three charges and the freight.

    Goods that all ship free cost nothing, whatever the charges from 0 on.
    Units: minor units; `carrier` is the price that a carrier asked.
    """
    if not measures.items:
        return 0
    charges: list[Exact] = [
        _charge(rows, measure, unit, measures.cost, currency)
        for rows, measure, unit in (
            (rates.cost, measures.cost, currency.scale),
            (rates.weight, measures.weight, THOUSANDTHS),
            (rates.items, measures.items, 1),
        )
        if rows
    ]
    return max(0, currency.rounded(sum(charges) + (measures.freight + carrier)))


def _charge(
    rows: Sequence[RateRow], measure: int, unit: int, cost: int, currency: Currency
) -> Exact:
    """The charge of the largest threshold that the measure reaches.

    Units: so much of the measure is one `unit`, for charges per unit.
    """
    reached = [row for row in rows if row.threshold <= measure]
    if not reached:
        return 0
    row = max(reached, key=lambda row: row.threshold)
    if row.type == "P":
        charge, whole = cost * row.value, PER_CENT
    else:
        charge, whole = row.value * currency.scale, THOUSANDTHS
    if row.per_unit:
        charge, whole = charge * measure, whole * unit
    return Fraction(charge, whole)
