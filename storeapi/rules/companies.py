"""Companies: names that are unique, and stores that a shop cannot do without."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, bindparam, exists, select

from storeapi.core.conditions import Condition, constant
from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Parent
from storeapi.core.errors import Refused
from storeapi.core.failures import Again, Violation
from storeapi.core.folding import folded
from storeapi.core.statement import query
from storeapi.models import Company
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.slugs import slug, slugs_like, taken_slugs, unique_slug

STORE = "S"
VENDOR = "V"
COMPANY_DATA = (
    "company_name",
    "company_address",
    "company_city",
    "company_country",
    "company_state",
    "company_zipcode",
    "company_phone",
    "company_phone_2",
    "company_fax",
    "company_website",
    "company_start_year",
    "company_users_department",
    "company_site_administrator",
    "company_orders_department",
    "company_support_department",
    "company_newsletter_email",
)
"""The columns that are store-level values of the settings of the same names.

Source: spec/entities/stores.md, rule 9.
"""

_STORES = query(
    select(Company.company_id, Company.status)
    .where(Company.kind == STORE)
    .order_by(Company.company_id)
    .with_for_update()
)
HIDDEN_COMPANY = exists().where(Company.status != "A")
"""The clause that some company is not shown to customers."""

_OTHER = Company.company_id != bindparam("id", required=True)
_SEO_NAMES = slugs_like(Company.seo_name, _OTHER)
_STOREFRONTS = slugs_like(Company.storefront_key, _OTHER)

Values = dict[str, Any]


def company_above(parent: Parent | None) -> int | None:
    """The store or vendor in a path, wherever it stands."""
    while parent is not None:
        if parent.name in ("stores", "vendors"):
            return int(parent.id)
        parent = parent.above
    return None


def name_key(name: str) -> str:
    """The text by which names of companies are compared and sorted."""
    return folded(name)[:KEY_LENGTH]


def hold_stores(db: Transaction) -> None:
    """Hold all stores, in their order, before a write that may end the last one.

    Whoever held one store first could meet another such write in a ring.
    """
    db.rows(_STORES)


def keep_a_store(db: Transaction, company_id: int, *, removed: bool) -> None:
    """Refuse to take the last store away, or the last active one out of service.

    The stores are held (`hold_stores`), so that of two such writes at once only
    one goes through.
    Raises: `Refused`.
    Source: spec/entities/stores.md, rules 7 and 8.
    """
    statuses: dict[int, str] = dict(db.rows(_STORES))
    own = statuses.pop(company_id, "")
    if removed and not statuses:
        raise Refused(f"store {company_id} is the last one")
    if own == "A" and "A" not in statuses.values():
        raise Refused(f"store {company_id} is the last active one")


def free_seo_name(db: Connection, wanted: str, company_id: int = 0) -> str:
    """The name, or with a number at its end if another vendor has it.

    Source: spec/entities/vendors.md, rule 10.
    """
    return unique_slug(wanted, taken_slugs(db, _SEO_NAMES, id=company_id))


def free_storefront(db: Connection, wanted: str, company_id: int = 0) -> str:
    """A storefront made of a vendor's name in addresses.

    Source: spec/entities/vendors.md, rule 2.
    """
    return unique_slug(wanted, taken_slugs(db, _STOREFRONTS, id=company_id))


def seo_name_of(company: str) -> str:
    """The name in addresses that a vendor gets from its name."""
    return slug(company) or "vendor"


def try_again(error: Violation, columns: Sequence[str]) -> None:
    """Ask for the write to be repeated if a generated name was taken meanwhile.

    Raises: `Again`.
    """
    if any(error.constraint.endswith(column) for column in columns):
        raise Again("another writer took the generated name") from error


def of_shown_company(company_id: Any) -> ColumnElement[bool]:
    """The clause that leaves out what belongs to a company that customers do not see.

    Source: spec/protocol.md, section 9; spec/entities/vendors.md, rule 6.
    """
    hidden = select(Company.company_id).where(Company.status != "A")
    shown: ColumnElement[bool] = company_id.not_in(hidden)
    return shown


def with_shown_company(company_id: Any) -> Condition:
    """The condition of `of_shown_company`."""
    return constant("of shown company", lambda: of_shown_company(company_id))
