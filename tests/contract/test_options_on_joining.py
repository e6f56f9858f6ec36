"""What goes on when a product joins a default that has options like its own."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.choosing import make, put, read, variant_ids
from tests.marketplace import common, offer
from tests.orders import Till, differences
from tests.shop import Shop
from tests.variations import Mugs
from tests.wares import make_combination, stock


@pytest.fixture
def mugs(shop: Shop) -> Mugs:
    return Mugs(shop)


def sent(mugs: Mugs, method: str, path: str, body: Any = None) -> Any:
    answer = mugs.shop.root.request(method, path, json=body)
    assert answer.status_code < 300, answer.get_data(as_text=True)
    return answer.get_json()


def post(shop: Shop) -> int:
    """A shipping method that takes everything."""
    rates = {"1": {"rate_value": {"C": {"0": 5}}}}
    return shop.root.make("shippings", shipping="Post", company_id=0, rates=rates)


def by_value(mugs: Mugs, id: int, *_: int) -> None:
    for colour in ("blue", "green"):
        body = {"variation_feature_values": mugs.values(colour)}
        sent(mugs, "PUT", f"products/{id}", body)


def by_detaching(mugs: Mugs, id: int, group: int, *_: int) -> None:
    sent(mugs, "POST", f"products/{id}/detach_product_variation", {})
    sent(mugs, "PUT", f"products/{id}", {"variation_group_id": group})


def as_former_default(mugs: Mugs, id: int, group: int, *_: int) -> None:
    sent(mugs, "POST", f"products/{id}/set_default_product_variation", {})
    by_detaching(mugs, id, group)


def by_a_new_group(mugs: Mugs, id: int, group: int, leader: int) -> None:
    sent(mugs, "DELETE", f"product_variations_groups/{group}")
    mugs.group(leader, id)


WAYS = [by_value, by_detaching, as_former_default, by_a_new_group]


@pytest.mark.parametrize("leave_and_return", WAYS)
@pytest.mark.parametrize("of", ["products", "offers"])
def test_stock_outlives_leaving_and_coming_back(
    shop: Shop, mugs: Mugs, of: str, leave_and_return: Callable[..., None]
) -> None:
    """Combinations keep it, and orders and carts find it."""
    till, offered = Till(shop), of == "offers"
    items = [
        common(shop, product_features=mugs.values("green", size))
        if offered
        else mugs.mug("green", size)
        for size in ("small", "large")
    ]
    leader, id = items
    group = mugs.group(*items)
    lid = make(shop, leader)
    variants = variant_ids(shop, lid)
    sold = offer(shop, id, amount=9) if offered else id
    sent(mugs, "PUT", f"products/{sold}", {"tracking": "O"})
    numbers = [make_combination(shop, sold, {lid: v}, amount=5) for v in variants]
    chosen = {"amount": 2, "product_options": {str(lid): variants[1]}}
    order = till.order(products={str(sold): chosen}, shipping_id=post(shop))
    guest = {"email": "a@example.com"}
    cart = shop.root.make("carts", products={str(sold): chosen}, user_data=guest)

    leave_and_return(mugs, id, group, leader)

    assert mugs.product(id)["variation_group_id"] is not None
    (option,) = shop.root.get(f"products/{sold}/options").get_json()
    for place, number in enumerate(numbers):
        found = shop.root.get(f"combinations/{number}").get_json()
        variant = variant_ids(shop, int(option))[place]
        assert found["combination"] == {option: variant}
    stocks = [stock(shop, sold, number) for number in numbers]
    assert stocks == [5, 3]
    for status, left in (("I", 5), ("O", 3)):
        till.put(order, status=status)
        assert stock(shop, sold, numbers[1]) == left
    (line,) = shop.root.get(f"carts/{cart}").get_json()["products"]
    assert line["extra"]["product_options"] == {option: variant}
    sent(mugs, "PUT", f"carts/{cart}", {"item_id": line["item_id"], "amount": 3})
    assert differences(shop) == []


LEADERS: dict[str, dict[str, Any]] = {
    "another name": {"option_name": "Cover"},
    "another type": {"option_type": "S"},
    "not in combinations": {"inventory": "N"},
    "one variant alike": {
        "variants": [{"variant_name": "beech LID"}, {"variant_name": "Steel lid"}]
    },
    "another letter case": {"option_name": "LID"},
}


@pytest.mark.parametrize(
    ("other", "kept"),
    [
        ("another name", []),
        ("another type", []),
        ("not in combinations", []),
        ("one variant alike", [1]),
        ("another letter case", [0, 1]),
    ],
)
def test_combinations_that_find_no_like_options_go(
    shop: Shop, mugs: Mugs, other: str, kept: list[int]
) -> None:
    leader, id = mugs.mug("green", "small"), mugs.mug("green", "large")
    theirs, own = make(shop, leader, **LEADERS[other]), make(shop, id)
    numbers = [
        make_combination(shop, id, {own: variant}, amount=place + 3)
        for place, variant in enumerate(variant_ids(shop, own))
    ]
    mugs.group(leader, id)
    assert list(shop.root.get(f"products/{id}/options").get_json()) == [str(theirs)]
    found = shop.root.get(f"combinations?product_id={id}").get_json()
    names = {
        key: v["variant_name"] for key, v in read(shop, theirs)["variants"].items()
    }
    assert sorted(int(each["combination_hash"]) for each in found) == sorted(
        numbers[place] for place in kept
    )
    for each in found:
        place = numbers.index(int(each["combination_hash"]))
        assert int(each["amount"]) == place + 3
        variant = each["combination"][str(theirs)]
        assert names[variant].lower() == ("without", "beech lid")[place]


def test_check_boxes_are_alike_by_their_places(shop: Shop, mugs: Mugs) -> None:
    leader, id = mugs.mug("green", "small"), mugs.mug("green", "large")
    box = {"option_type": "C", "option_name": "Gift wrap", "variants": {}}
    theirs, own = make(shop, leader, **box), make(shop, id, **box)
    ticked = variant_ids(shop, own)[1]
    number = make_combination(shop, id, {own: ticked}, amount=4)
    mugs.group(leader, id)
    found = shop.root.get(f"combinations/{number}").get_json()
    assert found["combination"] == {str(theirs): variant_ids(shop, theirs)[1]}
    assert found["amount"] == "4"


def test_a_global_option_of_both_stays_what_is_named(shop: Shop, mugs: Mugs) -> None:
    """Also beside own ones of the same name."""
    leader, id = mugs.mug("green", "small"), mugs.mug("green", "large")
    bag = make(shop, 0)
    for each in (leader, id):
        sent(mugs, "POST", f"products/{each}/options", {"option_id": bag})
    own = make(shop, id)
    put(shop, own, {"position": 5})
    variant = variant_ids(shop, bag)[0]
    number = make_combination(shop, id, {bag: variant}, amount=4)
    gone = make_combination(
        shop, id, {bag: variant, own: variant_ids(shop, own)[0]}, amount=2
    )
    mugs.group(leader, id)
    (found,) = shop.root.get(f"combinations?product_id={id}").get_json()
    assert int(found["combination_hash"]) == number != gone
    assert found["combination"] == {str(bag): variant}


def test_exceptions_are_those_of_the_default(shop: Shop, mugs: Mugs) -> None:
    leader, id = mugs.mug("green", "small"), mugs.mug("green", "large")
    make(shop, leader)
    own = make(shop, id)
    body = {"product_id": id, "combination": {own: variant_ids(shop, own)[0]}}
    shop.root.make("exceptions", **body)
    mugs.group(leader, id)
    for each in (leader, id):
        assert shop.root.get(f"exceptions?product_id={each}").get_json() == []
