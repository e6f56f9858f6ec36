"""Failures of the database that pass: retried, and never seen by a client."""

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import TimeoutError as PoolTimeout

from storeapi.core import engines
from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.models import Product
from tests import databases
from tests.serving import Server, together
from tests.shop import Caller, Shop


def test_deadlocks_are_retried(shop: Shop) -> None:
    """Two writers in opposite order: one is the victim, and both succeed."""
    first, second = [shop.make_product(name, amount=0) for name in "AB"]
    barrier = Barrier(2)
    attempts: list[int] = []

    def write(order: tuple[int, int], by: int) -> None:
        def action(db: Transaction) -> None:
            attempts.append(by)
            _raise(db, order[0], by)
            with suppress(BrokenBarrierError):
                barrier.wait(1 if db.concurrent else 0.1)
            _raise(db, order[1], by)

        shop.database.write(action)

    threads = [
        threading.Thread(target=write, args=((first, second), 1)),
        threading.Thread(target=write, args=((second, first), 10)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    amounts = [
        shop.root.get(f"products/{id}").get_json()["amount"] for id in (first, second)
    ]
    assert amounts == ["11", "11"]
    assert len(attempts) == (3 if shop.database.dialect.name != "sqlite" else 2)


def test_a_server_without_free_connections_says_so(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All connections of the pool are in use for longer than a request waits."""

    def wait() -> None:
        raise PoolTimeout("QueuePool limit reached")

    monkeypatch.setattr(shop.database.reader, "raw_connection", wait)
    answer = shop.root.get("products")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    ready = shop.app.test_client().get("/readyz")
    assert ready.status_code == 503
    assert ready.get_json()["checks"] == {"database": "unreachable"}


def _raise(db: Transaction, id: int, by: int) -> None:
    table = table_of(Product)
    statement = table.update().where(table.c.product_id == id)
    db.execute(statement.values(amount=table.c.amount + by))


@pytest.mark.only_on("postgresql", "mariadb")
def test_closed_connections_are_replaced(shop: Shop, server: Server) -> None:
    """The server of the database restarts or hangs up: no request fails."""
    id = shop.make_product()
    for number in range(3):
        together([lambda: server.send(shop.root, "GET", "products")] * 6)
        _hang_up(shop)
        reads = together([lambda: server.send(shop.root, "GET", "products")] * 6)
        assert [reply.status for reply in reads] == [200] * 6
        _hang_up(shop)
        writes = together(
            [
                lambda n=n, number=number: server.send(
                    shop.root, "PUT", f"products/{id}", {"amount": 10 * number + n}
                )
                for n in range(4)
            ]
        )
        assert [reply.status for reply in writes] == [200] * 4


def _hang_up(shop: Shop) -> None:
    """Close every connection to the scratch database, from the outside."""
    url = shop.database.writer.url
    with databases.administration(url) as admin:
        if url.get_backend_name() == "postgresql":
            admin.execute(
                text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = :name AND pid <> pg_backend_pid()"
                ),
                {"name": url.database},
            )
            return
        found = text(
            "SELECT id FROM information_schema.processlist"
            " WHERE db = :name AND id <> connection_id()"
        )
        for id in admin.scalars(found, {"name": url.database}).all():
            with suppress(Exception):
                admin.execute(text(f"KILL {int(id)}"))


def _held(shop: Shop, seconds: float) -> threading.Thread:
    """Hold the write lock of SQLite for a while, as another process would."""
    path = str(shop.database.writer.url.database)
    ready = threading.Event()

    def hold() -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        ready.set()
        time.sleep(seconds)
        connection.execute("ROLLBACK")
        connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert ready.wait(10)
    return thread


@pytest.mark.only_on("sqlite")
def test_a_busy_file_is_waited_for(shop: Shop, server: Server) -> None:
    """SQLite: another writer delays a write, and no read."""
    id = shop.make_product()
    thread = _held(shop, 1.5)
    started = time.monotonic()
    assert server.send(shop.root, "GET", f"products/{id}").status == 200
    assert time.monotonic() - started < 1
    reply = server.send(shop.root, "PUT", f"products/{id}", {"amount": 5})
    thread.join()
    assert reply.status == 200


@pytest.mark.only_on("sqlite")
def test_a_file_that_stays_busy_is_503(
    shop: Shop, make_app: Callable[..., Flask], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite: with `Retry-After`, when the waiting has no end."""
    id = shop.make_product()
    monkeypatch.setattr(engines, "_SQLITE_BUSY_TIMEOUT_MS", 300)
    client = make_app(transaction_retries=0).test_client()
    root = Caller(client, 0, shop.root.login, shop.root.key)
    thread = _held(shop, 1.5)
    answer: Any = root.put(f"products/{id}", {"amount": 5})
    thread.join()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert answer.get_json()["status"] == 503
    assert root.put(f"products/{id}", {"amount": 5}).status_code == 200
