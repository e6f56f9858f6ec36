"""Writes of what orders are sold by, sent together to a real server."""

from threading import Thread

import pytest

from tests.orders import Till, stored_order
from tests.serving import Reply, Server, together
from tests.shop import Shop


def test_each_status_gets_a_letter_of_its_own(shop: Shop, server: Server) -> None:
    """Twelve statuses without a letter: twelve letters, and none is lost."""
    body = {"description": "On hold"}
    replies = together(
        [lambda: server.send(shop.root, "POST", "statuses", body) for _ in range(12)]
    )
    assert [reply.status for reply in replies] == [201] * 12
    listed = shop.root.get("statuses?items_per_page=50").get_json()["statuses"]
    letters = sorted(record["status"] for record in listed)
    assert letters == sorted({*"PCOFDBIY", *"AEGHJKLMQRSU"})


def test_a_tax_that_goes_stays_in_no_list(shop: Shop, server: Server) -> None:
    """Whoever names a tax while it is deleted names it in vain, or is refused."""
    for _ in range(3):
        tax = shop.make_tax()
        products = [shop.make_product(f"Mug {n}") for n in range(4)]
        body = {"tax_ids": [tax]}

        def name(id: int, body: object = body) -> Reply:
            return server.send(shop.root, "PUT", f"products/{id}", body)

        def delete(tax: int = tax) -> Reply:
            return server.send(shop.root, "DELETE", f"taxes/{tax}", None)

        calls = [lambda id=id: name(id) for id in products]
        replies = together([*calls[:2], delete, *calls[2:]])
        assert {reply.status for reply in replies} <= {200, 204, 400}
        found = [shop.root.get(f"products/{id}").get_json() for id in products]
        assert [record["tax_ids"] for record in found] == [[]] * 4


def test_two_clerks_do_not_ship_the_same_pieces(shop: Shop, server: Server) -> None:
    """Ten shipments of one piece, of which there are four: four are made."""
    order_id = stored_order(shop, {"item_id": 7, "amount": 4})
    body = {"order_id": order_id, "products": {"7": 1}, "carrier": "usps"}
    replies = together(
        [lambda: server.send(shop.root, "POST", "shipments", body) for _ in range(10)]
    )
    found = [reply.status for reply in replies]
    assert (found.count(201), found.count(400)) == (4, 6)
    record = shop.root.get(f"orders/{order_id}").get_json()
    assert record["products"]["7"]["shipped_amount"] == 4
    assert len(record["shipment_ids"]) == 4


def test_pieces_come_back_once(shop: Shop, server: Server) -> None:
    """Of deletions that arrive together one gives back, and changes wait."""
    order_id = stored_order(shop, {"item_id": 7, "amount": 4})
    body = {"order_id": order_id, "products": {"7": 2}, "carrier": "usps"}
    first, second = (
        f"shipments/{shop.root.post('shipments', body).get_json()['shipment_id']}"
        for _ in range(2)
    )
    less, more = ({"products": {"7": pieces}} for pieces in (1, 3))
    replies = together(
        [
            *[lambda: server.send(shop.root, "DELETE", first, None) for _ in range(4)],
            lambda: server.send(shop.root, "PUT", second, less),
            lambda: server.send(shop.root, "PUT", second, more),
        ]
    )
    found = sorted(reply.status for reply in replies[:4])
    assert found == [204, 404, 404, 404]
    pieces = int(shop.root.get(second).get_json()["products"]["7"])
    assert pieces in (1, 3)
    record = shop.root.get(f"orders/{order_id}").get_json()
    assert record["products"]["7"]["shipped_amount"] == pieces


@pytest.mark.parametrize("type", ["O", "S"])
def test_a_status_that_is_being_given_does_not_go(shop: Shop, type: str) -> None:
    """Its deletion waits for the write, and is refused then."""
    sent = {"description": "On hold", "type": type}
    status = shop.root.post("statuses", sent).get_json()["status_id"]
    letter = shop.root.get(f"statuses/{status}").get_json()["status"]
    till = Till(shop)
    order_id = till.order()
    path = f"orders/{order_id}"
    if type == "S":
        item = next(iter(till.record(order_id)["products"]))
        parcel = {"order_id": order_id, "products": {item: 1}, "carrier": "usps"}
        path = f"shipments/{till.made('shipments', 'shipment_id', **parcel)}"
    replies: list[int] = []

    def delete() -> None:
        replies.append(shop.root.delete(f"statuses/{status}").status_code)

    deletion = Thread(target=delete)

    def meanwhile(text: str) -> None:
        if text.startswith(f"UPDATE {path.partition('/')[0]} "):
            shop.database.observer = None
            deletion.start()
            deletion.join(0.5)

    shop.database.observer = meanwhile
    try:
        answer = shop.root.put(path, {"status": letter})
    finally:
        shop.database.observer = None
    deletion.join()
    assert (answer.status_code, replies) == (200, [400])
    assert shop.root.get(f"statuses/{status}").status_code == 200
