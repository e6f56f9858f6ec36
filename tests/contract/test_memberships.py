"""Memberships: users/<id>/usergroups, as spec/entities/usergroups.md states them."""

from typing import Any

import pytest

from storeapi.core.changes import Change
from storeapi.core.database import Connection
from tests.people import make
from tests.shop import Caller, Shop


def manager(shop: Shop) -> Caller:
    """An administrator who is not root, and handles groups."""
    return shop.caller("view_usergroups", "manage_usergroups", "view_users")


def links(shop: Shop, user_id: int) -> dict[str, str]:
    """Status by group."""
    data = shop.root.get(f"users/{user_id}/usergroups").get_json()
    return {id: link["status"] for id, link in data.items()}


@pytest.mark.parametrize("version", ["/api", "/api/2.0"])
def test_list_is_a_bare_map_of_links(shop: Shop, version: str) -> None:
    user, first, second = make(shop), shop.group(type="C"), shop.group(type="C")
    one, two = shop.join(user, second), shop.join(user, first, status="P")
    answer = shop.root.get(f"{version}/users/{user}/usergroups")
    assert answer.get_data(as_text=True) == (
        f'{{"{first}":{{"link_id":"{two}","usergroup_id":"{first}","status":"P"}},'
        f'"{second}":{{"link_id":"{one}","usergroup_id":"{second}","status":"A"}}}}'
    )
    assert answer.headers["X-Total-Count"] == "2"


def test_user_without_groups_has_an_empty_map(shop: Shop) -> None:
    assert shop.root.get(f"users/{make(shop)}/usergroups").get_json() == {}


@pytest.mark.parametrize(
    ("query", "names"),
    [("type=A", "a"), ("type=C", "bc"), ("status=A", "ab"), ("type=C&status=A", "b"),
     ("status=Z", ""), ("items_per_page=2", "ab"), ("items_per_page=2&page=2", "c")],
)  # fmt: skip
def test_list_filters_by_group_type_and_link_status(
    shop: Shop, query: str, names: str
) -> None:
    user = make(shop, user_type="A")
    groups = {
        "a": shop.group(type="A"),
        "b": shop.group(type="C"),
        "c": shop.group(type="C"),
    }
    for name, status in (("a", "A"), ("b", "A"), ("c", "D")):
        shop.join(user, groups[name], status=status)
    data = shop.root.get(f"users/{user}/usergroups?{query}").get_json()
    assert list(data) == [str(groups[name]) for name in names]


def test_one_link_names_the_user(shop: Shop) -> None:
    user, group = make(shop), shop.group(type="C")
    path = f"users/{user}/usergroups/{group}"
    assert shop.root.get(path).status_code == 404
    link = shop.join(user, group)
    assert shop.root.get(path).get_json() == {
        "link_id": str(link), "usergroup_id": str(group), "status": "A",
        "user_id": str(user),
    }  # fmt: skip


def test_put_makes_and_changes_a_link(shop: Shop) -> None:
    user, group = make(shop), shop.group(type="C")
    path = f"users/{user}/usergroups/{group}"
    for status in ("P", "A", "D", "A"):
        answer = shop.root.put(path, {"status": status})
        assert answer.status_code == 200
        assert answer.get_json() == {
            "message": "Status has been changed", "usergroup_id": str(group),
        }  # fmt: skip
        assert links(shop, user) == {str(group): status}


def test_put_keeps_the_number_of_a_link(shop: Shop) -> None:
    user, group = make(shop), shop.group(type="C")
    link = shop.join(user, group)
    shop.root.put(f"users/{user}/usergroups/{group}", {"status": "D"})
    shop.root.put(f"users/{user}/usergroups/{group}", {"colour": "blue"})
    record = shop.root.get(f"users/{user}/usergroups/{group}").get_json()
    assert (record["link_id"], record["status"]) == (str(link), "D")


def test_f_and_delete_end_the_membership(shop: Shop) -> None:
    user, group = make(shop), shop.group(type="C")
    path = f"users/{user}/usergroups/{group}"
    shop.join(user, group)
    assert shop.root.put(path, {"status": "F"}).status_code == 200
    assert links(shop, user) == {}
    assert shop.root.put(path, {"status": "F"}).status_code == 200
    shop.join(user, group)
    answer = shop.root.delete(path)
    assert (answer.status_code, answer.data) == (204, b"")
    assert links(shop, user) == {}
    assert shop.root.delete(path).status_code == 204


@pytest.mark.parametrize("body", [{"status": "Z"}, {"status": ""}, {"colour": "blue"}])
def test_a_new_link_needs_a_known_status(shop: Shop, body: dict[str, str]) -> None:
    user, group = make(shop), shop.group(type="C")
    answer = shop.root.put(f"users/{user}/usergroups/{group}", body)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "status"
    assert links(shop, user) == {}


def test_unknown_group_is_400_and_unknown_user_404(shop: Shop) -> None:
    user, group = make(shop), shop.group(type="C")
    body = {"status": "A"}
    assert shop.root.put(f"users/{user}/usergroups/99999", body).status_code == 400
    assert shop.root.delete(f"users/{user}/usergroups/99999").status_code == 400
    assert shop.root.put(f"users/99999/usergroups/{group}", body).status_code == 404
    assert shop.root.get("users/99999/usergroups").status_code == 404


@pytest.mark.parametrize("status", ["A", "P", "D"])
def test_customer_joins_no_group_of_administrators(shop: Shop, status: str) -> None:
    user, group = make(shop), shop.group("view_orders")
    answer = shop.root.put(f"users/{user}/usergroups/{group}", {"status": status})
    assert answer.status_code == 400
    assert links(shop, user) == {}


def test_administrators_join_both(shop: Shop) -> None:
    admin = make(shop, user_type="A")
    vendor = make(shop, "v@example.com", user_type="V", company_id=shop.vendor)
    for group in (shop.group("view_orders"), shop.group(type="C")):
        for user in (admin, vendor):
            path = f"users/{user}/usergroups/{group}"
            assert shop.root.put(path, {"status": "A"}).status_code == 200


def test_only_root_assigns_groups_of_administrators(shop: Shop) -> None:
    """Protocol, section 10.5."""
    caller, group = manager(shop), shop.group("manage_users")
    user = make(shop, user_type="A")
    shop.join(user, group)
    before = shop.everything()
    for id in (user, caller.user_id):
        path = f"users/{id}/usergroups/{group}"
        for status in ("A", "P", "F"):
            assert caller.put(path, {"status": status}).status_code == 403
        assert caller.delete(path).status_code == 403
    assert shop.everything() == before


def test_manager_assigns_groups_of_customers(shop: Shop) -> None:
    caller, user, group = manager(shop), make(shop), shop.group(type="C")
    path = f"users/{user}/usergroups/{group}"
    assert caller.put(path, {"status": "A"}).status_code == 200
    assert caller.delete(path).status_code == 204


def test_refusals_change_nothing(shop: Shop) -> None:
    user, group = make(shop), shop.group(type="C")
    shop.join(user, group)
    callers = [
        shop.caller("view_usergroups", "manage_usergroups"),
        shop.caller("view_users", "manage_users"),
        shop.caller(user_type="V", company_id=shop.vendor),
        shop.caller("view_users", "view_usergroups", "manage_usergroups",
                    company_id=shop.store),
    ]  # fmt: skip
    before = shop.everything()
    for caller in callers:
        path = f"users/{user}/usergroups"
        assert caller.get(path).status_code == 403
        assert caller.put(f"{path}/{group}", {"status": "D"}).status_code == 403
        assert caller.delete(f"{path}/{group}").status_code == 403
    assert shop.everything() == before


def test_path_offers_no_post(shop: Shop) -> None:
    path = f"users/{make(shop)}/usergroups"
    answer = shop.root.post(path, {"status": "A"})
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")
    answer = shop.root.request("OPTIONS", path)
    assert (answer.status_code, answer.headers["Allow"]) == (204, "GET, HEAD, OPTIONS")
    answer = shop.root.request("OPTIONS", f"{path}/1")
    assert answer.headers["Allow"] == "GET, HEAD, PUT, DELETE, OPTIONS"


def test_second_put_with_the_same_tag_is_412(shop: Shop) -> None:
    user, group = make(shop), shop.group(type="C")
    shop.join(user, group, status="P")
    path = f"users/{user}/usergroups/{group}"
    condition = {"If-Match": shop.root.get(path).headers["ETag"]}
    assert shop.root.put(path, {"status": "A"}, headers=condition).status_code == 200
    assert shop.root.put(path, {"status": "D"}, headers=condition).status_code == 412


def test_change_of_a_membership_is_recorded_with_the_user(shop: Shop) -> None:
    user, group = make(shop), shop.group(type="C")
    changes: list[Change] = []

    def note(db: Connection, made: Any) -> None:
        changes.extend(made)

    shop.database.subscribers.append(note)
    try:
        for status in ("A", "A"):
            shop.root.put(f"users/{user}/usergroups/{group}", {"status": status})
    finally:
        shop.database.subscribers.remove(note)
    seen = [(c.entity, c.id, c.before, c.after) for c in changes]
    id = str(group)
    before, after = {"usergroups": {id: None}}, {"usergroups": {id: "A"}}
    assert seen == [("users", user, before, after)]


def test_strict_handling_refuses_unknown_fields(shop: Shop) -> None:
    user, group = make(shop), shop.group(type="C")
    path, strict = f"users/{user}/usergroups/{group}", {"Prefer": "handling=strict"}
    body = {"status": "A", "colour": "blue"}
    answer = shop.root.put(path, body, headers=strict)
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "colour"
    assert shop.root.put(path, body).headers["X-Ignored-Fields"] == "colour"
