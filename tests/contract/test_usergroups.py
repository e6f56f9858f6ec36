"""User groups, as spec/entities/usergroups.md states them."""

from typing import Any

import pytest

from storeapi.core.changes import Change
from storeapi.core.database import Connection
from storeapi.core.rows import table_of
from storeapi.core.table import TableEntity
from storeapi.models import Category, ProductPrice, Usergroup
from tests.shop import Caller, Shop


def manager(shop: Shop) -> Caller:
    """An administrator who is not root, and handles groups."""
    return shop.caller("view_usergroups", "manage_usergroups", "view_users")


def make(shop: Shop, **values: Any) -> int:
    """A group, made by root."""
    body = {"type": "A", "status": "A", "usergroup": "Order desk", **values}
    answer = shop.root.post("usergroups", body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["usergroup_id"])


@pytest.mark.parametrize("version", ["/api", "/api/2.0"])
def test_list_is_a_bare_map_in_both_versions(shop: Shop, version: str) -> None:
    first, second = make(shop), make(shop, type="C", status="D", usergroup="Old")
    answer = shop.root.get(f"{version}/usergroups")
    record = {"usergroup_id": str(first), "type": "A", "status": "A",
              "usergroup": "Order desk", "company_id": "0"}  # fmt: skip
    changed = {"usergroup_id": str(second), "type": "C", "status": "D",
               "usergroup": "Old"}  # fmt: skip
    assert answer.get_json() == {str(first): record, str(second): record | changed}
    assert answer.headers["X-Total-Count"] == "2"


def test_empty_list_is_an_empty_map(shop: Shop) -> None:
    assert shop.root.get("usergroups").get_json() == {}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("type=A", "abc"), ("type=C", "d"), ("status=D", "b"), ("type=A&status=A", "a"),
        ("type=A&status=H", "c"), ("q=SHOP", "bd"), ("q=%25", ""), ("status=Z", ""),
        ("q=+", "abcd"),
        ("items_per_page=2", "ab"), ("items_per_page=2&page=2", "cd"),
        ("items_per_page=2&page=3", ""), ("sort_by=nosuch", "abcd"),
    ],
)  # fmt: skip
def test_list_is_cut_by_its_filters(shop: Shop, query: str, names: str) -> None:
    groups = {
        "a": make(shop),
        "b": make(shop, status="D", usergroup="Shop floor"),
        "c": make(shop, status="H"),
        "d": make(shop, type="C", usergroup="Workshop"),
    }
    wanted = [str(groups[name]) for name in names]
    assert list(shop.root.get(f"usergroups?{query}").get_json()) == wanted


def test_list_by_ids(shop: Shop) -> None:
    first, _, third = make(shop), make(shop), make(shop)
    data = shop.root.get(f"usergroups?usergroup_ids={third},{first},2").get_json()
    assert list(data) == [str(first), str(third)]
    assert shop.root.get("usergroups?usergroup_ids=x").status_code == 400


def test_unpaged_list_holds_more_than_a_page(shop: Shop) -> None:
    for _ in range(11):
        shop.group(type="C")
    assert len(shop.root.get("usergroups").get_json()) == 11


def test_one_group_shows_its_privileges_sorted(shop: Shop) -> None:
    id = make(shop, privileges=["view_orders", "edit_order"])
    assert shop.root.get(f"usergroups/{id}").get_json() == {
        "usergroup_id": str(id), "type": "A", "status": "A", "usergroup": "Order desk",
        "privileges": ["edit_order", "view_orders"], "company_id": "0",
    }  # fmt: skip


@pytest.mark.parametrize("id", [1, 2])
def test_reserved_groups_are_read_by_id_only(shop: Shop, id: int) -> None:
    before = shop.everything()
    assert shop.root.get(f"usergroups/{id}").get_json()["type"] == "C"
    answer = shop.root.put(f"usergroups/{id}", {"status": "D"})
    assert answer.get_json()["message"] == f"Bad Request: group {id} is reserved"
    assert shop.root.delete(f"usergroups/{id}").status_code == 400
    assert shop.everything() == before


# Writing


def test_post_answers_with_the_id(shop: Shop) -> None:
    body = {"type": "A", "status": "D", "usergroup": "Editors"}
    second = shop.root.post("usergroups", body).get_json()
    first = shop.root.post("/api/usergroups", body).get_json()
    assert first == {"usergroup_id": str(second["usergroup_id"] + 1)}
    put = shop.root.put(f"usergroups/{second['usergroup_id']}", {"status": "A"})
    assert put.status_code == 200
    assert put.get_json() == {"usergroup_id": str(second["usergroup_id"])}


def test_version_2_takes_pairs(shop: Shop) -> None:
    answer = shop.root.request(
        "POST",
        "usergroups",
        data="type=A&status=D&usergroup=Order+desk",
        content_type="text/plain",
    )
    id = answer.get_json()["usergroup_id"]
    assert answer.status_code == 201
    assert shop.root.get(f"usergroups/{id}").get_json()["usergroup"] == "Order desk"


def test_post_needs_type_and_status(shop: Shop) -> None:
    answer = shop.root.post("usergroups", {"usergroup": "x"})
    assert answer.status_code == 400
    assert [e["field"] for e in answer.get_json()["errors"]] == ["type", "status"]
    for bad in ({"type": "V", "status": "A"}, {"type": "A", "status": "P"}):
        assert shop.root.post("usergroups", bad).status_code == 400


def test_put_is_partial(shop: Shop) -> None:
    """Protocol, section 16, row 27."""
    id = make(shop, privileges=["view_orders"])
    shop.root.put(f"usergroups/{id}", {"usergroup": "Desk"})
    record = shop.root.get(f"usergroups/{id}").get_json()
    assert (record["type"], record["status"]) == ("A", "A")
    assert (record["usergroup"], record["privileges"]) == ("Desk", ["view_orders"])


def test_name_is_kept_per_language(shop: Shop) -> None:
    id = make(shop)
    shop.root.put(f"usergroups/{id}?lang_code=de", {"usergroup": "Bestellungen"})
    names = [
        shop.root.get(f"usergroups/{id}?lang_code={code}").get_json()["usergroup"]
        for code in ("en", "de")
    ]
    assert names == ["Order desk", "Bestellungen"]


@pytest.mark.parametrize(
    "value",
    [
        ["edit_order", "view_orders", "edit_order"],
        {"view_orders": "Y", "edit_order": "Y", "manage_users": "N"},
        {"view_orders": True, "edit_order": 1},
    ],
)
def test_privileges_come_as_array_or_map(shop: Shop, value: Any) -> None:
    id = make(shop, privileges=["view_users"])
    assert shop.root.put(f"usergroups/{id}", {"privileges": value}).status_code == 200
    record = shop.root.get(f"usergroups/{id}").get_json()
    assert record["privileges"] == ["edit_order", "view_orders"]


@pytest.mark.parametrize(
    "value",
    [["nosuch"], ["view_orders", 5], "view_orders", {"view_orders": "?"}, 5, [[]]],
)
def test_unknown_privileges_are_refused(shop: Shop, value: Any) -> None:
    """Protocol, section 11: one registry knows all names."""
    id = make(shop, privileges=["view_users"])
    answer = shop.root.put(f"usergroups/{id}", {"privileges": value})
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "privileges"
    record = shop.root.get(f"usergroups/{id}").get_json()
    assert record["privileges"] == ["view_users"]


@pytest.mark.parametrize("name", ["manage_users", "backup_restore", "manage_orders"])
def test_known_privileges_may_be_stored(shop: Shop, name: str) -> None:
    """Protocol, section 11: also of what is not served here."""
    id = make(shop, privileges=[name])
    assert shop.root.get(f"usergroups/{id}").get_json()["privileges"] == [name]


def test_privileges_can_be_emptied(shop: Shop) -> None:
    id = make(shop, privileges=["view_users"])
    shop.root.put(f"usergroups/{id}", {"privileges": []})
    assert shop.root.get(f"usergroups/{id}").get_json()["privileges"] == []


def test_privileges_from_others_than_root_are_ignored(shop: Shop) -> None:
    caller, id = manager(shop), make(shop, privileges=["view_users"])
    answer = caller.put(f"usergroups/{id}", {"privileges": ["manage_users"]})
    assert answer.status_code == 200
    assert answer.headers["X-Ignored-Fields"] == "privileges"
    record = caller.get(f"usergroups/{id}").get_json()
    assert record["privileges"] == ["view_users"]
    body = {"type": "A", "status": "A", "privileges": ["manage_users"]}
    made = caller.post("usergroups", body).get_json()["usergroup_id"]
    assert caller.get(f"usergroups/{made}").get_json()["privileges"] == []


def test_customer_groups_have_no_privileges(shop: Shop) -> None:
    id = make(shop, type="C", privileges=["view_users"])
    assert shop.root.get(f"usergroups/{id}").get_json()["privileges"] == []
    other = make(shop, privileges=["view_users"])
    assert shop.root.put(f"usergroups/{other}", {"type": "C"}).status_code == 200
    assert shop.root.get(f"usergroups/{other}").get_json()["privileges"] == []


def test_type_with_members_stays(shop: Shop) -> None:
    id = make(shop)
    shop.join(shop.root.user_id, id, status="P")
    assert shop.root.put(f"usergroups/{id}", {"type": "C"}).status_code == 400
    answer = shop.root.put(f"usergroups/{id}", {"type": "A", "status": "H"})
    assert answer.status_code == 200


# Deleting


def test_delete_takes_links_and_privileges_along(shop: Shop) -> None:
    id = make(shop, privileges=["view_users"])
    shop.join(shop.root.user_id, id)
    assert shop.root.delete(f"usergroups/{id}").status_code == 204
    assert shop.root.get(f"usergroups/{id}").status_code == 404
    tables = shop.everything()
    assert tables["usergroup_links"] == tables["usergroup_privileges"] == []


def test_delete_strips_the_id_and_hides_what_was_for_the_group_alone(
    shop: Shop,
) -> None:
    id = make(shop, type="C")
    rest = make(shop, type="C")
    sent = {
        f"{id}": ("0", "H"), f"{rest},{id}": (f"{rest}", "A"), "0": ("0", "A"),
        f"{id},{rest}": (f"{rest}", "A"), f"1,{id},{rest}": (f"1,{rest}", "A"),
        f"{id}1,1{id}": (f"{id}1,1{id}", "A"),
    }  # fmt: skip
    for other in (int(f"{id}1"), int(f"1{id}")):
        shop.insert(Usergroup, usergroup_id=other, type="C", status="A", text="Other")
    products = {ids: shop.make_product(usergroup_ids=ids) for ids in sent}
    disabled = shop.make_product(usergroup_ids=str(id), status="D")
    assert shop.root.delete(f"usergroups/{id}").status_code == 204
    for ids, wanted in sent.items():
        record = shop.root.get(f"products/{products[ids]}").get_json()
        assert (record["usergroup_ids"], record["status"]) == wanted
    record = shop.root.get(f"products/{disabled}").get_json()
    assert (record["usergroup_ids"], record["status"]) == ("0", "D")
    assert shop.root.get("products?status=H").get_json()["params"]["total_items"] == "1"


@pytest.mark.parametrize(
    ("entity", "body"),
    [("categories", {"category": "Club"}), ("payments", {"payment": "Invoice"}),
     ("pages", {"page_type": "T", "page": "Club"}), ("shippings", {"shipping": "Van"})],
)  # fmt: skip
def test_delete_hides_whatever_was_for_the_group_alone(
    shop: Shop, entity: str, body: dict[str, str]
) -> None:
    id, rest = make(shop, type="C"), make(shop, type="C")
    found = []
    for ids in (f"{id}", f"{rest},{id}", "0"):
        answer = shop.root.post(entity, {**body, "usergroup_ids": ids})
        assert answer.status_code == 201, answer.get_data(as_text=True)
        found.append(f"{entity}/{next(iter(answer.get_json().values()))}")
    assert shop.root.delete(f"usergroups/{id}").status_code == 204
    records = [shop.root.get(path).get_json() for path in found]
    assert [(each["usergroup_ids"], each["status"]) for each in records] == [
        ("0", "H"), (f"{rest}", "A"), ("0", "A"),
    ]  # fmt: skip


LIMITED: dict[str, dict[str, Any]] = {
    "categories": {"category": "Club"},
    "master_products": {"product": "Mug", "price": 1},
    "pages": {"page_type": "T", "page": "Club"},
    "payments": {"payment": "Invoice"},
    "products": {"product": "Mug"},
    "shippings": {"shipping": "Van"},
}


def limited(shop: Shop, entity: str, groups: Any) -> Any:
    """Make an object that is for some groups; returns the answer."""
    body = LIMITED[entity]
    if entity == "products":
        body = {**body, "category_ids": [shop.category]}
    return shop.root.post(entity, {**body, "usergroup_ids": groups})


def test_everything_that_has_groups_is_tested(shop: Shop) -> None:
    taking = {
        name
        for name, entity in shop.entities().items()
        if issubclass(entity, TableEntity)
        and "usergroup_ids" in entity.declaration.kinds
    }
    alike = {"product_variations", "master_product_offers"}  # made of products
    assert taking - alike == set(LIMITED)


@pytest.mark.parametrize("entity", LIMITED)
def test_groups_that_do_not_exist_are_named(shop: Shop, entity: str) -> None:
    group = make(shop, type="C")
    made = limited(shop, entity, f"0,1,2,{group}")
    assert made.status_code == 201, made.get_data(as_text=True)
    path = f"{entity}/{next(iter(made.get_json().values()))}"
    before = shop.everything()
    for answer in (
        limited(shop, entity, [0, 987654]),
        shop.root.put(path, {"usergroup_ids": f"{group},987654"}),
    ):
        assert answer.status_code == 400
        (error,) = answer.get_json()["errors"]
        assert error["field"] == "usergroup_ids"
        assert "987654" in error["message"]
    assert shop.everything() == before


@pytest.mark.parametrize("entity", LIMITED)
def test_groups_that_are_stored_come_back_as_shown(shop: Shop, entity: str) -> None:
    """Also those that an older version took, and no group is."""
    id = int(next(iter(limited(shop, entity, "1").get_json().values())))
    model: Any = shop.entities()[entity]
    key = {model.declaration.id.name: id}
    shop.change(model.model, key, {"usergroup_ids": "1,987654"})
    path = f"{entity}/{id}"
    record = shop.root.get(path).get_json()
    before = shop.everything()
    assert shop.root.put(path, record).status_code == 200
    assert shop.everything() == before
    less = {"usergroup_ids": "987654,2"}
    assert shop.root.put(path, less).status_code == 200
    assert shop.root.get(path).get_json()["usergroup_ids"] == "987654,2"
    answer = shop.root.put(path, {"usergroup_ids": "987654,987655"})
    assert answer.status_code == 400


@pytest.mark.parametrize("groups", [None, "", "0", "0,1,2", [1, 2]])
def test_groups_that_every_shop_has_cost_no_statement(shop: Shop, groups: Any) -> None:
    id = shop.make_product()
    texts: list[str] = []
    shop.database.observer = texts.append
    try:
        answer = shop.root.put(f"products/{id}", {"usergroup_ids": groups})
    finally:
        shop.database.observer = None
    assert answer.status_code == 200
    assert [text for text in texts if "FROM usergroups" in text] == []


def test_delete_hides_categories_too_and_records_it(shop: Shop) -> None:
    id = make(shop, type="C")
    product = shop.make_product(usergroup_ids=str(id))
    limit = {"usergroup_ids": str(id)}
    where = {"category_id": shop.category}
    shop.database.write(lambda db: db.update(table_of(Category), where, limit))
    changes: list[Change] = []

    def note(db: Connection, made: Any) -> None:
        changes.extend(made)

    shop.database.subscribers.append(note)
    try:
        shop.root.delete(f"usergroups/{id}")
    finally:
        shop.database.subscribers.remove(note)
    seen = [(c.entity, c.id, c.operation.value, dict(c.after)) for c in changes]
    hidden = {"usergroup_ids": "0", "status": "H"}
    assert seen == [
        ("categories", shop.category, "update", hidden),
        ("products", product, "update", hidden),
        ("usergroups", id, "delete", {}),
    ]


def test_delete_drops_the_prices_of_the_group(shop: Shop) -> None:
    id = make(shop, type="C")
    product = shop.make_product()
    for group, price in ((id, 500), (0, 700)):
        shop.insert(
            ProductPrice,
            product_id=product,
            lower_limit=5,
            usergroup_id=group,
            price=price,
        )
    assert shop.root.delete(f"usergroups/{id}").status_code == 204
    record = shop.root.get(f"products/{product}").get_json()
    assert [price["price"] for price in record["prices"]] == ["7.00"]


# Privileges


def test_refusals_change_nothing(shop: Shop) -> None:
    id = make(shop)
    reader = shop.caller("view_usergroups")
    nobody = shop.caller("view_users")
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    clerk = shop.caller("view_usergroups", "manage_usergroups", company_id=shop.store)
    before = shop.everything()
    body = {"type": "C", "status": "A"}
    assert reader.get("usergroups").status_code == 200
    for caller in (nobody, vendor, clerk):
        assert caller.get("usergroups").status_code == 403
        assert caller.get(f"usergroups/{id}").status_code == 403
    for caller in (reader, nobody, vendor, clerk):
        assert caller.post("usergroups", body).status_code == 403
        assert caller.put(f"usergroups/{id}", body).status_code == 403
        assert caller.delete(f"usergroups/{id}").status_code == 403
    assert shop.everything() == before


def test_unknown_group_is_404(shop: Shop) -> None:
    for id in ("99999", "0", "x"):
        assert shop.root.get(f"usergroups/{id}").status_code == 404
        assert shop.root.put(f"usergroups/{id}", {"status": "A"}).status_code == 404
        assert shop.root.delete(f"usergroups/{id}").status_code == 404


def test_the_same_privileges_are_no_change(shop: Shop) -> None:
    id = make(shop, privileges=["view_users"])
    before = shop.everything()
    shop.root.put(f"usergroups/{id}", {"privileges": {"view_users": "Y"}})
    assert shop.everything() == before


@pytest.mark.parametrize(
    ("status", "change"),
    [("D", {"status": "A"}), ("A", {"status": "D"}), ("A", {"type": "C"}), ("A", None)],
)
def test_only_root_decides_what_administrators_are_granted(
    shop: Shop, status: str, change: dict[str, str] | None
) -> None:
    id = shop.group("manage_users", status=status)
    manager = shop.caller("view_usergroups", "manage_usergroups")
    if change != {"type": "C"}:
        shop.join(manager.user_id, id)
    before = shop.everything()
    path = f"usergroups/{id}"
    answer = manager.delete(path) if change is None else manager.put(path, change)
    assert answer.status_code == 403
    assert shop.everything() == before
    again = {"type": "A", "status": status, "usergroup": "Renamed"}
    assert manager.put(path, again).status_code == 200
    answer = shop.root.delete(path) if change is None else shop.root.put(path, change)
    assert answer.status_code in (200, 204)


def test_unknown_language_is_named_without_its_text(shop: Shop) -> None:
    body = {"type": "C", "status": "A", "lang_code": "x" * 9000}
    answer = shop.root.post("usergroups", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "lang_code"
    assert len(answer.data) < 1000
