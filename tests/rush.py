"""Many clients that order from a running server at once, and the books afterwards.

The same code is a short test on every database (tests/concurrency/test_orders.py)
and a long proof that prints figures (`make proof`).
"""

import itertools
import json
import os
import random
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any

from sqlalchemy import func, select

from storeapi.core.database import Transaction
from storeapi.models import Order, OrderItem, OrderTax, Product
from tests.orders import Till, differences
from tests.serving import Server
from tests.shop import Shop

PATIENCE_S = 60
"""How long a client repeats a request that gets no answer."""

GROWN_S = 6
"""How long a worker lives at least before it is killed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is ordered.

    Shapes: `dropped` is the share of answers that clients do not wait for. While not
    all `kills` of workers have been made, orders go on beyond their number.
    """

    orders: int
    clients: int
    pieces: int
    products: int = 10
    dropped: float = 0.0
    kills: int = 0
    seed: int = 1


@dataclass(slots=True)
class Outcome:
    """What the clients were told."""

    statuses: Counter[int] = field(default_factory=Counter)
    orders: dict[str, str] = field(default_factory=dict)
    lost: int = 0
    kills: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        told = ", ".join(
            f"{n} x {status}" for status, n in sorted(self.statuses.items())
        )
        rate = sum(self.statuses.values()) / self.seconds
        return (
            f"{told}; {self.lost} answers lost, {self.kills} workers killed,"
            f" {self.seconds:.1f} s, {rate:.0f} answers/s"
        )


class Rush:
    """A shop with a few products, and the clients that want them."""

    def __init__(self, shop: Shop, server: Server, plan: Plan) -> None:
        self.shop = shop
        self.plan = plan
        self.till = Till(shop)
        self.products = [
            self.till.product(
                f"Thing {n}", "14.31", amount=plan.pieces // plan.products
            )
            for n in range(plan.products)
        ]
        self._server = server
        self._next = itertools.count()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self.outcome = Outcome()

    def run(self) -> Outcome:
        """Let all clients order until the number of orders is reached."""
        begun = time.monotonic()
        clients = [
            threading.Thread(target=self._client, args=(number,))
            for number in range(self.plan.clients)
        ]
        killer = threading.Thread(target=self._kill_workers)
        for thread in (*clients, killer):
            thread.start()
        for thread in clients:
            thread.join()
        self._over.set()
        killer.join()
        self.outcome.seconds = time.monotonic() - begun
        return self.outcome

    # One client

    def _client(self, number: int) -> None:
        chance = random.Random(f"{self.plan.seed} {number}")
        while True:
            with self._lock:
                order = next(self._next)
            if order >= self.plan.orders and self.outcome.kills >= self.plan.kills:
                return
            self._order(f"order {order}", chance)

    def _order(self, name: str, chance: random.Random) -> None:
        """Send an order until it is answered; the same key says it is the same."""
        wanted = chance.sample(self.products, chance.randint(1, 3))
        body = self.till.body(
            notes=name, products=[{"product_id": id, "amount": 1} for id in wanted]
        )
        careful = self.plan.dropped or self.plan.kills
        headers = {"Idempotency-Key": name} if careful else {}
        hasty = chance.choice((0, 1, 2)) if self.plan.dropped else 0
        for _ in range(hasty):
            if chance.random() < self.plan.dropped:
                self._drop(body, headers, chance)
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            reply = self._answer(body, headers)
            if reply is None or reply.status in (409, 503):
                time.sleep(0.05 + chance.random() / 10)
                continue
            with self._lock:
                self.outcome.statuses[reply.status] += 1
                if reply.status == 201:
                    self.outcome.orders[name] = str(reply.json()["order_id"])
            return
        with self._lock:
            self.outcome.statuses[0] += 1

    def _answer(self, body: Any, headers: Any) -> Any:
        try:
            return self._server.send(
                self.shop.root, "POST", "orders", body, headers=headers
            )
        except (OSError, HTTPException):
            with self._lock:
                self.outcome.lost += 1
            return None

    def _drop(self, body: Any, headers: Any, chance: random.Random) -> None:
        """Send the request, and hang up before or after it was answered."""
        text = json.dumps(body).encode()
        lines = {
            "Host": "localhost",
            "Authorization": self.shop.root.authorization,
            "Content-Type": "application/json",
            "Content-Length": str(len(text)),
            **headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        head = f"POST /api/2.0/orders HTTP/1.1\r\n{head}\r\n"
        try:
            with socket.create_connection(("127.0.0.1", self._server.port), 20) as wire:
                wire.sendall(head.encode() + text)
                time.sleep(chance.random() / 20)
        except OSError:
            pass
        with self._lock:
            self.outcome.lost += 1

    # Faults

    def _kill_workers(self) -> None:
        """Kill a worker at random moments; the server starts another one.

        One that has just begun is spared: a server whose workers end at once gives up.
        """
        chance = random.Random(self.plan.seed)
        born = dict.fromkeys(self._server.workers(), 0.0)
        while self.outcome.kills < self.plan.kills:
            if self._over.wait(0.2 + chance.random() / 2):
                return
            now = time.monotonic()
            alive = self._server.workers()
            grown = [pid for pid in alive if now - born.setdefault(pid, now) > GROWN_S]
            if grown:
                os.kill(chance.choice(grown), signal.SIGKILL)
                self.outcome.kills += 1


class Books:
    """What the database holds after a rush, and whether it fits together."""

    def __init__(self, rush: Rush) -> None:
        self._rush = rush
        rush.shop.database.write(self._read)

    def _read(self, db: Transaction) -> None:
        ids = self._rush.products
        rows = db.execute(select(Order.order_id, Order.notes)).all()
        self.orders = {row.notes: str(row.order_id) for row in rows}
        self.number = len(rows)
        sold = db.execute(
            select(OrderItem.product_id, func.sum(OrderItem.amount))
            .where(OrderItem.product_id.in_(ids))
            .group_by(OrderItem.product_id)
        )
        self.sold = {row[0]: int(row[1]) for row in sold}
        left = db.execute(
            select(Product.product_id, Product.amount).where(
                Product.product_id.in_(ids)
            )
        )
        self.left = {row[0]: int(row[1]) for row in left}
        self.whole = {
            part: db.execute(
                select(func.count(func.distinct(part.order_id)))
            ).scalar_one()
            for part in (OrderItem, OrderTax)
        }

    def faults(self) -> Sequence[str]:
        """All that is wrong; nothing if the books are right."""
        rush, found = self._rush, []
        each = rush.plan.pieces // rush.plan.products
        for id in rush.products:
            left, sold = self.left[id], self.sold.get(id, 0)
            if left < 0 or left + sold != each:
                found.append(f"product {id}: {sold} sold and {left} left of {each}")
        if not rush.outcome.statuses[201]:
            found.append("no order was made")
        if self.number != len(self.orders):
            found.append(f"{self.number} orders of {len(self.orders)} requests")
        for part, number in self.whole.items():
            if number != self.number:
                found.append(f"{number} of {self.number} orders have {part.__name__}")
        for name, id in rush.outcome.orders.items():
            if self.orders.get(name) != id:
                found.append(f"{name} was acknowledged as {id} and is not there")
        strange = set(rush.outcome.statuses) - {201, 400}
        if strange:
            found.append(f"answers {sorted(strange)}")
        return [*found, *map(str, differences(rush.shop))]

    @property
    def sold_out(self) -> bool:
        """Whether nothing is left."""
        return not any(self.left.values())


__all__ = ["Books", "Outcome", "Plan", "Rush"]
