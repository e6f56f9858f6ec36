"""The shipping methods of a marketplace's owner that are open to a vendor.

Source: spec/entities/vendors.md, field shippings and rule 3.
"""

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection, Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Company, Shipping
from storeapi.rules.id_lists import Holder, Removal, check_listed, ids_in, strip

_SHIPPING_ID = table_of(Shipping).c.shipping_id
_OWNERS = query(
    select(Shipping.shipping_id).where(
        Shipping.shipping_id.in_(bindparam("ids", expanding=True)),
        Shipping.company_id == 0,
    )
)
_VENDORS = Holder("vendors", Company, "company_id", "shippings")


def owner_methods(db: Connection, shippings: str) -> str:
    """The methods of a list that count: those of the owner.

    Raises: `InvalidInput` naming `shippings` for methods that do not exist.
    """
    ids = ids_in(shippings)
    if not ids:
        return shippings
    check_listed(db, _SHIPPING_ID, ids, "shippings")
    own = {row[0] for row in db.rows(_OWNERS, ids=ids)}
    return ",".join(str(id) for id in ids if id in own)


def forget_method(db: Transaction, removal: Removal) -> None:
    """Take a method that is deleted out of every vendor's list."""
    strip(db, _VENDORS, removal, lambda left, status: (left, status))
