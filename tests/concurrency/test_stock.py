"""The last pieces, wanted by several at the same moment."""

from storeapi.core.access import Caller, Installation
from storeapi.core.entity import Context
from storeapi.core.errors import Refused
from storeapi.rules.stock import move_stock
from storeapi.rules.stock_books import Movement
from tests.serving import together
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
