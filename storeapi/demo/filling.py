"""Filling an empty database with a demo store."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import Random
from typing import Any

from config.settings import Settings
from storeapi.core.access import Caller, Installation
from storeapi.core.database import Database, Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import Refused
from storeapi.core.registry import Registry
from storeapi.core.rows import table_of
from storeapi.counting import counted_tables, recount_table
from storeapi.demo.carts import fill_carts
from storeapi.demo.chance import chance_of
from storeapi.demo.choices import EVERY, offer_choices
from storeapi.demo.goods import Goods, make
from storeapi.demo.marketplace import with_offers, write_offers
from storeapi.demo.orders import fill_orders
from storeapi.demo.pictures import draw
from storeapi.demo.reviews import ask_back, review
from storeapi.demo.setup import Plan, Setting, furnish
from storeapi.demo.storefront import adjust, label
from storeapi.demo.variations import in_all_sizes, write_group
from storeapi.models import (
    Company,
    Image,
    ImagePair,
    Product,
    ProductCategory,
    ProductFeatureText,
    ProductFeatureValue,
    ProductPrice,
    ProductSearch,
    ProductText,
)
from storeapi.rules import image_files
from storeapi.rules.image_content import read_image
from storeapi.rules.placement import count as count_placed
from storeapi.seeding import advance, count, largest, seed

PICTURED = 200
"""So many products get a picture."""

_CHUNK = 1000
_PRODUCTS = table_of(Product)


class Filling:
    """The making of a demo store, in transactions of a thousand products each."""

    def __init__(
        self, database: Database, settings: Settings, registry: Registry, chance: int
    ) -> None:
        self._database = database
        self._settings = settings
        self._counted = counted_tables(registry)
        self._declared = registry.settings
        self._seed = chance

    def fill(self, products: int, progress: Callable[[int], None]) -> None:
        """Write the store; `progress` is told how many products were added.

        An interruption leaves nothing, or a store with fewer products: the first
        ones come in one transaction with all that is no product.
        Raises: `Refused` if the database holds a company or a product already.
        """
        now = int(time.time())
        done = min(products, _CHUNK)
        setting, chance, first = self._database.write(
            lambda db: self._begin(db, Plan(products, self._seed, now), done)
        )
        progress(done)
        for start in range(done, products, _CHUNK):
            stop = min(start + _CHUNK, products)
            goods = _made(range(first + start, first + stop), setting, chance)
            self._database.write(partial(self._insert, goods=goods))
            progress(stop - start)

    def _begin(
        self, db: Transaction, plan: Plan, products: int
    ) -> tuple[Setting, Random, int]:
        """Write the store with its first products.

        Shapes: what the rest is made with, and the ID of the first product.
        """
        check_empty(db)
        seed(db, self._settings, self._declared)
        setting = furnish(db, self._settings, plan)
        label(db, setting.shelves[0].languages)
        adjust(db, [shelf.company_id for shelf in setting.shelves])
        for table in self._counted:
            recount_table(db, table)
        chance = chance_of(self._seed)
        first = largest(db, _PRODUCTS) + 1
        goods = _made(range(first, first + products), setting, chance)
        self._write_first(db, goods, setting)
        return setting, chance, first

    def _write_first(
        self, db: Transaction, goods: Sequence[Goods], setting: Setting
    ) -> None:
        """Write products with what belongs to some of them: orders, reviews, ..."""
        known, now = setting.shelves[0].properties, setting.shelves[0].now
        goods, members = in_all_sizes(goods, known)
        in_group = (member.product_id for member in members)
        goods, offers = with_offers(goods, setting.vendor_id, in_group)
        self._insert(db, goods)
        write_group(db, members, known, now)
        write_offers(db, offers)
        languages = setting.shelves[0].languages
        offer_choices(db, goods[:PICTURED], languages, offers)
        review(db, goods[:PICTURED], self._seed, now)
        fill_carts(db, goods[:PICTURED], now, self._seed)
        self._sell(db, goods[:PICTURED], now)
        ask_back(db, goods, self._seed, now)
        for each in goods[:PICTURED]:
            self._picture(db, each)

    def _sell(self, db: Transaction, goods: Sequence[Goods], now: int) -> None:
        """Write orders of what can be bought without choosing options."""
        plain = [
            {**each.product, "product": each.texts[0]["product"]}
            for place, each in enumerate(goods)
            if place % EVERY
        ]
        context = Context(Caller(), Installation(), self._settings, now=now)
        fill_orders(db, plain, context, seed=self._seed)

    def _insert(self, db: Transaction, goods: Sequence[Goods]) -> None:
        db.insert_many(_PRODUCTS, [each.product for each in goods])
        advance(db, _PRODUCTS)
        for model, rows in (
            (ProductText, (row for each in goods for row in each.texts)),
            (ProductSearch, (row for each in goods for row in each.searches)),
            (ProductCategory, (row for each in goods for row in each.places)),
            (ProductPrice, (row for each in goods for row in each.prices)),
            (ProductFeatureValue, (row for each in goods for row in each.values)),
            (ProductFeatureText, (row for each in goods for row in each.notes)),
        ):
            db.insert_many(table_of(model), list(rows))
        self._count(db, goods)

    def _count(self, db: Transaction, goods: Iterable[Goods]) -> None:
        places = Counter(row["category_id"] for each in goods for row in each.places)
        count_placed(db, dict(places))
        kept = self._database.counts
        if _PRODUCTS not in self._counted or kept is None:
            return
        cells = Counter(
            (each.product["company_id"], each.product["status"]) for each in goods
        )
        for cell, by in sorted(cells.items()):
            kept.add(db, _PRODUCTS.name, cell, by)

    def _picture(self, db: Transaction, goods: Goods) -> None:
        product_id = goods.product["product_id"]
        data = draw(goods.code, goods.colour, seed=self._seed + product_id)
        content = read_image(data, self._settings.max_image_pixels)
        folder = self._settings.media_folder
        stored = image_files.store(
            folder, content, "detailed", goods.product["seo_name"]
        )
        db.after_rollback(lambda: image_files.remove(folder, stored.relative_path))
        image: dict[str, Any] = {
            "path": stored.relative_path,
            "width": stored.width,
            "height": stored.height,
            "size_bytes": stored.size_bytes,
            "digest": stored.digest,
            "alt": goods.texts[0]["product"],
        }
        pair = {"object_type": "product", "object_id": product_id, "kind": "M"}
        pair["detailed_id"] = db.insert(table_of(Image), image)
        db.insert(table_of(ImagePair), pair)


def _made(ids: range, setting: Setting, chance: Random) -> list[Goods]:
    shelves = chance.choices(setting.shelves, setting.percents, k=len(ids))
    return [make(id, shelf, chance) for id, shelf in zip(ids, shelves, strict=True)]


def check_empty(db: Transaction) -> None:
    """Refuse a database that somebody works with.

    Raises: `Refused`.
    """
    if not is_empty(db):
        raise Refused(
            "the database holds a store already; the demo fills an empty one only"
        )


def is_empty(db: Transaction) -> bool:
    """Whether there is no company (but the one of the schema) and no product."""
    return count(db, table_of(Company)) <= 1 and not count(db, _PRODUCTS)
