"""Shipments: parcels of orders, what is left to ship (spec/entities/shipments.md)."""

import json
import time
from typing import Any

import pytest

from storeapi.core.rows import table_of
from storeapi.models import Notification, Order, OrderItem
from tests.orders import Till, stored_order
from tests.sending_back import check_sent_back
from tests.shop import NOW, Caller, Shop

ITEM, OTHER = 3832313845, 12
LINES = ({"item_id": ITEM, "amount": 3}, {"item_id": OTHER, "amount": 1})
METHOD = {"shipping_id": 4, "record": '{"shipping": "Harbour Courier"}', "rate": 0}


def order(shop: Shop, **values: Any) -> int:
    taken = {"stock_taken": "Y", **values}
    return stored_order(shop, *LINES, shippings=(METHOD,), **taken)


def body(order_id: int, **changes: Any) -> dict[str, Any]:
    return sound({"order_id": order_id, **changes})


def sound(changes: dict[str, Any]) -> dict[str, Any]:
    """A payload with changes; what is `...` is left out."""
    sent = {"products": {str(ITEM): 2}, "carrier": "usps", **changes}
    return {name: value for name, value in sent.items() if value is not ...}


def make(shop: Shop, order_id: int, **changes: Any) -> int:
    answer = shop.root.post("shipments", body(order_id, **changes))
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["shipment_id"])


def read(shop: Shop, id: int, caller: Caller | None = None) -> Any:
    return (caller or shop.root).get(f"shipments/{id}").get_json()


def listed(shop: Shop, query: str = "", caller: Caller | None = None) -> list[int]:
    found = (caller or shop.root).get(f"shipments?{query}").get_json()
    return [int(record["shipment_id"]) for record in found["shipments"]]


def shipped(shop: Shop, order_id: int) -> dict[int, tuple[Any, Any]]:
    record = shop.root.get(f"orders/{order_id}").get_json()
    return {
        int(id): (int(line["shipped_amount"]), int(line["shipment_amount"]))
        for id, line in record["products"].items()
    }


def refused(answer: Any, *fields: str) -> None:
    assert answer.status_code == 400, answer.get_data(as_text=True)
    found = [error["field"] for error in answer.get_json()["errors"]]
    assert sorted(found) == sorted(fields)


def test_records_and_lists_have_their_shapes(shop: Shop) -> None:
    order_id = order(shop, user_id=58, timestamp=NOW - 5)
    sent = {"tracking_number": "NP-0099-17", "shipment_timestamp": 1751447400}
    id = make(shop, order_id, **sent)
    record = {
        "shipment_id": str(id), "shipment_timestamp": "1751447400",
        "order_id": str(order_id), "order_timestamp": str(NOW - 5),
        "company_id": str(shop.store), "user_id": "58", "firstname": "Mira",
        "lastname": "Kessler", "shipping_id": "4", "shipping": "Harbour Courier",
        "carrier": "usps", "tracking_number": "NP-0099-17", "comments": "",
        "group_key": "0", "status": "P", "order_status": "O",
        "products": {str(ITEM): "2"},
    }  # fmt: skip
    assert read(shop, id) == record
    query = f"shipments?order_id={order_id}"
    assert shop.root.get(query).get_json()["shipments"] == [record]
    first = shop.root.get(f"/api/{query}").get_json()
    assert first["shipments"] == {str(id): record}
    assert first["search"]["sort_order"] == "desc"


def test_the_time_has_another_name(shop: Shop) -> None:
    """Section 2: `timestamp` is an alias, and now is the default."""
    order_id = order(shop)
    id = make(shop, order_id, timestamp=1751447400)
    assert read(shop, id)["shipment_timestamp"] == "1751447400"
    shop.root.put(f"shipments/{id}", {"timestamp": "2025-07-02T09:10:01Z"})
    assert read(shop, id)["shipment_timestamp"] == "1751447401"
    other = make(shop, order_id, products={str(OTHER): 1})
    assert abs(int(read(shop, other)["shipment_timestamp"]) - time.time()) < 60


def test_what_is_shipped_shows_in_the_order(shop: Shop) -> None:
    order_id = order(shop)
    shop.change(Order, {"order_id": order_id}, {"updated_at": 1})
    first = make(shop, order_id)
    record = shop.root.get(f"orders/{order_id}").get_json()
    assert record["shipment_ids"] == [str(first)]
    assert int(record["updated_at"]) > 1
    assert record["need_shipment"] is True
    assert shipped(shop, order_id) == {ITEM: (2, 1), OTHER: (0, 1)}
    second = make(shop, order_id, products={str(ITEM): "1", str(OTHER): "1"})
    record = shop.root.get(f"orders/{order_id}").get_json()
    assert record["need_shipment"] is False
    assert record["shipment_ids"] == [str(first), str(second)]
    assert record["shipping"][0]["need_shipment"] is False
    assert shop.root.delete(f"shipments/{second}").status_code == 204
    assert shipped(shop, order_id) == {ITEM: (2, 1), OTHER: (0, 1)}
    assert shop.root.get(f"orders/{order_id}").get_json()["status"] == "O"


def test_no_more_is_shipped_than_was_ordered(shop: Shop) -> None:
    order_id = order(shop)
    id = make(shop, order_id)
    before = shop.everything()
    more = body(order_id, products={str(ITEM): 2, str(OTHER): 2, "7": 1})
    refused(
        shop.root.post("shipments", more),
        f"products.{ITEM}", f"products.{OTHER}", "products.7",
    )  # fmt: skip
    answer = shop.root.put(f"shipments/{id}", {"products": {str(ITEM): 4}})
    refused(answer, f"products.{ITEM}")
    assert shop.everything() == before
    shop.root.put(f"shipments/{id}", {"products": {str(ITEM): 3, str(OTHER): 1}})
    assert shipped(shop, order_id) == {ITEM: (3, 0), OTHER: (1, 0)}
    shop.root.put(f"shipments/{id}", {"products": {str(OTHER): 1}})
    assert shipped(shop, order_id) == {ITEM: (0, 3), OTHER: (1, 0)}
    assert read(shop, id)["products"] == {str(OTHER): "1"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"order_id": ...}, "order_id"),
        ({"order_id": 99999}, "order_id"),
        ({"products": ...}, "products"),
        ({"products": {}}, "products"),
        ({"products": []}, "products"),
        ({"products": [ITEM]}, "products"),
        ({"products": {str(ITEM): 0}}, f"products.{ITEM}"),
        ({"products": {str(ITEM): "x"}}, f"products.{ITEM}"),
        ({"products": {"x": 1}}, "products.x"),
        ({"products": {str(ITEM): 1, f"0{ITEM}": 1}}, f"products.{ITEM}"),
        ({"carrier": ...}, "tracking_number"),
        ({"carrier": " ", "tracking_number": ""}, "tracking_number"),
        ({"carrier": "x" * 65}, "carrier"),
        ({"status": "Z"}, "status"),
        ({"status": "PP"}, "status"),
        ({"shipping_id": 99999}, "shipping_id"),
        ({"order_status": "Z"}, "order_status"),
        ({"order_status": "N"}, "order_status"),
        ({"notify_user": "maybe"}, "notify_user"),
        ({"shipment_timestamp": "soon"}, "shipment_timestamp"),
    ],
)
def test_bad_values_are_named(shop: Shop, changes: Any, field: str) -> None:
    order_id = order(shop)
    before = shop.everything()
    sent = sound({"order_id": order_id, **changes})
    refused(shop.root.post("shipments", sent), field)
    assert shop.everything() == before


def test_a_shipment_holds_items_of_one_group(shop: Shop) -> None:
    lines = (LINES[0], {**LINES[1], "group_key": 1})
    methods = (METHOD, {**METHOD, "group_key": 1, "shipping_id": 5})
    order_id = stored_order(shop, *lines, shippings=methods)
    both = {str(ITEM): 1, str(OTHER): 1}
    refused(shop.root.post("shipments", body(order_id, products=both)), "products")
    record = read(shop, make(shop, order_id, products={str(OTHER): 1}))
    assert (record["group_key"], record["shipping_id"]) == ("1", "5")


def test_the_method_is_that_of_the_order(shop: Shop) -> None:
    made = shop.root.post("shippings", {"shipping": "Van", "company_id": 0}).get_json()
    van = made["shipping_id"]
    order_id = order(shop, lang_code="fr")
    id = make(shop, order_id, shipping_id=van, tracking_number=17, carrier=...)
    record = read(shop, id)
    assert (record["shipping"], record["tracking_number"]) == ("Van", "17")
    shop.root.put(f"shipments/{id}", {"shipping_id": 4})
    assert read(shop, id)["shipping"] == "Harbour Courier"
    named = {"shipping_id": van, "shipping": "Bicycle"}
    shop.root.put(f"shipments/{id}", named)
    assert read(shop, id)["shipping"] == "Bicycle"
    refused(shop.root.put(f"shipments/{id}", {"shipping_id": 999_999}), "shipping_id")
    bare = stored_order(shop, LINES[0])
    record = read(shop, make(shop, bare))
    assert record["shipping_id"] == "1"
    assert record["shipping"] in ("Custom shipping method", "Van")


@pytest.mark.parametrize("none", [None, 0, "0"])
def test_a_shipment_may_have_no_method(shop: Shop, none: Any) -> None:
    """Null is the default of the field, as the protocol has it for every field."""
    order_id = order(shop)
    id = make(shop, order_id, products={str(ITEM): 1})
    assert shop.root.put(f"shipments/{id}", {"shipping_id": none}).status_code == 200
    bare = {"shipping_id": "0", "shipping": "Custom shipping method"}
    assert bare.items() <= read(shop, id).items()
    named = {"shipping_id": none, "shipping": "Bicycle", "products": {str(OTHER): 1}}
    other = make(shop, order_id, **named)
    expected = {"shipping_id": "0", "shipping": "Bicycle"}
    assert expected.items() <= read(shop, other).items()
    assert sorted(listed(shop, "shipping_id=0")) == [id, other]
    check_sent_back(shop, f"shipments/{id}")
    shop.root.put(f"shipments/{id}", {"shipping_id": 4})
    assert read(shop, id)["shipping"] == "Harbour Courier"


def test_null_tells_nobody(shop: Shop) -> None:
    flags = ("notify_user", "notify_department", "notify_vendor")
    id = make(shop, order(shop), **dict.fromkeys(flags))
    answer = shop.root.put(f"shipments/{id}", dict.fromkeys(flags, None))
    assert answer.status_code == 200
    assert messages(shop) == []


def test_a_put_keeps_what_cannot_change(shop: Shop) -> None:
    order_id = order(shop)
    id = make(shop, order_id)
    before = read(shop, id)
    sent = {"order_id": 7, "user_id": 7, "company_id": 7, "firstname": "x"}
    assert shop.root.put(f"shipments/{id}", sent).get_json() == {"shipment_id": str(id)}
    assert read(shop, id) == before
    shop.root.put(f"shipments/{id}", {"status": "S", "comments": "Fragile"})
    after = {**before, "status": "S", "comments": "Fragile"}
    assert read(shop, id) == after
    refused(shop.root.put(f"shipments/{id}", {"carrier": ""}), "tracking_number")


def test_statuses_of_a_shop_are_taken(shop: Shop) -> None:
    id = make(shop, order(shop))
    refused(shop.root.put(f"shipments/{id}", {"status": "L"}), "status")
    status = {"description": "Lost", "type": "S", "status": "L"}
    status_id = shop.root.post("statuses", status).get_json()["status_id"]
    assert shop.root.put(f"shipments/{id}", {"status": "L"}).status_code == 200
    assert shop.root.delete(f"statuses/{status_id}").status_code == 400


def test_an_order_gets_its_status_with_the_shipment(shop: Shop) -> None:
    till = Till(shop)
    order_id = till.order()
    lines = till.record(order_id)["products"]
    item = next(id for id, line in lines.items() if line["amount"] == "2")
    assert till.stock() == 8
    id = make(shop, order_id, products={item: 2}, order_status="I")
    assert till.stock() == 10
    record = till.record(order_id)
    assert (record["status"], record["shipment_ids"]) == ("I", [str(id)])
    assert shop.root.put(f"shipments/{id}", {"order_status": "C"}).status_code == 200
    assert till.stock() == 8
    assert till.record(order_id)["invoice_id"] is not None
    too_much = {"amount": 0}
    shop.root.put(f"shipments/{id}", {"order_status": "I"})
    shop.root.put(f"products/{till.lantern}", too_much)
    before = shop.everything()
    body = {"order_status": "C", "comments": "x"}
    assert shop.root.put(f"shipments/{id}", body).status_code == 400
    assert shop.everything() == before


def test_the_status_of_an_order_has_a_privilege_of_its_own(shop: Shop) -> None:
    order_id = order(shop)
    clerk = shop.caller("view_orders", "edit_order")
    more = body(order_id, order_status="P")
    assert clerk.post("shipments", more).status_code == 403
    assert clerk.post("shipments", body(order_id, order_status="O")).status_code == 201
    lead = shop.caller("view_orders", "manage_orders")
    more["products"] = {str(OTHER): 1}
    assert lead.post("shipments", more).status_code == 201
    assert shop.root.get(f"orders/{order_id}").get_json()["status"] == "P"


def messages(shop: Shop) -> list[tuple[str, str]]:
    table = table_of(Notification)
    query = table.select().order_by(table.c.notification_id)
    rows = shop.database.write(lambda db: db.execute(query).mappings().all())
    return [(row["event"], row["receiver"]) for row in rows]


def test_messages_wait_only_for_those_who_are_named(shop: Shop) -> None:
    order_id = order(shop, email="mira@example.com")
    id = make(shop, order_id)
    assert messages(shop) == []
    sent = {"notify_user": "Y", "notify_department": True, "notify_vendor": "Y"}
    shop.root.put(f"shipments/{id}", {**sent, "order_status": "P"})
    assert messages(shop) == [
        (event, receiver)
        for event in ("order.status", "order.shipment")
        for receiver in ("customer", "department")
    ]


def test_a_message_tells_of_a_new_shipment_what_its_record_shows(shop: Shop) -> None:
    """Also what nobody sent (spec/entities/shipments.md, section 2)."""
    id = make(shop, order(shop, email="mira@example.com"), notify_user="Y")
    record = shop.root.get(f"shipments/{id}").get_json()
    query = table_of(Notification).select()
    row = shop.database.write(lambda db: db.execute(query).mappings().one())
    names = ("shipping", "carrier", "tracking_number", "status")
    told = json.loads(row["payload"])
    assert {name: told[name] for name in names} == {
        name: record[name] for name in names
    }
    assert record["status"] == "P"


def test_shipments_stand_below_their_orders(shop: Shop) -> None:
    order_id, other = order(shop), order(shop)
    path = f"orders/{order_id}/shipments"
    sent = sound({})
    id = shop.root.post(path, sent).get_json()["shipment_id"]
    assert shop.root.get(f"{path}/{id}").get_json()["order_id"] == str(order_id)
    make(shop, other)
    found = shop.root.get(path).get_json()["shipments"]
    assert [record["shipment_id"] for record in found] == [str(id)]
    assert shop.root.get(f"orders/{other}/shipments/{id}").status_code == 404
    assert shop.root.get("orders/99999/shipments").status_code == 404
    more = {"products": {str(OTHER): 1}, "carrier": "dhl", "order_id": other}
    second = shop.root.post(path, more).get_json()["shipment_id"]
    assert shop.root.get(f"{path}/{second}").get_json()["order_id"] == str(order_id)
    assert shop.root.put(f"{path}/{id}", {"order_id": other}).status_code == 200
    assert shop.root.get(f"{path}/{id}").get_json()["order_id"] == str(order_id)
    store = f"stores/{shop.other_store}/shipments"
    refused(shop.root.post(store, body(order_id)), "order_id")
    assert shop.root.get(f"{store}/{id}").status_code == 404
    assert shop.root.delete(f"stores/{shop.store}/shipments/{id}").status_code == 204


def test_a_parent_shows_the_shipments_of_its_orders(shop: Shop) -> None:
    parent = stored_order(shop, is_parent_order="Y", status="T")
    first, second = (order(shop, parent_order_id=parent) for _ in range(2))
    ids = [make(shop, first), make(shop, second)]
    make(shop, order(shop))
    path = f"orders/{parent}/shipments"
    found = shop.root.get(f"{path}?sort_by=id&sort_order=asc").get_json()["shipments"]
    assert [record["shipment_id"] for record in found] == [str(id) for id in ids]
    assert shop.root.get(f"orders/{first}/shipments/{ids[1]}").status_code == 404
    assert shop.root.put(f"{path}/{ids[1]}", {"status": "S"}).status_code == 200
    assert read(shop, ids[1])["status"] == "S"
    refused(shop.root.post(path, sound({})), "order_id")
    refused(shop.root.post("shipments", body(parent)), "order_id")


def test_the_customer_is_that_of_the_order_now(shop: Shop) -> None:
    first, second = order(shop, lastname="Adams"), order(shop, lastname="Baker")
    a, b = make(shop, first), make(shop, second)
    user = shop.caller(user_type="C", lastname="Young").user_id
    answer = shop.root.put(f"orders/{first}", {"user_id": user})
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert listed(shop, "sort_by=customer&sort_order=asc") == [b, a]
    assert listed(shop, f"user_id={user}") == [a]
    assert read(shop, a)["user_id"] == str(user)


def test_administrators_of_one_company_ship_its_orders(shop: Shop) -> None:
    own, other = order(shop, company_id=shop.vendor), order(shop)
    foreign = make(shop, other)
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    id = vendor.post("shipments", body(own)).get_json()["shipment_id"]
    assert listed(shop, caller=vendor) == [id]
    before = shop.everything()
    refused(vendor.post("shipments", body(other)), "order_id")
    for method in ("GET", "PUT", "DELETE"):
        options = {"json": {"status": "S"}} if method == "PUT" else {}
        answer = vendor.request(method, f"shipments/{foreign}", **options)
        assert answer.status_code == 404
    assert vendor.get(f"orders/{other}/shipments").status_code == 404
    own_method = shop.root.post("shippings", {"shipping": "Van"}).get_json()
    changed = {"shipping_id": own_method["shipping_id"]}
    assert shop.everything() != before
    for caller in (vendor, shop.root):
        refused(caller.put(f"shipments/{id}", changed), "shipping_id")


def test_lists_are_cut_and_sorted(shop: Shop) -> None:
    first = order(shop, timestamp=100, lastname="Young", user_id=7)
    second = order(shop, timestamp=200, lastname="Adams", status="C")
    a = make(shop, second, shipment_timestamp=1000, tracking_number="T1", status="S")
    b = make(shop, first, shipment_timestamp=3000, carrier="dhl", shipping_id=4)
    c = make(shop, first, shipment_timestamp=2000, products={str(OTHER): 1})
    assert listed(shop) == [b, c, a]
    assert listed(shop, "sort_by=date&sort_order=asc") == [a, c, b]
    assert listed(shop, "sort_by=id") == [c, b, a]
    assert listed(shop, "sort_by=order_id&sort_order=asc") == [b, c, a]
    assert listed(shop, "sort_by=order_date") == [a, b, c]
    assert listed(shop, "sort_by=customer&sort_order=asc") == [a, b, c]
    assert listed(shop, "sort_by=status")[0] == a
    assert listed(shop, f"shipment_id={a},{c}") == [c, a]
    assert listed(shop, f"order_id={first}") == [b, c]
    assert listed(shop, "order_status=C") == [a]
    assert listed(shop, "order_status=C,O") == [b, c, a]
    assert listed(shop, "order_status=ZZ") == []
    assert listed(shop, "order_status[]=C&order_status[]=ZZ") == [a]
    assert shop.root.get("shipments?order_status[][a]=C").status_code == 400
    assert listed(shop, "tracking_number=T1") == listed(shop, "status=S") == [a]
    assert listed(shop, "carrier=dhl") == [b]
    assert listed(shop, "user_id=7&shipping_id=4") == [b, c]
    assert listed(shop, "time_from=2000&time_to=2500") == [c]
    assert listed(shop, f"company_id={shop.other_store}") == []


def test_a_store_may_send_each_order_in_one_shipment(shop: Shop) -> None:
    order_id = order(shop)
    make(shop, order_id)
    found = shop.root.get("settings?name=use_shipments").get_json()["settings"]
    (setting,) = found
    answer = shop.root.put(f"settings/{setting['object_id']}", {"value": "N"})
    assert answer.status_code == 200, answer.get_data(as_text=True)
    before = shop.everything()
    more = body(order_id, products={str(OTHER): 1})
    assert shop.root.post("shipments", more).status_code == 400
    assert shop.everything() == before
    make(shop, order(shop))


def test_a_deleted_order_takes_its_shipments_along(shop: Shop) -> None:
    till = Till(shop)
    order_id = till.order()
    item = next(iter(till.record(order_id)["products"]))
    id = make(shop, order_id, products={item: 1})
    answer = shop.root.put(f"orders/{order_id}", {"products": {str(till.blanket): 1}})
    assert answer.status_code == 400
    assert shop.root.delete(f"orders/{order_id}").status_code == 204
    assert shop.root.get(f"shipments/{id}").status_code == 404


def test_both_statements_guard_the_pieces(shop: Shop) -> None:
    order_id = order(shop)
    make(shop, order_id)
    where = {"order_id": order_id, "item_id": ITEM}
    shop.change(OrderItem, where, {"shipped_amount": 3})
    refused(shop.root.post("shipments", body(order_id)), f"products.{ITEM}")
