"""Exceptions of options (spec/entities/exceptions.md)."""

from typing import Any

import pytest

from storeapi.core.errors import InvalidInput
from storeapi.core.rows import table_of
from storeapi.models import Product
from tests.products import put
from tests.shop import NOW, Shop
from tests.wares import priced


class Wares:
    """A product with a select box of two variants, and a check box."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.product_id = shop.make_product()
        variants = [{"variant_name": "M"}, {"variant_name": "XXL"}]
        self.size, self.sizes = self.option(variants=variants)
        self.box, self.ticks = self.option(option_type="C")

    def option(self, **more: Any) -> tuple[int, Any]:
        body = {"product_id": self.product_id, "option_name": "x", **more}
        answer = self.shop.root.post("options", body)
        assert answer.status_code == 201, answer.get_data(as_text=True)
        option_id = answer.get_json()["option_id"]
        record = self.shop.root.get(f"options/{option_id}").get_json()
        return option_id, [int(id) for id in record["variants"]]

    def post(self, choice: Any, status: int = 201) -> Any:
        body = {"product_id": self.product_id, "combination": choice}
        answer = self.shop.root.post("exceptions", body)
        assert answer.status_code == status, answer.get_data(as_text=True)
        return answer.get_json()

    def make(self, size: int = 0, box: int = -2) -> str:
        choice = {self.size: size or self.sizes[1], self.box: box}
        return str(self.post(choice)["exception_id"])

    def read(self, id: str) -> Any:
        return self.shop.root.get(f"exceptions/{id}").get_json()

    def put(self, id: str, body: Any, status: int = 200) -> Any:
        answer = self.shop.root.put(f"exceptions/{id}", body)
        assert answer.status_code == status, answer.get_data(as_text=True)
        return answer.get_json()


@pytest.fixture
def wares(shop: Shop) -> Wares:
    return Wares(shop)


def test_created_exception_is_read_as_documented(wares: Wares) -> None:
    id = wares.make()
    choice = {str(wares.size): str(wares.sizes[1]), str(wares.box): "-2"}
    assert wares.read(id) == {
        "exception_id": id,
        "product_id": str(wares.product_id),
        "combination": choice,
    }


@pytest.mark.parametrize("prefix", ["/api", "/api/2.0"])
def test_answers_are_texts_in_both_versions(wares: Wares, prefix: str) -> None:
    body = {"product_id": wares.product_id, "combination": {wares.size: -1}}
    answer = wares.shop.root.post(f"{prefix}/exceptions", body)
    assert answer.status_code == 201
    id = answer.get_json()["exception_id"]
    assert type(id) is str
    body = {"combination": {wares.size: wares.sizes[0]}}
    answer = wares.shop.root.put(f"{prefix}/exceptions/{id}", body)
    assert (answer.status_code, answer.get_json()) == (200, {"exception_id": id})


def test_list_is_a_bare_array_in_2_0_and_a_map_in_1_0(wares: Wares) -> None:
    ids = [wares.make(), wares.make(wares.sizes[0]), wares.make(-1)]
    path = f"exceptions?product_id={wares.product_id}"
    root = wares.shop.root
    assert root.get(path).get_json() == [wares.read(id) for id in ids]
    assert root.get(f"{path}&items_per_page=1&page=2").get_json() == [
        wares.read(ids[1])
    ]
    body = root.get(f"/api/{path}").get_json()
    assert body["exceptions"] == {id: wares.read(id) for id in ids}
    assert body["search"]["product_id"] == str(wares.product_id)


def test_list_needs_a_known_product(wares: Wares) -> None:
    answer = wares.shop.root.get("exceptions")
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "product_id"
    assert wares.shop.root.get("exceptions?product_id=99999").status_code == 404


def test_options_must_have_variants_and_be_of_the_product(wares: Wares) -> None:
    text, _ = wares.option(option_type="T")
    unstocked, variants = wares.option(inventory="N", variants=[{"variant_name": "a"}])
    for option, variant in [(text, -1), (99999, -1), (wares.size, wares.ticks[0])]:
        body = wares.post({option: variant}, 400)
        fields = [error["field"] for error in body["errors"]]
        assert fields == [f"combination.{option}"]
    wares.post({unstocked: variants[0]})


@pytest.mark.parametrize("choice", [None, {}, [], "x", {"x": 1}])
def test_choice_is_required(wares: Wares, choice: Any) -> None:
    wares.post(choice, 400)


@pytest.mark.parametrize("variant", [0, -3, "x", 2**31])
def test_only_two_numbers_stand_for_no_variant(wares: Wares, variant: Any) -> None:
    wares.post({wares.size: variant}, 400)


def test_error_names_the_numbers_that_stand_for_variants(wares: Wares) -> None:
    (error,) = wares.post({wares.size: -3}, 400)["errors"]
    assert error["message"] == "must be the ID of a variant, -1 or -2"


def test_put_replaces_the_whole_choice(wares: Wares) -> None:
    id = wares.make()
    wares.put(id, {"combination": {str(wares.box): "-1"}})
    assert wares.read(id)["combination"] == {str(wares.box): "-1"}
    wares.shop.root.delete(f"options/{wares.size}")
    assert wares.read(id)["combination"] == {str(wares.box): "-1"}
    wares.put(id, {"combination": {}}, 400)
    wares.put(id, {"combination": {wares.box: 99999}}, 400)


def test_another_type_turns_the_sense_of_the_rows(wares: Wares) -> None:
    id = wares.make(wares.sizes[0], -1)
    before, shop = wares.read(id), wares.shop
    options = {wares.size: wares.sizes[0]}
    payload = {wares.product_id: {"amount": 1, "product_options": options}}
    put(shop, wares.product_id, exceptions_type="A")
    assert len(priced(shop, payload)) == 1
    put(shop, wares.product_id, exceptions_type="F")
    with pytest.raises(InvalidInput):
        priced(shop, payload)
    assert wares.read(id) == before


def test_get_then_put_changes_nothing(wares: Wares) -> None:
    id = wares.make()
    before = wares.shop.everything()
    wares.put(id, wares.read(id))
    assert wares.shop.everything() == before


def test_equal_exceptions_of_a_product_are_400(wares: Wares) -> None:
    wares.make()
    other = wares.make(-1)
    choice = {wares.box: -2, wares.size: wares.sizes[1]}
    body = wares.post(choice, 400)
    assert body["errors"][0]["field"] == "combination"
    body = wares.put(other, {"combination": choice}, 400)
    assert body["errors"][0]["field"] == "combination"


def test_delete_checks_the_owner_that_is_sent(wares: Wares) -> None:
    path, other = f"exceptions/{wares.make()}", wares.shop.make_product()
    assert wares.shop.root.delete(f"{path}?product_id={other}").status_code == 404
    path += f"?product_id={wares.product_id}"
    assert wares.shop.root.delete(path).status_code == 204
    assert wares.shop.root.delete(path).status_code == 404


@pytest.mark.parametrize("cause", ["option", "variant", "product"])
def test_exception_goes_with_what_it_names(wares: Wares, cause: str) -> None:
    id = wares.make()
    root, option = wares.shop.root, f"options/{wares.size}"
    answer = {
        "option": lambda: root.delete(f"options/{wares.box}"),
        "variant": lambda: root.put(option, {"variants": {wares.sizes[0]: {}}}),
        "product": lambda: root.delete(f"products/{wares.product_id}"),
    }[cause]()
    assert answer.status_code in (200, 204)
    assert root.get(f"exceptions/{id}").status_code == 404


def test_what_readers_see_moves_the_product(wares: Wares) -> None:
    def moves(method: str, path: str, body: Any = None) -> bool:
        where, old = {"product_id": wares.product_id}, {"updated_timestamp": NOW}
        wares.shop.database.write(lambda db: db.update(table_of(Product), where, old))
        wares.shop.root.request(method, path, json=body)
        record = wares.shop.root.get(f"products/{wares.product_id}").get_json()
        return bool(record["updated_timestamp"] != str(NOW))

    id = wares.make()
    body = {"product_id": wares.product_id, "combination": {wares.size: -1}}
    assert moves("POST", "exceptions", body)
    assert moves("PUT", f"exceptions/{id}", {"combination": {wares.box: -1}})
    assert not moves("PUT", f"exceptions/{id}", {"combination": {wares.box: -1}})
    assert moves("DELETE", f"exceptions/{id}")


def test_foreign_exceptions_are_404(shop: Shop, wares: Wares) -> None:
    id = wares.make()
    clerk = shop.caller("view_catalog", "manage_catalog", company_id=shop.other_store)
    before = shop.everything()
    body = {"combination": {wares.size: -1}}
    assert clerk.get(f"exceptions/{id}").status_code == 404
    assert clerk.put(f"exceptions/{id}", body).status_code == 404
    assert clerk.delete(f"exceptions/{id}").status_code == 404
    path = f"products/{wares.product_id}/exceptions"
    assert clerk.get(path).status_code == 404
    assert clerk.post(path, body).status_code == 404
    assert shop.everything() == before
    assert shop.root.get(path).get_json() == [wares.read(id)]
