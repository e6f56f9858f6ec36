"""Values of settings: what is stored for the shop and its companies, and in force.

Nothing is kept in memory, so that a change acts on the next request of every
process. What each request needs comes with the statement that finds its caller.
Source: spec/entities/settings.md, rules 2 and 3.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, bindparam, func, literal, select

from config.settings import Settings
from storeapi.core.access import Installation
from storeapi.core.database import Connection, Transaction
from storeapi.core.rows import table_of
from storeapi.core.setting import Setting
from storeapi.core.statement import query
from storeapi.models import Company, Language, SettingName, SettingValue
from storeapi.rules.companies import COMPANY_DATA, STORE
from storeapi.rules.store_settings import (
    ADMIN_ELEMENTS_PER_PAGE,
    BACKEND_DEFAULT_LANGUAGE,
    FRONTEND_DEFAULT_LANGUAGE,
    TIMEZONE,
)

WHOLE_SHOP = 0
_EVERYDAY = (BACKEND_DEFAULT_LANGUAGE, ADMIN_ELEMENTS_PER_PAGE, TIMEZONE)
_VALUES = table_of(SettingValue)
_COMPANIES = table_of(Company)

_ONE = query(
    select(SettingValue.value)
    .where(
        SettingValue.section == bindparam("section", required=True),
        SettingValue.name == bindparam("name", required=True),
        SettingValue.company_id.in_(bindparam("companies", expanding=True)),
    )
    .order_by(SettingValue.company_id.desc())
)
# The number is there before any value, so it can be held where none is stored.
_HELD = query(
    select(SettingName.number)
    .where(
        SettingName.kind == "O",
        SettingName.section == bindparam("section", required=True),
        SettingName.name == bindparam("name", required=True),
    )
    .with_for_update()
)
_STORED = query(
    select(SettingValue.value).where(
        SettingValue.section == bindparam("section", required=True),
        SettingValue.name == bindparam("name", required=True),
        SettingValue.company_id == bindparam("company_id", required=True),
    )
)
_ALL = query(
    select(
        SettingValue.section,
        SettingValue.name,
        SettingValue.value,
    )
    .where(SettingValue.company_id.in_(bindparam("companies", expanding=True)))
    .order_by(SettingValue.company_id)
)
_DATA = select(*[getattr(Company, name) for name in COMPANY_DATA]).where(
    Company.company_id == bindparam("id", required=True), Company.kind == STORE
)
_DATA_OF_STORE = query(_DATA)
_DATA_HELD = query(_DATA.with_for_update())
_IS_INSTALLED = query(
    select(Language.lang_id).where(
        Language.lang_code == bindparam("code", required=True)
    )
)


def everyday(company: Any) -> ScalarSelect[str]:
    """The stored values that every request needs, as a subquery of one text.

    `company` is the column, or number, of the company whose values are wanted.
    """
    line = SettingValue.name + literal("=") + SettingValue.value
    return (
        select(func.aggregate_strings(line, "\n"))
        .where(
            SettingValue.company_id == company,
            SettingValue.section == TIMEZONE.section,
            SettingValue.name.in_([setting.name for setting in _EVERYDAY]),
        )
        .scalar_subquery()
    )


@lru_cache(maxsize=1024)
def installation(
    default_language: str,
    languages: str | None,
    company: int | None,
    *stored: str | None,
) -> Installation:
    """What a request has to know of the shop.

    Shapes: `default_language` is that of the environment; `languages` a comma list
    of the installed codes; `stored` what `everyday` has read: of the shop, then of
    the caller's company.
    """
    installed = set((languages or "").split(",")) - {""}
    found: dict[str, str] = {}
    for text in stored:
        for line in (text or "").split("\n"):
            name, _, value = line.partition("=")
            found[name] = value
    default = found.get(BACKEND_DEFAULT_LANGUAGE.name, "")
    if default not in installed:
        default = default_language
    return Installation(
        (default, *sorted(installed - {default})),
        company or 0,
        found.get(TIMEZONE.name, ""),
        int(found.get(ADMIN_ELEMENTS_PER_PAGE.name, 0)),
    )


def setting_value(
    db: Connection, environment: Settings, setting: Setting, company_id: int = 0
) -> str:
    """The value of a setting that is in force for a company, or the whole shop.

    A company's own value hides the shop's stored one, and that the default.
    """
    if setting.column and company_id:
        own = company_data(db, company_id).get(setting.column)
        if own:
            return own
    companies = sorted({WHOLE_SHOP, company_id})
    section, name = setting.key
    stored = db.value(_ONE, section=section, name=name, companies=companies)
    return setting.fallback(environment) if stored is None else str(stored)


def in_force(setting: Setting) -> ColumnElement[Any]:
    """The stored value of a setting that is in force for a row of `companies`.

    An expression, for statements that read the company anyway. Company data are ""
    where neither the store nor the shop has any; another value is null then.
    """
    section, name = setting.key
    own, shops = (
        select(SettingValue.value)
        .where(
            SettingValue.section == section,
            SettingValue.name == name,
            SettingValue.company_id == company_id,
        )
        .scalar_subquery()
        for company_id in (Company.company_id, WHOLE_SHOP)
    )
    if not setting.column:
        return func.coalesce(own, shops)
    column = getattr(Company, setting.column)
    return func.coalesce(func.nullif(column, ""), shops, "")


def default_language(db: Connection, environment: Settings) -> str:
    """The backend's default language, as it is now.

    Inside a transaction that holds the languages it stays so.
    """
    code = setting_value(db, environment, BACKEND_DEFAULT_LANGUAGE)
    found = db.value(_IS_INSTALLED, code=code)
    return environment.default_language if found is None else code


def values_in_force(
    db: Connection, environment: Settings, settings: Iterable[Setting], company_id: int
) -> dict[tuple[str, str], str]:
    """The values of many settings for a company, or the whole shop (0)."""
    companies = sorted({WHOLE_SHOP, company_id})
    rows = db.rows(_ALL, companies=companies)
    stored = {(section, name): value for section, name, value in rows}
    own = company_data(db, company_id) if company_id else {}
    return {
        setting.key: own.get(setting.column)
        or stored.get(setting.key, setting.fallback(environment))
        for setting in settings
    }


def company_data(db: Connection, company_id: int) -> dict[str, str]:
    """The company data of a store, by column; nothing for other companies.

    Source: spec/entities/stores.md, rule 9.
    """
    row = db.row(_DATA_OF_STORE, id=company_id) or ()
    return dict(zip(COMPANY_DATA, row, strict=False))


def hold_value(db: Transaction, setting: Setting) -> None:
    """Hold the values of a setting, stored or not, until the commit."""
    section, name = setting.key
    db.rows(_HELD, section=section, name=name)


def store_value(
    db: Transaction, setting: Setting, company_id: int, value: str | None
) -> str | None:
    """Store a value, or remove it; returns the one that was stored before.

    The setting has its number, and is held from here on.
    """
    hold_value(db, setting)
    if setting.column and company_id:
        return _store_in_company(db, setting.column, company_id, value or "")
    section, name = setting.key
    key = {"section": section, "name": name, "company_id": company_id}
    before: str | None = db.value(_STORED, **key)
    if value == before:
        return before
    if value is None:
        db.delete(_VALUES, key)
    elif before is not None:
        db.update(_VALUES, key, {"value": value})
    else:
        db.insert(_VALUES, {**key, "value": value})
    return before


def _store_in_company(
    db: Transaction, column: str, company_id: int, value: str
) -> str | None:
    row = db.row(_DATA_HELD, id=company_id) or ()
    before = dict(zip(COMPANY_DATA, row, strict=False)).get(column, "")
    if value != before:
        db.update(_COMPANIES, {"company_id": company_id}, {column: value})
    return before or None


def follow_language(db: Transaction, old: str, new: str | None) -> None:
    """Let settings that name a language follow its new code, or forget it."""
    section, name = FRONTEND_DEFAULT_LANGUAGE.key
    key: Mapping[str, Any] = {"section": section, "name": name, "value": old}
    if new is None:
        db.delete(_VALUES, key)
    else:
        db.update(_VALUES, key, {"value": new})
