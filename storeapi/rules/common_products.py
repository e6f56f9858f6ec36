"""Common products of a marketplace, and the offers that vendors make of them.

Source: spec/entities/master_products.md; spec/entities/master_product_offers.md.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, or_, select
from sqlalchemy.orm import aliased

from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import InvalidInput, Refused
from storeapi.core.kinds import decimal_text
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Company, Product, ProductPrice, ProductText
from storeapi.rules.companies import VENDOR
from storeapi.rules.copying import rows_of

INHERITED = frozenset(
    {
        "product",
        "page_title",
        "short_description",
        "full_description",
        "promo_text",
        "meta_description",
        "meta_keywords",
        "search_words",
        "age_warning_message",
        "category_ids",
        "main_category",
        "main_pair",
        "image_pairs",
        "product_features",
        "options_type",
        "exceptions_type",
        "variation_feature_values",
    }
)
"""What an offer has from its common product: written, it is ignored."""

TERMS = (
    "status",
    "price",
    "list_price",
    "point_price",
    "zero_price_action",
    "tracking",
    "low_avail_limit",
    "out_of_stock_actions",
    "min_qty",
    "max_qty",
    "qty_step",
    "list_qty_count",
    "product_code",
    "weight",
    "length",
    "width",
    "height",
    "shipping_freight",
    "free_shipping",
    "box_length",
    "box_width",
    "box_height",
    "min_items_in_box",
    "max_items_in_box",
    "tax_ids",
    "avail_since",
    "return_period",
    "is_returnable",
    "is_edp",
    "edp_shipping",
    "unlimited_download",
    "usergroup_ids",
    "details_layout",
    "age_verification",
    "age_limit",
)
"""Columns of an offer that are as the common product's where none is sent."""

_offer = aliased(Product)
_common = aliased(Product)
_id: Any = bindparam("id", required=True)
_company_id: Any = bindparam("company_id", required=True)

OFFERS_COUNT = (
    select(func.count())
    .select_from(_offer)
    .where(
        _offer.master_product_id
        == func.coalesce(Product.master_product_id, Product.product_id)
    )
    .scalar_subquery()
)
"""The number of offers of the common product that a product is, or is one of."""

COMMON_STATUS = (
    select(_common.status)
    .where(_common.product_id == Product.master_product_id)
    .scalar_subquery()
)
"""The status of the common product of an offer."""


def on_sale(offer: Any) -> tuple[ColumnElement[bool], ...]:
    """The conditions under which the price of an offer may be shown.

    One that counts no stock is there however many pieces it names.
    """
    return offer.status == "A", or_(offer.amount > 0, offer.tracking == "D")


_lowest = select(func.min(_offer.price)).where(
    _offer.master_product_id == Product.product_id, *on_sale(_offer)
)
SHOWN_PRICE = func.coalesce(_lowest.scalar_subquery(), Product.price).label(
    "shown_price"
)
"""What a list of common products shows: the lowest price at which one can buy.

Source: spec/entities/master_products.md, 7.1.
"""

_SHOWN = query(select(SHOWN_PRICE).where(Product.product_id == _id))
_COMMON = query(
    select(Product.product_id)
    .where(Product.product_id == _id, Product.company_id == 0)
    .with_for_update()
)
_COMMON_OF = query(
    select(Product.product_id)
    .where(
        Product.product_id
        == select(_offer.master_product_id)
        .where(_offer.product_id == _id)
        .scalar_subquery()
    )
    .with_for_update()
)
_OFFER_OF = query(
    select(Product.product_id).where(
        Product.master_product_id == _id, Product.company_id == _company_id
    )
)
_OFFERS = query(
    select(Product.product_id)
    .where(Product.master_product_id == _id)
    .order_by(Product.product_id)
    .with_for_update()
)
_VENDOR = query(
    select(Company.company_id)
    .where(Company.company_id == _company_id, Company.kind == VENDOR)
    .with_for_update(read=True)
)
_NAME = query(
    select(ProductText.product)
    .where(ProductText.product_id == _id)
    .order_by(ProductText.lang_code)
)


def drop_inherited(values: dict[str, Any]) -> None:
    """Take out what an offer has from its common product, and who makes it.

    Source: spec/entities/master_product_offers.md, section 2 and rule 5.
    """
    for name in INHERITED | {"company_id"}:
        values.pop(name, None)


def drop_shown_price(
    db: Connection, values: dict[str, Any], base_price: Any, row: Mapping[str, Any]
) -> None:
    """Take out the price of a common product that a list shows, sent back from there.

    It stands beside the product's own one, which the list shows as `base_price`.
    """
    price = values.get("price", row["price"])
    if price == row["price"] or base_price != decimal_text(row["price"], 2):
        return
    if price == db.value(_SHOWN, id=row["product_id"]):
        del values["price"]


def check_vendor(db: Connection, company_id: int) -> None:
    """Refuse an offer by anyone but a vendor.

    Raises: `InvalidInput`.
    """
    if db.row(_VENDOR, company_id=company_id) is None:
        raise InvalidInput.of("company_id", f"{company_id} is no vendor", "unknown")


def hold_common_product(db: Transaction, id: int, company_id: int) -> dict[str, Any]:
    """Read and hold the common product that a vendor wants to offer.

    Raises: `InvalidInput` if there is none; `Refused` if the vendor offers it.
    Source: spec/entities/master_product_offers.md, rules 1 and 2.
    """
    if db.row(_COMMON, id=id) is None:
        text = f"{id} is no common product"
        raise InvalidInput.of("master_product_id", text, "unknown")
    offer_id = db.value(_OFFER_OF, id=id, company_id=company_id)
    if offer_id is not None:
        text = f"vendor {company_id} has offer {offer_id} of common product {id}"
        raise Refused(text)
    (row,) = rows_of(db, table_of(Product).c.product_id, [id])
    return row


def hold_common_product_of(db: Transaction, id: int) -> None:
    """Hold the common product of an offer, if a product is one.

    Whoever makes or removes offers holds it first, so that none waits in a ring.
    """
    db.row(_COMMON_OF, id=id)


def complete_offer(
    db: Connection, values: dict[str, Any], common: dict[str, Any]
) -> None:
    """Fill in the vendor's terms that were not sent, and the name.

    Source: spec/entities/master_product_offers.md, section 2.
    """
    for name in INHERITED:
        values.pop(name, None)
    terms = {name: common[name] for name in TERMS}
    for name, value in {**terms, "amount": 0}.items():
        values.setdefault(name, value)
    values["product"] = db.value(_NAME, id=common["product_id"])
    values["main_category"] = common["main_category"]


def copy_prices(db: Transaction, common_id: int, offer_id: int) -> None:
    """Give an offer the quantity prices of its common product."""
    table = table_of(ProductPrice)
    rows = rows_of(db, table.c.product_id, [common_id])
    db.insert_many(table, [{**row, "product_id": offer_id} for row in rows])


def offers_to_remove(db: Transaction, common_id: int, *, forced: bool) -> list[int]:
    """The offers that go with a common product.

    Raises: `Refused` if there are some and nobody insists.
    Source: spec/entities/master_products.md, rule 5.5.
    """
    offers = [row[0] for row in db.rows(_OFFERS, id=common_id)]
    if offers and not forced:
        text = f"common product {common_id} has {len(offers)} offers"
        raise Refused(f"{text}; add force=Y to delete them too")
    return offers
