"""Taking from the stock and giving back (rules.stock; orders.md 5.3.4)."""

from collections.abc import Sequence
from typing import Any

import pytest

from storeapi.core.access import Caller, Installation
from storeapi.core.changes import Change
from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import InvalidInput, Refused
from storeapi.rules.order_items import movements, sold
from storeapi.rules.stock import Movement, difference, move_stock
from tests.products import age
from tests.sending_back import check_sent_back
from tests.shop import NOW, Shop
from tests.wares import make_combination, make_option, priced, stock


def move(shop: Shop, *movements: Movement) -> None:
    context = Context(Caller(7), Installation(), shop.settings, now=NOW)
    shop.database.write(lambda db: move_stock(db, movements, context))


def refusal(shop: Shop, *movements: Movement) -> str:
    before = shop.everything()
    with pytest.raises(Refused) as caught:
        move(shop, *movements)
    assert shop.everything() == before
    return caught.value.detail


def test_taking_and_giving_back(shop: Shop) -> None:
    id = shop.make_product(amount=5)
    age(shop, id)
    move(shop, Movement(id, "", 3), Movement(id, "44_118", 1))
    assert stock(shop, id) == 1
    record = shop.root.get(f"products/{id}").get_json()
    assert record["updated_timestamp"] == str(NOW)
    move(shop, Movement(id, "", -4))
    assert stock(shop, id) == 5


def test_nothing_is_taken_that_is_not_there(shop: Shop) -> None:
    mug, pot = shop.make_product("Mug", amount=3), shop.make_product("Pot", amount=9)
    text = refusal(shop, Movement(pot, "", 9, "Pot"), Movement(mug, "", 4, "Mug"))
    assert text == f"product {mug} 'Mug': 4 wanted, 3 in stock"
    assert refusal(shop, Movement(99999, "", 1, "Gone")) == (
        "product 99999 'Gone' does not exist"
    )
    assert (stock(shop, mug), stock(shop, pot)) == (3, 9)


def test_back_orders_go_below_zero_and_come_back(shop: Shop) -> None:
    id = shop.make_product(amount=1, out_of_stock_actions="B")
    move(shop, Movement(id, "", 3))
    assert stock(shop, id) == -2
    move(shop, Movement(id, "", -1))
    assert stock(shop, id) == -1
    answer = shop.root.put(f"products/{id}", {"out_of_stock_actions": "N"})
    assert answer.status_code == 200
    assert refusal(shop, Movement(id, "", 1, "Mug")) == (
        f"product {id} 'Mug': 1 wanted, 0 in stock"
    )


def test_what_is_sold_is_counted_whatever_the_stock(shop: Shop) -> None:
    id = shop.make_product(amount=1, tracking="D")
    age(shop, id)
    for by, number in ((3, "3"), (-1, "2")):
        move(shop, Movement(id, "", by))
        record = shop.root.get(f"products/{id}").get_json()
        assert (record["amount"], record["sales_amount"]) == ("1", number)
        assert record["updated_timestamp"] == str(NOW)


def test_combinations_have_a_stock_of_their_own(shop: Shop) -> None:
    id = shop.make_product("Mug", amount=7, tracking="O")
    size, (small, medium) = make_option(shop, id)
    number = make_combination(shop, id, {size: small}, amount=2)
    lines = priced(shop, {id: {"amount": 2, "product_options": {size: small}}})
    age(shop, id)
    taken = movements(map(sold, lines))
    move(shop, *taken)
    assert (stock(shop, id), stock(shop, id, number)) == (7, 0)
    record = shop.root.get(f"products/{id}").get_json()
    assert record["updated_timestamp"] == str(NOW)
    assert refusal(shop, *taken) == (f"product {id} 'Mug': 2 wanted, 0 in stock")
    none = Movement(id, f"{size}_{medium}", 1, "Mug")
    assert refusal(shop, none) == f"product {id} 'Mug': 1 wanted, 0 in stock"
    move(shop, Movement(id, none.stocked, -1), Movement(id, lines[0].stocked, -2))
    assert (stock(shop, id), stock(shop, id, number)) == (7, 2)
    assert shop.root.put(f"products/{id}", {"out_of_stock_actions": "B"}).status_code
    move(shop, none, Movement(id, lines[0].stocked, 5))
    assert (stock(shop, id), stock(shop, id, number)) == (7, -3)


def test_combination_below_zero_is_sent_back_but_not_written(shop: Shop) -> None:
    id = shop.make_product(tracking="O", out_of_stock_actions="B")
    size, (small, _) = make_option(shop, id)
    number = make_combination(shop, id, {size: small}, amount=1)
    move(shop, Movement(id, f"{size}_{small}", 3))
    for path in (f"combinations/{number}", f"products/{id}/combinations/{number}"):
        check_sent_back(shop, path)
        record = shop.root.get(path).get_json()
        for position in ("7", "0"):
            body = record | {"position": position}
            assert shop.root.put(path, body).status_code == 200
        for amount in (-1, -3, "-2147483649"):
            answer = shop.root.put(path, {"amount": amount})
            assert answer.status_code == 400
            assert answer.get_json()["errors"][0]["field"] == "amount"
    assert stock(shop, id, number) == -2
    (found,) = shop.root.get(f"combinations?product_id={id}&amount=-2").get_json()
    assert found["combination_hash"] == str(number)


def test_without_combinations_the_product_counts(shop: Shop) -> None:
    id = shop.make_product(amount=7, tracking="O")
    move(shop, Movement(id, "44_118", 2), Movement(id, "", 1))
    assert stock(shop, id) == 4


def test_what_comes_back_for_a_product_that_is_gone_is_passed_over(shop: Shop) -> None:
    before = shop.everything()
    move(shop, Movement(99999, "", -3))
    move(shop)
    assert shop.everything() == before


def test_only_the_difference_moves() -> None:
    before = [Movement(1, "", 2), Movement(2, "a", 3), Movement(3, "", 1)]
    after = [Movement(1, "", 5), Movement(2, "a", 3), Movement(4, "", 1)]
    assert difference(before, after) == [
        Movement(1, "", 3),
        Movement(3, "", -1),
        Movement(4, "", 1),
    ]


def test_every_change_is_told(shop: Shop) -> None:
    plain = shop.make_product(amount=5)
    chosen = shop.make_product(tracking="O")
    size, (small, _) = make_option(shop, chosen)
    number = make_combination(shop, chosen, {size: small}, amount=4)
    told: list[Change] = []

    def subscriber(db: Any, changes: Sequence[Change]) -> None:
        told.extend(changes)

    shop.database.subscribers.append(subscriber)
    try:
        move(shop, Movement(plain, "", 2), Movement(chosen, f"{size}_{small}", 1))
    finally:
        shop.database.subscribers.remove(subscriber)
    assert [(c.entity, c.id, c.company_id, c.caller_id) for c in told] == [
        ("products", plain, shop.store, 7),
        ("products", chosen, shop.store, 7),
        ("combinations", number, None, 7),
    ]
    assert [(c.before.get("amount"), c.after.get("amount")) for c in told] == [
        (5, 3),
        (None, None),
        (4, 3),
    ]


@pytest.mark.parametrize("products", [1, 40])
def test_statements_do_not_grow_with_the_products(shop: Shop, products: int) -> None:
    moves = [Movement(shop.make_product(amount=9), "", 1) for _ in range(products)]
    seen: list[str] = []
    shop.database.observer = seen.append
    move(shop, *moves)
    shop.database.observer = None
    assert len(seen) == 2


def test_a_stock_ends_with_its_column(shop: Shop) -> None:
    id = shop.make_product(out_of_stock_actions="B", amount=0)
    if shop.database.dialect.name == "sqlite":
        return

    def action(db: Transaction) -> None:
        for _ in range(3):
            move_stock(db, [Movement(id, "", 10**9)], context)

    context = Context(Caller(7), Installation(), shop.settings, now=NOW)
    with pytest.raises(InvalidInput):
        shop.database.write(action)
