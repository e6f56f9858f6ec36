"""The settings that the server itself declares.

Those that are named by a constant act on the server; the others are kept for the
clients that ask for them.
Source: spec/entities/settings.md, the suggested set.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any
from zoneinfo import available_timezones

from sqlalchemy import select

from storeapi.core.database import Connection
from storeapi.core.kinds import Code, Decimal, Email, Integer, Text
from storeapi.core.setting import Setting, Variants
from storeapi.core.statement import query
from storeapi.models import Language

_ANY_COMPANY = "ROOT,VENDOR"
_ANY_STORE = "ROOT,ULT:VENDOR"
_NUMBER = Integer(minimum=1)
_AMOUNT = Decimal(2, minimum=0)

_LANGUAGES = query(
    select(Language.lang_code, Language.name)
    .where(Language.status == "A")
    .order_by(Language.lang_id)
)


def active_languages(db: Connection) -> Variants:
    """The active languages, code to name.

    Source: spec/entities/settings.md, rule 4.
    """
    return dict(db.rows(_LANGUAGES))


@cache
def _zones() -> Variants:
    names = sorted(available_timezones())
    return MappingProxyType({name: name.replace("_", " ") for name in names})


def time_zones(_db: Connection) -> Variants:
    """The zones of the database of time zones."""
    return _zones()


DEFAULT_TRACKING = Setting(
    section="General", name="default_tracking", label="Stock of new products",
    labels={"de": "Bestand neuer Produkte"}, type="S", default="B", position=20,
    variants={"B": "Track", "O": "Track by options", "D": "Do not track"},
    edition=_ANY_STORE,
)  # fmt: skip
BACKEND_DEFAULT_LANGUAGE = Setting(
    section="Appearance", name="backend_default_language",
    label="Backend default language", labels={"de": "Standardsprache der Verwaltung"},
    type="S", variants=active_languages, environment="default_language", position=10,
    tooltip="The language of texts without lang_code",
)  # fmt: skip
FRONTEND_DEFAULT_LANGUAGE = Setting(
    section="Appearance", name="frontend_default_language",
    label="Frontend default language", labels={"de": "Standardsprache des Ladens"},
    type="S", variants=active_languages, environment="default_language", position=20,
    edition=_ANY_STORE,
)  # fmt: skip
ADMIN_ELEMENTS_PER_PAGE = Setting(
    section="Appearance", name="admin_elements_per_page", label="Elements per page",
    labels={"de": "Einträge je Seite"}, kind=_NUMBER, environment="items_per_page",
    position=30, edition=_ANY_COMPANY,
)  # fmt: skip
TIMEZONE = Setting(
    section="Appearance", name="timezone", label="Time zone",
    labels={"de": "Zeitzone"}, type="S", variants=time_zones, position=40,
    environment="time_zone", edition=_ANY_COMPANY,
)  # fmt: skip
APPROVE_AUTOMATICALLY = Setting(
    section="Reviews", name="approve_automatically",
    label="Approve reviews automatically",
    labels={"de": "Bewertungen sofort freigeben"}, type="C", default="N", position=20,
    edition=_ANY_STORE,
)  # fmt: skip
PRODUCT_COMMENT_TYPE = Setting(
    section="Reviews", name="product_comment_type", label="Reviews of products",
    labels={"de": "Bewertungen von Produkten"}, type="S", default="B", position=10,
    variants={"B": "Text and rating", "C": "Text", "R": "Rating", "D": "Disabled"},
    edition=_ANY_STORE,
)  # fmt: skip

SEVERAL_SHIPMENTS = Setting(
    section="General", name="use_shipments", label="Several shipments per order",
    labels={"de": "Mehrere Sendungen je Bestellung"}, type="C", default="Y",
    position=50, edition=_ANY_STORE,
)  # fmt: skip

_GENERAL = (
    Setting(
        section="General", name="use_email_as_login", label="Sign in with the e-mail",
        labels={"de": "Mit der E-Mail-Adresse anmelden"}, type="C", default="Y",
        position=10,
    ),
    DEFAULT_TRACKING,
    Setting(
        section="General", name="inventory_tracking", label="Track stock",
        labels={"de": "Bestand führen"}, type="C", default="Y", position=30,
        edition=_ANY_STORE,
    ),
    Setting(
        section="General", name="allow_negative_amount", label="Sell beyond the stock",
        labels={"de": "Über den Bestand verkaufen"}, type="C", default="N",
        position=40, parent="inventory_tracking", edition=_ANY_STORE,
    ),
    SEVERAL_SHIPMENTS,
)  # fmt: skip
_APPEARANCE = (
    BACKEND_DEFAULT_LANGUAGE,
    FRONTEND_DEFAULT_LANGUAGE,
    ADMIN_ELEMENTS_PER_PAGE,
    TIMEZONE,
    Setting(
        section="Appearance", name="date_format", label="Date format",
        labels={"de": "Datumsformat"}, type="S", default="%Y-%m-%d", position=50,
        variants={
            "%Y-%m-%d": "year-month-day", "%d/%m/%Y": "day/month/year",
            "%m/%d/%Y": "month/day/year", "%d.%m.%Y": "day.month.year",
        },
        edition=_ANY_STORE,
    ),
)  # fmt: skip
_CHECKOUT = (
    Setting(
        section="Checkout", name="min_order_amount", label="Least amount of an order",
        labels={"de": "Mindestbestellwert"}, kind=_AMOUNT, default="0.00", position=10,
        edition=_ANY_COMPANY,
    ),
    Setting(
        section="Checkout", name="tax_calculation", label="Tax is computed from",
        labels={"de": "Steuer wird berechnet aus"}, type="S", default="subtotal",
        variants={"subtotal": "Subtotal", "unit_price": "Unit price"}, position=20,
    ),
    Setting(
        section="Checkout", name="default_country", label="Default country",
        labels={"de": "Vorgegebenes Land"}, type="X", position=30, edition=_ANY_STORE,
    ),
    Setting(
        section="Checkout", name="default_state", label="Default state",
        labels={"de": "Vorgegebenes Bundesland"}, type="W", position=40,
        parent="default_country", edition=_ANY_STORE,
    ),
    Setting(
        section="Checkout", name="default_zipcode", label="Default zip code",
        labels={"de": "Vorgegebene Postleitzahl"}, position=50, edition=_ANY_STORE,
    ),
)  # fmt: skip
_CODE = Code(upper=True, blank=True)
_ADDRESS = Email(blank=True)
_COMPANY_DATA: tuple[tuple[str, str, str, Text], ...] = (
    ("company_name", "Company name", "I", Text(maxlength=255)),
    ("company_address", "Address", "I", Text(maxlength=255)),
    ("company_city", "City", "I", Text(maxlength=255)),
    ("company_country", "Country", "X", _CODE),
    ("company_state", "State", "W", Text(maxlength=255)),
    ("company_zipcode", "Zip code", "I", Text(maxlength=32)),
    ("company_phone", "Phone", "I", Text(maxlength=64)),
    ("company_phone_2", "Second phone", "I", Text(maxlength=64)),
    ("company_fax", "Fax", "I", Text(maxlength=64)),
    ("company_website", "Web site", "I", Text(maxlength=255)),
    ("company_start_year", "Year of the beginning", "I", Text(maxlength=16)),
    ("company_users_department", "E-mail for users", "I", _ADDRESS),
    ("company_site_administrator", "E-mail of the administrator", "I", _ADDRESS),
    ("company_orders_department", "E-mail for orders", "I", _ADDRESS),
    ("company_support_department", "E-mail for support", "I", _ADDRESS),
    ("company_newsletter_email", "E-mail of the newsletter", "I", _ADDRESS),
)


def _company_data() -> Iterator[Setting]:
    """The company data; a store keeps its own in its record.

    Source: spec/entities/stores.md, rule 9.
    """
    for number, (name, label, letter, kind) in enumerate(_COMPANY_DATA, 1):
        yield Setting(
            section="Company", name=name, label=label, type=letter, kind=kind,
            position=10 * number, edition=_ANY_STORE, column=name,
        )  # fmt: skip


COMPANY_DATA_SETTINGS: Mapping[str, Setting] = {
    each.name: each for each in _company_data()
}
"""The company data, by name."""


def _mail() -> Iterator[Setting]:
    """How mail is sent."""
    yield Setting(
        section="Emails", name="mailer_send_method", label="Method of sending",
        labels={"de": "Versandart"}, type="S", default="mail", position=10,
        variants={"smtp": "SMTP server", "mail": "Local mail", "sendmail": "sendmail"},
    )  # fmt: skip
    yield _smtp("mailer_smtp", "SMTP server", 20, type="H")
    yield _smtp("mailer_smtp_host", "Host", 30)
    yield _smtp("mailer_smtp_port", "Port", 40, default="25", kind=_NUMBER)
    yield _smtp("mailer_smtp_auth", "Sign in", 50, type="C", default="N")
    yield _smtp("mailer_smtp_username", "User name", 60, parent="mailer_smtp_auth")
    yield _smtp("mailer_smtp_password", "Password", 70, type="P",
               parent="mailer_smtp_auth")  # fmt: skip


def _smtp(name: str, label: str, position: int, **more: Any) -> Setting:
    return Setting(
        section="Emails", tab="smtp", name=name, label=label, position=position,
        **more,
    )  # fmt: skip


SETTINGS: tuple[Setting, ...] = (
    *_GENERAL,
    *_APPEARANCE,
    *_CHECKOUT,
    *COMPANY_DATA_SETTINGS.values(),
    *_mail(),
    PRODUCT_COMMENT_TYPE,
    APPROVE_AUTOMATICALLY,
)
