"""Categories as tests make and read them."""

from typing import Any

from tests.shop import Caller, Shop


def make(shop: Shop, name: str, parent: int = 0, **payload: Any) -> int:
    """A category, made through the API by the root caller."""
    body = {"category": name, "parent_id": parent, **payload}
    answer = shop.root.post("categories", body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["category_id"])


def read(shop: Shop, id: int, query: str = "") -> Any:
    """The full record of a category."""
    return shop.root.get(f"categories/{id}{query}").get_json()


def names(shop: Shop, query: str, caller: Caller | None = None) -> list[str]:
    """The names in a list of categories, in its order."""
    body = (caller or shop.root).get(f"categories?{query}").get_json()
    return [record["category"] for record in body["categories"]]


def refused(answer: Any, field: str, code: str) -> None:
    """Assert that one field was refused, and why."""
    assert answer.status_code == 400
    found = [(error["field"], error["code"]) for error in answer.get_json()["errors"]]
    assert found == [(field, code)]
