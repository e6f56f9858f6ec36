"""Statuses of orders and shipments: their letters, and what follows from them.

Source: spec/entities/statuses.md.
"""

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson
from sqlalchemy import and_, bindparam, func, select

from storeapi.core.database import Connection, Row, Transaction
from storeapi.core.errors import InvalidInput, Refused
from storeapi.core.kinds import Faults, Flag, invalid, text_of
from storeapi.core.statement import Query, query
from storeapi.models import Order, Shipment, Status, StatusCompanyText, StatusText

TYPE_ORDER = "O"
TYPE_SHIPMENT = "S"
DEFAULT = "O"
"""The letter of a new order."""

RESERVED = frozenset({"N", "T"})
"""Letters of incomplete and of parent orders: nobody assigns them."""

SHIPMENT_LETTERS: Mapping[str, str] = {"P": "Picked up", "A": "Packed", "S": "Shipped"}
"""What shipments are without any status of their own type."""

AUTOMATIC = string.ascii_uppercase + string.digits
_TAKEN = {TYPE_ORDER: RESERVED, TYPE_SHIPMENT: frozenset(SHIPMENT_LETTERS)}

TAKES, GIVES_BACK = "D", "I"
NOTHING, INVOICE, CREDIT_MEMO, ORDER_FORM = "D", "I", "C", "O"

_FLAG = Flag()
_FLAGS = (
    "notify", "notify_department", "notify_vendor", "remove_cc_info", "repay",
    "allow_return",
)  # fmt: skip
_CHOICES = {
    "inventory": (TAKES, GIVES_BACK),
    "appearance_type": (NOTHING, INVOICE, CREDIT_MEMO, ORDER_FORM),
}
DEFAULT_PARAMS: Mapping[str, str] = {
    "inventory": TAKES,
    **dict.fromkeys(_FLAGS, "N"),
    "appearance_type": NOTHING,
}
_LONGEST_NAME, _LONGEST_VALUE, _MOST = 64, 1000, 100

_BUILT_IN = (
    ("P", "Processed", "D", "N", "Y", "Y", "I", "#97cf4d"),
    ("C", "Complete", "D", "N", "Y", "Y", "I", "#97cf4d"),
    ("O", "Open", "D", "N", "N", "Y", "O", "#f0a030"),
    ("F", "Failed", "I", "Y", "N", "Y", "O", "#d9534f"),
    ("D", "Declined", "I", "Y", "N", "Y", "O", "#b03a2e"),
    ("B", "Backordered", "D", "N", "N", "Y", "O", "#5b9bd5"),
    ("I", "Canceled", "I", "N", "Y", "Y", "O", "#aaaaaa"),
    ("Y", "Awaiting call", "D", "N", "N", "N", "O", "#a0522d"),
)
_PARAMS = (
    "inventory", "repay", "remove_cc_info", "notify", "appearance_type", "color",
)  # fmt: skip
BUILT_IN: Mapping[str, tuple[str, Mapping[str, str]]] = {
    letter: (name, {**DEFAULT_PARAMS, **dict(zip(_PARAMS, params, strict=True))})
    for letter, name, *params in _BUILT_IN
}
"""Letter to name and parameters of what every store has, in the order of the IDs.

Source: spec/entities/statuses.md, section 2.2.
"""


def read_params(value: Any) -> dict[str, str | None]:
    """Read parameters; null stands for one that is to go.

    Raises: `ValidationError` naming every bad one.
    """
    if value in ("", []):
        return {}
    if not isinstance(value, dict):
        raise invalid("must be an object")
    if len(value) > _MOST:
        raise invalid(f"holds more than {_MOST} parameters", "too_long")
    found: dict[str, str | None] = {}
    faults = Faults()
    for name, each in value.items():
        with faults.of(name):
            found[_name(name)] = None if each is None else _param(name, each)
    faults.tell()
    return found


def _name(name: str) -> str:
    if not name or len(name) > _LONGEST_NAME:
        raise invalid(f"must be called by 1 to {_LONGEST_NAME} characters")
    return text_of(name)


def _param(name: str, value: Any) -> str:
    if name in _FLAGS:
        return _FLAG.parse(value)
    text = _FLAG.parse(value) if isinstance(value, bool) else text_of(value)
    if name in _CHOICES and text not in _CHOICES[name]:
        raise invalid(f"must be one of {', '.join(_CHOICES[name])}", "unknown")
    if name == "color" and text and not _is_color(text):
        raise invalid("must be a colour such as #97cf4d")
    if name == "gift_cert_status" and len(text) > 1:
        raise invalid("must be a letter")
    if len(text) > _LONGEST_VALUE:
        raise invalid(f"is longer than {_LONGEST_VALUE} characters", "too_long")
    return text


def _is_color(text: str) -> bool:
    return len(text) == 7 and text[0] == "#" and set(text[1:]) <= set(string.hexdigits)


def merged_params(sent: Mapping[str, str | None], stored: str | None) -> str:
    """The parameters after a write, as JSON: those that were not sent stay.

    Raises: `InvalidInput` if there would be too many.
    Source: spec/entities/statuses.md, section 7, advice 2.
    """
    before = DEFAULT_PARAMS if stored is None else orjson.loads(stored)
    after = {n: v for n, v in {**before, **sent}.items() if v is not None}
    if len(after) > _MOST:
        raise InvalidInput.of("params", f"holds more than {_MOST}", "too_long")
    return orjson.dumps(after).decode()


_USED = query(
    select(Status.status).where(Status.type == bindparam("type", required=True))
)


def check_letter(type: str, letter: str) -> None:
    """Refuse a letter that means something else already.

    Raises: `InvalidInput`.
    """
    if letter in _TAKEN[type]:
        raise InvalidInput.of("status", f"{letter} is reserved", "taken")


def free_letter(db: Connection, type: str) -> str:
    """The first letter or digit that no status of a type has.

    Raises: `InvalidInput` if none is left.
    Source: spec/entities/statuses.md, rule 1.
    """
    used = {row[0] for row in db.rows(_USED, type=type)} | _TAKEN[type]
    for letter in AUTOMATIC:
        if letter not in used:
            return letter
    raise InvalidInput.of("status", "no letter is left", "taken")


@dataclass(frozen=True, slots=True)
class StatusRule:
    """What follows from the status of an order, with the words of its mail."""

    status: str
    status_id: int = 0
    description: str = ""
    email_subj: str = ""
    email_header: str = ""
    params: Mapping[str, str] = field(default_factory=dict)

    @property
    def takes_stock(self) -> bool:
        """Whether an order in this status has its pieces out of the stock."""
        return self._param("inventory") == TAKES

    @property
    def removes_cc_info(self) -> bool:
        """Whether card data is dropped."""
        return self._param("remove_cc_info") == "Y"

    @property
    def appearance(self) -> str:
        """Which document the order gets: `D` none, `I`, `C`, or the form `O`."""
        return self._param("appearance_type")

    def _param(self, name: str) -> str:
        return self.params.get(name) or DEFAULT_PARAMS[name]


_order_status = and_(
    Status.type == TYPE_ORDER, Status.status == bindparam("letter", required=True)
)
_IN_USE: Mapping[str, tuple[str, Query]] = {
    type: (
        table,
        query(select(key).where(column == bindparam("letter", required=True)).limit(1)),
    )
    for type, table, key, column in (
        (TYPE_ORDER, "orders", Order.order_id, Order.status),
        (TYPE_SHIPMENT, "shipments", Shipment.shipment_id, Shipment.status),
    )
}
# MariaDB locks a row that is read in an index alone there alone, and it can go: the
# parameters, which no index has, make it lock the row itself.
_HELD = query(
    select(Status.params)
    .where(_order_status)
    .with_for_update(read=True, key_share=True)
)
_lang_code: Any = bindparam("lang_code", required=True)
# An order may be in a language that is gone: what its status does stays the same.
_RULE = query(
    select(
        Status.status_id,
        func.coalesce(StatusText.description, ""),
        func.coalesce(StatusCompanyText.email_subj, StatusText.email_subj, ""),
        func.coalesce(StatusCompanyText.email_header, StatusText.email_header, ""),
        Status.params,
    )
    .outerjoin(
        StatusText,
        and_(
            StatusText.status_id == Status.status_id,
            StatusText.lang_code == _lang_code,
        ),
    )
    .outerjoin(
        StatusCompanyText,
        and_(
            StatusCompanyText.status_id == Status.status_id,
            StatusCompanyText.lang_code == _lang_code,
            StatusCompanyText.company_id == bindparam("company_id", required=True),
        ),
    )
    .where(_order_status)
)


def status_rule(
    db: Connection, letter: str, *, company_id: int = 0, lang_code: str = "en"
) -> StatusRule:
    """The rule of an order status; of one that is gone, that of any new status."""
    row = db.row(_RULE, letter=letter, company_id=company_id, lang_code=lang_code)
    if row is None:
        return StatusRule(letter)
    return _rule(letter, row)


@lru_cache(maxsize=1024)
def _rule(letter: str, row: Row) -> StatusRule:
    status_id, description, subject, header, params = row
    return StatusRule(
        letter, status_id, description, subject, header, orjson.loads(params)
    )


def hold_status(
    db: Transaction,
    letter: str,
    field: str = "status",
    *,
    company_id: int = 0,
    lang_code: str = "en",
) -> StatusRule:
    """The rule of a status that an order gets, which stays until the commit.

    Raises: `InvalidInput` naming the field for a letter that no order may get.
    """
    if letter in RESERVED or db.row(_HELD, letter=letter) is None:
        raise InvalidInput.of(field, f"{letter[:20]!r} is no order status", "unknown")
    return status_rule(db, letter, company_id=company_id, lang_code=lang_code)


def check_deletable(db: Transaction, type: str, letter: str, is_default: str) -> None:
    """Refuse to delete a status that is built in, or that an order is in.

    The caller holds the row, so no order gets the letter meanwhile.
    Raises: `Refused`.
    Source: spec/entities/statuses.md, section 4 and rule 5.
    """
    if is_default == "Y" or (type == TYPE_ORDER and letter == DEFAULT):
        raise Refused("a built-in status cannot be deleted")
    owners, found = _IN_USE[type]
    if db.row(found, letter=letter) is not None:
        raise Refused(f"a status that {owners} have cannot be deleted")
