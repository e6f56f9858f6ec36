"""Variants of features as they stand in records.

Source: spec/entities/features.md, 2.2.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Select, and_, bindparam, select

from storeapi.core.database import Connection, Row
from storeapi.core.entity import Context
from storeapi.core.statement import batches, query
from storeapi.models import Feature, FeatureVariant, FeatureVariantText
from storeapi.rules.feature_records import PICTURE
from storeapi.rules.features import VARIANT_TYPES

Record = dict[str, Any]
_lang_code: Any = bindparam("lang_code", required=True)


def _variants() -> Select[*tuple[Any, ...]]:
    return (
        select(
            Feature.feature_id,
            Feature.feature_type,
            FeatureVariant.variant_id,
            FeatureVariantText.variant,
            FeatureVariantText.description,
            FeatureVariantText.page_title,
            FeatureVariantText.meta_keywords,
            FeatureVariantText.meta_description,
            FeatureVariantText.lang_code,
            FeatureVariant.url,
            FeatureVariant.color,
            FeatureVariant.position,
            FeatureVariant.seo_name,
        )
        .outerjoin(FeatureVariant, FeatureVariant.feature_id == Feature.feature_id)
        .outerjoin(
            FeatureVariantText,
            and_(
                FeatureVariantText.variant_id == FeatureVariant.variant_id,
                FeatureVariantText.lang_code == _lang_code,
            ),
        )
        .order_by(
            Feature.feature_id, FeatureVariant.position, FeatureVariant.variant_id
        )
    )


_OF_FEATURES = query(
    _variants().where(Feature.feature_id.in_(bindparam("ids", expanding=True)))
)
_SOME = query(
    _variants().where(FeatureVariant.variant_id.in_(bindparam("ids", expanding=True)))
)


def load_variants(
    db: Connection, feature_ids: Sequence[int], context: Context
) -> dict[int, dict[str, Record]]:
    """Load the variants of a page of features, with their pictures.

    Shapes: feature ID to variant ID to variant; features of types that have none
    are left out.
    """
    rows = db.rows(_OF_FEATURES, ids=feature_ids, lang_code=context.lang_code)
    found: dict[int, dict[str, Record]] = {
        row[0]: {} for row in rows if row[1] in VARIANT_TYPES
    }
    for feature_id, id, record in _records(db, rows, context):
        if feature_id in found:
            found[feature_id][id] = record
    return found


def chosen_variants(
    db: Connection, ids: Iterable[int], context: Context
) -> dict[str, Record]:
    """Load some variants, as they are shown where a product has chosen them."""
    found = {}
    for batch in batches(ids):
        rows = db.rows(_SOME, ids=batch, lang_code=context.lang_code)
        for _, id, record in _records(db, rows, context):
            found[id] = record | {"selected": id}
    return found


def _records(
    db: Connection, rows: Sequence[Row], context: Context
) -> Iterable[tuple[int, str, Record]]:
    pictures: dict[int, Any] = {}
    for batch in batches(row[2] for row in rows if row[2] is not None):
        pictures |= PICTURE.load(db, batch, context)
    for row in rows:
        if row[2] is not None:
            yield row[0], str(row[2]), _record(row, pictures)


def _record(row: Row, pictures: Mapping[int, Any]) -> Record:
    feature_id, feature_type, id, variant, description, title, *rest = row
    keywords, meta_description, lang_code, url, color, position, seo_name = rest
    return {
        "variant_id": str(id),
        "variant": variant,
        "description": description,
        "page_title": title,
        "meta_keywords": keywords,
        "meta_description": meta_description,
        "lang_code": lang_code,
        "feature_id": str(feature_id),
        "feature_type": feature_type,
        "url": url,
        "color": color,
        "position": str(position),
        "seo_name": seo_name,
        "seo_path": None,
        "image_pair": pictures.get(id),
    }
