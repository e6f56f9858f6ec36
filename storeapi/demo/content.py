"""Pages and blocks of the demo's companies."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from storeapi.core.database import Transaction
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.demo.words import Words
from storeapi.models import Block, BlockText, Page, PageText
from storeapi.rules.slugs import slug

Row = dict[str, Any]


class Leaflet(NamedTuple):
    """A page of a demo store; `above` is the place of its parent in the list."""

    name: Words
    text: Words
    page_type: str = "T"
    above: int | None = None
    link: str = ""


LEAFLETS = (
    Leaflet(("About us", "Über uns"),
            ("<p>A family business since 1987.</p>",
             "<p>Ein Familienbetrieb seit 1987.</p>")),
    Leaflet(("Help", "Hilfe"),
            ("<p>Answers to what customers ask.</p>",
             "<p>Antworten auf häufige Fragen.</p>")),
    Leaflet(("Delivery", "Lieferung"),
            ("<p>Two to four working days within Europe.</p>",
             "<p>Zwei bis vier Werktage innerhalb Europas.</p>"), above=1),
    Leaflet(("Returns", "Rückgabe"),
            ("<p>Thirty days, no questions asked.</p>",
             "<p>Dreißig Tage, ohne Angabe von Gründen.</p>"), above=1),
    Leaflet(("Parcel tracking", "Sendungsverfolgung"), ("", ""), "L", 2,
            "https://parcels.example/track"),
    Leaflet(("Our new workshop", "Unsere neue Werkstatt"),
            ("<p>We have moved.</p><!--CUT--><p>Twice the room, half the noise.</p>",
             "<p>Wir sind umgezogen.</p><!--CUT--><p>Doppelt so viel Platz.</p>"),
            "B"),
)  # fmt: skip


class Piece(NamedTuple):
    """A block of a demo store."""

    type: str
    name: Words
    properties: Row
    content: tuple[Row, Row] | None = None


PIECES = (
    Piece("html_block", ("Opening hours", "Öffnungszeiten"),
          {"template": "blocks/html_block.tpl"},
          ({"content": "<p>Monday to Friday, 9\u201318</p>"},
           {"content": "<p>Montag bis Freitag, 9\u201318 Uhr</p>"})),
    Piece("products", ("New arrivals", "Neuheiten"),
          {"template": "blocks/products/products.tpl", "item_quantity": "Y",
           "number_of_columns": "4"},
          ({"items": {"filling": "newest", "limit": "8"}},) * 2),
    Piece("breadcrumbs", ("Breadcrumbs", "Brotkrumen"),
          {"template": "common/breadcrumbs.tpl"}),
)  # fmt: skip


def publish(
    db: Transaction, company_id: int, languages: Sequence[str], now: int
) -> None:
    """Write the pages and blocks of one company."""
    _pages(db, company_id, languages, now)
    _blocks(db, company_id, languages)


def _pages(
    db: Transaction, company_id: int, languages: Sequence[str], now: int
) -> None:
    pages = table_of(Page)
    paths: list[str] = []
    texts: list[Row] = []
    for number, leaflet in enumerate(LEAFLETS):
        above = "" if leaflet.above is None else paths[leaflet.above]
        row = {
            "parent_id": int(above.rpartition("/")[2]) if above else None,
            "company_id": company_id,
            "page_type": leaflet.page_type,
            "position": number * 10,
            "timestamp": now,
            "seo_name": slug(leaflet.name[0]),
        }
        id = db.insert(pages, row)
        paths.append(f"{above}/{id}" if above else str(id))
        db.update(pages, {"page_id": id}, {"id_path": paths[-1]})
        for code in languages:
            name, text = (words[code == "de"] for words in (leaflet.name, leaflet.text))
            texts.append(
                {
                    "page_id": id,
                    "lang_code": code,
                    "page": name,
                    "page_key": folded(name),
                    "description": text,
                    "link": leaflet.link,
                }
            )
    db.insert_many(table_of(PageText), texts)


def _blocks(db: Transaction, company_id: int, languages: Sequence[str]) -> None:
    texts: list[Row] = []
    for piece in PIECES:
        properties = orjson.dumps(piece.properties).decode()
        row = {"company_id": company_id, "type": piece.type, "properties": properties}
        id = db.insert(table_of(Block), row)
        for code in languages:
            german = code == "de"
            content = piece.content and orjson.dumps(piece.content[german]).decode()
            texts.append(
                {
                    "block_id": id,
                    "lang_code": code,
                    "name": piece.name[german],
                    "name_key": folded(piece.name[german]),
                    "content": content or "",
                }
            )
    db.insert_many(table_of(BlockText), texts)
