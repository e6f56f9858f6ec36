"""Stores: storefronts that share one database and one administration."""

from collections.abc import Sequence
from typing import Any

from storeapi import (
    Condition,
    Key,
    Params,
    Record,
    Result,
    Where,
    allow,
    equals,
)
from storeapi.core.filters import single
from storeapi.core.writing import Values
from storeapi.entities.companies import BY_NAME, BY_THREADS, CompanyEntity
from storeapi.entities.stores.fields import StoreFields
from storeapi.models import Company
from storeapi.rules.cloning import company_data, copy_store, hold_store
from storeapi.rules.companies import STORE, hold_stores, keep_a_store
from storeapi.rules.copying import Copy
from storeapi.rules.storefronts import storefront_key


def _at(_entity: Any, value: Any) -> Condition:
    address = single("storefront", value)
    return equals(Company.storefront_key, storefront_key(address))


class Stores(CompanyEntity):
    """Storefronts with company data of their own; a new one may copy another."""

    name = "stores"
    kind = STORE
    fields = StoreFields
    filters = (BY_NAME, Where("storefront", _at), BY_THREADS)
    shapes = {"1.0": "bare_array", "2.0": "array"}
    unpaged = ("1.0",)
    unique = {"storefront_key": "storefront"}
    privileges = allow(view="view_stores", manage="manage_stores")

    def check(self, values: Values, row: Record | None) -> None:
        """Complete the addresses; keep one store active; find the one to copy."""
        super().check(values, row)
        if "storefront" in values:
            values["storefront_key"] = storefront_key(values["storefront"])
        if (row is None or "secure_storefront" in values) and not values.get(
            "secure_storefront"
        ):
            values["secure_storefront"] = {**(row or {}), **values}["storefront"]
        if row is not None and values.get("status", "A") != "A":
            keep_a_store(self.db, row["company_id"], removed=False)
        if values.get("clone_from"):
            attributes = values.get("clone", ())
            hold_store(self.db, values["clone_from"], attributes)

    def update(self, id: Key, params: Params) -> Result:
        """Change a store; a status is judged against those of all stores."""
        if "status" in params:
            hold_stores(self.db)
        return super().update(id, params)

    def delete(self, id: Key) -> Result:
        """Remove a store, unless it is the last one."""
        hold_stores(self.db)
        return super().delete(id)

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write the store, and what it takes over from another one."""
        source = values.pop("clone_from", 0)
        attributes = frozenset(values.pop("clone", ()))
        if source and "settings" in attributes:
            values.update(company_data(self.db, source, values))
        id = super().insert(values, languages)
        if source:
            copy = Copy(self.db, source, int(id), self.caller.user_id, self.context.now)
            copy_store(copy, attributes)
        return id

    def remove(self, id: Key, row: Record) -> None:
        """Delete the store with all that belongs to it alone."""
        keep_a_store(self.db, int(id), removed=True)
        self.remove_belongings(int(id))
        super().remove(id, row)
