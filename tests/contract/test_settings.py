"""Settings (spec/entities/settings.md)."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from storeapi import Setting
from storeapi.core.registry import RegistryError
from storeapi.core.rows import table_of
from storeapi.models import SettingName
from storeapi.rules.companies import COMPANY_DATA
from storeapi.rules.store_settings import SETTINGS
from tests.settings import as_of, numbers, path_of, put, record, value
from tests.shop import Caller, Shop


def test_a_record_has_all_fields(shop: Shop) -> None:
    ids = numbers(shop)
    found = record(shop, "backend_default_language")
    assert found == {
        "object_id": ids["backend_default_language"],
        "name": "backend_default_language",
        "section_id": found["section_id"],
        "section_tab_id": "0",
        "type": "S",
        "edition_type": "ROOT",
        "position": "10",
        "is_global": "N",
        "handler": "",
        "parent_id": "0",
        "description": "Backend default language",
        "tooltip": "The language of texts without lang_code",
        "object_type": "O",
        "value": "en",
        "section_name": "Appearance",
        "section_tab_name": "main",
        "variants": {"en": "English", "de": "Deutsch"},
    }
    password = record(shop, "mailer_smtp_password")
    assert password["variants"] == []
    assert password["parent_id"] == ids["mailer_smtp_auth"]
    assert password["section_tab_name"] == "smtp"
    assert int(password["section_tab_id"]) > 0


def test_the_known_settings_are_there(shop: Shop) -> None:
    """The starting set of the documents, by section."""
    found: dict[str, set[str]] = {}
    for each in shop.root.get("settings?items_per_page=0").get_json()["settings"]:
        found.setdefault(each["section_name"], set()).add(each["name"])
    known = {
        "General": "use_email_as_login default_tracking allow_negative_amount "
        "inventory_tracking",
        "Appearance": "backend_default_language frontend_default_language "
        "admin_elements_per_page timezone date_format",
        "Checkout": "min_order_amount tax_calculation default_country default_state "
        "default_zipcode",
        "Company": " ".join(COMPANY_DATA),
        "Emails": "mailer_send_method",
        "Reviews": "product_comment_type approve_automatically",
    }
    assert {name: found[name] & {*text.split()} for name, text in known.items()} == {
        name: {*text.split()} for name, text in known.items()
    }
    assert len(COMPANY_DATA) == 16
    methods = record(shop, "mailer_send_method")["variants"]
    assert {*methods} == {"smtp", "mail", "sendmail"}


def test_labels_are_per_language(shop: Shop) -> None:
    label = record(shop, "timezone", "?sl=de")["description"]
    assert (label, record(shop, "timezone")["description"]) == ("Zeitzone", "Time zone")
    assert record(shop, "company_fax", "?sl=de")["description"] == "Fax"


def test_list_of_1_0_is_a_map_with_variants(shop: Shop) -> None:
    """Protocol, section 16, row 24."""
    body = shop.root.get("/api/settings?name=timezone").get_json()
    ((id, found),) = body["settings"].items()
    assert found["object_id"] == id
    assert found["variants"]["Europe/Lisbon"] == "Europe/Lisbon"
    assert body["search"] == {"page": 1, "items_per_page": 10, "name": "timezone",
                              "total_items": "1"}  # fmt: skip
    section = found["section_id"]
    flat = shop.root.get(f"/api/settings?section_id={section}").get_json()
    assert {each["section_name"] for each in flat["settings"].values()} == {
        "Appearance"
    }


def test_flat_list_of_2_0_is_paged_and_in_order(shop: Shop) -> None:
    first = shop.root.get("settings?items_per_page=20")
    body = first.get_json()
    assert len(body["settings"]) == 20
    assert all("variants" not in each for each in body["settings"])
    total = int(body["params"]["total_items"])
    assert first.headers["X-Total-Count"] == str(total)
    rest = shop.root.get("settings?items_per_page=20&page=2").get_json()["settings"]
    every = shop.root.get("settings?items_per_page=0").get_json()["settings"]
    assert [*body["settings"], *rest] == every[:40]
    assert len(every) == total
    places = [
        tuple(int(each[name]) for name in
              ("section_id", "section_tab_id", "position", "object_id"))
        for each in every
    ]  # fmt: skip
    assert places == sorted(places)
    assert {"H"} <= {each["type"] for each in every}
    past = shop.root.get("settings?page=99").get_json()
    assert (past["settings"], past["params"]["total_items"]) == ([], str(total))


def test_a_section_is_grouped_by_tabs_in_2_0(shop: Shop) -> None:
    """Protocol, section 16, row 24."""
    section = record(shop, "mailer_smtp_host")["section_id"]
    answer = shop.root.get(f"settings?section_id={section}")
    groups = answer.get_json()["settings"]
    assert list(groups) == ["main", "smtp"]
    ids = numbers(shop)
    assert list(groups["main"]) == [ids["mailer_send_method"]]
    assert groups["main"][ids["mailer_send_method"]]["variants"]["smtp"]
    assert len(groups["smtp"]) == 6
    assert answer.get_json()["params"] == {"section_id": section, "total_items": "7"}
    assert answer.headers["X-Total-Count"] == "7"
    nothing = shop.root.get("settings?section_id=999999").get_json()
    assert nothing["settings"] == {}
    some = shop.root.get(f"settings?section_id={section}&type=P").get_json()
    assert list(some["settings"]) == ["smtp"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("name=timezone", {"timezone"}),
        ("type=P", {"mailer_smtp_password"}),
        ("type[]=P&type[]=H", {"mailer_smtp_password", "mailer_smtp"}),
        ("section_name=Reviews", {"product_comment_type", "approve_automatically"}),
        ("section_tab_id=0&section_name=Emails", {"mailer_send_method"}),
        ("q=TIME%20z", {"timezone"}),
        ("q=_smtp_ho", {"mailer_smtp_host"}),
        ("value=UTC&position=40", {"timezone"}),
        ("type=Q", set()),
        ("company_id=999999", set()),
    ],
)
def test_filters(shop: Shop, query: str, names: set[str]) -> None:
    answer = shop.root.get(f"settings?items_per_page=100&{query}")
    assert {each["name"] for each in answer.get_json()["settings"]} == names
    assert "X-Ignored-Params" not in answer.headers


def test_what_does_nothing_is_named(shop: Shop) -> None:
    """There are no orders to choose and no cursors."""
    answer = shop.root.get("settings?sort_by=name&cursor=x&variants=1&page=1")
    assert answer.headers["X-Ignored-Params"] == "sort_by, cursor, variants"


@pytest.mark.parametrize(
    "query", ["section_id=x", "company_id=x", "name[a]=b", "q[]=x", "page=x"]
)
def test_filters_of_impossible_values_are_400(shop: Shop, query: str) -> None:
    assert shop.root.get(f"settings?{query}").status_code == 400


def test_passwords_are_never_shown(shop: Shop) -> None:
    changes: list[Any] = []
    shop.database.subscribers.append(lambda _db, found: changes.extend(found))
    try:
        assert put(shop, "mailer_smtp_password", "s3cret").status_code == 200
    finally:
        shop.database.subscribers.pop()
    assert "s3cret" not in repr(changes)
    assert value(shop, "mailer_smtp_password") == ""
    answer = shop.root.get("settings?items_per_page=0&value=s3cret")
    assert answer.get_json()["settings"] == []
    # The record that was shown may be sent back.
    assert put(shop, "mailer_smtp_password", "").status_code == 200
    assert [row[3] for row in shop.everything()["setting_values"]] == ["s3cret"]
    assert put(shop, "mailer_smtp_password", None).status_code == 200
    assert shop.everything()["setting_values"] == []


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_put_answers_with_the_id(shop: Shop, version: str) -> None:
    id = numbers(shop)["date_format"]
    answer = shop.root.put(f"/api/{version}/settings/{id}", {"value": "%d.%m.%Y"})
    assert (answer.status_code, answer.get_json()) == (200, {"object_id": id})
    assert value(shop, "date_format") == "%d.%m.%Y"


@pytest.mark.parametrize(
    ("name", "sent", "kept"),
    [
        ("use_email_as_login", False, "N"),
        ("use_email_as_login", "y", "Y"),
        ("default_tracking", "D", "D"),
        ("admin_elements_per_page", 25, "25"),
        ("min_order_amount", "12.5", "12.50"),
        ("default_country", "pt", "PT"),
        ("default_country", "", ""),
        ("default_state", "Bayern", "Bayern"),
        ("mailer_smtp_host", 12, "12"),
        ("company_name", " Ünï \U0001f375 ", " Ünï \U0001f375 "),
        ("timezone", "Europe/Lisbon", "Europe/Lisbon"),
    ],
)
def test_values_are_read_by_type(shop: Shop, name: str, sent: Any, kept: str) -> None:
    assert put(shop, name, sent).status_code == 200
    assert value(shop, name) == kept


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("use_email_as_login", "maybe"), ("default_tracking", "X"),
        ("default_tracking", ["B"]), ("admin_elements_per_page", 0),
        ("admin_elements_per_page", "ten"), ("min_order_amount", "-1"),
        ("default_country", "PRT"), ("default_state", "x" * 256),
        ("mailer_smtp_host", {"a": "b"}), ("company_site_administrator", "nobody"),
        ("timezone", "Mars/Phobos"), ("backend_default_language", "fr"),
        ("mailer_smtp", "x"), ("mailer_smtp", None), ("date_format", "a\0"),
    ],
)  # fmt: skip
def test_values_that_cannot_be_are_400(shop: Shop, name: str, sent: Any) -> None:
    path = path_of(shop, name)
    before = shop.everything()
    answer = shop.root.put(path, {"value": sent})
    assert answer.status_code == 400
    assert [each["field"] for each in answer.get_json()["errors"]] == ["value"]
    assert shop.everything() == before


def test_only_values_are_written(shop: Shop) -> None:
    path = path_of(shop, "timezone")
    before = shop.everything()
    without = shop.root.put(path, {"name": "zone", "position": 3})
    assert without.status_code == 400
    assert without.get_json()["errors"][0]["field"] == "value"
    unknown = shop.root.put(path, {"nosuch": 1})
    assert unknown.status_code == 200
    assert unknown.headers["X-Ignored-Fields"] == "nosuch"
    strict = {"Prefer": "handling=strict"}
    refused = shop.root.put(path, {"nosuch": 1, "value": "UTC"}, headers=strict)
    assert refused.status_code == 400
    assert shop.everything() == before
    whole = record(shop, "timezone")
    assert shop.root.put(path, {**whole, "name": "zone"}).status_code == 200
    assert record(shop, "timezone") == whole


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT"])
def test_settings_are_neither_made_nor_deleted(shop: Shop, method: str) -> None:
    path = path_of(shop, "timezone")
    for address in ("settings",) if method == "PUT" else ("settings", path):
        answer = shop.root.request(method, address, json={"name": "x", "value": "y"})
        assert answer.status_code == 405
        expected = "GET, HEAD, OPTIONS" if address == "settings" else (
            "GET, HEAD, PUT, OPTIONS")  # fmt: skip
        assert answer.headers["Allow"] == expected
    assert shop.root.put(path, {}).status_code == 405


def test_unknown_numbers_are_404(shop: Shop) -> None:
    section = record(shop, "timezone")["section_id"]
    for id in ("999999", section, "0", "timezone"):
        assert shop.root.get(f"settings/{id}").status_code == 404
        assert shop.root.put(f"settings/{id}", {"value": "x"}).status_code == 404
    path = path_of(shop, "timezone") + "?company_id=999999"
    assert shop.root.get(path).status_code == 404
    assert shop.root.put(path, {"value": "UTC"}).status_code == 400


def test_privileges(shop: Shop) -> None:
    path = path_of(shop, "date_format")
    body = {"value": "%d/%m/%Y"}
    viewer, nobody = shop.caller("view_settings"), shop.caller("view_catalog")
    assert viewer.get("settings").status_code == 200
    assert viewer.put(path, body).status_code == 403
    assert nobody.get(path).status_code == 403
    writer = shop.caller("update_settings")
    assert writer.get(path).status_code == 403
    assert writer.put(path, body).status_code == 200


# Values of companies


def test_a_companys_value_hides_the_shops(shop: Shop) -> None:
    put(shop, "timezone", "Europe/Paris")
    assert put(shop, "timezone", "Asia/Tokyo", company_id=shop.store).status_code == 200
    own = f"?company_id={shop.store}"
    assert (value(shop, "timezone"), value(shop, "timezone", own)) == (
        "Europe/Paris", "Asia/Tokyo",
    )  # fmt: skip
    other = f"?company_id={shop.other_store}"
    assert value(shop, "timezone", other) == "Europe/Paris"
    nested = shop.root.get(path_of(shop, "timezone", f"stores/{shop.store}/"))
    assert nested.get_json()["value"] == "Asia/Tokyo"
    listed = shop.root.get(f"settings{own}&name=timezone").get_json()
    assert listed["settings"][0]["value"] == "Asia/Tokyo"
    assert listed["params"]["company_id"] == str(shop.store)
    path = path_of(shop, "timezone")
    assert shop.root.put(f"{path}{own}", {"value": None}).status_code == 200
    assert value(shop, "timezone", own) == "Europe/Paris"
    assert put(shop, "timezone", None).status_code == 200
    assert value(shop, "timezone") == "UTC"
    assert shop.everything()["setting_values"] == []


def test_nested_values_are_those_of_the_parent(shop: Shop) -> None:
    below = f"vendors/{shop.vendor}/"
    more = {"company_id": shop.store}
    assert put(shop, "timezone", "Asia/Tokyo", below, **more).status_code == 200
    assert [row[0] for row in shop.everything()["setting_values"]] == [shop.vendor]
    listed = shop.root.get(f"{below}settings?items_per_page=0").get_json()["settings"]
    assert {"timezone": "Asia/Tokyo"}.items() <= {
        each["name"]: each["value"] for each in listed
    }.items()
    version_1 = shop.root.get(f"/api/{below}settings?name=timezone").get_json()
    assert list(version_1) == ["settings", "search"]
    section = record(shop, "timezone")["section_id"]
    grouped = shop.root.get(f"{below}settings?section_id={section}").get_json()
    assert list(grouped["settings"]) == ["main"]
    assert shop.root.get("stores/999999/settings").status_code == 404
    assert shop.root.get(f"stores/{shop.vendor}/settings").status_code == 404


@pytest.mark.parametrize(
    ("name", "kind", "status"),
    [
        ("backend_default_language", "store", 400), ("date_format", "store", 200),
        ("date_format", "vendor", 400), ("timezone", "vendor", 200),
        ("company_name", "vendor", 400), ("min_order_amount", "nobody", 400),
    ],
)  # fmt: skip
def test_the_edition_says_who_has_own_values(
    shop: Shop, name: str, kind: str, status: int
) -> None:
    company = {"store": shop.store, "vendor": shop.vendor, "nobody": 999999}[kind]
    answer = put(shop, name, value(shop, name), company_id=company)
    assert answer.status_code == status
    if status == 400:
        assert answer.get_json()["errors"][0]["field"] == "company_id"
        assert shop.everything()["setting_values"] == []


def test_a_stores_administrators_set_what_is_theirs(shop: Shop) -> None:
    privileges = ("view_settings", "update_settings", "view_stores")
    admin = shop.caller(*privileges, company_id=shop.store)
    assert admin.get("settings").status_code == 403
    own, foreign = f"stores/{shop.store}/", f"stores/{shop.other_store}/"
    listed = admin.get(f"{own}settings?items_per_page=0").get_json()["settings"]
    assert {each["edition_type"] for each in listed} == {
        "ROOT,VENDOR", "ROOT,ULT:VENDOR",
    }  # fmt: skip
    for name, status in (("timezone", 200), ("backend_default_language", 404)):
        path = path_of(shop, name, own)
        assert admin.get(path).status_code == status
        body = {"value": value(shop, name), "company_id": shop.other_store}
        assert admin.put(path, body).status_code == status
    assert [row[0] for row in shop.everything()["setting_values"]] == [shop.store]
    assert admin.get(f"{foreign}settings").status_code == 404
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    assert vendor.get("settings").status_code == 403
    assert vendor.get(f"vendors/{shop.vendor}/settings").status_code == 403
    staff = shop.caller("view_settings", "view_vendors", company_id=shop.vendor)
    assert staff.get(f"vendors/{shop.vendor}/settings").status_code == 403


def test_company_data_is_that_of_the_store(shop: Shop) -> None:
    put(shop, "company_fax", "100")
    own = f"?company_id={shop.store}"
    assert value(shop, "company_fax", own) == "100"
    assert put(shop, "company_fax", "200", company_id=shop.store).status_code == 200
    store = shop.root.get(f"stores/{shop.store}?full=Y").get_json()
    assert store["company_fax"] == "200"
    shop.root.put(f"stores/{shop.store}", {"company_fax": "300"})
    assert value(shop, "company_fax", own) == "300"
    assert value(shop, "company_fax") == "100"
    put(shop, "company_fax", None, company_id=shop.store)
    assert value(shop, "company_fax", own) == "100"
    assert shop.root.get(f"stores/{shop.store}?full=Y").get_json()["company_fax"] == ""


def test_values_go_with_their_company_and_along_with_copies(shop: Shop) -> None:
    put(shop, "timezone", "Asia/Tokyo", company_id=shop.store)
    put(shop, "company_fax", "200", company_id=shop.store)
    copy = shop.root.post("stores", {
        "company": "Third", "storefront": "third.example",
        "clone_from": shop.store, "clone": {"settings": "Y"},
    }).get_json()["store_id"]  # fmt: skip
    query = f"?company_id={copy}"
    assert value(shop, "timezone", query) == "Asia/Tokyo"
    assert value(shop, "company_fax", query) == "200"
    assert shop.root.delete(f"stores/{copy}").status_code == 204
    assert [row[0] for row in shop.everything()["setting_values"]] == [shop.store]


# What acts on the next request


def test_a_value_acts_in_every_process(
    shop: Shop, make_app: Callable[..., Flask]
) -> None:
    other = as_of(make_app(), shop.root)
    put(shop, "admin_elements_per_page", 3)
    for caller in (shop.root, other):
        assert caller.get("settings").get_json()["params"]["items_per_page"] == 3
    put(shop, "admin_elements_per_page", 5000)
    assert other.get("products").get_json()["params"]["items_per_page"] == 1000


def test_a_company_has_its_own_page_size(shop: Shop) -> None:
    put(shop, "admin_elements_per_page", 7)
    put(shop, "admin_elements_per_page", 4, company_id=shop.store)
    sizes = [
        caller.get("languages").get_json()["params"]["items_per_page"]
        for caller in (
            shop.root,
            shop.caller("view_languages", company_id=shop.store),
            shop.caller("view_languages", company_id=shop.other_store),
        )
    ]
    assert sizes == [7, 4, 7]


def test_the_stored_value_wins_over_the_environment(
    shop: Shop, make_app: Callable[..., Flask]
) -> None:
    root = as_of(make_app(items_per_page=5, time_zone="Asia/Tokyo"), shop.root)
    assert root.get("languages").get_json()["params"]["items_per_page"] == 5
    assert root.get(path_of(shop, "timezone")).get_json()["value"] == "Asia/Tokyo"
    put(shop, "admin_elements_per_page", 3)
    assert root.get("languages").get_json()["params"]["items_per_page"] == 3
    put(shop, "admin_elements_per_page", None)
    assert root.get("languages").get_json()["params"]["items_per_page"] == 5


def test_the_time_zone_decides_where_days_begin(shop: Shop) -> None:
    # 0:30 of the 15th in Tokyo, 15:30 of the 14th in UTC.
    shop.make_product(timestamp=1_699_975_800)
    query = "products?time_from=2023-11-15&time_to=2023-11-15"
    assert shop.root.get(query).headers["X-Total-Count"] == "0"
    put(shop, "timezone", "Asia/Tokyo")
    assert shop.root.get(query).headers["X-Total-Count"] == "1"
    put(shop, "timezone", "UTC", company_id=shop.store)
    admin = shop.caller("view_catalog", company_id=shop.store)
    assert admin.get(query).headers["X-Total-Count"] == "0"


def test_backend_default_language_decides_the_language_of_texts(shop: Shop) -> None:
    path = f"categories/{shop.category}"
    assert put(shop, "backend_default_language", "de").status_code == 200
    shop.root.put(path, {"category": "Becher"})
    names = {
        query: shop.root.get(path + query).get_json()["category"]
        for query in ("", "?sl=de", "?sl=en", "?sl=xx")
    }
    assert names == {"": "Becher", "?sl=de": "Becher", "?sl=en": "Mugs",
                     "?sl=xx": "Becher"}  # fmt: skip
    assert shop.root.delete("languages/de").status_code == 400
    assert shop.root.put("languages/de", {"status": "D"}).status_code == 400
    assert shop.root.delete("languages/en").status_code == 204
    # The default of the environment is gone.
    assert put(shop, "backend_default_language", None).status_code == 400


def test_default_language_must_be_active(shop: Shop) -> None:
    shop.root.put("languages/de", {"status": "H"})
    assert put(shop, "backend_default_language", "de").status_code == 400
    assert "de" not in record(shop, "backend_default_language")["variants"]


def test_frontend_language_follows_languages(shop: Shop) -> None:
    put(shop, "frontend_default_language", "de")
    shop.root.put("languages/de", {"lang_code": "at"})
    assert value(shop, "frontend_default_language") == "at"
    shop.root.delete("languages/at")
    assert value(shop, "frontend_default_language") == "en"


def test_new_products_are_tracked_by_default(shop: Shop) -> None:
    def tracking(**more: Any) -> str:
        id = shop.make_product(**more)
        return str(shop.root.get(f"products/{id}").get_json()["tracking"])

    assert tracking() == "B"
    put(shop, "default_tracking", "O")
    put(shop, "default_tracking", "D", company_id=shop.other_store)
    assert (tracking(), tracking(tracking="B")) == ("O", "B")
    category = shop.make_category("Cups", company_id=shop.other_store)
    more = {"company_id": shop.other_store, "category_ids": [category]}
    assert tracking(**more) == "D"


def test_reviews_of_customers_are_approved_at_once(
    shop: Shop, make_app: Callable[..., Flask]
) -> None:
    guest = as_of(make_app(api_allow_customer=True), shop.anonymous)
    id = shop.make_product()

    def status() -> str:
        body = {"message": "Fine", "rating_value": 5}
        post = guest.post(f"products/{id}/discussions", body).get_json()["post_id"]
        return str(shop.root.get(f"discussions/{post}").get_json()["status"])

    assert status() == "D"
    put(shop, "approve_automatically", "Y")
    assert status() == "A"
    put(shop, "approve_automatically", "N", company_id=shop.store)
    assert status() == "D"


# Declarations


def test_numbers_stay(shop: Shop, make_app: Callable[..., Flask]) -> None:
    before = numbers(shop)
    shop.database.write(
        lambda db: db.delete(
            table_of(SettingName), {"kind": "O", "name": "date_format"}
        )
    )
    after = numbers(shop)
    assert {**before, "date_format": ""} == {**after, "date_format": ""}
    assert int(after["date_format"]) > max(map(int, before.values()))
    assert numbers(shop, as_of(make_app(), shop.root)) == after


POINTS = (
    Setting(section="Acme", name="points", label="Points", default="1"),
    Setting(
        section="Acme", name="days", label="Days", type="N", edition="ROOT,VENDOR",
        variants={"mo": "Monday", "tu": "Tuesday", "we": "Wednesday"}, default="tu",
        tab="open",
    ),
)  # fmt: skip


@pytest.fixture
def plugged(shop: Shop, make_app: Callable[..., Flask]) -> Caller:
    """The root caller of a server with a plug-in."""
    return as_of(make_app(plugins=("tests.contract.test_settings:POINTS",)), shop.root)


def test_plug_ins_declare_settings(shop: Shop, plugged: Caller) -> None:
    before = numbers(shop)
    found = plugged.get("settings?section_name=Acme").get_json()["settings"]
    assert [(each["name"], each["value"]) for each in found] == [
        ("points", "1"), ("days", "tu"),
    ]  # fmt: skip
    path = f"settings/{found[0]['object_id']}"
    assert plugged.put(path, {"value": "5"}).status_code == 200
    # Without the plug-in they are hidden; their values stay.
    assert numbers(shop) == before
    assert shop.root.get(path).status_code == 404
    assert plugged.get(path).get_json()["value"] == "5"


def test_pairs_may_carry_a_set(plugged: Caller) -> None:
    (found,) = plugged.get("settings?name=days").get_json()["settings"]
    path = f"settings/{found['object_id']}"
    kind = "application/x-www-form-urlencoded"
    data = "value[mo]=Y&value[we]=Y"
    assert plugged.put(path, data=data, content_type=kind).status_code == 200
    assert plugged.get(path).get_json()["value"] == "mo,we"


def test_tags_work(shop: Shop) -> None:
    path = path_of(shop, "date_format")
    tag = shop.root.get(path).headers["ETag"]
    body = {"value": "%m/%d/%Y"}
    assert shop.root.put(path, body, headers={"If-Match": tag}).status_code == 200
    assert shop.root.put(path, body, headers={"If-Match": tag}).status_code == 412


def test_a_tag_is_that_of_the_company_written(shop: Shop) -> None:
    """The body may name the company, as well as the query and the path."""
    path = path_of(shop, "date_format")
    own = f"{path}?company_id={shop.store}"
    put(shop, "date_format", "%d.%m.%Y", company_id=shop.store)
    body = {"value": "%m/%d/%Y", "company_id": shop.store}
    shops = {"If-Match": shop.root.get(path).headers["ETag"]}
    assert shop.root.put(path, body, headers=shops).status_code == 412
    stores = {"If-Match": shop.root.get(own).headers["ETag"]}
    assert shop.root.put(path, {"value": "x"}, headers=stores).status_code == 412
    assert shop.root.put(path, body, headers=stores).status_code == 200
    assert shop.root.put(path, body, headers=stores).status_code == 412


def test_reading_takes_few_statements(shop: Shop) -> None:
    """The caller, the numbers, the values; and variants that are read."""
    ids = numbers(shop)
    found: list[str] = []
    shop.database.observer = found.append
    try:
        for query, most in (
            ("settings", 3),
            (f"settings/{ids['date_format']}", 3),
            (f"settings/{ids['backend_default_language']}", 4),
            (f"settings?items_per_page=0&company_id={shop.store}", 5),
        ):
            found.clear()
            assert shop.root.get(query).status_code == 200
            assert (query, len(found)) == (query, most)
    finally:
        shop.database.observer = None


def test_a_name_is_taken_once(make_app: Callable[..., Flask]) -> None:
    plugins = ("tests.contract.test_settings:POINTS",) * 2
    with pytest.raises(RegistryError, match=r"Acme\.points of tests clashes"):
        make_app(plugins=plugins)


def test_every_setting_is_in_the_docs() -> None:
    page = Path(__file__).parents[2] / "docs" / "entities" / "settings.md"
    text = page.read_text("utf-8")
    names = [each.name for each in SETTINGS]
    assert [name for name in names if f"`{name}`" not in text] == []
    assert len(set(names)) == len(names)


ODD: tuple[Any, ...] = (
    "", "x", 0, -1, 1.5, 10**30, 1e300, True, [], {}, [1], {"a": 1}, [[1]], {"a": []},
    "\0", "\U0001f375" * 100, "x" * 5000, "9" * 30, "1_0", "\u0661", "Y,N", " Y",
)  # fmt: skip


@pytest.mark.any_database  # values are judged before they are stored
@pytest.mark.parametrize("declared", SETTINGS, ids=lambda each: each.name)
def test_odd_values_are_kept_as_text_or_refused(shop: Shop, declared: Setting) -> None:
    """spec/pitfalls.md: never 5xx, and nothing is stored of what is refused."""
    path, own = path_of(shop, declared.name), f"?company_id={shop.store}"
    queries = ["", own] if declared.may_have_own("S") else [""]
    for query, sent in itertools.product(queries, ODD):
        before = shop.root.get(path + query).get_json()
        answer = shop.root.put(path + query, {"value": sent})
        after = shop.root.get(path + query).get_json()
        if answer.status_code == 400:
            assert [e["field"] for e in answer.get_json()["errors"]] == ["value"]
            assert after == before
            continue
        assert (sent, answer.status_code) == (sent, 200)
        assert isinstance(after["value"], str)
        if after["variants"] and declared.type == "S":
            assert after["value"] in after["variants"]
