"""What GET answers is a PUT that changes nothing, for all that sells.

Source: spec/clients.md, section 3.3; spec/pitfalls.md.
"""

from typing import Any

import pytest

from tests.orders import GUEST_DATA, Till, listed, make_user
from tests.sending_back import STRICT, check_sent_back
from tests.shop import Shop
from tests.wares import make_option

PATHS = (
    "orders/{order}",
    "orders/{bought}",
    "orders/{parent}",
    "orders/{vendors}",
    "stores/{store}/orders/{order}",
    "users/{user}/orders/{bought}",
    "shipments/{shipment}",
    "orders/{order}/shipments/{shipment}",
    "carts/{user}",
    "carts/{guest}",
    "users/{user}/carts/{user}",
    "stores/{store}/carts/{guest}",
    "statuses/1",
    "statuses/{status}",
    "payments/{payment}",
    "stores/{store}/payments/{own}",
    "shippings/{shipping}",
    "taxes/{tax}",
)


def _world(shop: Shop) -> dict[str, int]:
    """One of everything, with all that belongs to it."""
    till, picture = Till(shop), {"image_path": "https://img.example/p.png"}
    shirt = till.product("Shirt", "10")
    size, (_, medium) = make_option(shop, shirt, required="Y")
    text, _ = make_option(shop, shirt, option_type="I", variants=[], position=9)
    chosen = {"product_options": {size: medium, text: "für Mira"}}
    rates = {"1": {"rate_value": {"C": {"0": 2, "9.5": 1}, "I": {"0": "0.125"}}}}
    shipping = till.common(
        "shippings", rates=rates, service_params={"account": "a"}, tax_ids=[till.tax],
        icon={"icon": picture}, max_weight="99.50",
    )  # fmt: skip
    payment = till.common(
        "payments", processor_params={"key": "k"}, image={"icon": picture},
        a_surcharge="0.125", tax_ids=[till.tax], usergroup_ids="0,1,2",
    )  # fmt: skip
    line = {"product_id": shirt, "amount": 2, **chosen}
    card = {"card_number": "4111 1111 1111 1111", "cvv2": "123"}
    contact = {**GUEST_DATA, "fields": {"7": "gold"}, "fax": "5"}
    order = till.order(products=[line], payment_info=card, user_data=contact,
                       notes="x")  # fmt: skip
    till.put(order, subtotal_discount="1", discount="2", total="5", tax_exempt="Y")
    user = make_user(shop, email="ida@example.com", b_country="US", s_country="US")
    item = next(iter(till.record(order)["products"]))
    parcel = {"order_id": order, "products": {item: 1}, "tracking_number": "5"}
    lines = [
        {"product_id": till.net(), "amount": 1},
        {"product_id": till.lantern, "amount": 1},
    ]
    methods = {"payment_id": payment, "shipping_id": shipping}
    parent = till.order(products=lines, **methods)
    till.put(max(listed(shop, f"parent_order_id={parent}")), notes="own")
    shop.root.put(f"carts/{user}", line)
    status = {"description": "Held", "params": {"acme": "1"}, "email_subj": "x"}
    return {
        "order": order,
        "bought": till.order(user_id=user, **methods),
        "parent": parent,
        "vendors": min(listed(shop, f"parent_order_id={parent}")),
        "shipment": till.made("shipments", "shipment_id", **parcel),
        "user": user,
        "guest": till.made("carts", "user_id", **line, user_data=contact),
        "status": till.made("statuses", "status_id", **status),
        "payment": payment,
        "own": till.payment,
        "shipping": shipping,
        "tax": till.tax,
        "store": shop.store,
    }


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_record_sent_back_changes_nothing(shop: Shop, version: str) -> None:
    world = _world(shop)
    for path in PATHS:
        check_sent_back(shop, f"/api/{version}/{path.format(**world)}")


def test_who_sees_masks_keeps_what_is_masked(shop: Shop) -> None:
    """What a viewer was shown, sent by who may write it."""
    world = _world(shop)
    path = f"payments/{world['payment']}"
    viewer = shop.caller("view_payments")
    masked: Any = viewer.get(path).get_json()
    assert masked["processor_params"] == {"key": "***"}
    before = shop.everything()
    assert shop.root.put(path, masked, headers=STRICT).status_code == 200
    assert shop.everything() == before
