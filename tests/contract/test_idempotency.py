"""Writes that are safe to repeat (one mechanism for every entity)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select

from storeapi.core import idempotency
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import ApiKey, IdempotencyKey
from tests.shop import Shop

HEADER = "Idempotency-Key"
KEYS = query(select(func.count()).select_from(IdempotencyKey))


def body(shop: Shop, name: str = "Mug") -> dict[str, object]:
    return {"product": name, "category_ids": [shop.category]}


def count(shop: Shop) -> str:
    answer = shop.root.get("products").get_json()
    return str(answer["params"]["total_items"])


def test_the_same_post_brings_the_first_answer_again(shop: Shop) -> None:
    first, second = (
        shop.root.post("products", body(shop), headers={HEADER: "k1"}) for _ in range(2)
    )
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.data == second.data
    assert first.headers["Location"] == second.headers["Location"]
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert count(shop) == "1"


def test_another_request_under_the_same_key_is_422(shop: Shop) -> None:
    shop.root.post("products", body(shop), headers={HEADER: "k1"})
    answer = shop.root.post("products", body(shop, "Cup"), headers={HEADER: "k1"})
    assert answer.status_code == 422
    assert count(shop) == "1"


def test_callers_do_not_share_keys(shop: Shop) -> None:
    other = shop.caller("view_catalog", "manage_catalog")
    ids = {
        caller.post("products", body(shop), headers={HEADER: "k1"}).data
        for caller in (shop.root, other)
    }
    assert len(ids) == 2


def test_a_failed_attempt_frees_its_key(shop: Shop) -> None:
    wrong = {"product": "Mug", "category_ids": [99999]}
    answer = shop.root.post("products", wrong, headers={HEADER: "k2"})
    assert answer.status_code == 400
    answer = shop.root.post("products", body(shop), headers={HEADER: "k2"})
    assert answer.status_code == 201


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_put_and_delete_are_repeated_too(shop: Shop, method: str) -> None:
    id = shop.make_product()
    answers = [
        shop.root.request(
            method, f"products/{id}", json={"price": "5"}, headers={HEADER: "k3"}
        )
        for _ in range(2)
    ]
    assert answers[0].status_code == answers[1].status_code < 300
    assert answers[1].headers["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb", "a\xa0b", "\xe9"])
def test_an_unusable_key_is_400(shop: Shop, key: str) -> None:
    answer = shop.root.post("products", body(shop), headers={HEADER: key})
    assert answer.status_code == 400
    told = answer.get_json()["detail"]
    assert told == "Idempotency-Key must hold 1 to 255 printable ASCII characters"
    assert count(shop) == "0"


@pytest.mark.parametrize("key", ["!", "~" * 255, '"a/b;c=1"', "order 7 of 9"])
def test_all_printable_characters_make_keys(shop: Shop, key: str) -> None:
    for _ in range(2):
        answer = shop.root.post("products", body(shop), headers={HEADER: key})
        assert answer.status_code == 201
    assert count(shop) == "1"


def test_a_running_request_answers_409_until_its_lease_ends(shop: Shop) -> None:
    shop.root.post("products", body(shop), headers={HEADER: "k4"})
    running = {"state": "running", "lease_until": 2**33}
    table = table_of(IdempotencyKey)
    shop.database.write(lambda db: db.update(table, {"key": "k4"}, running))
    answer = shop.root.post("products", body(shop), headers={HEADER: "k4"})
    assert answer.status_code == 409
    assert int(answer.headers["Retry-After"]) > 0
    shop.database.write(lambda db: db.update(table, {"key": "k4"}, {"lease_until": 1}))
    answer = shop.root.post("products", body(shop), headers={HEADER: "k4"})
    assert answer.status_code == 201
    assert count(shop) == "2"


def test_an_old_key_is_forgotten(
    shop: Shop, make_app: Callable[..., Flask], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.root.post("products", body(shop), headers={HEADER: "old"})
    shop.database.write(
        lambda db: db.update(table_of(IdempotencyKey), {}, {"created_at": 1})
    )
    monkeypatch.setattr(idempotency, "_SWEEP_EVERY", 1)
    shop.root.post("products", body(shop), headers={HEADER: "new"})
    assert shop.database.read(lambda db: db.value(KEYS)) == 1
    answer = shop.root.post("products", body(shop), headers={HEADER: "old"})
    assert "Idempotency-Replayed" not in answer.headers


def test_visitors_share_no_keys(make_app: Any) -> None:
    """Whoever guesses a key of another visitor does not learn what that one did."""
    shop = Shop(make_app(api_allow_customer=True))
    id = shop.make_product()
    post = {"object_type": "P", "object_id": str(id), "message": "Good."}

    def sent(address: str) -> Any:
        from_there = {"REMOTE_ADDR": address}
        return shop.anonymous.post(
            "discussions", post, headers={HEADER: "k1"}, environ_base=from_there
        )

    first, other = sent("192.0.2.1"), sent("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff")
    assert (first.status_code, other.status_code) == (201, 201)
    assert first.get_json() != other.get_json()
    again = sent("192.0.2.1")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.data == first.data


def test_kept_answer_is_for_those_who_may_still_ask(shop: Shop) -> None:
    caller = shop.caller("manage_users")
    user = {"email": "ines@example.com", "user_type": "C"}
    first = caller.post("users", user, headers={HEADER: "k1"})
    assert first.status_code == 201
    shop.change(ApiKey, {"user_id": caller.user_id}, {"privileges": "view_catalog"})
    again = caller.post("users", user, headers={HEADER: "k1"})
    assert again.status_code == 403
    assert "Idempotency-Replayed" not in again.headers
    shop.change(ApiKey, {"user_id": caller.user_id}, {"privileges": None})
    again = caller.post("users", user, headers={HEADER: "k1"})
    assert again.data == first.data
