"""Accounts as commands make them: root users, and the keys by which users call."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from marshmallow import ValidationError
from sqlalchemy import bindparam, func, select

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.errors import InvalidInput, NotFound, Refused
from storeapi.core.folding import folded
from storeapi.core.kinds import Email, Text
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import ApiKey, User
from storeapi.rules.api_keys import digest, generate_key

_USERS = table_of(User)
_KEYS = table_of(ApiKey)
_ADDRESS = Email(blank=False)
_TEXT = Text(maxlength=255)
_FIND = query(
    select(User.user_id, User.status).where(
        User.email_key == bindparam("email_key", required=True)
    )
)
_KEYS_NAMED = query(
    select(func.count()).where(
        ApiKey.user_id == bindparam("user_id", required=True),
        ApiKey.name == bindparam("name", required=True),
    )
)
_KEY_OF = query(
    select(func.count()).where(
        ApiKey.user_id == bindparam("user_id", required=True),
        ApiKey.digest == bindparam("digest", required=True),
    )
)


def user_of(db: Transaction, email: str) -> int:
    """Find the ID of the user with an e-mail, in any letter case.

    Raises: `NotFound`; `InvalidInput` for what no address can be.
    """
    row = db.row(_FIND, email_key=folded(_read(_TEXT, email)))
    if row is None:
        raise NotFound(f"no user has the e-mail {email}")
    return int(row[0])


def _read(kind: Text, text: str) -> str:
    try:
        value: str = kind.read(text)
    except ValidationError as error:
        raise InvalidInput(f"{text!r} {error.messages[0]}") from None
    return value


def create_root(db: Transaction, email: str) -> int:
    """Make a root administrator, who has no password yet; returns the user's ID.

    Raises: `InvalidInput` for what is no e-mail, `Refused` for one that is taken.
    """
    address = _read(_ADDRESS, email)
    if db.row(_FIND, email_key=folded(address)) is not None:
        raise Refused(f"a user with the e-mail {address} exists already")
    row: dict[str, Any] = {
        "company_id": 0,
        "user_type": "A",
        "is_root": "Y",
        "email": address,
        "email_key": folded(address),
        "timestamp": int(time.time()),
        "last_login": 0,
    }
    id = db.insert(_USERS, row)
    login = {"user_login": f"user_{id}", "login_key": f"user_{id}"}
    db.update(_USERS, {"user_id": id}, login)
    after = {"user_type": "A", "is_root": "Y", "email": address, "status": "A"}
    db.record(Change("users", Operation.CREATE, id, 0, None, {}, after, _USERS.name))
    return id


@dataclass(frozen=True, slots=True)
class Grant:
    """What a key is for, until when, and what it may do.

    Shapes: `None` stands for ever, and for all that the user may do. An empty name
    may be given to several keys.
    Units: `expires_at` in UNIX seconds.
    """

    name: str = ""
    expires_at: int | None = None
    privileges: Sequence[str] | None = None


def grant_key(db: Transaction, secret_key: str, user_id: int, wanted: Grant) -> str:
    """Make a key for a user, and return it: only its digest is kept.

    Raises: `Refused` if the user has a key of that name, `InvalidInput` for a name
    that cannot be kept.
    """
    name, privileges = _read(_TEXT, wanted.name), wanted.privileges
    if name and db.value(_KEYS_NAMED, user_id=user_id, name=name):
        raise Refused(f"the user has a key named {name!r} already; revoke it first")
    key = generate_key()
    row = {
        "user_id": user_id,
        "name": name,
        "digest": digest(secret_key, key),
        "privileges": None if privileges is None else ",".join(privileges),
        "created_at": int(time.time()),
        "expires_at": wanted.expires_at,
        "last_used_at": None,
    }
    db.insert(_KEYS, row)
    return key


def keep_key(db: Transaction, secret_key: str, user_id: int, key: str) -> None:
    """Let a user call with a key that is known already."""
    mark = digest(secret_key, key)
    if not db.value(_KEY_OF, user_id=user_id, digest=mark):
        row = {"user_id": user_id, "name": "quickstart", "digest": mark}
        times = {"created_at": int(time.time()), "expires_at": None}
        db.insert(_KEYS, {**row, **times, "last_used_at": None})


def revoke(db: Transaction, user_id: int, name: str | None) -> int:
    """Take a user's key of a name away, or all keys; returns how many.

    Raises: `InvalidInput` for what no name can be.
    """
    where: dict[str, Any] = {"user_id": user_id}
    if name is not None:
        where["name"] = _read(_TEXT, name)
    return db.delete(_KEYS, where)


def check_privileges(names: Collection[str], known: Collection[str]) -> None:
    """Refuse names that no entity asks for, and a list without a name.

    Raises: `InvalidInput` naming them.
    """
    if not names:
        raise InvalidInput("--privileges names none; without it the key has them all")
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise InvalidInput(f"no privilege is named {', '.join(unknown)}")
