"""How what was chosen comes to name other options.

A product may get other options: copies of those it had, or those of a default that it
joins. Where they stand for the ones that it had, its combinations go on with them, and
so do the lines of orders and carts.
Source: spec/entities/combinations.md, rule 5.5; spec/entities/orders.md, 5.2.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson
from sqlalchemy import bindparam, or_, select

from storeapi.core.changes import Operation
from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Context
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import (
    Cart,
    CartLine,
    Combination,
    CombinationVariant,
    ExceptionVariant,
    Option,
    OptionException,
    OptionText,
    OptionVariant,
    OptionVariantText,
    Order,
    OrderItem,
    ProductOption,
)
from storeapi.rules.cart_removal import cart_change
from storeapi.rules.choice_texts import choice_of, choice_text
from storeapi.rules.copying import Copy, rows_of

Renaming = Mapping[int, tuple[int, Mapping[int, int]]]
"""Options to the options that stand for them, with the same of their variants."""

_CARTS = table_of(Cart)
_LINES = table_of(CartLine)
_LINE_KEY = ("cart_id", "type", "item_id")
_CHOICES = ((Combination, CombinationVariant), (OptionException, ExceptionVariant))
_ids: Any = bindparam("ids", expanding=True)
_product_id: Any = bindparam("product_id", required=True)
_lang_code: Any = bindparam("lang_code", required=True)
_OPTIONS = query(
    select(
        Option.option_id,
        Option.option_type,
        Option.inventory,
        OptionText.option_name_key,
    )
    .join(OptionText, OptionText.option_id == Option.option_id)
    .where(
        or_(
            Option.product_id == _product_id,
            Option.option_id.in_(
                select(ProductOption.option_id).where(
                    ProductOption.product_id == _product_id
                )
            ),
        ),
        OptionText.lang_code == _lang_code,
    )
    .order_by(Option.position, Option.option_id)
)
_VARIANTS = query(
    select(
        OptionVariant.option_id,
        OptionVariant.variant_id,
        OptionVariantText.variant_name,
    )
    .join(OptionVariantText, OptionVariantText.variant_id == OptionVariant.variant_id)
    .where(OptionVariant.option_id.in_(_ids), OptionVariantText.lang_code == _lang_code)
    .order_by(OptionVariant.position, OptionVariant.variant_id)
)
_SOLD = query(
    select(OrderItem.order_id, OrderItem.product_id, OrderItem.stocked).where(
        OrderItem.product_id.in_(_ids), OrderItem.stocked != ""
    )
)
_ORDERS_AT_ONCE = query(
    select(Order.order_id)
    .where(Order.order_id.in_(_ids))
    .order_by(Order.order_id)
    .with_for_update(nowait=True)
)
_IN_CARTS = query(
    select(*[_LINES.c[name] for name in _LINE_KEY], CartLine.options)
    .where(CartLine.product_id.in_(_ids), CartLine.options.not_in(("", "{}")))
    .order_by(*[_LINES.c[name] for name in _LINE_KEY])
)


def copied(copy: Copy) -> Renaming:
    """The options of a copy by those that it was made of."""
    table = table_of(OptionVariant)
    variants: dict[int, dict[int, int]] = {}
    for row in rows_of(copy.db, table.c.option_id, sorted(copy.of(table_of(Option)))):
        old = row["variant_id"]
        variants.setdefault(row["option_id"], {})[old] = copy.of(table)[old]
    return {
        old: (new, variants.get(old, {}))
        for old, new in copy.of(table_of(Option)).items()
    }


def alike(db: Connection, mine: int, other: int, lang_code: str) -> Renaming:
    """The options that one product holds by those of another one that are like them.

    They are of one type, both or neither of them in combinations, and have the same
    name, as have their variants; those of check boxes have the same place. Of several
    that are alike the first counts.
    Shapes: `lang_code` is the language of the names.
    """
    theirs = _named(db, other, lang_code)
    own = _named(db, mine, lang_code) if theirs else {}
    common = {id for id, _ in own.values()} & {id for id, _ in theirs.values()}
    found: dict[int, tuple[int, Mapping[int, int]]] = {}
    for name, (id, variants) in own.items():
        new, others = theirs.get(name, (id, {}))
        if not {id, new} & common and new != id:
            pairs = {variants[key]: others[key] for key in variants if key in others}
            found[id] = new, pairs
    return found


def _named(
    db: Connection, product_id: int, lang_code: str
) -> dict[tuple[str, ...], tuple[int, dict[Any, int]]]:
    """The options that a product holds, and their variants, by what they are called."""
    options = db.rows(_OPTIONS, product_id=product_id, lang_code=lang_code)
    variants: dict[int, dict[Any, int]] = {id: {} for id, *_ in options}
    ticked = {id for id, type, *_ in options if type == "C"}
    for ids in batches(variants):
        for option_id, id, name in db.rows(_VARIANTS, ids=ids, lang_code=lang_code):
            known = variants[option_id]
            known.setdefault(len(known) if option_id in ticked else folded(name), id)
    found: dict[tuple[str, ...], tuple[int, dict[Any, int]]] = {}
    for id, *name in options:
        found.setdefault(tuple(name), (id, variants[id]))
    return found


def rename(
    db: Transaction,
    renaming: Renaming,
    product_ids: Sequence[int],
    context: Context,
    *,
    exceptions: bool = False,
) -> None:
    """Let combinations and lines of products name other options, and exceptions too.

    A choice of a variant that no other stands for stays as it is. The products are
    held.
    """
    if not renaming:
        return
    for model, link in _CHOICES if exceptions else _CHOICES[:1]:
        _rename_stored(db, model, link, renaming, product_ids)
    _rename_sold(db, renaming, product_ids)
    _rename_in_carts(db, renaming, product_ids, context)


def _choice(renaming: Renaming, choice: Mapping[int, int]) -> Mapping[int, int]:
    """What stands for a choice, or itself."""
    found = {}
    for option_id, variant_id in choice.items():
        new, variants = renaming.get(option_id, (option_id, {}))
        if variant_id > 0 and variants and variant_id not in variants:
            return choice
        found[new] = variants.get(variant_id, variant_id)
    return found


def _text(renaming: Renaming, text: str) -> str:
    return choice_text(_choice(renaming, choice_of(text)))


def _rename_stored(
    db: Transaction, model: Any, link: Any, renaming: Renaming, ids: Sequence[int]
) -> None:
    table = table_of(model)
    key = next(iter(table.primary_key.columns)).name
    for row in rows_of(db, table.c.product_id, ids):
        text = _text(renaming, row["choice"])
        if text == row["choice"]:
            continue
        where = {key: row[key]}
        db.update(table, where, {"choice": text})
        db.delete(table_of(link), where)
        db.insert_many(
            table_of(link),
            [
                {**where, "option_id": o, "variant_id": v if v > 0 else None}
                for o, v in choice_of(text).items()
            ],
        )


def _rename_sold(db: Transaction, renaming: Renaming, ids: Sequence[int]) -> None:
    """The stock that lines of orders were taken from.

    Who changes an order holds it before its products, so it is not waited for: where
    another writer has it, the write begins anew.
    """
    found, orders = set(), set()
    for batch in batches(ids):
        for order_id, product_id, stocked in db.rows(_SOLD, ids=batch):
            if _text(renaming, stocked) != stocked:
                orders.add(order_id)
                found.add((product_id, stocked))
    for batch in batches(sorted(orders)):
        db.rows(_ORDERS_AT_ONCE, ids=batch)
    for product_id, stocked in sorted(found):
        where = {"product_id": product_id, "stocked": stocked}
        db.update(table_of(OrderItem), where, {"stocked": _text(renaming, stocked)})


def _rename_in_carts(
    db: Transaction, renaming: Renaming, product_ids: Sequence[int], context: Context
) -> None:
    """What the lines of carts have chosen; what was entered stays."""
    for ids in batches(product_ids):
        numbers = sorted({key[0] for key, _ in _in_carts(db, renaming, ids)})
        held: list[dict[str, Any]] = []
        for batch in batches(numbers):
            held += rows_of(db, _CARTS.c.cart_id, batch, hold=True)
        # Read again, now that the carts are held.
        for key, options in _in_carts(db, renaming, ids):
            where = dict(zip(_LINE_KEY, key, strict=True))
            db.update(_LINES, where, {"options": options})
        new = {"updated_timestamp": context.now}
        for batch in batches(numbers):
            db.update(_CARTS, {"cart_id": batch}, new)
        update, who = Operation.UPDATE, context.caller.user_id
        db.record(*[cart_change(update, row, who, {}, new) for row in held])


def _in_carts(
    db: Transaction, renaming: Renaming, ids: Sequence[int]
) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The keys of lines that are to name other options, and these as they are kept."""
    for *key, options in db.rows(_IN_CARTS, ids=ids):
        chosen: dict[str, str] = orjson.loads(options)
        new = _entered(renaming, chosen.items())
        if new is not None and new != chosen:
            yield tuple(key), orjson.dumps(new).decode()


def _entered(
    renaming: Renaming, chosen: Iterable[tuple[str, str]]
) -> dict[str, str] | None:
    """What stands for a choice of variants and texts; `None` if nothing does."""
    found = {}
    for option_id, value in chosen:
        new, variants = renaming.get(int(option_id), (int(option_id), {}))
        if variants and not (value.isdecimal() and int(value) in variants):
            return None
        found[str(new)] = str(variants[int(value)]) if variants else value
    return found
