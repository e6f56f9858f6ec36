"""What a plug-in may add beside entities: things of a kind, each with a key."""

from abc import ABC, abstractmethod
from typing import ClassVar


class Extension(ABC):
    """Something that rules look up by kind and key; registered once, at start.

    A base class of the server's says `kind`; what derives from it says the rest.
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def key(self) -> int:
        """The number under which it is found, from 1."""

    def fault(self) -> str | None:
        """What is wrong with it, if anything is; the server does not start then."""
        return None
