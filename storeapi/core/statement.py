"""Statements compiled once and run on the driver's own cursor.

Building and cache-keying a SQLAlchemy statement per request costs as much as
everything else in it. A `Query` keeps the SQL text of each dialect and the plan
by which fresh values become the driver's positional parameters.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ClauseElement, Dialect, Executable
from sqlalchemy.sql.compiler import SQLCompiler

_MAX_LISTED = 4096
_BATCH = 1000


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place in the parameters that a value fills at run time."""

    name: str
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Compiled:
    """SQL text of one dialect, and the plan of its positional parameters."""

    text: str
    plan: tuple[Any, ...]
    names: tuple[str, ...] | None = None

    def parameters(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """Put the values at their places; constants stay as compiled.

        `names` says that the plan is nothing but single values.
        """
        if self.names is not None:
            return tuple([values[name] for name in self.names])
        return tuple(
            [
                (values[item.name] if item.index is None
                 else _element(values[item.name], item.index))
                if type(item) is _Slot
                else item
                for item in self.plan
            ]
        )  # fmt: skip


def _element(values: Sequence[Any], index: int) -> Any:
    """Take one element; a short list repeats its last one to fill its bucket."""
    return values[index] if index < len(values) else values[-1]


def _bucket(size: int) -> int:
    """Round the length of a list up, so that few texts serve all lengths."""
    if size > _MAX_LISTED:
        raise ValueError(f"a list of {size} values is too long for one statement")
    return size if size < 2 else 1 << (size - 1).bit_length()


def positional(dialect: Dialect) -> Dialect:
    """Return the dialect as it compiles for positional parameters."""
    if dialect.positional:
        return dialect
    dialect = copy.copy(dialect)
    dialect.paramstyle = "format"
    dialect.positional = True
    return dialect


class Query:
    """A SQLAlchemy statement that is compiled at its first use per dialect.

    Shapes: values are plain integers, strings or `None`; a `bindparam` made with
    `expanding=True` takes a sequence, which may be empty.
    `prepare=False` asks PostgreSQL to plan it anew for each set of values (search
    patterns, for which one plan cannot fit all).
    """

    __slots__ = ("_bases", "_compiled", "_lists", "_statement", "prepare")

    def __init__(self, statement: Executable, *, prepare: bool = True) -> None:
        self._statement = statement
        self.prepare = prepare
        self._bases: dict[str, SQLCompiler] = {}
        self._compiled: dict[tuple[Any, ...], Compiled] = {}
        self._lists: tuple[str, ...] | None = None

    def compiled(self, dialect: Dialect, values: Mapping[str, Any]) -> Compiled:
        """Return the text and plan that fit the dialect and the lists' lengths."""
        if self._lists is None:
            self._base(dialect)
        key: tuple[Any, ...] = (dialect.name,)
        if self._lists:
            key = (*key, *[_bucket(len(values[name])) for name in self._lists])
        found = self._compiled.get(key)
        if found is None:
            found = self._compiled[key] = self._compile(dialect, key[1:])
        return found

    def _base(self, dialect: Dialect) -> SQLCompiler:
        base = self._bases.get(dialect.name)
        if base is None:
            element = self._statement
            assert isinstance(element, ClauseElement)
            compiled = element.compile(dialect=positional(dialect))
            assert isinstance(compiled, SQLCompiler)
            base = self._bases[dialect.name] = compiled
            self._lists = tuple(
                name
                for name, bind in base.binds.items()
                if bind.expanding and bind.required
            )
        return base

    def _compile(self, dialect: Dialect, sizes: tuple[int, ...]) -> Compiled:
        base = self._base(dialect)
        slots: dict[str, Any] = {
            name: _Slot(name) for name, bind in base.binds.items() if bind.required
        }
        for name, size in zip(self._lists or (), sizes, strict=True):
            slots[name] = [_Slot(name, index) for index in range(size)]
        state = base.construct_expanded_state(slots, escape_names=False)
        plan = tuple(state.positional_parameters)
        single = all(type(item) is _Slot and item.index is None for item in plan)
        names = tuple([item.name for item in plan]) if single else None
        return Compiled(state.statement, plan, names)


def query(statement: Executable, *, prepare: bool = True) -> Query:
    """Declare a statement, usually as a constant of a module."""
    return Query(statement, prepare=prepare)


def batches(ids: Iterable[int]) -> Iterator[list[int]]:
    """Cut IDs into lists that fit into one statement, each ID once."""
    unique = list(dict.fromkeys(ids))
    for start in range(0, len(unique), _BATCH):
        yield unique[start : start + _BATCH]
