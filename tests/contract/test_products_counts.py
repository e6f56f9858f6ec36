"""Products: the kept numbers behind totals."""

from tests.products import check_counts, put
from tests.shop import Shop
from tests.variations import Mugs


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


def test_lists_without_children_have_exact_totals(shop: Shop) -> None:
    """What is left out is counted, and taken from the kept number."""
    mugs = Mugs(shop)
    sizes = ("small", "large", "huge")
    ids = [mugs.mug("green", size) for size in sizes]
    mugs.group(*ids)
    put(shop, ids[2], status="D")
    shop.make_product("Other")
    for query, total in (
        ("", "2"),
        ("&status=A", "2"),
        ("&status=D", "0"),
        (f"&company_id={shop.store}", "2"),
        (f"&company_id={shop.vendor}", "0"),
        (f"&company_id={shop.store},{shop.vendor}", "2"),
        (f"&parent_product_id=0,{ids[0]}", "2"),
        ("&product_type=V", "0"),
    ):
        path = f"products?include_child_variations=0&items_per_page=1{query}"
        assert (query, shop.root.get(path).headers["X-Total-Count"]) == (query, total)


def test_kept_numbers_are_written_last(shop: Shop) -> None:
    """All writers meet in them, so nothing is waited for by who holds one."""
    mugs = Mugs(shop)
    id = mugs.mug("green", "small")
    wanted = [mugs.values("green", size) for size in ("large", "huge")]
    seen: list[str] = []
    shop.database.observer = seen.append
    path = f"products/{id}/generate_product_variations"
    answer = shop.root.post(path, {"combinations": wanted})
    shop.database.observer = None
    assert answer.status_code == 201
    places = [n for n, text in enumerate(seen) if text.startswith("UPDATE object_coun")]
    made = [n for n, text in enumerate(seen) if "product_count" in text]
    assert len(made) == 2
    assert places
    assert min(places) > max(made)
    held = [n for n, text in enumerate(seen) if text.startswith("SELECT categories")]
    copied = [n for n, text in enumerate(seen) if text.startswith("INSERT INTO prod")]
    if shop.database.dialect.name != "sqlite":
        assert min(held) < min(copied)
    check_counts(shop)
