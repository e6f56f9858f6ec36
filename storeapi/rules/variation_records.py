"""What a product's record tells of its variation group, loaded once for a page.

Source: spec/entities/product_variations.md, section 2.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import and_, bindparam, select

from storeapi.core.access import Caller
from storeapi.core.database import Connection
from storeapi.core.entity import Context
from storeapi.core.statement import batches, query
from storeapi.models import (
    Feature,
    FeatureText,
    FeatureVariant,
    FeatureVariantText,
    Product,
    ProductFeatureValue,
    ProductText,
    VariationGroupFeature,
)
from storeapi.rules.catalog_items import SEPARATE
from storeapi.rules.seen_features import SHOWN, is_seen
from storeapi.rules.seen_products import unseen

_ids: Any = bindparam("ids", expanding=True)
_lang_code: Any = bindparam("lang_code", required=True)
_in_group = VariationGroupFeature.group_id == Product.variation_group_id
_definition = Feature.feature_id == VariationGroupFeature.feature_id
_of_feature = (VariationGroupFeature.position, VariationGroupFeature.feature_id)
_own_value = and_(
    ProductFeatureValue.product_id == Product.product_id,
    ProductFeatureValue.feature_id == VariationGroupFeature.feature_id,
)
_FEATURES = query(
    select(
        Product.product_id,
        VariationGroupFeature.feature_id,
        VariationGroupFeature.purpose,
        SHOWN,
    )
    .join(VariationGroupFeature, _in_group)
    .join(Feature, _definition)
    .where(Product.product_id.in_(_ids))
    .order_by(Product.product_id, *_of_feature)
)
_NAMES = query(
    select(
        Product.product_id,
        ProductText.product,
        VariationGroupFeature.purpose,
        SHOWN,
        FeatureText.description,
        FeatureVariantText.variant,
    )
    .join(
        ProductText,
        and_(
            ProductText.product_id == Product.product_id,
            ProductText.lang_code == _lang_code,
        ),
    )
    .outerjoin(VariationGroupFeature, _in_group)
    .outerjoin(Feature, _definition)
    .outerjoin(ProductFeatureValue, _own_value)
    .outerjoin(
        FeatureText,
        and_(
            FeatureText.feature_id == VariationGroupFeature.feature_id,
            FeatureText.lang_code == _lang_code,
        ),
    )
    .outerjoin(
        FeatureVariantText,
        and_(
            FeatureVariantText.variant_id == ProductFeatureValue.variant_id,
            FeatureVariantText.lang_code == _lang_code,
        ),
    )
    .where(Product.product_id.in_(_ids))
    .order_by(Product.product_id, *_of_feature)
)
_MEMBERS = query(
    select(
        Product.variation_group_id,
        Product.product_id,
        VariationGroupFeature.feature_id,
        VariationGroupFeature.purpose,
        SHOWN,
        ProductFeatureValue.variant_id,
    )
    .join(VariationGroupFeature, _in_group)
    .join(Feature, _definition)
    .join(ProductFeatureValue, _own_value)
    .where(
        Product.variation_group_id.in_(
            select(Product.variation_group_id)
            .where(Product.product_id.in_(_ids))
            .correlate(None)
        )
    )
    .order_by(Product.variation_group_id, Product.product_id, *_of_feature)
)
_DESCRIPTIONS = query(
    select(FeatureText.feature_id, FeatureText.description).where(
        FeatureText.feature_id.in_(_ids), FeatureText.lang_code == _lang_code
    )
)
_VARIANTS = query(
    select(FeatureVariantText.variant_id, FeatureVariantText.variant)
    .join(FeatureVariant, FeatureVariant.variant_id == FeatureVariantText.variant_id)
    .where(
        FeatureVariantText.variant_id.in_(_ids),
        FeatureVariantText.lang_code == _lang_code,
    )
    .order_by(FeatureVariant.position, FeatureVariant.variant_id)
)


def group_features(
    db: Connection, product_ids: Sequence[int], caller: Caller
) -> dict[int, list[tuple[int, str]]]:
    """The features, with purposes, on which the groups of products are based.

    Customers are told of those that they see.
    """
    found: dict[int, list[tuple[int, str]]] = {}
    for product_id, feature_id, purpose, shown in db.rows(_FEATURES, ids=product_ids):
        if is_seen(shown, caller):
            found.setdefault(product_id, []).append((feature_id, purpose))
    return found


def variation_names(
    db: Connection, product_ids: Sequence[int], context: Context
) -> dict[int, str]:
    """Names with the values in which variations differ.

    Those that make a catalog item follow the name, `T-shirt, Color: Blue`; those
    that give a choice inside of it stand in brackets, `(Medium)`. Customers are told
    the values of features that they see.
    """
    names: dict[int, str] = {}
    items: dict[int, list[str]] = {}
    choices: dict[int, list[str]] = {}
    for product_id, name, purpose, shown, feature, variant in db.rows(
        _NAMES, ids=product_ids, lang_code=context.lang_code
    ):
        names[product_id] = name
        if purpose is None or not is_seen(shown, context.caller):
            continue
        if purpose == SEPARATE:
            items.setdefault(product_id, []).append(f"{feature}: {variant}")
        else:
            choices.setdefault(product_id, []).append(variant)
    return {
        id: ", ".join([name, *items.get(id, ())])
        + (f" ({', '.join(choices[id])})" if id in choices else "")
        for id, name in names.items()
    }


@dataclass(slots=True)
class _Family:
    """The members of one group, and the purposes of its features that are shown.

    Shapes: product ID to feature ID to variant ID, of all its features.
    """

    purposes: dict[int, str] = field(default_factory=dict)
    values: dict[int, dict[int, int]] = field(default_factory=dict)

    def product_with(self, product_id: int, feature_id: int, variant_id: int) -> int:
        """The member to show when a variant is chosen at another member.

        It differs in nothing else, or is the first that has the variant.
        """
        wanted = {**self.values[product_id], feature_id: variant_id}
        having = [
            id for id, v in self.values.items() if v.get(feature_id) == variant_id
        ]
        exact = [id for id in having if self.values[id] == wanted]
        return (exact or having)[0]


def features_variants(
    db: Connection, product_ids: Sequence[int], context: Context
) -> dict[int, dict[str, Any]]:
    """What a selector shows: each feature, its variants, and the product of each.

    Customers choose among what they see, by features that they see.
    """
    families = _families(db, product_ids, context.caller)
    if context.caller.is_customer:
        members = [id for family in families for id in family.values]
        hidden = unseen(db, context.caller, members)
        for family in families:
            family.values = {k: v for k, v in family.values.items() if k not in hidden}
    family_of = {id: family for family in families for id in family.values}
    every = [value for family in families for value in family.values.values()]
    features = {feature for family in families for feature in family.purposes}
    descriptions = _texts(db, _DESCRIPTIONS, features, context.lang_code)
    used = {variant for value in every for variant in value.values()}
    variants = _texts(db, _VARIANTS, used, context.lang_code)
    return {
        id: _selector(id, family_of[id], descriptions, variants)
        for id in product_ids
        if id in family_of and family_of[id].purposes
    }


def _families(
    db: Connection, product_ids: Sequence[int], caller: Caller
) -> list[_Family]:
    families: dict[int, _Family] = {}
    for group_id, product_id, feature_id, purpose, shown, variant_id in db.rows(
        _MEMBERS, ids=product_ids
    ):
        family = families.setdefault(group_id, _Family())
        if is_seen(shown, caller):
            family.purposes[feature_id] = purpose
        family.values.setdefault(product_id, {})[feature_id] = variant_id
    return list(families.values())


def _texts(
    db: Connection, statement: Any, ids: Iterable[int], lang_code: str
) -> dict[int, str]:
    return {
        row[0]: row[1]
        for batch in batches(ids)
        for row in db.rows(statement, ids=batch, lang_code=lang_code)
    }


def _selector(
    product_id: int,
    family: _Family,
    descriptions: Mapping[int, str],
    variants: Mapping[int, str],
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for feature_id, purpose in family.purposes.items():
        used = {value.get(feature_id) for value in family.values.values()}
        found[str(feature_id)] = {
            "feature_id": str(feature_id),
            "description": descriptions[feature_id],
            "purpose": purpose,
            "variant_id": str(family.values[product_id][feature_id]),
            "variants": {
                str(id): {
                    "variant_id": str(id),
                    "variant": name,
                    "product_id": str(family.product_with(product_id, feature_id, id)),
                }
                for id, name in variants.items()
                if id in used
            },
        }
    return found
