"""From rows to records, by columns: compiled once, no ORM, no marshmallow.

A projection is a SELECT of just the columns its fields need, the converters of
the few columns that need one, and the nested kinds. A page is converted a whole
column at a time, so that the loop over its rows runs in C.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from sqlalchemy import ColumnElement

from storeapi.core.database import Connection, Row
from storeapi.core.entity import Context, Key, Record
from storeapi.core.kinds import ABSENT, Constant, Derived, Kind, Nested


@dataclass(slots=True)
class _Step:
    """How one field of a record comes from the columns of a page."""

    inputs: tuple[int, ...] = ()
    function: Callable[..., Any] | None = None
    constant: Any = None

    def value(self, row: Row) -> Any:
        """The field's value in one row."""
        inputs = self.inputs
        if not inputs:
            return self.constant
        if self.function is None:
            return row[inputs[0]]
        if len(inputs) == 1:
            return self.function(row[inputs[0]])
        return self.function(*[row[index] for index in inputs])

    def values(self, columns: Sequence[Sequence[Any]]) -> Any:
        """The field's values, one a row."""
        if not self.inputs:
            return repeat(self.constant, len(columns[0]))
        if self.function is None:
            return columns[self.inputs[0]]
        return map(self.function, *[columns[index] for index in self.inputs])


@dataclass(slots=True)
class Projection:
    """The fields of one shape of record, over the columns of its SELECT.

    Shapes: `columns` is what the SELECT returns, the identifier first.
    """

    columns: list[ColumnElement[Any]]
    names: list[str] = field(default_factory=list)
    texts: bool = False
    _steps: list[_Step] = field(default_factory=list)
    _nested: list[tuple[int, Nested]] = field(default_factory=list)
    _optional: list[str] = field(default_factory=list)

    def encode(
        self, rows: Sequence[Row], db: Connection, context: Context
    ) -> list[Record]:
        """Turn rows into records; nested values take one statement a kind."""
        if not rows:
            return []
        if len(rows) == 1:
            (row,) = rows
            ids: Sequence[Any] = (row[0],)
            converted: list[Any] = [(step.value(row),) for step in self._steps]
        else:
            columns = list(zip(*rows, strict=True))
            ids = columns[0]
            converted = [step.values(columns) for step in self._steps]
        context.begin_page([kind for _, kind in self._nested])
        for index, kind in self._nested:
            converted[index] = _nested_values(kind, ids, kind.load(db, ids, context))
        names = self.names
        records = [
            dict(zip(names, row, strict=True)) for row in zip(*converted, strict=True)
        ]
        for name in self._optional:
            for record in records:
                if record[name] is ABSENT:
                    del record[name]
        return records

    def add(self, name: str, kind: Kind, resolve: "Resolve", *, full: bool) -> None:
        """Take one more field into the projection."""
        self.names.append(name)
        if isinstance(kind, Nested):
            self._nested.append((len(self._steps), kind))
            self._steps.append(_Step())
            if kind.optional:
                self._optional.append(name)
        elif isinstance(kind, Constant):
            self._steps.append(_Step(constant=kind.value))
        elif isinstance(kind, Derived):
            inputs = tuple(self._column(resolve(source)) for source in kind.inputs)
            self._steps.append(_Step(inputs, kind.function))
            if kind.optional:
                self._optional.append(name)
        else:
            index = self._column(resolve(name))
            self._steps.append(_Step((index,), kind.writer(full=full)))

    def _column(self, found: tuple[ColumnElement[Any], bool]) -> int:
        column, texts = found
        self.texts = self.texts or texts
        for index, known in enumerate(self.columns):
            if known is column:
                return index
        self.columns.append(column)
        return len(self.columns) - 1


Resolve = Callable[[str], tuple[ColumnElement[Any], bool]]
"""Finds the column behind a field's name, and whether it is one of the texts."""


def _nested_values(
    kind: Nested, ids: Sequence[Key], values: Mapping[Key, Any]
) -> list[Any]:
    """A nested column: what was loaded, and one empty value for all the others."""
    nothing = kind.empty()
    found = [values.get(id) for id in ids]
    return [nothing if value is None else value for value in found]
