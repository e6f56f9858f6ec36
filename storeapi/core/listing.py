"""Lists: one SELECT a shape, compiled once and kept.

A shape is the projection, the keys of the conditions, the order, and whether the
page is found by number or after a cursor. Fresh values are bound at each run.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    Table,
    and_,
    bindparam,
    func,
    or_,
    select,
)
from sqlalchemy.sql.visitors import iterate, replacement_traverse

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


class Way(Enum):
    """How the rows of a page are found.

    `PLAIN`: by one SELECT. `PICKED`: the IDs first, so that nothing else is sorted,
    then the columns of those rows. `COLLECTED`: the same, but all rows are found
    before any is sorted. `WALKED`: the same, but by testing row after row in the
    order of the list, no more than so many: it may find too few.
    """

    PLAIN = "plain"
    PICKED = "picked"
    COLLECTED = "collected"
    WALKED = "walked"


@dataclass(frozen=True, slots=True)
class Cut:
    """Which part of a list in an order is read, and how its rows are found."""

    order: Order
    part: Part = Part.ALL
    way: Way = Way.PLAIN


class Source:
    """Where the rows of an entity come from: its table and that of its texts."""

    def __init__(
        self, table: Table, id: ColumnElement[Any], texts: Table | None
    ) -> None:
        self.table = table
        self.id = id
        self.texts = texts
        self._copies = _copies(table, id, texts)
        self._shapes: dict[Hashable, Query] = {}

    def page(
        self,
        name: Hashable,
        projection: Projection,
        conditions: Sequence[Condition],
        cut: Cut,
    ) -> Query:
        """The SELECT of a page; its rows end with the sort values."""
        order = cut.order
        shape = ("page", name, _keys(conditions), order.key, cut.part, cut.way)

        def build() -> Select[Any]:
            columns = [*projection.columns, *order.columns]
            texts = projection.texts or order.texts
            if cut.way is Way.PLAIN:
                return self._ordered(columns, conditions, cut, texts=projection.texts)
            picked = self._picked(conditions, cut).subquery("picked")
            statement = select(*columns).select_from(picked)
            statement = statement.join(self.table, self.id == picked.c.picked_id)
            if texts:
                statement = self._with_texts(statement, led=not order.texts)
            return statement.order_by(*_reordering(order, self.id, picked))

        return self._kept(shape, build, conditions)

    def _picked(self, conditions: Sequence[Condition], cut: Cut) -> Select[Any]:
        """The IDs of a page, with their sort values."""
        order = cut.order
        columns: list[Any] = [self.id.label("picked_id")]
        columns += [c.label(f"sort_{n}") for n, c in enumerate(order.columns)]
        if cut.way is Way.PICKED:
            return self._ordered(columns, conditions, cut)
        if cut.way is Way.COLLECTED:
            found = _materialized(self._rows(columns, conditions, cut), "found")
            fitting = select(*found.c)
        else:
            walk = self._ordered(columns, (), cut)
            found = walk.limit(bindparam("walked", required=True)).subquery("walk")
            fitting = self._fitting(found, conditions)
        ordering = _reordering(order, self.id, found)
        return _limited(fitting.order_by(*ordering), cut.part)

    def _fitting(
        self, walk: FromClause, conditions: Sequence[Condition]
    ) -> Select[Any]:
        """The rows of a walk that meet the conditions."""
        swaps = {self.id: walk.c.picked_id}
        tests = [(c.test or c.build)() for c in conditions]
        alone = [_swapped(test, swaps) for test in tests]
        texts = any(c.texts for c in conditions)
        if texts or any(map(self._reads_table, alone)):
            # Each row by itself: a join might begin with the table.
            row = self._from([self.id], texts=texts).where(self.id == walk.c.picked_id)
            alone = [row.where(*tests).exists()]
        return select(*walk.c).where(*alone)

    def _ordered(
        self,
        columns: Sequence[Any],
        conditions: Sequence[Condition],
        cut: Cut,
        *,
        texts: bool = False,
    ) -> Select[Any]:
        """The rows in their order, as far as they are wanted."""
        ordering = _ordering(cut.order, self.id)
        if cut.order.texts:
            ordering = [self._on_texts(each) for each in ordering]
        found = self._rows(columns, conditions, cut, texts=texts).order_by(*ordering)
        return found if cut.way is Way.WALKED else _limited(found, cut.part)

    def _rows(
        self,
        columns: Sequence[Any],
        conditions: Sequence[Condition],
        cut: Cut,
        *,
        texts: bool = False,
    ) -> Select[Any]:
        """The rows that meet the conditions and come after the cursor."""
        clauses = [c.build() for c in conditions]
        led = not cut.order.texts or cut.way is Way.COLLECTED
        if cut.part is Part.AFTER:
            clauses.append(_beyond(cut.order, self.id))
        source = self.table
        if cut.order.texts and self.texts is not None:
            # Of what both tables hold the texts' is taken: their index has the order.
            swapped = [self._on_texts(c) for c in clauses]
            narrow = [self._on_texts(c) for c in columns]
            if not any(map(self._reads_table, (*swapped, *narrow))):
                source, columns, clauses = self.texts, narrow, swapped
            elif not led:
                clauses = swapped
        texts = texts or cut.order.texts or any(c.texts for c in conditions)
        return self._from(columns, texts=texts, source=source, led=led).where(*clauses)

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

        def build() -> Select[Any]:
            if len(conditions) == 1 and conditions[0].number is not None:
                return conditions[0].number()
            return self._select([func.count()], conditions, texts=False)

        return self._kept(("count", _keys(conditions)), build, conditions)

    def count_within(self, conditions: Sequence[Condition], part: Condition) -> Query:
        """The same among the rows of a part, each of which is looked at by itself."""

        def build() -> Select[Any]:
            ids = self._select([self.id.label("picked_id")], [part], texts=False)
            within = _materialized(ids, "within")
            return select(func.count()).select_from(
                self._fitting(within, conditions).subquery()
            )

        keys = _keys([part, *conditions])
        return self._kept(("within", keys), build, [*conditions, part])

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
        texts = texts or any(c.texts for c in conditions)
        return self._from(columns, texts=texts).where(*[c.build() for c in conditions])

    def _from(
        self,
        columns: Sequence[Any],
        *,
        texts: bool,
        source: Table | None = None,
        led: bool = True,
    ) -> Select[Any]:
        """Columns of the table, with its texts if wanted, or of the texts alone."""
        if source is not None and source is self.texts:
            return select(*columns).select_from(source).where(self._in_language())
        statement = select(*columns).select_from(self.table)
        return self._with_texts(statement, led=led) if texts else statement

    def _with_texts(self, statement: Select[Any], *, led: bool = True) -> Select[Any]:
        """Join the texts, of which every row has some in each language.

        An outer join says so: unless the texts' own order is wanted, no planner
        begins with all texts of the language, whatever it knows of the tables.
        """
        if self.texts is None:
            return statement
        same = and_(self._copies[self.id] == self.id, self._in_language())
        return statement.join(self.texts, same, isouter=led)

    def _in_language(self) -> ColumnElement[bool]:
        assert self.texts is not None
        code: ColumnElement[bool] = self.texts.c.lang_code == bindparam(
            "lang_code", required=True
        )
        return code

    def is_copied(self, condition: Condition) -> bool:
        """Whether the texts repeat the one column that a condition is about."""
        return condition.column in self._copies

    def _on_texts(self, clause: Any) -> Any:
        """The clause over the texts, as far as they repeat its columns."""
        return _swapped(clause, self._copies)

    def _reads_table(self, clause: Any) -> bool:
        return any(
            getattr(element, "table", None) is self.table for element in iterate(clause)
        )

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


def _materialized(rows: Select[Any], name: str) -> Any:
    """Rows that are all found before anything else is done with them."""
    found: Any = rows.cte(name)
    for dialect in ("postgresql", "sqlite"):
        found = found.prefix_with("MATERIALIZED", dialect=dialect)
    return found


def _swapped(clause: Any, columns: Mapping[Any, Any]) -> Any:
    """The clause with other columns in place of some."""
    return replacement_traverse(clause, {}, lambda element, **_: columns.get(element))


def _copies(
    table: Table, id: ColumnElement[Any], texts: Table | None
) -> dict[Any, ColumnElement[Any]]:
    """The columns that the texts repeat without a change; a null is a 0 there."""
    if texts is None:
        return {}
    key = next(iter(texts.primary_key.columns))
    same = {
        column: texts.c[column.name]
        for column in table.columns
        if column.name in texts.c and not column.nullable
    }
    return {**same, id: key}


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


def _reordering(order: Order, id: ColumnElement[Any], picked: FromClause) -> list[Any]:
    """The same order over the columns of a SELECT that was picked or walked."""
    sorts = [picked.c[f"sort_{n}"] for n in range(len(order.columns))]
    found = [c.desc() if order.descending else c.asc() for c in sorts]
    own = order.columns and order.columns[-1] is id
    return found if own else [*found, picked.c.picked_id.asc()]


def _limited(statement: Select[Any], part: Part) -> Select[Any]:
    if part is Part.ALL:
        return statement
    statement = statement.limit(bindparam("limit", required=True))
    if part is Part.AFTER:
        return statement
    return statement.offset(bindparam("offset", required=True))


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
