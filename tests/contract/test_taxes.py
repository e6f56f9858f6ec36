"""Taxes: records, rates, what goes with them (spec/entities/taxes.md)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from config.destinations import EVERYWHERE, Destination, Destinations
from storeapi.models import Product
from tests.shop import Caller, Shop

RECORD = {
    "address_type": "S", "status": "A", "price_includes_tax": "Y",
    "display_including_tax": "N", "display_info": "", "regnumber": "NP-77",
    "priority": "0", "tax": "VAT 20%",
}  # fmt: skip


def make(shop: Shop, name: str = "VAT 20%", **payload: Any) -> int:
    answer = shop.root.post("taxes", {"tax": name, **payload})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["tax_id"])


def read(shop: Shop, id: int, caller: Caller | None = None) -> Any:
    return (caller or shop.root).get(f"taxes/{id}").get_json()


def names(shop: Shop, query: str = "") -> list[str]:
    body = shop.root.get(f"taxes?{query}").get_json()
    return [record["tax"] for record in body["taxes"]]


def refused(answer: Any, field: str) -> None:
    assert answer.status_code == 400, answer.get_data(as_text=True)
    assert [e["field"] for e in answer.get_json()["errors"]] == [field]


def rate(value: str, id: int = 1, type: str = "P") -> Any:
    return {"destination_id": str(id), "rate_value": value, "rate_type": type}


def test_records_and_lists_have_their_shapes(shop: Shop) -> None:
    id = make(shop, price_includes_tax="Y", regnumber="NP-77", rates={"1": 20})
    listed = {"tax_id": str(id), **RECORD}
    full = {**listed, "lang_code": "en", "rates": [rate("20.000")]}
    assert read(shop, id) == full
    assert shop.root.get("/api/taxes").get_json()["taxes"] == {str(id): listed}
    assert shop.root.get("taxes").get_json()["taxes"] == [listed]
    default = read(shop, make(shop, "Plain"))
    assert (default["price_includes_tax"], default["rates"]) == ("N", [])


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ({"1": 20}, [rate("20.000")]),
        ({"1": "4.5"}, [rate("4.500")]),
        ({"1": {"rate_value": 1.25, "rate_type": "F"}}, [rate("1.250", type="F")]),
        ([rate("7.000")], [rate("7.000")]),
        ([{"destination_id": 1, "rate_value": 0}], [rate("0.000")]),
        ([], []),
        (None, []),
        ("", []),
    ],
)
def test_rates_are_taken_in_every_form(shop: Shop, sent: Any, shown: Any) -> None:
    assert read(shop, make(shop, rates=sent))["rates"] == shown


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"1": -1}, "rates.1"),
        ({"1": "x"}, "rates.1"),
        ({"1": {"rate_type": "P"}}, "rates.1.rate_value"),
        ({"1": {"rate_value": 1, "rate_type": "Z"}}, "rates.1.rate_type"),
        ({"x": 1}, "rates.x"),
        ([{"rate_value": 1}], "rates.0.destination_id"),
        ([rate("1"), rate("2")], "rates.1"),
        ({"2": 1}, "rates"),
        (7, "rates"),
    ],
)
def test_bad_rates_are_named(shop: Shop, sent: Any, field: str) -> None:
    before = shop.everything()
    refused(shop.root.post("taxes", {"tax": "x", "rates": sent}), field)
    assert shop.everything() == before


@pytest.mark.parametrize(
    "body",
    [
        {"tax": ""}, {"tax": None}, {"address_type": "X"}, {"status": "X"},
        {"priority": -1}, {"price_includes_tax": "maybe"},
    ],
)  # fmt: skip
def test_bad_values_are_named(shop: Shop, body: Any) -> None:
    id = make(shop)
    before = shop.everything()
    (field,) = body
    refused(shop.root.post("taxes", {"tax": "x", **body}), field)
    refused(shop.root.put(f"taxes/{id}", body), field)
    assert shop.everything() == before
    refused(shop.root.post("taxes", {"status": "A"}), "tax")


def test_rates_are_replaced_as_a_whole(make_app: Callable[..., Flask]) -> None:
    islands = Destination(2, "Islands", states=frozenset({"GR-L"}))
    shop = Shop(make_app(destinations=Destinations((EVERYWHERE, islands))))
    id = make(shop, rates={"2": 5, "1": 20})
    assert read(shop, id)["rates"] == [rate("20.000"), rate("5.000", 2)]
    shop.root.put(f"taxes/{id}", {"status": "D"})
    assert len(read(shop, id)["rates"]) == 2
    shop.root.put(f"taxes/{id}", {"rates": [rate("6", 2)]})
    assert read(shop, id)["rates"] == [rate("6.000", 2)]


def test_lists_are_cut_and_sorted(shop: Shop) -> None:
    make(shop, "B", priority=2, regnumber="7", status="H")
    make(shop, "a", priority=1, price_includes_tax="Y", address_type="B")
    make(shop, "C", priority=1, status="D")
    assert names(shop) == ["B", "a", "C"]
    assert names(shop, "sort_by=tax") == ["a", "B", "C"]
    assert names(shop, "sort_by=priority") == ["a", "C", "B"]
    assert names(shop, "sort_by=status&sort_order=desc") == ["B", "C", "a"]
    assert names(shop, "status=D") == ["C"]
    assert names(shop, "price_includes_tax=Y") == ["a"]
    assert names(shop, "address_type=B") == ["a"]
    assert names(shop, "regnumber=7") == names(shop, "tax=B") == ["B"]


def test_every_store_has_the_same_taxes(shop: Shop) -> None:
    id = make(shop)
    for path in (f"stores/{shop.store}", f"vendors/{shop.vendor}"):
        assert shop.root.get(f"{path}/taxes/{id}").get_json()["tax"] == "VAT 20%"
    clerk = shop.caller("view_taxes", "manage_taxes", company_id=shop.store)
    assert read(shop, id, clerk)["tax"] == "VAT 20%"
    before = shop.everything()
    assert clerk.post("taxes", {"tax": "x"}).status_code == 403
    assert clerk.put(f"taxes/{id}", {"tax": "x"}).status_code == 403
    assert clerk.delete(f"taxes/{id}").status_code == 403
    assert shop.everything() == before


def test_texts_are_per_language(shop: Shop) -> None:
    id = make(shop)
    shop.root.put(f"taxes/{id}", {"tax": "MwSt", "lang_code": "de"})
    assert read(shop, id)["tax"] == "VAT 20%"
    assert shop.root.get(f"taxes/{id}?lang_code=de").get_json()["tax"] == "MwSt"


def test_names_need_not_be_unique(shop: Shop) -> None:
    """Rule 5.3.1."""
    assert make(shop, "VAT") != make(shop, "VAT")
    assert names(shop, "tax=VAT") == ["VAT", "VAT"]


def test_a_deleted_tax_leaves_every_list(shop: Shop) -> None:
    id, kept = make(shop), make(shop, "Other")
    product = shop.make_product(tax_ids=[id, kept])
    alone = shop.make_product("Bowl", tax_ids=[id])
    other = shop.make_product("Cup", tax_ids=[kept])
    payment, shipping = (
        int(shop.root.post(name, body).get_json()[key])
        for name, body, key in (
            ("payments", {"payment": "Card", "tax_ids": f"{kept},{id}"}, "payment_id"),
            ("shippings", {"shipping": "Van", "tax_ids": [id]}, "shipping_id"),
        )
    )
    stamps = {}
    for product_id in (product, alone, other):
        shop.change(Product, {"product_id": product_id}, {"updated_timestamp": 1})
        record = shop.root.get(f"products/{product_id}").get_json()
        stamps[product_id] = record["updated_timestamp"]
    assert shop.root.delete(f"taxes/{id}").status_code == 204
    found = {
        product_id: shop.root.get(f"products/{product_id}").get_json()
        for product_id in stamps
    }
    assert found[product]["tax_ids"] == found[other]["tax_ids"] == [str(kept)]
    assert found[alone]["tax_ids"] == []
    touched = {
        product_id
        for product_id, record in found.items()
        if record["updated_timestamp"] != stamps[product_id]
    }
    assert touched == {product, alone}
    record = shop.root.get(f"payments/{payment}").get_json()
    assert record["tax_ids"] == [str(kept)]
    assert shop.root.get(f"shippings/{shipping}").get_json()["tax_ids"] == []
