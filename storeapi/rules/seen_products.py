"""Which products a caller sees, where something else than `products` asks."""

from typing import Any

from sqlalchemy import and_, case

from storeapi.core.access import Caller
from storeapi.core.rows import table_of
from storeapi.models import Product
from storeapi.rules.companies import of_shown_company

_COMPANY: Any = table_of(Product).c.company_id

SHOWN = case((and_(Product.status == "A", of_shown_company(_COMPANY)), "Y"), else_="N")
"""Whether a product is for customers.

Source: spec/protocol.md, section 9; spec/entities/vendors.md, rule 6.
"""


def is_seen(caller: Caller, company_id: int, shown: str) -> bool:
    """Whether the caller sees a product of a company; `shown` is what `SHOWN` says."""
    if caller.is_customer:
        return shown == "Y"
    return not caller.is_scoped or company_id in (0, caller.company_id)
