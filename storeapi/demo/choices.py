"""What customers choose in a demo store: the options of some products."""

from collections.abc import Container, Sequence
from itertools import product
from typing import Any

from storeapi.core.database import Transaction
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.demo.goods import Goods
from storeapi.demo.words import Words
from storeapi.models import (
    Combination,
    CombinationVariant,
    ExceptionVariant,
    Option,
    OptionException,
    OptionText,
    OptionVariant,
    OptionVariantText,
    ProductOption,
)
from storeapi.rules.choice_texts import choice_text, free_hash

EVERY = 8
"""Each of so many of the first products has options."""

_SIZE: tuple[Words, ...] = (("small", "klein"), ("medium", "mittel"), ("large", "groß"))
_FINISH: tuple[Words, ...] = (("natural", "natur"), ("waxed", "gewachst"))
_WRAPPED: tuple[Words, ...] = (("no", "nein"), ("yes", "ja"))
_PRICES = {"large": 6_000, "waxed": 4_500, "yes": 3_900}
_FORBIDDEN = ("small", "waxed")

Row = dict[str, Any]


def offer_choices(
    db: Transaction,
    goods: Sequence[Goods],
    languages: Sequence[str],
    offers: Container[int],
) -> None:
    """Write options, combinations and a forbidden one for some of the products.

    Those that are `offers` have the options of their common products.
    """
    wrapping = _option(db, ("Gift wrapping", "Geschenkpapier"), _WRAPPED, languages)
    own = (e for e in goods[::EVERY] if e.product["product_id"] not in offers)
    for each in own:
        _offer(db, each.product, wrapping[0], languages)


def _offer(db: Transaction, row: Row, wrapping: int, languages: Sequence[str]) -> None:
    product_id = row["product_id"]
    db.insert(
        table_of(ProductOption), {"product_id": product_id, "option_id": wrapping}
    )
    sizes = _option(db, ("Size", "Größe"), _SIZE, languages, of=row)
    finishes = _option(db, ("Finish", "Oberfläche"), _FINISH, languages, of=row)
    for position, (size, finish) in enumerate(product(_SIZE, _FINISH)):
        choice = {
            sizes[0]: sizes[1][size[0]],
            finishes[0]: finishes[1][finish[0]],
        }
        _combination(db, row, choice, position)
        if (size[0], finish[0]) == _FORBIDDEN:
            _exception(db, product_id, choice)


def _option(
    db: Transaction,
    name: Words,
    variants: Sequence[Words],
    languages: Sequence[str],
    *,
    of: Row | None = None,
) -> tuple[int, dict[str, int]]:
    """Write an option of a product, or a check box for all; returns its IDs."""
    row = {
        "product_id": None if of is None else of["product_id"],
        "company_id": 0 if of is None else of["company_id"],
        "option_type": "C" if of is None else "S",
        "inventory": "N" if of is None else "Y",
    }
    id = db.insert(table_of(Option), row)
    texts = [
        {
            "option_id": id,
            "lang_code": code,
            "option_name": name[code == "de"],
            "option_name_key": folded(name[code == "de"]),
        }
        for code in languages
    ]
    db.insert_many(table_of(OptionText), texts)
    return id, _variants(db, id, variants, languages)


def _variants(
    db: Transaction, id: int, variants: Sequence[Words], languages: Sequence[str]
) -> dict[str, int]:
    found = {}
    for position, words in enumerate(variants):
        variant = {"option_id": id, "position": position * 10}
        variant["modifier"] = _PRICES.get(words[0], 0)
        found[words[0]] = db.insert(table_of(OptionVariant), variant)
    names = [
        {
            "variant_id": found[words[0]],
            "lang_code": code,
            "variant_name": words[code == "de"],
        }
        for words in variants
        for code in languages
    ]
    db.insert_many(table_of(OptionVariantText), names)
    return found


def _combination(
    db: Transaction, row: Row, choice: dict[int, int], position: int
) -> None:
    text = choice_text(choice)
    key = free_hash(db, row["product_id"], text)
    combination = {
        "combination_hash": key,
        "product_id": row["product_id"],
        "choice": text,
        "product_code": f"{row['product_code']}-{position + 1}",
        "amount": row["amount"] // (position + 2),
        "position": position * 10,
    }
    db.insert(table_of(Combination), combination)
    db.insert_many(
        table_of(CombinationVariant),
        [
            {"combination_hash": key, "option_id": option, "variant_id": variant}
            for option, variant in choice.items()
        ],
    )


def _exception(db: Transaction, product_id: int, choice: dict[int, int]) -> None:
    row = {"product_id": product_id, "choice": choice_text(choice)}
    id = db.insert(table_of(OptionException), row)
    db.insert_many(
        table_of(ExceptionVariant),
        [
            {"exception_id": id, "option_id": option, "variant_id": variant}
            for option, variant in choice.items()
        ],
    )
