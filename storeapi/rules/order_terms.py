"""What an order costs: its shipping, its taxes, its surcharge.

Source: spec/entities/orders.md, section 5.2; shippings.md and taxes.md, section 5.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import orjson
from sqlalchemy import bindparam, select

from storeapi.core.database import Connection
from storeapi.core.entity import Context
from storeapi.core.kinds import scaled_of
from storeapi.core.statement import query
from storeapi.models import Company
from storeapi.rules.buying import Buyer
from storeapi.rules.destinations import Address, destination_of
from storeapi.rules.id_lists import ids_in
from storeapi.rules.lines import Goods
from storeapi.rules.money import Currency, currency_of
from storeapi.rules.order_lines import check_sums
from storeapi.rules.order_parts import Shipping
from storeapi.rules.setting_values import in_force
from storeapi.rules.shipping_cost import measures_of, shipping_cost
from storeapi.rules.shippings import Parcel, available_shipping
from storeapi.rules.store_settings import (
    COMPANY_DATA_SETTINGS,
    FRONTEND_DEFAULT_LANGUAGE,
)
from storeapi.rules.tax_rules import tax_rules
from storeapi.rules.totals import Bill, ShippingCharge, Surcharge, Totals, calculate


class Seller(NamedTuple):
    """A company whose products are bought, and from where it sends them.

    Shapes: `language` is that of its storefront, `None` where no setting says it.
    """

    company_id: int
    kind: str
    company: str
    company_name: str
    company_address: str
    company_city: str
    company_country: str
    company_state: str
    company_zipcode: str
    company_phone: str
    company_fax: str
    address: str
    city: str
    country: str
    state: str
    zipcode: str
    phone: str
    fax: str
    language: str | None

    @property
    def group(self) -> str:
        """The group of products that an order has of it, as JSON."""
        own = self.kind == "V"
        names = ("address", "city", "country", "state", "zipcode", "phone", "fax")
        origination = {
            name: getattr(self, name if own else f"company_{name}") for name in names
        }
        name = self.company if own else self.company_name or self.company
        group = {
            "name": self.company,
            "company_id": self.company_id,
            "origination": {"name": name, **origination},
        }
        return orjson.dumps([group]).decode()


def _of_seller(name: str) -> Any:
    """What a seller's field is read from: company data as they are in force."""
    if name == "language":
        return in_force(FRONTEND_DEFAULT_LANGUAGE)
    setting = COMPANY_DATA_SETTINGS.get(name)
    return getattr(Company, name) if setting is None else in_force(setting)


_SELLERS = query(
    select(*[_of_seller(name) for name in Seller._fields]).where(
        Company.company_id.in_(bindparam("ids", expanding=True))
    )
)


def sellers(db: Connection, ids: Iterable[int]) -> dict[int, Seller]:
    """The companies with these numbers."""
    wanted = sorted(set(ids))
    rows = db.rows(_SELLERS, ids=wanted) if wanted else []
    return {row[0]: Seller(*row) for row in rows}


@dataclass(frozen=True, slots=True)
class Terms:
    """Who buys, where to, and in which language.

    Shapes: `contact` holds the columns of the addresses.
    """

    contact: Mapping[str, Any]
    usergroup_ids: frozenset[int]
    lang_code: str
    context: Context
    tax_exempt: bool = False

    @property
    def currency(self) -> Currency:
        """The currency of the shop."""
        return currency_of(self.context.settings.currency)

    def address(self, side: str) -> Address:
        """The billing (`b`) or shipping (`s`) address."""
        parts = ("country", "state", "zipcode", "city")
        return Address(*[self.contact[f"{side}_{part}"] for part in parts])

    def destinations(self) -> dict[str, int]:
        """Where the addresses lie, as taxes ask for it."""
        known = self.context.settings.destinations
        return {
            side: destination_of(known, self.address(side.lower())) for side in "BS"
        }

    def buyer(self, *company_ids: int) -> Buyer:
        """The buyer, as payment and shipping methods ask for it."""
        return Buyer(
            frozenset(company_ids),
            self.usergroup_ids,
            administrator=not self.context.caller.is_customer,
            lang_code=self.lang_code,
        )


@dataclass(frozen=True, slots=True)
class Charge:
    """A chosen shipping method with its cost. Shapes: `record` is JSON."""

    shipping_id: int
    rate: int
    record: str
    tax_ids: tuple[int, ...] = ()

    @classmethod
    def of(cls, row: Shipping) -> "Charge":
        """The charge of an order as it is stored."""
        return cls(row.shipping_id, row.rate, row.record, ids_in(row.tax_ids))

    def row(self, order_id: int) -> dict[str, Any]:
        """The row that an order keeps."""
        return {
            "order_id": order_id,
            "group_key": 0,
            "shipping_id": self.shipping_id,
            "rate": self.rate,
            "record": self.record,
            "tax_ids": ",".join(map(str, self.tax_ids)),
        }


def charge_shipping(
    db: Connection,
    company_id: int,
    shipping_id: int,
    items: Iterable[Goods],
    terms: Terms,
) -> Charge:
    """Price a shipping method for the products of one company.

    Raises: `InvalidInput` naming `shipping_id` if it cannot deliver them.
    """
    measures = measures_of(items)
    parcel = Parcel(company_id, terms.address("s"), measures)
    buyer = terms.buyer(company_id)
    method = available_shipping(db, shipping_id, parcel, buyer, terms.context)
    rate = shipping_cost(method.rates, measures, terms.currency, carrier=method.carrier)
    record = orjson.dumps(method.record).decode()
    return Charge(shipping_id, rate, record, method.tax_ids)


def surcharge_of(payment_id: int, record: str, *, fixed: bool = True) -> Surcharge:
    """What the payment method adds, by the record that an order keeps of it.

    Shapes: without `fixed`, the part of it that does not depend on the order is
    charged elsewhere.
    """
    if not record:
        return Surcharge(payment_id)
    known = orjson.loads(record)
    return Surcharge(
        payment_id,
        scaled_of(known["a_surcharge"], 3) if fixed else 0,
        scaled_of(known["p_surcharge"], 3),
        tuple(int(id) for id in known["tax_ids"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What the totals of an order follow from."""

    items: Sequence[Goods]
    charges: Sequence[Charge]
    surcharge: Surcharge
    subtotal_discount: int = 0
    discount: int | None = None
    total: int | None = None


def reckon(db: Connection, figures: Figures, terms: Terms) -> Totals:
    """Add up an order with the taxes that apply now.

    Raises: `InvalidInput` for figures that are too large to be kept.
    """
    tax_ids = {id for item in figures.items for id in item.tax_ids}
    tax_ids |= {id for charge in figures.charges for id in charge.tax_ids}
    tax_ids |= set(figures.surcharge.tax_ids)
    taxes = {}
    if tax_ids and not terms.tax_exempt:
        taxes = tax_rules(db, tax_ids, terms.destinations(), terms.lang_code)
    bill = Bill(
        lines=figures.items,
        shippings=[
            ShippingCharge(each.shipping_id, each.rate, each.tax_ids)
            for each in figures.charges
        ],
        surcharge=figures.surcharge,
        taxes=taxes,
        tax_exempt=terms.tax_exempt,
        subtotal_discount=figures.subtotal_discount,
        discount=figures.discount,
        total=figures.total,
    )
    totals = calculate(bill, terms.currency)
    taxed = {f"tax {id}": tax.amount for id, tax in totals.taxes.items()}
    check_sums({**sums_of(totals), **taxed})
    return totals


SUMS = (
    "total", "subtotal", "display_subtotal", "discount", "subtotal_discount",
    "payment_surcharge", "shipping_cost", "display_shipping_cost", "tax_subtotal",
)  # fmt: skip
"""The figures that an order keeps."""

_sums = attrgetter(*SUMS)


def sums_of(totals: Totals) -> dict[str, int]:
    """The figures of an order as its columns."""
    return dict(zip(SUMS, _sums(totals), strict=True))


def added_up(orders: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The figures of a parent: those of its orders together.

    Raises: `InvalidInput` for figures that are too large to be kept.
    """
    rows = list(orders)
    found = {name: sum(row[name] for row in rows) for name in SUMS}
    check_sums(found)
    return found


def tax_rows(order_id: int, totals: Totals) -> list[dict[str, Any]]:
    """The rows of an order's taxes."""
    return [
        {
            "order_id": order_id,
            "tax_id": id,
            "description": tax.rule.description,
            "rate_type": tax.rule.rate_type,
            "rate_value": tax.rule.rate,
            "price_includes_tax": "Y" if tax.rule.included else "N",
            "regnumber": tax.rule.regnumber,
            "priority": tax.rule.priority,
            "of_products": tax.products,
            "of_shipping": tax.shipping,
            "of_surcharge": tax.surcharge,
            "items": ",".join(map(str, tax.items)),
            "shippings": ",".join(map(str, tax.shippings)),
            "payments": ",".join(map(str, tax.payments)),
        }
        for id, tax in totals.taxes.items()
    ]
