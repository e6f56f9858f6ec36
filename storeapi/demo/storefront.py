"""What a demo store says on its storefronts, and how its companies are set."""

from collections.abc import Sequence
from typing import Any

from storeapi.core.database import Transaction
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.models import Langvar, LangvarText, SettingValue
from storeapi.seeding import advance, largest

# Name: English, German.
LANGVARS = (
    ("404", "This page does not exist", "Diese Seite gibt es nicht"),
    ("add_to_basket", "Add to basket", "In den Warenkorb"),
    ("all_prices_with_tax", "All prices include VAT", "Alle Preise mit MwSt."),
    ("amount_left", "Only [n] left", "Nur noch [n] da"),
    ("basket_empty", "Your basket is empty", "Ihr Warenkorb ist leer"),
    ("call_me_back", "Call me back", "Rufen Sie mich zurück"),
    ("checkout_hint", "Almost done", "Fast fertig"),
    ("compare", "Compare", "Vergleichen"),
    ("contact_us", "Contact us", "Kontakt"),
    ("delivery_days", "Delivered in [n] days", "Geliefert in [n] Tagen"),
    ("free_delivery", "Free delivery", "Versand kostenlos"),
    ("gift_wrapping", "Wrap as a gift", "Als Geschenk einpacken"),
    ("in_stock", "In stock", "Auf Lager"),
    ("most_loved", "Most loved", "Am beliebtesten"),
    ("new_here", "New here", "Neu bei uns"),
    ("newsletter_hint", "One letter a month, no more", "Ein Brief im Monat"),
    ("no_reviews", "Nobody has said anything yet", "Noch hat niemand etwas gesagt"),
    ("order_placed", "Thank you! Your order is <b>[id]</b>",
     "Danke! Ihre Bestellung ist <b>[id]</b>"),
    ("out_of_stock", "Sold out", "Ausverkauft"),
    ("pay_now", "Pay now", "Jetzt bezahlen"),
    ("privileges.manage_users", "Manage users", "Benutzer verwalten"),
    ("proceed", "Proceed", "Weiter"),
    ("returns_30_days", "30 days to return", "30 Tage Rückgabe"),
    ("search_hint", "What are you looking for?", "Was suchen Sie?"),
    ("ship_to", "Ship to", "Liefern an"),
    ("sign_in", "Sign in", "Anmelden"),
    ("similar_products", "Similar products", "Ähnliche Produkte"),
    ("sort_by_price", "By price", "Nach Preis"),
    ("write_review", "Write a review", "Bewertung schreiben"),
    ("your_basket", "Your basket", "Ihr Warenkorb"),
)  # fmt: skip

# Number of the company, 0 for the shop: section, name, value.
_VALUES = (
    (0, "Checkout", "default_country", "PT"),
    (0, "Company", "company_name", "Harbour & Hearth"),
    (0, "Company", "company_country", "PT"),
    (0, "Reviews", "product_comment_type", "B"),
    (2, "Appearance", "timezone", "Europe/London"),
    (2, "Appearance", "date_format", "%d/%m/%Y"),
    (2, "Checkout", "default_country", "GB"),
    (3, "Appearance", "timezone", "Europe/Berlin"),
    (3, "Appearance", "frontend_default_language", "de"),
    (3, "Appearance", "date_format", "%d.%m.%Y"),
    (3, "Checkout", "default_country", "DE"),
    (4, "Appearance", "timezone", "Europe/Paris"),
    (4, "Checkout", "min_order_amount", "20.00"),
)


def label(db: Transaction, languages: Sequence[str]) -> None:
    """Write the language variables, in German where that is installed."""
    first = largest(db, table_of(Langvar)) + 1
    rows = list(enumerate(LANGVARS, first))
    names = [{"langvar_id": id, "name": name} for id, (name, _, _) in rows]
    db.insert_many(table_of(Langvar), names)
    advance(db, table_of(Langvar))
    db.insert_many(
        table_of(LangvarText),
        [
            {"langvar_id": id, "lang_code": code, **_texts(german, english, code)}
            for id, (_, english, german) in rows
            for code in languages
        ],
    )


def _texts(german: str, english: str, code: str) -> dict[str, Any]:
    value = german if code == "de" else english
    return {"value": value, "value_key": folded(value)}


def adjust(db: Transaction, companies: Sequence[int]) -> None:
    """Give some settings values."""
    owners = (0, *companies)
    db.insert_many(
        table_of(SettingValue),
        [
            {"company_id": owners[number], "section": section, "name": name,
             "value": value}
            for number, section, name, value in _VALUES
        ],
    )  # fmt: skip
