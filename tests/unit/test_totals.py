"""The totals of orders (orders.md 5.2, taxes.md 5.2, payments.md 5.1)."""

from typing import Any

import pytest

from storeapi.rules.lines import TaxedLine, item_id
from storeapi.rules.money import Currency
from storeapi.rules.taxing import TaxRule
from storeapi.rules.totals import (
    Bill,
    LineTotals,
    ShippingCharge,
    Surcharge,
    Totals,
    calculate,
)

VAT = TaxRule(3, 20_000, included=True, description="VAT 20%")
LANTERN, BLANKET = 3832313845, 3272139685


def line(price: int, amount: int = 1, *taxes: int, **more: Any) -> TaxedLine:
    more = {"item_id": 1} | more
    return TaxedLine(price=price, amount=amount, tax_ids=taxes, **more)


def total(*lines: TaxedLine, taxes: list[TaxRule] | None = None, **more: Any) -> Totals:
    rules = {rule.tax_id: rule for rule in taxes or []}
    return calculate(Bill(lines=lines, taxes=rules, **more))


def test_the_order_of_the_specification() -> None:
    found = total(
        line(2450, 2, 3, item_id=LANTERN),
        line(6000, 1, 3, item_id=BLANKET),
        shippings=[ShippingCharge(4, 650, (3,))],
        surcharge=Surcharge(5, 300, 1000),
        taxes=[VAT],
    )
    assert (found.subtotal, found.shipping_cost) == (10900, 650)
    assert (found.payment_surcharge, found.total) == (146, 11696)
    assert (found.tax_subtotal, found.discount) == (0, 0)
    assert (found.display_subtotal, found.display_shipping_cost) == (10900, 650)
    tax = found.taxes[3]
    assert (tax.products, tax.shipping, tax.surcharge, tax.amount) == (
        1817,
        108,
        0,
        1925,
    )
    assert (tax.items, tax.shippings, tax.payments) == ((LANTERN, BLANKET), (4,), ())
    assert found.lines[LANTERN] == LineTotals(4900, 0, 4900)


@pytest.mark.parametrize(
    ("rule", "base", "amount"),
    [
        # Percent, included.
        (VAT, 10900, 1817),
        (VAT, 650, 108),
        (TaxRule(3, 10_000, included=True), 97200, 8836),
        (TaxRule(3, 10_000, included=True), 2800, 255),
        # Percent, on top.
        (TaxRule(3, 4_500), 10900, 491),
        (TaxRule(3, 20_000), 0, 0),
        # Fixed, whatever the base.
        (TaxRule(3, 1_255, "F"), 10900, 126),
        (TaxRule(3, 1_255, "F", included=True), 0, 126),
    ],
)
def test_a_tax_on_one_amount(rule: TaxRule, base: int, amount: int) -> None:
    found = total(line(base, 1, 3), taxes=[rule])
    assert found.taxes[3].products == amount
    assert found.tax_subtotal == (0 if rule.included else amount)
    assert found.total == base + found.tax_subtotal


def test_taxes_in_prices_do_not_change_the_total() -> None:
    tax = TaxRule(2, 10_000, included=True)
    found = total(
        line(97200, 1, 2),
        shippings=[ShippingCharge(1, 2800, (2,))],
        taxes=[tax],
    )
    assert (found.total, found.tax_subtotal) == (100000, 0)
    assert found.taxes[2].amount == 8836 + 255


def test_a_fixed_tax_counts_pieces_and_shippings() -> None:
    rule = TaxRule(3, 500, "F")
    found = total(
        line(100, 3, 3),
        shippings=[ShippingCharge(4, 650, (3,))],
        surcharge=Surcharge(5, 1_000, 0, (3,)),
        taxes=[rule],
    )
    tax = found.taxes[3]
    assert (tax.products, tax.shipping, tax.surcharge) == (150, 50, 50)


def test_a_higher_priority_is_taken_of_what_lower_ones_add() -> None:
    taxes = [
        TaxRule(1, 5_000, priority=0),
        TaxRule(2, 3_000, priority=0),
        TaxRule(3, 9_975, priority=1),
        TaxRule(4, 10_000, priority=2),
    ]
    found = total(line(10000, 1, 1, 2, 3, 4), taxes=taxes)
    parts = {id: tax.products for id, tax in found.taxes.items()}
    assert parts == {1: 500, 2: 300, 3: 1077, 4: 1188}
    assert found.total == 10000 + 500 + 300 + 1077 + 1188


def test_included_taxes_do_not_raise_the_next_base() -> None:
    taxes = [TaxRule(1, 20_000, included=True), TaxRule(2, 10_000, priority=1)]
    found = total(line(12000, 1, 1, 2), taxes=taxes)
    assert {id: tax.products for id, tax in found.taxes.items()} == {1: 2000, 2: 1200}


def test_a_tax_is_rounded_once_over_all_lines() -> None:
    # 0.045 each: rounded by line it would be 0.15.
    lines = [line(100, 1, 3, item_id=id) for id in (1, 2, 3)]
    found = total(*lines, taxes=[TaxRule(3, 4_500)])
    assert found.taxes[3].products == 14
    assert [each.tax_value for each in found.lines.values()] == [5, 4, 5]


def test_only_lines_that_name_a_tax_are_taxed() -> None:
    found = total(
        line(1000, 1, 3, item_id=1), line(1000, item_id=2), taxes=[TaxRule(3, 10_000)]
    )
    assert found.taxes[3].items == (1,)
    assert found.lines[2] == LineTotals(1000, 0, 1000)
    assert total(line(1000, 1, 9), taxes=[VAT]).taxes == {}


def test_whoever_is_exempt_pays_no_tax() -> None:
    found = total(line(1000, 1, 3), taxes=[TaxRule(3, 10_000)], tax_exempt=True)
    assert (found.total, found.taxes) == (1000, {})


def test_displayed_taxes_are_part_of_the_shown_prices() -> None:
    found = total(
        line(1000, 2, 1, 2),
        shippings=[ShippingCharge(4, 500, (1,))],
        taxes=[TaxRule(1, 10_000, displayed=True), TaxRule(2, 5_000)],
    )
    assert (found.display_subtotal, found.display_shipping_cost) == (2200, 550)
    assert found.lines[1] == LineTotals(2000, 300, 2200)


@pytest.mark.parametrize(
    ("surcharge", "goods", "amount"),
    [
        (Surcharge(5, 0, 1_000), 10050, 101),  # binary floats give 1.00
        (Surcharge(5, 300, 1_000), 11550, 146),
        (Surcharge(5, 1_255, 0), 10000, 126),
        (Surcharge(5, -2_000, 0), 10000, -200),
        (Surcharge(5, 0, 2_500), 0, 0),
        (None, 10000, 0),
    ],
)
def test_a_surcharge_is_rounded_once(
    surcharge: Surcharge | None, goods: int, amount: int
) -> None:
    found = total(line(goods), surcharge=surcharge)
    assert found.payment_surcharge == amount
    assert found.total == goods + amount


def test_a_surcharge_is_taken_of_shipping_and_taxes_too_and_taxed() -> None:
    found = total(
        line(10000, 1, 3),
        shippings=[ShippingCharge(4, 1000, (3,))],
        surcharge=Surcharge(5, 0, 10_000, (3,)),
        taxes=[TaxRule(3, 10_000)],
    )
    # 10 % of 100 + 10 + 11 is 12.10, taxed with 1.21.
    assert (found.payment_surcharge, found.taxes[3].surcharge) == (1210, 121)
    assert found.taxes[3].payments == (5,)
    assert (found.tax_subtotal, found.total) == (1221, 13431)


def test_a_discount_of_the_order_lowers_the_base_in_proportion() -> None:
    found = total(
        line(6000, 1, 3, item_id=1),
        line(4000, item_id=2),
        subtotal_discount=1000,
        taxes=[TaxRule(3, 10_000)],
    )
    assert found.taxes[3].products == 540
    assert (found.subtotal, found.total) == (10000, 9540)


def test_a_discount_by_hand_replaces_the_computed_one() -> None:
    lines = [line(900, 2, 3, original_price=1000, discount=100)]
    assert total(*lines).discount == 200
    found = total(*lines, discount=500, taxes=[TaxRule(3, 10_000)])
    assert (found.discount, found.subtotal) == (500, 1800)
    assert (found.taxes[3].products, found.total) == (150, 1650)


@pytest.mark.parametrize(
    ("more", "amount"),
    [({"subtotal_discount": 5000}, 0), ({"total": 777}, 777), ({"total": 0}, 0)],
)
def test_a_total_is_never_below_zero_or_is_set_by_hand(
    more: dict[str, int], amount: int
) -> None:
    assert total(line(1000, 1, 3), taxes=[TaxRule(3, 10_000)], **more).total == amount


def test_an_order_without_lines_is_zero() -> None:
    assert total().total == 0


@pytest.mark.parametrize(
    ("currency", "price", "tax", "surcharge"),
    [
        (Currency("JPY", 0, 0), 1055, 106, 12),  # 105.5; 11.605
        (Currency("JPY", 0), 105500, 10600, 1200),
        (Currency("USD"), 1055, 106, 12),
        (Currency("KWD", 3, 3), 1055, 106, 12),
    ],
)
def test_currencies_with_other_decimals(
    currency: Currency, price: int, tax: int, surcharge: int
) -> None:
    bill = Bill(
        lines=[line(price, 1, 3)],
        surcharge=Surcharge(5, 0, 1_000),
        taxes={3: TaxRule(3, 10_000)},
    )
    found = calculate(bill, currency)
    assert (found.taxes[3].products, found.payment_surcharge) == (tax, surcharge)
    assert found.total == price + tax + surcharge


def test_fixed_amounts_are_in_units_of_the_currency() -> None:
    bill = Bill(
        lines=[line(1, 2, 3)],
        surcharge=Surcharge(5, 1_500),
        taxes={3: TaxRule(3, 1_250, "F")},
    )
    yen = calculate(bill, Currency("JPY", 0, 0))
    assert (yen.taxes[3].products, yen.payment_surcharge) == (3, 2)
    dinar = calculate(bill, Currency("KWD", 3, 3))
    assert (dinar.taxes[3].products, dinar.payment_surcharge) == (2500, 1500)


@pytest.mark.parametrize(
    ("product", "values", "key"),
    [
        (31, [], 3832313845),
        (47, ["102", "110"], 3272139685),
    ],
)
def test_item_ids_are_checksums(product: int, values: list[str], key: int) -> None:
    assert item_id(product, values) == key


def test_an_item_id_that_is_taken_is_passed_over() -> None:
    first = item_id(31, [])
    second = item_id(31, ["1"])
    assert item_id(31, [], {first}) == second
    assert item_id(31, [], {first, second}) == item_id(31, ["2"])
