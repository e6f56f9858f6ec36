"""Variation groups: similar products that differ in a few features."""

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    Long,
    Model,
    Serial,
    Whole,
    link,
    owner,
    str_,
)


class VariationGroup(Model):
    """A group; its members name it in `products.variation_group_id`."""

    __tablename__ = "variation_groups"
    __table_args__ = (UniqueConstraint("code"), Index(None, "company_id", "id"))

    id: Mapped[Serial]
    company_id: Mapped[int] = link("companies.company_id")
    code: Mapped[str] = mapped_column(str_(64))
    created_at: Mapped[Long]
    updated_at: Mapped[Long]


class VariationGroupFeature(Model):
    """A feature that a group is based on; such a feature cannot be deleted."""

    __tablename__ = "variation_group_features"
    __table_args__ = (Index(None, "feature_id", "group_id"),)

    group_id: Mapped[int] = owner("variation_groups.id")
    feature_id: Mapped[int] = mapped_column(
        ForeignKey("features.feature_id"), primary_key=True
    )
    position: Mapped[Whole]
    purpose: Mapped[str] = mapped_column(str_(32))
