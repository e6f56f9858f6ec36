"""Call requests: customers who want to be called back, or to buy with one click."""

from typing import Any

from sqlalchemy import func, or_

from storeapi import (
    Choice,
    Condition,
    Contains,
    Email,
    Fields,
    Id,
    InvalidInput,
    Key,
    Params,
    Record,
    TableEntity,
    Text,
    Timestamp,
    Where,
    allow,
    equals,
)
from storeapi.core.conditions import NOTHING
from storeapi.core.filters import contains, read_ids, single
from storeapi.core.folding import folded
from storeapi.core.kinds import Document, JsonSchema
from storeapi.core.writing import Values
from storeapi.models import CallRequest
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.call_requests import (
    HANDLER,
    ORDER_STATUS,
    PRODUCT,
    STAFF_ONLY,
    check_contact,
    check_references,
    digits_of,
    read_cart,
)


class State(Choice):
    """The state of a request; one client spells `no_answer` in its own way.

    Source: spec/entities/call_requests.md, rule 3.
    """

    ALIAS = "non_answer"

    def parse(self, value: Any) -> str:
        """Take the alias too."""
        return super().parse("no_answer" if value == self.ALIAS else value)

    def read_filter(self, text: str) -> str:
        """Take the alias too."""
        return super().read_filter("no_answer" if text == self.ALIAS else text)


class Cart(Document):
    """The products of a cart: an array, or an empty text for none."""

    def take(self, value: Any) -> Any:
        """Read the products."""
        return read_cart(value)

    def record_schema(self) -> JsonSchema:
        """Describe the array, or nothing."""
        return {"type": ["array", "string"]}

    def payload_schema(self) -> JsonSchema:
        """Describe what is taken."""
        return {"type": ["array", "object", "string"]}


def _called(_entity: Any, value: Any) -> Condition | None:
    """Requests with a part of a number, whatever stands between its digits."""
    if not single("phone", value).strip():
        return None
    digits = digits_of(value)
    if not digits:
        return NOTHING
    column = CallRequest.phone_key
    return contains(column, digits, "phone", folded=True, texts=False)


def _handled(_entity: Any, value: Any) -> Condition:
    """Requests of certain administrators; 0 stands for none."""
    ids = read_ids("user_id", value)
    by = equals(CallRequest.user_id, ids, role="handler")
    if 0 not in ids:
        return by
    return Condition(
        "handled by nobody or",
        lambda: or_(CallRequest.user_id.is_(None), by.build()),
        by.values,
    )


def _ordered(_entity: Any, value: Any) -> Condition:
    """Requests with an order, or without."""
    flag = value.upper() if isinstance(value, str) else ""
    if flag not in ("Y", "N"):
        raise InvalidInput.of("order_exists", "must be Y or N")
    column = CallRequest.order_id
    return Condition(
        ("order exists", flag),
        lambda: column.is_(None) if flag == "N" else column.is_not(None),
    )


class CallRequestFields(Fields):
    """The fields of a call request, in the order of spec/entities/call_requests.md."""

    request_id = Id(dump_only=True, listed=True)
    company_id = Id(create_only=True, listed=True)
    phone = Text(create_only=True, listed=True)
    email = Email(create_only=True, listed=True)
    name = Text(create_only=True, listed=True)
    time_from = Text(create_only=True, listed=True)
    time_to = Text(create_only=True, listed=True)
    status = State("new", "in_progress", "completed", "no_answer", listed=True)
    notes = Text(listed=True)
    user_id = Id(zero=True, listed=True)
    order_id = Id(zero=True, listed=True)
    product_id = Id(zero=True, listed=True)
    timestamp = Timestamp(create_only=True, listed=True)
    cart_products = Cart(blank=True, create_only=True, listed=True, filterable=False)
    order_status = Text(column=ORDER_STATUS, dump_only=True, listed=True)
    product = Text(column=PRODUCT, dump_only=True, listed=True)


class CallRequests(TableEntity[CallRequest]):
    """Requests to be called back, and orders with one click."""

    name = "call_requests"
    id_key = "request_id"
    model = CallRequest
    fields = CallRequestFields
    filters = (
        Contains(folded=True, name=CallRequest.name_key),
        Where("phone", _called),
        Where("user_id", _handled),
        Where("order_exists", _ordered),
    )
    sortings = {
        "id": CallRequest.request_id,
        "date": CallRequest.timestamp,
        "status": CallRequest.status,
        "name": CallRequest.name_key,
        "phone": CallRequest.phone,
        "user_id": func.coalesce(CallRequest.user_id, 0),
        "user": HANDLER,
        "order": func.coalesce(CallRequest.order_id, 0),
        "order_status": func.coalesce(ORDER_STATUS, ""),
    }
    default_sort = "date"
    default_descending = True
    privileges = allow(view="view_call_requests", manage="manage_call_requests")
    privileges_customer = {"create": True}
    parents = {"stores": "company_id", "vendors": "company_id"}

    def permits(self, operation: str, id: Key | None) -> bool:
        """Vendors work on the requests that reach them.

        Source: spec/entities/call_requests.md, privileges.
        """
        if self.caller.user_type == "V" and operation == "update":
            return self.caller.allows(self.privileges["index"])
        return super().permits(operation, id)

    def load(self, params: Params, *, partial: bool) -> Values:
        """Read a payload; of customers only what they ask for."""
        if self.caller.is_customer:
            params = self.context.without(params, STAFF_ONLY)
        return super().load(params, partial=partial)

    def check(self, values: Values, row: Record | None) -> None:
        """Judge whom to call, and what is named; complete keys and times."""
        if values.get("email") == "":
            values["email"] = None
        if row is None:
            check_contact(values)
            if not values.get("timestamp"):
                values["timestamp"] = self.context.now
        before = row or {}
        changed = {k: v for k, v in values.items() if before.get(k) != v}
        check_references(self.context, self.reader, changed)
        if "phone" in values:
            values["phone_key"] = digits_of(values["phone"])
        if "name" in values:
            values["name_key"] = folded(values["name"])[:KEY_LENGTH]
