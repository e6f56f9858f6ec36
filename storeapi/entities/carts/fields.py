"""The fields of a cart, in the order of spec/entities/carts.md."""

from typing import Any

from sqlalchemy import case, select

from storeapi import Constant, Fields, Id, Integer, Money, Text, Timestamp
from storeapi.entities.carts.nested import CartProducts, OwnerData
from storeapi.models import Cart, User
from storeapi.rules.carts import LARGEST_OWNER, REGISTERED
from storeapi.rules.money import LARGEST_SUM
from storeapi.rules.sent_lines import MOST_PIECES


def of_owner(account: Any, guest: Any) -> Any:
    """What the account of the owner says, or what a guest has said."""
    known = select(account).where(User.user_id == Cart.customer_id).scalar_subquery()
    return case((Cart.user_type == REGISTERED, known), else_=guest)


class CartFields(Fields):
    """Whose cart, how much is in it; the lines in the single record."""

    user_id = Integer(minimum=1, maximum=LARGEST_OWNER, create_only=True, listed=True)
    firstname = Text(
        column=of_owner(User.firstname, Cart.firstname), dump_only=True, listed=True
    )
    lastname = Text(
        column=of_owner(User.lastname, Cart.lastname), dump_only=True, listed=True
    )
    date = Timestamp(column=Cart.timestamp, dump_only=True, listed=True)
    ip_address = Text(dump_only=True, listed=True)
    company_id = Id(create_only=True, listed=True)
    cart_products = Integer(dump_only=True, listed=True)
    total = Money(maximum=LARGEST_SUM // 100, dump_only=True, listed=True)
    order_id = Constant(None, listed=True)
    user_data = OwnerData(dump_only=True, listed=True)
    products = CartProducts(dump_only=True)
    product_id = Id(load_only=True)
    item_id = Integer(maximum=LARGEST_OWNER, load_only=True)
    amount = Integer(maximum=MOST_PIECES, load_only=True)
