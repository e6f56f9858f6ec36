"""Shipping methods as orders use them: which are available, and at which charges.

Source: spec/entities/shippings.md, section 5.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import orjson
from sqlalchemy import and_, bindparam, select

from storeapi.core.database import Connection, Row, Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import InvalidInput, Unavailable
from storeapi.core.kinds import money_text
from storeapi.core.statement import query
from storeapi.models import Company, Shipping, ShippingRate, ShippingText
from storeapi.rules.buying import Buyer
from storeapi.rules.carriers import Carrier, Consignment
from storeapi.rules.destinations import Address, destination_of
from storeapi.rules.id_lists import ids_in
from storeapi.rules.shipping_cost import Measures, Rates
from storeapi.rules.shipping_rates import rates_of

BY_CARRIER = "R"

_log = logging.getLogger("storeapi.shippings")
_COLUMNS = (
    "shipping_id", "company_id", "status", "usergroup_ids", "min_weight",
    "max_weight", "rate_calculation", "service_id", "service_params", "tax_ids",
)  # fmt: skip
_TEXTS = ("shipping", "delivery_time")
_NAMES = (*_COLUMNS, *_TEXTS, "rate_value")
_METHODS = query(
    select(
        *[getattr(Shipping, name) for name in _COLUMNS],
        *[getattr(ShippingText, name) for name in _TEXTS],
        ShippingRate.rate_value,
    )
    .join(ShippingText, ShippingText.shipping_id == Shipping.shipping_id)
    .outerjoin(
        ShippingRate,
        and_(
            ShippingRate.shipping_id == Shipping.shipping_id,
            ShippingRate.destination_id == bindparam("destination", required=True),
        ),
    )
    .where(
        Shipping.shipping_id.in_(bindparam("ids", expanding=True)),
        ShippingText.lang_code == bindparam("lang_code", required=True),
    )
    .order_by(Shipping.position, Shipping.shipping_id)
)
_OPEN_TO = query(
    select(Company.kind, Company.shippings).where(
        Company.company_id == bindparam("id", required=True)
    )
)


@dataclass(frozen=True, slots=True)
class Parcel:
    """A group of products of one company, on its way to an address."""

    company_id: int
    address: Address
    measures: Measures


@dataclass(frozen=True, slots=True)
class ShippingMethod:
    """A shipping method that is available, with its charges there.

    Units: `carrier` is the price that a carrier asked, in minor units; weights in
    hundredths.
    Shapes: `record` is what an order keeps of it; no secret is in it.
    """

    shipping_id: int
    company_id: int
    shipping: str
    delivery_time: str
    rate_calculation: str
    service_id: int
    tax_ids: tuple[int, ...]
    rates: Rates
    record: Mapping[str, object]
    carrier: int = 0


def available_shipping(
    db: Connection, shipping_id: int, parcel: Parcel, buyer: Buyer, context: Context
) -> ShippingMethod:
    """The shipping method of that ID, if it can deliver the parcel.

    Raises: `InvalidInput` naming `shipping_id`.
    """
    found = available_shippings(db, [shipping_id], parcel, buyer, context)
    if shipping_id not in found:
        text = f"{shipping_id} is no shipping method that can deliver these products"
        raise InvalidInput.of("shipping_id", text, "unknown")
    return found[shipping_id]


def available_shippings(
    db: Connection, ids: Iterable[int], parcel: Parcel, buyer: Buyer, context: Context
) -> dict[int, ShippingMethod]:
    """Those of the shipping methods that can deliver a parcel, in their order.

    A carrier is asked outside of the transaction.
    """
    destination = destination_of(context.settings.destinations, parcel.address)
    wanted = sorted(set(ids))
    rows = db.rows(
        _METHODS, ids=wanted, destination=destination, lang_code=buyer.lang_code
    )
    allowed = _open_methods(db, parcel.company_id) if rows else None
    found: dict[int, ShippingMethod] = {}
    for row in rows:
        values = dict(zip(_NAMES, row, strict=True))
        if not _is_open(values, parcel, buyer, allowed):
            continue
        price = 0
        if values["rate_calculation"] == BY_CARRIER:
            asked = _carrier_price(db, values, parcel, context)
            if asked is None:
                continue
            price = asked
        elif values["rate_value"] is None:
            continue
        found[values["shipping_id"]] = _method(row, price, _carrier(values, context))
    return found


def _open_methods(db: Connection, company_id: int) -> Sequence[int] | None:
    """The owner's methods that a company may use; `None` for all.

    Source: spec/entities/vendors.md, field shippings and rule 3.
    """
    row = db.row(_OPEN_TO, id=company_id)
    if row is None or row[0] != "V" or row[1] is None:
        return None
    return ids_in(row[1])


def _is_open(
    values: dict[str, Any], parcel: Parcel, buyer: Buyer, allowed: Sequence[int] | None
) -> bool:
    """Whether a method may be used for a parcel, charges aside.

    Units: the limits are in hundredths, the weight of a parcel in thousandths.
    """
    company_id = values["company_id"]
    if company_id not in (0, parcel.company_id):
        return False
    if not company_id and allowed is not None and values["shipping_id"] not in allowed:
        return False
    weight = parcel.measures.package_weight
    least, most = values["min_weight"] * 10, values["max_weight"] * 10
    if weight < least or (most and weight > most):
        return False
    return buyer.may_use(company_id, values["status"], values["usergroup_ids"])


def _carrier_price(
    db: Connection, values: dict[str, Any], parcel: Parcel, context: Context
) -> int | None:
    """What the carrier of a method asks; `None` if it does not deliver.

    Source: spec/entities/shippings.md, rule 5.3.3.
    """
    carrier = _carrier(values, context)
    if carrier is None:
        return None
    params = values["service_params"]
    consignment = Consignment(
        parcel.address,
        parcel.measures.cost,
        parcel.measures.package_weight,
        parcel.measures.items,
        context.settings.currency,
        orjson.loads(params) if params else {},
    )

    def ask() -> int | None:
        try:
            price = carrier.price(consignment)
        except (OSError, Unavailable):
            _log.exception("carrier %s told no price", carrier.service_id)
            return None
        return price if type(price) is int and price >= 0 else None

    if isinstance(db, Transaction):
        return db.outside(("carrier", values["shipping_id"], params, parcel), ask)
    return ask()


def _carrier(values: dict[str, Any], context: Context) -> Carrier | None:
    """The carrier that a method names, if a plug-in brings it."""
    registry = context.registry
    return registry.extension(Carrier, values["service_id"]) if registry else None


def _method(row: Row, price: int, carrier: Carrier | None) -> ShippingMethod:
    method = _stored(row)
    if carrier is None:
        return method
    source = {"service_code": carrier.service_code, "module": carrier.module}
    return replace(method, record={**method.record, **source}, carrier=price)


@lru_cache(maxsize=1024)
def _stored(row: Row) -> ShippingMethod:
    values = dict(zip(_NAMES, row, strict=True))
    kept = {n: values[n] for n in ("shipping", "delivery_time", "rate_calculation")}
    return ShippingMethod(
        values["shipping_id"],
        values["company_id"],
        kept["shipping"],
        kept["delivery_time"],
        kept["rate_calculation"],
        values["service_id"],
        ids_in(values["tax_ids"]),
        rates_of(values["rate_value"] or ""),
        {
            "shipping_id": str(values["shipping_id"]),
            **kept,
            "destination": "I",
            "min_weight": money_text(values["min_weight"]),
            "max_weight": money_text(values["max_weight"]),
            "service_id": str(values["service_id"]),
            "service_code": None,
            "module": None,
            "service_params": [],
        },
    )
