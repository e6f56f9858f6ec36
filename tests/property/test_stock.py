"""Random orders, and products that count in other ways: the stock equals the books."""

from collections.abc import Mapping
from typing import Any

from flask import Flask
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.orders import Till, held_pieces
from tests.shop import Shop
from tests.wares import make_combination, make_option, stock

OWN, CHOSEN = 12, 9
VERBS = ("order", "amount", "swap", "status", "drop", "track", "combine", "part")
_STEP = st.tuples(st.sampled_from(VERBS), st.integers(0, 5), st.integers(0, 5))


class Walk:
    """A cup with a combination or none, and orders of it."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.till = Till(shop)
        self.cup = self.till.product("Cup", "5", amount=OWN)
        self.size, (self.small, _) = make_option(shop, self.cup)
        self.note = self.till.made(
            "options", "option_id", product_id=self.cup, option_name="Note",
            option_type="I", inventory="N",
        )  # fmt: skip
        self.orders: list[int] = []
        self.combination = 0

    def lines(self, amount: int, text: str = "a") -> dict[str, Any]:
        """So many cups with a text on them."""
        chosen = {self.size: self.small, str(self.note): text}
        return {str(self.cup): {"amount": 1 + amount, "product_options": chosen}}

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """Send a write; anything but a success or a refusal is a fault."""
        answer = self.shop.root.request(method, path, json=body)
        assert answer.status_code < 500, answer.get_data(as_text=True)
        return answer

    def step(self, verb: str, one: int, two: int) -> None:
        """Do one write."""
        if verb == "order":
            body = self.till.body(products=self.lines(two))
            answer = self.send("POST", "orders", body)
            if answer.status_code == 201:
                self.orders.append(int(answer.get_json()["order_id"]))
        elif verb in ("track", "combine", "part"):
            self._count(verb, one)
        elif self.orders:
            id = self.orders[one % len(self.orders)]
            if verb == "drop" and self._drop(id):
                self.orders.remove(id)
            elif verb != "drop":
                self.send("PUT", f"orders/{id}", self._change(verb, two))

    def _change(self, verb: str, two: int) -> Mapping[str, Any]:
        if verb == "status":
            return {"status": "PIOICD"[two]}
        return {"products": self.lines(two, "b" if verb == "swap" else "a")}

    def _drop(self, id: int) -> bool:
        return bool(self.send("DELETE", f"orders/{id}").status_code == 204)

    def _count(self, verb: str, one: int) -> None:
        """Let the cup count in another way."""
        if verb == "track":
            self.send("PUT", f"products/{self.cup}", {"tracking": "BDO"[one % 3]})
        elif verb == "combine" and not self.combination:
            choice = {self.size: self.small}
            self.combination = make_combination(
                self.shop, self.cup, choice, amount=CHOSEN
            )
        elif verb == "part" and self.combination:
            # What is held of it has nowhere to go back to, so it is not taken away.
            held = self.shop.database.write(held_pieces)
            if not held[self.cup, "O"]:
                self.send("DELETE", f"combinations/{self.combination}")
                self.combination = 0

    def check(self) -> None:
        """What is left and what orders hold is what there was."""
        held = self.shop.database.write(held_pieces)
        assert stock(self.shop, self.cup) + held[self.cup, "B"] == OWN
        if self.combination:
            left = stock(self.shop, self.cup, self.combination)
            assert left + held[self.cup, "O"] == CHOSEN
        record = self.shop.root.get(f"products/{self.cup}").get_json()
        assert int(record["sales_amount"]) == held.total()


@settings(max_examples=12, deadline=None)
@given(steps=st.lists(_STEP, min_size=10, max_size=30))
def test_the_stock_equals_the_books(
    app: Flask, steps: list[tuple[str, int, int]]
) -> None:
    walk = Walk(Shop(app))
    for step in steps:
        walk.step(*step)
        walk.check()
