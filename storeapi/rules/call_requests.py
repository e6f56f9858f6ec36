"""Call requests: who asks to be called back, about what, and by which number."""

from dataclasses import replace
from typing import Any

from sqlalchemy import bindparam, func, select

from storeapi.core.database import Connection
from storeapi.core.entity import Context
from storeapi.core.errors import FieldError, InvalidInput, NotFound
from storeapi.core.kinds import invalid, text_of
from storeapi.models import CallRequest, Order, ProductText, User

REFERENCES = {"user_id": "users", "order_id": "orders", "product_id": "products"}
"""What a request may name, and the entity that shows it."""

STAFF_ONLY = ("status", "user_id", "order_id", "notes", "timestamp", "company_id")
"""What customers and visitors do not decide.

Source: spec/entities/call_requests.md, rule 9.
"""

_PARTS = ("product_id", "amount", "price", "product")
_MOST = 500

Values = dict[str, Any]

PRODUCT: Any = (
    select(ProductText.product)
    .where(
        ProductText.product_id == CallRequest.product_id,
        ProductText.lang_code == bindparam("lang_code", required=True),
    )
    .scalar_subquery()
)
ORDER_STATUS: Any = (
    select(Order.status).where(Order.order_id == CallRequest.order_id).scalar_subquery()
)
HANDLER: Any = func.coalesce(
    select(User.name_key).where(User.user_id == CallRequest.user_id).scalar_subquery(),
    "",
)


def digits_of(phone: str) -> str:
    """The digits of a number, by which numbers are compared."""
    return "".join(letter for letter in phone if letter in "0123456789")


def check_contact(values: Values) -> None:
    """Refuse a request that nobody can answer.

    Raises: `InvalidInput`.
    Source: spec/entities/call_requests.md, rule 1.
    """
    if not values.get("phone", "").strip() and not values.get("email"):
        text = "is required, unless the other of phone and email is sent"
        errors = [FieldError(name, text, "required") for name in ("phone", "email")]
        raise InvalidInput(errors=errors)


def check_references(context: Context, db: Connection, values: Values) -> None:
    """Refuse users, orders and products that do not exist for the caller.

    Raises: `InvalidInput` naming every field.
    Source: spec/entities/call_requests.md, statuses; spec/protocol.md, section 12.
    """
    errors = []
    for field, name in REFERENCES.items():
        id = values.get(field)
        if id is None:
            continue
        entity = context.registry and context.registry.get(name)
        try:
            if not entity:
                raise NotFound
            entity(replace(context, parent=None), db).read_parent(id)
        except NotFound:
            errors.append(FieldError(field, f"{id} does not exist", "unknown"))
    if errors:
        raise InvalidInput(errors=errors)


def read_cart(value: Any) -> list[dict[str, str]]:
    """Read the products of a cart: the known parts of each, as texts.

    Shapes: a list or an object of items.
    Raises: `ValidationError`.
    Source: spec/entities/call_requests.md, rule 7.
    """
    items = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(items, list) or not all(isinstance(i, dict) for i in items):
        raise invalid("must be a list of products")
    if len(items) > _MOST:
        raise invalid(f"holds more than {_MOST} products", "too_long")
    return [
        {name: text_of(item[name]) for name in _PARTS if item.get(name) is not None}
        for item in items
    ]
