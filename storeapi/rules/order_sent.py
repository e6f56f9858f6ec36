"""What payloads of orders say beside plain fields. Pure.

Source: spec/entities/orders.md, sections 2.1 and 2.3.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import ValidationError

from storeapi.core.errors import FieldError, FieldErrors, InvalidInput
from storeapi.core.kinds import Flag, Id
from storeapi.rules.order_contacts import read_contact
from storeapi.rules.payment_info import read_payment_info
from storeapi.rules.sent_lines import SentLine, read_lines

NOTIFY = ("notify_user", "notify_department", "notify_vendor")
ACCEPTED = frozenset(
    {"products", "shipping_id", "shipping_ids", "user_data", "payment_info",
     "coupon_codes", *NOTIFY}
)  # fmt: skip

_FLAG = Flag()
_ID = Id()
_NOTHING: tuple[Any, ...] = (None, "", [], {}, 0, "0")

ByGroup = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Sent:
    """The parts of a payload; `None` where it has none.

    Shapes: `shipping` is a method for all groups, or one by group key.
    """

    lines: list[SentLine] | None = None
    shipping: int | ByGroup | None = None
    contact: dict[str, Any] | None = None
    payment_info: str | None = None
    notify: frozenset[str] = frozenset()

    def shipping_of(self, group_key: int) -> int | None:
        """The method that is chosen for a group."""
        if isinstance(self.shipping, Mapping):
            return self.shipping.get(group_key)
        return self.shipping


def read_sent(
    params: Mapping[str, Any], load: Callable[[], Any], *, whole: bool
) -> tuple[Any, Sent]:
    """Read a payload: its plain fields by `load`, then the other parts.

    A `whole` one has to say what is bought.

    Raises: `InvalidInput` naming every bad field of all of them.
    """
    errors = FieldErrors()

    def tried(read: Callable[[], Any]) -> Any:
        with errors:
            return read()
        return None

    def part(name: str, read: Callable[[Any], Any], *, needed: bool = False) -> Any:
        known = needed or name in params
        return tried(lambda: read(params.get(name))) if known else None

    values = tried(load)
    known = params if values is None else values
    registered = whole and known.get("user_id") not in _NOTHING
    sent = Sent(
        part("products", read_lines, needed=whole),
        tried(lambda: read_shipping(params)),
        None if registered else part("user_data", read_contact),
        part("payment_info", read_payment_info),
        frozenset() if whole else tried(lambda: read_notify(params)) or frozenset(),
    )
    errors.tell()
    return values, sent


def read_shipping(params: Mapping[str, Any]) -> int | ByGroup | None:
    """Read a method, an array of them by group, or a map from group to method.

    Raises: `InvalidInput` naming the field that was sent.
    """
    name = "shipping_id"
    if params.get(name) in _NOTHING:
        name = "shipping_ids"
    value = params.get(name)
    if value in _NOTHING:
        return None
    try:
        if isinstance(value, str) and "," in value:
            value = value.split(",")
        if isinstance(value, list):
            value = dict(enumerate(value))
        if not isinstance(value, Mapping):
            return int(_ID.parse(value))
        return {
            int(_GROUP.parse(key)): int(_ID.parse(each))
            for key, each in value.items()
            if each not in _NOTHING
        }
    except ValidationError as error:
        raise InvalidInput.of(name, str(error.messages[0])) from None


_GROUP = Id(zero=True)


def read_notify(params: Mapping[str, Any]) -> frozenset[str]:
    """Read who is to be told of a new status.

    Raises: `InvalidInput` naming the flag.
    """
    found = set()
    errors = []
    for name in NOTIFY:
        value = params.get(name)
        if value in (None, ""):
            continue
        try:
            if _FLAG.parse(value) == "Y":
                found.add(name)
        except ValidationError as error:
            errors.append(FieldError(name, str(error.messages[0])))
    if errors:
        raise InvalidInput(errors=errors)
    return frozenset(found)
