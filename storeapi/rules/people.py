"""Users: what may be done to whom, and how their values depend on each other."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.access import Caller
from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import Forbidden, InvalidInput, Refused
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Company, User, Usergroup, UsergroupLink
from storeapi.models.base import KEY_LENGTH, UNIQUE_KEY_LENGTH

Values = dict[str, Any]
Row = Mapping[str, Any]

ADDRESS_PARTS = (
    "firstname", "lastname", "address", "address_2", "city", "county", "state",
    "country", "zipcode", "phone",
)  # fmt: skip
OWN_FIELDS = frozenset(
    {
        "firstname", "lastname", "phone", "password", "s_address_type",
        *(f"{side}_{part}" for side in "bs" for part in ADDRESS_PARTS),
    }
)  # fmt: skip
"""What anyone may change of the own record.

Source: spec/entities/users.md, privileges.
"""

_VENDOR = query(
    select(Company.company_id).where(
        Company.company_id == bindparam("id", required=True), Company.kind == "V"
    )
)
_ROOTS = query(
    select(User.user_id)
    .where(
        User.user_type == "A",
        User.is_root == "Y",
        User.company_id == 0,
        User.status == "A",
    )
    .order_by(User.user_id)
    .with_for_update()
)
_FULL_NAME = query(
    select(User.firstname, User.lastname).where(
        User.user_id == bindparam("id", required=True)
    )
)
_LOGIN = query(
    select(User.user_id).where(User.login_key == bindparam("key", required=True))
)
_ADMIN_LINKS = query(
    select(UsergroupLink.link_id)
    .join(Usergroup, Usergroup.usergroup_id == UsergroupLink.usergroup_id)
    .where(
        UsergroupLink.user_id == bindparam("id", required=True), Usergroup.type == "A"
    )
)


# Ranks


def judge_target(caller: Caller, row: Row) -> None:
    """Let only root touch the account of another administrator.

    To a limited key its own holder is another one: with a new password or e-mail it
    could get at all that it does not open.
    Raises: `Forbidden`.
    Source: spec/protocol.md, section 10, rule 5.
    """
    other = row["user_id"] != caller.user_id or caller.limited
    if row["user_type"] == "A" and other and not caller.is_root:
        raise Forbidden("only root may touch the account of an administrator")


def judge_rank(caller: Caller, values: Row, row: Row | None) -> None:
    """Let only root make administrators, and change what decides the rank.

    A value that is sent as it is changes nothing, so that a record may be sent
    back by whoever may change the rest of it. `row` knows `api_access` too.
    Raises: `Forbidden`.
    Source: spec/entities/users.md, fields and statuses.
    """
    if caller.is_root:
        return
    if row is None and values["user_type"] == "A":
        raise Forbidden("only root may create an administrator")
    known = {"is_root": "N", "api_access": "N"} if row is None else row
    for name in ("is_root", "user_type", "company_id", "api_access"):
        if name in values and name in known and values[name] != known[name]:
            raise Forbidden(f"only root may set {name}")


def judge_own(values: Row, row: Row) -> None:
    """Keep a user without `manage_users` to a few fields of the own record.

    Raises: `Forbidden` naming the fields that would change besides.
    """
    changed = [
        name
        for name, value in values.items()
        if name not in OWN_FIELDS and (name not in row or row[name] != value)
    ]
    if changed:
        raise Forbidden(f"no privilege to change {', '.join(changed)}")


def judge_seat(
    db: Transaction, caller: Caller, row: Row, values: Row | None = None
) -> None:
    """Refuse what would shut out the caller or leave no root; no values: deletion.

    The roots are locked before they are counted: of two requests that each take
    one of the last two, the second finds the first one gone.
    Raises: `Refused`.
    Source: spec/protocol.md, section 10, rule 5.
    """
    after = None if values is None else {**row, **values}
    active = after is not None and after["status"] == "A"
    if row["user_id"] == caller.user_id and not active:
        raise Refused("nobody can delete or disable the own account")
    if not is_root(row) or (after is not None and is_root(after)):
        return
    if not [found for found in db.rows(_ROOTS) if found[0] != row["user_id"]]:
        raise Refused("the last root administrator must stay")


def is_root(row: Row) -> bool:
    """Whether a user acts as root administrator."""
    wanted = {"user_type": "A", "is_root": "Y", "company_id": 0, "status": "A"}
    return all(row[name] == value for name, value in wanted.items())


def full_name(db: Connection, user_id: int | None) -> str:
    """The name of a user as others read it: first name, last name."""
    row = None if user_id is None else db.row(_FULL_NAME, id=user_id)
    return "" if row is None else " ".join(part for part in row if part)


def check_company(db: Connection, values: Row, row: Row | None) -> None:
    """Want the company to fit the rank.

    Raises: `InvalidInput` for a vendor's administrator without a vendor, and for a
    root administrator of a single company.
    Source: spec/entities/users.md, rules 9 and 10.
    """
    merged = {"is_root": "N", **(row or {}), **values}
    deciding = {"user_type", "company_id", "is_root"}
    if row is not None and deciding.isdisjoint(values):
        return
    if merged["user_type"] == "V" and not db.row(_VENDOR, id=merged["company_id"]):
        raise InvalidInput.of("company_id", "must be a vendor", "unknown")
    rooted = merged["user_type"] == "A" and merged["company_id"] == 0
    if merged["is_root"] == "Y" and not rooted:
        raise InvalidInput.of("is_root", "is for administrators of company 0 only")


def leave_admin_groups(db: Transaction, user_id: int) -> None:
    """Take somebody who is a customer now out of the groups of administrators."""
    links = [row[0] for row in db.rows(_ADMIN_LINKS, id=user_id)]
    if links:
        db.delete(table_of(UsergroupLink), {"link_id": links})


# Values


def complete_keys(values: Values, row: Row | None) -> None:
    """Set the folded texts by which users are found, compared and sorted.

    Source: spec/pitfalls.md, "same address in other letter case".
    """
    if "email" in values:
        values["email_key"] = folded(values["email"])
    if values.get("user_login"):
        values["login_key"] = folded(values["user_login"])[:UNIQUE_KEY_LENGTH]
    if row is None or "firstname" in values or "lastname" in values:
        merged = {"firstname": "", "lastname": "", **(row or {}), **values}
        first, last = folded(merged["firstname"]), folded(merged["lastname"])
        # A tabulator sorts before every letter: "Li" comes before "Lind".
        values["name_key"] = f"{last}\t{first}"[:KEY_LENGTH]
        values["person_key"] = f"{first} {last}"[:UNIQUE_KEY_LENGTH]


def default_login(db: Connection, user_id: int) -> Values:
    """The login of a user who chose none; another one if somebody chose that.

    Source: spec/entities/users.md, fields.
    """
    login, number = f"user_{user_id}", 1
    while (row := db.row(_LOGIN, key=login)) is not None and row[0] != user_id:
        number += 1
        login = f"user_{user_id}_{number}"
    return {"user_login": login, "login_key": login}


def copy_address(values: Values) -> None:
    """Fill the parts of an address that were left out from the other one.

    Source: spec/entities/users.md, rule 5.
    """
    billing = any(f"b_{part}" in values for part in ADDRESS_PARTS)
    source, target = ("b", "s") if billing else ("s", "b")
    for part in ADDRESS_PARTS:
        if f"{source}_{part}" in values:
            values.setdefault(f"{target}_{part}", values[f"{source}_{part}"])
