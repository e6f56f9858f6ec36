"""Products: the kept numbers behind totals."""

from tests.products import check_counts, put
from tests.shop import Shop


def test_kept_numbers_follow_every_write(shop: Shop) -> None:
    ids = [shop.make_product(f"P{n}", status="ADH"[n % 3]) for n in range(6)]
    check_counts(shop)
    put(shop, ids[0], status="D")
    put(shop, ids[1], status="D", price="3")
    put(shop, ids[2], price="3")
    check_counts(shop)
    shop.root.delete(f"products/{ids[3]}")
    check_counts(shop)
    shop.root.put(f"products/{ids[4]}", {"status": "Z"})
    shop.root.post("products", {"product": "x", "category_ids": [999999]})
    check_counts(shop)
    shop.root.delete(f"categories/{shop.category}")
    check_counts(shop)
    for query, total in (("", "5"), ("?status=D", "5"), ("?status=A", "0")):
        body = shop.root.get(f"products{query}").get_json()
        assert body["params"]["total_items"] == total
