"""Companies: stores and vendors, which share one sequence of numbers."""

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    KEY_LENGTH,
    UNIQUE_KEY_LENGTH,
    Flag,
    LangCode,
    Letter,
    Line,
    Long,
    Model,
    Prose,
    Serial,
    str_,
)


class Company(Model):
    """A store (kind `S`), a vendor (`V`), or the whole installation (`O`).

    The row 0 of kind `O` comes with the schema and never goes: it owns what
    belongs to no single company, so that every `company_id` is a reference.
    """

    __tablename__ = "companies"
    __table_args__ = (
        UniqueConstraint("storefront_key"),
        UniqueConstraint("email_key"),
        UniqueConstraint("seo_name"),
        Index(None, "kind", "company_key", "company_id"),
        Index(None, "kind", "timestamp", "company_id"),
        Index(None, "kind", "status", "company_id"),
        Index(None, "kind", "email_key", "company_id"),
    )

    company_id: Mapped[Serial]
    kind: Mapped[Letter]
    status: Mapped[Letter] = mapped_column(default="A")
    company: Mapped[Line]
    company_key: Mapped[str] = mapped_column(str_(KEY_LENGTH), default="")
    storefront: Mapped[Line]
    # Without scheme and in lower case.
    storefront_key: Mapped[str] = mapped_column(str_(UNIQUE_KEY_LENGTH))
    secure_storefront: Mapped[Line]
    lang_code: Mapped[LangCode] = mapped_column(default="")
    email: Mapped[str] = mapped_column(str_(128), default="")
    # Vendors only: their addresses are unique, those of stores are not.
    email_key: Mapped[str | None] = mapped_column(str_(384))
    timestamp: Mapped[Long]
    company_description: Mapped[Prose]

    redirect_customer: Mapped[Flag] = mapped_column(default="Y")
    entry_page: Mapped[str] = mapped_column(str_(16), default="index")
    company_name: Mapped[Line]
    company_address: Mapped[Line]
    company_city: Mapped[Line]
    company_country: Mapped[str] = mapped_column(str_(2), default="")
    company_state: Mapped[Line]
    company_zipcode: Mapped[str] = mapped_column(str_(32), default="")
    company_phone: Mapped[str] = mapped_column(str_(64), default="")
    company_phone_2: Mapped[str] = mapped_column(str_(64), default="")
    company_fax: Mapped[str] = mapped_column(str_(64), default="")
    company_website: Mapped[Line]
    company_start_year: Mapped[str] = mapped_column(str_(16), default="")
    company_users_department: Mapped[str] = mapped_column(str_(128), default="")
    company_site_administrator: Mapped[str] = mapped_column(str_(128), default="")
    company_orders_department: Mapped[str] = mapped_column(str_(128), default="")
    company_support_department: Mapped[str] = mapped_column(str_(128), default="")
    company_newsletter_email: Mapped[str] = mapped_column(str_(128), default="")

    # Vendors only; null for stores, so that it is unique among vendors.
    seo_name: Mapped[str | None] = mapped_column(str_(255))
    seo_path: Mapped[Line]
    phone: Mapped[str] = mapped_column(str_(64), default="")
    address: Mapped[Line]
    city: Mapped[Line]
    zipcode: Mapped[str] = mapped_column(str_(32), default="")
    country: Mapped[str] = mapped_column(str_(2), default="")
    state: Mapped[Line]
    url: Mapped[Line]
    fax: Mapped[str] = mapped_column(str_(64), default="")
    pre_moderation: Mapped[Flag]
    pre_moderation_edit: Mapped[Flag]
    pre_moderation_edit_vendors: Mapped[Flag]
    # Comma lists; null shippings stand for all of the owner's methods.
    categories: Mapped[Prose]
    shippings: Mapped[Prose | None] = mapped_column(default=None)
    # Hundredths, of a unit or of a per cent.
    commission: Mapped[Long]
    commission_type: Mapped[Letter] = mapped_column(default="P")
    terms: Mapped[Prose]


class CompanyCountry(Model):
    """A country that a store serves."""

    __tablename__ = "company_countries"

    company_id: Mapped[int] = mapped_column(
        ForeignKey("companies.company_id", ondelete="CASCADE"), primary_key=True
    )
    country_code: Mapped[str] = mapped_column(str_(2), primary_key=True)
