"""Making orders: one of each company whose products are bought, all or none.

Source: spec/entities/orders.md, section 5.1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.errors import FieldError, InvalidInput
from storeapi.core.rows import table_of
from storeapi.models import Order, OrderItem, OrderShipping, OrderTax
from storeapi.rules.companies import VENDOR
from storeapi.rules.lines import Line
from storeapi.rules.order_items import line_rows, take_pieces
from storeapi.rules.order_lines import Sale, price_lines
from storeapi.rules.order_sent import Sent
from storeapi.rules.order_statuses import note_step, number_documents
from storeapi.rules.order_terms import (
    Charge,
    Figures,
    Seller,
    Terms,
    added_up,
    charge_shipping,
    reckon,
    sellers,
    sums_of,
    tax_rows,
)
from storeapi.rules.payments import PaymentMethod, available_payment
from storeapi.rules.statuses import DEFAULT, StatusRule, hold_status
from storeapi.rules.totals import Totals

PARENT = "T"
"""The status of a parent order, and what marks it."""

_ORDERS = table_of(Order)
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """A purchase that is to become one order, or several.

    Shapes: it is made at the `seller`, which sells the products of vendors too if it is
    a `marketplace`; `values` holds columns that all orders share.
    """

    seller: Seller
    marketplace: bool
    payment_id: int
    sent: Sent
    terms: Terms
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def company_id(self) -> int:
        """The company it is made at."""
        return self.seller.company_id


@dataclass(frozen=True, slots=True)
class _Draft:
    """One order that is to be made."""

    seller: Seller
    items: Sequence[Line]
    charges: Sequence[Charge]
    totals: Totals


def make_orders(db: Transaction, purchase: Purchase) -> int:
    """Make the orders of a purchase; returns the number of the one, or of their parent.

    Raises: `InvalidInput`, `Refused` if the stock has too little.
    """
    drafts, payment = _drafts(db, purchase)
    rule = hold_status(db, DEFAULT, lang_code=purchase.terms.lang_code)
    common = _common(purchase, payment, rule)
    rows: list[Row] = []
    parent_id = None
    if len(drafts) > 1:
        rows.append(_insert(db, _parent(common, drafts)))
        parent_id = rows[0]["order_id"]
    for draft in drafts:
        row = {**common, **_columns(draft), "parent_order_id": parent_id}
        rows.append(_insert(db, row))
    sources: Mapping[int, str | None] = {}
    if rule.takes_stock:
        lines = [line for draft in drafts for line in draft.items]
        sources = take_pieces(db, lines, purchase.terms.context)
    ids = [row["order_id"] for row in rows[-len(drafts) :]]
    _insert_parts(db, ids, drafts, sources)
    _begin(db, rows, rule, purchase)
    return int(rows[0]["order_id"])


def _drafts(db: Transaction, purchase: Purchase) -> tuple[list[_Draft], PaymentMethod]:
    """Price what is bought, by company; returns the payment method, too."""
    terms, sent = purchase.terms, purchase.sent
    sale = Sale(
        frozenset({purchase.company_id}),
        terms.usergroup_ids,
        terms.lang_code,
        administrator=not terms.context.caller.is_customer,
        vendors=purchase.marketplace,
        currency=terms.currency,
    )
    items = price_lines(db, sent.lines or (), sale)
    groups, known = _groups(db, items, purchase)
    shippings = _chosen_shippings(groups, known, sent)
    payment = _payment(db, list(groups), purchase)
    drafts = []
    for number, (company_id, own) in enumerate(groups.items()):
        chosen = shippings.get(company_id)
        charges = []
        if chosen is not None:
            charges.append(charge_shipping(db, company_id, chosen, own, terms))
        surcharge = payment.surcharge(fixed=number == 0)
        figures = Figures(items=own, charges=charges, surcharge=surcharge)
        totals = reckon(db, figures, terms)
        drafts.append(_Draft(known[company_id], own, charges, totals))
    return drafts, payment


def _groups(
    db: Transaction, items: Sequence[Line], purchase: Purchase
) -> tuple[dict[int, list[Line]], dict[int, Seller]]:
    """The lines by who sells them: vendors their own, the company all others."""
    known = {purchase.company_id: purchase.seller}
    others = {item.company_id for item in items} - known.keys()
    known |= sellers(db, others)
    groups: dict[int, list[Line]] = {}
    for item in items:
        own = purchase.marketplace and known[item.company_id].kind == VENDOR
        seller = item.company_id if own else purchase.company_id
        groups.setdefault(seller, []).append(item)
    return groups, known


def _chosen_shippings(
    groups: Mapping[int, Sequence[Line]], known: Mapping[int, Seller], sent: Sent
) -> dict[int, int]:
    """The shipping method of each group that is shipped at all.

    Raises: `InvalidInput` naming the groups without one.
    Source: spec/entities/orders.md, rule 5.1.6.
    """
    found, errors = {}, []
    for key, (company_id, items) in enumerate(groups.items()):
        if not any(item.needs_shipping for item in items):
            continue
        chosen = sent.shipping_of(key)
        if chosen is not None:
            found[company_id] = chosen
        elif sent.shipping is None:
            raise InvalidInput.of("shipping_id", "is required", "required")
        else:
            text = f"names no method for group {key} ({known[company_id].company})"
            errors.append(FieldError("shipping_id", text, "required"))
    if errors:
        raise InvalidInput(errors=errors)
    return found


def _payment(
    db: Transaction, company_ids: Sequence[int], purchase: Purchase
) -> PaymentMethod:
    """The payment method: one of the shop, or of the only seller."""
    open_to = {purchase.company_id}
    if len(company_ids) == 1:
        open_to.update(company_ids)
    buyer = purchase.terms.buyer(*sorted(open_to))
    context = purchase.terms.context
    return available_payment(db, purchase.payment_id, buyer, context)


def _common(purchase: Purchase, payment: PaymentMethod, rule: StatusRule) -> Row:
    """The columns that all orders of a purchase share."""
    terms = purchase.terms
    context = terms.context
    return {
        **terms.contact,
        **purchase.values,
        "status": DEFAULT,
        "stock_taken": "Y" if rule.takes_stock else "N",
        "timestamp": context.now,
        "updated_at": context.now,
        "issuer_id": None if context.caller.is_customer else context.caller.user_id,
        "payment_id": purchase.payment_id,
        "payment_method": orjson.dumps(payment.record).decode(),
        "payment_info": purchase.sent.payment_info or "",
        "lang_code": terms.lang_code,
        "tax_exempt": "Y" if terms.tax_exempt else "N",
        "ip_address": context.remote_address,
        "secondary_currency": terms.currency.code,
    }


def _columns(draft: _Draft) -> Row:
    return {
        "company_id": draft.seller.company_id,
        "groups": draft.seller.group,
        **sums_of(draft.totals),
    }


def _parent(common: Row, drafts: Sequence[_Draft]) -> Row:
    """The parent of the orders of several companies: it belongs to none of them."""
    return {
        **common,
        "company_id": 0,
        "is_parent_order": "Y",
        "parent_order_id": None,
        "status": PARENT,
        "stock_taken": "N",
        "payment_info": "",
        **added_up([sums_of(draft.totals) for draft in drafts]),
    }


def _insert(db: Transaction, row: Row) -> Row:
    return {**row, "order_id": db.insert(_ORDERS, row)}


def _insert_parts(
    db: Transaction,
    ids: Sequence[int],
    drafts: Sequence[_Draft],
    sources: Mapping[int, str | None],
) -> None:
    """Write the lines, taxes and shippings of all orders, by one statement a table."""
    items: list[Row] = []
    for id, draft in zip(ids, drafts, strict=True):
        items += line_rows(id, draft.items, draft.totals.lines, sources)
    pairs = list(zip(ids, drafts, strict=True))
    insert_parts(
        db,
        items,
        [row for id, draft in pairs for row in tax_rows(id, draft.totals)],
        [charge.row(id) for id, draft in pairs for charge in draft.charges],
    )


def insert_parts(
    db: Transaction, items: list[Row], taxes: list[Row], shippings: list[Row]
) -> None:
    """Write rows of lines, taxes and shippings."""
    db.insert_many(table_of(OrderItem), items)
    db.insert_many(table_of(OrderTax), taxes)
    db.insert_many(table_of(OrderShipping), shippings)


def _begin(
    db: Transaction, rows: Sequence[Row], rule: StatusRule, purchase: Purchase
) -> None:
    """Number the documents of the first status, note it, and tell the core."""
    context = purchase.terms.context
    changes = []
    for row in rows:
        if row["status"] == DEFAULT:
            fresh = {**row, "invoice_id": 0, "credit_memo_id": 0}
            numbers = number_documents(db, fresh, rule, context.now)
            db.update(_ORDERS, {"order_id": row["order_id"]}, numbers)
            row.update(numbers)
            note_step(db, row["order_id"], ("", DEFAULT), context)
        change = Change(
            "orders",
            Operation.CREATE,
            row["order_id"],
            row["company_id"],
            context.caller.user_id,
            after=row,
            table=_ORDERS.name,
        )
        changes.append(change)
    db.record(*changes)
