"""What taxes come to, for one thing that is sold. Pure and exact.

Source: spec/entities/taxes.md, section 5.2.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from storeapi.rules.money import PER_CENT, THOUSANDTHS, Currency, Exact


@dataclass(frozen=True, slots=True)
class TaxRule:
    """A tax with its rate at the destination that decides.

    Units: `rate` in thousandths, of a per cent (`P`) or of a unit of money (`F`).
    Shapes: `displayed` taxes are part of the prices that are shown.
    """

    tax_id: int
    rate: int
    rate_type: str = "P"
    included: bool = False
    priority: int = 0
    description: str = ""
    regnumber: str = ""
    displayed: bool = False

    def amount(self, base: Exact, pieces: int, currency: Currency) -> Exact:
        """What the tax comes to, not rounded.

        Source: spec/entities/taxes.md, rules 5.2.1 to 5.2.3.
        """
        if self.rate_type == "F":
            return Fraction(self.rate * currency.scale * pieces, THOUSANDTHS)
        whole = PER_CENT + self.rate if self.included else PER_CENT
        return Fraction(base.numerator * self.rate, base.denominator * whole)


def taxes_of(
    base: Exact,
    pieces: int,
    rules: Iterable[TaxRule],
    currency: Currency,
) -> Mapping[int, Exact]:
    """What each of several taxes on one thing comes to, by tax ID.

    Taxes of one priority have the same base; that of a higher number contains
    what lower ones add on top.
    Source: spec/entities/taxes.md, rule 5.2.5.
    """
    found: dict[int, Exact] = {}
    on_top: list[Exact] = []
    priority = None
    for rule in sorted(rules, key=lambda rule: (rule.priority, rule.tax_id)):
        if rule.priority != priority:
            base, on_top, priority = sum(on_top, base), [], rule.priority
        amount = found[rule.tax_id] = rule.amount(base, pieces, currency)
        if not rule.included:
            on_top.append(amount)
    return found
