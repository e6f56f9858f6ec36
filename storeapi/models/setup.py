"""What the server itself keeps: languages, settings, answered requests, counts."""

from sqlalchemy import Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    InLanguage,
    Label,
    Letter,
    Line,
    Long,
    Model,
    Name,
    Number,
    Prose,
    Serial,
    Whole,
    owner,
    str_,
)


class Language(Model):
    """An installed language: every text of every object exists in it."""

    __tablename__ = "languages"
    __table_args__ = (UniqueConstraint("lang_code"),)

    lang_id: Mapped[Serial]
    lang_code: Mapped[str] = mapped_column(str_(5))
    name: Mapped[Line]
    status: Mapped[Letter] = mapped_column(default="A")
    country_code: Mapped[str] = mapped_column(str_(2), default="")
    direction: Mapped[str] = mapped_column(str_(3), default="ltr")


class IdempotencyKey(Model):
    """A request that a caller marked as the same, and its answer once known."""

    __tablename__ = "idempotency_keys"
    __table_args__ = (UniqueConstraint("caller", "key"), Index(None, "created_at"))

    idempotency_id: Mapped[Serial]
    caller: Mapped[str] = mapped_column(str_(64))
    key: Mapped[str] = mapped_column(str_(255))
    fingerprint: Mapped[Label]
    state: Mapped[str] = mapped_column(str_(16), default="")
    status: Mapped[Whole]
    headers: Mapped[Prose]
    body: Mapped[Prose]
    lease_until: Mapped[Long]
    owner: Mapped[Label]
    created_at: Mapped[Long]


class ObjectCount(Model):
    """A part of the number of objects: the sum over the slots is the number.

    Writers of different slots do not wait for each other.
    """

    __tablename__ = "object_counts"

    entity: Mapped[str] = mapped_column(str_(64), primary_key=True)
    company_id: Mapped[Number]
    status: Mapped[str] = mapped_column(str_(1), primary_key=True)
    slot: Mapped[Number]
    n: Mapped[Long]


class SettingName(Model):
    """The number of a section (kind `S`), tab (`T`) or setting (`O`), given once.

    Shapes: a section has the empty name.
    """

    __tablename__ = "setting_names"
    __table_args__ = (UniqueConstraint("kind", "section", "name"),)

    number: Mapped[Serial]
    kind: Mapped[Letter]
    section: Mapped[str] = mapped_column(str_(64))
    name: Mapped[Name]


class SettingValue(Model):
    """A value that differs from the default: the shop's (company 0), or a company's.

    It names its setting, not the number, so that one that nobody declares any more
    keeps its value.
    """

    __tablename__ = "setting_values"

    company_id: Mapped[int] = owner("companies.company_id")
    section: Mapped[str] = mapped_column(str_(64), primary_key=True)
    name: Mapped[str] = mapped_column(str_(128), primary_key=True)
    value: Mapped[Prose]


class Langvar(Model):
    """A language variable: a text of the storefront that has a name."""

    __tablename__ = "langvars"
    __table_args__ = (UniqueConstraint("name"),)

    langvar_id: Mapped[Serial]
    name: Mapped[str] = mapped_column(str_(128))


class LangvarText(Model):
    """The value of a language variable in one language; it may be missing in some."""

    __tablename__ = "langvar_texts"

    langvar_id: Mapped[int] = owner("langvars.langvar_id")
    lang_code: Mapped[InLanguage]
    value: Mapped[Prose]
    value_key: Mapped[Prose]
