"""What can be done to a product of a variation group, as paths below the product.

They take a POST only, and may come without properties.
Source: spec/entities/product_variations.md, section 1 and rule 5.1.
"""

from dataclasses import replace
from typing import Any

from marshmallow import ValidationError

from storeapi import (
    Entity,
    InvalidInput,
    NotFound,
    Params,
    Record,
    Result,
    TableEntity,
)
from storeapi.core.entity import STATUS_CREATED
from storeapi.core.failures import Again, Violation
from storeapi.core.kinds import LARGEST_ID, integer_of
from storeapi.rules.generating import Combination, generate
from storeapi.rules.sharing import Work
from storeapi.rules.variation_groups import hold_products
from storeapi.rules.variations import leave, set_default

_MOST = 100


class _Action(Entity):
    """One thing done to the product above in the path."""

    id_key = "product_id"
    privileges = {"create": "manage_catalog"}
    parents = ("product_variations", "products")
    accepts_empty = True

    @property
    def work(self) -> Work:
        """The write, as the rules of variations want it."""
        return Work(self.db, self.context)

    def held_product(self, *, grouped: bool) -> int:
        """The product of the path, held, and in a group if it has to be.

        Raises: `NotFound`; `Forbidden` for one that the caller may only read.
        """
        parent = self.context.parent
        registry = self.context.registry
        if parent is None or registry is None:
            raise NotFound(f"{self.name} is an action of a product")
        products = registry.get(parent.name)
        assert products is not None, "the path went through it"
        assert issubclass(products, TableEntity), "products are in a table"
        above = products(replace(self.context, parent=parent.above), self.db)
        above.guard(above.locked_row(parent.id))
        id = int(parent.id)
        if grouped and hold_products(self.db, [id])[id].group_id is None:
            raise NotFound(f"product {id} is in no variation group")
        return id


class DetachProductVariation(_Action):
    """Take a product out of its group."""

    name = "detach_product_variation"

    def create(self, params: Params) -> Result:
        """Make it an ordinary product again."""
        id = self.held_product(grouped=True)
        leave(self.work, id)
        return Result(STATUS_CREATED, {self.id_key: id})


class SetDefaultProductVariation(_Action):
    """Make a product the default of its catalog item."""

    name = "set_default_product_variation"

    def create(self, params: Params) -> Result:
        """Let the others of the catalog item follow it."""
        id = self.held_product(grouped=True)
        set_default(self.work, id)
        return Result(STATUS_CREATED, {self.id_key: id})


class GenerateProductVariations(_Action):
    """Create variations of a product for combinations of feature variants."""

    name = "generate_product_variations"

    def create(self, params: Params) -> Result:
        """Create those that the group lacks.

        Source: spec/entities/product_variations.md, rule 5.8.
        """
        id = self.held_product(grouped=False)
        combinations = read_combinations(params.get("combinations"))
        try:
            group_id, statuses = generate(self.work, id, combinations)
        except Violation as error:
            raise Again("another product took a slug or a combination") from error
        return Result(
            STATUS_CREATED,
            {
                "group": self._group(group_id),
                "products_status": {str(i): int(s) for i, s in statuses.items()},
            },
        )

    def _group(self, id: int) -> Record:
        registry = self.context.registry
        groups = registry.get("product_variations_groups") if registry else None
        if groups is None:
            return {"id": id}
        context = replace(self.context, parent=None)
        record = groups(context, self.db).index(id, {}).data
        assert isinstance(record, dict)
        return record


def read_combinations(value: Any) -> list[Combination]:
    """Read an array of objects of variant IDs by feature ID.

    Raises: `InvalidInput`.
    """
    rows = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(rows, list) or not rows:
        raise InvalidInput.of("combinations", "is required", "required")
    if len(rows) > _MOST:
        raise InvalidInput.of("combinations", f"holds more than {_MOST}", "too_long")
    try:
        return [_combination(row) for row in rows]
    except ValidationError as error:
        text = "must be an array of objects of variant IDs by feature ID"
        raise InvalidInput.of("combinations", text) from error


def _combination(row: Any) -> Combination:
    if not isinstance(row, dict) or not row:
        raise ValidationError("is no object")
    found = {integer_of(key): integer_of(value) for key, value in row.items()}
    if any(not 0 < id <= LARGEST_ID for pair in found.items() for id in pair):
        raise ValidationError("holds an ID that cannot be")
    return found
