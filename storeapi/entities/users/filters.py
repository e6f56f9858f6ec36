"""The special filters of users (spec/entities/users.md, list)."""

from typing import Any

from sqlalchemy import Table, and_, bindparam, exists, or_, select

from storeapi import (
    AnyOf,
    Code,
    Condition,
    Flag,
    Id,
    Period,
    Text,
    Where,
    equals,
)
from storeapi.core.conditions import any_of, linked
from storeapi.core.filters import Equal, Filter, contains, read_value, single
from storeapi.core.rows import table_of
from storeapi.models import Company, User, UsergroupLink

_table: Table = table_of(User)
_ID = Id(zero=True)
_COUNTRY = Code(upper=True)


def _part(name: str, *keys: Any, plain: tuple[Any, ...] = ()) -> Where:
    """A part of a text: `keys` are columns of folded texts, `plain` are not."""

    def make(entity: Any, value: Any) -> Condition | None:
        text = single(name, value)
        if not text.strip():
            return None
        found = [contains(c, text, name, folded=True, texts=False) for c in keys]
        found += [
            contains(c, text, f"{name}_plain", folded=False, texts=False) for c in plain
        ]
        return any_of(*found)

    return Where(name, make)


def _exact(name: str, kind: Any, *columns: Any) -> Where:
    """One of the columns equals the value."""

    def make(entity: Any, value: Any) -> Condition:
        wanted = read_value(name, kind.read_filter, value)
        bound: Any = bindparam(f"is_{name}", required=True)
        return Condition(
            ("exact", name),
            lambda: or_(*[column == bound for column in columns]),
            {bound.key: wanted},
        )

    return Where(name, make)


def _in_company(entity: Any, value: Any) -> Condition:
    """`company` is the number of a company here, not the text in the record."""
    id = read_value("company", _ID.read_filter, value)
    return equals(User.company_id, id, role="company")


def _named_company(entity: Any, value: Any) -> Condition:
    """The store or vendor has exactly this name."""
    bound: Any = bindparam("company_named", required=True)
    return Condition(
        "company named",
        lambda: User.company_id.in_(
            select(Company.company_id).where(
                Company.company == bound, Company.kind != "O"
            )
        ),
        {bound.key: single("company_name", value)},
    )


def _in_group(entity: Any, value: Any) -> Condition:
    """Users with an active link to a group, or (0) to none."""
    id = read_value("usergroup_id", _ID.read_filter, value)
    link = UsergroupLink
    if id == 0:
        own = exists().where(link.user_id == User.user_id, link.status == "A")
        return Condition("in no group", lambda: ~own)
    group: Any = bindparam("usergroup", required=True)
    return linked(
        "in group",
        User.user_id,
        link.user_id,
        lambda: and_(link.status == "A", link.usergroup_id == group),
        {"usergroup": id},
    )


FILTERS: tuple[Filter, ...] = (
    AnyOf(user_ids=User.user_id),
    Where("company", _in_company),
    Where("company_name", _named_company),
    _part("name", User.person_key),
    _part("user_login", User.login_key),
    _part("email", User.email_key),
    Where("usergroup_id", _in_group),
    _part(
        "address",
        plain=(User.b_address, User.b_address_2, User.s_address, User.s_address_2),
    ),
    _part("zipcode", plain=(User.b_zipcode, User.s_zipcode)),
    _part("city", plain=(User.b_city, User.s_city)),
    _exact("country", _COUNTRY, User.b_country, User.s_country),
    _exact("state", Text(), User.b_state, User.s_state),
    Equal("phone", User.phone, Text()),
    Equal("tax_exempt", User.tax_exempt, Flag()),
    _part("q", User.person_key, User.email_key, User.login_key, plain=(User.phone,)),
    Period(User.timestamp),
)

SORTINGS = {
    "id": _table.c.user_id,
    "username": User.login_key,
    "email": User.email_key,
    "name": User.name_key,
    "date": User.timestamp,
    "user_type": User.user_type,
    "status": User.status,
    "company": User.company,
}
