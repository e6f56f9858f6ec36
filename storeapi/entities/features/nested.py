"""Parts of a feature that are kept in tables of their own."""

from collections.abc import Mapping, Sequence
from typing import Any

from storeapi import Connection, Context, Nested, Transaction
from storeapi.core.kinds import ABSENT, JsonSchema, ids_of, invalid
from storeapi.core.rows import table_of
from storeapi.models import FeatureCategory
from storeapi.rules.feature_places import placed
from storeapi.rules.feature_records import PICTURE
from storeapi.rules.feature_variant_records import load_variants
from storeapi.rules.feature_variant_sent import (
    VARIANT_KEYS,
    SentVariant,
    read_variants,
)
from storeapi.rules.feature_variants import save_variants, variant_ids

_MOST_CATEGORIES = 1000


class CategoriesPath(Nested):
    """The categories in which a feature applies, joined by commas; "" for all."""

    def parse(self, value: Any) -> list[int]:
        """Read a comma list, an array, or a single ID."""
        found = ids_of(value)
        if 0 in found:
            raise invalid("holds an ID that no category has", "unknown")
        if len(found) > _MOST_CATEGORIES:
            raise invalid(f"names more than {_MOST_CATEGORIES} categories", "too_long")
        return found

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the links of a page."""
        return {id: ",".join(map(str, each)) for id, each in placed(db, ids).items()}

    def empty(self) -> Any:
        """Return the value of a feature that applies everywhere."""
        return ""

    def save(
        self, db: Transaction, owner_id: int, value: list[int], context: Context
    ) -> bool:
        """Replace the set."""
        if placed(db, [owner_id]).get(owner_id, []) == value:
            return False
        table = table_of(FeatureCategory)
        db.delete(table, {"feature_id": owner_id})
        rows = [
            {"feature_id": owner_id, "category_id": id, "position": number}
            for number, id in enumerate(value)
        ]
        db.insert_many(table, rows)
        return True

    def record_schema(self) -> JsonSchema:
        """Describe the list."""
        return {"type": "string", "pattern": "^([0-9]+(,[0-9]+)*)?$"}


class FeatureVariants(Nested):
    """The variants of a feature by ID, or `[]`; absent for types that have none.

    Source: spec/entities/features.md, 2.2 and rules 5.2 to 5.5.
    """

    optional = True
    keys = VARIANT_KEYS

    def parse(self, value: Any) -> list[SentVariant]:
        """Read an array or an object of variants."""
        return read_variants(value)

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the variants of a page, and their pictures."""
        found = load_variants(db, ids, context)
        return {id: variants or [] for id, variants in found.items()}

    def empty(self) -> Any:
        """Leave the key out."""
        return ABSENT

    def save(
        self,
        db: Transaction,
        owner_id: int,
        value: list[SentVariant],
        context: Context,
    ) -> bool:
        """Replace the set."""
        return save_variants(db, owner_id, value, context)

    def remove(self, db: Transaction, ids: Sequence[Any], context: Context) -> None:
        """Remove the pictures; the variants go with their feature."""
        PICTURE.remove(db, variant_ids(db, ids), context)

    def record_schema(self) -> JsonSchema:
        """Describe the variants by their ID, or nothing."""
        variants = {"type": "object", "additionalProperties": {"type": "object"}}
        return {"anyOf": [variants, {"type": "array"}]}
