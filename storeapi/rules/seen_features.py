"""Which features customers see, in records of products as well.

Source: spec/protocol.md, section 9; spec/entities/vendors.md, rule 6.
"""

from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, case, select

from storeapi.core.access import Caller
from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.statement import query
from storeapi.models import Feature, Product, ProductFeatureValue
from storeapi.rules.companies import of_shown_company
from storeapi.rules.touching import touch_products

_company_id: Any = bindparam("company_id", required=True)
_SHOWING = query(
    select(Product.product_id)
    .distinct()
    .join(ProductFeatureValue, ProductFeatureValue.product_id == Product.product_id)
    .join(Feature, Feature.feature_id == ProductFeatureValue.feature_id)
    .where(Feature.company_id == _company_id, Product.company_id != _company_id)
)


def is_for_customers() -> ColumnElement[bool]:
    """The clause that a feature is active, and its company too."""
    return and_(Feature.status == "A", of_shown_company(Feature.company_id))


SHOWN = case((is_for_customers(), "Y"), else_="N")
"""The column by which `is_seen` decides."""


def is_seen(shown: str, caller: Caller) -> bool:
    """Whether a caller is told of a feature that a product has a value of."""
    return shown == "Y" or not caller.is_customer


def touch_showing(db: Transaction, company_id: int, context: Context) -> None:
    """Note that products of others show more, or less: a company opens or closes.

    Its own products are then found by customers or not, and show what they did.
    """
    rows = db.rows(_SHOWING, company_id=company_id)
    touch_products(db, [row[0] for row in rows], context)
