"""Filters by listed fields that no column holds, so that no list is widened."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from storeapi.core.conditions import NOTHING, Condition
from storeapi.core.errors import InvalidInput
from storeapi.core.filters import Applied, Filter, scalar, sent
from storeapi.core.kinds import Constant, Derived, Kind

if TYPE_CHECKING:
    from storeapi.core.declared import DeclaredEntity
    from storeapi.core.entity import Params


class Fixed(Filter):
    """A field that has one value in every record: all of them match, or none."""

    def __init__(self, name: str, value: Any) -> None:
        self.params = (name,)
        self._text = "" if value is None else str(value)

    def conditions(
        self, entity: "DeclaredEntity", params: "Params", applied: Applied
    ) -> Iterable[Condition]:
        """Compare with the value."""
        name = self.params[0]
        text = scalar(params, name)
        if text is not None:
            applied[name] = text
            if text != self._text:
                yield NOTHING


class Computed(Filter):
    """A field that no database column holds: to filter by it is a fault."""

    def __init__(self, name: str) -> None:
        self.params = (name,)

    def conditions(
        self, entity: "DeclaredEntity", params: "Params", applied: Applied
    ) -> Iterable[Condition]:
        """Refuse, rather than to return all objects."""
        if sent(params, self.params[0]) is not None:
            raise InvalidInput.of(self.params[0], "is computed, and not for filtering")
        return ()


def unstored(name: str, kind: Kind) -> Iterable[Filter]:
    """The filter of a listed field without a column, if it holds one value."""
    if isinstance(kind, Derived):
        yield Computed(name)
    elif isinstance(kind, Constant) and not isinstance(kind.value, list | dict):
        yield Fixed(name, kind.value)
