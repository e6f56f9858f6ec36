"""What a table entity declares, compiled once at start.

Everything here is checked when the server starts: an unknown column, filter or
sort name stops it with a message that names the entity and the field.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Column, ColumnElement, Table, UniqueConstraint

from storeapi.core.entity import Version
from storeapi.core.filters import Equal, Filter
from storeapi.core.kinds import (
    Choice,
    Constant,
    Decimal,
    Derived,
    Fields,
    Flag,
    Id,
    IdList,
    Integer,
    Kind,
    Nested,
    Text,
)
from storeapi.core.listing import Order, Source
from storeapi.core.paging import LIST_PARAMS
from storeapi.core.projection import Projection
from storeapi.core.rows import table_of
from storeapi.core.statement import Query
from storeapi.core.unstored import unstored

if TYPE_CHECKING:
    from storeapi.core.declared import DeclaredEntity


COMPANY_ALIAS = "storefront_id"
"""The other name of the filter `company_id`.

Source: spec/protocol.md, section 12.
"""


class DeclarationError(Exception):
    """An entity's declaration does not hold together."""


class RecordShape(NamedTuple):
    """Which fields a record has.

    `full` or only listed ones; `public` leaves internal ones out; `off` and `on` are
    switched by flags of the request; `only` is what a sparse record asks for. `single`
    is a record that is in no list.
    """

    full: bool
    version: Version
    public: bool
    off: frozenset[str] = frozenset()
    on: frozenset[str] = frozenset()
    only: frozenset[str] | None = None
    single: bool = False


class Declaration:
    """The fields, columns, filters, orders and projections of one table entity."""

    def __init__(self, entity: "type[DeclaredEntity]") -> None:
        self.entity = entity
        self.table = self._table(entity)
        self.texts = self._texts_table(entity)
        self.schema: Fields = entity.fields()
        self.kinds = self.schema.kinds
        self._nested = {
            name: kind for name, kind in self.kinds.items() if isinstance(kind, Nested)
        }
        kinds = self.kinds.items()
        self._flagged = {name: kind.flag for name, kind in kinds if kind.flag}
        self._asked = {name: kind.asked for name, kind in kinds if kind.asked}
        self.id = self._id_column(entity)
        self.id_name = entity.id_field or self.id.name
        self.keys = frozenset({self.id_name, entity.map_key or self.id_name})
        self.copied = self._copied()
        self.company = None if entity.unscoped else self.table.c.get("company_id")
        self.status = self.table.c.get("status")
        self.source = Source(self.table, self.id, self.texts)
        self._bind_kinds()
        self.worded = self._worded()
        self.filters = self._filters(entity.filters)
        self.orders = self._orders(entity.sortings)
        self._check_names(entity)
        self.params = frozenset(name for f in self.filters for name in f.params)
        internal = frozenset(name for name, kind in kinds if kind.internal)
        self.public_params = self.params - internal
        self.public_filters = tuple(
            each for each in self.filters if internal.isdisjoint(each.params)
        )
        self.public_orders = self._public_orders(internal)
        self.ignored = _ignored(self.kinds)
        self.text_queries: dict[tuple[str, ...], Query] = {}
        self.projection = lru_cache(maxsize=256)(self._projection)

    def _fault(self, message: str) -> DeclarationError:
        return DeclarationError(f"entity {self.entity.name}: {message}")

    def _id_column(self, entity: "type[DeclaredEntity]") -> Column[Any]:
        if entity.id_field is not None and entity.id_field in self.table.c:
            return self.table.c[entity.id_field]
        key = list(self.table.primary_key.columns)
        if len(key) != 1:
            raise self._fault("needs a table with one key column")
        return key[0]

    def _check_names(self, entity: "type[DeclaredEntity]") -> None:
        if entity.default_sort not in self.orders:
            raise self._fault(f"no sort name '{entity.default_sort}'")
        for name in entity.references:
            if not self.stored_in(name).foreign_keys:
                raise self._fault(f"field {name} is no foreign key")
        kept = {columns for _, columns in self.unique_columns()}
        for columns, field in entity.unique.items():
            if columns not in kept:
                raise self._fault(f"unique: no UniqueConstraint of '{columns}'")
            if field not in self.kinds:
                raise self._fault(f"unique: no field '{field}'")

    def unique_columns(self) -> Iterator[tuple[UniqueConstraint, str]]:
        """The unique constraints with their columns, joined by a comma."""
        for table in (self.table, self.texts):
            for each in () if table is None else table.constraints:
                if isinstance(each, UniqueConstraint):
                    yield each, ",".join(column.name for column in each.columns)

    def _table(self, entity: "type[DeclaredEntity]") -> Table:
        if not hasattr(getattr(entity, "model", None), "__table__"):
            raise self._fault("states no model")
        fields = getattr(entity, "fields", None)
        if not (isinstance(fields, type) and issubclass(fields, Fields)):
            raise self._fault("states no fields")
        return table_of(entity.model)

    def _texts_table(self, entity: "type[DeclaredEntity]") -> Table | None:
        if entity.texts is None:
            return None
        texts = table_of(entity.texts)
        key = [column.name for column in texts.primary_key.columns]
        if len(key) != 2 or key[1] != "lang_code":
            raise self._fault(f"the key of {texts} must be the ID and lang_code")
        return texts

    def _copied(self) -> tuple[str, ...]:
        """The columns that the texts repeat, so that an index may hold both."""
        if self.texts is None:
            return ()
        return tuple(
            column.name
            for column in self.texts.columns
            if column.name in self.table.c and not column.primary_key
        )

    def _worded(self) -> frozenset[str]:
        """The fields whose writing may write texts."""
        if self.texts is None:
            return frozenset()
        found = {name: self.column_of(name) for name in self.kinds}
        texts = {
            name for name, place in found.items() if place and place[0] is self.texts
        }
        return frozenset({*texts, *self.copied, *self._nested})

    def resolve(self, name: str) -> tuple[ColumnElement[Any], bool]:
        """Find the column behind a field, and whether it is one of the texts."""
        kind = self.kinds.get(name)
        if kind is not None and kind.column is not None:
            column = kind.column
            found = column.expression if hasattr(column, "expression") else column
            return found, kind.translated or self._is_text(found)
        if kind is not None and kind.translated:
            if self.texts is None or name not in self.texts.c:
                raise self._fault(f"field {name} has no column of texts")
            return self.texts.c[name], True
        if name in self.table.c:
            return self.table.c[name], False
        if self.texts is not None and name in self.texts.c:
            return self.texts.c[name], True
        raise self._fault(f"field {name} has no column")

    def resolve_listed(self, name: str) -> tuple[ColumnElement[Any], bool]:
        """The same in lists, which may show something else."""
        kind = self.kinds.get(name)
        if kind is None or kind.list_column is None:
            return self.resolve(name)
        return kind.list_column, False

    def _is_text(self, column: Any) -> bool:
        return self.texts is not None and getattr(column, "table", None) is self.texts

    def _bind_kinds(self) -> None:
        for name, kind in self.kinds.items():
            if isinstance(kind, Nested | Constant | Derived):
                continue
            if kind.load_only and kind.column is None and not self._has(name):
                continue
            column = self.resolve(name)[0]
            self._check_stored(name, kind, column)
            kind.bind(column)

    def _check_stored(self, name: str, kind: Kind, column: Any) -> None:
        stored: type | None = None
        if isinstance(kind, Integer | Decimal):
            stored = int
        elif isinstance(kind, Text | Choice | Flag | IdList):
            stored = str
        if stored and isinstance(column, Column) and column.type.python_type != stored:
            called = type(kind).__name__
            raise self._fault(f"field {name}: {called} cannot be kept by {column.type}")

    def _has(self, name: str) -> bool:
        return name in self.table.c or (self.texts is not None and name in self.texts.c)

    def _filters(self, special: Sequence[Filter]) -> tuple[Filter, ...]:
        taken = {name for each in special for name in each.params} | LIST_PARAMS
        equalities: list[Filter] = []
        for name, kind in self.kinds.items():
            plain = not isinstance(kind, Nested | Constant | Derived)
            if plain and kind.listed and kind.filterable and name not in taken:
                column, texts = self.resolve_listed(name)
                equalities.append(Equal(name, column, kind, texts=texts))
            elif kind.listed and name not in taken:
                equalities.extend(unstored(name, kind))
        equalities.extend(self._by_storefront((*special, *equalities)))
        by_column = {
            find(name)[0].key or name: kind
            for name, kind in self.kinds.items()
            if not isinstance(kind, Nested | Constant | Derived) and not kind.load_only
            for find in (self.resolve, self.resolve_listed)
        }
        for each in special:
            each.bind(by_column, {})
        return (*special, *equalities)

    def _by_storefront(self, filters: Sequence[Filter]) -> Iterator[Filter]:
        """The filter by company under its other name, if nothing else has that."""
        names = {name for each in filters for name in each.params}
        column = self.table.c.get("company_id")
        free = COMPANY_ALIAS not in {*names, *self.kinds}
        if column is not None and "company_id" in names and free:
            yield Equal(COMPANY_ALIAS, column, Id(zero=True))

    def _orders(
        self, sortings: Mapping[str, Any] | Sequence[Any]
    ) -> Mapping[str, tuple[tuple[ColumnElement[Any], ...], bool]]:
        if not isinstance(sortings, Mapping):
            sortings = {column.key: column for column in sortings}
        found: dict[str, tuple[tuple[ColumnElement[Any], ...], bool]] = {}
        shown = self.id_name in self.kinds or self.id_name == self.entity.default_sort
        own = {self.id_name: self.id} if shown else {}
        for name, columns in {**own, **sortings}.items():
            listed = columns if isinstance(columns, tuple) else (columns,)
            plain: Any = tuple(getattr(c, "expression", c) for c in listed)
            found[name] = (plain, any(self._is_text(c) for c in plain))
        return found

    def _public_orders(self, internal: frozenset[str]) -> frozenset[str]:
        """The sort names that tell customers nothing of internal fields.

        A cursor holds what a list is sorted by, and can be guessed at besides.
        """
        hidden = [
            self.resolve(name)[0]
            for name in internal
            if not isinstance(self.kinds[name], Nested | Constant | Derived)
        ]
        return frozenset(
            name
            for name, (columns, _) in self.orders.items()
            if name not in internal
            and not any(column is each for column in columns for each in hidden)
        )

    def order(self, name: str, *, descending: bool) -> Order:
        """The order of a sort name."""
        columns, texts = self.orders[name]
        return Order(name, columns, descending, texts)

    def sort_types(self, order: Order) -> tuple[type, ...]:
        """The types of the values in a cursor of an order: sort values, then ID."""
        own = order.columns[-1] is self.id
        columns = order.columns if own else (*order.columns, self.id)
        return tuple(
            int if column.type.python_type is int else str for column in columns
        )

    def _projection(self, shape: RecordShape) -> Projection:
        projection = Projection([self.id])
        resolve = self.resolve if shape.single else self.resolve_listed
        for name, kind in self.kinds.items():
            if not self._shows(shape, name, kind):
                continue
            if name not in shape.off or not isinstance(kind, Nested):
                projection.add(name, kind, resolve, full=shape.full)
            else:
                blank = Constant(kind.empty())
                projection.add(name, blank, resolve, full=shape.full)
        return projection

    def _shows(self, shape: RecordShape, name: str, kind: Kind) -> bool:
        if kind.load_only or shape.version not in kind.versions:
            return False
        if name in shape.off and not (isinstance(kind, Nested) and kind.kept):
            return False
        if shape.public and kind.internal:
            return False
        if shape.only is not None and name not in {*shape.only, *self.keys}:
            return False
        if kind.asked is not None:
            return name in shape.on
        return shape.full or kind.listed or name in shape.on

    def column_of(self, name: str) -> tuple[Table, str] | None:
        """The table and column that a written value goes to."""
        kind = self.kinds.get(name)
        if kind is not None and kind.column is not None:
            column: Any = getattr(kind.column, "expression", kind.column)
            found = self._owner(column)
            # A field that shows an expression may still be stored under its name.
            if found is not None or name not in self.table.c:
                return found
        if kind is not None and kind.translated and self.texts is not None:
            return self.texts, name
        if name in self.table.c:
            return self.table, name
        if self.texts is not None and name in self.texts.c:
            return self.texts, name
        return None

    def stored_in(self, name: str) -> Column[Any]:
        """The column that a field is stored in."""
        found = self.column_of(name)
        if found is None:
            raise self._fault(f"field {name} has no column")
        return found[0].c[found[1]]

    def _owner(self, column: Any) -> tuple[Table, str] | None:
        name = getattr(getattr(column, "table", None), "name", None)
        for table in (self.table, self.texts):
            if table is not None and table.name == name:
                return table, str(column.name)
        return None

    def nested(self) -> dict[str, Nested]:
        """The fields that are kept in other tables."""
        return self._nested

    def flagged(self) -> Mapping[str, tuple[str, bool]]:
        """The flags of the request that switch fields on or off, by field."""
        return self._flagged

    def asked_by(self, flags: Mapping[str, bool]) -> frozenset[str]:
        """The fields that are shown only since the request asks for them."""
        return frozenset(n for n, flag in self._asked.items() if flags.get(flag))

    def kind(self, name: str) -> Kind:
        """The kind of a field."""
        return self.kinds[name]


def _ignored(kinds: Mapping[str, Kind]) -> Mapping[bool, frozenset[str]]:
    """What payloads may name in vain: of PUT (true) and of POST, in any spelling."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for name, kind in kinds.items():
        if kind.create_only or kind.update_only:
            found[kind.create_only].update((name, *kind.aliases))
    return {partial: frozenset(names) for partial, names in found.items()}
