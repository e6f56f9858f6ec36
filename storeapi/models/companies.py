"""Companies: stores and vendors, which share one sequence of numbers."""

from sqlalchemy import Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    UNIQUE_KEY_LENGTH,
    Flag,
    Label,
    LangCode,
    Letter,
    Line,
    Long,
    Model,
    Name,
    Prose,
    Serial,
    SortKey,
    owner,
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
    company_key: Mapped[SortKey]
    storefront: Mapped[Line]
    # Without scheme and in lower case.
    storefront_key: Mapped[str] = mapped_column(str_(UNIQUE_KEY_LENGTH))
    secure_storefront: Mapped[Line]
    lang_code: Mapped[LangCode] = mapped_column(default="")
    email: Mapped[Name]
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
    company_phone: Mapped[Label]
    company_phone_2: Mapped[Label]
    company_fax: Mapped[Label]
    company_website: Mapped[Line]
    company_start_year: Mapped[str] = mapped_column(str_(16), default="")
    company_users_department: Mapped[Name]
    company_site_administrator: Mapped[Name]
    company_orders_department: Mapped[Name]
    company_support_department: Mapped[Name]
    company_newsletter_email: Mapped[Name]

    # Vendors only; null for stores, so that it is unique among vendors.
    seo_name: Mapped[str | None] = mapped_column(str_(255))
    seo_path: Mapped[Line]
    phone: Mapped[Label]
    address: Mapped[Line]
    city: Mapped[Line]
    zipcode: Mapped[str] = mapped_column(str_(32), default="")
    country: Mapped[str] = mapped_column(str_(2), default="")
    state: Mapped[Line]
    url: Mapped[Line]
    fax: Mapped[Label]
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

    company_id: Mapped[int] = owner("companies.company_id")
    country_code: Mapped[str] = mapped_column(str_(2), primary_key=True)
