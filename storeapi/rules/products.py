"""How a product's values depend on each other, and on categories and taxes."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import InvalidInput
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Category, Product, ProductSearch, ProductText, Tax
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.folding import folded
from storeapi.rules.placement import placed_ids
from storeapi.rules.slugs import slug, slugs_like, taken_slugs, unique_slug

_KNOWN_CATEGORIES = query(
    select(Category.category_id, Category.company_id).where(
        Category.category_id.in_(bindparam("ids", expanding=True))
    )
)
_KNOWN_TAXES = query(
    select(Tax.tax_id).where(Tax.tax_id.in_(bindparam("ids", expanding=True)))
)
_SLUGS = slugs_like(
    Product.seo_name, Product.company_id == bindparam("company_id", required=True)
)
_TEXT_NAMES = (
    "product",
    "short_description",
    "full_description",
    "meta_keywords",
    "search_words",
    "age_warning_message",
)
_TEXTS = query(
    select(
        ProductText.lang_code,
        Product.product_code,
        *[getattr(ProductText, name) for name in _TEXT_NAMES],
    )
    .join(Product, Product.product_id == ProductText.product_id)
    .where(
        ProductText.product_id == bindparam("id", required=True),
        ProductText.lang_code.in_(bindparam("languages", expanding=True)),
    )
)

SEARCHED = frozenset({*_TEXT_NAMES, "product_code"})
"""Fields whose change moves what searches find the product by."""

Values = dict[str, Any]


def complete_names(db: Connection, values: Values, row: Values | None) -> None:
    """Set the sort key of a name, and a slug that is unique in the store.

    Source: spec/entities/products.md, rule 5.14.
    """
    if "product" in values:
        values["product_key"] = folded(values["product"])[:KEY_LENGTH]
    if row is None or "company_id" in values:
        values.setdefault("company_id", row["company_id"] if row else 0)
    if row is None and not values.get("seo_name"):
        taken = taken_slugs(db, _SLUGS, company_id=values["company_id"])
        values["seo_name"] = unique_slug(slug(values["product"]) or "product", taken)
    elif values.get("seo_name") == "" or values.get("seo_name") is None:
        values.pop("seo_name", None)


def complete_placement(
    db: Connection, values: Values, row: Values | None, parent: int | None
) -> None:
    """Make the main category one of the categories, and the other way round.

    Raises: `InvalidInput` for a product that would be in no category.
    Source: spec/entities/products.md, rules 5.3, 5.4, 5.15.
    """
    sent = values.get("category_ids")
    main = values.get("main_category")
    if row is not None and sent is None and main is None:
        values.pop("main_category", None)
        return
    ids = list(sent) if sent is not None else []
    if row is not None and sent is None:
        ids = placed_ids(db, row["product_id"])
    if row is None and parent is not None and parent not in ids:
        ids.append(parent)
        main = main if sent or main else parent
    if main is None and row is not None and row["main_category"] in ids:
        main = row["main_category"]
    if main is not None and main not in ids:
        ids.append(main)
    if not ids:
        common = row is not None and row["company_id"] == 0
        if not common:
            raise InvalidInput.of("category_ids", "is required", "required")
    values["category_ids"] = ids
    values["main_category"] = main if main is not None else next(iter(ids), None)


def check_categories(db: Connection, ids: Sequence[int], company_id: int) -> None:
    """Refuse categories that do not exist for the company.

    Raises: `InvalidInput` naming them.
    """
    found = {
        row[0]
        for row in db.rows(_KNOWN_CATEGORIES, ids=ids)
        if company_id == 0 or row[1] in (0, company_id)
    }
    missing = [str(id) for id in ids if id not in found]
    if missing:
        text = f"names categories that do not exist: {', '.join(missing)}"
        raise InvalidInput.of("category_ids", text, "unknown")


def check_taxes(db: Connection, tax_ids: str) -> None:
    """Refuse taxes that do not exist.

    Raises: `InvalidInput` naming them.
    """
    ids = [int(id) for id in tax_ids.split(",")]
    found = {row[0] for row in db.rows(_KNOWN_TAXES, ids=ids)}
    missing = [str(id) for id in ids if id not in found]
    if missing:
        text = f"names taxes that do not exist: {', '.join(missing)}"
        raise InvalidInput.of("tax_ids", text, "unknown")


def write_search(db: Transaction, product_id: int, languages: Sequence[str]) -> None:
    """Write the folded texts in which searches look, for some languages."""
    table = table_of(ProductSearch)
    where = {"product_id": product_id, "lang_code": list(languages)}
    db.delete(table, where)
    names = ("product_code", *_TEXT_NAMES)
    db.insert_many(
        table,
        [
            {
                "product_id": product_id,
                "lang_code": row[0],
                **{n: folded(t) for n, t in zip(names, row[1:], strict=True)},
            }
            for row in db.rows(_TEXTS, id=product_id, languages=languages)
        ],
    )
