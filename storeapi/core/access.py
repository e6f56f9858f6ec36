"""Who calls, and what the caller may do."""

import base64
import binascii
from dataclasses import dataclass
from typing import Protocol

from storeapi.core.database import Connection, Database

CUSTOMER_TYPES = ("C", "P")
Needed = str | bool | tuple[str, ...]
"""What an operation needs: a privilege, one of several, or nothing; or it is refused.
"""


@dataclass(frozen=True, slots=True)
class Caller:
    """The one who sent a request.

    `company_id` is 0 for the whole installation. An anonymous caller has no
    `user_id`. Privileges are the union of what the caller's groups grant; they
    do not limit a root administrator, unless the key itself is limited. A `limited`
    key opens nothing but its privileges, the own account included.
    """

    user_id: int | None = None
    user_type: str = ""
    is_root: bool = False
    company_id: int = 0
    lang_code: str | None = None
    privileges: frozenset[str] = frozenset()
    unlimited: bool = False
    key_id: int | None = None
    key_used_at: int = 0
    limited: bool = False

    @property
    def is_anonymous(self) -> bool:
        """Whether the request came without credentials."""
        return self.user_id is None

    @property
    def is_customer(self) -> bool:
        """Whether the customer maps of the entities decide for this caller."""
        return self.is_anonymous or self.user_type in CUSTOMER_TYPES

    @property
    def is_scoped(self) -> bool:
        """Whether an administrator sees the objects of one company only."""
        return self.company_id != 0 and not self.is_customer

    @property
    def reads_own(self) -> bool:
        """Whether it is a customer who reads the own things: not by a limited key."""
        return self.is_customer and not (self.is_anonymous or self.limited)

    def allows(self, needed: Needed) -> bool:
        """Whether the caller holds what an entity's map asks for."""
        if isinstance(needed, bool):
            return needed
        return self.unlimited or not self.privileges.isdisjoint(names_of(needed))


ANONYMOUS = Caller()


def names_of(needed: Needed) -> tuple[str, ...]:
    """The privileges of which each opens an operation."""
    if isinstance(needed, bool):
        return ()
    return (needed,) if isinstance(needed, str) else needed


@dataclass(frozen=True, slots=True)
class Installation:
    """What every request needs to know of the shop.

    Shapes: `languages` holds the installed codes, the default one first. Time zone
    and page size are what the shop has stored for the caller's company, or for
    itself; empty and 0 where it has stored nothing.
    """

    languages: tuple[str, ...] = ("en",)
    default_company: int = 0
    time_zone: str = ""
    items_per_page: int = 0

    def spoken(self, lang_code: str) -> str:
        """A language that something is in, or the default one if that is gone."""
        return lang_code if lang_code in self.languages else self.languages[0]


@dataclass(frozen=True, slots=True)
class Credentials:
    """A login and the API key that is its password."""

    login: str
    key: str


class Callers(Protocol):
    """What the front controller needs of the shop's accounts."""

    def find(
        self, db: Connection, credentials: Credentials | None
    ) -> tuple[Caller | None, Installation]:
        """Find the caller by one statement; `None` if the credentials are wrong."""

    def seen(self, database: Database, caller: Caller) -> None:
        """Note that a caller was served, after the answer left."""


def parse_basic(header: str) -> Credentials | None:
    """Read an `Authorization` header; `None` if it is not a Basic pair.

    A colon after the base64 text, which one family of clients sends, is forgiven.
    Source: spec/protocol.md, section 9, rule 2; spec/clients.md, T4.
    """
    scheme, _, text = header.strip().partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        pair = base64.b64decode(text.strip().rstrip(":"), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    login, colon, key = pair.partition(":")
    if not colon or "\0" in pair:
        return None
    return Credentials(login.strip(), key)
