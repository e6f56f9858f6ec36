"""Records whose figures add up, read while others write (docs/design.md)."""

from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest

from tests.orders import Till, listed
from tests.shop import Shop


def read_beside(shop: Shop, path: str, table: str, write: Callable[[], Any]) -> Any:
    """The record at a path; `write` happens before the read comes to the table."""
    shop.root.get(path)  # statements are compiled at their first use

    def meanwhile(text: str) -> None:
        if f"FROM {table}" in text:
            shop.database.observer = None
            writer = Thread(target=write)
            writer.start()
            writer.join()

    shop.database.observer = meanwhile
    try:
        answer = shop.root.get(path)
        assert shop.database.observer is None
    finally:
        shop.database.observer = None
    assert answer.status_code == 200
    return answer.get_json()


@pytest.mark.parametrize("parent", [False, True])
def test_the_sums_of_an_order_are_those_of_its_lines(shop: Shop, parent: bool) -> None:
    till = Till(shop)
    if parent:
        courier = till.common("shippings", rates={"1": {"rate_value": {"C": {"0": 2}}}})
        lines = [{"product_id": id, "amount": 1} for id in (till.net(), till.lantern)]
        terms = {"payment_id": till.common("payments"), "shipping_id": courier}
        read = till.order(products=lines, **terms)
        changed = max(listed(shop, f"parent_order_id={read}"))
    else:
        read = changed = till.order()
    before, path = till.record(read), f"orders/{changed}"
    body = {"products": {str(till.lantern): {"amount": 7}}}
    record = read_beside(
        shop, f"orders/{read}", "order_items", lambda: shop.root.put(path, body)
    )
    assert record == before
    after = till.record(read)
    lines = after["products"].values()
    assert after["subtotal"] == sum(each["subtotal"] for each in lines)
    assert after["subtotal"] != before["subtotal"]


def test_the_total_of_a_cart_is_that_of_its_lines(shop: Shop) -> None:
    id = shop.make_product(price="2", amount=99)
    owner = shop.caller(user_type="C").user_id
    path, line = f"carts/{owner}", {"product_id": id}
    assert shop.root.put(path, line).status_code == 200
    record = read_beside(shop, path, "cart_lines", lambda: shop.root.put(path, line))
    assert [each["amount"] for each in record["products"]] == ["1"]
    assert (record["total"], record["cart_products"]) == ("2.00", "1")
    assert shop.root.get(path).get_json()["total"] == "4.00"


def test_a_read_that_fails_leaves_no_transaction(shop: Shop) -> None:
    """The connection goes back to a pool that does not look at it."""
    till = Till(shop)
    for _ in range(30):
        assert shop.root.get("orders/999999").status_code == 404
    id = till.order()
    for amount in (3, 4):
        till.put(id, products={str(till.lantern): {"amount": amount}})
        assert till.record(id)["products"].popitem()[1]["amount"] == str(amount)
    with shop.database.reading() as db:
        assert not db.is_open
