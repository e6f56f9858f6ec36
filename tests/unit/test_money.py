"""Rounding, and the decimals of currencies."""

from fractions import Fraction

import pytest

from storeapi.rules.money import Currency, currency_of, half_up, spread


@pytest.mark.parametrize(
    ("number", "step", "rounded"),
    [
        (Fraction(1005, 10), 1, 101),  # binary floats give 100
        (Fraction(1004999, 10000), 1, 100),
        (Fraction(-1005, 10), 1, -101),
        (Fraction(1, 3), 1, 0),
        (0, 1, 0),
        (149, 100, 100),
        (150, 100, 200),
        (-150, 100, -200),
    ],
)
def test_halves_go_away_from_zero(number: Fraction, step: int, rounded: int) -> None:
    assert half_up(number, step) == rounded


def test_parts_add_up_to_the_rounded_sum() -> None:
    assert spread([Fraction(1, 3)] * 4) == [0, 1, 0, 0]
    assert spread([Fraction(1, 2), Fraction(1, 2)]) == [1, 0]
    assert spread([Fraction(50), Fraction(50)], 100) == [100, 0]
    assert spread([]) == []


@pytest.mark.parametrize(
    ("code", "decimals", "step"),
    [("USD", 2, 1), ("jpy", 0, 100), ("KWD", 3, 1), ("EUR", 2, 1)],
)
def test_amounts_of_the_store_are_hundredths(
    code: str, decimals: int, step: int
) -> None:
    currency = currency_of(code)
    assert (currency.decimals, currency.scale) == (decimals, 100)
    assert currency.step == step


def test_a_currency_in_its_own_minor_units() -> None:
    assert Currency("JPY", 0, 0).scale == 1
    assert Currency("KWD", 3, 3).scale == 1000
    assert Currency("KWD", 3, 3).rounded(Fraction(5, 2)) == 3
