"""The fields of an order, in the order of spec/entities/orders.md."""

from functools import partial
from typing import Any

from storeapi import (
    Code,
    Constant,
    Derived,
    Fields,
    Flag,
    Id,
    Integer,
    Money,
    Text,
    Timestamp,
)
from storeapi.core.kinds import JsonSchema, Letter, Writer
from storeapi.entities.orders.nested import (
    Groups,
    NeedShipment,
    NeedShipping,
    Products,
    ShipmentIds,
    ShippingIds,
    Shippings,
    Taxes,
)
from storeapi.rules.money import LARGEST_SUM
from storeapi.rules.order_records import json_or_empty
from storeapi.rules.places import country_name, state_name

_FLAG = Flag()
_Copy = partial(Text, dump_only=True)
# In units of money: prices are kept within less, but orders add many of them up.
_MOST = LARGEST_SUM // 100
_Sum = partial(Money, dump_only=True, minimum=-_MOST, maximum=_MOST)
_Figure = partial(_Sum, native=True)


class Repaid(Integer):
    """Whether the order was paid after a decline: 0 or 1, taken as any flag."""

    def parse(self, value: Any) -> int:
        """Take all spellings of a flag."""
        return int(_FLAG.parse(value) == "Y")

    def payload_schema(self) -> JsonSchema:
        """Describe the spellings."""
        return {"type": ["string", "integer", "boolean"]}


class SetByHand(Money):
    """A sum that may be set by hand; null has it computed again."""

    def null(self) -> None:
        """Nothing is set."""


class DocumentNumber(Integer):
    """The number of an invoice or credit memo; without one it is null."""

    def writer(self, *, full: bool = True) -> Writer | None:
        """Write 0 as null."""
        return _number_or_null


def _number_or_null(stored: int) -> str | None:
    return str(stored) if stored else None


def documents_of(invoice_id: int, credit_memo_id: int) -> Any:
    """The documents of an order by the letters of their types."""
    found = {"I": invoice_id, "C": credit_memo_id}
    return {letter: str(id) for letter, id in found.items() if id} or []


class OrderFields(Fields):
    """An order: copies of what was bought, paid, shipped and taxed.

    What a payload says of products, shipping, contact and payment data is read by the
    rules of orders; the fields of those names only show it.
    """

    order_id = Id(dump_only=True, listed=True)
    is_parent_order = Flag(dump_only=True, listed=True)
    parent_order_id = Id(zero=True, dump_only=True, listed=True)
    company_id = Id(create_only=True, listed=True)
    issuer_id = Id(dump_only=True, listed=True)
    user_id = Id(zero=True, listed=True)
    status = Letter(update_only=True, listed=True)
    timestamp = Timestamp(dump_only=True, listed=True)
    updated_at = Timestamp(dump_only=True, listed=True)
    total = SetByHand(maximum=_MOST, update_only=True, listed=True)
    subtotal = _Figure()
    display_subtotal = _Figure()
    discount = SetByHand(maximum=_MOST, update_only=True)
    subtotal_discount = Money(maximum=_MOST, update_only=True)
    payment_surcharge = _Sum()
    shipping_cost = _Sum()
    display_shipping_cost = _Sum()
    tax_subtotal = _Figure()
    tax_exempt = Flag(update_only=True)
    taxes = Taxes(dump_only=True)
    products = Products(dump_only=True)
    product_groups = Groups(dump_only=True)
    shipping = Shippings(dump_only=True)
    shipping_ids = ShippingIds(dump_only=True)
    need_shipping = NeedShipping(dump_only=True)
    need_shipment = NeedShipment(dump_only=True)
    shipment_ids = ShipmentIds(dump_only=True)
    payment_id = Id(required=True)
    payment_method = Derived(("payment_method",), json_or_empty)
    payment_info = Derived(("payment_info",), json_or_empty)
    promotions = Constant([])
    promotion_ids = Constant("")
    invoice_id = DocumentNumber(dump_only=True, listed=True)
    credit_memo_id = DocumentNumber(dump_only=True, listed=True)
    doc_ids = Derived(("invoice_id", "credit_memo_id"), documents_of)
    repaid = Repaid(maximum=1, update_only=True)
    notes = Text()
    details = Text(internal=True)
    email = _Copy(listed=True)
    firstname = _Copy(listed=True)
    lastname = _Copy(listed=True)
    company = _Copy()
    phone = _Copy(listed=True)
    fax = _Copy()
    url = _Copy()
    b_firstname = _Copy()
    b_lastname = _Copy()
    b_address = _Copy()
    b_address_2 = _Copy()
    b_city = _Copy()
    b_county = _Copy()
    b_state = _Copy()
    b_country = _Copy()
    b_zipcode = _Copy()
    b_phone = _Copy()
    b_country_descr = Derived(("b_country",), country_name)
    b_state_descr = Derived(("b_country", "b_state"), state_name)
    s_firstname = _Copy()
    s_lastname = _Copy()
    s_address = _Copy()
    s_address_2 = _Copy()
    s_city = _Copy()
    s_county = _Copy()
    s_state = _Copy()
    s_country = _Copy()
    s_zipcode = _Copy()
    s_phone = _Copy()
    s_address_type = _Copy()
    s_country_descr = Derived(("s_country",), country_name)
    s_state_descr = Derived(("s_country", "s_state"), state_name)
    fields = Derived(  # type: ignore[assignment]  # marshmallow takes it away
        ("fields",), json_or_empty
    )
    profile_id = Integer(dump_only=True)
    lang_code = Code(create_only=True)
    localization_id = Constant("0")
    ip_address = _Copy(internal=True)
    validation_code = Constant("")
    secondary_currency = _Copy()
    points = Constant(None, listed=True)


__all__ = ["OrderFields"]
