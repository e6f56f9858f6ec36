"""Pages: records, texts, the tree, who reads them (spec/entities/pages.md)."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi.models import Page
from tests.shop import Caller, Shop

HOUR = 3600


def make(shop: Shop, name: str, parent: int = 0, **payload: Any) -> int:
    """A page, made through the API by the root caller."""
    body = {"page_type": "T", "page": name, "parent_id": parent, **payload}
    answer = shop.root.post("pages", body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["page_id"])


def read(shop: Shop, id: int, query: str = "") -> Any:
    return shop.root.get(f"pages/{id}{query}").get_json()


def put(shop: Shop, id: int, body: Any, caller: Caller | None = None) -> None:
    answer = (caller or shop.root).put(f"pages/{id}", body)
    assert answer.status_code == 200, answer.get_data(as_text=True)


def names(shop: Shop, query: str, caller: Caller | None = None) -> list[str]:
    body = (caller or shop.root).get(f"pages?{query}").get_json()
    return [record["page"] for record in body["pages"]]


def refused(answer: Any, field: str, code: str | None = None) -> None:
    assert answer.status_code == 400, answer.get_data(as_text=True)
    (error,) = answer.get_json()["errors"]
    assert error["field"] == field
    assert code is None or error["code"] == code


RECORD = {
    "page_type": "T", "page": "Returns", "status": "A", "position": "20",
    "timestamp": "1735689600", "usergroup_ids": "0", "localization": "",
    "new_window": "0", "use_avail_period": "N", "avail_from_timestamp": "0",
    "avail_till_timestamp": "0", "lang_code": "en",
    "description": "<p>Thirty days.</p>", "meta_keywords": "",
    "meta_description": "", "page_title": "", "link": "", "seo_name": "returns",
}  # fmt: skip


def returns(shop: Shop) -> tuple[int, int]:
    top = make(shop, "Help")
    sent = {
        "position": 20,
        "timestamp": 1735689600,
        "description": "<p>Thirty days.</p>",
    }
    return top, make(shop, "Returns", top, **sent)


def test_records_are_those_of_the_documents(shop: Shop) -> None:
    top, id = returns(shop)
    listed = {
        **RECORD, "page_id": str(id), "company_id": str(shop.store),
        "parent_id": str(top), "id_path": f"{top}/{id}", "seo_path": str(top),
        "level": 1,
    }  # fmt: skip
    params = {
        "page": 1, "items_per_page": 10, "sort_by": "position", "sort_order": "desc",
        "sort_order_rev": "asc", "total_items": "1", "parent_id": str(top),
    }  # fmt: skip
    body = shop.root.get(f"pages?parent_id={top}").get_json()
    assert body == {"pages": [listed], "params": params, "search": params}
    body = shop.root.get(f"/api/pages?parent_id={top}").get_json()
    assert body == {"pages": {str(id): listed}, "search": params}
    assert read(shop, id) == {**listed, "tags": []}


def test_blog_posts_have_an_author_a_spoiler_and_a_picture(shop: Shop) -> None:
    writer = shop.caller(is_root="Y", firstname="Ines", lastname="Sousa")
    sent = {
        "page_type": "B", "page": "News", "description": "One<!--CUT-->two",
        "main_pair": {"detailed": {"image_path": "https://cdn.example/a.png"}},
    }  # fmt: skip
    id = writer.post("pages", sent).get_json()["page_id"]
    found = read(shop, id)
    assert (found["author"], found["spoiler"]) == ("Ines Sousa", "One")
    assert found["main_pair"]["detailed"]["object_type"] == "blog"
    put(shop, id, {"description": "Whole"})
    (listed,) = shop.root.get("pages").get_json()["pages"]
    assert (listed["author"], listed["spoiler"]) == ("Ines Sousa", "Whole")
    assert "main_pair" not in listed
    plain = make(shop, "Plain", main_pair=sent["main_pair"])
    assert not {"author", "spoiler", "main_pair"} & set(read(shop, plain))
    assert shop.root.delete(f"pages/{id}").status_code == 204
    assert shop.everything()["images"] == []


def test_only_links_have_an_address(shop: Shop) -> None:
    sent = {"link": "https://example.com", "new_window": "1"}
    link, page = make(shop, "L", page_type="L", **sent), make(shop, "T", **sent)
    for id, expected in ((link, ("https://example.com", "1")), (page, ("", "0"))):
        put(shop, id, sent)
        assert (read(shop, id)["link"], read(shop, id)["new_window"]) == expected


def test_the_type_is_fixed_and_unknown_fields_are_ignored(shop: Shop) -> None:
    id = make(shop, "Returns")
    put(shop, id, {"page_type": "L", "level": 7, "id_path": "1/2", "no": 1})
    found = read(shop, id)
    assert (found["page_type"], found["level"], found["id_path"]) == ("T", 0, str(id))


WRITTEN = {
    "page": "Returns", "status": "H", "position": "7", "timestamp": "1735689600",
    "usergroup_ids": "0,2", "localization": "1,2", "use_avail_period": "Y",
    "avail_from_timestamp": "1735689600", "avail_till_timestamp": "1735776000",
    "description": "<p>Days</p>", "meta_keywords": "k", "meta_description": "d",
    "page_title": "t", "link": "https://example.com", "new_window": "1",
    "seo_name": "back",
}  # fmt: skip


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_every_field_is_kept_as_sent(shop: Shop, method: str) -> None:
    if method == "POST":
        id = make(shop, "Returns", page_type="L", **WRITTEN)
    else:
        id = make(shop, "Other", page_type="L")
        put(shop, id, WRITTEN)
    found = read(shop, id)
    assert {name: found[name] for name in WRITTEN} == WRITTEN


@pytest.mark.parametrize("letter", ["T", "L", "F", "B"])
def test_there_are_four_types(shop: Shop, letter: str) -> None:
    assert read(shop, make(shop, "x", page_type=letter))["page_type"] == letter
    listed = shop.root.get(f"pages?page_type={letter}").get_json()["pages"]
    assert [record["page_type"] for record in listed] == [letter]


@pytest.mark.parametrize(
    "field", ["page", "description", "meta_keywords", "meta_description", "page_title"]
)
def test_each_text_is_searched(shop: Shop, field: str) -> None:
    make(shop, "Other")
    id = make(shop, "x", **{field: "A Lighthouse"})
    found = shop.root.get("pages?q=LIGHT").get_json()["pages"]
    assert [record["page_id"] for record in found] == [str(id)]


@pytest.mark.parametrize("sent", ["", [], None, "0"])
def test_a_page_without_groups_is_for_everyone(shop: Shop, sent: Any) -> None:
    id = make(shop, "x", usergroup_ids="2")
    put(shop, id, {"usergroup_ids": sent})
    assert read(shop, id)["usergroup_ids"] == "0"


def test_the_read_record_sent_back_changes_nothing(shop: Shop) -> None:
    _, id = returns(shop)
    before = shop.everything()
    put(shop, id, read(shop, id))
    assert shop.everything() == before


@pytest.mark.parametrize(
    ("body", "field"),
    [({"page": "x"}, "page_type"), ({"page_type": "T"}, "page"),
     ({"page_type": "X", "page": "x"}, "page_type"),
     ({"page_type": "T", "page": " "}, "page"),
     ({"page_type": "T", "page": "x", "status": "Z"}, "status"),
     ({"page_type": "T", "page": "x", "position": -1}, "position"),
     ({"page_type": "T", "page": "x", "new_window": 2}, "new_window"),
     ({"page_type": "T", "page": "x", "parent_id": 999999}, "parent_id"),
     ({"page_type": "T", "page": "x", "company_id": 999999}, "company_id"),
     ({"page_type": "T", "page": "x", "lang_code": "fr"}, "lang_code"),
     ({"page_type": "T", "page": "x", "use_avail_period": "Y",
       "avail_from_timestamp": 9, "avail_till_timestamp": 8}, "avail_till_timestamp")],
)  # fmt: skip
def test_bad_pages_are_refused(shop: Shop, body: Any, field: str) -> None:
    before = shop.everything()
    refused(shop.root.post("pages", body), field)
    assert shop.everything() == before


def test_forms_make_pages_in_2_0(shop: Shop) -> None:
    pairs = {"data": "page_type=T&page=Returns&status=H", "content_type": "text/plain"}
    answer = shop.root.request("POST", "pages", **pairs)
    assert answer.status_code == 201
    assert read(shop, answer.get_json()["page_id"])["status"] == "H"


def test_an_open_period_needs_no_end(shop: Shop) -> None:
    id = make(shop, "x", use_avail_period="Y", avail_from_timestamp=9)
    refused(shop.root.put(f"pages/{id}", {"avail_till_timestamp": 8}),
            "avail_till_timestamp")  # fmt: skip
    put(shop, id, {"avail_till_timestamp": 8, "use_avail_period": "N"})


# Addresses and texts


def test_addresses_are_unique_in_a_store(shop: Shop) -> None:
    first, second = make(shop, "Über uns!"), make(shop, "Uber uns")
    slugs = [read(shop, id)["seo_name"] for id in (first, second)]
    assert slugs == ["uber-uns", "uber-uns-2"]
    other = make(shop, "Uber uns", company_id=shop.other_store)
    assert read(shop, other)["seo_name"] == "uber-uns"
    body = {"page_type": "T", "page": "x", "seo_name": "uber-uns"}
    refused(shop.root.post("pages", body), "seo_name", "taken")
    refused(shop.root.put(f"pages/{second}", {"seo_name": "uber-uns"}), "seo_name")
    put(shop, second, {"seo_name": ""})
    assert read(shop, second)["seo_name"] == "uber-uns-2"
    put(shop, second, {"page": "Contact", "seo_name": ""})
    assert read(shop, second)["seo_name"] == "contact"


def test_texts_are_per_language(shop: Shop) -> None:
    id = make(shop, "Returns", description="<p>Days</p>")
    put(shop, id, {"page": "Rückgabe", "lang_code": "de"})
    assert (read(shop, id)["page"], read(shop, id)["lang_code"]) == ("Returns", "en")
    german = read(shop, id, "?sl=de")
    assert (german["page"], german["description"]) == ("Rückgabe", "<p>Days</p>")
    assert names(shop, "lang_code=de&q=rück") == ["Rückgabe"]
    assert names(shop, "q=rück") == []


# The tree


def test_moving_takes_the_subtree_along(shop: Shop) -> None:
    top, target = make(shop, "A"), make(shop, "T")
    child = make(shop, "B", top)
    leaf = make(shop, "C", child)
    put(shop, top, {"parent_id": target})
    found = read(shop, leaf)
    assert found["id_path"] == f"{target}/{top}/{child}/{leaf}"
    assert (found["seo_path"], found["level"]) == (f"{target}/{top}/{child}", 3)
    put(shop, child, {"parent_id": 0})
    assert (read(shop, child)["level"], read(shop, child)["seo_path"]) == (0, "")
    assert read(shop, leaf)["id_path"] == f"{child}/{leaf}"


def test_rings_and_foreign_parents_are_refused(shop: Shop) -> None:
    top = make(shop, "A")
    leaf = make(shop, "C", make(shop, "B", top))
    foreign = make(shop, "F", company_id=shop.other_store)
    before = shop.everything()
    for parent, code in ((top, "cycle"), (leaf, "cycle"), (foreign, "unknown")):
        answer = shop.root.put(f"pages/{top}", {"parent_id": parent})
        refused(answer, "parent_id", code)
    assert shop.everything() == before
    shared = make(shop, "S", company_id=0)
    put(shop, top, {"parent_id": shared})
    assert read(shop, leaf)["level"] == 3


def test_deleting_takes_the_subtree_along(shop: Shop) -> None:
    top = make(shop, "A")
    leaf = make(shop, "C", make(shop, "B", top))
    make(shop, "D")
    assert shop.root.delete(f"pages/{top}").status_code == 204
    assert shop.root.get(f"pages/{leaf}").status_code == 404
    assert names(shop, "") == ["D"]


# Lists


@pytest.mark.parametrize(
    ("query", "expected"),
    [("", "CBA"), ("sort_order=asc", "ABC"), ("sort_by=name", "CBA"),
     ("sort_by=name&sort_order=asc", "ABC"), ("sort_by=timestamp", "BAC"),
     ("sort_by=type", "ACB"), ("sort_by=multi_level", "BCA"), ("page_type=T", "CA"),
     ("parent_id=0", "CA"), ("parent_id=0,{A}", "CBA"), ("item_ids={B},{C}", "CB"),
     ("status=H", "B"), ("status=A,H", "CBA"), ("status=Z", ""), ("q=LIGHT", "B"),
     ("q=%25", ""), ("level=1", "B"), ("seo_path={A}", "B"), ("seo_path=x", ""),
     ("usergroup_ids=0,1", "C"), ("company_id=0", ""), ("seo_name=c", "C"),
     ("get_tree=N&page_type=B", "B"), ("sort_by=nosuch", "CBA")],
)  # fmt: skip
def test_lists_are_filtered_and_sorted(shop: Shop, query: str, expected: str) -> None:
    a = make(shop, "A", position=1, timestamp=20)
    b = make(shop, "B", a, position=2, timestamp=30, page_type="B", status="H",
             description="A lighthouse")  # fmt: skip
    c = make(shop, "C", position=3, timestamp=10, usergroup_ids="0,1")
    query = query.format(A=a, B=b, C=c)
    assert "".join(names(shop, query)) == expected


def test_simple_lists_have_no_description(shop: Shop) -> None:
    returns(shop)
    for value, shown in (("Y", False), ("1", False), ("x", False), ("N", True),
                         ("0", True), ("false", True)):  # fmt: skip
        record = shop.root.get(f"pages?simple={value}").get_json()["pages"][0]
        assert ("description" in record) is shown
        assert len(record) == (24 if shown else 23)


def grown(shop: Shop) -> dict[str, int]:
    """A with B and C below it, D below B, and E beside A."""
    ids = {"A": make(shop, "A", position=1)}
    ids["B"] = make(shop, "B", ids["A"], position=1)
    ids["C"] = make(shop, "C", ids["A"], position=2)
    ids["D"] = make(shop, "D", ids["B"])
    ids["E"] = make(shop, "E", position=2, status="H")
    return ids


@pytest.mark.parametrize(
    ("query", "expected", "total"),
    [("", "EACBD", "5"), ("sort_order=asc", "ABDCE", "5"),
     ("sort_by=name&sort_order=asc", "ABDCE", "5"),
     ("items_per_page=2&page=2", "CB", "5"),
     ("page=9", "", "5"), ("parent_id={A}", "CBD", "3"), ("status=A", "ACBD", "4"),
     ("parent_id={B}", "D", "1"), ("parent_id=0", "EACBD", "5"),
     ("item_ids={D},{C}", "CD", "2")],
)  # fmt: skip
def test_plain_trees_are_flat_in_tree_order(
    shop: Shop, query: str, expected: str, total: str
) -> None:
    query = query.format(**grown(shop))
    body = shop.root.get(f"pages?get_tree=plain&{query}").get_json()
    assert "".join(record["page"] for record in body["pages"]) == expected
    assert (body["params"]["total_items"], body["params"]["get_tree"]) == (
        total,
        "plain",
    )


def nested(records: Any) -> list[Any]:
    return [[each["page"], *nested(each["subpages"])] for each in records]


def test_nested_trees_hold_subpages(shop: Shop) -> None:
    ids = grown(shop)
    path = "pages?get_tree=true&sort_by=name&sort_order=asc"
    body = shop.root.get(path).get_json()
    assert nested(body["pages"]) == [["A", ["B", ["D"]], ["C"]], ["E"]]
    assert (body["params"]["total_items"], body["params"]["page"]) == ("2", 1)
    body = shop.root.get(f"{path}&items_per_page=1&page=2&simple=Y").get_json()
    assert nested(body["pages"]) == [["E"]]
    assert "description" not in body["pages"][0]
    body = shop.root.get(f"/api/{path}&parent_id={ids['A']}").get_json()
    assert list(body["pages"]) == [str(ids["B"]), str(ids["C"])]


@pytest.mark.parametrize(
    ("query", "field"),
    [("get_tree=x", "get_tree"), ("get_tree=true&cursor=*", "cursor"),
     ("parent_id=x", "parent_id"), ("item_ids=x", "item_ids"), ("level=x", "level"),
     ("get_tree=plain&page=x", "page")],
)  # fmt: skip
def test_bad_filters_are_named(shop: Shop, query: str, field: str) -> None:
    refused(shop.root.get(f"pages?{query}"), field)


def test_trees_take_no_statement_per_page(shop: Shop) -> None:
    def statements(query: str) -> int:
        seen: list[str] = []
        shop.database.observer = seen.append
        assert shop.root.get(f"pages?items_per_page=100&{query}").status_code == 200
        shop.database.observer = None
        return len(seen)

    queries = ("", "get_tree=true", "get_tree=plain", "q=e")
    top = make(shop, "Seed")
    few = [statements(query) for query in queries]
    for number in range(12):
        make(shop, f"N{number}e", top if number % 2 else 0)
    assert [statements(query) for query in queries] == few == [2, 3, 3, 2]


# Who reads and writes


def test_companies_keep_to_their_own_and_read_the_shared(shop: Shop) -> None:
    own, shared = make(shop, "Own"), make(shop, "Shared", company_id=0)
    foreign = make(shop, "Foreign", company_id=shop.other_store)
    clerk = shop.caller("view_pages", "manage_pages", company_id=shop.store)
    assert sorted(names(shop, "", clerk)) == ["Own", "Shared"]
    assert names(shop, f"company_id={shop.other_store}", clerk) == []
    assert clerk.get(f"pages/{foreign}").status_code == 404
    for method, body in (("PUT", {"page": "x"}), ("DELETE", None)):
        for id, status in ((shared, 403), (foreign, 404)):
            answer = clerk.request(method, f"pages/{id}", json=body)
            assert answer.status_code == status
    put(shop, own, {"page": "Mine", "company_id": shop.other_store}, clerk)
    assert (read(shop, own)["page"], read(shop, own)["company_id"]) == (
        "Mine", str(shop.store))  # fmt: skip
    body = {"page_type": "T", "page": "New", "company_id": shop.other_store}
    id = clerk.post("pages", body).get_json()["page_id"]
    assert read(shop, id)["company_id"] == str(shop.store)
    below = {"page_type": "T", "page": "x", "parent_id": foreign}
    refused(clerk.post("pages", below), "parent_id", "unknown")


@pytest.mark.parametrize("parent", ["stores", "vendors"])
def test_pages_nest_under_companies(shop: Shop, parent: str) -> None:
    company = shop.store if parent == "stores" else shop.vendor
    body = {"page_type": "T", "page": "New", "company_id": shop.other_store}
    answer = shop.root.post(f"{parent}/{company}/pages", body)
    id = answer.get_json()["page_id"]
    other = make(shop, "x", company_id=shop.other_store)
    found = shop.root.get(f"{parent}/{company}/pages").get_json()["pages"]
    assert [record["page_id"] for record in found] == [str(id)]
    assert shop.root.get(f"{parent}/{company}/pages/{other}").status_code == 404


def test_visitors_read_what_is_for_them(make_app: Callable[..., Flask]) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    now = int(time.time())
    period = {"use_avail_period": "Y"}
    make(shop, "All")
    make(shop, "Guests", usergroup_ids="1")
    make(shop, "Registered", usergroup_ids="2")
    club = shop.group(type="C")
    make(shop, "Club", usergroup_ids=f"{club}")
    hidden = make(shop, "Hidden", status="H")
    off = make(shop, "Off", status="D")
    make(shop, "Now", **period, avail_from_timestamp=now - HOUR,
         avail_till_timestamp=now + HOUR)  # fmt: skip
    make(shop, "Open", **period, avail_from_timestamp=now - HOUR)
    make(shop, "Over", **period, avail_till_timestamp=now - HOUR)
    soon = make(shop, "Soon", **period, avail_from_timestamp=now + HOUR)
    query = "sort_by=name&sort_order=asc&items_per_page=50"
    assert names(shop, query, shop.anonymous) == ["All", "Guests", "Now", "Open"]
    customer = shop.caller(user_type="C")
    shop.join(customer.user_id, club)
    assert names(shop, query, customer) == ["All", "Club", "Now", "Open", "Registered"]
    statuses = [
        shop.anonymous.get(f"pages/{id}").status_code for id in (hidden, off, soon)
    ]
    assert statuses == [200, 404, 404]
    assert customer.post("pages", {"page_type": "T", "page": "x"}).status_code == 403


def test_a_group_that_goes_leaves_its_pages(shop: Shop) -> None:
    group = shop.group(type="C")
    id = make(shop, "Club", usergroup_ids=f"{group}")
    assert shop.root.delete(f"usergroups/{group}").status_code == 204
    assert (read(shop, id)["usergroup_ids"], read(shop, id)["status"]) == ("0", "H")


# With their store


def test_clones_have_the_pages_of_the_store(shop: Shop) -> None:
    top = make(shop, "Help", seo_name="help")
    child = make(shop, "Returns", top)
    put(shop, child, {"page": "Rückgabe", "lang_code": "de"})
    body = {"company": "Quay", "storefront": "quay.example", "clone_from": shop.store,
            "clone": {"pages": "Y"}}  # fmt: skip
    store = shop.root.post("stores", body).get_json()["store_id"]
    found = shop.root.get(f"stores/{store}/pages?sort_by=timestamp").get_json()["pages"]
    root, leaf = sorted(found, key=lambda record: record["level"])
    assert leaf["id_path"] == f"{root['page_id']}/{leaf['page_id']}"
    assert leaf["parent_id"] == root["page_id"] != str(top)
    assert (root["seo_name"], leaf["seo_name"]) == ("help", "returns")
    assert read(shop, int(leaf["page_id"]), "?sl=de")["page"] == "Rückgabe"
    assert shop.root.delete(f"stores/{store}").status_code == 204
    assert sorted(names(shop, "")) == ["Help", "Returns"]
    assert {row[0] for row in shop.everything()[Page.__tablename__]} == {top, child}
