"""Carts: what people have put into the baskets of companies, and not bought yet."""

from sqlalchemy import BigInteger, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from storeapi.models.base import (
    UNIQUE_KEY_LENGTH,
    Label,
    Letter,
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


class Cart(Model):
    """The basket of one owner at one company; it has a line at least.

    `user_id` is a user's number (`user_type` R), or one that was generated for a
    guest (G), which no user can have. Of users the `contact` and the names are
    those of their account; `customer_id` names it. Units: `total` in minor units.
    """

    __tablename__ = "carts"
    __table_args__ = (
        UniqueConstraint("company_id", "user_id"),
        Index(None, "user_id"),
        Index(None, "customer_id"),
        Index(None, "timestamp", "user_id", "cart_id"),
        Index(None, "company_id", "timestamp", "user_id", "cart_id"),
        Index(None, "user_type", "updated_timestamp"),
    )

    cart_id: Mapped[Serial]
    company_id: Mapped[int] = link("companies.company_id")
    user_id: Mapped[int] = mapped_column(BigInteger)
    customer_id: Mapped[int | None] = link("users.user_id", "CASCADE")
    user_type: Mapped[Letter]
    # Of the oldest line that is still there.
    timestamp: Mapped[Long]
    updated_timestamp: Mapped[Long]
    ip_address: Mapped[Label]
    cart_products: Mapped[Whole]
    total: Mapped[Long]
    firstname: Mapped[str | None] = mapped_column(str_(128))
    lastname: Mapped[str | None] = mapped_column(str_(128))
    email_key: Mapped[str] = mapped_column(str_(384), default="")
    name_key: Mapped[SortKey]
    person_key: Mapped[str] = mapped_column(str_(UNIQUE_KEY_LENGTH), default="")
    contact: Mapped[Prose]


class CartLine(Model):
    """A product in a cart (`type` C) or on a wish list (W).

    `options` maps the options that were chosen to variants or texts, as JSON.
    Units: money in minor units, for one piece.
    """

    __tablename__ = "cart_lines"
    __table_args__ = (Index(None, "product_id", "cart_id"),)

    cart_id: Mapped[int] = owner("carts.cart_id")
    type: Mapped[Letter] = mapped_column(primary_key=True, default="C")
    item_id: Mapped[int] = mapped_column(
        BigInteger, primary_key=True, autoincrement=False
    )
    product_id: Mapped[int] = link("products.product_id", "CASCADE")
    amount: Mapped[Whole]
    price: Mapped[Long]
    base_price: Mapped[Long]
    timestamp: Mapped[Long]
    options: Mapped[Prose]
