"""The values that products have of features, and what these depend on.

Source: spec/entities/products.md, 2.6; spec/entities/features.md, rule 5.8.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam, exists, select

from storeapi.core.access import Caller
from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import NotFound
from storeapi.core.statement import batches, query
from storeapi.models import Category, Product, ProductCategory, ProductFeatureValue
from storeapi.rules.seen_products import SEEN, is_seen

_ids: Any = bindparam("ids", expanding=True)

_PATHS = query(
    select(Category.id_path)
    .join(ProductCategory, ProductCategory.category_id == Category.category_id)
    .where(ProductCategory.product_id == bindparam("id", required=True))
)
_CHOSEN = query(
    select(
        ProductFeatureValue.product_id,
        ProductFeatureValue.feature_id,
        ProductFeatureValue.variant_id,
    )
    .where(
        ProductFeatureValue.product_id.in_(bindparam("products", expanding=True)),
        ProductFeatureValue.feature_id.in_(_ids),
        ProductFeatureValue.variant_id.is_not(None),
    )
    .order_by(ProductFeatureValue.product_id, ProductFeatureValue.variant_id)
)
_HAS_VALUE = query(
    select(
        exists().where(
            ProductFeatureValue.product_id == bindparam("product_id", required=True),
            ProductFeatureValue.feature_id == bindparam("id", required=True),
        )
    )
)
_product = select(
    Product.product_id, Product.company_id, Product.status, Product.main_category
).where(Product.product_id == bindparam("id", required=True))
_PRODUCT = query(_product.add_columns(*SEEN))
_HELD = query(_product.with_for_update())


class ProductRow(NamedTuple):
    """What the values of a product depend on."""

    product_id: int
    company_id: int
    status: str
    main_category: int | None


def visible_product(db: Connection, id: int, caller: Caller) -> ProductRow | None:
    """Find a product that a caller may see."""
    row = db.row(_PRODUCT, id=id)
    if row is None:
        return None
    own, columns = row[: -len(SEEN)], row[-len(SEEN) :]
    return ProductRow(*own) if is_seen(db, caller, *columns) else None


def held_product(db: Transaction, id: int) -> ProductRow:
    """Hold a product against other writers until the commit.

    Raises: `NotFound`.
    """
    row = db.row(_HELD, id=id)
    if row is None:
        raise NotFound(f"products {id} does not exist")
    return ProductRow(*row)


def variant_values(
    db: Connection, product_ids: Iterable[int], feature_ids: Sequence[int]
) -> dict[int, dict[int, int]]:
    """The variants that products have of some features.

    Shapes: product ID to feature ID to variant ID; what has none is left out.
    """
    found: dict[int, dict[int, int]] = {}
    for batch in batches(product_ids):
        for product_id, feature_id, variant_id in db.rows(
            _CHOSEN, products=batch, ids=feature_ids
        ):
            found.setdefault(product_id, {})[feature_id] = variant_id
    return found


def has_value(db: Connection, product_id: int, feature_id: int) -> bool:
    """Whether a product has a value of a feature."""
    return bool(db.value(_HAS_VALUE, product_id=product_id, id=feature_id))


def category_chain(db: Connection, product_id: int) -> list[int]:
    """The categories of a product, and all those above them."""
    return sorted(
        {
            int(id)
            for (path,) in db.rows(_PATHS, id=product_id)
            for id in path.split("/")
        }
    )
