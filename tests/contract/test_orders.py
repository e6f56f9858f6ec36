"""Making, reading and deleting orders (spec/entities/orders.md, sections 2, 4, 5)."""

from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import pytest
from flask import Flask

from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.models import OrderStatusChange
from tests.orders import GUEST_DATA, Till, differences, listed, make_user
from tests.shop import Caller, Shop
from tests.wares import make_combination, make_option, stock


@pytest.fixture
def till(shop: Shop) -> Iterator[Till]:
    """A shop that can sell; what it keeps of its orders is right at the end."""
    yield Till(shop)
    assert differences(shop) == []


def refused(till: Till, **changes: Any) -> dict[str, str]:
    """What is wrong with a payload, by field; nothing was written."""
    before = till.shop.everything()
    answer = till.shop.root.post("orders", till.body(**changes))
    assert answer.status_code == 400, answer.get_data(as_text=True)
    assert till.shop.everything() == before
    body = answer.get_json()
    assert body.get("errors"), body
    return {each["field"]: each["message"] for each in body["errors"]}


def key(*numbers: Any) -> str:
    return str(crc32("_".join(map(str, numbers)).encode()))


# The record


def test_the_worked_example(shop: Shop, till: Till) -> None:
    """Section 4: the figures of order 1042, and the forms of all of them."""
    record = till.record(till.order(notes="Leave at the boathouse"))
    figures = {
        "total": "116.96", "subtotal": 109, "display_subtotal": 109,
        "discount": "0.00", "subtotal_discount": "0.00", "payment_surcharge": "1.46",
        "shipping_cost": "6.50", "display_shipping_cost": "6.50", "tax_subtotal": 0,
        "status": "O", "user_id": "0", "profile_id": "0", "is_parent_order": "N",
        "parent_order_id": "0", "company_id": str(shop.store), "tax_exempt": "N",
        "issuer_id": str(shop.root.user_id), "notes": "Leave at the boathouse",
        "details": "", "shipping_ids": str(till.shipping), "need_shipping": True,
        "need_shipment": True, "shipment_ids": [], "promotions": [], "fields": [],
        "promotion_ids": "", "invoice_id": None, "credit_memo_id": None,
        "doc_ids": [], "repaid": "0", "payment_info": [], "lang_code": "en",
        "secondary_currency": "USD", "ip_address": "127.0.0.1", "points": None,
        "localization_id": "0", "validation_code": "", "firstname": "Mira",
        "lastname": "Kessler", "email": "mira@example.com", "phone": "",
        "b_country_descr": "United States", "s_state_descr": "New Hampshire",
    }  # fmt: skip
    assert {name: record[name] for name in figures} == figures
    assert record["timestamp"] == record["updated_at"]
    lantern, blanket = key(till.lantern), key(till.blanket)
    assert record["taxes"] == {
        str(till.tax): {
            "description": "VAT 20%", "rate_type": "P", "rate_value": "20.000",
            "price_includes_tax": "Y", "regnumber": "NP-77", "priority": 0,
            "tax_subtotal": 19.25,
            "applies": {
                "P": 18.17, "S": 1.08,
                "items": {"P": {lantern: True, blanket: True},
                          "S": {str(till.shipping): True}},
            },
        }
    }  # fmt: skip
    assert list(record["products"]) == [lantern, blanket]
    assert record["products"][lantern] == {
        "item_id": lantern, "cart_id": lantern, "order_id": record["order_id"],
        "product_id": str(till.lantern), "product_code": "", "amount": "2",
        "product": "Trail Lantern", "product_status": "A", "deleted_product": False,
        "price": "24.50", "base_price": 24.5, "original_price": 24.5, "discount": 0,
        "tax_value": 0, "subtotal": 49, "display_subtotal": 49, "shipped_amount": 0,
        "shipment_amount": "2", "is_accessible": True, "shared_product": False,
        "company_id": str(shop.store), "main_pair": [],
        "extra": {
            "product_options": [], "product_options_value": [], "is_edp": "N",
            "product": "Trail Lantern", "company_id": str(shop.store),
            "edp_shipping": "N", "unlimited_download": "N", "discount": 0,
            "base_price": 24.5, "stored_price": "N",
        },
    }  # fmt: skip
    chosen = {
        "shipping_id": str(till.shipping), "shipping": "Harbour Courier",
        "delivery_time": "1-2 days", "rate_calculation": "M", "destination": "I",
        "min_weight": "0.00", "max_weight": "0.00", "service_id": "0",
        "service_code": None, "module": None, "service_params": [], "rate_info": [],
        "rate": 6.5, "group_key": 0, "group_name": "Harbour Shop",
    }  # fmt: skip
    assert record["shipping"] == [{**chosen, "need_shipment": True}]
    (group,) = record["product_groups"]
    assert group["chosen_shippings"] == [chosen]
    assert list(group["products"]) == [lantern, blanket]
    assert (group["name"], group["company_id"]) == ("Harbour Shop", shop.store)
    info = group["package_info"]
    assert (info["C"], info["W"], info["I"]) == (109, "3.100", 3)
    assert info["location"]["city"] == "Portsmouth"
    assert info["packages"][0]["amount"] == 3
    method = record["payment_method"]
    assert (method["payment"], method["a_surcharge"]) == ("Card at pickup", "0.300")
    assert (method["processor_status"], method["processor_params"]) == (None, "")
    assert "api_key" not in record


def test_answers_of_both_versions(shop: Shop, till: Till) -> None:
    old = shop.root.post(f"/api/stores/{shop.store}/orders", till.body())
    assert (old.status_code, type(old.get_json()["order_id"])) == (201, str)
    new = shop.root.post("orders", till.body())
    id = new.get_json()["order_id"]
    assert (new.status_code, type(id)) == (201, int)
    for version in ("1.0", "2.0"):
        answer = shop.root.put(f"/api/{version}/orders/{id}", {"notes": version})
        assert answer.get_json() == {"order_id": str(id)}
    plain = shop.root.put(
        f"/api/2.0/orders/{id}", data="notes=plain", content_type="text/plain"
    )
    assert plain.status_code == 200
    assert till.record(id)["notes"] == "plain"


def test_the_order_stays_when_the_catalogue_goes(shop: Shop, till: Till) -> None:
    id = till.order()
    before = till.record(id)
    for path in (
        f"products/{till.lantern}", f"payments/{till.payment}", f"taxes/{till.tax}",
        f"shippings/{till.shipping}",
    ):  # fmt: skip
        assert shop.root.delete(path).status_code == 204
    after = till.record(id)
    line = after["products"][key(till.lantern)]
    assert (line["product_status"], line["deleted_product"]) == ("", True)
    assert line["product"] == "Trail Lantern"
    for name in ("taxes", "payment_method", "shipping", "total"):
        assert after[name] == before[name]
    assert shop.root.delete(f"stores/{shop.store}").status_code == 400
    assert till.put(id, notes="still here")["total"] == before["total"]


# What is accepted


@pytest.mark.parametrize(
    "form",
    [
        lambda id: {str(id): {"amount": "3"}},
        lambda id: {"1": {"product_id": str(id), "amount": 3}},
        lambda id: [{"product_id": id, "amount": 3, "product_options": []}],
        lambda id: {"a": {"product_id": id, "amount": 1, "product_options": {}},
                    "b": {"product_id": id, "amount": "2", "price": "0.01"}},
    ],
)  # fmt: skip
def test_forms_of_lines(till: Till, form: Any) -> None:
    record = till.record(till.order(products=form(till.lantern)))
    (line,) = record["products"].values()
    assert (line["amount"], line["price"]) == ("3", "24.50")
    assert till.stock() == 7


@pytest.mark.parametrize("name", ["shipping_id", "shipping_ids"])
@pytest.mark.parametrize(
    "form",
    [lambda id: id, str, lambda id: {"0": str(id)}, lambda id: [id],
     lambda id: {"0": id, "7": id}],
)  # fmt: skip
def test_forms_of_shipping(till: Till, name: str, form: Any) -> None:
    body = till.body(shipping_id=None) | {name: form(till.shipping)}
    id = till.shop.root.post("orders", body).get_json()["order_id"]
    assert till.record(id)["shipping_ids"] == str(till.shipping)


def test_what_post_ignores(shop: Shop, till: Till) -> None:
    ignored = {"status": "C", "total": "1", "subtotal": "1", "discount": "x",
               "tax_exempt": "?", "timestamp": 5, "coupon_codes": ["A"],
               "repaid": "x", "strange": 1, "order_id": 3}  # fmt: skip
    record = till.record(till.order(**ignored))
    assert (record["status"], record["total"]) == ("O", "116.96")
    assert record["tax_exempt"] == "N"


def test_registered_customers_are_copied(shop: Shop, till: Till) -> None:
    customer = make_user(
        shop, firstname="Ida", lastname="Roth", email="ida@example.com", phone="555",
        b_city="Bern", b_country="CH", s_city="Basel", tax_exempt="Y",
    )  # fmt: skip
    record = till.record(till.order(user_id=customer, lang_code="DE"))
    copied = {
        "user_id": str(customer), "profile_id": str(customer), "firstname": "Ida",
        "lastname": "Roth", "email": "ida@example.com", "phone": "555",
        "b_city": "Bern", "s_city": "Basel", "b_country_descr": "Switzerland",
        "tax_exempt": "Y", "taxes": [], "lang_code": "de", "total": "116.96",
    }  # fmt: skip
    assert {name: record[name] for name in copied} == copied
    till.put(int(record["order_id"]), user_data={"firstname": "Eva", "phone": None})
    user = shop.root.get(f"users/{customer}").get_json()
    assert (user["firstname"], user["phone"]) == ("Ida", "555")
    changed = till.record(int(record["order_id"]))
    assert (changed["firstname"], changed["phone"]) == ("Eva", "")
    assert shop.root.delete(f"users/{customer}").status_code == 204
    assert till.record(int(record["order_id"]))["user_id"] == str(customer)


@pytest.mark.parametrize("data", ["x", {"email": "x"}, {"b_country": "USA"}])
def test_what_is_sent_of_a_registered_customer_does_not_count(
    shop: Shop, till: Till, data: Any
) -> None:
    """Section 2.1: not considered, so not judged either; below a user as well."""
    customer = make_user(shop, email="ida@example.com", b_city="Bern")
    body = till.body(user_id=customer, user_data=data, notify_user="maybe")
    del body["user_id"]
    for path, more in (
        ("orders", {"user_id": customer}),
        (f"users/{customer}/orders", {}),
    ):
        answer = shop.root.post(path, body | more)
        assert answer.status_code == 201, answer.get_data(as_text=True)
        record = till.record(answer.get_json()["order_id"])
        assert (record["email"], record["b_city"]) == ("ida@example.com", "Bern")


def test_countries_without_states_need_none(till: Till) -> None:
    """spec/clients.md 7.7; where a country has states, one is required."""
    there = {"b_country": "HK", "s_country": "hk", "b_state": "", "s_state": ""}
    record = till.record(till.order(user_data=GUEST_DATA | there))
    assert (record["s_country"], record["s_state"]) == ("HK", "")
    assert record["s_country_descr"] == "Hong Kong"
    there |= {"b_country": "US"}
    wrong = refused(till, user_data=GUEST_DATA | there)
    assert list(wrong) == ["user_data.b_state"]


def test_an_address_stands_for_the_other(till: Till) -> None:
    billing = {k: v for k, v in GUEST_DATA.items() if not k.startswith("s_")}
    fields = {"fields": {"7": "gold"}, "s_address_type": "residential"}
    record = till.record(till.order(user_data=billing | fields))
    assert (record["s_city"], record["s_zipcode"]) == ("Portsmouth", "03801")
    assert (record["fields"], record["s_address_type"]) == (
        {"7": "gold"},
        "residential",
    )
    shipping = {k: v for k, v in GUEST_DATA.items() if not k.startswith("b_")}
    record = till.record(till.order(user_data=shipping | {"firstname": "Bo"}))
    assert (record["b_address"], record["firstname"]) == ("18 Harbour Lane", "Bo")
    nothing = {"user_data": {"fields": {"password": "x"}}}
    assert till.put(int(record["order_id"]), **nothing)["fields"] == []


def test_options_and_combinations(shop: Shop, till: Till) -> None:
    shirt = till.product("Shirt", "10", tracking="O", amount=50)
    size, (small, medium) = make_option(shop, shirt, inventory="Y", required="Y")
    medium_hash = make_combination(
        shop, shirt, {size: medium}, amount=4, product_code="SH-M"
    )
    small_hash = make_combination(shop, shirt, {size: small}, amount=0)
    chosen = {"amount": 3, "product_options": {size: medium}}
    id = till.order(products={str(shirt): chosen})
    (line,) = till.record(id)["products"].values()
    assert line["item_id"] == key(shirt, medium)
    assert (line["price"], line["original_price"]) == ("12.50", 12.5)
    assert (line["base_price"], line["product_code"]) == (10, "SH-M")
    assert line["product_options"] == [
        {"option_id": size, "option_name": "Size", "option_type": "S",
         "value": medium, "variant_name": "M", "modifier": "2.50",
         "modifier_type": "A"}
    ]  # fmt: skip
    assert line["extra"]["product_options"] == {size: medium}
    assert (stock(shop, shirt, medium_hash), stock(shop, shirt)) == (1, 50)
    wrong = refused(till, products={str(shirt): {"amount": 1}})
    assert list(wrong) == [f"products.{shirt}.product_options.{size}"]
    till.put(id, status="I")
    assert stock(shop, shirt, medium_hash) == 4
    # Sent as the record shows them, options find the line that stands.
    sent = [
        {"product_id": shirt, "amount": 1, "product_options": line["product_options"]}
    ]
    (line,) = till.put(id, products=sent, status="O")["products"].values()
    assert (line["amount"], line["price"]) == ("1", "12.50")
    assert stock(shop, shirt, medium_hash) == 3
    # Another choice is another line.
    shop.root.put(f"combinations/{small_hash}", {"amount": 5})
    sent[0]["product_options"] = {size: small}
    (line,) = till.put(id, products=sent)["products"].values()
    assert (line["item_id"], line["price"]) == (key(shirt, small), "10.00")
    assert [stock(shop, shirt, n) for n in (medium_hash, small_hash)] == [4, 4]


def test_quantity_prices_of_the_buyers_group(shop: Shop, till: Till) -> None:
    prices = [
        {"lower_limit": 3, "price": "20", "usergroup_id": 0},
        {"lower_limit": 1, "price": "15", "usergroup_id": 2},
    ]
    mug = till.product("Cup", "25", prices=prices)
    guest = till.order(products={str(mug): {"amount": 3}})
    assert till.record(guest)["subtotal"] == 60
    user = make_user(shop)
    registered = till.order(user_id=user, products={str(mug): {"amount": 1}})
    assert till.record(registered)["subtotal"] == 15


def test_taxes_on_top_and_on_the_surcharge(shop: Shop, till: Till) -> None:
    """Sections 2.4 to 2.6: what is shown of them, and that the parts add up."""
    vat = till.made("taxes", "tax_id", tax="VAT", display_including_tax="Y",
                    rates={"1": "12.5"})  # fmt: skip
    fee = till.made("payments", "payment_id", payment="Fee", company_id=shop.store,
                    a_surcharge="2", tax_ids=[vat])  # fmt: skip
    cup = till.product("Cup", "10.60", tax_ids=[vat])
    record = till.record(till.order(products={str(cup): {"amount": 1}}, payment_id=fee))
    tax, (line,) = record["taxes"][str(vat)], record["products"].values()
    parts = {"P": 1.33, "S": 0, "PS": 0.25}
    items = {"P": {key(cup): True}, "S": [], "PS": {str(fee): True}}
    assert tax["applies"] == {**parts, "items": items}
    assert (tax["tax_subtotal"], record["tax_subtotal"]) == (1.58, 1.58)
    assert (line["tax_value"], line["display_subtotal"]) == (1.33, 11.93)
    assert (line["subtotal"], record["display_subtotal"]) == (10.6, 11.93)
    # 10.60 + 9.00 + 1.58 + 2.00
    assert record["total"] == "23.18"


def test_lines_show_the_product_as_it_is_now(shop: Shop, till: Till) -> None:
    there = shop.make_category("There", company_id=shop.other_store)
    image = {"detailed": {"image_path": "https://example.com/a.png", "alt": "A"}}
    shared = till.product("Rope", "5", company_id=shop.other_store, main_pair=image,
                          category_ids=[there], shared_product="Y")  # fmt: skip
    id = till.order(products={str(shared): {"amount": 1}})
    clerk = shop.caller("view_orders", company_id=shop.store)
    record = clerk.get(f"orders/{id}").get_json()
    (line,) = record["products"].values()
    assert (line["shared_product"], line["is_accessible"]) == (True, True)
    assert (line["company_id"], record["company_id"]) == (
        str(shop.other_store),
        str(shop.store),
    )
    assert line["main_pair"]["detailed"]["alt"] == "A"
    shop.root.put(f"products/{shared}", {"shared_product": "N", "status": "D"})
    (line,) = clerk.get(f"orders/{id}").get_json()["products"].values()
    assert (line["shared_product"], line["is_accessible"]) == (False, False)
    assert line["product_status"] == "D"


def test_sums_that_no_column_holds(till: Till) -> None:
    """Whatever they come from: prices, freight, or taxes."""
    fixed = {"1": {"rate_value": "999999999", "rate_type": "F"}}
    tax = till.made("taxes", "tax_id", tax="Toll", rates=fixed)
    for number, more in enumerate(
        ({"price": "9999999999.99"}, {"shipping_freight": "9999999999.99"},
         {"tax_ids": [tax]})
    ):  # fmt: skip
        id = till.product(f"Gold {number}", **{"price": "1", "tracking": "D", **more})
        lines = [{"product_id": id, "amount": 1_000_000}]
        assert list(refused(till, products=lines)) == ["products"]
        order = till.order(products={str(id): {"amount": 1}})
        answer = till.shop.root.put(f"orders/{order}", {"products": lines})
        assert answer.get_json()["errors"][0]["field"] == "products"


def test_downloads_need_no_shipping(till: Till) -> None:
    song = till.product("Song", "5", is_edp="Y", tracking="D")
    data = {k: v for k, v in GUEST_DATA.items() if not k.startswith("s_")}
    body = {"products": {str(song): {"amount": 1}}, "user_data": data}
    record = till.record(till.order(**body, shipping_id=None))
    assert (record["need_shipping"], record["need_shipment"]) == (False, False)
    assert (record["shipping"], record["shipping_ids"]) == ([], "")
    assert record["product_groups"][0]["shipping_no_required"] is True


def test_payment_data_is_masked(till: Till) -> None:
    info = {"card_number": "4111 1111 1111 1111", "cvv2": "123", "card": "visa",
            "customer_phone": "+4912345", "memo": "use 4111111111111111"}  # fmt: skip
    id = till.order(payment_info=info)
    hidden = {"card_number": "XXXX XXXX XXXX 1111", "cvv2": "XXX", "card": "visa",
              "customer_phone": "+4912345", "memo": "use XXXXXXXXXXXX1111"}  # fmt: skip
    assert till.record(id)["payment_info"] == hidden
    assert "4111111111" not in repr(till.shop.everything())
    kept = {k: v for k, v in hidden.items() if k in ("customer_phone", "memo")}
    assert till.put(id, status="P")["payment_info"] == kept


# Money, as spec/pitfalls.md wants it


def test_ten_pieces_cost_ten_times_one(till: Till) -> None:
    rope = till.product("Rope", "14.31", tax_ids=[])
    record = till.record(till.order(products={str(rope): {"amount": "10"}}))
    (line,) = record["products"].values()
    assert (line["price"], line["subtotal"], record["subtotal"]) == (
        "14.31",
        143.1,
        143.1,
    )


def test_parts_of_taxes_add_up_to_their_total(till: Till) -> None:
    """4 % and 5 % of 14.70 are 0.588 and 0.735."""
    taxes = [
        till.made("taxes", "tax_id", tax=f"{rate} %", rates={"1": rate})
        for rate in (4, 5)
    ]
    net = till.product("Net", "14.70", tax_ids=taxes)
    record = till.record(till.order(products={str(net): {"amount": 1}}))
    parts = [record["taxes"][str(id)]["tax_subtotal"] for id in taxes]
    assert (parts, record["tax_subtotal"]) == ([0.59, 0.74], 1.33)
    # 14.70 + 9.00 + 1.33, and 0.30 + 1 % of them.
    assert (record["payment_surcharge"], record["total"]) == ("0.55", "25.58")


def test_many_small_pieces_are_exact(till: Till) -> None:
    pin = till.product("Pin", "0.07", amount=2000, tax_ids=[])
    record = till.record(till.order(products={str(pin): {"amount": 1111}}))
    assert record["subtotal"] == 77.77


def test_a_surcharge_of_one_per_cent_is_rounded_up(till: Till) -> None:
    """Section 5.2: 1 % of 100.50 is 1.01, not 1.00."""
    fee = till.common("payments", p_surcharge="1")
    song = till.product("Song", "100.50", is_edp="Y", tax_ids=[])
    body = {"products": {str(song): {"amount": 1}}, "payment_id": fee}
    assert till.record(till.order(**body))["payment_surcharge"] == "1.01"


def test_rules_of_taxes_count_when_an_order_is_reckoned_anew(till: Till) -> None:
    """spec/entities/taxes.md, rules 5.3.2 and 5.3.3."""
    shop, id = till.shop, till.order()
    before = till.record(id)
    change = {"price_includes_tax": "N", "rates": {"1": 10}}
    assert shop.root.put(f"taxes/{till.tax}", change).status_code == 200
    assert till.record(id) == before
    after = till.put(id, subtotal_discount="9")
    tax = after["taxes"][str(till.tax)]
    # 10 % of 100.00 and of 6.50, on top.
    assert (tax["price_includes_tax"], tax["rate_value"]) == ("N", "10.000")
    assert (tax["applies"]["P"], tax["applies"]["S"]) == (10, 0.65)
    assert after["tax_subtotal"] == 10.65


# What is refused


@pytest.mark.parametrize(
    "amount", ["-2", "0", "1.5", "1e3", "NaN", "1_0", 1.9, "", None]
)
def test_bad_amounts(till: Till, amount: Any) -> None:
    wrong = refused(till, products={str(till.lantern): {"amount": amount}})
    assert list(wrong) == [f"products.{till.lantern}.amount"]


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"products": {}}, ["products"]),
        ({"products": "x"}, ["products"]),
        ({"products": {"999999": {"amount": 1}}}, ["products.999999.product_id"]),
        ({"payment_id": None}, ["payment_id"]),
        ({"payment_id": 999999}, ["payment_id"]),
        ({"payment_id": "x", "user_id": -1, "shipping_id": "y"},
         ["user_id", "payment_id", "shipping_id"]),
        ({"shipping_id": None}, ["shipping_id"]),
        ({"shipping_id": 999999}, ["shipping_id"]),
        ({"shipping_id": {"1": 5}}, ["shipping_id"]),
        ({"user_id": 999999}, ["user_id"]),
        ({"user_data": {}}, ["user_id"]),
        ({"user_data": "x"}, ["user_data"]),
        ({"user_data": {**GUEST_DATA, "email": "x", "b_country": "USA",
                        "s_address_type": "tent"}},
         ["user_data.email", "user_data.b_country", "user_data.s_address_type"]),
        ({"user_data": {"email": "a@example.com", "b_city": "X", "s_city": "Y"}},
         [f"user_data.{side}_{part}" for side in "bs" for part in
          ("firstname", "lastname", "address", "state", "country", "zipcode")]),
        ({"company_id": 999999}, ["company_id"]),
        ({"company_id": 0}, ["company_id"]),
        ({"lang_code": "xx"}, ["lang_code"]),
        ({"payment_info": "4111111111111111"}, ["payment_info"]),
        ({"notes": {"a": 1}}, ["notes"]),
    ],
)  # fmt: skip
def test_refused_payloads(till: Till, changes: Any, fields: list[str]) -> None:
    assert list(refused(till, **changes)) == fields


def test_missing_fields_are_named_together(till: Till) -> None:
    answer = till.shop.root.post("orders", {"notes": "x", "user_data": {"email": "x"}})
    named = [each["field"] for each in answer.get_json()["errors"]]
    assert (answer.status_code, named) == (
        400,
        ["payment_id", "products", "user_data.email"],
    )


def test_products_that_are_not_sold(shop: Shop, till: Till) -> None:
    foreign = till.product("Net", "5", company_id=shop.other_store, category_ids=[
        shop.make_category("Nets", company_id=shop.other_store)])  # fmt: skip
    disabled = till.product("Old", "5", status="D")
    few = till.product("Rare", "5", min_qty=2, max_qty=4, qty_step=2)
    for id, amount, tail in (
        (foreign, 1, "product_id"), (disabled, 1, "product_id"), (few, 1, "amount"),
        (few, 5, "amount"), (few, 3, "amount"),
    ):  # fmt: skip
        wrong = refused(till, products={str(id): {"amount": amount}})
        assert list(wrong) == [f"products.{id}.{tail}"]
    hidden = till.product("Secret", "5", status="H")
    till.order(products={str(hidden): {"amount": 1}})


def test_the_stock_is_all_there_is(shop: Shop, till: Till) -> None:
    before = shop.everything()
    body = till.body(products={str(till.lantern): {"amount": 11},
                               str(till.blanket): {"amount": 1}})  # fmt: skip
    answer = shop.root.post("orders", body)
    assert answer.status_code == 400
    assert "Trail Lantern" in answer.get_json()["message"]
    assert shop.everything() == before
    back = till.product("Back", "5", amount=1, out_of_stock_actions="B")
    till.order(products={str(back): {"amount": 3}})
    assert till.stock(back) == -2
    free = till.product("Free", "5", amount=1, tracking="D")
    till.order(products={str(free): {"amount": 3}})
    assert till.stock(free) == 1


def test_methods_of_other_stores_and_places(shop: Shop, till: Till) -> None:
    other = till.made(
        "payments", "payment_id", payment="X", company_id=shop.other_store
    )
    assert list(refused(till, payment_id=other)) == ["payment_id"]
    free = {"1": {"rate_value": []}}
    heavy = till.common("shippings", min_weight="50", rates=free)
    unpriced = till.common("shippings")
    for id in (heavy, unpriced):
        assert list(refused(till, shipping_id=id)) == ["shipping_id"]


# Vendors


def test_products_of_several_vendors(shop: Shop, till: Till) -> None:
    nets = till.net()
    rates = {"1": {"rate_value": {"C": {"0": 2}}}}
    courier = till.common("shippings", tax_ids=[till.tax], rates=rates)
    products = [
        {"product_id": nets, "amount": 2},
        {"product_id": till.lantern, "amount": 1},
    ]
    payment = till.common("payments", a_surcharge="1", p_surcharge="10")
    parent = till.order(products=products, payment_id=payment,
                        shipping_id={"0": courier, "1": till.shipping})  # fmt: skip
    record = till.record(parent)
    assert (record["is_parent_order"], record["status"]) == ("Y", "T")
    assert record["company_id"] == "0"
    first, second = sorted(listed(shop, f"parent_order_id={parent}"))
    net, lamp = till.record(first), till.record(second)
    assert (net["company_id"], lamp["company_id"]) == (
        str(shop.vendor),
        str(shop.store),
    )
    # 20.00 + 2.00, 1.00 and 10 % of 22.00; 24.50 + 9.00, 10 % of 33.50.
    assert (net["payment_surcharge"], net["total"]) == ("3.20", "25.20")
    assert (lamp["payment_surcharge"], lamp["total"]) == ("3.35", "36.85")
    assert (record["total"], record["subtotal"]) == ("62.05", 44.5)
    assert list(record["products"]) == [*net["products"], *lamp["products"]]
    assert [g["group_name"] for g in record["shipping"]] == [
        "Nets & Co",
        "Harbour Shop",
    ]
    assert [g["group_key"] for g in record["shipping"]] == [0, 1]
    assert record["taxes"][str(till.tax)]["tax_subtotal"] == 5.91
    assert (till.stock(nets), till.stock()) == (3, 9)
    assert parent not in listed(shop)


def test_parents_follow_and_lead_their_orders(shop: Shop, till: Till) -> None:
    nets = till.net()
    courier = till.common("shippings", rates={"1": {"rate_value": {"C": {"0": 2}}}})
    products = [
        {"product_id": nets, "amount": 2},
        {"product_id": till.lantern, "amount": 1},
    ]
    payment = till.common("payments")
    parent = till.order(products=products, payment_id=payment, shipping_id=courier)
    first, second = sorted(listed(shop, f"parent_order_id={parent}"))
    till.put(second, products={str(till.lantern): {"amount": 2}})
    total = float(till.record(first)["total"]) + float(till.record(second)["total"])
    assert float(till.record(parent)["total"]) == total
    till.put(parent, status="I", notes="cancel")
    assert [till.record(id)["status"] for id in (parent, first, second)] == [
        "T",
        "I",
        "I",
    ]
    assert till.record(second)["notes"] == "cancel"
    assert (till.stock(nets), till.stock()) == (5, 10)
    answer = shop.root.put(f"orders/{parent}", {"products": [], "total": 5})
    assert [e["field"] for e in answer.get_json()["errors"]] == ["products", "total"]
    assert shop.root.delete(f"orders/{parent}").status_code == 204
    assert shop.root.get(f"orders/{first}").status_code == 404


def test_a_parent_goes_with_its_last_order(shop: Shop, till: Till) -> None:
    rates = {"1": {"rate_value": {"C": {"0": 2}}}}
    products = [
        {"product_id": till.net(), "amount": 2},
        {"product_id": till.lantern, "amount": 1},
    ]
    parent = till.order(
        products=products,
        payment_id=till.common("payments"),
        shipping_id=till.common("shippings", rates=rates),
    )
    first, second = sorted(listed(shop, f"parent_order_id={parent}"))
    assert shop.root.delete(f"orders/{first}").status_code == 204
    assert till.record(parent)["total"] == till.record(second)["total"]
    assert shop.root.delete(f"orders/{second}").status_code == 204
    assert shop.root.get(f"orders/{parent}").status_code == 404


def test_one_vendor_needs_no_parent(shop: Shop, till: Till) -> None:
    nets = till.net()
    rates = {"1": {"rate_value": {"C": {"0": 2}}}}
    everyones = till.common("shippings", rates=rates)
    body = {"products": {str(nets): {"amount": 1}}, "shipping_id": everyones}
    record = till.record(till.order(**body))
    assert (record["company_id"], record["is_parent_order"]) == (str(shop.vendor), "N")
    # Below a store, only what the store sells itself.
    answer = shop.root.post(f"stores/{shop.store}/orders", till.body(**body))
    assert answer.status_code == 400


# Who may


def test_companies_of_callers_and_paths(shop: Shop, till: Till) -> None:
    admin = shop.caller("create_order", company_id=shop.store)
    id = till.order(admin, company_id=shop.other_store)
    record = till.record(id)
    assert record["company_id"] == str(shop.store)
    assert record["issuer_id"] == str(admin.user_id)
    body = till.body(company_id=shop.other_store)
    answer = shop.root.post(f"stores/{shop.store}/orders", body)
    below = till.record(answer.get_json()["order_id"])
    assert below["company_id"] == str(shop.store)
    user = make_user(shop, company_id=shop.other_store)
    answer = shop.root.post(f"users/{user}/orders", till.body(user_id=77))
    assert till.record(answer.get_json()["order_id"])["user_id"] == str(user)
    assert admin.post("orders", till.body(user_id=user)).status_code == 201
    stranger = make_user(shop, company_id=shop.other_store)
    strangers = admin.post("orders", till.body(user_id=stranger))
    assert strangers.get_json()["errors"][0]["field"] == "user_id"
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    assert vendor.post("orders", till.body()).status_code == 403


def test_keys_repeat_an_order(shop: Shop, till: Till) -> None:
    headers = {"Idempotency-Key": "k1"}
    body = till.body()
    first = shop.root.post("orders", body, headers=headers).get_json()
    assert shop.root.post("orders", body, headers=headers).get_json() == first
    assert (till.stock(), len(listed(shop))) == (8, 1)
    other = shop.root.post("orders", till.body(notes="x"), headers=headers)
    assert other.status_code == 422
    bad = {"Idempotency-Key": "k2"}
    wrong = shop.root.post("orders", till.body(payment_id=99999), headers=bad)
    assert wrong.status_code == 400
    assert shop.root.post("orders", body, headers=bad).status_code == 201


# Deletion


def test_deleting_gives_the_stock_back(shop: Shop, till: Till) -> None:
    id = till.order()
    till.put(id, status="P")
    assert till.stock() == 8
    assert shop.root.delete(f"orders/{id}").status_code == 204
    assert (till.stock(), till.stock(till.blanket)) == (10, 10)
    assert shop.root.get(f"orders/{id}").status_code == 404
    cancelled = till.order()
    assert cancelled > id
    till.put(cancelled, status="I")
    shop.root.delete(f"orders/{cancelled}")
    assert till.stock() == 10
    left = shop.everything()
    for table in ("items", "taxes", "shippings", "invoices", "status_changes"):
        assert left[f"order_{table}"] == left["orders"] == []


def test_steps_are_kept(shop: Shop, till: Till) -> None:
    id = till.order()
    till.put(id, status="P")
    till.put(id, status="P")
    till.put(id, status="I")

    def read(db: Transaction) -> list[Any]:
        table = table_of(OrderStatusChange)
        found = db.execute(table.select().order_by(table.c.change_id))
        return [(r.status_before, r.status_after, r.user_id) for r in found]

    me = shop.root.user_id
    steps = shop.database.write(read)
    assert steps == [("", "O", me), ("O", "P", me), ("P", "I", me)]


# What other entities know of orders


def test_products_know_their_orders(
    shop: Shop, till: Till, make_app: Callable[..., Flask]
) -> None:
    """Products.md: `order_ids`, `sales_amount`; each asks for orders it may read."""
    customer = shop.caller(user_type="C")
    other = till.order()
    own = till.order(
        user_id=customer.user_id, products={str(till.blanket): {"amount": 3}}
    )

    def found(caller: Caller, ids: str) -> list[str]:
        query = f"products?order_ids={ids}&sort_by=product_id"
        return [each["product_id"] for each in caller.get(query).get_json()["products"]]

    both = [str(till.lantern), str(till.blanket)]
    assert found(shop.root, str(own)) == both[1:]
    assert found(shop.root, f"{own},{other}") == both
    reading = ("view_catalog", "view_orders")
    assert found(shop.caller(*reading), str(own)) == both[1:]
    assert found(shop.caller("view_catalog"), str(own)) == []
    assert found(shop.caller(*reading, company_id=shop.other_store), str(own)) == []
    customer.client = make_app(api_allow_customer=True).test_client()
    assert found(customer, f"{own},{other}") == both[1:]
    customer.key = ""
    assert found(customer, f"{own},{other}") == []
    path = f"products/{till.blanket}"
    assert shop.root.get(path).get_json()["sales_amount"] == "4"
    till.put(own, status="I")
    assert shop.root.get(path).get_json()["sales_amount"] == "1"
