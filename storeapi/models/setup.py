"""What the server itself keeps: languages, answered requests, counts."""

from sqlalchemy import Index, Integer, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    Letter,
    Line,
    Long,
    Model,
    Prose,
    Serial,
    Whole,
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
    fingerprint: Mapped[str] = mapped_column(str_(64), default="")
    state: Mapped[str] = mapped_column(str_(16), default="")
    status: Mapped[Whole]
    headers: Mapped[Prose]
    body: Mapped[Prose]
    lease_until: Mapped[Long]
    owner: Mapped[str] = mapped_column(str_(64), default="")
    created_at: Mapped[Long]


class ObjectCount(Model):
    """A part of the number of objects: the sum over the slots is the number.

    Writers of different slots do not wait for each other.
    """

    __tablename__ = "object_counts"

    entity: Mapped[str] = mapped_column(str_(64), primary_key=True)
    company_id: Mapped[int] = mapped_column(
        Integer, primary_key=True, autoincrement=False
    )
    status: Mapped[str] = mapped_column(str_(1), primary_key=True)
    slot: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    n: Mapped[Long]
