"""Languages that come and go while objects are made, changed and deleted."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import func, select

from storeapi.core.rows import table_of
from storeapi.models import Category, CategoryText, Product, ProductText
from storeapi.models.catalog import Feature, FeatureText
from tests.references import dangling, rows_of
from tests.serving import Server, together
from tests.shop import Shop

CS = {"lang_code": "cs", "name": "Czech"}
COLOUR = {
    "description": "Colour",
    "feature_type": "S",
    "variants": [{"variant": "Red"}, {"variant": "Blue"}],
}
RUSH_S = 4
CLIENTS = 6


class Rush:
    """Clients that make, change and delete, and what they were told."""

    def __init__(self, shop: Shop, server: Server) -> None:
        mug = {"product": "Mug", "category_ids": [shop.category]}
        self.bodies: dict[str, dict[str, Any]] = {
            "products": mug,
            "categories": {"category": "Bowls"},
            "features": COLOUR,
        }
        self.shop = shop
        self.server = server
        self.told: Counter[tuple[str, str, int]] = Counter()
        self._end = time.monotonic() + RUSH_S
        self._lock = threading.Lock()

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request, and count the answer."""
        reply = self.server.send(self.shop.root, method, path, body)
        with self._lock:
            self.told[method, path.partition("/")[0], reply.status] += 1
        return reply

    def client(self, number: int) -> None:
        """Make, rename and delete one kind of object after the other."""
        names = list(self.bodies)
        while time.monotonic() < self._end:
            number += 1
            name = names[number % len(names)]
            body = self.bodies[name]
            made = self.send("POST", name, body)
            path = f"{name}/{next(iter(made.json().values()))}"
            self.send("PUT", path, {next(iter(body)): f"New {number}"})
            self.send("DELETE", path)

    def translator(self) -> None:
        """Let a language come and go."""
        while time.monotonic() < self._end:
            self.send("POST", "languages", CS)
            self.send("DELETE", "languages/cs")

    def run(self) -> None:
        """Let all of them work until the end."""
        clients = [lambda n=n: self.client(n) for n in range(CLIENTS)]
        together([self.translator, *clients])


def check_texts(shop: Shop, languages: int) -> None:
    """Whatever has texts has them in so many languages, and belongs to something."""
    pairs = ((Product, ProductText), (Category, CategoryText), (Feature, FeatureText))
    for model, texts in pairs:
        counts = [
            select(func.count()).select_from(table_of(each)) for each in (model, texts)
        ]
        objects, found = shop.database.write(
            lambda db, counts=counts: [db.execute(each).scalar_one() for each in counts]
        )
        assert found == languages * objects, model
    assert dangling(rows_of(shop)) == []


def test_nobody_meets_a_language_that_comes_and_goes(
    shop: Shop, server: Server
) -> None:
    rush = Rush(shop, server)
    rush.run()
    statuses = {(method, status) for method, _, status in rush.told}
    assert statuses == {("POST", 201), ("PUT", 200), ("DELETE", 204)}, rush.told
    check_texts(shop, 2)


@pytest.mark.only_on("postgresql", "mariadb")
@pytest.mark.parametrize("kept", [False, True])
def test_a_language_waits_for_a_deletion(shop: Shop, kept: bool) -> None:
    """What is deleted meanwhile has no texts, and what stays after all has them."""
    id = shop.make_product("Mug")
    shop.make_product("Bowl")
    with ThreadPoolExecutor(1) as pool:
        with shop.database.writer.connect() as other:
            table = table_of(Product)
            other.execute(table.delete().where(table.c.product_id == id))
            answer = pool.submit(shop.root.post, "languages", CS)
            time.sleep(0.3)
            assert not answer.done()
            other.rollback() if kept else other.commit()
        assert answer.result(30).status_code == 201
    check_texts(shop, 3)
