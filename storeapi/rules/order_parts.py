"""The parts of orders that are kept in tables of their own, loaded for a page.

A parent order has none itself: it shows those of its vendors' orders together.
The number of statements does not depend on the number of orders.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection
from storeapi.core.entity import Context
from storeapi.core.statement import query
from storeapi.models import (
    Order,
    OrderItem,
    OrderShipping,
    OrderTax,
    Product,
    Shipment,
)

_ids: Any = bindparam("ids", expanding=True)


class Head(NamedTuple):
    """What the parts want to know of their order. Shapes: `groups` is JSON."""

    order_id: int
    parent_order_id: int | None
    is_parent_order: str
    groups: str
    s_firstname: str
    s_lastname: str
    s_address: str
    s_address_2: str
    s_city: str
    s_county: str
    s_state: str
    s_country: str
    s_zipcode: str
    s_phone: str
    s_address_type: str


class Item(NamedTuple):
    """A line as it is stored, then what the product is now (nulls if it is gone)."""

    order_id: int
    item_id: int
    group_key: int
    product_id: int
    company_id: int
    product_code: str
    product: str
    amount: int
    shipped_amount: int
    price: int
    base_price: int
    original_price: int
    discount: int
    tax_value: int
    subtotal: int
    display_subtotal: int
    options: str
    stocked: str
    taken_from: str | None
    tax_ids: str
    weight: int
    shipping_freight: int
    free_shipping: str
    is_edp: str
    edp_shipping: str
    unlimited_download: str

    @property
    def needs_shipping(self) -> bool:
        """Whether it is carried: downloads are, only if they say so."""
        return self.is_edp == "N" or self.edp_shipping == "Y"

    @property
    def unshipped(self) -> int:
        """The pieces that are in no shipment yet."""
        return self.amount - self.shipped_amount


class Present(NamedTuple):
    """A product as it is now."""

    status: str
    shared_product: str
    company_id: int


class Tax(NamedTuple):
    """A tax as it is stored."""

    order_id: int
    tax_id: int
    description: str
    regnumber: str
    rate_type: str
    price_includes_tax: str
    rate_value: int
    priority: int
    of_products: int
    of_shipping: int
    of_surcharge: int
    items: str
    shippings: str
    payments: str


class Shipping(NamedTuple):
    """A chosen shipping method as it is stored. Shapes: `record` is JSON."""

    order_id: int
    group_key: int
    shipping_id: int
    rate: int
    record: str
    tax_ids: str


def columns(model: Any, row: Any) -> list[Any]:
    """The columns of a model that a kind of row names, in its order."""
    return [getattr(model, name) for name in row._fields]


_HEADS = query(select(*columns(Order, Head)).where(Order.order_id.in_(_ids)))
_CHILDREN = query(select(*columns(Order, Head)).where(Order.parent_order_id.in_(_ids)))
_ITEMS = query(
    select(
        *columns(OrderItem, Item),
        Product.status,
        Product.shared_product,
        Product.company_id,
    )
    .outerjoin(Product, Product.product_id == OrderItem.product_id)
    .where(OrderItem.order_id.in_(_ids))
    .order_by(OrderItem.order_id, OrderItem.position, OrderItem.item_id)
)
_TAXES = query(
    select(*columns(OrderTax, Tax))
    .where(OrderTax.order_id.in_(_ids))
    .order_by(OrderTax.tax_id, OrderTax.order_id)
)
_SHIPPINGS = query(
    select(*columns(OrderShipping, Shipping))
    .where(OrderShipping.order_id.in_(_ids))
    .order_by(OrderShipping.order_id, OrderShipping.group_key)
)
_SHIPMENTS = query(
    select(Shipment.order_id, Shipment.shipment_id)
    .where(Shipment.order_id.in_(_ids))
    .order_by(Shipment.shipment_id)
)


@dataclass(frozen=True, slots=True)
class Part:
    """One order with its own lines, taxes and shipping; `key` is that of its group."""

    head: Head
    key: int
    items: list[Item] = field(default_factory=list)
    taxes: list[Tax] = field(default_factory=list)
    shippings: list[Shipping] = field(default_factory=list)
    shipments: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of the orders of a page.

    Shapes: `of` maps an order to itself, or a parent to its orders; `products` maps
    those that still exist to what they are now.
    """

    of: dict[int, list[Part]]
    products: dict[int, Present]


def load_parts(db: Connection, ids: Sequence[int], context: Context) -> Parts:
    """Load the parts of a page of orders, once for all fields that want them."""
    return context.once(("order parts", tuple(ids)), lambda: _load(db, ids))


def _load(db: Connection, ids: Sequence[int]) -> Parts:
    heads = {row[0]: Head(*row) for row in db.rows(_HEADS, ids=ids)}
    parents = [id for id, head in heads.items() if head.is_parent_order == "Y"]
    if parents:
        heads |= {row[0]: Head(*row) for row in db.rows(_CHILDREN, ids=parents)}
    found: dict[int, list[Part]] = {id: [] for id in ids}
    parts: dict[int, Part] = {}
    for id, head in sorted(heads.items()):
        if id in parents:
            continue
        part = parts[id] = Part(head, 0)
        if id in found:
            found[id].append(part)
        if (parent_id := head.parent_order_id) is not None and parent_id in parents:
            siblings = found[parent_id]
            siblings.append(replace(part, key=len(siblings)))
    return Parts(found, _fill(db, parts))


def _fill(db: Connection, parts: dict[int, Part]) -> dict[int, Present]:
    """Give the orders their rows; returns the products that still exist."""
    ids = list(parts)
    if not ids:
        return {}
    products: dict[int, Present] = {}
    width = len(Item._fields)
    for row in db.rows(_ITEMS, ids=ids):
        item = Item(*row[:width])
        parts[item.order_id].items.append(item)
        if row[width] is not None:
            products[item.product_id] = Present(*row[width:])
    for tax in db.rows(_TAXES, ids=ids):
        parts[tax[0]].taxes.append(Tax(*tax))
    for shipping in db.rows(_SHIPPINGS, ids=ids):
        parts[shipping[0]].shippings.append(Shipping(*shipping))
    for order_id, shipment_id in db.rows(_SHIPMENTS, ids=ids):
        parts[order_id].shipments.append(shipment_id)
    return products


def all_items(db: Connection, ids: Sequence[int]) -> list[Item]:
    """The lines of orders, in their order."""
    width = len(Item._fields)
    return [Item(*row[:width]) for row in db.rows(_ITEMS, ids=ids)] if ids else []


def own_shippings(db: Connection, order_id: int) -> list[Shipping]:
    """How one order is shipped."""
    return [Shipping(*row) for row in db.rows(_SHIPPINGS, ids=[order_id])]
