"""What a plug-in may add beside entities: things of a kind, each with a key."""

from typing import ClassVar


class Extension:
    """Something that rules look up by kind and key; registered once, at start.

    A base class of the server's says `kind`; what derives from it says the rest.
    """

    kind: ClassVar[str]

    @property
    def key(self) -> int:
        """The number under which it is found, from 1."""
        raise NotImplementedError(f"{type(self).__name__} does not say its key")

    def fault(self) -> str | None:
        """What is wrong with it, if anything is; the server does not start then."""
        return None
