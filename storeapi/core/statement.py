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
class _Run:
    """Parameters that one value or one list fills; without a name, a constant.

    A list that is shorter than its bucket repeats its last element.
    """

    name: str | None
    size: int | None = None
    constant: Any = None


class Compiled:
    """SQL text of one dialect, and the plan of its positional parameters."""

    __slots__ = ("_runs", "_singles", "text")

    def __init__(self, text: str, plan: Sequence[Any]) -> None:
        self.text = text
        self._runs = tuple(_runs(plan))
        names = [run.name for run in self._runs if run.name and run.size is None]
        self._singles = tuple(names) if len(names) == len(self._runs) else None

    def parameters(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """Put the values at their places; constants stay as compiled."""
        if self._singles is not None:
            return tuple([values[name] for name in self._singles])
        found: list[Any] = []
        for run in self._runs:
            if run.name is None:
                found.append(run.constant)
            elif run.size is None:
                found.append(values[run.name])
            else:
                listed = values[run.name]
                found += listed
                if len(listed) < run.size:
                    found += [listed[-1]] * (run.size - len(listed))
        return tuple(found)


def _runs(plan: Sequence[Any]) -> Iterator[_Run]:
    position = 0
    while position < len(plan):
        slot = plan[position]
        end = position + 1
        if not isinstance(slot, _Slot):
            yield _Run(None, constant=slot)
        elif slot.index is None:
            yield _Run(slot.name)
        else:
            while end < len(plan) and plan[end] == _Slot(slot.name, end - position):
                end += 1
            yield _Run(slot.name, end - position)
        position = end


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
        return Compiled(state.statement, tuple(state.positional_parameters))


def query(statement: Executable, *, prepare: bool = True) -> Query:
    """Declare a statement, usually as a constant of a module."""
    return Query(statement, prepare=prepare)


def batches(ids: Iterable[int]) -> Iterator[list[int]]:
    """Cut IDs into lists that fit into one statement, each ID once."""
    unique = list(dict.fromkeys(ids))
    for start in range(0, len(unique), _BATCH):
        yield unique[start : start + _BATCH]
