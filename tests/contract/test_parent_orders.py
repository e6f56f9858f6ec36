"""Parents of the orders of several companies: what they show of these (orders.md)."""

from collections.abc import Iterator
from typing import Any

import pytest

from storeapi.models import Order
from tests.orders import Till, differences, listed, make_user
from tests.shop import Shop

RATES = {"1": {"rate_value": {"C": {"0": 2}}}}


@pytest.fixture
def till(shop: Shop) -> Iterator[Till]:
    """A shop that can sell; what it keeps of its orders is right at the end."""
    yield Till(shop)
    assert differences(shop) == []


def led(shop: Shop, till: Till) -> tuple[int, int, int]:
    """A parent with an order of the vendor and one of the store, by one courier."""
    lines = [{"product_id": id, "amount": 1} for id in (till.net(), till.lantern)]
    courier = till.common("shippings", rates=RATES)
    payment = till.common("payments")
    parent = till.order(products=lines, payment_id=payment, shipping_id=courier)
    first, second = sorted(listed(shop, f"parent_order_id={parent}"))
    return parent, first, second


def shipped(till: Till, id: int) -> tuple[str, list[str], bool, bool]:
    """How an order is shipped: by which methods, and whether it has to be."""
    record = till.record(id)
    chosen = [each["shipping_id"] for each in record["shipping"]]
    needed = record["need_shipping"], record["need_shipment"]
    return record["shipping_ids"], chosen, *needed


def test_a_parent_is_shipped_as_its_orders_are_now(shop: Shop, till: Till) -> None:
    """spec/entities/orders.md, section 2.4: shipping_ids, need_shipping."""
    parent, first, second = led(shop, till)
    courier = till.record(first)["shipping_ids"]
    assert shipped(till, parent) == (
        f"{courier},{courier}", [courier, courier], True, True,
    )  # fmt: skip
    post = str(till.common("shippings", rates=RATES))
    till.put(first, shipping_id=post)
    assert shipped(till, parent) == (f"{post},{courier}", [post, courier], True, True)
    download = till.product("Map of the bay", "3", is_edp="Y")
    till.put(second, products={download: {"amount": 1}})
    assert shipped(till, second) == ("", [], False, False)
    assert shipped(till, parent) == (post, [post], True, True)
    assert shop.root.delete(f"orders/{first}").status_code == 204
    assert shipped(till, parent) == ("", [], False, False)


def test_a_parent_may_have_very_many_orders(shop: Shop, till: Till) -> None:
    """The numbers of their methods come to more than a line of text."""
    courier = till.common("shippings", rates=RATES)
    payment = till.common("payments")
    lines = []
    for number in range(130):
        vendor = shop.company(f"Vendor {number}", kind="V")
        category = shop.make_category("Nets", company_id=vendor)
        more = {"company_id": vendor, "category_ids": [category], "amount": 1}
        lines.append({"product_id": shop.make_product(**more), "amount": 1})
    parent = till.order(products=lines, payment_id=payment, shipping_id=courier)
    assert till.record(parent)["shipping_ids"] == ",".join([str(courier)] * 130)


def test_payment_data_is_kept_with_the_orders_alone(shop: Shop, till: Till) -> None:
    """spec/entities/orders.md, rule 5.3.6: a status drops it, and nothing is left."""
    parent, first, second = led(shop, till)
    card = {"card_number": "4111111111111111", "cardholder": "Mira Kessler"}
    hidden = {**card, "card_number": "XXXXXXXXXXXX1111"}
    assert till.put(parent, payment_info=card)["payment_info"] == []
    for id in (first, second):
        assert till.record(id)["payment_info"] == hidden
    assert till.put(parent, status="P")["payment_info"] == []
    for id in (first, second):
        assert till.record(id)["payment_info"] == []


def test_a_parent_is_a_customers_as_long_as_all_its_orders_are(make_app: Any) -> None:
    """It shows the addresses of its orders (spec/protocol.md, section 9, rule 5)."""
    shop = Shop(make_app(api_allow_customer=True))
    till = Till(shop)
    parent, first, second = led(shop, till)
    customer = shop.caller(user_type="C")
    for id in (parent, first, second):
        shop.change(Order, {"order_id": id}, {"user_id": customer.user_id})
    wanted = "include_incompleted=Y&sort_by=order_id&sort_order=asc"
    assert listed(shop, wanted, customer) == [parent, first, second]
    till.put(second, user_id=make_user(shop, b_city="Bern", s_city="Bern"))
    assert listed(shop, wanted, customer) == [first]
    found = [customer.get(f"orders/{id}").status_code for id in (parent, first, second)]
    assert found == [404, 200, 404]
