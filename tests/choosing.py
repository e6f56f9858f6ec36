"""Options to test with, made and read through the API."""

from typing import Any

from storeapi.core.rows import table_of
from storeapi.models import Product
from tests.shop import NOW, Shop

LID = {
    "option_name": "Lid",
    "option_type": "R",
    "variants": {
        "1": {"variant_name": "Without"},
        "2": {"variant_name": "Beech lid", "modifier": "3.5"},
    },
}


def make(shop: Shop, product_id: int, **changes: Any) -> int:
    answer = shop.root.post("options", {"product_id": product_id, **LID, **changes})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["option_id"])


def read(shop: Shop, option_id: int) -> dict[str, Any]:
    answer = shop.root.get(f"options/{option_id}")
    assert answer.status_code == 200
    return dict(answer.get_json())


def variant_ids(shop: Shop, option_id: int) -> list[str]:
    return list(read(shop, option_id)["variants"])


def age(shop: Shop, *product_ids: int) -> None:
    def action(db: Any) -> None:
        where = {"product_id": list(product_ids)}
        db.update(table_of(Product), where, {"updated_timestamp": NOW})

    shop.database.write(action)


def updated(shop: Shop, product_id: int) -> bool:
    """Whether the product has changed since `age`."""
    record = shop.root.get(f"products/{product_id}").get_json()
    return int(record["updated_timestamp"]) != NOW


def put(shop: Shop, option_id: int, body: Any, status: int = 200) -> Any:
    answer = shop.root.put(f"options/{option_id}", body)
    assert answer.status_code == status, answer.get_data(as_text=True)
    return answer.get_json()
