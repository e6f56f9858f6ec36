"""Users to test with, made through the API."""

from typing import Any

from sqlalchemy import select

from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.models import User
from tests.shop import Caller, Shop


def make(shop: Shop, email: str = "ines@example.com", **values: Any) -> int:
    """A customer, made by root."""
    body = {"email": email, "user_type": "C", **values}
    answer = shop.root.post("users", body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["user_id"])


def found(caller: Caller, query: str) -> list[str]:
    """E-mail addresses of a list, in its order."""
    answer = caller.get(f"users?items_per_page=0&{query}")
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return [record["email"] for record in answer.get_json()["users"]]


def stored(shop: Shop, user_id: int) -> Any:
    """The row of a user."""

    def action(db: Transaction) -> Any:
        table = table_of(User)
        return db.execute(select(table).where(table.c.user_id == user_id)).one()

    return shop.database.write(action)


def manager(shop: Shop, **values: Any) -> Caller:
    """An administrator who is not root, and handles users."""
    return shop.caller("view_users", "manage_users", **values)
