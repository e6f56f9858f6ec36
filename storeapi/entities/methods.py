"""What payment and shipping methods have in common: owner, groups, taxes, secrets."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from sqlalchemy import String, bindparam, literal

from storeapi import (
    Condition,
    InvalidInput,
    Key,
    Listing,
    Params,
    Record,
    Result,
    TableEntity,
    Where,
)
from storeapi.core.changes import Operation
from storeapi.core.filters import Filter, read_ids
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.core.writing import Values
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.groups import complete_groups
from storeapi.rules.secrets import masked, unmasked, without_secrets
from storeapi.rules.taxes import check_taxes

M = TypeVar("M")


def for_group(model: type[Any]) -> Filter:
    """The filter `usergroup_ids`: methods that are for one group.

    Source: spec/entities/payments.md, section 3.
    """
    column = table_of(model).c.usergroup_ids
    listed = literal(",").concat(column).concat(",")

    def find(_entity: Any, value: Any) -> Condition:
        ids = read_ids("usergroup_ids", value)
        if len(ids) != 1:
            raise InvalidInput.of("usergroup_ids", "must be one group")
        pattern: Any = bindparam("group", required=True, type_=String())
        return Condition(
            "for a group", lambda: listed.like(pattern), {"group": f"%,{ids[0]},%"}
        )

    return Where("usergroup_ids", find)


class SellingMethod(TableEntity[M]):
    """A method of a company; those of company 0 are shown to all.

    A subclass says which field holds secrets, and which one the name.
    """

    masked: ClassVar[str]
    named: ClassVar[str]
    shared = True
    default_sort = "position"
    parents = {"stores": "company_id", "vendors": "company_id"}

    def index(self, id: Key | None, params: Params) -> Result:
        """Return a method, or a list, which holds no secrets even in full records.

        Source: spec/entities/payments.md, field processor_params.
        """
        result = super().index(id, params)
        if isinstance(result.data, Listing):
            for record in result.data.records:
                if self.masked in record:
                    record[self.masked] = ""
        return result

    def read_one(self, id: Key, params: Params) -> Record:
        """Hide the secrets from those who could not change them.

        Source: spec/entities/payments.md, rule 4; shippings.md, rule 5.3.2.
        """
        record = super().read_one(id, params)
        if record.get(self.masked) and not self._may_see_secrets(id):
            record[self.masked] = masked(record[self.masked])
        return record

    def _may_see_secrets(self, id: Key) -> bool:
        caller = self.caller
        if not caller.allows(self.privileges["update"]):
            return False
        if not caller.is_scoped:
            return True
        return bool(self.read_parent(id)["company_id"] == caller.company_id)

    def check(self, values: Values, row: Record | None) -> None:
        """Complete key and groups; judge groups and taxes; keep masked secrets."""
        stored = row or {}
        if self.named in values:
            values[f"{self.named}_key"] = folded(values[self.named])[:KEY_LENGTH]
        complete_groups(self.reader, values, row)
        if values.get("tax_ids", "") != stored.get("tax_ids"):
            check_taxes(self.reader, values.get("tax_ids", ""))
        if values.get(self.masked):
            before = stored.get(self.masked, "")
            values[self.masked] = unmasked(values[self.masked], before, self.masked)

    def record(
        self,
        operation: Operation,
        id: Key,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        *,
        row: Mapping[str, Any] | None = None,
    ) -> None:
        """Tell the core what was written, but no secret."""
        told = without_secrets(before), without_secrets(after)
        super().record(operation, id, *told, row=row)
