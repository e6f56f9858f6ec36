"""Languages that come and go while texts are being written."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from storeapi.core.database import Transaction
from storeapi.rules.callers import Callers
from storeapi.rules.translations import tables_of_texts
from tests.shop import Shop

FR = {"lang_code": "fr", "name": "French"}

VARIANTS: list[dict[str, Any]] = [{"variant": "Red"}, {"variant": "Blue"}]

Meanwhile = Callable[[Callable[[], TestResponse]], None]


@pytest.fixture
def meanwhile(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Let something happen between the finding of a caller and the write."""

    def plan(act: Callable[[], TestResponse]) -> None:
        find = Callers.find
        waiting = [act]

        def found(*args: Any) -> Any:
            result = find(*args)
            if waiting:
                assert waiting.pop()().status_code in (200, 201, 204)
            return result

        monkeypatch.setattr(Callers, "find", found)

    return plan


def codes(shop: Shop) -> dict[str, set[str]]:
    """The languages of each table of texts that holds any."""
    found = {}
    for table in tables_of_texts():
        statement = select(table.c.lang_code, func.count()).group_by("lang_code")
        rows = shop.database.write(lambda db, s=statement: db.execute(s).all())
        assert len({number for _, number in rows}) <= 1
        if rows:
            found[table.name] = {code for code, _ in rows}
    return found


def everywhere(shop: Shop, *languages: str) -> None:
    """Assert that whatever has texts has them in just these languages."""
    found = codes(shop)
    assert found == {table: set(languages) for table in found}


BODIES: dict[str, dict[str, Any]] = {
    "products": {"product": "Mug", "category_ids": [0]},
    "categories": {"category": "Bowls"},
    "features": {
        "description": "Colour",
        "feature_type": "S",
        "variants": VARIANTS,
    },
    "usergroups": {"usergroup": "Wholesale", "type": "C", "status": "A"},
    "options": {
        "product_id": 0,
        "option_name": "Size",
        "option_type": "S",
        "variants": [{"variant_name": "S"}],
    },
    "langvars": {"name": "checkout_hint", "value": "Almost done"},
    "stores": {"company": "Third", "storefront": "third.example", "clone_from": 0},
}


@pytest.mark.parametrize("entity", BODIES)
def test_an_object_is_made_in_a_language_that_came(
    shop: Shop, meanwhile: Meanwhile, entity: str
) -> None:
    body = dict(BODIES[entity])
    if "category_ids" in body:
        body["category_ids"] = [shop.category]
    if "clone_from" in body:
        body |= {"clone_from": shop.store, "clone": {"products": "Y"}}
        shop.make_product("Mug")
    meanwhile(lambda: shop.root.post("languages", FR))
    answer = shop.root.post(entity, body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    everywhere(shop, "en", "de", "fr")


def test_values_are_stored_in_a_language_that_came(
    shop: Shop, meanwhile: Meanwhile
) -> None:
    body = {"description": "Glaze", "feature_type": "T"}
    feature = shop.root.post("features", body).get_json()["feature_id"]
    id = shop.make_product("Mug")
    meanwhile(lambda: shop.root.post("languages", FR))
    answer = shop.root.put(f"products/{id}/features/{feature}", {"value": "matt"})
    assert answer.status_code == 200
    everywhere(shop, "en", "de", "fr")


def test_variants_are_stored_in_a_language_that_came(
    shop: Shop, meanwhile: Meanwhile
) -> None:
    feature = shop.root.post("features", BODIES["features"]).get_json()["feature_id"]
    meanwhile(lambda: shop.root.post("languages", FR))
    more = [*VARIANTS, {"variant": "Green"}]
    answer = shop.root.put(f"features/{feature}", {"variants": more})
    assert answer.status_code == 200
    everywhere(shop, "en", "de", "fr")


def test_a_value_that_was_missing_is_in_a_language_that_came(
    shop: Shop, meanwhile: Meanwhile
) -> None:
    shop.root.post("langvars", BODIES["langvars"])
    shop.root.delete("languages/de/langvars/checkout_hint")
    meanwhile(lambda: shop.root.post("languages", FR))
    body = {"value": "Fast fertig"}
    assert shop.root.put("langvars/checkout_hint?sl=de", body).status_code == 200
    everywhere(shop, "en", "de", "fr")


def test_a_value_for_a_language_that_went_is_refused(
    shop: Shop, meanwhile: Meanwhile
) -> None:
    shop.root.post("langvars", BODIES["langvars"])
    meanwhile(lambda: shop.root.delete("languages/de"))
    body = {"value": "Fast fertig"}
    answer = shop.root.put("langvars/checkout_hint?sl=de", body)
    assert answer.status_code == 400
    everywhere(shop, "en")


def test_a_language_cannot_go_while_it_becomes_the_default(
    shop: Shop, meanwhile: Meanwhile
) -> None:
    query = "settings?name=backend_default_language"
    (found,) = shop.root.get(query).get_json()["settings"]
    path = f"settings/{found['object_id']}"
    meanwhile(lambda: shop.root.put(path, {"value": "de"}))
    assert shop.root.delete("languages/de").status_code == 400
    everywhere(shop, "en", "de")
    meanwhile(lambda: shop.root.put("languages/en", {"status": "D"}))
    assert shop.root.put(path, {"value": "en"}).status_code == 400


def test_a_new_code_is_found_in_a_language_that_came(
    shop: Shop, meanwhile: Meanwhile
) -> None:
    path = "products"
    body = {"product": "Mug", "product_code": "OLD", "category_ids": [shop.category]}
    id = shop.root.post(path, body).get_json()["product_id"]
    meanwhile(lambda: shop.root.post("languages", FR))
    assert shop.root.put(f"{path}/{id}", {"product_code": "NEW"}).status_code == 200
    for code in ("en", "de", "fr"):
        found = shop.root.get(f"{path}?q=new&lang_code={code}")
        assert found.headers["X-Total-Count"] == "1"


def test_nothing_is_stored_in_a_language_that_went(
    shop: Shop, meanwhile: Meanwhile
) -> None:
    meanwhile(lambda: shop.root.delete("languages/de"))
    assert shop.root.post("categories", BODIES["categories"]).status_code == 201
    everywhere(shop, "en")


def test_an_object_is_made_in_a_language_under_its_new_code(
    shop: Shop, meanwhile: Meanwhile
) -> None:
    meanwhile(lambda: shop.root.put("languages/de", {"lang_code": "at"}))
    assert shop.root.post("categories", BODIES["categories"]).status_code == 201
    everywhere(shop, "en", "at")


def test_a_text_for_a_language_that_went_is_refused(
    shop: Shop, meanwhile: Meanwhile
) -> None:
    path = f"categories/{shop.category}"
    meanwhile(lambda: shop.root.delete("languages/de"))
    answer = shop.root.put(path, {"category": "Becher", "lang_code": "de"})
    assert answer.status_code == 400
    assert shop.root.get(path).get_json()["category"] == "Mugs"


def test_a_write_without_texts_does_not_look_at_languages(shop: Shop) -> None:
    id = shop.make_product("Mug")
    texts: list[str] = []
    shop.database.observer = texts.append
    try:
        assert shop.root.put(f"products/{id}", {"amount": 5}).status_code == 200
    finally:
        shop.database.observer = None
    asked = [text for text in texts if "languages" in text]
    assert len(asked) == 1  # the one that finds the caller


def test_a_write_that_was_broken_off_holds_the_languages_first(
    shop: Shop, meanwhile: Meanwhile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were old once; the second time nobody changes them any more."""
    hold, find = shop.database.hold_languages, Callers.find
    assert hold is not None
    steps: list[str] = []

    def held(db: Transaction) -> Sequence[str]:
        steps.append("hold")
        return hold(db)

    def found(*args: Any) -> Any:
        steps.append("find")
        return find(*args)

    monkeypatch.setattr(Callers, "find", found)
    meanwhile(lambda: shop.root.post("languages", FR))
    monkeypatch.setattr(shop.database, "hold_languages", held)
    assert shop.root.post("categories", BODIES["categories"]).status_code == 201
    # The caller who adds the language is found meanwhile.
    assert steps == ["find", "find", "hold", "hold", "find"]
    everywhere(shop, "en", "de", "fr")
