"""Passwords, API keys and folded text."""

import pytest

from storeapi.core.errors import InvalidInput
from storeapi.core.folding import folded
from storeapi.rules import api_keys
from storeapi.rules.passwords import (
    check_password,
    hash_password,
    random_password,
    verify_password,
)


def test_password_is_kept_as_a_salted_hash() -> None:
    first, second = hash_password("sésame"), hash_password("sésame")
    assert first.startswith("scrypt:")
    assert first != second
    assert verify_password("sésame", first)
    assert verify_password("se\u0301same", second)
    assert not verify_password("sesame", first)


@pytest.mark.parametrize("stored", [None, "", "no hash"])
def test_no_password_fits_where_there_is_no_hash(stored: str | None) -> None:
    assert not verify_password("", stored)


def test_longest_password_is_compared_whole() -> None:
    stored = hash_password("x" * 255)
    assert verify_password("x" * 255, stored)
    assert not verify_password("x" * 256, stored)


@pytest.mark.parametrize("password", ["", "1234567", "x" * 256])
def test_password_of_wrong_length_is_refused(password: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_password(password, 8)
    assert [error.field for error in caught.value.errors] == ["password"]


def test_random_password_passes_the_check() -> None:
    password = random_password()
    check_password(password, 16)
    assert password.isalnum()
    assert password != random_password()


def test_surrogates_do_not_break_a_login() -> None:
    assert not verify_password("\ud800", hash_password("x"))
    assert len(api_keys.digest("secret", "\ud800")) == 64


def test_api_key_is_found_by_its_digest_only() -> None:
    key = api_keys.generate_key()
    stored = api_keys.digest("secret", key)
    assert len(key) == 40
    assert key.isalnum()
    assert key.isascii()
    assert stored != api_keys.digest("other", key)
    assert api_keys.matches("secret", key, stored)
    assert not api_keys.matches("secret", key + "x", stored)


def test_digest_is_hmac_sha_256() -> None:
    expected = "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"
    text = "The quick brown fox jumps over the lazy dog"
    assert api_keys.digest("key", text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ann@Example.COM", "ann@example.com"), ("STRASSE", "straße"), ("É", "e\u0301")],
)
def test_spellings_of_one_text_fold_alike(one: str, other: str) -> None:
    assert folded(one) == folded(other)
