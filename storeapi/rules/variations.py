"""Variation groups change: products join, leave, lead, and move between items.

Source: spec/entities/product_variations.md, section 5.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from secrets import token_hex

from sqlalchemy import bindparam, func, select

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.errors import Refused
from storeapi.core.failures import Again
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Product, VariationGroup, VariationGroupFeature
from storeapi.rules.catalog_items import (
    REASONS,
    GroupFeature,
    Joined,
    Member,
    Place,
    arrange,
    judge,
    value_key,
)
from storeapi.rules.lending import hand_over
from storeapi.rules.sharing import (
    COMMON_VARIATION,
    NOTHING_KEPT,
    VARIATION,
    Kept,
    Work,
    follow_values,
    take_over,
)
from storeapi.rules.touching import note_change
from storeapi.rules.variation_groups import (
    Group,
    Row,
    hold_members,
    hold_products,
    members_of,
    read_group,
)

_CODE_TAKEN = query(
    select(func.count())
    .select_from(VariationGroup)
    .where(VariationGroup.code == bindparam("code", required=True))
)
_OWN_NAMES = ("product_id", "company_id", "variation_group_id", "product_type")
_OWN = query(
    select(*[getattr(Product, name) for name in _OWN_NAMES]).where(
        Product.product_id == bindparam("id", required=True)
    )
)
_NOWHERE = Place(None, "", "")


def create_group(
    work: Work, company_id: int, code: str, features: Sequence[GroupFeature]
) -> Group:
    """Make an empty group; a code is made if none was sent."""
    db = work.db
    row = {
        "company_id": company_id,
        "code": code or _new_code(db),
        "created_at": work.context.now,
        "updated_at": work.context.now,
    }
    id = db.insert(table_of(VariationGroup), row)
    db.insert_many(
        table_of(VariationGroupFeature),
        [
            {
                "group_id": id,
                "feature_id": feature.feature_id,
                "purpose": feature.purpose,
                "position": position,
            }
            for position, feature in enumerate(features)
        ],
    )
    group = Group(id, company_id, str(row["code"]), tuple(features))
    _record(work, Operation.CREATE, group)
    return group


def _new_code(db: Transaction) -> str:
    while True:
        code = f"PV-{token_hex(5)[:9].upper()}"
        if not db.value(_CODE_TAKEN, code=code):
            return code


def join(
    work: Work,
    group: Group,
    product_ids: Sequence[int],
    kept: Kept = NOTHING_KEPT,
    *,
    left: Sequence[Row] = (),
) -> dict[int, Joined]:
    """Put products into a group, in their order; those that cannot are left out.

    A product of another group moves here; a child takes over from its default all
    that is not `kept`. The caller holds the group, out of which he took what `left`.
    Raises: `Again` if a product has been deleted meanwhile.
    Source: spec/entities/product_variations.md, rules 5.2 to 5.4, 9.
    """
    db = work.db
    ids = list(dict.fromkeys(product_ids))
    rows = hold_members(db, group.id)
    comers = hold_products(db, [id for id in ids if id not in rows])
    if len(ids) > len(comers) + sum(id in rows for id in ids):
        raise Again("a product is gone")
    members = members_of(db, group, list(rows.values()))
    taken = _taken(group, members)
    statuses = dict.fromkeys(ids, Joined.UNCHANGED)
    for comer in members_of(db, group, [comers[id] for id in ids if id in comers]):
        id = comer.product_id
        statuses[id] = judge(comer, group.company_id, group.features, taken)
        if statuses[id] is Joined.ADDED:
            taken[value_key(comer, group.features)] = id
            members.append(replace(comer, leads=False))
            rows[id] = _free(work, comers[id])
    added = [id for id, status in statuses.items() if status is Joined.ADDED]
    shares = VARIATION if group.company_id else COMMON_VARIATION
    if added or left:
        places = _settle(work, group, members, rows, left)
        for id in added:
            parent_id = places[id].parent_id
            if parent_id is not None:
                take_over(work, parent_id, id, shares, kept)
    return statuses


def _free(work: Work, row: Row) -> Row:
    """Take a product out of the group that it is in, if it is in one."""
    if row.group_id is None:
        return row
    leave(work, row.product_id)
    return replace(row, group_id=None, parent_id=None, sub_group_id=None, key=None)


def leave(work: Work, product_id: int, *, deleted: bool = False) -> None:
    """Take a product out of its group; the next of its catalog item leads.

    A group that has no product left goes. One that is to be `deleted` leaves its
    options to those that shared them.
    Source: spec/entities/product_variations.md, rule 5.7.
    """
    row = hold_products(work.db, [product_id])[product_id]
    group = _held_group(work, row)
    if group is None:
        return
    _place(work, row, None, _NOWHERE)
    rows = hold_members(work.db, group.id)
    left = () if deleted else (row,)
    if rows:
        members = members_of(work.db, group, list(rows.values()))
        _settle(work, group, members, rows, left)
        if deleted:
            _touch(work, rows)
    else:
        _delete(work, group)


def regroup(work: Work, product_id: int) -> None:
    """Put a product whose values changed into the right catalog item.

    Raises: `Refused` if the group has that combination already, or a value is gone.
    Source: spec/entities/product_variations.md, rule 5.5.
    """
    row = hold_products(work.db, [product_id])[product_id]
    group = _held_group(work, row)
    if group is None:
        return
    rows = hold_members(work.db, group.id)
    members = members_of(work.db, group, list(rows.values()))
    others = [member for member in members if member.product_id != product_id]
    (own,) = [member for member in members if member.product_id == product_id]
    taken = _taken(group, others)
    refuse(product_id, judge(own, group.company_id, group.features, taken))
    _settle(work, group, members, rows)


def values_changed(work: Work, product_id: int, feature_ids: Iterable[int]) -> None:
    """Let the group and the followers of a product know of changed values.

    Raises: `Refused`, as `regroup`.
    """
    changed = set(feature_ids)
    stored = work.db.row(_OWN, id=product_id)
    if stored is None:
        return
    row = dict(zip(_OWN_NAMES, stored, strict=True))
    if row["variation_group_id"] is not None:
        group = read_group(work.db, row["variation_group_id"])
        if group and not changed.isdisjoint(f.feature_id for f in group.features):
            regroup(work, product_id)
    follow_values(work, row, changed)


def set_default(work: Work, product_id: int) -> bool:
    """Make a product lead its catalog item; false if it is in no group.

    Source: spec/entities/product_variations.md, rule 5.6.
    """
    row = hold_products(work.db, [product_id])[product_id]
    group = _held_group(work, row)
    if group is None:
        return False
    if row.parent_id is None:
        return True
    rows = hold_members(work.db, group.id)
    members = [
        replace(member, leads=True) if member.product_id == product_id else member
        for member in members_of(work.db, group, list(rows.values()))
    ]
    # Of two that lead one item the first does.
    members.sort(key=lambda member: member.product_id != product_id)
    _settle(work, group, members, rows)
    return True


def tell_others(work: Work, group_id: int, product_id: int) -> None:
    """Note that the others of a group show a member to other readers than before.

    Source: spec/entities/products.md, rule 5.8.
    """
    _touch(work, hold_members(work.db, group_id).keys() - {product_id})


def disband(work: Work, group: Group) -> None:
    """Delete a group; its members become ordinary products."""
    rows = hold_members(work.db, group.id)
    for row in rows.values():
        _place(work, row, None, _NOWHERE)
    hand_over(work, _holders(rows.values()), {id: id for id in rows})
    _delete(work, group)


def set_members(
    work: Work, group: Group, product_ids: Sequence[int]
) -> dict[int, Joined]:
    """Make these products the members of a group, and no others.

    Raises: `Refused` if none of them can be.
    Source: spec/entities/product_variations_groups.md, 7.2.
    """
    rows = hold_members(work.db, group.id)
    gone = [row for id, row in rows.items() if id not in product_ids]
    for row in gone:
        _place(work, row, None, _NOWHERE)
    statuses = join(work, group, product_ids, left=gone)
    refuse_all(statuses)
    return statuses


def refuse_all(statuses: Mapping[int, Joined]) -> None:
    """Raise if no product at all is in the group now.

    Raises: `Refused` with code and product, of the first one.
    """
    if REASONS.keys() >= set(statuses.values()):
        id, status = next(iter(statuses.items()))
        refuse(id, status)


def refuse(product_id: int | None, status: Joined) -> None:
    """Raise for a status that says no.

    Shapes: no ID for a product that is being created; nobody will find it.
    Raises: `Refused` with code and product.
    """
    if status in REASONS:
        product = "the new product" if product_id is None else f"product {product_id}"
        raise Refused(f"{product}: {REASONS[status]} ({int(status)})")


def _held_group(work: Work, row: Row) -> Group | None:
    if row.group_id is None:
        return None
    return read_group(work.db, row.group_id, lock=True)


def _taken(group: Group, members: Sequence[Member]) -> dict[str, int]:
    """The combinations of values that a group has."""
    return {value_key(member, group.features): member.product_id for member in members}


def _holders(rows: Iterable[Row]) -> dict[int, int]:
    """Products, and whose options each has: those of its default, or its own."""
    return {row.product_id: row.parent_id or row.product_id for row in rows}


def _settle(
    work: Work,
    group: Group,
    members: Sequence[Member],
    rows: Mapping[int, Row],
    left: Sequence[Row] = (),
) -> dict[int, Place]:
    """Write the places that differ, and the time of a change of membership.

    The options go where they belong now, also those of products that `left`.
    """
    places = arrange(group.id, group.features, members)
    for id, place in places.items():
        row = rows[id]
        stored = (row.group_id, row.parent_id, row.sub_group_id, row.key)
        if stored != (group.id, place.parent_id, place.sub_group_id, place.key):
            _place(work, row, group.id, place)
    if left or any(rows[id].key != place.key for id, place in places.items()):
        _touch(work, places)
    now = {"updated_at": work.context.now}
    work.db.update(table_of(VariationGroup), {"id": group.id}, now)
    after = {id: place.parent_id or id for id, place in places.items()}
    after |= {row.product_id: row.product_id for row in left}
    hand_over(work, _holders([*rows.values(), *left]), after)
    return places


def _touch(work: Work, product_ids: Iterable[int]) -> None:
    """Note that products show other members of their group to choose from."""
    context = work.context
    note_change(work.db, product_ids, context.now, context.caller.user_id)


def _place(work: Work, row: Row, group_id: int | None, place: Place) -> None:
    values = {
        "variation_group_id": group_id,
        "parent_product_id": place.parent_id,
        "product_type": place.product_type,
        "variation_sub_group_id": place.sub_group_id or None,
        "variation_key": place.key or None,
        "updated_timestamp": work.context.now,
    }
    work.db.update(table_of(Product), {"product_id": row.product_id}, values)
    before = {
        "variation_group_id": row.group_id,
        "parent_product_id": row.parent_id,
    }
    work.db.record(
        Change(
            "products",
            Operation.UPDATE,
            row.product_id,
            row.company_id,
            work.context.caller.user_id,
            before,
            {name: values[name] for name in before},
            "products",
            row.status,
        )
    )


def _delete(work: Work, group: Group) -> None:
    work.db.delete(table_of(VariationGroup), {"id": group.id})
    _record(work, Operation.DELETE, group)


def _record(work: Work, operation: Operation, group: Group) -> None:
    work.db.record(
        Change(
            "product_variations_groups",
            operation,
            group.id,
            group.company_id,
            work.context.caller.user_id,
            table=table_of(VariationGroup).name,
        )
    )
