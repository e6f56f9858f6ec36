"""Requests that arrive together, at a real server with several processes."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import func, select

from storeapi.core.database import Transaction
from storeapi.core.rows import table_of
from storeapi.counting import differences
from storeapi.models import ApiKey, IdempotencyKey, Product
from storeapi.rules.translations import tables_of_texts
from tests.concurrency.conftest import LEASE_S
from tests.serving import Reply, Server, together
from tests.shop import Shop


def _statuses(replies: list[Reply]) -> dict[int, int]:
    found = [reply.status for reply in replies]
    return {status: found.count(status) for status in set(found)}


def test_one_of_many_updates_wins(shop: Shop, server: Server) -> None:
    """`If-Match`: exactly one 200, the rest 412, and the winner's value stays."""
    id = shop.make_product(amount=25)
    path = f"products/{id}"
    tag = {"If-Match": server.send(shop.root, "GET", path).headers["etag"]}
    replies = together(
        [
            lambda n=n: server.send(shop.root, "PUT", path, {"amount": n}, tag)
            for n in range(100, 112)
        ]
    )
    assert _statuses(replies) == {200: 1, 412: 11}
    winner = 100 + [reply.status for reply in replies].index(200)
    assert shop.root.get(path).get_json()["amount"] == str(winner)


def test_an_update_and_a_delete_exclude_each_other(shop: Shop, server: Server) -> None:
    """`If-Match` on both: one of them finds the object changed or gone."""
    for _ in range(5):
        path = f"products/{shop.make_product(amount=25)}"
        tag = {"If-Match": server.send(shop.root, "GET", path).headers["etag"]}
        replies = together(
            [
                lambda path=path, tag=tag: server.send(
                    shop.root, "PUT", path, {"amount": 1}, tag
                ),
                lambda path=path, tag=tag: server.send(
                    shop.root, "DELETE", path, None, tag
                ),
            ]
        )
        assert [r.status for r in replies] in ([200, 412], [404, 204])


def test_one_of_many_gets_a_unique_value(shop: Shop, server: Server) -> None:
    """Twenty equal POSTs: one 201, and 400 that names the field for the rest."""
    body = {"lang_code": "fr", "name": "French"}
    replies = together([lambda: server.send(shop.root, "POST", "languages", body)] * 20)
    assert _statuses(replies) == {201: 1, 400: 19}
    refused = next(reply for reply in replies if reply.status == 400)
    assert refused.json()["errors"][0]["field"] == "lang_code"


def test_one_key_stores_one_object(shop: Shop, server: Server) -> None:
    """`Idempotency-Key`: all answers equal, or 409 while the first is running."""
    body = {"product": "Mug", "category_ids": [shop.category]}
    key = {"Idempotency-Key": "together"}
    replies = together(
        [lambda: server.send(shop.root, "POST", "products", body, key)] * 10
    )
    assert set(_statuses(replies)) <= {201, 409}
    bodies = {reply.body for reply in replies if reply.status == 201}
    assert len(bodies) == 1
    assert all("retry-after" in r.headers for r in replies if r.status == 409)
    assert shop.root.get("products").headers["X-Total-Count"] == "1"
    again = server.send(shop.root, "POST", "products", body, key)
    assert (again.status, again.body) == (201, bodies.pop())
    assert again.headers["idempotency-replayed"] == "true"


@pytest.mark.only_on("postgresql", "mariadb")
def test_a_crash_leaves_the_key_usable(shop: Shop, server: Server) -> None:
    """A worker that dies in mid-request holds its key until the lease ends.

    On SQLite the lock that stops it would hold the claim, too.
    """
    id = shop.make_product(amount=1)
    path, key = f"products/{id}", {"Idempotency-Key": "crash"}
    with shop.database.writer.connect() as blocker:
        table = table_of(Product)
        blocker.execute(
            select(table.c.product_id).where(table.c.product_id == id).with_for_update()
        )
        crashed = _crash(shop, server, path, key)
        assert crashed == "no answer"
    server.wait()
    assert server.send(shop.root, "PUT", path, {"amount": 9}, key).status == 409
    time.sleep(LEASE_S + 1.1)
    reply = server.send(shop.root, "PUT", path, {"amount": 9}, key)
    assert (reply.status, "idempotency-replayed" in reply.headers) == (200, False)
    assert shop.root.get(path).get_json()["amount"] == "9"


def _crash(shop: Shop, server: Server, path: str, key: dict[str, str]) -> str:
    """Kill every worker while a PUT waits for a row that another holds."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(server.send, shop.root, "PUT", path, {"amount": 9}, key)
        deadline = time.monotonic() + 10
        while not _is_claimed(shop, key["Idempotency-Key"]):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        server.kill_workers()
        error = running.exception(20)
    return "an answer" if error is None else "no answer"


def _is_claimed(shop: Shop, key: str) -> bool:
    table = table_of(IdempotencyKey)
    statement = select(table.c.state).where(table.c.key == key)
    return shop.database.write(lambda db: db.execute(statement).first()) is not None


def test_a_claim_without_an_owner_ends(shop: Shop, server: Server) -> None:
    """The same on every database: a claim that nobody completes."""
    body = {"lang_code": "fr", "name": "French"}
    key = {"Idempotency-Key": "orphan"}
    first = server.send(shop.root, "POST", "languages", body, key)
    assert first.status == 201
    now = int(time.time())
    lost = {"state": "running", "owner": "gone", "lease_until": now + LEASE_S}
    shop.change(IdempotencyKey, {"key": "orphan"}, lost)
    running = server.send(shop.root, "POST", "languages", body, key)
    assert running.status == 409
    assert 1 <= int(running.headers["retry-after"]) <= LEASE_S
    time.sleep(LEASE_S + 1.1)
    assert server.send(shop.root, "POST", "languages", body, key).status == 400


def _counted(shop: Shop, **where: Any) -> int:
    table = table_of(Product)
    statement = select(func.count()).select_from(table)
    for name, value in where.items():
        statement = statement.where(table.c[name] == value)

    def count(db: Transaction) -> int:
        return int(db.execute(statement).scalar_one())

    return shop.database.write(count)


def test_kept_totals_stay_true(shop: Shop, server: Server) -> None:
    """After parallel creating, changing and deleting, totals equal COUNT(*)."""
    shared = shop.make_category("Shared", company_id=0)
    ids = [shop.make_product(f"Mug {n}", category_ids=[shared]) for n in range(12)]
    body = {"product": "New", "category_ids": [shared]}
    calls: list[Any] = [
        lambda n=n: server.send(
            shop.root, "POST", "products", {**body, "status": "AHD"[n % 3]}
        )
        for n in range(8)
    ]
    for number, id in enumerate(ids):
        path = f"products/{id}"
        change = {"status": "HD"[number % 2]}
        if number % 3 == 0:
            calls.append(lambda path=path: server.send(shop.root, "DELETE", path))
        if number % 3 == 1:
            change = {"company_id": shop.vendor}
        calls.append(
            lambda path=path, change=change: server.send(shop.root, "PUT", path, change)
        )
    replies = together(calls)
    assert set(_statuses(replies)) <= {200, 201, 204, 404}
    checks: list[dict[str, Any]] = [{}]
    checks += [{"status": letter} for letter in "AHD"]
    checks += [{"company_id": id} for id in (shop.store, shop.vendor)]
    checks += [{**a, **b} for a in checks[1:4] for b in checks[4:]]
    for where in checks:
        query = "&".join(f"{name}={value}" for name, value in where.items())
        listed = shop.root.get(f"products?items_per_page=1&{query}")
        total = int(listed.headers["X-Total-Count"])
        assert (where, total) == (where, _counted(shop, **where))


def test_revocation_acts_on_the_next_request(shop: Shop, server: Server) -> None:
    """Of every worker: nothing of a caller is remembered between requests."""
    caller = shop.caller("view_languages")

    def ask() -> Reply:
        return server.send(caller, "GET", "languages")

    assert _statuses(together([ask] * 12)) == {200: 12}
    shop.change(ApiKey, {"user_id": caller.user_id}, {"expires_at": 1})
    assert _statuses(together([ask] * 12)) == {401: 12}


def test_privileges_act_on_the_next_request(shop: Shop, server: Server) -> None:
    """Of every worker, through the API itself."""
    caller = shop.caller("view_catalog")
    group = shop.group("view_languages")

    def ask() -> Reply:
        return server.send(caller, "GET", "languages")

    assert _statuses(together([ask] * 8)) == {403: 8}
    shop.join(caller.user_id, group)
    assert _statuses(together([ask] * 8)) == {200: 8}
    body = {"status": "D"}
    assert server.send(shop.root, "PUT", f"usergroups/{group}", body).status == 200
    assert _statuses(together([ask] * 8)) == {403: 8}


def test_parallel_updates_of_one_object_all_succeed(shop: Shop, server: Server) -> None:
    """Without `If-Match` the last one counts, and none is lost half-way."""
    id = shop.make_product()
    path = f"products/{id}"
    replies = together(
        [
            lambda n=n: server.send(
                shop.root, "PUT", path, {"price": str(n), "list_price": str(n)}
            )
            for n in range(1, 13)
        ]
    )
    assert _statuses(replies) == {200: 12}
    record = shop.root.get(path).get_json()
    assert record["price"] == record["list_price"]


def _texts(shop: Shop) -> dict[str, dict[str, int]]:
    """The number of texts in each language, by table."""

    def count(db: Transaction) -> dict[str, dict[str, int]]:
        found = {}
        for table in tables_of_texts():
            code = table.c.lang_code
            rows = db.execute(select(code, func.count()).group_by(code))
            found[table.name] = {code: int(number) for code, number in rows}
        return found

    return shop.database.write(count)


def test_a_language_comes_while_texts_are_written(shop: Shop, server: Server) -> None:
    """Whatever is made or changed meanwhile has its texts in that language, too."""
    ids = [shop.make_product(f"Mug {n}") for n in range(4)]
    feature = {
        "description": "Colour",
        "feature_type": "S",
        "variants": [{"variant": "Red"}, {"variant": "Blue"}],
    }
    for attempt in range(4):
        code = ("fr", "es", "it", "pt")[attempt]
        changed = {"product": f"Mug of {attempt}", "product_code": code}
        bodies: list[tuple[str, str, Any]] = [
            ("POST", "languages", {"lang_code": code, "name": code}),
            ("POST", "products", {"product": "New", "category_ids": [shop.category]}),
            ("POST", "categories", {"category": f"Bowls {attempt}"}),
            ("POST", "features", feature),
            ("POST", "usergroups", {"usergroup": code, "type": "C", "status": "A"}),
            *[("PUT", f"products/{id}", changed) for id in ids],
        ]
        replies = together(
            [lambda each=each: server.send(shop.root, *each) for each in bodies * 2]
        )
        assert set(_statuses(replies)) == {200, 201, 400}
        for table, numbers in _texts(shop).items():
            assert len(set(numbers.values())) <= 1, (code, table, numbers)
        query = f"products?q={code}&lang_code={code}"
        found = server.send(shop.root, "GET", query).headers["x-total-count"]
        assert found == str(len(ids))


def test_offers_come_and_go_together(shop: Shop, server: Server) -> None:
    """Each tells the common product and the others; none waits in a ring."""
    made = shop.root.post("master_products", {"product": "Kettle", "price": 3})
    common = made.get_json()["product_id"]
    path = f"master_products/{common}/master_product_offers"
    vendors = [shop.company(f"Vendor {n}", kind="V") for n in range(8)]
    going = [
        shop.root.post(path, {"company_id": each}).get_json()["product_id"]
        for each in vendors[:4]
    ]
    replies = together(
        [
            *[
                lambda id=id: server.send(
                    shop.root, "DELETE", f"master_product_offers/{id}"
                )
                for id in going
            ],
            *[
                lambda id=id: server.send(shop.root, "POST", path, {"company_id": id})
                for id in vendors[4:]
            ],
        ]
    )
    assert _statuses(replies) == {204: 4, 201: 4}
    found = shop.root.get(f"products/{common}").get_json()
    assert found["master_product_offers_count"] == "4"


def test_moves_that_meet_make_no_ring(shop: Shop, server: Server) -> None:
    """Two pages are moved below each other at once: one move is refused."""
    for attempt in range(5):
        ids = []
        for name in "ABC":
            body = {"page_type": "T", "page": f"{name}{attempt}"}
            answer = shop.root.post("pages", body)
            ids.append(answer.get_json()["page_id"])
        ring = [(ids[0], ids[1]), (ids[1], ids[2]), (ids[2], ids[0])]
        replies = together(
            [
                lambda id=id, parent=parent: server.send(
                    shop.root, "PUT", f"pages/{id}", {"parent_id": parent}
                )
                for id, parent in ring
            ]
        )
        assert _statuses(replies) == {200: 2, 400: 1}
        for id in ids:
            record = shop.root.get(f"pages/{id}").get_json()
            path = record["id_path"].split("/")
            assert record["level"] == len(path) - 1 == len(set(path)) - 1
            assert path[-2:-1] == ([record["parent_id"]] if record["level"] else [])


def test_ratings_that_meet_add_up(shop: Shop, server: Server) -> None:
    """One thread for first posts that arrive together, and its sums are exact."""
    product = shop.make_product()
    body = {"object_type": "P", "object_id": product}
    stars = [1, 2, 3, 4, 5, 5, 4, 3]
    replies = together(
        [
            lambda n=n: server.send(
                shop.root, "POST", "discussions", {**body, "rating_value": n}
            )
            for n in stars
        ]
    )
    assert _statuses(replies) == {201: len(stars)}
    posts = shop.root.get("discussions").get_json()["discussions"]
    assert len({post["thread_id"] for post in posts}) == 1
    ids = [post["post_id"] for post in posts]
    together(
        [
            *(
                lambda id=id: server.send(
                    shop.root, "PUT", f"discussions/{id}", {"rating_value": 2}
                )
                for id in ids[:3]
            ),
            *(
                lambda id=id: server.send(shop.root, "DELETE", f"discussions/{id}")
                for id in ids[3:5]
            ),
            lambda: server.send(
                shop.root, "PUT", f"discussions/{ids[5]}", {"status": "D"}
            ),
        ]
    )
    assert shop.database.write(lambda db: differences(db, [])) == []
    left = shop.root.get("discussions?status=A").get_json()["discussions"]
    assert len(left) == 5
    total = sum(int(post["rating_value"]) for post in left)
    found = shop.root.get(f"products/{product}").get_json()["average_rating"]
    assert found == f"{total / 5:.2f}"


def test_a_post_and_the_end_of_its_product(shop: Shop, server: Server) -> None:
    """A product that goes while it is reviewed leaves no post behind."""
    for _ in range(5):
        product = shop.make_product()
        body = {"object_type": "P", "object_id": product, "rating_value": 3}
        replies = together(
            [
                lambda body=body: server.send(shop.root, "POST", "discussions", body),
                lambda id=product: server.send(shop.root, "DELETE", f"products/{id}"),
            ]
        )
        assert replies[0].status in (201, 400)
        assert replies[1].status == 204
        assert shop.everything()["discussion_posts"] == []
        assert shop.everything()["discussion_threads"] == []
