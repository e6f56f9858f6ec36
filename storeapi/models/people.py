"""People: users, the groups they belong to, and the keys they call with."""

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    UNIQUE_KEY_LENGTH,
    Flag,
    InLanguage,
    LangCode,
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
from storeapi.models.contacts import Contact


class User(Contact, Model):
    """An account, with its one profile: the profile's number is the user's.

    `name_key` sorts (last name first); `person_key` is searched for a part of
    "first last".
    """

    __tablename__ = "users"
    __table_args__ = (
        UniqueConstraint("email_key"),
        UniqueConstraint("login_key"),
        Index(None, "name_key", "user_id"),
        Index(None, "timestamp", "user_id"),
        Index(None, "user_type", "user_id"),
        Index(None, "status", "user_id"),
        Index(None, "company", "user_id"),
        Index(None, "phone", "user_id"),
        Index(None, "company_id", "name_key", "user_id"),
        Index(None, "company_id", "user_type", "user_id"),
        Index(None, "company_id", "status", "user_id"),
    )

    user_id: Mapped[Serial]
    company_id: Mapped[int] = link("companies.company_id")
    user_type: Mapped[Letter]
    status: Mapped[Letter] = mapped_column(default="A")
    is_root: Mapped[Flag]
    user_login: Mapped[Line]
    # Null until the number that the default login ends with is known.
    login_key: Mapped[str | None] = mapped_column(str_(UNIQUE_KEY_LENGTH))
    password_hash: Mapped[Line]
    timestamp: Mapped[Long]
    last_login: Mapped[Long]
    points: Mapped[Whole]
    lang_code: Mapped[LangCode] = mapped_column(default="")
    birthday: Mapped[Long]
    tax_exempt: Mapped[Flag]

    profile_name: Mapped[str] = mapped_column(str_(64), default="Main")
    profile_type: Mapped[Letter] = mapped_column(default="P")


class Usergroup(Model):
    """A group of users, of administrators (`A`) or of customers (`C`)."""

    __tablename__ = "usergroups"
    __table_args__ = (
        Index(None, "type", "usergroup_id"),
        Index(None, "status", "usergroup_id"),
        Index(None, "company_id"),
    )

    usergroup_id: Mapped[Serial]
    company_id: Mapped[int] = mapped_column(
        ForeignKey("companies.company_id"), default=0
    )
    type: Mapped[Letter]
    status: Mapped[Letter]


class UsergroupText(Model):
    """The name of a group in one language."""

    __tablename__ = "usergroup_texts"

    usergroup_id: Mapped[int] = owner("usergroups.usergroup_id")
    lang_code: Mapped[InLanguage]
    usergroup: Mapped[Line]
    usergroup_key: Mapped[SortKey]


class UsergroupPrivilege(Model):
    """A privilege that a group of administrators carries."""

    __tablename__ = "usergroup_privileges"

    usergroup_id: Mapped[int] = owner("usergroups.usergroup_id")
    privilege: Mapped[str] = mapped_column(str_(64), primary_key=True)


class UsergroupLink(Model):
    """The membership of a user in a group; there is none with status `F`."""

    __tablename__ = "usergroup_links"
    __table_args__ = (
        UniqueConstraint("user_id", "usergroup_id"),
        Index(None, "usergroup_id", "status", "user_id"),
    )

    link_id: Mapped[Serial]
    user_id: Mapped[int] = link("users.user_id", "CASCADE")
    usergroup_id: Mapped[int] = link("usergroups.usergroup_id", "CASCADE")
    status: Mapped[Letter]


class ApiKey(Model):
    """A key by which a user calls; only its digest is kept.

    Null `privileges` stand for all that the user has, else a comma list.
    """

    __tablename__ = "api_keys"
    __table_args__ = (UniqueConstraint("digest"), Index(None, "user_id"))

    key_id: Mapped[Serial]
    user_id: Mapped[int] = link("users.user_id", "CASCADE")
    name: Mapped[Line]
    digest: Mapped[str] = mapped_column(str_(64))
    privileges: Mapped[Prose | None] = mapped_column(default=None)
    created_at: Mapped[Long]
    expires_at: Mapped[int | None] = mapped_column(BigInteger)
    last_used_at: Mapped[int | None] = mapped_column(BigInteger)


class LoginKey(Model):
    """The key of the login link that a user got last; only its digest is kept.

    It is deleted when it is used. `caller_id` is whoever asked for it, for the log.
    """

    __tablename__ = "login_keys"
    __table_args__ = (UniqueConstraint("digest"),)

    user_id: Mapped[int] = owner("users.user_id")
    digest: Mapped[str] = mapped_column(str_(64))
    target: Mapped[Prose]
    caller_id: Mapped[Whole]
    expires_at: Mapped[Long]
