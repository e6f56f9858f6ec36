"""Options, combinations and exceptions of products of the whole installation."""

from typing import Any

import pytest

from storeapi.core.rows import table_of
from storeapi.models import Product
from tests.choosing import LID, make, variant_ids
from tests.shop import Caller, Shop


@pytest.fixture
def common(shop: Shop) -> int:
    """A product of company 0, with one option."""
    product_id = shop.make_product()
    where, values = {"product_id": product_id}, {"company_id": 0}
    shop.database.write(lambda db: db.update(table_of(Product), where, values))
    return product_id


@pytest.fixture
def vendor(shop: Shop) -> Caller:
    return shop.caller(user_type="V", company_id=shop.vendor)


def test_vendor_reads_what_is_common(shop: Shop, common: int, vendor: Caller) -> None:
    option_id = make(shop, common)
    variant_id = variant_ids(shop, option_id)[0]
    body = {"product_id": common, "combination": {option_id: variant_id}}
    for name in ("combinations", "exceptions"):
        assert shop.root.post(name, body).status_code == 201
        assert len(vendor.get(f"{name}?product_id={common}").get_json()) == 1
    assert list(vendor.get(f"options?product_id={common}").get_json()) == [
        str(option_id)
    ]


def test_option_of_a_common_product_is_read_by_its_number(
    shop: Shop, common: int, vendor: Caller
) -> None:
    path = f"options/{make(shop, common)}"
    assert vendor.get(path).get_json() == shop.root.get(path).get_json()
    assert vendor.get("options").get_json()["product_options"] == []
    assert vendor.put(path, {"position": 3}).status_code == 403
    assert vendor.delete(path).status_code == 403
    assert shop.root.get(path).get_json()["position"] == "0"


@pytest.mark.parametrize("name", ["options", "combinations", "exceptions"])
def test_vendor_writes_nothing_common(
    shop: Shop, common: int, vendor: Caller, name: str
) -> None:
    option_id = make(shop, common)
    variant_id = variant_ids(shop, option_id)[0]
    choice = {"product_id": common, "combination": {option_id: variant_id}}
    body: dict[str, Any] = (
        {"product_id": common, **LID} if name == "options" else choice
    )
    answer = shop.root.post(name, body)
    assert answer.status_code == 201
    (id,) = answer.get_json().values()
    before = shop.everything()
    path = f"products/{common}/{name}"
    assert vendor.post(name, body).status_code == 403
    assert vendor.post(path, body).status_code == 403
    assert vendor.put(f"{path}/{id}", {"position": 3, **choice}).status_code == 403
    assert vendor.delete(f"{path}/{id}").status_code == 403
    assert shop.everything() == before


def test_vendor_links_no_foreign_option(shop: Shop, vendor: Caller) -> None:
    foreign = make(shop, 0)
    category = shop.make_category("Nets", company_id=shop.vendor)
    product_id = shop.make_product(company_id=shop.vendor, category_ids=[category])
    path = f"products/{product_id}/options"
    assert vendor.post(path, {"option_id": foreign}).status_code == 400
    answer = vendor.post("options", {"product_id": 0, **LID})
    own = answer.get_json()["option_id"]
    assert vendor.get(f"options/{own}").get_json()["company_id"] == str(shop.vendor)
    assert vendor.post(path, {"option_id": own}).status_code == 201
