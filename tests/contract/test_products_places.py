"""Products in several categories: each is counted once, whatever comes and goes."""

from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.counting import differences, recount
from storeapi.models import ProductCategory
from tests.shop import Shop


def check(shop: Shop, **totals: int) -> None:
    """Prove the totals of subtrees, and that each product has one first place."""
    for name, total in totals.items():
        ids = name.removeprefix("of_").split("_")
        query = "&".join(f"cid[]={id}" for id in ids)
        for subtree in "NY":
            path = f"products?{query}&subcats={subtree}&items_per_page=1"
            answer = shop.root.get(path)
            assert (name, answer.headers["X-Total-Count"]) == (name, str(total))
    assert shop.database.write(lambda db: differences(db, ())) == []


def test_each_product_is_counted_once(shop: Shop) -> None:
    a, b, c = (shop.make_category(name) for name in "ABC")
    one = shop.make_product(category_ids=[a, b])
    shop.make_product(category_ids=[b])

    def totals(of_a: int, of_b: int, of_c: int, of_ab: int, of_bc: int) -> None:
        check(shop, **{f"of_{a}": of_a, f"of_{b}": of_b, f"of_{c}": of_c})
        check(shop, **{f"of_{a}_{b}": of_ab, f"of_{b}_{c}": of_bc})

    totals(1, 2, 0, 2, 2)
    shop.root.put(f"products/{one}", {"category_ids": [c, b]})
    totals(0, 2, 1, 2, 2)
    shop.root.put(f"products/{one}", {"category_ids": [a, b, c]})
    totals(1, 2, 1, 2, 2)
    shop.root.put(f"products/{one}", {"category_ids": [a, c]})
    totals(1, 1, 1, 2, 2)
    shop.root.delete(f"categories/{a}")
    check(shop, **{f"of_{b}": 1, f"of_{c}": 1, f"of_{b}_{c}": 2})
    shop.root.put(f"products/{one}", {"category_ids": [b]})
    check(shop, **{f"of_{b}": 2, f"of_{c}": 0, f"of_{b}_{c}": 2})


def test_a_subtree_counts_products_of_several_levels_once(shop: Shop) -> None:
    below = shop.make_category("Below", parent=shop.category)
    beside = shop.make_category("Beside")
    shop.make_product(category_ids=[shop.category, below, beside])
    shop.make_product(category_ids=[beside, below])
    shop.make_product(category_ids=[below])
    for id, total in ((shop.category, 3), (below, 3), (beside, 2)):
        path = f"products?cid={id}&subcats=Y&items_per_page=1"
        assert shop.root.get(path).headers["X-Total-Count"] == str(total)


def test_recount_sets_first_places(shop: Shop) -> None:
    other = shop.make_category("Other")
    shop.make_product(category_ids=[other, shop.category])
    shop.change(ProductCategory, {"category_id": other}, {"first_id": None})
    shop.change(ProductCategory, {"category_id": shop.category}, {"first_id": None})

    def action(db: Transaction) -> tuple[int, int]:
        before = len(differences(db, ()))
        recount(db, ())
        return before, len(differences(db, ()))

    assert shop.database.write(action) == (1, 0)
    rows = shop.everything()[table_of(ProductCategory).name]
    assert sorted(row[3] or 0 for row in rows) == [0, shop.category]
