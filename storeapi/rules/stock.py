"""The stock: taking pieces from it, and giving them back.

Source: spec/entities/products.md, rule 12; combinations.md, rule 7; orders.md, rule
5.3.4.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import bindparam, or_, select, update

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import Refused
from storeapi.core.statement import Query, query
from storeapi.models import Combination, Product
from storeapi.rules.availability import combined, shortage
from storeapi.rules.offered_prices import follow_stock, hold_after_common

_ids: Any = bindparam("ids", expanding=True)
_id: Any = bindparam("id", required=True)
_by: Any = bindparam("by", required=True)

# Who adds an order line or a cart line for the product need not wait for these.
_PRODUCTS = query(
    select(
        Product.product_id,
        Product.tracking,
        Product.amount,
        Product.out_of_stock_actions,
        Product.company_id,
        Product.status,
        Product.updated_timestamp,
        Product.sales_amount,
        Product.master_product_id,
        Product.price,
    )
    .where(Product.product_id.in_(_ids))
    .order_by(Product.product_id)
    .with_for_update(key_share=True)
)
_COMBINATIONS = query(
    select(
        Combination.combination_hash,
        Combination.product_id,
        Combination.choice,
        Combination.amount,
    )
    .where(
        Combination.product_id.in_(_ids),
        Combination.choice.in_(bindparam("choices", expanding=True)),
    )
    .order_by(Combination.combination_hash)
    .with_for_update(key_share=True)
)
_sold = {
    "sales_amount": Product.sales_amount + _by,
    "updated_timestamp": bindparam("now", required=True),
}
_TAKE = query(
    update(Product)
    .where(
        Product.product_id == _id,
        or_(Product.amount >= _by, Product.out_of_stock_actions == "B"),
    )
    .values(amount=Product.amount - _by, **_sold)
)
_GIVE = query(
    update(Product)
    .where(Product.product_id == _id)
    .values(amount=Product.amount - _by, **_sold)
)
_SELL = query(update(Product).where(Product.product_id == _id).values(**_sold))
_open = select(Product.product_id).where(
    Product.product_id == Combination.product_id, Product.out_of_stock_actions == "B"
)
_TAKE_COMBINATION = query(
    update(Combination)
    .where(
        Combination.combination_hash == _id,
        or_(Combination.amount >= _by, _open.exists()),
    )
    .values(amount=Combination.amount - _by)
)
_GIVE_COMBINATION = query(
    update(Combination)
    .where(Combination.combination_hash == _id)
    .values(amount=Combination.amount - _by)
)


class Movement(NamedTuple):
    """Pieces of a product that leave the stock; a negative amount comes back.

    Shapes: `stocked` names the choice over the inventory options, as
    `choices.Choice.stocked`; `product` is the name for messages.
    """

    product_id: int
    stocked: str
    amount: int
    product: str = ""


def difference(before: Iterable[Movement], after: Iterable[Movement]) -> list[Movement]:
    """What moves when an order that holds `before` is to hold `after`."""
    found: dict[tuple[int, str], Movement] = {}
    for sign, movements in ((-1, before), (1, after)):
        for each in movements:
            key = (each.product_id, each.stocked)
            held = found[key].amount if key in found else 0
            amount = held + sign * each.amount
            found[key] = Movement(*key, amount, each.product)
    return [each for each in found.values() if each.amount]


class _Held(NamedTuple):
    """A product that is held, as it was."""

    product_id: int
    tracking: str
    amount: int
    out_of_stock_actions: str
    company_id: int
    status: str
    updated_timestamp: int
    sales_amount: int
    master_product_id: int | None
    price: int


class _HeldCombination(NamedTuple):
    """A combination that is held, as it was."""

    combination_hash: int
    product_id: int
    choice: str
    amount: int


def move_stock(
    db: Transaction, movements: Iterable[Movement], context: Context
) -> None:
    """Take pieces from the stock, or give them back.

    Products are held in the order of their IDs, then combinations in theirs, so that
    two orders never wait for each other in a ring; the statements themselves say
    that nothing is taken that is not there. What comes back for a product or
    combination that is gone is passed over.
    Raises: `Refused` naming the products of which there is too little.
    """
    moves = difference((), movements)
    if not moves:
        return
    ids = sorted({each.product_id for each in moves})
    hold_after_common(db, ids)
    products = {row[0]: _Held(*row) for row in db.rows(_PRODUCTS, ids=ids)}
    combinations = _hold_combinations(db, moves, products)
    counted = _Counts(products, combinations, combined(db, _by_choice(products)))
    for each in moves:
        counted.add(each)
    short = counted.run(db, context.now)
    if short:
        raise Refused("; ".join(short))
    _record(db, counted, context)
    follow_stock(db, products.values(), counted.own, context)


def _by_choice(products: Mapping[int, _Held]) -> list[int]:
    return [id for id, each in products.items() if each.tracking == "O"]


def _hold_combinations(
    db: Transaction, moves: Iterable[Movement], products: Mapping[int, _Held]
) -> dict[tuple[int, str], _HeldCombination]:
    """Hold the combinations that are moved, where products count by them."""
    by_choice = _by_choice(products)
    wanted = {
        (each.product_id, each.stocked)
        for each in moves
        if each.product_id in by_choice and each.stocked
    }
    if not wanted:
        return {}
    rows = db.rows(
        _COMBINATIONS,
        ids=sorted({id for id, _ in wanted}),
        choices=sorted({text for _, text in wanted}),
    )
    held = [_HeldCombination(*row) for row in rows]
    return {(each.product_id, each.choice): each for each in held}


@dataclass(slots=True)
class _Counts:
    """What is to be moved: pieces by product, and by combination."""

    products: Mapping[int, _Held]
    combinations: Mapping[tuple[int, str], _HeldCombination]
    combined: frozenset[int]
    own: dict[int, int] = field(default_factory=dict)
    sold: dict[int, int] = field(default_factory=dict)
    chosen: dict[tuple[int, str], int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def add(self, move: Movement) -> None:
        """Find whose stock a movement means."""
        id, key = move.product_id, (move.product_id, move.stocked)
        self.names[id] = move.product
        product = self.products.get(id)
        if product is None:
            if move.amount > 0:
                self.missing.append(f"product {id} {move.product!r} does not exist")
            return
        self.sold[id] = self.sold.get(id, 0) + move.amount
        if product.tracking == "O" and key in self.combinations:
            self.chosen[key] = move.amount
        elif product.tracking == "O" and id in self.combined:
            if move.amount > 0 and product.out_of_stock_actions != "B":
                self.missing.append(shortage(move.product, id, move.amount, 0))
        elif product.tracking != "D":
            self.own[id] = self.own.get(id, 0) + move.amount

    def run(self, db: Transaction, now: int) -> list[str]:
        """Move all that is counted; returns what there is too little of.

        Whatever its stock, a product counts how many of it are sold.
        """
        short = list(self.missing)
        own = [{"id": id, "by": by, "now": now} for id, by in self.own.items() if by]
        others = [
            {"id": id, "by": by, "now": now}
            for id, by in self.sold.items()
            if by and not self.own.get(id)
        ]
        db.run_many(_SELL, others)
        if not _move(db, own, _TAKE, _GIVE):
            short += [
                self._short(self.products[id], by, self.products[id].amount)
                for id, by in self.own.items()
            ]
        chosen = [
            {"id": self.combinations[key].combination_hash, "by": by}
            for key, by in self.chosen.items()
        ]
        if not _move(db, chosen, _TAKE_COMBINATION, _GIVE_COMBINATION):
            short += [
                self._short(self.products[key[0]], by, self.combinations[key].amount)
                for key, by in self.chosen.items()
            ]
        return [each for each in short if each]

    def _short(self, product: _Held, by: int, amount: int) -> str:
        if by <= max(0, amount) or product.out_of_stock_actions == "B":
            return ""
        name = self.names[product.product_id]
        return shortage(name, product.product_id, by, amount)


def _move(
    db: Transaction, rows: Sequence[Mapping[str, int]], take: Query, give: Query
) -> bool:
    """Run the movements; whether all of them found enough."""
    takes = [row for row in rows if row["by"] > 0]
    db.run_many(give, [row for row in rows if row["by"] < 0])
    return db.run_many(take, takes) == len(takes)


def _record(db: Transaction, counts: _Counts, context: Context) -> None:
    """Tell of the changes; what readers see of the products is different now."""
    changes = []
    for id, sold in sorted(counts.sold.items()):
        if not sold:
            continue
        product, by = counts.products[id], counts.own.get(id, 0)
        before = {
            "sales_amount": product.sales_amount,
            "updated_timestamp": product.updated_timestamp,
        }
        after = {
            "sales_amount": product.sales_amount + sold,
            "updated_timestamp": context.now,
        }
        if by:
            before["amount"], after["amount"] = product.amount, product.amount - by
        owner = (product.company_id, product.status)
        changes.append(_change("products", id, context, (before, after), owner))
    for key, by in counts.chosen.items():
        held = counts.combinations[key]
        values = {"amount": held.amount}, {"amount": held.amount - by}
        changes.append(_change("combinations", held.combination_hash, context, values))
    if changes:
        db.record(*changes)


def _change(
    entity: str,
    id: int,
    context: Context,
    values: tuple[dict[str, int], dict[str, int]],
    owner: tuple[int | None, str] = (None, "A"),
) -> Change:
    before, after = values
    caller, (company_id, status) = context.caller.user_id, owner
    return Change(
        entity, Operation.UPDATE, id, company_id, caller, before, after, entity, status
    )
