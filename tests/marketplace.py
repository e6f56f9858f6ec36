"""Common products and offers, as tests make them."""

from typing import Any

from tests.shop import Shop


def common(shop: Shop, name: str = "Kettle", **payload: Any) -> int:
    """A common product."""
    body = {"product": name, "price": "24.00", **payload}
    return shop.root.make("master_products", **body)


def offer(shop: Shop, product: int, vendor: int | None = None, **payload: Any) -> int:
    """An offer of a common product."""
    path = f"master_products/{product}/master_product_offers"
    return shop.root.make(path, **{"company_id": vendor or shop.vendor, **payload})


def sellers(shop: Shop, number: int) -> list[int]:
    """Vendors, the shop's own one first."""
    more = [shop.company(f"Seller {n}", kind="V") for n in range(1, number)]
    return [shop.vendor, *more]
