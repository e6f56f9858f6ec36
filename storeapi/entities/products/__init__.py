"""Products: what the store sells."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import bindparam, exists

from storeapi import (
    Condition,
    InvalidInput,
    Key,
    Params,
    Record,
    Result,
    TableEntity,
    allow,
)
from storeapi.core.failures import Again
from storeapi.core.references import check_reference
from storeapi.core.rows import table_of
from storeapi.core.writing import Values
from storeapi.entities.products.fields import ProductFields
from storeapi.entities.products.filters import FILTERS, SORTINGS
from storeapi.models import Product, ProductCategory, ProductText
from storeapi.rules.options import give_options
from storeapi.rules.placement import count, placed_ids
from storeapi.rules.products import (
    SEARCHED,
    categories_to_check,
    check_categories,
    check_groups,
    check_numbers,
    check_taxes,
    complete_defaults,
    complete_names,
    complete_placement,
    write_search,
)


class Products(TableEntity[Product]):
    """What the store sells: texts, prices, stock, images, places in categories."""

    name = "products"
    id_key = "product_id"
    model = Product
    texts = ProductText
    fields = ProductFields
    filters = FILTERS
    sortings = SORTINGS
    default_sort = "product"
    flags = {
        "get_features": True,
        "get_options": False,
        "get_detailed": True,
        "get_icon": True,
        "get_additional": False,
    }
    shared = True
    counted = True
    touched = "updated_timestamp"
    accepts = frozenset({"filter"})
    unique = {"company_id,seo_name": "seo_name"}
    privileges = allow(view="view_catalog", manage="manage_catalog")
    privileges_customer = {"index": True}
    parents = {
        "stores": "company_id",
        "vendors": "company_id",
        "categories": None,
    }
    answers = {"create": int, "update": int}

    @property
    def category_id(self) -> int | None:
        """The category that the path goes through, if it does."""
        parent = self.context.parent
        if parent is None or parent.name != "categories":
            return None
        return int(parent.id)

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one product or a page; below a category `cid` is fixed."""
        if id is None:
            if self.category_id is not None:
                params = {**params, "cid": str(self.category_id)}
            if params.get("sort_by") == "position" and not params.get("cid"):
                params = {**params, "sort_by": ""}
            self._listing = True
        return super().index(id, params)

    _listing = False

    def scope(self) -> Iterable[Condition]:
        """A product below a category must be in it; lists filter by `cid`."""
        yield from super().scope()
        category_id = self.category_id
        if category_id is not None and not self._listing:
            yield Condition(
                "in category",
                lambda: exists().where(
                    ProductCategory.product_id == Product.product_id,
                    ProductCategory.category_id
                    == bindparam("parent_category", required=True),
                ),
                {"parent_category": category_id},
            )

    def known_params(self, *, listing: bool) -> frozenset[str]:
        """`filter` has no meaning, yet clients send it beside `cid`."""
        return super().known_params(listing=listing) | {"filter"}

    def place(self, values: Values) -> None:
        """Take the company of the body, else the category's where that has one."""
        asked = values.get("company_id")
        super().place(values)
        parent = self.context.parent
        if self.category_id is None or parent is None or self.caller.is_scoped:
            return
        if asked is not None:
            check_reference(self.reader, table_of(Product).c.company_id,
                            "company_id", asked)  # fmt: skip
        owner = parent.data["company_id"] or self.context.installation.default_company
        values["company_id"] = owner if asked is None else asked

    def check(self, values: Values, row: Record | None) -> None:
        """Complete names and categories; judge quantities and references."""
        complete_placement(self.reader, values, row, self.category_id)
        complete_defaults(values, row, self.context.now)
        check_numbers(values, row)
        company = int({**(row or {}), **values}["company_id"])
        ids = categories_to_check(self.reader, values, row)
        check_categories(self.reader, ids, company)
        # The categories are held now, so that others who take slugs there wait.
        self._slug_is_ours = complete_names(self.reader, values, row)
        if values.get("tax_ids") and values["tax_ids"] != (row or {}).get("tax_ids"):
            check_taxes(self.reader, values["tax_ids"])
        check_groups(self.reader, {price[1] for price in values.get("prices", ())})

    _slug_is_ours = False

    def guarded(self, write: Any) -> Any:
        """Build the slug anew if another product took it meanwhile."""
        try:
            return super().guarded(write)
        except InvalidInput as fault:
            if self._slug_is_ours and [e.field for e in fault.errors] == ["seo_name"]:
                raise Again("another product took the slug") from fault
            raise

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write the product, and the texts in which searches look."""
        id = super().insert(values, languages)
        write_search(self.db, int(id), languages)
        return id

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change the product, and what searches find it by."""
        changed = super().change(id, row, values, languages)
        if changed and not SEARCHED.isdisjoint(values):
            every = self.context.installation.languages
            moved = every if "product_code" in values else languages
            write_search(self.db, int(id), moved)
        if changed and "company_id" in values:
            give_options(self.db, int(id), values["company_id"])
        return changed

    def remove(self, id: Key, row: Record) -> None:
        """Delete the product with all that belongs to it."""
        count(self.db, dict.fromkeys(placed_ids(self.db, int(id)), -1))
        super().remove(id, row)
