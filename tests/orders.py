"""Orders for tests: written straight into the tables, or made through the API."""

from typing import Any

from storeapi.core.changes import Change, Operation
from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.models import Order, OrderItem, OrderShipping
from storeapi.rules.folding import folded
from tests.shop import NOW, Shop


def stored_order(
    shop: Shop,
    *items: dict[str, Any],
    shippings: tuple[dict[str, Any], ...] = (),
    **values: Any,
) -> int:
    """An order as a row, with lines and shipping as they are given."""
    first, last = values.get("firstname", "Mira"), values.get("lastname", "Kessler")
    row = {
        "company_id": shop.store,
        "status": "O",
        "timestamp": NOW,
        "updated_at": values.get("timestamp", NOW),
        "firstname": first,
        "lastname": last,
        "name_key": f"{folded(last)}\t{folded(first)}",
        "person_key": f"{folded(first)} {folded(last)}",
        "email_key": folded(values.get("email", "")),
        "groups": '[{"name": "Harbour Shop", "company_id": 1, "origination": {}}]',
        **values,
    }

    def action(db: Transaction) -> int:
        id = db.insert(table_of(Order), row)
        for number, item in enumerate(items):
            line = {"order_id": id, "position": number, "item_id": 1 + number, **item}
            db.insert(table_of(OrderItem), line)
        for each in shippings:
            line = {"order_id": id, "group_key": 0, "record": "{}", **each}
            db.insert(table_of(OrderShipping), line)
        db.record(
            Change("orders", Operation.CREATE, id, row["company_id"],
                   after=row, table="orders")
        )  # fmt: skip
        return id

    return shop.database.write(action)


def listed(shop: Shop, query: str = "", caller: Any = None) -> list[int]:
    """The IDs of a list of orders, in its order."""
    answer = (caller or shop.root).get(f"orders?{query}")
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return [int(each["order_id"]) for each in answer.get_json()["orders"]]
