"""Statements compiled once and run on the driver's own cursor.

Building and cache-keying a SQLAlchemy statement per request costs as much as
everything else in it. A `Query` keeps the SQL text of each dialect and the plan
by which fresh values become the driver's positional parameters.
"""

import copy
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from sqlalchemy import ClauseElement, Dialect, Executable
from sqlalchemy.sql.compiler import SQLCompiler

_MAX_LISTED = 4096
_BATCH = 1000
_NONE: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place in the parameters that a value fills at run time."""

    name: str
    index: int | None = None


class Compiled:
    """SQL text of one dialect, and the plan of its positional parameters."""

    __slots__ = ("_constants", "_lists", "_named", "_singles", "text")

    def __init__(self, text: str, plan: Sequence[Any]) -> None:
        self.text = text
        self._constants = [None if isinstance(each, _Slot) else each for each in plan]
        slots = [(n, each) for n, each in enumerate(plan) if isinstance(each, _Slot)]
        self._singles = [(n, each.name) for n, each in slots if each.index is None]
        self._lists = _listed(slots)
        names = [name for _, name in self._singles]
        whole = len(names) == len(plan) > 1
        self._named = itemgetter(*names) if whole else None

    def parameters(self, values: Mapping[str, Any]) -> Sequence[Any]:
        """Put the values at their places; constants stay as compiled.

        A list that is shorter than its places repeats its last element.
        """
        if self._named is not None:
            named: tuple[Any, ...] = self._named(values)
            return named
        found = self._constants.copy()
        for place, name in self._singles:
            found[place] = values[name]
        for start, end, name in self._lists:
            listed = values[name]
            last = start + len(listed)
            found[start:last] = listed
            if last < end:
                found[last:end] = listed[-1:] * (end - last)
        return found


def _listed(slots: Iterable[tuple[int, _Slot]]) -> list[tuple[int, int, str]]:
    """The places of each list: its first, the one after its last, and its name."""
    found: list[tuple[int, int, str]] = []
    for place, slot in slots:
        if slot.index == 0:
            found.append((place, place + 1, slot.name))
        elif slot.index is not None:
            start, _, name = found.pop()
            found.append((start, place + 1, name))
    return found


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
        self._compiled: dict[Hashable, Compiled] = {}
        self._lists: tuple[str, ...] | None = None

    def compiled(self, dialect: Dialect, values: Mapping[str, Any]) -> Compiled:
        """Return the text and plan that fit the dialect and the lists' lengths."""
        if self._lists is None:
            self._base(dialect)
        key: Hashable = dialect.name
        sizes = _NONE
        if self._lists:
            sizes = [_bucket(len(values[name])) for name in self._lists]
            key = (dialect.name, *sizes)
        found = self._compiled.get(key)
        if found is None:
            found = self._compiled[key] = self._compile(dialect, sizes)
        return found

    def _base(self, dialect: Dialect) -> SQLCompiler:
        base = self._bases.get(dialect.name)
        if base is None:
            element = self._statement
            assert isinstance(element, ClauseElement)
            compiled = element.compile(dialect=positional(dialect))
            assert isinstance(compiled, SQLCompiler)
            # First, for another thread may take the base as soon as it is there.
            self._lists = tuple(
                name
                for name, bind in compiled.binds.items()
                if bind.expanding and bind.required
            )
            base = self._bases[dialect.name] = compiled
        return base

    def _compile(self, dialect: Dialect, sizes: Sequence[int]) -> Compiled:
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
