"""SQLite's planner is told what the tables hold; nothing else tells it."""

import pytest
from sqlalchemy import text

from storeapi.core import database
from storeapi.core.database import Database
from storeapi.core.rows import table_of
from storeapi.models import Langvar
from tests.shop import Shop


def known(of: Database) -> list[str]:
    """The tables that the planner knows."""
    with of.writer.begin() as core:
        found = core.execute(text("SELECT DISTINCT tbl FROM sqlite_stat1"))
        return sorted(found.scalars())


@pytest.mark.only_on("sqlite")
def test_many_writes_let_the_planner_look_again(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    monkeypatch.setattr(database, "_MANY_WRITES", 4)
    monkeypatch.setattr(shop.database, "_writes_to_analyze", 2)
    monkeypatch.setattr(shop.database, "_written", 0)
    monkeypatch.setattr(shop.database, "analyze", lambda: looked.append(number))
    for number in range(1, 15):
        body = {"product": f"Mug {number}", "category_ids": [shop.category]}
        shop.root.post("products", body).close()
    assert looked == [2, 6, 10, 14]


@pytest.mark.only_on("sqlite")
def test_the_planner_knows_large_tables_alone(shop: Shop) -> None:
    shop.make_product()
    names = [{"name": f"n{number}"} for number in range(1200)]
    shop.database.write(lambda db: db.insert_many(table_of(Langvar), names))
    shop.database.analyze()
    assert known(shop.database) == ["langvars"]


def test_a_refused_look_leaves_the_answer_as_it_is(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Database) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(Database, "tend", refuse)
    answer = shop.root.get("products")
    answer.close()
    assert answer.status_code == 200
