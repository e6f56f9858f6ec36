"""Users: passwords, API keys, and where neither may show."""

from typing import Any

import pytest
from sqlalchemy import select

from storeapi.core.changes import Change
from storeapi.core.database import Connection
from storeapi.models import ApiKey
from storeapi.rules.passwords import verify_password
from tests.people import make, stored
from tests.shop import Caller, Shop

SECRETS = ("password", "hash", "salt", "scrypt", "digest", "api_key")


def test_password_is_stored_as_a_hash_that_fits(shop: Shop) -> None:
    """Protocol, section 16, row 20."""
    id = make(shop, password="harbour light")
    assert verify_password("harbour light", stored(shop, id).password_hash)
    shop.root.put(f"users/{id}", {"password": "another light"})
    assert verify_password("another light", stored(shop, id).password_hash)
    shop.root.put(f"users/{id}", {"firstname": "Ines"})
    assert verify_password("another light", stored(shop, id).password_hash)


@pytest.mark.parametrize("password", ["", None, "seven77", "x" * 256])
def test_unfit_password_is_refused(shop: Shop, password: str | None) -> None:
    id = make(shop)
    answer = shop.root.put(f"users/{id}", {"password": password})
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "password"
    assert stored(shop, id).password_hash == ""


def test_least_length_of_a_password_is_a_setting(make_app: Any) -> None:
    shop = Shop(make_app(password_min_length=12))
    body = {"email": "a@example.com", "user_type": "C", "password": "harbour lig"}
    answer = shop.root.post("users", body)
    assert answer.status_code == 400
    assert (
        answer.get_json()["errors"][0]["message"] == "must have at least 12 characters"
    )
    answer = shop.root.post("users", {**body, "password": "harbour ligh"})
    assert answer.status_code == 201


def test_without_a_password_nobody_can_sign_in(shop: Shop) -> None:
    assert not verify_password("", stored(shop, make(shop)).password_hash)


def test_access_shows_the_key_once_and_it_works(shop: Shop) -> None:
    """Protocol, section 9.4, and the end of section 15: shown once, when it is made."""
    id = make(shop, "new@example.com", user_type="A", is_root="Y")
    answer = shop.root.put(f"users/{id}", {"api_access": "Y"})
    key = answer.get_json()["api_key"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert (len(key), answer.get_json()["user_id"]) == (40, id)
    new = Caller(shop.client, id, "New@example.com", key)
    assert new.get(f"users/{id}").get_json()["api_access"] == "Y"
    again = shop.root.put(f"users/{id}", {"api_access": "Y"})
    assert again.get_json() == {"user_id": id, "profile_id": str(id)}


def test_access_on_post_shows_the_key(shop: Shop) -> None:
    body = {"email": "a@example.com", "user_type": "A", "api_access": "Y"}
    data = shop.root.post("users", body).get_json()
    assert sorted(data) == ["api_key", "profile_id", "user_id"]


def test_access_switched_off_deletes_the_keys(shop: Shop) -> None:
    """Protocol, the end of section 15: `api_access`."""
    other = shop.caller("view_users")
    assert other.get("users").status_code == 200
    shop.root.put(f"users/{other.user_id}", {"api_access": "N"})
    assert other.get("users").status_code == 401
    assert shop.root.get(f"users/{other.user_id}").get_json()["api_access"] == "N"


def test_key_is_not_kept_with_an_idempotency_key(shop: Shop) -> None:
    id = make(shop)
    headers = {"Idempotency-Key": "k1"}
    first = shop.root.put(f"users/{id}", {"api_access": "Y"}, headers=headers)
    again = shop.root.put(f"users/{id}", {"api_access": "Y"}, headers=headers)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.get_json() == {"user_id": id, "profile_id": str(id)}
    assert first.get_json()["api_key"] not in repr(shop.everything())


def test_no_answer_and_no_record_of_a_change_holds_secrets(shop: Shop) -> None:
    """Protocol, section 9.4: a key is never part of any other response."""
    changes: list[Change] = []

    def note(db: Connection, made: Any) -> None:
        changes.extend(made)

    shop.database.subscribers.append(note)
    try:
        id = make(shop, password="harbour light", api_access="N")
        answers = [
            shop.root.put(f"users/{id}", {"password": "other light"}),
            shop.root.get(f"users/{id}"),
            shop.root.get("users?detailed_params=Y"),
            shop.root.get(f"users/{id}?fields=password,password_hash,user_id"),
        ]
    finally:
        shop.database.subscribers.remove(note)
    texts = [a.get_data(as_text=True) for a in answers] + [repr(c) for c in changes]
    assert not [t for t in texts for secret in SECRETS if secret in t]
    assert [change.operation for change in changes] == ["create", "update", "update"]


def test_change_of_email_counts_on_the_next_request(shop: Shop) -> None:
    other = shop.caller("view_users")
    shop.root.put(f"users/{other.user_id}", {"email": "new@example.com"})
    assert other.get("users").status_code == 401
    moved = Caller(shop.client, other.user_id, "NEW@example.com", other.key)
    assert moved.get("users").status_code == 200


def test_delete_takes_links_and_keys_along(shop: Shop) -> None:
    other = shop.caller("view_users")
    assert shop.root.delete(f"users/{other.user_id}").status_code == 204
    assert shop.root.get(f"users/{other.user_id}").status_code == 404
    assert shop.everything()["usergroup_links"] == []
    keys = shop.database.write(lambda db: list(db.execute(select(ApiKey.user_id))))
    assert [row[0] for row in keys] == [shop.root.user_id]
    assert other.get("users").status_code == 401
