"""How a product's values depend on each other, and on categories and taxes."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import InvalidInput
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import (
    Category,
    Product,
    ProductSearch,
    ProductText,
)
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.placement import needs_category, placed_ids
from storeapi.rules.selling_places import PLACES, check_sold_there
from storeapi.rules.slugs import complete_slug, slug, slugs_like
from storeapi.rules.stock_books import check_written_amount
from storeapi.rules.tokens import tokens_of

# Held, because writers of links also change the number of each category: taking
# a weaker lock first would make two of them wait for each other.
_KNOWN_CATEGORIES = query(
    select(Category.category_id, Category.company_id, Category.id_path, PLACES)
    .where(Category.category_id.in_(bindparam("ids", expanding=True)))
    .order_by(Category.category_id)
    .with_for_update(key_share=True)
)
_NAME = query(
    select(ProductText.product)
    .where(ProductText.product_id == bindparam("id", required=True))
    .order_by(ProductText.lang_code)
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


def complete_names(db: Connection, values: Values, row: Values | None) -> bool:
    """Set the sort key of a name, and a slug that is unique in the store.

    Returns whether the slug was built here.
    Source: spec/entities/products.md, rule 5.14.
    """
    if "product" in values:
        values["product_key"] = folded(values["product"])[:KEY_LENGTH]

    def name() -> str:
        text = values.get("product")
        if text is None and row is not None:
            text = db.value(_NAME, id=row["product_id"])
        return slug(text or "") or "product"

    return complete_slug(db, _SLUGS, values, row, name)


def complete_defaults(values: Values, row: Values | None, now: int) -> None:
    """Give values that were emptied the default that no column states.

    Source: spec/entities/products.md, rule 5.6.
    """
    if not values.get("timestamp") and (row is None or "timestamp" in values):
        values["timestamp"] = now


def check_numbers(values: Values, row: Values | None) -> None:
    """Judge the stock, and the quantities that one order may have.

    Raises: `InvalidInput`.
    Source: spec/entities/products.md, rules 5.11 and 5.12.
    """
    check_written_amount(values, row)
    if row is not None and "min_qty" not in values and "max_qty" not in values:
        return
    merged = {"min_qty": 0, "max_qty": 0, **(row or {}), **values}
    if 0 < int(merged["max_qty"]) < int(merged["min_qty"]):
        raise InvalidInput.of("max_qty", "must not be below min_qty", "out_of_range")


def complete_placement(
    db: Connection, values: Values, row: Values | None, parent: int | None
) -> Sequence[int]:
    """Make the main category one of the categories, and the other way round.

    The category of the path is always among them. What says nothing new is dropped.
    Returns the categories that the product is in before, if that matters.
    Raises: `InvalidInput` for a product that would be in no category, or for sale
    without one.
    Source: spec/entities/products.md, rules 5.3, 5.4, 5.15.
    """
    sent, main = values.get("category_ids"), values.get("main_category")
    if row is not None and sent is None and main is None:
        values.pop("main_category", None)
        if row["main_category"] is None:
            _check_withdrawn(values, row)
        return ()
    placed = [] if row is None else placed_ids(db, row["product_id"])
    ids = list(placed if sent is None else sent)
    if parent is not None and parent not in ids:
        ids.append(parent)
    if main is None and row is not None and row["main_category"] in ids:
        main = row["main_category"]
    if main is not None and main not in ids:
        ids.append(main)
    common = {**(row or {}), **values}.get("company_id") == 0
    if not ids and not common and (row is None or placed):
        raise InvalidInput.of("category_ids", "is required", "required")
    if not ids and row is not None:
        _check_withdrawn(values, row)
    values["category_ids"] = ids
    values["main_category"] = main if main is not None else next(iter(ids), None)
    if row is not None and set(ids) == set(placed):
        del values["category_ids"]
    return placed


def _check_withdrawn(values: Values, row: Values) -> None:
    """Let a product that has lost its last category stay disabled.

    Source: spec/entities/categories.md, rule 5.5.
    """
    if values.get("status", "D") in ("D", row["status"]):
        return
    company_id = {**row, **values}["company_id"]
    if needs_category(company_id, row["master_product_id"]):
        raise InvalidInput.of("category_ids", "is required", "required")


def categories_to_check(
    db: Connection, values: Values, row: Values | None
) -> list[int]:
    """The categories that a write has to prove: new ones, or all for a new owner."""
    if "category_ids" in values:
        return list(values["category_ids"])
    if row is None or values.get("company_id", row["company_id"]) == row["company_id"]:
        return []
    return placed_ids(db, row["product_id"])


def check_categories(
    db: Connection, ids: Sequence[int], company_id: int, placed: Sequence[int] = ()
) -> None:
    """Refuse categories that do not exist for the company, or are not open to it.

    They are held along with those in which the product is `placed` and may not stay.
    Raises: `InvalidInput` naming them.
    """
    if not ids:
        return
    both = sorted({*ids, *placed})
    held = db.rows(_KNOWN_CATEGORIES, ids=both, company_id=company_id)
    rows = [row for row in held if row[0] in ids]
    found = {row[0] for row in rows if company_id == 0 or row[1] in (0, company_id)}
    missing = [str(id) for id in ids if id not in found]
    if missing:
        text = f"names categories that do not exist: {', '.join(missing[:20])}"
        raise InvalidInput.of("category_ids", text, "unknown")
    places = rows[0][3] if rows else None
    check_sold_there(places, [(row[0], row[2]) for row in rows if row[1] == 0])


def write_search(
    db: Transaction, product_id: int, languages: Sequence[str], *, new: bool = False
) -> None:
    """Write the folded texts in which searches look, for some languages."""
    table = table_of(ProductSearch)
    names = ("product_code", *_TEXT_NAMES)
    rows = []
    for lang_code, *texts in db.rows(_TEXTS, id=product_id, languages=languages):
        found = searched(dict(zip(names, texts, strict=True)))
        keys = {"product_id": product_id, "lang_code": lang_code}
        if new:
            rows.append(keys | found)
        else:
            db.update(table, keys, found)
    db.insert_many(table, rows)


def searched(texts: Mapping[str, str]) -> Values:
    """The folded texts of a product, and their words for the full-text index."""
    found = {name: folded(text) for name, text in texts.items()}
    words = [text for name, text in found.items() if name != "age_warning_message"]
    return {**found, "tokens": tokens_of(words)}
