"""What guests say of themselves: name, e-mail address, and two addresses.

Source: spec/entities/orders.md, section 2.2; carts.md, section 2.4.
"""

from collections.abc import Mapping
from typing import Any

import orjson
from marshmallow import ValidationError

from storeapi.core.errors import FieldError, InvalidInput
from storeapi.core.folding import folded
from storeapi.core.kinds import Email, Kind, Text
from storeapi.models.base import KEY_LENGTH, UNIQUE_KEY_LENGTH
from storeapi.rules.people import ADDRESS_PARTS

_NAME = Text(maxlength=128)
_LINE = Text(maxlength=255)
_OF_PERSON = ("firstname", "lastname")
_KINDS: Mapping[str, Kind] = {
    "email": Email(blank=True),
    "firstname": _NAME,
    "lastname": _NAME,
    "phone": Text(maxlength=64),
    **{
        f"{side}_{part}": _NAME if part in _OF_PERSON else _LINE
        for side in "bs"
        for part in ADDRESS_PARTS
    },
}


def read_contact(sent: Any, name: str = "user_data") -> dict[str, str]:
    """Read the contact data of a guest; what is unknown is passed over.

    Raises: `InvalidInput` naming every bad part.
    """
    if sent in (None, "", [], {}):
        return {}
    if not isinstance(sent, Mapping):
        raise InvalidInput.of(name, "must be an object")
    found, errors = read_parts(sent, _KINDS, name)
    if errors:
        raise InvalidInput(errors=errors)
    return found


def read_parts(
    sent: Mapping[str, Any], kinds: Mapping[str, Kind], name: str
) -> tuple[dict[str, Any], list[FieldError]]:
    """Read the parts of a contact that are sent, and tell which are wrong.

    Source: spec/protocol.md, section 6, rule 5 (null stores an empty text).
    """
    found: dict[str, Any] = {}
    errors = []
    for key, kind in kinds.items():
        if key not in sent:
            continue
        try:
            found[key] = kind.read("" if sent[key] is None else sent[key])
        except ValidationError as error:
            errors.append(FieldError(f"{name}.{key}", str(error.messages[0])))
    return found, errors


def contact_columns(known: str, sent: Mapping[str, str]) -> dict[str, Any]:
    """The columns of a cart for a guest's contact; nothing where none was sent.

    Shapes: `known` is the stored contact, as JSON; only what is sent changes.
    """
    if not sent:
        return {}
    contact = {**(orjson.loads(known) if known else {}), **sent}
    first, last = _names(contact)
    name, surname = folded(first), folded(last)
    return {
        "contact": orjson.dumps(contact).decode(),
        "firstname": first or None,
        "lastname": last or None,
        "email_key": folded(contact.get("email", "")),
        "name_key": f"{surname}\t{name}"[:KEY_LENGTH],
        "person_key": f"{name} {surname}"[:UNIQUE_KEY_LENGTH],
    }


def _names(contact: Mapping[str, str]) -> tuple[str, str]:
    """First and last name: the own ones, else those of an address."""
    for prefix in ("", "b_", "s_"):
        first, last = (contact.get(f"{prefix}{part}", "") for part in _OF_PERSON)
        if first or last:
            return first, last
    return "", ""
