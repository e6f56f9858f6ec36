"""What others have of a company that goes: its features, and its global options.

Such ties are made by whoever acts for the whole installation, and by copies of
stores. Of two companies that are tied either can go, and the other one stays sound.
Source: spec/entities/stores.md, rule 8; spec/entities/features.md, rules 5.6 and 5.7;
spec/entities/options.md, rule 6.
"""

from typing import Any

from sqlalchemy import bindparam, exists, select
from sqlalchemy.orm import aliased

from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import Refused
from storeapi.core.statement import batches, query
from storeapi.models import (
    Feature,
    Option,
    Product,
    ProductFeatureValue,
    ProductOption,
    VariationGroup,
    VariationGroupFeature,
)
from storeapi.rules.features import GROUP, free_members
from storeapi.rules.options import drop_combinations, drop_exceptions
from storeapi.rules.touching import sharing

_company_id: Any = bindparam("company_id", required=True)
_member = aliased(Feature)

_FOREIGN_GROUP = query(
    select(VariationGroupFeature.feature_id, VariationGroup.id)
    .join(VariationGroup, VariationGroup.id == VariationGroupFeature.group_id)
    .join(Feature, Feature.feature_id == VariationGroupFeature.feature_id)
    .where(Feature.company_id == _company_id, VariationGroup.company_id != _company_id)
    .order_by(VariationGroup.id, VariationGroupFeature.feature_id)
    .limit(1)
)
_TIED = query(
    select(Product.product_id)
    .join(ProductFeatureValue, ProductFeatureValue.product_id == Product.product_id)
    .join(Feature, Feature.feature_id == ProductFeatureValue.feature_id)
    .where(Feature.company_id == _company_id, Product.company_id != _company_id)
    .union(
        select(Product.product_id)
        .join(ProductOption, ProductOption.product_id == Product.product_id)
        .join(Option, Option.option_id == ProductOption.option_id)
        .where(Option.company_id == _company_id, Product.company_id != _company_id)
    )
)
_GLOBAL_OPTIONS = query(
    select(Option.option_id)
    .where(Option.company_id == _company_id, Option.product_id.is_(None))
    .order_by(Option.option_id)
)
_LENT_GROUPS = query(
    select(Feature.feature_id)
    .where(
        Feature.company_id == _company_id,
        Feature.feature_type == GROUP,
        exists().where(
            _member.parent_id == Feature.feature_id, _member.company_id != _company_id
        ),
    )
    .order_by(Feature.feature_id)
)


def judge_features(db: Connection, company_id: int) -> None:
    """Keep a company while a variation group of another one is built on its features.

    Raises: `Refused`.
    """
    row = db.row(_FOREIGN_GROUP, company_id=company_id)
    if row is not None:
        text = f"feature {row[0]} of company {company_id} defines variation group"
        raise Refused(f"{text} {row[1]} of another company")


def tied_products(db: Connection, company_id: int) -> set[int]:
    """The products that show something of a company's features and global options."""
    return sharing(db, [row[0] for row in db.rows(_TIED, company_id=company_id)])


def untie(db: Transaction, company_id: int, context: Context) -> None:
    """Free the others, while features and options of the company are still there.

    Its own products are gone already. Values and links go with what they name, but
    choices are texts, and members of a feature group keep a copy of its position.
    """
    options = [row[0] for row in db.rows(_GLOBAL_OPTIONS, company_id=company_id)]
    for ids in batches(options):
        for drop in (drop_combinations, drop_exceptions):
            drop(db, "option", ids, context)
    for (group_id,) in db.rows(_LENT_GROUPS, company_id=company_id):
        free_members(db, group_id, context)
