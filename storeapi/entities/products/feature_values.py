"""The feature values of a product, as a field of its record."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, exists

from storeapi import Condition, Connection, Context, InvalidInput, Nested, Transaction
from storeapi.core.conditions import linked
from storeapi.core.filters import read_ids
from storeapi.core.kinds import LARGEST_ID, JsonSchema, id_in, integer_of, invalid
from storeapi.models import Feature, Product, ProductFeatureValue
from storeapi.rules.feature_records import load_values
from storeapi.rules.feature_saving import save_values
from storeapi.rules.feature_sent import VALUE_KEYS
from storeapi.rules.seen_features import is_for_customers

_MOST = 1000
_MOST_GROUPS = 20


class ProductFeatures(Nested):
    """Feature values by feature ID; only those that are sent change.

    Source: spec/entities/products.md, 2.6.
    """

    keys = VALUE_KEYS

    def parse(self, value: Any) -> dict[int, Any]:
        """Read an object by feature ID, or an array of full values."""
        if value == "":
            value = []
        if isinstance(value, list):
            pairs: Iterable[tuple[Any, Any]] = [
                (item.get("feature_id") if isinstance(item, dict) else None, item)
                for item in value
            ]
        elif isinstance(value, dict):
            pairs = value.items()
        else:
            raise invalid("must be an object of feature values")
        found = {_feature_id(key): raw for key, raw in pairs}
        if len(found) > _MOST:
            raise invalid(f"names more than {_MOST} features")
        return found

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the values of a page."""
        return load_values(db, ids, context)

    def save(
        self, db: Transaction, owner_id: int, value: dict[int, Any], context: Context
    ) -> bool:
        """Set and remove the values that were sent."""
        return bool(save_values(db, owner_id, value, context))

    def record_schema(self) -> JsonSchema:
        """Describe the values, or nothing."""
        values = {"type": "object", "additionalProperties": {"type": "object"}}
        return {"anyOf": [values, {"type": "array"}]}


def _feature_id(key: Any) -> int:
    id = integer_of(key)
    if not 0 < id <= LARGEST_ID:
        raise invalid(f"names a feature that does not exist: {id}", "unknown")
    return id


def with_features(entity: Any, value: Any) -> Iterable[Condition]:
    """Products that have, for each group of `4-207-208_9-31`, one of its variants.

    The first number of a group names a filter; the variants alone decide.
    Source: spec/entities/products.md, 3.1.
    """
    groups = value.split("_") if isinstance(value, str) else []
    if not 0 < len(groups) <= _MOST_GROUPS:
        raise InvalidInput.of("features_hash", "must be groups such as 4-207_9-31")
    for number, group in enumerate(groups):
        own_filter, dash, listed = group.partition("-")
        if not dash:
            raise InvalidInput.of("features_hash", "has a group without variants")
        if id_in(own_filter.strip(" ")) is None:
            raise InvalidInput.of("features_hash", "has a group without a filter")
        ids = read_ids("features_hash", listed.split("-"))
        public = entity.caller.is_customer
        yield _has_variant(f"features_hash_{number}", ids, public=public)


def _has_variant(name: str, ids: list[int], *, public: bool) -> Condition:
    """One of these variants, for the public of a feature that records show."""

    def clause() -> ColumnElement[bool]:
        chosen = ProductFeatureValue.variant_id.in_(bindparam(name, expanding=True))
        if not public:
            return chosen
        own = Feature.feature_id == ProductFeatureValue.feature_id
        return and_(chosen, exists().where(own, is_for_customers()))

    own, link = Product.product_id, ProductFeatureValue.product_id
    return linked((name, public), own, link, clause, {name: ids})
