"""What shipping costs (shippings.md, section 5.2)."""

from typing import Any

import pytest

from storeapi.rules.choices import Choice
from storeapi.rules.lines import Line
from storeapi.rules.money import Currency
from storeapi.rules.shipping_cost import (
    Measures,
    RateRow,
    Rates,
    measures_of,
    shipping_cost,
)

# The published sample: charges by cost and by pieces.
SAMPLE = Rates(
    cost=[RateRow(0, 40_000), RateRow(3000, 10_000), RateRow(5000, 5_000)],
    items=[RateRow(0, 23_000), RateRow(10, 15_000)],
)
# The example of the specification: by cost, and from 2 units of weight on.
COURIER = Rates(
    cost=[RateRow(0, 9_000), RateRow(5000, 5_000)], weight=[RateRow(2000, 1_500)]
)


def line(**more: Any) -> Line:
    more = {"item_id": 1, "product_id": 1, "company_id": 1, "amount": 1} | more
    return Line(**{"price": 1000, "choice": Choice(more["product_id"]), **more})


@pytest.mark.parametrize(
    ("rates", "measures", "cost"),
    [
        (SAMPLE, Measures(97200, 0, 1), 2800),
        (SAMPLE, Measures(33299, 0, 4), 2800),
        (SAMPLE, Measures(2999, 0, 10), 5500),
        (SAMPLE, Measures(3000, 0, 9), 3300),
        (COURIER, Measures(10900, 3100, 3), 650),
        (COURIER, Measures(10900, 1999, 3), 500),
        (COURIER, Measures(4999, 2000, 3), 1050),
        # No row is reached, or there is none.
        (Rates(cost=[RateRow(5000, 1_000)]), Measures(4999, 0, 1), 0),
        (Rates(), Measures(10900, 3100, 3), 0),
        # The order of the rows does not matter.
        (Rates(items=[RateRow(2, 1_000), RateRow(0, 9_000)]), Measures(1, 0, 2), 100),
        # Per cent of the goods, whatever the measure; half up.
        (Rates(cost=[RateRow(0, 10_000, "P")]), Measures(10905, 0, 1), 1091),
        (Rates(weight=[RateRow(0, 5_000, "P")]), Measures(10000, 1, 1), 500),
        # Per unit of the measure.
        (Rates(weight=[RateRow(0, 1_500, "F", True)]), Measures(1, 3100, 1), 465),
        (Rates(items=[RateRow(0, 700, "F", True)]), Measures(1, 0, 3), 210),
        (Rates(cost=[RateRow(0, 20, "F", True)]), Measures(10900, 0, 1), 218),
        (Rates(items=[RateRow(0, 1_000, "P", True)]), Measures(10000, 0, 2), 200),
        # The freight of the products comes on top; a discount ends at nothing.
        (COURIER, Measures(10900, 3100, 3, freight=125), 775),
        (Rates(cost=[RateRow(0, -9_000)]), Measures(100, 0, 1), 0),
        # What ships free costs nothing, whatever the charge from 0 on.
        (COURIER, Measures(package_weight=9000), 0),
    ],
)
def test_the_cost_is_the_sum_of_three_charges(
    rates: Rates, measures: Measures, cost: int
) -> None:
    assert shipping_cost(rates, measures) == cost


def test_the_price_of_a_carrier_comes_on_top() -> None:
    assert shipping_cost(COURIER, Measures(10900, 3100, 3), carrier=1234) == 1884


@pytest.mark.parametrize(
    ("currency", "cost"),
    [
        (Currency("JPY", 0, 0), 13),
        (Currency("JPY", 0), 1300),
        (Currency("KWD", 3, 3), 12500),
    ],
)
def test_charges_in_other_currencies(currency: Currency, cost: int) -> None:
    rates = Rates(items=[RateRow(0, 12_500)])
    assert shipping_cost(rates, Measures(1, 0, 1), currency) == cost


def test_measures_leave_out_what_is_not_carried_or_free() -> None:
    lines = [
        line(item_id=1, amount=2, weight=500, shipping_freight=30),
        line(item_id=2, price=9900, weight=4000, free_shipping=True),
        line(item_id=3, price=700, is_edp=True, weight=100),
        line(item_id=4, price=800, is_edp=True, edp_shipping=True, weight=10),
    ]
    assert measures_of(lines) == Measures(2800, 1010, 3, 60, 5010)
