"""What one write of a product says of its variation group."""

from dataclasses import dataclass
from typing import Any

from storeapi import Caller, Connection, InvalidInput, Params, Record, Refused
from storeapi.core.entity import Parent
from storeapi.core.kinds import id_in
from storeapi.rules.catalog_items import REASONS, Joined
from storeapi.rules.sharing import NOTHING_KEPT, SHARED_BY_VARIATIONS, Kept, Work
from storeapi.rules.variation_groups import read_group
from storeapi.rules.variations import join, leave, refuse

MATTERS = SHARED_BY_VARIATIONS | {
    "variation_group_id",
    "variation_feature_values",
    "product_features",
    "company_id",
    "status",
}
"""Fields whose change matters to the other products of a group."""

DECIDE_WHO_SEES = frozenset({"status", "usergroup_ids"})
"""Fields by which a member may be chosen at the others."""


def wanted_group(params: Params, parent: Parent | None) -> list[int]:
    """The group that a payload or its path names, if it can be one."""
    value = params.get("variation_group_id")
    if parent is not None and parent.name == "product_variations_groups":
        value = parent.id
    id = id_in(value)  # Of what is none the fields tell.
    return [] if id is None else [id]


@dataclass(frozen=True, slots=True)
class Grouping:
    """The group that a product is to be in (`None` for none), if one was `sent`."""

    sent: bool = False
    group_id: int | None = None
    kept: Kept = NOTHING_KEPT

    @classmethod
    def take(cls, values: dict[str, Any]) -> "Grouping":
        """Take the group out of the values, and the values by which it differs."""
        chosen = values.pop("variation_feature_values", None)
        if chosen:
            values["product_features"] = {
                **values.get("product_features", {}),
                **chosen,
            }
        sent = "variation_group_id" in values
        group_id = values.pop("variation_group_id", None)
        features = frozenset(values.get("product_features", ()))
        return cls(sent, group_id, Kept(frozenset(values), features))

    def check(
        self, db: Connection, caller: Caller, values: dict[str, Any], row: Record | None
    ) -> None:
        """Judge the group, and a new company of a product that is in one.

        Raises: `InvalidInput`, `Refused`.
        """
        if self.group_id is not None:
            group = read_group(db, self.group_id)
            if group is None or (
                caller.is_scoped and group.company_id != caller.company_id
            ):
                text = f"{self.group_id} does not exist"
                raise InvalidInput.of("variation_group_id", text, "unknown")
        if row is None or row["variation_group_id"] is None:
            return
        if self.sent and self.group_id != row["variation_group_id"]:
            return
        if values.get("company_id", row["company_id"]) != row["company_id"]:
            code = Joined.OTHER_COMPANY
            text = f"product {row['product_id']}: {REASONS[code]} ({int(code)})"
            raise Refused(text)

    def leave(self, work: Work, row: Record) -> bool:
        """Take the product out of its group if it is to be elsewhere."""
        before = row["variation_group_id"]
        if not self.sent or before is None or before == self.group_id:
            return False
        leave(work, int(row["product_id"]))
        return True

    def join(self, work: Work, product_id: int, row: Record | None = None) -> bool:
        """Put the product into its new group.

        Raises: `Refused` if it cannot join.
        Source: spec/entities/product_variations.md, rules 5.2, 5.3 and 5.9.
        """
        if self.group_id is None:
            return False
        if row is not None and row["variation_group_id"] == self.group_id:
            return False
        group = read_group(work.db, self.group_id, lock=True)
        if group is None:
            text = f"{self.group_id} does not exist"
            raise InvalidInput.of("variation_group_id", text, "unknown")
        for id, status in join(work, group, [product_id], self.kept).items():
            refuse(id if row is not None else None, status)
        return True
