"""The numbers of settings, their sections and tabs: given once, and never changed.

Whoever meets a setting without a number gives it one, so that a plug-in needs no
more than to be installed.
Source: spec/entities/settings.md, rule 5.
"""

from collections.abc import Iterable, Mapping

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection, Transaction
from storeapi.core.rows import table_of
from storeapi.core.setting import Setting
from storeapi.core.statement import query
from storeapi.models import Company, SettingName

_Name = tuple[str, str, str]
_NAMES = table_of(SettingName)
_ALL = query(
    select(
        SettingName.kind, SettingName.section, SettingName.name, SettingName.number
    )
)  # fmt: skip
_ALONE = query(
    select(Company.company_id)
    .where(Company.company_id == bindparam("id", required=True))
    .with_for_update()
)


class Numbers:
    """The numbers of what is declared."""

    def __init__(self, found: Mapping[_Name, int]) -> None:
        self._found = found

    def lacks(self, settings: Iterable[Setting]) -> list[_Name]:
        """The names without a number, in the order of the declarations."""
        wanted = [name for each in settings for name in _names(each)]
        return [name for name in dict.fromkeys(wanted) if name not in self._found]

    def section(self, setting: Setting) -> int:
        """The number of a setting's section."""
        return self._found["S", setting.section, ""]

    def tab(self, setting: Setting) -> int:
        """The number of its tab; 0 for the main one."""
        return self._found.get(("T", setting.section, setting.tab), 0)

    def of(self, section: str, name: str) -> int:
        """The number of a setting; 0 where there is no such setting."""
        return self._found.get(("O", section, name), 0)


def _names(setting: Setting) -> list[_Name]:
    found = [("S", setting.section, ""), ("T", setting.section, setting.tab)]
    if setting.tab == "main":
        found.pop()
    return [*found, ("O", setting.section, setting.name)]


def numbers_of(db: Connection, settings: Iterable[Setting]) -> Numbers:
    """The numbers of all settings, those that have none yet included."""
    settings = tuple(settings)
    found = _read(db)
    if not found.lacks(settings):
        return found
    if isinstance(db, Transaction):
        return register(db, settings)
    return db.apart(lambda work: register(work, settings))


def register(db: Transaction, settings: Iterable[Setting]) -> Numbers:
    """Give numbers to those that have none; two processes take turns."""
    db.rows(_ALONE, id=0)
    lacking = _read(db).lacks(settings)
    db.insert_many(
        _NAMES,
        [{"kind": kind, "section": s, "name": name} for kind, s, name in lacking],
    )
    return _read(db)


def _read(db: Connection) -> Numbers:
    return Numbers({(kind, s, name): n for kind, s, name, n in db.rows(_ALL)})
