"""Which products a caller sees, and what keeps some of them from customers.

Source: spec/entities/vendors.md, rule 6; spec/entities/products.md, 2.1
(`usergroup_ids`).
"""

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import and_, bindparam, case, exists, literal, select

from storeapi.core.access import Caller
from storeapi.core.conditions import Condition
from storeapi.core.database import Connection
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import Product
from storeapi.rules.audience import for_reader
from storeapi.rules.companies import (
    HIDDEN_COMPANY,
    of_shown_company,
    with_shown_company,
)
from storeapi.rules.groups import EVERYBODY, buyer_groups
from storeapi.rules.id_lists import ids_in

_PRODUCTS: Any = table_of(Product).c
_LIMITED_PRODUCT = exists().where(
    Product.usergroup_ids > literal(EVERYBODY, literal_execute=True)
)
_ANY_HIDDEN = query(
    select(
        case((HIDDEN_COMPANY, "Y"), else_="N"),
        case((_LIMITED_PRODUCT, "Y"), else_="N"),
    )
)

SHOWN = case(
    (and_(Product.status == "A", of_shown_company(_PRODUCTS.company_id)), "Y"),
    else_="N",
)
"""Whether a product is for customers, though not for all of them."""

SEEN = (_PRODUCTS.company_id, SHOWN, _PRODUCTS.usergroup_ids)
"""The columns by which `is_seen` decides."""

_SOME = query(
    select(_PRODUCTS.product_id, SHOWN, _PRODUCTS.usergroup_ids).where(
        _PRODUCTS.product_id.in_(bindparam("ids", expanding=True))
    )
)


def for_customers(db: Connection, caller: Caller) -> Iterator[Condition]:
    """The conditions under which a customer sees active products at all.

    There are none in most shops, whose lists of products are so counted at once.
    """
    hidden, limited = db.row(_ANY_HIDDEN) or ("N", "N")
    if hidden == "Y":
        yield with_shown_company(_PRODUCTS.company_id)
    if limited == "Y":
        yield for_reader(_PRODUCTS.usergroup_ids, caller)


def is_seen(db: Connection, caller: Caller, *columns: Any) -> bool:
    """Whether the caller sees a product. Shapes: `columns` are those of `SEEN`."""
    company_id, shown, usergroup_ids = columns
    if not caller.is_customer:
        return not caller.is_scoped or company_id in (0, caller.company_id)
    if shown != "Y" or usergroup_ids == EVERYBODY:
        return bool(shown == "Y")
    return not buyer_groups(db, caller.user_id or 0).isdisjoint(ids_in(usergroup_ids))


def unseen(db: Connection, caller: Caller, ids: Iterable[int]) -> frozenset[int]:
    """Those among some products that a customer does not see."""
    groups = buyer_groups(db, caller.user_id or 0)
    return frozenset(
        id
        for batch in batches(ids)
        for id, shown, listed in db.rows(_SOME, ids=batch)
        if shown != "Y" or groups.isdisjoint(ids_in(listed))
    )
