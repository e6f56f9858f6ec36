"""The lines of an order as it keeps them: new ones, and those that stand in it.

Source: spec/entities/orders.md, sections 2.5 and 5.2.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import orjson
from sqlalchemy import bindparam, update

from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import FieldError, InvalidInput
from storeapi.core.kinds import decimal_text
from storeapi.core.statement import query
from storeapi.models import OrderItem
from storeapi.rules.choices import Chosen
from storeapi.rules.id_lists import ids_in
from storeapi.rules.lines import Goods, Line, item_id, pieces_of
from storeapi.rules.money import half_up
from storeapi.rules.order_parts import Item, all_items
from storeapi.rules.sent_lines import SentLine
from storeapi.rules.stock import move_stock
from storeapi.rules.stock_books import Movement
from storeapi.rules.totals import LineTotals


@dataclass(frozen=True, slots=True, kw_only=True)
class Sold(Goods):
    """A line that was sold: all that later reckoning wants, whatever becomes of it.

    Shapes: `options` is JSON; `taken_from` is as in `Movement`.
    """

    options: str = ""
    stocked: str = ""
    taken_from: str | None = None
    shipped_amount: int = 0


_ALIKE = (
    "item_id", "price", "amount", "original_price", "discount", "product_id",
    "company_id", "product", "product_code", "base_price", "stocked", "weight",
    "shipping_freight",
)  # fmt: skip
_FLAGS = ("free_shipping", "is_edp", "edp_shipping", "unlimited_download")
_alike, _flags = attrgetter(*_ALIKE), attrgetter(*_FLAGS)
_MARK = query(
    update(OrderItem)
    .where(
        OrderItem.order_id == bindparam("of_order", required=True),
        OrderItem.item_id == bindparam("of_item", required=True),
    )
    .values(taken_from=bindparam("source", required=True))
)


def sold(line: Line) -> Sold:
    """A priced line as an order keeps it."""
    alike = zip((*_ALIKE, *_FLAGS), (*_alike(line), *_flags(line)), strict=True)
    return Sold(**dict(alike), tax_ids=line.tax_ids, options=_options(line))


def _options(line: Line) -> str:
    chosen = [_option(each) for each in line.choice.chosen]
    return orjson.dumps(chosen).decode() if chosen else ""


def _option(chosen: Chosen) -> dict[str, str]:
    option, variant = chosen.option, chosen.variant
    modifier = 0 if variant is None else half_up(variant.price.number, 10) // 10
    return {
        "option_id": str(option.option_id),
        "option_name": option.option_name,
        "option_type": option.option_type,
        "value": chosen.value,
        "variant_name": chosen.value if variant is None else variant.variant_name,
        "modifier": decimal_text(modifier, 2),
        "modifier_type": "A" if variant is None else variant.price.type,
    }


def stored(item: Item) -> Sold:
    """A stored line as it was sold."""
    return Sold(
        **dict(zip(_ALIKE, _alike(item), strict=True)),
        **{n: flag == "Y" for n, flag in zip(_FLAGS, _flags(item), strict=True)},
        options=item.options,
        tax_ids=ids_in(item.tax_ids),
        taken_from=item.taken_from,
        shipped_amount=item.shipped_amount,
    )


def sold_in(db: Connection, order_ids: Sequence[int]) -> list[Sold]:
    """The lines of orders, in their order."""
    return [stored(item) for item in all_items(db, order_ids)]


def line_rows(
    order_id: int,
    lines: Sequence[Line],
    totals: Mapping[int, LineTotals],
    sources: Mapping[int, str | None],
) -> list[dict[str, Any]]:
    """The rows of a new order's lines. Shapes: `sources` is what `take_pieces` says."""
    return [
        {
            **_row(order_id, position, line, totals),
            "options": _options(line),
            "taken_from": sources.get(line.item_id),
            "shipped_amount": 0,
        }
        for position, line in enumerate(lines)
    ]


def item_rows(
    order_id: int, items: Sequence[Sold], totals: Mapping[int, LineTotals]
) -> list[dict[str, Any]]:
    """The rows of an order's lines, which were sold before."""
    return [
        {
            **_row(order_id, position, item, totals),
            "options": item.options,
            "taken_from": item.taken_from,
            "shipped_amount": item.shipped_amount,
        }
        for position, item in enumerate(items)
    ]


def _row(
    order_id: int, position: int, item: Goods, totals: Mapping[int, LineTotals]
) -> dict[str, Any]:
    """What the rows of all lines have."""
    return {
        "order_id": order_id,
        "position": position,
        "group_key": 0,
        **dict(zip(_ALIKE, _alike(item), strict=True)),
        **{n: "NY"[flag] for n, flag in zip(_FLAGS, _flags(item), strict=True)},
        "original_price": item.undiscounted // item.amount,
        "tax_ids": ",".join(map(str, item.tax_ids)),
        **totals[item.item_id]._asdict(),
    }


# Their pieces in the stock


def take_pieces(
    db: Transaction, lines: Sequence[Line], context: Context
) -> dict[int, str | None]:
    """Take the pieces of new lines; returns the stock that each has them from, by ID.

    Raises: `Refused` if the stock has too little.
    """
    sources = move_stock(db, [_new(line, line.stocked) for line in lines], context)
    return {line.item_id: each for line, each in zip(lines, sources, strict=True)}


def move_pieces(
    db: Transaction, before: Iterable[Sold], after: Sequence[Sold], context: Context
) -> list[Sold]:
    """Move the stock for an order that holds `before` and is to hold `after`.

    Returns the lines `after` with the stock that each has its pieces from.
    Raises: `Refused` if the stock has too little.
    """
    held = {(item.item_id, item.product_id, item.stocked): item for item in before}
    moves = []
    for item in after:
        old = held.pop((item.item_id, item.product_id, item.stocked), None)
        known = None if old is None else _movement(old, item.amount)
        moves.append(known or _new(item, item.stocked))
    moves += [_movement(item, 0) for item in held.values()]
    sources = move_stock(db, moves, context)
    return [
        replace(item, taken_from=source)
        for item, source in zip(after, sources, strict=False)
    ]


def give_pieces_back(db: Transaction, items: Iterable[Sold], context: Context) -> None:
    """Give back all that lines hold, which are of one order or of several."""
    move_stock(db, [_movement(item, 0) for item in items], context)


def _new(item: Goods, stocked: str) -> Movement:
    return Movement(item.product_id, stocked, 0, item.amount, product=item.product)


def _movement(item: Sold, wanted: int) -> Movement:
    return Movement(
        item.product_id,
        item.stocked,
        item.amount,
        wanted,
        item.taken_from,
        item.product,
    )


def mark_sources(
    db: Transaction, order_id: int, before: Iterable[Sold], after: Iterable[Sold]
) -> None:
    """Write where the lines of an order have their pieces from, if that differs."""
    rows = [
        {"of_order": order_id, "of_item": item.item_id, "source": item.taken_from}
        for old, item in zip(before, after, strict=True)
        if item.taken_from != old.taken_from
    ]
    db.run_many(_MARK, rows)


# Lines that a payload sends for an order that has some


def _choice(item: Sold) -> dict[str, str]:
    chosen = orjson.loads(item.options) if item.options else []
    return {each["option_id"]: each["value"] for each in chosen}


def _sent_choice(line: SentLine) -> dict[str, str]:
    """What a payload chooses; 0 may be a text that was entered, or no variant at all.

    Who chooses by 0 that there be no variant is judged, which tells these apart.
    """
    nothing: tuple[Any, ...] = (None, "", [], {})
    sent = line.product_options.items()
    return {str(key): str(value) for key, value in sent if value not in nothing}


def standing(
    lines: Iterable[SentLine], items: Sequence[Sold]
) -> tuple[dict[int, int], list[SentLine]]:
    """Find the lines that stand in the order: pieces by item ID, and the other lines.

    Such a line is not judged again: what was sold stays as it was, even if the product
    is not sold any more.
    """
    found: dict[int, int] = {}
    others = []
    for line in lines:
        for item in items:
            same = item.product_id == line.product_id
            if same and _choice(item) == _sent_choice(line):
                found[item.item_id] = found.get(item.item_id, 0) + line.amount
                break
        else:
            others.append(line)
    return found, others


def pieces_standing(
    items: Iterable[Sold], kept: Mapping[int, int]
) -> Mapping[int, int]:
    """The pieces that each product has in lines that stay, by `kept` of `standing`."""
    return pieces_of(
        replace(item, amount=kept[item.item_id])
        for item in items
        if item.item_id in kept
    )


def replaced(
    items: Sequence[Sold], kept: Mapping[int, int], added: Iterable[Line]
) -> list[Sold]:
    """The lines of an order after a write: those that stay first, then new ones.

    A line that stays has its unit price, name and options; only its pieces change.
    Source: spec/entities/orders.md, rules 5.2.1, 5.2.2 and 5.3.1.
    """
    amounts = dict(kept)
    fresh = []
    for line in added:
        same = next((item for item in items if _is_same(item, line)), None)
        if same is None:
            fresh.append(line)
        else:
            amounts[same.item_id] = amounts.get(same.item_id, 0) + line.amount
    _check_shipped(items, amounts)
    found = [
        replace(item, amount=amounts[item.item_id])
        for item in items
        if item.item_id in amounts
    ]
    taken = {item.item_id for item in found}
    for line in fresh:
        key = line.item_id
        if key in taken:
            key = item_id(line.product_id, line.options.values(), taken)
        taken.add(key)
        found.append(replace(sold(line), item_id=key))
    return found


def _is_same(item: Sold, line: Line) -> bool:
    return item.product_id == line.product_id and _choice(item) == line.options


def _check_shipped(items: Iterable[Sold], amounts: Mapping[int, int]) -> None:
    """Refuse to take away what is in shipments.

    Source: spec/entities/shipments.md, rule 5.8.
    """
    errors = [
        FieldError(
            f"products.{item.item_id}",
            f"has {item.shipped_amount} pieces of {item.product!r} in shipments",
            "out_of_range",
        )
        for item in items
        if amounts.get(item.item_id, 0) < item.shipped_amount
    ]
    if errors:
        raise InvalidInput(errors=errors)
