"""The special filters and orders of carts (spec/entities/carts.md, section 3)."""

from typing import Any

from sqlalchemy import bindparam, exists, or_, select

from storeapi import AtLeast, AtMost, Condition, InvalidInput, Period, Where
from storeapi.core.conditions import linked
from storeapi.core.filters import Filter, contains, read_ids, single
from storeapi.core.folding import folded
from storeapi.core.reading import read_flag
from storeapi.entities.carts.fields import of_owner
from storeapi.models import Cart, CartLine, User
from storeapi.rules.cart_removal import GUEST, IN_CART, WISHED
from storeapi.rules.carts import REGISTERED

_own = User.user_id == Cart.customer_id


def _switched(name: str, text: str, build: Any) -> Where:
    """A condition that is on, or off as when it was not sent; `text` is for docs."""

    def make(entity: Any, value: Any) -> Condition | None:
        flag = read_flag(single(name, value))
        if flag is None:
            raise InvalidInput.of(name, "must be Y or N")
        return Condition(("switched", name), build) if flag else None

    make.__doc__ = text
    return Where(name, make)


def _named(entity: Any, value: Any) -> Condition | None:
    """A part of the first or last name, of the account or of what a guest said."""
    text = single("cname", value)
    if not text.strip():
        return None
    guest = contains(Cart.person_key, text, "cname", folded=True, texts=False)
    known = contains(User.person_key, text, "cname", folded=True, texts=False)
    return Condition(
        "named",
        lambda: or_(
            guest.build(), exists(select(User.user_id).where(_own, known.build()))
        ),
        guest.values,
        prepare=False,
    )


def _with_email(entity: Any, value: Any) -> Condition:
    """The whole address, in any letter case."""
    bound: Any = bindparam("email_is", required=True)
    return Condition(
        "with email",
        lambda: or_(
            Cart.email_key == bound,
            exists(select(User.user_id).where(_own, User.email_key == bound)),
        ),
        {bound.key: folded(single("email", value).strip())},
    )


def _of_type(entity: Any, value: Any) -> Condition:
    """R: registered owners, G: guests."""
    letter = single("users_type", value).upper()
    if letter not in (REGISTERED, GUEST):
        raise InvalidInput.of("users_type", "must be R or G")
    bound: Any = bindparam("users_type", required=True)
    return Condition("users type", lambda: Cart.user_type == bound, {bound.key: letter})


def _with_products(entity: Any, value: Any) -> Condition:
    """Carts with any of these products."""
    return linked(
        "with products",
        Cart.cart_id,
        CartLine.cart_id,
        lambda: CartLine.product_id.in_(bindparam("p_ids", expanding=True)),
        {"p_ids": read_ids("p_ids", value)},
    )


def _with_lines(type: str) -> Any:
    return lambda: exists().where(
        CartLine.cart_id == Cart.cart_id, CartLine.type == type
    )


FILTERS: tuple[Filter, ...] = (
    Where("cname", _named),
    Where("email", _with_email),
    _switched(
        "with_info_only",
        "Y: an owner who is registered, or has given contact data",
        lambda: or_(Cart.user_type == REGISTERED, Cart.contact != ""),
    ),
    Where("users_type", _of_type, "user_type"),
    AtLeast(total_from=Cart.total),
    AtMost(total_to=Cart.total),
    _switched("product_type_c", "Y: something in the cart", _with_lines(IN_CART)),
    _switched("product_type_w", "Y: something on the wish list", _with_lines(WISHED)),
    Period(Cart.timestamp),
    Where("p_ids", _with_products),
)

_customer = of_owner(User.name_key, Cart.name_key)
SORTINGS: dict[str, Any] = {
    "date": (Cart.timestamp, Cart.user_id),
    "customer": (_customer, Cart.user_id),
    "name": (_customer, Cart.user_id),
    "total": (Cart.total, Cart.user_id),
    "user_id": (Cart.user_id,),
}
