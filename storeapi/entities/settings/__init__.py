"""Settings of the store: declared in code, of which only values are changed."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from marshmallow import ValidationError
from sqlalchemy import bindparam, select

from storeapi import (
    Change,
    Entity,
    Id,
    InvalidInput,
    Key,
    Listing,
    NotFound,
    Params,
    Record,
    Result,
    Setting,
    query,
)
from storeapi.core.changes import Operation
from storeapi.core.entity import OPERATIONS, STATUS_OK
from storeapi.core.filters import read_value, scalar
from storeapi.core.kinds import errors_of
from storeapi.core.paging import read_page
from storeapi.core.setting import HIDDEN, UNSETTABLE, Variants
from storeapi.entities.settings.records import (
    FIELDS,
    filtered,
    in_order,
    record_of,
    sparse,
)
from storeapi.models import Company, SettingValue
from storeapi.rules.setting_numbers import Numbers, numbers_of
from storeapi.rules.setting_values import (
    WHOLE_SHOP,
    hold_value,
    store_value,
    values_in_force,
)
from storeapi.rules.store_settings import BACKEND_DEFAULT_LANGUAGE, active_languages
from storeapi.rules.translations import hold_languages

_COMPANY = Id()
_KIND = query(
    select(Company.kind).where(
        Company.company_id == bindparam("id", required=True),
        Company.company_id != WHOLE_SHOP,
    )
)
_KNOWN = frozenset({*FIELDS, "variants", "company_id"})


class Settings(Entity):
    """Settings of the store; only their values are changed, as a whole or per company.

    Source: spec/entities/settings.md.
    """

    name = "settings"
    id_key = "object_id"
    privileges = {"index": "view_settings", "update": "update_settings"}
    closed_to_companies: ClassVar[Sequence[str]] = OPERATIONS
    parents = ("stores", "vendors")

    def known_params(self, *, listing: bool) -> frozenset[str]:
        """The company, and in lists the filters."""
        own = frozenset({"company_id", "fields"})
        return own | {"q", *FIELDS} if listing else own

    # Whose values

    def company(self, params: Params) -> int:
        """The company whose values are meant; 0 for the whole shop.

        Raises: `InvalidInput` for what is no number.
        """
        parent = self.context.parent
        if parent is not None:
            return int(parent.id)
        value = params.get("company_id")
        if value is None or value == "":
            return WHOLE_SHOP
        text = str(value) if isinstance(value, int) else value
        return int(read_value("company_id", _COMPANY.read_filter, text))

    def kind_of(self, company_id: int) -> str | None:
        """The kind of a company, if there is one."""
        found: str | None = self.reader.value(_KIND, id=company_id)
        return found

    def visible(self, company_kind: str) -> tuple[Setting, ...]:
        """The settings that the caller sees: a company's own, those it may set."""
        if not self.caller.is_scoped:
            return self.declared
        return tuple(each for each in self.declared if each.may_have_own(company_kind))

    @property
    def declared(self) -> tuple[Setting, ...]:
        """All settings."""
        assert self.context.registry is not None
        return self.context.registry.settings

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers of all settings."""
        return numbers_of(self.reader, self.declared)

    def found(self, id: Key, settings: Sequence[Setting]) -> Setting:
        """The setting of a number.

        Raises: `NotFound`.
        """
        for setting in settings:
            if self.numbers.of(*setting.key) == id:
                return setting
        raise NotFound(f"settings {id} does not exist")

    # Reading

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one setting, or the list; grouped by tabs for a section in 2.0."""
        company_id = self.company(params)
        kind = self.kind_of(company_id) if company_id else ""
        if id is not None:
            if kind is None:
                raise NotFound(f"company {company_id} does not exist")
            setting = self.found(id, self.visible(kind))
            whole = self.with_variants(self.records([setting], company_id))
            return Result(STATUS_OK, sparse(whole, params)[0])
        echo: Record = {}
        if self.context.parent is None and scalar(params, "company_id") is not None:
            echo["company_id"] = params["company_id"]
        settings = () if kind is None else self.visible(kind)
        found = filtered(self.records(settings, company_id), params, echo)
        found = in_order(found)
        if self.context.version != "1.0" and "section_id" in echo:
            return self.grouped(found, params, echo)
        return Result(STATUS_OK, self.paged(found, params, echo))

    def records(self, settings: Sequence[Setting], company_id: int) -> list[Record]:
        """The records of settings, with the values in force for a company."""
        values = values_in_force(
            self.reader, self.context.settings, settings, company_id
        )
        return [
            record_of(each, self.numbers, values[each.key], self.context)
            for each in settings
        ]

    def with_variants(self, records: Sequence[Record]) -> list[Record]:
        """The records, complete; `[]` where there is nothing to choose."""
        declared = {each.key: each for each in self.declared}
        read: dict[Any, Variants] = {}
        found = []
        for record in records:
            setting = declared[record["section_name"], record["name"]]
            variants = setting.variants
            if not isinstance(variants, Mapping):
                if variants not in read:
                    read[variants] = variants(self.reader)
                variants = read[variants]
            found.append({**record, "variants": dict(variants) or []})
        return found

    def grouped(
        self, records: Sequence[Record], params: Params, echo: Record
    ) -> Result:
        """The settings of a section by tab and number, without pages."""
        whole = self.with_variants(records)
        groups: dict[str, Record] = {}
        for record, shown in zip(whole, sparse(whole, params), strict=True):
            group = groups.setdefault(record["section_tab_name"], {})
            group[record["object_id"]] = shown
        total = str(len(whole))
        body = {self.name: groups, "params": {**echo, "total_items": total}}
        return Result(STATUS_OK, body, {"X-Total-Count": total})

    def paged(self, found: Sequence[Record], params: Params, echo: Record) -> Listing:
        """One page; without variants in 2.0, where they would be in the way."""
        page = read_page(
            params,
            default=self.context.items_per_page,
            maximum=self.context.settings.max_items_per_page,
            optional=False,
        )
        assert page.size is not None
        shown = list(found[page.offset : page.offset + page.size])
        if self.context.version == "1.0":
            shown = self.with_variants(shown)
        ids = [int(record["object_id"]) for record in shown]
        listing = Listing(ids, sparse(shown, params), len(found))
        listing.page, listing.items_per_page = page.number, page.size
        total = str(len(found))
        listing.params = {"page": page.number, "items_per_page": page.size,
                          **echo, "total_items": total}  # fmt: skip
        return listing

    # Writing

    def lock(self, id: Key) -> None:
        """Hold the values of the setting."""
        hold_value(self.db, self.found(id, self.declared))

    def view_of(self, params: Params) -> Params:
        """The company that a payload names."""
        company = params.get("company_id")
        return {} if company is None else {"company_id": company}

    def update(self, id: Key, params: Params) -> Result:
        """Change the value; null removes it, so that the next one in line shows."""
        self.context.pass_over([name for name in params if name not in _KNOWN])
        company_id = self.company({**self.context.query, **self.view_of(params)})
        kind = self.kind_of(company_id) if company_id else ""
        if kind is None:
            text = f"{company_id} does not exist"
            raise InvalidInput.of("company_id", text, "unknown")
        setting = self.found(id, self.visible(kind))
        if not _KNOWN.isdisjoint(params):
            if "value" not in params:
                raise InvalidInput.of("value", "is required", "required")
            if company_id and not setting.may_have_own(kind):
                text = f"has no value of its own for {setting.name}"
                raise InvalidInput.of("company_id", text)
            self.write(setting, company_id, params["value"])
        return Result(STATUS_OK, {self.id_key: id})

    def write(self, setting: Setting, company_id: int, value: Any) -> None:
        """Judge the value and store it.

        An empty password is the one that is shown, and changes nothing.
        """
        if setting.type == HIDDEN and value == "":
            return
        if setting.variants is active_languages:
            hold_languages(self.db)
        stored = self.judged(setting, company_id, value)
        before = store_value(self.db, setting, company_id, stored)
        if before == stored:
            return
        values = (before, stored)
        if setting.type == HIDDEN:
            values = ("", "")
        change = Change(
            self.name, Operation.UPDATE, self.numbers.of(*setting.key), company_id,
            self.caller.user_id, {"value": values[0]}, {"value": values[1]},
            SettingValue.__tablename__,
        )  # fmt: skip
        self.db.record(change)

    def judged(self, setting: Setting, company_id: int, value: Any) -> str | None:
        """Read a value; `None` for none, if the shop can do without its own.

        Raises: `InvalidInput`.
        """
        variants = setting.variants
        if not isinstance(variants, Mapping):
            variants = variants(self.reader)
        try:
            if value is not None or setting.type in UNSETTABLE:
                return setting.read(value, variants)
        except ValidationError as error:
            error.field_name = "value"
            raise InvalidInput(errors=errors_of(error)) from None
        fallback = setting.fallback(self.context.settings)
        if setting is BACKEND_DEFAULT_LANGUAGE and fallback not in variants:
            text = f"is needed: the default language {fallback!r} is not active"
            raise InvalidInput.of("value", text)
        return None


class StoreSettings(Settings):
    """Settings of one store; its own administrators set what a store may set."""

    closed_to_companies = ()


Settings.under = {"stores": StoreSettings}
