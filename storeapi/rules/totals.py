"""The totals of an order: discounts, shipping, taxes, surcharge. Pure.

Amounts are exact until they are rounded, at one level: once per tax and part
(products, shipping, surcharge), once per shipping method, once for the surcharge.
So the parts that are shown add up to the total.
Source: spec/entities/orders.md, section 5.2; taxes.md, section 5.2.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from storeapi.rules.lines import TaxedLine
from storeapi.rules.money import PER_CENT, THOUSANDTHS, Currency, Exact, spread
from storeapi.rules.taxing import TaxRule, taxes_of

_DOLLARS = Currency()


class ShippingCharge(NamedTuple):
    """What a chosen shipping method costs. Units: minor units."""

    shipping_id: int
    cost: int
    tax_ids: tuple[int, ...] = ()


class Surcharge(NamedTuple):
    """What a payment method adds.

    Units: thousandths, `fixed` of a unit of money, `per_cent` of a per cent.
    """

    payment_id: int
    fixed: int = 0
    per_cent: int = 0
    tax_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """All that the totals of an order follow from.

    Shapes: `taxes` holds those that apply, by ID; others are passed over. A
    `discount` or `total` that is set takes the place of the computed one.
    """

    lines: Sequence[TaxedLine]
    shippings: Sequence[ShippingCharge] = ()
    surcharge: Surcharge | None = None
    taxes: Mapping[int, TaxRule] = field(default_factory=lambda: MappingProxyType({}))
    tax_exempt: bool = False
    subtotal_discount: int = 0
    discount: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class TaxAmount:
    """A tax of an order: its rounded parts, and what they are taken of."""

    rule: TaxRule
    products: int = 0
    shipping: int = 0
    surcharge: int = 0
    items: tuple[int, ...] = ()
    shippings: tuple[int, ...] = ()
    payments: tuple[int, ...] = ()

    @property
    def amount(self) -> int:
        """The sum of the parts."""
        return self.products + self.shipping + self.surcharge

    @property
    def on_top(self) -> int:
        """What of it the customer pays beside the prices."""
        return 0 if self.rule.included else self.amount


class LineTotals(NamedTuple):
    """What a line shows: the tax on top is its share of the rounded parts."""

    subtotal: int
    tax_value: int = 0
    display_subtotal: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The figures of an order. Shapes: `taxes` by tax ID, `lines` by item ID."""

    subtotal: int
    discount: int
    subtotal_discount: int
    shipping_cost: int
    payment_surcharge: int
    tax_subtotal: int
    total: int
    display_subtotal: int
    display_shipping_cost: int
    taxes: Mapping[int, TaxAmount]
    lines: Mapping[int, LineTotals]


class _Part(NamedTuple):
    """A part of the bill that is taxed.

    Shapes: `amounts` are exact, by tax ID and thing; `rounded` is the tax on the
    whole part, rounded once, by tax ID.
    """

    amounts: Mapping[int, Mapping[int, Exact]]
    rounded: Mapping[int, int]

    def tax(self, tax_id: int) -> int:
        """What one tax comes to."""
        return self.rounded.get(tax_id, 0)

    def things(self, tax_id: int) -> tuple[int, ...]:
        """The things that the tax is taken of."""
        return tuple(self.amounts.get(tax_id, ()))

    def on_top(self, taxes: Mapping[int, TaxRule], *, displayed: bool = False) -> int:
        """The taxes that come on top; or those of them that shown prices contain."""
        return sum(
            amount
            for id, amount in self.rounded.items()
            if not taxes[id].included and (taxes[id].displayed or not displayed)
        )


class _Thing(NamedTuple):
    """Something that is taxed: its key, base, pieces, and taxes."""

    id: int
    base: Exact
    pieces: int
    tax_ids: tuple[int, ...]


def calculate(bill: Bill, currency: Currency = _DOLLARS) -> Totals:
    """Add up an order.

    Units: all money in the currency's whole numbers (minor units).
    Source: spec/entities/orders.md, rules 5.2.3 to 5.2.8.
    """
    taxes = {} if bill.tax_exempt else bill.taxes
    shipping = sum(each.cost for each in bill.shippings)
    goods = _goods(bill)
    on_items = _tax(_taxed_lines(bill, goods), taxes, currency)
    on_shipping = _tax(
        [_Thing(s.shipping_id, s.cost, 1, s.tax_ids) for s in bill.shippings],
        taxes,
        currency,
    )
    added = on_items.on_top(taxes) + on_shipping.on_top(taxes)
    surcharge = _surcharge(bill.surcharge, goods + shipping + added, currency)
    on_surcharge = _tax(_taxed_surcharge(bill.surcharge, surcharge), taxes, currency)
    added += on_surcharge.on_top(taxes)
    computed = max(0, goods + shipping + added + surcharge)
    lines = _line_totals(bill.lines, on_items, taxes, currency.step)
    subtotal = sum(line.subtotal for line in bill.lines)
    discount = sum(line.discount * line.amount for line in bill.lines)
    return Totals(
        subtotal=subtotal,
        discount=discount if bill.discount is None else bill.discount,
        subtotal_discount=bill.subtotal_discount,
        shipping_cost=shipping,
        payment_surcharge=surcharge,
        tax_subtotal=added,
        total=computed if bill.total is None else bill.total,
        display_subtotal=subtotal + on_items.on_top(taxes, displayed=True),
        display_shipping_cost=shipping + on_shipping.on_top(taxes, displayed=True),
        taxes=_tax_amounts(taxes, on_items, on_shipping, on_surcharge),
        lines=lines,
    )


def _goods(bill: Bill) -> int:
    """What the products cost after all discounts.

    Source: spec/entities/orders.md, rule 5.2.7.
    """
    if bill.discount is None:
        before = sum(line.subtotal for line in bill.lines)
    else:
        before = sum(line.undiscounted for line in bill.lines) - bill.discount
    return before - bill.subtotal_discount


def _taxed_lines(bill: Bill, goods: int) -> list[_Thing]:
    """The lines with their share of what is left after the order's discounts.

    Source: spec/entities/taxes.md, rule 5.2.4.
    """
    by_hand = bill.discount is not None
    worth = [line.undiscounted if by_hand else line.subtotal for line in bill.lines]
    whole = sum(worth)
    left = 1 if goods == whole else Fraction(max(0, goods), whole or 1)
    return [
        _Thing(line.item_id, left * each, line.amount, line.tax_ids)
        for line, each in zip(bill.lines, worth, strict=True)
    ]


def _taxed_surcharge(surcharge: Surcharge | None, amount: int) -> list[_Thing]:
    if surcharge is None or not amount:
        return []
    return [_Thing(surcharge.payment_id, amount, 1, surcharge.tax_ids)]


def _surcharge(surcharge: Surcharge | None, base: int, currency: Currency) -> int:
    """The surcharge of a payment method, rounded once.

    Source: spec/entities/orders.md, rule 5.2.6.
    """
    if surcharge is None:
        return 0
    fixed = surcharge.fixed * currency.scale * (PER_CENT // THOUSANDTHS)
    part = max(0, base) * surcharge.per_cent
    return currency.rounded(Fraction(fixed + part, PER_CENT))


def _tax(
    things: Iterable[_Thing], taxes: Mapping[int, TaxRule], currency: Currency
) -> _Part:
    amounts: dict[int, dict[int, Exact]] = {}
    for thing in things:
        rules = [taxes[id] for id in dict.fromkeys(thing.tax_ids) if id in taxes]
        found = taxes_of(thing.base, thing.pieces, rules, currency)
        for tax_id, amount in found.items():
            by_thing = amounts.setdefault(tax_id, {})
            known = by_thing.get(thing.id)
            by_thing[thing.id] = amount if known is None else known + amount
    rounded = {
        id: currency.rounded(sum(by_thing.values())) for id, by_thing in amounts.items()
    }
    return _Part(amounts, rounded)


def _tax_amounts(
    taxes: Mapping[int, TaxRule], items: _Part, shipping: _Part, surcharge: _Part
) -> dict[int, TaxAmount]:
    return {
        id: TaxAmount(
            rule,
            products=items.tax(id),
            shipping=shipping.tax(id),
            surcharge=surcharge.tax(id),
            items=items.things(id),
            shippings=shipping.things(id),
            payments=surcharge.things(id),
        )
        for id, rule in sorted(taxes.items())
        if any(id in part.amounts for part in (items, shipping, surcharge))
    }


def _line_totals(
    lines: Sequence[TaxedLine],
    part: _Part,
    taxes: Mapping[int, TaxRule],
    step: int,
) -> dict[int, LineTotals]:
    """Give each line its share of the taxes on top; the shares add up to them."""
    added = {line.item_id: 0 for line in lines}
    shown = dict(added)
    for tax_id, by_item in part.amounts.items():
        if taxes[tax_id].included:
            continue
        shares = spread(by_item.values(), step)
        for item, share in zip(by_item, shares, strict=True):
            added[item] += share
            shown[item] += share if taxes[tax_id].displayed else 0
    return {
        line.item_id: LineTotals(
            line.subtotal, added[line.item_id], line.subtotal + shown[line.item_id]
        )
        for line in lines
    }
