"""Categories: the tree that products are placed in."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import exists, or_
from sqlalchemy.orm import aliased

from storeapi import Condition, Key, Record, allow
from storeapi.core.changes import Operation
from storeapi.core.folding import folded
from storeapi.core.writing import Values
from storeapi.entities.categories.fields import AUTOMATIC, CategoryFields
from storeapi.entities.categories.filters import FILTERS, SORTINGS
from storeapi.entities.trees import TreeEntity
from storeapi.models import Category, CategoryText
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.audience import for_reader
from storeapi.rules.categories import (
    Siblings,
    free_slug,
    free_slugs_of_moved,
    inherited_ages,
    own_texts,
    spread_ages,
)
from storeapi.rules.companies import with_shown_company
from storeapi.rules.feature_places import withdraw
from storeapi.rules.groups import complete_groups
from storeapi.rules.placement import displace, hold_placed
from storeapi.rules.selling_places import forget_categories
from storeapi.rules.touching import touch_below
from storeapi.rules.trees import Tree, beneath

TREE = Tree(Category)
_above: Any = aliased(Category)


class Categories(TreeEntity[Category]):
    """The tree that products are placed in."""

    name = "categories"
    tree = TREE
    shaping = frozenset({"parent_id", "age_verification", "age_limit"})
    id_key = "category_id"
    model = Category
    texts = CategoryText
    fields = CategoryFields
    filters = FILTERS
    sortings = SORTINGS
    default_sort = "position"
    shared = True
    unique = {
        "company_id,parent_id,seo_name,lang_code": "seo_name",
        "company_id,external_key": "external_id",
    }
    privileges = allow(view="view_catalog", manage="manage_catalog")
    privileges_customer = {"index": True}
    parents = {"stores": "company_id", "vendors": "company_id"}

    def scope(self) -> Iterable[Condition]:
        """Customers see what is for their groups, and nothing below a closed one.

        Source: spec/entities/categories.md, 2 (`usergroup_ids`) and rule 5.8.
        """
        yield from super().scope()
        if self.caller.is_customer:
            mine = for_reader(_above.usergroup_ids, self.caller)
            yield with_shown_company(Category.company_id)
            yield Condition(
                ("no closed ancestor", mine.key),
                lambda: (
                    ~exists().where(
                        or_(_above.status == "D", ~mine.build()),
                        beneath(Category.id_path, _above.id_path),
                    )
                ),
                mine.values,
            )

    def check(self, values: Values, row: Record | None) -> None:
        """Find the place in the tree, and complete keys and times."""
        if "category" in values:
            values["category_key"] = folded(values["category"])[:KEY_LENGTH]
        if "external_id" in values:
            values["external_key"] = values["external_id"] or None
        complete_groups(self.reader, values, row)
        if not values.get("timestamp") and (row is None or "timestamp" in values):
            values["timestamp"] = self.context.now
        company = values["company_id"] if row is None else row["company_id"]
        parent_id = values.get("parent_id", None if row is None else row["parent_id"])
        if values.get("position", AUTOMATIC if row is None else 0) == AUTOMATIC:
            values["position"] = TREE.next_position(self.reader, parent_id, company)
        if self.check_place(values, row):
            ages = inherited_ages(self.reader, parent_id)
            values["parent_age_verification"], values["parent_age_limit"] = ages

    def hold_below(self, id: Key, parent_id: Any = None) -> None:
        """Hold the products that lie where the tree is about to change."""
        node = TREE.node(self.db, int(id)) if self.db.concurrent else None
        if node is not None and str(parent_id) != str(node.parent_id or 0):
            hold_placed(self.db, node.path)

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write the category, with a slug that no sibling has."""
        if not values.get("seo_name"):
            parents = [values.get("parent_id") or 0]
            siblings = Siblings(values["company_id"], parents, languages)
            values["seo_name"] = free_slug(self.db, values["category"], siblings)
        return super().insert(values, languages)

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change the category, then the ages that what lies below it inherits."""
        moving = "id_path" in values
        parent_id = values.get("parent_id", row["parent_id"]) or 0
        parents = list({row["parent_id"] or 0, parent_id})
        if "seo_name" in values and not values["seo_name"]:
            siblings = Siblings(row["company_id"], parents, languages, int(id))
            _, name = own_texts(self.db, int(id)).get(languages[0], ("", ""))
            name = values.get("category", name)
            values["seo_name"] = free_slug(self.db, name, siblings)
        if moving:
            sent = languages if "seo_name" in values else ()
            kept = [c for c in self.context.installation.languages if c not in sent]
            siblings = Siblings(row["company_id"], parents, kept, int(id))
            free_slugs_of_moved(self.db, siblings)
        changed = super().change(id, row, values, languages)
        if changed and not self.shaping.isdisjoint(values):
            self._spread(str(values.get("id_path", row["id_path"])))
        return changed

    def moved(self, ids: Sequence[int]) -> None:
        """Note that products show other paths."""
        touch_below(self.db, set(ids), self.context)

    def _spread(self, path: str) -> None:
        self.db.record(
            *[
                self.noted(Operation.UPDATE, *each)
                for each in spread_ages(self.db, path)
            ]
        )

    def release(self, ids: Sequence[int]) -> None:
        """Take products and features out of categories that go, and vendors' lists.

        Source: spec/entities/categories.md, rule 5.5.
        """
        caller_id, now = self.caller.user_id, self.context.now
        forget_categories(self.db, ids, caller_id, now)
        displace(self.db, ids, now, caller_id)
        withdraw(self.db, ids, self.context)
