"""A common product changes when the lowest price at which its offers sell does.

Offers are held before what is shown of them is known, yet common products, whose IDs
are lower, before offers. So they are held without waiting; where another writer has
one, the write begins anew, and holds both in the order of their IDs.
Source: spec/entities/products.md, rule 5.8; spec/entities/master_products.md, 7.1.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import aliased

from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.statement import query
from storeapi.models import Product
from storeapi.rules.common_products import on_sale
from storeapi.rules.stock_books import Held
from storeapi.rules.touching import hold, hold_at_once, note_held

_MET_ANOTHER = "another writer had a common product"
_ids: Any = bindparam("ids", expanding=True)
_offer = aliased(Product)
_COMMON = query(
    select(Product.master_product_id).where(
        Product.product_id.in_(_ids), Product.master_product_id.is_not(None)
    )
)
_OTHERS = query(
    select(
        Product.product_id,
        Product.price,
        select(func.min(_offer.price))
        .where(
            _offer.master_product_id == Product.product_id,
            *on_sale(_offer),
            _offer.product_id.not_in(bindparam("changed", expanding=True)),
        )
        .scalar_subquery(),
    ).where(Product.product_id.in_(_ids))
)


class _Repriced(NamedTuple):
    """An offer, and the prices at which it sold and sells; `None` if it does not."""

    offer_id: int
    common_id: int
    before: int | None
    after: int | None


def hold_after_common(db: Transaction, ids: Sequence[int]) -> None:
    """Hold products and those that they offer, if an attempt has met another writer."""
    if db.remembers(_MET_ANOTHER):
        hold(db, [*ids, *[row[0] for row in db.rows(_COMMON, ids=ids)]])


def follow_terms(
    db: Transaction,
    before: Mapping[str, Any],
    values: Mapping[str, Any],
    context: Context,
) -> None:
    """Bring new terms of an offer to its common product, if that shows another price.

    Shapes: `before` is the row of a product, `values` what was written of it.
    """
    common_id, after = before["master_product_id"], {**before, **values}
    if common_id is not None:
        prices = [
            _price(row["price"], row["amount"], row["status"], row["tracking"])
            for row in (before, after)
        ]
        _follow(db, [_Repriced(before["product_id"], common_id, *prices)], context)


def follow_stock(
    db: Transaction,
    products: Iterable[Held],
    taken: Mapping[int, int],
    context: Context,
) -> None:
    """The same of pieces that were taken from the stock of products.

    Shapes: `taken` maps their IDs to numbers of pieces.
    """
    offers = []
    for each in products:
        if each.master_product_id is not None:
            left = each.amount - taken.get(each.product_id, 0)
            before = _price(each.price, each.amount, each.status, each.tracking)
            after = _price(each.price, left, each.status, each.tracking)
            pair = each.product_id, each.master_product_id
            offers.append(_Repriced(*pair, before, after))
    _follow(db, offers, context)


def _price(price: int, amount: int, status: str, tracking: str) -> int | None:
    """The price at which an offer sells, as `on_sale` has it."""
    return price if status == "A" and (amount > 0 or tracking == "D") else None


def _follow(db: Transaction, offers: Iterable[_Repriced], context: Context) -> None:
    changed = [each for each in offers if each.before != each.after]
    if not changed:
        return
    common = {each.common_id for each in changed}
    db.remember(_MET_ANOTHER)
    held = hold_at_once(db, common)
    ids = [each.offer_id for each in changed]
    moved = {
        id
        for id, own, lowest in db.rows(_OTHERS, ids=sorted(common), changed=ids)
        if _moves([e for e in changed if e.common_id == id], own, lowest)
    }
    rows = [row for row in held if row[0] in moved]
    note_held(db, rows, context.now, context.caller.user_id)


def _moves(offers: Sequence[_Repriced], own: int, others: int | None) -> bool:
    """Whether a common product shows another price than before."""
    before = _shown(own, others, *[each.before for each in offers])
    return before != _shown(own, others, *[each.after for each in offers])


def _shown(own: int, *prices: int | None) -> int:
    return min((price for price in prices if price is not None), default=own)
