"""A write that takes long carries the time at which it ends: no walk misses it."""

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select

from storeapi.core import lateness
from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.models import Order, Product
from tests.choosing import make
from tests.marketplace import common, offer
from tests.orders import Till
from tests.products import put
from tests.shop import NOW, Shop
from tests.variations import Mugs

LATER = NOW + 86_400_000


class World:
    """Two mugs in a group, one that could join it, a common product and its offer."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.mugs = Mugs(shop)
        self.first, self.second, self.other = (
            self.mugs.mug("green", size) for size in ("small", "large", "huge")
        )
        self.group = self.mugs.group(self.first, self.second)
        self.option = make(shop, self.first)
        self.common = common(shop, category_ids=[shop.category])
        self.offer = offer(shop, self.common, amount=9)
        self.tax = shop.make_tax()
        put(shop, self.other, tax_ids=[self.tax])
        self.pictured = shop.make_product("Pictured")

    def times(self) -> dict[int, int]:
        """When each product was changed."""
        columns = table_of(Product).c

        def action(db: Transaction) -> dict[int, int]:
            found = select(columns.product_id, columns.updated_timestamp)
            return {row[0]: row[1] for row in db.execute(found)}

        return self.shop.database.write(action)

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request that has to succeed."""
        answer = self.shop.root.request(method, f"/api/2.0/{path}", json=body)
        assert answer.status_code < 300, answer.get_data(as_text=True)
        return answer.get_json() if answer.data else None


WRITES: dict[str, tuple[Callable[[World], Any], tuple[str, ...]]] = {
    "price": (
        lambda w: w.send("PUT", f"products/{w.other}", {"price": 9}),
        ("other",),
    ),
    "text": (
        lambda w: w.send("PUT", f"products/{w.first}", {"promo_text": "New"}),
        ("first", "second"),
    ),
    "picture": (
        lambda w: w.send(
            "PUT",
            f"products/{w.pictured}",
            {"main_pair": {"detailed": {"image_path": "https://cdn.example/a.png"}}},
        ),
        ("pictured",),
    ),
    "feature": (
        lambda w: w.send("PUT", f"features/{w.mugs.size}", {"description": "Volume"}),
        ("first", "second", "other"),
    ),
    "feature that goes": (
        lambda w: (
            w.send("DELETE", f"product_variations_groups/{w.group}"),
            w.send("DELETE", f"features/{w.mugs.size}"),
        ),
        ("first", "second", "other"),
    ),
    "value": (
        lambda w: w.send(
            "PUT",
            f"products/{w.other}/features/{w.mugs.size}",
            {"variant_id": w.mugs.variants["small"]},
        ),
        ("other",),
    ),
    "option": (
        lambda w: w.send("PUT", f"options/{w.option}", {"option_name": "Cover"}),
        ("first", "second"),
    ),
    "option that goes": (
        lambda w: w.send("DELETE", f"options/{w.option}"),
        ("first", "second"),
    ),
    "group": (
        lambda w: w.send("PUT", f"products/{w.other}", {"variation_group_id": w.group}),
        ("first", "second", "other"),
    ),
    "group that goes": (
        lambda w: w.send("DELETE", f"product_variations_groups/{w.group}"),
        ("first", "second"),
    ),
    "default": (
        lambda w: w.send(
            "POST", f"products/{w.second}/set_default_product_variation", {}
        ),
        ("first", "second"),
    ),
    "generated": (
        lambda w: w.send(
            "POST",
            f"products/{w.first}/generate_product_variations",
            {"combinations": [w.mugs.values("blue", "small")]},
        ),
        ("first", "second"),
    ),
    "member that goes": (
        lambda w: w.send("DELETE", f"products/{w.first}"),
        ("second",),
    ),
    "offer": (
        lambda w: w.send("PUT", f"master_product_offers/{w.offer}", {"price": 1}),
        ("offer", "common"),
    ),
    "offer that goes": (
        lambda w: w.send("DELETE", f"master_product_offers/{w.offer}"),
        ("common",),
    ),
    "common product": (
        lambda w: w.send("PUT", f"master_products/{w.common}", {"product": "Pot"}),
        ("offer", "common"),
    ),
    "category": (
        lambda w: w.send(
            "PUT",
            f"categories/{w.shop.category}",
            {"parent_id": w.shop.make_category("Above")},
        ),
        ("first", "second", "other", "offer", "common"),
    ),
    "category that goes": (
        lambda w: w.send("DELETE", f"categories/{w.shop.category}"),
        ("first", "second", "other", "offer", "common"),
    ),
    "tax that goes": (lambda w: w.send("DELETE", f"taxes/{w.tax}"), ("other",)),
    "new": (
        lambda w: w.send(
            "POST", "products", {"product": "New", "category_ids": [w.shop.category]}
        ),
        (),
    ),
}


@pytest.fixture
def late(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From now on every write is late, and ends in the time `LATER`."""
    found = shop.database.lateness
    assert found is not None

    def begin() -> None:
        monkeypatch.setattr(found, "late_s", 0)
        monkeypatch.setattr(lateness, "time", SimpleNamespace(time=lambda: LATER))

    return begin


@pytest.mark.parametrize("name", WRITES)
def test_whatever_a_late_write_moves_has_its_end(
    shop: Shop, late: Callable[[], None], name: str
) -> None:
    world = World(shop)
    write, moved = WRITES[name]
    world.mugs.age()
    late()
    write(world)
    times = world.times()
    assert set(times.values()) <= {NOW, LATER}
    assert {getattr(world, each) for each in moved} <= {
        id for id, updated in times.items() if updated == LATER
    }
    if not moved:
        assert LATER in times.values()


def test_a_copied_store_has_the_end(shop: Shop, late: Callable[[], None]) -> None:
    world = World(shop)
    world.mugs.age()
    late()
    clone = {"categories": "Y", "product_features": "Y", "products": "Y"}
    body = {"company": "Copy", "storefront": "copy.example"}
    world.send("POST", "stores", {**body, "clone_from": shop.store, "clone": clone})
    before = {world.first, world.second, world.other, world.pictured}
    times = world.times()
    copies = {id for id in times if id > max(world.pictured, world.offer)}
    assert len(copies) == len(before)
    assert {times[id] for id in copies} == {LATER}


def test_orders_and_what_they_take_have_the_end(
    shop: Shop, late: Callable[[], None]
) -> None:
    till = Till(shop)
    late()
    id = till.order()
    table = table_of(Order)
    found = select(table.c.updated_at).where(table.c.order_id == id)
    assert shop.database.write(lambda db: db.execute(found).scalar_one()) == LATER
    lantern = shop.root.get(f"products/{till.lantern}").get_json()
    assert lantern["updated_timestamp"] == str(LATER)


def test_a_write_that_waits_is_late(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the clock: what was held up for a second and a half ends after it."""
    found = shop.database.lateness
    assert found is not None
    monkeypatch.setattr(found, "late_s", 1)
    id = shop.make_product()

    def slow(text: str) -> None:
        if text.startswith("UPDATE products"):
            shop.database.observer = None
            time.sleep(1.5)

    begun = time.time()
    shop.database.observer = slow
    try:
        put(shop, id, price="7.00")
        assert shop.database.observer is None
    finally:
        shop.database.observer = None
    record = shop.root.get(f"products/{id}").get_json()
    assert int(record["updated_timestamp"]) >= int(begun + 1.5)


def test_a_write_that_is_quick_says_nothing_more(shop: Shop) -> None:
    id = shop.make_product()
    texts: list[str] = []
    shop.database.observer = texts.append
    try:
        put(shop, id, price="7.00")
    finally:
        shop.database.observer = None
    assert sum(text.startswith("UPDATE products") for text in texts) == 1
