"""Figures that follow from the prices and quantities of a product."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from storeapi.core.kinds import decimal_number
from storeapi.rules.money import Currency


def discount(list_price: int, price: int) -> float | int | None:
    """How far the price lies under the list price; `None` if it does not.

    Units: minor units in, the currency's unit as a JSON number out.
    """
    return decimal_number(list_price - price, 2) if list_price > price else None


def discount_per_cent(list_price: int, price: int) -> int | None:
    """That discount in whole per cent of the list price, half up."""
    if list_price <= price:
        return None
    return (200 * (list_price - price) + list_price) // (2 * list_price)


def offered_quantities(
    min_qty: int, max_qty: int, qty_step: int, list_qty_count: int
) -> list[int]:
    """The quantities of the drop-down: multiples of the step, within the limits.

    Shapes: empty where the product has no drop-down.
    """
    if not list_qty_count:
        return []
    step = qty_step or 1
    first = max(step, -(-max(min_qty, 1) // step) * step)
    found = [first + step * n for n in range(min(list_qty_count, 1000))]
    return [n for n in found if not max_qty or n <= max_qty]


@dataclass(frozen=True, slots=True)
class QuantityPrice:
    """A price from a quantity on; a `per_cent` off the base takes its place."""

    lower_limit: int
    price: int
    per_cent: int = 0

    def of(self, base: int, currency: Currency) -> int:
        """The unit price that it means. Units: minor units."""
        if not self.per_cent:
            return self.price
        return currency.rounded(Fraction(base * (100 - self.per_cent), 100))


def catalogue_price(
    base: int, prices: Iterable[QuantityPrice], amount: int, currency: Currency
) -> int:
    """The unit price of so many pieces.

    The price with the largest limit that is reached holds, the base price being
    that from one piece on; of several groups' prices the lowest one.
    Units: minor units.
    Source: spec/entities/products.md, section 2.7; orders.md, rule 5.2.2.
    """
    reached = [each for each in prices if each.lower_limit <= amount]
    limit = max([each.lower_limit for each in reached], default=1)
    held = [each.of(base, currency) for each in reached if each.lower_limit == limit]
    return min([*held, base] if limit == 1 else held)


def check_quantity(amount: int, min_qty: int, max_qty: int, qty_step: int) -> str:
    """Say what is wrong with a quantity; nothing if it may be bought.

    Source: spec/entities/orders.md, rule 5.1.4.
    """
    if amount < min_qty:
        return f"must be {min_qty} or more"
    if 0 < max_qty < amount:
        return f"must be {max_qty} or less"
    if qty_step and amount % qty_step:
        return f"must be a multiple of {qty_step}"
    return ""
