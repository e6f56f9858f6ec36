"""Carts: how they are written.

Whoever writes a cart holds its row, so that two who add the same product at once
end with the sum. A cart without lines does not exist.
Source: spec/entities/carts.md, section 5.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson
from sqlalchemy import bindparam, select, update

from storeapi.core.changes import Operation
from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import InvalidInput
from storeapi.core.failures import Again, Violation
from storeapi.core.kinds import LARGEST_ID
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Cart, CartLine, Company
from storeapi.rules.availability import check_stock
from storeapi.rules.cart_contents import CartItem, Wish, settled, touched
from storeapi.rules.cart_removal import GUEST, IN_CART, Row, cart_change, delete_carts
from storeapi.rules.companies import STORE
from storeapi.rules.groups import buyer_groups
from storeapi.rules.money import currency_of
from storeapi.rules.order_lines import Sale, check_sums, price_lines

REGISTERED = "R"
FIRST_GUEST = 2**31
LARGEST_OWNER = 2**32 - 1
_REPRICED = ("amount", "price", "base_price")
_CARTS = table_of(Cart)
_LINES = table_of(CartLine)

_cart_id: Any = bindparam("cart_id", required=True)
_TAKEN = query(
    select(Cart.cart_id).where(Cart.user_id == bindparam("user_id", required=True))
)
_KIND = query(
    select(Company.kind).where(
        Company.company_id == bindparam("company_id", required=True),
        Company.kind != "O",
    )
)
_ITEMS = query(
    select(
        CartLine.item_id,
        CartLine.product_id,
        CartLine.amount,
        CartLine.price,
        CartLine.base_price,
        CartLine.timestamp,
        CartLine.options,
    )
    .where(CartLine.cart_id == _cart_id, CartLine.type == IN_CART)
    .order_by(CartLine.timestamp, CartLine.item_id)
)
_CHANGE = query(
    update(CartLine)
    .where(
        CartLine.cart_id == _cart_id,
        CartLine.type == IN_CART,
        CartLine.item_id == bindparam("id", required=True),
    )
    .values({name: bindparam(f"new_{name}", required=True) for name in _REPRICED})
)


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose cart at which company; a guest has a number that no user can have."""

    company_id: int
    user_id: int

    @property
    def is_guest(self) -> bool:
        """Whether no account stands behind it."""
        return self.user_id >= FIRST_GUEST

    @property
    def customer_id(self) -> int | None:
        """The account."""
        return None if self.is_guest else self.user_id


def free_guest_id(db: Connection) -> int:
    """A number for a guest: above every user's, and no other guest's."""
    while True:
        number = FIRST_GUEST + secrets.randbelow(LARGEST_OWNER - FIRST_GUEST + 1)
        if db.row(_TAKEN, user_id=number) is None:
            return number


def company_kind(db: Connection, company_id: int) -> str | None:
    """Whether a company is a store or a vendor; `None` if there is none."""
    kind: str | None = db.value(_KIND, company_id=company_id)
    return kind


def items_of(db: Connection, cart_id: int) -> list[CartItem]:
    """The lines of a cart, the oldest first."""
    return [
        CartItem(*[*row[:6], orjson.loads(row[6])])
        for row in db.rows(_ITEMS, cart_id=cart_id)
    ]


# Writing


@dataclass(frozen=True, slots=True)
class Basket:
    """A cart that is being written. Shapes: `row` is held; `None` for a new cart."""

    db: Transaction
    context: Context
    owner: Owner
    row: Row | None

    def put(self, wish: Wish, contact: Mapping[str, Any]) -> list[int]:
        """Do what a request wants; returns the keys of the lines that it touched.

        Shapes: `contact` holds columns of the cart.
        Raises: `InvalidInput`, `Conflict` for too little stock, `Again`.
        """
        before = [] if self.row is None else items_of(self.db, self.row["cart_id"])
        after = before
        if wish != Wish():
            after = self._filled(before, wish)
        if self.row is None and after:
            self._create(after, contact)
        elif self.row is not None and after:
            self._change(self.row, before, after, contact)
        elif self.row is not None:
            delete_carts(self.db, [self.row], self.context.caller.user_id)
        return touched(before, after, wish)

    def _filled(self, before: Sequence[CartItem], wish: Wish) -> list[CartItem]:
        """Judge and price all lines anew; only what is asked for can be refused.

        Source: spec/entities/carts.md, rules 5.4 and 5.5.
        """
        sent = wish.lines(before)
        lines = price_lines(self.db, sent, self._sale()) if sent else []
        asked = {line.product_id for line in sent if line.judged}
        check_stock(line for line in lines if line.product_id in asked)
        found = settled(before, lines, wish, self.context.now)
        if sum(item.amount for item in found) > LARGEST_ID:
            text = f"come to more than {LARGEST_ID} pieces together"
            raise InvalidInput.of("products", text, "out_of_range")
        return found

    def _sale(self) -> Sale:
        """Who sells: a store with all vendors, unless the caller sees none of them.

        Source: spec/protocol.md, section 12 (what a body names must be visible).
        """
        owner, caller = self.owner, self.context.caller
        kind = company_kind(self.db, owner.company_id)
        return Sale(
            frozenset({owner.company_id}),
            buyer_groups(self.db, owner.customer_id or 0),
            self.context.lang_code,
            administrator=not caller.is_customer,
            vendors=kind == STORE and not caller.is_scoped,
            currency=currency_of(self.context.settings.currency),
        )

    def _create(self, items: Sequence[CartItem], contact: Mapping[str, Any]) -> None:
        owner = self.owner
        values = {
            "company_id": owner.company_id,
            "user_id": owner.user_id,
            "customer_id": owner.customer_id,
            "user_type": GUEST if owner.is_guest else REGISTERED,
            "ip_address": self.context.remote_address,
            "updated_timestamp": self.context.now,
            **_sums(items),
            **contact,
        }
        try:
            cart_id = self.db.insert(_CARTS, values)
        except Violation as error:
            if error.reference:
                raise
            raise Again("another request made the cart") from error
        self.db.insert_many(_LINES, [_line(cart_id, item) for item in items])
        after = {**values, "products": _told(items)}
        self.db.record(cart_change(Operation.CREATE, values, self._caller, {}, after))

    def _change(
        self,
        row: Row,
        before: Sequence[CartItem],
        after: Sequence[CartItem],
        contact: Mapping[str, Any],
    ) -> None:
        """Write the lines that differ, and what the cart says of them."""
        values = {**_sums(after), **contact}
        changed = {k: v for k, v in values.items() if row[k] != v}
        if not changed and [*before] == sorted(after, key=_place):
            return
        self._write_lines(row["cart_id"], before, after)
        changed["updated_timestamp"] = self.context.now
        self.db.update(_CARTS, {"cart_id": row["cart_id"]}, changed)
        old = {**{name: row[name] for name in changed}, "products": _told(before)}
        new = {**changed, "products": _told(after)}
        self.db.record(cart_change(Operation.UPDATE, row, self._caller, old, new))

    def _write_lines(
        self, cart_id: int, before: Sequence[CartItem], after: Sequence[CartItem]
    ) -> None:
        old = {item.item_id: item for item in before}
        kept = {
            item.item_id
            for item in after
            if item.item_id in old and _is_same_line(old[item.item_id], item)
        }
        gone = [id for id in old if id not in kept]
        if gone:
            where = {"cart_id": cart_id, "type": IN_CART, "item_id": gone}
            self.db.delete(_LINES, where)
        self.db.run_many(
            _CHANGE,
            [
                {"cart_id": cart_id, "id": i.item_id}
                | {f"new_{name}": getattr(i, name) for name in _REPRICED}
                for i in after
                if i.item_id in kept and i != old[i.item_id]
            ],
        )
        new = [_line(cart_id, i) for i in after if i.item_id not in kept]
        self.db.insert_many(_LINES, new)

    @property
    def _caller(self) -> int | None:
        return self.context.caller.user_id


def _place(item: CartItem) -> tuple[int, int]:
    return item.timestamp, item.item_id


def _is_same_line(old: CartItem, new: CartItem) -> bool:
    """Whether only amount and prices differ."""
    return (old.choice, old.timestamp) == (new.choice, new.timestamp)


def _sums(items: Sequence[CartItem]) -> dict[str, int]:
    """What a cart says of its lines.

    Raises: `InvalidInput` for a total that is too large to be kept.
    """
    total = sum(item.amount * item.price for item in items)
    check_sums({"total": total})
    return {
        "cart_products": sum(item.amount for item in items),
        "total": total,
        "timestamp": min(item.timestamp for item in items),
    }


def _line(cart_id: int, item: CartItem) -> dict[str, Any]:
    options = orjson.dumps(item.options).decode()
    return {"cart_id": cart_id, "type": IN_CART, **asdict(item), "options": options}


def _told(items: Iterable[CartItem]) -> list[dict[str, Any]]:
    return [asdict(item) for item in items]
