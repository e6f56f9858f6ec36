"""The entity over a table: four methods from one declaration."""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from sqlalchemy import Table

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Row
from storeapi.core.declared import DeclaredEntity
from storeapi.core.entity import (
    STATUS_CREATED,
    STATUS_NO_CONTENT,
    STATUS_OK,
    Key,
    Params,
    Record,
    Result,
)
from storeapi.core.errors import (
    Forbidden,
    InvalidInput,
    Refused,
)
from storeapi.core.failures import Violation
from storeapi.core.listing import values_of
from storeapi.core.references import check_reference, check_references
from storeapi.core.writing import (
    Values,
    changed_only,
    clash,
    copies,
    read_payload,
    split,
    stored_texts,
    write_languages,
)

M = TypeVar("M")


class TableEntity(DeclaredEntity, Generic[M]):
    """An entity whose objects are the rows of a table: four methods.

    A subclass declares; two hooks serve what is not a whole method: `scope` narrows
    which rows this caller may see, `check` judges and completes written values.
    """

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
        unknown = self.unknown_names(params)
        if self.declaration.texts is not None and "lang_code" in unknown:
            unknown.remove("lang_code")
        decided = self.decided()
        if not decided.keys().isdisjoint(params) or not partial:
            params = {k: v for k, v in params.items() if k not in decided}
            params |= {} if partial else decided
        ignored = self.declaration.ignored[partial]
        if not ignored.isdisjoint(params):
            params = {k: v for k, v in params.items() if k not in ignored}
        schema = self.declaration.schema
        return read_payload(self.context, schema, params, unknown, partial=partial)

    def create(self, params: Params) -> Result:
        """Insert a row, its texts in every language, and its nested values."""
        if self.declaration.texts is not None:
            self.db.hold_languages()
        languages = write_languages(self, params, every=True)
        self.context.written = languages
        values = self.load(params, partial=False)
        self.place(values)
        self.check_named(values)
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

    def check_named(self, values: Values) -> None:
        """Refuse what names an object that the caller does not see (`references`).

        Raises: `InvalidInput` naming every such field.
        """
        names = [each for each in self.references if each not in self.decided()]
        company = self.caller.company_id if self.caller.is_scoped else None
        columns = {name: self.declaration.stored_in(name) for name in names}
        check_references(self.reader, columns, values, company)

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
        self.check_named(values)
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
        key, kinds = {declaration.id.name: id}, declaration.nested()
        touch = {} if self.touched is None else {self.touched: self.context.now}
        # Nested values may look at the row that they belong to.
        written = {**touch, **own} if own or texts else {}
        self.db.update(declaration.table, key, written)
        moved = {
            name: value
            for name, value in nested.items()
            if kinds[name].save(self.db, id, value, self.context)
        }
        if not (own or texts or moved):
            return False
        if not written:
            self.db.update(declaration.table, key, touch)
        if declaration.texts is not None:
            of_object = self._text_key(id)
            self.db.update(declaration.texts, of_object, copies(declaration, own))
            where = {**of_object, "lang_code": languages}
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

    def view_of(self, params: Params) -> Params:
        """The language that the payload names, if there are texts."""
        if self.declaration.texts is None or "lang_code" not in params:
            return {}
        return {"lang_code": params["lang_code"]}

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
