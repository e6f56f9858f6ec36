"""Where a vendor may sell: in the categories that the marketplace's owner lists.

A list covers what lies below its categories, and the vendor's own categories need
not be in it; without a list the vendor sells everywhere.
Source: spec/entities/vendors.md, field categories.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import InvalidInput
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Category, Company
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
    listed = set(ids_in(places or ""))
    if not listed:
        return
    outside = [
        str(id)
        for id, path in paths
        if listed.isdisjoint(int(part) for part in path.split("/"))
    ]
    if outside:
        text = f"names categories where the vendor does not sell: {', '.join(outside)}"
        raise InvalidInput.of("category_ids", text, "foreign")


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
