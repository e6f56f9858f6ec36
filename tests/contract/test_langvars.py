"""Language variables (spec/entities/langvars.md)."""

from typing import Any
from urllib.parse import quote

import pytest

from storeapi.core.database import Transaction
from tests.shop import Shop


def add(shop: Shop, name: str = "checkout_hint", value: str = "Almost done") -> None:
    answer = shop.root.post("langvars", {"name": name, "value": value})
    assert answer.status_code == 201, answer.get_data(as_text=True)


def read(shop: Shop, name: str = "checkout_hint", query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = shop.root.get(f"langvars/{name}{query}").get_json()
    return found


def values(shop: Shop, *codes: str, name: str = "checkout_hint") -> dict[str, str]:
    """The value in each language, with the language that it comes from."""
    found = {}
    for code in codes:
        record = read(shop, name, f"?sl={code}")
        found[code] = f"{record['lang_code']}: {record['value']}"
    return found


def number(shop: Shop, code: str) -> str:
    return str(shop.root.get(f"languages/{code}").get_json()["lang_id"])


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_list_is_an_array_in_name_order(shop: Shop, version: str) -> None:
    add(shop, "your_basket", "Your basket")
    add(shop)
    add(shop, "404", "Not here")
    body = shop.root.get(f"/api/{version}/langvars").get_json()
    assert body["langvars"] == [
        {"name": "404", "value": "Not here"},
        {"name": "checkout_hint", "value": "Almost done"},
        {"name": "your_basket", "value": "Your basket"},
    ]
    keys = ["search", "params"] if version == "1.0" else ["params"]
    assert list(body) == ["langvars", *keys]
    for key in keys:
        assert body[key]["total_items"] == "3"
        assert body[key]["items_per_page"] == 10


def test_a_record_names_its_language(shop: Shop) -> None:
    add(shop)
    answer = shop.root.put("langvars/checkout_hint?sl=de", {"value": "Fast fertig"})
    assert (answer.status_code, answer.get_json()) == (200, {"name": "checkout_hint"})
    for query in ("?sl=de", "?lang_code=de", "?language=DE"):
        assert read(shop, query=query) == {
            "name": "checkout_hint", "value": "Fast fertig", "lang_code": "de",
        }  # fmt: skip
    # One that is not installed, and none at all, is the default one.
    for query in ("?sl=xx", ""):
        assert read(shop, query=query)["value"] == "Almost done"
        assert read(shop, query=query)["lang_code"] == "en"


def test_post_gives_every_language_the_value(shop: Shop) -> None:
    answer = shop.root.post("langvars?sl=de", {"name": "Menu.Home-1", "value": "Start"})
    assert (answer.status_code, answer.get_json()) == (201, {"name": "menu.home-1"})
    assert answer.headers["Location"] == "/api/2.0/langvars/menu.home-1"
    shown = {"en": "en: Start", "de": "de: Start"}
    assert values(shop, "en", "de", name="MENU.home-1") == shown
    assert shop.root.post("langvars", {"name": "empty"}).status_code == 201
    assert read(shop, "empty")["value"] == ""


@pytest.mark.parametrize(
    "name",
    ["", "a b", "a/b", "ä", "a" * 129, None, ["a"], {"a": 1}, "a\0", "a\n", ".", ".."],
)
def test_malformed_names_are_400(shop: Shop, name: Any) -> None:
    answer = shop.root.post("langvars", {"name": name, "value": "x"})
    assert answer.status_code == 400
    assert [each["field"] for each in answer.get_json()["errors"]] == ["name"]
    if isinstance(name, str) and name and "\0" not in name:
        path = f"langvars/{quote(name, safe='')}"
        assert shop.root.put(path, {"value": "x"}).status_code == 400
        assert shop.root.get(path).status_code == 404
    assert shop.root.post("langvars", {"value": "x"}).status_code == 400
    assert shop.everything()["langvars"] == []


@pytest.mark.parametrize(
    ("name", "path"),
    [("404", "404"), ("007", "007"), ("0", "0"), ("-1", "-1"), ("a.b-c", "a%2Eb%2Dc"),
     ("99999999999999999999", "99999999999999999999"), ("index", "INDEX")],
)  # fmt: skip
def test_what_looks_like_a_number_is_a_name(shop: Shop, name: str, path: str) -> None:
    """Rule 8: as one that is percent-encoded is."""
    for address in (f"langvars/{path}", f"languages/de/langvars/{path}"):
        assert shop.root.get(address).status_code == 404
        answer = shop.root.put(address, {"value": "x"})
        assert (answer.status_code, answer.get_json()) == (200, {"name": name})
        assert shop.root.get(address).get_json()["name"] == name
        assert shop.root.delete(f"langvars/{path}").status_code == 204


def test_names_are_unique_in_any_letter_case(shop: Shop) -> None:
    add(shop)
    for name in ("checkout_hint", "Checkout_Hint"):
        answer = shop.root.post("langvars", {"name": name, "value": "x"})
        assert answer.status_code == 400
        assert "PUT changes the value" in answer.get_json()["message"]
    assert read(shop)["value"] == "Almost done"


def test_put_makes_a_variable(shop: Shop) -> None:
    answer = shop.root.put("langvars/3d_secure?sl=de", {"value": "Sicher", "name": "x"})
    assert (answer.status_code, answer.get_json()) == (200, {"name": "3d_secure"})
    shown = {"en": "en: Sicher", "de": "de: Sicher"}
    assert values(shop, "en", "de", name="3d_secure") == shown
    # The name stays, and what has no value makes nothing.
    assert shop.root.put("langvars/3d_secure", {"name": "x"}).status_code == 200
    assert shop.root.put("langvars/other", {"nosuch": "x"}).status_code == 404
    assert shop.root.get("langvars").headers["X-Total-Count"] == "1"


def test_put_changes_one_language(shop: Shop) -> None:
    add(shop)
    for body, query in (
        ({"value": "eins"}, "?sl=de"),
        ({"value": "zwei", "lang_code": "de"}, "?sl=en"),
    ):
        path = f"langvars/checkout_hint{query}"
        assert shop.root.put(path, body).status_code == 200
        shown = {"en": "en: Almost done", "de": f"de: {body['value']}"}
        assert values(shop, "en", "de") == shown


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize(
    ("query", "code"), [("?sl=xx", ""), ("", "xx"), ("", ["en"]), ("", {})]
)
def test_writes_in_unknown_languages_are_400(
    shop: Shop, method: str, query: str, code: Any
) -> None:
    add(shop)
    body: dict[str, Any] = {"name": "other", "value": "x"}
    if code != "":
        body["lang_code"] = code
    path = "langvars" if method == "POST" else "langvars/checkout_hint"
    before = shop.everything()
    assert shop.root.request(method, path + query, json=body).status_code == 400
    assert shop.everything() == before


@pytest.mark.parametrize(
    "value",
    ["<b>[name]</b> &amp; %s {0}", " blanks ", "\U0001f375", "x" * 70_000, "", None, 5],
)
def test_values_are_kept_as_sent(shop: Shop, value: Any) -> None:
    add(shop, value=value)
    expected = "" if value is None else str(value)
    assert read(shop)["value"] == expected
    shop.root.put("langvars/checkout_hint", {"value": "other"})
    shop.root.put("langvars/checkout_hint", {"value": value})
    assert read(shop)["value"] == expected


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("name=HINT", ["checkout_hint"]),
        ("value=done", ["checkout_hint"]),
        ("value=BASKET&sl=de", []),
        ("value=korb&sl=de", ["your_basket"]),
        ("q=basket", ["your_basket"]),
        ("q=ALMOST", ["checkout_hint"]),
        ("q=%25", ["percent"]),
        ("q=GEB%C3%9CHR&sl=de", ["percent"]),
        ("value=gebu%CC%88hr&sl=de", ["percent"]),
        ("name=o&value=o", ["checkout_hint", "your_basket"]),
        ("value=o&sort_by=value", ["percent", "checkout_hint", "your_basket"]),
        (
            "sort_by=value&sort_order=desc&sl=de",
            ["your_basket", "percent", "checkout_hint"],
        ),
        ("sort_order=desc", ["your_basket", "percent", "checkout_hint"]),
        ("q=nosuch", []),
    ],
)
def test_filters_and_orders(shop: Shop, query: str, names: list[str]) -> None:
    add(shop, "your_basket", "Your shopping")
    add(shop)
    add(shop, "percent", "100 % off")
    shop.root.put("langvars/your_basket?sl=de", {"value": "Warenkorb"})
    shop.root.put("langvars/percent?sl=de", {"value": "Keine Gebühr"})
    found = shop.root.get(f"langvars?{query}")
    assert [each["name"] for each in found.get_json()["langvars"]] == names
    assert found.headers["X-Total-Count"] == str(len(names))


def test_pages_and_cursors_meet_each_once(shop: Shop) -> None:
    names = [f"name_{n:02}" for n in range(7)]
    for name in names:
        add(shop, name, "same " * 60)
    for sort in ("name", "value"):
        cursor, seen = "*", []
        while cursor:
            query = f"sort_by={sort}&items_per_page=3&cursor={cursor}"
            answer = shop.root.get(f"langvars?{query}")
            seen += [each["name"] for each in answer.get_json()["langvars"]]
            cursor = answer.headers.get("X-Next-Cursor", "")
        assert seen == names
    second = shop.root.get("langvars?items_per_page=3&page=3").get_json()["langvars"]
    assert [each["name"] for each in second] == ["name_06"]


def test_delete_removes_all_languages(shop: Shop) -> None:
    add(shop)
    answer = shop.root.delete("langvars/Checkout_Hint?sl=de")
    assert (answer.status_code, answer.data) == (204, b"")
    found = shop.everything()
    assert (found["langvars"], found["langvar_texts"]) == ([], [])
    assert shop.root.delete("langvars/checkout_hint").status_code == 404
    assert shop.root.get("langvars/checkout_hint").status_code == 404


# Below a language


def test_the_language_of_the_path_decides(shop: Shop) -> None:
    """Protocol, section 13.1: before all that a query says."""
    add(shop)
    below = f"languages/{number(shop, 'de')}/langvars"
    body = {"value": "Fast fertig", "lang_code": "en"}
    assert shop.root.put(f"{below}/checkout_hint?sl=en", body).status_code == 200
    shown = {"en": "en: Almost done", "de": "de: Fast fertig"}
    assert values(shop, "en", "de") == shown
    record = shop.root.get(f"{below}/checkout_hint?sl=en").get_json()
    assert record["lang_code"] == "de"
    listed = shop.root.get(f"{below}?q=fast").get_json()["langvars"]
    assert listed == [{"name": "checkout_hint", "value": "Fast fertig"}]
    made = shop.root.post(below, {"name": "new", "value": "Neu"})
    assert made.status_code == 201
    assert made.headers["Location"] == f"/api/2.0/{below}/new"
    assert values(shop, "en", "de", name="new") == {"en": "en: Neu", "de": "de: Neu"}
    by_code = shop.root.get("languages/de/langvars/checkout_hint").get_json()
    assert by_code["value"] == "Fast fertig"


def test_a_value_removed_in_one_language_falls_back(shop: Shop) -> None:
    add(shop)
    shop.root.put("langvars/checkout_hint?sl=de", {"value": "Fast fertig"})
    path = f"languages/{number(shop, 'de')}/langvars/checkout_hint"
    assert shop.root.delete(path).status_code == 204
    shown = {"en": "en: Almost done", "de": "en: Almost done"}
    assert values(shop, "en", "de") == shown
    listed = shop.root.get("langvars?sl=de&value=almost&sort_by=value").get_json()
    assert [each["value"] for each in listed["langvars"]] == ["Almost done"]
    assert shop.root.delete(path).status_code == 404
    # Whatever is written is the language's own again.
    assert shop.root.put(path, {"value": "Gleich"}).status_code == 200
    assert values(shop, "de") == {"de": "de: Gleich"}
    # Without one in the default language there is nothing to fall back to.
    shop.root.delete("languages/en/langvars/checkout_hint")
    assert values(shop, "en", "de") == {"en": "en: ", "de": "de: Gleich"}
    shop.root.delete("languages/de/langvars/checkout_hint")
    assert shop.root.get("langvars/checkout_hint").status_code == 404


def test_unknown_parents_are_404(shop: Shop) -> None:
    add(shop)
    for parent in ("languages/999", "languages/fr"):
        assert shop.root.get(f"{parent}/langvars").status_code == 404
        path = f"{parent}/langvars/checkout_hint"
        assert shop.root.get(path).status_code == 404
        assert shop.root.put(path, {"value": "x"}).status_code == 404


# Languages that come and go


def test_a_new_language_has_the_values_of_another(shop: Shop) -> None:
    add(shop)
    shop.root.put("langvars/checkout_hint?sl=de", {"value": "Fast fertig"})
    for body, query, value in (
        ({"lang_code": "at", "from_lang_code": "de"}, "", "Fast fertig"),
        ({"lang_code": "ch"}, "?sl=de", "Fast fertig"),
        ({"lang_code": "fr"}, "", "Almost done"),
    ):
        answer = shop.root.post(f"languages{query}", {"name": "X", **body})
        assert answer.status_code == 201
        code = body["lang_code"]
        assert values(shop, code) == {code: f"{code}: {value}"}
    shop.root.put("languages/at", {"lang_code": "oe"})
    assert values(shop, "oe", "at") == {
        "oe": "oe: Fast fertig", "at": "en: Almost done",
    }  # fmt: skip
    shop.root.delete("languages/oe")
    found = {row[1] for row in shop.everything()["langvar_texts"]}
    assert found == {"en", "de", "ch", "fr"}


def test_many_variables_are_copied_by_one_statement(shop: Shop) -> None:
    for n in range(20):
        add(shop, f"name_{n}")
    found: list[str] = []
    shop.database.observer = found.append
    try:
        shop.root.post("languages", {"lang_code": "fr", "name": "French"})
    finally:
        shop.database.observer = None
    assert len([text for text in found if "INTO langvar_texts" in text]) == 1


# Callers


def test_companies_and_customers_only_read(shop: Shop, make_app: Any) -> None:
    add(shop)
    names = ("view_languages", "manage_languages")
    scoped = shop.caller(*names, company_id=shop.store)
    path = "langvars/checkout_hint"
    assert scoped.get(path).status_code == 200
    assert scoped.get(f"languages/de/{path}").status_code == 200
    assert scoped.post("langvars", {"name": "x"}).status_code == 403
    assert scoped.put(path, {"value": "x"}).status_code == 403
    assert scoped.delete(path).status_code == 403
    client = make_app(api_allow_customer=True).test_client()
    assert client.get(f"/api/2.0/{path}").get_json()["value"] == "Almost done"
    assert client.put(f"/api/2.0/{path}", json={"value": "x"}).status_code == 401


@pytest.mark.only_on("postgresql", "mariadb")
def test_put_that_meets_another_changes_its_variable(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have seen that there is none; one makes it, the other changes it."""
    insert = Transaction.insert
    waiting = [lambda: shop.root.put("langvars/late", {"value": "theirs"})]

    def late(db: Transaction, table: Any, row: Any) -> int:
        if table.name == "langvars" and waiting:
            assert waiting.pop()().status_code == 200
        return insert(db, table, row)

    monkeypatch.setattr(Transaction, "insert", late)
    assert shop.root.put("langvars/late?sl=de", {"value": "ours"}).status_code == 200
    shown = {"en": "en: theirs", "de": "de: ours"}
    assert values(shop, "en", "de", name="late") == shown
