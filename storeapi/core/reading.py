"""How a table entity reads a page: flags, order, conditions, total, cursor."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam

from storeapi.core.conditions import Condition
from storeapi.core.declaration import Declaration, RecordShape
from storeapi.core.entity import Listing, Params, Record
from storeapi.core.errors import InvalidInput
from storeapi.core.filters import scalar
from storeapi.core.finding import Wanted, find
from storeapi.core.listing import Order
from storeapi.core.paging import START, Page, read_cursor, read_page, write_cursor

if TYPE_CHECKING:
    from storeapi.core.declared import DeclaredEntity

_ON = frozenset({"y", "1", "true", "yes", "on"})
_OFF = frozenset({"n", "0", "false", "no", "off"})


def read_flag(text: Any) -> bool | None:
    """Read a request flag in any of the spellings that clients use."""
    word = text.lower() if isinstance(text, str) else ""
    return True if word in _ON else False if word in _OFF else None


def read_switch(params: Params, name: str) -> bool:
    """A part of a filter that is on, or off as when it was not sent.

    Raises: `InvalidInput`, since a filter is not to be dropped in silence.
    Source: spec/protocol.md, section 5.5, rule 7.
    """
    text = scalar(params, name)
    flag = False if text is None else read_flag(text)
    if flag is None:
        raise InvalidInput.of(name, "must be Y or N")
    return flag


def read_flags(params: Params, known: Mapping[str, bool]) -> dict[str, bool]:
    """The flags that a request sets."""
    found = {}
    for name in known:
        value = read_flag(params.get(name)) if name in params else None
        if value is not None:
            found[name] = value
    return found


def read_sparse(
    params: Params, declaration: Declaration, more: Collection[str] = ()
) -> frozenset[str] | None:
    """The fields of a sparse record; `None` for all of them.

    Names that no field has do nothing, since clients send the parameter with
    other meanings. `more` are fields that the entity itself adds to its records.
    """
    value = params.get("fields")
    if not value:
        return None
    names = value.split(",") if isinstance(value, str) else value
    known = frozenset(name.strip() for name in names if isinstance(name, str)) & {
        *declaration.kinds,
        *more,
    }
    return known or None


def list_records(
    entity: "DeclaredEntity", params: Params, *, whole: bool = False
) -> Listing:
    """Read the page that the parameters ask for; a `whole` list without any."""
    settings = entity.context.settings
    page = read_page(
        params,
        default=entity.context.items_per_page,
        maximum=settings.max_items_per_page,
        optional=whole or entity.context.version in entity.unpaged,
    )
    order = _order(entity, params)
    page = _with_cursor(entity, page, order, params)
    echo: Record = {}
    declaration = entity.declaration
    conditions = entity.list_conditions(params, echo)
    settled = _settled(entity, order) if page.by_cursor else None
    wanted = Wanted(page, order, conditions, settled)
    shape, entity.context.flags = _shape(entity, params)
    projection = declaration.projection(shape)
    rows, total = find(entity, wanted, shape, projection)
    records = projection.encode(rows, entity.reader, entity.context)
    listing = Listing([row[0] for row in rows], records, total)
    listing.page, listing.items_per_page = page.number, page.size
    listing.by_cursor = page.by_cursor
    if page.size is not None and len(rows) == page.size:
        listing.cursor = _cursor_after(entity, order, rows[-1])
    listing.params = {**echo, **_echo(page, order, listing)}
    return listing


def _settled(
    entity: "DeclaredEntity", order: Order
) -> tuple[Condition, Condition] | None:
    """Leave out what changed just now from a walk by the time of change.

    A write that is slower than another may carry the earlier time and yet appear
    later; a walk that had passed it would never meet it.
    """
    touched = entity.touched
    if touched is None or order.columns[0].key != touched:
        return None
    column = entity.declaration.table.c[touched]
    bound: Any = bindparam("settled", required=True)
    values = {"settled": entity.context.now - entity.context.settings.sync_lag}
    return (
        Condition("settled", lambda: column <= bound, values),
        Condition("unsettled", lambda: column > bound, values),
    )


def _order(entity: "DeclaredEntity", params: Params) -> Order:
    name = params.get("sort_by")
    declaration = entity.declaration
    public = entity.caller.is_customer
    orders = declaration.public_orders if public else declaration.orders
    known = isinstance(name, str) and name in orders
    sort = name if known and isinstance(name, str) else entity.default_sort
    direction = params.get("sort_order")
    word = direction.lower() if isinstance(direction, str) else ""
    descending = entity.default_descending
    if word in ("asc", "desc"):
        descending = word == "desc"
    return declaration.order(sort, descending=descending)


def _with_cursor(
    entity: "DeclaredEntity", page: Page, order: Order, params: Params
) -> Page:
    text = params.get("cursor")
    if text is None or text == "":
        return page
    after = None
    if text != START:
        kinds = entity.declaration.sort_types(order)
        after = read_cursor(str(text), order.key, kinds)
    return Page(1, page.size, by_cursor=True, after=after)


def _shape(
    entity: "DeclaredEntity", params: Params
) -> tuple[RecordShape, dict[str, bool]]:
    declaration = entity.declaration
    flags = {**entity.flags, **read_flags(params, entity.flags)}
    full = read_flag(params.get("detailed_params")) is True
    on: set[str] = set(declaration.asked_by(flags))
    off: set[str] = set()
    for name, (flag, default) in declaration.flagged().items():
        wanted = flags.get(flag, default)
        (on if wanted else off).add(name)
    shape = RecordShape(
        full,
        entity.context.version,
        entity.caller.is_customer,
        _refused(entity, params) if full else frozenset(off),
        frozenset(on),
        read_sparse(params, declaration),
    )
    return shape, flags


def _refused(entity: "DeclaredEntity", params: Params) -> frozenset[str]:
    """The nested fields that the request itself switches off."""
    sent = read_flags(params, entity.flags)
    return frozenset(
        name
        for name, (flag, _) in entity.declaration.flagged().items()
        if sent.get(flag) is False
    )


def _cursor_after(
    entity: "DeclaredEntity", order: Order, row: tuple[Any, ...]
) -> str | None:
    values = row[len(row) - len(order.columns) :]
    own = order.columns[-1] is entity.declaration.id
    if any(value is None for value in values):
        return None
    return write_cursor(order.key, values if own else (*values, row[0]))


def _echo(page: Page, order: Order, listing: Listing) -> Record:
    down = order.descending
    return {
        "page": page.number,
        "items_per_page": listing.total if page.size is None else page.size,
        "sort_by": order.name,
        "sort_order": "desc" if down else "asc",
        "sort_order_rev": "asc" if down else "desc",
        "total_items": str(listing.total),
    }
