"""Stores that are copied or removed while others write at a real server."""

from threading import Thread
from typing import Any

import pytest
from sqlalchemy import func, select

from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.counting import counted_tables, differences
from storeapi.models import Category, CategoryText, Product, ProductText
from storeapi.models.catalog import Feature, FeatureText
from storeapi.rules.cloning_products import hold_originals
from tests.references import dangling, rows_of
from tests.serving import Reply, Server, together
from tests.shop import Shop
from tests.wares import make_combination, make_option

Call = tuple[str, str, Any]
PARTS = ("products", "categories", "product_features", "pages")
TEXTS = ((Product, ProductText), (Category, CategoryText), (Feature, FeatureText))


def send(shop: Shop, server: Server, calls: list[Call]) -> list[Reply]:
    """Send requests together."""
    return together([lambda call=call: server.send(shop.root, *call) for call in calls])


def check_whole(shop: Shop) -> None:
    """Every object has its texts, every reference its object, every number is true."""

    def count(db: Transaction, model: type[Any]) -> int:
        found = select(func.count()).select_from(table_of(model))
        return int(db.execute(found).scalar_one())

    def action(db: Transaction) -> None:
        for model, texts in TEXTS:
            assert count(db, texts) == 2 * count(db, model), model
        assert differences(db, counted_tables(shop.registry)) == []

    shop.database.write(action)
    assert dangling(rows_of(shop)) == []


class Wares:
    """Products of a store in categories, with values of features and an option."""

    def __init__(self, shop: Shop, number: int = 6) -> None:
        self.shop = shop
        self.features = [self._feature(str(n)) for n in range(number)]
        self.shelves = [shop.make_category(f"Shelf {n}") for n in range(number)]
        self.option, (self.variant, _) = make_option(shop, 0)
        self.products = [self._product(n) for n in range(number)]

    def _feature(self, name: str) -> int:
        body = {"description": name, "feature_type": "T", "company_id": self.shop.store}
        return int(self.shop.root.post("features", body).get_json()["feature_id"])

    def _product(self, n: int) -> int:
        values = {str(self.features[n]): "oak", str(self.features[n - 1]): "ash"}
        places = [self.shelves[n], self.shelves[n - 1]]
        id = self.shop.make_product(category_ids=places, product_features=values)
        self.shop.root.post(f"products/{id}/options", {"option_id": self.option})
        make_combination(self.shop, id, {self.option: self.variant})
        return id


@pytest.mark.parametrize("parts", [PARTS, PARTS[:3]])
def test_copy_is_whole_while_the_original_loses_things(
    shop: Shop, server: Server, parts: tuple[str, ...]
) -> None:
    wares = Wares(shop)
    body = {
        "company": "Copy",
        "storefront": "copy.example",
        "clone_from": shop.store,
        "clone": dict.fromkeys(parts, "Y"),
    }
    calls: list[Call] = [
        ("DELETE", f"products/{id}", None) for id in wares.products[:3]
    ]
    calls.append(("POST", "stores", body))
    calls += [("DELETE", f"features/{id}", None) for id in wares.features[:3]]
    calls += [("DELETE", f"categories/{id}", None) for id in wares.shelves[:3]]
    moved = {"category_ids": [wares.shelves[5]], "product": "New"}
    calls += [("PUT", f"products/{id}", moved) for id in wares.products[3:]]
    replies = send(shop, server, calls)
    assert [reply.status for reply in replies[:3]] == [204] * 3
    assert replies[3].status == 201, replies[3].body
    assert {reply.status for reply in replies[4:10]} == {204}
    assert {reply.status for reply in replies[10:]} == {200}
    check_whole(shop)


def test_store_goes_while_others_use_what_it_has(shop: Shop, server: Server) -> None:
    shelf = shop.make_category("Shelf", company_id=shop.other_store)
    place = {"category_ids": [shelf], "company_id": shop.other_store}
    ids = [shop.make_product(f"Jar {n}", **place) for n in range(6)]
    wares = Wares(shop)
    link = {"option_id": wares.option}
    for id in ids[:3]:
        shop.root.post(f"products/{id}/options", link)
        make_combination(shop, id, {wares.option: wares.variant})
    calls: list[Call] = [("DELETE", f"stores/{shop.store}", None)]
    calls += [("POST", f"products/{id}/options", link) for id in ids[3:]]
    calls += [
        ("PUT", f"products/{id}",
         {"product_features": {str(feature): "tin"}, "product": "New"})
        for id, feature in zip(ids, wares.features, strict=True)
    ]  # fmt: skip
    replies = send(shop, server, calls)
    assert replies[0].status == 204, replies[0].body
    assert {reply.status for reply in replies[1:4]} <= {201, 400}
    assert {reply.status for reply in replies[4:]} <= {200, 400}
    check_whole(shop)


def test_products_that_are_copied_do_not_change(shop: Shop) -> None:
    """Who writes one of them waits for the copy (docs/design.md, locks)."""
    id = shop.make_product("Mug")
    replies: list[int] = []

    def change() -> None:
        sent = {"full_description": "Blue"}
        replies.append(shop.root.put(f"products/{id}", sent).status_code)

    writer = Thread(target=change)

    def action(db: Transaction) -> None:
        hold_originals(db, shop.store)
        writer.start()
        writer.join(0.5)
        assert replies == []

    shop.database.write(action)
    writer.join()
    assert replies == [200]
