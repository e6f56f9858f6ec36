"""Shipping methods: charges, limits, carriers (spec/entities/shippings.md)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from config.destinations import EVERYWHERE, Destination, Destinations
from storeapi import Carrier, Consignment, Unavailable
from storeapi.core.errors import InvalidInput
from storeapi.core.registry import RegistryError
from storeapi.models import Company
from storeapi.rules.buying import Buyer
from storeapi.rules.destinations import Address
from storeapi.rules.shipping_cost import Measures, RateRow, Rates, shipping_cost
from storeapi.rules.shippings import Parcel, ShippingMethod, available_shipping
from tests.contract.contexts import context_of
from tests.shop import Caller, Shop

ISLANDS = Destination(2, "Island villages", countries=frozenset({"GR"}))
ROWS = {"0": 9, "50": 5}


class Gulls(Carrier):
    """A carrier that delivers by the piece, but nothing heavy."""

    service_id = 40
    service = "Gull post"
    service_code = "GULL"
    module = "gulls"

    def price(self, consignment: Consignment) -> int | None:
        """A unit of money a piece; by its account it may be out of order."""
        if consignment.params["account"] == "closed":
            raise Unavailable("no answer")
        return None if consignment.weight > 5000 else consignment.items * 100


class Silent(Carrier):
    """A carrier that tells no price."""

    service_id = 41
    service = "Silent post"


GULLS = Gulls()
SILENT = Silent()


@pytest.fixture
def wide(make_app: Callable[..., Flask]) -> Shop:
    """A shop with two destinations and a carrier."""
    places = Destinations((EVERYWHERE, ISLANDS))
    return Shop(make_app(destinations=places, plugins=(f"{__name__}:GULLS",)))


def make(shop: Shop, name: str = "Harbour Courier", **payload: Any) -> int:
    answer = shop.root.post("shippings", {"shipping": name, **payload})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["shipping_id"])


def read(shop: Shop, id: int, caller: Caller | None = None) -> Any:
    return (caller or shop.root).get(f"shippings/{id}").get_json()


def rates(shop: Shop, id: int) -> dict[str, Any]:
    return {rate["destination_id"]: rate for rate in read(shop, id)["rates"]}


def names(shop: Shop, query: str = "", caller: Caller | None = None) -> list[str]:
    body = (caller or shop.root).get(f"shippings?{query}").get_json()
    return [record["shipping"] for record in body["shippings"]]


def refused(answer: Any, field: str) -> None:
    assert answer.status_code == 400, answer.get_data(as_text=True)
    assert [e["field"] for e in answer.get_json()["errors"]] == [field]


def row(amount: str, value: Any, type: str = "F", per_unit: str = "N") -> Any:
    return {"amount": amount, "value": value, "type": type, "per_unit": per_unit}


def test_records_and_lists_have_their_shapes(wide: Shop) -> None:
    tax = wide.make_tax()
    sent = {"1": {"rate_value": {"C": ROWS, "W": {"2": 1.5}}}}
    id = make(wide, tax_ids=[tax], position=10, delivery_time="1-2 days", rates=sent)
    listed = {
        "shipping_id": str(id), "min_weight": "0.00", "max_weight": "0.00",
        "usergroup_ids": "0", "position": "10", "status": "A",
        "shipping": "Harbour Courier", "delivery_time": "1-2 days",
    }  # fmt: skip
    full = read(wide, id)
    rate_id = full["rates"][0].pop("rate_id")
    assert int(rate_id) > 0
    assert full == {
        **listed, "company_id": str(wide.store), "destination": "I",
        "rate_calculation": "M", "service_id": "0", "service_params": "",
        "localization": "", "tax_ids": [str(tax)], "lang_code": "en", "icon": [],
        "rates": [
            {
                "destination_id": "1", "status": "A", "localization": "",
                "destination": "All countries", "rates_defined": "1",
                "rate_value": {
                    "C": {"0": row("0", 9), "50": row("50", 5)},
                    "W": {"2": row("2", 1.5)}, "I": [],
                },
            },
            {
                "destination_id": "2", "status": "A", "localization": "",
                "destination": "Island villages",
                "rate_value": {"C": [], "W": [], "I": []},
            },
        ],
    }  # fmt: skip
    assert wide.root.get("shippings").get_json()["shippings"] == [listed]
    first = wide.root.get("/api/shippings").get_json()["shippings"]
    assert first == {str(id): listed}


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ({"rate_value": {"C": ROWS, "I": {}, "W": []}}, {"0": 9, "50": 5}),
        ({"1": {"rate_value": {"C": {"0": "9.0005"}}}}, {"0": 9.001}),
        ([{"destination_id": "1", "rate_value": {"C": [row("7.50", 2)]}}], {"7.5": 2}),
        ({"1": {"rate_value": {"C": [{"range_from_value": 3, "value": 2}]}}}, {"3": 2}),
        ({"1": {"rate_value": {"C": [[]]}}}, {}),
        ({"rate_value": {"C": {}, "I": {}, "W": {}}}, {}),
        ([], {}),
        ("", {}),
    ],
)
def test_charges_are_taken_in_every_form(shop: Shop, sent: Any, shown: Any) -> None:
    (found,) = read(shop, make(shop, rates=sent))["rates"]
    charges = found["rate_value"]["C"] or {}
    assert {k: each["value"] for k, each in charges.items()} == shown
    assert ("rates_defined" in found) is bool(shown)


def charged(rows: Any) -> dict[str, Any]:
    return {"1": {"rate_value": {"C": rows}}}


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"9": {"rate_value": {"C": {"0": 1}}}}, "rates"),
        ({"x": {"rate_value": {}}}, "rates.x"),
        ({"1": 7}, "rates.1"),
        ({"1": {"rate_value": "x"}}, "rates.1"),
        ({"1": {"rate_value": {"X": {"0": 1}}}}, "rates.1.rate_value.X"),
        (charged({"-1": 1}), "rates.1.rate_value.C.-1"),
        (charged({"a": 1}), "rates.1.rate_value.C.a"),
        (charged({"1": 1, "1.00": 2}), "rates.1.rate_value.C.1.00"),
        (charged({"0": None}), "rates.1.rate_value.C.0"),
        (charged({"0": {"value": "x"}}), "rates.1.rate_value.C.0.value"),
        (charged({"0": {"valeu": 1}}), "rates.1.rate_value.C.0.value"),
        (charged({"0": row("0", 1, "Z")}), "rates.1.rate_value.C.0.type"),
        (charged({"0": row("0", 1, "P", "?")}), "rates.1.rate_value.C.0.per_unit"),
        (charged([{"amount": "x", "value": 1}]), "rates.1.rate_value.C.0"),
        ([{"rate_value": {}}], "rates.0.destination_id"),
        ([7], "rates.0"),
        (7, "rates"),
    ],
)
def test_bad_charges_are_named(shop: Shop, sent: Any, field: str) -> None:
    before = shop.everything()
    answer = shop.root.post("shippings", {"shipping": "x", "rates": sent})
    assert answer.status_code == 400
    assert [each["field"] for each in answer.get_json()["errors"]] == [field]
    assert shop.everything() == before


def test_destinations_that_are_not_named_keep_their_charges(wide: Shop) -> None:
    id = make(wide, rates={"1": {"rate_value": {"C": ROWS}}})
    first = rates(wide, id)["1"]
    more = {"2": {"rate_value": {"I": {"0": row("0", 10, "P", "Y")}}}}
    wide.root.put(f"shippings/{id}", {"rates": more})
    assert rates(wide, id)["1"] == first
    items = rates(wide, id)["2"]["rate_value"]["I"]
    assert items == {"0": row("0", 10, "P", "Y")}
    wide.root.put(f"shippings/{id}", {"rates": {"rate_value": {"W": {"1.25": 2}}}})
    changed = rates(wide, id)["1"]
    assert changed["rate_id"] == first["rate_id"]
    assert changed["rate_value"] == {"C": [], "W": {"1.25": row("1.25", 2)}, "I": []}
    wide.root.put(f"shippings/{id}", {"rates": read(wide, id)["rates"]})
    assert rates(wide, id)["1"] == changed
    wide.root.put(f"shippings/{id}", {"rates": {"1": {"rate_value": []}}})
    assert "rate_id" not in rates(wide, id)["1"]
    assert "rate_id" in rates(wide, id)["2"]
    wide.root.put(f"shippings/{id}", {"rates": []})
    assert "rate_id" not in rates(wide, id)["2"]


@pytest.mark.parametrize(
    "body",
    [
        {"shipping": ""}, {"status": "X"}, {"position": -1}, {"rate_calculation": "X"},
        {"min_weight": -1}, {"tax_ids": "99999"}, {"usergroup_ids": [99999]},
        {"service_params": ["a"]}, {"service_id": "x"},
        {"max_weight": "1", "min_weight": 2},
    ],
)  # fmt: skip
def test_bad_values_are_named(shop: Shop, body: Any) -> None:
    id = make(shop)
    before = shop.everything()
    refused(shop.root.post("shippings", {"shipping": "x", **body}), next(iter(body)))
    refused(shop.root.put(f"shippings/{id}", body), next(iter(body)))
    assert shop.everything() == before
    refused(shop.root.post("shippings", {"status": "A"}), "shipping")


def test_weights_are_judged_together(shop: Shop) -> None:
    id = make(shop, min_weight="2.005")
    assert read(shop, id)["min_weight"] == "2.01"
    refused(shop.root.put(f"shippings/{id}", {"max_weight": 1}), "max_weight")
    assert shop.root.put(f"shippings/{id}", {"max_weight": 3}).status_code == 200
    assert shop.root.put(f"shippings/{id}", {"max_weight": 0}).status_code == 200


def test_lists_are_cut_and_sorted(shop: Shop) -> None:
    make(shop, "Bus", position=20, status="D", rate_calculation="R", service_id=4)
    make(shop, "canoe", position=10, company_id=0)
    make(shop, "Air", position=20)
    assert names(shop) == ["canoe", "Bus", "Air"]
    assert names(shop, "sort_by=shipping") == ["Air", "Bus", "canoe"]
    assert names(shop, "sort_by=shipping_id") == ["Bus", "canoe", "Air"]
    assert names(shop, "sort_by=status&sort_order=desc")[0] == "Bus"
    assert names(shop, "status=D") == names(shop, "service_id=4") == ["Bus"]
    assert names(shop, "rate_calculation=R") == ["Bus"]
    assert names(shop, "shipping=canoe") == names(shop, "company_id=0") == ["canoe"]
    assert names(shop, "usergroup_ids=0") == names(shop)


def test_carrier_accounts_are_hidden(shop: Shop) -> None:
    id = make(shop, service_params={"account": "s3cret"}, company_id=0)
    viewer = shop.caller("view_shipping")
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    for caller in (viewer, vendor):
        assert read(shop, id, caller)["service_params"] == {"account": "***"}
        assert "s3cret" not in caller.get("shippings").get_data(as_text=True)
    manager = shop.caller("view_shipping", "manage_shipping")
    assert read(shop, id, manager)["service_params"] == {"account": "s3cret"}
    sent = {"service_params": {"account": "***", "mode": "test"}}
    manager.put(f"shippings/{id}", sent)
    found = {"account": "s3cret", "mode": "test"}
    assert read(shop, id)["service_params"] == found


def test_vendors_keep_methods_of_their_own(shop: Shop) -> None:
    shared, other = make(shop, company_id=0), make(shop)
    vendor = shop.caller(user_type="V", company_id=shop.vendor)
    id = vendor.post("shippings", {"shipping": "Nets", "company_id": 0}).get_json()
    own = id["shipping_id"]
    assert read(shop, own)["company_id"] == str(shop.vendor)
    assert vendor.put(f"shippings/{own}", {"status": "D"}).status_code == 200
    assert vendor.put(f"shippings/{shared}", {"status": "D"}).status_code == 403
    assert vendor.delete(f"shippings/{shared}").status_code == 403
    assert vendor.get(f"shippings/{other}").status_code == 404
    assert vendor.delete(f"shippings/{other}").status_code == 404
    path = f"vendors/{shop.vendor}/shippings"
    listed = vendor.get(path).get_json()["shippings"]
    assert [record["shipping_id"] for record in listed] == [str(own)]
    made = shop.root.post(f"stores/{shop.other_store}/shippings", {"shipping": "x"})
    id = made.get_json()["shipping_id"]
    assert read(shop, id)["company_id"] == str(shop.other_store)


# As orders use them


def available(shop: Shop, id: int, **changes: Any) -> ShippingMethod | None:
    known = {
        "company_id": shop.store, "address": Address("US"), "weight": 3100,
        "administrator": True, **changes,
    }  # fmt: skip
    measures = Measures(10900, 3100, 3, 0, known["weight"])
    parcel = Parcel(known["company_id"], known["address"], measures)
    companies = frozenset({known["company_id"]})
    buyer = Buyer(companies, frozenset({0, 1}), known["administrator"])
    try:
        return shop.database.write(
            lambda db: available_shipping(db, id, parcel, buyer, context_of(shop))
        )
    except InvalidInput:
        return None


def test_charges_decide_at_the_destination(wide: Shop) -> None:
    rates = {"1": {"rate_value": {"C": ROWS, "W": {"2": 1.5}}}}
    id = make(wide, rates=rates, tax_ids=[wide.make_tax()], service_params={"k": "x"})
    found = available(wide, id)
    assert found is not None
    assert found.rates == Rates(
        cost=(RateRow(0, 9000), RateRow(5000, 5000)), weight=(RateRow(2000, 1500),)
    )
    assert shipping_cost(found.rates, Measures(10900, 3100, 3)) == 650
    assert len(found.tax_ids) == 1
    assert found.record["service_params"] == []
    assert found.record["shipping"] == "Harbour Courier"
    assert available(wide, id, address=Address("GR")) is None
    assert available(wide, make(wide)) is None


def test_owner_status_and_weight_decide(shop: Shop) -> None:
    rates = {"rate_value": {"C": {"0": 0}}}
    assert available(shop, make(shop, rates=rates, company_id=0)) is not None
    assert available(shop, make(shop, rates=rates, company_id=shop.other_store)) is None
    assert available(shop, make(shop, rates=rates, status="D")) is None
    hidden = make(shop, rates=rates, status="H")
    assert available(shop, hidden) is not None
    assert available(shop, hidden, administrator=False) is None
    club = make(shop, rates=rates, usergroup_ids=[shop.group(type="C")])
    assert available(shop, club) is None
    both = make(shop, rates=rates, usergroup_ids=[shop.group(type="C"), 1])
    assert available(shop, both) is not None
    limited = make(shop, rates=rates, min_weight="3.10", max_weight="3.10")
    assert available(shop, limited) is not None
    assert available(shop, limited, weight=3099) is None
    assert available(shop, limited, weight=3101) is None


def test_vendors_use_the_methods_that_are_open_to_them(shop: Shop) -> None:
    rates = {"rate_value": {"C": {"0": 0}}}
    id = make(shop, rates=rates, company_id=0)
    assert available(shop, id, company_id=shop.vendor) is not None
    shop.change(Company, {"company_id": shop.vendor}, {"shippings": "99"})
    assert available(shop, id, company_id=shop.vendor) is None
    shop.change(Company, {"company_id": shop.vendor}, {"shippings": f"99,{id}"})
    assert available(shop, id, company_id=shop.vendor) is not None


def test_a_carrier_without_prices_stops_the_start(
    make_app: Callable[..., Flask],
) -> None:
    with pytest.raises(RegistryError, match="price"):
        make_app(plugins=(f"{__name__}:SILENT",))


def test_carriers_tell_prices(wide: Shop) -> None:
    carried = {"rate_calculation": "R", "service_id": 40}
    id = make(wide, **carried, service_params={"account": "open"})
    found = available(wide, id)
    assert found is not None
    assert (found.carrier, found.record["service_code"]) == (300, "GULL")
    assert available(wide, id, weight=5001) is None
    closed = make(wide, **carried, service_params={"account": "closed"})
    assert available(wide, closed) is None
    assert available(wide, make(wide, rate_calculation="R", service_id=41)) is None
