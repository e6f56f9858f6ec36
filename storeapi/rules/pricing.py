"""Figures that follow from the prices and quantities of a product."""

from storeapi.core.kinds import decimal_number


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
