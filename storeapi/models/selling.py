"""How orders are sold: their statuses, payment methods and shipping methods."""

from sqlalchemy import Index, Integer, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    Flag,
    InLanguage,
    Letter,
    Line,
    Long,
    Model,
    Prose,
    Serial,
    SortKey,
    Whole,
    link,
    owner,
    str_,
)


class Status(Model):
    """A state that orders (type `O`) or shipments (`S`) can be in.

    Shapes: `params` is a JSON object of texts.
    """

    __tablename__ = "statuses"
    __table_args__ = (UniqueConstraint("type", "status"),)

    status_id: Mapped[Serial]
    status: Mapped[Letter]
    type: Mapped[Letter] = mapped_column(default="O")
    is_default: Mapped[Flag]
    params: Mapped[Prose] = mapped_column(default="{}")


class StatusText(Model):
    """Title and mail of a status in one language, for all stores."""

    __tablename__ = "status_texts"
    __table_args__ = (Index(None, "lang_code", "description_key", "status_id"),)

    status_id: Mapped[int] = owner("statuses.status_id")
    lang_code: Mapped[InLanguage]
    description: Mapped[Line]
    description_key: Mapped[SortKey]
    email_subj: Mapped[Line]
    email_header: Mapped[Prose]


class StatusCompanyText(Model):
    """The mail of a status in one language as a company words it.

    Shapes: null where the company has no words of its own.
    """

    __tablename__ = "status_company_texts"
    __table_args__ = (Index(None, "company_id"),)

    status_id: Mapped[int] = owner("statuses.status_id")
    company_id: Mapped[int] = owner("companies.company_id")
    lang_code: Mapped[InLanguage]
    email_subj: Mapped[str | None] = mapped_column(str_(255))
    email_header: Mapped[Prose | None] = mapped_column(default=None)


class Payment(Model):
    """A way to pay for an order. No payment is ever run.

    Units: surcharges in thousandths, of a unit of money and of a per cent.
    Shapes: `processor_params` is a JSON object that may hold secrets, or empty.
    """

    __tablename__ = "payments"
    __table_args__ = (
        Index(None, "company_id", "position", "payment_id"),
        Index(None, "position", "payment_id"),
        Index(None, "status", "payment_id"),
        Index(None, "processor_id"),
    )

    payment_id: Mapped[Serial]
    company_id: Mapped[int] = link("companies.company_id")
    status: Mapped[Letter] = mapped_column(default="A")
    position: Mapped[Whole]
    usergroup_ids: Mapped[Prose] = mapped_column(default="0")
    template: Mapped[Line] = mapped_column(
        default="views/orders/components/payments/business_check.tpl"
    )
    processor_id: Mapped[Whole]
    processor_params: Mapped[Prose]
    a_surcharge: Mapped[Long]
    p_surcharge: Mapped[Long]
    tax_ids: Mapped[Prose]
    localization: Mapped[Line]
    payment_category: Mapped[str] = mapped_column(str_(8), default="tab1")


class PaymentText(Model):
    """The texts of a payment method in one language."""

    __tablename__ = "payment_texts"
    __table_args__ = (Index(None, "lang_code", "payment_key", "payment_id"),)

    payment_id: Mapped[int] = owner("payments.payment_id")
    lang_code: Mapped[InLanguage]
    payment: Mapped[Line]
    payment_key: Mapped[SortKey]
    description: Mapped[Prose]
    instructions: Mapped[Prose]
    surcharge_title: Mapped[Line]


class Shipping(Model):
    """A way to deliver an order.

    Units: weights in hundredths; no largest one is 0.
    Shapes: `service_params` is a JSON object that may hold secrets, or empty.
    """

    __tablename__ = "shippings"
    __table_args__ = (
        Index(None, "company_id", "position", "shipping_id"),
        Index(None, "position", "shipping_id"),
        Index(None, "status", "shipping_id"),
        Index(None, "service_id"),
    )

    shipping_id: Mapped[Serial]
    company_id: Mapped[int] = link("companies.company_id")
    status: Mapped[Letter] = mapped_column(default="A")
    position: Mapped[Whole]
    usergroup_ids: Mapped[Prose] = mapped_column(default="0")
    min_weight: Mapped[Long]
    max_weight: Mapped[Long]
    rate_calculation: Mapped[Letter] = mapped_column(default="M")
    service_id: Mapped[Whole]
    service_params: Mapped[Prose]
    tax_ids: Mapped[Prose]
    localization: Mapped[Line]


class ShippingText(Model):
    """The texts of a shipping method in one language."""

    __tablename__ = "shipping_texts"
    __table_args__ = (Index(None, "lang_code", "shipping_key", "shipping_id"),)

    shipping_id: Mapped[int] = owner("shippings.shipping_id")
    lang_code: Mapped[InLanguage]
    shipping: Mapped[Line]
    shipping_key: Mapped[SortKey]
    delivery_time: Mapped[Line]


class ShippingRate(Model):
    """The charges of a shipping method at a destination.

    Shapes: `rate_value` is a JSON object of rows by measure: `C` cost, `W` weight,
    `I` items; rows are arrays of threshold, value, type, per unit.
    Units: thresholds in minor units, thousandths, pieces; values in thousandths.
    """

    __tablename__ = "shipping_rates"
    __table_args__ = (UniqueConstraint("shipping_id", "destination_id"),)

    rate_id: Mapped[Serial]
    shipping_id: Mapped[int] = link("shippings.shipping_id", "CASCADE")
    destination_id: Mapped[int] = mapped_column(Integer)
    rate_value: Mapped[Prose]
