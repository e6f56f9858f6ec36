"""Statements of writing orders: a stated number, whatever the number of lines."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.orders import Till
from tests.shop import Shop

# Caller, seller, products (3), payment (2), shipping (2), taxes, status (2); then the
# order with lines, taxes, shipping and step (5), stock (2), the kept number of orders.
POST = 20
# One of these notes in the lines which stock their pieces were taken from.
PUT_STATUS = 15
PUT_PRODUCTS = 18


def statements(shop: Shop, act: Callable[[], Any]) -> list[str]:
    act()  # statements are compiled at their first use
    seen: list[str] = []
    shop.database.observer = seen.append
    answer = act()
    shop.database.observer = None
    assert answer.status_code in (200, 201), answer.get_data(as_text=True)
    return seen


@pytest.mark.parametrize("lines", [1, 3, 40])
def test_posts_do_not_grow_with_the_lines(shop: Shop, lines: int) -> None:
    till = Till(shop)
    ids = [till.product(f"Thing {n}", "5") for n in range(lines)]
    body = till.body(products=[{"product_id": id, "amount": 1} for id in ids])
    seen = statements(shop, lambda: shop.root.post("orders", body))
    assert len(seen) <= POST


def test_changes_of_status_and_lines(shop: Shop) -> None:
    till = Till(shop)
    id = till.order()
    letters = iter("PIPIPI")
    seen = statements(
        shop, lambda: shop.root.put(f"orders/{id}", {"status": next(letters)})
    )
    assert len(seen) <= PUT_STATUS
    amounts = iter(range(1, 9))

    def change() -> Any:
        lines = {str(till.lantern): {"amount": next(amounts)}}
        return shop.root.put(f"orders/{id}", {"products": lines})

    assert len(statements(shop, change)) <= PUT_PRODUCTS
