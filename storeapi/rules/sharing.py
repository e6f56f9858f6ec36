"""What products take over from another one, and how they follow its changes.

A child variation follows the default of its catalog item, an offer follows its
common product. What is shared is copied in the transaction that changes it, so
that every read, filter and sort finds it at the product itself.
Source: spec/entities/product_variations.md, rules 9 and 10;
spec/entities/master_products.md, rule 5.3.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import bindparam, or_, select

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import (
    Feature,
    Product,
    ProductFeatureText,
    ProductFeatureValue,
    ProductText,
    VariationGroupFeature,
)
from storeapi.rules import images
from storeapi.rules.catalog_items import PURPOSES
from storeapi.rules.copying import rows_of
from storeapi.rules.placement import place, placed_ids
from storeapi.rules.products import SEARCHED, write_search

_PRODUCTS = table_of(Product)
_TEXTS = table_of(ProductText)
_VALUES = table_of(ProductFeatureValue)
_VALUE_TEXTS = table_of(ProductFeatureText)
_PLACES = frozenset({"category_ids", "main_category"})
_IMAGES = frozenset({"main_pair", "image_pairs"})

_id: Any = bindparam("id", required=True)
_CHILDREN = query(
    select(Product.product_id)
    .where(Product.parent_product_id == _id)
    .order_by(Product.product_id)
)
_OFFERS = query(
    select(Product.product_id)
    .where(Product.master_product_id == _id)
    .order_by(Product.product_id)
)
_OWN_FEATURES = query(
    select(Feature.feature_id).where(
        Feature.feature_id.in_(bindparam("ids", expanding=True)),
        or_(
            Feature.purpose.in_(PURPOSES),
            Feature.feature_id.in_(
                select(VariationGroupFeature.feature_id)
                .join(
                    Product,
                    Product.variation_group_id == VariationGroupFeature.group_id,
                )
                .where(Product.product_id == _id)
            ),
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Work:
    """The transaction of a write, and who acts in which request."""

    db: Transaction
    context: Context


@dataclass(frozen=True, slots=True)
class Shares:
    """What followers take: columns and texts by name, all values, images.

    Categories are always shared, but those that are in none only if followers can
    do without any, which is `placeless`. Without `all_values` each follower keeps
    its own values of the features by which variations differ. A follower that is
    `offered` is a common product.
    """

    columns: tuple[str, ...]
    texts: tuple[str, ...]
    all_values: bool = False
    images: bool = False
    offered: bool = False
    placeless: bool = False


VARIATION = Shares(
    columns=(
        "main_category",
        "tax_ids",
        "usergroup_ids",
        "shipping_freight",
        "free_shipping",
        "box_length",
        "box_width",
        "box_height",
        "min_items_in_box",
        "max_items_in_box",
        "options_type",
        "exceptions_type",
    ),
    texts=("short_description", "full_description", "promo_text", "search_words"),
)
COMMON_VARIATION = replace(VARIATION, offered=True, placeless=True)
OFFER = Shares(
    columns=("main_category", "options_type", "exceptions_type"),
    texts=(
        "product",
        "product_key",
        "page_title",
        "short_description",
        "full_description",
        "promo_text",
        "meta_description",
        "meta_keywords",
        "search_words",
        "age_warning_message",
    ),
    all_values=True,
    images=True,
    placeless=True,
)


_SHARED = {*OFFER.columns, *OFFER.texts, *VARIATION.columns, *VARIATION.texts}
_SHARED |= _PLACES | _IMAGES

SHARED_BY_VARIATIONS = _PLACES.union(VARIATION.columns, VARIATION.texts)
"""Fields that child variations take from their default."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a product keeps though it joins: fields and features that were sent.

    Texts are kept in the languages that they were written in.
    """

    names: frozenset[str] = frozenset()
    features: frozenset[int] = frozenset()


NOTHING_KEPT = Kept()


def take_over(
    work: Work, source: int, target: int, shares: Shares, kept: Kept = NOTHING_KEPT
) -> None:
    """Let a product that joins another one take all that they share.

    If it is `offered`, its offers follow.
    """
    names = {*shares.columns, *shares.texts, *_PLACES}
    if shares.images:
        names |= _IMAGES
    names -= kept.names
    if _PLACES & kept.names:
        names -= _PLACES
    _Copying(work, source, [target], shares).write(names)
    texts = kept.names.intersection(shares.texts)
    written = work.context.written
    others = [c for c in work.context.installation.languages if c not in written]
    if texts and others:
        _Copying(work, source, [target], shares, others).write(texts)
    features = _features_of(work.db, source, shares) - kept.features
    _Copying(work, source, [target], shares).write_values(features)
    offers = _ids(work.db, _OFFERS, target) if shares.offered else []
    if offers:
        _Copying(work, target, offers, OFFER).write(names | texts)
        _Copying(work, target, offers, OFFER).write_values(features)


def follow(work: Work, source: Mapping[str, Any], names: Iterable[str]) -> None:
    """Bring changed fields of a product to those that follow it.

    Texts are brought in the languages in which they were written: what followers
    have in others is theirs.
    Shapes: `source` holds the columns of its row.
    """
    changed = set(names)
    if changed.isdisjoint(_SHARED):
        return
    if changed & _PLACES:
        changed |= _PLACES
    if changed & _IMAGES:
        changed |= _IMAGES
    for leader, followers, shares in _followers(work.db, source):
        copying = _Copying(work, leader, followers, shares, work.context.written)
        copying.write(changed)


def follow_values(
    work: Work, source: Mapping[str, Any], feature_ids: Iterable[int]
) -> None:
    """Bring changed values of features to the products that follow likewise."""
    changed = set(feature_ids)
    for leader, followers, shares in _followers(work.db, source):
        own = set() if shares.all_values else _own_features(work.db, leader, changed)
        _Copying(work, leader, followers, shares).write_values(changed - own)


def _followers(
    db: Transaction, source: Mapping[str, Any]
) -> list[tuple[int, list[int], Shares]]:
    """Who follows whom: children, and the offers of common products among them."""
    id = int(source["product_id"])
    found = []
    leaders = [id]
    if source["variation_group_id"] is not None and source["product_type"] == "P":
        children = _ids(db, _CHILDREN, id)
        common = source["company_id"] == 0
        found.append((id, children, COMMON_VARIATION if common else VARIATION))
        leaders += children
    if source["company_id"] == 0:
        found += [(leader, _ids(db, _OFFERS, leader), OFFER) for leader in leaders]
    return [each for each in found if each[1]]


def _ids(db: Transaction, statement: Any, source: int) -> list[int]:
    return [row[0] for row in db.rows(statement, id=source)]


def _features_of(db: Transaction, source: int, shares: Shares) -> set[int]:
    """The features whose values of a product are shared."""
    rows = rows_of(db, _VALUES.c.product_id, [source])
    features = {row["feature_id"] for row in rows}
    own = set() if shares.all_values else _own_features(db, source, features)
    return features - own


def _own_features(db: Transaction, source: int, features: set[int]) -> set[int]:
    """Those of the features by which variations differ."""
    rows = db.rows(_OWN_FEATURES, ids=sorted(features), id=source)
    return {row[0] for row in rows}


class _Copying:
    """The work of bringing values of one product to some others.

    Shapes: `languages` are those of the texts, all if none are named.
    """

    def __init__(
        self,
        work: Work,
        source: int,
        targets: Sequence[int],
        shares: Shares,
        languages: Sequence[str] | None = None,
    ) -> None:
        self.db = work.db
        self.context = work.context
        self.source = source
        self.targets = list(targets)
        self.shares = shares
        every = work.context.installation.languages
        self.languages = every if languages is None else languages

    def write(self, names: AbstractSet[str]) -> None:
        """Copy columns, texts, categories and images, as far as they are shared."""
        (row,) = rows_of(self.db, _PRODUCTS.c.product_id, [self.source])
        columns = {n: row[n] for n in self.shares.columns if n in names}
        texts = [n for n in self.shares.texts if n in names]
        ids = placed_ids(self.db, self.source) if "category_ids" in names else []
        placed = "category_ids" in names and (self.shares.placeless or bool(ids))
        if not placed:
            columns.pop("main_category", None)
        pictured = self.shares.images and not _IMAGES.isdisjoint(names)
        if not (columns or texts or placed or pictured):
            return
        if texts:
            self._write_texts(texts)
        if placed:
            for target in self.targets:
                place(self.db, target, ids)
            columns["category_ids"] = ids
        if pictured:
            self._write_images()
        self._touch(columns | dict.fromkeys(texts))

    def _write_texts(self, names: list[str]) -> None:
        for row in rows_of(self.db, _TEXTS.c.product_id, [self.source]):
            if row["lang_code"] in self.languages:
                where = {"product_id": self.targets, "lang_code": row["lang_code"]}
                self.db.update(_TEXTS, where, {name: row[name] for name in names})
        if not SEARCHED.isdisjoint(names):
            for target in self.targets:
                write_search(self.db, target, self.languages)

    def _write_images(self) -> None:
        folder = self.context.settings.media_folder
        images.follow(self.db, "product", self.source, self.targets, folder)

    def write_values(self, features: set[int]) -> None:
        """Copy the values of features; one that the source lacks goes."""
        if not features:
            return
        where = {"product_id": self.targets, "feature_id": sorted(features)}
        for table in (_VALUE_TEXTS, _VALUES):
            self.db.delete(table, where)
        for table in (_VALUES, _VALUE_TEXTS):
            rows = [
                row
                for row in rows_of(self.db, table.c.product_id, [self.source])
                if row["feature_id"] in features
            ]
            self.db.insert_many(
                table,
                [{**row, "product_id": id} for id in self.targets for row in rows],
            )
        self._touch({"product_features": sorted(features)})

    def _touch(self, after: dict[str, Any]) -> None:
        """Write the columns, the time of change, and the record of it."""
        columns = {n: value for n, value in after.items() if n in self.shares.columns}
        columns["updated_timestamp"] = self.context.now
        self.db.update(_PRODUCTS, {"product_id": self.targets}, columns)
        rows = rows_of(self.db, _PRODUCTS.c.product_id, self.targets)
        user = self.context.caller.user_id
        self.db.record(
            *[
                Change(
                    "products",
                    Operation.UPDATE,
                    row["product_id"],
                    row["company_id"],
                    user,
                    {},
                    after,
                    _PRODUCTS.name,
                    row["status"],
                )
                for row in rows
            ]
        )
