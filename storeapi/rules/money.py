"""Amounts of money: how they are rounded, and cut into parts that add up.

Pure. Amounts are whole numbers; what is computed from them is an exact fraction
until it is rounded, once.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

Exact = Fraction | int
"""An amount before it is rounded."""

THOUSANDTHS = 1000
"""Fixed charges are kept in thousandths of a unit of money."""

PER_CENT = 100 * THOUSANDTHS
"""Rates are kept in thousandths of a per cent."""

LARGEST_SUM = 10**15
"""The largest figure of an order or cart, in minor units: all fit into columns."""

_WITHOUT_DECIMALS = frozenset(
    {
        "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW",
        "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF",
    }
)  # fmt: skip
_THREE_DECIMALS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency, and in which whole numbers its amounts are given.

    Units: amounts are multiples of 10 ** -`stored`; the currency itself knows
    `decimals`. Yen that are kept in hundredths move in steps of 100.
    """

    code: str = "USD"
    decimals: int = 2
    stored: int = 2

    @property
    def scale(self) -> int:
        """A unit of the currency, in the whole numbers of amounts."""
        return int(10**self.stored)

    @property
    def step(self) -> int:
        """The smallest amount that the currency has."""
        return int(10 ** max(0, self.stored - self.decimals))

    def rounded(self, amount: Exact) -> int:
        """An exact amount as one that the currency has."""
        return half_up(amount, self.step)


@cache
def currency_of(code: str) -> Currency:
    """The currency with an ISO code, kept in hundredths as the wire shows it.

    A third decimal is neither stored nor shown.
    """
    code = code.upper()
    if code in _WITHOUT_DECIMALS:
        return Currency(code, 0)
    return Currency(code, 3 if code in _THREE_DECIMALS else 2)


def half_up(number: Exact, step: int = 1) -> int:
    """Round to a multiple of `step`; a half goes away from zero.

    An amount and its negation so round to the same, but for the sign.
    Source: spec/entities/orders.md, section 5.2.
    """
    above, below = number.numerator, number.denominator * step
    found = (2 * abs(above) + below) // (2 * below) * step
    return found if above >= 0 else -found


def spread(shares: Iterable[Exact], step: int = 1) -> list[int]:
    """Round shares so that the parts add up to their rounded sum.

    Each part is what the running sum gains by it, so none differs from its share
    by a whole step.
    """
    parts: list[int] = []
    exact: Exact = 0
    given = 0
    for share in shares:
        exact += share
        parts.append(half_up(exact, step) - given)
        given += parts[-1]
    return parts
