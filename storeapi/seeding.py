"""What every installation holds from the first day: a language, groups, statuses."""

from collections.abc import Iterable, Sequence

import orjson
from sqlalchemy import Table, func, select, text

from config.settings import Settings
from storeapi.core.database import Transaction
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.core.setting import Setting
from storeapi.models import Language, Status, StatusText, Usergroup, UsergroupText
from storeapi.rules.setting_numbers import register
from storeapi.rules.statuses import BUILT_IN
from storeapi.rules.translations import copy_texts

GUESTS = 1
REGISTERED = 2

_LANGUAGES = table_of(Language)
# Code: name in the language itself, country.
_KNOWN = {
    "de": ("Deutsch", "DE"),
    "en": ("English", "US"),
    "es": ("Español", "ES"),
    "fr": ("Français", "FR"),
    "it": ("Italiano", "IT"),
    "pt": ("Português", "PT"),
    "ru": ("Русский", "RU"),
}


def seed(db: Transaction, settings: Settings, declared: Iterable[Setting] = ()) -> None:
    """Write what is missing; a second call finds nothing to do.

    Shapes: `declared` are the settings of the store that get numbers.
    Source: spec/entities/usergroups.md (groups 1 and 2), languages.md, statuses.md.
    """
    register(db, tuple(declared))
    if not count(db, _LANGUAGES):
        install_language(db, settings.default_language, settings.default_language)
    if not count(db, table_of(Usergroup)):
        for id, name in ((GUESTS, "Guests"), (REGISTERED, "Registered users")):
            row = {"usergroup_id": id, "type": "C", "status": "A"}
            db.insert(table_of(Usergroup), row)
            names = {"usergroup": name, "usergroup_key": folded(name)}
            db.insert_many(
                table_of(UsergroupText),
                [
                    {"usergroup_id": id, "lang_code": code, **names}
                    for code in installed(db)
                ],
            )
        advance(db, table_of(Usergroup))
    if not count(db, table_of(Status)):
        seed_statuses(db, installed(db))


def seed_statuses(db: Transaction, languages: Sequence[str]) -> None:
    """Write the statuses that every store has."""
    for id, (letter, (name, params)) in enumerate(BUILT_IN.items(), 1):
        texts = orjson.dumps(params).decode()
        row = {"status_id": id, "status": letter, "is_default": "Y", "params": texts}
        db.insert(table_of(Status), row)
        names = {"description": name, "description_key": folded(name)}
        db.insert_many(
            table_of(StatusText),
            [{"status_id": id, "lang_code": code, **names} for code in languages],
        )
    advance(db, table_of(Status))


def count(db: Transaction, table: Table) -> int:
    """Count all rows of a table."""
    statement = select(func.count()).select_from(table)
    return int(db.execute(statement).scalar_one())


def installed(db: Transaction) -> list[str]:
    """The codes of the installed languages."""
    statement = select(_LANGUAGES.c.lang_code).order_by(_LANGUAGES.c.lang_code)
    return list(db.execute(statement).scalars())


def install_language(db: Transaction, code: str, like: str) -> None:
    """Install a language; every object gets the texts that it has in `like`."""
    name, country = _KNOWN.get(code, (code, code.upper()))
    row = {"lang_code": code, "name": name, "country_code": country}
    db.insert(_LANGUAGES, row)
    if code != like:
        copy_texts(db, like, code)


def advance(db: Transaction, table: Table) -> None:
    """Let the next number of a key follow the largest one that was given by hand.

    SQLite and MariaDB do so by themselves.
    """
    if db.kind != "postgresql":
        return
    key = next(iter(table.primary_key.columns))
    statement = text(
        "SELECT setval(pg_get_serial_sequence(:table, :key), :last)"
    ).bindparams(table=table.name, key=key.name, last=largest(db, table) or 1)
    db.execute(statement)


def largest(db: Transaction, table: Table) -> int:
    """The largest key of a table, 0 if it is empty."""
    key = next(iter(table.primary_key.columns))
    return int(db.execute(select(func.max(key))).scalar() or 0)
