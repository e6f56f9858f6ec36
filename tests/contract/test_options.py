"""Options: records, lists and what they take (spec/entities/options.md)."""

import pytest

from tests.choosing import LID, make, put, read, variant_ids
from tests.shop import Shop


def test_created_option_is_read_as_documented(shop: Shop) -> None:
    product_id = shop.make_product()
    option_id = make(shop, product_id)
    record = read(shop, option_id)
    first, second = record["variants"].values()
    assert record == {
        "option_id": str(option_id), "product_id": str(product_id),
        "company_id": str(shop.store), "option_name": "Lid", "option_text": "",
        "option_type": "R", "inventory": "Y", "required": "N", "regexp": "",
        "incorrect_message": "", "inner_hint": "", "description": "", "comment": "",
        "multiupload": "N", "allowed_extensions": "", "max_file_size": "0",
        "missing_variants_handling": "M", "status": "A", "position": "0",
        "value": "",
        "variants": {first["variant_id"]: first, second["variant_id"]: second},
    }  # fmt: skip
    assert second == {
        "variant_id": second["variant_id"], "option_id": str(option_id),
        "position": "10", "modifier": "3.500", "modifier_type": "A",
        "weight_modifier": "0.000", "weight_modifier_type": "A",
        "point_modifier": "0.000", "point_modifier_type": "A",
        "variant_name": "Beech lid", "image_pair": [],
    }  # fmt: skip


def test_post_answers_a_number_in_2_0_and_a_text_in_1_0(shop: Shop) -> None:
    body = {"product_id": shop.make_product(), **LID}
    assert type(shop.root.post("options", body).get_json()["option_id"]) is int
    answer = shop.root.post("/api/options", body).get_json()
    assert type(answer["option_id"]) is str


def test_put_answers_the_id_as_text(shop: Shop) -> None:
    option_id = make(shop, shop.make_product())
    assert put(shop, option_id, {"required": "Y"}) == {"option_id": str(option_id)}


def test_list_of_a_product_is_a_bare_map_with_its_count(shop: Shop) -> None:
    product_id = shop.make_product()
    late = make(shop, product_id, position=20)
    early = make(shop, product_id, position=10)
    make(shop, shop.make_product())
    answer = shop.root.get(f"options?product_id={product_id}&items_per_page=1")
    assert list(answer.get_json()) == [str(early), str(late)]
    assert answer.get_json()[str(late)] == read(shop, late)
    assert answer.headers["X-Total-Count"] == "2"


def test_list_of_a_product_in_1_0_stands_beside_search(shop: Shop) -> None:
    product_id = shop.make_product()
    option_id = make(shop, product_id)
    body = shop.root.get(f"/api/options?product_id={product_id}").get_json()
    assert body["options"] == {str(option_id): read(shop, option_id)}
    assert body["search"]["product_id"] == str(product_id)
    nested = shop.root.get(f"/api/products/{product_id}/options").get_json()
    assert nested == body


@pytest.mark.parametrize("prefix", ["/api/2.0", "/api"])
def test_product_without_options_has_an_empty_map(shop: Shop, prefix: str) -> None:
    product_id = shop.make_product()
    body = shop.root.get(f"{prefix}/products/{product_id}/options").get_json()
    assert body.get("options", body) == {}


def test_list_without_product_is_short_records_of_global_options(shop: Shop) -> None:
    make(shop, shop.make_product())
    option_id = make(shop, 0)
    body = shop.root.get("options").get_json()
    (record,) = body["product_options"]
    expected = read(shop, option_id)
    del expected["variants"]
    assert record == expected
    assert record["product_id"] == "0"
    assert body["params"]["total_items"] == "1"
    assert body["params"]["items_per_page"] == 10
    first = shop.root.get("/api/options").get_json()
    assert list(first) == ["options", "search"]
    assert list(first["options"]) == [str(option_id)]


def test_global_options_are_paged_sorted_and_filtered(shop: Shop) -> None:
    c = str(make(shop, 0, option_name="c", position=1))
    b = str(make(shop, 0, option_name="B", status="D"))
    a = str(make(shop, 0, option_name="a"))

    def listed(query: str) -> list[str]:
        body = shop.root.get(f"options?{query}").get_json()
        return [record["option_id"] for record in body["product_options"]]

    assert listed("") == [b, a, c]
    assert listed("sort_by=option_name") == [a, b, c]
    assert listed("sort_by=option_id&sort_order=desc") == [a, b, c]
    assert listed("items_per_page=1&page=3") == [c]
    assert listed("status=D") == [b]
    assert listed(f"company_id={shop.other_store}") == []


def test_list_of_an_unknown_product_is_404(shop: Shop) -> None:
    assert shop.root.get("options?product_id=99999").status_code == 404
    assert shop.root.get("options?product_id=x").status_code == 400


def test_product_and_name_are_required(shop: Shop) -> None:
    answer = shop.root.post("options", {"required": "Y"})
    assert answer.status_code == 400
    fields = [error["field"] for error in answer.get_json()["errors"]]
    assert fields == ["product_id", "option_name"]
    body = {"product_id": 99999, "option_name": "x"}
    answer = shop.root.post("options", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "product_id"


@pytest.mark.parametrize(
    ("kind", "inventory"), [(None, "Y"), ("R", "Y"), ("C", "Y"), ("I", "N"), ("F", "N")]
)
def test_type_decides_inventory(shop: Shop, kind: str | None, inventory: str) -> None:
    body = {"product_id": shop.make_product(), "option_name": "x"}
    body |= {"option_type": kind} if kind else {}
    answer = shop.root.post("options", body)
    record = read(shop, answer.get_json()["option_id"])
    assert (record["option_type"], record["inventory"]) == (kind or "S", inventory)


@pytest.mark.parametrize("pattern", ["(", "[", "*", "(?P<a>x)(?P=b)"])
def test_pattern_that_does_not_compile_is_400(shop: Shop, pattern: str) -> None:
    body = {"product_id": shop.make_product(), "option_name": "Engraving",
            "option_type": "I", "regexp": pattern}  # fmt: skip
    answer = shop.root.post("options", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "regexp"


def test_product_cannot_be_changed(shop: Shop) -> None:
    product_id = shop.make_product()
    option_id = make(shop, product_id)
    put(shop, option_id, {"product_id": shop.make_product(), "company_id": 0})
    record = read(shop, option_id)
    assert record["product_id"] == str(product_id)
    assert record["company_id"] == str(shop.store)


def test_global_option_is_of_the_company_that_is_sent(shop: Shop) -> None:
    option_id = make(shop, 0, company_id=shop.other_store)
    assert read(shop, option_id)["company_id"] == str(shop.other_store)
    own = shop.caller("view_catalog", "manage_catalog", company_id=shop.store)
    assert own.put(f"options/{option_id}", {"position": 3}).status_code == 404
    put(shop, option_id, {"company_id": shop.store})
    assert own.put(f"options/{option_id}", {"company_id": 0}).status_code == 200
    assert read(shop, option_id)["company_id"] == str(shop.store)
    put(shop, option_id, {"company_id": 0})
    assert own.put(f"options/{option_id}", {"position": 3}).status_code == 403
    answer = shop.root.put(f"options/{option_id}", {"company_id": 99999})
    assert answer.get_json()["errors"][0]["field"] == "company_id"


def test_texts_are_kept_per_language(shop: Shop) -> None:
    option_id = make(shop, shop.make_product())
    first, _ = variant_ids(shop, option_id)
    body = {"option_name": "Deckel", "lang_code": "de",
            "variants": {first: {"variant_name": "Ohne"}}}  # fmt: skip
    put(shop, option_id, body)
    german = shop.root.get(f"options/{option_id}?lang_code=de").get_json()
    english = read(shop, option_id)
    assert (german["option_name"], english["option_name"]) == ("Deckel", "Lid")
    names = [r["variants"][first]["variant_name"] for r in (german, english)]
    assert names == ["Ohne", "Without"]


def test_number_of_statements_does_not_grow(shop: Shop) -> None:
    few, many = shop.make_product(), shop.make_product()
    make(shop, few)
    for _ in range(5):
        make(shop, many)
    seen: list[str] = []
    shop.database.observer = seen.append
    try:
        shop.root.get(f"options?product_id={few}")
        first = len(seen)
        shop.root.get(f"options?product_id={many}")
    finally:
        shop.database.observer = None
    assert len(seen) == 2 * first


def test_options_are_read_from_form_bodies_in_2_0(shop: Shop) -> None:
    product_id = shop.make_product()
    body = (f"product_id={product_id}&option_name=Lid&option_type=R"
            "&variants[1][variant_name]=Without&variants[2][variant_name]=Oak"
            "&variants[2][modifier]=3.5")  # fmt: skip
    answer = shop.root.request("POST", "options", data=body, content_type="text/plain")
    assert answer.status_code == 201, answer.get_data(as_text=True)
    variants = read(shop, answer.get_json()["option_id"])["variants"].values()
    assert [(v["variant_name"], v["modifier"]) for v in variants] == [
        ("Without", "0.000"),
        ("Oak", "3.500"),
    ]
