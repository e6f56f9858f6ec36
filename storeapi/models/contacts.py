"""Who somebody is, and where bills and parcels go: of users, and as orders copy it."""

from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    UNIQUE_KEY_LENGTH,
    Label,
    Line,
    Name,
    SortKey,
    str_,
)


class Contact:
    """The columns of a person with two addresses, at the end of the table.

    `name_key` sorts (last name first); `person_key` is searched for a part of
    "first last".
    """

    email: Mapped[Name]
    email_key: Mapped[str] = mapped_column(str_(384), default="")
    firstname: Mapped[Name]
    lastname: Mapped[Name]
    name_key: Mapped[SortKey]
    person_key: Mapped[str] = mapped_column(str_(UNIQUE_KEY_LENGTH), default="")
    company: Mapped[Line]
    phone: Mapped[Label]
    fax: Mapped[Label]
    url: Mapped[Line]
    b_firstname: Mapped[Name]
    b_lastname: Mapped[Name]
    b_address: Mapped[Line]
    b_address_2: Mapped[Line]
    b_city: Mapped[Name]
    b_county: Mapped[Name]
    b_state: Mapped[Name]
    b_country: Mapped[str] = mapped_column(str_(2), default="")
    b_zipcode: Mapped[str] = mapped_column(str_(32), default="")
    b_phone: Mapped[Label]
    s_firstname: Mapped[Name]
    s_lastname: Mapped[Name]
    s_address: Mapped[Line]
    s_address_2: Mapped[Line]
    s_city: Mapped[Name]
    s_county: Mapped[Name]
    s_state: Mapped[Name]
    s_country: Mapped[str] = mapped_column(str_(2), default="")
    s_zipcode: Mapped[str] = mapped_column(str_(32), default="")
    s_phone: Mapped[Label]
    s_address_type: Mapped[str] = mapped_column(str_(32), default="")
