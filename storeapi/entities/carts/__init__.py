"""Carts: what people have put into their baskets, addressed by their owner."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from sqlalchemy import and_, bindparam, select
from sqlalchemy.orm import aliased

from storeapi import (
    Condition,
    Id,
    InvalidInput,
    Key,
    NotFound,
    Params,
    Record,
    Result,
    allow,
    equals,
    query,
)
from storeapi.core.declared import DeclaredEntity
from storeapi.core.entity import STATUS_CREATED, STATUS_NO_CONTENT, STATUS_OK
from storeapi.core.filters import read_value, scalar
from storeapi.core.kinds import LARGEST_ID
from storeapi.core.listing import values_of
from storeapi.core.table import named
from storeapi.entities.carts.fields import CartFields
from storeapi.entities.carts.filters import FILTERS, SORTINGS
from storeapi.entities.carts.sent import Sent, number_of
from storeapi.models import Cart, User
from storeapi.rules.cart_removal import delete_carts
from storeapi.rules.carts import (
    FIRST_GUEST,
    LARGEST_OWNER,
    Basket,
    Owner,
    company_kind,
    free_guest_id,
)
from storeapi.rules.companies import company_above
from storeapi.rules.contacts import contact_columns, read_contact
from storeapi.rules.customer_records import KEYS as CUSTOMER_KEYS
from storeapi.rules.customers import is_known

_COMPANY_ID = Id()
_newest = aliased(Cart)
_owner_id: Any = bindparam("owner_id", required=True)
_USER = query(
    select(User.user_id).where(User.user_id == bindparam("id", required=True))
)


class Carts(DeclaredEntity):
    """What people have put into their baskets; the ID is that of the owner."""

    name = "carts"
    id_key = "user_id"
    map_key = "user_id"
    model = Cart
    fields = CartFields
    filters = FILTERS
    sortings = SORTINGS
    default_sort = "date"
    default_descending = True
    agreeing = True
    privileges = allow(view=("view_users", "view_orders"), manage="manage_users")
    parents = {"users": "user_id", "stores": "company_id", "vendors": "company_id"}
    accepts = frozenset({"product_options"})
    accepted_keys = {"user_data": CUSTOMER_KEYS}

    def index(self, id: Key | None, params: Params) -> Result:
        """Return a cart, or a list, which is of the caller's company if there is one.

        Source: spec/entities/carts.md, section 3, parameter company_id.
        """
        if id is None and self.caller.is_scoped:
            params = {"company_id": str(self.caller.company_id), **params}
        return super().index(id, params)

    def scope(self) -> Iterable[Condition]:
        """The carts of the caller's company, and of the companies of the path."""
        yield from super().scope()
        above = company_above(self.context.parent)
        if above is not None:
            yield equals(Cart.company_id, above, role="above")

    def is_valid_identifier(self, id: str) -> bool:
        """The number of a user, or one that was generated for a guest."""
        digits = id.isascii() and id.isdigit() and len(id) <= 10
        return digits and 0 < int(id) <= LARGEST_OWNER

    def identity(self, id: Key) -> Condition:
        """The owner's cart at the company that is meant, or the newest one.

        Source: spec/entities/carts.md, section 7.4.
        """
        return _cart_of(int(id), self._company_meant())

    def _company_meant(self) -> int | None:
        """The company of the path, of the query, or of the caller."""
        above = company_above(self.context.parent)
        if above is not None:
            return above
        asked = scalar(self.context.query, "company_id")
        if asked is not None:
            found = read_value("company_id", _COMPANY_ID.read_filter, asked)
            return cast(int, found)
        return self.caller.company_id or None

    def known_params(self, *, listing: bool) -> frozenset[str]:
        """`company_id` says which of an owner's carts is meant."""
        return super().known_params(listing=listing) | {"company_id"}

    # Writing

    def create(self, params: Params) -> Result:
        """Put products into the cart of a user, or into the new one of a guest."""
        self.context.pass_over(self.unknown_names(params))
        sent = Sent.read(params, adds=True)
        company_id = self._company_of(params)
        owner_id = self._owner_of(params)
        row = None
        if owner_id is None:
            owner_id = free_guest_id(self.db)
        else:
            row = self._held(_cart_of(owner_id, company_id))
            if row is None and owner_id >= FIRST_GUEST:
                text = f"{owner_id} is neither a user nor a guest with a cart"
                raise InvalidInput.of("user_id", text, "unknown")
        self._write(Owner(company_id, owner_id), row, sent)
        return Result(STATUS_CREATED, {self.id_key: owner_id})

    def update(self, id: Key, params: Params) -> Result:
        """Add a product, change a line, or replace the contents.

        Source: spec/entities/carts.md, section 2.4 and rules 5.2 and 5.3.
        """
        owner, row = self._changed(int(id), params)
        self.context.pass_over(self.unknown_names(params))
        sent = Sent.read(params, adds=False)
        touched = self._write(owner, row, sent)
        data: Record = {self.id_key: id}
        if len(touched) == 1:
            data["item_id"] = str(touched[0])
        return Result(STATUS_OK, data)

    def _changed(self, owner_id: int, params: Params) -> tuple[Owner, Record | None]:
        """Whose cart a PUT is for, and its row if there is one, held.

        Raises: `NotFound`, also where the company that is sent is none.
        """
        company_id = self._company_meant()
        if company_id is None and params.get("company_id") not in (None, ""):
            try:
                company_id = self._company_of(params)
            except InvalidInput:
                if self._held(_cart_of(owner_id, None)) or self._may_begin(owner_id):
                    raise
                raise self.missing(owner_id) from None
        row = self._held(_cart_of(owner_id, company_id))
        if row is not None:
            return Owner(row["company_id"], owner_id), row
        if self._may_begin(owner_id):
            return Owner(self._company_of(params), owner_id), None
        raise self.missing(owner_id)

    def delete(self, id: Key) -> Result:
        """Remove all lines of an owner at one company."""
        row = self._held(self.identity(id))
        if row is None:
            raise self.missing(id)
        delete_carts(self.db, [row], self.caller.user_id)
        return Result(STATUS_NO_CONTENT)

    def lock(self, id: Key) -> None:
        """Hold a cart against other writers until this one commits."""
        if self._held(self.identity(id)) is None:
            raise self.missing(id)

    def _write(self, owner: Owner, row: Record | None, sent: Sent) -> list[int]:
        contact: Mapping[str, Any] = {}
        if owner.is_guest:
            known = "" if row is None else row["contact"]
            contact = contact_columns(known, read_contact(sent.contact))
        return Basket(self.db, self.context, owner, row).put(sent.wish, contact)

    def _held(self, condition: Condition) -> Record | None:
        """The row of a cart that this caller may see, held until the commit."""
        conditions = [condition, *self.scope()]
        statement = self.declaration.source.locked(conditions)
        row = self.db.row(statement, **values_of(conditions))
        return None if row is None else named(self.declaration.table, row)

    def _company_of(self, params: Params) -> int:
        """The company of a new cart: of the path or caller, sent, or the default.

        Source: spec/entities/orders.md, section 1.
        """
        decided = company_above(self.context.parent) or self.caller.company_id
        if decided:
            return decided
        sent = params.get("company_id")
        if sent is None or sent == "":
            sent = self._company_meant() or self.context.installation.default_company
        company_id = number_of("company_id", sent, 0, LARGEST_ID)
        if company_kind(self.db, company_id) is None:
            text = f"{company_id} does not exist"
            raise InvalidInput.of("company_id", text, "unknown")
        return company_id

    def _owner_of(self, params: Params) -> int | None:
        """The owner whom the path or the payload names; `None` for a new guest.

        Raises: `InvalidInput` for a user who does not exist for the caller.
        """
        parent = self.context.parent
        if parent is not None and parent.name == "users":
            return int(parent.id)
        sent = params.get("user_id")
        if sent is None or sent == "":
            return None
        owner_id = number_of("user_id", sent, 0, LARGEST_OWNER)
        if 0 < owner_id < FIRST_GUEST and not self._is_user(owner_id):
            raise InvalidInput.of("user_id", f"{owner_id} does not exist", "unknown")
        return owner_id or None

    def _may_begin(self, owner_id: int) -> bool:
        """Whether a PUT may begin the cart of an owner who has none."""
        parent, meant = self.context.parent, self._company_meant()
        if parent is not None and parent.name == "users" and parent.id != owner_id:
            return False
        if self.caller.is_scoped and meant != self.caller.company_id:
            return False
        return self._is_user(owner_id)

    def _is_user(self, owner_id: int) -> bool:
        """Whether an owner is a user whom the caller may see."""
        if owner_id >= FIRST_GUEST:
            return False
        exists = self.db.row(_USER, id=owner_id) is not None
        return exists and is_known(self.db, owner_id, self.caller)

    def missing(self, id: Key) -> NotFound:
        """The fault of an owner without a cart."""
        return NotFound(f"there is no cart of {id}")


def _cart_of(owner_id: int, company_id: int | None) -> Condition:
    """An owner's cart at a company; without one, the newest that there is."""
    if company_id is None:
        return Condition(
            "newest cart of owner",
            lambda: (
                Cart.cart_id
                == select(_newest.cart_id)
                .where(_newest.user_id == _owner_id)
                .order_by(_newest.timestamp.desc(), _newest.cart_id.desc())
                .limit(1)
                .scalar_subquery()
            ),
            {"owner_id": owner_id},
        )
    return Condition(
        "cart of owner at company",
        lambda: and_(
            Cart.user_id == _owner_id,
            Cart.company_id == bindparam("at_company", required=True),
        ),
        {"owner_id": owner_id, "at_company": company_id},
    )


__all__ = ["Carts"]
