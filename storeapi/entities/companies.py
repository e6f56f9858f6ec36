"""What stores and vendors share: fields, filters, and the scope of a company."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from sqlalchemy import and_, bindparam

from storeapi import (
    Code,
    Condition,
    Fields,
    Id,
    Key,
    Params,
    Record,
    Result,
    TableEntity,
    Text,
    Timestamp,
    Where,
    equals,
)
from storeapi.core.changes import Operation
from storeapi.core.conditions import NOTHING, any_of
from storeapi.core.filters import contains, single
from storeapi.core.folding import folded
from storeapi.core.kinds import Options
from storeapi.core.writing import Values
from storeapi.models import Company
from storeapi.rules.companies import name_key
from storeapi.rules.company_removal import (
    Removal,
    judge_orders,
    judge_people,
    remove_belongings,
)
from storeapi.rules.company_ties import judge_features
from storeapi.rules.discussions import COMPANY_THREAD
from storeapi.rules.seen_features import touch_showing

_THREAD_IDS = re.compile(r"([0-9]{1,10})_([0-9]{1,10})")

FULL: Options = {"versions": ("2.0",), "asked": "full"}
"""Fields that are written here, and read only with `?full=Y` in 2.0."""

PRIVATE: Options = {**FULL, "internal": True}
"""The same, never for customers and anonymous callers."""


def thread_ids(company_id: int, thread_id: int) -> str:
    """The review thread of a company, as clients know it."""
    return f"{company_id}_{thread_id}"


def _with_threads(_entity: Any, value: Any) -> Condition:
    """The company of this review thread."""
    found = _THREAD_IDS.fullmatch(single("company_thread_ids", value))
    if found is None:
        return NOTHING
    return Condition(
        "threads",
        lambda: and_(
            Company.company_id == bindparam("of_thread", required=True),
            bindparam("thread", required=True) == COMPANY_THREAD,
        ),
        {"of_thread": int(found[1]), "thread": int(found[2])},
    )


def _named(_entity: Any, value: Any) -> Condition:
    """This name, in any letter case."""
    name = single("company", value)
    return equals(Company.company_key, name_key(name))


def _with_email(_entity: Any, value: Any) -> Condition:
    """This address, in any letter case."""
    address = single("email", value)
    return equals(Company.email_key, folded(address.strip()))


def _found(entity: Any, value: Any) -> Condition:
    """This text in the name or, but for customers, in the address."""
    text = single("q", value)
    name = contains(Company.company_key, text, "q", folded=True, texts=False)
    if entity.caller.is_customer:
        return name
    email = contains(Company.email_key, text, "q", folded=True, texts=False)
    return any_of(name, email)


BY_NAME = Where("company", _named)
BY_THREADS = Where("company_thread_ids", _with_threads)
BY_EMAIL = Where("email", _with_email)
BY_TEXT = Where("q", _found)


class CompanyFields(Fields):
    """The fields that stores and vendors have alike."""

    company_id = Id(dump_only=True, listed=True)
    company = Text(required=True, listed=True)
    lang_code = Code(listed=True)
    timestamp = Timestamp(listed=True)
    company_description = Text(**FULL)


class CompanyEntity(TableEntity[Company]):
    """Companies of one kind; scoped callers have their own record only."""

    kind: ClassVar[str]

    id_key = "store_id"
    model = Company
    sortings: ClassVar[Mapping[str, Any]] = {
        "name": Company.company_key,
        "timestamp": Company.timestamp,
        "status": Company.status,
        "id": Company.company_id,
    }
    default_sort = "name"
    default_descending = True
    flags = {"full": False}
    privileges_customer = {"index": True}
    closed_to_companies = ("create", "delete")

    def scope(self) -> Iterable[Condition]:
        """Companies of this kind."""
        yield from super().scope()
        yield equals(Company.kind, self.kind, role="kind")

    def index(self, id: Key | None, params: Params) -> Result:
        """Return a record or a page; only a single record may be full."""
        if id is None and "full" in params:
            params = {name: params[name] for name in params if name != "full"}
        return super().index(id, params)

    def known_params(self, *, listing: bool) -> frozenset[str]:
        """All but `full` in lists."""
        known = super().known_params(listing=listing)
        return known - {"full"} if listing else known

    def check(self, values: Values, row: Record | None) -> None:
        """Complete the key of the name, the language, and the time of creation."""
        if "company" in values:
            values["company_key"] = name_key(values["company"])
        if row is None or "lang_code" in values:
            default = self.context.installation.languages[0]
            values["lang_code"] = values.get("lang_code") or default
        if row is None and not values.get("timestamp"):
            values["timestamp"] = self.context.now

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Write what differs; customers see features of active companies alone."""
        changed = super().change(id, row, values, languages)
        status = values.get("status", row["status"])
        if changed and (status == "A") != (row["status"] == "A"):
            touch_showing(self.db, int(id), self.context)
        return changed

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write a company of this kind."""
        values["kind"] = self.kind
        return super().insert(values, languages)

    def remove_belongings(self, id: int) -> None:
        """Delete what belongs to a company alone."""
        judge_people(self.db, self.caller, id)
        judge_orders(self.db, id)
        judge_features(self.db, id)
        remove_belongings(Removal(self.db, id, self.context))

    def record(
        self,
        operation: Operation,
        id: Key,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        *,
        row: Mapping[str, Any] | None = None,
    ) -> None:
        """Tell the core what was written: a company belongs to itself."""
        own = {**(row or {}), "company_id": id}
        super().record(operation, id, before, after, row=own)
