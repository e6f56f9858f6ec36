"""Orders of many clients at once: nothing sold twice, lost or half-made."""

import random
from pathlib import Path

from tests.orders import Till, held_pieces
from tests.rush import Books, Plan, Rush
from tests.serving import Server, serving, together
from tests.shop import Shop


def test_exactly_the_stock_is_sold(shop: Shop, server: Server) -> None:
    rush = Rush(shop, server, Plan(orders=90, clients=10, pieces=20, products=4))
    outcome = rush.run()
    books = Books(rush)
    assert books.faults() == []
    assert books.sold_out
    assert outcome.statuses[201] == books.number


def test_repeated_orders_are_one(shop: Shop, server: Server) -> None:
    """Answers are dropped at random; the same key tells that it is the same order."""
    plan = Plan(orders=40, clients=10, pieces=100, products=4, dropped=0.7)
    rush = Rush(shop, server, plan)
    outcome = rush.run()
    assert outcome.lost
    assert Books(rush).faults() == []


def test_killed_workers_leave_whole_orders(
    shop: Shop, schema_url: str, tmp_path: Path
) -> None:
    """Every acknowledged order is there, and none without lines or taxes."""
    with serving(schema_url, tmp_path, idempotency_lease=2) as server:
        plan = Plan(orders=60, clients=8, pieces=200, products=4, kills=2)
        rush = Rush(shop, server, plan)
        outcome = rush.run()
        books = Books(rush)
    assert outcome.kills
    assert books.faults() == []


def test_one_order_moves_its_stock_once(shop: Shop, server: Server) -> None:
    """Parallel changes of one order's status."""
    till = Till(shop)
    id = till.order()
    for letter, left in (("I", 10), ("P", 8), ("D", 10)):
        body = {"status": letter}
        replies = together(
            [lambda body=body: server.send(shop.root, "PUT", f"orders/{id}", body)] * 8
        )
        assert {reply.status for reply in replies} == {200}
        assert till.stock() == left
    mixed = [{"status": letter} for letter in "PICFOD"]
    replies = together(
        [lambda b=b: server.send(shop.root, "PUT", f"orders/{id}", b) for b in mixed]
    )
    assert {reply.status for reply in replies} == {200}
    taken = till.record(id)["status"] in "PCO"
    assert till.stock() == (8 if taken else 10)


def test_the_books_follow_how_a_product_counts(shop: Shop, server: Server) -> None:
    """Orders come and go while the product's tracking changes."""
    till = Till(shop)
    lamp = till.product("Lamp", "5", amount=60)  # more than are ever asked for
    body = till.body(products={str(lamp): {"amount": 1}})

    def client(number: int) -> set[int]:
        chance, statuses = random.Random(number), set()
        for _ in range(4):
            letter = chance.choice("BD")
            path = f"products/{lamp}"
            reply = server.send(shop.root, "PUT", path, {"tracking": letter})
            statuses.add(reply.status)
            made = server.send(shop.root, "POST", "orders", body)
            path = f"orders/{made.json()['order_id']}"
            change = chance.choice(
                [
                    {"status": "I"},
                    {"products": {str(lamp): {"amount": 2}}},
                    {"notes": "waits"},
                ]
            )
            reply = server.send(shop.root, "PUT", path, change)
            statuses |= {made.status, reply.status}
        return statuses

    replies = together([lambda n=n: client(n) for n in range(6)])
    assert set.union(*replies) == {200, 201}
    held = shop.database.write(held_pieces)
    record = shop.root.get(f"products/{lamp}").get_json()
    assert int(record["amount"]) + held[lamp, "B"] == 60
    assert int(record["sales_amount"]) == held.total()


def test_numbers_of_documents_differ(shop: Shop, server: Server) -> None:
    till = Till(shop)
    ids = [till.order(products={str(till.lantern): {"amount": 1}}) for _ in range(8)]
    body = {"status": "P"}
    replies = together(
        [lambda id=id: server.send(shop.root, "PUT", f"orders/{id}", body)
         for id in [*ids, *ids]]
    )  # fmt: skip
    assert {reply.status for reply in replies} == {200}
    numbers = {till.record(id)["invoice_id"] for id in ids}
    assert len(numbers) == 8
    assert None not in numbers


def test_the_last_piece_goes_to_one(shop: Shop, server: Server) -> None:
    till = Till(shop)
    rare = till.product("Rare", "5", amount=1)
    body = till.body(products={str(rare): {"amount": 1}})
    replies = together([lambda: server.send(shop.root, "POST", "orders", body)] * 12)
    statuses = sorted(reply.status for reply in replies)
    assert statuses == [201] + [400] * 11
    assert till.stock(rare) == 0
