"""Lists: one SELECT a shape, compiled once and kept.

A shape is the projection, the keys of the conditions, the order, and whether the
page is found by number or after a cursor. Fresh values are bound at each run.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, and_, bindparam, func, or_, select

from storeapi.core.conditions import Condition
from storeapi.core.projection import Projection
from storeapi.core.statement import Query

_MAX_SHAPES = 1000


@dataclass(frozen=True, slots=True)
class Order:
    """An order of a list: its name, columns and direction; the ID comes last."""

    name: str
    columns: tuple[ColumnElement[Any], ...]
    descending: bool
    texts: bool = False

    @property
    def key(self) -> str:
        """The name by which a cursor recognizes its order."""
        return f"{self.name} {'desc' if self.descending else 'asc'}"


class Part(Enum):
    """Which part of a list is read: all, a page by number, or after a cursor."""

    ALL = "all"
    PAGE = "page"
    AFTER = "after"


class Source:
    """Where the rows of an entity come from: its table and that of its texts."""

    def __init__(
        self, table: Table, id: ColumnElement[Any], texts: Table | None
    ) -> None:
        self.table = table
        self.id = id
        self.texts = texts
        self._shapes: dict[Hashable, Query] = {}

    def page(
        self,
        name: Hashable,
        projection: Projection,
        conditions: Sequence[Condition],
        order: Order,
        part: Part,
    ) -> Query:
        """The SELECT of a page; its rows end with the sort values."""
        shape = ("page", name, _keys(conditions), order.key, part)

        def build() -> Select[Any]:
            texts = projection.texts or order.texts
            statement = self._select(
                [*projection.columns, *order.columns], conditions, texts=texts
            )
            if part is Part.AFTER:
                statement = statement.where(_beyond(order, self.id))
            statement = statement.order_by(*_ordering(order, self.id))
            if part is Part.ALL:
                return statement
            statement = statement.limit(bindparam("limit", required=True))
            return (
                statement
                if part is Part.AFTER
                else statement.offset(bindparam("offset", required=True))
            )

        return self._kept(shape, build, conditions)

    def one(
        self, name: Hashable, projection: Projection, conditions: Sequence[Condition]
    ) -> Query:
        """The SELECT of one record."""
        shape = ("one", name, _keys(conditions))
        return self._kept(
            shape,
            lambda: self._select(
                projection.columns, conditions, texts=projection.texts
            ),
            conditions,
        )

    def count(self, conditions: Sequence[Condition]) -> Query:
        """The number of rows that meet the conditions."""
        return self._kept(
            ("count", _keys(conditions)),
            lambda: self._select([func.count()], conditions, texts=False),
            conditions,
        )

    def locked(
        self, conditions: Sequence[Condition], *, nothing: bool = False
    ) -> Query:
        """The whole row of one object, held until the transaction ends."""
        columns: Sequence[Any] = [self.id] if nothing else list(self.table.columns)
        return self._kept(
            ("locked", nothing, _keys(conditions)),
            lambda: self._select(columns, conditions, texts=False).with_for_update(),
            conditions,
        )

    def columns(
        self, name: Hashable, columns: Sequence[Any], conditions: Sequence[Condition]
    ) -> Query:
        """Some columns of the rows that meet the conditions."""
        return self._kept(
            ("columns", name, _keys(conditions)),
            lambda: self._select(columns, conditions, texts=False),
            conditions,
        )

    def _select(
        self, columns: Sequence[Any], conditions: Sequence[Condition], *, texts: bool
    ) -> Select[Any]:
        statement = select(*columns).select_from(self.table)
        if self.texts is not None and (texts or any(c.texts for c in conditions)):
            key = next(iter(self.texts.primary_key.columns))
            statement = statement.join(
                self.texts,
                and_(
                    key == self.id,
                    self.texts.c.lang_code == bindparam("lang_code", required=True),
                ),
            )
        return statement.where(*[c.build() for c in conditions])

    def _kept(
        self, shape: Hashable, build: Any, conditions: Sequence[Condition]
    ) -> Query:
        found = self._shapes.get(shape)
        if found is None:
            if len(self._shapes) >= _MAX_SHAPES:
                self._shapes.clear()
            prepare = all(condition.prepare for condition in conditions)
            found = self._shapes[shape] = Query(build(), prepare=prepare)
        return found


def values_of(conditions: Sequence[Condition]) -> dict[str, Any]:
    """The values that the conditions bind."""
    values: dict[str, Any] = {}
    for condition in conditions:
        values.update(condition.values)
    return values


def _keys(conditions: Sequence[Condition]) -> Hashable:
    return tuple([condition.key for condition in conditions])


def _ordering(order: Order, id: ColumnElement[Any]) -> list[Any]:
    if order.columns and order.columns[-1] is id:
        columns: Sequence[Any] = order.columns
        return [c.desc() if order.descending else c.asc() for c in columns]
    sorts = [c.desc() if order.descending else c.asc() for c in order.columns]
    return [*sorts, id.asc()]


def _beyond(order: Order, id: ColumnElement[Any]) -> ColumnElement[bool]:
    """The rows after the cursor in the given order.

    The first comparison is a plain range, which every database serves from the
    index of the sort; the rest breaks ties.
    """
    own = bool(order.columns) and order.columns[-1] is id
    columns = [*order.columns] if own else [*order.columns, id]
    down = [order.descending] * len(order.columns) + ([] if own else [False])
    binds: list[Any] = [
        bindparam(f"after_{n}", required=True) for n in range(len(columns))
    ]
    clause: ColumnElement[bool] | None = None
    for column, desc, bind in reversed(list(zip(columns, down, binds, strict=True))):
        past = column < bind if desc else column > bind
        if clause is None:
            clause = past
        else:
            upto = column <= bind if desc else column >= bind
            clause = and_(upto, or_(past, clause))
    assert clause is not None
    return clause
