"""The special filters of orders (spec/entities/orders.md, list)."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Table, bindparam, exists
from sqlalchemy.orm import aliased

from storeapi import (
    AnyOf,
    AtLeast,
    AtMost,
    Condition,
    Id,
    Params,
    Period,
    Where,
    equals,
)
from storeapi.core.conditions import differs, linked
from storeapi.core.declared import DeclaredEntity
from storeapi.core.filters import (
    Applied,
    Equal,
    Filter,
    contains,
    read_ids,
    read_value,
    single,
)
from storeapi.core.folding import folded
from storeapi.core.reading import read_switch
from storeapi.core.rows import table_of
from storeapi.models import Order, OrderItem, OrderShipping

HIDDEN = ("N", "T")
"""Statuses of orders that are not complete, and of parents."""

_table: Table = table_of(Order)
_ID = Id(zero=True)
_below = aliased(Order)


class IncludeIncompleted(Filter):
    """Leaves out incomplete and parent orders, unless the request wants them."""

    params = ("include_incompleted",)

    def conditions(
        self, entity: DeclaredEntity, params: Params, applied: Applied
    ) -> Iterable[Condition]:
        """The echo tells in any case."""
        (name,) = self.params
        applied[name] = read_switch(params, name)
        if not applied[name]:
            yield differs(Order.status, HIDDEN)


def _of_company(entity: Any, value: Any) -> Condition:
    id = read_value("company", _ID.read_filter, value)
    return equals(Order.company_id, id, role="company")


def _with_email(entity: Any, value: Any) -> Condition:
    text = folded(single("email", value).strip())
    return equals(Order.email_key, text, role="email")


def _named(entity: Any, value: Any) -> Condition | None:
    text = single("cname", value)
    if not text.strip():
        return None
    return contains(Order.person_key, text, "cname", folded=True, texts=False)


def _with_products(entity: Any, value: Any) -> Condition:
    """Orders with any of the products."""
    return linked(
        "p_ids",
        Order.order_id,
        OrderItem.order_id,
        lambda: OrderItem.product_id.in_(bindparam("p_ids", expanding=True)),
        {"p_ids": read_ids("p_ids", value)},
    )


def _shipped_by(entity: Any, value: Any) -> Condition:
    """Orders with a group that is shipped by any of the methods."""
    return linked(
        "shipped_by",
        Order.order_id,
        OrderShipping.order_id,
        lambda: OrderShipping.shipping_id.in_(bindparam("shipped_by", expanding=True)),
        {"shipped_by": read_ids("shipping_id", value)},
    )


def whole_for(user_id: int | None) -> Condition:
    """Orders of which no order below them is another customer's."""
    return Condition(
        "whole",
        lambda: (
            ~exists().where(
                _below.parent_order_id == Order.order_id,
                _below.user_id != bindparam("whole_user", required=True),
            )
        ),
        {"whole_user": user_id},
    )


FILTERS: tuple[Filter, ...] = (
    IncludeIncompleted(),
    Where("company", _of_company),
    Where("email", _with_email),
    Where("cname", _named),
    Where("p_ids", _with_products),
    Where("shipping_id", _shipped_by),
    AnyOf(order_id=Order.order_id),
    Equal("payment_id", _table.c.payment_id, Id(zero=True)),
    AtLeast(updated_at_from=Order.updated_at, total_from=Order.total),
    AtMost(updated_at_to=Order.updated_at, total_to=Order.total),
    Period(Order.timestamp),
)

_id = _table.c.order_id
SORTINGS: dict[str, tuple[Any, ...]] = {
    "date": (_table.c.timestamp, _id),
    "status": (_table.c.status, _id),
    "customer": (_table.c.name_key, _id),
    "email": (_table.c.email_key, _id),
    "total": (_table.c.total, _id),
    "updated_at": (_table.c.updated_at, _id),
    "invoice_id": (_table.c.invoice_id, _id),
    "credit_memo_id": (_table.c.credit_memo_id, _id),
}
