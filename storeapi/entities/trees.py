"""What entities that form a tree share: places, moves, and whole subtrees."""

from collections.abc import Sequence
from typing import Any, ClassVar

from storeapi import Key, Params, Record, Result, TableEntity
from storeapi.core.changes import Change, Operation
from storeapi.core.table import M
from storeapi.core.writing import Values
from storeapi.rules.discussions import drop_threads
from storeapi.rules.trees import Tree, lock_trees, path_below


class TreeEntity(TableEntity[M]):
    """Objects that lie below each other; what lies below one moves and goes with it.

    Every write that changes the shape of the tree holds it, so that of two moves
    none is judged by a shape that the other one changes.
    """

    tree: ClassVar[Tree]

    shaping: ClassVar[frozenset[str]] = frozenset({"parent_id"})
    """Fields whose writing changes what lies below."""

    def create(self, params: Params) -> Result:
        """Create an object; the tree keeps its shape meanwhile."""
        lock_trees(self.db)
        return super().create(params)

    def update(self, id: Key, params: Params) -> Result:
        """Change an object; what lies below moves along."""
        if not self.shaping.isdisjoint(params):
            lock_trees(self.db)
        if "parent_id" in params:
            self.hold_below(id, params["parent_id"])
        return super().update(id, params)

    def delete(self, id: Key) -> Result:
        """Remove an object with everything below it."""
        lock_trees(self.db)
        self.hold_below(id)
        return super().delete(id)

    def hold_below(self, id: Key, parent_id: Any = None) -> None:
        """Hold what has to be held before an object that goes, or moves to a parent.

        Shapes: `parent_id` is as it was sent. By default nothing.
        """

    def check_place(self, values: Values, row: Record | None) -> bool:
        """Judge the place in the tree; tells whether it is a new one.

        Raises: `InvalidInput` for a parent that cannot be.
        """
        if row is None:
            company_id = values["company_id"]
            self.tree.parent(self.reader, values.get("parent_id"), company_id)
            return True
        parent_id, path = values.get("parent_id", row["parent_id"]), row["id_path"]
        if parent_id == row["parent_id"]:
            return False
        parent = self.tree.parent(self.reader, parent_id, row["company_id"], path)
        values["id_path"] = path_below(parent, row[self.tree.id.name])
        nodes = self.tree.subtree(self.reader, path)
        self.tree.check_room(nodes, path, values["id_path"])
        return True

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write the object; its path holds its own number."""
        id = int(super().insert(values, languages))
        company_id = values["company_id"]
        parent = self.tree.parent(self.db, values.get("parent_id"), company_id)
        path = path_below(parent, id)
        self.tree.check_room([], "", path)
        self.db.update(self.tree.table, {self.tree.id.name: id}, {"id_path": path})
        return id

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change the object, then the paths of what lies below it."""
        changed = super().change(id, row, values, languages)
        if "id_path" in values:
            self._move(row["id_path"], values["id_path"])
        return changed

    def _move(self, old: str, new: str) -> None:
        # The object itself has its new path already.
        nodes = self.tree.subtree(self.db, old)
        self.tree.repath(self.db, old, new)
        self.moved([int(new.rpartition("/")[2]), *[node.id for node in nodes]])
        self.db.record(
            *[
                self.noted(
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

    def moved(self, ids: Sequence[int]) -> None:
        """Follow a move: these objects have other paths now. By default nothing."""

    def remove(self, id: Key, row: Record) -> None:
        """Delete the object with everything below it."""
        nodes = self.tree.subtree(self.db, row["id_path"], hold=True)
        ids = [node.id for node in nodes]
        self.release(ids)
        drop_threads(self.db, self.tree.id.name, ids, self.caller.user_id)
        for kind in self.declaration.nested().values():
            kind.remove(self.db, ids, self.context)
        self.tree.delete(self.db, nodes)
        self.db.record(
            *[
                self.noted(
                    Operation.DELETE,
                    node.id,
                    node.company_id,
                    {"company_id": node.company_id, "id_path": node.path},
                    {},
                )
                for node in nodes
            ]
        )

    def release(self, ids: Sequence[int]) -> None:
        """Free what hangs on objects that are about to go. By default nothing."""

    def noted(
        self, operation: Operation, id: int, company_id: int, *values: Values
    ) -> Change:
        """What is told of a write; `values` are those before and after it."""
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
