"""Filters: from query parameters to the conditions of a SELECT.

A filter names its parameters, reads their values strictly, and gives conditions.
An empty value means no filter; a value of an impossible kind is a fault that
names the parameter; nothing is dropped in silence.
Source: spec/protocol.md, section 5.5.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from marshmallow import ValidationError
from sqlalchemy import bindparam

from storeapi.core.conditions import Condition, any_of, equals
from storeapi.core.errors import FieldError, FieldErrors, InvalidInput
from storeapi.core.folding import folded as folded_text
from storeapi.core.kinds import Choice, Id, Kind, ids_of
from storeapi.core.patterns import Folding, like_pattern
from storeapi.core.periods import PERIOD_PARAMS, read_period

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


def together(*reads: Callable[[], Any]) -> list[Any]:
    """What several readings give.

    Raises: `InvalidInput` naming every parameter that one of them refuses.
    """
    found: list[Any] = []
    errors = FieldErrors()
    for read in reads:
        with errors:
            found.append(read())
    errors.tell()
    return found


def read_texts(params: "Params", names: Iterable[str]) -> dict[str, str]:
    """The parameters that were sent, each of which takes a single text.

    Raises: `InvalidInput` naming every other one.
    """
    given: dict[str, str] = {}
    errors = FieldErrors()
    for name in names:
        with errors:
            text = scalar(params, name)
            if text is not None:
                given[name] = text
    errors.tell()
    return given


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


def parts_of(kind: Kind, value: Any) -> list[Any]:
    """The values that a field may have: letters also as `A,H`, IDs as `1,2`."""
    if isinstance(value, list):
        return value
    parts = value.split(",") if isinstance(value, str) else [value]
    if isinstance(kind, Id) and len(parts) > 1:
        return [part.strip(" ") for part in parts]
    if isinstance(kind, Choice) and all(len(part) == 1 for part in parts):
        return parts
    return [value]


def read_equalities(
    kinds: Mapping[str, Kind], params: "Params", applied: Applied
) -> dict[str, frozenset[Any]]:
    """The values that equality filters want, by name, where no table is asked.

    Shapes: `applied` takes what was sent.
    Raises: `InvalidInput` naming every bad parameter.
    """
    found: dict[str, frozenset[Any]] = {}
    errors = FieldErrors()
    for name, kind in kinds.items():
        value = sent(params, name)
        if value is None:
            continue
        applied[name] = value
        with errors:
            found[name] = frozenset(
                read_value(name, kind.read_filter, text)
                for text in parts_of(kind, value)
            )
    errors.tell()
    return found


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
        texts = parts_of(self._kind, value)
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


def read_letters(name: str, value: Any) -> list[str]:
    """Read letters from a parameter: an array, or joined by commas.

    What no letter is matches nothing.
    Raises: `InvalidInput` naming it.
    """
    letters = value.split(",") if isinstance(value, str) else value
    if not isinstance(letters, list) or not all(isinstance(x, str) for x in letters):
        raise InvalidInput.of(name, "must be letters joined by commas")
    found = list(dict.fromkeys(letter.strip(" ") for letter in letters))
    if len(found) > _MOST_VALUES:
        raise InvalidInput.of(name, f"names more than {_MOST_VALUES} letters")
    return found


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
        asked = {name: sent(params, name) for name in self.params}
        given = {name: value for name, value in asked.items() if value is not None}
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
        """Call the function with the value, under whichever name it was sent.

        Raises: `InvalidInput` also for two names with different values.
        """
        given = {n: v for n in self.params if (v := sent(params, n)) is not None}
        first = next(iter(given), "")
        for name, value in given.items():
            if value != given[first]:
                raise InvalidInput.of(name, f"differs from {first}")
            applied[name] = value
        try:
            found = self.make(entity, given[first]) if given else None
            yield from (found,) if isinstance(found, Condition) else found or ()
        except InvalidInput as fault:
            raise _renamed(fault, self.params[0], given) from None


def _renamed(fault: InvalidInput, own: str, names: Iterable[str]) -> InvalidInput:
    """The same fault of a parameter under the names that were sent."""
    errors: list[FieldError] = []
    for each in fault.errors:
        if each.field == own:
            errors += [replace(each, field=name) for name in names]
        else:
            errors.append(each)
    return InvalidInput(errors=errors)


def collect(
    filters: Iterable[Filter],
    entity: "DeclaredEntity",
    params: "Params",
    applied: Applied,
) -> list[Condition]:
    """Run all filters; every bad parameter is named at once."""
    found: list[Condition] = []
    errors = FieldErrors()
    for each in filters:
        if any(name in params for name in each.params):
            with errors:
                found.extend(each.conditions(entity, params, applied))
    errors.tell()
    return found
