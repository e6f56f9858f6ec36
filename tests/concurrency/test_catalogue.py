"""Writers of the same part of the catalogue at a real server: nothing is lost.

None gives up either: whoever holds several things holds them in one order, so
that a request waits for others, but never in a ring.
"""

import random
from collections import Counter
from typing import Any

import pytest
from sqlalchemy import select

from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.counting import counted_tables, differences
from storeapi.models import Product
from tests.choosing import make, read, variant_ids
from tests.orders import Till
from tests.serving import Reply, Server, together
from tests.shop import Shop
from tests.variations import COLOURS, SIZES, Mugs
from tests.wares import make_combination, stock

Call = tuple[str, str, Any]


@pytest.fixture
def mugs(shop: Shop) -> Mugs:
    return Mugs(shop)


def send(shop: Shop, server: Server, calls: list[Call]) -> list[Reply]:
    """Send requests together."""
    return together([lambda call=call: server.send(shop.root, *call) for call in calls])


def statuses(replies: list[Reply]) -> dict[int, int]:
    return dict(Counter(reply.status for reply in replies))


def places(shop: Shop, group: int) -> list[Any]:
    """Item, default and values of the members of a group, by ID."""
    table = table_of(Product)
    columns = (
        table.c.product_id,
        table.c.variation_sub_group_id,
        table.c.parent_product_id,
        table.c.variation_key,
    )

    def action(db: Transaction) -> list[Any]:
        found = select(*columns).where(table.c.variation_group_id == group)
        return list(db.execute(found.order_by(table.c.product_id)))

    return shop.database.write(action)


def check_places(shop: Shop, group: int) -> int:
    """Prove that each item has one default, and each combination one product."""
    rows = places(shop, group)
    assert len({row[3] for row in rows}) == len(rows)
    defaults = {row[1]: row[0] for row in rows if row[2] is None}
    assert len(defaults) == sum(row[2] is None for row in rows)
    assert all(row[2] in (None, defaults[row[1]]) for row in rows)
    return len(rows)


def test_writers_of_a_variation_group_lose_nothing(
    shop: Shop, server: Server, mugs: Mugs
) -> None:
    """Joining, leading, changing values and shared fields, at once."""
    ids = [mugs.mug(colour, size) for colour in COLOURS for size in SIZES]
    group = mugs.group(*ids[:4])
    join = {"variation_group_id": group}
    calls: list[Call] = [("PUT", f"products/{id}", join) for id in ids[4:]]
    calls += [
        ("PUT", f"products/{id}", {"promo_text": f"Of {id}", "price": str(id)})
        for id in ids
    ]
    calls += [
        ("POST", f"product_variations/{id}/set_default_product_variation", {})
        for id in ids[:4]
    ]
    calls += [("PUT", f"product_variations_groups/{group}", {"code": "MUGS"})]
    replies = send(shop, server, calls)
    assert set(statuses(replies)) <= {200, 201}
    assert check_places(shop, group) == len(ids)
    for id in ids:
        assert mugs.product(id)["price"] == f"{id}.00"
    for id, _, parent, _ in places(shop, group):
        if parent is not None:
            leader = mugs.product(parent)
            assert mugs.product(id)["tax_ids"] == leader["tax_ids"]


def test_products_change_their_groups_together(
    shop: Shop, server: Server, mugs: Mugs
) -> None:
    """Two groups that take each other's products, and products that leave both."""
    first = [mugs.mug("green", size) for size in SIZES]
    second = [mugs.mug("blue", size) for size in SIZES]
    one, two = mugs.group(*first), mugs.group(*second)
    path = "product_variations_groups"
    calls: list[Call] = [
        ("PUT", f"{path}/{one}", {"product_ids": [*first[:2], second[0]]}),
        ("PUT", f"{path}/{two}", {"product_ids": [*second[:2], first[2]]}),
        ("PUT", f"products/{first[0]}", {"variation_group_id": two}),
        ("PUT", f"products/{second[1]}", {"variation_group_id": one}),
        ("POST", f"product_variations/{second[2]}/detach_product_variation", {}),
        ("PUT", f"products/{first[1]}", {"full_description": "Same"}),
        ("DELETE", f"products/{first[1]}", None),
    ]
    for _ in range(2):
        replies = send(shop, server, calls)
        assert set(statuses(replies)) <= {200, 201, 204, 400, 404}
        for group in (one, two):
            check_places(shop, group)


def test_many_group_the_same_products(shop: Shop, server: Server, mugs: Mugs) -> None:
    """Each call takes products out of the groups that others make; none gives up."""
    ids = [mugs.mug(colour, size) for colour in COLOURS for size in SIZES]
    for id in ids:
        make(shop, id)
    path, chance = "product_variations_groups", random.Random(1)
    calls: list[Call] = [
        ("POST", path, {"product_ids": chance.sample(ids, 4)}) for _ in range(20)
    ]
    leave = "detach_product_variation"
    calls += [("POST", f"products/{id}/{leave}", {}) for id in ids[:4]]
    replies = send(shop, server, calls)
    assert {reply.status for reply in replies[:20]} == {201}
    assert set(statuses(replies[20:])) <= {201, 404}
    groups = shop.root.get(f"{path}?items_per_page=99").get_json()["groups"]
    members = [each["product_id"] for group in groups for each in group["products"]]
    assert len(members) == len(set(members))
    for group in groups:
        assert check_places(shop, group["id"]) > 0


def test_a_product_goes_while_it_is_grouped(
    shop: Shop, server: Server, mugs: Mugs
) -> None:
    """No group is left without a product, and the answer tells of none that is gone."""
    path = "product_variations_groups"
    for _ in range(10):
        id = mugs.mug("green", "small")
        calls: list[Call] = [
            ("DELETE", f"products/{id}", None),
            ("POST", path, {"product_ids": [id]}),
        ]
        deleted, grouped = send(shop, server, calls)
        assert deleted.status == 204
        assert grouped.status in (201, 400)
        assert shop.root.get(path).get_json()["groups"] == []


def test_orders_lose_no_pieces_of_a_product_that_leaves(
    shop: Shop, server: Server, mugs: Mugs
) -> None:
    """Its combinations name other options meanwhile."""
    till = Till(shop)
    first, second = (mugs.mug("green", size, tracking="O") for size in SIZES[:2])
    mugs.group(first, second)
    lid = make(shop, first)
    variant = variant_ids(shop, lid)[1]
    number = make_combination(shop, second, {lid: variant}, amount=50)
    chosen = {"amount": 3, "product_options": {lid: variant}}
    orders = [till.order(products={str(second): chosen}) for _ in range(8)]
    assert stock(shop, second, number) == 26
    path = f"product_variations/{second}/detach_product_variation"
    calls: list[Call] = [("PUT", f"orders/{id}", {"status": "I"}) for id in orders]
    calls.insert(4, ("POST", path, {}))
    replies = send(shop, server, calls)
    assert statuses(replies) == {200: len(orders), 201: 1}
    assert stock(shop, second, number) == 50


def test_writers_of_an_option_lose_nothing(
    shop: Shop, server: Server, mugs: Mugs
) -> None:
    """Fields, variants, and choices of variations that share it."""
    ids = [mugs.mug("green", size) for size in SIZES]
    mugs.group(*ids)
    option = make(shop, ids[0])
    first, second = variant_ids(shop, option)
    fields = {"position": "7", "required": "Y", "comment": "Sent", "inner_hint": "Too"}
    calls: list[Call] = [
        ("PUT", f"options/{option}", {name: value}) for name, value in fields.items()
    ]
    calls += [
        (
            "POST",
            "combinations",
            {"product_id": id, "combination": {option: variant}, "amount": id},
        )
        for id in ids
        for variant in (first, second)
    ]
    calls += [
        ("POST", f"product_variations/{id}/set_default_product_variation", {})
        for id in ids
    ]
    calls += [("PUT", f"products/{id}", {"search_words": "oak"}) for id in ids]
    replies = send(shop, server, calls)
    assert set(statuses(replies)) <= {200, 201}
    record = read(shop, option)
    assert {name: record[name] for name in fields} == fields
    for id in ids:
        found = shop.root.get(f"combinations?product_id={id}").get_json()
        assert [each["amount"] for each in found] == [str(id)] * 2
        assert list(mugs.product(id)["product_options"]) == [str(option)]


def test_one_name_in_many_categories(shop: Shop, server: Server) -> None:
    """Slugs are one of a kind in a store, whatever the category."""
    categories = [shop.make_category(f"Shelf {n}") for n in range(12)]
    calls: list[Call] = [
        ("POST", "products", {"product": "Jug", "category_ids": [id]})
        for id in categories
    ]
    replies = send(shop, server, calls)
    assert statuses(replies) == {201: 12}
    listed = shop.root.get("products?items_per_page=50").get_json()["products"]
    slugs = {each["seo_name"] for each in listed}
    assert slugs == {"jug", *(f"jug-{n}" for n in range(2, 13))}


def test_a_feature_is_renamed_while_values_are_written(
    shop: Shop, server: Server, mugs: Mugs
) -> None:
    ids = [mugs.mug("green", product=f"Mug {n}") for n in range(6)]
    names = [f"Colour {n}" for n in range(4)]
    variant = mugs.variants["blue"]
    calls: list[Call] = [
        ("PUT", f"features/{mugs.colour}", {"description": name}) for name in names
    ]
    calls += [
        ("PUT", f"products/{id}", {"product_features": mugs.values("blue")})
        for id in ids[:3]
    ]
    calls += [
        ("PUT", f"products/{id}/features/{mugs.colour}", {"variant_id": variant})
        for id in ids[3:]
    ]
    replies = send(shop, server, calls)
    assert statuses(replies) == {200: 10}
    assert shop.root.get(f"features/{mugs.colour}").get_json()["description"] in names
    for id in ids:
        value = mugs.product(id)["product_features"][str(mugs.colour)]
        assert value["variant_id"] == str(variant)


def check_numbers(shop: Shop) -> None:
    """Prove that the kept numbers are what counting gives."""
    tables = counted_tables(shop.registry)
    assert shop.database.write(lambda db: differences(db, tables)) == []


def test_categories_go_and_move_while_products_are_placed(
    shop: Shop, server: Server
) -> None:
    top = shop.make_category("Top")
    below = [shop.make_category(f"C{n}", parent=top) for n in range(4)]
    ids = [
        shop.make_product(f"P{n}", category_ids=[below[n % 4], below[(n + 1) % 4]])
        for n in range(8)
    ]
    calls: list[Call] = [("DELETE", f"categories/{id}", None) for id in below[:2]]
    calls.append(("PUT", f"categories/{top}", {"parent_id": shop.category}))
    calls += [
        ("PUT", f"products/{id}",
         {"category_ids": [below[n % 4], below[(n + 2) % 4], below[3]]})
        for n, id in enumerate(ids)
    ]  # fmt: skip
    replies = send(shop, server, calls)
    assert statuses(replies[:2]) == {204: 2}
    assert replies[2].status == 200
    assert set(statuses(replies[3:])) <= {200, 400}
    check_numbers(shop)


def test_variations_are_made_while_products_come_and_go(
    shop: Shop, server: Server, mugs: Mugs
) -> None:
    places = [shop.category, *[shop.make_category(f"C{n}") for n in range(2)]]
    ids = [mugs.mug("green", "small", category_ids=places) for _ in range(4)]
    gone = [shop.make_product(f"P{n}", category_ids=places) for n in range(4)]
    wanted = [mugs.values("green", size) for size in SIZES[1:]]
    calls: list[Call] = []
    for id, other in zip(ids, gone, strict=True):
        path = f"products/{id}/generate_product_variations"
        body = {"product": "New", "category_ids": places[::-1]}
        calls.append(("POST", path, {"combinations": wanted}))
        calls.append(("DELETE", f"products/{other}", None))
        calls.append(("POST", "products", body))
    assert statuses(send(shop, server, calls)) == {201: 8, 204: 4}
    check_numbers(shop)


def test_a_store_goes_while_its_products_are_placed(shop: Shop, server: Server) -> None:
    """Categories of all stores count no product that went with its store."""
    shared = [shop.make_category(f"S{n}", company_id=0) for n in range(4)]
    for _ in range(3):
        store = shop.company("Tent")
        own = [shop.make_category(f"O{n}", company_id=store) for n in range(2)]
        ids = [
            shop.make_product(company_id=company, category_ids=[shared[n % 4], own[0]])
            for n, company in enumerate([store, 0] * 4)
        ]
        calls: list[Call] = [("DELETE", f"stores/{store}", None)]
        calls += [
            ("PUT", f"products/{id}",
             {"category_ids": [shared[(n + 1) % 4], shared[(n + 2) % 4], own[1]]})
            for n, id in enumerate(ids)
        ]  # fmt: skip
        replies = send(shop, server, calls)
        assert replies[0].status == 204
        assert set(statuses(replies[1:])) <= {200, 400, 404}
        check_numbers(shop)
