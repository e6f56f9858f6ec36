"""API keys: random, shown once, stored as a keyed digest."""

import hashlib
import hmac
import secrets
import string

LENGTH = 40
_ALPHABET = string.ascii_letters + string.digits


def generate_key() -> str:
    """Make an API key: 40 letters and digits, about 238 bits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(LENGTH))


def digest(secret_key: str, key: str) -> str:
    """Return the digest under which a key is stored and found (64 hex digits).

    Keys are random, so a fast keyed hash is enough; a copy of the database alone
    does not let anyone test guesses.
    """
    message = key.encode("utf-8", "replace")
    return hmac.new(secret_key.encode(), message, hashlib.sha256).hexdigest()


def matches(secret_key: str, key: str, stored: str) -> bool:
    """Compare a key with a stored digest in constant time."""
    return hmac.compare_digest(digest(secret_key, key), stored)
