"""Options, combinations and exceptions of products of the whole installation."""

from typing import Any

import pytest

from storeapi.core.rows import table_of
from storeapi.models import Product
from tests.choosing import LID, age, make, updated, variant_ids
from tests.marketplace import offer
from tests.orders import Till, differences
from tests.shop import Caller, Shop
from tests.variations import Mugs
from tests.wares import stock

RATES = {"1": {"rate_value": {"C": {"0": 5}}}}


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


def common_mugs(mugs: Mugs) -> tuple[int, int, int]:
    """Common products of one catalog item."""
    first, second, third = [
        mugs.shop.root.make(
            "master_products",
            product=size,
            price="24.00",
            product_features=mugs.values("green", size),
        )
        for size in ("small", "large", "huge")
    ]
    return first, second, third


def part(mugs: Mugs, group: int, leaver: int, way: str) -> None:
    """Let a common product leave its catalog item."""
    root = mugs.shop.root
    if way == "detach":
        answer = root.post(f"products/{leaver}/detach_product_variation", {})
    elif way == "value":
        body = {"variation_feature_values": mugs.values("blue")}
        answer = root.put(f"products/{leaver}", body)
    else:
        path = f"product_variations_groups/{group}"
        answer = root.put(path, {"product_ids": [leaver]})
    assert answer.status_code in (200, 201), answer.get_data(as_text=True)


def choices_in(shop: Shop, cart: int) -> dict[str, Any]:
    """What the lines of a cart have chosen, by product."""
    return {
        line["product_id"]: line["extra"]["product_options"]
        for line in shop.root.get(f"carts/{cart}").get_json()["products"]
    }


@pytest.mark.parametrize("leaver", [0, 1])
@pytest.mark.parametrize("way", ["detach", "value", "members"])
def test_offers_name_the_copies(shop: Shop, way: str, leaver: int) -> None:
    """Combinations, orders and carts, where common products part."""
    mugs, till = Mugs(shop), Till(shop)
    post = shop.root.make("shippings", shipping="Post", company_id=0, rates=RATES)
    items = common_mugs(mugs)[:2]
    group = mugs.group(*items)
    lid = make(shop, items[0])
    variant = variant_ids(shop, lid)[1]
    offers = {id: offer(shop, id, amount=9, tracking="O") for id in items}
    hashes, orders = {}, {}
    line = {"amount": 2, "product_options": {str(lid): variant}}
    for id in offers.values():
        body = {"product_id": id, "combination": {lid: variant}, "amount": 5}
        hashes[id] = shop.root.make("combinations", **body)
        orders[id] = till.order(products={str(id): line}, shipping_id=post)
    lines = {str(id): line for id in offers.values()}
    guest = {"email": "a@example.com"}
    cart = shop.root.make("carts", products=lines, user_data=guest)
    part(mugs, group, items[leaver], way)
    in_cart = choices_in(shop, cart)
    for item, id in offers.items():
        (option,) = shop.root.get(f"products/{item}/options").get_json()
        assert list(shop.root.get(f"products/{id}/options").get_json()) == [option]
        choice = {option: variant_ids(shop, int(option))[1]}
        (found,) = shop.root.get(f"combinations?product_id={id}").get_json()
        assert found["combination"] == choice
        assert in_cart[str(id)] == choice
        till.put(orders[id], status="I")
        assert stock(shop, id, hashes[id]) == 5
        bought = {str(id): {"amount": 1, "product_options": choice}}
        till.order(products=bought, shipping_id=post)
        assert stock(shop, id, hashes[id]) == 4
    assert differences(shop) == []


def test_offers_lose_choices_of_options_that_are_gone(shop: Shop) -> None:
    """A common product that joins has the options of its default instead."""
    mugs = Mugs(shop)
    items = common_mugs(mugs)[:2]
    bag = make(shop, 0)
    link = {"option_id": bag}
    assert shop.root.post(f"products/{items[1]}/options", link).status_code == 201
    id = offer(shop, items[1])
    choice = {bag: variant_ids(shop, bag)[0]}
    shop.root.make("combinations", product_id=id, combination=choice)
    mugs.group(*items)
    assert shop.root.get(f"products/{id}/options").get_json() == {}
    assert shop.root.get(f"combinations?product_id={id}").get_json() == []


@pytest.mark.parametrize("way", ["lead", "detach", "delete"])
def test_offers_move_with_the_options_of_another_default(shop: Shop, way: str) -> None:
    """The child that leads from then on has an option, the former default none."""
    mugs = Mugs(shop)
    first, second, third = items = common_mugs(mugs)
    mugs.group(*items)
    offers = [offer(shop, id) for id in items]
    lid = make(shop, second)
    age(shop, *items, *offers)
    if way == "lead":
        answer = shop.root.post(f"products/{second}/set_default_product_variation", {})
    elif way == "detach":
        answer = shop.root.post(f"products/{first}/detach_product_variation", {})
    else:
        answer = shop.root.delete(f"products/{first}?force=Y")
    assert answer.status_code in (201, 204), answer.get_data(as_text=True)
    for id in (third, offers[2]):
        assert list(shop.root.get(f"products/{id}/options").get_json()) == [str(lid)]
        assert updated(shop, id)
