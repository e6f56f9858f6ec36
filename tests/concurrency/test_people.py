"""Users and groups under requests that arrive together."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from sqlalchemy import select

from storeapi.core.database import Transaction
from storeapi.models import ApiKey
from tests.people import found, make, manager
from tests.shop import Caller, Shop

TIMEOUT_S = 60


def together(*calls: Callable[[], Any]) -> list[int]:
    """Statuses of requests that start at the same time."""
    barrier = Barrier(len(calls))

    def start(call: Callable[[], Any]) -> int:
        barrier.wait(TIMEOUT_S)
        return int(call().status_code)

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(start, calls, timeout=TIMEOUT_S))


def client(shop: Shop, caller: Caller) -> Caller:
    """The same caller with a client of its own."""
    return Caller(shop.app.test_client(), caller.user_id, caller.login, caller.key)


def test_two_last_roots_do_not_unseat_each_other(shop: Shop) -> None:
    for change in ({"is_root": "N"}, {"status": "D"}, None):
        other = shop.caller(is_root="Y")
        pairs = [(client(shop, shop.root), other), (client(shop, other), shop.root)]

        def unseat(who: Caller, whom: Caller, change: Any = change) -> Any:
            path = f"users/{whom.user_id}"
            return who.delete(path) if change is None else who.put(path, change)

        statuses = together(*[lambda p=pair: unseat(*p) for pair in pairs])
        assert statuses.count(200) + statuses.count(204) == 1
        left = shop.root if statuses[0] in (200, 204) else other
        assert found(left, "is_root=Y&status=A") == [left.login]
        shop.root = left


def test_one_of_many_gets_an_address(shop: Shop) -> None:
    spellings = ["Ann@example.com", "ann@example.com", "ANN@EXAMPLE.COM"] * 2
    calls = [
        lambda email=email: client(shop, shop.root).post(
            "users", {"email": email, "user_type": "C"}
        )
        for email in spellings
    ]
    assert sorted(together(*calls)) == [201, 400, 400, 400, 400, 400]
    assert len(found(shop.root, "email=ann@example.com")) == 1


def test_one_key_is_made_by_many_switches(shop: Shop) -> None:
    path = f"users/{make(shop)}"
    calls = [lambda: client(shop, shop.root).put(path, {"api_access": "Y"})] * 4
    assert together(*calls) == [200] * 4
    keys = shop.database.write(_key_owners)
    assert keys.count(int(path.removeprefix("users/"))) == 1


def _key_owners(db: Transaction) -> list[int]:
    return [row[0] for row in db.execute(select(ApiKey.user_id))]


def test_group_with_a_new_member_keeps_its_type(shop: Shop) -> None:
    for number in range(5):
        user, group = make(shop, f"u{number}@example.com"), shop.group(type="C")
        statuses = together(
            lambda g=group, u=user: client(shop, shop.root).put(
                f"users/{u}/usergroups/{g}", {"status": "A"}
            ),
            lambda g=group: client(shop, shop.root).put(
                f"usergroups/{g}", {"type": "A"}
            ),
        )
        assert sorted(statuses) == [200, 400]


def test_nobody_waits_for_a_hash(shop: Shop, monkeypatch: Any) -> None:
    caller = manager(shop)
    writes: list[int] = []

    def slow(password: str) -> str:
        body = {"email": "fast@example.com", "user_type": "C"}
        writes.append(client(shop, caller).post("users", body).status_code)
        return "hash"

    monkeypatch.setattr("storeapi.entities.users.hash_password", slow)
    make(shop, password="harbour light")
    assert writes == [201]


def test_login_link_lets_one_in(shop: Shop) -> None:
    body = {"email": shop.caller(user_type="C", company_id=shop.store).login}
    for _ in range(5):
        key = shop.root.post("auth", body).get_json()["key"]
        calls = [lambda key=key: shop.app.test_client().get(f"/auth?ekey={key}")] * 4
        assert sorted(together(*calls)) == [302, 403, 403, 403]


def test_one_of_many_links_for_a_user_works(shop: Shop) -> None:
    body = {"email": shop.caller(user_type="C", company_id=shop.store).login}
    keys: list[str] = []

    def ask() -> Any:
        answer = client(shop, shop.root).post("auth", body)
        keys.append(answer.get_json()["key"])
        return answer

    assert together(*[ask] * 4) == [201] * 4
    statuses = [shop.client.get(f"/auth?ekey={key}").status_code for key in keys]
    assert sorted(statuses) == [302, 403, 403, 403]
