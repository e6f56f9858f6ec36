"""What an operator switches off, and the version (spec/protocol.md, 1 and 15)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi import Entity, Listing, Result
from storeapi.core.registry import Registry, RegistryError
from tests.shop import Caller, Shop


def _on(app: Flask, caller: Caller) -> Caller:
    return Caller(app.test_client(), caller.user_id, caller.login, caller.key)


@pytest.mark.parametrize(
    ("name", "below"),
    [
        ("stores", "stores/{store}/products"),
        ("vendors", "vendors/{vendor}/products"),
        ("discussions", "products/{product}/discussions"),
        ("call_requests", "stores/{store}/call_requests"),
    ],
)
def test_an_entity_that_is_switched_off_is_unknown(
    shop: Shop, make_app: Callable[..., Flask], name: str, below: str
) -> None:
    """Section 15, `is_accessible`: 404 for the entity, its parents and children."""
    product = shop.make_product()
    numbers = {"store": shop.store, "vendor": shop.vendor, "product": product}
    root = _on(make_app(disabled_entities=(name,)), shop.root)
    for path in (name, f"{name}/1", below.format(**numbers)):
        assert shop.root.get(path).status_code in (200, 404)
        for method in ("GET", "POST", "PUT", "DELETE"):
            answer = root.request(method, path, json={"a": "b"} if method[0] == "P"
                                  else None)  # fmt: skip
            assert answer.status_code == 404
            assert answer.get_json()["message"].startswith("Not Found: ")
    assert shop.root.get(below.format(**numbers)).status_code == 200
    assert name not in root.get("/api/2.0/").get_json()["entities"]
    # Whatever belongs to a company is there, and so are the other entities.
    assert root.get(f"products/{product}").get_json()["company_id"] == str(shop.store)
    other = "vendors" if name == "stores" else "stores"
    assert root.get(other).status_code == 200


def test_what_nests_under_an_entity_that_is_off_stays(
    shop: Shop, make_app: Callable[..., Flask], caplog: pytest.LogCaptureFixture
) -> None:
    """Section 15.4: also an entity of a plug-in; a name that nobody has is logged."""
    plugins = ("tests.contract.test_protocol_switches:Shelves",)
    app = make_app(plugins=plugins, disabled_entities=("stores", "shops"))
    assert _on(app, shop.root).get("shelves").get_json() == {
        "shelves": [], "params": {}
    }  # fmt: skip
    assert "no entity 'shops'" in caplog.text


class Shelves(Entity):
    """An entity of a plug-in that nests under stores."""

    name = "shelves"
    privileges = {"index": True}
    parents = ("stores",)

    def index(self, id: Any, params: Any) -> Result:
        return Result(200, Listing([], [], 0))


def test_what_is_offered_has_to_be_there() -> None:
    """Section 15: an operation that the privileges name has its method."""

    class Bins(Entity):
        name = "bins"
        privileges = {"index": True, "update": "manage_bins"}

        def index(self, id: Any, params: Any) -> Result:
            return Result(200, Listing([], [], 0))

    with pytest.raises(RegistryError, match=r"^entity bins: \['update'\] not impl"):
        Registry().add(Bins, "tests")


def test_privileges_of_an_entity_that_is_off_are_known(
    shop: Shop, make_app: Callable[..., Flask]
) -> None:
    """Section 11: a group keeps them, and may be sent back as it is."""
    app = make_app(disabled_entities=("blocks",))
    path = f"usergroups/{shop.group('edit_blocks')}"
    answer = _on(app, shop.root).put(path, {"privileges": ["edit_blocks"]})
    assert answer.status_code == 200


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_version_proves_credentials(
    shop: Shop, make_app: Callable[..., Flask], version: str
) -> None:
    """spec/clients.md, T21: whoever may call may ask, and nobody else."""
    path = f"/api/{version}/version"
    nobody = shop.caller("view_reports")
    for caller in (shop.root, nobody):
        answer = caller.get(path)
        assert (answer.status_code, answer.get_json()) == (200, {"Version": "4.18.1"})
    assert shop.anonymous.get(path).status_code == 401
    wrong = Caller(shop.client, 0, shop.root.login, "x")
    assert wrong.get(path).status_code == 401
    assert shop.caller(user_type="C").get(path).status_code == 403
    assert shop.root.get(f"{path}/1").status_code == 404
    assert shop.root.post(path, {"Version": "5"}).status_code == 405
    branded = _on(make_app(brand_version="4.3.2"), shop.root)
    assert branded.get(path).get_json() == {"Version": "4.3.2"}
