"""Requests for one cart that arrive together, at a server with several processes."""

from tests.serving import Server, together
from tests.shop import Shop


def test_adding_the_same_product_together_ends_with_the_sum(
    shop: Shop, server: Server
) -> None:
    """Also where none of them finds a cart yet (carts.md, rule 5.10)."""
    id = shop.make_product(price="2", amount=99)
    user = shop.caller(user_type="C").user_id
    replies = together(
        [
            lambda n=n: server.send(
                shop.root, "PUT", f"carts/{user}", {"product_id": id, "amount": n}
            )
            for n in range(1, 11)
        ]
    )
    assert [reply.status for reply in replies] == [200] * 10
    record = shop.root.get(f"carts/{user}").get_json()
    assert (record["cart_products"], record["total"]) == ("55", "110.00")
    assert len(record["products"]) == 1


def test_a_product_that_goes_leaves_no_line_behind(shop: Shop, server: Server) -> None:
    """Whoever is first: the sums of every cart are those of its lines."""
    kept = shop.make_product(price="2", amount=99)
    for _ in range(3):
        gone = shop.make_product(price="5", amount=99)
        users = [shop.caller(user_type="C").user_id for _ in range(4)]
        for user in users:
            shop.root.put(f"carts/{user}", {"product_id": kept})
        calls = [
            lambda user=user, gone=gone: server.send(
                shop.root, "PUT", f"carts/{user}", {"product_id": gone}
            )
            for user in users
        ]
        path = f"products/{gone}"
        replies = together(
            [*calls, lambda path=path: server.send(shop.root, "DELETE", path)]
        )
        assert replies[-1].status == 204
        assert {reply.status for reply in replies[:-1]} <= {200, 400}
        for user in users:
            record = shop.root.get(f"carts/{user}").get_json()
            assert (record["cart_products"], record["total"]) == ("1", "2.00")
            assert len(record["products"]) == 1
