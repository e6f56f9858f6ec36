"""The features of a demo store: what they are, and the values that products have."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from storeapi.core.database import Transaction
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.demo.traits import NOTES, TRAITS, Trait
from storeapi.demo.words import MATERIALS
from storeapi.models import (
    Feature,
    FeatureCategory,
    FeatureText,
    FeatureVariant,
    FeatureVariantText,
)
from storeapi.models.catalog.features import VALUE_SCALE
from storeapi.rules.features import look_of
from storeapi.rules.slugs import slug
from storeapi.seeding import advance, largest

Row = dict[str, Any]

_DAY_S = 24 * 3600
_STEP = 10
_DESIGNED_DAYS = 3000
_PLACES = {trait.code: len(trait.variants) for trait in TRAITS}
_MATERIALS = {name: place for place, name in enumerate(MATERIALS)}
_CLOTH = frozenset(("cotton", "linen", "wool", "hemp", "canvas", "nylon"))
# Places among the labels of care.
_CARE_OF_CLOTH, _CARE_OF_GOODS = (0, 1, 3), (2, 4)


@dataclass(frozen=True, slots=True)
class Properties:
    """The IDs of features by their code, and of their variants in order."""

    features: dict[str, int]
    variants: dict[str, tuple[int, ...]]


class Looks(NamedTuple):
    """What is known of a product when its values are made.

    Shapes: `brand` and `colour` are places in the lists of words.
    Units: `now` in UNIX seconds.
    """

    product_id: int
    brand: int
    material: str
    colour: int
    worn: bool
    now: int


def define(
    db: Transaction, languages: Sequence[str], worn_in: Sequence[int]
) -> Properties:
    """Write the features that all companies use.

    Shapes: `worn_in` are the categories in which products have sizes.
    """
    first = largest(db, table_of(Feature)) + 1
    found = Properties({}, {})
    next_variant = largest(db, table_of(FeatureVariant)) + 1
    for number, trait in enumerate(TRAITS):
        id = first + number
        found.features[trait.code] = id
        db.insert(table_of(Feature), _feature(id, trait, number, found))
        db.insert_many(
            table_of(FeatureText),
            [_feature_text(id, trait, code) for code in languages],
        )
        ids = range(next_variant, next_variant + len(trait.variants))
        next_variant = ids.stop
        found.variants[trait.code] = tuple(ids)
        _variants(db, trait, id, ids, languages)
    db.insert_many(
        table_of(FeatureCategory),
        [
            {"feature_id": found.features["size"], "category_id": category}
            for category in worn_in
        ],
    )
    advance(db, table_of(Feature))
    advance(db, table_of(FeatureVariant))
    return found


def _feature(id: int, trait: Trait, number: int, found: Properties) -> Row:
    grouped = trait.feature_type != "G"
    return {
        "feature_id": id,
        "feature_code": trait.code,
        "company_id": 0,
        "feature_type": trait.feature_type,
        "parent_id": found.features[TRAITS[0].code] if grouped else None,
        "position": number * _STEP,
        "display_on_product": "Y",
        "display_on_catalog": "Y" if trait.feature_type == "E" else "N",
        **look_of(trait.feature_type, trait.purpose)._asdict(),
    }


def _feature_text(id: int, trait: Trait, code: str) -> Row:
    name = trait.name[code == "de"]
    return {
        "feature_id": id,
        "lang_code": code,
        "description": name,
        "description_key": folded(name),
        "internal_name": trait.name[0],
        "suffix": trait.suffix[code == "de"],
    }


def _variants(
    db: Transaction, trait: Trait, id: int, ids: range, languages: Sequence[str]
) -> None:
    numbered = trait.feature_type == "N"
    rows = [
        {
            "variant_id": variant_id,
            "feature_id": id,
            "position": place * _STEP,
            "value_int": int(words[0]) * VALUE_SCALE if numbered else None,
            "color": trait.colours[place] if trait.colours else None,
            "seo_name": slug(words[0]) if trait.feature_type == "E" else None,
        }
        for place, (variant_id, words) in enumerate(
            zip(ids, trait.variants, strict=True)
        )
    ]
    db.insert_many(table_of(FeatureVariant), rows)
    texts = [
        {
            "variant_id": variant_id,
            "lang_code": code,
            "variant": words[code == "de"],
            "variant_key": folded(words[code == "de"]),
        }
        for variant_id, words in zip(ids, trait.variants, strict=True)
        for code in languages
    ]
    db.insert_many(table_of(FeatureVariantText), texts)


def values(looks: Looks, known: Properties, chance: random.Random) -> list[Row]:
    """The values of a product: one of each feature, and of some care labels two."""
    labels = _CARE_OF_CLOTH if looks.material in _CLOTH else _CARE_OF_GOODS
    chosen = {
        ("brand", looks.brand),
        ("colour", looks.colour),
        ("material", _MATERIALS[looks.material]),
        ("care", labels[0]),
        ("care", labels[_any(len(labels), chance)]),
        *((code, _any(_PLACES[code], chance)) for code in ("made-in", "guarantee")),
    }
    if looks.worn:
        chosen.add(("size", _any(_PLACES["size"], chance)))
    rows = []
    for code, place in sorted(chosen):
        row = _value(looks, known.features[code])
        row["slot"] = row["variant_id"] = known.variants[code][place]
        rows.append(row)
    today = looks.now - looks.now % _DAY_S
    for code, name, value in (
        ("packaging", "value", "N" if chance.random() < 0.3 else "Y"),
        ("height", "value_int", (4 + _any(60, chance)) * VALUE_SCALE),
        ("designed", "value_int",
         (today - _any(_DESIGNED_DAYS, chance) * _DAY_S) * VALUE_SCALE),
    ):  # fmt: skip
        rows.append({**_value(looks, known.features[code]), name: value})
    if looks.product_id % 10 == 0:
        rows.append(_value(looks, known.features["note"]))
    return rows


def _any(number: int, chance: random.Random) -> int:
    """One of the first numbers; faster than `randrange`, and good enough here."""
    return int(chance.random() * number)


def _value(looks: Looks, feature_id: int) -> Row:
    return {
        "product_id": looks.product_id,
        "feature_id": feature_id,
        "slot": 0,
        "variant_id": None,
        "value": "",
        "value_int": None,
    }


def notes(looks: Looks, known: Properties, languages: Sequence[str]) -> list[Row]:
    """The texts of the product's note, if it has one."""
    if looks.product_id % 10:
        return []
    words = NOTES[looks.product_id // 10 % len(NOTES)]
    key = {"product_id": looks.product_id, "feature_id": known.features["note"]}
    return [
        {**key, "lang_code": code, "value": words[code == "de"]} for code in languages
    ]
