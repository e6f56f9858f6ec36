"""The common products of a demo store, and what its vendor offers of them."""

from collections.abc import Iterable, Sequence

from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.demo.goods import Goods, in_place
from storeapi.models import Product

_FIRST, _EVERY, _LAST = 15, 25, 200


def with_offers(
    goods: Sequence[Goods], vendor_id: int, taken: Iterable[int]
) -> tuple[list[Goods], dict[int, int]]:
    """Make some products common, and those that follow them offers of the vendor.

    Shapes: the goods in their order, and the common products by the offers of them;
    IDs that are `taken` stay what they are.
    """
    found, offers = list(goods), {}
    kept = set(taken)
    for place in range(_FIRST, min(len(goods) - 1, _LAST), _EVERY):
        like, own = goods[place], goods[place + 1]
        ids = like.product["product_id"], own.product["product_id"]
        if kept.isdisjoint(ids):
            price = like.product["price"] * 95 // 100
            mine = {"company_id": vendor_id, "price": price, "status": "A"}
            common = {"company_id": 0, "amount": 0, "status": "A"}
            found[place] = in_place(like, like, **common)
            found[place + 1] = in_place(like, own, **mine)
            offers[ids[1]] = ids[0]
    return found, offers


def write_offers(db: Transaction, offers: dict[int, int]) -> None:
    """Say of each offer which common product it is of."""
    for id, common_id in offers.items():
        values = {"master_product_id": common_id}
        db.update(table_of(Product), {"product_id": id}, values)
