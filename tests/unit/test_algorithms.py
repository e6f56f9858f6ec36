"""The tables of docs/algorithms.md say what the code computes."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from storeapi.rules.lines import TaxedLine
from storeapi.rules.shipping_cost import Measures, RateRow, Rates, shipping_cost
from storeapi.rules.taxing import TaxRule
from storeapi.rules.totals import Bill, Surcharge, calculate

PAGE = Path(__file__).parents[2] / "docs" / "algorithms.md"


def rows(*heads: str) -> Iterator[list[str]]:
    lines = iter(PAGE.read_text("utf-8").splitlines())
    head = f"| {' | '.join(heads)} |"
    next(line for line in lines if line == head)
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def scaled(text: str, places: int) -> int:
    return int(Decimal(text.removesuffix(" %")).scaleb(places))


def test_taxes_of_the_page() -> None:
    found = 0
    for rate, included, base, _, tax in rows(
        "Rate", "In the price", "Base", "Computed", "Tax"
    ):
        rule = TaxRule(3, scaled(rate, 3), included=included == "yes")
        line = TaxedLine(item_id=1, price=scaled(base, 2), amount=1, tax_ids=(3,))
        totals = calculate(Bill(lines=[line], taxes={3: rule}))
        assert totals.taxes[3].products == scaled(tax, 2)
        found += 1
    assert found == 6


def test_priorities_of_the_page() -> None:
    table = list(rows("Tax", "Priority", "Base", "Computed", "Tax"))
    taxes = {
        id: TaxRule(id, scaled(row[0], 3), priority=int(row[1]))
        for id, row in enumerate(table)
    }
    line = TaxedLine(item_id=1, price=10000, amount=1, tax_ids=tuple(taxes))
    totals = calculate(Bill(lines=[line], taxes=taxes))
    computed = [totals.taxes[id].products for id in taxes]
    assert computed == [scaled(row[4], 2) for row in table]
    assert len(computed) == 4


def test_shipping_of_the_page() -> None:
    rates = Rates(
        cost=[RateRow(0, 40_000), RateRow(3000, 10_000), RateRow(5000, 5_000)],
        items=[RateRow(0, 23_000), RateRow(10, 15_000)],
    )
    found = 0
    for goods, pieces, _, _, cost in rows(
        "Goods", "Pieces", "By cost", "By pieces", "Cost"
    ):
        measures = Measures(scaled(goods, 2), 0, int(pieces))
        assert shipping_cost(rates, measures) == scaled(cost, 2)
        found += 1
    assert found == 4


def test_surcharges_of_the_page() -> None:
    found = 0
    for fixed, per_cent, base, _, amount in rows(
        "Fixed", "Per cent", "Of", "Computed", "Surcharge"
    ):
        line = TaxedLine(item_id=1, price=scaled(base, 2), amount=1)
        surcharge = Surcharge(5, scaled(fixed, 3), scaled(per_cent, 3))
        totals = calculate(Bill(lines=[line], surcharge=surcharge))
        assert totals.payment_surcharge == scaled(amount, 2)
        found += 1
    assert found == 3
