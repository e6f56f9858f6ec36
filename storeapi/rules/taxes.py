"""Taxes: which there are, their rates as they are sent, and what goes with one.

Source: spec/entities/taxes.md.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from storeapi.core.database import Connection, Transaction
from storeapi.core.kinds import Choice, Decimal, Faults
from storeapi.core.rows import table_of
from storeapi.models import Payment, Product, Shipping, Tax
from storeapi.rules.destinations import read_by_destination
from storeapi.rules.id_lists import Holder, Removal, check_listed, ids_in, strip

PER_CENT, FIXED = "P", "F"

_RATE = Decimal(3, minimum=0, required=True)
_TYPE = Choice(PER_CENT, FIXED)
_TAX_ID = table_of(Tax).c.tax_id

TaxRates = Mapping[int, tuple[int, str]]
"""Destination to rate and its type; rates in thousandths."""

_TAXED: Sequence[Holder] = (
    Holder("products", Product, "product_id", "tax_ids", "", "updated_timestamp"),
    Holder("payments", Payment, "payment_id", "tax_ids"),
    Holder("shippings", Shipping, "shipping_id", "tax_ids"),
)


def check_taxes(db: Connection, tax_ids: str) -> None:
    """Refuse taxes that do not exist; those that do stay until the commit.

    Raises: `InvalidInput` naming them.
    """
    check_listed(db, _TAX_ID, ids_in(tax_ids), "tax_ids")


def forget_tax(db: Transaction, removal: Removal) -> None:
    """Take a tax that is deleted out of every list; its products have changed.

    Source: spec/entities/taxes.md, rule 5.3.2.
    """
    for holder in _TAXED:
        strip(db, holder, removal, lambda left, status: (left, status))


def read_rates(value: Any) -> TaxRates:
    """Read rates: an array of them, or a map of destinations to rates or per cents.

    Raises: `ValidationError` naming every bad one.
    Source: spec/entities/taxes.md, section 2.
    """
    return read_by_destination(value, _rate)


def _rate(entry: Any) -> tuple[int, str]:
    if not isinstance(entry, dict):
        return _RATE.read(entry), PER_CENT
    rate, type, faults = 0, PER_CENT, Faults()
    with faults.of("rate_value"):
        rate = _RATE.read(entry.get("rate_value"))
    if entry.get("rate_type") is not None:
        with faults.of("rate_type"):
            type = _TYPE.read(entry["rate_type"])
    faults.tell()
    return rate, type
