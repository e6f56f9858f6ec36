"""The reading half of an entity over a table, from one declaration."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, ClassVar

from storeapi.core.conditions import Condition, equals
from storeapi.core.declaration import Declaration, DeclarationError, RecordShape
from storeapi.core.entity import (
    STATUS_OK,
    Entity,
    Key,
    Params,
    Record,
    Result,
    Version,
)
from storeapi.core.errors import (
    NotFound,
)
from storeapi.core.filters import Filter, collect
from storeapi.core.kinds import Fields, Keys
from storeapi.core.listing import values_of
from storeapi.core.reading import list_records, read_flags, read_sparse
from storeapi.core.totals import count_rows


class DeclaredEntity(Entity):
    """What an entity over a table declares, and how its rows are read."""

    model: ClassVar[type[Any]]
    """The model; texts per language live in `texts`, keyed by ID and lang_code."""

    texts: ClassVar[type[Any] | None] = None
    fields: ClassVar[type[Fields]]

    id_field: ClassVar[str | None] = None
    """The column that identifies an object, where it is not the only key column."""

    filters: ClassVar[Sequence[Filter]] = ()
    """Special filters; each listed field is an equality filter without a word."""

    sortings: ClassVar[Mapping[str, Any] | Sequence[Any]] = ()
    """Sort names and their columns (or tuples of columns)."""

    default_sort: ClassVar[str]
    default_descending: ClassVar[bool] = False
    """Whether lists without `sort_order` are descending, whatever their `sort_by`."""

    flags: ClassVar[Mapping[str, bool]] = {}
    """Request flags that widen list records, and their defaults."""

    unpaged: ClassVar[Sequence[Version]] = ()
    """Versions in which a list without paging parameters holds all objects."""

    shared: ClassVar[bool] = False
    """Whether scoped callers also see the objects of company 0."""

    unscoped: ClassVar[bool] = False
    """Whether `company_id` says nothing about who may see an object."""

    public_status: ClassVar[str | None] = "A"
    """The status that objects need to be seen by customers; `None` if any will do."""

    counted: ClassVar[bool] = False
    """Whether totals by company and status are kept instead of counted."""

    touched: ClassVar[str | None] = None
    """The column that holds the time of the last change."""

    agreeing: ClassVar[bool] = False
    """Whether a record has figures of several tables that add up: a GET of one then
    reads all of them as they were at one moment."""

    accepts: ClassVar[frozenset[str]] = frozenset()
    """Names in a payload that `fields` does not declare, yet are understood."""

    accepted_keys: ClassVar[Mapping[str, Keys]] = {}
    """The keys of what payloads hold under such a name, or a read-only field's."""

    unique: ClassVar[Mapping[str, str]] = {}
    """Unique column (or columns, joined by a comma) to the field it guards.

    The columns stand in the order of the constraint, of the table or its texts.
    """

    references: ClassVar[Sequence[str]] = ()
    """Fields that name objects of other tables, by their foreign keys.

    A write may name only what exists and, below a company, is not another one's.
    """

    declaration: ClassVar[Declaration]

    @classmethod
    def compile(cls) -> None:
        """Compile and check the declaration; the registry calls it at start."""
        if not hasattr(cls, "default_sort") and hasattr(
            getattr(cls, "model", None), "__table__"
        ):
            cls.default_sort = (
                cls.id_field or next(iter(cls.model.__table__.primary_key.columns)).name
            )
        cls.declaration = Declaration(cls)
        if cls.id_key == Entity.id_key:
            cls.id_key = cls.declaration.id_name

    @classmethod
    def check_parent(cls, parent: type[Entity]) -> None:
        """Check that a column holds the ID of a parent; the registry calls it at start.

        Raises: `DeclarationError`.
        """
        above = getattr(parent, "declaration", None)
        column = parent.id_key if above is None else above.id_name
        if isinstance(cls.parents, Mapping):
            column = cls.parents.get(parent.name, column)
        if column is not None and column not in cls.declaration.table.c:
            raise DeclarationError(
                f"entity {cls.name}: no column {column} holds the ID of {parent.name};"
                f' parents = {{"{parent.name}": "<column>"}} names another one'
            )

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one full record, or a page of list records."""
        if id is None:
            return Result(STATUS_OK, list_records(self, params))
        return Result(STATUS_OK, self.read_one(id, params))

    def read_one(self, id: Key, params: Params) -> Record:
        """Read one full record under the caller's scope.

        Raises: `NotFound`.
        """
        declaration = self.declaration
        sparse = read_sparse(params, declaration)
        switched = read_flags(params, self.flags)
        off = frozenset(
            name
            for name, (flag, _) in declaration.flagged().items()
            if switched.get(flag) is False
        )
        on = declaration.asked_by(switched)
        version, public = self.context.version, self.caller.is_customer
        shape = RecordShape(True, version, public, off, on, sparse, single=True)
        self.context.flags = {**self.flags, **switched}
        projection = declaration.projection(shape)
        conditions = [self.identity(id), *self.scope()]
        with self.reader.snapshot() if self.agreeing else nullcontext():
            rows = self.reader.rows(
                declaration.source.one(shape, projection, conditions),
                lang_code=self.context.lang_code,
                **values_of(conditions),
            )
            if not rows:
                raise self.missing(id)
            return projection.encode(rows, self.reader, self.context)[0]

    def scope(self) -> Iterable[Condition]:
        """The conditions under which this caller sees rows at all."""
        found: list[Condition] = []
        declaration, caller, parent = self.declaration, self.caller, self.context.parent
        if caller.is_scoped and declaration.company is not None:
            own: Any = [caller.company_id, 0] if self.shared else caller.company_id
            found.append(equals(declaration.company, own, role="scope"))
        shown = self.public_status
        if caller.is_customer and declaration.status is not None and shown is not None:
            found.append(equals(declaration.status, shown, role="shown"))
        column = self.parent_column()
        if parent is not None and column is not None:
            found.append(self.of_parent(declaration.table.c[column], parent.id))
        return found

    def of_parent(self, column: Any, id: Key) -> Condition:
        """The rows that are seen below a parent; the column holds whose each is."""
        return equals(column, id, role="parent")

    def parent_column(self) -> str | None:
        """The column that holds the ID of the parent of this request, if one does."""
        parent = self.context.parent
        if parent is None:
            return None
        if isinstance(self.parents, Mapping):
            column: str | None = self.parents[parent.name]
            return column
        return parent.id_name

    def parent_key(self) -> str:
        """The column that identifies an object."""
        return self.declaration.id_name

    def identity(self, id: Key) -> Condition:
        """The condition that finds one object."""
        return equals(self.declaration.id, id, role="id")

    def missing(self, id: Key) -> NotFound:
        """The fault of an object that does not exist for this caller."""
        return NotFound(f"{self.name} {id} does not exist")

    def read_parent(self, id: Key) -> Record:
        """Check that an object exists for this caller; its ID and company only."""
        conditions = [self.identity(id), *self.scope()]
        declaration = self.declaration
        columns = [declaration.id]
        if declaration.company is not None:
            columns.append(declaration.company)
        row = self.reader.row(
            declaration.source.columns("parent", columns, conditions),
            lang_code=self.context.lang_code,
            **values_of(conditions),
        )
        if row is None:
            raise self.missing(id)
        return {column.name: value for column, value in zip(columns, row, strict=True)}

    def unknown_names(self, params: Params) -> list[str]:
        """The names in a payload that no field has, and that are not understood."""
        unknown = self.declaration.schema.unknown_names(params)
        found = [
            name
            for name in unknown
            if name not in self.accepts and not self.is_parent_id(name)
        ]
        for name, keys in self.accepted_keys.items():
            found += [f"{name}.{key}" for key in keys.unknown(params.get(name))]
        return found

    def is_parent_id(self, name: str) -> bool:
        """Whether a field of a payload is the ID that the path already gives."""
        return self.context.parent is not None and name == self.context.parent.id_name

    def known_params(self, *, listing: bool) -> frozenset[str]:
        """Filters, sorting, flags, and the sparse record."""
        if not listing:
            return frozenset({"fields", *self.flags})
        declaration, public = self.declaration, self.caller.is_customer
        params = declaration.public_params if public else declaration.params
        return params.union(self.flags).union(
            {"cursor", "fields", "sort_by", "sort_order", "detailed_params"}
        )

    def list_conditions(self, params: Params, echo: Record) -> list[Condition]:
        """What the rows of a list meet: the scope, and the filters that were sent.

        Shapes: `echo` takes what was understood.
        """
        declaration, public = self.declaration, self.caller.is_customer
        filters = declaration.public_filters if public else declaration.filters
        return [*self.scope(), *collect(filters, self, params, echo)]

    def count(self, conditions: Sequence[Condition]) -> int:
        """Count the rows that meet the conditions."""
        return count_rows(self, conditions)
