"""User groups: which names they may hold, and what hangs on their being there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, bindparam, literal, or_, select

from storeapi.core.access import Caller
from storeapi.core.changes import Change, Operation
from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import Forbidden, InvalidInput, Refused
from storeapi.core.rows import table_of
from storeapi.core.statement import Query, query
from storeapi.models import Category, Page, Product, ProductPrice, UsergroupLink

GUESTS, REGISTERED = 1, 2
RESERVED = frozenset({GUESTS, REGISTERED})
EVERYBODY = "0"
"""What a list of groups holds that limits an object to none."""

_MANY = 1000
_MEMBER = query(
    select(UsergroupLink.link_id)
    .where(UsergroupLink.usergroup_id == bindparam("id", required=True))
    .limit(1)
)
_PRICED = query(
    select(
        Product.product_id,
        Product.company_id,
        Product.status,
        Product.updated_timestamp,
    )
    .where(
        Product.product_id.in_(
            select(ProductPrice.product_id).where(
                ProductPrice.usergroup_id == bindparam("id", required=True)
            )
        )
    )
    .order_by(Product.product_id)
    .with_for_update()
)


def check_privileges(names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse privileges that no entity and no panel knows.

    Raises: `InvalidInput`.
    """
    unknown = sorted(set(names) - set(known))
    if unknown:
        text = f"holds unknown names: {', '.join(unknown)[:200]}"
        raise InvalidInput.of("privileges", text, "unknown")


def check_changeable(usergroup_id: int) -> None:
    """Refuse to touch the groups that every shop has.

    Raises: `Refused`.
    Source: spec/entities/usergroups.md, rule 1.
    """
    if usergroup_id in RESERVED:
        raise Refused(f"group {usergroup_id} is reserved")


def judge_group(caller: Caller, group_type: str) -> None:
    """Let only root decide whether a group of administrators grants what it holds.

    Its type, its status and its being there decide that as much as its privileges.
    Raises: `Forbidden`.
    Source: spec/protocol.md, section 10, rule 5.
    """
    if group_type == "A" and not caller.is_root:
        raise Forbidden("only root decides what a group of administrators grants")


def check_type_change(db: Connection, usergroup_id: int) -> None:
    """Refuse another type for a group that somebody belongs to.

    Raises: `Refused`.
    Source: spec/entities/usergroups.md, rule 6.
    """
    if db.row(_MEMBER, id=usergroup_id) is not None:
        raise Refused("the type of a group with members cannot change")


@dataclass(frozen=True, slots=True)
class Limited:
    """An entity whose objects may be limited to groups by a column of their IDs."""

    entity: str
    model: type[Any]
    id: str
    touched: str | None = None


LIMITED: Sequence[Limited] = (
    Limited("categories", Category, "category_id"),
    Limited("pages", Page, "page_id"),
    Limited("products", Product, "product_id", "updated_timestamp"),
)


def _holding(kind: Limited) -> Query:
    """The objects that name a group, locked in the order of their IDs."""
    table = table_of(kind.model)
    ids = table.c.usergroup_ids
    # A list is a text like "1,5,7", searched for by none but this.
    found: list[ColumnElement[bool]] = [
        ids == bindparam("alone", required=True),
        ids.like(bindparam("first", required=True)),
        ids.like(bindparam("last", required=True)),
        ids.like(bindparam("inner", required=True)),
    ]
    key = table.c[kind.id]
    columns = [key, table.c.company_id, table.c.status, ids]
    where = [ids != literal(EVERYBODY, literal_execute=True), or_(*found)]
    return query(select(*columns).where(*where).order_by(key).with_for_update())


_HOLDING = {kind.entity: _holding(kind) for kind in LIMITED}


@dataclass(frozen=True, slots=True)
class Removal:
    """The deletion of a group, by a caller at a time (UNIX seconds)."""

    usergroup_id: int
    caller_id: int | None
    now: int

    def run(self, db: Transaction) -> None:
        """Take the group out of every object that names it.

        An object that was for that group alone is hidden: it must not become public.
        Source: spec/entities/usergroups.md, rule 5.
        """
        for kind in LIMITED:
            self._strip(db, kind)
        self._drop_prices(db)

    def _strip(self, db: Transaction, kind: Limited) -> None:
        id = str(self.usergroup_id)
        rows = db.rows(
            _HOLDING[kind.entity],
            alone=id, first=f"{id},%", last=f"%,{id}", inner=f"%,{id},%",
        )  # fmt: skip
        alike: dict[tuple[str, str], list[int]] = {}
        for key, company_id, status, ids in rows:
            left, new_status = without(ids, id, status)
            alike.setdefault((left, new_status), []).append(key)
            before = {"usergroup_ids": ids, "status": status}
            after = {"usergroup_ids": left, "status": new_status}
            self._record(db, kind, (key, company_id, status), before, after)
        for (left, status), keys in alike.items():
            touch = {} if kind.touched is None else {kind.touched: self.now}
            _update(db, kind, keys, {"usergroup_ids": left, "status": status, **touch})

    def _drop_prices(self, db: Transaction) -> None:
        """Delete the prices of the group; their products count as changed."""
        kind = next(kind for kind in LIMITED if kind.entity == "products")
        rows = db.rows(_PRICED, id=self.usergroup_id)
        db.delete(table_of(ProductPrice), {"usergroup_id": self.usergroup_id})
        touch = {"updated_timestamp": self.now}
        _update(db, kind, [row[0] for row in rows], touch)
        for *whose, updated in rows:
            self._record(db, kind, whose, {"updated_timestamp": updated}, touch)

    def _record(
        self, db: Transaction, kind: Limited, whose: Sequence[Any],
        before: dict[str, Any], after: dict[str, Any],
    ) -> None:  # fmt: skip
        """Record an update; `whose` is the ID, company and former status."""
        moved = [name for name in after if before[name] != after[name]]
        id, company_id, status = whose
        change = Change(
            kind.entity, Operation.UPDATE, id, company_id, self.caller_id,
            {name: before[name] for name in moved},
            {name: after[name] for name in moved},
            table_of(kind.model).name, status,
        )  # fmt: skip
        db.record(change)


def without(ids: str, id: str, status: str) -> tuple[str, str]:
    """A list of groups without one, and the status that its object has then."""
    left = ",".join(part for part in ids.split(",") if part != id)
    if left:
        return left, status
    return EVERYBODY, "H" if status == "A" else status


def _update(
    db: Transaction, kind: Limited, keys: Sequence[int], values: dict[str, Any]
) -> None:
    for start in range(0, len(keys), _MANY):
        where = {kind.id: list(keys[start : start + _MANY])}
        db.update(table_of(kind.model), where, values)
