"""How a category's values depend on its place in the tree."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import String, bindparam, select

from storeapi.core.database import Connection, Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import Category, CategoryText
from storeapi.rules.slugs import slug, slugs_like, taken_slugs, unique_slug
from storeapi.rules.trees import beneath

_SLUGS = slugs_like(
    CategoryText.seo_name,
    CategoryText.company_id == bindparam("company_id", required=True),
    CategoryText.parent_id.in_(bindparam("parents", expanding=True)),
    CategoryText.lang_code.in_(bindparam("languages", expanding=True)),
    CategoryText.category_id != bindparam("own", required=True),
)
_OWN_TEXTS = query(
    select(CategoryText.lang_code, CategoryText.seo_name, CategoryText.category)
    .where(CategoryText.category_id == bindparam("id", required=True))
    .order_by(CategoryText.lang_code)
)
_AGE_COLUMNS = (
    Category.age_verification,
    Category.age_limit,
    Category.parent_age_verification,
    Category.parent_age_limit,
)
_AGES = query(
    select(*_AGE_COLUMNS).where(
        Category.category_id == bindparam("id", required=True),
    )
)
_AGES_BELOW = query(
    select(Category.category_id, Category.parent_id, Category.company_id, *_AGE_COLUMNS)
    .where(beneath(Category.id_path, bindparam("path", required=True, type_=String())))
    .order_by(Category.id_path)
)

Ages = tuple[str, int]
"""Whether a visitor is asked for the age, and the least age."""

Spread = tuple[int, int, dict[str, Any], dict[str, Any]]
"""The ID and company of a category, what it inherited before, and now."""


@dataclass(frozen=True, slots=True)
class Siblings:
    """The categories among which a slug has to be the only one.

    Shapes: `parents` are the old and the new one of a category that moves, 0 for
    roots; `own` is the category itself.
    """

    company_id: int
    parents: Sequence[int]
    languages: Sequence[str]
    own: int = 0

    def taken(self, db: Connection) -> Callable[[str], Collection[str]]:
        """Find the slugs in use that could clash with one."""
        return taken_slugs(
            db,
            _SLUGS,
            company_id=self.company_id,
            parents=self.parents,
            languages=self.languages,
            own=self.own,
        )


def free_slug(db: Connection, name: str, siblings: Siblings) -> str:
    """Build a slug that no sibling has in any of the languages."""
    return unique_slug(slug(name) or "category", siblings.taken(db))


def own_texts(db: Connection, id: int) -> dict[str, tuple[str, str]]:
    """The slug and the name of a category by language."""
    return {code: (slug_, name) for code, slug_, name in db.rows(_OWN_TEXTS, id=id)}


def free_slugs_of_moved(db: Transaction, siblings: Siblings) -> None:
    """Change the slugs that a category would share with its new siblings.

    Other languages than those of `siblings` keep their slug.
    """
    for code, (stored, _name) in own_texts(db, siblings.own).items():
        if code not in siblings.languages:
            continue
        taken = replace(siblings, languages=[code]).taken(db)
        if stored in taken(stored):
            where = {"category_id": siblings.own, "lang_code": code}
            changed = {"seo_name": unique_slug(stored, taken)}
            db.update(table_of(CategoryText), where, changed)


def inherited_ages(db: Connection, parent_id: int | None) -> Ages:
    """What a child inherits: from the nearest ancestor that asks for the age."""
    row = None if parent_id is None else db.row(_AGES, id=parent_id)
    return ("N", 0) if row is None else _passed_on(row)


def _passed_on(ages: Sequence[Any]) -> Ages:
    own, inherited = (ages[0], ages[1]), (ages[2], ages[3])
    return own if own[0] == "Y" else inherited


def spread_ages(db: Transaction, path: str) -> list[Spread]:
    """Make everything below a category inherit anew; returns what changed.

    Source: spec/entities/categories.md, section 2 (`parent_age_verification`) and
    rule 5.2.
    """
    rows = db.rows(_AGES_BELOW, path=path)
    given = {rows[0][0]: _passed_on(rows[0][3:])} if rows else {}
    changed: list[Spread] = []
    groups: dict[Ages, list[int]] = {}
    for id, parent_id, company_id, *ages in rows[1:]:
        wanted = given[parent_id]
        before = (ages[2], ages[3])
        given[id] = _passed_on([*ages[:2], *wanted])
        if wanted != before:
            groups.setdefault(wanted, []).append(id)
            changed.append((id, company_id, _named(before), _named(wanted)))
    for wanted, ids in groups.items():
        for batch in batches(ids):
            db.update(table_of(Category), {"category_id": batch}, _named(wanted))
    return changed


def _named(ages: Ages) -> dict[str, Any]:
    return {"parent_age_verification": ages[0], "parent_age_limit": ages[1]}
