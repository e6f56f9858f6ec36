"""Values and languages (spec/protocol.md, sections 6 and 13)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi.models import Company, Language
from tests.shop import Caller, Shop


def _record(shop: Shop, id: int, query: str = "") -> dict[str, Any]:
    record: dict[str, Any] = shop.root.get(f"products/{id}{query}").get_json()
    return record


def test_scalars_leave_as_text(shop: Shop) -> None:
    """Section 6.1: also numbers, IDs, prices and timestamps."""
    id = shop.make_product(price=10.5, amount=3, weight=2)
    record = _record(shop, id)
    assert record["product_id"] == str(id)
    assert record["price"] == "10.50"
    assert record["amount"] == "3"
    assert record["timestamp"].isdigit()


@pytest.mark.parametrize("value", [5, "5"])
@pytest.mark.parametrize(
    ("name", "shown"),
    [("amount", "5"), ("price", "5.00"), ("product", "5"), ("product_code", "5"),
     ("avail_since", "5"), ("weight", "5.000")],
)  # fmt: skip
def test_text_and_number_are_equal(
    shop: Shop, name: str, shown: str, value: int | str
) -> None:
    """Section 6.3."""
    id = shop.make_product()
    assert shop.root.put(f"products/{id}", {name: value}).status_code == 200
    assert _record(shop, id)[name] == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(True, "Y"), (False, "N"), ("Y", "Y"), ("n", "N"), (1, "Y")]
)
def test_booleans_are_flags(shop: Shop, value: Any, shown: str) -> None:
    """Sections 6.3 and 6.4."""
    id = shop.make_product(free_shipping=value)
    assert _record(shop, id)["free_shipping"] == shown


@pytest.mark.parametrize("value", ["maybe", "", 2, 1.5, [], {}, "YES NO"])
def test_other_flags_are_400(shop: Shop, value: Any) -> None:
    """Section 6.4."""
    id = shop.make_product()
    answer = shop.root.put(f"products/{id}", {"free_shipping": value})
    assert answer.status_code == 400


@pytest.mark.parametrize(
    "value",
    ["1_0", " 12 ", "\u0661\u0662", 1.9, "1.9", "1e3", "NaN", "+1", "0x1", -1, "-1", "",
     10**10, 10**30, 1e30, True, [], {}, "99999999999", "1" * 5000],
)  # fmt: skip
def test_odd_integers_are_400(shop: Shop, value: Any) -> None:
    """spec/pitfalls.md, T4 and T8: nothing is truncated or guessed."""
    id = shop.make_product(amount=7)
    answer = shop.root.put(f"products/{id}", {"amount": value})
    assert answer.status_code == 400
    assert [error["field"] for error in answer.get_json()["errors"]] == ["amount"]
    assert _record(shop, id)["amount"] == "7"


@pytest.mark.parametrize(
    "value", ["1_0", "1e3", "NaN", "Infinity", "-5", -5, "1,5", "", " 1", "0x1", True,
              "1e999999", "9" * 14, 10**14, [], {}, "5 EUR", "\u0661"],
)  # fmt: skip
def test_odd_prices_are_400(shop: Shop, value: Any) -> None:
    """Section 6.4 and spec/pitfalls.md: money is a plain decimal, not negative."""
    id = shop.make_product(price="1.00")
    answer = shop.root.put(f"products/{id}", {"price": value})
    assert answer.status_code == 400
    assert _record(shop, id)["price"] == "1.00"


@pytest.mark.parametrize(
    ("value", "shown"),
    [("14.31", "14.31"), (14.31, "14.31"), ("0", "0.00"), ("1.245", "1.25"),
     (1.005, "1.01"), ("1.2449", "1.24"), (1e2, "100.00"), ("9999999999.99",) * 2,
     (0.1 + 0.2, "0.30")],
)  # fmt: skip
def test_money_is_decimal(shop: Shop, value: Any, shown: str) -> None:
    """Section 6.4: half up, and never through binary floats."""
    id = shop.make_product(price=value)
    assert _record(shop, id)["price"] == shown


def test_null_clears_or_is_refused(shop: Shop) -> None:
    """Section 6.5: a text is emptied; what is required is 400."""
    id = shop.make_product(full_description="x", avail_since="5", amount=3)
    path = f"products/{id}"
    assert shop.root.put(path, {"full_description": None}).status_code == 200
    assert _record(shop, id)["full_description"] == ""
    assert shop.root.put(path, {"avail_since": None}).status_code == 200
    assert _record(shop, id)["avail_since"] == "0"
    before = shop.everything()
    for name in ("product", "category_ids"):
        answer = shop.root.put(path, {name: None})
        assert (name, answer.status_code) == (name, 400)
    assert shop.everything() == before


@pytest.mark.parametrize(
    "text", ["  Mug  ", "<b>Mug</b> &amp;", "Tasse \U0001f375", "a\u0301", "ü\r\n\tx",
             "\u202e", "'; DROP TABLE products; --", "Cat's \"Bowl\", 5%", "\\",
             "null"],
)  # fmt: skip
def test_text_is_stored_as_sent(shop: Shop, text: str) -> None:
    """Section 6.6: neither trimmed nor escaped, four-byte characters too."""
    id = shop.make_product(text, full_description=text, product_code=text[:32])
    record = _record(shop, id)
    assert record["product"] == text
    assert record["full_description"] == text
    assert record["product_code"] == text[:32]
    listed = shop.root.get("products").get_json()["products"]
    assert listed[0]["product"] == text


@pytest.mark.parametrize(
    ("name", "value"),
    [("product", "a\0b"), ("product_code", "\0"), ("full_description", "x\0"),
     ("product", "x" * 256), ("product_code", "x" * 1000), ("product", ["x"]),
     ("product", {"a": 1}), ("product", True), ("full_description", [])],
)  # fmt: skip
def test_text_that_cannot_be_stored_is_400(shop: Shop, name: str, value: Any) -> None:
    """On every database alike, and nothing is cut off."""
    id = shop.make_product()
    before = shop.everything()
    answer = shop.root.put(f"products/{id}", {name: value})
    assert answer.status_code == 400
    assert [error["field"] for error in answer.get_json()["errors"]] == [name]
    assert shop.everything() == before


@pytest.mark.parametrize(
    "text",
    ["0", "-1", "+1", "1.0", "01x", "x", "%20", "1%20", "%D9%A1", "4294967297", "1e1",
     "99999999999999999999", "9" * 5000, "2147483648", "1;1", "None", "null", "1%0A"],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_ids_are_positive_decimal_numbers(shop: Shop, method: str, text: str) -> None:
    """Section 6.7: anything else is 404."""
    answer = shop.root.request(method, f"products/{text}", json={"price": "1"})
    assert answer.status_code == 404


def test_a_repeated_put_changes_nothing(shop: Shop) -> None:
    """spec/pitfalls.md: no change is no write, and bumps no time."""
    id = shop.make_product(price="5")
    body = {"price": "5.00", "product": "Mug", "category_ids": [shop.category]}
    before = shop.everything()
    for _ in range(2):
        assert shop.root.put(f"products/{id}", body).status_code == 200
    assert shop.everything() == before


# Section 13: languages


def _translated(shop: Shop) -> int:
    id = shop.make_product("Mug")
    answer = shop.root.put(f"products/{id}?lang_code=de", {"product": "Becher"})
    assert answer.status_code == 200
    return id


@pytest.mark.parametrize(
    ("query", "name"),
    [("", "Mug"), ("?lang_code=de", "Becher"), ("?sl=de", "Becher"),
     ("?language=de", "Becher"), ("?lang_code=de&sl=en&language=en", "Becher"),
     ("?sl=de&language=en", "Becher"), ("?lang_code=en&sl=de", "Mug"),
     ("?lang_code=&sl=de", "Becher"), ("?lang_code=DE", "Becher"),
     ("?lang_code=fr", "Mug"), ("?lang_code[]=de", "Mug"),
     ("?lang_code=nosuch", "Mug")],
)  # fmt: skip
def test_reads_choose_the_language(shop: Shop, query: str, name: str) -> None:
    """Section 13, rules 1 and 3: an order of names; not installed: the default."""
    id = _translated(shop)
    assert _record(shop, id, query)["product"] == name
    listed = shop.root.get(f"products{query}").get_json()["products"]
    assert [record["product"] for record in listed] == [name]


def test_the_callers_company_has_a_language(shop: Shop) -> None:
    """Section 13.1: after the query, before the default."""
    id = _translated(shop)
    shop.change(Company, {"company_id": shop.store}, {"lang_code": "de"})
    admin = shop.caller("view_catalog", company_id=shop.store)
    assert admin.get(f"products/{id}").get_json()["product"] == "Becher"
    assert admin.get(f"products/{id}?sl=en").get_json()["product"] == "Mug"


def test_a_companys_language_that_is_not_installed_is_the_default(shop: Shop) -> None:
    """Section 13, rules 1 and 3: a store's language takes any code."""
    id = _translated(shop)
    shop.change(Company, {"company_id": shop.store}, {"lang_code": "ru"})
    admin = shop.caller("view_catalog", company_id=shop.store)
    assert admin.get(f"products/{id}").get_json()["product"] == "Mug"


def test_a_companys_language_is_for_reading(shop: Shop) -> None:
    """Section 13.2: a write that names none is in the default language."""
    id = _translated(shop)
    shop.change(Company, {"company_id": shop.store}, {"lang_code": "de"})
    admin = shop.caller("manage_catalog", company_id=shop.store)
    assert admin.put(f"products/{id}", {"product": "Cup"}).status_code == 200
    assert _record(shop, id, "?sl=en")["product"] == "Cup"
    assert _record(shop, id, "?sl=de")["product"] == "Becher"


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("name", ["lang_code", "sl", "language"])
def test_a_language_of_the_query_that_is_not_installed_is_400_on_writes(
    shop: Shop, version: str, method: str, name: str
) -> None:
    """Section 13.3: whichever name it has; on reads it is the default one."""
    path = f"/api/{version}/categories"
    if method == "PUT":
        path += f"/{shop.category}"
    before = shop.everything()
    answer = shop.root.request(method, f"{path}?{name}=fr", json={"category": "Tassen"})
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "lang_code"
    assert shop.everything() == before
    assert shop.root.get(f"{path}?{name}=fr").status_code == 200


def test_a_removed_default_language_leaves_the_one_that_is_stored(shop: Shop) -> None:
    """Section 13.1: the backend default language is a setting, acting at once."""
    id = _translated(shop)
    query = "settings?name=backend_default_language"
    (found,) = shop.root.get(query).get_json()["settings"]
    path = f"settings/{found['object_id']}"
    assert shop.root.put(path, {"value": "de"}).status_code == 200
    assert shop.root.delete("languages/en").status_code == 204
    for asked in ("", "?sl=en", "?sl=de"):
        assert _record(shop, id, asked)["product"] == "Becher"
    assert shop.root.put(f"products/{id}", {"product": "Krug"}).status_code == 200
    assert _record(shop, id)["product"] == "Krug"
    made = shop.make_product("Topf")
    assert _record(shop, made)["product"] == "Topf"


def test_the_default_language_is_a_setting(
    shop: Shop, make_app: Callable[..., Flask]
) -> None:
    """Section 13.1: `DEFAULT_LANGUAGE`."""
    id = _translated(shop)
    client = make_app(default_language="de").test_client()
    root = Caller(client, 0, shop.root.login, shop.root.key)
    assert root.get(f"products/{id}").get_json()["product"] == "Becher"
    assert root.get(f"products/{id}?sl=xx").get_json()["product"] == "Becher"


def test_post_writes_every_language(shop: Shop) -> None:
    """Section 13.2."""
    id = shop.make_product("Becher", lang_code="de")
    for code in ("de", "en"):
        assert _record(shop, id, f"?sl={code}")["product"] == "Becher"


@pytest.mark.parametrize(
    ("query", "body", "german"),
    [("", {}, False), ("?lang_code=de", {}, True), ("?sl=de", {}, True),
     ("", {"lang_code": "de"}, True), ("?lang_code=de", {"lang_code": "en"}, False),
     ("?sl=en", {"lang_code": "de"}, True), ("", {"lang_code": "DE"}, True)],
)  # fmt: skip
def test_put_writes_one_language(
    shop: Shop, query: str, body: dict[str, str], german: bool
) -> None:
    """Section 13.2: the body's, else the query's, else the default."""
    id = shop.make_product("Mug")
    answer = shop.root.put(f"products/{id}{query}", {"product": "New", **body})
    assert answer.status_code == 200
    assert "X-Ignored-Fields" not in answer.headers
    expected = ("Mug", "New") if german else ("New", "Mug")
    found = tuple(_record(shop, id, f"?sl={code}")["product"] for code in ("en", "de"))
    assert found == expected


@pytest.mark.parametrize(
    "code", ["fr", "x", "english", 5, ["de"], {"a": "b"}, 0, [], {}, False]
)
def test_writes_in_unknown_languages_are_400(shop: Shop, code: Any) -> None:
    """Section 13.3."""
    id = shop.make_product()
    before = shop.everything()
    body = {"product": "New", "lang_code": code, "category_ids": [shop.category]}
    for answer in (
        shop.root.put(f"products/{id}", body),
        shop.root.post("products", body),
    ):
        assert answer.status_code == 400
        assert answer.get_json()["errors"][0]["field"] == "lang_code"
    assert shop.root.put(f"products/{id}?sl=fr", {"product": "x"}).status_code == 400
    assert shop.everything() == before


def test_a_disabled_language_keeps_its_texts(shop: Shop) -> None:
    """Section 13.2: it is installed, so that nothing is missing when it returns."""
    shop.change(Language, {"lang_code": "de"}, {"status": "D"})
    id = shop.make_product("Mug")
    shop.change(Language, {"lang_code": "de"}, {"status": "A"})
    assert _record(shop, id, "?sl=de")["product"] == "Mug"


@pytest.mark.parametrize(
    ("path", "field", "body"),
    [
        ("vendors", "categories", {"company": "Nets", "email": "nets@example.org"}),
        ("products", "category_ids", {"product": "Mug"}),
        ("products", "tax_ids", {"product": "Mug"}),
        ("products", "usergroup_ids", {"product": "Mug"}),
        ("categories", "usergroup_ids", {"category": "Mugs"}),
    ],
)
def test_list_of_ids_is_bounded(
    shop: Shop, path: str, field: str, body: dict[str, str]
) -> None:
    before = shop.everything()
    for number in (4097, 40_000):
        ids = list(range(1000, 1000 + number))
        answer = shop.root.post(path, {**body, field: ids})
        assert answer.status_code == 400
        errors = {e["field"]: e["code"] for e in answer.get_json()["errors"]}
        assert errors[field] == "too_long"
    known = {"categories", "category_ids", "tax_ids"}
    if field in known:
        answer = shop.root.post(path, {**body, field: ids[:4096]})
        assert answer.status_code == 400
        assert len(answer.data) < 2000
    assert shop.everything() == before


def test_prices_of_a_product_are_bounded(shop: Shop) -> None:
    prices = [{"price": "1", "usergroup_id": 9 + n} for n in range(1001)]
    body = {"product": "Mug", "category_ids": [shop.category], "prices": prices}
    answer = shop.root.post("products", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["code"] == "too_long"
