"""What goes with a company: all that belongs to it alone.

Orders do not: a company that has any cannot be removed. One that comes while it is
judged is held by its reference to the company. Rows are removed in batches, and each
is told of as a deletion.
Source: spec/entities/stores.md, rule 8; spec/entities/vendors.md, rule 7.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, bindparam, func, select, update
from sqlalchemy.orm import aliased

from storeapi.core.access import Caller
from storeapi.core.changes import Change
from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import Forbidden, Refused
from storeapi.core.rows import table_of
from storeapi.core.statement import Query, query
from storeapi.models import (
    Block,
    CallRequest,
    Cart,
    Category,
    Order,
    Page,
    Payment,
    Product,
    ProductCategory,
    Shipping,
    User,
    Usergroup,
)
from storeapi.models.catalog import (
    Feature,
    FeatureVariant,
    Option,
    OptionVariant,
    VariationGroup,
)
from storeapi.rules import images
from storeapi.rules.cart_removal import delete_carts_of, drop_lines
from storeapi.rules.company_ties import tied_products, untie
from storeapi.rules.customers import keep_buyers
from storeapi.rules.discussions import drop_threads
from storeapi.rules.feature_places import withdraw
from storeapi.rules.options import drop_belongings
from storeapi.rules.placement import count, displace, tied_to
from storeapi.rules.secrets import without_secrets
from storeapi.rules.selling_places import forget_categories
from storeapi.rules.touching import hold, note_change, with_offers

BATCH = 500


@dataclass(frozen=True, slots=True)
class Removal:
    """The removal of one company."""

    db: Transaction
    company_id: int
    context: Context


@dataclass(frozen=True, slots=True)
class _Owned:
    """A table with rows of a company, and the images that hang on them.

    Shapes: `identifier` is the column by which clients know them; `pictured` maps a
    kind of image owner to a SELECT of its numbers for the rows with certain `ids`.
    """

    entity: str
    table: Table
    identifier: str
    page: Query
    pictured: dict[str, Query]


def _owned(entity: str, model: Any, identifier: str = "", **pictured: Any) -> _Owned:
    table = table_of(model)
    (key,) = table.primary_key.columns
    page = (
        select(table)
        .where(
            table.c.company_id == bindparam("company_id", required=True),
            key > bindparam("after", required=True),
        )
        .order_by(key)
        .limit(BATCH)
    )
    ids: Any = bindparam("ids", expanding=True)
    return _Owned(
        entity,
        table,
        identifier or key.name,
        query(page),
        {
            name: query(select(number).where(owner.in_(ids)))
            for name, (number, owner) in pictured.items()
        },
    )


_PRODUCTS = _owned(
    "products", Product, product=(Product.product_id, Product.product_id)
)
_CARTS = _owned("carts", Cart, "user_id")
_BELONGINGS = (
    _owned("product_variations_groups", VariationGroup),
    _owned(
        "options",
        Option,
        variant_image=(OptionVariant.variant_id, OptionVariant.option_id),
    ),
    _owned(
        "features",
        Feature,
        feature_variant=(FeatureVariant.variant_id, FeatureVariant.feature_id),
    ),
    _owned(
        "categories", Category, category=(Category.category_id, Category.category_id)
    ),
    _owned("pages", Page, blog=(Page.page_id, Page.page_id)),
    _owned("blocks", Block),
    _owned("payments", Payment, payment=(Payment.payment_id, Payment.payment_id)),
    _owned(
        "shippings", Shipping, shipping=(Shipping.shipping_id, Shipping.shipping_id)
    ),
    _owned("call_requests", CallRequest),
    _owned("usergroups", Usergroup),
    _owned("users", User),
)

_own_category = Category.company_id == bindparam("company_id", required=True)
_PLACES_ELSEWHERE = query(
    select(ProductCategory.category_id, func.count())
    .join(Product, Product.product_id == ProductCategory.product_id)
    .join(Category, Category.category_id == ProductCategory.category_id)
    .where(
        Product.company_id == bindparam("company_id", required=True),
        Category.company_id != bindparam("company_id", required=True),
    )
    .group_by(ProductCategory.category_id)
)
_offer = aliased(Product)
_OFFERED = query(
    select(Product.product_id)
    .where(
        Product.product_id.in_(
            select(_offer.master_product_id).where(
                _offer.company_id == bindparam("company_id", required=True)
            )
        )
    )
    .order_by(Product.product_id)
    .with_for_update()
)
_GROUPS = query(
    select(VariationGroup.id)
    .where(VariationGroup.company_id == bindparam("company_id", required=True))
    .order_by(VariationGroup.id)
    .with_for_update()
)
_CONCERNED = query(
    select(Product.product_id)
    .where(Product.company_id == bindparam("company_id", required=True))
    .union(*tied_to(_own_category))
)
_OWN_CATEGORIES = query(
    select(Category.category_id)
    .where(_own_category)
    .order_by(Category.category_id)
    .with_for_update()
)
_ADMINISTRATOR = query(
    select(User.user_id)
    .where(
        User.company_id == bindparam("company_id", required=True),
        User.user_type == "A",
    )
    .limit(1)
)
_ORDER = query(
    select(Order.order_id)
    .where(Order.company_id == bindparam("company_id", required=True))
    .limit(1)
)
_FLATTEN = tuple(
    query(
        update(tree)
        .where(
            tree.company_id == bindparam("company_id", required=True),
            tree.parent_id.is_not(None),
        )
        .values(parent_id=None)
    )
    for tree in (Category, Page)
)


def judge_people(db: Connection, caller: Caller, company_id: int) -> None:
    """Let only root remove a company that has administrators of its own.

    Vendors' administrators are no rank to protect: they go with their vendor.
    Raises: `Forbidden`.
    Source: spec/protocol.md, section 10, rule 5.
    """
    if not caller.is_root and db.row(_ADMINISTRATOR, company_id=company_id):
        text = f"only root may remove company {company_id}, which has administrators"
        raise Forbidden(text)


def judge_orders(db: Connection, company_id: int) -> None:
    """Keep a company that has orders.

    Raises: `Refused`.
    """
    if db.row(_ORDER, company_id=company_id):
        raise Refused(f"company {company_id} has orders")


def remove_belongings(removal: Removal) -> None:
    """Delete products, features, options, categories, content, groups and people."""
    db, company_id, context = removal.db, removal.company_id, removal.context
    caller_id = context.caller.user_id
    tied = tied_products(db, company_id)
    offered = [row[0] for row in db.rows(_OFFERED, company_id=company_id)]
    _hold_products(removal, tied)
    elsewhere = db.rows(_PLACES_ELSEWHERE, company_id=company_id)
    count(db, {id: -number for id, number in elsewhere})
    drop_threads(db, "company_id", [company_id], caller_id)
    _remove_rows(removal, _CARTS)
    _remove_rows(removal, _PRODUCTS)
    _displace_guests(removal)
    for flatten in _FLATTEN:
        db.run(flatten, company_id=company_id)
    keep_buyers(db, company_id, caller_id)
    untie(db, company_id, context)
    for owned in _BELONGINGS:
        _remove_rows(removal, owned)
    # A common product and its other offers show how many offers there are.
    note_change(db, tied | with_offers(db, offered), context.now, caller_id)
    if db.counts is not None:
        db.counts.forget(db, company_id)


def _hold_products(removal: Removal, tied: set[int]) -> None:
    """Hold what is in a group or a category that goes, as all writers do at first.

    So the numbers of categories are true, and no product comes to one meanwhile.
    """
    db, company_id = removal.db, removal.company_id
    if db.concurrent:
        db.rows(_GROUPS, company_id=company_id)
        concerned = [row[0] for row in db.rows(_CONCERNED, company_id=company_id)]
        hold(db, tied.union(concerned))


def _displace_guests(removal: Removal) -> None:
    """Take other companies' products and lists out of the categories that go."""
    db, context = removal.db, removal.context
    own = [row[0] for row in db.rows(_OWN_CATEGORIES, company_id=removal.company_id)]
    forget_categories(db, own, context.caller.user_id, context.now)
    displace(db, own, context.now, context.caller.user_id)


def _remove_rows(removal: Removal, owned: _Owned) -> None:
    db, table = removal.db, owned.table
    folder = removal.context.settings.media_folder
    names = table.columns.keys()
    key = next(iter(table.primary_key.columns)).name
    after = 0
    while rows := db.rows(owned.page, company_id=removal.company_id, after=after):
        found = [dict(zip(names, row, strict=True)) for row in rows]
        ids = [row[key] for row in found]
        for object_type, numbers in owned.pictured.items():
            pictured = [row[0] for row in db.rows(numbers, ids=ids)]
            images.remove_all(db, object_type, pictured, folder)
        _clear(removal, owned.entity, ids)
        db.delete(table, {key: ids})
        db.record(*[_deletion(removal, owned, row) for row in found])
        after = ids[-1]


def _clear(removal: Removal, entity: str, ids: list[int]) -> None:
    """Remove what hangs on objects that go, also what other companies have of it."""
    db, context = removal.db, removal.context
    caller_id = context.caller.user_id
    if entity == "products":
        drop_lines(db, ids, context.now, caller_id)
        drop_belongings(db, ids, context)
    elif entity == "categories":
        withdraw(db, ids, context)
    elif entity == "users":
        delete_carts_of(db, ids, caller_id)


def _deletion(removal: Removal, owned: _Owned, row: dict[str, Any]) -> Change:
    return Change.deletion(
        owned.entity,
        row[owned.identifier],
        row=without_secrets(row),
        table=owned.table.name,
        caller_id=removal.context.caller.user_id,
    )
