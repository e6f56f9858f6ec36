"""Users: the accounts of administrators, vendors' administrators and customers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from storeapi import (
    Condition,
    Key,
    Params,
    Record,
    Result,
    TableEntity,
    allow,
    equals,
)
from storeapi.core.changes import Operation
from storeapi.core.writing import Values
from storeapi.entities.users.fields import UserFields
from storeapi.entities.users.filters import FILTERS, SORTINGS
from storeapi.models import User
from storeapi.rules.api_keys import grant_key, has_key, revoke_keys
from storeapi.rules.cart_removal import delete_carts_of
from storeapi.rules.customers import of_company
from storeapi.rules.login_links import end_links
from storeapi.rules.passwords import check_password, hash_password
from storeapi.rules.people import (
    check_company,
    complete_keys,
    copy_address,
    default_login,
    judge_own,
    judge_rank,
    judge_seat,
    judge_target,
    leave_admin_groups,
)

_SECRET = frozenset({"password_hash"})


class Users(TableEntity[User]):
    """Accounts, each with one profile; the e-mail address is the login of the API."""

    name = "users"
    id_key = "user_id"
    model = User
    fields = UserFields
    filters = FILTERS
    sortings = SORTINGS
    default_sort = "name"
    unique = {"email_key": "email", "login_key": "user_login"}
    privileges = allow(view="view_users", manage="manage_users")
    parents = {"stores": "company_id", "vendors": "company_id"}
    answers = {"create": int, "update": int}

    _new_key: str | None = None

    # Who may do what

    def permits(self, operation: str, id: Key | None) -> bool:
        """Whoever may call at all may read and change the own record.

        A limited key may do what it is for, and has no rights of its holder besides.
        """
        own = self.is_own(id) and not self.caller.limited
        if operation in ("index", "update") and own:
            settings = self.context.settings
            return settings.api_allow_customer or not self.caller.is_customer
        return super().permits(operation, id)

    def is_own(self, id: Key | None) -> bool:
        """Whether a record is that of the caller."""
        return id is not None and id == self.caller.user_id

    def scope(self) -> Iterable[Condition]:
        """Customers see themselves; a company's administrators whoever is theirs.

        Source: spec/entities/users.md, rule 8; spec/protocol.md, section 12.
        """
        parent, column = self.context.parent, self.parent_column()
        if self.caller.is_scoped:
            yield of_company(self.caller)
            if parent is not None and column is not None:
                yield equals(User.company_id, parent.id, role="parent")
            return
        yield from super().scope()
        if self.caller.is_customer:
            yield equals(User.user_id, self.caller.user_id or 0, role="own")

    def guard(self, row: Record) -> None:
        """Let only root touch other administrators."""
        super().guard(row)
        judge_target(self.caller, row)

    # Writing

    def place(self, values: Values) -> None:
        """An administrator belongs to the whole installation unless told otherwise."""
        if values["user_type"] == "A" and values.get("company_id") is None:
            values["company_id"] = 0
        super().place(values)

    def check(self, values: Values, row: Record | None) -> None:
        """Judge rank, company and password; complete what others depend on."""
        if values.get("api_access", "") is None:
            del values["api_access"]
        known = None if row is None else self._with_access(row)
        if known is not None and self._is_limited(known):
            judge_own(values, known)
        judge_rank(self.caller, values, known)
        check_company(self.reader, values, row)
        if row is None:
            copy_address(values)
            values.setdefault("lang_code", self.context.installation.languages[0])
            values.setdefault("timestamp", self.context.now)
        else:
            judge_seat(self.db, self.caller, row, values)
            if values.get("user_login") == "":
                values |= default_login(self.reader, row["user_id"])
        complete_keys(values, row)
        self._hash_password(values)

    def _is_limited(self, row: Record) -> bool:
        own = self.is_own(row["user_id"])
        return own and not self.caller.allows(self.privileges["update"])

    def _with_access(self, row: Record) -> Record:
        access = "Y" if has_key(self.reader, row["user_id"]) else "N"
        return {**row, "api_access": access}

    def _hash_password(self, values: Values) -> None:
        """Put the hash in place of the password; no transaction waits for it.

        Without a password there is no hash, which none fits: the same as a random
        one that nobody knows, and it costs nothing.
        """
        password = values.pop("password", None)
        if password is None:
            return
        check_password(password, self.context.settings.password_min_length)
        values["password_hash"] = self.db.outside(
            "password hash", lambda: hash_password(password)
        )

    def create(self, params: Params) -> Result:
        """Create a user; the answer shows an API key that was made, once."""
        return self._answer(super().create(params))

    def update(self, id: Key, params: Params) -> Result:
        """Change a user; the answer shows an API key that was made, once."""
        return self._answer(super().update(id, params))

    def _answer(self, result: Result) -> Result:
        assert isinstance(result.data, dict)
        data = {**result.data, "profile_id": str(result.data["user_id"])}
        once = {} if self._new_key is None else {"api_key": self._new_key}
        return replace(result, data=data, once=once)

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write a user, then the login that is made of the number."""
        chosen = bool(values.get("user_login"))
        id = super().insert(values, languages)
        if not chosen:
            login = default_login(self.reader, int(id))
            self.db.update(self.declaration.table, {"user_id": id}, login)
            self.record(Operation.UPDATE, id, {"user_login": ""}, login, row=values)
        self._switch_access(int(id), values, values.get("api_access"))
        return id

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change a user, and what hangs on the rank."""
        changed = super().change(id, row, values, languages)
        end_links(self.db, int(id), row, values)
        if values.get("user_type") == "C" and row["user_type"] != "C":
            leave_admin_groups(self.db, int(id))
        return self._switch_access(int(id), row, values.get("api_access")) or changed

    def _switch_access(self, id: int, row: Record, wanted: str | None) -> bool:
        """Make a key or delete all; returns whether that changed anything.

        Source: spec/protocol.md, section 15.
        """
        before = "Y" if has_key(self.reader, id) else "N"
        if wanted is None or wanted == before:
            return False
        if wanted == "Y":
            secret, now = self.context.settings.secret_key, self.context.now
            self._new_key = grant_key(self.db, secret, id, now)
        else:
            revoke_keys(self.db, id)
        change = {"api_access": before}, {"api_access": wanted}
        self.record(Operation.UPDATE, id, *change, row=row)
        return True

    def remove(self, id: Key, row: Record) -> None:
        """Delete a user with links, keys and carts, unless nobody could undo it."""
        judge_seat(self.db, self.caller, row)
        delete_carts_of(self.db, [int(id)], self.caller.user_id)
        super().remove(id, row)

    def record(
        self,
        operation: Operation,
        id: Key,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        *,
        row: Mapping[str, Any] | None = None,
    ) -> None:
        """Tell the core what was written, without secrets."""
        super().record(operation, id, _public(before), _public(after), row=row)


def _public(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in values.items() if name not in _SECRET}


__all__ = ["Users"]
