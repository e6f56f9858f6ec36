"""How much there is of what was chosen.

A product counts its own pieces (`tracking` B), those of each combination (O), or none
(D).
Source: spec/entities/products.md, rule 12; combinations.md, rule 7.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection
from storeapi.core.errors import Conflict
from storeapi.core.statement import query
from storeapi.models import Combination
from storeapi.rules.choices import Choice
from storeapi.rules.choosable import Stock, stocks_of
from storeapi.rules.lines import Availability, Line

_COMBINED = query(
    select(Combination.product_id)
    .where(Combination.product_id.in_(bindparam("ids", expanding=True)))
    .distinct()
)


class Counted(NamedTuple):
    """How a product counts its stock, and how much of it there is."""

    product_id: int
    tracking: str
    amount: int
    back_orders: bool


class ChosenStock(NamedTuple):
    """The stock of a choice, and its own code if it has one."""

    availability: Availability
    product_code: str = ""


def find_stocks(
    db: Connection, choices: Sequence[Choice], products: Mapping[int, Counted]
) -> dict[tuple[int, str], ChosenStock]:
    """What there is of each choice, by product and `Choice.stocked`.

    A product that counts combinations, and has some, has nothing of a choice that is
    none of them; one that has none at all counts its own pieces.
    """
    stocks = stocks_of(db, choices)
    unknown = {
        each.product_id
        for each in choices
        if products[each.product_id].tracking == "O"
        and (each.product_id, each.stocked) not in stocks
    }
    lacking = combined(db, unknown)
    found = {}
    for each in choices:
        product, key = products[each.product_id], (each.product_id, each.stocked)
        found[key] = _chosen(product, stocks.get(key), each.product_id in lacking)
    return found


def combined(db: Connection, product_ids: Iterable[int]) -> frozenset[int]:
    """Those of some products that have combinations."""
    ids = sorted(product_ids)
    rows = db.rows(_COMBINED, ids=ids) if ids else []
    return frozenset(row[0] for row in rows)


def _chosen(product: Counted, stock: Stock | None, lacking: bool) -> ChosenStock:
    code = "" if stock is None else stock.product_code
    amount, combination = product.amount, None
    if product.tracking == "O" and stock is not None:
        amount, combination = stock.amount, stock.combination_hash
    elif product.tracking == "O" and lacking:
        amount = 0
    tracking, back_orders = product.tracking, product.back_orders
    return ChosenStock(Availability(tracking, amount, back_orders, combination), code)


def check_stock(lines: Iterable[Line]) -> None:
    """Refuse more pieces than there are now; nothing is reserved.

    Raises: `Conflict` naming the products.
    Source: spec/entities/carts.md, rule 5.5.
    """
    wanted: dict[tuple[int, int | None], int] = {}
    limits: dict[tuple[int, int | None], Line] = {}
    for line in lines:
        if line.stock.is_limited:
            key = (line.product_id, line.stock.combination_hash)
            wanted[key] = wanted.get(key, 0) + line.amount
            limits[key] = line
    short = [
        shortage(line.product, line.product_id, wanted[key], line.stock.amount)
        for key, line in limits.items()
        if wanted[key] > line.stock.amount
    ]
    if short:
        raise Conflict("; ".join(short))


def shortage(name: str, id: int, wanted: int, amount: int) -> str:
    """Say of what there is too little."""
    return f"product {id} {name!r}: {wanted} wanted, {max(0, amount)} in stock"
