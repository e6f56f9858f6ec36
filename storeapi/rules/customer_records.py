"""The records of customers as other records show them: without any secret.

Source: spec/entities/carts.md, section 2.1.
"""

from collections.abc import Sequence
from typing import Any

from storeapi.core.kinds import Keys
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
_PLACES = ("b_country_descr", "b_state_descr", "s_country_descr", "s_state_descr")
KEYS = Keys(
    frozenset({*_NAMES, *_EMPTY, *_PLACES, "profile_id", "fields", "usergroups"})
)
"""The keys of customers as records show them, and as payloads name them."""

COLUMNS: tuple[Any, ...] = tuple(getattr(User, name) for name in _NAMES)
"""What a SELECT returns of each user for `customer_record`."""


def customer_record(row: Sequence[Any]) -> dict[str, Any]:
    """The account and profile of a user. Shapes: `row` holds the `COLUMNS`."""
    values = dict(zip(_NAMES, row, strict=True))
    texts: dict[str, Any] = {name: str(value) for name, value in values.items()}
    record = {**texts, **_EMPTY, "profile_id": texts["user_id"], "fields": []}
    for side in "bs":
        country, state = values[f"{side}_country"], values[f"{side}_state"]
        record[f"{side}_country_descr"] = country_name(country)
        record[f"{side}_state_descr"] = state_name(country, state)
    return {**record, "usergroups": [], "points": values["points"]}
