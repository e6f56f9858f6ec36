"""A common product changes when the lowest price at which its offers sell does."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.budget.test_statements import observed
from tests.marketplace import common, offer, sellers
from tests.orders import Till
from tests.products import age, put, read
from tests.shop import Shop

AGED = "1000"


class Market:
    """A common product at 24, with offers at 9, at 5, and one that is not for sale."""

    def __init__(self, shop: Shop, vendors: Sequence[int] = ()) -> None:
        self.shop = shop
        self.id = common(shop, price=24, is_edp="Y")
        vendors = vendors or sellers(shop, 3)
        self.dear = offer(shop, self.id, vendors[0], price=9, amount=3)
        self.cheap = offer(shop, self.id, vendors[1], price=5, amount=3)
        self.idle = offer(shop, self.id, vendors[2], price=7, amount=0)

    def shown(self) -> str:
        """The price that a list shows."""
        path = f"master_products?pid={self.id}&fields=price"
        (found,) = self.shop.root.get(path).get_json()["products"]
        return str(found["price"])

    def check(self, act: Callable[[], Any]) -> str:
        """Act, and assert that the time moves just with the price; returns that."""
        age(self.shop, self.id)
        before = self.shown()
        answer = act()
        assert answer.status_code < 300, answer.get_data(as_text=True)
        after = self.shown()
        moved = read(self.shop, self.id)["updated_timestamp"] != AGED
        assert moved is (before != after)
        return after


@pytest.fixture
def market(shop: Shop) -> Market:
    return Market(shop)


@pytest.mark.parametrize("entity", ["products", "master_product_offers", "below"])
def test_terms_of_offers(shop: Shop, market: Market, entity: str) -> None:
    path = f"master_products/{market.id}/master_product_offers"
    path = path if entity == "below" else entity

    def change(id: int, **terms: Any) -> str:
        return market.check(lambda: shop.root.put(f"{path}/{id}", terms))

    assert [
        change(market.dear, price=8),
        change(market.cheap, price="5.00"),
        change(market.cheap, price=6),
        change(market.cheap, amount=2),
        change(market.cheap, weight=2),
        change(market.cheap, amount=0),
        change(market.cheap, price=1),
        change(market.cheap, amount=1),
        change(market.cheap, status="H"),
        change(market.cheap, price=2),
        change(market.idle, amount=1),
        change(market.idle, status="D", amount=0, price=3),
        change(market.dear, status="D"),
        change(market.dear, status="H"),
        change(market.dear, status="A", price=24),
        change(market.dear, price=30),
    ] == [
        *("5.00", "5.00", "6.00", "6.00", "6.00", "8.00", "8.00", "1.00", "8.00"),
        *("8.00", "7.00", "8.00", "24.00", "24.00", "24.00", "30.00"),
    ]


def test_an_offer_that_counts_no_stock_is_there(shop: Shop, market: Market) -> None:
    def change(id: int, **terms: Any) -> str:
        return market.check(lambda: shop.root.put(f"products/{id}", terms))

    assert [
        change(market.idle, tracking="D", price=4),
        change(market.idle, amount=2),
        change(market.idle, amount=0),
        change(market.idle, status="H"),
        change(market.idle, status="A", tracking="O"),
        change(market.idle, tracking="D"),
        change(market.idle, tracking="B"),
    ] == ["4.00", "4.00", "4.00", "5.00", "5.00", "4.00", "5.00"]


def test_own_price_of_a_common_product(shop: Shop, market: Market) -> None:
    age(shop, market.id)
    put(shop, market.id, price=25)
    assert read(shop, market.id)["updated_timestamp"] != AGED


def test_a_vendor_is_disabled(shop: Shop, market: Market) -> None:
    """Its offers keep their status, and lists go by that."""
    vendor = read(shop, market.cheap)["company_id"]
    body = {"status": "D"}
    assert market.check(lambda: shop.root.put(f"vendors/{vendor}", body)) == "5.00"


def test_a_vendor_goes(shop: Shop, market: Market) -> None:
    vendor = read(shop, market.cheap)["company_id"]
    assert market.check(lambda: shop.root.delete(f"vendors/{vendor}")) == "9.00"


def test_a_category_goes(shop: Shop, market: Market) -> None:
    put(shop, market.id, category_ids=[shop.category])
    assert shop.root.delete(f"categories/{shop.category}").status_code == 204
    assert market.shown() == "5.00"
    assert read(shop, market.cheap)["status"] == "A"


def test_ordinary_products_touch_no_common_product(shop: Shop, market: Market) -> None:
    mug = shop.make_product(price=1)
    path = f"products/{mug}"
    assert market.check(lambda: shop.root.put(path, {"price": 2})) == "5.00"


# Orders


@pytest.fixture
def till(shop: Shop) -> Till:
    return Till(shop)


def post(shop: Shop, till: Till, *pairs: tuple[int, int]) -> Any:
    """The answer to an order of so many pieces of products."""
    products = [{"product_id": id, "amount": n} for id, n in pairs]
    answer = shop.root.post("orders", till.body(products=products))
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return answer


def last_orders(shop: Shop) -> list[int]:
    """The order that was made last, or its parts."""
    path = "orders?sort_by=order_id&sort_order=desc&items_per_page=3"
    orders = shop.root.get(path).get_json()["orders"]
    parts = [o for o in orders if o["parent_order_id"] not in ("0", None)]
    return [int(each["order_id"]) for each in parts or orders[:1]]


def test_orders_take_the_last_piece_and_give_it_back(
    shop: Shop, market: Market, till: Till
) -> None:
    def buy(*pairs: tuple[int, int]) -> str:
        return market.check(lambda: post(shop, till, *pairs))

    def status(letter: str) -> list[str]:
        return [
            market.check(
                lambda id=id: shop.root.put(f"orders/{id}", {"status": letter})
            )
            for id in last_orders(shop)
        ]

    assert buy((market.cheap, 1)) == "5.00"
    assert buy((market.cheap, 2)) == "9.00"
    assert [status(letter) for letter in "IO"] == [["5.00"], ["9.00"]]
    put(shop, market.cheap, amount=1)
    assert buy((market.dear, 3)) == "5.00"
    assert status("I") == ["5.00"]
    assert buy((market.dear, 3), (market.cheap, 1)) == "24.00"
    assert status("I")[-1] == "5.00"


def test_changed_lines_move_it_too(shop: Shop, market: Market, till: Till) -> None:
    id = post(shop, till, (market.cheap, 1)).get_json()["order_id"]

    def change(amount: int) -> str:
        body = {"products": {str(market.cheap): {"amount": amount}}}
        return market.check(lambda: shop.root.put(f"orders/{id}", body))

    assert [change(n) for n in (2, 3, 1)] == ["5.00", "9.00", "5.00"]


def test_statements_of_orders_do_not_grow(shop: Shop, till: Till) -> None:
    """None more where an offer stays in stock; else a stated number."""
    vendors = sellers(shop, 3)
    markets = [Market(shop, vendors) for _ in range(4)]

    def count(*pairs: tuple[int, int]) -> int:
        with observed(shop) as seen:
            post(shop, till, *pairs)
        return len(seen)

    plain = till.product("Thing", "5", amount=3, is_edp="Y")
    count((plain, 1))
    assert count((plain, 1)) == count((plain, 1))
    first, *others = markets
    for id in (first.cheap, first.dear):
        count((id, 1))
    usual = count((first.cheap, 1))
    assert count((first.dear, 1)) == usual
    assert count((first.dear, 1)) == usual + 2  # hold, and compare
    assert count((first.cheap, 1)) == usual + 3  # write, too
    assert count(*[(each.cheap, 3) for each in others]) == usual + 3
