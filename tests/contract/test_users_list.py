"""Users: lists, their filters and orders."""

import pytest

from tests.people import found, make
from tests.shop import Shop

LISTED = [
    "user_id", "email", "user_type", "company_id", "status", "user_login", "is_root",
    "timestamp", "firstname", "lastname", "company", "company_name", "points",
]  # fmt: skip


def test_list_records_have_thirteen_fields(shop: Shop) -> None:
    data = shop.root.get("users?items_per_page=1").get_json()
    assert list(data["users"][0]) == LISTED


def test_version_1_lists_a_map_by_id(shop: Shop) -> None:
    id = make(shop, firstname="Ines", lastname="Duarte")
    data = shop.root.get("/api/users?user_type=C").get_json()
    assert list(data) == ["users", "search"]
    assert list(data["users"]) == [str(id)]
    assert data["users"][str(id)]["company_name"] == "Harbour Shop"
    assert data["search"]["sort_by"] == "name"
    assert data["search"]["total_items"] == "1"


def people(shop: Shop) -> dict[str, int]:
    """Three customers to look for."""
    return {
        "ann": make(
            shop, "Ann@example.com", firstname="Ann", lastname="Lind", phone="555-10",
            user_login="captain", b_address="Hauptstraße 7", b_city="Köln",
            b_zipcode="50667", b_country="DE", b_state="NW", timestamp=1000,
        ),
        "ben": make(
            shop, "ben@example.com", firstname="Ben", lastname="Li", phone="555-20",
            user_login="mate", b_city="Porto", s_city="Braga", b_country="PT",
            timestamp=2000, company="Ropes", tax_exempt="Y", status="D",
        ),
        "cy": make(
            shop, "cy_1@example.org", firstname="ÉMILE", lastname="Li", timestamp=3000,
            user_login="cook", company_id=shop.other_store, company="Anchors",
        ),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("email=ANN@", "ann"), ("email=_", "cy"), ("email=%25", ""),
        ("name=lin", "ann"), ("name=ben+li", "ben"), ("name=émi", "cy"),
        ("name=li+ben", ""), ("user_login=CAP", "ann"), ("status=D", "ben"),
        ("phone=555-10", "ann"), ("phone=555", ""), ("tax_exempt=Y", "ben"),
        ("address=hauptstraße", "ann"), ("address=STRAßE+7", "ann"),
        ("city=köl", "ann"), ("city=KÖLN", "ann"), ("city=brag", "ben"),
        ("city=porto", "ben"),
        ("zipcode=506", "ann"), ("country=de", "ann"), ("country=PT", "ben"),
        ("state=NW", "ann"), ("state=N", ""), ("q=555", "ben ann"), ("q=COOK", "cy"),
        ("q=example.org", "cy"), ("q=lind", "ann"), ("firstname=Ben", "ben"),
        ("time_from=2000", "ben cy"), ("time_to=1000", "ann"),
        ("company_name=Hill+Shop", "cy"), ("company_name=Hill", ""),
        ("is_root=Y", ""), ("user_type=A", ""), ("status=Z", ""),
        ("sort_by=id&sort_order=desc", "cy ben ann"),
        ("sort_by=username", "ann cy ben"), ("sort_by=email", "ann ben cy"),
        ("sort_by=date&sort_order=desc", "cy ben ann"),
        ("sort_by=status", "ann cy ben"),
        ("sort_by=company", "ann cy ben"), ("", "ben cy ann"),
    ],
)  # fmt: skip
def test_list_is_cut_and_sorted(shop: Shop, query: str, names: str) -> None:
    ids = people(shop)
    emails = {"ann": "Ann@example.com", "ben": "ben@example.com"}
    emails["cy"] = "cy_1@example.org"
    within = ",".join(map(str, ids.values()))
    wanted = [emails[name] for name in names.split()]
    assert found(shop.root, f"user_ids={within}&{query}") == wanted


def test_company_filters_take_a_number(shop: Shop) -> None:
    people(shop)
    for name in ("company", "company_id"):
        assert found(shop.root, f"{name}={shop.other_store}") == ["cy_1@example.org"]
        answer = shop.root.get(f"users?{name}=Ropes")
        assert answer.status_code == 400
        assert answer.get_json()["errors"][0]["field"] == name


def test_usergroup_filter_takes_active_links_only(shop: Shop) -> None:
    ids, group = people(shop), shop.group(type="C")
    shop.join(ids["ann"], group)
    shop.join(ids["ben"], group, status="P")
    assert found(shop.root, f"usergroup_id={group}") == ["Ann@example.com"]
    rest = found(shop.root, "user_type=C&usergroup_id=0")
    assert rest == ["ben@example.com", "cy_1@example.org"]
    assert shop.root.get("users?usergroup_id=x").status_code == 400


def test_cursor_walk_meets_each_user_once(shop: Shop) -> None:
    people(shop)
    seen, cursor = [], "*"
    while cursor:
        answer = shop.root.get(f"users?user_type=C&items_per_page=1&cursor={cursor}")
        seen += [user["email"] for user in answer.get_json()["users"]]
        cursor = answer.headers.get("X-Next-Cursor", "")
    assert seen == ["ben@example.com", "cy_1@example.org", "Ann@example.com"]


def test_record_shows_the_groups_of_the_user(shop: Shop) -> None:
    id, group = make(shop), shop.group(type="C")
    link = shop.join(id, group, status="P")
    record = shop.root.get(f"users/{id}").get_json()
    assert record["usergroups"] == {
        str(group): {"link_id": str(link), "usergroup_id": str(group), "status": "P"}
    }


def test_list_takes_a_constant_number_of_statements(shop: Shop) -> None:
    people(shop)
    texts: list[str] = []
    counts = []
    for size in (1, 3):
        texts.clear()
        shop.database.observer = texts.append
        try:
            shop.root.get(f"users?detailed_params=Y&items_per_page={size}")
        finally:
            shop.database.observer = None
        counts.append(len(texts))
    assert counts == [4, 4]


@pytest.mark.parametrize("query", ["email[]=a&email[]=b", "phone[x]=1", "company[]=x"])
def test_filter_of_a_wrong_shape_is_named(shop: Shop, query: str) -> None:
    answer = shop.root.get(f"users?{query}")
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == query.partition("[")[0]


def test_blank_filter_is_none(shop: Shop) -> None:
    people(shop)
    assert len(found(shop.root, "user_type=C&q=+&email=&city=")) == 3


@pytest.mark.parametrize(
    "path",
    [
        "users?name=", "users?email=", "users?q=", "users?address=", "users?city=",
        "vendors?q=", "usergroups?q=", "categories?q=", "features?description=",
        "products?pname=",
    ],
)  # fmt: skip
def test_text_too_long_to_look_for_is_400(shop: Shop, path: str) -> None:
    name = path.partition("?")[2].rstrip("=")
    for text in ("a" * 50_000, "%25" * 30_000, "ß" * 20_000):
        answer = shop.root.get(path + text)
        assert answer.status_code == 400, path
        assert [error["field"] for error in answer.get_json()["errors"]] == [name]
    assert shop.root.get(path + "%25" * 4000).status_code == 200
