"""Administrators of one company neither see nor move what others sell.

By no filter, path or reference: spec/protocol.md, sections 12 and 14; orders.md 5.5.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.samples import records
from tests.orders import GUEST_DATA, Till, listed, make_user
from tests.shop import Caller, Shop

NAMES = ("orders", "carts", "shipments")
STRANGERS = ("clerk", "vendor")


class Market:
    """A store that has sold something, and administrators of two others.

    Attributes: `ids` are what the store has; `own` what the other store has.
    """

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.till = till = Till(shop)
        self.user = make_user(shop, email="ida@example.com", firstname="Ida",
                              lastname="Roth", name_key="roth\tida",
                              person_key="ida roth")  # fmt: skip
        order = till.order(user_id=self.user, notes="by hand")
        till.put(order, status="P")
        shop.root.put(f"carts/{self.user}", {"product_id": till.lantern})
        self.ids = {"orders": order, "carts": self.user}
        self.ids["shipments"] = self._parcel(order)
        shelf = shop.make_category("There", company_id=shop.other_store)
        more = {"company_id": shop.other_store, "category_ids": [shelf]}
        self.product = shop.make_product("Rope", price="5", amount=9, **more)
        rates = {"1": {"rate_value": {"C": {"0": 2}}}}
        common = {
            "payment_id": till.common("payments"),
            "shipping_id": till.common("shippings", rates=rates),
        }
        products = {str(self.product): {"amount": 2}}
        self.body = {**common, "products": products, "user_data": GUEST_DATA}
        own = till.order(company_id=shop.other_store, user_id=0, **self.body)
        line = {"product_id": self.product, "company_id": shop.other_store}
        guest = till.made("carts", "user_id", **line)
        self.own = {"orders": own, "carts": guest, "shipments": self._parcel(own)}
        every = sorted(shop.registry.privileges)
        self.callers = {
            "clerk": shop.caller(*every, company_id=shop.other_store),
            "vendor": shop.caller(user_type="V", company_id=shop.vendor),
        }

    def _parcel(self, order: int) -> int:
        item = next(iter(self.till.record(order)["products"]))
        parcel = {"order_id": order, "products": {item: 1}, "carrier": "ups"}
        return self.till.made("shipments", "shipment_id", **parcel)

    def queries(self, name: str) -> Iterator[str]:
        """Every filter, with the value that finds what the store has."""
        (record,) = [
            each
            for each in self.shop.root.get(name).get_json()[name]
            if each[_KEYS[name]] == str(self.ids[name])
        ]
        scalars = {k: v for k, v in record.items() if isinstance(v, str) and v}
        yield from (f"{key}={value}" for key, value in scalars.items())
        yield from _SPECIAL[name].format(
            company=self.shop.store, product=self.till.lantern,
            shipping=self.till.shipping, payment=self.till.payment,
        ).split()  # fmt: skip


_KEYS = {"orders": "order_id", "carts": "user_id", "shipments": "shipment_id"}
_SPECIAL = {
    "orders": "company={company} email=ida@example.com cname=ida p_ids={product}"
    " shipping_id={shipping} payment_id={payment} total_from=100 updated_at_from=5"
    " period=D status=O,P include_incompleted=Y&company_id={company} cursor=*"
    " sort_by=customer detailed_params=Y&company={company} company_id[]={company}",
    "carts": "email=ida@example.com cname=ida p_ids={product} users_type=R"
    " with_info_only=Y product_type_c=Y period=D total_from=20 cursor=*"
    " company_id[]={company}",
    "shipments": "order_status=P time_from=5&company_id={company} cursor=*"
    " sort_by=customer company_id[]={company}",
}


@pytest.fixture
def market(shop: Shop) -> Market:
    return Market(shop)


def shown(answer: Any, name: str) -> list[str]:
    """The IDs of the records of a list."""
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return [each[_KEYS[name]] for each in records(answer, name)]


@pytest.mark.parametrize("name", NAMES)
def test_no_filter_finds_what_is_anothers(market: Market, name: str) -> None:
    id, own = str(market.ids[name]), str(market.own[name])
    queries = [*market.queries(name)]
    assert len(queries) > 15
    for query in queries:
        for version in ("1.0", "2.0"):
            path = f"/api/{version}/{name}?{query}"
            assert id in shown(market.shop.root.get(path), name), query
            for who, caller in market.callers.items():
                answer = caller.get(path)
                found = shown(answer, name)
                assert {*found} <= ({own} if who == "clerk" else set()), (who, query)
                assert answer.headers["X-Total-Count"] == str(len(found))


def _paths(market: Market, name: str) -> Iterator[str]:
    shop, id = market.shop, market.ids[name]
    yield f"{name}/{id}"
    for company in (shop.store, shop.other_store):
        yield f"stores/{company}/{name}/{id}"
        yield f"{name}/{id}?company_id={company}"
    yield f"vendors/{shop.vendor}/{name}/{id}"
    if name != "shipments":
        yield f"users/{market.user}/{name}/{id}"
        return
    for order in (market.ids["orders"], market.own["orders"]):
        yield f"orders/{order}/shipments/{id}"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("who", STRANGERS)
def test_no_path_leads_to_what_is_anothers(market: Market, name: str, who: str) -> None:
    caller, before = market.callers[who], market.shop.everything()
    bodies: dict[str, Any] = {
        "orders": {"status": "C"},
        "carts": {"product_id": market.product},
        "shipments": {"status": "S"},
    }
    for path in _paths(market, name):
        for method in ("GET", "PUT", "DELETE"):
            sent = {"json": bodies[name]} if method == "PUT" else {}
            answer = caller.request(method, path, **sent)
            refused = (403, 404) if who == "vendor" else (404,)
            assert answer.status_code in refused, (method, path)
            assert "Ida" not in answer.get_data(as_text=True)
    assert market.shop.everything() == before


@pytest.mark.parametrize("name", NAMES)
def test_no_condition_tells_of_what_is_anothers(market: Market, name: str) -> None:
    """Neither 304 nor 412: there is nothing to compare with."""
    shop, clerk = market.shop, market.callers["clerk"]
    path = f"{name}/{market.ids[name]}"
    tag = shop.root.get(path).headers["ETag"]
    before = shop.everything()
    for method, headers in (
        ("HEAD", {}),
        ("GET", {"If-None-Match": tag}),
        ("PUT", {"If-Match": tag}),
        ("PUT", {"If-Match": '"x"'}),
        ("DELETE", {"If-Match": tag}),
        ("DELETE", {"If-Match": "*"}),
    ):
        sent = {"json": {"notes": "x", "user_data": {}}} if method == "PUT" else {}
        answer = clerk.request(method, path, headers=headers, **sent)
        assert answer.status_code == 404, (method, headers)
        assert "ETag" not in answer.headers
    assert shop.everything() == before


def test_keys_of_others_repeat_nothing(market: Market) -> None:
    """An `Idempotency-Key` is one of its caller alone."""
    shop, clerk = market.shop, market.callers["clerk"]
    headers = {"Idempotency-Key": "same"}
    body = {**market.body, "company_id": shop.other_store}
    first = shop.root.post("orders", body, headers=headers)
    second = clerk.post("orders", body, headers=headers)
    assert (first.status_code, second.status_code) == (201, 201)
    assert "Idempotency-Replayed" not in second.headers
    assert first.get_json() != second.get_json()


def refused(caller: Caller, method: str, path: str, body: Any) -> list[str]:
    """The fields that a write names and that do not exist for the caller."""
    answer = caller.request(method, path, json=body)
    assert answer.status_code == 400, (path, body, answer.get_data(as_text=True))
    return [each["field"] for each in answer.get_json()["errors"]]


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("name", ["user_id", "payment_id", "shipping_id", "products"])
def test_orders_name_only_what_their_company_has(
    market: Market, method: str, name: str
) -> None:
    till, clerk, before = market.till, market.callers["clerk"], market.shop.everything()
    foreign: dict[str, Any] = {
        "user_id": market.user,
        "payment_id": till.payment,
        "shipping_id": till.shipping,
        "products": {str(till.lantern): {"amount": 1}},
    }
    body = {**(market.body if method == "POST" else {}), name: foreign[name]}
    path = "orders" if method == "POST" else f"orders/{market.own['orders']}"
    expected = name if name != "products" else f"products.{till.lantern}.product_id"
    assert refused(clerk, method, path, body) == [expected]
    assert market.shop.everything() == before


def test_orders_stay_with_their_company(market: Market) -> None:
    """Whatever a body says of company, parent, number or customer."""
    shop, clerk, own = market.shop, market.callers["clerk"], market.own["orders"]
    before = {id: market.till.record(id) for id in (own, market.ids["orders"])}
    sent = {"company_id": shop.store, "parent_order_id": market.ids["orders"],
            "order_id": market.ids["orders"], "is_parent_order": "Y",
            "issuer_id": market.user, "profile_id": market.user}  # fmt: skip
    assert clerk.put(f"orders/{own}", sent).status_code == 200
    assert {id: market.till.record(id) for id in before} == before
    made = clerk.post("orders", {**market.body, **sent}).get_json()["order_id"]
    record = market.till.record(made)
    assert record["company_id"] == str(shop.other_store)
    assert (record["parent_order_id"], record["is_parent_order"]) == ("0", "N")
    assert listed(shop, f"company_id={shop.store}") == [market.ids["orders"]]


def test_shipments_stay_with_their_order(market: Market) -> None:
    shop, clerk, own = market.shop, market.callers["clerk"], market.own["shipments"]
    foreign, before = market.ids["orders"], shop.everything()
    item = next(iter(market.till.record(foreign)["products"]))
    parcel = {"products": {item: 1}, "carrier": "ups"}
    assert refused(clerk, "POST", "shipments", {"order_id": foreign, **parcel}) == [
        "order_id"
    ]
    # The items of another's order are none of the own one.
    path = f"shipments/{own}"
    assert refused(clerk, "PUT", path, {"products": {item: 1}}) == [f"products.{item}"]
    method = {"shipping_id": market.till.shipping}
    assert refused(clerk, "PUT", path, method) == ["shipping_id"]
    moved = {"order_id": foreign, "company_id": shop.store, "user_id": market.user}
    assert clerk.put(path, moved).status_code == 200
    assert clerk.get(f"orders/{foreign}/shipments").status_code == 404
    answer = clerk.post(f"orders/{foreign}/shipments", parcel)
    assert answer.status_code == 404
    assert shop.everything() == before


def test_carts_stay_with_their_company(market: Market) -> None:
    shop, clerk = market.shop, market.callers["clerk"]
    foreign = market.till.made("carts", "user_id", product_id=market.till.lantern)
    before = shop.everything()
    line = {"product_id": market.product}
    for owner in (market.user, foreign):
        body = {"user_id": owner, "company_id": shop.store, **line}
        assert refused(clerk, "POST", "carts", body) == ["user_id"]
    body = {"product_id": market.till.lantern}
    own = f"carts/{market.own['carts']}"
    assert refused(clerk, "PUT", own, body) == ["product_id"]
    assert refused(clerk, "POST", "carts", body) == ["product_id"]
    assert shop.everything() == before
    answer = clerk.put(own, {**line, "company_id": shop.store, "user_id": market.user})
    assert answer.status_code == 200
    assert shop.root.get(own).get_json()["company_id"] == str(shop.other_store)
    path = f"carts/{market.user}?company_id={shop.store}"
    assert shop.root.get(path).get_json()["total"] == "24.50"


@pytest.mark.parametrize("name", ["payments", "shippings"])
def test_methods_stay_with_their_company(market: Market, name: str) -> None:
    shop, clerk, key = market.shop, market.callers["clerk"], f"{name[:-1]}_id"
    mine = clerk.post(name, {name[:-1]: "Own", "company_id": shop.store}).get_json()[
        key
    ]
    foreign = getattr(market.till, name[:-1])
    before = shop.root.get(f"{name}/{mine}").get_json()
    assert before["company_id"] == str(shop.other_store)
    sent = {"company_id": shop.store, key: foreign}
    assert clerk.put(f"{name}/{mine}", sent).status_code == 200
    assert shop.root.get(f"{name}/{mine}").get_json() == before
    for query in (f"company_id={shop.store}", f"{key}={foreign}", "detailed_params=Y"):
        found = clerk.get(f"{name}?{query}").get_json()[name]
        assert str(foreign) not in [each[key] for each in found]
