"""Orders: who bought what, how it is paid and shipped, and what became of it."""

from collections.abc import Iterable

from storeapi import Condition, Key, Params, Result, TableEntity, equals
from storeapi.entities.orders.fields import OrderFields
from storeapi.entities.orders.filters import FILTERS, SORTINGS
from storeapi.models import Order


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
    touched = "updated_at"
    public_status = None
    privileges = {"index": "view_orders"}
    parents = {"stores": "company_id", "vendors": "company_id", "users": "user_id"}

    def permits(self, operation: str, id: Key | None) -> bool:
        """Customers read their own orders; a limited key does not do that for them.

        Source: spec/protocol.md, section 9, customers, rule 5.
        """
        if self.caller.is_customer:
            known = not (self.caller.is_anonymous or self.caller.limited)
            let_in = self.context.settings.api_allow_customer
            return operation == "index" and known and let_in
        return super().permits(operation, id)

    def scope(self) -> Iterable[Condition]:
        """Customers see their own orders."""
        yield from super().scope()
        if self.caller.is_customer:
            yield equals(Order.user_id, self.caller.user_id or 0, role="own")

    def index(self, id: Key | None, params: Params) -> Result:
        """Return an order, or a list, which tells whether it is of all orders."""
        if id is None:
            params = {"include_incompleted": "N", **params}
        return super().index(id, params)


__all__ = ["Orders"]
