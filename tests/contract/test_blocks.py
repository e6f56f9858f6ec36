"""Blocks: records, types, content per language (spec/entities/blocks.md)."""

from typing import Any

import pytest

from tests.shop import Shop

TEMPLATE = {"template": "blocks/html_block.tpl"}
HTML = {"content": "<p>9\u201318</p>"}


def make(shop: Shop, name: str = "Hours", **payload: Any) -> int:
    """A block, made through the API by the root caller."""
    body = {"type": "html_block", "name": name, "properties": TEMPLATE, **payload}
    answer = shop.root.post("blocks", body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["block_id"])


def read(shop: Shop, id: int, query: str = "") -> Any:
    return shop.root.get(f"blocks/{id}{query}").get_json()


def names(shop: Shop, query: str = "") -> list[str]:
    return [record["name"] for record in shop.root.get(f"blocks?{query}").get_json()]


def test_lists_are_bare_in_2_0_and_a_map_in_1_0(shop: Shop) -> None:
    id = make(shop, "Opening hours", content=HTML)
    record = {
        "block_id": str(id), "type": "html_block", "properties": TEMPLATE,
        "company_id": str(shop.store), "lang_code": "en", "name": "Opening hours",
    }  # fmt: skip
    answer = shop.root.get("blocks")
    assert (answer.get_json(), answer.headers["X-Total-Count"]) == ([record], "1")
    params = {
        "page": 1, "items_per_page": 10, "total_items": "1", "sort_by": "name",
        "sort_order": "asc", "sort_order_rev": "desc",
    }  # fmt: skip
    body = shop.root.get("/api/blocks").get_json()
    assert body == {"blocks": {str(id): record}, "search": params}
    assert read(shop, id) == {**record, "content": HTML}


def test_lists_are_sorted_filtered_and_paged_on_demand(shop: Shop) -> None:
    for number in range(12):
        make(shop, f"Block {number:02}", type="menu" if number % 2 else "main")
    assert names(shop) == [f"Block {number:02}" for number in range(12)]
    assert names(shop, "page=2&items_per_page=5") == [
        f"Block 0{n}" for n in range(5, 10)
    ]
    assert names(shop, "type=menu&name=K+1") == ["Block 11"]
    assert names(shop, f"company_id={shop.other_store}") == []
    assert len(shop.root.get("/api/blocks").get_json()["blocks"]) == 10


def test_values_are_kept_as_texts(shop: Shop) -> None:
    sent = {"template": "t", "limit": 10, "auto": True, "off": False, "none": None,
            "deep": {"list": [1, "2"], "empty": []}}  # fmt: skip
    items = {"items": {"filling": "manually", "ids": {"3": 4}}}
    id = make(shop, type="products", properties=sent, content=items)
    found = read(shop, id)
    assert found["properties"] == {
        "template": "t", "limit": "10", "auto": "Y", "off": "N", "none": "",
        "deep": {"list": ["1", "2"], "empty": []},
    }  # fmt: skip
    assert found["content"] == {"items": {"filling": "manually", "ids": {"3": "4"}}}


@pytest.mark.parametrize("sent", [None, "", [], {}])
def test_no_content_is_an_empty_text(shop: Shop, sent: Any) -> None:
    assert read(shop, make(shop, content=sent))["content"] == ""


@pytest.mark.parametrize("block_type", [
    "menu", "my_account", "our_brands", "cart_content", "breadcrumbs", "template",
    "main", "html_block", "smarty_block", "checkout", "products", "categories",
    "pages", "payment_methods", "shipping_methods", "currencies", "languages",
    "product_filters", "vendor_information", "vendor_logo", "vendor_categories",
    "vendor_search", "banners", "blog", "rss_feed", "tags",
])  # fmt: skip
def test_every_type_is_taken_and_some_have_content(shop: Shop, block_type: str) -> None:
    """Both lists of the documents, and `products` of their walk-through."""
    with_content = {
        "banners", "blog", "categories", "html_block", "smarty_block", "menu", "pages",
        "product_filters", "rss_feed", "tags", "products",
    }  # fmt: skip
    found = read(shop, make(shop, type=block_type, content=HTML))
    assert found["type"] == block_type
    assert found["content"] == (HTML if block_type in with_content else "")


def test_types_without_content_ignore_it(shop: Shop) -> None:
    id = make(shop, type="breadcrumbs", content=HTML)
    assert read(shop, id)["content"] == ""
    id = make(shop, content=HTML)
    shop.root.put(f"blocks/{id}", {"type": "main"})
    for code in ("en", "de"):
        assert read(shop, id, f"?sl={code}")["content"] == ""


def test_html_and_code_come_back_unchanged(shop: Shop) -> None:
    code = {"content": "{foreach $a as $b}<script>alert('é')</script>{/foreach}\n"}
    assert read(shop, make(shop, type="smarty_block", content=code))["content"] == code


@pytest.mark.parametrize(
    ("change", "field"),
    [({"type": None}, "type"), ({"type": "nosuch"}, "type"), ({"name": ""}, "name"),
     ({"properties": None}, "properties"), ({"properties": "x"}, "properties"),
     ({"properties": []}, "properties"), ({"properties": {}}, "properties"),
     ({"properties": {"template": ""}}, "properties"),
     ({"properties": {"template": "t", "x": "\0"}}, "properties"),
     ({"content": "x"}, "content"), ({"content": [1]}, "content"),
     ({"content": {"\0": 1}}, "content"), ({"company_id": 999999}, "company_id"),
     ({"lang_code": "fr"}, "lang_code")],
)  # fmt: skip
def test_bad_blocks_are_refused(shop: Shop, change: Any, field: str) -> None:
    before = shop.everything()
    body = {"type": "menu", "name": "x", "properties": TEMPLATE, **change}
    answer = shop.root.post("blocks", body)
    assert answer.status_code == 400
    assert [error["field"] for error in answer.get_json()["errors"]] == [field]
    assert shop.everything() == before


def test_put_names_the_type_in_2_0_only(shop: Shop) -> None:
    """Protocol, section 16, row 28."""
    id = make(shop, content=HTML)
    answer = shop.root.put(f"blocks/{id}", {"name": "x"})
    assert answer.status_code == 400
    assert [error["field"] for error in answer.get_json()["errors"]] == ["type"]
    assert shop.root.put(f"/api/blocks/{id}", {"name": "y"}).status_code == 200
    body = {"type": "html_block", "properties": {"template": "t"}}
    answer = shop.root.put(f"blocks/{id}", body)
    assert (answer.status_code, answer.get_json()) == (200, {"block_id": str(id)})
    found = read(shop, id)
    assert (found["name"], found["properties"]) == ("y", {"template": "t"})
    assert found["content"] == HTML
    assert shop.root.put("blocks/999999", {"name": "x"}).status_code == 404


def test_names_and_content_are_per_language(shop: Shop) -> None:
    id = make(shop, content=HTML)
    body = {"type": "html_block", "lang_code": "de", "name": "Zeiten",
            "content": {"content": "neu"}, "properties": {"template": "t"}}  # fmt: skip
    assert shop.root.put(f"blocks/{id}", body).status_code == 200
    english, german = read(shop, id), read(shop, id, "?lang_code=de")
    assert (english["name"], english["content"]) == ("Hours", HTML)
    assert (german["name"], german["content"]) == ("Zeiten", {"content": "neu"})
    assert english["properties"] == german["properties"] == {"template": "t"}
    assert names(shop, "sl=de") == ["Zeiten"]


def test_put_replaces_properties_and_content_as_a_whole(shop: Shop) -> None:
    """Rule 2."""
    sent = {"template": "t", "limit": "3"}
    id = make(shop, properties=sent, content={"content": "x", "more": {"a": "1"}})
    body = {"type": "html_block", "properties": {"template": "u"},
            "content": {"other": "y"}}  # fmt: skip
    assert shop.root.put(f"blocks/{id}", body).status_code == 200
    found = read(shop, id)
    assert found["properties"] == {"template": "u"}
    assert found["content"] == {"other": "y"}


def test_the_read_record_sent_back_changes_nothing(shop: Shop) -> None:
    id = make(shop, content=HTML)
    before = shop.everything()
    assert shop.root.put(f"blocks/{id}", read(shop, id)).status_code == 200
    assert shop.everything() == before


def test_plug_ins_bring_types(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    entity = shop.entities()["languages"]
    monkeypatch.setattr(entity, "block_types", {"acme_map": True}, raising=False)
    id = make(shop, type="acme_map", content={"zoom": 3})
    assert read(shop, id)["content"] == {"zoom": "3"}


def test_readers_of_pages_read_blocks(shop: Shop) -> None:
    id, foreign = make(shop), make(shop, company_id=shop.other_store)
    reader = shop.caller("view_pages", company_id=shop.store)
    found = reader.get("blocks").get_json()
    assert [record["block_id"] for record in found] == [str(id)]
    assert reader.get(f"blocks/{foreign}").status_code == 404
    assert reader.delete(f"blocks/{id}").status_code == 403
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    assert vendor.get("blocks").get_json() == []
    assert vendor.post("blocks", {"type": "menu"}).status_code == 403


@pytest.mark.parametrize("parent", ["stores", "vendors"])
def test_blocks_nest_under_companies(shop: Shop, parent: str) -> None:
    company = shop.store if parent == "stores" else shop.vendor
    body = {"type": "menu", "name": "x", "properties": TEMPLATE, "company_id": 999999}
    id = shop.root.post(f"{parent}/{company}/blocks", body).get_json()["block_id"]
    make(shop, company_id=shop.other_store)
    found = shop.root.get(f"{parent}/{company}/blocks").get_json()
    assert [record["block_id"] for record in found] == [str(id)]


def test_layouts_are_cloned_and_go_with_their_store(shop: Shop) -> None:
    make(shop, content=HTML)
    body = {"company": "Quay", "storefront": "quay.example", "clone_from": shop.store,
            "clone": {"layouts": "Y"}}  # fmt: skip
    store = shop.root.post("stores", body).get_json()["store_id"]
    (block,) = shop.root.get(f"stores/{store}/blocks").get_json()
    assert read(shop, block["block_id"], "?sl=de")["content"] == HTML
    assert shop.root.delete(f"stores/{store}").status_code == 204
    assert len(shop.everything()["blocks"]) == 1
    assert len(shop.everything()["block_texts"]) == 2
