"""What the demo store sells: words in English and German, prices, weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

Words = tuple[str, str]
"""The same in English and in German."""


@dataclass(frozen=True, slots=True)
class Ware:
    """A type of product.

    Units: `price` in whole units of money, `weight` in grams, each from and to.
    """

    name: Words
    plural: Words
    code: str
    materials: str
    price: tuple[int, int]
    weight: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Department:
    """A branch of the category tree, and a store that sells nothing else."""

    name: Words
    wares: tuple[Ware, ...]


HARD = "oak walnut bamboo steel brass marble slate"
CLAY = "stoneware porcelain glass enamel terracotta"
CLOTH = "cotton linen wool hemp canvas"
GEAR = "nylon canvas steel aluminium titanium"
PAPER = "recycled cotton bamboo"

MATERIALS: Mapping[str, Words] = MappingProxyType(
    {
        "oak": ("oak", "Eiche"),
        "walnut": ("walnut", "Nussbaum"),
        "bamboo": ("bamboo", "Bambus"),
        "steel": ("stainless steel", "Edelstahl"),
        "brass": ("brass", "Messing"),
        "marble": ("marble", "Marmor"),
        "slate": ("slate", "Schiefer"),
        "stoneware": ("stoneware", "Steinzeug"),
        "porcelain": ("porcelain", "Porzellan"),
        "glass": ("glass", "Glas"),
        "enamel": ("enamel", "Emaille"),
        "terracotta": ("terracotta", "Terrakotta"),
        "cotton": ("organic cotton", "Biobaumwolle"),
        "linen": ("linen", "Leinen"),
        "wool": ("merino wool", "Merinowolle"),
        "hemp": ("hemp", "Hanf"),
        "canvas": ("waxed canvas", "gewachstem Segeltuch"),
        "nylon": ("ripstop nylon", "Ripstop-Nylon"),
        "aluminium": ("aluminium", "Aluminium"),
        "titanium": ("titanium", "Titan"),
        "recycled": ("recycled paper", "Recyclingpapier"),
    }
)

# Name in both languages, and the colour in which pictures are drawn.
COLOURS: tuple[tuple[str, str, str], ...] = (
    ("sand", "Sand", "#d8c3a0"),
    ("moss", "Moos", "#6b7d4a"),
    ("ocean", "Ozean", "#2f6f8f"),
    ("charcoal", "Anthrazit", "#3b3f44"),
    ("rust", "Rost", "#a4502f"),
    ("cream", "Creme", "#efe6d2"),
    ("plum", "Pflaume", "#6f3f5f"),
    ("mustard", "Senf", "#c79a2e"),
    ("sky", "Himmelblau", "#8fb8d6"),
    ("forest", "Tannengrün", "#2f5140"),
    ("brick", "Ziegelrot", "#9c3d33"),
    ("slate grey", "Schiefergrau", "#6f7880"),
)

BRANDS: tuple[str, ...] = (
    "Northmoor", "Alder & Finch", "Brightwater", "Copperleaf", "Duneline",
    "Eastbrook", "Fjordhus", "Gannet", "Hollow Oak", "Ironmill", "Juniper Row",
    "Kestrel", "Lindenhof", "Mossgate", "Nordlys", "Oakhaven", "Pebble & Pine",
    "Quillon", "Ravenscar", "Saltmarsh", "Thistledown", "Umberland", "Vasteras",
    "Wayfold", "Yarrow", "Zephyr Lane", "Bluestem", "Cairn", "Driftwood & Co",
    "Emberly", "Foxglove", "Greyfell", "Heathrow Mill", "Islay Works", "Jorvik",
    "Kilnbrook", "Larkspur", "Millbrae", "Netherby", "Osterley",
)  # fmt: skip

MODELS: tuple[str, ...] = (
    "Alba", "Birk", "Cove", "Dale", "Elm", "Fern", "Glen", "Holt", "Isla", "Juno",
    "Kava", "Loch", "Mira", "Nell", "Otto", "Pico", "Runa", "Skye", "Tarn", "Una",
    "Vale", "Wren", "Yara", "Zeno", "Arlo", "Brio", "Cato", "Dune", "Enzo", "Faro",
)  # fmt: skip

DEPARTMENTS: tuple[Department, ...] = (
    Department(
        ("Kitchen", "Küche"),
        (
            Ware(("mug", "Becher"), ("Mugs", "Becher"), "MUG", CLAY,
                 (8, 34), (240, 480)),
            Ware(("cutting board", "Schneidebrett"),
                 ("Cutting boards", "Schneidebretter"), "BRD", HARD,
                 (19, 95), (600, 3200)),
            Ware(("teapot", "Teekanne"), ("Teapots", "Teekannen"), "POT", CLAY,
                 (24, 120), (500, 1300)),
            Ware(("storage jar", "Vorratsdose"), ("Storage jars", "Vorratsdosen"),
                 "JAR", CLAY, (9, 45), (300, 1400)),
            Ware(("serving bowl", "Schüssel"), ("Bowls", "Schüsseln"), "BWL", CLAY,
                 (14, 70), (350, 1600)),
        ),
    ),
    Department(
        ("Living", "Wohnen"),
        (
            Ware(("cushion", "Kissen"), ("Cushions", "Kissen"), "CSH", CLOTH,
                 (18, 75), (300, 900)),
            Ware(("throw", "Wohndecke"), ("Throws", "Wohndecken"), "THR", CLOTH,
                 (39, 190), (700, 1900)),
            Ware(("vase", "Vase"), ("Vases", "Vasen"), "VAS", CLAY,
                 (15, 110), (400, 2600)),
            Ware(("candle holder", "Kerzenhalter"),
                 ("Candle holders", "Kerzenhalter"), "CDL", HARD,
                 (12, 68), (150, 1100)),
            Ware(("wall shelf", "Wandregal"), ("Wall shelves", "Wandregale"), "SHF",
                 HARD, (45, 240), (1500, 7800)),
        ),
    ),
    Department(
        ("Outdoor", "Draußen"),
        (
            Ware(("backpack", "Rucksack"), ("Backpacks", "Rucksäcke"), "BAG", GEAR,
                 (59, 260), (700, 2100)),
            Ware(("camp stove", "Campingkocher"), ("Camp stoves", "Campingkocher"),
                 "STV", GEAR, (35, 180), (90, 1200)),
            Ware(("water bottle", "Trinkflasche"),
                 ("Water bottles", "Trinkflaschen"), "BTL", GEAR,
                 (14, 55), (110, 480)),
            Ware(("hammock", "Hängematte"), ("Hammocks", "Hängematten"), "HMK",
                 CLOTH, (39, 160), (450, 2400)),
            Ware(("lantern", "Laterne"), ("Lanterns", "Laternen"), "LNT", GEAR,
                 (22, 130), (220, 1800)),
        ),
    ),
    Department(
        ("Clothing", "Kleidung"),
        (
            Ware(("shirt", "Hemd"), ("Shirts", "Hemden"), "SHT", CLOTH,
                 (35, 140), (180, 420)),
            Ware(("beanie", "Mütze"), ("Beanies", "Mützen"), "BNI", CLOTH,
                 (15, 55), (60, 160)),
            Ware(("scarf", "Schal"), ("Scarves", "Schals"), "SCF", CLOTH,
                 (22, 110), (120, 380)),
            Ware(("apron", "Schürze"), ("Aprons", "Schürzen"), "APR", CLOTH,
                 (25, 85), (250, 620)),
            Ware(("tote bag", "Stofftasche"), ("Tote bags", "Stofftaschen"), "TOT",
                 CLOTH, (12, 60), (120, 520)),
        ),
    ),
    Department(
        ("Desk", "Schreibtisch"),
        (
            Ware(("notebook", "Notizbuch"), ("Notebooks", "Notizbücher"), "NBK",
                 PAPER, (6, 32), (120, 520)),
            Ware(("pen tray", "Stiftschale"), ("Pen trays", "Stiftschalen"), "PEN",
                 HARD, (14, 65), (180, 900)),
            Ware(("desk lamp", "Schreibtischlampe"),
                 ("Desk lamps", "Schreibtischlampen"), "LMP", HARD,
                 (49, 320), (900, 3800)),
            Ware(("letter rack", "Briefständer"), ("Letter racks", "Briefständer"),
                 "LTR", HARD, (16, 80), (250, 1300)),
            Ware(("calendar", "Kalender"), ("Calendars", "Kalender"), "CAL", PAPER,
                 (9, 38), (150, 700)),
        ),
    ),
    Department(
        ("Garden", "Garten"),
        (
            Ware(("planter", "Pflanzgefäß"), ("Planters", "Pflanzgefäße"), "PLT",
                 CLAY, (14, 150), (800, 9500)),
            Ware(("watering can", "Gießkanne"), ("Watering cans", "Gießkannen"),
                 "WCN", GEAR, (18, 85), (500, 1900)),
            Ware(("bird house", "Vogelhaus"), ("Bird houses", "Vogelhäuser"), "BRH",
                 HARD, (22, 95), (600, 2800)),
            Ware(("garden stool", "Gartenhocker"),
                 ("Garden stools", "Gartenhocker"), "STL", HARD,
                 (55, 290), (2800, 9800)),
            Ware(("trowel", "Pflanzkelle"), ("Trowels", "Pflanzkellen"), "TRW",
                 GEAR, (9, 48), (180, 460)),
        ),
    ),
)  # fmt: skip

FIRST_NAMES: tuple[str, ...] = (
    "Ines", "Jonas", "Amara", "Luca", "Freya", "Mateo", "Hana", "Oskar", "Priya",
    "Emil", "Noor", "Felix", "Clara", "Tariq", "Maja", "Owen", "Lena", "Hugo",
    "Zofia", "Ruben", "Aisha", "Nils", "Elif", "Theo", "Greta", "Samir", "Ida",
    "Marek", "Alma", "Diego",
)  # fmt: skip

LAST_NAMES: tuple[str, ...] = (
    "Duarte", "Weber", "Okafor", "Rossi", "Lindqvist", "Morales", "Tanaka", "Berg",
    "Sharma", "Novak", "Haddad", "Keller", "Moreau", "Aziz", "Nielsen", "Byrne",
    "Fischer", "Lambert", "Kowalska", "Vos", "Rahman", "Dahl", "Yilmaz", "Papas",
    "Hoffmann", "Naser", "Sørensen", "Dvořák", "Costa", "Vega",
)  # fmt: skip

# City, country, and the beginning of its postal codes.
CITIES: tuple[tuple[str, str, str], ...] = (
    ("Porto", "PT", "4000"), ("Berlin", "DE", "10115"), ("Lyon", "FR", "69001"),
    ("Utrecht", "NL", "3511"), ("Graz", "AT", "8010"), ("Malmö", "SE", "21119"),
    ("Leeds", "GB", "LS1"), ("Brno", "CZ", "60200"), ("Turin", "IT", "10121"),
)  # fmt: skip

STREETS: tuple[str, ...] = (
    "Harbour Street", "Mill Lane", "Station Road", "Orchard Way", "Bridge Street",
    "Market Square", "Chapel Row", "Garden Terrace",
)  # fmt: skip
