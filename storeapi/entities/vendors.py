"""Vendors: the independent sellers of a marketplace."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from storeapi import (
    Choice,
    Code,
    Decimal,
    Derived,
    Email,
    Flag,
    IdList,
    Key,
    Params,
    Record,
    Result,
    Text,
    allow,
)
from storeapi.core.failures import Violation
from storeapi.core.folding import folded
from storeapi.core.writing import Values
from storeapi.entities.companies import (
    BY_EMAIL,
    BY_NAME,
    BY_TEXT,
    BY_THREADS,
    FULL,
    PRIVATE,
    CompanyEntity,
    CompanyFields,
    thread_ids,
)
from storeapi.models import Company
from storeapi.rules.companies import (
    VENDOR,
    free_seo_name,
    free_storefront,
    seo_name_of,
    try_again,
)
from storeapi.rules.discussions import COMPANY_RATING, COMPANY_THREAD
from storeapi.rules.owner_methods import owner_methods
from storeapi.rules.selling_places import check_selling_places
from storeapi.rules.storefronts import storefront_key

OWNERS_CHOICE = frozenset(
    {
        "status", "commission", "commission_type", "categories", "shippings",
        "pre_moderation", "pre_moderation_edit", "pre_moderation_edit_vendors",
    }
)  # fmt: skip
"""What the owner of the marketplace decides, and no vendor.

Source: spec/entities/vendors.md, rule 5.
"""

_GENERATED = ("seo_name", "storefront")


class VendorFields(CompanyFields):
    """All fields of `vendors`, in the order of spec/entities/vendors.md."""

    email = Email(required=True, listed=True, internal=True)
    status = Choice("N", "A", "P", "D", "S", listed=True)
    seo_name = Text(listed=True)
    seo_path = Text(dump_only=True, listed=True)
    average_rating = Decimal(2, column=COMPANY_RATING, dump_only=True, listed=True)
    company_thread_ids = Derived(
        ("company_id", "company_thread_ids"),
        thread_ids,
        column=COMPANY_THREAD,
        listed=True,
    )
    storefront = Text(**FULL)
    phone = Text(**FULL)
    address = Text(**FULL)
    city = Text(**FULL)
    zipcode = Text(**FULL)
    country = Code(upper=True, **FULL)
    state = Text(**FULL)
    url = Text(**FULL)
    fax = Text(**FULL)
    pre_moderation = Flag(**PRIVATE)
    pre_moderation_edit = Flag(**PRIVATE)
    pre_moderation_edit_vendors = Flag(**PRIVATE)
    categories = IdList(**PRIVATE)
    shippings = IdList(**PRIVATE)
    commission = Decimal(2, minimum=0, **PRIVATE)
    commission_type = Choice("A", "P", **PRIVATE)
    terms = Text(**FULL)


class Vendors(CompanyEntity):
    """Independent sellers of a marketplace."""

    name = "vendors"
    kind = VENDOR
    fields = VendorFields
    filters = (BY_NAME, BY_EMAIL, BY_TEXT, BY_THREADS)
    sortings: ClassVar[Mapping[str, Any]] = {
        **CompanyEntity.sortings,
        "email": Company.email_key,
    }
    shapes = {"1.0": "array", "2.0": "array"}
    echoes = {"1.0": ("params", "search"), "2.0": ("params",)}
    unique = {
        "storefront_key": "storefront",
        "email_key": "email",
        "seo_name": "seo_name",
    }
    privileges = allow(view="view_vendors", manage="manage_vendors")

    _chosen: tuple[str, ...] = ("seo_name",)
    """Columns of which another write at the same time may take the value."""

    def create(self, params: Params) -> Result:
        """Create a vendor; the answer names it twice.

        Source: spec/protocol.md, section 16, row 26; spec/clients.md, 7.2.
        """
        result = super().create(params)
        assert isinstance(result.data, dict)
        id = result.data[self.id_key]
        if self.context.version == "1.0":
            return Result(result.status, {self.id_key: id, "company_id": str(id)})
        text = "The vendor has been created"
        data = {self.id_key: id, "company_id": id, "message": text}
        return Result(result.status, data)

    def load(self, params: Params, *, partial: bool) -> Values:
        """Read a payload; of a vendor's own, what only the owner may set is left."""
        if self.caller.is_scoped:
            params = self.context.without(params, OWNERS_CHOICE)
        return super().load(params, partial=partial)

    def check(self, values: Values, row: Record | None) -> None:
        """Complete keys and generated names; judge references."""
        super().check(values, row)
        if "email" in values:
            values["email_key"] = folded(values["email"])
        self._check_names(values, row)
        categories = values.get("categories")
        if categories and categories != (row or {}).get("categories"):
            check_selling_places(self.reader, values["categories"])
        if values.get("shippings"):
            values["shippings"] = owner_methods(self.reader, values["shippings"])

    def _check_names(self, values: Values, row: Record | None) -> None:
        own = 0 if row is None else row["company_id"]
        for name in _GENERATED:
            if not values.get(name):
                values.pop(name, None)
        seo_name = values.get("seo_name")
        if row is None and seo_name is None:
            seo_name = seo_name_of(values["company"])
        if seo_name is not None:
            values["seo_name"] = free_seo_name(self.reader, seo_name, own)
        if row is None and "storefront" not in values:
            values["storefront"] = free_storefront(self.reader, values["seo_name"])
            self._chosen = ("seo_name", "storefront_key")
        if "storefront" in values:
            values["storefront_key"] = storefront_key(values["storefront"])

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write the vendor; names that another one took meanwhile are made anew."""
        try:
            return super().insert(values, languages)
        except Violation as error:
            try_again(error, self._chosen)
            raise

    def remove(self, id: Key, row: Record) -> None:
        """Delete the vendor with all that belongs to it alone."""
        self.remove_belongings(int(id))
        super().remove(id, row)
