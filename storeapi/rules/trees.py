"""Trees: rows that name their parent and hold the path from their root.

A path is the numbers from the root to the row itself, joined by slashes. Texts
compare by code point and "0" comes right after "/", so everything below a path
lies between the path with "/" and the path with "0" after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    String,
    Table,
    and_,
    bindparam,
    func,
    or_,
    select,
    update,
)

from storeapi.core.conditions import Condition, equals
from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import InvalidInput
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import Company

STEP = 10
"""How far apart neighbours are placed, so that others fit between them."""

_LAST = 2**31 - 1
_LONGEST = 255
_MUTEX = query(
    select(Company.company_id)
    .where(Company.company_id == 0)
    .with_for_update(key_share=True)
)


@dataclass(frozen=True, slots=True)
class Node:
    """A row of a tree; a root has no parent."""

    id: int
    parent_id: int | None
    company_id: int
    path: str

    @property
    def depth(self) -> int:
        """The number of rows above it."""
        return self.path.count("/")


def beneath(column: Any, top: Any, *, itself: bool = True) -> ColumnElement[bool]:
    """The condition that a path lies below another one, or is that one."""
    below = and_(column > top.concat("/"), column < top.concat("0"))
    return or_(column == top, below) if itself else below


def path_below(parent: Node | None, id: int) -> str:
    """The path of a row below a parent, or of a root."""
    return str(id) if parent is None else f"{parent.path}/{id}"


def children(table: Table, ids: Sequence[int]) -> Condition:
    """The condition that a row lies directly below one of these; 0 stands for roots."""
    column = table.c.parent_id
    if list(ids) == [0]:
        return equals(column, None, role="parent_id")
    if 0 not in ids:
        return equals(column, list(ids), role="parent_id")
    bound: Any = bindparam("parent_ids", expanding=True)
    return Condition(
        "roots and children",
        lambda: or_(column.is_(None), column.in_(bound)),
        {"parent_ids": list(ids)},
    )


def descendants(table: Table, ids: Sequence[int]) -> Condition:
    """The condition that a row lies anywhere below one of these."""
    tops = table.alias("tops")
    key = tops.c[next(iter(table.primary_key.columns)).name]

    def build() -> ColumnElement[bool]:
        bound: Any = bindparam("top_ids", expanding=True)
        below = beneath(table.c.id_path, tops.c.id_path, itself=False)
        return select(key).where(key.in_(bound), below).exists()

    return Condition("descendants", build, {"top_ids": list(ids)})


def lock_trees(db: Transaction) -> None:
    """Let no other transaction change the shape of a tree before this one ends.

    Two moves that do not see each other could otherwise make a ring.
    """
    db.row(_MUTEX)


class Tree:
    """The statements on one table that is a tree.

    Shapes: the model has `parent_id`, `company_id`, `position` and `id_path`.
    """

    def __init__(self, model: type[Any]) -> None:
        table = table_of(model)
        self.table = table
        self.id: Any = next(iter(table.primary_key.columns))
        node = select(self.id, table.c.parent_id, table.c.company_id, table.c.id_path)
        top: Any = bindparam("path", required=True, type_=String())
        siblings = select(func.max(table.c.position))
        self._node = query(node.where(self.id == bindparam("id", required=True)))
        below = node.where(beneath(table.c.id_path, top)).order_by(table.c.id_path)
        self._below = query(below)
        self._below_held = query(below.with_for_update())
        self._last_child = query(
            siblings.where(table.c.parent_id == bindparam("parent_id", required=True))
        )
        self._last_root = query(
            siblings.where(
                table.c.parent_id.is_(None),
                table.c.company_id == bindparam("company_id", required=True),
            )
        )
        new: Any = bindparam("new", required=True, type_=String())
        after: Any = bindparam("after", required=True, type_=Integer())
        rest = func.substr(table.c.id_path, after, type_=String())
        self._repath = query(
            update(table)
            .where(beneath(table.c.id_path, top, itself=False))
            .values(id_path=new.concat(rest))
        )

    def node(self, db: Connection, id: int) -> Node | None:
        """One row, if it exists."""
        row = db.row(self._node, id=id)
        return None if row is None else Node(*row)

    def parent(
        self, db: Connection, id: int | None, company_id: int, moving: str = ""
    ) -> Node | None:
        """The row that is to be a parent; `moving` is the path of what moves there.

        Raises: `InvalidInput` for a parent that is unknown, of another company, or
        below the row that moves.
        Source: spec/entities/categories.md, rule 5.1.
        """
        if id is None:
            return None
        found = self.node(db, id)
        if found is None or found.company_id not in (0, company_id):
            raise InvalidInput.of("parent_id", f"{id} does not exist", "unknown")
        if moving and f"{found.path}/".startswith(f"{moving}/"):
            text = "must not be the object itself, or lie below it"
            raise InvalidInput.of("parent_id", text, "cycle")
        return found

    def next_position(
        self, db: Connection, parent_id: int | None, company_id: int
    ) -> int:
        """The position after the last of the siblings; 0 for the first of them."""
        if parent_id is None:
            last = db.value(self._last_root, company_id=company_id)
        else:
            last = db.value(self._last_child, parent_id=parent_id)
        return 0 if last is None else min(int(last) + STEP, _LAST)

    def subtree(self, db: Connection, path: str, *, hold: bool = False) -> list[Node]:
        """The row of a path and everything below it, parents first.

        `hold` keeps others from referring to them until the transaction ends.
        """
        found = self._below_held if hold else self._below
        return [Node(*row) for row in db.rows(found, path=path)]

    def check_room(self, nodes: Sequence[Node], old: str, new: str) -> None:
        """Refuse a place so deep that a path would not fit.

        Raises: `InvalidInput`.
        """
        longest = max((len(node.path) for node in nodes), default=len(old))
        if longest - len(old) + len(new) > _LONGEST:
            raise InvalidInput.of("parent_id", "lies too deep", "too_deep")

    def repath(self, db: Transaction, old: str, new: str) -> None:
        """Give everything below a row that has moved its new path."""
        db.run(self._repath, path=old, new=new, after=len(old) + 1)

    def delete(self, db: Transaction, nodes: Sequence[Node]) -> None:
        """Delete rows, the deepest first, since some databases look at each row."""
        levels: dict[int, list[int]] = {}
        for node in nodes:
            levels.setdefault(node.depth, []).append(node.id)
        for depth in sorted(levels, reverse=True):
            for ids in batches(levels[depth]):
                db.delete(self.table, {self.id.name: ids})
