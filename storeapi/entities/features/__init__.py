"""Features: properties by which products are described, compared and filtered."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Integer, case, literal_column

from storeapi import InvalidInput, Key, Record, TableEntity, allow
from storeapi.core.writing import Values
from storeapi.entities.features.fields import FeatureFields
from storeapi.entities.features.filters import FILTERS
from storeapi.models import Feature, FeatureText
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.feature_variants import (
    check_numbers,
    remove_variants,
    variant_ids,
)
from storeapi.rules.features import (
    GROUP,
    VARIANT_TYPES,
    check_categories,
    check_deletion,
    check_type_change,
    complete_group,
    complete_look,
    free_members,
    move_members,
    products_with,
    touch_products,
)
from storeapi.rules.folding import folded

_groups_first = case(
    (Feature.feature_type == literal_column("'G'"), literal_column("0", Integer)),
    else_=literal_column("1", Integer),
)


class Features(TableEntity[Feature]):
    """Properties of products, with the variants to choose from."""

    name = "features"
    id_key = "feature_id"
    model = Feature
    texts = FeatureText
    fields = FeatureFields
    filters = FILTERS
    sortings = {
        "position": (
            _groups_first,
            Feature.group_position,
            Feature.position,
            FeatureText.description_key,
        ),
        "description": FeatureText.description_key,
        "feature_type": Feature.feature_type,
    }
    default_sort = "position"
    flags = {"get_variants": False}
    shared = True
    privileges = allow(view="view_catalog", manage="manage_catalog")
    privileges_customer = {"index": True}
    parents = {"stores": "company_id", "vendors": "company_id"}

    @property
    def visible(self) -> Sequence[int] | None:
        """The companies whose objects the caller may refer to; `None` for all."""
        return (0, self.caller.company_id) if self.caller.is_scoped else None

    def check(self, values: Values, row: Record | None) -> None:
        """Complete names, look and group; judge type, variants and categories."""
        if "description" in values:
            values["description_key"] = folded(values["description"])[:KEY_LENGTH]
        if row is None and not values.get("internal_name"):
            values["internal_name"] = values["description"]
        feature_type = {**(row or {}), **values}["feature_type"]
        if row is not None:
            check_type_change(self.db, row, feature_type)
        complete_look(values, row)
        complete_group(self.db, values, row, self.visible)
        if values.get("categories_path"):
            check_categories(self.db, values["categories_path"], self.visible)
        self._check_variants(values, row, feature_type)

    def _check_variants(
        self, values: Values, row: Record | None, feature_type: str
    ) -> None:
        if "variants" not in values:
            return
        if feature_type not in VARIANT_TYPES:
            if values.pop("variants"):
                text = f"are not for features of type {feature_type}"
                raise InvalidInput.of("variants", text)
            return
        if row is None:
            # IDs say nothing of a new feature: a copied record makes new variants.
            values["variants"] = [
                replace(each, id=None, key_id=None) for each in values["variants"]
            ]
        if feature_type == "N":
            id = None if row is None else row["feature_id"]
            check_numbers(self.db, id, values["variants"])

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change the feature, and what hangs on its type and position."""
        changed = super().change(id, row, values, languages)
        old, new = row["feature_type"], values.get("feature_type", row["feature_type"])
        if old in VARIANT_TYPES and new not in VARIANT_TYPES:
            gone = variant_ids(self.db, [int(id)])
            remove_variants(self.db, int(id), gone, self.context)
        if old == GROUP and new != GROUP:
            free_members(self.db, int(id), self.context)
        elif (
            new == GROUP and values.get("position", row["position"]) != row["position"]
        ):
            move_members(self.db, int(id), values["position"])
        return changed

    def remove(self, id: Key, row: Record) -> None:
        """Delete the feature with its variants and its values in all products."""
        check_deletion(self.db, int(id))
        free_members(self.db, int(id), self.context)
        users = products_with(self.db, int(id))
        super().remove(id, row)
        touch_products(self.db, users, self.context, {int(id): None})
