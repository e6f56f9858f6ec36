"""Where features belong: the group that they are in, the categories they are for.

Source: spec/entities/features.md, 2.1 and rule 5.6.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import InvalidInput
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import Category, Feature, FeatureCategory
from storeapi.rules.features import GROUP, touch_users

Values = dict[str, Any]

_PARENT = query(
    select(Feature.feature_type, Feature.company_id, Feature.position)
    .where(Feature.feature_id == bindparam("id", required=True))
    .with_for_update()
)
_CATEGORIES = query(
    select(Category.category_id, Category.company_id).where(
        Category.category_id.in_(bindparam("ids", expanding=True))
    )
)
_LINKS = query(
    select(FeatureCategory.feature_id, FeatureCategory.category_id)
    .where(FeatureCategory.feature_id.in_(bindparam("ids", expanding=True)))
    .order_by(
        FeatureCategory.feature_id,
        FeatureCategory.position,
        FeatureCategory.category_id,
    )
)
_CONCERNED = query(
    select(FeatureCategory.feature_id)
    .where(FeatureCategory.category_id.in_(bindparam("ids", expanding=True)))
    .distinct()
)
_HELD = query(
    select(Feature.feature_id, Feature.company_id, Feature.status)
    .where(Feature.feature_id.in_(bindparam("ids", expanding=True)))
    .order_by(Feature.feature_id)
    .with_for_update()
)


def _moves(values: Values, row: Values | None) -> bool:
    """Whether a feature gets another owner, or its first one."""
    return row is None or row["company_id"] != values.get(
        "company_id", row["company_id"]
    )


def _may_name(values: Values, row: Values | None, owner: int) -> bool:
    """Whether a feature may name what a company owns: its own, or what is shared.

    Features of the whole marketplace name what they like.
    """
    company_id = {**(row or {}), **values}["company_id"]
    return company_id == 0 or owner in (0, company_id)


def complete_group(db: Connection, values: Values, row: Values | None) -> None:
    """Check the group that a feature is put in, and copy the group's position.

    Raises: `InvalidInput`.
    Source: spec/entities/features.md, rule 5.6.
    """
    merged = {"parent_id": None, **(row or {}), **values}
    parent_id = merged["parent_id"]
    if merged["feature_type"] == GROUP:
        if values.get("parent_id") is not None:
            raise InvalidInput.of("parent_id", "must be 0: a group has no parent")
        values["parent_id"] = None
        values["group_position"] = 0
        return
    if row is not None and parent_id == row["parent_id"] and not _moves(values, row):
        return
    if parent_id is None:
        values["group_position"] = 0
        return
    found = db.row(_PARENT, id=parent_id)
    if found is None or not _may_name(values, row, found[1]):
        raise InvalidInput.of("parent_id", f"{parent_id} does not exist", "unknown")
    if found[0] != GROUP or (row is not None and parent_id == row["feature_id"]):
        raise InvalidInput.of("parent_id", f"{parent_id} is no group")
    values["group_position"] = found[2]


def check_categories(db: Connection, values: Values, row: Values | None) -> None:
    """Refuse categories that do not exist for the owner of a feature.

    Those that it applies in already may stay, unless it gets another owner.
    Raises: `InvalidInput` naming them.
    """
    moves, sent = _moves(values, row), values.get("categories_path")
    if sent is None and not moves:
        return
    id = None if row is None else row["feature_id"]
    stored = [] if id is None else placed(db, [id]).get(id, [])
    ids = stored if sent is None else sent
    judged = ids if moves else [each for each in ids if each not in stored]
    found = {
        each
        for batch in batches(judged)
        for each, owner in db.rows(_CATEGORIES, ids=batch)
        if _may_name(values, row, owner)
    }
    missing = [str(each) for each in judged if each not in found]
    if missing:
        text = f"names categories that do not exist: {', '.join(missing[:20])}"
        raise InvalidInput.of("categories_path", text, "unknown")


def placed(db: Connection, feature_ids: Iterable[int]) -> dict[int, list[int]]:
    """The categories that features are for; those for all are left out."""
    found: dict[int, list[int]] = {}
    for batch in batches(feature_ids):
        for feature_id, category_id in db.rows(_LINKS, ids=batch):
            found.setdefault(feature_id, []).append(category_id)
    return found


def withdraw(db: Transaction, category_ids: Sequence[int], context: Context) -> None:
    """Take the features out of categories that are about to go, and record that.

    One that was for no other is disabled: without a category it would be for all.
    The caller holds the products that have values of them.
    """
    caller_id = context.caller.user_id
    concerned = {
        row[0]
        for batch in batches(category_ids)
        for row in db.rows(_CONCERNED, ids=batch)
    }
    gone, table = set(category_ids), table_of(Feature)
    for ids in batches(sorted(concerned)):
        held, links = db.rows(_HELD, ids=ids), placed(db, ids)
        left = {id: [each for each in links[id] if each not in gone] for id in links}
        off = [id for id, _, status in held if status != "D" and not left[id]]
        db.update(table, {"feature_id": off}, {"status": "D"})
        touch_users(db, off, context)
        for id, company_id, status in held:
            before: Values = {"categories_path": links[id]}
            after: Values = {"categories_path": left[id]}
            if id in off:
                before["status"], after["status"] = status, "D"
            change = Change(
                "features", Operation.UPDATE, id, company_id, caller_id,
                before, after, table.name, status,
            )  # fmt: skip
            db.record(change)
