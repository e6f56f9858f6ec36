"""User groups: of administrators, which carry privileges, and of customers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi import (
    AnyOf,
    Choice,
    Condition,
    Connection,
    Context,
    Fields,
    Id,
    Key,
    Nested,
    Params,
    Record,
    Result,
    TableEntity,
    Text,
    Transaction,
    Where,
    allow,
    query,
)
from storeapi.core.entity import OPERATIONS
from storeapi.core.filters import contains, single
from storeapi.core.folding import folded
from storeapi.core.kinds import invalid
from storeapi.core.reading import read_flag
from storeapi.core.rows import table_of
from storeapi.core.writing import Values
from storeapi.entities.usergroups.memberships import Memberships
from storeapi.models import Usergroup, UsergroupPrivilege, UsergroupText
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.groups import (
    RESERVED,
    check_changeable,
    check_privileges,
    check_type_change,
    judge_group,
    remove_group,
)
from storeapi.rules.id_lists import Removal

_PRIVILEGES = query(
    select(UsergroupPrivilege.usergroup_id, UsergroupPrivilege.privilege)
    .where(UsergroupPrivilege.usergroup_id.in_(bindparam("ids", expanding=True)))
    .order_by(UsergroupPrivilege.usergroup_id, UsergroupPrivilege.privilege)
)


class Privileges(Nested):
    """The privileges of a group, by name.

    Source: spec/entities/usergroups.md, fields.
    """

    def parse(self, value: Any) -> list[str]:
        """Read an array of names, or a map of names to `Y`."""
        if isinstance(value, dict):
            names = [name for name, flag in value.items() if _is_on(name, flag)]
        elif isinstance(value, list):
            names = value
        else:
            raise invalid("must be a list of names")
        if not all(isinstance(name, str) for name in names):
            raise invalid("must be a list of names")
        return sorted(set(names))

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the names of a page."""
        found: dict[int, list[str]] = {}
        for usergroup_id, name in db.rows(_PRIVILEGES, ids=ids):
            found.setdefault(usergroup_id, []).append(name)
        return found

    def save(
        self, db: Transaction, owner_id: int, value: list[str], context: Context
    ) -> bool:
        """Replace the set."""
        stored = [row[1] for row in db.rows(_PRIVILEGES, ids=[owner_id])]
        if sorted(stored) == value:
            return False
        table = table_of(UsergroupPrivilege)
        db.delete(table, {"usergroup_id": owner_id})
        rows = [{"usergroup_id": owner_id, "privilege": name} for name in value]
        db.insert_many(table, rows)
        return True


def _is_on(name: str, flag: Any) -> bool:
    found = flag if isinstance(flag, bool) else read_flag(str(flag))
    if found is None:
        raise invalid(f"must say Y or N for {name[:64]}")
    return found


class UsergroupFields(Fields):
    """The fields of a group."""

    usergroup_id = Id(dump_only=True, listed=True)
    type = Choice("A", "C", required=True, listed=True)
    status = Choice("A", "H", "D", required=True, listed=True)
    usergroup = Text(translated=True, listed=True)
    privileges = Privileges()
    company_id = Id(zero=True, dump_only=True, listed=True)


def _named(entity: Any, value: Any) -> Condition | None:
    text = single("q", value)
    if not text.strip():
        return None
    return contains(UsergroupText.usergroup_key, text, "q", folded=True, texts=True)


class Usergroups(TableEntity[Usergroup]):
    """Groups of users, shared by all stores; below a user, the memberships."""

    name = "usergroups"
    id_key = "usergroup_id"
    model = Usergroup
    texts = UsergroupText
    fields = UsergroupFields
    filters = (AnyOf(usergroup_ids=Usergroup.usergroup_id), Where("q", _named))
    sortings = {"usergroup": UsergroupText.usergroup_key, "status": Usergroup.status}
    default_sort = "usergroup_id"
    unscoped = True
    unpaged = ("1.0", "2.0")
    shapes = {"1.0": "bare_map", "2.0": "bare_map"}
    privileges = allow(view="view_usergroups", manage="manage_usergroups")
    closed_to_companies = OPERATIONS
    parents = {"users": None}
    under = {"users": Memberships}

    _listing = False

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one group, or the groups."""
        self._listing = id is None
        return super().index(id, params)

    def scope(self) -> Iterable[Condition]:
        """The groups that every shop has are left out of lists."""
        yield from super().scope()
        if self._listing:
            yield Condition(
                "not reserved", lambda: Usergroup.usergroup_id.not_in(sorted(RESERVED))
            )

    def guard(self, row: Record) -> None:
        """Refuse to touch the groups that every shop has."""
        check_changeable(row["usergroup_id"])

    def load(self, params: Params, *, partial: bool) -> Values:
        """Read a payload; what a group grants is left, but for root."""
        if not self.caller.is_root:
            params = self.context.without(params, ("privileges",))
        return super().load(params, partial=partial)

    def check(self, values: Values, row: Record | None) -> None:
        """Judge privileges and type; complete the sort key."""
        if "usergroup" in values:
            values["usergroup_key"] = folded(values["usergroup"])[:KEY_LENGTH]
        merged = values["type"] if "type" in values else (row or {})["type"]
        changes_type = row is not None and merged != row["type"]
        if row is not None and any(
            name in values and values[name] != row[name] for name in ("type", "status")
        ):
            judge_group(self.caller, row["type"])
        if row is not None and changes_type:
            check_type_change(self.reader, row["usergroup_id"])
        if merged != "A":
            values.pop("privileges", None)
        elif "privileges" in values and self.context.registry is not None:
            check_privileges(values["privileges"], self.context.registry.privileges)
        if changes_type and merged == "C":
            values["privileges"] = []

    def remove(self, id: Key, row: Record) -> None:
        """Delete a group; what was limited to it alone is hidden."""
        judge_group(self.caller, row["type"])
        removal = Removal(int(id), self.caller.user_id, self.context.now)
        remove_group(self.db, removal)
        super().remove(id, row)
