"""The largest orders and carts: what is taken can be sent back and found.

Source: spec/clients.md, section 3.3 (a record may be sent back).
"""

from typing import Any

import pytest

from tests.orders import Till, differences, listed, make_user
from tests.sending_back import check_sent_back
from tests.shop import Shop

LARGEST, ABOVE = "10000000000000.00", "10000000000000.01"
MOST = 1_000_000
"""Pieces of one line."""


def told(figure: str) -> str:
    return f"is too much: {figure} would be more than {LARGEST}"


def faults(answer: Any) -> dict[str, str]:
    assert answer.status_code == 400, answer.get_data(as_text=True)
    return {each["field"]: each["message"] for each in answer.get_json()["errors"]}


class Vault(Till):
    """A shop with a product of which a million pieces cost the largest sum."""

    def __init__(self, shop: Shop) -> None:
        super().__init__(shop)
        self.free = self.common("payments")
        self.gold = self.download("Gold", "10000000")
        self.dust = self.download("Dust", "0.01")

    def download(self, name: str, price: str, **more: Any) -> int:
        """A product that is not shipped, of which there are any number."""
        known = {"is_edp": "Y", "tracking": "D", "tax_ids": []}
        return self.product(name, price, **known, **more)

    def body(self, **changes: Any) -> dict[str, Any]:
        """A million pieces of gold."""
        lines = [{"product_id": self.gold, "amount": MOST}]
        known = {"payment_id": self.free, "products": lines, "shipping_id": None}
        return super().body(**{**known, **changes})


@pytest.fixture
def vault(shop: Shop) -> Vault:
    return Vault(shop)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_the_largest_order_is_sent_back_unchanged(vault: Vault, version: str) -> None:
    id = vault.order()
    record = vault.record(id)
    assert (record["total"], record["subtotal"]) == (LARGEST, 10**13)
    assert record["display_subtotal"] == 10**13
    check_sent_back(vault.shop, f"/api/{version}/orders/{id}")
    assert vault.put(id, total=LARGEST, discount="0.00")["total"] == LARGEST
    check_sent_back(vault.shop, f"/api/{version}/orders/{id}")


def test_a_thousand_of_the_dearest_product_are_sent_back(vault: Vault) -> None:
    dear = vault.download("Crown", "999999999.99")
    id = vault.order(products=[{"product_id": dear, "amount": 1000}])
    assert vault.record(id)["total"] == "999999999990.00"
    check_sent_back(vault.shop, f"orders/{id}")


def test_the_largest_order_is_found(vault: Vault) -> None:
    shop, small = vault.shop, vault.order(products={str(vault.dust): {"amount": 1}})
    id = vault.order()
    for query, expected in {
        f"total={LARGEST}": [id], f"total[]={LARGEST}&total[]=0.01": [id, small],
        f"total_from={LARGEST}": [id], f"total_to={LARGEST}": [id, small],
        "total_to=9999999999999.99": [small],
        f"total_from=0.02&total_to={LARGEST}": [id],
        "sort_by=total&sort_order=asc": [small, id],
    }.items():  # fmt: skip
        order = sorted if "sort_by" not in query else list
        assert order(listed(shop, query)) == order(expected), query


def test_one_more_is_refused(vault: Vault) -> None:
    lines = [*vault.body()["products"], {"product_id": vault.dust, "amount": 1}]
    answer = vault.shop.root.post("orders", vault.body(products=lines))
    assert faults(answer) == {"products": told("subtotal")}
    id = vault.order()
    answer = vault.shop.root.put(f"orders/{id}", {"products": lines})
    assert faults(answer) == {"products": told("total")}
    assert vault.record(id)["total"] == LARGEST


def test_no_charge_leads_beyond(vault: Vault) -> None:
    """Neither surcharge nor shipping nor taxes on top of the largest sum."""
    fixed = {"1": {"rate_value": "0.01", "rate_type": "F"}}
    toll = vault.made("taxes", "tax_id", tax="Toll", rates=fixed)
    dear = vault.common("payments", a_surcharge="0.01")
    taxed = vault.common("payments", a_surcharge="0.01", tax_ids=[toll])
    van = vault.common("shippings", rates={"1": {"rate_value": {"C": {"0": "0.01"}}}})
    carried = vault.product("Bar", "10000000", tracking="D", tax_ids=[])
    tolled = vault.download("Coin", "10000000")
    vault.shop.root.put(f"products/{tolled}", {"tax_ids": [toll]})

    def bought(id: int) -> list[dict[str, int]]:
        return [{"product_id": id, "amount": MOST}]

    for changes in (
        {"payment_id": dear}, {"payment_id": taxed}, {"products": bought(tolled)},
        {"products": bought(carried), "shipping_id": van},
    ):  # fmt: skip
        answer = vault.shop.root.post("orders", vault.body(**changes))
        assert faults(answer) == {"products": told("total")}
    id = vault.order()
    answer = vault.shop.root.put(f"orders/{id}", {"payment_id": dear})
    assert faults(answer) == {"products": told("total")}
    before = [{"product_id": vault.gold, "amount": MOST - 1}]
    id = vault.order(payment_id=dear, products=before)
    check_sent_back(vault.shop, f"orders/{id}")


def test_sums_by_hand_have_the_same_limit(vault: Vault) -> None:
    id = vault.order(products={str(vault.dust): {"amount": 1}})
    for name in ("total", "discount", "subtotal_discount"):
        answer = vault.shop.root.put(f"orders/{id}", {name: ABOVE})
        assert faults(answer) == {name: f"must be between 0.00 and {LARGEST}"}
        assert vault.put(id, **{name: LARGEST})[name] == LARGEST
        check_sent_back(vault.shop, f"orders/{id}")
    answer = vault.shop.root.get(f"orders?total_from={ABOVE}")
    assert answer.status_code == 400


def test_orders_of_several_companies_have_it_together(vault: Vault) -> None:
    shop, vendor = vault.shop, vault.shop.vendor
    category = shop.make_category("Nets", company_id=vendor)
    more = {"company_id": vendor, "category_ids": [category]}
    net = vault.download("Net", "10000000", **more)
    dear = vault.common("payments", a_surcharge="0.01")
    lines = [{"product_id": id, "amount": MOST // 2} for id in (vault.gold, net)]
    answer = shop.root.post("orders", vault.body(products=lines, payment_id=dear))
    assert faults(answer) == {"products": told("total")}
    parent = vault.order(products=lines)
    assert vault.record(parent)["total"] == LARGEST
    check_sent_back(shop, f"orders/{parent}")
    query = f"include_incompleted=Y&total={LARGEST}"
    assert listed(shop, query) == [parent]
    child = min(listed(shop, f"parent_order_id={parent}"))
    answer = shop.root.put(f"orders/{child}", {"total": "5000000000000.01"})
    assert faults(answer) == {"total": told("total")}
    answer = shop.root.put(f"orders/{child}", {"payment_id": dear})
    assert faults(answer) == {"products": told("total")}
    assert differences(shop) == []


def test_carts_have_the_same_limit(vault: Vault) -> None:
    shop, user = vault.shop, make_user(vault.shop)
    line = {"product_id": vault.gold, "amount": MOST}
    assert shop.root.put(f"carts/{user}", line).status_code == 200
    record = shop.root.get(f"carts/{user}").get_json()
    assert record["total"] == LARGEST
    check_sent_back(shop, f"carts/{user}")
    for query in ("total", "total_from", "total_to"):
        found = shop.root.get(f"carts?{query}={LARGEST}").get_json()["carts"]
        assert [cart["user_id"] for cart in found] == [str(user)]
    answer = shop.root.put(f"carts/{user}", {"product_id": vault.dust, "amount": 1})
    assert faults(answer) == {"products": told("subtotal")}
    assert shop.root.get(f"carts/{user}").get_json() == record


def test_lines_that_are_sold_no_more_count_too(vault: Vault) -> None:
    shop, user = vault.shop, make_user(vault.shop)
    shop.root.put(f"carts/{user}", {"product_id": vault.gold, "amount": MOST})
    shop.root.put(f"products/{vault.gold}", {"status": "D"})
    answer = shop.root.put(f"carts/{user}", {"product_id": vault.dust, "amount": 1})
    assert faults(answer) == {"products": told("total")}
