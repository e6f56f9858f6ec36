"""Combinations of option variants (spec/entities/combinations.md)."""

from typing import Any
from zlib import crc32

import pytest

from storeapi.core.rows import table_of
from storeapi.models import Combination, Product
from tests.shop import NOW, Shop

SIZES = {"1": {"variant_name": "S"}, "2": {"variant_name": "M"}}


class Wares:
    """A product with two inventory options of two variants each."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.product_id = shop.make_product()
        self.size, self.sizes = self.option()
        self.colour, self.colours = self.option()

    def option(self, product_id: int | None = None, **more: Any) -> tuple[int, Any]:
        owner = self.product_id if product_id is None else product_id
        body = {"product_id": owner, "option_name": "x", "variants": SIZES, **more}
        answer = self.shop.root.post("options", body)
        assert answer.status_code == 201, answer.get_data(as_text=True)
        option_id = answer.get_json()["option_id"]
        record = self.shop.root.get(f"options/{option_id}").get_json()
        return option_id, [int(id) for id in record["variants"]]

    def choice(self, size: int = 0, colour: int = 0) -> dict[str, str]:
        return {
            str(self.size): str(self.sizes[size]),
            str(self.colour): str(self.colours[colour]),
        }

    def post(self, status: int = 201, **body: Any) -> Any:
        sent = {"product_id": self.product_id, "combination": self.choice(), **body}
        answer = self.shop.root.post("combinations", sent)
        assert answer.status_code == status, answer.get_data(as_text=True)
        return answer.get_json()

    def make(self, **body: Any) -> str:
        return str(self.post(**body)["combination_hash"])

    def read(self, key: str) -> dict[str, Any]:
        answer = self.shop.root.get(f"combinations/{key}")
        assert answer.status_code == 200
        return dict(answer.get_json())

    def hashes(self, query: str = "") -> list[str]:
        path = f"combinations?product_id={self.product_id}&{query}"
        body = self.shop.root.get(path).get_json()
        return [record["combination_hash"] for record in body]

    def age(self) -> None:
        where, values = {"product_id": self.product_id}, {"updated_timestamp": NOW}
        self.shop.database.write(lambda db: db.update(table_of(Product), where, values))

    def is_aged(self) -> bool:
        record = self.shop.root.get(f"products/{self.product_id}").get_json()
        return bool(record["updated_timestamp"] == str(NOW))


@pytest.fixture
def wares(shop: Shop) -> Wares:
    return Wares(shop)


def test_created_combination_is_read_as_documented(wares: Wares) -> None:
    key = wares.make(amount="20", position="30")
    assert wares.read(key) == {
        "combination_hash": key, "product_id": str(wares.product_id),
        "combination": wares.choice(), "product_code": "", "amount": "20",
        "position": "30", "temp": "N", "image_pairs": [],
    }  # fmt: skip


@pytest.mark.parametrize("prefix", ["/api", "/api/2.0"])
def test_answers_are_texts_in_both_versions(wares: Wares, prefix: str) -> None:
    body = {"product_id": wares.product_id, "combination": wares.choice()}
    answer = wares.shop.root.post(f"{prefix}/combinations", body)
    assert answer.status_code == 201
    key = answer.get_json()["combination_hash"]
    assert type(key) is str
    answer = wares.shop.root.put(f"{prefix}/combinations/{key}", {"amount": 1})
    assert (answer.status_code, answer.get_json()) == (200, {"combination_hash": key})


def test_hash_is_crc32_of_product_and_sorted_choice(wares: Wares) -> None:
    key = wares.make(combination=dict(reversed(wares.choice().items())))
    pairs = sorted((int(o), v) for o, v in wares.choice().items())
    text = ":".join([str(wares.product_id), *[f"{o}_{v}" for o, v in pairs]])
    assert key == str(crc32(text.encode()))


def test_taken_hash_is_passed_over_by_a_counter(wares: Wares) -> None:
    key = wares.make()
    table = table_of(Combination)
    other = {"choice": "1_1", "product_id": wares.product_id}
    wares.shop.database.write(
        lambda db: db.update(table, {"combination_hash": int(key)}, other)
    )
    pairs = sorted((int(o), v) for o, v in wares.choice().items())
    text = ":".join([str(wares.product_id), *[f"{o}_{v}" for o, v in pairs], "1"])
    assert wares.make() == str(crc32(text.encode()))


def test_hashes_beyond_31_bits_are_valid(shop: Shop, wares: Wares) -> None:
    key = int(wares.make())
    big = 3190457718
    table, where = table_of(Combination), {"combination_hash": key}
    shop.database.write(lambda db: db.delete(table, where))
    row = {"combination_hash": big, "product_id": wares.product_id, "choice": "1_1"}
    shop.database.write(lambda db: db.insert(table, row))
    assert wares.read(str(big))["combination_hash"] == str(big)
    body = {"image_pairs": {"detailed": {"image_path": "https://cdn.example/a.jpg"}}}
    assert shop.root.put(f"combinations/{big}", body).status_code == 200
    image = wares.read(str(big))["image_pairs"]["detailed"]
    assert (image["object_id"], image["object_type"]) == (str(big), "product_option")
    assert shop.root.get(f"combinations/{2**32}").status_code == 404
    assert shop.root.get("combinations/0").status_code == 404


def test_list_needs_a_known_product(wares: Wares) -> None:
    answer = wares.shop.root.get("combinations")
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "product_id"
    assert wares.shop.root.get("combinations?product_id=99999").status_code == 404
    assert wares.shop.root.get("combinations?product_id=x").status_code == 400


def test_list_is_ordered_and_paged_only_by_items_per_page(wares: Wares) -> None:
    last = wares.make(position=2)
    first = wares.make(combination=wares.choice(1, 0), position=1)
    third = wares.make(combination=wares.choice(1, 1), position=3, amount=7)
    assert wares.hashes() == [first, last, third]
    assert wares.hashes("page=2") == [first, last, third]
    assert wares.hashes("items_per_page=1&page=2") == [last]
    assert wares.hashes("amount=7") == [third]
    assert wares.hashes("product_code=x") == []


def test_list_in_1_0_is_a_map_beside_search(wares: Wares) -> None:
    key = wares.make()
    path = f"/api/combinations?product_id={wares.product_id}"
    body = wares.shop.root.get(path).get_json()
    assert body["combinations"] == {key: wares.read(key)}
    assert body["search"]["product_id"] == str(wares.product_id)
    nested = f"/api/products/{wares.product_id}/combinations"
    assert wares.shop.root.get(nested).get_json() == body


@pytest.mark.parametrize("body", [{"combination": None}, {"combination": {}},
                                  {"product_id": None}, {"product_id": 99999},
                                  {"amount": -1}, {"combination": {"x": 1}},
                                  {"combination": {"1": -1}}])  # fmt: skip
def test_bad_values_are_400(wares: Wares, body: dict[str, Any]) -> None:
    before = wares.shop.everything()
    wares.post(400, **body)
    assert wares.shop.everything() == before


def test_options_must_be_available_stocked_and_have_the_variant(wares: Wares) -> None:
    foreign, variants = wares.option(wares.shop.make_product())
    unstocked, loose = wares.option(inventory="N")
    text, _ = wares.option(option_type="I", variants=[], inventory="Y")
    for choice in (
        {foreign: variants[0]},
        {unstocked: loose[0]},
        {text: wares.sizes[0]},
        {wares.size: wares.colours[0]},
        {99999: 1},
    ):
        (option,) = choice
        body = wares.post(400, combination={str(k): v for k, v in choice.items()})
        fields = [error["field"] for error in body["errors"]]
        assert fields == [f"combination.{option}"]


def test_linked_global_option_can_be_combined(wares: Wares) -> None:
    option, variants = wares.option(0)
    wares.post(400, combination={str(option): variants[0]})
    path = f"products/{wares.product_id}/options"
    assert wares.shop.root.post(path, {"option_id": option}).status_code == 201
    key = wares.make(combination={str(option): variants[0]})
    assert wares.shop.root.delete(f"{path}/{option}").status_code == 204
    assert wares.shop.root.get(f"combinations/{key}").status_code == 404


def test_same_choice_twice_is_400(wares: Wares) -> None:
    wares.make()
    body = wares.post(400, combination=dict(reversed(wares.choice().items())))
    assert body["errors"][0]["field"] == "combination"


def test_post_ignores_code_and_image(wares: Wares) -> None:
    pair = {"detailed": {"image_path": "https://cdn.example/a.jpg"}}
    record = wares.read(wares.make(product_code="X", image_pairs=pair))
    assert (record["product_code"], record["image_pairs"]) == ("", [])


def test_put_ignores_product_and_choice(wares: Wares) -> None:
    key = wares.make()
    before = wares.shop.everything()
    body = {"combination": wares.choice(1, 1), "product_id": "x"}
    assert wares.shop.root.put(f"combinations/{key}", body).status_code == 200
    assert wares.shop.everything() == before
    assert wares.shop.root.put(f"combinations/{key}", {}).status_code == 405


def test_put_sets_code_stock_and_image(wares: Wares) -> None:
    key = wares.make()
    pair = {"detailed": {"image_path": "https://cdn.example/a.jpg"}}
    body = {"product_code": "MUG-X", "amount": "21", "image_pairs": pair}
    assert wares.shop.root.put(f"combinations/{key}", body).status_code == 200
    record = wares.read(key)
    assert (record["product_code"], record["amount"]) == ("MUG-X", "21")
    path = record["image_pairs"]["detailed"]["image_path"]
    assert path == "https://cdn.example/a.jpg"
    answer = wares.shop.root.put(f"combinations/{key}", {"amount": -1})
    assert answer.status_code == 400


def test_get_then_put_changes_nothing(wares: Wares) -> None:
    key = wares.make()
    pair = {"detailed": {"image_path": "https://cdn.example/a.jpg"}}
    wares.shop.root.put(f"combinations/{key}", {"image_pairs": pair})
    before = wares.shop.everything()
    answer = wares.shop.root.put(f"combinations/{key}", wares.read(key))
    assert answer.status_code == 200
    assert wares.shop.everything() == before


def test_delete_checks_the_owner_that_is_sent(wares: Wares) -> None:
    key = wares.make()
    other = wares.shop.make_product()
    path = f"combinations/{key}"
    assert wares.shop.root.delete(f"{path}?product_id={other}").status_code == 404
    answer = wares.shop.root.delete(f"{path}?product_id={wares.product_id}")
    assert answer.status_code == 204
    assert "X-Ignored-Params" not in answer.headers
    assert wares.shop.root.delete(path).status_code == 404


def test_delete_needs_no_product(wares: Wares) -> None:
    assert wares.shop.root.delete(f"combinations/{wares.make()}").status_code == 204


def test_what_readers_see_moves_the_product(wares: Wares) -> None:
    wares.age()
    key = wares.make()
    assert not wares.is_aged()
    for method, body, aged in [("PUT", {"amount": 0}, True),
                               ("PUT", {"amount": 5}, False),
                               ("DELETE", None, False)]:  # fmt: skip
        wares.age()
        wares.shop.root.request(method, f"combinations/{key}", json=body)
        assert wares.is_aged() is aged


@pytest.mark.parametrize("cause", ["option", "variant", "inventory", "product"])
def test_combination_goes_with_what_it_names(wares: Wares, cause: str) -> None:
    key = wares.make()
    kept = wares.make(combination={str(wares.colour): wares.colours[1]})
    pair = {"detailed": {"image_path": "https://cdn.example/a.jpg"}}
    wares.shop.root.put(f"combinations/{key}", {"image_pairs": pair})
    root, option = wares.shop.root, f"options/{wares.size}"
    answer = {
        "option": lambda: root.delete(option),
        "variant": lambda: root.put(option, {"variants": {wares.sizes[1]: {}}}),
        "inventory": lambda: root.put(option, {"inventory": "N"}),
        "product": lambda: root.delete(f"products/{wares.product_id}"),
    }[cause]()
    assert answer.status_code in (200, 204)
    assert root.get(f"combinations/{key}").status_code == 404
    status = 404 if cause == "product" else 200
    assert root.get(f"combinations/{kept}").status_code == status
    rows = wares.shop.everything()
    assert (rows["image_pairs"], rows["images"]) == ([], [])


@pytest.mark.parametrize("kind", ["C", "I", "T", "F"])
def test_type_that_loses_used_variants_is_400(wares: Wares, kind: str) -> None:
    wares.make()
    before = wares.shop.everything()
    answer = wares.shop.root.put(f"options/{wares.size}", {"option_type": kind})
    assert answer.status_code == 400
    assert wares.shop.everything() == before


def test_foreign_combinations_are_404(shop: Shop, wares: Wares) -> None:
    key = wares.make()
    clerk = shop.caller("view_catalog", "manage_catalog", company_id=shop.other_store)
    before = shop.everything()
    body = {"product_id": wares.product_id, "combination": wares.choice(1, 1)}
    assert clerk.get(f"combinations/{key}").status_code == 404
    assert clerk.put(f"combinations/{key}", {"amount": 1}).status_code == 404
    assert clerk.delete(f"combinations/{key}").status_code == 404
    path = f"combinations?product_id={wares.product_id}"
    assert clerk.get(path).status_code == 404
    assert clerk.post("combinations", body).status_code == 400
    assert shop.everything() == before
    own = shop.caller("view_catalog", "manage_catalog", company_id=shop.store)
    assert own.put(f"combinations/{key}", {"amount": 1}).status_code == 200


def test_nested_path_fixes_the_product(shop: Shop, wares: Wares) -> None:
    path = f"products/{wares.product_id}/combinations"
    body = {"combination": wares.choice(), "product_id": 99999}
    answer = shop.root.post(path, body)
    assert answer.status_code == 201
    key = answer.get_json()["combination_hash"]
    assert wares.read(key)["product_id"] == str(wares.product_id)
    other = shop.make_product()
    assert shop.root.get(f"products/{other}/combinations/{key}").status_code == 404
    assert shop.root.delete(f"{path}/{key}").status_code == 204
