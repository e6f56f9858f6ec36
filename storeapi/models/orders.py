"""Orders: what was bought, by whom, how it is paid, shipped and taxed.

What an order says of products, payment, shipping and taxes are copies: none of them
refers to the catalogue, so that an old order stays as it was made.
Units: money in minor units; rates of taxes and weights in thousandths.
"""

from sqlalchemy import BigInteger, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    Flag,
    Label,
    LangCode,
    Letter,
    Line,
    Long,
    Model,
    Name,
    Number,
    Prose,
    Serial,
    SortKey,
    Whole,
    link,
    owner,
    str_,
)
from storeapi.models.contacts import Contact

# Nearly all have none, by which a planner would judge an index of all of them.
_HAS_PARENT = text("parent_order_id IS NOT NULL")


class Order(Contact, Model):
    """A purchase from one company, or the parent of those of several (status `T`).

    `email_key`, `name_key` and `person_key` are as those of users. A total or discount
    that was set by hand is in `set_total` and `set_discount`. Shapes: `payment_method`,
    `payment_info`, `fields` and `groups` are JSON; numbers of users and payments may
    be of some that are gone, 0 is none. `stock_taken`: its pieces have left the stock.
    """

    __tablename__ = "orders"
    __table_args__ = (
        Index(None, "timestamp", "order_id"),
        Index(None, "updated_at", "order_id"),
        Index(None, "company_id", "timestamp", "order_id"),
        Index(None, "user_id", "timestamp", "order_id"),
        Index(None, "status", "order_id"),
        Index(None, "email_key", "order_id"),
        Index(None, "name_key", "order_id"),
        Index(None, "total", "order_id"),
        Index(None, "phone", "order_id"),
        Index(None, "invoice_id", "order_id"),
        Index(None, "credit_memo_id", "order_id"),
        Index(
            None,
            "parent_order_id",
            sqlite_where=_HAS_PARENT,
            postgresql_where=_HAS_PARENT,
        ),
    )

    order_id: Mapped[Serial]
    company_id: Mapped[int] = link("companies.company_id")
    parent_order_id: Mapped[int | None] = link("orders.order_id")
    is_parent_order: Mapped[Flag]
    status: Mapped[Letter]
    stock_taken: Mapped[Flag]
    issuer_id: Mapped[int | None] = mapped_column(default=None)
    invoice_id: Mapped[Whole]
    credit_memo_id: Mapped[Whole]
    user_id: Mapped[Whole]
    payment_id: Mapped[Whole]
    repaid: Mapped[Whole]
    profile_id: Mapped[Whole]
    timestamp: Mapped[Long]
    updated_at: Mapped[Long]
    total: Mapped[Long]
    subtotal: Mapped[Long]
    display_subtotal: Mapped[Long]
    discount: Mapped[Long]
    subtotal_discount: Mapped[Long]
    payment_surcharge: Mapped[Long]
    tax_subtotal: Mapped[Long]
    shipping_cost: Mapped[Long]
    display_shipping_cost: Mapped[Long]
    set_total: Mapped[int | None] = mapped_column(BigInteger, default=None)
    set_discount: Mapped[int | None] = mapped_column(BigInteger, default=None)
    tax_exempt: Mapped[Flag]
    payment_method: Mapped[Prose]
    payment_info: Mapped[Prose]
    groups: Mapped[Prose]
    notes: Mapped[Prose]
    details: Mapped[Prose]
    lang_code: Mapped[LangCode] = mapped_column(default="")
    ip_address: Mapped[Label]
    secondary_currency: Mapped[str] = mapped_column(str_(3), default="")
    fields: Mapped[Prose]


class OrderItem(Model):
    """A line of an order.

    `stocked` names the choice whose stock it moves, as stocks do, and `taken_from` the
    stock that its pieces came from: `B` the product's, `O` that choice's, null none.
    `options` is what was chosen, as JSON. `shipped_amount` counts the pieces in
    shipments, and never passes `amount`. Shapes: money and weight for one piece;
    `tax_ids` is a comma list.
    """

    __tablename__ = "order_items"
    __table_args__ = (Index(None, "product_id", "order_id"),)

    order_id: Mapped[int] = owner("orders.order_id")
    item_id: Mapped[int] = mapped_column(
        BigInteger, primary_key=True, autoincrement=False
    )
    position: Mapped[Whole]
    group_key: Mapped[Whole]
    product_id: Mapped[Whole]
    company_id: Mapped[Whole]
    product_code: Mapped[Label]
    product: Mapped[Line]
    amount: Mapped[Whole]
    shipped_amount: Mapped[Whole]
    price: Mapped[Long]
    base_price: Mapped[Long]
    original_price: Mapped[Long]
    discount: Mapped[Long]
    tax_value: Mapped[Long]
    subtotal: Mapped[Long]
    display_subtotal: Mapped[Long]
    options: Mapped[Prose]
    stocked: Mapped[Prose]
    tax_ids: Mapped[Prose]
    weight: Mapped[Long]
    shipping_freight: Mapped[Long]
    free_shipping: Mapped[Flag]
    is_edp: Mapped[Flag]
    edp_shipping: Mapped[Flag]
    unlimited_download: Mapped[Flag]
    taken_from: Mapped[str | None] = mapped_column(str_(1), default=None)


class OrderTax(Model):
    """A tax of an order, with its rounded parts and what they are taken of.

    Shapes: `items`, `shippings` and `payments` are comma lists of numbers.
    """

    __tablename__ = "order_taxes"

    order_id: Mapped[int] = owner("orders.order_id")
    tax_id: Mapped[Number]
    description: Mapped[Line]
    regnumber: Mapped[Line]
    rate_type: Mapped[Letter] = mapped_column(default="P")
    price_includes_tax: Mapped[Flag]
    rate_value: Mapped[Long]
    priority: Mapped[Whole]
    of_products: Mapped[Long]
    of_shipping: Mapped[Long]
    of_surcharge: Mapped[Long]
    items: Mapped[Prose]
    shippings: Mapped[Prose]
    payments: Mapped[Prose]


class OrderShipping(Model):
    """How a group of an order's products is shipped, and what that costs.

    Shapes: `record` is the method as it was, as JSON; `tax_ids` is a comma list.
    """

    __tablename__ = "order_shippings"
    __table_args__ = (Index(None, "shipping_id", "order_id"),)

    order_id: Mapped[int] = owner("orders.order_id")
    group_key: Mapped[Number]
    shipping_id: Mapped[Whole]
    rate: Mapped[Long]
    record: Mapped[Prose]
    tax_ids: Mapped[Prose]


class Invoice(Model):
    """The number of an invoice: the database counts them, and uses none twice."""

    __tablename__ = "order_invoices"
    __table_args__ = (UniqueConstraint("order_id"),)

    invoice_id: Mapped[Serial]
    order_id: Mapped[int] = link("orders.order_id", "CASCADE")
    timestamp: Mapped[Long]


class CreditMemo(Model):
    """The number of a credit memo, counted like those of invoices."""

    __tablename__ = "order_credit_memos"
    __table_args__ = (UniqueConstraint("order_id"),)

    credit_memo_id: Mapped[Serial]
    order_id: Mapped[int] = link("orders.order_id", "CASCADE")
    timestamp: Mapped[Long]


class OrderStatusChange(Model):
    """One step of an order from a status to another; the first has none before."""

    __tablename__ = "order_status_changes"
    __table_args__ = (Index(None, "order_id", "change_id"),)

    change_id: Mapped[Serial]
    order_id: Mapped[int] = link("orders.order_id", "CASCADE")
    user_id: Mapped[int | None] = mapped_column(default=None)
    timestamp: Mapped[Long]
    status_before: Mapped[str] = mapped_column(str_(1), default="")
    status_after: Mapped[Letter]


class Notification(Model):
    """A message that somebody is to be sent: whoever sends mail reads them here.

    It is written in the transaction of what it tells of, so there is one exactly if
    that came true. Shapes: `receiver` is `customer`, `department` or `vendor`;
    `payload` is JSON; without `sent_at` it waits to be sent.
    """

    __tablename__ = "notifications"
    __table_args__ = (
        Index(None, "sent_at", "notification_id"),
        Index(None, "order_id"),
    )

    notification_id: Mapped[Serial]
    event: Mapped[str] = mapped_column(str_(64))
    receiver: Mapped[str] = mapped_column(str_(32))
    email: Mapped[Name]
    company_id: Mapped[Whole]
    order_id: Mapped[int] = link("orders.order_id", "CASCADE")
    lang_code: Mapped[LangCode] = mapped_column(default="")
    payload: Mapped[Prose]
    timestamp: Mapped[Long]
    sent_at: Mapped[int | None] = mapped_column(BigInteger, default=None)


class Shipment(Model):
    """A parcel of an order, whose time, customer and `name_key` it repeats."""

    __tablename__ = "shipments"
    __table_args__ = (
        Index(None, "order_id", "shipment_id"),
        Index(None, "timestamp", "shipment_id"),
        Index(None, "company_id", "timestamp", "shipment_id"),
        Index(None, "tracking_number", "shipment_id"),
        Index(None, "order_timestamp", "shipment_id"),
        Index(None, "name_key", "shipment_id"),
    )

    shipment_id: Mapped[Serial]
    order_id: Mapped[int] = link("orders.order_id", "CASCADE")
    company_id: Mapped[int] = link("companies.company_id")
    user_id: Mapped[Whole]
    group_key: Mapped[Whole]
    shipping_id: Mapped[Whole]
    shipping: Mapped[Line]
    tracking_number: Mapped[Line]
    carrier: Mapped[Label]
    comments: Mapped[Prose]
    status: Mapped[Letter] = mapped_column(default="P")
    timestamp: Mapped[Long]
    order_timestamp: Mapped[Long]
    name_key: Mapped[SortKey]


class ShipmentItem(Model):
    """How many pieces of an order's line are in a parcel."""

    __tablename__ = "shipment_items"

    shipment_id: Mapped[int] = owner("shipments.shipment_id")
    item_id: Mapped[int] = mapped_column(
        BigInteger, primary_key=True, autoincrement=False
    )
    amount: Mapped[Whole]
