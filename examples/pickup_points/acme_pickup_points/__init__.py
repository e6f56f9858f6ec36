"""Pickup points: counters where a customer collects an order."""

from sqlalchemy import ForeignKey, String, bindparam, exists, select
from sqlalchemy.orm import Mapped, mapped_column

from storeapi import (
    Choice,
    Contains,
    Fields,
    Id,
    Integer,
    Key,
    Money,
    Record,
    Refused,
    Result,
    TableEntity,
    Text,
    allow,
    query,
)
from storeapi.models import Model


class PickupPoint(Model):
    """A counter of a store."""

    __tablename__ = "acme_pickup_points"

    point_id: Mapped[int] = mapped_column(primary_key=True)
    company_id: Mapped[int] = mapped_column(
        ForeignKey("companies.company_id", ondelete="CASCADE"), index=True
    )
    title: Mapped[str] = mapped_column(String(120))
    city: Mapped[str] = mapped_column(String(80), default="")
    fee: Mapped[int] = mapped_column(default=0)  # minor units
    parcels: Mapped[int] = mapped_column(default=0)
    status: Mapped[str] = mapped_column(String(1), default="A")


class PickupPointFields(Fields):
    """What is on the wire."""

    point_id = Id(dump_only=True, listed=True)
    company_id = Id(listed=True)
    title = Text(required=True, listed=True)
    city = Text(listed=True)
    fee = Money()
    parcels = Integer()
    status = Choice("A", "D", listed=True)


_WAITING = query(
    select(exists().where(
        PickupPoint.point_id == bindparam("id"), PickupPoint.parcels > 0
    ))
)  # fmt: skip


class PickupPoints(TableEntity[PickupPoint]):
    """Counters where a customer collects an order."""

    name = "pickup_points"
    model = PickupPoint
    fields = PickupPointFields
    filters = (Contains(title_like=PickupPoint.title),)
    sortings = (PickupPoint.title, PickupPoint.city)
    default_sort = "title"
    privileges = allow(view="view_shipping", manage="manage_shipping")
    privileges_customer = {"index": True}
    parents = ("stores",)
    migrations = "acme_pickup_points.migrations"

    def check(self, values: Record, row: Record | None) -> None:
        """Refuse to close a point where parcels wait."""
        merged = {"parcels": 0, **(row or {}), **values}
        if values.get("status") == "D" and merged["parcels"]:
            raise Refused("a pickup point where parcels wait cannot be closed")

    def delete(self, id: Key) -> Result:
        """Remove a point, unless parcels wait there (`Refused`)."""
        if self.db.value(_WAITING, id=id):
            raise Refused(f"parcels wait at pickup point {id}")
        return super().delete(id)
