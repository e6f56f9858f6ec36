"""What GET answers is a PUT that changes nothing, for all of a rich catalogue.

Source: spec/pitfalls.md.
"""

from typing import Any

import pytest

from tests.choosing import make, variant_ids
from tests.sending_back import check_sent_back
from tests.shop import Shop
from tests.variations import Mugs

IMAGE = {"detailed": {"image_path": "https://img.example/mug.jpg", "alt": "Mug"}}
PATHS = (
    "products/{default}",
    "products/{child}",
    "product_variations/{child}",
    "product_variations_groups/{group}",
    "product_variations_groups/{group}/product_variations/{child}",
    "categories/{category}",
    "categories/{category}/products/{default}",
    "features/{colour}",
    "products/{child}/features/{colour}",
    "options/{lid}",
    "options/{bag}",
    "products/{child}/options/{lid}",
    "combinations/{combination}",
    "products/{child}/combinations/{combination}",
    "exceptions/{exception}",
    "master_products/{common}",
    "master_product_offers/{offer}",
    "products/{offer}",
    "master_products/{common}/master_product_offers/{offer}",
)


def _made(shop: Shop, path: str, body: dict[str, Any]) -> int:
    answer = shop.root.post(path, body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(next(iter(answer.get_json().values())))


def _world(shop: Shop) -> dict[str, int]:
    """One of everything, with all that belongs to it."""
    mugs = Mugs(shop)
    more: dict[str, Any] = {
        "price": "18.905",
        "main_pair": IMAGE,
        "image_pairs": [IMAGE],
        "prices": [{"lower_limit": 5, "price": "17"}],
        "tax_ids": [shop.make_tax()],
        "full_description": "<p>Ä mug & more</p>",
        "product_code": "M-1",
        "weight": "0.35",
    }
    found = {name: mugs.mug("green", name, **more) for name in ("small", "large")}
    world = {"default": found["small"], "child": found["large"]}
    world["group"] = mugs.group(*world.values())
    category = {"category": "Bowls", "main_pair": IMAGE, "parent_id": shop.category}
    world |= {"category": shop.category, "colour": mugs.colour}
    _made(shop, "categories", category)
    world["lid"] = make(shop, world["default"], main_pair=_icons())
    world["bag"] = make(shop, 0, option_name="Bag")
    path = f"products/{world['default']}/options"
    shop.root.post(path, {"option_id": world["bag"]})
    choice = {str(world["lid"]): variant_ids(shop, world["lid"])[1]}
    body = {"product_id": world["child"], "combination": choice}
    world["combination"] = _made(shop, "combinations", {**body, "amount": 4})
    picture = {"product_code": "M-1-L", "image_pairs": IMAGE}
    shop.root.put(f"combinations/{world['combination']}", picture)
    world["exception"] = _made(shop, "exceptions", body)
    common = {"product": "Kettle", "price": 3, "main_pair": IMAGE}
    common |= {"product_features": mugs.values("blue", "huge")}
    world["common"] = _made(shop, "master_products", common)
    make(shop, world["common"])
    path = f"master_products/{world['common']}/master_product_offers"
    offer = {"company_id": shop.vendor, "price": 4, "amount": 2}
    return {**world, "offer": _made(shop, path, offer)}


def _icons() -> dict[str, Any]:
    return {"icon": {"image_path": {"2": "https://img.example/lid.jpg"}}}


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_record_of_the_catalogue_sent_back_changes_nothing(
    shop: Shop, version: str
) -> None:
    world = _world(shop)
    for path in PATHS:
        check_sent_back(shop, f"/api/{version}/{path.format(**world)}")
