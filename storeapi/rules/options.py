"""Options of products: who offers them, and what goes when they go.

Source: spec/entities/options.md.
"""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import bindparam, select, union, union_all
from sqlalchemy.orm import aliased

from storeapi.core.access import Caller
from storeapi.core.changes import Change
from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import NotFound, Refused
from storeapi.core.rows import table_of
from storeapi.core.statement import Query, batches, query
from storeapi.models import (
    Combination,
    CombinationVariant,
    ExceptionVariant,
    Option,
    OptionException,
    OptionVariant,
    Product,
    ProductOption,
)
from storeapi.rules import images
from storeapi.rules.seen_products import SEEN, is_seen

SELECTED = frozenset("SRC")
"""Types whose choice is one of the option's variants."""

LISTED = frozenset("SR")
"""Types whose variants are the shop's own."""

CHECK_BOX = "C"
"""The type that always has two variants: unticked, ticked."""

_BATCH = 500
_ids: Any = bindparam("ids", expanding=True)

_common = aliased(Product)
HOLDERS: tuple[Any, ...] = (
    Product.product_id,
    Product.master_product_id,
    Product.parent_product_id,
    select(_common.parent_product_id)
    .where(_common.product_id == Product.master_product_id)
    .correlate(Product)
    .scalar_subquery(),
)
"""Whose options a product has: its own, those of its common product, and those of
the default of its catalog item, or of its common product's."""

_holders = union_all(
    *[
        select(Product.product_id, holder.label("holder_id")).where(
            Product.product_id.in_(_ids)
        )
        for holder in HOLDERS
    ]
).subquery("holders")
_OFFERED = query(
    union(
        *[
            select(_holders.c.product_id, model.option_id).join_from(
                _holders, model, model.product_id == _holders.c.holder_id
            )
            for model in (Option, ProductOption)
        ]
    )
)
_option_id: Any = bindparam("option_id", required=True)
_LINKED = query(
    select(ProductOption.product_id).where(ProductOption.option_id == _option_id)
)
_OWNER = query(select(Option.product_id).where(Option.option_id == _option_id))
_SEEN = query(
    select(*SEEN).where(Product.product_id == bindparam("product_id", required=True))
)
_HOLDERS_OF = query(
    select(*HOLDERS).where(Product.product_id == bindparam("product_id", required=True))
)
_LENDERS = query(
    select(Product.master_product_id, Product.parent_product_id).where(
        Product.product_id == bindparam("product_id", required=True)
    )
)
_COMBINATION_USES = query(
    select(CombinationVariant.combination_hash)
    .where(CombinationVariant.option_id == bindparam("option_id", required=True))
    .limit(1)
)
_EXCEPTION_USES = query(
    select(ExceptionVariant.exception_id)
    .where(ExceptionVariant.option_id == bindparam("option_id", required=True))
    .limit(1)
)
_OWN = query(select(table_of(Option)).where(Option.product_id.in_(_ids)))
_VARIANTS = query(
    select(OptionVariant.variant_id).where(OptionVariant.option_id.in_(_ids))
)


def _naming(model: Any, link: Any, column: Any) -> Query:
    """The rows of a choice table that name certain options or variants."""
    key = next(iter(table_of(model).primary_key.columns))
    owners = select(link.__table__.c[key.name]).where(column.in_(_ids))
    return query(select(table_of(model)).where(key.in_(owners)))


_COMBINATIONS_OF = {
    "option": _naming(Combination, CombinationVariant, CombinationVariant.option_id),
    "variant": _naming(Combination, CombinationVariant, CombinationVariant.variant_id),
    "product": query(
        select(table_of(Combination)).where(Combination.product_id.in_(_ids))
    ),
}
_EXCEPTIONS_OF = {
    "product": query(
        select(table_of(OptionException)).where(OptionException.product_id.in_(_ids))
    ),
    "option": _naming(OptionException, ExceptionVariant, ExceptionVariant.option_id),
    "variant": _naming(OptionException, ExceptionVariant, ExceptionVariant.variant_id),
}


def seen_product(db: Connection, product_id: int, caller: Caller) -> int:
    """Return the company of a product that this caller may see.

    Raises: `NotFound`, also for a product of another company.
    """
    row = db.row(_SEEN, product_id=product_id)
    if row is None or not is_seen(db, caller, *row):
        raise NotFound(f"products {product_id} does not exist")
    return int(row[0])


def refuse_offer(db: Connection, product_id: int, what: str) -> None:
    """Refuse to give an offer what it has from its common product.

    Raises: `Refused`.
    Source: spec/entities/master_product_offers.md, section 2.
    """
    common_id = common_of(db, product_id)
    if common_id is not None:
        text = f"product {product_id} is an offer, and has the {what} of"
        raise Refused(f"{text} common product {common_id}")


def common_of(db: Connection, product_id: int) -> int | None:
    """The common product of an offer; `None` for any other product."""
    row = db.row(_LENDERS, product_id=product_id)
    return None if row is None else row[0]


def refuse_borrowed(db: Connection, product_id: int, option_id: int) -> None:
    """Refuse to take an option from a product that has it from another one.

    Raises: `Refused`.
    Source: spec/entities/product_variations.md, rule 9.
    """
    common_id, parent_id = db.row(_LENDERS, product_id=product_id) or (None, None)
    lender = parent_id if common_id is None else common_id
    if lender is None or option_id not in offered(db, [lender]).get(lender, ()):
        return
    if common_id is not None:
        refuse_offer(db, product_id, "options")
    text = f"product {product_id} is a variation, and has option {option_id} of"
    raise Refused(f"{text} its default, product {parent_id}")


def holders_of(db: Connection, product_id: int) -> list[int]:
    """Whose options and exceptions a product has: its own, and those lent to it."""
    row = db.row(_HOLDERS_OF, product_id=product_id) or ()
    return sorted({id for id in row if id is not None})


def offered(db: Connection, product_ids: Sequence[int]) -> dict[int, list[int]]:
    """The options of products, own ones and linked global ones, in no order.

    An offer has those of its common product too, a child variation those of the
    default of its catalog item. Whoever wants to know the options of a product asks
    here; `HOLDERS` says the same inside of a statement. A product without any option is
    left out.
    Source: spec/entities/master_products.md, rule 5.3;
    spec/entities/product_variations.md, rule 9.
    """
    found: dict[int, list[int]] = {}
    for product_id, option_id in db.rows(_OFFERED, ids=product_ids):
        found.setdefault(product_id, []).append(option_id)
    return found


def products_of(
    db: Connection, option_id: int, product_id: int | None = None
) -> list[int]:
    """The products that offer an option: its own one, or those linked to it."""
    if product_id is None:
        product_id = db.value(_OWNER, option_id=option_id)
    if product_id is not None:
        return [product_id]
    return [row[0] for row in db.rows(_LINKED, option_id=option_id)]


def give_options(db: Transaction, product_id: int, company_id: int) -> None:
    """Let a product's own options belong to the company that it belongs to now."""
    own = {"product_id": product_id}
    db.update(table_of(Option), own, {"company_id": company_id})


def is_in_use(db: Connection, option_id: int) -> bool:
    """Whether a combination or an exception names the option."""
    return any(
        db.row(uses, option_id=option_id) is not None
        for uses in (_COMBINATION_USES, _EXCEPTION_USES)
    )


def drop_combinations(
    db: Transaction,
    of: str,
    ids: Sequence[int],
    context: Context,
    *,
    only: Collection[int] | None = None,
) -> None:
    """Delete the combinations that name options or variants, with their images.

    Shapes: `of` says what the `ids` are: "option", "variant" or "product".
    Source: spec/entities/combinations.md, rule 8.
    """
    names = table_of(Combination).columns.keys()
    rows = [
        dict(zip(names, row, strict=True))
        for row in db.rows(_COMBINATIONS_OF[of], ids=ids)
    ]
    gone = [row for row in rows if only is None or row["product_id"] in only]
    hashes = [row["combination_hash"] for row in gone]
    images.remove_all(db, "product_option", hashes, context.settings.media_folder)
    _delete(db, Combination, "combinations", gone, context)


def drop_exceptions(
    db: Transaction,
    of: str,
    ids: Sequence[int],
    context: Context,
    *,
    only: Collection[int] | None = None,
) -> None:
    """Delete the exceptions that name options or variants.

    Source: spec/entities/exceptions.md, rule 7.
    """
    names = table_of(OptionException).columns.keys()
    rows = [
        dict(zip(names, row, strict=True))
        for row in db.rows(_EXCEPTIONS_OF[of], ids=ids)
    ]
    gone = [row for row in rows if only is None or row["product_id"] in only]
    _delete(db, OptionException, "exceptions", gone, context)


def _delete(
    db: Transaction,
    model: Any,
    entity: str,
    rows: Sequence[dict[str, Any]],
    context: Context,
) -> None:
    if not rows:
        return
    table = table_of(model)
    key = next(iter(table.primary_key.columns)).name
    for start in range(0, len(rows), _BATCH):
        ids = [row[key] for row in rows[start : start + _BATCH]]
        db.delete(table, {key: ids})
    user = context.caller.user_id
    db.record(
        *[
            Change.deletion(entity, row[key], row=row, table=table.name, caller_id=user)
            for row in rows
        ]
    )


def drop_variant_images(
    db: Transaction, option_ids: Sequence[int], context: Context
) -> None:
    """Remove the icons of all variants of options."""
    ids = [row[0] for row in db.rows(_VARIANTS, ids=option_ids)]
    images.remove_all(db, "variant_image", ids, context.settings.media_folder)


def drop_belongings(
    db: Transaction, product_ids: Sequence[int], context: Context
) -> None:
    """Delete the options, combinations and exceptions of products that go.

    Source: spec/entities/products.md, rule 16.
    """
    drop_combinations(db, "product", product_ids, context)
    drop_exceptions(db, "product", product_ids, context)
    drop_options(db, product_ids, context)


def drop_options(db: Transaction, product_ids: Sequence[int], context: Context) -> None:
    """Delete the own options of products, and all choices that name them."""
    names = table_of(Option).columns.keys()
    own = [dict(zip(names, r, strict=True)) for r in db.rows(_OWN, ids=product_ids)]
    ids = [row["option_id"] for row in own]
    for batch in batches(ids):
        drop_combinations(db, "option", batch, context)
        drop_exceptions(db, "option", batch, context)
        drop_variant_images(db, batch, context)
    _delete(db, Option, "options", own, context)
