"""Lists of orders: records, filters, order, who sees what (orders.md, section 3)."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask

from storeapi.models import Order
from tests.orders import listed, stored_order
from tests.shop import NOW, Shop

DAY = 86400
SHORT = [
    "order_id", "is_parent_order", "parent_order_id", "company_id", "issuer_id",
    "user_id", "status", "timestamp", "updated_at", "total", "invoice_id",
    "credit_memo_id", "email", "firstname", "lastname", "phone", "points",
]  # fmt: skip


def test_the_short_record_and_both_envelopes(shop: Shop) -> None:
    id = stored_order(shop, total=11696, email="mira@example.com", user_id=58)
    record = {
        "order_id": str(id), "is_parent_order": "N", "parent_order_id": "0",
        "company_id": str(shop.store), "issuer_id": None, "user_id": "58",
        "status": "O", "timestamp": str(NOW), "updated_at": str(NOW),
        "total": "116.96", "invoice_id": None, "credit_memo_id": None,
        "email": "mira@example.com", "firstname": "Mira", "lastname": "Kessler",
        "phone": "", "points": None,
    }  # fmt: skip
    echo = {
        "include_incompleted": False, "page": 1, "items_per_page": 10,
        "sort_by": "date", "sort_order": "desc", "sort_order_rev": "asc",
        "total_items": "1",
    }  # fmt: skip
    new = shop.root.get("orders").get_json()
    assert new == {"orders": [record], "params": echo}
    assert list(new["orders"][0]) == SHORT
    old = shop.root.get("/api/orders").get_json()
    assert old == {"orders": {str(id): record}, "search": echo}


@pytest.fixture
def five(shop: Shop) -> list[int]:
    """Orders that differ in all that filters and sortings look at."""
    rows: list[dict[str, Any]] = [
        {"status": "O", "user_id": 7, "total": 300, "email": "Ann@Example.com",
         "firstname": "Ann", "lastname": "Zorn", "timestamp": NOW, "payment_id": 3},
        {"status": "P", "user_id": 8, "total": 100, "email": "bob@example.com",
         "firstname": "Bob", "lastname": "Adler", "timestamp": NOW + 5,
         "invoice_id": 4, "phone": "555-1", "updated_at": NOW + 9, "issuer_id": 5},
        {"status": "C", "user_id": 7, "total": 200, "email": "cyd@example.com",
         "firstname": "Cyd", "lastname": "Möller", "timestamp": NOW + 5,
         "credit_memo_id": 6, "company_id": shop.other_store},
        {"status": "T", "is_parent_order": "Y", "company_id": 0, "timestamp": NOW + 6},
        {"status": "N", "timestamp": NOW + 7},
    ]  # fmt: skip
    ids = [stored_order(shop, {"product_id": 90 + n}, shippings=({"shipping_id": n},),
                        **row) for n, row in enumerate(rows)]  # fmt: skip
    shop.change(Order, {"order_id": ids[1]}, {"parent_order_id": ids[3]})
    return ids


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [2, 1, 0]),
        ("include_incompleted=Y", [4, 3, 2, 1, 0]),
        ("include_incompleted=", [2, 1, 0]),
        ("status=T", []),
        ("status=T&include_incompleted=1", [3]),
        ("status=P", [1]),
        ("status=O,P", [1, 0]),
        ("status[]=C&status[]=O", [2, 0]),
        ("status=ZZ", []),
        ("user_id=7", [2, 0]),
        ("user_id=7&status=O", [0]),
        ("company={other}", [2]),
        ("company_id={other}", [2]),
        ("order_id={0},{1}", [1, 0]),
        ("issuer_id=5", [1]),
        ("parent_order_id={3}", [1]),
        ("is_parent_order=Y&include_incompleted=Y", [3]),
        ("firstname=Cyd", [2]),
        ("lastname=Adler", [1]),
        (f"timestamp={NOW}", [0]),
        ("total=3", [0]),
        ("points=5", []),
        ("email=ANN@example.COM", [0]),
        ("email=example.com", []),
        ("invoice_id=4", [1]),
        ("credit_memo_id=6", [2]),
        ("cname=dler", [1]),
        ("cname=MÖLL", [2]),
        ("cname=%25", []),
        ("phone=555-1", [1]),
        ("payment_id=3", [0]),
        ("shipping_id=2", [2]),
        ("shipping_id=0,2", [2, 0]),
        ("shipping_id[]=1&shipping_id[]=2", [2, 1]),
        ("p_ids=90,92", [2, 0]),
        ("p_ids[]=91", [1]),
        ("total_from=2&total_to=3.00", [2, 0]),
        (f"updated_at_from={NOW + 6}", [1]),
        (f"updated_at_to={NOW}", [0]),
        (f"time_from={NOW + 5}", [2, 1]),
        (f"period=C&time_to={NOW}", [0]),
        ("time_from=2023-11-15", []),
        ("sort_by=date&sort_order=asc", [0, 1, 2]),
        ("sort_by=order_id&sort_order=desc", [2, 1, 0]),
        ("sort_by=status", [1, 0, 2]),
        ("sort_by=customer&sort_order=asc", [1, 2, 0]),
        ("sort_by=email", [2, 1, 0]),
        ("sort_by=total", [0, 2, 1]),
        ("sort_by=updated_at&sort_order=desc", [1, 2, 0]),
        ("sort_by=invoice_id&sort_order=desc", [1, 2, 0]),
        ("sort_by=credit_memo_id&sort_order=desc", [2, 1, 0]),
    ],
)
def test_filters_and_sortings(
    shop: Shop, five: list[int], query: str, expected: list[int]
) -> None:
    query = query.format(*five, other=shop.other_store)
    assert listed(shop, query) == [five[number] for number in expected]


# Who sees what


def test_nested_below_stores_vendors_and_users(shop: Shop, five: list[int]) -> None:
    customer = shop.caller(user_type="C")
    own = stored_order(shop, user_id=customer.user_id, company_id=shop.vendor)
    for path, expected in (
        (f"stores/{shop.other_store}/orders", five[2]),
        (f"vendors/{shop.vendor}/orders", own),
        (f"users/{customer.user_id}/orders", own),
    ):
        found = shop.root.get(path).get_json()["orders"]
        assert [int(each["order_id"]) for each in found] == [expected]
        assert shop.root.get(f"{path}/{expected}").status_code == 200
        assert shop.root.get(f"{path}/{five[0]}").status_code == 404


@pytest.mark.parametrize("query", ["", "?company_id=0", "?user_id=7"])
def test_scoped_administrators_see_their_company(
    shop: Shop, five: list[int], query: str
) -> None:
    """Protocol, section 12: orders."""
    for user_type, company_id in (("A", shop.other_store), ("V", shop.vendor)):
        admin = shop.caller("view_orders", user_type=user_type, company_id=company_id)
        found = admin.get(f"orders{query}").get_json()["orders"]
        wanted = [str(five[2])] if company_id == shop.other_store else []
        expected = [] if "company_id" in query else wanted
        assert [each["order_id"] for each in found] == expected
        assert admin.get(f"orders/{five[0]}").status_code == 404
        assert admin.get(f"orders/{five[3]}").status_code == 404


def test_customers_see_their_own_orders(
    shop: Shop, make_app: Callable[..., Flask]
) -> None:
    """Protocol, section 9, customers, rule 5."""
    customer = shop.caller(user_type="C")
    own = stored_order(shop, user_id=customer.user_id, details="rude", issuer_id=3)
    other = stored_order(shop, user_id=7)
    assert customer.get("orders").status_code == 403
    customer.client = make_app(api_allow_customer=True).test_client()
    assert listed(shop, "", customer) == [own]
    assert listed(shop, "user_id=7", customer) == []
    record = customer.get(f"orders/{own}").get_json()
    assert {"details", "ip_address"}.isdisjoint(record)
    full = customer.get("orders?detailed_params=Y").get_json()["orders"]
    assert full == [record]
    assert customer.get("orders?fields=details,ip_address").get_json()["orders"] == [
        {"order_id": str(own)}
    ]
    assert customer.get(f"orders/{other}").status_code == 404
    body = {"payment_id": 1, "products": {"1": {"amount": 1}}}
    assert customer.post("orders", body).status_code == 403
    assert customer.put(f"orders/{own}", {"notes": "x"}).status_code == 403
    mine = customer.get(f"users/{customer.user_id}/orders").get_json()["orders"]
    assert [each["order_id"] for each in mine] == [str(own)]


def test_the_total_is_kept_and_statements_do_not_grow(shop: Shop) -> None:
    def statements(size: int) -> int:
        seen: list[str] = []
        shop.database.observer = seen.append
        listed(shop, f"items_per_page={size}")
        shop.database.observer = None
        return len(seen)

    for number in range(12):
        stored_order(shop, timestamp=NOW + number)
    assert statements(1) == statements(10) == 3


# Times


SPRING = 1_711_843_200  # 2024-03-31T00:00:00Z


@pytest.fixture(params=["UTC", "Asia/Tokyo", "America/New_York"])
def server_zone(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The zone of the machine, which must not matter."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield request.param
    time.tzset()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (f"updated_at_from={SPRING}", 2),
        ("updated_at_from=2024-03-31T00:00:00Z", 2),
        ("updated_at_from=2024-03-31T02:00:00%2B02:00", 2),
        ("updated_at_from=2024-03-31T02:00:00+02:00", 2),
        ("updated_at_from=2024-03-31", 2),
        ("updated_at_to=2024-03-30", 1),
        # The whole day is inside.
        ("updated_at_to=2024-03-31", 2),
        ("updated_at_from=2024-04-01", 1),
        ("updated_at_from=2024-03-31&updated_at_to=2024-04-01", 2),
        ("updated_at_to=9999-12-31", 3),
        ("time_from=2024-03-31&time_to=2024-03-31", 1),
        ("period=C&time_to=2024-03-30", 1),
        ("time_to=9999-12-31", 3),
    ],
)
def test_dates_are_days_of_the_store(
    shop: Shop, server_zone: str, query: str, found: int
) -> None:
    """spec/pitfalls.md: whatever the zone of the machine; UTC unless it is set."""
    for moment in (SPRING - 1, SPRING, SPRING + DAY):
        stored_order(shop, timestamp=moment)
    assert len(listed(shop, query)) == found


def test_the_store_has_a_zone_of_its_own(shop: Shop, server_zone: str) -> None:
    """Midnight in Tokyo is 15:00 of the day before in UTC."""
    midnight = SPRING - 9 * 3600
    ids = [stored_order(shop, timestamp=midnight + n) for n in (-1, 0, DAY - 1, DAY)]
    (setting,) = shop.root.get("settings?name=timezone").get_json()["settings"]
    path = f"settings/{setting['object_id']}"
    assert shop.root.put(path, {"value": "Asia/Tokyo"}).status_code == 200
    for name in ("updated_at", "time"):
        query = f"{name}_from=2024-03-31&{name}_to=2024-03-31"
        assert listed(shop, query) == [ids[2], ids[1]]


@pytest.mark.parametrize("name", ["updated_at_from", "updated_at_to", "time_from"])
@pytest.mark.parametrize(
    "text", ["soon", "2024-02-30", "2024-03-31T00:00:00", "-5", "1e9"]
)
def test_bad_times_are_named(shop: Shop, name: str, text: str) -> None:
    answer = shop.root.get(f"orders?{name}={text}")
    assert answer.status_code == 400
    assert [each["field"] for each in answer.get_json()["errors"]] == [name]


@pytest.mark.parametrize("name", ["orders", "carts", "shipments", "users", "products"])
def test_today_and_yesterday_follow_the_store(
    shop: Shop, server_zone: str, name: str
) -> None:
    """Section 3 and carts.md 3.1; the list is empty, but the period is read."""
    for period in ("A", "D", "LD", "W", "LW", "M", "LM", "Y", "LY", "HH", "HW", "HM"):
        answer = shop.root.get(f"{name}?period={period}")
        assert answer.status_code == 200
    assert shop.root.get(f"{name}?period=Q").status_code == 400
    assert shop.root.get(f"{name}?period=D&time_to=x").status_code == 400


@pytest.mark.parametrize("ago", [0, 1])
def test_periods_count_from_the_days_of_the_store(
    shop: Shop, server_zone: str, ago: int
) -> None:
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    begin = int(today.timestamp()) - ago * DAY
    ids = [stored_order(shop, timestamp=begin + n) for n in (-1, 0, DAY - 1, DAY)]
    assert listed(shop, f"period={('D', 'LD')[ago]}") == [ids[2], ids[1]]
