"""API keys: random, shown once, stored as a keyed digest."""

import hmac
import secrets
import string

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection, Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import ApiKey

LENGTH = 40
_ALPHABET = string.ascii_letters + string.digits
_KEYS = query(
    select(ApiKey.key_id).where(ApiKey.user_id == bindparam("id", required=True))
)


def generate_key() -> str:
    """Make an API key: 40 letters and digits, about 238 bits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(LENGTH))


def digest(secret_key: str, key: str) -> str:
    """Return the digest under which a key is stored and found (64 hex digits).

    Keys are random, so a fast keyed hash is enough; a copy of the database alone
    does not let anyone test guesses.
    """
    message = key.encode("utf-8", "replace")
    return hmac.digest(secret_key.encode(), message, "sha256").hex()


def matches(secret_key: str, key: str, stored: str) -> bool:
    """Compare a key with a stored digest in constant time."""
    return hmac.compare_digest(digest(secret_key, key), stored)


def has_key(db: Connection, user_id: int) -> bool:
    """Whether a user has API access: a key exists."""
    return db.row(_KEYS, id=user_id) is not None


def grant_key(db: Transaction, secret_key: str, user_id: int, now: int) -> str:
    """Make a key for a user and return it; it cannot be read again.

    Units: `now` in UNIX seconds.
    """
    key = generate_key()
    row = {"user_id": user_id, "digest": digest(secret_key, key), "created_at": now}
    db.insert(table_of(ApiKey), row)
    return key


def revoke_keys(db: Transaction, user_id: int) -> None:
    """Delete all keys of a user."""
    db.delete(table_of(ApiKey), {"user_id": user_id})
