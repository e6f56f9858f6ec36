"""The stock: taking pieces from it, and giving them back to where they came from.

Source: spec/entities/products.md, rule 12; combinations.md, rule 7; orders.md, rule
5.3.4.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, bindparam, select, update

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import Refused
from storeapi.core.kinds import LARGEST_ID
from storeapi.core.statement import query
from storeapi.models import Combination, Product
from storeapi.rules.availability import combined, shortage

OWN, CHOSEN = "B", "O"
"""Which stock pieces are taken from, in the letters of `tracking`: that of the product,
or that of the combination that the line names."""

_MOST = LARGEST_ID
_FAR = 2**62  # further than any stock
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


def _limit(name: str) -> Any:
    """What a number is compared with, which may lie beyond its column."""
    return bindparam(name, required=True, type_=BigInteger)


_MOVE = query(
    update(Product)
    .where(
        Product.product_id == _id,
        Product.amount >= _limit("least"),
        Product.amount <= _limit("most"),
        Product.sales_amount <= _limit("most_sold"),
    )
    .values(
        amount=Product.amount - _by,
        sales_amount=Product.sales_amount + bindparam("sold", required=True),
        updated_timestamp=bindparam("now", required=True),
    )
)
_MOVE_COMBINATION = query(
    update(Combination)
    .where(
        Combination.combination_hash == _id,
        Combination.amount >= _limit("least"),
        Combination.amount <= _limit("most"),
    )
    .values(amount=Combination.amount - _by)
)


class Movement(NamedTuple):
    """A line that holds pieces of a product, and is to hold another number of them.

    Shapes: `stocked` names the choice over the inventory options, as
    `choices.Choice.stocked`; `taken_from` says which stock what is held came from,
    `None` for none; `product` is the name for messages.
    """

    product_id: int
    stocked: str
    held: int
    wanted: int
    taken_from: str | None = None
    product: str = ""

    @property
    def key(self) -> tuple[int, str]:
        """What names a combination."""
        return self.product_id, self.stocked


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

    @property
    def back_orders(self) -> bool:
        """Whether it is sold beyond its stock."""
        return self.out_of_stock_actions == "B"


class _HeldCombination(NamedTuple):
    """A combination that is held, as it was."""

    combination_hash: int
    product_id: int
    choice: str
    amount: int


def move_stock(
    db: Transaction, movements: Iterable[Movement], context: Context
) -> list[str | None]:
    """Take pieces from the stock, or give them back; returns `taken_from` of each line.

    A line gives back to where its pieces came from, and takes by how the product
    counts now. So one that gets more while the product counts elsewhere gives back
    all that it holds and takes the whole number there: its pieces have one source.
    Products are held in the order of their IDs, then combinations in theirs, so that
    two orders never wait for each other in a ring; the statements themselves say
    that nothing is taken that is not there. What comes back for a product or
    combination that is gone is passed over.
    Raises: `Refused` naming the products of which there is too little, or more than
    can be counted.
    """
    moves = list(movements)
    moved = [each for each in moves if each.held != each.wanted]
    if not moved:
        return [each.taken_from for each in moves]
    books = _open(db, moved)
    sources = [books.enter(each) for each in moves]
    books.write(db, context.now)
    _record(db, books, context)
    return sources


def _open(db: Transaction, moves: Sequence[Movement]) -> "_Books":
    """Hold all that is moved: products, then the combinations that count for them."""
    ids = sorted({each.product_id for each in moves})
    products = {row[0]: _Held(*row) for row in db.rows(_PRODUCTS, ids=ids)}
    by_choice = {id for id, each in products.items() if each.tracking == CHOSEN}
    takes = {
        each.key
        for each in moves
        if each.wanted > each.held and each.product_id in by_choice
    }
    gives = {each.key for each in moves if each.held and each.taken_from == CHOSEN}
    combinations = _hold_combinations(db, takes | gives)
    unknown = {id for id, _ in takes - combinations.keys()}
    return _Books(products, combinations, combined(db, unknown))


def _hold_combinations(
    db: Transaction, keys: Iterable[tuple[int, str]]
) -> dict[tuple[int, str], _HeldCombination]:
    wanted = [(id, choice) for id, choice in keys if choice]
    if not wanted:
        return {}
    rows = db.rows(
        _COMBINATIONS,
        ids=sorted({id for id, _ in wanted}),
        choices=sorted({choice for _, choice in wanted}),
    )
    held = [_HeldCombination(*row) for row in rows]
    return {(each.product_id, each.choice): each for each in held}


@dataclass(slots=True)
class _Books:
    """What is to be moved: pieces by product, and by combination.

    Shapes: `combined` are products that have combinations, though not the chosen one;
    `names` holds those of products; `gone` are products that do not exist.
    """

    products: Mapping[int, _Held]
    combinations: Mapping[tuple[int, str], _HeldCombination]
    combined: frozenset[int]
    own: Counter[int] = field(default_factory=Counter)
    sold: Counter[int] = field(default_factory=Counter)
    chosen: Counter[tuple[int, str]] = field(default_factory=Counter)
    missing: Counter[tuple[int, str]] = field(default_factory=Counter)
    names: dict[int, str] = field(default_factory=dict)
    gone: dict[int, str] = field(default_factory=dict)

    def enter(self, move: Movement) -> str | None:
        """Enter a line; returns where its pieces are taken from then.

        Whatever its stock, a product counts how many of it are sold.
        """
        id, source = move.product_id, move.taken_from
        if move.wanted > move.held:
            source = self._source(move)
        if id in self.products:
            self.names[id] = move.product
            self.sold[id] += move.wanted - move.held
            self._add(move, move.taken_from, -move.held)
            self._add(move, source, move.wanted)
        return source if move.wanted else None

    def _source(self, move: Movement) -> str | None:
        """The stock by which the product counts now."""
        id, product = move.product_id, self.products.get(move.product_id)
        if product is None:
            self.gone[id] = move.product
            return None
        if product.tracking == CHOSEN and move.key in self.combinations:
            return CHOSEN
        if product.tracking == CHOSEN and id in self.combined:
            if not product.back_orders:
                self.missing[move.key] += move.wanted
            return None
        return OWN if product.tracking in (OWN, CHOSEN) else None

    def _add(self, move: Movement, source: str | None, by: int) -> None:
        if source == OWN:
            self.own[move.product_id] += by
        elif source == CHOSEN and move.key in self.combinations:
            self.chosen[move.key] += by

    def write(self, db: Transaction, now: int) -> None:
        """Move all that is entered.

        Raises: `Refused`.
        """
        own, chosen = self.steps(), self.chosen_steps()
        rows = [step.values(id) | {"now": now} for id, step in own.items()]
        touched = db.run_many(_MOVE, rows)
        rows = [
            step.stock_values(self.combinations[key].combination_hash)
            for key, step in chosen.items()
        ]
        touched += db.run_many(_MOVE_COMBINATION, rows)
        if self.gone or self.missing or touched < len(own) + len(chosen):
            raise Refused("; ".join(self._faults([*own.values(), *chosen.values()])))

    def steps(self) -> "dict[int, _Step]":
        """How the products change, by ID."""
        return {
            id: _Step(product, product.amount, self.own[id], self.sold[id])
            for id, product in self.products.items()
            if self.own[id] or self.sold[id]
        }

    def chosen_steps(self) -> "dict[tuple[int, str], _Step]":
        """How the combinations change."""
        return {
            key: _Step(self.products[key[0]], held.amount, self.chosen[key])
            for key, held in self.combinations.items()
            if self.chosen[key]
        }

    def _faults(self, steps: "Iterable[_Step]") -> Iterable[str]:
        for id, name in self.gone.items():
            yield f"product {id} {name!r} does not exist"
        for (id, _), wanted in self.missing.items():
            yield shortage(self.names[id], id, wanted, 0)
        for step in steps:
            yield from step.faults(self.names[step.product.product_id])


class _Step(NamedTuple):
    """How one stock changes: `by` pieces leave it, of a product that sells `sold`."""

    product: _Held
    amount: int
    by: int
    sold: int = 0

    @property
    def least(self) -> int:
        """The smallest stock that this can be taken from."""
        if self.by <= 0:
            return -_FAR
        return self.by - (_MOST if self.product.back_orders else 0)

    @property
    def most(self) -> int:
        """The largest stock that this can be given back to."""
        return _FAR if self.by >= 0 else _MOST + self.by

    @property
    def most_sold(self) -> int:
        """The largest number of sold pieces that this can be added to."""
        return _FAR if self.sold <= 0 else _MOST - self.sold

    def stock_values(self, id: int) -> dict[str, int]:
        """What the statement of a combination takes."""
        return {"id": id, "by": self.by, "least": self.least, "most": self.most}

    def values(self, id: int) -> dict[str, int]:
        """What the statement of a product takes."""
        sold = {"sold": self.sold, "most_sold": self.most_sold}
        return self.stock_values(id) | sold

    def faults(self, name: str) -> Iterable[str]:
        """Say why the statement touches nothing."""
        id, by, amount = self.product.product_id, self.by, self.amount
        if amount < self.least and not self.product.back_orders:
            yield shortage(name, id, by, amount)
        elif amount < self.least:
            yield f"product {id} {name!r}: {by} wanted, {-amount} owed, {_MOST} at most"
        elif amount > self.most:
            text = f"{-by} come back, {amount} in stock, {_MOST} at most"
            yield f"product {id} {name!r}: {text}"
        elif self.product.sales_amount > self.most_sold:
            text = f"{self.sold} wanted, {self.product.sales_amount} sold"
            yield f"product {id} {name!r}: {text}, {_MOST} at most"


def _record(db: Transaction, books: _Books, context: Context) -> None:
    """Tell of the changes; what readers see of the products is different now."""
    changes = []
    for id, step in sorted(books.steps().items()):
        product = step.product
        before = {
            "sales_amount": product.sales_amount,
            "updated_timestamp": product.updated_timestamp,
        }
        after = {
            "sales_amount": product.sales_amount + step.sold,
            "updated_timestamp": context.now,
        }
        if step.by:
            before["amount"], after["amount"] = step.amount, step.amount - step.by
        owner = (product.company_id, product.status)
        changes.append(_change("products", id, context, (before, after), owner))
    for key, step in books.chosen_steps().items():
        number = books.combinations[key].combination_hash
        values = {"amount": step.amount}, {"amount": step.amount - step.by}
        changes.append(_change("combinations", number, context, values))
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
