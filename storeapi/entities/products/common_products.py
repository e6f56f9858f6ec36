"""Common products of a marketplace, and the offers that vendors make of them.

Both inherit from products in everything, so they live in the package of products:
no other entity imports them.
"""

from collections.abc import Iterable, Sequence

from storeapi import (
    Condition,
    Id,
    InvalidInput,
    Key,
    Listing,
    Money,
    Params,
    Record,
    Result,
    Text,
    equals,
)
from storeapi.core.conditions import constant
from storeapi.core.entity import WRITES
from storeapi.core.writing import Values
from storeapi.entities.products import Products
from storeapi.entities.products.fields import ProductFields
from storeapi.entities.products.filters import SORTINGS, filters_of
from storeapi.models import Product
from storeapi.rules.common_products import (
    SHOWN_PRICE,
    check_vendor,
    complete_offer,
    copy_prices,
    hold_common_product,
)
from storeapi.rules.selling_places import check_offered_there
from storeapi.rules.sharing import OFFER, take_over
from storeapi.rules.touching import touch_products


class MasterProductFields(ProductFields):
    """The fields of a common product; lists show the price to buy at."""

    price = Money(required=True, listed=True, list_column=SHOWN_PRICE)


class MasterProducts(Products):
    """Catalogue cards of the marketplace, without a vendor."""

    name = "master_products"
    list_key = "products"
    fields = MasterProductFields
    filters = filters_of(SHOWN_PRICE)
    sortings = {**SORTINGS, "price": SHOWN_PRICE}
    privileges_customer = {}
    closed_to_companies = WRITES
    parents = {"categories": None}

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one common product, or a page of them."""
        kept = {k: v for k, v in params.items() if k != "show_master_products_only"}
        result = super().index(id, kept)
        listing = result.data
        if isinstance(listing, Listing):
            listing.params["show_master_products_only"] = True
        return result

    def scope(self) -> Iterable[Condition]:
        """Products of company 0 only."""
        yield from super().scope()
        yield equals(Product.company_id, 0, role="common")

    def place(self, values: Values) -> None:
        """A common product has no vendor, whatever the body says."""
        values["company_id"] = 0


class MasterProductOfferFields(ProductFields):
    """The fields of an offer."""

    product = Text(translated=True, listed=True)
    master_product_id = Id(zero=True, create_only=True, listed=True)


class MasterProductOffers(Products):
    """Products of vendors that sell a common product."""

    name = "master_product_offers"
    list_key = "products"
    fields = MasterProductOfferFields
    privileges_customer = {}
    parents = {"master_products": "master_product_id", "vendors": "company_id"}
    unique = {**Products.unique, "master_product_id,company_id": "company_id"}

    def scope(self) -> Iterable[Condition]:
        """Products that belong to a common product."""
        yield from super().scope()
        yield constant("offers", lambda: Product.master_product_id > 0)

    def place(self, values: Values) -> None:
        """Take the common product and the vendor from path, caller or body.

        Raises: `InvalidInput`.
        Source: spec/entities/master_product_offers.md, rule 1.
        """
        parent = self.context.parent
        if parent is not None:
            values[str(self.parent_column())] = parent.id
        if self.caller.is_scoped:
            values["company_id"] = self.caller.company_id
        for name in ("master_product_id", "company_id"):
            if values.get(name) is None:
                raise InvalidInput.of(name, "is required", "required")
        check_vendor(self.reader, values["company_id"])

    def check(self, values: Values, row: Record | None) -> None:
        """Fill in what the common product says, and judge the rest."""
        if row is None:
            common = hold_common_product(
                self.db, values["master_product_id"], values["company_id"]
            )
            complete_offer(self.db, values, common)
        super().check(values, row)

    def check_places(self, values: Values, row: Record | None) -> None:
        """The categories are those of the common product; the vendor sells there.

        Source: spec/entities/vendors.md, field categories.
        """
        if row is None:
            common_id = values["master_product_id"]
            check_offered_there(self.reader, common_id, values["company_id"])

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write the offer with all that it has from the common product."""
        common_id = values["master_product_id"]
        # It shows how many offers there are, and so does each of them.
        touch_products(self.db, [common_id], self.context)
        id = int(super().insert(values, languages))
        if "prices" not in values:
            copy_prices(self.db, common_id, id)
        take_over(self.work, common_id, id, OFFER)
        return id
