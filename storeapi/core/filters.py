"""Filters: from query parameters to the conditions of a SELECT.

A filter names its parameters, reads their values strictly, and gives conditions.
An empty value means no filter; a value of an impossible kind is a fault that
names the parameter; nothing is dropped in silence.
Source: spec/protocol.md, section 5.5.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from marshmallow import ValidationError
from sqlalchemy import bindparam

from storeapi.core.conditions import NOTHING, Condition, any_of, equals
from storeapi.core.errors import FieldError, InvalidInput
from storeapi.core.folding import folded as folded_text
from storeapi.core.kinds import Choice, Id, Kind, Timestamp, ids_of
from storeapi.core.patterns import Folding, like_pattern
from storeapi.core.periods import PERIOD_PARAMS, moment_of, read_period

if TYPE_CHECKING:
    from storeapi.core.declared import DeclaredEntity
    from storeapi.core.entity import Params

Applied = dict[str, Any]

_MOST_VALUES = 1000


class Filter(ABC):
    """One filter of a list, over one or more query parameters."""

    params: Sequence[str] = ()

    @abstractmethod
    def conditions(
        self, entity: "DeclaredEntity", params: "Params", applied: Applied
    ) -> Iterable[Condition]:
        """Give the conditions, and put what was understood into `applied`.

        Raises: `InvalidInput` naming the parameter.
        """

    def bind(self, kinds: Mapping[str, Kind], columns: Mapping[int, Kind]) -> None:
        """Take the kinds of the entity's fields; called once at start."""


def sent(params: "Params", name: str) -> Any:
    """The value of a parameter, or `None` where it says no filter."""
    value = params.get(name)
    if value in ("", [], {}):
        return None
    if isinstance(value, list):
        kept = [item for item in value if item != ""]
        return kept or None
    return value


def scalar(params: "Params", name: str) -> str | None:
    """The same for a parameter that takes a single text."""
    value = sent(params, name)
    return None if value is None else single(name, value)


def single(name: str, value: Any) -> str:
    """Want a single text.

    Raises: `InvalidInput` for a list or a map.
    """
    if not isinstance(value, str):
        raise InvalidInput.of(name, "must be a single value")
    return value


def read_value(name: str, read: Callable[[str], Any], text: Any) -> Any:
    """Read a text by a kind; the fault names the parameter."""
    try:
        if not isinstance(text, str):
            raise ValidationError("must be a single value")
        return read(text)
    except ValidationError as error:
        message = (
            error.messages[0] if isinstance(error.messages, list) else "is invalid"
        )
        raise InvalidInput.of(name, str(message)) from None


class Equal(Filter):
    """A field equals the value, or one of several: `status[]=A&status[]=H`."""

    def __init__(
        self, name: str, column: Any, kind: Kind, *, texts: bool = False
    ) -> None:
        self.params = (name,)
        self._column = column
        self._kind = kind
        self._texts = texts

    def conditions(
        self, entity: "DeclaredEntity", params: "Params", applied: Applied
    ) -> Iterable[Condition]:
        """Compare; one letter codes and IDs also take `A,H` and `1,2`."""
        name = self.params[0]
        value = sent(params, name)
        if value is None:
            return
        applied[name] = value
        texts = value if isinstance(value, list) else self._split(value)
        if len(texts) > _MOST_VALUES:
            raise InvalidInput.of(name, f"names more than {_MOST_VALUES} values")
        found = [read_value(name, self._kind.read_filter, text) for text in texts]
        yield self._equals(found)

    def _equals(self, found: list[Any]) -> Condition:
        # The name keeps fields apart that show one column, or an expression.
        name, column = self.params[0], self._column
        role = "eq" if column.key == name else f"eq_{name}"
        known = [value for value in found if value is not None]
        none = equals(column, None, role=role)
        if not known:
            return none
        wanted = known[0] if len(found) == 1 else known
        some = equals(column, wanted, role=role, texts=self._texts)
        return some if len(known) == len(found) else any_of(none, some)

    def _split(self, text: Any) -> list[Any]:
        parts = text.split(",") if isinstance(text, str) else [text]
        if isinstance(self._kind, Id) and len(parts) > 1:
            return [part.strip(" ") for part in parts]
        if isinstance(self._kind, Choice) and all(len(part) == 1 for part in parts):
            return parts
        return [text]


def contains(
    column: Any, text: str, name: str, *, folded: bool, texts: bool
) -> Condition:
    """The column holds the text, in any letter case; a `folded` one has none."""
    # An unfolded column and the pattern pass one function: databases fold unalike.
    bound: Any = bindparam(f"like_{name}", required=True)
    wanted = folded_text(text.strip()) if folded else text.strip()
    return Condition(
        ("contains", name),
        lambda: (
            column.like(bound, escape="!")
            if folded
            else Folding(column).like(Folding(bound), escape="!")
        ),
        {bound.key: like_pattern(name.removesuffix("_plain"), wanted)},
        texts=texts,
        prepare=False,
    )


class Contains(Filter):
    """A text column holds the value: `Contains(title_like=Point.title)`."""

    def __init__(self, *, folded: bool = False, texts: bool = False, **columns: Any):
        self.params = tuple(columns)
        self._columns = columns
        self._folded = folded
        self._texts = texts

    def conditions(
        self, entity: "DeclaredEntity", params: "Params", applied: Applied
    ) -> Iterable[Condition]:
        """Match anywhere in the text, ignoring case; `%` and `_` are literal."""
        for name, column in self._columns.items():
            text = scalar(params, name)
            if text is None or not text.strip():
                continue
            applied[name] = text
            yield contains(column, text, name, folded=self._folded, texts=self._texts)


class Same(Filter):
    """A folded key column equals the value in any letter case."""

    def __init__(self, *, texts: bool = False, **columns: Any) -> None:
        self.params = tuple(columns)
        self._columns = columns
        self._texts = texts

    def conditions(
        self, entity: "DeclaredEntity", params: "Params", applied: Applied
    ) -> Iterable[Condition]:
        """Compare the folded texts."""
        for name, column in self._columns.items():
            text = scalar(params, name)
            if text is not None:
                applied[name] = text
                yield equals(column, folded_text(text.strip()), texts=self._texts)


class _Bound(Filter):
    """One end of a range; the value is read by the kind of the column's field.

    A date is the begin or end of that day, where the caller's days begin.
    """

    is_end: ClassVar[bool]

    def __init__(self, **columns: Any) -> None:
        self.params = tuple(columns)
        self._columns = columns
        self._kinds: dict[str, Kind] = {}

    def bind(self, kinds: Mapping[str, Kind], columns: Mapping[int, Kind]) -> None:
        """Find the kind of each column among the entity's fields."""
        for name, column in self._columns.items():
            kind = kinds.get(column.key)
            if kind is None:
                raise TypeError(f"filter {name}: no field has the column {column.key}")
            self._kinds[name] = kind

    def conditions(
        self, entity: "DeclaredEntity", params: "Params", applied: Applied
    ) -> Iterable[Condition]:
        """Compare with the end that was sent."""
        for name, column in self._columns.items():
            text = scalar(params, name)
            if text is None:
                continue
            value = read_value(name, self._reader(name, entity), text)
            applied[name] = text
            yield self._condition(name, column, value)

    def _reader(self, name: str, entity: "DeclaredEntity") -> Callable[[str], Any]:
        kind, zone = self._kinds[name], entity.context.time_zone
        if isinstance(kind, Timestamp):
            return partial(moment_of, time_zone=zone, end=self.is_end)
        return kind.read_filter

    def _condition(self, name: str, column: Any, value: Any) -> Condition:
        bound = f"range_{name}"
        return Condition(
            ("range", name),
            lambda: self.compare(column, bindparam(bound, required=True)),
            {bound: value},
        )

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


class AnyOf(Filter):
    """An ID is one of a list: `ids=1,2`, `ids[]=1&ids[]=2`."""

    def __init__(self, **columns: Any) -> None:
        self.params = tuple(columns)
        self._columns = columns

    def conditions(
        self, entity: "DeclaredEntity", params: "Params", applied: Applied
    ) -> Iterable[Condition]:
        """Compare with the list."""
        for name, column in self._columns.items():
            value = sent(params, name)
            if value is not None:
                applied[name] = value
                yield equals(column, read_ids(name, value), role=name)


def read_ids(name: str, value: Any) -> list[int]:
    """Read a list of IDs from a parameter.

    Raises: `InvalidInput` naming it.
    """
    try:
        ids = ids_of(value)
    except ValidationError:
        raise InvalidInput.of(name, "must be a list of IDs") from None
    if len(ids) > _MOST_VALUES:
        raise InvalidInput.of(name, f"names more than {_MOST_VALUES} IDs")
    return ids


class Period(Filter):
    """`period`, `time_from`, `time_to` over a column of UNIX seconds.

    Source: spec/protocol.md, section 5.5, rule 9.
    """

    params = PERIOD_PARAMS

    def __init__(self, column: Any) -> None:
        self._column = column

    def conditions(
        self, entity: "DeclaredEntity", params: "Params", applied: Applied
    ) -> Iterable[Condition]:
        """Compare with both ends of the interval, as far as it has them."""
        asked = {name: scalar(params, name) for name in self.params}
        given = {name: text for name, text in asked.items() if text is not None}
        start, end = read_period(given, entity.context.now, entity.context.time_zone)
        applied.update(given)
        column = self._column
        if start is not None:
            yield Condition(
                ("since", column.key),
                lambda: column >= bindparam("since", required=True),
                {"since": start},
            )
        if end is not None:
            yield Condition(
                ("until", column.key),
                lambda: column <= bindparam("until", required=True),
                {"until": end},
            )


Make = Callable[[Any, Any], Iterable[Condition] | Condition | None]


class Where(Filter):
    """A filter with a function of its own: `Where("cid", in_category)`.

    The function takes the entity and the value sent (a text or a list) and gives
    conditions; it raises `InvalidInput` for a value that cannot be.
    """

    def __init__(self, name: str, make: Make, *more: str) -> None:
        self.params = (name, *more)
        self.make = make

    def conditions(
        self, entity: "DeclaredEntity", params: "Params", applied: Applied
    ) -> Iterable[Condition]:
        """Call the function with the first of the names that was sent."""
        for name in self.params:
            value = sent(params, name)
            if value is None:
                continue
            applied[name] = value
            found = self.make(entity, value)
            if isinstance(found, Condition):
                yield found
            elif found is not None:
                yield from found
            return


def collect(
    filters: Iterable[Filter],
    entity: "DeclaredEntity",
    params: "Params",
    applied: Applied,
) -> list[Condition]:
    """Run all filters; every bad parameter is named at once."""
    found: list[Condition] = []
    errors: list[FieldError] = []
    for each in filters:
        if not any(name in params for name in each.params):
            continue
        try:
            found.extend(each.conditions(entity, params, applied))
        except InvalidInput as fault:
            errors.extend(fault.errors)
    if errors:
        raise InvalidInput(errors=errors)
    return found


__all__ = [
    "NOTHING",
    "AnyOf",
    "AtLeast",
    "AtMost",
    "Contains",
    "Equal",
    "Filter",
    "Period",
    "Same",
    "Timestamp",
    "Where",
    "collect",
]
