"""A sound payload of every entity, for the tests that run over all of them."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from storeapi.core.access import names_of
from storeapi.core.declared import DeclaredEntity
from storeapi.core.registry import load_registry
from tests.orders import GUEST_DATA, stored_order
from tests.shop import Caller, Shop

REGISTRY = load_registry((), (), ())
NAMES = tuple(registered.entity.name for registered in REGISTRY)
OPERATIONS = ("list", "index", "create", "update", "delete")

_numbers = itertools.count(1)
Payload = dict[str, Any]


def _user(_: Shop) -> Payload:
    return {"email": f"sample{next(_numbers)}@example.com", "user_type": "C"}


def _store(_: Shop) -> Payload:
    host = f"sample{next(_numbers)}.example"
    return {"company": "Quay", "storefront": host, "email": f"a@{host}"}


def _language(_: Shop) -> Payload:
    number = next(_numbers)
    code = chr(ord("q") + number // 26 % 10) + chr(ord("a") + number % 26)
    return {"lang_code": code, "name": "Sample"}


def _langvar(_: Shop) -> Payload:
    return {"name": f"sample_{next(_numbers)}", "value": "Your basket"}


def _order(shop: Shop) -> Payload:
    """A download, so that nothing needs to be shipped."""
    owner = getattr(shop, "company_id", 0)
    payment = shop.root.post("payments", {"payment": "Cash", "company_id": owner})
    song = shop.make_product("Song", price="5", is_edp="Y", tracking="D")
    return {
        "payment_id": payment.get_json()["payment_id"],
        "products": {str(song): {"amount": 1}},
        "user_data": GUEST_DATA,
    }


def _shipment(shop: Shop) -> Payload:
    order_id = stored_order(shop, {"item_id": 7, "amount": 1})
    return {"order_id": order_id, "products": {"7": 1}, "carrier": "usps"}


PAYLOADS: dict[str, Callable[[Shop], Payload]] = {
    "products": lambda shop: {"product": "Mug", "category_ids": [shop.category]},
    "categories": lambda _: {"category": "Cups"},
    "languages": _language,
    "langvars": _langvar,
    "stores": _store,
    "vendors": _store,
    "users": _user,
    "usergroups": lambda _: {"type": "C", "status": "A", "usergroup": "Guild"},
    "features": lambda _: {"description": "Colour", "feature_type": "T"},
    "pages": lambda _: {"page_type": "T", "page": "Returns"},
    "blocks": lambda _: {
        "type": "html_block",
        "name": "Opening hours",
        "properties": {"template": "blocks/html_block.tpl"},
    },
    "call_requests": lambda _: {"phone": "+351 210 000 000", "name": "Rui"},
    "discussions": lambda shop: {
        "object_type": "C",
        "object_id": shop.category,
        "message": "Sturdy.",
    },
    "carts": lambda shop: {"product_id": shop.make_product()},
    "statuses": lambda _: {"description": "On hold"},
    "payments": lambda _: {"payment": "Card at pickup"},
    "shippings": lambda _: {"shipping": "Harbour Courier"},
    "taxes": lambda _: {"tax": "VAT 20%"},
    "orders": _order,
    "shipments": _shipment,
    "options": lambda _: {"product_id": 0, "option_name": "Size", "option_type": "I"},
}
CHANGES: dict[str, Payload] = {
    "products": {"price": "7"},
    "categories": {"category": "Bowls"},
    "languages": {"name": "Changed"},
    "langvars": {"value": "Your cart"},
    "stores": {"company": "Pier"},
    "vendors": {"company": "Pier"},
    "users": {"firstname": "Ann"},
    "usergroups": {"usergroup": "Circle"},
    "features": {"description": "Shade"},
    "options": {"option_name": "Width"},
    "orders": {"notes": "Ring twice"},
    "shipments": {"comments": "Fragile"},
    "carts": {"user_data": {"firstname": "Ann"}},
    "pages": {"page": "Delivery"},
    "call_requests": {"notes": "call again"},
    "discussions": {"message": "Fine."},
    "statuses": {"description": "Waiting"},
    "payments": {"payment": "Cash"},
    "shippings": {"shipping": "Bicycle"},
    "taxes": {"tax": "VAT 7%"},
    "blocks": {"type": "html_block", "name": "Hours"},
}
NEEDED_ON_PUT: dict[str, Payload] = {
    "blocks": {"type": "html_block"},
    "carts": {"user_data": {}},
}
"""What some entities want in every PUT."""

CLEARING = frozenset({("carts", "products")})
"""Fields whose empty value deletes the object: a cart without lines is none."""

OF_PRODUCTS = frozenset({"combinations", "exceptions"})
"""Entities whose list is that of one product, which has to be named."""

OWN_ONLY = frozenset({"orders"})
"""Entities whose list shows customers what is their own."""

LISTED = tuple(
    r.entity.name
    for r in REGISTRY
    if "index" in r.entity.privileges and r.entity.name != "version"
)
"""All but the actions, which are POSTed below a product, and what is no list."""

MADE_BY_PUT = frozenset({"langvars"})
"""Entities of which PUT makes an object that is not there."""

SAMPLED = tuple(name for name in NAMES if name in PAYLOADS)

EVERY = pytest.mark.parametrize("name", NAMES)
EVERY_LISTED = pytest.mark.parametrize("name", LISTED)
EVERY_SAMPLED = pytest.mark.parametrize("name", SAMPLED)
EVERY_VERSION = pytest.mark.parametrize("version", ["1.0", "2.0"])


def filtered_by(names: Iterable[str], parameter: str) -> list[str]:
    """Those of the entities with a table whose lists have a filter."""
    found = []
    for name in names:
        entity = REGISTRY.get(name)
        if issubclass(entity, DeclaredEntity):
            found += [name] if parameter in entity.declaration.params else []
    return found


def create(shop: Shop, name: str, caller: Caller | None = None) -> Any:
    """Make an object through the API, as root; returns its ID."""
    answer = (caller or shop.root).post(name, PAYLOADS[name](shop))
    assert answer.status_code == 201, answer.get_data(as_text=True)
    id = answer.get_json()[REGISTRY.get(name).id_key]
    return int(id) if str(id).isdigit() else id


def shown_id(name: str) -> str:
    """The field of records that holds the ID."""
    entity = REGISTRY.get(name)
    own = entity.declaration.id_name
    return str(own if own in entity.declaration.kinds else entity.id_key)


def records(answer: Any, name: str) -> list[dict[str, Any]]:
    """The records of a list, whatever its shape."""
    body = answer.get_json()
    if isinstance(body, dict):
        body = body.get(REGISTRY.get(name).list_key or name, body)
    return list(body.values()) if isinstance(body, dict) else body


def privileges(name: str, *operations: str) -> list[str]:
    """The privileges that some operations of an entity take."""
    found = REGISTRY.get(name).privileges
    return sorted({p for o in operations for p in names_of(found.get(o, False))[:1]})


def send(caller: Caller, name: str, operation: str, id: Any, body: Payload) -> Any:
    """Do one operation on an entity."""
    if operation == "list":
        return caller.get(f"{name}?items_per_page=1000")
    if operation == "create":
        return caller.post(name, body)
    if operation == "index":
        return caller.get(f"{name}/{id}")
    if operation == "update":
        return caller.put(f"{name}/{id}", body)
    return caller.delete(f"{name}/{id}")


__all__ = [
    "CHANGES",
    "CLEARING",
    "EVERY",
    "EVERY_LISTED",
    "EVERY_SAMPLED",
    "EVERY_VERSION",
    "LISTED",
    "MADE_BY_PUT",
    "NAMES",
    "NEEDED_ON_PUT",
    "OF_PRODUCTS",
    "OPERATIONS",
    "OWN_ONLY",
    "PAYLOADS",
    "REGISTRY",
    "SAMPLED",
    "create",
    "filtered_by",
    "privileges",
    "records",
    "send",
    "shown_id",
]
