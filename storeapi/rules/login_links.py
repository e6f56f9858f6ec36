"""Login links: keys that let a user in once, and where they may lead.

Source: spec/entities/auth.md.
"""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import bindparam, delete, select

from storeapi.core.access import Caller
from storeapi.core.changes import Change, Operation
from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import Forbidden, InvalidInput, NotFound, Refused
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Company, LoginKey, User
from storeapi.rules.api_keys import digest, generate_key
from storeapi.rules.companies import STORE
from storeapi.rules.storefronts import storefront_key

_TARGET = query(
    select(User.user_id, User.user_type, User.status, User.company_id)
    .where(User.email_key == bindparam("email_key", required=True))
    .with_for_update()
)
# The storefront of a vendor is a name without a function.
_STOREFRONT = query(
    select(Company.storefront).where(
        Company.company_id == bindparam("id", required=True), Company.kind == STORE
    )
)
_ADDRESSES = query(
    select(Company.storefront, Company.secure_storefront).where(Company.kind == STORE)
)
_KEY = query(
    select(LoginKey.user_id, LoginKey.caller_id, LoginKey.target, User.company_id)
    .join(User, User.user_id == LoginKey.user_id)
    .where(
        LoginKey.digest == bindparam("digest", required=True),
        LoginKey.expires_at > bindparam("now", required=True),
        User.status == "A",
    )
)
_USE = query(delete(LoginKey).where(LoginKey.digest == bindparam("w", required=True)))
_ENDING = ("email", "password_hash", "user_type", "company_id", "is_root", "status")
_PATH = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*")
_URL = re.compile(
    r"https?://(?P<host>[^/?#@\\\x00-\x20\x7f]+)(?:[/?#][^\\\x00-\x20\x7f]*)?",
    re.IGNORECASE,
)


Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Target:
    """The user whom a link lets in."""

    user_id: int
    user_type: str
    status: str
    company_id: int


@dataclass(frozen=True, slots=True)
class Visit:
    """A use of a link: who comes in, who asked for it, and where it leads."""

    user_id: int
    caller_id: int
    target: str


def hold_target(db: Transaction, email: str) -> Target:
    """Find the user with an e-mail address, and hold the account.

    Two requests for one user so follow each other, and the later key stays.
    Raises: `NotFound`.
    """
    row = db.row(_TARGET, email_key=folded(email.strip()))
    if row is None:
        raise NotFound("no user has that e-mail address")
    return Target(*row)


def base_of(db: Connection, company_id: int, otherwise: str) -> str:
    """The public address of a user's store, `otherwise` where there is none.

    Source: spec/entities/auth.md, rule 7.
    """
    storefront = db.value(_STOREFRONT, id=company_id)
    return f"https://{storefront.rstrip('/')}" if storefront else otherwise


def judge_target(caller: Caller, target: Target) -> None:
    """Let nobody in as a user of higher rank, nor as one who is disabled.

    Raises: `Forbidden`, `Refused`.
    Source: spec/entities/auth.md, rule 5.
    """
    if target.user_type == "A" and not caller.is_root:
        raise Forbidden("only root may let an administrator in")
    if target.status != "A":
        raise Refused(f"user {target.user_id} is disabled")


def check_redirect(db: Connection, url: str) -> None:
    """Want a path, or an address on a host of an installed store.

    Raises: `InvalidInput`.
    Source: spec/entities/auth.md, rule 6.
    """
    if not url or _PATH.fullmatch(url):
        return
    found = _URL.fullmatch(url)
    if found is None or folded(found["host"]) not in _hosts(db):
        text = "must be a path, or lie on a host of one of the stores"
        raise InvalidInput.of("redirect_url", text, "foreign")


def _hosts(db: Connection) -> set[str]:
    rows = db.rows(_ADDRESSES)
    return {storefront_key(each).partition("/")[0] for row in rows for each in row}


def end_links(db: Transaction, user_id: int, before: Values, after: Values) -> None:
    """End the link of a user whose login, rank, company or status changes.

    Who is enabled again, or has risen, is not let in by a link from before.
    Source: spec/entities/auth.md, rule 5.
    """
    if any(name in after and after[name] != before[name] for name in _ENDING):
        db.delete(table_of(LoginKey), {"user_id": user_id})


def make_link(
    db: Transaction, secret_key: str, target: Target, key_row: dict[str, int | str]
) -> str:
    """Make a key for a user, which ends the one before; returns it.

    Shapes: `key_row` holds the other columns of the key.
    Source: spec/entities/auth.md, rules 3 and 4.
    """
    key, table = generate_key(), table_of(LoginKey)
    db.delete(table, {"user_id": target.user_id})
    row = {"user_id": target.user_id, "digest": digest(secret_key, key), **key_row}
    db.insert(table, row)
    return key


def link_of(base_url: str, key: str, redirect_url: str) -> str:
    """The address that a user follows.

    Source: spec/entities/auth.md, rule 2.
    """
    pairs = {"ekey": key} | ({"redirect_url": redirect_url} if redirect_url else {})
    return f"{base_url}/auth?{urlencode(pairs)}"


def use(db: Transaction, secret_key: str, key: str, now: int) -> Visit | None:
    """Take a key, once; `None` if it is unknown, used, or has ended.

    Of two uses at the same time one finds the key gone.
    Source: spec/entities/auth.md, rule 3.
    """
    mark = digest(secret_key, key)
    row = db.row(_KEY, digest=mark, now=now)
    if row is None or not db.run(_USE, w=mark):
        return None
    user_id, caller_id, target, company_id = row
    db.update(table_of(User), {"user_id": user_id}, {"last_login": now})
    after = {"last_login": now}
    change = Change(
        "users", Operation.UPDATE, user_id, company_id, user_id, {}, after, "users"
    )
    db.record(change)
    return Visit(user_id, caller_id, target)


def signed_user(secret_key: str, user_id: int, expires_at: int) -> str:
    """Say in a signed text who came in; for a shop front that knows the secret.

    Shapes: `<user>.<UNIX time of its end>.<HMAC-SHA-256 of both, in hex>`.
    """
    text = f"{user_id}.{expires_at}"
    return f"{text}.{digest(secret_key, 'login ' + text)}"


def user_of(secret_key: str, signed: str, now: int) -> int | None:
    """Read such a text; `None` if it is forged or has ended."""
    text, _, mark = signed.rpartition(".")
    if not hmac.compare_digest(
        mark.encode(), digest(secret_key, "login " + text).encode()
    ):
        return None
    user_id, _, expires_at = text.partition(".")
    return int(user_id) if int(expires_at) > now else None
