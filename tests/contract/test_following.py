"""A list that is followed has the total that counting gives, whatever is written."""

import random
from collections.abc import Callable
from threading import Thread

import pytest
from flask import Flask

from storeapi.core import following
from storeapi.core.rows import table_of
from storeapi.models import Product
from tests.budget.test_statements import observed
from tests.products import refused
from tests.shop import NOW, Shop

QUERIES = (
    "q=mug", "q=blue+mug", "q=blue+mug&match=any", "q=mug&status=A", "q=ug&pname=Y",
    "q=mug&company_id={store}&status=D", "cid={top}", "cid={top}&subcats=Y",
    "cid={top}&subcats=Y&q=mug&status=A", "q=mug&group_child_variations=1",
)  # fmt: skip


@pytest.fixture
def followed(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A shop in which lists of any length are followed, and none is yet."""
    monkeypatch.setattr(shop.database, "following", shop.following())
    return shop


def total(shop: Shop, query: str) -> int:
    answer = shop.root.get(f"products?items_per_page=1&{query}")
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return int(answer.headers["X-Total-Count"])


def counted(shop: Shop, query: str) -> int:
    held, shop.database.following = shop.database.following, None
    try:
        return total(shop, query)
    finally:
        shop.database.following = held


def searches(seen: list[str]) -> int:
    """How often the index of words was asked; once it is for the page itself."""
    words = ("MATCH", "to_tsquery", "AGAINST")
    return sum(any(word in text for word in words) for text in seen)


def test_what_is_asked_for_again_is_not_counted_again(followed: Shop) -> None:
    for number in range(30):
        followed.make_product(f"Mug {number}")
    for times in (2, 2, 1, 1):  # counted, read whole, followed
        with observed(followed) as seen:
            assert total(followed, "q=mug") == 30
        assert searches(seen) == times


def test_short_lists_are_counted(shop: Shop) -> None:
    shop.make_product()
    for _ in range(3):
        with observed(shop) as seen:
            assert total(shop, "q=mug") == 1
        assert searches(seen) == 2


def test_what_others_decide_is_counted(followed: Shop) -> None:
    followed.make_product(tax_ids=[followed.make_tax()])
    for query in ("q=mug&order_ids=1", "q=mug&price_from=0", "q=mug&amount_from=0"):
        total(followed, query)
        with observed(followed) as seen:
            assert total(followed, query) == counted(followed, query)
        assert not any("updated_timestamp >=" in text for text in seen)


@pytest.mark.parametrize("seed", range(3))
def test_any_writes_between(followed: Shop, seed: int) -> None:
    chance = random.Random(seed)
    ids = [followed.make_product(name) for name in ("Blue mug", "Mug", "Lamp", "Mug")]
    top = followed.category
    places = [top] + [followed.make_category("Below", parent=top) for _ in range(3)]
    places.append(followed.make_category("Elsewhere"))
    queries = [query.format(store=followed.store, top=top) for query in QUERIES]
    for query in queries:
        total(followed, query)
    for _ in range(40):
        _write(followed, chance, ids, places)
        for query in chance.sample(queries, 3):
            assert total(followed, query) == counted(followed, query), query


def _write(
    shop: Shop, chance: random.Random, ids: list[int], places: list[int]
) -> None:
    act = chance.randrange(9)
    name = chance.choice(["Blue mug", "Mug", "Lamp", "Smuggler", "Blue"])
    if act == 0 or not ids:
        ids.append(shop.make_product(name, status=chance.choice("AD")))
    elif act == 1:
        gone = ids.pop(chance.randrange(len(ids)))
        assert shop.root.delete(f"products/{gone}").status_code == 204
    elif act == 2 and len(places) > 2:
        gone = places.pop(chance.randrange(1, len(places)))
        assert shop.root.delete(f"categories/{gone}").status_code == 204
    elif act == 3 and len(places) > 2:
        moved, below = chance.sample(places[1:], 2)
        shop.root.put(f"categories/{moved}", {"parent_id": chance.choice([0, below])})
    elif act < 6:
        chosen = chance.sample(places, chance.randint(1, len(places)))
        answer = shop.root.put(
            f"products/{chance.choice(ids)}", {"category_ids": chosen}
        )
        assert answer.status_code == 200
    else:
        body = {"status": chance.choice("ADH")} if act == 6 else {"product": name}
        body = {"product_code": name} if act == 7 else body
        answer = shop.root.put(f"products/{chance.choice(ids)}", body)
        if answer.status_code != 200:  # it has lost its last category
            refused(answer, "category_ids")
            assert act == 6


def age(shop: Shop) -> None:
    """Let all changes lie so far back that nobody looks at them."""
    shop.database.write(
        lambda db: db.update(table_of(Product), {"product_type": "P"}, _LONG_AGO)
    )


_LONG_AGO = {"updated_timestamp": NOW}


def test_a_language_that_comes_again_has_other_texts(followed: Shop) -> None:
    for _ in range(3):
        id = followed.make_product()
        followed.root.put(f"products/{id}", {"product": "Becher", "lang_code": "de"})
    age(followed)
    paths = ("q=mug&lang_code=de", "q=becher&lang_code=de")
    assert [total(followed, path) for path in paths * 3] == [0, 3] * 3
    assert followed.root.delete("languages/de").status_code == 204
    body = {"lang_code": "de", "name": "Deutsch", "from_lang_code": "en"}
    assert followed.root.post("languages", body).status_code == 201
    assert [total(followed, path) for path in paths * 3] == [3, 0] * 3
    languages = followed.root.get("languages").get_json()["languages"]
    code = {each["lang_code"]: each["lang_id"] for each in languages.values()}
    for id, name in ((code["de"], "fr"), (code["en"], "xx"), (code["de"], "en")):
        followed.root.put(f"languages/{id}", {"lang_code": name})
    assert total(followed, "q=mug&lang_code=en") == 3


def test_slow_writes_are_told_of(
    followed: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [followed.make_product() for _ in range(3)]
    age(followed)
    assert [total(followed, "q=mug") for _ in range(3)] == [3, 3, 3]
    with monkeypatch.context() as slow:
        slow.setattr(following, "_SLOW_S", -1)
        followed.root.put(f"products/{ids[0]}", {"product": "Lamp"})
    age(followed)
    assert total(followed, "q=mug") == 2


def test_a_clock_that_is_set_back(
    followed: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [followed.make_product() for _ in range(3)]
    assert [total(followed, "q=mug") for _ in range(3)] == [3, 3, 3]
    followed.root.put(f"products/{ids[0]}", {"product": "Lamp"})
    age(followed)
    now = following.time.time()
    monkeypatch.setattr(following.time, "time", lambda: now - 600)
    assert total(followed, "q=mug") == 2


def test_writes_of_another_process_count(
    followed: Shop, make_app: Callable[..., Flask]
) -> None:
    ids = [followed.make_product() for _ in range(3)]
    assert [total(followed, "q=mug") for _ in range(3)] == [3, 3, 3]
    here, there = followed.root.client, make_app().test_client()
    followed.root.client = there
    followed.root.delete(f"products/{ids[0]}")
    followed.root.put(f"products/{ids[1]}", {"product": "Lamp"})
    followed.make_product()
    followed.root.client = here
    assert total(followed, "q=mug") == 2


def test_a_row_that_goes_while_another_comes(followed: Shop) -> None:
    ids = [followed.make_product() for _ in range(3)]
    assert [total(followed, "q=mug") for _ in range(3)] == [3, 3, 3]
    followed.root.delete(f"products/{ids[2]}")
    followed.make_product("Lamp")
    assert total(followed, "q=mug") == 2


def test_languages_and_companies_have_lists_of_their_own(followed: Shop) -> None:
    shop, other = followed, followed.other_store
    id = shop.make_product("Mug")
    there = shop.make_category("There", company_id=other)
    shop.make_product("Mug", company_id=other, category_ids=[there])
    shop.root.put(f"products/{id}", {"product": "Becher", "lang_code": "de"})
    for _ in range(3):
        assert total(shop, "q=mug") == 2
        assert total(shop, "q=mug&lang_code=de") == 1
        assert total(shop, f"q=mug&company_id={other}") == 1
        both = f"company_id[]={other}&company_id[]={shop.store}"
        assert total(shop, f"q=mug&{both}") == 2


def test_after_many_changes_the_list_is_counted(
    followed: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_CHANGES", 2)
    ids = [followed.make_product() for _ in range(4)]
    assert [total(followed, "q=mug") for _ in range(3)] == [4, 4, 4]
    for id in ids[:3]:
        followed.root.put(f"products/{id}", {"product": "Lamp"})
    with observed(followed) as seen:
        assert total(followed, "q=mug") == 1
    assert searches(seen) == 2


def test_old_changes_are_not_looked_at_again(followed: Shop) -> None:
    id = followed.make_product()
    age(followed)
    for _ in range(3):
        with observed(followed) as seen:
            assert total(followed, "q=mug") == 1
    before = len(seen)
    followed.root.put(f"products/{id}", {"product": "Blue mug"})
    for _ in range(2):  # a write before it may still come
        with observed(followed) as seen:
            assert total(followed, "q=mug") == 1
        assert len(seen) == before + 1


def test_the_oldest_list_makes_room(
    followed: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_REMEMBERED", 3)
    for name in ("Mug", "Mug", "Lamp", "Lamp"):
        followed.make_product(name)
    for query in ("q=mug", "q=lamp") * 3:
        assert total(followed, query) == 2
    with observed(followed) as seen:
        assert total(followed, "q=mug") == 2
    assert searches(seen) == 2


def test_threads_that_ask_and_write(followed: Shop) -> None:
    for _ in range(5):
        followed.make_product()
    total(followed, "q=mug")
    faults: list[str] = []

    def ask() -> None:
        for _ in range(10):
            number = total(followed, "q=mug")
            if not 5 <= number <= 15:
                faults.append(str(number))

    def write() -> None:
        for _ in range(5):
            followed.make_product()

    threads = [Thread(target=each) for each in (ask, ask, write, write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert total(followed, "q=mug") == counted(followed, "q=mug") == 15
