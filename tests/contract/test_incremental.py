"""A sync by time of change misses nothing and repeats nothing."""

from collections.abc import Callable

from flask import Flask

from storeapi.core.rows import table_of
from storeapi.models import Product
from tests.shop import Shop

WALK = "products?sort_by=updated_timestamp&sort_order=asc&cursor="


def walk(shop: Shop, query: str = "") -> list[str]:
    found: list[str] = []
    cursor = "*"
    while cursor:
        answer = shop.root.get(f"{WALK}{cursor}&items_per_page=2{query}")
        found += [record["product_id"] for record in answer.get_json()["products"]]
        cursor = answer.headers.get("X-Next-Cursor", "")
    return found


def age(shop: Shop, id: int, updated: int) -> None:
    where, values = {"product_id": id}, {"updated_timestamp": updated}
    shop.database.write(lambda db: db.update(table_of(Product), where, values))


def test_the_walk_is_in_order_of_change_and_meets_each_once(shop: Shop) -> None:
    ids = [shop.make_product(f"Mug {n}") for n in range(5)]
    for id, updated in zip(ids, [500, 300, 300, 100, 400], strict=True):
        age(shop, id, updated)
    wanted = [ids[3], ids[1], ids[2], ids[4], ids[0]]
    assert walk(shop) == [str(id) for id in wanted]
    assert walk(shop, "&updated_at_from=301") == [str(ids[4]), str(ids[0])]
    assert walk(shop, "&updated_at_to=300") == [str(id) for id in wanted[:3]]


def test_what_changed_just_now_waits_for_the_next_walk(shop: Shop) -> None:
    old, fresh = shop.make_product("Old"), shop.make_product("Fresh")
    age(shop, old, 100)
    assert walk(shop) == [str(old)]
    assert shop.root.get(f"products/{fresh}").status_code == 200


def test_without_a_lag_the_walk_runs_up_to_now(
    shop: Shop, make_app: Callable[..., Flask]
) -> None:
    id = shop.make_product()
    shop.root.client = make_app(sync_lag=0).test_client()
    assert walk(shop) == [str(id)]
