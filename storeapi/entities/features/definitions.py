"""Features as definitions, with the values of one product where it is the context."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Integer, case, literal_column

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
    allow,
)
from storeapi.core.conditions import NOTHING
from storeapi.core.filters import read_value, sent
from storeapi.core.folding import folded
from storeapi.core.kinds import Id
from storeapi.core.reading import read_sparse
from storeapi.core.writing import Values, without_null
from storeapi.entities.features.fields import FeatureFields
from storeapi.entities.features.filters import FILTERS, of_product
from storeapi.models import Feature, FeatureText
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.companies import with_shown_company
from storeapi.rules.feature_places import check_categories, complete_group
from storeapi.rules.feature_records import NO_VALUE, load_values
from storeapi.rules.feature_values import ProductRow, visible_product
from storeapi.rules.feature_variant_records import chosen_variants
from storeapi.rules.feature_variants import (
    check_numbers,
    remove_variants,
    variant_ids,
)
from storeapi.rules.features import (
    GROUP,
    SHOWN,
    VARIANT_TYPES,
    check_deletion,
    check_type_change,
    complete_look,
    free_members,
    hold_users,
    move_members,
    products_with,
    touch_products,
    touch_users,
)

_groups_first = case(
    (Feature.feature_type == literal_column("'G'"), literal_column("0", Integer)),
    else_=literal_column("1", Integer),
)
VALUE_FIELDS = ("value", "value_int", "variant_id", "variant", "variants")
"""Fields of a feature where a product is the context."""

_PRODUCT_ID = Id()


def _applying(entity: "Definitions", value: Any) -> Iterable[Condition]:
    """Features that apply to a product; their records show its values."""
    id = read_value("product_id", _PRODUCT_ID.read_filter, value)
    product = visible_product(entity.reader, id, entity.caller)
    if product is None:
        return [NOTHING]
    entity.product = product
    owners = {0, product.company_id}
    return [of_product(entity.reader, product.product_id, owners)]


class Definitions(TableEntity[Feature]):
    """Properties of products, with the variants to choose from."""

    name = "features"
    id_key = "feature_id"
    model = Feature
    texts = FeatureText
    fields = FeatureFields
    filters = (*FILTERS, Where("product_id", _applying))
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

    product: ProductRow | None = None
    """The product that is the context, if there is one."""

    def scope(self) -> Iterable[Condition]:
        """Customers see the features of active companies."""
        yield from super().scope()
        if self.caller.is_customer:
            yield with_shown_company(Feature.company_id)

    def index(self, id: Key | None, params: Params) -> Result:
        """Return a feature or a page; in a product's context with its values."""
        asked_for = id is None and sent(params, "product_id") is not None
        if self.product is None and not asked_for:
            return super().index(id, params)
        asked = {**params, "detailed_params": "Y", "get_variants": "N"}
        sparse = read_sparse(params, self.declaration, VALUE_FIELDS)
        if sparse is not None:
            asked["fields"] = sorted({self.id_key, *sparse}.difference(VALUE_FIELDS))
        result = super().index(id, asked)
        if self.product is not None and result.data is not None:
            data = result.data
            records = data.records if isinstance(data, Listing) else [data]
            self._add_values(self.product.product_id, records, sparse)
        return result

    def _add_values(
        self, product_id: int, records: Sequence[Record], sparse: Collection[str] | None
    ) -> None:
        """Complete records by the values of the product; all, or `sparse` ones.

        Source: spec/entities/features.md, 2.1 (the fields marked P) and 4.
        """
        values = load_values(self.reader, [product_id], self.context)
        of_features = values.get(product_id, {})
        chosen = chosen_variants(
            self.reader,
            (int(id) for value in of_features.values() for id in value["variants"]),
            self.context,
        )
        for record in records:
            value = of_features.get(record["feature_id"], NO_VALUE)
            found = {name: value[name] for name in VALUE_FIELDS}
            found["variants"] = {id: chosen[id] for id in value["variants"]} or []
            if sparse is not None:
                found = {n: v for n, v in found.items() if n in sparse}
            elif record["feature_type"] not in VARIANT_TYPES:
                del found["variants"]
            record.update(found)

    _quiet = False

    def update(self, id: Key, params: Params) -> Result:
        """Change a feature; quietly, if products show nothing of what is sent."""
        self._quiet = SHOWN.isdisjoint(params)
        return super().update(id, params)

    def locked_row(self, id: Key) -> Record:
        """Hold a feature, after the products that show something of it."""
        if not self._quiet:
            hold_users(self.db, int(id))
        return super().locked_row(id)

    def load(self, params: Params, *, partial: bool) -> Values:
        """Read a payload; null says nothing of the variants."""
        return super().load(without_null(params, "variants"), partial=partial)

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
        complete_group(self.db, values, row)
        check_categories(self.db, values, row)
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
            values["variants"] = [
                replace(each, numbered=True) for each in values["variants"]
            ]

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change the feature, and what hangs on its type and position."""
        changed = super().change(id, row, values, languages)
        old, new = row["feature_type"], values.get("feature_type", row["feature_type"])
        if old in VARIANT_TYPES and new not in VARIANT_TYPES:
            gone = variant_ids(self.db, [int(id)])
            remove_variants(self.db, int(id), gone, self.context)
        if old == GROUP:
            self._lead_members(row, {**row, **values})
        moved = [name for name in values if row.get(name) != values[name]]
        if changed and not SHOWN.isdisjoint(moved):
            touch_users(self.db, [int(id)], self.context)
        return changed

    def _lead_members(self, row: Record, new: Record) -> None:
        """Let the members of a group follow it, or leave it."""
        id = int(row["feature_id"])
        if new["feature_type"] != GROUP:
            free_members(self.db, id, self.context)
            return
        if new["company_id"] != row["company_id"]:
            free_members(self.db, id, self.context, new["company_id"])
        if new["position"] != row["position"]:
            move_members(self.db, id, new["position"])

    def remove(self, id: Key, row: Record) -> None:
        """Delete the feature with its variants and its values in all products."""
        check_deletion(self.db, int(id))
        free_members(self.db, int(id), self.context)
        users = products_with(self.db, int(id))
        super().remove(id, row)
        touch_products(self.db, users, self.context, {int(id): None})
