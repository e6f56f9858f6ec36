"""Options that variations share, when products join, leave or lead.

The default of a catalog item holds the options of all its products. When another
product leads, it takes them over; a product that stands alone from now on gets a
copy of its own; one that joins has those of its default instead of its own.
Source: spec/entities/product_variations.md, rules 5.6, 5.7 and 9.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import (
    Combination,
    Option,
    OptionException,
    Product,
    ProductOption,
)
from storeapi.rules.choice_renaming import alike, copied, rename
from storeapi.rules.choice_texts import choice_of
from storeapi.rules.cloning_products import copy_exceptions, copy_own_options
from storeapi.rules.copying import Copy, rows_of
from storeapi.rules.options import (
    drop_combinations,
    drop_exceptions,
    drop_options,
    offered,
)
from storeapi.rules.sharing import Work
from storeapi.rules.touching import hold, touch_sharing, with_offers

_OPTIONS = table_of(Option)
_LINKS = table_of(ProductOption)
_EXCEPTIONS = table_of(OptionException)
_PRODUCTS = table_of(Product)
_CHOICES = ((Combination, drop_combinations), (OptionException, drop_exceptions))
_ids: Any = bindparam("ids", expanding=True)
_HOLDING = query(
    select(Option.product_id)
    .where(Option.product_id.in_(_ids))
    .union(select(ProductOption.product_id).where(ProductOption.product_id.in_(_ids)))
)

Holders = Mapping[int, int]
"""Products, and whose options each has: its own, or those of its default."""


@dataclass(frozen=True, slots=True)
class Handover:
    """What becomes of the options that a product holds.

    The `heir` takes them over; the `copies` get copies, made of what the heir or
    the holder has then; without an heir a holder that `joins` loses them.
    """

    holder: int
    heir: int | None
    copies: tuple[int, ...]
    joins: bool


def plan(before: Holders, after: Holders) -> list[Handover]:
    """Say what becomes of the options of each holder.

    Shapes: who is missing in `after` is about to be deleted.
    """
    found = []
    for holder in sorted(set(before.values())):
        alone = sorted(
            id
            for id, old in before.items()
            if old == holder != id and after.get(id) == id
        )
        if after.get(holder) == holder:
            if alone:
                found.append(Handover(holder, None, tuple(alone), joins=False))
            continue
        new = after.get(holder)
        heir = new if new in alone else next(iter(alone), None)
        copies = tuple(id for id in alone if id != heir)
        joins = heir is None and holder in after
        if heir is not None or joins:
            found.append(Handover(holder, heir, copies, joins))
    return found


def hand_over(work: Work, before: Holders, after: Holders) -> None:
    """Bring options to those that hold them now; places are written already."""
    moved = [id for id, holder in before.items() if after.get(id) != holder]
    if not moved:
        return
    db = work.db
    left = [id for id in moved if id in after]
    holders = {before[id] for id in moved} | {after[id] for id in left}
    holding: set[int] = set()
    for batch in batches(sorted(holders)):
        holding |= {row[0] for row in db.rows(_HOLDING, ids=batch)}
    if not holding:
        return
    choosing = with_offers(db, left)
    if db.concurrent:
        # Combinations and orders are written before the times of products.
        hold(db, choosing)
    _rename_for_others(work, before, after)
    for each in plan(before, after):
        if each.holder in holding:
            _carry_out(work, each, before, after)
    _drop_choices_of_others(work, choosing)
    touch_sharing(db, left, work.context)


def _rename_for_others(work: Work, before: Holders, after: Holders) -> None:
    """Let choices name the options of a default that is joined, as far as it has them.

    A default that takes the options over from the former one changes none of them.
    """
    db, lang_code = work.db, work.context.installation.languages[0]
    for id, old in before.items():
        new = after.get(id)
        if new is None or new == old or not before.get(new) == new == after.get(new):
            continue
        renaming = alike(db, old, new, lang_code)
        rename(db, renaming, sorted(with_offers(db, [id])), work.context)


def _carry_out(work: Work, each: Handover, before: Holders, after: Holders) -> None:
    if each.heir is not None:
        _give(work.db, each.holder, each.heir)
    elif each.joins:
        _drop(work, each.holder)
    source = each.holder if each.heir is None else each.heir
    for target in each.copies:
        following = [
            id
            for id, holder in before.items()
            if holder == each.holder and after.get(id) == target
        ]
        lend_copy(work, source, target, following)


def _give(db: Transaction, source: int, target: int) -> None:
    """Let options, links and exceptions belong to another product."""
    where, values = {"product_id": source}, {"product_id": target}
    links = [row["option_id"] for row in rows_of(db, _LINKS.c.product_id, [source])]
    if links:
        db.delete(_LINKS, {"product_id": target, "option_id": links})
        db.update(_LINKS, where, values)
    db.update(_OPTIONS, where, values)
    mine = _texts(db, source)
    if mine:
        db.delete(_EXCEPTIONS, {"product_id": target, "choice": mine})
        db.update(_EXCEPTIONS, where, values)


def _drop(work: Work, product_id: int) -> None:
    """Take from a product that joins what its default has instead."""
    drop_exceptions(work.db, "product", [product_id], work.context)
    drop_options(work.db, [product_id], work.context)
    work.db.delete(_LINKS, {"product_id": product_id})


def lend_copy(
    work: Work, source: int, target: int, following: Sequence[int] = ()
) -> None:
    """Give a product copies of the options of another one, and its exceptions.

    Choices of the products that follow from now on name the copies, and so do those
    of their offers.
    """
    db, context = work.db, work.context
    rows = {row["product_id"]: row for row in _products(db, [source, target])}
    company_id = int(rows[target]["company_id"])
    user_id = context.caller.user_id
    copy = Copy(db, company_id, company_id, user_id, context.now)
    copy.of(_PRODUCTS)[source] = target
    links = [row["option_id"] for row in rows_of(db, _LINKS.c.product_id, [source])]
    if links:
        db.delete(_LINKS, {"product_id": target, "option_id": links})
    copy_own_options(copy)
    mine = _texts(db, source)
    if mine:
        db.delete(_EXCEPTIONS, {"product_id": target, "choice": mine})
    choosing = sorted(with_offers(db, following))
    rename(db, copied(copy), choosing, context, exceptions=True)
    copy_exceptions(copy)


def _products(db: Transaction, ids: Sequence[int]) -> list[dict[str, Any]]:
    return rows_of(db, _PRODUCTS.c.product_id, ids)


def _texts(db: Transaction, product_id: int) -> list[str]:
    """The choices of the exceptions of a product."""
    rows = rows_of(db, _EXCEPTIONS.c.product_id, [product_id])
    return [row["choice"] for row in rows]


def _drop_choices_of_others(work: Work, product_ids: Iterable[int]) -> None:
    """Delete choices of options that their products do not have any more."""
    db = work.db
    ids = sorted(product_ids)
    options_of = offered(db, ids) if ids else {}
    for model, drop in _CHOICES:
        lost: dict[int, set[int]] = {}
        for row in rows_of(db, table_of(model).c.product_id, ids):
            id = row["product_id"]
            named = choice_of(row["choice"]).keys() - set(options_of.get(id, ()))
            lost.setdefault(id, set()).update(named)
        for id, options in lost.items():
            if options:
                drop(db, "option", sorted(options), work.context, only={id})
