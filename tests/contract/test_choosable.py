"""What products offer to choose, read for many of them at once (rules.choosable)."""

from typing import Any

from storeapi.core.database import Connection
from storeapi.rules.choices import judge
from storeapi.rules.choosable import offers_of, pictures_of, stocks_of
from storeapi.rules.images import Media
from tests.shop import Shop


def make_option(shop: Shop, product_id: int, **more: Any) -> tuple[int, list[int]]:
    variants = [{"variant_name": "S"}, {"variant_name": "M", "modifier": "2.5"}]
    body = {"product_id": product_id, "option_name": "Size", "variants": variants}
    answer = shop.root.post("options", body | more)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    option_id = answer.get_json()["option_id"]
    record = shop.root.get(f"options/{option_id}").get_json()
    return option_id, [int(id) for id in record["variants"]]


def read(shop: Shop, action: Any) -> Any:
    return shop.database.read(action)


def test_offer_holds_active_options_and_exceptions(shop: Shop) -> None:
    product_id = shop.make_product("Shirt", exceptions_type="A")
    size, variants = make_option(shop, product_id, required="Y")
    make_option(shop, product_id, status="D")
    everywhere, _ = make_option(shop, 0)
    shop.root.post(f"products/{product_id}/options", {"option_id": everywhere})
    body = {"product_id": product_id, "combination": {size: variants[0]}}
    assert shop.root.post("exceptions", body).status_code == 201
    found = read(shop, lambda db: offers_of(db, [product_id, 99999], "en"))
    (offer,) = found.values()
    assert (offer.product, offer.exceptions_type) == ("Shirt", "A")
    assert [each.option_id for each in offer.options] == [size, everywhere]
    assert offer.exceptions == [{size: variants[0]}]
    first = offer.options[0]
    assert (first.option_name, first.required, first.inventory) == ("Size", True, True)
    assert [each.price.number for each in first.variants] == [0, 2500]


def test_choice_finds_its_combination(shop: Shop) -> None:
    product_id = shop.make_product()
    size, (small, medium) = make_option(shop, product_id)
    body = {"product_id": product_id, "combination": {size: medium}, "amount": 3}
    number = int(shop.root.post("combinations", body).get_json()["combination_hash"])
    pair = {"detailed": {"image_path": "https://cdn.example/m.jpg"}}
    body = {"product_code": "SHIRT-M", "image_pairs": pair}
    assert shop.root.put(f"combinations/{number}", body).status_code == 200

    def action(db: Connection) -> Any:
        offer = offers_of(db, [product_id], "en")[product_id]
        choices = [judge(offer, {str(size): each}) for each in (small, medium)]
        media = Media.of(shop.settings, "http://shop.example")
        pictures = pictures_of(db, [number], media)
        assert stocks_of(db, []) == {}
        return choices, stocks_of(db, choices), pictures

    choices, stocks, pictures = read(shop, action)
    assert stocks == {(product_id, f"{size}_{medium}"): (number, 3, "SHIRT-M")}
    assert choices[1].price(1000) == 1250
    path = pictures[number]["detailed"]["image_path"]
    assert path == "https://cdn.example/m.jpg"


def test_offers_take_a_constant_number_of_statements(shop: Shop) -> None:
    ids = [shop.make_product() for _ in range(4)]
    for product_id in ids:
        make_option(shop, product_id)
    counts = []
    for some in (ids[:1], ids):
        seen: list[str] = []
        shop.database.observer = seen.append
        read(shop, lambda db, some=some: offers_of(db, some, "en"))
        shop.database.observer = None
        counts.append(len(seen))
    assert counts == [5, 5]
