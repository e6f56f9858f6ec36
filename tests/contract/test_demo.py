"""The demo store shows every part of the catalogue."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from config.settings import Settings
from storeapi.app import create_app, front_of
from storeapi.cli import main
from tests import databases
from tests.shop import SECRET

ROOT = "root@example.com"
Get = Callable[[str], Any]


@pytest.fixture(scope="module", params=databases.kinds())
def get(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Get]:
    """Ask a demo store of 40 products."""
    with databases.scratch_database(request.param) as url:
        media = str(tmp_path_factory.mktemp("media"))
        variables = {
            "STOREAPI_ENVIRONMENT": "test",
            "STOREAPI_DATABASE_URL": url,
            "STOREAPI_SECRET_KEY": SECRET,
            "STOREAPI_MEDIA_FOLDER": media,
        }
        run = CliRunner(env=variables)
        for words in (
            "init",
            "demo --products 40",
            f"user create-root {ROOT}",
            f"user grant-api {ROOT}",
        ):
            done = run.invoke(main, words.split())
            assert done.exit_code == 0, done.output
        app = create_app(Settings.from_environment(variables))
        auth = (ROOT, done.stdout.splitlines()[-1])
        client = app.test_client()
        yield lambda path: client.get(f"/api/2.0/{path}", auth=auth).get_json()
        front_of(app).database.close()


def test_features_of_every_type_describe_the_products(get: Get) -> None:
    features = get("features?items_per_page=100")["features"]
    letters = sorted(feature["feature_type"] for feature in features)
    assert "".join(letters) == "CDEGMNOSSSST"
    values = get("products/10")["product_features"].values()
    names = [value["description"] for value in values if value["description"] != "Size"]
    assert names == [
        "Brand", "Colour", "Material", "Made in", "Guarantee", "Care", "Height",
        "Designed", "Plastic-free packaging", "Good to know",
    ]  # fmt: skip


def test_some_products_have_options_combinations_and_an_exception(get: Get) -> None:
    options = get("products/9?get_options=Y")["product_options"]
    named = [option["option_name"] for option in options.values()]
    assert sorted(named) == ["Finish", "Gift wrapping", "Size"]
    assert len(get("products/9/combinations")) == 6
    assert len(get("products/9/exceptions")) == 1


def test_products_that_differ_in_size_are_a_group(get: Get) -> None:
    query = "pid=" + ",".join(map(str, range(1, 41)))
    found = get(f"products?{query}&items_per_page=100&detailed_params=Y")["products"]
    members = [p for p in found if p["variation_group_id"] not in (None, "", "0", 0)]
    assert len(members) == 4
    assert sorted(member["product_type"] for member in members) == ["P", "V", "V", "V"]
    assert len({member["product"] for member in members}) == 1


def test_customers_and_guests_have_carts(get: Get) -> None:
    carts = get("carts?items_per_page=100")["carts"]
    owners = [cart["user_data"] for cart in carts]
    assert {bool(owner) for owner in owners} == {True, False}
    lines = get(f"carts/{carts[0]['user_id']}")["products"]
    total = sum(int(line["amount"]) * float(line["price"]) for line in lines)
    assert f"{total:.2f}" == carts[0]["total"]


def test_storefronts_have_words_and_companies_settings(get: Get) -> None:
    assert get("langvars?items_per_page=1")["params"]["total_items"] == "30"
    assert get("langvars/your_basket?sl=de")["value"] == "Ihr Warenkorb"
    zones = [
        get(f"settings?name=timezone&company_id={company}")["settings"][0]["value"]
        for company in range(5)
    ]
    assert zones == ["UTC", "UTC", "Europe/London", "Europe/Berlin", "Europe/Paris"]


def test_a_year_of_orders_adds_up(get: Get) -> None:
    listing = get("orders?items_per_page=500&sort_order=asc")
    assert listing["params"]["total_items"] == "500"
    times = [int(each["timestamp"]) for each in listing["orders"]]
    assert 300 * 86400 < times[-1] - times[0] < 366 * 86400
    done = [each for each in listing["orders"] if each["status"] in "PC"]
    assert all(each["invoice_id"] for each in done)
    assert len(done) > 300
    record = get(f"orders/{listing['orders'][-1]['order_id']}")
    lines = record["products"].values()
    assert record["subtotal"] == sum(line["subtotal"] for line in lines)
    parts = [float(record["shipping_cost"]), float(record["payment_surcharge"])]
    total = record["subtotal"] + record["tax_subtotal"] + sum(parts)
    assert float(record["total"]) == pytest.approx(total)
    assert record["taxes"]
    assert record["shipping"][0]["shipping"]


def test_parcels_hold_what_was_sent(get: Get) -> None:
    listing = get("shipments?items_per_page=1000")
    shipments = listing["shipments"]
    sent = Counter[tuple[str, str]]()
    for each in shipments:
        assert each["carrier"]
        assert each["order_timestamp"] <= each["shipment_timestamp"]
        for item_id, amount in each["products"].items():
            sent[each["order_id"], item_id] += int(amount)
    assert len(shipments) == int(listing["params"]["total_items"]) > 300
    assert {each["order_status"] for each in shipments} >= {"C", "P"}
    some = [*get("orders?status=C&items_per_page=5")["orders"],
            *get("orders?status=P,B,O,I&items_per_page=20")["orders"]]  # fmt: skip
    for each in some:
        record = get(f"orders/{each['order_id']}")
        for item_id, line in record["products"].items():
            assert line["shipped_amount"] == sent[each["order_id"], item_id]
        assert record["need_shipment"] == (each["status"] != "C")
