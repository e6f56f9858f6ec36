"""The last pieces, wanted by several at the same moment."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Any

import pytest

from storeapi.core.access import Caller, Installation
from storeapi.core.entity import Context
from storeapi.core.errors import Refused
from storeapi.rules.stock import move_stock
from storeapi.rules.stock_books import Movement
from storeapi.rules.touching import hold
from tests.marketplace import common, offer, sellers
from tests.products import age, put, read
from tests.serving import Server, together
from tests.shop import NOW, Shop
from tests.wares import make_combination, make_option, stock


def taken(shop: Shop, *movements: Movement) -> bool:
    """Whether the movements took place."""
    context = Context(Caller(7), Installation(), shop.settings, now=NOW)
    try:
        shop.database.write(lambda db: move_stock(db, movements, context))
    except Refused:
        return False
    return True


def test_the_last_pieces_are_sold_once(shop: Shop) -> None:
    """Products are named in both orders, and nobody waits in a ring."""
    mug, pot = shop.make_product(amount=5), shop.make_product(amount=99)
    moves = [Movement(mug, "", 0, 1), Movement(pot, "", 0, 1)]
    found = together(
        [lambda n=n: taken(shop, *moves[:: 1 if n % 2 else -1]) for n in range(10)]
    )
    assert found.count(True) == 5
    assert (stock(shop, mug), stock(shop, pot)) == (0, 94)


def test_the_last_combination_is_sold_once(shop: Shop) -> None:
    id = shop.make_product(tracking="O")
    size, (small, _) = make_option(shop, id)
    number = make_combination(shop, id, {size: small}, amount=3)
    move = Movement(id, f"{size}_{small}", 0, 2)
    assert together([lambda: taken(shop, move)] * 6).count(True) == 1
    assert stock(shop, id, number) == 1


def sent(shop: Shop, server: Server, id: int, body: dict[str, Any]) -> bool:
    """Whether a product was changed."""
    return server.send(shop.root, "PUT", f"products/{id}", body).status == 200


def test_offers_sell_out_while_their_common_products_change(
    shop: Shop, server: Server
) -> None:
    """Writers wait, but never in a ring; what lists show last is told."""
    vendors = sellers(shop, 4)
    mug = shop.make_product(amount=99)
    ids = [common(shop, f"Kettle {n}", price=90) for n in range(2)]
    offers = {
        id: [offer(shop, id, each, price=9, amount=1) for each in vendors] for id in ids
    }
    acts: list[Callable[[], bool]] = []
    for id in ids:
        body = {"promo_text": f"Of {id}"}
        first, *others = offers[id]
        acts += [partial(sent, shop, server, id, body)] * 2
        acts += [partial(sent, shop, server, first, {"price": n}) for n in (50, 60)]
        for each in others:
            moves = [Movement(each, "", 0, 1), Movement(mug, "", 0, 1)]
            acts += [partial(taken, shop, *moves)]
    for _ in range(3):
        for id in ids:
            for each in offers[id]:
                put(shop, each, amount=1, price=9)
        assert all(together(acts))
        shown = shop.root.get("master_products").get_json()["products"]
        assert {each["price"] for each in shown} <= {"50.00", "60.00"}


@pytest.mark.only_on("postgresql", "mariadb")
def test_an_offer_waits_for_a_writer_of_its_common_product(shop: Shop) -> None:
    """One that goes on to hold the offer, as those of options do."""
    id = common(shop)
    mine = offer(shop, id, price=9, amount=1)
    age(shop, id)
    with ThreadPoolExecutor(1) as pool:
        with shop.database.writing() as db:
            hold(db, [id])
            waiting = pool.submit(lambda: put(shop, mine, price=8))
            assert wait([waiting], 0.3).not_done
            hold(db, [mine])
        waiting.result(10)
    assert read(shop, mine)["price"] == "8.00"
    assert read(shop, id)["updated_timestamp"] != "1000"
