"""Discussions: posts, threads, ratings, approval (spec/entities/discussions.md)."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi.counting import differences
from storeapi.models import Company, DiscussionPost, DiscussionThread
from tests.orders import stored_order
from tests.settings import as_of
from tests.settings import put as choose
from tests.shop import NOW, Caller, Shop


def post(shop: Shop, path: str = "discussions", **payload: Any) -> int:
    """A post, made through the API by the root caller."""
    answer = shop.root.post(path, payload)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["post_id"])


def about(id: int, letter: str = "P", **payload: Any) -> dict[str, Any]:
    return {"object_type": letter, "object_id": id, **payload}


def read(shop: Shop, id: int, caller: Caller | None = None) -> Any:
    return (caller or shop.root).get(f"discussions/{id}").get_json()


def put(shop: Shop, id: int, **changes: Any) -> None:
    answer = shop.root.put(f"discussions/{id}", changes)
    assert answer.status_code == 200, answer.get_data(as_text=True)


def names(shop: Shop, query: str, caller: Caller | None = None) -> list[str]:
    path = query if query.startswith("/") else f"/api/2.0/discussions?{query}"
    body = (caller or shop.root).get(path).get_json()
    return [record["name"] for record in body["discussions"]]


def refused(answer: Any, *fields: str) -> None:
    assert answer.status_code == 400, answer.get_data(as_text=True)
    assert [error["field"] for error in answer.get_json()["errors"]] == list(fields)


def rating(shop: Shop, path: str) -> Any:
    return shop.root.get(path).get_json()["average_rating"]


def test_records_are_those_of_the_documents(shop: Shop) -> None:
    product = shop.make_product()
    body = about(product, name="Tomas", rating_value=4, message="Sturdy.",
                 timestamp=1735689600)  # fmt: skip
    id = post(shop, **body)
    (thread,) = shop.everything()["discussion_threads"]
    record = {
        "post_id": str(id), "thread_id": str(thread[0]), "object_type": "P",
        "object_id": str(product), "name": "Tomas", "message": "Sturdy.",
        "rating_value": "4", "timestamp": "1735689600", "status": "A",
        "user_id": "0", "ip_address": "", "type": "B", "company_id": str(shop.store),
    }  # fmt: skip
    echo = {
        "page": 1, "items_per_page": 10, "sort_by": "timestamp", "sort_order": "desc",
        "sort_order_rev": "asc", "total_items": "1",
    }  # fmt: skip
    assert read(shop, id) == record
    path = f"products/{product}/discussions"
    assert shop.root.get(path).get_json() == {"discussions": [record], "params": echo}
    body = shop.root.get(f"/api/{path}").get_json()
    assert body == {"discussions": {str(id): record}, "search": echo}
    assert shop.root.get(f"{path}/{id}").get_json() == record


def test_defaults_are_empty_and_now(shop: Shop) -> None:
    found = read(shop, post(shop, **about(shop.category, "C", message="Hm.")))
    assert (found["name"], found["rating_value"], found["type"]) == ("", "0", "C")
    assert int(found["timestamp"]) > NOW
    assert None not in found.values()


def test_an_object_has_one_thread(shop: Shop) -> None:
    first, second = shop.make_product("A"), shop.make_product("B")
    ids = [post(shop, **about(each, message="x")) for each in (first, first, second)]
    threads = [read(shop, id)["thread_id"] for id in ids]
    assert threads[0] == threads[1] != threads[2]
    fourth = post(shop, thread_id=threads[2], message="y")
    assert read(shop, fourth)["object_id"] == str(second)
    both = {"thread_id": threads[0], **about(first), "message": "z"}
    assert read(shop, post(shop, **both))["thread_id"] == threads[0]


@pytest.mark.parametrize(
    ("letter", "entity", "type"),
    [("P", "products", "B"), ("C", "categories", "C"), ("A", "pages", "C"),
     ("O", "orders", "C"), ("M", "vendors", "B"), ("E", "stores", "B")],
)  # fmt: skip
def test_every_kind_of_object_is_discussed(
    shop: Shop, letter: str, entity: str, type: str
) -> None:
    page = shop.root.post("pages", {"page_type": "T", "page": "x"}).get_json()
    ids = {"P": shop.make_product(), "C": shop.category, "A": page["page_id"],
           "O": stored_order(shop), "M": shop.vendor, "E": shop.store}  # fmt: skip
    id = ids[letter]
    shown = 0 if letter == "E" else id
    company = shop.vendor if letter == "M" else shop.store
    flat = post(shop, **about(shown, letter, name="flat", message="x"))
    path = f"{entity}/{id}/discussions"
    below = post(shop, path, name="below", message="y")
    for each in (flat, below):
        found = read(shop, each)
        assert (found["object_type"], found["object_id"]) == (letter, str(shown))
        assert (found["type"], found["company_id"]) == (type, str(company))
    assert sorted(names(shop, f"/api/2.0/{path}")) == ["below", "flat"]
    assert shop.root.get(f"{path}/{flat}").status_code == 200
    assert len(shop.everything()["discussion_threads"]) == 1


def test_the_path_decides_what_a_post_is_about(shop: Shop) -> None:
    first, second = shop.make_product("A"), shop.make_product("B")
    path = f"products/{first}/discussions"
    id = post(shop, path, **about(shop.category, "C", message="x"))
    assert read(shop, id)["object_id"] == str(first)
    elsewhere = post(shop, **about(second, message="y"))
    thread = read(shop, elsewhere)["thread_id"]
    answer = shop.root.post(path, {"thread_id": thread, "message": "z"})
    refused(answer, "thread_id")
    for method in ("GET", "PUT", "DELETE"):
        answer = shop.root.request(method, f"{path}/{elsewhere}", json={"name": "x"})
        assert answer.status_code == 404
    assert shop.root.get("products/999999/discussions").status_code == 404


def test_companies_hold_all_that_is_about_theirs(shop: Shop) -> None:
    foreign = shop.make_category("Hill", company_id=shop.other_store)
    product = shop.make_product()
    path = f"stores/{shop.store}/discussions"
    post(shop, path, **about(product, message="x", name="mine"))
    post(shop, **about(foreign, "C", message="x", name="theirs"))
    assert names(shop, f"/api/2.0/{path}") == ["mine"]
    refused(shop.root.post(path, about(foreign, "C", message="x")), "object_id")
    thread = shop.root.get("discussions?name=theirs").get_json()["discussions"][0]
    body = {"thread_id": thread["thread_id"], "message": "x"}
    refused(shop.root.post(path, body), "thread_id")


@pytest.mark.parametrize(
    "body", [{}, {"object_type": "E"}, {"object_type": "E", "object_id": 0}]
)
def test_below_a_store_a_post_is_about_that_store(shop: Shop, body: Any) -> None:
    path = f"stores/{shop.other_store}/discussions"
    found = read(shop, post(shop, path, message="x", **body))
    assert (found["object_type"], found["object_id"]) == ("E", "0")
    assert found["company_id"] == str(shop.other_store)


def test_below_a_vendor_no_post_is_about_a_store(shop: Shop) -> None:
    path = f"vendors/{shop.vendor}/discussions"
    answer = shop.root.post(path, {"object_type": "E", "message": "x"})
    refused(answer, "object_id")
    found = read(shop, post(shop, path, message="x"))
    assert (found["object_type"], found["object_id"]) == ("M", str(shop.vendor))


def test_what_is_switched_off_is_not_discussed(
    shop: Shop, make_app: Callable[..., Flask]
) -> None:
    page = shop.root.post("pages", {"page_type": "T", "page": "x"}).get_json()
    root = as_of(make_app(disabled_entities=("pages",)), shop.root)
    body = about(page["page_id"], "A", message="x")
    refused(root.post("discussions", body), "object_type")
    assert shop.root.post("discussions", body).status_code == 201


@pytest.mark.parametrize(
    ("body", "fields"),
    [({"message": "x"}, ["object_type"]), ({"object_id": 1}, ["object_type"]),
     ({"object_type": "P", "message": "x"}, ["object_id"]),
     ({"object_type": "P", "object_id": 999999, "message": "x"}, ["object_id"]),
     ({"object_type": "E", "object_id": 999999, "message": "x"}, ["object_id"]),
     ({"object_type": "O", "object_id": 999999, "message": "x"}, ["object_id"]),
     ({"object_type": "X", "object_id": 1}, ["object_type"]),
     ({"thread_id": 999999, "message": "x"}, ["thread_id"]),
     ({"object_type": "C", "object_id": "{C}"}, ["message"]),
     ({"object_type": "C", "object_id": "{C}", "rating_value": 5}, ["message"]),
     ({"object_type": "C", "object_id": "{C}", "rating_value": 6}, ["rating_value"]),
     ({"object_type": "C", "object_id": "{C}", "rating_value": -1}, ["rating_value"]),
     ({"object_type": "C", "object_id": "{C}", "message": "x", "status": "Z"},
      ["status"])],
)  # fmt: skip
def test_bad_posts_are_refused(shop: Shop, body: Any, fields: Any) -> None:
    before = shop.everything()
    sent = {k: shop.category if v == "{C}" else v for k, v in body.items()}
    answer = shop.root.post("discussions", sent)
    refused(answer, *fields)
    assert shop.everything() == before


def test_a_thread_of_another_object_is_refused(shop: Shop) -> None:
    thread = read(shop, post(shop, **about(shop.category, "C", message="x")))
    for field, value in (("object_type", "P"), ("object_id", 999999)):
        body = {"thread_id": thread["thread_id"], "message": "y", field: value}
        refused(shop.root.post("discussions", body), field)


# Types


def test_comments_take_no_rating_and_ratings_no_message(shop: Shop) -> None:
    product = shop.make_product(discussion_type="C")
    id = post(shop, **about(product, message="x", rating_value=5))
    assert read(shop, id)["rating_value"] == "0"
    shop.root.put(f"products/{product}", {"discussion_type": "R"})
    assert read(shop, id)["type"] == "R"
    rated = post(shop, **about(product, message="x", rating_value=5))
    assert (read(shop, rated)["message"], read(shop, rated)["rating_value"]) == (
        "",
        "5",
    )
    refused(shop.root.post("discussions", about(product, message="x")), "rating_value")
    answer = shop.root.put(f"discussions/{rated}", {"rating_value": 0})
    refused(answer, "rating_value")


def test_a_discussion_can_be_switched_off(shop: Shop) -> None:
    product = shop.make_product()
    path = f"products/{product}/discussions"
    id = post(shop, path, message="x", rating_value=4)
    shop.root.put(f"products/{product}", {"discussion_type": "D"})
    assert names(shop, f"/api/2.0/{path}") == names(shop, "") == []
    assert shop.root.get(f"discussions/{id}").status_code == 404
    assert shop.root.post(path, {"message": "y"}).status_code == 400
    shop.root.put(f"products/{product}", {"discussion_type": "B"})
    assert read(shop, id)["type"] == "B"


@pytest.mark.parametrize("late", [False, True])
def test_it_can_be_off_from_the_start(shop: Shop, late: bool) -> None:
    product = shop.make_product(**({} if late else {"discussion_type": "D"}))
    if late:
        shop.root.put(f"products/{product}", {"discussion_type": "D"})
    answer = shop.root.post("discussions", about(product, message="x"))
    assert answer.status_code == 400


def test_a_product_shows_its_discussion(shop: Shop) -> None:
    id = shop.make_product()

    def shown() -> Any:
        found = shop.root.get(f"products/{id}").get_json()
        names = ("discussion_type", "discussion_thread_id", "average_rating")
        return [found[name] for name in names]

    assert shown() == ["D", "0", None]
    before = shop.everything()
    record = shop.root.get(f"products/{id}").get_json()
    assert shop.root.put(f"products/{id}", record).status_code == 200
    assert shop.everything() == before
    made = read(shop, post(shop, **about(id, rating_value=3)))
    assert shown() == ["B", made["thread_id"], "3.00"]
    before = shop.everything()
    record = shop.root.get(f"products/{id}").get_json()
    assert shop.root.put(f"products/{id}", record).status_code == 200
    assert shop.everything() == before


def test_products_change_when_their_rating_does(shop: Shop) -> None:
    def stamp() -> int:
        return int(shop.root.get(f"products/{id}").get_json()["updated_timestamp"])

    id = shop.make_product()
    other = post(shop, **about(id, message="x"))
    table = shop.registry.get("products").model
    for write in (
        lambda: post(shop, **about(id, rating_value=3)),
        lambda: put(shop, other, rating_value=2),
        lambda: shop.root.delete(f"discussions/{other}"),
        lambda: shop.root.put(f"products/{id}", {"discussion_type": "C"}),
    ):
        shop.change(table, {"product_id": id}, {"updated_timestamp": NOW})
        write()
        assert stamp() > NOW
    shop.change(table, {"product_id": id}, {"updated_timestamp": NOW})
    post(shop, **about(id, message="Words only."))
    assert stamp() == NOW


# Ratings


@pytest.mark.parametrize("letter", ["P", "M", "E"])
def test_the_mean_of_approved_ratings_is_kept(shop: Shop, letter: str) -> None:
    product = shop.make_product()
    id, path = {
        "P": (product, f"products/{product}"),
        "M": (shop.vendor, f"vendors/{shop.vendor}"),
        "E": (0, f"stores/{shop.store}"),
    }[letter]
    assert rating(shop, path) is None
    first = post(shop, **about(id, letter, rating_value=5))
    post(shop, **about(id, letter, message="no rating"))
    second = post(shop, **about(id, letter, rating_value=4))
    assert rating(shop, path) == "4.50"
    third = post(shop, **about(id, letter, rating_value=1, status="D"))
    assert rating(shop, path) == "4.50"
    put(shop, third, status="A")
    assert rating(shop, path) == "3.33"
    put(shop, third, rating_value=2)
    assert rating(shop, path) == "3.67"
    put(shop, second, status="D", rating_value=1)
    assert rating(shop, path) == "3.50"
    for each in (first, second, third):
        assert shop.root.delete(f"discussions/{each}").status_code == 204
    assert rating(shop, path) is None
    assert shop.database.write(lambda db: differences(db, [])) == []


def test_companies_show_their_threads(shop: Shop) -> None:
    thread = read(shop, post(shop, **about(shop.vendor, "M", rating_value=4)))
    for path in (f"vendors/{shop.vendor}", "vendors"):
        found = shop.root.get(path).get_json()
        record = found if path != "vendors" else found["vendors"][0]
        expected = f"{shop.vendor}_{thread['thread_id']}"
        assert record["company_thread_ids"] == expected
    assert len(shop.root.get("vendors?average_rating=4").get_json()["vendors"]) == 1
    assert shop.root.get("vendors?average_rating=5").get_json()["vendors"] == []


# Changes


def test_only_five_fields_change(shop: Shop) -> None:
    id = post(shop, **about(shop.make_product(), message="x"))
    before = read(shop, id)
    changes = {"name": "Ann", "message": "y", "rating_value": "2", "status": "D",
               "timestamp": "1735689600"}  # fmt: skip
    ignored = {"thread_id": 9, "object_type": "C", "object_id": shop.category,
               "user_id": 9, "ip_address": "::1", "type": "C",
               "company_id": 9}  # fmt: skip
    put(shop, id, **changes, **ignored)
    assert read(shop, id) == {**before, **changes}
    before_all = shop.everything()
    put(shop, id, **read(shop, id))
    assert shop.everything() == before_all
    put(shop, id, message="")
    refused(shop.root.put(f"discussions/{id}", {"rating_value": 0}), "message")


def test_posts_follow_a_product_to_its_new_company(shop: Shop) -> None:
    shared = shop.make_category("Shared", company_id=0)
    product = shop.make_product(category_ids=[shared])
    id = post(shop, **about(product, message="x"))
    answer = shop.root.put(f"products/{product}", {"company_id": shop.other_store})
    assert answer.status_code == 200
    assert read(shop, id)["company_id"] == str(shop.other_store)
    assert names(shop, f"company_id={shop.store}") == []


def test_threads_go_with_their_objects(shop: Shop) -> None:
    page = shop.root.post("pages", {"page_type": "T", "page": "x"}).get_json()[
        "page_id"
    ]
    below = {"page_type": "T", "page": "y", "parent_id": page}
    leaf = shop.root.post("pages", below).get_json()["page_id"]
    product, category = shop.make_product(), shop.make_category("Gone")
    post(shop, **about(product, message="x"))
    post(shop, **about(leaf, "A", message="x"))
    post(shop, **about(category, "C", message="x"))
    post(shop, **about(shop.vendor, "M", message="x"))
    order = stored_order(shop)
    post(shop, **about(order, "O", message="x"))
    told: list[Any] = []

    def subscriber(db: Any, changes: Any) -> None:
        told.extend(c.id for c in changes if c.entity == "discussions")

    listed = shop.root.get("discussions").get_json()["discussions"]
    ids = [int(record["post_id"]) for record in listed]
    shop.database.subscribers.append(subscriber)
    try:
        for path in (f"products/{product}", f"pages/{page}", f"categories/{category}",
                     f"vendors/{shop.vendor}", f"orders/{order}"):  # fmt: skip
            assert shop.root.delete(path).status_code == 204
    finally:
        shop.database.subscribers.remove(subscriber)
    assert sorted(told) == sorted(ids)
    assert len(ids) == 5
    for model in (DiscussionPost, DiscussionThread):
        assert shop.everything()[model.__tablename__] == []


def test_clones_are_silent(shop: Shop) -> None:
    product = shop.make_product(discussion_type="R")
    post(shop, **about(product, rating_value=4))
    body = {"company": "Quay", "storefront": "quay.example", "clone_from": shop.store,
            "clone": {"products": "Y"}}  # fmt: skip
    store = shop.root.post("stores", body).get_json()["store_id"]
    found = shop.root.get(f"stores/{store}/products").get_json()["products"][0]
    copy = shop.root.get(f"products/{found['product_id']}").get_json()
    assert (copy["discussion_type"], copy["average_rating"]) == ("R", None)
    assert shop.root.get(f"stores/{store}/discussions").get_json()["discussions"] == []
    id = post(shop, **about(int(copy["product_id"]), rating_value=2))
    assert read(shop, id)["thread_id"] == copy["discussion_thread_id"]
    assert shop.root.delete(f"stores/{store}").status_code == 204
    assert len(shop.everything()["discussion_threads"]) == 1


# Lists


@pytest.mark.parametrize(
    ("query", "expected"),
    [("", "CBA"), ("sort_order=asc", "ABC"), ("sort_by=name", "CBA"),
     ("sort_by=rating_value", "ABC"), ("sort_by=status&sort_order=asc", "ACB"),
     ("sort_by=ip_address", "ABC"), ("status=D", "B"), ("name=a", "A"),
     ("message=FINE", "C"), ("message=%25", ""), ("type=C", "C"), ("type=B", "BA"),
     ("rating_value=5", "A"), ("object_type=P", "BA"), ("object_id={P}", "BA"),
     ("ip_address=192.0.2.1", ""), ("user_id=0", "CBA"), ("company_id=0", ""),
     ("thread_id={T}", "BA"), ("period=HH", ""), ("period=D", ""),
     ("period=C&time_from=20&time_to=30", "CB"), ("time_to=10", "A"),
     ("time_from=1970-01-01&time_to=1970-01-01", "CBA")],
)  # fmt: skip
def test_lists_are_filtered_and_sorted(shop: Shop, query: str, expected: str) -> None:
    """Protocol, section 16, row 33: no status is the default of the filter."""
    product = shop.make_product()
    if product == shop.category:  # an object_id that names one object only
        product = shop.make_product()
    a = post(shop, **about(product, name="A", rating_value=5, timestamp=10))
    post(shop, **about(product, name="B", rating_value=1, timestamp=20, status="D"))
    post(shop, **about(shop.category, "C", name="C", message="Fine", timestamp=30))
    query = query.format(P=product, T=read(shop, a)["thread_id"])
    assert "".join(names(shop, query)) == expected


@pytest.mark.parametrize(
    "query", ["period=X", "time_from=x", "rating_value=x", "object_id=x", "user_id=-1"]
)
def test_bad_filters_are_named(shop: Shop, query: str) -> None:
    refused(shop.root.get(f"discussions?{query}"), query.partition("=")[0])


# Callers


def test_vendors_reach_them_below_own_products_only(shop: Shop) -> None:
    """Protocol, section 12: discussions."""
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    own = shop.make_product(company_id=shop.vendor, category_ids=[
        shop.make_category("Shared", company_id=0)])  # fmt: skip
    foreign = shop.make_product("Foreign")
    id = post(shop, **about(own, name="own", message="x"))
    assert names(shop, f"/api/2.0/products/{own}/discussions", vendor) == ["own"]
    assert vendor.get(f"products/{own}/discussions/{id}").status_code == 200
    assert vendor.get(f"products/{foreign}/discussions").status_code == 404
    for path in (
        "discussions",
        f"discussions/{id}",
        f"vendors/{shop.vendor}/discussions",
    ):
        assert vendor.get(path).status_code == 403
    answer = vendor.post(f"products/{own}/discussions", {"message": "x"})
    assert answer.status_code == 403


def test_store_administrators_keep_to_their_store(shop: Shop) -> None:
    rights = ("view_discussions", "manage_discussions", "view_catalog")
    clerk = shop.caller(*rights, company_id=shop.store)
    foreign = shop.make_category("Hill", company_id=shop.other_store)
    shared = shop.make_category("Shared", company_id=0)
    theirs = read(shop, post(shop, **about(foreign, "C", message="x")))
    assert names(shop, "", clerk) == []
    assert clerk.get(f"discussions/{theirs['post_id']}").status_code == 404
    refused(clerk.post("discussions", about(foreign, "C", message="x")), "object_id")
    body = {"thread_id": theirs["thread_id"], "message": "x"}
    refused(clerk.post("discussions", body), "thread_id")
    answer = clerk.post("discussions", about(shared, "C", message="x"))
    assert answer.status_code == 403
    answer = clerk.post("discussions", {"object_type": "E", "message": "x"})
    assert read(shop, answer.get_json()["post_id"])["company_id"] == str(shop.store)


@pytest.fixture
def open_shop(make_app: Callable[..., Flask]) -> Shop:
    return Shop(make_app(api_allow_customer=True))


def test_posts_of_customers_wait_for_approval(open_shop: Shop) -> None:
    shop = open_shop
    product = shop.make_product()
    customer = shop.caller(user_type="C", firstname="Rui", lastname="Costa",
                           company_id=shop.store)  # fmt: skip
    body = {"message": "x", "rating_value": 5, "status": "A", "timestamp": 5}
    for caller, name, user_id in (
        (shop.anonymous, "", 0), (customer, "Rui Costa", customer.user_id)
    ):  # fmt: skip
        answer = caller.post(f"products/{product}/discussions", body)
        assert answer.headers["X-Ignored-Fields"] == "status, timestamp"
        found = read(shop, answer.get_json()["post_id"])
        assert (found["status"], found["name"]) == ("D", name)
        assert (found["user_id"], found["ip_address"]) == (str(user_id), "127.0.0.1")
        assert int(found["timestamp"]) > time.time() - 100
        assert read(shop, found["post_id"], caller)["status"] == 404
    assert rating(shop, f"products/{product}") is None
    assert (
        customer.put(f"discussions/{found['post_id']}", {"name": "x"}).status_code
        == 403
    )
    assert shop.root.delete(f"users/{customer.user_id}").status_code == 204
    assert read(shop, found["post_id"])["user_id"] == "0"


def test_settings_decide_how_posts_begin(open_shop: Shop) -> None:
    shop = open_shop
    path = f"products/{shop.make_product()}/discussions"
    choose(shop, "product_comment_type", "D")
    assert shop.anonymous.post(path, {"message": "x"}).status_code == 400
    assert shop.everything()["discussion_threads"] == []
    choose(shop, "product_comment_type", "R")
    choose(shop, "approve_automatically", "Y")
    made = shop.anonymous.post(path, {"rating_value": 3}).get_json()
    found = read(shop, made["post_id"], shop.anonymous)
    assert (found["type"], found["status"]) == ("R", "A")


def test_customers_are_not_told_who_wrote(open_shop: Shop) -> None:
    shop = open_shop
    id = post(shop, **about(shop.make_product(), name="Ann", message="x"))
    shop.change(DiscussionPost, {"post_id": id}, {"ip_address": "192.0.2.1"})
    found = read(shop, id, shop.anonymous)
    assert (found["user_id"], found["ip_address"]) == ("0", "")
    assert found.keys() == read(shop, id).keys()
    assert names(shop, "ip_address=192.0.2.2", shop.anonymous) == ["Ann"]
    (record,) = shop.anonymous.get("discussions?fields=name").get_json()["discussions"]
    assert record == {"post_id": str(id), "name": "Ann"}


def test_what_customers_do_not_see_is_not_talked_about(open_shop: Shop) -> None:
    shop = open_shop
    customer = shop.caller(user_type="C", company_id=shop.store)
    members = {"page_type": "T", "page": "Club", "usergroup_ids": "2"}
    off = shop.root.post("categories", {"category": "Off", "status": "D"}).get_json()
    club = shop.root.post("pages", members).get_json()["page_id"]
    gone, hidden = shop.make_product(status="D"), off["category_id"]
    ids = [
        post(shop, **about(id, letter, name=name, message="x"))
        for name, letter, id in (
            ("shown", "P", shop.make_product()), ("shown", "C", shop.category),
            ("shown", "M", shop.vendor), ("shown", "E", 0), ("club", "A", club),
            ("hidden", "P", gone), ("hidden", "C", hidden),
        )
    ]  # fmt: skip
    assert names(shop, "", shop.anonymous) == ["shown"] * 4
    assert names(shop, "sort_by=name", customer) == [*["shown"] * 4, "club"]
    paths = [f"discussions/{ids[-1]}", f"categories/{hidden}/discussions"]
    assert {customer.get(path).status_code for path in paths} == {404}
    shop.change(Company, {"company_id": shop.vendor}, {"status": "D"})
    assert names(shop, "", shop.anonymous) == ["shown"] * 3
    assert len(names(shop, f"/api/2.0/stores/{shop.store}/discussions", customer)) == 4
    assert len(names(shop, "")) == 7
    refused(customer.post("discussions", about(gone, message="x")), "object_id")


def test_customers_talk_about_their_own_orders(open_shop: Shop) -> None:
    shop = open_shop
    customer = shop.caller(user_type="C", company_id=shop.store)
    order, foreign = stored_order(shop, user_id=customer.user_id), stored_order(shop)
    path = f"orders/{order}/discussions"
    post(shop, path, name="staff", message="It is on its way.")
    assert customer.post(path, {"message": "Thanks."}).status_code == 201
    assert names(shop, f"/api/2.0/{path}", customer) == ["staff"]
    assert names(shop, "", customer) == names(shop, "", shop.anonymous) == []
    assert customer.get(f"orders/{foreign}/discussions").status_code == 404
    refused(customer.post("discussions", about(foreign, "O", message="x")), "object_id")


def test_visitors_say_nothing_of_orders_of_guests(open_shop: Shop) -> None:
    shop = open_shop
    order = stored_order(shop, user_id=0)
    thread_id = read(shop, post(shop, **about(order, "O", message="x")))["thread_id"]
    for caller in (shop.anonymous, shop.caller(user_type="C")):
        sent = caller.post("discussions", about(order, "O", message="x"))
        refused(sent, "object_id")
        sent = caller.post("discussions", {"thread_id": thread_id, "message": "x"})
        refused(sent, "thread_id")
