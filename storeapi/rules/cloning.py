"""What a new store takes over from an existing one, attribute by attribute.

Everything happens in the transaction that creates the store. Attributes whose
data does not exist here (promotions, filters, ...) are accepted and copy nothing.
Source: spec/entities/stores.md, rules 2 to 4.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from sqlalchemy import Table, bindparam, select, update

from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import InvalidInput, Refused
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import (
    Block,
    BlockText,
    Category,
    CategoryText,
    Company,
    Page,
    PageText,
    Payment,
    PaymentText,
    SettingValue,
    Shipping,
    ShippingRate,
    ShippingText,
)
from storeapi.models.catalog import (
    Feature,
    FeatureCategory,
    FeatureText,
    FeatureVariant,
    FeatureVariantText,
)
from storeapi.rules import images
from storeapi.rules.cloning_products import copy_products, hold_originals
from storeapi.rules.companies import COMPANY_DATA, STORE
from storeapi.rules.copying import (
    Copy,
    Part,
    Values,
    copy_part,
    originals,
    write_copies,
)
from storeapi.rules.trees import lock_trees

_HELD = query(
    select(Company.company_id)
    .where(
        Company.company_id == bindparam("id", required=True),
        Company.kind == STORE,
    )
    .with_for_update()
)
_COMPANY_DATA = query(
    select(*[getattr(Company, name) for name in COMPANY_DATA]).where(
        Company.company_id == bindparam("id", required=True)
    )
)
_CATEGORIES = table_of(Category)
_PAGES = table_of(Page)
_BLOCKS = table_of(Block)
_SET_PATHS = {
    table.name: query(
        update(table)
        .where(table.primary_key.columns[0] == bindparam("id", required=True))
        .values(id_path=bindparam("path", required=True))
    )
    for table in (_CATEGORIES, _PAGES)
}
_LONGEST_PATH = 255
_FEATURES = table_of(Feature)


def hold_store(db: Transaction, company_id: int, attributes: Collection[str]) -> None:
    """Keep the store that is copied from being removed or added to meanwhile.

    Trees keep their shape, and products that are copied stay as they are. They are
    held in the order in which other writers hold them.
    Raises: `InvalidInput` if there is no such store.
    """
    if db.concurrent:
        lock_trees(db)
        if "products" in attributes:
            hold_originals(db, company_id)
    if db.row(_HELD, id=company_id) is None:
        text = f"names store {company_id}, which does not exist"
        raise InvalidInput.of("clone_from", text, "unknown")


def company_data(
    db: Connection, company_id: int, sent: Mapping[str, Any]
) -> dict[str, Any]:
    """The company data of a store, but for the fields that a request sends."""
    row = db.row(_COMPANY_DATA, id=company_id) or ()
    data = dict(zip(COMPANY_DATA, row, strict=False))
    return {name: value for name, value in data.items() if name not in sent}


def copy_store(copy: Copy, attributes: frozenset[str]) -> None:
    """Copy the named attributes, those first that others refer to."""
    for name, step in STEPS:
        if name in attributes:
            step(copy)


def _copy_features(copy: Copy) -> None:
    """Copy features and their variants; groups come before what is in them."""
    rows = originals(copy, _FEATURES)
    part = Part(_FEATURES, "company_id", entity="features")
    for grouped in (False, True):
        write_copies(
            copy,
            part,
            [row for row in rows if (row["parent_id"] is not None) is grouped],
        )
    variants = table_of(FeatureVariant)
    copy_part(copy, Part(table_of(FeatureText), "feature_id"))
    copy_part(copy, Part(variants, "feature_id"))
    copy_part(copy, Part(table_of(FeatureVariantText), "variant_id"))
    images.copy(copy.db, "feature_variant", copy.of(variants))


def _copy_categories(copy: Copy) -> None:
    _copy_tree(copy, Part(_CATEGORIES, "company_id", _empty_category, "categories"))
    copy_part(copy, Part(table_of(CategoryText), "category_id", _below_new_parent))
    images.copy(copy.db, "category", copy.of(_CATEGORIES))


def _copy_pages(copy: Copy) -> None:
    _copy_tree(copy, Part(_PAGES, "company_id", entity="pages"))
    copy_part(copy, Part(table_of(PageText), "page_id"))
    images.copy(copy.db, "blog", copy.of(_PAGES))


def _copy_tree(copy: Copy, part: Part) -> None:
    """Copy a tree level by level, so that each parent has its number already."""
    table = part.table
    key = table.primary_key.columns[0].name
    levels: dict[int, list[Values]] = {}
    for row in originals(copy, table):
        levels.setdefault(row["id_path"].count("/"), []).append(row)
    for depth in sorted(levels):
        write_copies(copy, part, levels[depth])
        numbers = copy.of(table)
        copy.db.run_many(
            _SET_PATHS[table.name],
            [
                {
                    "id": numbers[row[key]],
                    "path": _new_path(copy, table, row["id_path"]),
                }
                for row in levels[depth]
            ],
        )


def _copy_blocks(copy: Copy) -> None:
    blocks = originals(copy, _BLOCKS)
    write_copies(copy, Part(_BLOCKS, "company_id", entity="blocks"), blocks)
    copy_part(copy, Part(table_of(BlockText), "block_id"))


def _empty_category(copy: Copy, row: Values) -> Values:
    return {**row, "product_count": 0}


def _below_new_parent(copy: Copy, row: Values) -> Values:
    return {**row, "parent_id": copy.number(_CATEGORIES, row["parent_id"])}


def _new_path(copy: Copy, table: Table, path: str) -> str:
    """The path of a copy; a root that all companies share keeps its number."""
    ids = [copy.number(table, int(id)) for id in path.split("/")]
    found = "/".join(map(str, ids))
    if len(found) > _LONGEST_PATH:
        raise Refused("a tree of the store is too deep to be copied")
    return found


def _copy_settings(copy: Copy) -> None:
    """Copy the values that the store has of its own.

    Source: spec/entities/stores.md, rule 3.
    """
    table = table_of(SettingValue)
    rows = originals(copy, table)
    copy.db.insert_many(table, [{**row, "company_id": copy.target} for row in rows])


def _copy_payments(copy: Copy) -> None:
    payments = table_of(Payment)
    rows = originals(copy, payments)
    write_copies(copy, Part(payments, "company_id", entity="payments"), rows)
    copy_part(copy, Part(table_of(PaymentText), "payment_id"))
    images.copy(copy.db, "payment", copy.of(payments))


def _copy_shippings(copy: Copy) -> None:
    shippings = table_of(Shipping)
    rows = originals(copy, shippings)
    write_copies(copy, Part(shippings, "company_id", entity="shippings"), rows)
    copy_part(copy, Part(table_of(ShippingText), "shipping_id"))
    copy_part(copy, Part(table_of(ShippingRate), "shipping_id"))
    images.copy(copy.db, "shipping", copy.of(shippings))


def _copy_feature_categories(copy: Copy) -> None:
    copy_part(copy, Part(table_of(FeatureCategory), "feature_id"))


STEPS: tuple[tuple[str, Callable[[Copy], None]], ...] = (
    ("settings", _copy_settings),
    ("layouts", _copy_blocks),
    ("pages", _copy_pages),
    ("payments", _copy_payments),
    ("shippings", _copy_shippings),
    ("categories", _copy_categories),
    ("product_features", _copy_features),
    ("product_features", _copy_feature_categories),
    ("products", copy_products),
)
