"""Product variations: products seen as members of variation groups.

They inherit from products in everything, so they live in the package of products:
no other entity imports them.
"""

from collections.abc import Iterable

from storeapi import Condition, Key, Params, Result
from storeapi.entities.products import Products
from storeapi.entities.products.variations import IN_A_GROUP


class ProductVariations(Products):
    """Products that are in some group; below a group, its members."""

    name = "product_variations"
    list_key = "products"
    privileges_customer = {}
    parents = {
        "product_variations_groups": "variation_group_id",
        "stores": "company_id",
        "vendors": "company_id",
    }

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one product, or a page of those in groups."""
        parent = self.context.parent
        if (
            id is None
            and parent is not None
            and parent.name
            not in (
                "stores",
                "vendors",
            )
        ):
            params = {**params, "variation_group_id": str(parent.id)}
        return super().index(id, params)

    def scope(self) -> Iterable[Condition]:
        """A list holds products in groups; one product may still join one."""
        yield from super().scope()
        if self._listing:
            yield IN_A_GROUP
