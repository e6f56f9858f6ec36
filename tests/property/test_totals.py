"""The parts of any order add up to its totals."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from storeapi.rules.lines import TaxedLine
from storeapi.rules.money import Currency, spread
from storeapi.rules.taxing import TaxRule
from storeapi.rules.totals import Bill, ShippingCharge, Surcharge, calculate

CURRENCIES = st.sampled_from(
    [Currency(), Currency("JPY", 0, 0), Currency("JPY", 0), Currency("KWD", 3, 3)]
)
TAX_IDS = (1, 2, 3, 4)
RULES = st.builds(
    TaxRule,
    tax_id=st.just(0),
    rate=st.integers(1, 120_000),
    rate_type=st.sampled_from(["P", "P", "P", "F"]),
    included=st.booleans(),
    priority=st.integers(0, 2),
    displayed=st.booleans(),
)
NAMED = st.lists(st.sampled_from(TAX_IDS), max_size=4).map(tuple)


@st.composite
def bills(draw: Callable[[Any], Any]) -> tuple[Bill, Currency]:
    currency = draw(CURRENCIES)
    step = currency.step
    money = st.integers(0, 10_000_000 // step).map(lambda n: n * step)
    rules = [draw(RULES) for _ in TAX_IDS]
    taxes = {
        id: TaxRule(
            id, r.rate, r.rate_type, r.included, r.priority, displayed=r.displayed
        )
        for id, r in zip(TAX_IDS, rules, strict=True)
    }
    lines = [
        TaxedLine(
            item_id=id,
            price=draw(money),
            amount=draw(st.integers(1, 50)),
            discount=draw(money),
            tax_ids=draw(NAMED),
        )
        for id in range(draw(st.integers(1, 6)))
    ]
    bill = Bill(
        lines=lines,
        shippings=[
            ShippingCharge(id, draw(money), draw(NAMED))
            for id in range(draw(st.integers(0, 2)))
        ],
        surcharge=draw(
            st.none()
            | st.builds(
                Surcharge,
                st.just(5),
                st.integers(-20_000, 20_000),
                st.integers(0, 20_000),
                NAMED,
            )
        ),
        taxes=taxes,
        tax_exempt=draw(st.integers(0, 9)) == 0,
        subtotal_discount=draw(st.just(0) | money),
        discount=draw(st.none() | money),
    )
    return bill, currency


@settings(max_examples=2000, deadline=None)
@given(bills())
def test_parts_add_up_to_totals(case: tuple[Bill, Currency]) -> None:
    bill, currency = case
    found = calculate(bill, currency)
    goods = found.subtotal
    if bill.discount is not None:
        goods = sum(line.undiscounted for line in bill.lines) - bill.discount
    taxes = found.taxes.values()
    assert found.total == max(
        0,
        goods
        - bill.subtotal_discount
        + found.shipping_cost
        + found.tax_subtotal
        + found.payment_surcharge,
    )
    assert found.tax_subtotal == sum(tax.on_top for tax in taxes)
    assert all(
        tax.amount == tax.products + tax.shipping + tax.surcharge for tax in taxes
    )
    lines = found.lines.values()
    assert sum(each.subtotal for each in lines) == found.subtotal
    assert sum(each.tax_value for each in lines) == sum(
        tax.products for tax in taxes if not tax.rule.included
    )
    assert sum(each.display_subtotal for each in lines) == found.display_subtotal
    for amount in (found.total, found.payment_surcharge, found.tax_subtotal):
        assert amount % currency.step == 0


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.fractions(0, 10_000, max_denominator=1000), max_size=30),
    st.sampled_from([1, 100]),
)
def test_spread_parts_stay_near_their_shares(shares: list[Fraction], step: int) -> None:
    parts = spread(shares, step)
    assert all(
        abs(part - share) < step for part, share in zip(parts, shares, strict=True)
    )
