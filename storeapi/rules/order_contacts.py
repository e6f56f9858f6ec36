"""Who buys: the contact data that an order keeps a copy of.

Source: spec/entities/orders.md, sections 2.2 and 5.1.
"""

from collections.abc import Mapping
from typing import Any

import orjson
from marshmallow import ValidationError
from sqlalchemy import bindparam, select

from storeapi.core.access import Caller
from storeapi.core.database import Connection
from storeapi.core.errors import FieldError, InvalidInput
from storeapi.core.kinds import Choice, Code, Email, Kind, Text
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Order, User
from storeapi.rules.contacts import read_parts
from storeapi.rules.customers import is_known
from storeapi.rules.payment_info import masked
from storeapi.rules.people import ADDRESS_PARTS, complete_keys
from storeapi.rules.places import has_states

Values = dict[str, Any]

ACCOUNT = ("email", "firstname", "lastname", "company", "phone", "fax", "url")
ADDRESSES = tuple(f"{side}_{part}" for side in "bs" for part in ADDRESS_PARTS)
CONTACT = (*ACCOUNT, *ADDRESSES, "s_address_type")
NEEDED = ("firstname", "lastname", "address", "city", "state", "country", "zipcode")
"""What a guest has to say of an address."""

_MOST_FIELDS = 100
_table = table_of(Order)
_CUSTOMER_NAMES = ("tax_exempt", *CONTACT)
_CUSTOMER = query(
    select(*[getattr(User, name) for name in _CUSTOMER_NAMES]).where(
        User.user_id == bindparam("id", required=True)
    )
)


def _kind(name: str) -> Kind:
    if name == "email":
        return Email(blank=False)
    if name.endswith("_country"):
        return Code(upper=True, blank=True)
    if name == "s_address_type":
        return Choice("residential", "commercial", "")
    kind = Text()
    kind.bind(_table.c[name])
    return kind


_KINDS: Mapping[str, Kind] = {name: _kind(name) for name in CONTACT}
_FIELD = Text(maxlength=1000)


def read_contact(sent: Any, name: str = "user_data") -> Values:
    """Read what a payload says of the customer; what is unknown is passed over.

    Raises: `InvalidInput` naming every bad part.
    """
    if sent in (None, "", [], {}):
        return {}
    if not isinstance(sent, Mapping):
        raise InvalidInput.of(name, "must be an object")
    found, errors = read_parts(sent, _KINDS, name)
    try:
        found |= _custom_fields(sent, f"{name}.fields")
    except InvalidInput as error:
        errors += error.errors
    if errors:
        raise InvalidInput(errors=errors)
    return found


def _custom_fields(sent: Mapping[str, Any], name: str) -> Values:
    """Custom profile fields: a map of their numbers to texts.

    Nothing that could pay is kept there either.
    Source: spec/entities/orders.md, rule 5.5.2.
    """
    fields = sent.get("fields")
    if "fields" not in sent:
        return {}
    if fields in (None, "", [], {}):
        return {"fields": ""}
    if not isinstance(fields, Mapping) or len(fields) > _MOST_FIELDS:
        text = f"must be an object of at most {_MOST_FIELDS} texts"
        raise InvalidInput.of(name, text)
    found, errors = {}, []
    for key, value in fields.items():
        try:
            found[_FIELD.read(key)] = "" if value is None else _FIELD.read(value)
        except ValidationError as error:
            errors.append(FieldError(f"{name}.{key}", str(error.messages[0])))
    if errors:
        raise InvalidInput(errors=errors)
    kept = masked(found, name)
    return {"fields": orjson.dumps(kept).decode() if kept else ""}


def guest_contact(found: Values, name: str = "user_data", *, ships: bool) -> Values:
    """The contact of a guest, completed: one address stands for a missing other.

    Raises: `InvalidInput` naming every part that is needed and missing.
    Source: spec/entities/orders.md, section 2.2.
    """
    values = dict.fromkeys(CONTACT, "") | found
    given = {side: any(values[f"{side}_{p}"] for p in ADDRESS_PARTS) for side in "bs"}
    for source, target in ("bs", "sb"):
        if given[source] and not given[target]:
            for part in ADDRESS_PARTS:
                values[f"{target}_{part}"] = values[f"{source}_{part}"]
    needed = ["email", *_needed("b", values)]
    needed += _needed("s", values) if ships else []
    missing = [key for key in needed if not values[key].strip()]
    if missing:
        raise InvalidInput(
            errors=[
                FieldError(f"{name}.{k}", "is required", "required") for k in missing
            ]
        )
    return named(values)


def _needed(side: str, values: Values) -> list[str]:
    """What an address needs; a state only where its country may have some.

    Source: spec/clients.md, section 7.7.
    """
    country = values[f"{side}_country"]
    stateless = country and not has_states(country)
    return [f"{side}_{part}" for part in NEEDED if part != "state" or not stateless]


def named(values: Values) -> Values:
    """Fill the name from an address, and the keys by which orders are found."""
    for part in ("firstname", "lastname"):
        if not values.get(part):
            values[part] = values.get(f"b_{part}") or values.get(f"s_{part}") or ""
    complete_keys(values, None)
    return values


def customer_contact(db: Connection, user_id: int, caller: Caller) -> Values:
    """The contact of a registered customer, with `tax_exempt`.

    Raises: `InvalidInput` for a user that does not exist, or not for this caller.
    Source: spec/entities/orders.md, rule 5.1.2; spec/protocol.md, section 12.
    """
    row = db.row(_CUSTOMER, id=user_id)
    if row is None or not is_known(db, user_id, caller):
        raise InvalidInput.of("user_id", f"user {user_id} does not exist", "unknown")
    kept = dict(zip(_CUSTOMER_NAMES, row, strict=True))
    return named({**kept, "profile_id": user_id, "fields": ""})
