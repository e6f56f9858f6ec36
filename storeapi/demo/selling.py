"""Payment and shipping methods of the demo, and a status of its own."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from storeapi.core.database import Transaction
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.demo.words import Words
from storeapi.models import (
    Payment,
    PaymentText,
    Shipping,
    ShippingRate,
    ShippingText,
    Status,
    StatusText,
)
from storeapi.rules.shipping_rates import read_rates, stored_charges
from storeapi.rules.statuses import merged_params

Row = dict[str, Any]


class Method(NamedTuple):
    """A way to pay or to deliver, with its columns.

    Shapes: `texts` are columns of texts in English and German.
    """

    name: Words
    values: Row
    texts: dict[str, Words]
    charges: Row | None = None


PAYMENTS = (
    Method(("Invoice", "Rechnung"),
           {"payment_category": "tab3"},
           {"description": ("Within 14 days", "Innerhalb von 14 Tagen")}),
    Method(("Bank transfer", "\u00dcberweisung"),
           {"payment_category": "tab3", "position": 10, "a_surcharge": -1_000},
           {"surcharge_title": ("Discount", "Nachlass")}),
    Method(("Cash on delivery", "Nachnahme"),
           {"payment_category": "tab3", "position": 20, "a_surcharge": 4_500},
           {"surcharge_title": ("Cash fee", "Nachnahmegeb\u00fchr")}),
)  # fmt: skip
PICK_UP = ("Pick up", "Abholung")
SHIPPINGS = (
    Method(("Parcel", "Paket"), {},
           {"delivery_time": ("2-4 days", "2-4 Tage")},
           {"C": {"0": "4.9", "60": 0}, "W": {"10": 3}}),
    Method(("Express", "Express"), {"position": 10, "max_weight": 2_000},
           {"delivery_time": ("1 day", "1 Tag")},
           {"C": {"0": "12.5"}, "I": {"5": {"value": 1, "per_unit": "Y"}}}),
    Method(PICK_UP, {"position": 20},
           {"delivery_time": ("Tomorrow", "Morgen")}, {"C": {"0": 0}}),
)  # fmt: skip
HELD = ("On hold", "Zur\u00fcckgestellt")


def offer(
    db: Transaction, company_id: int, languages: Sequence[str], tax_id: int
) -> None:
    """Write the payment and shipping methods of one company."""
    owned = {"company_id": company_id, "tax_ids": str(tax_id)}
    for method in PAYMENTS:
        id = db.insert(table_of(Payment), {**owned, **method.values})
        texts = _texts(method, "payment", languages)
        db.insert_many(table_of(PaymentText), [{"payment_id": id, **t} for t in texts])
    for method in SHIPPINGS:
        id = db.insert(table_of(Shipping), {**owned, **method.values})
        texts = _texts(method, "shipping", languages)
        db.insert_many(
            table_of(ShippingText), [{"shipping_id": id, **t} for t in texts]
        )
        charges = read_rates({"rate_value": method.charges}) or {}
        for destination_id, rows in charges.items():
            db.insert(
                table_of(ShippingRate),
                {
                    "shipping_id": id,
                    "destination_id": destination_id,
                    "rate_value": stored_charges(rows),
                },
            )


def _texts(method: Method, column: str, languages: Sequence[str]) -> list[Row]:
    rows = []
    for code in languages:
        german = code == "de"
        name = method.name[german]
        texts = {column: words[german] for column, words in method.texts.items()}
        rows.append(
            {"lang_code": code, column: name, f"{column}_key": folded(name), **texts}
        )
    return rows


def hold(db: Transaction, languages: Sequence[str]) -> None:
    """Write a status that the shop has made for itself."""
    params = merged_params({"color": "#8866aa", "notify": "Y"}, None)
    id = db.insert(table_of(Status), {"status": "H", "params": params})
    names = {code: HELD[code == "de"] for code in languages}
    db.insert_many(
        table_of(StatusText),
        [
            {
                "status_id": id,
                "lang_code": code,
                "description": name,
                "description_key": folded(name),
            }
            for code, name in names.items()
        ],
    )
