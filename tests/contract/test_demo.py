"""The demo store shows every part of the catalogue."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from cscart import Client

from config.settings import Settings
from storeapi.app import create_app, front_of
from storeapi.cli import main
from tests import databases
from tests.serving import serving
from tests.shop import SECRET

ROOT = "root@example.com"
Get = Callable[[str], Any]


class Store(NamedTuple):
    """A demo store of 200 products: its variables, and the credentials of root."""

    variables: dict[str, str]
    auth: tuple[str, str]


@pytest.fixture(scope="module", params=databases.kinds())
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
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
            "demo --products 200",
            f"user create-root {ROOT}",
            f"user grant-api {ROOT}",
        ):
            done = run.invoke(main, words.split())
            assert done.exit_code == 0, done.output
        yield Store(variables, (ROOT, done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def get(store: Store) -> Iterator[Get]:
    """Ask the demo store."""
    app = create_app(Settings.from_environment(store.variables))
    client = app.test_client()
    yield lambda path: client.get(f"/api/2.0/{path}", auth=store.auth).get_json()
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


def test_offers_have_the_options_of_their_common_products(get: Get) -> None:
    query = "items_per_page=100&get_options=Y"
    common = {
        row["product_id"]: row["product_options"]
        for row in get(f"master_products?{query}")["products"]
    }
    offers = get(f"master_product_offers?{query}")["products"]
    assert offers
    for row in offers:
        assert row["product_options"] == common[row["master_product_id"]]


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


_CALLS = {
    "get_categories": "category_id", "get_orders": "order_id",
    "get_payment_methods": "payment_id", "get_product_features": "feature_id",
    "get_products": "product_id", "get_settings": "object_id",
    "get_shipments": "shipment_id", "get_shipping_methods": "shipping_id",
    "get_statuses": "status_id", "get_stores": "company_id", "get_taxes": "tax_id",
    "get_usergroups": "usergroup_id", "get_users": "user_id",
}  # fmt: skip
"""The reading calls of the client, and the field by which each asks for one record."""

_OF_A_PRODUCT = ("combinations", "exceptions")
_WRITTEN_ONLY = {
    "auth", "detach_product_variation", "generate_product_variations",
    "set_default_product_variation",
}  # fmt: skip


def records_of(body: Any) -> list[Any]:
    """The records of a list, whatever its envelope is."""
    if isinstance(body, dict) and "params" in body:
        body = next(value for name, value in body.items() if name != "params")
    return list(body.values()) if isinstance(body, dict) else list(body)


def test_the_public_client_reads_everything(store: Store, tmp_path: Path) -> None:
    """Each call of the unmodified client lists content, and reads the first of it."""
    assert [name for name in dir(Client) if name.startswith("get_")] == [*_CALLS]
    url = store.variables["STOREAPI_DATABASE_URL"]
    with serving(url, tmp_path, workers=1, api_default_version="2.0") as server:
        client = Client(f"{server.base}/api/", *store.auth)
        for call, id_name in _CALLS.items():
            listed = getattr(client, call)()
            assert listed.status_code == 200, call
            id = records_of(listed.json())[0][id_name]
            one = getattr(client, call)(id)
            assert one.status_code == 200, call
            assert str(one.json()[id_name]) == str(id), call


def test_every_entity_has_content(get: Get) -> None:
    for name in get("")["entities"].keys() - _WRITTEN_ONLY:
        paths = [name]
        if name in _OF_A_PRODUCT:
            paths = [f"{name}?product_id={id}" for id in range(1, 60)]
        assert any(records_of(get(path)) for path in paths), name
