"""What people of a demo store have put into their baskets, and not bought yet."""

import random
from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.database import Transaction
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.demo.chance import chance_of
from storeapi.demo.choices import EVERY
from storeapi.demo.goods import Goods
from storeapi.demo.words import FIRST_NAMES, LAST_NAMES
from storeapi.models import Cart, CartLine, User
from storeapi.rules.cart_removal import GUEST, IN_CART
from storeapi.rules.carts import FIRST_GUEST, REGISTERED
from storeapi.rules.contacts import contact_columns
from storeapi.rules.lines import item_id

_CUSTOMERS = 12
_GUESTS = 4
_MOST_LINES = 3
_DAY_S = 24 * 3600
_BUYERS = query(
    select(User.user_id, User.company_id)
    .where(User.user_type == "C")
    .order_by(User.user_id)
    .limit(bindparam("limit", required=True))
)

Row = dict[str, Any]


def fill_carts(db: Transaction, goods: Sequence[Goods], now: int, seed: int) -> None:
    """Write carts of some customers, and of some guests."""
    chance = chance_of(f"{seed} carts")
    plain = [each for place, each in enumerate(goods) if place % EVERY]
    for user_id, company_id in db.rows(_BUYERS, limit=_CUSTOMERS):
        owner = {"user_id": user_id, "customer_id": user_id, "user_type": REGISTERED}
        _fill(db, {**owner, "company_id": company_id}, plain, (now, chance))
    for number in range(_GUESTS):
        seller = plain[0].product["company_id"] if plain else 0
        guest = FIRST_GUEST + chance.randrange(10**9)
        owner = {"user_id": guest, "customer_id": None, "user_type": GUEST}
        owner |= {"company_id": seller, **_contact(chance, known=number % 2 == 0)}
        _fill(db, owner, plain, (now, chance))


def _contact(chance: random.Random, *, known: bool) -> Row:
    """What a guest has said; half of them nothing."""
    if not known:
        return {}
    first, last = chance.choice(FIRST_NAMES), chance.choice(LAST_NAMES)
    email = f"{folded(first)}@example.net"
    return contact_columns("", {"email": email, "firstname": first, "lastname": last})


def _fill(
    db: Transaction,
    owner: Row,
    goods: Sequence[Goods],
    drawn: tuple[int, random.Random],
) -> None:
    now, chance = drawn
    offered = [
        each.product
        for each in goods
        if each.product["company_id"] == owner["company_id"]
        and each.product["status"] == "A"
        and each.product["amount"] > 1
    ]
    if not offered:
        return
    chosen = chance.sample(offered, min(len(offered), chance.randint(1, _MOST_LINES)))
    since = now - chance.randrange(20 * _DAY_S)
    lines = [
        _line(product, chance.randint(1, 2), since + 60 * place)
        for place, product in enumerate(chosen)
    ]
    cart = {
        **owner,
        "timestamp": since,
        "updated_timestamp": since + 60 * len(lines),
        "ip_address": f"192.0.2.{chance.randint(1, 254)}",
        "cart_products": sum(line["amount"] for line in lines),
        "total": sum(line["amount"] * line["price"] for line in lines),
    }
    cart_id = db.insert(table_of(Cart), cart)
    rows = [{**line, "cart_id": cart_id} for line in lines]
    db.insert_many(table_of(CartLine), rows)


def _line(product: Row, amount: int, since: int) -> Row:
    return {
        "type": IN_CART,
        "item_id": item_id(product["product_id"], ()),
        "product_id": product["product_id"],
        "amount": amount,
        "price": product["price"],
        "base_price": product["price"],
        "timestamp": since,
        "options": "{}",
    }
