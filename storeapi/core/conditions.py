"""Conditions of a SELECT that are keyed, so that its text is compiled once.

A condition knows its SQL shape by a key; the clause itself is built only when
no statement of that shape exists yet.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
)

Build = Callable[[], ColumnElement[bool]]


@dataclass(frozen=True, slots=True)
class Condition:
    """One part of a WHERE.

    `key` names the SQL shape: equal keys mean equal text. `values` fill the bound
    names of the clause, which must be unique within a statement. `texts` says
    that the clause reads the table of texts; `prepare=False` that one plan cannot
    fit all values. `test` builds the same clause as it is quickest for a single
    row, where `build` is quickest for finding all rows; `number` builds a SELECT of how
    many rows meet it. `column` is the one column that decides. `rest` is met by
    the rows that do not meet this, where those are few, or quick to count. `own` says
    that only the row decides, and parts of it whose writes move its time of change.
    """

    key: Hashable
    build: Build
    values: Mapping[str, Any] = field(default_factory=dict)
    texts: bool = False
    prepare: bool = True
    test: Build | None = None
    number: Callable[[], Select[Any]] | None = None
    column: Any = None
    rest: "Condition | None" = None
    own: bool = False


def equals(
    column: Any, value: Any, *, role: str = "eq", texts: bool = False
) -> Condition:
    """The column has the value, or one of a list of values.

    `role` keeps the bound names of two conditions on one column apart.
    """
    name = f"{role}_{column.key}"
    if value is None:
        return Condition((role, "null", column.key), lambda: column.is_(None))
    if isinstance(value, list | tuple | frozenset):
        return Condition(
            (role, "in", column.key),
            lambda: column.in_(bindparam(name, expanding=True)),
            {name: list(value)},
            texts=texts,
            column=column,
        )
    return Condition(
        (role, column.key),
        lambda: column == bindparam(name, required=True),
        {name: value},
        texts=texts,
        column=column,
    )


def differs(column: Any, values: Sequence[Any], *, role: str = "ne") -> Condition:
    """The column has none of the values."""
    name = f"{role}_{column.key}"
    return Condition(
        (role, "not in", column.key),
        lambda: column.not_in(bindparam(name, expanding=True)),
        {name: list(values)},
        column=column,
        rest=equals(column, list(values), role=role),
    )


def any_of(*parts: Condition) -> Condition:
    """At least one of the conditions."""
    values: dict[str, Any] = {}
    for each in parts:
        values.update(each.values)
    return Condition(
        ("any", *[each.key for each in parts]),
        lambda: or_(*[each.build() for each in parts]),
        values,
        texts=any(each.texts for each in parts),
        prepare=all(each.prepare for each in parts),
    )


def linked(
    key: Hashable,
    own: Any,
    link: Any,
    clause: Build,
    values: Mapping[str, Any],
) -> Condition:
    """The key is the `link` of some row of another table that meets the clause.

    All such objects are found, and counted, from the other table; whether one is
    among them is seen at its own links.
    """
    return Condition(
        key,
        lambda: own.in_(select(link).where(clause())),
        values,
        test=lambda: exists().where(link == own, clause()),
        number=lambda: select(func.count(link.distinct())).where(clause()),
    )


def constant(key: Hashable, build: Build) -> Condition:
    """A clause without values."""
    return Condition(("constant", key), build)


NOTHING = constant("nothing", lambda: literal_column("1") == literal_column("0"))
"""No row at all."""
