"""Writes of what orders are sold by, sent together to a real server."""

from tests.serving import Reply, Server, together
from tests.shop import Shop


def test_each_status_gets_a_letter_of_its_own(shop: Shop, server: Server) -> None:
    """Twelve statuses without a letter: twelve letters, and none is lost."""
    body = {"description": "On hold"}
    replies = together(
        [lambda: server.send(shop.root, "POST", "statuses", body) for _ in range(12)]
    )
    assert [reply.status for reply in replies] == [201] * 12
    listed = shop.root.get("statuses?items_per_page=50").get_json()["statuses"]
    letters = sorted(record["status"] for record in listed)
    assert letters == sorted({*"PCOFDBIY", *"AEGHJKLMQRSU"})


def test_a_tax_that_goes_stays_in_no_list(shop: Shop, server: Server) -> None:
    """Whoever names a tax while it is deleted names it in vain, or is refused."""
    for _ in range(3):
        tax = shop.make_tax()
        products = [shop.make_product(f"Mug {n}") for n in range(4)]
        body = {"tax_ids": [tax]}

        def name(id: int, body: object = body) -> Reply:
            return server.send(shop.root, "PUT", f"products/{id}", body)

        def delete(tax: int = tax) -> Reply:
            return server.send(shop.root, "DELETE", f"taxes/{tax}", None)

        calls = [lambda id=id: name(id) for id in products]
        replies = together([*calls[:2], delete, *calls[2:]])
        assert {reply.status for reply in replies} <= {200, 204, 400}
        found = [shop.root.get(f"products/{id}").get_json() for id in products]
        assert [record["tax_ids"] for record in found] == [[]] * 4
