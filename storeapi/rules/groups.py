"""User groups: which names they may hold, and what hangs on their being there."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.access import Caller
from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import Forbidden, InvalidInput, Refused
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import (
    Category,
    Page,
    Payment,
    Product,
    ProductPrice,
    Shipping,
    Usergroup,
    UsergroupLink,
)
from storeapi.rules.id_lists import Holder, Removal, check_listed, ids_in, strip
from storeapi.rules.touching import note_change

GUESTS, REGISTERED = 1, 2
RESERVED = frozenset({GUESTS, REGISTERED})
OPEN = ("A", "H")
"""Statuses of groups whose members get what is for them."""

EVERYBODY = "0"
"""What a list of groups holds that limits an object to none."""

_MEMBER = query(
    select(UsergroupLink.link_id)
    .where(UsergroupLink.usergroup_id == bindparam("id", required=True))
    .limit(1)
)
_PRICED = query(
    select(Product.product_id)
    .where(
        Product.product_id.in_(
            select(ProductPrice.product_id).where(
                ProductPrice.usergroup_id == bindparam("id", required=True)
            )
        )
    )
    .order_by(Product.product_id)
    .with_for_update()
)
_USERGROUP_ID = table_of(Usergroup).c.usergroup_id
JOINED = (
    select(UsergroupLink.usergroup_id)
    .join(Usergroup, Usergroup.usergroup_id == UsergroupLink.usergroup_id)
    .where(
        UsergroupLink.user_id == bindparam("member_id", required=True),
        UsergroupLink.status == "A",
        Usergroup.status.in_(OPEN),
    )
)
"""The SELECT of the groups whose member the user `member_id` is now."""

_JOINED = query(JOINED)


def buyer_groups(db: Connection, user_id: int) -> frozenset[int]:
    """The user groups whose prices and products a buyer sees; user 0 is a guest."""
    if not user_id:
        return frozenset({0, GUESTS})
    joined = [row[0] for row in db.rows(_JOINED, member_id=user_id)]
    return frozenset({0, REGISTERED, *joined})


def check_privileges(names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse privileges that no entity and no panel knows.

    Raises: `InvalidInput`.
    """
    unknown = sorted(set(names) - set(known))
    if unknown:
        text = f"holds unknown names: {', '.join(unknown)[:200]}"
        raise InvalidInput.of("privileges", text, "unknown")


def check_changeable(usergroup_id: int) -> None:
    """Refuse to touch the groups that every shop has.

    Raises: `Refused`.
    Source: spec/entities/usergroups.md, rule 1.
    """
    if usergroup_id in RESERVED:
        raise Refused(f"group {usergroup_id} is reserved")


def judge_group(caller: Caller, group_type: str) -> None:
    """Let only root decide whether a group of administrators grants what it holds.

    Its type, its status and its being there decide that as much as its privileges.
    Raises: `Forbidden`.
    Source: spec/protocol.md, section 10, rule 5.
    """
    if group_type == "A" and not caller.is_root:
        raise Forbidden("only root decides what a group of administrators grants")


def check_type_change(db: Connection, usergroup_id: int) -> None:
    """Refuse another type for a group that somebody belongs to.

    Raises: `Refused`.
    Source: spec/entities/usergroups.md, rule 6.
    """
    if db.row(_MEMBER, id=usergroup_id) is not None:
        raise Refused("the type of a group with members cannot change")


def check_usergroups(db: Connection, ids: Iterable[int], field: str) -> None:
    """Refuse groups that do not exist; those that do stay until the commit.

    Everybody, guests and registered users are there in every shop.
    Raises: `InvalidInput` naming the field and the groups.
    """
    unsure = {*ids} - RESERVED - {int(EVERYBODY)}
    check_listed(db, _USERGROUP_ID, sorted(unsure), field)


def complete_groups(
    db: Connection, values: dict[str, Any], row: Mapping[str, Any] | None
) -> None:
    """Let an object without groups be for everybody, and judge those that are new.

    Raises: `InvalidInput`.
    """
    if "usergroup_ids" not in values:
        return
    groups = values["usergroup_ids"] = values["usergroup_ids"] or EVERYBODY
    stored = EVERYBODY if row is None else row["usergroup_ids"]
    new = {*ids_in(groups)} - {*ids_in(stored)}
    check_usergroups(db, new, "usergroup_ids")


def _limited(
    entity: str, model: type[Any], id: str, touched: str | None = None
) -> Holder:
    return Holder(entity, model, id, "usergroup_ids", EVERYBODY, touched)


LIMITED: Sequence[Holder] = (
    _limited("categories", Category, "category_id"),
    _limited("pages", Page, "page_id"),
    _limited("payments", Payment, "payment_id"),
    _limited("products", Product, "product_id", "updated_timestamp"),
    _limited("shippings", Shipping, "shipping_id"),
)
"""Whose objects may be limited to groups."""


def remove_group(db: Transaction, removal: Removal) -> None:
    """Take a group that is deleted out of every object that names it.

    An object that was for that group alone is hidden: it must not become public.
    Source: spec/entities/usergroups.md, rule 5.
    """
    for holder in LIMITED:
        strip(db, holder, removal, without_group)
    _drop_prices(db, removal)


def without_group(left: str, status: str) -> tuple[str, str]:
    """The groups and the status of an object, from the groups that are left."""
    if left:
        return left, status
    return EVERYBODY, "H" if status == "A" else status


def _drop_prices(db: Transaction, removal: Removal) -> None:
    """Delete the prices of the group; their products count as changed."""
    ids = [row[0] for row in db.rows(_PRICED, id=removal.id)]
    db.delete(table_of(ProductPrice), {"usergroup_id": removal.id})
    note_change(db, ids, removal.now, removal.caller_id)
