"""SQLite's planner is told what the tables hold; nothing else tells it."""

import pytest
from sqlalchemy import text

from storeapi.core import database
from storeapi.core.database import Database
from tests.shop import Shop


def known_rows(of: Database) -> int | None:
    """The number of products that the planner knows of, if it knows any."""
    found = text(
        "SELECT max(cast(stat AS integer)) FROM sqlite_stat1 WHERE tbl = 'products'"
    )
    with of.writer.begin() as core:
        number: int | None = core.scalar(found)
        return number


def test_many_writes_let_the_planner_look_again(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shop.database.dialect.name != "sqlite":
        pytest.skip("servers of databases look by themselves")
    shop.database.analyze()
    assert known_rows(shop.database) is None
    monkeypatch.setattr(database, "_WRITES_TO_ANALYZE", 3)
    monkeypatch.setattr(shop.database, "_written", 0)
    for number in range(3):
        assert known_rows(shop.database) is None
        body = {"product": f"Mug {number}", "category_ids": [shop.category]}
        shop.root.post("products", body).close()
    assert known_rows(shop.database) == 3


def test_a_refused_look_leaves_the_answer_as_it_is(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Database) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(Database, "tend", refuse)
    answer = shop.root.get("products")
    answer.close()
    assert answer.status_code == 200
