"""Filters each of whose parameters cuts by a column of its own.

A part of a text, an end of a range, one of some IDs.
Source: spec/protocol.md, section 5.5.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import bindparam

from storeapi.core.conditions import Condition, equals
from storeapi.core.errors import FieldErrors
from storeapi.core.filters import (
    Applied,
    Filter,
    contains,
    read_ids,
    read_value,
    sent,
    single,
)
from storeapi.core.folding import folded as folded_text
from storeapi.core.kinds import Kind, Timestamp
from storeapi.core.periods import moment_of

if TYPE_CHECKING:
    from storeapi.core.declared import DeclaredEntity
    from storeapi.core.entity import Params


class _Columns(Filter):
    """Parameters each of which cuts by a column of its own."""

    def __init__(self, **columns: Any) -> None:
        self.params = tuple(columns)
        self._columns = columns

    def conditions(
        self, entity: "DeclaredEntity", params: "Params", applied: Applied
    ) -> Iterable[Condition]:
        """Read each parameter that was sent; every bad one is named at once."""
        errors = FieldErrors()
        for name, column in self._columns.items():
            value = sent(params, name)
            if value is None:
                continue
            with errors:
                condition = self.condition(name, column, value, entity)
                if condition is not None:
                    applied[name] = value
                    yield condition
        errors.tell()

    @abstractmethod
    def condition(
        self, name: str, column: Any, value: Any, entity: "DeclaredEntity"
    ) -> Condition | None:
        """Make the condition of a value; `None` where it says no filter.

        Raises: `InvalidInput` naming the parameter.
        """


class Contains(_Columns):
    """A text column holds the value: `Contains(title_like=Point.title)`."""

    def __init__(self, *, folded: bool = False, texts: bool = False, **columns: Any):
        super().__init__(**columns)
        self._folded = folded
        self._texts = texts

    def condition(
        self, name: str, column: Any, value: Any, entity: "DeclaredEntity"
    ) -> Condition | None:
        """Match anywhere in the text, ignoring case; `%` and `_` are literal."""
        text = single(name, value)
        if not text.strip():
            return None
        return contains(column, text, name, folded=self._folded, texts=self._texts)


class Same(_Columns):
    """A folded key column equals the value in any letter case."""

    def __init__(self, *, texts: bool = False, **columns: Any) -> None:
        super().__init__(**columns)
        self._texts = texts

    def condition(
        self, name: str, column: Any, value: Any, entity: "DeclaredEntity"
    ) -> Condition:
        """Compare the folded texts."""
        text = folded_text(single(name, value).strip())
        return equals(column, text, texts=self._texts)


class _Bound(_Columns):
    """One end of a range; the value is read by the kind of the column's field.

    A date is the begin or end of that day, where the caller's days begin.
    """

    is_end: ClassVar[bool]

    def __init__(self, **columns: Any) -> None:
        super().__init__(**columns)
        self._kinds: dict[str, Kind] = {}

    def bind(self, kinds: Mapping[str, Kind], columns: Mapping[int, Kind]) -> None:
        """Find the kind of each column among the entity's fields."""
        for name, column in self._columns.items():
            kind = kinds.get(column.key)
            if kind is None:
                raise TypeError(f"filter {name}: no field has the column {column.key}")
            self._kinds[name] = kind

    def condition(
        self, name: str, column: Any, value: Any, entity: "DeclaredEntity"
    ) -> Condition:
        """Compare with the end that was sent."""
        end = read_value(name, self._reader(name, entity), value)
        bound = f"range_{name}"
        return Condition(
            ("range", name),
            lambda: self.compare(column, bindparam(bound, required=True)),
            {bound: end},
        )

    def _reader(self, name: str, entity: "DeclaredEntity") -> Callable[[str], Any]:
        kind, zone = self._kinds[name], entity.context.time_zone
        if isinstance(kind, Timestamp):
            return partial(moment_of, time_zone=zone, end=self.is_end)
        return kind.read_filter

    @abstractmethod
    def compare(self, column: Any, bound: Any) -> Any:
        """Make the comparison."""


class AtLeast(_Bound):
    """`AtLeast(price_from=Product.price)`."""

    is_end = False

    def compare(self, column: Any, bound: Any) -> Any:
        """The column is no less."""
        return column >= bound


class AtMost(_Bound):
    """`AtMost(price_to=Product.price)`."""

    is_end = True

    def compare(self, column: Any, bound: Any) -> Any:
        """The column is no more."""
        return column <= bound


class AnyOf(_Columns):
    """An ID is one of a list: `ids=1,2`, `ids[]=1&ids[]=2`."""

    def condition(
        self, name: str, column: Any, value: Any, entity: "DeclaredEntity"
    ) -> Condition:
        """Compare with the list."""
        return equals(column, read_ids(name, value), role=name)
