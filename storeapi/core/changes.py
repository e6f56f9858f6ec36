"""What a write changed: the one place that every write passes.

Each create, update and delete is recorded here inside its own transaction, so
that whatever stands on writes (counts, later an audit log, a feed, an outbox)
needs no line in any entity.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Operation(StrEnum):
    """What happened to a record."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


class Change(NamedTuple):
    """One write.

    Shapes: `before` and `after` map column or field names to stored values; an
    update holds only what changed, a create has no `before`, a delete no `after`.
    `company_id` is `None` for entities without a company; `caller_id` is the
    user's ID, or `None` for commands. `table` is where the object is kept: two
    entities may share one. `status` is the status before the write.
    """

    entity: str
    operation: Operation
    id: int | str
    company_id: int | None = None
    caller_id: int | None = None
    before: Mapping[str, Any] = _NOTHING
    after: Mapping[str, Any] = _NOTHING
    table: str = ""
    status: str = "A"

    @classmethod
    def deletion(
        cls,
        entity: str,
        id: int | str,
        *,
        row: Mapping[str, Any],
        table: str,
        caller_id: int | None,
    ) -> "Change":
        """The change that a row is gone, by what it held."""
        return cls(
            entity,
            Operation.DELETE,
            id,
            row.get("company_id"),
            caller_id,
            before=row,
            table=table,
            status=row.get("status", "A"),
        )
