"""Options of products in variation groups: held by the default, shared by all."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from storeapi.core.rows import table_of
from storeapi.models import CombinationVariant, Option
from storeapi.rules.choosable import offers_of
from tests.choosing import LID, age, make, put, read, updated, variant_ids
from tests.marketplace import common, offer
from tests.orders import Till, differences
from tests.shop import Shop
from tests.variations import Mugs
from tests.wares import stock


@pytest.fixture
def mugs(shop: Shop) -> Mugs:
    return Mugs(shop)


@pytest.fixture
def item(mugs: Mugs) -> tuple[int, int, int]:
    """A default and two child variations of it."""
    sizes = ("small", "large", "huge")
    ids = [mugs.mug("green", size) for size in sizes]
    mugs.group(*ids)
    return ids[0], ids[1], ids[2]


def names(shop: Shop, id: int) -> list[str]:
    """The names of the options that a product shows, in each way to ask."""
    record = shop.root.get(f"products/{id}").get_json()
    shown = list(record["product_options"] or ())
    assert record["has_options"] is bool(shown)
    for path in (f"options?product_id={id}", f"products/{id}/options"):
        assert list(shop.root.get(path).get_json()) == shown
    offer = shop.database.read(lambda db: offers_of(db, [id], "en"))[id]
    assert [str(option.option_id) for option in offer.options] == shown
    return [record["product_options"][key]["option_name"] for key in shown]


def combine(shop: Shop, id: int, option: int, **more: Any) -> str:
    """A combination of the second variant of an option."""
    body = {"product_id": id, "combination": {option: variant_ids(shop, option)[1]}}
    answer = shop.root.post("combinations", {**body, **more})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return str(answer.get_json()["combination_hash"])


def test_children_have_the_options_of_their_default(
    shop: Shop, item: tuple[int, int, int]
) -> None:
    first, second, third = item
    make(shop, first, option_name="Lid")
    shop.root.post(
        f"products/{first}/options", {"option_id": make(shop, 0, option_name="Bag")}
    )
    for id in item:
        assert names(shop, id) == ["Lid", "Bag"]
    make(shop, second, option_name="Own")
    assert names(shop, second) == ["Lid", "Bag", "Own"]
    assert names(shop, third) == ["Lid", "Bag"]


def test_a_change_moves_all_that_show_it(
    shop: Shop, item: tuple[int, int, int]
) -> None:
    first, second, _ = item
    option = make(shop, first)
    age(shop, *item)
    put(shop, option, {"required": "Y"})
    assert [updated(shop, id) for id in item] == [True] * 3
    age(shop, *item)
    body = {"combination": {option: variant_ids(shop, option)[0]}}
    assert shop.root.post(f"products/{first}/exceptions", body).status_code == 201
    assert [updated(shop, id) for id in item] == [True] * 3
    age(shop, *item)
    combine(shop, second, option)
    assert [updated(shop, id) for id in item] == [False, True, False]
    age(shop, *item)
    assert shop.root.delete(f"options/{option}").status_code == 204
    assert [updated(shop, id) for id in item] == [True] * 3
    assert shop.root.get(f"combinations?product_id={second}").get_json() == []


def test_exceptions_and_their_sense_are_shared(
    shop: Shop, item: tuple[int, int, int]
) -> None:
    first, second, _ = item
    option = make(shop, first)
    variant = int(variant_ids(shop, option)[1])
    body = {"combination": {option: variant}}
    shop.root.post(f"products/{first}/exceptions", body)
    shop.root.put(f"products/{first}", {"exceptions_type": "A"})
    offer = shop.database.read(lambda db: offers_of(db, [second], "en"))[second]
    assert offer.exceptions_type == "A"
    assert offer.exceptions == [{option: variant}]


def test_borrowed_options_are_taken_from_the_default_only(
    shop: Shop, item: tuple[int, int, int]
) -> None:
    first, second, _ = item
    own, bag = make(shop, first), make(shop, 0)
    shop.root.post(f"products/{first}/options", {"option_id": bag})
    before = shop.everything()
    for option in (own, bag):
        answer = shop.root.delete(f"products/{second}/options/{option}")
        assert answer.status_code == 400
        assert f"its default, product {first}" in answer.get_data(as_text=True)
    link = {"option_id": bag}
    assert shop.root.post(f"products/{second}/options", link).status_code == 201
    assert shop.everything() == before
    mine = make(shop, second)
    assert shop.root.delete(f"products/{second}/options/{mine}").status_code == 204


def test_a_default_without_options_lends_none(
    shop: Shop, item: tuple[int, int, int]
) -> None:
    _, second, _ = item
    assert shop.root.delete(f"products/{second}/options/999").status_code == 404
    mine = make(shop, second)
    assert shop.root.delete(f"products/{second}/options/{mine}").status_code == 204


def test_unknown_options_are_404_below_who_borrows(
    shop: Shop, item: tuple[int, int, int]
) -> None:
    first, second, _ = item
    make(shop, first)
    id = common(shop)
    lid = make(shop, id)
    mine = offer(shop, id)
    for borrower in (second, mine):
        path = f"products/{borrower}/options/999"
        assert shop.root.delete(path).status_code == 404
    assert shop.root.delete(f"products/{mine}/options/{lid}").status_code == 400


def test_joining_replaces_options(shop: Shop, mugs: Mugs) -> None:
    first, second = mugs.mug("green", "small"), mugs.mug("green", "large")
    lid = make(shop, first, option_name="Lid")
    mine = make(shop, second, option_name="Own")
    combine(shop, second, mine)
    mugs.group(first, second)
    assert names(shop, second) == ["Lid"]
    assert shop.root.get(f"options/{mine}").status_code == 404
    assert shop.root.get(f"combinations?product_id={second}").get_json() == []
    assert read(shop, lid)["product_id"] == str(first)


def test_the_default_takes_the_options_over(
    shop: Shop, item: tuple[int, int, int]
) -> None:
    first, second, third = item
    lid = make(shop, first)
    hashes = {id: combine(shop, id, lid, amount=id) for id in item}
    path = f"product_variations/{third}/set_default_product_variation"
    assert shop.root.post(path, {}).status_code == 201
    assert read(shop, lid)["product_id"] == str(third)
    for id in item:
        assert names(shop, id) == ["Lid"]
        (found,) = shop.root.get(f"combinations?product_id={id}").get_json()
        assert (found["combination_hash"], found["amount"]) == (hashes[id], str(id))
    assert shop.root.delete(f"products/{third}").status_code == 204
    assert read(shop, lid)["product_id"] == str(first)
    assert names(shop, second) == ["Lid"]


@pytest.mark.parametrize("leaver", [0, 1])
def test_who_leaves_keeps_copies(
    shop: Shop, item: tuple[int, int, int], leaver: int
) -> None:
    """The default or a child: stock, exceptions and icons go with the options."""
    lid, bag = make(shop, item[0]), make(shop, 0, option_name="Bag")
    shop.root.post(f"products/{item[0]}/options", {"option_id": bag})
    for id in item:
        combine(shop, id, lid, amount=id)
    body = {"combination": {lid: variant_ids(shop, lid)[0]}}
    shop.root.post(f"products/{item[0]}/exceptions", body)
    path = f"product_variations/{item[leaver]}/detach_product_variation"
    assert shop.root.post(path, {}).status_code == 201
    assert sorted(names(shop, item[leaver])) == ["Bag", "Lid"]
    for id in item:
        assert sorted(names(shop, id)) == ["Bag", "Lid"]
        (found,) = shop.root.get(f"combinations?product_id={id}").get_json()
        assert found["amount"] == str(id)
        (option,) = (int(key) for key in found["combination"])
        assert str(found["combination"][str(option)]) in variant_ids(shop, option)
        offer = shop.database.read(lambda db, id=id: offers_of(db, [id], "en"))[id]
        assert option in {each.option_id for each in offer.options}
        assert len(offer.exceptions) == 1
    holders = {row[1] for row in shop.everything()["options"]} - {None}
    assert holders == {item[0], item[1]}


def leave_by_detaching(mugs: Mugs, id: int) -> None:
    path = f"product_variations/{id}/detach_product_variation"
    assert mugs.shop.root.post(path, {}).status_code == 201


def leave_by_another_value(mugs: Mugs, id: int) -> None:
    body = {"variation_feature_values": mugs.values("blue")}
    assert mugs.shop.root.put(f"products/{id}", body).status_code == 200


def leave_by_disbanding(mugs: Mugs, id: int) -> None:
    group = mugs.product(id)["variation_group_id"]
    path = f"product_variations_groups/{group}"
    assert mugs.shop.root.delete(path).status_code == 204


@pytest.mark.parametrize("leaver", [0, 1])
@pytest.mark.parametrize(
    "leave", [leave_by_detaching, leave_by_another_value, leave_by_disbanding]
)
def test_orders_find_their_stock_by_the_copies(
    shop: Shop,
    mugs: Mugs,
    item: tuple[int, int, int],
    leave: Callable[[Mugs, int], None],
    leaver: int,
) -> None:
    """Pieces go back to the combination that they came from, and leave it again."""
    till, lid = Till(shop), make(shop, item[0])
    hashes, orders = {}, {}
    chosen = {"amount": 2, "product_options": {lid: variant_ids(shop, lid)[1]}}
    for id in item:
        shop.root.put(f"products/{id}", {"tracking": "O"})
        hashes[id] = int(combine(shop, id, lid, amount=5))
        orders[id] = till.order(products={str(id): chosen})
    leave(mugs, item[leaver])
    for id, order in orders.items():
        till.put(order, status="I")
        assert stock(shop, id, hashes[id]) == 5
        till.put(order, status="O")
        assert stock(shop, id, hashes[id]) == 3
        till.put(order, products={str(id): {**chosen, "amount": 4}})
        assert stock(shop, id, hashes[id]) == 1
        assert shop.root.delete(f"orders/{order}").status_code == 204
        assert stock(shop, id, hashes[id]) == 5
    assert differences(shop) == []


@pytest.mark.parametrize("leaver", [0, 1])
def test_carts_name_the_copies(
    shop: Shop, mugs: Mugs, item: tuple[int, int, int], leaver: int
) -> None:
    """A line can still be bought, and changed; what was entered stays."""
    shop.root.put(f"products/{item[1]}", {"amount": 5})
    lid = make(shop, item[0])
    name = make(shop, item[0], option_name="Name", option_type="I", variants={})
    variant = variant_ids(shop, lid)[1]
    chosen = {str(lid): variant, str(name): variant}
    line = {"amount": 2, "product_options": chosen}
    body = {"products": {str(item[1]): line}, "user_data": {"email": "a@example.com"}}
    path = f"carts/{shop.root.make('carts', **body)}"
    (before,) = shop.root.get(path).get_json()["products"]
    leave_by_detaching(mugs, item[leaver])
    (after,) = shop.root.get(path).get_json()["products"]
    assert after["item_id"] == before["item_id"]
    options = mugs.product(item[1])["product_options"]
    assert len(options) == 2
    copies = {option["option_name"]: id for id, option in options.items()}
    values = after["extra"]["product_options"]
    assert values[copies["Name"]] == variant
    assert values[copies["Lid"]] == variant_ids(shop, int(copies["Lid"]))[1]
    body = {"item_id": after["item_id"], "amount": 3}
    assert shop.root.put(path, body).status_code == 200
    (line,) = shop.root.get(path).get_json()["products"]
    assert (line["amount"], line["price"]) == ("3", before["price"])


def test_disbanding_leaves_a_copy_to_each(
    shop: Shop, mugs: Mugs, item: tuple[int, int, int]
) -> None:
    make(shop, item[0])
    group = mugs.product(item[0])["variation_group_id"]
    answer = shop.root.delete(f"product_variations_groups/{group}")
    assert answer.status_code == 204
    for id in item:
        assert names(shop, id) == ["Lid"]
    assert len(shop.everything()[table_of(Option).name]) == 3


def test_another_item_means_other_options(shop: Shop, mugs: Mugs) -> None:
    ids = [mugs.mug("green", "small"), mugs.mug("green", "large")]
    ids += [mugs.mug("blue", "small")]
    mugs.group(*ids)
    lid = make(shop, ids[0], option_name="Lid")
    bag = make(shop, ids[2], option_name="Bag")
    combine(shop, ids[1], lid)
    values = {"variation_feature_values": mugs.values("blue")}
    assert shop.root.put(f"products/{ids[1]}", values).status_code == 200
    assert [names(shop, id) for id in ids] == [["Lid"], ["Bag"], ["Bag"]]
    assert shop.root.get(f"combinations?product_id={ids[1]}").get_json() == []
    assert shop.everything()[table_of(CombinationVariant).name] == []
    assert read(shop, bag)["product_id"] == str(ids[2])


def test_generated_defaults_get_copies_and_children_share(
    shop: Shop, mugs: Mugs
) -> None:
    first = mugs.mug("green", "small")
    make(shop, first)
    path = f"product_variations/{first}/generate_product_variations"
    combinations = [mugs.values("green", "large"), mugs.values("blue", "small")]
    body = {"combinations": combinations}
    made = shop.root.post(path, body).get_json()["products_status"]
    for id in map(int, made):
        assert names(shop, id) == ["Lid"]
    assert len(shop.everything()[table_of(Option).name]) == 2


def test_customers_see_options_of_a_hidden_default(
    make_app: Callable[..., Flask],
) -> None:
    shop = Shop(make_app(api_allow_customer=True))
    mugs = Mugs(shop)
    ids = [mugs.mug("green", size) for size in ("small", "large")]
    mugs.group(*ids)
    make(shop, ids[0])
    shop.root.put(f"products/{ids[0]}", {"status": "D"})
    for path in (f"options?product_id={ids[1]}", f"products/{ids[1]}/options"):
        assert len(shop.anonymous.get(path).get_json()) == 1
    assert shop.anonymous.get(f"options?product_id={ids[0]}").status_code == 404


def test_offers_share_options_of_a_common_variation(shop: Shop, mugs: Mugs) -> None:
    commons = []
    for size in ("small", "large"):
        body = {"product": f"Mug {size}", "price": 3}
        body |= {"product_features": mugs.values("green", size)}
        answer = shop.root.post("master_products", body)
        commons.append(answer.get_json()["product_id"])
    mugs.group(*commons)
    path = f"master_products/{commons[1]}/master_product_offers"
    offer = shop.root.post(path, {"company_id": shop.vendor}).get_json()["product_id"]
    age(shop, offer, *commons)
    answer = shop.root.post("options", {"product_id": commons[0], **LID})
    assert answer.status_code == 201
    assert names(shop, offer) == ["Lid"]
    assert updated(shop, offer)


def test_exceptions_are_listed_for_all_that_obey_them(
    shop: Shop, item: tuple[int, int, int]
) -> None:
    first, second, third = item
    lid = make(shop, first)
    own = make(shop, second)
    shared = _except(shop, first, lid)
    mine = _except(shop, second, own)
    assert _excepted(shop, first) == [(shared, first)]
    assert _excepted(shop, second) == [(shared, first), (mine, second)]
    assert _excepted(shop, third) == [(shared, first)]
    plain = shop.make_product("Plain")
    assert _excepted(shop, plain) == []


def test_exceptions_of_a_common_product_are_listed_for_its_offers(shop: Shop) -> None:
    mugs = Mugs(shop)
    leads, id = (
        common(shop, product_features=mugs.values("green", size))
        for size in ("small", "large")
    )
    mine = offer(shop, id)
    lid = make(shop, id)
    shared = _except(shop, id, lid)
    assert _excepted(shop, mine) == [(shared, id)]
    shop.root.delete(f"options/{lid}")
    mugs.group(leads, id)
    shared = _except(shop, leads, make(shop, leads))
    assert _excepted(shop, mine) == [(shared, leads)]
    vendor = shop.caller("view_catalog", "manage_catalog", company_id=shop.vendor)
    path = f"products/{mine}/exceptions"
    assert [row["exception_id"] for row in vendor.get(path).get_json()] == [shared]
    assert vendor.delete(f"{path}/{shared}").status_code == 403


def test_exceptions_are_written_where_they_are_held(
    shop: Shop, item: tuple[int, int, int]
) -> None:
    first, second, _ = item
    lid = make(shop, first)
    shared = _except(shop, first, lid)
    before = shop.everything()
    path = f"products/{second}/exceptions/{shared}"
    body = {"combination": {lid: -1}}
    for answer in (shop.root.put(path, body), shop.root.delete(path)):
        assert answer.status_code == 400
        assert f"of product {first}" in answer.get_data(as_text=True)
    answer = shop.root.delete(f"exceptions/{shared}?product_id={second}")
    assert answer.status_code == 404
    assert shop.everything() == before
    path = f"products/{first}/exceptions/{shared}"
    assert shop.root.put(path, body).status_code == 200
    assert shop.root.delete(path).status_code == 204


def _except(shop: Shop, id: int, option: int) -> str:
    """An exception that names the second variant of an option."""
    body = {"combination": {option: variant_ids(shop, option)[1]}}
    answer = shop.root.post(f"products/{id}/exceptions", body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return str(answer.get_json()["exception_id"])


def _excepted(shop: Shop, id: int) -> list[tuple[str, int]]:
    """The exceptions of a product and whose each is, in each way to ask."""
    rows = shop.root.get(f"exceptions?product_id={id}").get_json()
    assert shop.root.get(f"products/{id}/exceptions").get_json() == rows
    old = shop.root.get(f"/api/exceptions?product_id={id}").get_json()
    assert list(old["exceptions"].values()) == rows
    assert old["search"]["product_id"] == str(id)
    for row in rows:
        path = f"products/{id}/exceptions/{row['exception_id']}"
        assert shop.root.get(path).get_json() == row
    return [(row["exception_id"], int(row["product_id"])) for row in rows]
