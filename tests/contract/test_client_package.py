"""The unmodified package cscart-api-client, against a running server."""

from collections.abc import Iterator
from typing import Any

import pytest
from cscart import Client

from tests.serving import Server, serving
from tests.shop import Shop


@pytest.fixture(scope="session")
def server(
    schema_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server whose unversioned addresses speak 2.0, as this client expects."""
    folder = tmp_path_factory.mktemp("client")
    with serving(schema_url, folder, workers=1, api_default_version="2.0") as running:
        yield running


def _client(shop: Shop, base: str) -> Any:
    return Client(base, shop.root.login, shop.root.key)


@pytest.mark.parametrize("version", ["", "2.0/", "1.0/", "v2/"])
def test_products(shop: Shop, server: Server, version: str) -> None:
    id = shop.make_product("Mug")
    client = _client(shop, f"{server.base}/api/{version}")
    listed = client.get_products(params={"items_per_page": 5, "pname": "Mug"})
    assert listed.status_code == 200
    products = listed.json()["products"]
    if version == "1.0/":
        products = list(products.values())
    assert [record["product_id"] for record in products] == [str(id)]
    assert client.get_products(id).json()["product"] == "Mug"
    assert client.get_products(999999).status_code == 404


def test_nested_products(shop: Shop, server: Server) -> None:
    id = shop.make_product("Mug")
    client = _client(shop, f"{server.base}/api/")
    listed = client.get_products(category_id=shop.category)
    assert [record["product_id"] for record in listed.json()["products"]] == [str(id)]
    assert client.get_products(id, shop.category).json()["product_id"] == str(id)


@pytest.mark.parametrize(
    ("call", "entity"),
    [("get_categories", "categories"), ("get_product_features", "features"),
     ("get_orders", "orders"), ("get_payment_methods", "payments"),
     ("get_settings", "settings"), ("get_shipments", "shipments"),
     ("get_shipping_methods", "shippings"), ("get_statuses", "statuses"),
     ("get_taxes", "taxes"), ("get_usergroups", "usergroups"),
     ("get_users", "users")],
)  # fmt: skip
def test_lists(shop: Shop, server: Server, call: str, entity: str) -> None:
    client = _client(shop, f"{server.base}/api/")
    answer = getattr(client, call)()
    assert answer.status_code == 200
    assert answer.url == f"{server.base}/api/{entity}"


def test_wrong_keys_are_told_apart(shop: Shop, server: Server) -> None:
    client = Client(f"{server.base}/api/", shop.root.login, "wrong")
    answer = client.get_products()
    assert (answer.status_code, answer.json()["status"]) == (401, 401)
