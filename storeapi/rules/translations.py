"""The texts of a whole language: copied, renamed, and removed at once.

Every table with a `lang_code` in its key holds texts, whoever it belongs to.
"""

from functools import cache

from sqlalchemy import String, Table, bindparam, func, insert, select, text

from storeapi.core.database import Transaction
from storeapi.core.errors import InvalidInput
from storeapi.core.rows import table_of
from storeapi.core.statement import Query, query
from storeapi.models import Company, Language, Model, Product, User
from storeapi.rules.setting_values import follow_language

_LANGUAGES = query(
    select(Language.lang_code, Language.status)
    .order_by(Language.lang_id)
    .with_for_update()
)
# In the order in which new ones come, so that one that is waited for is met.
_INSTALLED = query(
    select(Language.lang_code, Language.status)
    .order_by(Language.lang_id)
    .with_for_update(read=True, key_share=True)
)
_ALONE = text("LOCK TABLE languages IN EXCLUSIVE MODE")


def tables_of_texts() -> list[Table]:
    """Every table that holds texts per language, of plug-ins too."""
    return [
        table
        for table in Model.metadata.sorted_tables
        if "lang_code" in table.primary_key.columns
    ]


@cache
def _owners() -> tuple[Table, ...]:
    """The tables of what texts belong to, in the order in which all lock them.

    Source: docs/design.md, "Locks are taken in one order".
    """
    found = {
        key.column.table for table in tables_of_texts() for key in table.foreign_keys
    }
    first = [table_of(Company), table_of(Product)]
    rest = [table for table in Model.metadata.sorted_tables if table in found]
    return tuple(dict.fromkeys([*first, *rest]))


@cache
def _holding(table: Table) -> Query:
    """Locks the rows of a table by their keys, and returns their number alone."""
    keys = table.primary_key.columns
    rows = select(*keys).order_by(*keys).with_for_update(read=True, key_share=True)
    for kind in ("mysql", "mariadb"):
        # A row that is read in another index is locked there, and can go.
        rows = rows.with_hint(table, "FORCE INDEX (PRIMARY)", kind)
    return query(select(func.count()).select_from(rows.subquery()))


@cache
def _copying(table: Table) -> Query:
    names = table.columns.keys()
    new = bindparam("new", required=True, type_=String())
    columns = [new if name == "lang_code" else table.c[name] for name in names]
    rows = select(*columns).where(
        table.c.lang_code == bindparam("old", required=True, type_=String())
    )
    return Query(insert(table).from_select(names, rows, include_defaults=False))


def installed_languages(db: Transaction) -> list[str]:
    """The codes of the installed languages, which stay so until the transaction ends.

    Whoever changes them is waited for, and has to wait.
    """
    return [row[0] for row in db.rows(_INSTALLED)]


def hold_languages(db: Transaction) -> dict[str, str]:
    """The status of every installed language, for the one who is to change them.

    Waits for all who write texts, and keeps others from it until the transaction
    ends: what they write afterwards is in the languages that there are then.
    """
    if db.kind == "postgresql":
        # Locked rows would not be enough: there a reader who waited for them does
        # not see a row that is new.
        db.execute(_ALONE)
    db.expect_languages(None)
    return dict(db.rows(_LANGUAGES))


def copy_texts(db: Transaction, old: str, new: str) -> None:
    """Give every object that has texts in one language the same in a new one.

    What is being deleted is waited for and left out; the rest is held, and stays.
    Source: spec/entities/languages.md, rules 2 and 7.
    """
    if db.concurrent:
        for table in _owners():
            db.rows(_holding(table))
    for table in tables_of_texts():
        db.delete(table, {"lang_code": new})
        db.run(_copying(table), old=old, new=new)


def rename_texts(db: Transaction, old: str, new: str) -> None:
    """Let the texts of a language, and who uses it, follow its new code.

    Source: spec/entities/languages.md, rule 4.
    """
    for table in tables_of_texts():
        db.delete(table, {"lang_code": new})
        db.update(table, {"lang_code": old}, {"lang_code": new})
    _reset(db, old, new)
    follow_language(db, old, new)


def remove_texts(db: Transaction, code: str, default: str) -> None:
    """Delete the texts of a language; who used it falls back to the default.

    Source: spec/entities/languages.md, rule 5.
    """
    for table in tables_of_texts():
        db.delete(table, {"lang_code": code})
    _reset(db, code, default)
    follow_language(db, code, None)


def _reset(db: Transaction, old: str, new: str) -> None:
    for table in (table_of(User), table_of(Company)):
        db.update(table, {"lang_code": old}, {"lang_code": new})


def check_remaining(statuses: dict[str, str], default: str) -> None:
    """Judge the languages as they would be after a write.

    Raises: `InvalidInput` unless the default one is there and not disabled, and
    one is active.
    Source: spec/entities/languages.md, rules 3 and 6.
    """
    if statuses.get(default, "D") == "D":
        text = "would leave the default language out of use"
        raise InvalidInput.of("status", text, "default_language")
    if "A" not in statuses.values():
        raise InvalidInput.of("status", "would leave no language active", "last_active")
