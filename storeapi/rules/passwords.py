"""Passwords: kept only as slow, salted hashes."""

import secrets
import string
import unicodedata
from functools import cache

from werkzeug.security import check_password_hash, generate_password_hash

from storeapi.core.errors import InvalidInput

MAXIMUM = 255
METHOD = "scrypt"


def check_password(password: str, minimum: int, field: str = "password") -> None:
    """Raise unless the password is long enough to be stored.

    Units: `minimum` in characters.
    Raises: `InvalidInput` naming `field`.
    """
    if len(password) < minimum:
        message = f"must have at least {minimum} characters"
        raise InvalidInput.of(field, message, "too_short")
    if len(password) > MAXIMUM:
        message = f"must have at most {MAXIMUM} characters"
        raise InvalidInput.of(field, message, "too_long")


def hash_password(password: str) -> str:
    """Return the salted hash that is stored (about 50 ms and 32 MB, on purpose)."""
    return generate_password_hash(_composed(password), method=METHOD)


def verify_password(password: str, stored: str | None) -> bool:
    """Tell whether a password fits a stored hash.

    Without a hash (an unknown user) it takes as long, so that the time of the
    answer does not tell who exists.
    """
    known = bool(stored) and len(password) <= MAXIMUM
    fits = check_password_hash(stored or _hash_of_nobody(), _composed(password))
    return known and fits


def random_password(length: int = 16) -> str:
    """Make a password of letters and digits that nobody can guess."""
    return "".join(
        secrets.choice(string.ascii_letters + string.digits) for _ in range(length)
    )


def _composed(password: str) -> str:
    """Return one spelling of letters that keyboards compose differently."""
    text = unicodedata.normalize("NFC", password[:MAXIMUM])
    return text.encode("utf-8", "replace").decode()


@cache
def _hash_of_nobody() -> str:
    return generate_password_hash(secrets.token_hex(), method=METHOD)
