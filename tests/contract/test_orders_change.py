"""Changing orders, their status and stock (spec/entities/orders.md, 2.3, 5.2, 5.3)."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from storeapi import mark_notifications_sent, waiting_notifications
from storeapi.models import Company, Order
from storeapi.rules.lines import item_id
from tests.orders import Till, differences, listed, make_user
from tests.shop import Shop
from tests.wares import make_option


@pytest.fixture
def till(shop: Shop) -> Iterator[Till]:
    """A shop that can sell; what it keeps of its orders is right at the end."""
    yield Till(shop)
    assert differences(shop) == []


def refused(till: Till, id: int, **body: Any) -> list[str]:
    """The fields at fault; nothing was written."""
    before = till.shop.everything()
    answer = till.shop.root.put(f"orders/{id}", body)
    assert answer.status_code == 400, answer.get_data(as_text=True)
    assert till.shop.everything() == before
    return [each["field"] for each in answer.get_json().get("errors", ())]


def sums(record: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        record[name]
        for name in ("subtotal", "shipping_cost", "payment_surcharge", "total")
    )


# Fields


def test_put_changes_only_what_is_sent(shop: Shop, till: Till) -> None:
    id = till.order()
    before = till.record(id)
    shop.change(Order, {"order_id": id}, {"updated_at": 5})
    sent = {"notes": "<b>5</b>", "details": "call", "repaid": 1, "order_id": 3,
            "timestamp": 1, "invoice_id": 9, "company_id": shop.other_store,
            "subtotal": 1, "strange": 1}  # fmt: skip
    after = till.put(id, **sent)
    changed = {"notes": "<b>5</b>", "details": "call", "repaid": "1"}
    assert after == {**before, **changed, "updated_at": after["updated_at"]}
    assert int(after["updated_at"]) > 5


def test_the_same_body_again_changes_nothing(shop: Shop, till: Till) -> None:
    id = till.order()
    record = till.record(id)
    bodies = [
        till.body(),
        {**till.body(), "status": "P", "notify_user": "Y"},
        {**record, "status": "P", "products": list(record["products"].values())},
    ]
    for body in bodies:
        assert shop.root.put(f"orders/{id}", body).status_code == 200
        before = shop.everything()
        assert shop.root.put(f"orders/{id}", body).status_code == 200
        assert shop.everything() == before
    assert till.record(id)["total"] == record["total"]


def test_a_record_sent_back_changes_nothing(shop: Shop, till: Till) -> None:
    """spec/clients.md 3.3: masked payment data and chosen options stay as well."""
    shirt = till.product("Shirt", "10")
    size, (_, medium) = make_option(shop, shirt)
    lines = [{"product_id": shirt, "amount": 2, "product_options": {size: medium}}]
    card = {"card_number": "4111 1111 1111 1111", "cvv2": "123", "phone": "+4930555"}
    id = till.order(products=lines, payment_info=card)
    till.put(id, subtotal_discount="1", tax_exempt="Y", repaid="Y", total="5")
    before, record = shop.everything(), till.record(id)
    assert record["payment_info"]["card_number"] == "XXXX XXXX XXXX 1111"
    assert shop.root.put(f"orders/{id}", record).status_code == 200
    assert shop.everything() == before


@pytest.mark.parametrize("entry", ["0", 0])
def test_an_entry_of_nought_is_a_choice(shop: Shop, till: Till, entry: Any) -> None:
    """It tells lines apart, and the line stands, even if the product is gone."""
    mug = till.product("Mug", "10")
    option, _ = make_option(shop, mug, option_type="I", variants=[])
    plain = {"product_id": mug, "amount": 1}
    engraved = {**plain, "amount": 2, "product_options": {option: entry}}
    id = till.order(products=[plain])
    record = till.put(id, products=[plain, engraved])
    found = [i["extra"]["product_options"] for i in record["products"].values()]
    assert found == [[], {str(option): "0"}]
    assert shop.root.delete(f"products/{mug}").status_code == 204
    gone = till.record(id)
    assert till.put(id, products=gone["products"])["products"] == gone["products"]


@pytest.mark.parametrize("on", ["1", 1, "Y", "y", True, "true"])
@pytest.mark.parametrize("off", ["0", 0, "N", False])
def test_repaid_is_a_flag(till: Till, on: Any, off: Any) -> None:
    """Section 2.3: taken as one, shown as 1 or 0."""
    id = till.order()
    assert till.put(id, repaid=on)["repaid"] == "1"
    assert till.put(id, repaid=off)["repaid"] == "0"
    assert refused(till, id, repaid="2") == ["repaid"]


def test_lines_are_replaced_and_keep_their_prices(shop: Shop, till: Till) -> None:
    id = till.order()
    for product in (till.lantern, till.blanket):
        shop.root.put(f"products/{product}", {"price": "99", "product": "New name"})
    cup = till.product("Cup", "5", weight="0.1")
    products = {str(till.lantern): {"amount": 3}, str(cup): {"amount": 1}}
    record = till.put(id, products=products)
    lines = [
        (v["product"], v["price"], v["amount"]) for v in record["products"].values()
    ]
    assert lines == [("Trail Lantern", "24.50", "3"), ("Cup", "5.00", "1")]
    # 78.50: shipping 5.00 + 1.50 for 2.5; 0.30 + 1 % of 85.00.
    assert sums(record) == (78.5, "6.50", "1.15", "86.15")
    assert [till.stock(p) for p in (till.lantern, till.blanket, cup)] == [7, 10, 9]
    # A product that is not sold any more stays in the order, and can be fewer.
    shop.root.put(f"products/{till.lantern}", {"status": "D"})
    record = till.put(id, products={str(till.lantern): {"amount": 1}})
    assert sums(record) == (24.5, "9.00", "0.64", "34.14")
    assert refused(till, id, products={}) == ["products"]
    assert refused(till, id, products={"99999": {"amount": 1}})


def test_pieces_keep_the_limits_of_their_product(shop: Shop, till: Till) -> None:
    """Section 2.3 and rule 5.1.4: where an order is to have more, or fewer."""
    few = till.product("Rare", "5", min_qty=2, max_qty=6, qty_step=2)
    size, variants = make_option(shop, few, inventory="N")
    lines = [
        {"product_id": few, "amount": 2, "product_options": {size: variant}}
        for variant in variants
    ]
    id = till.order(products=lines)
    for one, other in ((5, 2), (4, 4), (1, 2), (1, 0)):
        sent = [{**lines[0], "amount": one}, {**lines[1], "amount": other}]
        body = {"products": sent[: 2 if other else 1]}
        assert refused(till, id, **body) == ["products.0.amount"]
    till.put(id, products=[{**lines[0], "amount": 1}, {**lines[1], "amount": 3}])
    # What an order has stays, whatever the limits are now, and if the product is gone.
    shop.root.put(f"products/{few}", {"min_qty": 5, "max_qty": 5, "qty_step": 5})
    assert till.put(id, products=[lines[0], lines[1]], notes="x")["notes"] == "x"
    assert refused(till, id, products=[lines[0]]) == ["products.0.amount"]
    assert shop.root.delete(f"products/{few}").status_code == 204
    till.put(id, products=[{**lines[0], "amount": 1}])


def test_new_lines_count_with_those_that_stand(shop: Shop, till: Till) -> None:
    """Rules 5.1.4 and 5.2.2: the pieces of a product over all its lines."""
    prices = [{"lower_limit": 1, "price": "10"}, {"lower_limit": 10, "price": "8"}]
    mug = till.product("Mug", "10", amount=50, prices=prices, min_qty=4, max_qty=12,
                       qty_step=2)  # fmt: skip
    option, _ = make_option(shop, mug, option_type="I", variants=[])

    def lines(**pieces: int) -> list[dict[str, Any]]:
        return [
            {"product_id": mug, "amount": amount, "product_options": {option: text}}
            for text, amount in pieces.items()
        ]

    def sold(**pieces: int) -> list[tuple[str, str]]:
        found = till.put(id, products=lines(**pieces))["products"].values()
        return [(line["amount"], line["price"]) for line in found]

    id = till.order(products=lines(a=3, b=3))
    assert sold(a=3, c=3) == [("3", "10.00"), ("3", "10.00")]
    assert sold(a=3, c=3, d=2) == [("3", "10.00"), ("3", "10.00"), ("2", "10.00")]
    assert sold(a=5, e=5) == [("5", "10.00"), ("5", "8.00")]
    body = {"products": lines(a=5, e=5, f=4)}
    assert refused(till, id, **body) == ["products.2.amount"]
    body = {"products": lines(a=5, e=5, f=1)}
    assert refused(till, id, **body) == ["products.2.amount"]


def test_lines_with_equal_checksums_stay_apart(shop: Shop, till: Till) -> None:
    """Rule 5.2.1: a text may read like another choice."""
    mug = till.product("Mug", "5")
    first, second = (
        make_option(shop, mug, option_type="I", variants=[], position=n)[0]
        for n in (1, 2)
    )
    one = {"product_id": mug, "amount": 1, "product_options": {first: "a_b"}}
    two = {**one, "amount": 2, "product_options": {first: "a", second: "b"}}
    id = till.order(products=[one])
    lines = list(till.put(id, products=[one, two])["products"].values())
    assert [line["amount"] for line in lines] == ["1", "2"]
    assert [int(line["item_id"]) for line in lines] == [
        item_id(mug, ["a_b"]),
        item_id(mug, ["a_b", "1"]),
    ]
    assert list(till.put(id, products=[two])["products"]) == [lines[1]["item_id"]]
    assert till.stock(mug) == 8


def test_shipping_and_payment_are_priced_anew(till: Till) -> None:
    id = till.order()
    store = till.shop.store
    rates = {"1": {"rate_value": {"I": {"0": {"value": 1, "per_unit": "Y"}}}}}
    cheap = till.made("shippings", "shipping_id", shipping="Bike", rates=rates,
                      company_id=store)  # fmt: skip
    song = till.product("Song", "5", is_edp="Y", shared_product="Y")
    record = till.put(id, shipping_id={"0": cheap})
    assert sums(record) == (109, "3.00", "1.42", "113.42")
    assert record["taxes"][str(till.tax)]["applies"]["S"] == 0
    assert [s["shipping"] for s in record["shipping"]] == ["Bike"]
    cash = till.made("payments", "payment_id", payment="Cash", company_id=store)
    record = till.put(id, payment_id=str(cash))
    assert sums(record) == (109, "3.00", "0.00", "112.00")
    assert record["payment_method"]["payment"] == "Cash"
    elsewhere = till.order(company_id=till.shop.other_store, payment_id=till.common(
        "payments"), shipping_id=None, products={str(song): {"amount": 1}})  # fmt: skip
    assert refused(till, elsewhere, payment_id=cash) == ["payment_id"]
    assert refused(till, id, payment_id=99999) == ["payment_id"]
    assert refused(till, id, payment_id=None) == ["payment_id"]
    assert refused(till, id, shipping_id=99999) == ["shipping_id"]
    # A map names every group that is shipped.
    assert refused(till, id, shipping_id={"1": cheap}) == ["shipping_id"]


def test_totals_by_hand(till: Till) -> None:
    """Rules 5.2.7 and 5.2.8."""
    id = till.order()
    assert sums(till.put(id, total="50"))[3] == "50.00"
    assert till.put(id, notes="x", status="P")["total"] == "50.00"
    assert till.put(id, tax_exempt="Y")["total"] == "50.00"
    record = till.put(id, tax_exempt=False, subtotal_discount="9")
    # 109.00 - 9.00 + 6.50 = 106.50; 0.30 + 1 % of it.
    assert (record["subtotal_discount"], record["total"]) == ("9.00", "107.87")
    assert record["taxes"][str(till.tax)]["applies"]["P"] == 16.67
    record = till.put(id, discount="10")
    assert (record["discount"], record["subtotal"]) == ("10.00", 109)
    assert record["total"] == "97.77"
    record = till.put(id, products={str(till.lantern): {"amount": 2}}, total=7)
    assert (record["discount"], record["total"]) == ("10.00", "7.00")
    assert refused(till, id, total="-1", discount="x") == ["total", "discount"]
    record = till.put(id, total=None)
    # 2 x 24.50 - 10.00 - 9.00 + 9.00 = 39.00; 0.30 + 1 % of it.
    assert (record["discount"], record["total"]) == ("10.00", "39.69")
    record = till.put(id, discount=None, subtotal_discount=None)
    # 49.00 + 9.00 = 58.00; 0.30 + 1 % of it.
    assert (record["discount"], record["total"]) == ("0.00", "58.88")
    assert till.put(id, total=None, discount=None) == record


def test_sums_by_hand_are_amounts_of_the_currency(
    make_app: Callable[..., Flask],
) -> None:
    till = Till(Shop(make_app(currency="JPY")))
    id = till.order()
    record = till.put(id, discount="1.5", subtotal_discount="0.4")
    assert (record["discount"], record["subtotal_discount"]) == ("2.00", "0.00")
    assert record["total"].endswith(".00")
    assert till.put(id, total="10.55")["total"] == "11.00"


def test_a_method_that_cannot_deliver_any_more_is_asked_for(till: Till) -> None:
    id = till.order()
    till.shop.root.delete(f"shippings/{till.shipping}")
    fewer = {str(till.lantern): {"amount": 1}}
    assert refused(till, id, products=fewer) == ["shipping_id"]
    message = till.shop.root.put(f"orders/{id}", {"products": fewer}).get_json()
    assert f"is required: the order's method {till.shipping}" in message["message"]
    other = till.common("shippings", rates={"1": {"rate_value": {"C": {"0": 4}}}})
    record = till.put(id, products=fewer, shipping_id=other)
    assert record["shipping_cost"] == "4.00"


def test_contact_and_customer(shop: Shop, till: Till) -> None:
    id = till.order()
    record = till.put(id, user_data={"b_city": "Dover", "lastname": "Roe", "x": 1})
    assert (record["b_city"], record["s_city"]) == ("Dover", "Portsmouth")
    assert (record["lastname"], record["total"]) == ("Roe", "116.96")
    found = shop.root.get("orders?cname=roe").get_json()["params"]["total_items"]
    assert found == "1"
    wrong = refused(till, id, user_data={"email": None, "s_country": "USA"})
    assert wrong == ["user_data.email", "user_data.s_country"]
    user = make_user(shop, firstname="Ida", email="ida@example.com", b_city="Bern")
    record = till.put(id, user_id=user, user_data={"b_city": "Basel"})
    assert (record["user_id"], record["profile_id"]) == (str(user), str(user))
    assert (record["email"], record["b_city"]) == ("ida@example.com", "Basel")
    assert refused(till, id, user_id=999999) == ["user_id"]
    assert till.put(id, user_id=0)["email"] == "ida@example.com"


def test_the_fixed_part_of_a_surcharge_is_charged_once(shop: Shop, till: Till) -> None:
    """Whatever is changed in the orders of a parent."""
    fee = till.common("payments", a_surcharge="1", p_surcharge="10")
    courier = till.common("shippings", rates={"1": {"rate_value": {"C": {"0": 2}}}})
    lines = [
        {"product_id": till.net(), "amount": 2},
        {"product_id": till.lantern, "amount": 1},
    ]
    parent = till.order(products=lines, payment_id=fee, shipping_id=courier)
    first, second = sorted(listed(shop, f"parent_order_id={parent}"))
    for id, surcharge in ((first, "3.10"), (second, "2.55")):
        record = till.put(id, subtotal_discount="1")
        assert record["payment_surcharge"] == surcharge
    assert till.record(parent)["payment_surcharge"] == "5.65"
    shop.root.delete(f"orders/{first}")
    assert till.put(second, subtotal_discount="0")["payment_surcharge"] == "3.65"


# Status, stock, documents, messages


def test_small_letters_are_statuses_of_their_own(shop: Shop, till: Till) -> None:
    """spec/entities/statuses.md, rule 2."""
    body = {"description": "Boxed", "status": "p", "params": {"inventory": "I"}}
    assert shop.root.post("statuses", body).status_code == 201
    id, other = till.order(), till.order()
    till.put(other, status="P")
    assert till.put(id, status="p")["status"] == "p"
    assert till.stock() == 8
    assert listed(shop, "status=p") == [id]
    assert listed(shop, "status=P") == [other]
    assert listed(shop, "status=p,P") == [other, id]


def test_stock_moves_once_between_statuses(till: Till) -> None:
    """Rule 5.3.4: O, P, C take once; I, F, D give back once."""
    id = till.order()
    for letter, left in (
        ("P", 8), ("C", 8), ("C", 8), ("I", 10), ("I", 10), ("F", 10), ("D", 10),
        ("B", 8), ("Y", 8), ("O", 8), ("I", 10),
    ):  # fmt: skip
        assert till.put(id, status=letter)["status"] == letter
        assert till.stock() == left


def test_status_and_lines_at_once(shop: Shop, till: Till) -> None:
    id = till.order()
    five = {str(till.lantern): {"amount": 5}}
    till.put(id, status="I", products=five)
    assert (till.stock(), till.stock(till.blanket)) == (10, 10)
    till.put(id, products={str(till.lantern): {"amount": 6}})
    assert till.stock() == 10
    till.put(id, status="P", products=five)
    assert till.stock() == 5
    shop.root.put(f"products/{till.lantern}", {"amount": 2})
    assert refused(till, id, products={str(till.lantern): {"amount": 8}}) == []
    assert (
        refused(till, id, status="C", products={str(till.lantern): {"amount": 8}}) == []
    )
    till.put(id, products={str(till.lantern): {"amount": 7}})
    assert till.stock() == 0


def test_too_little_to_take_again(shop: Shop, till: Till) -> None:
    id = till.order()
    till.put(id, status="I")
    shop.root.put(f"products/{till.lantern}", {"amount": 1})
    assert refused(till, id, status="P") == []
    assert (till.record(id)["status"], till.stock()) == ("I", 1)


@pytest.mark.parametrize("letter", ["ZZ", "", "N", "T", "Z", "p", None, 5])
def test_statuses_that_no_order_gets(till: Till, letter: Any) -> None:
    assert refused(till, till.order(), status=letter) == ["status"]


def test_documents_are_numbered_once(shop: Shop, till: Till) -> None:
    memo = {"description": "Returned", "params": {"appearance_type": "C",
            "inventory": "I"}}  # fmt: skip
    made = shop.root.post("statuses", memo).get_json()["status_id"]
    letter = shop.root.get(f"statuses/{made}").get_json()["status"]
    one, two = till.order(), till.order()
    first = int(till.put(one, status="P")["invoice_id"])
    assert till.put(one, status="O")["invoice_id"] == str(first)
    record = till.put(one, status=letter)
    memo_id = record["credit_memo_id"]
    assert record["doc_ids"] == {"I": str(first), "C": memo_id}
    assert shop.root.delete(f"orders/{one}").status_code == 204
    assert int(till.put(two, status="P")["invoice_id"]) > first
    found = shop.root.get(f"orders?invoice_id={first}").get_json()["orders"]
    assert found == []


def test_messages_wait_for_a_sender(shop: Shop, till: Till) -> None:
    shop.change(
        Company, {"company_id": shop.store}, {"company_orders_department": "d@x.org"}
    )
    id = till.order()
    assert shop.database.read(waiting_notifications) == []
    till.put(id, status="P")
    till.put(id, notify_user="Y", notes="no new status")
    till.put(id, status="P", notify_user=1)
    assert shop.database.read(waiting_notifications) == []
    assert refused(till, id, status="C", notify_user="maybe") == ["notify_user"]
    till.put(id, status="C", notify_user=True, notify_department="1", notify_vendor="N")
    waiting = shop.database.read(waiting_notifications)
    assert [(each.receiver, each.email, each.event) for each in waiting] == [
        ("customer", "mira@example.com", "order.status"),
        ("department", "d@x.org", "order.status"),
    ]
    payload = {"order_id": id, "status": "C", "status_before": "P", "total": "116.96"}
    assert payload.items() <= dict(waiting[0].payload).items()
    first = waiting[0].notification_id
    for marked in (1, 0):
        assert marked == shop.database.write(
            lambda db: mark_notifications_sent(db, [first], 9)
        )
    left = shop.database.read(waiting_notifications)
    assert [each.notification_id for each in left] == [waiting[1].notification_id]


def test_messages_of_a_language_that_is_gone_are_in_the_default_one(
    shop: Shop, till: Till
) -> None:
    """spec/protocol.md, rule 13.1: not an empty text."""
    id = till.order(lang_code="de")
    line = next(iter(till.record(id)["products"]))
    for status, subject in ((1, "is processed"), (2, "is complete")):
        body = {"email_subj": subject}
        assert shop.root.put(f"statuses/{status}", body).status_code == 200
    assert shop.root.delete("languages/de").status_code == 204
    till.put(id, status="P", notify_user="Y")
    parcel = {"order_id": id, "products": {line: 1}, "carrier": "ups",
              "order_status": "C", "notify_user": "Y"}  # fmt: skip
    assert shop.root.post("shipments", parcel).status_code == 201
    processed, complete, sent = shop.database.read(waiting_notifications)
    told = [(each.lang_code, each.payload["subject"]) for each in (processed, complete)]
    assert told == [("en", "is processed"), ("en", "is complete")]
    assert processed.payload["description"] == "Processed"
    assert sent.lang_code == "en"


def test_what_is_in_shipments_stays(shop: Shop, till: Till) -> None:
    id = till.order()
    line = next(iter(till.record(id)["products"]))
    parcel = {"order_id": id, "products": {line: 2}, "tracking_number": "1"}
    assert shop.root.post("shipments", parcel).status_code == 201
    other = {str(till.blanket): {"amount": 1}}
    assert refused(till, id, products=other) == [f"products.{line}"]
    less = {**other, str(till.lantern): {"amount": 1}}
    assert refused(till, id, products=less) == [f"products.{line}"]
    record = till.put(id, products={str(till.lantern): {"amount": 2}})
    assert record["products"][line]["shipment_amount"] == "0"
    assert (record["need_shipping"], record["need_shipment"]) == (True, False)


# Privileges


def test_the_status_needs_less(shop: Shop, till: Till) -> None:
    """Section 6: a body of status and flags alone."""
    id = till.order()
    clerk = shop.caller("view_orders", "change_order_status")
    body = {"status": "P", "notify_user": "N"}
    assert clerk.put(f"orders/{id}", body).status_code == 200
    assert clerk.put(f"orders/{id}", {"status": "C", "notes": "x"}).status_code == 403
    assert till.record(id)["status"] == "P"
    assert clerk.delete(f"orders/{id}").status_code == 403
    assert clerk.post("orders", till.body()).status_code == 403
    manager = shop.caller("manage_orders")
    assert manager.put(f"orders/{id}", {"status": "C", "notes": "x"}).status_code == 200
    assert manager.delete(f"orders/{id}").status_code == 204
    editor = shop.caller("edit_order", company_id=shop.other_store)
    assert editor.put(f"orders/{till.order()}", {"status": "P"}).status_code == 404


def test_vendors_change_their_own_orders(shop: Shop, till: Till) -> None:
    courier = till.common("shippings", rates={"1": {"rate_value": {"C": {"0": 2}}}})
    products = {str(till.net()): {"amount": 1}}
    own = till.order(products=products, shipping_id=courier,
                     payment_id=till.common("payments"))  # fmt: skip
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    body = {"status": "P", "notify_vendor": "Y", "notes": "mine"}
    assert vendor.put(f"orders/{own}", body).status_code == 200
    (waiting,) = shop.database.read(waiting_notifications)
    assert (waiting.receiver, waiting.company_id) == ("vendor", shop.vendor)
    assert vendor.put(f"orders/{till.order()}", body).status_code == 404
    assert vendor.delete(f"orders/{own}").status_code == 403


def test_vendors_name_payment_methods_that_they_see(shop: Shop, till: Till) -> None:
    """spec/protocol.md, section 12: of their own, and those of company 0."""
    courier = till.common("shippings", rates={"1": {"rate_value": {"C": {"0": 2}}}})
    products = {str(till.net()): {"amount": 1}}
    id = till.order(products=products, shipping_id=courier)
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    path, more = f"orders/{id}", {"payment": "Invoice", "company_id": shop.store}
    other = till.made("payments", "payment_id", **more)
    before = shop.everything()
    answer = vendor.put(path, {"payment_id": other})
    assert answer.status_code == 400
    assert [e["field"] for e in answer.get_json()["errors"]] == ["payment_id"]
    assert shop.everything() == before
    # What the order has is not judged again.
    same = {"payment_id": till.payment, "notes": "x"}
    assert vendor.put(path, same).status_code == 200
    for company_id in (0, shop.vendor):
        more["company_id"] = company_id
        mine = till.made("payments", "payment_id", **more)
        assert vendor.put(path, {"payment_id": mine}).status_code == 200
    assert shop.root.put(path, {"payment_id": other}).status_code == 200


def test_etags_meet_changes(shop: Shop, till: Till) -> None:
    id = till.order()
    tag = shop.root.get(f"orders/{id}").headers["ETag"]
    headers = {"If-Match": tag}
    first = shop.root.put(f"orders/{id}", {"notes": "a"}, headers=headers)
    second = shop.root.put(f"orders/{id}", {"notes": "b"}, headers=headers)
    assert (first.status_code, second.status_code) == (200, 412)
