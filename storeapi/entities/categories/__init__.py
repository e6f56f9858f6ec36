"""Categories: the tree that products are placed in."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import exists
from sqlalchemy.orm import aliased

from storeapi import Condition, Key, Params, Record, Result, TableEntity, allow
from storeapi.core.changes import Change, Operation
from storeapi.core.writing import Values
from storeapi.entities.categories.fields import AUTOMATIC, CategoryFields
from storeapi.entities.categories.filters import FILTERS, SORTINGS
from storeapi.models import Category, CategoryText
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.categories import (
    Siblings,
    free_slug,
    free_slugs_of_moved,
    inherited_ages,
    own_texts,
    spread_ages,
)
from storeapi.rules.folding import folded
from storeapi.rules.placement import displace
from storeapi.rules.touching import touch_below
from storeapi.rules.trees import Tree, beneath, path_below

TREE = Tree(Category)
_above: Any = aliased(Category)
_SHAPING = frozenset({"parent_id", "age_verification", "age_limit"})


class Categories(TableEntity[Category]):
    """The tree that products are placed in."""

    name = "categories"
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
        """Customers see nothing below a disabled category.

        Source: spec/entities/categories.md, rule 5.8.
        """
        yield from super().scope()
        if self.caller.is_customer:
            yield Condition(
                "no disabled ancestor",
                lambda: (
                    ~exists().where(
                        _above.status == "D",
                        beneath(Category.id_path, _above.id_path, itself=False),
                    )
                ),
            )

    def create(self, params: Params) -> Result:
        """Create a category; the tree keeps its shape meanwhile."""
        TREE.lock(self.db)
        return super().create(params)

    def update(self, id: Key, params: Params) -> Result:
        """Change a category; what lies below moves along."""
        if not _SHAPING.isdisjoint(params):
            TREE.lock(self.db)
        return super().update(id, params)

    def delete(self, id: Key) -> Result:
        """Remove a category with everything below it, but no product."""
        TREE.lock(self.db)
        return super().delete(id)

    def check(self, values: Values, row: Record | None) -> None:
        """Find the place in the tree, and complete keys and times."""
        if "category" in values:
            values["category_key"] = folded(values["category"])[:KEY_LENGTH]
        if "external_id" in values:
            values["external_key"] = values["external_id"] or None
        if values.get("usergroup_ids") == "":
            values["usergroup_ids"] = "0"
        if not values.get("timestamp") and (row is None or "timestamp" in values):
            values["timestamp"] = self.context.now
        company = values["company_id"] if row is None else row["company_id"]
        parent_id = values.get("parent_id", None if row is None else row["parent_id"])
        if values.get("position", AUTOMATIC if row is None else 0) == AUTOMATIC:
            values["position"] = TREE.next_position(self.reader, parent_id, company)
        if row is None:
            TREE.parent(self.reader, parent_id, company)
        elif parent_id != row["parent_id"]:
            self._check_move(values, row)
        if row is None or parent_id != row["parent_id"]:
            ages = inherited_ages(self.reader, parent_id)
            values["parent_age_verification"], values["parent_age_limit"] = ages

    def _check_move(self, values: Values, row: Record) -> None:
        parent_id, path = values["parent_id"], row["id_path"]
        parent = TREE.parent(self.reader, parent_id, row["company_id"], path)
        values["id_path"] = path_below(parent, row["category_id"])
        nodes = TREE.subtree(self.reader, path)
        TREE.check_room(nodes, path, values["id_path"])

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write the category; its path holds its own number."""
        if not values.get("seo_name"):
            parents = [values.get("parent_id") or 0]
            siblings = Siblings(values["company_id"], parents, languages)
            values["seo_name"] = free_slug(self.db, values["category"], siblings)
        id = int(super().insert(values, languages))
        parent = TREE.parent(self.db, values.get("parent_id"), values["company_id"])
        path = path_below(parent, id)
        TREE.check_room([], "", path)
        self.db.update(TREE.table, {"category_id": id}, {"id_path": path})
        return id

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change the category, then the paths and ages of what lies below it."""
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
        if moving:
            self._move(int(id), row["id_path"], values["id_path"])
        if changed and not _SHAPING.isdisjoint(values):
            self._spread(str(values.get("id_path", row["id_path"])))
        return changed

    def _move(self, id: int, old: str, new: str) -> None:
        """Give what lies below its new paths, which products show too."""
        nodes = TREE.subtree(self.db, old)
        TREE.repath(self.db, old, new)
        touch_below(self.db, {id, *[node.id for node in nodes]}, self.context)
        self.db.record(
            *[
                self._change(
                    Operation.UPDATE,
                    node.id,
                    node.company_id,
                    {"id_path": node.path},
                    {"id_path": new + node.path[len(old) :]},
                )
                for node in nodes
                if node.path != old
            ]
        )

    def _spread(self, path: str) -> None:
        changes = [
            self._change(Operation.UPDATE, id, company_id, before, after)
            for id, company_id, before, after in spread_ages(self.db, path)
        ]
        self.db.record(*changes)

    def remove(self, id: Key, row: Record) -> None:
        """Take the products out of the subtree, then delete it.

        Source: spec/entities/categories.md, rule 5.5.
        """
        nodes = TREE.subtree(self.db, row["id_path"], hold=True)
        ids = [node.id for node in nodes]
        displaced = displace(self.db, ids, self.context.now)
        for kind in self.declaration.nested().values():
            kind.remove(self.db, ids, self.context)
        TREE.delete(self.db, nodes)
        self.db.record(
            *[
                Change(
                    "products",
                    Operation.UPDATE,
                    each.id,
                    each.company_id,
                    self.caller.user_id,
                    each.before,
                    each.after,
                    "products",
                    each.status,
                )
                for each in displaced
            ],
            *[
                self._change(
                    Operation.DELETE,
                    node.id,
                    node.company_id,
                    {"company_id": node.company_id, "id_path": node.path},
                    {},
                )
                for node in nodes
            ],
        )

    def _change(
        self,
        operation: Operation,
        id: int,
        company_id: int,
        *values: dict[str, Any],
    ) -> Change:
        before, after = values
        return Change(
            self.name,
            operation,
            id,
            company_id,
            self.caller.user_id,
            before,
            after,
            self.declaration.table.name,
        )
