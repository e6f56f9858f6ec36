"""Tags, 304 and 412 (one mechanism for every entity)."""

import pytest

from tests.shop import Shop


def test_one_record_has_a_tag_that_changes_with_it(shop: Shop) -> None:
    id = shop.make_product()
    first = shop.root.get(f"products/{id}").headers["ETag"]
    assert shop.root.get(f"products/{id}").headers["ETag"] == first
    assert shop.root.put(f"products/{id}", {"price": "5"}).status_code == 200
    assert shop.root.get(f"products/{id}").headers["ETag"] != first


def test_if_none_match_answers_304_without_body(shop: Shop) -> None:
    id = shop.make_product()
    tag = shop.root.get(f"products/{id}").headers["ETag"]
    answer = shop.root.get(f"products/{id}", headers={"If-None-Match": tag})
    assert (answer.status_code, answer.data) == (304, b"")
    assert answer.headers["ETag"] == tag


def test_second_put_with_the_same_tag_answers_412(shop: Shop) -> None:
    id = shop.make_product()
    condition = {"If-Match": shop.root.get(f"products/{id}").headers["ETag"]}
    path, body = f"products/{id}", {"amount": "24"}
    assert shop.root.put(path, body, headers=condition).status_code == 200
    assert shop.root.put(path, body, headers=condition).status_code == 412
    assert shop.root.get(path).get_json()["amount"] == "24"


def test_delete_of_a_changed_record_answers_412(shop: Shop) -> None:
    id = shop.make_product()
    condition = {"If-Match": shop.root.get(f"products/{id}").headers["ETag"]}
    shop.root.put(f"products/{id}", {"amount": "3"})
    answer = shop.root.delete(f"products/{id}", headers=condition)
    assert answer.status_code == 412
    assert shop.root.get(f"products/{id}").status_code == 200


@pytest.mark.parametrize("path", ["categories", "langvars"])
def test_a_tag_is_that_of_the_language_written(shop: Shop, path: str) -> None:
    """The body may name the language, as well as the query."""
    shop.root.post("langvars", {"name": "hint", "value": "Cup"})
    field, id = ("value", "hint") if path == "langvars" else ("category", shop.category)
    own, german = f"{path}/{id}", f"{path}/{id}?lang_code=de"
    shop.root.put(german, {field: "Tasse"})
    tag = shop.root.get(german).headers["ETag"]
    body, condition = {field: "Becher", "lang_code": "DE"}, {"If-Match": tag}
    assert shop.root.put(own, {field: "Mug"}, headers=condition).status_code == 412
    assert shop.root.put(own, body, headers=condition).status_code == 200
    assert shop.root.put(own, body, headers=condition).status_code == 412
    other = {"If-Match": shop.root.get(own).headers["ETag"]}
    assert shop.root.put(own, body, headers=other).status_code == 412
    odd = {field: "x", "lang_code": ["de"]}
    assert shop.root.put(own, odd, headers=other).status_code == 400
    assert shop.root.get(german).get_json()[field] == "Becher"
