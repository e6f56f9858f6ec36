"""Exact statements of the catalogue's requests, so that each new one is a decision."""

from typing import Any

import pytest

from storeapi.core import finding
from tests.budget.test_statements import observed
from tests.shop import Shop

PRODUCTS = 110
VALUES = 10
READS = {
    "one": 10,
    "10": 8,
    "100": 8,
    "10 full": 11,
    "100 full": 11,
    "company": 8,
    "cursor": 8,
    "search": 8,
    "search 100": 8,
    "search rare": 8,
    "search none": 2,
    "search walked": 9,
    "search followed": 10,
    "search 100 followed": 10,
    "subtree": 9,
}
WRITES = {"post": 13, "post full": 29, "stock": 3, "same": 2, "option": 14}
FULL = "detailed_params=Y&get_features=Y&get_additional=Y"


def payload(name: str, category: int, **more: Any) -> dict[str, Any]:
    return {"product": name, "category_ids": [category], "price": "9.90", **more}


def images(name: str) -> dict[str, Any]:
    """A main and two additional images, whose addresses are only stored."""
    pairs = [
        {"detailed": {"image_path": f"https://img.example/{name}-{n}.jpg"}}
        for n in range(3)
    ]
    return {"main_pair": pairs[0], "image_pairs": pairs[1:]}


@pytest.fixture
def features(shop: Shop) -> dict[str, Any]:
    """Values for ten features with variants."""
    found: dict[str, Any] = {}
    for number in range(VALUES):
        body = {"description": f"Feature {number}", "feature_type": "S"}
        body |= {"variants": [{"variant": "this"}, {"variant": "that"}]}
        answer = shop.root.post("features", body)
        id = str(answer.get_json()["feature_id"])
        variants = shop.root.get(f"features/{id}").get_json()["variants"]
        found[id] = next(iter(variants))
    return found


def count(shop: Shop, ask: Any) -> int:
    """The statements of a request, once its shape is known."""
    ask()
    with observed(shop) as found:
        answer = ask()
    assert answer.status_code < 300, answer.get_data(as_text=True)
    return len(found)


def test_reads(
    shop: Shop, features: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller, rows, a total where no page shows it, and a statement a part."""
    below = shop.make_category("Below", parent=shop.category)
    for number in range(PRODUCTS):
        name = f"Mug {number}"
        more = {"product_features": features, **images(name.replace(" ", "-"))}
        shop.root.post("products", payload(name, below, **more))
    id = shop.root.get("products").get_json()["products"][0]["product_id"]

    def of(path: str) -> int:
        return count(shop, lambda: shop.root.get(f"products{path}"))

    found = {
        "one": of(f"/{id}"),
        "10": of("?items_per_page=10"),
        "100": of("?items_per_page=100"),
        "10 full": of(f"?items_per_page=10&{FULL}"),
        "100 full": of(f"?items_per_page=100&{FULL}"),
        "company": of(f"?company_id={shop.store}"),
        "cursor": of("?cursor=*"),
        "search": of("?q=mug&items_per_page=10"),
        "search 100": of("?q=mug&items_per_page=100"),
        "search rare": of("?q=17"),
        "search none": of("?q=nosuch"),
        "subtree": of(f"?cid={shop.category}&subcats=Y"),
    }
    monkeypatch.setattr(shop.database, "following", shop.following())
    of("?q=mug")  # counted, then read whole
    found["search followed"] = of("?q=mug&items_per_page=10")
    found["search 100 followed"] = of("?q=mug&items_per_page=100")
    monkeypatch.setattr(shop.database, "following", None)
    monkeypatch.setattr(finding, "_LEAST_WALK", 1)
    found["search walked"] = of("?q=mug&items_per_page=10")
    assert found == READS


def test_writes(shop: Shop, features: dict[str, Any]) -> None:
    names = iter(f"Jug {number}" for number in range(10))

    def post(**more: Any) -> Any:
        return shop.root.post("products", payload(next(names), shop.category, **more))

    def post_full() -> Any:
        name = next(names)
        more = {"product_features": features, **images(name.replace(" ", "-"))}
        return shop.root.post("products", payload(name, shop.category, **more))

    id = post().get_json()["product_id"]
    amounts = iter(range(100, 110))
    option = {"product_id": id, "option_name": "Size", "option_type": "S"}
    option["variants"] = [{"variant_name": "small"}, {"variant_name": "large"}]
    found = {
        "post": count(shop, post),
        "post full": count(shop, post_full),
        "stock": count(
            shop, lambda: shop.root.put(f"products/{id}", {"amount": next(amounts)})
        ),
        "same": count(shop, lambda: shop.root.put(f"products/{id}", {"amount": 101})),
        "option": count(shop, lambda: shop.root.post("options", option)),
    }
    assert found == WRITES
