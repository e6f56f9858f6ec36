"""Taking from the stock and giving back (rules.stock; orders.md 5.3.4)."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from storeapi.core.access import Caller, Installation
from storeapi.core.changes import Change
from storeapi.core.entity import Context
from storeapi.core.errors import Refused
from storeapi.core.kinds import LARGEST_ID as MOST
from storeapi.models import Combination, Product
from storeapi.rules.stock import move_stock
from storeapi.rules.stock_books import CHOSEN, OWN, Movement
from tests.products import age
from tests.sending_back import check_sent_back
from tests.shop import NOW, Shop
from tests.wares import make_combination, make_option, priced, stock


def take(id: int, amount: int, stocked: str = "", name: str = "") -> Movement:
    """A line that holds nothing yet."""
    return Movement(id, stocked, 0, amount, product=name)


def give(id: int, amount: int, source: str | None = OWN, stocked: str = "") -> Movement:
    """A line that is to hold nothing any more."""
    return Movement(id, stocked, amount, 0, source, "Mug")


def move(shop: Shop, *movements: Movement) -> list[str | None]:
    context = Context(Caller(7), Installation(), shop.settings, now=NOW)
    return shop.database.write(lambda db: move_stock(db, movements, context))


def refusal(shop: Shop, *movements: Movement) -> str:
    before = shop.everything()
    with pytest.raises(Refused) as caught:
        move(shop, *movements)
    assert shop.everything() == before
    return caught.value.detail


def test_taking_and_giving_back(shop: Shop) -> None:
    id = shop.make_product(amount=5)
    age(shop, id)
    assert move(shop, take(id, 3), take(id, 1, "44_118")) == [OWN, OWN]
    assert stock(shop, id) == 1
    record = shop.root.get(f"products/{id}").get_json()
    assert record["updated_timestamp"] == str(NOW)
    assert move(shop, give(id, 4)) == [None]
    assert stock(shop, id) == 5


def test_nothing_is_taken_that_is_not_there(shop: Shop) -> None:
    mug, pot = shop.make_product("Mug", amount=3), shop.make_product("Pot", amount=9)
    text = refusal(shop, take(pot, 9), take(mug, 4, name="Mug"))
    assert text == f"product {mug} 'Mug': 4 wanted, 3 in stock"
    assert refusal(shop, take(99999, 1, name="Gone")) == (
        "product 99999 'Gone' does not exist"
    )
    assert (stock(shop, mug), stock(shop, pot)) == (3, 9)


def test_back_orders_go_below_zero_and_come_back(shop: Shop) -> None:
    id = shop.make_product(amount=1, out_of_stock_actions="B")
    move(shop, take(id, 3))
    assert stock(shop, id) == -2
    move(shop, give(id, 1))
    assert stock(shop, id) == -1
    answer = shop.root.put(f"products/{id}", {"out_of_stock_actions": "N"})
    assert answer.status_code == 200
    text = f"product {id} 'Mug': 1 wanted, 0 in stock"
    assert refusal(shop, take(id, 1, name="Mug")) == text


def test_what_is_sold_is_counted_whatever_the_stock(shop: Shop) -> None:
    id = shop.make_product(amount=1, tracking="D")
    age(shop, id)
    for line, number in ((take(id, 3), "3"), (give(id, 1, None), "2")):
        assert move(shop, line) == [None]
        record = shop.root.get(f"products/{id}").get_json()
        assert (record["amount"], record["sales_amount"]) == ("1", number)
        assert record["updated_timestamp"] == str(NOW)


def test_combinations_have_a_stock_of_their_own(shop: Shop) -> None:
    id = shop.make_product("Mug", amount=7, tracking="O")
    size, (small, medium) = make_option(shop, id)
    number = make_combination(shop, id, {size: small}, amount=2)
    lines = priced(shop, {id: {"amount": 2, "product_options": {size: small}}})
    age(shop, id)
    choice = lines[0].stocked
    taken = take(id, 2, choice, "Mug")
    assert move(shop, taken) == [CHOSEN]
    assert (stock(shop, id), stock(shop, id, number)) == (7, 0)
    record = shop.root.get(f"products/{id}").get_json()
    assert record["updated_timestamp"] == str(NOW)
    assert refusal(shop, taken) == (f"product {id} 'Mug': 2 wanted, 0 in stock")
    none = take(id, 1, f"{size}_{medium}", "Mug")
    assert refusal(shop, none) == f"product {id} 'Mug': 1 wanted, 0 in stock"
    move(shop, give(id, 1, CHOSEN, none.stocked), give(id, 2, CHOSEN, choice))
    assert (stock(shop, id), stock(shop, id, number)) == (7, 2)
    assert shop.root.put(f"products/{id}", {"out_of_stock_actions": "B"}).status_code
    assert move(shop, none, take(id, 5, choice)) == [None, CHOSEN]
    assert (stock(shop, id), stock(shop, id, number)) == (7, -3)


def test_combination_below_zero_is_sent_back_but_not_written(shop: Shop) -> None:
    id = shop.make_product(tracking="O", out_of_stock_actions="B")
    size, (small, _) = make_option(shop, id)
    number = make_combination(shop, id, {size: small}, amount=1)
    move(shop, Movement(id, f"{size}_{small}", 0, 3))
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
    assert move(shop, take(id, 2, "44_118"), take(id, 1)) == [OWN, OWN]
    assert stock(shop, id) == 4


def test_what_comes_back_for_a_product_that_is_gone_is_passed_over(shop: Shop) -> None:
    before = shop.everything()
    assert move(shop, give(99999, 3), Movement(99999, "", 3, 2, OWN)) == [None, OWN]
    assert move(shop) == []
    assert shop.everything() == before


def test_only_the_difference_moves(shop: Shop) -> None:
    """It is added up over all lines: what one gives back, another may take."""
    id = shop.make_product(amount=1)
    assert move(shop, Movement(id, "", 2, 3, OWN), Movement(id, "", 4, 4, OWN)) == [
        OWN,
        OWN,
    ]
    assert stock(shop, id) == 0
    assert move(shop, give(id, 3), take(id, 3, "44_118")) == [None, OWN]
    assert stock(shop, id) == 0


# Where pieces came from


def test_what_is_taken_comes_back_however_the_product_counts(shop: Shop) -> None:
    id = shop.make_product("Mug", amount=10)
    size, (small, _) = make_option(shop, id)
    number = make_combination(shop, id, {size: small}, amount=4)
    choice = f"{size}_{small}"
    for before, after in itertools.product("BDO", repeat=2):
        shop.change(Product, {"product_id": id}, {"tracking": before})
        (source,) = move(shop, take(id, 3, choice))
        assert source == {"B": OWN, "D": None, "O": CHOSEN}[before]
        shop.change(Product, {"product_id": id}, {"tracking": after})
        assert move(shop, give(id, 3, source, choice)) == [None]
        assert (stock(shop, id), stock(shop, id, number)) == (10, 4)


def test_a_line_that_gets_more_has_all_its_pieces_from_one_stock(shop: Shop) -> None:
    id = shop.make_product("Mug", amount=10, tracking="O")
    size, (small, _) = make_option(shop, id)
    number = make_combination(shop, id, {size: small}, amount=4)
    choice = f"{size}_{small}"

    def stocks() -> tuple[int, int]:
        return stock(shop, id), stock(shop, id, number)

    move(shop, take(id, 3, choice))
    assert stocks() == (10, 1)
    shop.change(Product, {"product_id": id}, {"tracking": "B"})
    assert move(shop, Movement(id, choice, 3, 2, CHOSEN)) == [CHOSEN]
    assert stocks() == (10, 2)
    assert move(shop, Movement(id, choice, 2, 5, CHOSEN)) == [OWN]
    assert stocks() == (5, 4)
    # The pieces sold stay the same, and one line gives to a stock what another takes.
    assert move(shop, Movement(id, choice, 5, 4, OWN), Movement(id, choice, 0, 1)) == [
        OWN,
        OWN,
    ]
    assert stocks() == (5, 4)
    shop.change(Product, {"product_id": id}, {"tracking": "D"})
    assert move(shop, Movement(id, choice, 4, 6, OWN)) == [None]
    assert stocks() == (9, 4)
    shop.change(Product, {"product_id": id}, {"tracking": "B"})
    text = refusal(shop, Movement(id, choice, 6, 10, None, "Mug"))
    assert text == f"product {id} 'Mug': 10 wanted, 9 in stock"


def test_what_comes_back_for_a_combination_that_is_gone_is_passed_over(
    shop: Shop,
) -> None:
    id = shop.make_product("Mug", amount=10, tracking="O")
    size, (small, _) = make_option(shop, id)
    number = make_combination(shop, id, {size: small}, amount=4)
    assert move(shop, take(id, 3, f"{size}_{small}")) == [CHOSEN]
    assert shop.root.delete(f"combinations/{number}").status_code == 204
    assert move(shop, give(id, 3, CHOSEN, f"{size}_{small}")) == [None]
    record = shop.root.get(f"products/{id}").get_json()
    assert (record["amount"], record["sales_amount"]) == ("10", "0")


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
        move(shop, take(plain, 2), take(chosen, 1, f"{size}_{small}"))
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
    moves = [take(shop.make_product(amount=9), 1) for _ in range(products)]
    seen: list[str] = []
    shop.database.observer = seen.append
    move(shop, *moves)
    shop.database.observer = None
    assert len(seen) == 2


# The ends of the columns


def test_a_stock_does_not_grow_beyond_its_column(shop: Shop) -> None:
    id = shop.make_product("Mug", amount=MOST - 2)
    size, (small, _) = make_option(shop, id)
    choice = f"{size}_{small}"
    number = make_combination(shop, id, {size: small}, amount=MOST - 2)
    for line in (give(id, 3), give(id, 3, CHOSEN, choice)):
        assert refusal(shop, line) == (
            f"product {id} 'Mug': 3 come back, {MOST - 2} in stock, {MOST} at most"
        )
    move(shop, give(id, 2), give(id, 2, CHOSEN, choice))
    assert (stock(shop, id), stock(shop, id, number)) == (MOST, MOST)


def test_no_more_is_owed_than_a_column_holds(shop: Shop) -> None:
    id = shop.make_product("Mug", out_of_stock_actions="B")
    size, (small, _) = make_option(shop, id)
    number = make_combination(shop, id, {size: small})
    choice = f"{size}_{small}"
    amount = {"amount": 2 - MOST}
    shop.change(Combination, {"combination_hash": number}, amount)
    shop.change(Product, {"product_id": id}, amount)
    text = f"product {id} 'Mug': 3 wanted, {MOST - 2} owed, {MOST} at most"
    assert refusal(shop, take(id, 3, name="Mug")) == text
    move(shop, take(id, 2))
    assert stock(shop, id) == -MOST
    shop.change(Product, {"product_id": id}, {"tracking": "O"})
    assert refusal(shop, take(id, 3, choice, "Mug")) == text
    move(shop, take(id, 2, choice))
    assert stock(shop, id, number) == -MOST


def test_no_more_is_sold_than_a_column_holds(shop: Shop) -> None:
    id = shop.make_product("Mug", amount=9)
    shop.change(Product, {"product_id": id}, {"sales_amount": MOST - 2})
    text = f"product {id} 'Mug': 3 wanted, {MOST - 2} sold, {MOST} at most"
    assert refusal(shop, take(id, 3, name="Mug")) == text
    move(shop, take(id, 2))
    record = shop.root.get(f"products/{id}").get_json()
    assert (record["amount"], record["sales_amount"]) == ("7", str(MOST))
    move(shop, give(id, 2))
