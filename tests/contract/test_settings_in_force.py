"""Settings that act, on the next request of every process, and those that do not.

Source: spec/entities/settings.md, rule 3.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from storeapi import setting_value
from storeapi.rules.notifications import waiting_notifications
from storeapi.rules.store_settings import COMPANY_DATA_SETTINGS, SETTINGS
from tests.orders import GUEST_DATA, Till
from tests.settings import as_of, put, value
from tests.shop import Caller, Shop

KEPT = {
    "use_email_as_login": "N", "inventory_tracking": "N", "allow_negative_amount": "Y",
    "date_format": "%d.%m.%Y", "min_order_amount": "1000.00", "default_country": "DE",
    "tax_calculation": "unit_price", "default_state": "BY", "default_zipcode": "80331",
    "mailer_send_method": "smtp", "mailer_smtp_host": "mail.example",
    "mailer_smtp_port": "587", "mailer_smtp_auth": "Y", "mailer_smtp_username": "shop",
    "mailer_smtp_password": "harbour light",
}  # fmt: skip
"""Settings that do nothing here, with other values than the usual ones."""


# What acts


def page_size(_shop: Shop, other: Caller) -> Any:
    return other.get("languages").get_json()["params"]["items_per_page"]


def language(shop: Shop, other: Caller) -> Any:
    return other.get(f"products/{shop.make_product()}").get_json()["lang_code"]


def day_of_night(shop: Shop, other: Caller) -> Any:
    """Whether 15:30 of the 14th in UTC is a time of the 15th."""
    shop.make_product(timestamp=1_699_975_800)
    answer = other.get("products?time_from=2023-11-15&time_to=2023-11-15")
    return answer.headers["X-Total-Count"] != "0"


def tracking(shop: Shop, other: Caller) -> Any:
    body = {"product": "Mug", "category_ids": [shop.category]}
    id = other.post("products", body).get_json()["product_id"]
    return shop.root.get(f"products/{id}").get_json()["tracking"]


def review(shop: Shop, other: Caller) -> Any:
    """What a visitor has posted on a product that nobody has written about."""
    guest = Caller(other.client, 0, "", "")
    path = f"products/{shop.make_product()}/discussions"
    post = guest.post(path, {"message": "Fine", "rating_value": 5}).get_json()
    return shop.root.get(f"discussions/{post['post_id']}").get_json()


def approval(shop: Shop, other: Caller) -> Any:
    return review(shop, other)["status"]


def thread_type(shop: Shop, other: Caller) -> Any:
    return review(shop, other)["type"]


def company_fax(shop: Shop, other: Caller) -> Any:
    path = f"stores/{shop.store}/settings?name=company_fax"
    return other.get(path).get_json()["settings"][0]["value"]


def order_language(shop: Shop, other: Caller) -> Any:
    id = other.post("orders", Till(shop).body()).get_json()["order_id"]
    return shop.root.get(f"orders/{id}").get_json()["lang_code"]


@pytest.mark.parametrize(
    ("name", "sent", "probe", "usual", "then"),
    [
        ("admin_elements_per_page", 3, page_size, 10, 3),
        ("backend_default_language", "de", language, "en", "de"),
        ("timezone", "Asia/Tokyo", day_of_night, False, True),
        ("default_tracking", "D", tracking, "B", "D"),
        ("approve_automatically", "Y", approval, "D", "A"),
        ("product_comment_type", "R", thread_type, "B", "R"),
        ("company_fax", "100", company_fax, "", "100"),
        ("frontend_default_language", "de", order_language, "en", "de"),
    ],
)
def test_values_act_in_every_process(
    shop: Shop,
    make_app: Callable[..., Flask],
    name: str,
    sent: Any,
    probe: Callable[[Shop, Caller], Any],
    usual: Any,
    then: Any,
) -> None:
    """Written at one server, they are in force at another one; so is their removal."""
    other = as_of(make_app(api_allow_customer=True), shop.root)
    assert probe(shop, other) == usual
    for written, expected in ((sent, then), (None, usual)):
        assert put(shop, name, written).status_code == 200
        assert probe(shop, other) == expected


def test_orders_leave_from_the_address_in_force(shop: Shop) -> None:
    """Company data that a store leaves empty are those of the shop."""
    till = Till(shop)

    def origination() -> Any:
        (group,) = till.record(till.order())["product_groups"]
        found = group["package_info"]["origination"]
        return [found[name] for name in ("name", "city", "phone")]

    assert origination() == ["Harbour Shop", "", ""]
    for name, shops in (("company_name", "Harbour & Hearth"), ("company_city", "Faro")):
        assert put(shop, name, shops).status_code == 200
    put(shop, "company_city", "Lisbon", company_id=shop.other_store)
    assert origination() == ["Harbour & Hearth", "Faro", ""]
    shop.root.put(f"stores/{shop.store}", {"company_city": "Porto"})
    assert origination() == ["Harbour & Hearth", "Porto", ""]


def test_the_orders_department_in_force_is_told(shop: Shop) -> None:
    till = Till(shop)

    def told() -> str:
        till.put(till.order(), status="C", notify_department="Y")
        return shop.database.read(waiting_notifications)[-1].email

    assert told() == shop.root.get(f"stores/{shop.store}").get_json()["email"]
    put(shop, "company_orders_department", "all@example.com")
    assert told() == "all@example.com"
    put(shop, "company_orders_department", "own@example.com", company_id=shop.store)
    assert told() == "own@example.com"


def test_plug_ins_read_what_is_in_force(shop: Shop) -> None:
    """`setting_value`, for company data too: of a store, a vendor, the whole shop."""

    def found() -> list[str]:
        fax, companies = (
            COMPANY_DATA_SETTINGS["company_fax"],
            (0, shop.store, shop.vendor),
        )
        return [
            shop.database.read(
                lambda db, id=id: setting_value(db, shop.settings, fax, id)
            )
            for id in companies
        ]

    assert found() == ["", "", ""]
    put(shop, "company_fax", "100")
    assert found() == ["100", "100", "100"]
    put(shop, "company_fax", "200", company_id=shop.store)
    assert found() == ["100", "200", "100"]


def test_orders_speak_the_language_of_their_storefront(shop: Shop) -> None:
    """spec/entities/orders.md, 2.1: by default the store's default language."""
    till = Till(shop)
    body = {"product": "Laterne", "lang_code": "de"}
    shop.root.put(f"products/{till.lantern}", body)

    def spoken(**more: Any) -> tuple[str, str]:
        record = till.record(till.order(**more))
        return record["lang_code"], next(iter(record["products"].values()))["product"]

    put(shop, "frontend_default_language", "de", company_id=shop.other_store)
    assert spoken() == ("en", "Trail Lantern")
    put(shop, "frontend_default_language", "de")
    assert spoken() == ("de", "Laterne")
    assert spoken(lang_code="en") == ("en", "Trail Lantern")
    put(shop, "frontend_default_language", "en", company_id=shop.store)
    assert spoken() == ("en", "Trail Lantern")


def test_without_its_language_a_storefront_speaks_the_default_one(shop: Shop) -> None:
    till = Till(shop)
    put(shop, "backend_default_language", "de")
    assert shop.root.delete("languages/en").status_code == 204
    assert till.record(till.order())["lang_code"] == "de"


# What does not


def test_what_is_only_kept_changes_no_order(shop: Shop) -> None:
    """The rules are those of products.md (12), taxes.md (7.2) and orders.md (2.2)."""
    till = Till(shop)
    for name, sent in KEPT.items():
        assert put(shop, name, sent).status_code == 200
    record = till.record(till.order())
    assert (record["total"], record["taxes"][str(till.tax)]["tax_subtotal"]) == (
        "116.96", 19.25,
    )  # fmt: skip
    assert till.stock() == 8
    too_many = till.body(products={str(till.lantern): {"amount": 9}})
    assert shop.root.post("orders", too_many).status_code == 400
    parts = {k: v for k, v in GUEST_DATA.items() if not k.endswith("_country")}
    nowhere = shop.root.post("orders", till.body(user_data=parts))
    assert [e["field"] for e in nowhere.get_json()["errors"]] == [
        "user_data.b_country", "user_data.s_country",
    ]  # fmt: skip
    assert till.stock() == 8
    shown = {name: value(shop, name) for name in KEPT}
    assert shown == {**KEPT, "mailer_smtp_password": ""}


def test_the_docs_tell_what_acts_and_why_the_rest_does_not() -> None:
    page = Path(__file__).parents[2] / "docs" / "entities" / "settings.md"
    _, _, text = page.read_text("utf-8").partition("## Settings that act on the server")
    acting, _, kept = text.partition("## Settings that are only kept")
    first_cells = re.compile(r"^\| (`.*?) \|", re.MULTILINE)
    told = [
        [
            name
            for cell in first_cells.findall(part)
            for name in re.findall(r"\w+", cell)
        ]
        for part in (acting, kept.partition("\n## ")[0])
    ]
    assert sorted([*told[0], *told[1]]) == sorted(each.name for each in SETTINGS)
    assert {*told[1]} == {*KEPT, "mailer_smtp"}
