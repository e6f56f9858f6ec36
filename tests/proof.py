"""`make proof`: orders of many clients, with faults, in long form on every database.

Prints what the clients were told and what the books hold; ends with 1 if anything
does not fit. The short form of the same is tests/concurrency/test_orders.py.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from config.settings import Settings
from storeapi.app import create_app, front_of
from storeapi.operation import branches_of
from storeapi.schema import upgrade
from tests import databases
from tests.orders import Till
from tests.rush import Books, Plan, Rush
from tests.serving import Reply, Server, serving, together
from tests.shop import SECRET, Shop

WORKERS = 4
LEASE_S = 2


class Case(NamedTuple):
    """One thing to be proved."""

    name: str
    plan: Plan


def cases(seed: int) -> list[Case]:
    """What is proved by ordering."""
    return [
        Case("all at once", Plan(1000, 20, 500, seed=seed)),
        Case("answers dropped", Plan(1000, 20, 500, dropped=0.5, seed=seed)),
        Case("workers killed", Plan(1000, 20, 100_000, kills=20, seed=seed)),
    ]


@contextmanager
def shops(kind: str) -> Iterator[tuple[Shop, Server]]:
    """A shop on a scratch database, and a server of it."""
    with (
        databases.scratch_database(kind) as url,
        TemporaryDirectory(prefix="storeapi_proof_") as folder,
    ):
        app = create_app(
            Settings(
                environment="test",
                database_url=url,
                secret_key=SECRET,
                media_folder=Path(folder) / "media",
            )
        )
        front = front_of(app)
        upgrade(front.database.writer, branches_of(front.registry))
        settings = {"workers": WORKERS, "idempotency_lease": LEASE_S}
        with serving(url, Path(folder), **settings) as server:
            yield Shop(app), server
        front.database.close()


def proved(kind: str, case: Case) -> bool:
    """Run a case on one database, and print its figures."""
    with shops(kind) as (shop, server):
        rush = Rush(shop, server, case.plan)
        outcome = rush.run()
        books = Books(rush)
        faults = books.faults()
        left = sum(books.left.values())
        if case.plan.pieces <= case.plan.orders and left:
            faults = [*faults, f"{left} pieces were not sold"]
        print(f"{kind:11}{case.name:17}{outcome}")
        print(
            f"{'':28}{books.number} orders, {sum(books.sold.values())} pieces sold,"
            f" {left} left; {'; '.join(faults[:5]) or 'the books are right'}"
        )
    return not faults


def statuses_proved(kind: str, rounds: int = 50) -> bool:
    """Change the status of one order in parallel, many times."""
    with shops(kind) as (shop, server):
        till, begun, wrong = Till(shop), time.monotonic(), 0
        id = till.order()
        for number in range(rounds):
            letters = "PICFOD"[number % 6 :] + "PICFOD"[: number % 6]
            put = partial(server.send, shop.root, "PUT", f"orders/{id}")
            replies = together([partial(put, {"status": letter}) for letter in letters])
            taken = till.record(id)["status"] in "PCO"
            wrong += {reply.status for reply in replies} != {200}
            wrong += till.stock() != (8 if taken else 10)
        spent = time.monotonic() - begun
        text = "wrong" if wrong else "the stock moved once each time"
        print(f"{kind:11}{'one order':17}{6 * rounds} changes, {spent:.1f} s; {text}")
    return not wrong


def carts_proved(kind: str, rounds: int = 25) -> bool:
    """Put pieces into a few carts, from twenty clients in each round."""
    with shops(kind) as (shop, server):
        product = shop.make_product(price="2", amount=100_000)
        users = [shop.caller(user_type="C").user_id for _ in range(5)]
        begun, strange, wanted = time.monotonic(), 0, Counter[int]()
        for number in range(rounds):
            puts = [(users[n % 5], 1 + (n + number) % 3) for n in range(20)]
            replies = together([partial(_put, shop, server, product, p) for p in puts])
            strange += {reply.status for reply in replies} != {200}
            for user, pieces in puts:
                wanted[user] += pieces
        spent = time.monotonic() - begun
        carts = {user: shop.root.get(f"carts/{user}").get_json() for user in users}
    held = Counter({user: int(cart["cart_products"]) for user, cart in carts.items()})
    lines = sum(len(cart["products"]) for cart in carts.values())
    right = held == wanted and lines == len(users) and not strange
    text = "all are in the carts" if right else f"wrong: {held}, not {wanted}"
    number = 20 * rounds
    print(f"{kind:11}{'carts':17}{number} additions, {spent:.1f} s; {text}")
    return right


def _put(shop: Shop, server: Server, product: int, put: tuple[int, int]) -> Reply:
    body = {"product_id": product, "amount": put[1]}
    return server.send(shop.root, "PUT", f"carts/{put[0]}", body)


def main() -> None:
    """Run everything on the databases that are asked for."""
    parser = argparse.ArgumentParser(prog="proof", description=__doc__)
    parser.add_argument("--databases", default=",".join(databases.kinds()))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    right = True
    for kind in options.databases.split(","):
        for case in cases(options.seed):
            right = proved(kind, case) and right
        right = statuses_proved(kind) and right
        right = carts_proved(kind) and right
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
