"""The entity over a table: four methods from one declaration."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from marshmallow import ValidationError
from sqlalchemy import Table

from storeapi.core.changes import Change, Operation
from storeapi.core.conditions import Condition, equals
from storeapi.core.database import Row
from storeapi.core.declaration import Declaration, RecordShape
from storeapi.core.entity import (
    STATUS_CREATED,
    STATUS_NO_CONTENT,
    STATUS_OK,
    Entity,
    Key,
    Params,
    Record,
    Result,
    Version,
)
from storeapi.core.errors import (
    FieldError,
    Forbidden,
    InvalidInput,
    NotFound,
    Refused,
)
from storeapi.core.failures import Violation
from storeapi.core.filters import Filter
from storeapi.core.kinds import Fields, errors_of
from storeapi.core.listing import values_of
from storeapi.core.reading import list_records, read_flags, read_sparse
from storeapi.core.references import check_reference
from storeapi.core.writing import (
    Values,
    changed_only,
    clash,
    copies,
    split,
    stored_texts,
    write_languages,
)

M = TypeVar("M")


class TableEntity(Entity, Generic[M]):
    """An entity whose objects are the rows of a table.

    A subclass declares; two hooks serve what is not a whole method: `scope` narrows
    which rows this caller may see, `check` judges and completes written values.
    """

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

    flags: ClassVar[Mapping[str, bool]] = {}
    """Request flags that widen list records, and their defaults."""

    unpaged: ClassVar[Sequence[Version]] = ()
    """Versions in which a list without paging parameters holds all objects."""

    shared: ClassVar[bool] = False
    """Whether scoped callers also see the objects of company 0."""

    unscoped: ClassVar[bool] = False
    """Whether `company_id` says nothing about who may see an object."""

    counted: ClassVar[bool] = False
    """Whether totals by company and status are kept instead of counted."""

    touched: ClassVar[str | None] = None
    """The column that holds the time of the last change."""

    accepts: ClassVar[frozenset[str]] = frozenset()
    """Names in a payload that `fields` does not declare, yet are understood."""

    unique: ClassVar[Mapping[str, str]] = {}
    """Unique column (or columns, joined by a comma) to the field it guards.

    The columns stand in the order of the constraint, of the table or its texts.
    """

    declaration: ClassVar[Declaration]

    @classmethod
    def compile(cls) -> None:
        """Compile and check the declaration; the registry calls it at start."""
        if not hasattr(cls, "default_sort"):
            cls.default_sort = (
                cls.id_field or next(iter(cls.model.__table__.primary_key.columns)).name
            )
        cls.declaration = Declaration(cls)
        if cls.id_key == Entity.id_key:
            cls.id_key = cls.declaration.id_name

    # Reading

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
        shape = RecordShape(
            True, self.context.version, self.caller.is_customer, off, on, sparse
        )
        self.context.flags = {**self.flags, **switched}
        projection = declaration.projection(shape)
        conditions = [self.identity(id), *self.scope()]
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
        if caller.is_customer and declaration.status is not None:
            found.append(equals(declaration.status, "A", role="shown"))
        column = self.parent_column()
        if parent is not None and column is not None:
            found.append(equals(declaration.table.c[column], parent.id, role="parent"))
        return found

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

    def known_params(self, *, listing: bool) -> frozenset[str]:
        """Filters, sorting, flags, and the sparse record."""
        if not listing:
            return frozenset({"fields", *self.flags})
        declaration, public = self.declaration, self.caller.is_customer
        params = declaration.public_params if public else declaration.params
        return params | frozenset(
            {"fields", "sort_by", "sort_order", "detailed_params", *self.flags}
        )

    def count(self, conditions: Sequence[Condition]) -> int:
        """Count the rows that meet the conditions.

        Kept numbers answer where company and status alone decide.
        """
        declaration = self.declaration
        if self.counted and self.reader.counts is not None:
            total = self.reader.counts.total(self.reader, declaration, conditions)
            if total is not None:
                return total
        return int(
            self.reader.value(
                declaration.source.count(conditions),
                lang_code=self.context.lang_code,
                **values_of(conditions),
            )
        )

    # Writing

    def check(self, values: Values, row: Record | None) -> None:
        """Judge the values of a write together, and complete them.

        Shapes: `values` maps field and column names to stored values; `row` is the
        stored row on PUT and DELETE, `None` on POST.
        Raises: `InvalidInput`, `Refused`.
        """

    def load(self, params: Params, *, partial: bool) -> Values:
        """Read a payload by the declared kinds.

        Raises: `InvalidInput` naming every bad field.
        """
        unknown = [
            name
            for name in self.declaration.schema.unknown_names(params)
            if name not in self.accepts and not self.is_parent_id(name)
        ]
        if self.declaration.texts is not None and "lang_code" in unknown:
            unknown.remove("lang_code")
        self.context.ignored_fields.extend(unknown)
        errors: list[FieldError] = []
        if self.context.strict:
            errors = [FieldError(name, "is unknown", "unknown") for name in unknown]
        decided = self.decided()
        if not decided.keys().isdisjoint(params) or not partial:
            params = {k: v for k, v in params.items() if k not in decided}
            params |= {} if partial else decided
        values: Values = {}
        try:
            values = self.declaration.schema.load(params, partial=partial)
        except ValidationError as error:
            errors += errors_of(error)
        if errors:
            raise InvalidInput(errors=errors)
        if partial:
            for name in [n for n in values if self.declaration.kinds[n].create_only]:
                del values[name]
        return values

    def is_parent_id(self, name: str) -> bool:
        """Whether a field of a payload is the ID that the path already gives."""
        return self.context.parent is not None and name == self.context.parent.id_name

    def create(self, params: Params) -> Result:
        """Insert a row, its texts in every language, and its nested values."""
        if self.declaration.texts is not None:
            self.db.hold_languages()
        languages = write_languages(self, params, every=True)
        self.context.written = languages
        values = self.load(params, partial=False)
        self.place(values)
        self.check(values, None)
        id = self.guarded(lambda: self.insert(values, languages))
        return Result(STATUS_CREATED, {self.id_key: id})

    def decided(self) -> Values:
        """What the path and the caller's scope decide, whatever a payload says."""
        found: Values = {}
        column, company = self.parent_column(), self.declaration.company
        if column is not None and self.context.parent is not None:
            found[column] = self.context.parent.id
        if self.caller.is_scoped and company is not None and not company.primary_key:
            found["company_id"] = self.caller.company_id
        return found

    def place(self, values: Values) -> None:
        """Set what the caller or the path decide: the company, the parent."""
        values.update(self.decided())
        if self.declaration.company is None or self.declaration.company.primary_key:
            return
        if self.caller.is_scoped:
            return
        if self.context.parent is not None and "company_id" in self.context.parent.data:
            values["company_id"] = self.context.parent.data["company_id"]
        elif values.get("company_id") is None:
            values["company_id"] = self.context.installation.default_company
        else:
            check_reference(
                self.reader,
                self.declaration.company,
                "company_id",
                values["company_id"],
            )

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write a new object and record it; returns its ID."""
        declaration = self.declaration
        own, texts, nested = split(declaration, values)
        if self.touched is not None:
            own.setdefault(self.touched, self.context.now)
        id: Key = self.db.insert(declaration.table, own)
        id = own.get(declaration.id.name, id)
        if declaration.texts is not None:
            key = next(iter(declaration.texts.primary_key.columns)).name
            self.db.insert_many(
                declaration.texts,
                [
                    {key: id, "lang_code": code, **copies(declaration, own), **texts}
                    for code in languages
                ],
            )
        kinds = declaration.nested()
        for name, value in nested.items():
            kinds[name].save(self.db, id, value, self.context)
        self.record(Operation.CREATE, id, {}, {**own, **texts, **nested})
        return id

    def update(self, id: Key, params: Params) -> Result:
        """Change what was sent; nothing else moves, and no change is no write."""
        if not self.declaration.worded.isdisjoint(params):
            self.db.hold_languages()
        languages = write_languages(self, params, every=False)
        self.context.written = languages
        row = self.locked_row(id)
        self.guard(row)
        values = self.load(params, partial=True)
        self.keep_place(values)
        self.check(values, row)
        self.guarded(lambda: self.change(id, row, values, languages))
        return Result(STATUS_OK, {self.id_key: id})

    def keep_place(self, values: Values) -> None:
        """Drop what may not change: the parent's ID, a scoped caller's company."""
        for name in self.decided():
            values.pop(name, None)
        company = self.declaration.company
        if company is not None and "company_id" in values:
            check_reference(self.reader, company, "company_id", values["company_id"])

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Write what differs from the stored row, and record it."""
        declaration = self.declaration
        own, texts, nested = split(declaration, values)
        own = changed_only(own, row)
        before = {name: row[name] for name in own}
        before_texts, texts = self._changed_texts(id, texts, languages)
        kinds = declaration.nested()
        moved = {
            name: value
            for name, value in nested.items()
            if kinds[name].save(self.db, id, value, self.context)
        }
        if not (own or texts or moved):
            return False
        written = dict(own)
        if self.touched is not None and self.touched not in own:
            written[self.touched] = self.context.now
        self.db.update(declaration.table, {declaration.id.name: id}, written)
        if declaration.texts is not None:
            key = self._text_key(id)
            copied = copies(declaration, own)
            self.db.update(declaration.texts, key, copied)
            where = {**key, "lang_code": languages}
            self.db.update(declaration.texts, where, texts)
        self.record(
            Operation.UPDATE,
            id,
            {**before, **before_texts},
            {**own, **texts, **moved},
            row=row,
        )
        return True

    def _text_key(self, id: Key) -> dict[str, Key]:
        assert self.declaration.texts is not None
        return {next(iter(self.declaration.texts.primary_key.columns)).name: id}

    def _changed_texts(
        self, id: Key, texts: Values, languages: Sequence[str]
    ) -> tuple[Values, Values]:
        if not texts:
            return {}, {}
        row = stored_texts(self, id, languages[0], tuple(texts))
        kept = changed_only(texts, row)
        return {name: row[name] for name in kept}, kept

    def delete(self, id: Key) -> Result:
        """Remove an object with what belongs to it alone."""
        row = self.locked_row(id)
        self.guard(row)
        self.guarded(lambda: self.remove(id, row))
        return Result(STATUS_NO_CONTENT)

    def remove(self, id: Key, row: Record) -> None:
        """Delete the row and its nested values, and record it."""
        for kind in self.declaration.nested().values():
            kind.remove(self.db, [id], self.context)
        self.db.delete(self.declaration.table, {self.declaration.id.name: id})
        self.record(Operation.DELETE, id, row, {}, row=row)

    # What the writing methods share

    def locked_row(self, id: Key) -> Record:
        """Read the whole row of an object and hold it until the commit.

        Raises: `NotFound`.
        """
        declaration = self.declaration
        conditions = [self.identity(id), *self.scope()]
        row = self.db.row(
            declaration.source.locked(conditions),
            lang_code=self.context.lang_code,
            **values_of(conditions),
        )
        if row is None:
            raise self.missing(id)
        return named(declaration.table, row)

    def lock(self, id: Key) -> None:
        """Hold an object against other writers until this one commits."""
        self.locked_row(id)

    def guard(self, row: Record) -> None:
        """Refuse a scoped caller who would write a shared object.

        Raises: `Forbidden`.
        """
        company = self.declaration.company
        if company is None or not self.caller.is_scoped:
            return
        if row[company.name] != self.caller.company_id:
            raise Forbidden("the object belongs to the whole installation")

    def guarded(self, write: Any) -> Any:
        """Run a write; a violated constraint becomes the fault of its field."""
        try:
            return write()
        except Violation as error:
            field = self.unique.get(clash(self.declaration, error.constraint))
            if field is not None:
                raise InvalidInput.of(field, "is already in use", "taken") from None
            raise Refused(error.detail) from error

    def record(
        self,
        operation: Operation,
        id: Key,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        *,
        row: Mapping[str, Any] | None = None,
    ) -> None:
        """Tell the core what was written."""
        row = row or {}
        change = Change(
            self.name,
            operation,
            id,
            after.get("company_id", row.get("company_id")),
            self.caller.user_id,
            before,
            after,
            self.declaration.table.name,
            row.get("status", "A"),
        )
        self.db.record(change)


def named(table: Table, row: Row) -> Record:
    """A whole row by the names of its columns."""
    return dict(zip(table.columns.keys(), row, strict=True))
