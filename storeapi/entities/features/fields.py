"""The fields of a feature, in the order of spec/entities/features.md."""

from sqlalchemy import Integer as IntegerType
from sqlalchemy import case, literal_column

from storeapi import Choice, Code, Fields, Flag, Id, Integer, Text
from storeapi.entities.features.nested import CategoriesPath, FeatureVariants
from storeapi.models import Feature, FeatureText
from storeapi.rules.features import FEATURE_STYLES, FILTER_STYLES, PURPOSES, TYPES

_group_position = case(
    (Feature.parent_id.is_not(None), Feature.group_position),
    else_=literal_column("NULL", IntegerType),
).label("group_position")


class FeatureFields(Fields):
    """All fields of `features`; those of a product's value are added there."""

    feature_id = Id(dump_only=True, listed=True)
    feature_code = Text(internal=True)
    company_id = Id(zero=True, listed=True)
    description = Text(required=True, translated=True, listed=True)
    internal_name = Text(translated=True, internal=True)
    feature_type = Choice(*TYPES, required=True, listed=True)
    purpose = Choice("", *PURPOSES, listed=True)
    feature_style = Choice("", *FEATURE_STYLES, listed=True)
    filter_style = Choice("", *FILTER_STYLES, listed=True)
    categories_path = CategoriesPath(listed=True)
    parent_id = Id(zero=True, listed=True)
    group_position = Integer(column=_group_position, dump_only=True, listed=True)
    position = Integer(listed=True)
    status = Choice("A", "D", "H", listed=True)
    comparison = Flag(listed=True)
    display_on_catalog = Flag(listed=True)
    display_on_product = Flag(listed=True)
    display_on_header = Flag(listed=True)
    prefix = Text(translated=True, listed=True)
    suffix = Text(translated=True, listed=True)
    full_description = Text(translated=True, listed=True)
    lang_code = Code(
        column=FeatureText.lang_code, dump_only=True, listed=True, filterable=False
    )
    variants = FeatureVariants(flag=("get_variants", False))
