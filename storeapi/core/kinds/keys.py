"""Which keys the objects inside a value may have."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that are understood, those that are only shown included.

    Shapes: `inner` holds the keys of what stands under a key. Where there are
    `many`, the value is an array of such objects, or an object of them under any
    keys.
    """

    names: frozenset[str]
    inner: Mapping[str, "Keys"] = field(default_factory=dict)
    many: bool = False

    def unknown(self, value: Any) -> Iterator[str]:
        """The dotted names of all keys in a value that are none of these."""
        if not self.many:
            yield from self.unknown_in_one(value)
            return
        for key, entry in _entries(value):
            for name in self.unknown_in_one(entry):
                yield f"{key}.{name}"

    def unknown_in_one(self, value: Any) -> Iterator[str]:
        """The same of one object; what is no object has no keys."""
        if not isinstance(value, dict):
            return
        for name, entry in value.items():
            if name in self.inner:
                for each in self.inner[name].unknown(entry):
                    yield f"{name}.{each}"
            elif name not in self.names:
                yield str(name)


def _entries(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()
