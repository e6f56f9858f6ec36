"""Orders: who bought what, how it is paid and shipped, and what became of it."""

from collections.abc import Iterable
from dataclasses import replace

from storeapi import (
    Condition,
    Forbidden,
    InvalidInput,
    Key,
    Params,
    Record,
    Result,
    TableEntity,
    equals,
)
from storeapi.core.changes import Operation
from storeapi.core.conditions import NOTHING
from storeapi.core.entity import STATUS_CREATED, STATUS_NO_CONTENT, STATUS_OK
from storeapi.core.errors import FieldError
from storeapi.core.writing import Values
from storeapi.entities.orders.fields import OrderFields
from storeapi.entities.orders.filters import FILTERS, SORTINGS, whole_for
from storeapi.models import Order
from storeapi.rules.companies import VENDOR, company_above
from storeapi.rules.customer_records import KEYS as CUSTOMER_KEYS
from storeapi.rules.discussions import drop_threads
from storeapi.rules.groups import buyer_groups
from storeapi.rules.order_changing import OrderChange, sum_up
from storeapi.rules.order_contacts import customer_contact, guest_contact
from storeapi.rules.order_families import (
    delete_rows,
    drop_shipments,
    family_of,
    give_back,
    hold,
    is_last,
    write_order,
)
from storeapi.rules.order_lines import check_sums
from storeapi.rules.order_making import Purchase, make_orders
from storeapi.rules.order_sent import ACCEPTED, NOTIFY, Sent, read_sent
from storeapi.rules.order_terms import Seller, Terms, sellers
from storeapi.rules.store_settings import FRONTEND_DEFAULT_LANGUAGE

_STATUS_ONLY = frozenset({"status", *NOTIFY})
_SHARED = ("user_id", "notes", "details")
_OF_CHILDREN = ("products", "shipping_id", "shipping_ids", "payment_id", "user_id",
                "total", "discount", "subtotal_discount", "tax_exempt")  # fmt: skip


class Orders(TableEntity[Order]):
    """Purchases, with copies of products, addresses, payment, shipping and taxes."""

    name = "orders"
    id_key = "order_id"
    model = Order
    fields = OrderFields
    filters = FILTERS
    sortings = SORTINGS
    default_sort = "date"
    default_descending = True
    counted = True
    agreeing = True
    touched = "updated_at"
    public_status = None
    accepts = ACCEPTED
    accepted_keys = {"user_data": CUSTOMER_KEYS}
    privileges = {
        "index": "view_orders",
        "create": "create_order",
        "update": ("edit_order", "change_order_status"),
        "delete": "delete_orders",
    }
    parents = {"stores": "company_id", "vendors": "company_id", "users": "user_id"}

    # Who may do what

    def permits(self, operation: str, id: Key | None) -> bool:
        """Customers read their own orders; a limited key does not do that for them.

        Source: spec/protocol.md, section 9, customers, rule 5; orders.md, section 6.
        """
        if self.caller.is_customer:
            let_in = self.context.settings.api_allow_customer
            return operation == "index" and self.caller.reads_own and let_in
        return super().permits(operation, id)

    def scope(self) -> Iterable[Condition]:
        """Customers see their own orders, visitors none: not even those of guests.

        A parent shows its orders with their addresses, so all have to be their own.
        """
        yield from super().scope()
        if self.caller.is_anonymous:
            yield NOTHING
        elif self.caller.is_customer:
            yield equals(Order.user_id, self.caller.user_id, role="own")
            yield whole_for(self.caller.user_id)

    def index(self, id: Key | None, params: Params) -> Result:
        """Return an order, or a list, which tells whether it is of all orders."""
        if id is None:
            params = {"include_incompleted": "N", **params}
        return super().index(id, params)

    # Making

    def create(self, params: Params) -> Result:
        """Make an order, or a parent and one order for each vendor.

        Source: spec/entities/orders.md, section 5.1.
        """
        values, sent = read_sent(
            params, lambda: self.load(params, partial=False), whole=True
        )
        seller = self._seller(values)
        terms = self._terms(values, sent, seller)
        fixed = self.caller.is_scoped or company_above(self.context.parent) is not None
        purchase = Purchase(
            seller=seller,
            marketplace=seller.kind != VENDOR and not fixed,
            payment_id=values["payment_id"],
            sent=sent,
            terms=terms,
            values={n: values[n] for n in _SHARED if n in values},
        )
        id = self.guarded(lambda: make_orders(self.db, purchase))
        return Result(STATUS_CREATED, {self.id_key: id})

    def _seller(self, values: Values) -> Seller:
        """The company that an order is made at.

        Raises: `InvalidInput` for one that does not exist.
        """
        company_id = self._selling_company(values)
        seller = sellers(self.db, [company_id]).get(company_id)
        if seller is None or not company_id:
            text = f"company {company_id} does not exist"
            raise InvalidInput.of("company_id", text, "unknown")
        return seller

    def _selling_company(self, values: Values) -> int:
        """The number of the company that is meant.

        Source: spec/entities/orders.md, section 1.
        """
        if self.caller.is_scoped:
            return self.caller.company_id
        wanted = company_above(self.context.parent) or values.get("company_id")
        return int(wanted or self.context.installation.default_company)

    def _terms(self, values: Values, sent: Sent, seller: Seller) -> Terms:
        """Who buys: a registered customer, or a guest by what is sent of one."""
        user_id = values.get("user_id") or 0
        if user_id:
            contact = customer_contact(self.db, user_id, self.caller)
        elif sent.contact:
            contact = guest_contact(sent.contact, ships=sent.shipping is not None)
        else:
            text = "is required, or user_data of a guest"
            raise InvalidInput.of("user_id", text, "required")
        exempt = contact.pop("tax_exempt", "N") == "Y"
        groups = buyer_groups(self.db, user_id)
        language = self._language(values, seller)
        return Terms(contact, groups, language, self.context, exempt)

    def _language(self, values: Values, seller: Seller) -> str:
        """The language of the order: what is sent, else that of the storefront.

        Raises: `InvalidInput` for one that is not installed.
        """
        installed = self.context.installation.languages
        code: str | None = values.get("lang_code")
        if not code:
            fallback = FRONTEND_DEFAULT_LANGUAGE.fallback(self.context.settings)
            return self.context.installation.spoken(seller.language or fallback)
        if code not in installed:
            text = "is not an installed language"
            raise InvalidInput.of("lang_code", text, "unknown")
        return code

    # Changing

    def update(self, id: Key, params: Params) -> Result:
        """Change what was sent; a status may need less of a privilege than the rest.

        Source: spec/entities/orders.md, sections 5.3 and 6.
        """
        if not self.caller.allows("edit_order") and not _STATUS_ONLY.issuperset(params):
            raise Forbidden("no privilege to change more than the status of orders")
        family = self._hold(id)
        row = family[int(id)]
        leads = row["is_parent_order"] == "Y"
        if leads:
            params = self._changes(id, params)
            _check_shared(params)
        values, sent = read_sent(
            params, lambda: self.load(params, partial=True), whole=False
        )
        for each in family.values() if leads else (row,):
            self._change_one(each, values, sent)
        if row["parent_order_id"] is not None:
            parent_id = row["parent_order_id"]
            sums = sum_up(self.db, parent_id)
            check_sums(sums, "total" if "total" in values else "products")
            self._write(family[parent_id], sums)
        return Result(STATUS_OK, {self.id_key: id})

    def _changes(self, id: Key, params: Params) -> Params:
        """What of a payload is not as the record of a parent shows it already.

        Its orders may differ from each other, and are not to become alike by it.
        Source: spec/clients.md, section 3.3 (a record may be sent back).
        """
        shown = self.read_one(id, {})
        return {
            name: value
            for name, value in params.items()
            if name not in shown or shown[name] != value
        }

    def _hold(self, id: Key) -> dict[int, Record]:
        """Lock an order and its parent, or a parent and its orders.

        Raises: `NotFound`.
        """
        self.read_parent(id)
        found = hold(self.db, family_of(self.db, int(id)))
        if int(id) not in found:
            raise self.missing(id)
        return found

    def lock(self, id: Key) -> None:
        """Hold an order against other writers until this one commits."""
        self._hold(id)

    def _change_one(self, row: Record, values: Values, sent: Sent) -> None:
        """Change an order; a parent has no status and no payment data of its own.

        Source: spec/entities/orders.md, rule 5.3.6 (a status may drop card data).
        """
        own = dict(values)
        if row["is_parent_order"] == "Y":
            own.pop("status", None)
            sent = replace(sent, payment_info=None)
        change = OrderChange(self.db, row, own, sent, self.context)
        self._write(row, self.guarded(change.run))

    def _write(self, row: Record, changed: Values) -> None:
        """Write what differs, with the time, and tell the core."""
        changed = {n: v for n, v in changed.items() if row[n] != v}
        if changed:
            write_order(self.db, row, changed, self.context)

    # Deleting

    def delete(self, id: Key) -> Result:
        """Delete an order; what it holds of the stock comes back.

        A parent goes with its orders, and with the last of them.

        Source: spec/entities/orders.md, section 5.4.
        """
        family = self._hold(id)
        row = family[int(id)]
        parent_id = row["parent_order_id"]
        whole = row["is_parent_order"] == "Y" or is_last(self.db, parent_id)
        gone = list(family.values()) if whole else [row]
        give_back(self.db, gone, self.context)
        ids = [each["order_id"] for each in gone]
        drop_threads(self.db, "order_id", ids, self.caller.user_id)
        drop_shipments(self.db, ids, self.context)
        self.guarded(lambda: delete_rows(self.db, ids))
        for each in gone:
            self.record(Operation.DELETE, each["order_id"], each, {}, row=each)
        if parent_id is not None and not whole:
            self._write(family[parent_id], sum_up(self.db, parent_id))
        return Result(STATUS_NO_CONTENT)


def _check_shared(params: Params) -> None:
    """Let a parent pass on only what is alike in the orders of all companies.

    Raises: `InvalidInput` naming what has to be changed order by order.
    """
    errors = [
        FieldError(name, "is to be changed in the orders of the companies")
        for name in _OF_CHILDREN
        if name in params
    ]
    if errors:
        raise InvalidInput(errors=errors)


__all__ = ["Orders"]
