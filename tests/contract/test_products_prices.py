"""Products: quantity prices (spec/entities/products.md, 2.7)."""

from typing import Any

import pytest

from tests.products import read
from tests.shop import Shop


def row(lower_limit: int, price: str, group: int = 0, per_cent: int = 0) -> Any:
    return {
        "lower_limit": str(lower_limit), "usergroup_id": str(group),
        "price": price, "percentage_discount": str(per_cent),
    }  # fmt: skip


def test_rows_are_shown_as_written_in_order(shop: Shop) -> None:
    rows = [row(10, "16.50"), row(5, "17.00", 1), row(5, "17.50")]
    id = shop.make_product(price="18.90", prices=rows)
    assert read(shop, id)["prices"] == [rows[2], rows[1], rows[0]]


def test_rows_have_defaults(shop: Shop) -> None:
    id = shop.make_product(prices=[{"usergroup_id": 2, "price": 5}])
    assert read(shop, id)["prices"] == [row(1, "5.00", 2)]
    id = shop.make_product(prices={"a": {"lower_limit": 5, "percentage_discount": 10}})
    assert read(shop, id)["prices"] == [row(5, "0.00", 0, 10)]


def test_the_base_price_is_not_listed(shop: Shop) -> None:
    id = shop.make_product(price="9", prices=[row(1, "5.00"), row(2, "4.00")])
    found = read(shop, id)
    assert (found["price"], found["prices"]) == ("9.00", [row(2, "4.00")])


def test_the_price_does_not_touch_the_rows_and_rows_replace_rows(shop: Shop) -> None:
    id = shop.make_product(price="9", prices=[row(2, "4.00"), row(3, "3.00")])
    shop.root.put(f"products/{id}", {"price": "8"})
    assert read(shop, id)["prices"] == [row(2, "4.00"), row(3, "3.00")]
    shop.root.put(f"products/{id}", {"prices": [row(2, "1.00")]})
    found = read(shop, id)
    assert (found["price"], found["prices"]) == ("8.00", [row(2, "1.00")])
    shop.root.put(f"products/{id}", {"prices": []})
    assert read(shop, id)["prices"] == []


def test_customers_are_shown_the_prices_that_are_for_them(make_app: Any) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    club, member = shop.group(type="C"), shop.caller(user_type="C")
    shop.join(member.user_id, club)
    groups = (0, 1, 2, club)
    rows = [row(5, f"{9 - n}.00", group) for n, group in enumerate(groups)]
    id = shop.make_product(price="10", prices=rows)
    for caller, seen in (
        (shop.root, groups),
        (shop.caller("view_catalog"), groups),
        (shop.anonymous, (0, 1)),
        (shop.caller(user_type="C"), (0, 2)),
        (member, (0, 2, club)),
    ):
        (listed,) = caller.get("products?detailed_params=Y").get_json()["products"]
        record = caller.get(f"products/{id}").get_json()
        assert record["prices"] == listed["prices"]
        assert [int(each["usergroup_id"]) for each in record["prices"]] == [*seen]


@pytest.mark.parametrize(
    "sent",
    [
        [{"lower_limit": 5}],
        [{"lower_limit": 0, "price": "1"}],
        [{"lower_limit": "x", "price": "1"}],
        [{"lower_limit": 5, "price": "-1"}],
        [{"lower_limit": 5, "percentage_discount": 101}],
        [{"lower_limit": 5, "price": "1"}, {"lower_limit": "5", "price": "2"}],
        [{"lower_limit": 5, "price": "1", "usergroup_id": 999999}],
        ["x"],
        "x",
    ],
)
def test_bad_rows_are_refused(shop: Shop, sent: Any) -> None:
    id = shop.make_product(prices=[row(2, "4.00")])
    before = shop.everything()
    answer = shop.root.put(f"products/{id}", {"prices": sent})
    assert answer.status_code == 400
    fields = [error["field"] for error in answer.get_json()["errors"]]
    assert {field.split(".")[0].split("[")[0] for field in fields} == {"prices"}
    assert shop.everything() == before
