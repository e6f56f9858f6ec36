"""Orders give back what they took, however products count by then (orders.md 5.3.4)."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import select

from storeapi.core.kinds import LARGEST_ID as MOST
from storeapi.models import OrderItem
from tests.orders import Till, differences, listed
from tests.shop import Shop
from tests.wares import make_combination, make_option, stock


@pytest.fixture
def till(shop: Shop) -> Iterator[Till]:
    """A shop that can sell; what it keeps of its orders is right at the end."""
    yield Till(shop)
    assert differences(shop) == []


def track(till: Till, product_id: int, letter: str) -> None:
    """Let a product count its stock in another way."""
    answer = till.shop.root.put(f"products/{product_id}", {"tracking": letter})
    assert answer.status_code == 200, answer.get_data(as_text=True)


def cancel(till: Till, id: int) -> None:
    till.put(id, status="I")


def drop(till: Till, id: int) -> None:
    assert till.shop.root.delete(f"orders/{id}").status_code == 204


def empty(till: Till, id: int) -> None:
    """Let an order have another product in place of its lines."""
    till.put(id, products={str(till.blanket): {"amount": 1}})


WAYS_BACK = pytest.mark.parametrize("back", [cancel, drop, empty])
WayBack = Callable[[Till, int], None]


class Shirt:
    """A product with a size, which an order names; its stocks as pairs."""

    def __init__(self, till: Till, *, combination: int | None = None) -> None:
        self.till = till
        self.id = till.product("Shirt", "10", amount=5, tracking="O")
        self.size, (self.small, self.large) = make_option(till.shop, self.id)
        self.number = 0
        if combination is not None:
            self.combine(combination)

    def combine(self, amount: int) -> None:
        """Give the small size a stock of its own."""
        choice = {self.size: self.small}
        self.number = make_combination(self.till.shop, self.id, choice, amount=amount)

    def lines(self, amount: int) -> dict[str, Any]:
        """The payload of some small ones."""
        chosen = {"amount": amount, "product_options": {self.size: self.small}}
        return {str(self.id): chosen}

    def order(self, amount: int = 2) -> int:
        return self.till.order(products=self.lines(amount))

    @property
    def stocks(self) -> tuple[int, int]:
        """The product's own pieces, and those of the combination."""
        shop = self.till.shop
        return stock(shop, self.id), stock(shop, self.id, self.number)


def sources(shop: Shop, id: int) -> list[str | None]:
    found = select(OrderItem.taken_from).where(OrderItem.order_id == id)
    return shop.database.write(lambda db: list(db.execute(found).scalars()))


@WAYS_BACK
def test_what_was_never_taken_does_not_come_back(till: Till, back: WayBack) -> None:
    lamp = till.product("Lamp", "5", tracking="D")
    id = till.order(products={str(lamp): {"amount": 3}})
    track(till, lamp, "B")
    back(till, id)
    assert till.stock(lamp) == 10


@WAYS_BACK
def test_what_was_taken_comes_back(till: Till, back: WayBack) -> None:
    lamp = till.product("Lamp", "5", tracking="B")
    id = till.order(products={str(lamp): {"amount": 3}})
    assert till.stock(lamp) == 7
    track(till, lamp, "D")
    back(till, id)
    track(till, lamp, "B")
    assert till.stock(lamp) == 10


def test_a_line_that_gets_more_is_taken_anew(shop: Shop, till: Till) -> None:
    lamp = till.product("Lamp", "5", tracking="D")
    id = till.order(products={str(lamp): {"amount": 3}})
    track(till, lamp, "B")
    till.put(id, products={str(lamp): {"amount": 2}})
    assert (till.stock(lamp), sources(shop, id)) == (10, [None])
    till.put(id, products={str(lamp): {"amount": 5}})
    assert (till.stock(lamp), sources(shop, id)) == (5, ["B"])
    track(till, lamp, "D")
    till.put(id, products={str(lamp): {"amount": 4}})
    assert (till.stock(lamp), sources(shop, id)) == (6, ["B"])
    till.put(id, products={str(lamp): {"amount": 6}})
    assert (till.stock(lamp), sources(shop, id)) == (10, [None])
    track(till, lamp, "B")
    body = {"products": {str(lamp): {"amount": 11}}}
    answer = shop.root.put(f"orders/{id}", body)
    text = f"product {lamp} 'Lamp': 11 wanted, 10 in stock"
    assert (answer.status_code, answer.get_json()["detail"]) == (400, text)
    cancel(till, id)
    assert till.stock(lamp) == 10


def test_a_status_takes_by_how_products_count_then(shop: Shop, till: Till) -> None:
    shirt = Shirt(till, combination=7)
    id = shirt.order()
    assert (shirt.stocks, sources(shop, id)) == ((5, 5), ["O"])
    cancel(till, id)
    assert (shirt.stocks, sources(shop, id)) == ((5, 7), [None])
    track(till, shirt.id, "B")
    till.put(id, status="P")
    assert (shirt.stocks, sources(shop, id)) == ((3, 7), ["B"])
    # The same lines sent with the status are not written anew, but their stock is.
    track(till, shirt.id, "O")
    till.put(id, status="I", products=shirt.lines(2))
    assert (shirt.stocks, sources(shop, id)) == ((5, 7), [None])
    till.put(id, status="P", products=shirt.lines(3))
    assert (shirt.stocks, sources(shop, id)) == ((5, 4), ["O"])
    record = shop.root.get(f"products/{shirt.id}").get_json()
    assert record["sales_amount"] == "3"


@WAYS_BACK
def test_a_first_combination_gets_nothing_of_before(till: Till, back: WayBack) -> None:
    shirt = Shirt(till)
    id = shirt.order()
    assert till.stock(shirt.id) == 3
    shirt.combine(7)
    back(till, id)
    assert shirt.stocks == (5, 7)


@WAYS_BACK
def test_a_combination_gets_back_what_it_gave(till: Till, back: WayBack) -> None:
    shirt = Shirt(till, combination=7)
    id = shirt.order()
    assert shirt.stocks == (5, 5)
    track(till, shirt.id, "B")
    back(till, id)
    assert shirt.stocks == (5, 7)


@WAYS_BACK
def test_a_combination_that_is_gone_gets_nothing(
    shop: Shop, till: Till, back: WayBack
) -> None:
    shirt = Shirt(till, combination=7)
    id = shirt.order()
    assert shop.root.delete(f"combinations/{shirt.number}").status_code == 204
    back(till, id)
    assert till.stock(shirt.id) == 5


def test_the_orders_of_a_parent_give_back_what_they_took(
    shop: Shop, till: Till
) -> None:
    nets = till.net()
    courier = till.common("shippings", rates={"1": {"rate_value": {"C": {"0": 2}}}})
    payment = till.common("payments")
    products = {str(nets): {"amount": 2}, str(till.lantern): {"amount": 1}}

    def parent() -> int:
        return till.order(products=products, payment_id=payment, shipping_id=courier)

    track(till, nets, "D")
    first, second = parent(), parent()
    assert (till.stock(nets), till.stock()) == (5, 8)
    track(till, nets, "B")
    track(till, till.lantern, "D")
    cancel(till, first)
    drop(till, second)
    assert (till.stock(nets), till.stock()) == (5, 10)
    track(till, till.lantern, "B")
    third = parent()
    own, shops = sorted(listed(shop, f"parent_order_id={third}"))
    assert (sources(shop, own), sources(shop, shops)) == (["B"], ["B"])
    assert (till.stock(nets), till.stock()) == (3, 9)


def test_a_shipment_that_cancels_gives_back_what_was_taken(
    shop: Shop, till: Till
) -> None:
    id = till.order()
    track(till, till.lantern, "D")
    key = next(iter(till.record(id)["products"]))
    body = {"order_id": id, "products": {key: 1}, "shipping_id": till.shipping,
            "tracking_number": "7", "order_status": "I"}  # fmt: skip
    assert shop.root.post("shipments", body).status_code == 201
    assert till.stock() == 10
    assert sources(shop, id) == [None, None]


def test_no_record_shows_where_pieces_came_from(shop: Shop, till: Till) -> None:
    id = till.order()
    assert "taken_from" not in shop.root.get(f"orders/{id}").get_data(as_text=True)
    assert "taken_from" not in shop.root.get("orders").get_data(as_text=True)


@pytest.mark.parametrize("tracking", ["B", "O"])
def test_a_stock_that_cannot_hold_more_refuses(
    shop: Shop, till: Till, tracking: str
) -> None:
    shirt = Shirt(till, combination=7)
    path = f"products/{shirt.id}"
    if tracking == "O":
        path = f"combinations/{shirt.number}"
    track(till, shirt.id, tracking)
    id = shirt.order(5)
    assert shop.root.put(path, {"amount": MOST}).status_code == 200
    before = shop.everything()
    text = f"product {shirt.id} 'Shirt': 5 come back, {MOST} in stock, {MOST} at most"
    for method, body in (("PUT", {"status": "I"}), ("DELETE", None)):
        answer = shop.root.request(method, f"orders/{id}", json=body)
        assert (answer.status_code, answer.get_json()["detail"]) == (400, text)
        assert shop.everything() == before
    assert shop.root.put(path, {"amount": MOST - 5}).status_code == 200
    cancel(till, id)
    record = shop.root.get(path).get_json()
    assert record["amount"] == str(MOST)
    assert shop.root.put(path, record).status_code == 200


def test_lines_that_stand_are_limited_together(till: Till) -> None:
    till.shop.root.put(f"products/{till.lantern}", {"tracking": "D"})
    line = {"product_id": till.lantern, "amount": 600_000}
    id = till.order(products=[line])
    answer = till.shop.root.put(f"orders/{id}", {"products": [line, line]})
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "products.0.amount"
