"""Languages: spec/entities/languages.md, rule by rule."""

from typing import Any

import pytest

from storeapi.core.rows import table_of
from storeapi.models import Company, User
from storeapi.rules.translations import tables_of_texts
from tests.shop import Shop

PT = {"lang_code": "pt", "name": "Português"}


def add(shop: Shop, **payload: Any) -> int:
    answer = shop.root.post("languages", {**PT, **payload})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["lang_id"])


def read(shop: Shop, id: int | str) -> Any:
    return shop.root.get(f"languages/{id}").get_json()


def numbers(shop: Shop) -> dict[str, dict[str, int]]:
    """Table to language to the number of its texts."""
    everything = shop.everything()
    found: dict[str, dict[str, int]] = {}
    for table in tables_of_texts():
        place = list(table.columns.keys()).index("lang_code")
        for row in everything[table.name]:
            by_code = found.setdefault(table.name, {})
            by_code[row[place]] = by_code.get(row[place], 0) + 1
    return found


# Shapes


def test_list_is_a_map_by_code_in_both_versions(shop: Shop) -> None:
    records = {
        "en": {
            "lang_id": "1", "lang_code": "en", "name": "English", "status": "A",
            "country_code": "US", "direction": "ltr",
        },
        "de": {
            "lang_id": "2", "lang_code": "de", "name": "Deutsch", "status": "A",
            "country_code": "DE", "direction": "ltr",
        },
    }  # fmt: skip
    params = {
        "page": 1, "items_per_page": 10, "sort_by": "lang_id", "sort_order": "asc",
        "sort_order_rev": "desc", "total_items": "2",
    }  # fmt: skip
    found = shop.root.get("languages").get_json()
    ids = {code: found["languages"][code]["lang_id"] for code in records}
    for code, id in ids.items():
        records[code]["lang_id"] = id
    assert found == {"languages": records, "params": params}
    found = shop.root.get("/api/languages").get_json()
    assert found == {"languages": records, "search": params, "params": params}


def test_a_sparse_list_keeps_its_keys(shop: Shop) -> None:
    found = shop.root.get("languages?fields=name").get_json()["languages"]
    assert [found[code]["name"] for code in ("en", "de")] == ["English", "Deutsch"]


def test_post_and_put_answer_the_number(shop: Shop) -> None:
    answer = shop.root.post("languages", PT)
    assert answer.status_code == 201
    id = answer.get_json()["lang_id"]
    assert isinstance(id, int)
    answer = shop.root.put(f"languages/{id}", {"status": "H"})
    assert (answer.status_code, answer.get_json()) == (200, {"lang_id": str(id)})
    answer = shop.root.post("/api/languages", {"lang_code": "fr", "name": "Français"})
    assert answer.get_json() == {"lang_id": str(id + 1)}


def test_defaults_follow_the_code(shop: Shop) -> None:
    id = add(shop)
    assert read(shop, id) == {
        "lang_id": str(id), "lang_code": "pt", "name": "Português", "status": "A",
        "country_code": "PT", "direction": "ltr",
    }  # fmt: skip


def test_country_is_stored_in_capitals(shop: Shop) -> None:
    assert read(shop, add(shop, country_code="br"))["country_code"] == "BR"


@pytest.mark.parametrize("query", ["status=A", "direction=ltr", "country_code=DE"])
def test_fields_are_filters(shop: Shop, query: str) -> None:
    add(shop, status="H", direction="rtl")
    found = shop.root.get(f"languages?{query}").get_json()["languages"]
    assert "de" in found
    assert "pt" not in found


def test_every_field_can_be_changed(shop: Shop) -> None:
    id = add(shop)
    change = {"lang_code": "br", "name": "Brasileiro", "status": "H",
              "country_code": "BR", "direction": "rtl"}  # fmt: skip
    assert shop.root.put(f"languages/{id}", change).status_code == 200
    assert read(shop, id) == {"lang_id": str(id), **change}
    for wrong in ({"name": ""}, {"lang_code": "x"}, {"direction": "up"},
                  {"status": "Z"}, {"country_code": "BRA"}):  # fmt: skip
        answer = shop.root.put(f"languages/{id}", wrong)
        assert answer.status_code == 400
        assert [e["field"] for e in answer.get_json()["errors"]] == list(wrong)
    assert read(shop, id) == {"lang_id": str(id), **change}


def test_lists_come_in_the_order_of_numbers_by_pages(shop: Shop) -> None:
    add(shop)
    pages = [
        list(shop.root.get(f"languages?items_per_page=2&page={n}").get_json()[
            "languages"])
        for n in (1, 2, 3)
    ]  # fmt: skip
    assert pages == [["en", "de"], ["pt"], []]


def test_the_code_is_taken_as_an_id(shop: Shop) -> None:
    id = add(shop)
    assert read(shop, "pt")["lang_id"] == str(id)
    assert shop.root.put("languages/PT", {"name": "P"}).status_code == 200
    assert read(shop, id)["name"] == "P"
    assert shop.root.delete("languages/pt").status_code == 204
    assert shop.root.get("languages/pt").status_code == 404


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
@pytest.mark.parametrize("id", ["999999", "xx", "xxx"])
def test_an_unknown_language_is_404(shop: Shop, method: str, id: str) -> None:
    body = {"json": {"name": "x"}} if method == "PUT" else {}
    assert shop.root.request(method, f"languages/{id}", **body).status_code == 404


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"status": "A"}, ["lang_code", "name"]),
        ({**PT, "lang_code": "por"}, ["lang_code"]),
        ({**PT, "lang_code": "p1"}, ["lang_code"]),
        ({**PT, "name": ""}, ["name"]),
        ({**PT, "status": "Z"}, ["status"]),
        ({**PT, "direction": "up"}, ["direction"]),
        ({**PT, "country_code": "P"}, ["country_code"]),
        ({**PT, "from_lang_code": "xx"}, ["from_lang_code"]),
    ],
)
def test_bad_values_are_named(shop: Shop, body: Any, fields: list[str]) -> None:
    before = shop.everything()
    answer = shop.root.post("languages", body)
    assert answer.status_code == 400
    assert [error["field"] for error in answer.get_json()["errors"]] == fields
    assert shop.everything() == before


# Rule 1


def test_a_code_that_is_taken_is_refused(shop: Shop) -> None:
    answer = shop.root.post("languages", {"lang_code": "DE", "name": "x"})
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["code"] == "taken"
    answer = shop.root.put(f"languages/{add(shop)}", {"lang_code": "de"})
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["code"] == "taken"


# Rules 2 and 7


def test_a_new_language_has_every_text(shop: Shop) -> None:
    shop.make_product()
    shop.make_tax()
    before = numbers(shop)
    assert set(before) >= {"category_texts", "product_search", "product_texts"}
    add(shop)
    for name, by_code in numbers(shop).items():
        assert by_code == {**before[name], "pt": before[name]["en"]}, name


@pytest.mark.parametrize(
    ("body", "query", "expected"),
    [
        ({}, "", "Mug"),
        ({"from_lang_code": "de"}, "", "Becher"),
        ({}, "?sl=de", "Becher"),
        ({"from_lang_code": "en"}, "?sl=de", "Mug"),
    ],
)
def test_texts_come_from_the_language_named(
    shop: Shop, body: Any, query: str, expected: str
) -> None:
    id = shop.make_product("Mug")
    shop.root.put(f"products/{id}", {"product": "Becher", "lang_code": "de"})
    assert shop.root.post(f"languages{query}", {**PT, **body}).status_code == 201
    found = shop.root.get(f"products/{id}?lang_code=pt").get_json()
    assert (found["product"], found["lang_code"]) == (expected, "pt")
    found = shop.root.get(f"products?lang_code=pt&q={expected}").get_json()
    assert found["params"]["total_items"] == "1"


def test_objects_made_later_have_the_new_language(shop: Shop) -> None:
    add(shop)
    id = shop.make_product("Mug")
    shop.root.put(f"products/{id}", {"product": "Caneca", "lang_code": "pt"})
    found = shop.root.get(f"products/{id}?sl=pt").get_json()
    assert found["product"] == "Caneca"


def test_a_disabled_language_is_kept_complete(shop: Shop) -> None:
    pt = add(shop, status="D")
    id = shop.make_product("Mug")
    found = shop.root.get(f"products/{id}?lang_code=pt").get_json()
    assert (found["product"], found["lang_code"]) == ("Mug", "pt")
    shop.root.put(f"languages/{pt}", {"status": "A"})
    assert numbers(shop)["product_texts"] == {"en": 1, "de": 1, "pt": 1}


# Rules 3 and 6


@pytest.mark.parametrize("change", [{"status": "D"}, {"lang_code": "fr"}])
def test_the_default_language_stays(shop: Shop, change: Any) -> None:
    before = shop.everything()
    assert shop.root.put("languages/en", change).status_code == 400
    assert shop.root.delete("languages/en").status_code == 400
    assert shop.everything() == before


def test_one_language_stays_active(shop: Shop) -> None:
    assert shop.root.put("languages/en", {"status": "H"}).status_code == 200
    assert shop.root.put("languages/de", {"status": "H"}).status_code == 400
    assert shop.root.put("languages/de", {"status": "D"}).status_code == 400
    assert shop.root.delete("languages/de").status_code == 400
    assert shop.root.put("languages/en", {"status": "A"}).status_code == 200
    assert shop.root.delete("languages/de").status_code == 204


# Rules 4 and 5


def give_people_a_language(shop: Shop, code: str) -> None:
    def action(db: Any) -> None:
        where = {"user_id": shop.root.user_id}
        db.update(table_of(User), where, {"lang_code": code})
        db.update(table_of(Company), {"company_id": shop.store}, {"lang_code": code})

    shop.database.write(action)


def languages_of_people(shop: Shop) -> tuple[str, str]:
    def action(db: Any) -> tuple[str, str]:
        users, companies = table_of(User), table_of(Company)
        own = users.c.user_id == shop.root.user_id
        user = db.execute(users.select().where(own)).one()
        own = companies.c.company_id == shop.store
        company = db.execute(companies.select().where(own)).one()
        return user.lang_code, company.lang_code

    return shop.database.write(action)


def test_a_new_code_takes_the_texts_along(shop: Shop) -> None:
    id = shop.make_product("Mug")
    give_people_a_language(shop, "de")
    shop.root.put(f"products/{id}", {"product": "Becher", "lang_code": "de"})
    before = numbers(shop)
    assert shop.root.put("languages/de", {"lang_code": "at"}).status_code == 200
    found = shop.root.get(f"products/{id}?lang_code=at").get_json()
    assert (found["product"], found["lang_code"]) == ("Becher", "at")
    for name, by_code in numbers(shop).items():
        assert by_code == {"en": before[name]["en"], "at": before[name]["de"]}
    assert languages_of_people(shop) == ("at", "at")


def test_deleting_removes_the_texts_and_resets_who_used_it(shop: Shop) -> None:
    shop.make_product("Mug")
    give_people_a_language(shop, "de")
    answer = shop.root.delete("languages/de")
    assert (answer.status_code, answer.data) == (204, b"")
    assert {code for by_code in numbers(shop).values() for code in by_code} == {"en"}
    assert languages_of_people(shop) == ("en", "en")


# Privileges


def test_callers_of_one_company_only_read(shop: Shop) -> None:
    privileges = ("view_languages", "manage_languages")
    admin = shop.caller(*privileges, company_id=shop.store)
    before = shop.everything()
    assert admin.get("languages").status_code == 200
    assert admin.post("languages", PT).status_code == 403
    assert admin.put("languages/de", {"name": "x"}).status_code == 403
    assert admin.delete("languages/de").status_code == 403
    assert shop.everything() == before


def test_writing_needs_its_privilege(shop: Shop) -> None:
    reader = shop.caller("view_languages")
    assert reader.get("languages/de").status_code == 200
    assert reader.post("languages", PT).status_code == 403
    writer = shop.caller("view_languages", "manage_languages")
    assert writer.post("languages", PT).status_code == 201


# Protocol, section 13


def test_an_unknown_language_is_the_default_on_reads_and_refused_on_writes(
    shop: Shop,
) -> None:
    id = shop.make_product("Mug")
    found = shop.root.get(f"products/{id}?lang_code=xx").get_json()
    assert found["lang_code"] == "en"
    for query, body in (("?lang_code=xx", {}), ("", {"lang_code": "xx"})):
        answer = shop.root.put(f"products/{id}{query}", {"product": "x", **body})
        assert answer.status_code == 400
        assert answer.get_json()["errors"][0]["field"] == "lang_code"
