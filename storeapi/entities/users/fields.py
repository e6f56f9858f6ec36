"""The fields of a user, in the order of spec/entities/users.md."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, case, exists, select

from storeapi import (
    Choice,
    Code,
    Connection,
    Context,
    Derived,
    Email,
    Fields,
    Flag,
    Id,
    Integer,
    Nested,
    Text,
    Timestamp,
    query,
)
from storeapi.models import ApiKey, Company, User, UsergroupLink
from storeapi.rules.places import country_name, state_name

_company_name = (
    select(Company.company)
    .where(Company.company_id == User.company_id, Company.kind != "O")
    .scalar_subquery()
)
_api_access = case(
    (exists(select(ApiKey.key_id).where(ApiKey.user_id == User.user_id)), "Y"),
    else_="N",
)
_LINKS = query(
    select(
        UsergroupLink.user_id,
        UsergroupLink.usergroup_id,
        UsergroupLink.link_id,
        UsergroupLink.status,
    )
    .where(
        UsergroupLink.user_id.in_(bindparam("ids", expanding=True)),
        UsergroupLink.status != "F",
    )
    .order_by(UsergroupLink.user_id, UsergroupLink.usergroup_id)
)
_BEFORE_1970 = -(2**40)


class Memberships(Nested):
    """The groups of a user, by group ID; read-only."""

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the links of the users of a page."""
        found: dict[int, dict[str, Any]] = {}
        for user_id, usergroup_id, link_id, status in db.rows(_LINKS, ids=ids):
            found.setdefault(user_id, {})[str(usergroup_id)] = {
                "link_id": str(link_id),
                "usergroup_id": str(usergroup_id),
                "status": status,
            }
        return found

    def empty(self) -> dict[str, Any]:
        """A user in no group."""
        return {}


class UserFields(Fields):
    """The account, the person, and the main profile with two addresses."""

    user_id = Id(dump_only=True, listed=True)
    email = Email(required=True, listed=True)
    user_type = Choice("A", "C", "V", required=True, listed=True)
    company_id = Id(zero=True, listed=True)
    status = Choice("A", "D", "H", listed=True)
    user_login = Text(listed=True)
    is_root = Flag(listed=True)
    timestamp = Timestamp(create_only=True, listed=True)
    firstname = Text(listed=True)
    lastname = Text(listed=True)
    company = Text(listed=True)
    company_name = Text(column=_company_name, dump_only=True, listed=True)
    points = Integer(dump_only=True, listed=True)
    password = Text(load_only=True, blank=False)
    phone = Text()
    fax = Text()
    url = Text()
    lang_code = Code()
    birthday = Timestamp(minimum=_BEFORE_1970)
    tax_exempt = Flag()
    last_login = Timestamp(dump_only=True)
    profile_id = Integer(column=User.user_id, dump_only=True)
    profile_name = Text()
    profile_type = Choice("P", dump_only=True)
    b_firstname = Text()
    b_lastname = Text()
    b_address = Text()
    b_address_2 = Text()
    b_city = Text()
    b_county = Text()
    b_state = Text()
    b_country = Code(upper=True)
    b_zipcode = Text()
    b_phone = Text()
    s_firstname = Text()
    s_lastname = Text()
    s_address = Text()
    s_address_2 = Text()
    s_city = Text()
    s_county = Text()
    s_state = Text()
    s_country = Code(upper=True)
    s_zipcode = Text()
    s_phone = Text()
    s_address_type = Text()
    b_country_descr = Derived(("b_country",), country_name)
    b_state_descr = Derived(("b_country", "b_state"), state_name)
    s_country_descr = Derived(("s_country",), country_name)
    s_state_descr = Derived(("s_country", "s_state"), state_name)
    usergroups = Memberships(dump_only=True)
    api_access = Flag(column=_api_access)
