"""However many rows there are, and of which kind, the total is the number of them."""

import pytest

from storeapi.core import totals
from storeapi.models import Product
from tests.orders import stored_order
from tests.shop import NOW, Shop

QUERIES = (
    "user_id=7", "user_id[]=7&user_id[]=8", "p_ids=91,92", "shipping_id=3",
    f"updated_at_from={NOW}", "email=ann@example.com", "status=O&user_id=7",
    "email=ann@example.com&user_id=7", "user_id=9",
)  # fmt: skip


@pytest.fixture(params=[0, 2, 1000])
def many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(totals, "_MANY", request.param)
    return int(request.param)


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("statuses", ["OPC", "OOPCN", "ONNT", "NT"])
def test_incomplete_orders_do_not_count(shop: Shop, statuses: str) -> None:
    for user_id in (7, 8):
        for status in statuses:
            stored_order(
                shop,
                {"product_id": 91},
                {"product_id": 91 + user_id % 2},
                shippings=({"shipping_id": 3},),
                status=status,
                user_id=user_id,
                email="Ann@example.com",
                timestamp=NOW,
            )
    for query in QUERIES:
        body = shop.root.get(f"orders?items_per_page=100&{query}").get_json()
        page = shop.root.get(f"orders?items_per_page=1&{query}").get_json()
        assert page["params"]["total_items"] == str(len(body["orders"])), query
        assert all(order["status"] not in "NT" for order in body["orders"])


@pytest.mark.usefixtures("many")
def test_child_variations_do_not_count(shop: Shop) -> None:
    parent = shop.make_product("Mug", amount=3)
    for number in range(3):
        id = shop.make_product(f"Mug {number}", amount=3)
        if number:
            child = {"parent_product_id": parent, "product_type": "V"}
            shop.change(Product, {"product_id": id}, child)
    for query in ("amount_from=1", "q=mug", "cid={cid}", "amount_from=1&q=mug"):
        path = f"products?{query.format(cid=shop.category)}&include_child_variations="
        for hidden, number in (("Y", 4), ("N", 2)):
            body = shop.root.get(f"{path}{hidden}&items_per_page=1").get_json()
            assert body["params"]["total_items"] == str(number), (query, hidden)
