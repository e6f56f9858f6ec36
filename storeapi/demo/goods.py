"""The products of a demo store: rows made from words and a seeded chance."""

import random
from dataclasses import dataclass, replace
from typing import Any

from storeapi.core.folding import folded
from storeapi.demo.properties import Looks, Properties, notes, values
from storeapi.demo.traits import CLOTHING
from storeapi.demo.tree import Leaf
from storeapi.demo.words import BRANDS, COLOURS, MATERIALS, MODELS, Ware
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.products import searched
from storeapi.rules.slugs import slug

Row = dict[str, Any]

_DAY_S = 24 * 3600
_YEARS_S = 3 * 365 * _DAY_S
_STATUSES = ("A",) * 46 + ("D",) * 3 + ("H",)
_ENDINGS = (0, 50, 90, 90, 90, 95)
_BRANDS = {name: place for place, name in enumerate(BRANDS)}
_WORN = frozenset(ware.code for ware in CLOTHING.wares)
_SEARCHED = ("product", "short_description", "full_description", "search_words")


@dataclass(frozen=True, slots=True)
class Goods:
    """One product: rows for its tables, and what its picture is drawn from.

    Shapes: `texts` and `searches` hold a row for each language.
    """

    product: Row
    texts: list[Row]
    searches: list[Row]
    places: list[Row]
    prices: list[Row]
    values: list[Row]
    notes: list[Row]
    code: str
    colour: int


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where products are made for: a company, its leaves, the languages, the time.

    Units: `now` in UNIX seconds.
    """

    company_id: int
    leaves: tuple[Leaf, ...]
    languages: tuple[str, ...]
    properties: Properties
    tax_id: int
    now: int


def make(product_id: int, shelf: Shelf, chance: random.Random) -> Goods:
    """Make one product; the same chance gives the same product."""
    leaf = chance.choice(shelf.leaves)
    brand = leaf.brand or chance.choice(BRANDS)
    material = chance.choice(leaf.ware.materials.split())
    colour = chance.randrange(len(COLOURS))
    model = chance.choice(MODELS)
    names = _names(leaf.ware, brand, model, material, colour)
    code = f"{leaf.ware.code}-{product_id:06d}"
    row = _product(product_id, code, shelf, leaf, chance)
    row["seo_name"] = f"{slug(names['en'])}-{product_id}"
    texts = [
        _text(product_id, shelf.company_id, language, names, material)
        for language in shelf.languages
    ]
    worn = leaf.ware.code in _WORN
    looks = Looks(product_id, _BRANDS[brand], material, colour, worn, shelf.now)
    return Goods(
        row,
        texts,
        [search_row(code, text) for text in texts],
        _places(product_id, leaf, shelf, chance),
        _prices(product_id, row["price"], chance),
        values(looks, shelf.properties, chance),
        notes(looks, shelf.properties, shelf.languages),
        leaf.ware.code,
        colour,
    )


def in_place(like: Goods, own: Goods, **changes: Any) -> Goods:
    """The same product under the ID and the code of another one, but for changes."""
    key = {"product_id": own.product["product_id"]}
    code, name = own.product["product_code"], like.product["seo_name"]
    product = {**like.product, **key, "product_code": code, **changes}
    product["seo_name"] = f"{name}-{key['product_id']}"
    company = {**key, "company_id": product["company_id"]}
    texts = [{**row, **company} for row in like.texts]
    return replace(
        like,
        product=product,
        texts=texts,
        searches=[search_row(code, text) for text in texts],
        places=[{**row, **key} for row in like.places],
        prices=[{**row, **key} for row in like.prices],
        values=[{**row, **key} for row in like.values],
        notes=[{**row, **key} for row in like.notes],
    )


def _names(
    ware: Ware, brand: str, model: str, material: str, colour: int
) -> dict[str, str]:
    english, german = MATERIALS[material]
    shade = COLOURS[colour]
    return {
        "en": f"{brand} {model} {english} {ware.name[0]}, {shade[0]}",
        "de": f"{brand} {model} {ware.name[1]} aus {german}, {shade[1]}",
    }


def _product(
    product_id: int, code: str, shelf: Shelf, leaf: Leaf, chance: random.Random
) -> Row:
    least, most = leaf.ware.price
    spread = chance.random() ** 2
    price = int(least + (most - least) * spread) * 100 + chance.choice(_ENDINGS)
    made = shelf.now - chance.randrange(_YEARS_S)
    reduced = chance.random() < 0.25
    return {
        "product_id": product_id,
        "company_id": shelf.company_id,
        "product_code": code,
        "status": chance.choice(_STATUSES),
        "main_category": leaf.node.category_id,
        "tax_ids": str(shelf.tax_id),
        "timestamp": made,
        "updated_timestamp": made + chance.randrange(shelf.now - made + 1),
        "avail_since": 0,
        "popularity": chance.randrange(200),
        "price": price,
        "list_price": price * chance.choice((115, 125, 140)) // 100 if reduced else 0,
        "amount": 0 if chance.random() < 0.07 else chance.randrange(1, 240),
        "weight": chance.randrange(*leaf.ware.weight),
        "free_shipping": "Y" if price >= 10000 else "N",
    }


def _text(
    product_id: int, company_id: int, language: str, names: dict[str, str], made_of: str
) -> Row:
    german = language == "de"
    name = names["de" if german else "en"]
    material = MATERIALS[made_of][german]
    if german:
        short = f"Aus {material}, in kleinen Serien gefertigt."
        full = (
            f"<p>{name}: aus {material}, sorgfältig verarbeitet und für viele Jahre"
            " gemacht. Jedes Stück wird vor dem Versand von Hand geprüft.</p>"
        )
    else:
        short = f"Made of {material} in small batches."
        full = (
            f"<p>{name}: made of {material}, carefully finished and built to last."
            " Every piece is checked by hand before it leaves us.</p>"
        )
    return {
        "product_id": product_id,
        "lang_code": language,
        "company_id": company_id,
        "product": name,
        "product_key": folded(name)[:KEY_LENGTH],
        "short_description": short,
        "full_description": full,
        "meta_keywords": "",
        "search_words": material,
    }


def search_row(code: str, text: Row) -> Row:
    """What searches find a product by in the language of its texts."""
    texts = {"product_code": code, **{name: text[name] for name in _SEARCHED}}
    keys = {"product_id": text["product_id"], "lang_code": text["lang_code"]}
    return {**keys, **searched(texts)}


def _places(
    product_id: int, leaf: Leaf, shelf: Shelf, chance: random.Random
) -> list[Row]:
    """The category of the product, and for every tenth a second one."""
    ids = {leaf.node.category_id}
    if chance.random() < 0.1:
        ids.add(chance.choice(shelf.leaves).node.category_id)
    first, *others = sorted(ids)
    place = {"product_id": product_id, "category_id": first, "position": 0}
    return [
        {**place, "first_id": None},
        *[{**place, "category_id": id, "first_id": first} for id in others],
    ]


def _prices(product_id: int, price: int, chance: random.Random) -> list[Row]:
    """For every eighth product: cheaper from 5 and from 20 pieces on."""
    if chance.random() > 0.125:
        return []
    return [
        {
            "product_id": product_id,
            "lower_limit": limit,
            "usergroup_id": 0,
            "price": price * per_cent // 100,
        }
        for limit, per_cent in ((5, 95), (20, 88))
    ]
