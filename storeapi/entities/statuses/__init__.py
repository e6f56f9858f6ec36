"""Statuses: the states that an order can be in, and what each of them does."""

from typing import Any

from storeapi import Forbidden, InvalidInput, Key, Record, allow
from storeapi.core.entity import WRITES
from storeapi.core.failures import Again
from storeapi.core.folding import folded
from storeapi.core.writing import Values
from storeapi.entities.statuses.fields import StatusFields
from storeapi.entities.statuses.of_company import CompanyStatuses
from storeapi.entities.statuses.reading import ReadableStatuses
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.statuses import (
    TYPE_ORDER,
    check_deletable,
    check_letter,
    free_letter,
    merged_params,
)

__all__ = ["StatusFields", "Statuses"]


class Statuses(ReadableStatuses):
    """States of orders: title and mail per language, and what they do to an order."""

    privileges = allow(
        view=("view_order_statuses", "view_orders"), manage="manage_order_statuses"
    )
    closed_to_companies = WRITES
    under = {"stores": CompanyStatuses, "vendors": CompanyStatuses}
    unique = {"type,status": "status"}

    _letter_is_ours = False

    def check(self, values: Values, row: Record | None) -> None:
        """Find or judge the letter; merge the parameters."""
        if "description" in values:
            values["description_key"] = folded(values["description"])[:KEY_LENGTH]
        if row is None:
            self._choose_letter(values)
        elif values.get("is_default", "Y") == "N" != row["is_default"]:
            self._judge_default()
        if row is None or "params" in values:
            stored = None if row is None else row["params"]
            values["params"] = merged_params(values.get("params") or {}, stored)

    def _judge_default(self) -> None:
        if not self.caller.is_root:
            raise Forbidden("only root may let a built-in status be deleted")

    def _choose_letter(self, values: Values) -> None:
        type = values.setdefault("type", TYPE_ORDER)
        self._letter_is_ours = not values.get("status")
        if self._letter_is_ours:
            values["status"] = free_letter(self.reader, type)
        else:
            check_letter(type, values["status"])

    def guarded(self, write: Any) -> Any:
        """Choose another letter if it was taken meanwhile."""
        try:
            return super().guarded(write)
        except InvalidInput as fault:
            if self._letter_is_ours and [e.field for e in fault.errors] == ["status"]:
                raise Again("another status took the letter") from fault
            raise

    def remove(self, id: Key, row: Record) -> None:
        """Delete a status that is not built in, and that no order is in."""
        check_deletable(self.db, row["type"], row["status"], row["is_default"])
        super().remove(id, row)
