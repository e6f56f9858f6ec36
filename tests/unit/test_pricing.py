"""Prices by quantity, and quantities that may be bought (products.md 2.7, 5.11)."""

import pytest

from storeapi.rules.money import Currency
from storeapi.rules.pricing import QuantityPrice, catalogue_price, check_quantity

DOLLARS = Currency()
FROM_10, FROM_50 = QuantityPrice(10, 1650), QuantityPrice(50, 0, 25)


@pytest.mark.parametrize(
    ("amount", "price"),
    [(1, 1890), (9, 1890), (10, 1650), (49, 1650), (50, 1418), (1000, 1418)],
)
def test_the_largest_limit_that_is_reached_holds(amount: int, price: int) -> None:
    assert catalogue_price(1890, [FROM_50, FROM_10], amount, DOLLARS) == price


@pytest.mark.parametrize(
    ("prices", "price"),
    [
        ([], 1890),
        ([QuantityPrice(1, 1500)], 1500),
        ([QuantityPrice(1, 2000)], 1890),
        ([QuantityPrice(10, 1700), QuantityPrice(10, 1600)], 1600),
        ([QuantityPrice(10, 2500)], 2500),
        ([QuantityPrice(10, 0, 100)], 0),
    ],
)
def test_of_several_groups_the_lowest_price_holds(
    prices: list[QuantityPrice], price: int
) -> None:
    assert catalogue_price(1890, prices, 10, DOLLARS) == price


def test_a_part_of_the_price_is_an_amount_of_the_currency() -> None:
    prices = [QuantityPrice(1, 0, 25)]
    assert catalogue_price(100100, prices, 1, Currency("JPY", 0)) == 75100


@pytest.mark.parametrize(
    ("amount", "limits", "fault"),
    [
        (1, (0, 0, 0), ""),
        (1, (2, 0, 0), "must be 2 or more"),
        (2, (2, 4, 2), ""),
        (4, (2, 4, 2), ""),
        (5, (2, 4, 0), "must be 4 or less"),
        (3, (0, 0, 2), "must be a multiple of 2"),
    ],
)
def test_quantities_are_limited(
    amount: int, limits: tuple[int, int, int], fault: str
) -> None:
    assert check_quantity(amount, *limits) == fault
