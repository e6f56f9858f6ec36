"""Where a vendor may sell: in the categories that the marketplace's owner lists.

A list covers what lies below its categories, and the vendor's own categories need
not be in it; without a list the vendor sells everywhere.
Source: spec/entities/vendors.md, field categories.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import InvalidInput, Refused
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Category, Company, ProductCategory
from storeapi.rules.companies import VENDOR
from storeapi.rules.id_lists import Holder, Removal, check_listed, ids_in, strip

PLACES = (
    select(Company.categories)
    .where(
        Company.company_id == bindparam("company_id", required=True),
        Company.kind == VENDOR,
    )
    .scalar_subquery()
)
"""The list of a company, to be read along with something else."""

_CATEGORY_ID = table_of(Category).c.category_id
_VENDORS = Holder("vendors", Company, "company_id", "categories")
_PLACED = query(
    select(Category.category_id, Category.id_path, PLACES)
    .join(ProductCategory, ProductCategory.category_id == Category.category_id)
    .where(
        ProductCategory.product_id == bindparam("id", required=True),
        Category.company_id != bindparam("company_id", required=True),
    )
    .order_by(Category.category_id)
)
_LISTED = query(
    select(Company.company_id)
    .where(Company.kind == VENDOR, Company.categories != "")
    .limit(1)
)


def check_selling_places(db: Connection, categories: str) -> None:
    """Refuse a list that names categories which do not exist.

    Raises: `InvalidInput`.
    """
    check_listed(db, _CATEGORY_ID, ids_in(categories), "categories")


def check_sold_there(places: str | None, paths: Iterable[tuple[int, str]]) -> None:
    """Refuse categories that are outside of a vendor's list.

    Shapes: `paths` are the categories of others and their `id_path`.
    Raises: `InvalidInput` naming them.
    """
    outside = _outside(places, paths)
    if outside:
        text = f"names categories where the vendor does not sell: {outside}"
        raise InvalidInput.of("category_ids", text, "foreign")


def check_offered_there(db: Connection, common_id: int, company_id: int) -> None:
    """Refuse an offer of a common product that is outside of the vendor's list.

    Raises: `Refused` naming its categories.
    """
    rows = db.rows(_PLACED, id=common_id, company_id=company_id)
    places = rows[0][2] if rows else None
    outside = _outside(places, [(row[0], row[1]) for row in rows])
    if outside:
        text = f"vendor {company_id} does not sell in categories {outside}"
        raise Refused(f"{text}, where common product {common_id} is")


def _outside(places: str | None, paths: Iterable[tuple[int, str]]) -> str:
    """The categories that no entry of a list covers, as a text."""
    listed = set(ids_in(places or ""))
    if not listed:
        return ""
    return ", ".join(
        str(id)
        for id, path in paths
        if listed.isdisjoint(int(part) for part in path.split("/"))
    )


def forget_categories(
    db: Transaction, ids: Sequence[int], caller_id: int | None, now: int
) -> None:
    """Take categories that are deleted out of the lists of vendors.

    The last one of a list stays: an empty list would let the vendor sell everywhere.
    """
    if not db.row(_LISTED):
        return
    for id in sorted(ids):
        strip(db, _VENDORS, Removal(id, caller_id, now), partial(_left, id))


def _left(last: int, others: str, status: str) -> tuple[str, str]:
    return others or str(last), status
