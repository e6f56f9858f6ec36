"""Categories: fields, slugs, refusals (spec/entities/categories.md, 2 to 4)."""

from typing import Any

import pytest

from tests.categories import make, names, read, refused
from tests.shop import Shop


def test_post_answers_a_number_in_2_0_and_a_string_in_1_0(shop: Shop) -> None:
    answer = shop.root.post("categories", {"category": "Tents"})
    assert answer.status_code == 201
    assert answer.get_json() == {"category_id": shop.category + 1}
    answer = shop.root.post("/api/categories", {"category": "Stoves"})
    assert answer.get_json() == {"category_id": str(shop.category + 2)}


def test_put_answers_a_string(shop: Shop) -> None:
    answer = shop.root.put(f"categories/{shop.category}", {"status": "H"})
    assert (answer.status_code, answer.get_json()) == (
        200,
        {"category_id": str(shop.category)},
    )


def test_a_new_category_has_the_documented_defaults(shop: Shop) -> None:
    id = make(shop, "Camp kitchen", timestamp=1751361000)
    assert read(shop, id) == {
        "category": "Camp kitchen", "company_id": str(shop.store), "status": "A",
        "category_id": str(id), "parent_id": "0", "id_path": str(id), "position": "10",
        "product_count": "0", "timestamp": "1751361000", "description": "",
        "page_title": "", "meta_keywords": "", "meta_description": "",
        "seo_name": "camp-kitchen", "seo_path": "", "usergroup_ids": "0",
        "age_verification": "N", "age_limit": "0", "age_warning_message": "",
        "parent_age_verification": "N", "parent_age_limit": "0",
        "product_columns": "0", "selected_layouts": [], "default_layout": "",
        "product_details_layout": "default", "localization": "", "lang_code": "en",
        "main_pair": [], "is_op": "N", "external_id": "",
    }  # fmt: skip


def test_list_records_carry_eight_fields(shop: Shop) -> None:
    body = shop.root.get("categories").get_json()
    assert body == {
        "categories": [
            {
                "category": "Mugs", "company_id": str(shop.store), "status": "A",
                "category_id": str(shop.category), "parent_id": "0",
                "id_path": str(shop.category), "position": "0", "product_count": "0",
            }
        ],
        "params": {
            "page": 1, "items_per_page": 10, "sort_by": "position",
            "sort_order": "asc", "sort_order_rev": "desc", "total_items": "1",
        },
    }  # fmt: skip


def test_list_of_1_0_is_a_map_with_search(shop: Shop) -> None:
    body = shop.root.get("/api/categories?parent_id=0").get_json()
    assert list(body) == ["categories", "search"]
    assert list(body["categories"]) == [str(shop.category)]
    assert body["search"]["parent_id"] == "0"


def test_the_read_record_sent_back_changes_nothing(shop: Shop) -> None:
    top = make(shop, "Camp", selected_layouts=["grid"], external_id="E1")
    id = make(shop, "Kitchen", top)
    before = shop.everything()
    for each in (top, id):
        answer = shop.root.put(f"categories/{each}", read(shop, each))
        assert answer.status_code == 200
    assert shop.everything() == before


def test_a_put_of_one_field_keeps_the_others(shop: Shop) -> None:
    id = make(shop, "Tents", description="<p>Dry.</p>", position=40)
    before = read(shop, id)
    assert shop.root.put(f"categories/{id}", {"status": "H"}).status_code == 200
    assert read(shop, id) == {**before, "status": "H"}


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("selected_views", "selected_layouts"),
        ("default_view", "default_layout"),
        ("product_details_view", "product_details_layout"),
    ],
)
def test_russian_layout_names_are_taken(shop: Shop, sent: str, name: str) -> None:
    value: Any = ["grid"] if name == "selected_layouts" else "grid"
    assert read(shop, make(shop, "Tents", **{sent: value}))[name] == value


@pytest.mark.parametrize("sent", [["a", "b"], "a,b", {"0": "a", "1": "b"}])
def test_layouts_are_an_array(shop: Shop, sent: Any) -> None:
    id = make(shop, "Tents", selected_layouts=sent)
    assert read(shop, id)["selected_layouts"] == ["a", "b"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("product_count", "7"),
        ("id_path", "1/2"),
        ("parent_age_limit", "9"),
        ("is_op", "Y"),
    ],
)
def test_read_only_fields_stay(shop: Shop, field: str, value: str) -> None:
    before = read(shop, shop.category)
    answer = shop.root.put(f"categories/{shop.category}", {field: value})
    assert (answer.status_code, read(shop, shop.category)) == (200, before)


def test_external_id_is_unique_per_company_if_not_empty(shop: Shop) -> None:
    make(shop, "Tents", external_id="T-1")
    answer = shop.root.post("categories", {"category": "x", "external_id": "T-1"})
    refused(answer, "external_id", "taken")
    make(shop, "Stoves", external_id="T-1", company_id=shop.other_store)
    make(shop, "Lamps", external_id="")
    make(shop, "Pans", external_id="")


def test_empty_user_groups_mean_everybody(shop: Shop) -> None:
    id = make(shop, "Tents", usergroup_ids="0,2")
    shop.root.put(f"categories/{id}", {"usergroup_ids": ""})
    assert read(shop, id)["usergroup_ids"] == "0"


def test_timestamp_is_now_unless_sent(shop: Shop) -> None:
    id = make(shop, "Tents")
    assert int(read(shop, id)["timestamp"]) > 1_700_000_000
    shop.root.put(f"categories/{id}", {"timestamp": "1600000000"})
    assert read(shop, id)["timestamp"] == "1600000000"


def test_a_main_image_can_be_set(shop: Shop) -> None:
    pair = {"detailed": {"image_path": "https://cdn.example/tent.jpg"}}
    id = make(shop, "Tents", main_pair=pair)
    shown = read(shop, id)["main_pair"]
    assert (shown["object_type"], shown["object_id"]) == ("category", str(id))
    assert shown["detailed"]["image_path"] == "https://cdn.example/tent.jpg"


def test_positions_follow_the_last_sibling_by_ten(shop: Shop) -> None:
    top = make(shop, "Camp")
    first, second = make(shop, "A", top), make(shop, "B", top)
    third = make(shop, "C", top, position=35)
    fourth = make(shop, "D", top, position=None)
    found = [read(shop, id)["position"] for id in (first, second, third, fourth)]
    assert found == ["0", "10", "35", "45"]


def test_positions_of_roots_are_counted_per_company(shop: Shop) -> None:
    id = make(shop, "Hill", company_id=shop.other_store)
    assert read(shop, id)["position"] == "0"


def test_slugs_are_unique_among_siblings_only(shop: Shop) -> None:
    camp, trail = make(shop, "Camp"), make(shop, "Trail")
    one, two = make(shop, "Tents", camp), make(shop, "Tents", camp)
    three = make(shop, "Tents", trail)
    found = [read(shop, id)["seo_name"] for id in (one, two, three)]
    assert found == ["tents", "tents-2", "tents"]


def test_a_slug_that_a_sibling_has_is_refused(shop: Shop) -> None:
    make(shop, "Tents", seo_name="dry")
    other = make(shop, "Stoves")
    refused(
        shop.root.post("categories", {"category": "x", "seo_name": "dry"}),
        "seo_name",
        "taken",
    )
    refused(
        shop.root.put(f"categories/{other}", {"seo_name": "dry"}), "seo_name", "taken"
    )


def test_an_emptied_slug_is_built_anew(shop: Shop) -> None:
    id = make(shop, "Tents", seo_name="dry")
    shop.root.put(f"categories/{id}", {"seo_name": ""})
    assert read(shop, id)["seo_name"] == "tents"


def test_a_moved_category_keeps_its_slug_free_of_clashes(shop: Shop) -> None:
    camp, trail = make(shop, "Camp"), make(shop, "Trail")
    make(shop, "Tents", camp)
    moved = make(shop, "Tents", trail)
    answer = shop.root.put(f"categories/{moved}", {"parent_id": camp})
    assert answer.status_code == 200
    assert read(shop, moved)["seo_name"] == "tents-2"
    assert read(shop, moved, "?lang_code=de")["seo_name"] == "tents-2"


def test_new_texts_are_in_all_languages_and_changed_ones_in_one(shop: Shop) -> None:
    id = make(shop, "Tents", description="dry")
    answer = shop.root.put(f"categories/{id}", {"category": "Zelte", "lang_code": "de"})
    assert answer.status_code == 200
    german = read(shop, id, "?lang_code=de")
    assert (german["category"], german["lang_code"]) == ("Zelte", "de")
    assert german["description"] == "dry"
    assert read(shop, id)["category"] == "Tents"


def test_names_need_not_be_unique(shop: Shop) -> None:
    make(shop, "Tents")
    make(shop, "Tents")
    assert names(shop, "category=Tents") == ["Tents", "Tents"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"status": "A"}, "category"),
        ({"category": ""}, "category"),
        ({"category": "x", "status": "Z"}, "status"),
        ({"category": "x", "age_limit": "-1"}, "age_limit"),
        ({"category": "x", "selected_layouts": 5}, "selected_layouts"),
        ({"category": "x", "company_id": 99999}, "company_id"),
    ],
)
def test_bad_values_are_named(shop: Shop, body: Any, field: str) -> None:
    before = shop.everything()
    answer = shop.root.post("categories", body)
    assert answer.status_code == 400
    assert [error["field"] for error in answer.get_json()["errors"]] == [field]
    assert shop.everything() == before


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_an_unknown_category_is_404(shop: Shop, method: str) -> None:
    body = {"json": {"status": "H"}} if method == "PUT" else {}
    answer = shop.root.request(method, "categories/999999", **body)
    assert answer.status_code == 404


def test_the_company_of_a_category_stays(shop: Shop) -> None:
    body = {"company_id": 0, "status": "H"}
    assert shop.root.put(f"categories/{shop.category}", body).status_code == 200
    assert read(shop, shop.category)["company_id"] == str(shop.store)


def test_a_store_administrator_sees_own_and_shared_categories(shop: Shop) -> None:
    make(shop, "Hill", company_id=shop.other_store)
    shared = make(shop, "Shared", company_id=0)
    admin = shop.caller("view_catalog", "manage_catalog", company_id=shop.store)
    assert names(shop, "", admin) == ["Mugs", "Shared"]
    answer = admin.put(f"categories/{shared}", {"status": "H"})
    assert answer.status_code == 403
    assert admin.delete(f"categories/{shared}").status_code == 403


def test_a_store_administrator_creates_in_the_own_company(shop: Shop) -> None:
    admin = shop.caller("view_catalog", "manage_catalog", company_id=shop.other_store)
    body = {"category": "Own", "company_id": shop.store}
    id = admin.post("categories", body).get_json()["category_id"]
    assert read(shop, id)["company_id"] == str(shop.other_store)
    assert admin.get(f"categories/{shop.category}").status_code == 404
    answer = admin.post("categories", {"category": "x", "parent_id": shop.category})
    refused(answer, "parent_id", "unknown")


@pytest.mark.parametrize("kind", ["stores", "vendors"])
def test_categories_are_served_below_companies(shop: Shop, kind: str) -> None:
    company = shop.other_store if kind == "stores" else shop.vendor
    path = f"{kind}/{company}/categories"
    body = {"category": "Own", "company_id": shop.store}
    id = shop.root.post(path, body).get_json()["category_id"]
    assert read(shop, id)["company_id"] == str(company)
    found = shop.root.get(path).get_json()["categories"]
    assert [record["category"] for record in found] == ["Own"]
    assert shop.root.get(f"{path}/{shop.category}").status_code == 404
    assert shop.root.put(f"{path}/{id}", {"status": "H"}).status_code == 200
    assert shop.root.delete(f"{path}/{id}").status_code == 204
