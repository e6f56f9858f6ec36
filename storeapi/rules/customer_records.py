"""The records of customers as other records show them: without any secret.

Source: spec/entities/carts.md, section 2.1.
"""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection
from storeapi.core.statement import query
from storeapi.models import User
from storeapi.rules.people import ADDRESS_PARTS
from storeapi.rules.places import country_name, state_name

_ACCOUNT = (
    "user_id", "status", "user_type", "user_login", "is_root", "company_id",
    "last_login", "timestamp", "firstname", "lastname", "company", "email", "phone",
    "fax", "url", "tax_exempt", "lang_code", "birthday",
)  # fmt: skip
_PROFILE = ("profile_type", "profile_name")
_ADDRESSES = tuple(f"{side}_{part}" for side in "bs" for part in ADDRESS_PARTS)
_NAMES = (*_ACCOUNT, *_PROFILE, *_ADDRESSES, "s_address_type", "points")
_EMPTY = {
    "referer": "",
    "purchase_timestamp_from": "",
    "purchase_timestamp_to": "",
    "responsible_email": "",
    "janrain_identifier": "",
}
_USERS = query(
    select(*[getattr(User, name) for name in _NAMES]).where(
        User.user_id.in_(bindparam("ids", expanding=True))
    )
)


def customer_records(
    db: Connection, user_ids: Iterable[int]
) -> dict[int, dict[str, Any]]:
    """The accounts and profiles of users, by number."""
    ids = sorted(set(user_ids))
    rows = db.rows(_USERS, ids=ids) if ids else []
    return {row[0]: _record(dict(zip(_NAMES, row, strict=True))) for row in rows}


def _record(values: dict[str, Any]) -> dict[str, Any]:
    texts: dict[str, Any] = {name: str(values[name]) for name in _NAMES}
    record = {**texts, **_EMPTY, "profile_id": texts["user_id"], "fields": []}
    for side in "bs":
        country, state = values[f"{side}_country"], values[f"{side}_state"]
        record[f"{side}_country_descr"] = country_name(country)
        record[f"{side}_state_descr"] = state_name(country, state)
    return {**record, "usergroups": [], "points": values["points"]}
