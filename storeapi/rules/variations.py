"""Variation groups in the database: joining, leaving, leading, regrouping."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from sqlalchemy import bindparam, func, select

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import Refused
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import (
    Feature,
    Product,
    ProductFeatureValue,
    VariationGroup,
    VariationGroupFeature,
)
from storeapi.rules.catalog_items import (
    PURPOSES,
    REASONS,
    GroupFeature,
    Joined,
    Member,
    Place,
    arrange,
    judge,
    value_key,
)

_ids: Any = bindparam("ids", expanding=True)
_GROUP = (
    select(VariationGroup.id, VariationGroup.company_id, VariationGroup.code)
    .where(VariationGroup.id == bindparam("id", required=True))
)  # fmt: skip
_LOCKED_GROUP = query(_GROUP.with_for_update())
_PLAIN_GROUP = query(_GROUP)
_FEATURES = query(
    select(VariationGroupFeature.feature_id, VariationGroupFeature.purpose)
    .where(VariationGroupFeature.group_id == bindparam("id", required=True))
    .order_by(VariationGroupFeature.position, VariationGroupFeature.feature_id)
)
_COLUMNS = (
    Product.product_id,
    Product.company_id,
    Product.variation_group_id,
    Product.parent_product_id,
    Product.variation_sub_group_id,
    Product.variation_key,
    Product.status,
)
_MEMBERS = query(
    select(*_COLUMNS)
    .where(Product.variation_group_id == bindparam("id", required=True))
    .order_by(Product.product_id)
    .with_for_update()
)
_PRODUCTS = query(
    select(*_COLUMNS)
    .where(Product.product_id.in_(_ids))
    .order_by(Product.product_id)
    .with_for_update()
)
_VALUES = query(
    select(
        ProductFeatureValue.product_id,
        ProductFeatureValue.feature_id,
        ProductFeatureValue.variant_id,
    )
    .join(Feature, Feature.feature_id == ProductFeatureValue.feature_id)
    .where(
        ProductFeatureValue.product_id.in_(_ids),
        ProductFeatureValue.variant_id.is_not(None),
        Feature.feature_type.in_(["S", "N", "E"]),
    )
)
_PURPOSES = query(
    select(Feature.feature_id, Feature.purpose, Feature.feature_type)
    .where(Feature.feature_id.in_(_ids))
    .order_by(Feature.position, Feature.feature_id)
)
_CODE_TAKEN = query(
    select(func.count())
    .select_from(VariationGroup)
    .where(VariationGroup.code == bindparam("code", required=True))
)
_EMPTY = Place(None, "", "")


@dataclass(frozen=True, slots=True)
class Group:
    """A group and what it is based on."""

    id: int
    company_id: int
    code: str
    features: tuple[GroupFeature, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """What is stored of a product's place."""

    product_id: int
    company_id: int
    group_id: int | None
    parent_id: int | None
    sub_group_id: str | None
    key: str | None
    status: str


@dataclass(frozen=True, slots=True)
class Work:
    """The transaction in which groups change, who changes them, and when."""

    db: Transaction
    caller_id: int | None
    now: int


def read_group(db: Connection, group_id: int, *, lock: bool = False) -> Group | None:
    """Read a group; locked, no other writer can change its members."""
    row = db.row(_LOCKED_GROUP if lock else _PLAIN_GROUP, id=group_id)
    if row is None:
        return None
    features = tuple(GroupFeature(*found) for found in db.rows(_FEATURES, id=group_id))
    return Group(row[0], row[1], row[2], features)


def values_of(db: Connection, product_ids: Sequence[int]) -> dict[int, dict[int, int]]:
    """The chosen variants of products, of the types by which variations differ."""
    found: dict[int, dict[int, int]] = {id: {} for id in product_ids}
    for product_id, feature_id, variant_id in db.rows(_VALUES, ids=list(product_ids)):
        found[product_id][feature_id] = variant_id
    return found


def common_features(
    db: Connection, product_ids: Sequence[int]
) -> tuple[GroupFeature, ...]:
    """The features with a variation purpose for which all products have values.

    Source: spec/entities/product_variations_groups.md, rule 5.2.
    """
    values = values_of(db, product_ids)
    shared = set.intersection(*[set(each) for each in values.values()])
    return tuple(
        GroupFeature(feature_id, purpose)
        for feature_id, purpose, _ in db.rows(_PURPOSES, ids=sorted(shared))
        if purpose in PURPOSES
    )


def chosen_features(
    db: Connection, wanted: Sequence[tuple[int, str | None]]
) -> tuple[GroupFeature, ...] | None:
    """Complete the features that a client names; `None` if one cannot serve."""
    known = {
        row[0]: row
        for row in db.rows(_PURPOSES, ids=[feature for feature, _ in wanted])
    }
    found = []
    for feature_id, purpose in wanted:
        row = known.get(feature_id)
        if row is None or row[2] not in ("S", "N", "E"):
            return None
        chosen = purpose or row[1]
        if chosen not in PURPOSES:
            return None
        found.append(GroupFeature(feature_id, chosen))
    return tuple(found)


def create_group(
    work: Work, company_id: int, code: str, features: Sequence[GroupFeature]
) -> Group:
    """Make an empty group; a code is made if none was sent."""
    db = work.db
    while not code:
        made = f"PV-{token_hex(5)[:9].upper()}"
        code = "" if db.value(_CODE_TAKEN, code=made) else made
    row = {"company_id": company_id, "code": code}
    times = {"created_at": work.now, "updated_at": work.now}
    id = db.insert(table_of(VariationGroup), row | times)
    db.insert_many(
        table_of(VariationGroupFeature),
        [
            {"group_id": id, "feature_id": f.feature_id, "purpose": f.purpose,
             "position": position}
            for position, f in enumerate(features)
        ],
    )  # fmt: skip
    _record(work, "product_variations_groups", Operation.CREATE, id, company_id)
    return Group(id, company_id, code, tuple(features))


def join(work: Work, group: Group, product_ids: Sequence[int]) -> dict[int, Joined]:
    """Put products into a group, in their order; those that cannot are left out.

    A product of another group moves here.
    Source: spec/entities/product_variations.md, rules 5.2 to 5.4.
    """
    db = work.db
    rows = {row.product_id: row for row in _rows(db, _MEMBERS, id=group.id)}
    newcomers = {row.product_id: row for row in _rows(db, _PRODUCTS, ids=product_ids)}
    values = values_of(db, [*rows, *newcomers])
    members = [_member(row, values) for row in rows.values()]
    taken = {value_key(m, group.features): m.product_id for m in members}
    statuses: dict[int, Joined] = {}
    for id in dict.fromkeys(product_ids):
        if id in rows:
            statuses[id] = Joined.UNCHANGED
            continue
        member = Member(id, newcomers[id].company_id, values[id])
        status = judge(member, group.company_id, group.features, taken)
        statuses[id] = status
        if status is Joined.ADDED:
            taken[value_key(member, group.features)] = id
            members.append(member)
    added = [id for id, status in statuses.items() if status is Joined.ADDED]
    for id in added:
        if newcomers[id].group_id is not None:
            leave(work, id)
    _settle(work, group, members, {**rows, **newcomers})
    return statuses


def leave(work: Work, product_id: int) -> None:
    """Take a product out of its group; the next of its catalog item leads.

    A group that has no product left goes.
    Source: spec/entities/product_variations.md, rule 5.7.
    """
    (row,) = _rows(work.db, _PRODUCTS, ids=[product_id])
    if row.group_id is None:
        return
    group = read_group(work.db, row.group_id, lock=True)
    assert group is not None
    _place(work, row, None, _EMPTY)
    _resettle(work, group)


def regroup(work: Work, product_id: int) -> None:
    """Put a product whose values changed into the right catalog item.

    Raises: `Refused` if the group has that combination already, or a value is gone.
    """
    (row,) = _rows(work.db, _PRODUCTS, ids=[product_id])
    if row.group_id is None:
        return
    group = read_group(work.db, row.group_id, lock=True)
    assert group is not None
    rows = {r.product_id: r for r in _rows(work.db, _MEMBERS, id=group.id)}
    values = values_of(work.db, list(rows))
    members = [_member(each, values) for each in rows.values()]
    others = [m for m in members if m.product_id != product_id]
    taken = {value_key(m, group.features): m.product_id for m in others}
    member = Member(product_id, row.company_id, values[product_id])
    refuse(product_id, judge(member, group.company_id, group.features, taken))
    _settle(work, group, members, rows)


def set_default(work: Work, product_id: int) -> bool:
    """Make a product lead its catalog item; false if it is in no group.

    Source: spec/entities/product_variations.md, rule 5.6.
    """
    (row,) = _rows(work.db, _PRODUCTS, ids=[product_id])
    if row.group_id is None:
        return False
    group = read_group(work.db, row.group_id, lock=True)
    assert group is not None
    rows = {r.product_id: r for r in _rows(work.db, _MEMBERS, id=group.id)}
    values = values_of(work.db, list(rows))
    members = [
        _member(each, values, leads=each.product_id == product_id)
        for each in sorted(rows.values(), key=lambda r: r.product_id != product_id)
    ]
    others = [m for m in members if m.product_id == product_id or _leads_apart(m, row)]
    _settle(work, group, others and members, rows)
    return True


def disband(work: Work, group: Group) -> None:
    """Delete a group; its members become ordinary products."""
    for row in _rows(work.db, _MEMBERS, id=group.id):
        _place(work, row, None, _EMPTY)
    _delete(work, group)


def refuse(product_id: int, status: Joined) -> None:
    """Raise for a status that says no.

    Raises: `Refused` with code and product.
    """
    if status in REASONS:
        raise Refused(f"product {product_id}: {REASONS[status]} ({int(status)})")


def _leads_apart(member: Member, row: Row) -> bool:
    return member.product_id != row.product_id


def _resettle(work: Work, group: Group) -> None:
    rows = {row.product_id: row for row in _rows(work.db, _MEMBERS, id=group.id)}
    if not rows:
        _delete(work, group)
        return
    values = values_of(work.db, list(rows))
    _settle(work, group, [_member(r, values) for r in rows.values()], rows)


def _settle(
    work: Work, group: Group, members: Sequence[Member], rows: Mapping[int, Row]
) -> None:
    """Write the places that differ, and the time of a change of membership."""
    places = arrange(group.id, group.features, members)
    moved = [id for id, place in places.items() if _differs(rows[id], group.id, place)]
    # A key is free before another member takes it.
    for id in moved:
        if rows[id].group_id == group.id:
            work.db.update(
                table_of(Product), {"product_id": id}, {"variation_key": None}
            )
    for id in sorted(moved, key=lambda id: places[id].parent_id is not None):
        _place(work, rows[id], group.id, places[id])
    work.db.update(table_of(VariationGroup), {"id": group.id}, {"updated_at": work.now})


def _differs(row: Row, group_id: int, place: Place) -> bool:
    stored = (row.group_id, row.parent_id, row.sub_group_id, row.key)
    return stored != (group_id, place.parent_id, place.sub_group_id, place.key)


def _place(work: Work, row: Row, group_id: int | None, place: Place) -> None:
    values = {
        "variation_group_id": group_id,
        "parent_product_id": place.parent_id,
        "product_type": place.product_type,
        "variation_sub_group_id": place.sub_group_id or None,
        "variation_key": place.key or None,
        "updated_timestamp": work.now,
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
            work.caller_id,
            before,
            {name: values[name] for name in before},
            "products",
            row.status,
        )
    )


def _delete(work: Work, group: Group) -> None:
    work.db.delete(table_of(VariationGroup), {"id": group.id})
    _record(
        work, "product_variations_groups", Operation.DELETE, group.id, group.company_id
    )


def _record(
    work: Work, entity: str, operation: Operation, id: int, company_id: int
) -> None:
    work.db.record(
        Change(entity, operation, id, company_id, work.caller_id, table=entity)
    )


def _member(
    row: Row, values: Mapping[int, Mapping[int, int]], *, leads: bool | None = None
) -> Member:
    own = row.parent_id is None if leads is None else leads
    return Member(row.product_id, row.company_id, values[row.product_id], own)


def _rows(db: Connection, statement: Any, **values: Any) -> list[Row]:
    return [Row(*row) for row in db.rows(statement, **values)]


def members_of(db: Connection, group_ids: Iterable[int]) -> dict[int, list[Row]]:
    """The members of groups, by group, in the order of their IDs."""
    found: dict[int, list[Row]] = {}
    for row in _rows(db, _MEMBERS_OF, ids=list(group_ids)):
        found.setdefault(row.group_id or 0, []).append(row)
    return found


_MEMBERS_OF = query(
    select(*_COLUMNS)
    .where(Product.variation_group_id.in_(_ids))
    .order_by(Product.variation_group_id, Product.product_id)
)
