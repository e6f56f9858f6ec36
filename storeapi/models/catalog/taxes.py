"""Taxes: which rate applies where. They belong to no company."""

from sqlalchemy import ForeignKey, Index, Integer
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    KEY_LENGTH,
    Flag,
    LangCode,
    Letter,
    Line,
    Long,
    Model,
    Serial,
    Whole,
    str_,
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

    tax_id: Mapped[int] = mapped_column(
        ForeignKey("taxes.tax_id", ondelete="CASCADE"), primary_key=True
    )
    lang_code: Mapped[LangCode] = mapped_column(primary_key=True)
    tax: Mapped[Line]
    tax_key: Mapped[str] = mapped_column(str_(KEY_LENGTH), default="")


class TaxRate(Model):
    """The rate of a tax at a destination.

    Units: thousandths, of a per cent (`P`) or of a unit of money (`F`).
    """

    __tablename__ = "tax_rates"
    __table_args__ = (Index(None, "destination_id", "tax_id"),)

    tax_id: Mapped[int] = mapped_column(
        ForeignKey("taxes.tax_id", ondelete="CASCADE"), primary_key=True
    )
    destination_id: Mapped[int] = mapped_column(
        Integer, primary_key=True, autoincrement=False
    )
    rate_value: Mapped[Long]
    rate_type: Mapped[Letter] = mapped_column(default="P")
