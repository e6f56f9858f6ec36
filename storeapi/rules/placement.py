"""Products in categories: the links, and the number of products of each category."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, String, bindparam, case, select, union, update

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Connection, Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import (
    Category,
    FeatureCategory,
    Product,
    ProductCategory,
    ProductFeatureValue,
)
from storeapi.rules.touching import hold
from storeapi.rules.trees import beneath

_PLACED = query(
    select(ProductCategory.category_id, ProductCategory.first_id)
    .where(ProductCategory.product_id == bindparam("id", required=True))
    .order_by(ProductCategory.category_id)
)
_first: Any = bindparam("first", required=True)
_LEAD = query(
    update(ProductCategory)
    .where(ProductCategory.product_id == bindparam("id", required=True))
    .values(first_id=case((ProductCategory.category_id != _first, _first)))
)
_COUNTED = query(
    select(Category.category_id)
    .join(ProductCategory, ProductCategory.category_id == Category.category_id)
    .where(ProductCategory.product_id == bindparam("id", required=True))
    .order_by(Category.category_id)
    .with_for_update(key_share=True, of=Category)
)
_ADD = query(
    update(Category)
    .where(Category.category_id == bindparam("id", required=True))
    .values(product_count=Category.product_count + bindparam("by", required=True))
)
_LINKED = query(
    select(ProductCategory.product_id, ProductCategory.category_id)
    .where(ProductCategory.category_id.in_(bindparam("ids", expanding=True)))
    .order_by(ProductCategory.product_id)
)


def tied_to(of_category: Any) -> tuple[Select[Any], Select[Any]]:
    """The products in categories, and those with values of features for these.

    Shapes: `of_category` is the condition on the categories.
    """
    placed = select(ProductCategory.product_id).join(
        Category, Category.category_id == ProductCategory.category_id
    )
    valued = select(ProductFeatureValue.product_id).join(
        FeatureCategory, FeatureCategory.feature_id == ProductFeatureValue.feature_id
    )
    valued = valued.join(Category, Category.category_id == FeatureCategory.category_id)
    return placed.where(of_category), valued.where(of_category)


_TIED_BELOW = query(
    union(
        *tied_to(
            beneath(Category.id_path, bindparam("path", required=True, type_=String()))
        )
    )
)
_HELD = query(
    select(
        Product.product_id,
        Product.company_id,
        Product.master_product_id,
        Product.status,
        Product.main_category,
    )
    .where(Product.product_id.in_(bindparam("ids", expanding=True)))
    .order_by(Product.product_id)
    .with_for_update(key_share=True)
)
_REMAINING = query(
    select(
        ProductCategory.product_id,
        ProductCategory.category_id,
        ProductCategory.first_id,
    )
    .join(Category, Category.category_id == ProductCategory.category_id)
    .where(ProductCategory.product_id.in_(bindparam("ids", expanding=True)))
    .order_by(ProductCategory.product_id, Category.position, Category.category_id)
)
_SETTLE = query(
    update(Product)
    .where(Product.product_id == bindparam("id", required=True))
    .values(
        main_category=bindparam("main", required=True),
        status=bindparam("new_status", required=True),
        updated_timestamp=bindparam("now", required=True),
    )
)


def placed_ids(db: Connection, product_id: int) -> list[int]:
    """The categories that a product is in."""
    return [row[0] for row in db.rows(_PLACED, id=product_id)]


def place(db: Transaction, product_id: int, category_ids: Sequence[int]) -> bool:
    """Put a product into exactly these categories; new ones have it at the front.

    Returns whether it was in others.
    """
    links: dict[int, int | None] = dict(db.rows(_PLACED, id=product_id))
    before, after = set(links), set(category_ids)
    if before == after:
        return False
    gone, added = sorted(before - after), sorted(after - before)
    count(db, {**dict.fromkeys(gone, -1), **dict.fromkeys(added, 1)})
    if gone:
        where = {"product_id": product_id, "category_id": gone}
        db.delete(table_of(ProductCategory), where)
    first = _first_of(after, links)
    db.insert_many(
        table_of(ProductCategory),
        [
            {
                "product_id": product_id,
                "category_id": id,
                "position": 0,
                "first_id": None if id == first else first,
            }
            for id in added
        ],
    )
    if first is not None and links.get(first, first) is not None and before & after:
        db.run(_LEAD, id=product_id, first=first)
    return True


def _first_of(ids: Iterable[int], links: Mapping[int, int | None]) -> int | None:
    """Which of a product's categories counts it where several are counted together.

    It stays what it is: the one that names no other. Shapes: `links` maps categories
    to the first one that they name.
    """
    ordered = sorted(ids)
    kept = [id for id in ordered if links.get(id, id) is None]
    return next(iter([*kept, *ordered]), None)


def hold_counted(db: Transaction, product_id: int) -> None:
    """Hold the categories of a product before others are put into them.

    The row of a product holds its main category, though too weakly to count it there:
    two writers that have come so far would wait for each other.
    """
    if db.concurrent:
        db.rows(_COUNTED, id=product_id)


def count(db: Transaction, changes: dict[int, int]) -> None:
    """Change the kept numbers of products, in ID order so that none waits in a ring.

    Source: spec/entities/categories.md, rule 5.7.
    """
    for id in sorted(changes):
        if changes[id]:
            db.run(_ADD, id=id, by=changes[id])


def hold_placed(db: Transaction, path: str) -> None:
    """Hold all products in a category or below it, before any of these is held.

    Whoever places a product holds it before its categories. So are those held that
    have a value of a feature for these categories: it may go with them.
    Shapes: `path` is the `id_path` of the category.
    """
    if db.concurrent:
        hold(db, [row[0] for row in db.rows(_TIED_BELOW, path=path)])


@dataclass(frozen=True, slots=True)
class _Displaced:
    """A product that has lost categories, before and after."""

    id: int
    company_id: int
    status: str
    new_status: str
    main: int | None
    new_main: int | None
    categories: list[int]
    new_categories: list[int]
    first: int | None

    @property
    def before(self) -> dict[str, Any]:
        """The values that change, as they were."""
        return {"category_ids": self.categories, **self._differing(False)}

    @property
    def after(self) -> dict[str, Any]:
        """The values that change, as they are now."""
        return {"category_ids": self.new_categories, **self._differing(True)}

    def settled(self, now: int) -> dict[str, Any]:
        """The values of the statement that settles it."""
        new = {"main": self.new_main, "new_status": self.new_status}
        return {"id": self.id, **new, "now": now}

    def change(self, caller_id: int | None) -> Change:
        """What is told of it."""
        return Change(
            "products",
            Operation.UPDATE,
            self.id,
            self.company_id,
            caller_id,
            self.before,
            self.after,
            table_of(Product).name,
            self.status,
        )

    def _differing(self, new: bool) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.main != self.new_main:
            found["main_category"] = self.new_main if new else self.main
        if self.status != self.new_status:
            found["status"] = self.new_status if new else self.status
        return found


def needs_category(company_id: int, master_product_id: int | None) -> bool:
    """Whether a product is for sale in categories alone.

    A common product needs none, nor do the offers of it, which are where it is.
    Source: spec/entities/master_products.md, section 2.
    """
    return company_id != 0 and master_product_id is None


def displace(
    db: Transaction, category_ids: Sequence[int], now: int, caller_id: int | None
) -> None:
    """Take every product out of categories that are about to go, and record that.

    A product whose main category goes gets the remaining one with the lowest
    position; one that is in no category any more is disabled, if it needs one.
    Source: spec/entities/categories.md, rule 5.5.
    """
    lost: dict[int, list[int]] = {}
    for ids in batches(category_ids):
        for product_id, category_id in db.rows(_LINKED, ids=ids):
            lost.setdefault(product_id, []).append(category_id)
    displaced: list[_Displaced] = []
    for products in batches(sorted(lost)):
        displaced += _displaced(db, products, lost)
    for ids in batches(category_ids):
        db.delete(table_of(ProductCategory), {"category_id": ids})
    db.run_many(_SETTLE, [each.settled(now) for each in displaced])
    leads = [{"id": d.id, "first": d.first} for d in displaced if d.first is not None]
    db.run_many(_LEAD, leads)
    db.record(*[each.change(caller_id) for each in displaced])


def _displaced(
    db: Transaction, products: Sequence[int], lost: dict[int, list[int]]
) -> list[_Displaced]:
    kept: dict[int, dict[int, int | None]] = {}
    for product_id, category_id, first in db.rows(_REMAINING, ids=products):
        if category_id not in lost[product_id]:
            kept.setdefault(product_id, {})[category_id] = first
    found = []
    for id, company_id, master_id, status, main in db.rows(_HELD, ids=products):
        links = kept.get(id, {})
        left = list(links)
        new_main = main if main in left else next(iter(left), None)
        before, after = sorted([*left, *lost[id]]), sorted(left)
        found.append(
            _Displaced(
                id,
                company_id,
                status,
                status if left or not needs_category(company_id, master_id) else "D",
                main,
                new_main,
                before,
                after,
                _first_of(left, links),
            )
        )
    return found
