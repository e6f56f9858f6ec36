"""Feature values as they stand in records, loaded once for a page of products.

Source: spec/entities/products.md, 2.6.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Select, and_, bindparam, func, select

from storeapi.core.database import Connection, Row
from storeapi.core.entity import Context
from storeapi.core.statement import batches, query
from storeapi.models import (
    Feature,
    FeatureText,
    FeatureVariant,
    FeatureVariantText,
    ProductFeatureText,
    ProductFeatureValue,
)
from storeapi.rules.feature_sent import number_text
from storeapi.rules.features import VARIANT_TYPES
from storeapi.rules.image_kinds import ImagePair
from storeapi.rules.seen_features import SHOWN, is_seen

PICTURE = ImagePair(object_type="feature_variant", none=None)
"""The picture of a variant."""

Record = dict[str, Any]

NO_VALUE: Record = {
    "value": "",
    "value_int": None,
    "variant_id": None,
    "variant": "",
    "variants": [],
}
"""What a record shows of a feature that a product has no value of."""

_lang_code: Any = bindparam("lang_code", required=True)


def _of_products() -> Select[*tuple[Any, ...]]:
    return (
        select(
            ProductFeatureValue.product_id,
            ProductFeatureValue.feature_id,
            ProductFeatureValue.variant_id,
            ProductFeatureValue.value,
            ProductFeatureValue.value_int,
            ProductFeatureText.value,
            FeatureVariantText.variant,
            FeatureVariant.value_int,
            FeatureVariant.position,
        )
        .outerjoin(
            ProductFeatureText,
            and_(
                ProductFeatureText.product_id == ProductFeatureValue.product_id,
                ProductFeatureText.feature_id == ProductFeatureValue.feature_id,
                ProductFeatureText.lang_code == _lang_code,
            ),
        )
        .outerjoin(
            FeatureVariant,
            FeatureVariant.variant_id == ProductFeatureValue.variant_id,
        )
        .outerjoin(
            FeatureVariantText,
            and_(
                FeatureVariantText.variant_id == ProductFeatureValue.variant_id,
                FeatureVariantText.lang_code == _lang_code,
            ),
        )
        .where(
            ProductFeatureValue.product_id.in_(bindparam("ids", expanding=True)),
        )
    )


_VALUES = query(_of_products())
_VALUES_FOR = query(
    _of_products()
    .join(Feature, Feature.feature_id == ProductFeatureValue.feature_id)
    .where(Feature.purpose.in_(bindparam("purposes", expanding=True)))
)
_DEFINITIONS = query(
    select(
        Feature.feature_id,
        SHOWN,
        Feature.feature_type,
        FeatureText.internal_name,
        FeatureText.description,
        FeatureText.prefix,
        FeatureText.suffix,
        func.coalesce(Feature.parent_id, 0),
        Feature.display_on_header,
        Feature.display_on_catalog,
        Feature.display_on_product,
        Feature.feature_code,
        Feature.purpose,
    )
    .join(
        FeatureText,
        and_(
            FeatureText.feature_id == Feature.feature_id,
            FeatureText.lang_code == _lang_code,
        ),
    )
    .where(Feature.feature_id.in_(bindparam("ids", expanding=True)))
    .order_by(Feature.group_position, Feature.position, Feature.feature_id)
)


Values = dict[int, dict[str, Record]]


def load_values(
    db: Connection,
    product_ids: Sequence[int],
    context: Context,
    *,
    purposes: Sequence[str] = (),
) -> dict[int, dict[str, Record]]:
    """Load the feature values of a page of products by three statements.

    Shapes: product ID to feature ID to value, features in the order of their list;
    `purposes` keeps only features that are used so. Customers see the values
    of features that they see, without what is for the staff. Products that show none
    are left out.
    """
    whole = context.memo.get("feature values")
    if purposes and whole is not None:
        return _used_for(purposes, whole)
    if purposes:
        rows = db.rows(
            _VALUES_FOR,
            ids=product_ids,
            lang_code=context.lang_code,
            purposes=purposes,
        )
    else:
        rows = db.rows(_VALUES, ids=product_ids, lang_code=context.lang_code)
    if not rows:
        return {} if purposes else _kept(context, {})
    templates = _templates(db, (row[1] for row in rows), context)
    pictures = _pictures(db, rows, context)
    found: dict[int, dict[int, list[Row]]] = {}
    for row in rows:
        found.setdefault(row[0], {}).setdefault(row[1], []).append(row)
    builder = _Builder(pictures)
    named = [(id, str(id), template) for id, template in templates.items()]
    built = {
        product_id: {
            name: builder.record(template, by_feature[id])
            for id, name, template in named
            if id in by_feature
        }
        for product_id, by_feature in found.items()
    }
    values = {product_id: each for product_id, each in built.items() if each}
    return values if purposes else _kept(context, values)


def _kept(context: Context, values: Values) -> Values:
    """Keep all values of a page for those who want a part of them."""
    context.memo["feature values"] = values
    return values


def _used_for(purposes: Sequence[str], values: Values) -> Values:
    found = {
        product_id: {
            id: record for id, record in each.items() if record["purpose"] in purposes
        }
        for product_id, each in values.items()
    }
    return {product_id: each for product_id, each in found.items() if each}


def _templates(db: Connection, ids: Any, context: Context) -> dict[int, Record]:
    """What the values of one feature have in common, by feature."""
    public = context.caller.is_customer
    found = {}
    for batch in batches(ids):
        rows = db.rows(_DEFINITIONS, ids=batch, lang_code=context.lang_code)
        for row in rows:
            if is_seen(row[1], context.caller):
                found[row[0]] = _template(row, public=public)
    return found


def _template(row: Row, *, public: bool) -> Record:
    id, _, feature_type, internal_name, description, prefix, suffix, *rest = row
    parent_id, on_header, on_catalog, on_product, feature_code, purpose = rest
    record = {
        "feature_id": str(id),
        "feature_type": feature_type,
        "internal_name": internal_name,
        "description": description,
        "prefix": prefix,
        "suffix": suffix,
        "value": "",
        "value_int": None,
        "variant_id": None,
        "variant": "",
        "parent_id": str(parent_id),
        "display_on_header": on_header,
        "display_on_catalog": on_catalog,
        "display_on_product": on_product,
        "feature_code": feature_code,
        "purpose": purpose,
        "features_hash": "",
        "variants": [],
    }
    if public:
        del record["internal_name"], record["feature_code"]
    return record


def _pictures(
    db: Connection, rows: Sequence[Row], context: Context
) -> Mapping[int, Any]:
    ids = (row[2] for row in rows if row[2] is not None)
    found: dict[int, Any] = {}
    for batch in batches(ids):
        found |= PICTURE.load(db, batch, context)
    return found


class _Builder:
    """Builds each value of a page once, whatever number of products has it."""

    def __init__(self, pictures: Mapping[int, Any]) -> None:
        self._pictures = pictures
        self._built: dict[tuple[Any, ...], Record] = {}

    def record(self, template: Record, rows: list[Row]) -> Record:
        """The record of one feature of one product; equal ones are the same object."""
        if len(rows) == 1:
            key = (template["feature_id"], rows[0][2:])
        else:
            key = (template["feature_id"], *[row[2:] for row in rows])
        found = self._built.get(key)
        if found is None:
            found = self._built[key] = _record(template, rows, self._pictures)
        return found


def _record(template: Record, rows: list[Row], pictures: Mapping[int, Any]) -> Record:
    if template["feature_type"] in VARIANT_TYPES:
        return template | _chosen(template, rows, pictures)
    _, _, _, flag, number, text, *_ = rows[0]
    if number is not None:
        return template | {"value_int": number_text(number)}
    return template | {"value": text or flag}


def _chosen(template: Record, rows: list[Row], pictures: Mapping[int, Any]) -> Record:
    kind, several = template["feature_type"], len(rows) > 1
    if several:
        rows = sorted(rows, key=lambda row: (row[8], row[2]))
    variants = {}
    for _, _, id, _, _, _, name, number, _ in rows:
        shown = kind == "N" and number is not None
        variants[str(id)] = {
            "value": "",
            "value_int": number_text(number) if shown else None,
            "variant_id": str(id),
            "variant": name,
            "image_pairs": pictures.get(id, []),
        }
    found: Record = {
        "features_hash": "-".join([template["feature_id"], *variants]),
        "variants": variants,
    }
    if kind != "M":
        first = next(iter(variants.values()))
        for name in ("value_int", "variant_id", "variant"):
            found[name] = first[name]
    return found
