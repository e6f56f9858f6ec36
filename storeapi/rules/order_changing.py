"""Changing orders: lines, shipping, payment, contact, sums and status.

What is not sent stays. Sums are reckoned anew only where something that they follow
from has changed, by the rules of taxes and shipping as they are then.
Source: spec/entities/orders.md, sections 2.3, 5.2 and 5.3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from sqlalchemy import bindparam, func, select

from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import InvalidInput
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Order, OrderItem, OrderShipping, OrderTax
from storeapi.rules.companies import VENDOR
from storeapi.rules.groups import buyer_groups
from storeapi.rules.money import currency_of
from storeapi.rules.order_contacts import CONTACT, customer_contact, named
from storeapi.rules.order_items import (
    Sold,
    item_rows,
    mark_sources,
    pieces_standing,
    replaced,
    sold_in,
    standing,
)
from storeapi.rules.order_lines import Sale, check_changed, price_lines
from storeapi.rules.order_making import insert_parts
from storeapi.rules.order_parts import own_shippings
from storeapi.rules.order_sent import Sent
from storeapi.rules.order_statuses import enter_status, move, status_to
from storeapi.rules.order_terms import (
    SUMS,
    Charge,
    Figures,
    Terms,
    charge_shipping,
    reckon,
    sellers,
    sums_of,
    surcharge_of,
    tax_rows,
)
from storeapi.rules.payments import available_payment
from storeapi.rules.totals import Surcharge, Totals

Row = Mapping[str, Any]
Values = dict[str, Any]

_PLAIN = ("user_id", "notes", "details", "repaid", "tax_exempt")
_SET = ("total", "discount", "subtotal_discount")
_TABLE = table_of(Order)
_SUMS = query(
    select(*[func.sum(getattr(Order, name)) for name in SUMS]).where(
        Order.parent_order_id == bindparam("id", required=True)
    )
)
_EARLIER = query(
    select(Order.order_id)
    .where(
        Order.parent_order_id == bindparam("parent_id", required=True),
        Order.order_id < bindparam("id", required=True),
    )
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The lines and shippings of an order, before or after a write."""

    items: list[Sold]
    charges: list[Charge]


class OrderChange:
    """One write to one order, whose row is locked."""

    def __init__(
        self, db: Transaction, row: Row, values: Values, sent: Sent, context: Context
    ) -> None:
        self._db = db
        self._row = row
        self._values = values
        self._sent = sent
        self._context = context
        self._written: Values = {}
        self._groups: frozenset[int] | None = None

    def run(self) -> Values:
        """Do it; returns the columns that differ now, which are not written yet."""
        row, values = self._row, self._values
        self._round_sums()
        self._written = {name: values[name] for name in _PLAIN if name in values}
        self._change_contact()
        if self._sent.payment_info is not None:
            self._written["payment_info"] = self._sent.payment_info
        before = self._before()
        after = before if before is None else self._after(before)
        totals = None
        if before is not None and after is not None:
            totals = self._change_sums(before, after)
        self._change_status(before, after, totals)
        return {n: v for n, v in self._written.items() if row[n] != v}

    def _round_sums(self) -> None:
        """Round what is set by hand as the currency is."""
        currency = currency_of(self._context.settings.currency)
        for name in _SET:
            amount = self._values.get(name)
            if amount is not None:
                self._values[name] = currency.rounded(amount)

    def _sets(self, name: str) -> bool:
        """Whether an amount is set by hand anew, or by null is so no longer."""
        if name not in self._values:
            return False
        amount = self._values[name]
        if amount is None:
            return self._row[f"set_{name}"] is not None
        return bool(amount != self._row[name])

    # Who buys

    def _change_contact(self) -> None:
        """Take over another customer's data, then what is sent of the contact.

        Source: spec/entities/orders.md, rule 5.3.7; section 2.3.
        """
        contact: Values = {}
        user_id = self._values.get("user_id", self._row["user_id"])
        if user_id != self._row["user_id"]:
            contact["profile_id"] = user_id
            if user_id:
                caller = self._context.caller
                contact |= customer_contact(self._db, user_id, caller)
                self._values.setdefault("tax_exempt", contact.pop("tax_exempt"))
                self._written["tax_exempt"] = self._values["tax_exempt"]
        contact |= self._sent.contact or {}
        if contact:
            known = {name: self._row[name] for name in CONTACT}
            self._written |= contact
            merged = named({**known, **contact})
            keys = ("firstname", "lastname", "email_key", "name_key", "person_key")
            self._written |= {name: merged[name] for name in keys}

    def _terms(self) -> Terms:
        merged = {**self._row, **self._written}
        if self._groups is None:
            self._groups = buyer_groups(self._db, merged["user_id"])
        exempt = merged["tax_exempt"] == "Y"
        lang_code = self._context.installation.spoken(self._row["lang_code"])
        return Terms(merged, self._groups, lang_code, self._context, exempt)

    # What is bought, and how it is shipped

    def _before(self) -> _Parts | None:
        """What the order has, if the write is about anything that follows from it."""
        sent, values = self._sent, self._values
        parts = sent.lines is not None or sent.shipping is not None
        changed: list[str] = [
            name
            for name in ("payment_id", "tax_exempt")
            if name in values and values[name] != self._row[name]
        ]
        changed += [name for name in _SET if self._sets(name)]
        if not (parts or changed):
            return None
        id = self._row["order_id"]
        charges = [Charge.of(row) for row in own_shippings(self._db, id)]
        return _Parts(sold_in(self._db, [id]), charges)

    def _after(self, before: _Parts) -> _Parts:
        items = before.items
        if self._sent.lines is not None:
            items = self._new_items(before.items)
        return _Parts(items, self._new_charges(before, items))

    def _new_items(self, items: list[Sold]) -> list[Sold]:
        sent = self._sent.lines or []
        kept, others = standing(sent, items)
        terms = self._terms()
        sale = Sale(
            frozenset({self._row["company_id"]}),
            terms.usergroup_ids,
            terms.lang_code,
            currency=terms.currency,
        )
        beside = pieces_standing(items, kept)
        found = replaced(items, kept, price_lines(self._db, others, sale, beside))
        check_changed(self._db, items, found, sent)
        return found

    def _new_charges(self, before: _Parts, items: list[Sold]) -> list[Charge]:
        """The shipping after the write: priced anew if method or lines are others."""
        if not any(item.needs_shipping for item in items):
            return []
        had = before.charges[0].shipping_id if before.charges else None
        chosen = had if self._sent.shipping is None else self._sent.shipping_of(0)
        if chosen is None:
            raise InvalidInput.of("shipping_id", "is required", "required")
        if chosen == had and items == before.items:
            return before.charges
        company_id, terms = self._row["company_id"], self._terms()
        try:
            return [charge_shipping(self._db, company_id, chosen, items, terms)]
        except InvalidInput:
            if self._sent.shipping is not None:
                raise
            text = (
                f"is required: the order's method {had} cannot deliver these products"
            )
            raise InvalidInput.of("shipping_id", text, "required") from None

    # What it costs

    def _change_sums(self, before: _Parts, after: _Parts) -> Totals | None:
        """Reckon the order anew, if what the sums follow from has changed.

        A total that was set by hand lasts until products, shipping, payment or
        discounts change without it.
        Source: spec/entities/orders.md, rules 5.2.7 and 5.2.8.
        """
        row, values = self._row, self._values
        paid_anew = values.get("payment_id", row["payment_id"]) != row["payment_id"]
        discounts = {n: values[n] for n in _SET[1:] if self._sets(n)}
        moved = before != after or paid_anew or bool(discounts)
        exempt = "tax_exempt" in values and values["tax_exempt"] != row["tax_exempt"]
        if paid_anew:
            self._change_payment()
        by_hand = self._total_by_hand(moved=moved)
        freed = by_hand is None and row["set_total"] is not None
        if not (moved or exempt or freed):
            if by_hand is not None and by_hand != row["total"]:
                self._written |= {"total": by_hand, "set_total": by_hand}
            return None
        merged = {**row, **self._written}
        discount = discounts.get("discount", row["set_discount"])
        terms = self._terms()
        totals = reckon(
            self._db,
            Figures(
                items=after.items,
                charges=after.charges,
                surcharge=self._surcharge(merged),
                subtotal_discount={**row, **discounts}["subtotal_discount"],
                discount=discount,
                total=by_hand,
            ),
            terms,
        )
        self._written |= sums_of(totals)
        self._written |= {"set_total": by_hand, "set_discount": discount}
        return totals

    def _surcharge(self, order: Row) -> Surcharge:
        """What the payment adds; its fixed part only to the first order of a parent.

        Source: spec/entities/orders.md, rule 5.2.6: once for all that is paid at once.
        """
        id, parent_id = order["order_id"], order["parent_order_id"]
        later = parent_id is not None and self._db.row(
            _EARLIER, parent_id=parent_id, id=id
        )
        paid, record = order["payment_id"], order["payment_method"]
        return surcharge_of(paid, record, fixed=not later)

    def _total_by_hand(self, *, moved: bool) -> int | None:
        """The total that was set by hand and still counts."""
        kept: int | None = None if moved else self._row["set_total"]
        sent: int | None = self._values.get("total", kept)
        return sent

    def _change_payment(self) -> None:
        payment_id = self._values["payment_id"]
        buyer = self._terms().buyer(*self._payees())
        method = available_payment(self._db, payment_id, buyer, self._context)
        record = orjson.dumps(method.record).decode()
        self._written |= {"payment_id": payment_id, "payment_method": record}

    def _payees(self) -> Sequence[int]:
        """Whose payment methods there are: the company's; for a vendor the shop's.

        Callers of one company name their own ones only, and those of company 0.
        """
        id = self._row["company_id"]
        if self._context.caller.is_scoped:
            return [id]
        seller = sellers(self._db, [id])[id]
        shop = self._context.installation.default_company
        return [id, shop] if seller.kind == VENDOR else [id]

    def _write_parts(self, parts: _Parts, totals: Totals) -> None:
        db, id = self._db, self._row["order_id"]
        for model in (OrderItem, OrderTax, OrderShipping):
            db.delete(table_of(model), {"order_id": id})
        insert_parts(
            db,
            item_rows(id, parts.items, totals.lines),
            tax_rows(id, totals),
            [charge.row(id) for charge in parts.charges],
        )

    # What becomes of it

    def _change_status(
        self, before: _Parts | None, after: _Parts | None, totals: Totals | None
    ) -> None:
        """Move the stock for lines and status at once, then enter the status.

        The lines are written when it is known which stock they have their pieces from.
        """
        db, row, context = self._db, self._row, self._context
        letter: str = {"status": row["status"], **self._values}["status"]
        rule = None
        if letter != row["status"]:
            rule = status_to(db, row, letter, context)
        items = None if before is None or after is None else (before.items, after.items)
        moved = move(db, row, rule, items, context)
        self._written |= moved.columns
        if after is not None and totals is not None:
            self._write_parts(replace(after, items=moved.after), totals)
        else:
            mark_sources(db, row["order_id"], moved.before, moved.after)
        if rule is not None:
            merged = {**row, **self._written}
            merged["status"] = row["status"]
            self._written |= enter_status(db, merged, rule, self._sent.notify, context)


def sum_up(db: Transaction, parent_id: int) -> Values:
    """The sums of a parent order: those of its orders together."""
    row = db.row(_SUMS, id=parent_id) or ()
    return {name: int(value or 0) for name, value in zip(SUMS, row, strict=True)}
