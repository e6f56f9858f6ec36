"""The fields of a store, in the order of spec/entities/stores.md."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi import (
    Choice,
    Code,
    Connection,
    Context,
    Decimal,
    Derived,
    Email,
    Flag,
    Id,
    Nested,
    Text,
    Transaction,
    query,
)
from storeapi.core.kinds import JsonSchema, Kind, invalid, text_of
from storeapi.core.rows import table_of
from storeapi.entities.companies import FULL, PRIVATE, CompanyFields, thread_ids
from storeapi.models import CompanyCountry
from storeapi.rules.discussions import COMPANY_RATING, COMPANY_THREAD
from storeapi.rules.places import country_name
from storeapi.rules.storefronts import address_of

_COUNTRIES = query(
    select(CompanyCountry.company_id, CompanyCountry.country_code)
    .where(CompanyCountry.company_id.in_(bindparam("ids", expanding=True)))
    .order_by(CompanyCountry.company_id, CompanyCountry.country_code)
)


class Address(Text):
    """The address of a storefront, stored without its scheme."""

    def check(self, text: str) -> str:
        """Want a host with an optional port and path."""
        address = address_of(text)
        if address is None:
            raise invalid("must be a host with an optional port and path")
        return address


class Countries(Nested):
    """The countries of a store, as an array of codes.

    Source: spec/entities/stores.md, rule 6.
    """

    def parse(self, value: Any) -> list[str]:
        """Read an array, the values of an object, or a comma list."""
        if isinstance(value, str):
            value = value.split(",") if value.strip() else []
        codes = list(value.values()) if isinstance(value, dict) else value
        if not isinstance(codes, list):
            raise invalid("must be a list of country codes")
        found = {text_of(code).strip().upper() for code in codes} - {""}
        unknown = sorted(code for code in found if not country_name(code))
        if unknown:
            raise invalid(f"holds unknown codes: {', '.join(unknown)[:100]}", "unknown")
        return sorted(found)

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the codes of a page."""
        found: dict[int, list[str]] = {}
        for company_id, code in db.rows(_COUNTRIES, ids=ids):
            found.setdefault(company_id, []).append(code)
        return found

    def save(
        self, db: Transaction, owner_id: int, value: list[str], context: Context
    ) -> bool:
        """Replace the whole list."""
        if [row[1] for row in db.rows(_COUNTRIES, ids=[owner_id])] == value:
            return False
        table = table_of(CompanyCountry)
        db.delete(table, {"company_id": owner_id})
        rows = [{"company_id": owner_id, "country_code": code} for code in value]
        db.insert_many(table, rows)
        return True

    def record_schema(self) -> JsonSchema:
        """Describe the array."""
        return {"type": "array", "items": {"type": "string", "pattern": "^[A-Z]{2}$"}}


class Attributes(Kind):
    """An object from attribute names to `Y`; read as the names with that value.

    Other values and unknown names copy nothing.
    Source: spec/entities/stores.md, rule 2.
    """

    def parse(self, value: Any) -> list[str]:
        """Read the object; an empty array is PHP's empty object."""
        if value == []:
            return []
        if not isinstance(value, dict):
            raise invalid("must be an object of attributes")
        return [name for name, wanted in value.items() if wanted in ("Y", True)]

    def null(self) -> list[str]:
        """Null copies nothing."""
        return []

    def payload_schema(self) -> JsonSchema:
        """Describe the object."""
        return {"type": "object", "additionalProperties": {"type": "string"}}


class StoreFields(CompanyFields):
    """All fields of `stores`."""

    storefront = Address(required=True, listed=True, versions=("2.0",))
    email = Email(listed=True, internal=True)
    status = Choice("A", "D", "H", listed=True)
    secure_storefront = Address(listed=True, versions=("2.0",))
    average_rating = Decimal(
        2, column=COMPANY_RATING, dump_only=True, listed=True, versions=("2.0",)
    )
    company_thread_ids = Derived(
        ("company_id", "company_thread_ids"),
        thread_ids,
        column=COMPANY_THREAD,
        listed=True,
        versions=("2.0",),
    )
    redirect_customer = Flag(**FULL)
    entry_page = Choice("all_pages", "none", "index", **FULL)
    countries_list = Countries(**FULL)
    company_name = Text(**FULL)
    company_address = Text(**FULL)
    company_city = Text(**FULL)
    company_country = Code(upper=True, **FULL)
    company_state = Text(**FULL)
    company_zipcode = Text(**FULL)
    company_phone = Text(**FULL)
    company_phone_2 = Text(**FULL)
    company_fax = Text(**FULL)
    company_website = Text(**FULL)
    company_start_year = Text(**FULL)
    company_users_department = Email(**PRIVATE)
    company_site_administrator = Email(**PRIVATE)
    company_orders_department = Email(**PRIVATE)
    company_support_department = Email(**PRIVATE)
    company_newsletter_email = Email(**PRIVATE)
    clone_from = Id(load_only=True, create_only=True, default=0)
    clone = Attributes(load_only=True, create_only=True)
