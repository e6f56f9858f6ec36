"""Products: what the store sells."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import exists

from storeapi import (
    Condition,
    InvalidInput,
    Key,
    Params,
    Record,
    Refused,
    Result,
    TableEntity,
    allow,
)
from storeapi.core.rows import table_of
from storeapi.core.writing import Values
from storeapi.entities.products.fields import ProductFields
from storeapi.entities.products.filters import FILTERS, SORTINGS
from storeapi.models import Product, ProductCategory, ProductText
from storeapi.rules.placement import count, placed_ids
from storeapi.rules.products import (
    SEARCHED,
    check_categories,
    check_taxes,
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
                    ProductCategory.category_id == category_parameter(),
                ),
                {"parent_category": category_id},
            )

    def known_params(self, *, listing: bool) -> frozenset[str]:
        """`filter` has no meaning, yet clients send it beside `cid`."""
        return super().known_params(listing=listing) | {"filter"}

    def check(self, values: Values, row: Record | None) -> None:
        """Complete names and categories; judge quantities, references, slug."""
        complete_placement(self.reader, values, row, self.category_id)
        complete_names(self.reader, values, row)
        _check_quantities(values, row)
        company = int({**(row or {}), **values}["company_id"])
        if "category_ids" in values:
            check_categories(self.reader, values["category_ids"], company)
        if values.get("tax_ids"):
            check_taxes(self.reader, values["tax_ids"])

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write the product, and the texts in which searches look."""
        values.setdefault("timestamp", self.context.now)
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
        return changed

    def remove(self, id: Key, row: Record) -> None:
        """Delete the product with all that belongs to it."""
        count(self.db, dict.fromkeys(placed_ids(self.db, int(id)), -1))
        super().remove(id, row)


def category_parameter() -> Any:
    """The bound name of the category in the path."""
    from sqlalchemy import bindparam

    return bindparam("parent_category", required=True)


def _check_quantities(values: Values, row: Record | None) -> None:
    merged = {"min_qty": 0, "max_qty": 0, **(row or {}), **values}
    least, most = int(merged["min_qty"]), int(merged["max_qty"])
    if 0 < most < least:
        raise InvalidInput.of("max_qty", "must not be below min_qty", "out_of_range")


__all__ = ["Products", "Refused", "table_of"]
