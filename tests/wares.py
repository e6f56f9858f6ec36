"""Products to sell in tests, and lines of them."""

from typing import Any

from storeapi.core.database import Connection
from storeapi.rules.lines import Line
from storeapi.rules.order_lines import Sale, price_lines
from storeapi.rules.sent_lines import read_lines
from tests.shop import Shop

GUEST = frozenset({0, 1})


def make_option(shop: Shop, product_id: int, **more: Any) -> tuple[str, list[str]]:
    """An option with two variants, the second for 2.50 more; its ID and theirs."""
    variants = [
        {"variant_name": "S"},
        {"variant_name": "M", "modifier": "2.5", "weight_modifier": "0.100"},
    ]
    body = {"product_id": product_id, "option_name": "Size", "variants": variants}
    answer = shop.root.post("options", body | more)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    option_id = answer.get_json()["option_id"]
    record = shop.root.get(f"options/{option_id}").get_json()
    return str(option_id), list(record["variants"] or ())


def make_combination(shop: Shop, product_id: int, choice: Any, **more: Any) -> int:
    """A combination with a stock, and a code if one is given."""
    body = {"product_id": product_id, "combination": choice, **more}
    answer = shop.root.post("combinations", body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    number = int(answer.get_json()["combination_hash"])
    if "product_code" in more:
        answer = shop.root.put(f"combinations/{number}", more)
        assert answer.status_code == 200
    return number


def stock(shop: Shop, product_id: int, combination: int | None = None) -> int:
    """The pieces that there are."""
    path = f"products/{product_id}"
    if combination is not None:
        path = f"combinations/{combination}"
    return int(shop.root.get(path).get_json()["amount"])


def priced(shop: Shop, payload: Any, **more: Any) -> list[Line]:
    """The lines of a payload, as the root administrator sells them to a guest."""
    companies = more.pop("companies", frozenset({shop.store}))
    groups = more.pop("groups", GUEST)

    def action(db: Connection) -> list[Line]:
        sale = Sale(companies, groups, "en", **more)
        return price_lines(db, read_lines(payload), sale)

    return shop.database.read(action)
