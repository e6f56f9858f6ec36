"""The stock: taking pieces from it, and giving them back to where they came from.

Source: spec/entities/products.md, rule 12; combinations.md, rule 7; orders.md, rule
5.3.4.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import BigInteger, bindparam, select, update

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import Refused
from storeapi.core.statement import query
from storeapi.models import Combination, Product
from storeapi.rules.availability import combined
from storeapi.rules.offered_prices import follow_stock, hold_after_common
from storeapi.rules.stock_books import (
    CHOSEN,
    Books,
    Held,
    HeldCombination,
    Movement,
    Steps,
)

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
    steps = books.steps(), books.chosen_steps()
    _write(db, books, steps, context.now)
    _record(db, books, steps, context)
    follow_stock(db, books.products.values(), books.own, context)
    return sources


def _open(db: Transaction, moves: Sequence[Movement]) -> Books:
    """Hold all that is moved: products, then the combinations that count for them."""
    ids = sorted({each.product_id for each in moves})
    hold_after_common(db, ids)
    products = {row[0]: Held(*row) for row in db.rows(_PRODUCTS, ids=ids)}
    by_choice = {id for id, each in products.items() if each.tracking == CHOSEN}
    takes = {
        each.key
        for each in moves
        if each.wanted > each.held and each.product_id in by_choice
    }
    gives = {each.key for each in moves if each.held and each.taken_from == CHOSEN}
    combinations = _hold_combinations(db, takes | gives)
    unknown = {id for id, _ in takes - combinations.keys()}
    return Books(products, combinations, combined(db, unknown))


def _hold_combinations(
    db: Transaction, keys: Iterable[tuple[int, str]]
) -> dict[tuple[int, str], HeldCombination]:
    wanted = [(id, choice) for id, choice in keys if choice]
    if not wanted:
        return {}
    rows = db.rows(
        _COMBINATIONS,
        ids=sorted({id for id, _ in wanted}),
        choices=sorted({choice for _, choice in wanted}),
    )
    held = [HeldCombination(*row) for row in rows]
    return {(each.product_id, each.choice): each for each in held}


def _write(db: Transaction, books: Books, steps: Steps, now: int) -> None:
    """Move all that is entered, and say what stands against it.

    Raises: `Refused`.
    """
    own, chosen = steps
    rows = [step.values(id) | {"now": now} for id, step in own.items()]
    touched = db.run_many(_MOVE, rows)
    rows = [
        step.stock_values(books.combinations[key].combination_hash)
        for key, step in chosen.items()
    ]
    touched += db.run_many(_MOVE_COMBINATION, rows)
    if books.gone or books.missing or touched < len(own) + len(chosen):
        raise Refused("; ".join(books.faults([*own.values(), *chosen.values()])))


def _record(db: Transaction, books: Books, steps: Steps, context: Context) -> None:
    """Tell of the changes; what readers see of the products is different now."""
    own, chosen = steps
    changes = []
    for id, step in sorted(own.items()):
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
    for key, step in chosen.items():
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
