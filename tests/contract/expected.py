"""What the contract says of access, told without the code that is tested.

Only what an entity declares (privileges, parents, whether it is shared) is read;
the rules over it are those of spec/protocol.md, sections 4, 9, 11, 12 and 14.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from storeapi.core.access import names_of
from tests.contract.samples import MADE_BY_PUT, REGISTRY
from tests.contract.world import Branch, Id, owned

OPERATION = {"GET": "index", "POST": "create", "PUT": "update", "DELETE": "delete"}
SUCCESS = {"GET": 200, "POST": 201, "PUT": 200, "DELETE": 204}
WRITES = frozenset({"create", "update", "delete"})
EVERYTHING = WRITES | {"index"}

STRANGERS = frozenset({"anonymous", "wrong key", "expired key", "disabled"})
SCOPED = frozenset({"clerk", "vendor"})
PUBLIC: dict[str, frozenset[str]] = {
    "blocks": frozenset({"index"}),
    "call_requests": frozenset({"create"}),
    "categories": frozenset({"index"}),
    "discussions": frozenset({"create", "index"}),
    "features": frozenset({"index"}),
    "languages": frozenset({"index"}),
    "langvars": frozenset({"index"}),
    "options": frozenset({"index"}),
    "pages": frozenset({"index"}),
    "products": frozenset({"index"}),
    "stores": frozenset({"index"}),
    "vendors": frozenset({"index"}),
    "version": frozenset({"index"}),
}
"""Section 9, rule 4: what customers and anonymous callers may do."""

_CATALOG = ("view_catalog", "manage_catalog")
PRIVILEGES: dict[str, tuple[Any, ...]] = {
    "auth": (None, "manage_users", None, None),
    "blocks": (("edit_blocks", "view_pages"), "edit_blocks"),
    "call_requests": ("view_call_requests", "manage_call_requests"),
    "carts": (("view_users", "view_orders"), "manage_users"),
    "categories": _CATALOG,
    "combinations": _CATALOG,
    "detach_product_variation": (None, "manage_catalog", None, None),
    "discussions": ("view_discussions", "manage_discussions"),
    "exceptions": _CATALOG,
    "features": _CATALOG,
    "generate_product_variations": (None, "manage_catalog", None, None),
    "languages": ("view_languages", "manage_languages"),
    "langvars": ("view_languages", "manage_languages"),
    "master_product_offers": _CATALOG,
    "master_products": _CATALOG,
    "options": _CATALOG,
    "orders": ("view_orders", "create_order", ("edit_order", "change_order_status"),
               "delete_orders"),
    "pages": ("view_pages", "manage_pages"),
    "payments": ("view_payments", "manage_payments"),
    "product_variations": _CATALOG,
    "product_variations_groups": _CATALOG,
    "products": _CATALOG,
    "set_default_product_variation": (None, "manage_catalog", None, None),
    "settings": ("view_settings", None, "update_settings", None),
    "shipments": ("view_orders", "edit_order"),
    "shippings": ("view_shipping", "manage_shipping"),
    "statuses": (("view_order_statuses", "view_orders"), "manage_order_statuses"),
    "stores": ("view_stores", "manage_stores"),
    "taxes": ("view_taxes", "manage_taxes"),
    "usergroups": ("view_usergroups", "manage_usergroups"),
    "users": ("view_users", "manage_users"),
    "vendors": ("view_vendors", "manage_vendors"),
    "version": (True, None, None, None),
}  # fmt: skip
"""What reading, and each or all of the three writes, need: spec/protocol.md,
section 11, and the entity files. One of several is enough."""

OF_ONESELF = frozenset({"orders"})
"""Section 9, rule 5: entities of which signed-in customers read what is their own."""

OF_VENDORS = frozenset(
    {
        "view_catalog",
        "manage_catalog",
        "view_orders",
        "edit_order",
        "change_order_status",
        "view_shipping",
        "manage_shipping",
        "view_payments",
        "view_taxes",
        "view_order_statuses",
        "view_vendors",
        "manage_vendors",
        "view_users",
        "view_pages",
        "manage_pages",
        "view_languages",
        "view_discussions",
        "view_call_requests",
    }
)
"""Section 11: what vendors' administrators hold."""

NOT_FOR_COMPANIES: dict[str, frozenset[str]] = {
    "auth": EVERYTHING,
    "languages": WRITES,
    "langvars": WRITES,
    "master_products": WRITES,
    "settings": EVERYTHING,
    "statuses": WRITES,
    "stores": frozenset({"create", "delete"}),
    "taxes": WRITES,
    "usergroups": EVERYTHING,
    "vendors": frozenset({"create", "delete"}),
}
"""Section 12: what callers of one company may not do, whatever they hold."""

BELOW_THE_OWN_STORE = frozenset({"settings", "statuses"})
"""What the caller's own store may have of its own: values, and the words of mail."""

MANAGE_ORDERS = frozenset(
    {"create_order", "edit_order", "delete_orders", "change_order_status"}
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: an entity, and an object of a company.

    Without an ID it is the list; an object that does not exist has no branch.
    `inside` says whether the object belongs to the one before it in the path.
    """

    name: str
    id: Id | None = None
    branch: Branch | None = None
    inside: bool = True


def path_of(steps: Sequence[Step]) -> str:
    """The path of a request."""
    parts = [part for step in steps for part in (step.name, step.id)]
    return "/".join(str(part) for part in parts if part is not None)


def declared(steps: Sequence[Step], number: int) -> Any:
    """The class that serves a step of a path."""
    entity = REGISTRY.get(steps[number].name)
    return entity.under.get(steps[number - 1].name, entity) if number else entity


def expected(who: str, steps: Sequence[Step], method: str, company: int = 0) -> int:
    """The status of a request by a caller of a company.

    The checks stand in the order of section 4.
    """
    if who in STRANGERS:
        return 401
    for above, below in pairwise(steps):
        if below.name not in REGISTRY.children(above.name):
            return 404
    if not _fits(steps, OPERATION[method]):
        return 405
    for number in range(len(steps)):
        wanted = OPERATION[method] if number == len(steps) - 1 else "index"
        if not _may(who, steps, number, wanted):
            return 401 if who == "open anonymous" else 403
    return _found(who, steps, OPERATION[method], company) or SUCCESS[method]


def _fits(steps: Sequence[Step], operation: str) -> bool:
    if not _offers(declared(steps, len(steps) - 1), operation):
        return False
    return operation == "index" or (steps[-1].id is None) == (operation == "create")


def _found(who: str, steps: Sequence[Step], operation: str, company: int) -> int:
    """404 for what is not there for this caller, 403 for what is not the caller's."""
    makes = steps[-1].name in MADE_BY_PUT and operation == "update"
    member = [step.name for step in steps] == ["users", "usergroups"]
    for step in steps:
        if member and step is steps[1] and step.branch is None and operation in WRITES:
            return 400  # the group is a value there (spec/entities/usergroups.md)
        listed = step is steps[-1] and (step.id is None or makes)
        if not listed and not (step.inside and _sees(who, step, company)):
            return 404
    writes = operation in WRITES and who in SCOPED and steps[-1].id is not None
    return 403 if writes and _is_shared(steps[-1]) else 0


def _offers(entity: Any, operation: str) -> bool:
    return operation in entity.privileges or operation in entity.privileges_customer


def _may(who: str, steps: Sequence[Step], number: int, operation: str) -> bool:
    name = steps[number].name
    if who == "open customer" and name in OF_ONESELF and operation == "index":
        return True
    if who in ("open anonymous", "open customer"):
        return operation in PUBLIC.get(name, ())
    own = number > 0 and name in BELOW_THE_OWN_STORE and declared(steps, number)
    refused = NOT_FOR_COMPANIES.get(name, frozenset())
    if who in SCOPED and operation in refused and own in (False, REGISTRY.get(name)):
        return False
    below_product = number > 0 and steps[number - 1].name == "products"
    if who == "vendor" and name == "discussions" and not below_product:
        return False  # spec/entities/discussions.md, rule 4
    return holds(who, name, operation, declared(steps, number))


def holds(who: str, name: str, operation: str, entity: Any) -> bool:
    """Whether a caller holds what an operation needs.

    Shapes: `who` is a rank, or the single privilege that the caller has.
    """
    offered = entity.privileges.get(operation, False)
    if offered is True:
        return who != "customer"
    needed = {*names_of(offered)}
    if who in ("root", "clerk"):
        return bool(needed)
    if who == "vendor":
        # Vendors work on the requests that reach them.
        works = (name, operation) == ("call_requests", "update")
        return works or not needed.isdisjoint(OF_VENDORS)
    held = {who} | (MANAGE_ORDERS if who == "manage_orders" else frozenset())
    return not needed.isdisjoint(held)


def _sees(who: str, step: Step, company: int) -> bool:
    if step.branch is None or (who == "open customer" and step.name in OF_ONESELF):
        return False
    if who not in SCOPED:
        return True
    if step.name in ("stores", "vendors"):
        return step.id == company
    if who == "vendor" and step.name == "users":
        return False  # the objects are customers without orders
    if not _has_company(step.name):
        return True
    return step.branch.company_id == company or _is_shared(step)


def _has_company(name: str) -> bool:
    return owned(name) or name in ("combinations", "exceptions")


def _is_shared(step: Step) -> bool:
    """Whether an object of company 0 is shown to all companies."""
    entity = REGISTRY.get(step.name)
    of_all = step.branch is not None and step.branch.company_id == 0
    return of_all and bool(getattr(entity, "shared", False)) and owned(step.name)
