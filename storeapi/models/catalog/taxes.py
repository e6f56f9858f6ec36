"""Taxes: which rate applies where. They belong to no company."""

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    Flag,
    InLanguage,
    Letter,
    Line,
    Long,
    Model,
    Number,
    Serial,
    SortKey,
    Whole,
    owner,
)


class Tax(Model):
    """A tax rule; lower `priority` is computed first."""

    __tablename__ = "taxes"
    __table_args__ = (
        Index(None, "priority", "tax_id"),
        Index(None, "status", "tax_id"),
        Index(None, "regnumber", "tax_id"),
    )

    tax_id: Mapped[Serial]
    address_type: Mapped[Letter] = mapped_column(default="S")
    status: Mapped[Letter] = mapped_column(default="A")
    price_includes_tax: Mapped[Flag]
    display_including_tax: Mapped[Flag]
    display_info: Mapped[Line]
    regnumber: Mapped[Line]
    priority: Mapped[Whole]


class TaxText(Model):
    """The name of a tax in one language."""

    __tablename__ = "tax_texts"
    __table_args__ = (Index(None, "lang_code", "tax_key", "tax_id"),)

    tax_id: Mapped[int] = owner("taxes.tax_id")
    lang_code: Mapped[InLanguage]
    tax: Mapped[Line]
    tax_key: Mapped[SortKey]


class TaxRate(Model):
    """The rate of a tax at a destination.

    Units: thousandths, of a per cent (`P`) or of a unit of money (`F`).
    """

    __tablename__ = "tax_rates"
    __table_args__ = (Index(None, "destination_id", "tax_id"),)

    tax_id: Mapped[int] = owner("taxes.tax_id")
    destination_id: Mapped[Number]
    rate_value: Mapped[Long]
    rate_type: Mapped[Letter] = mapped_column(default="P")
