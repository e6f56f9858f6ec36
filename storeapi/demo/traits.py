"""The features that a demo store describes its products by, in words."""

from dataclasses import dataclass

from storeapi.demo.words import BRANDS, COLOURS, DEPARTMENTS, MATERIALS, Words

CLOTHING = DEPARTMENTS[3]
"""The department whose products have sizes."""


@dataclass(frozen=True, slots=True)
class Trait:
    """A feature. Shapes: `colours` go with the variants; a group has no variants."""

    code: str
    feature_type: str
    name: Words
    variants: tuple[Words, ...] = ()
    purpose: str = ""
    suffix: Words = ("", "")
    colours: tuple[str, ...] = ()


def _alike(*names: str) -> tuple[Words, ...]:
    return tuple((name, name) for name in names)


# The group comes first: the others are in it.
TRAITS: tuple[Trait, ...] = (
    Trait("details", "G", ("Details", "Einzelheiten")),
    Trait("brand", "E", ("Brand", "Marke"), _alike(*BRANDS)),
    Trait(
        "colour", "S", ("Colour", "Farbe"),
        tuple((english, german) for english, german, _ in COLOURS),
        "group_catalog_item", colours=tuple(colour for _, _, colour in COLOURS),
    ),
    Trait("material", "S", ("Material", "Material"), tuple(MATERIALS.values())),
    Trait(
        "size", "S", ("Size", "Größe"), _alike("S", "M", "L", "XL"),
        "group_variation_catalog_item",
    ),
    Trait(
        "made-in", "S", ("Made in", "Hergestellt in"),
        (
            ("Portugal", "Portugal"), ("Germany", "Deutschland"),
            ("France", "Frankreich"), ("Italy", "Italien"), ("Sweden", "Schweden"),
            ("Great Britain", "Großbritannien"), ("Czechia", "Tschechien"),
        ),
    ),
    Trait(
        "guarantee", "N", ("Guarantee", "Garantie"), _alike("1", "2", "3", "5", "10"),
        suffix=("years", "Jahre"),
    ),
    Trait(
        "care", "M", ("Care", "Pflege"),
        (
            ("machine wash", "Maschinenwäsche"), ("hand wash", "Handwäsche"),
            ("wipe clean", "feucht abwischen"), ("dry clean", "chemische Reinigung"),
            ("dishwasher safe", "spülmaschinenfest"),
        ),
    ),
    Trait("height", "O", ("Height", "Höhe"), suffix=("cm", "cm")),
    Trait("designed", "D", ("Designed", "Entworfen")),
    Trait("packaging", "C", ("Plastic-free packaging", "Verpackung ohne Plastik")),
    Trait("note", "T", ("Good to know", "Gut zu wissen")),
)  # fmt: skip

NOTES: tuple[Words, ...] = (
    ("Small differences show that it was made by hand.",
     "Kleine Unterschiede zeigen, dass es von Hand gemacht ist."),
    ("Spare parts are kept for ten years.",
     "Ersatzteile gibt es zehn Jahre lang."),
    ("We take it back when it is worn out.",
     "Wir nehmen es zurück, wenn es ausgedient hat."),
)  # fmt: skip
