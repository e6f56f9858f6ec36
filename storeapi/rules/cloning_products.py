"""Copies of a store's products with all that belongs to them.

Source: spec/entities/stores.md, rule 4.
"""

import re
import secrets
from collections import Counter
from collections.abc import Iterator
from zlib import crc32

from sqlalchemy import bindparam, exists, select

from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import DiscussionThread
from storeapi.models.catalog import (
    Category,
    Combination,
    CombinationVariant,
    ExceptionVariant,
    Feature,
    FeatureVariant,
    Option,
    OptionException,
    OptionText,
    OptionVariant,
    OptionVariantText,
    Product,
    ProductCategory,
    ProductFeatureText,
    ProductFeatureValue,
    ProductOption,
    ProductPrice,
    ProductSearch,
    ProductText,
    VariationGroup,
    VariationGroupFeature,
)
from storeapi.rules import images
from storeapi.rules.copying import (
    Copy,
    Part,
    Values,
    copy_part,
    originals,
    rows_of,
    write_copies,
)
from storeapi.rules.placement import count

_BATCH = 500
_PRODUCTS = table_of(Product)
_FEATURES = table_of(Feature)
_FEATURE_VARIANTS = table_of(FeatureVariant)
_CATEGORIES = table_of(Category)
_OPTIONS = table_of(Option)
_OPTION_VARIANTS = table_of(OptionVariant)
_COMBINATIONS = table_of(Combination)
_GROUPS = table_of(VariationGroup)

_page = (
    select(_PRODUCTS)
    .where(
        Product.company_id == bindparam("company_id", required=True),
        Product.product_id > bindparam("after", required=True),
    )
    .order_by(Product.product_id)
    .limit(_BATCH)
)
_PARENTS = query(_page.where(Product.parent_product_id.is_(None)))
_CHILDREN = query(_page.where(Product.parent_product_id.is_not(None)))
_GLOBAL_OPTIONS = query(
    select(_OPTIONS)
    .where(
        Option.company_id == bindparam("company_id", required=True),
        Option.product_id.is_(None),
        exists().where(
            ProductOption.option_id == Option.option_id,
            Product.product_id == ProductOption.product_id,
            Product.company_id == bindparam("company_id", required=True),
        ),
    )
    .order_by(Option.option_id)
    .with_for_update(read=True)
)
# What is read besides the keys is in no index: MariaDB locks a row that is read in an
# index alone there alone, and it can change.
_HELD = tuple(
    query(
        select(key, other)
        .where(owner == bindparam("company_id", required=True))
        .order_by(key)
        .with_for_update(read=True)
    )
    for key, other, owner in (
        (_GROUPS.c.id, _GROUPS.c.created_at, _GROUPS.c.company_id),
        (_PRODUCTS.c.product_id, _PRODUCTS.c.tax_ids, _PRODUCTS.c.company_id),
    )
)
_HASHES = query(
    select(Combination.combination_hash).where(
        Combination.combination_hash.in_(bindparam("ids", expanding=True))
    )
)
_PAIR = re.compile(r"(\d+):(\d+)")


def hold_originals(db: Transaction, company_id: int) -> None:
    """Hold variation groups, then products, so that none changes while it is copied."""
    for statement in _HELD:
        db.rows(statement, company_id=company_id)


def copy_products(copy: Copy) -> None:
    """Copy products, texts, prices, links, values, options and images."""
    part = Part(_GROUPS, "company_id", _new_group, entity="product_variations_groups")
    write_copies(copy, part, originals(copy, _GROUPS))
    copy_part(copy, Part(table_of(VariationGroupFeature), "group_id"))
    part = Part(_PRODUCTS, "company_id", _new_product, entity="products")
    for rows in _products(copy.db, copy.source):
        write_copies(copy, part, rows)
    for model in (ProductText, ProductSearch, ProductPrice, ProductFeatureText):
        copy_part(copy, Part(table_of(model), "product_id"))
    copy_part(copy, Part(table_of(ProductFeatureValue), "product_id", _new_value))
    copy_places(copy)
    copy_options(copy)
    copy_discussions(copy)
    images.copy(copy.db, "product", copy.of(_PRODUCTS))


def _products(db: Transaction, company_id: int) -> Iterator[list[Values]]:
    """Read the products of a company in batches, parents before variations."""
    names = _PRODUCTS.columns.keys()
    for statement in (_PARENTS, _CHILDREN):
        after = 0
        while rows := db.rows(statement, company_id=company_id, after=after):
            found = [dict(zip(names, row, strict=True)) for row in rows]
            yield found
            after = found[-1]["product_id"]


def _new_group(copy: Copy, row: Values) -> Values:
    """A code is unique in the whole installation, so the copy gets a new one."""
    code = f"PV-{secrets.token_hex(5)[:9].upper()}"
    return {**row, "code": code, "created_at": copy.now, "updated_at": copy.now}


def _new_product(copy: Copy, row: Values) -> Values:
    """A copy was sold to nobody and reviewed by nobody; addresses stay the same."""
    found = {**row, "sales_amount": 0, "updated_timestamp": copy.now}
    key, item = row["variation_key"], row["variation_sub_group_id"]
    if key is not None:
        found["variation_key"] = _new_pairs(copy, key)
    if item is not None:
        group, _, pairs = item.partition("_")
        number = copy.number(_GROUPS, int(group))
        found["variation_sub_group_id"] = f"{number}_{_new_pairs(copy, pairs)}"
    return found


def _new_pairs(copy: Copy, text: str) -> str:
    """Put new numbers into pairs of feature and variant (`72:331_73:340`)."""
    return _PAIR.sub(lambda pair: _new_pair(copy, pair), text)


def _new_pair(copy: Copy, pair: re.Match[str]) -> str:
    feature = copy.number(_FEATURES, int(pair[1]))
    return f"{feature}:{copy.number(_FEATURE_VARIANTS, int(pair[2]))}"


def _new_value(copy: Copy, row: Values) -> Values:
    return {**row, "slot": row["variant_id"] or 0}


def copy_discussions(copy: Copy) -> None:
    """Let the copies be discussed as the originals are; nobody has said anything."""

    def silent(_copy: Copy, row: Values) -> Values:
        nothing = {"rating_sum": 0, "rating_count": 0}
        return {**row, **nothing, "object_id": row["product_id"]}

    copy_part(copy, Part(table_of(DiscussionThread), "product_id", silent))


def copy_places(copy: Copy) -> None:
    """Copy the links to categories, and count them there."""
    places: Counter[int] = Counter()

    def counted(_copy: Copy, row: Values) -> Values:
        places[row["category_id"]] += 1
        first = row["first_id"]
        if first is None:
            return row
        return {**row, "first_id": copy.number(_CATEGORIES, first)}

    copy_part(copy, Part(table_of(ProductCategory), "product_id", counted))
    count(copy.db, dict(places))


def copy_options(copy: Copy) -> None:
    """Copy the options and choices of products; links to everybody's options stay."""
    _copy_global_options(copy)
    copy_own_options(copy)
    _copy_combinations(copy)
    copy_part(copy, Part(table_of(CombinationVariant), "combination_hash"))
    images.copy(copy.db, "product_option", copy.of(_COMBINATIONS))
    copy_exceptions(copy)


def _copy_global_options(copy: Copy) -> None:
    """Copy the source's global options that its products are linked to."""
    names = _OPTIONS.columns.keys()
    rows = copy.db.rows(_GLOBAL_OPTIONS, company_id=copy.source)
    found = [dict(zip(names, row, strict=True)) for row in rows]
    write_copies(copy, Part(_OPTIONS, "company_id", entity="options"), found)


def copy_own_options(copy: Copy) -> None:
    """Copy the products' own options with their variants, and links to global ones."""
    copy_part(copy, Part(_OPTIONS, "product_id", entity="options"))
    copy_part(copy, Part(table_of(OptionText), "option_id"))
    copy_part(copy, Part(_OPTION_VARIANTS, "option_id"))
    copy_part(copy, Part(table_of(OptionVariantText), "variant_id"))
    copy_part(copy, Part(table_of(ProductOption), "product_id"))
    images.copy(copy.db, "variant_image", copy.of(_OPTION_VARIANTS))


def copy_exceptions(copy: Copy) -> None:
    """Copy the products' exceptions, which name options and variants."""
    exceptions = table_of(OptionException)
    copy_part(copy, Part(exceptions, "product_id", _new_choice))
    copy_part(copy, Part(table_of(ExceptionVariant), "exception_id"))


def _new_choice(copy: Copy, row: Values) -> Values:
    """Put new numbers into a choice, in the order of the options."""
    pairs = sorted(
        (
            copy.number(_OPTIONS, int(option)),
            copy.number(_OPTION_VARIANTS, int(variant)),
        )
        for option, variant in (
            pair.split("_") for pair in row["choice"].split(":") if pair
        )
    )
    return {**row, "choice": ":".join(f"{o}_{v}" for o, v in pairs)}


def _copy_combinations(copy: Copy) -> None:
    """Copy combinations under new hashes; those in use are asked for by batch."""
    for ids in batches(sorted(copy.of(_PRODUCTS))):
        rows = rows_of(copy.db, _COMBINATIONS.c.product_id, ids)
        taken = set(copy.of(_COMBINATIONS).values())
        for hashes in batches(crc32(_text(copy, row)) for row in rows):
            taken |= {row[0] for row in copy.db.rows(_HASHES, ids=hashes)}
        for row in rows:
            new = _free_hash(copy, _text(copy, row), taken)
            copy.of(_COMBINATIONS)[row["combination_hash"]] = new
            taken.add(new)
        write_copies(copy, Part(_COMBINATIONS, "product_id", _new_combination), rows)


def _text(copy: Copy, row: Values) -> bytes:
    """What the hash of a combination's copy is made of.

    Source: spec/entities/combinations.md, rule 4.
    """
    product_id = copy.number(_PRODUCTS, row["product_id"])
    return f"{product_id}:{_new_choice(copy, row)['choice']}".encode()


def _free_hash(copy: Copy, text: bytes, taken: set[int]) -> int:
    new, tries = crc32(text), 0
    while new in taken or not new or (tries and copy.db.rows(_HASHES, ids=[new])):
        tries += 1
        new = crc32(text + f":{tries}".encode())
    return new


def _new_combination(copy: Copy, row: Values) -> Values:
    number = copy.number(_COMBINATIONS, row["combination_hash"])
    return {**_new_choice(copy, row), "combination_hash": number}
