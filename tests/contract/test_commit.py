"""What stands beside a write follows the write, also when a commit goes wrong."""

import pytest
from sqlalchemy import bindparam, func, select, update

from storeapi.core.database import Transaction
from storeapi.core.failures import CommitUnknown
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Language
from tests.shop import Shop

_LANGUAGES = table_of(Language)
_NAMED = query(
    select(func.count())
    .select_from(_LANGUAGES)
    .where(Language.name == bindparam("name", required=True))
)


def test_a_commit_of_unknown_outcome_takes_nothing_back(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(self: Transaction) -> None:
        raise CommitUnknown("lost")

    undone: list[str] = []
    monkeypatch.setattr(Transaction, "commit", lost)
    with pytest.raises(CommitUnknown):
        shop.database.write(lambda db: db.after_rollback(lambda: undone.append("file")))
    assert undone == []


def test_a_file_that_cannot_be_removed_does_not_undo_a_write(shop: Shop) -> None:
    undone: list[str] = []

    def fail() -> None:
        raise OSError("the disk is gone")

    def action(db: Transaction) -> str:
        db.after_commit(fail)
        db.after_rollback(lambda: undone.append("file"))
        return "written"

    assert shop.database.write(action) == "written"
    assert undone == []


def test_a_failed_write_takes_back_what_stood_beside_it(shop: Shop) -> None:
    undone: list[str] = []

    def action(db: Transaction) -> None:
        db.after_rollback(lambda: undone.append("file"))
        raise KeyError("refused")

    with pytest.raises(KeyError, match="refused"):
        shop.database.write(action)
    assert undone == ["file"]


@pytest.mark.parametrize("fails", [False, True])
def test_a_write_and_its_session_are_one_transaction(shop: Shop, fails: bool) -> None:
    def action(db: Transaction) -> None:
        db.update(_LANGUAGES, {"lang_code": "en"}, {"name": "By row"})
        assert db.execute(update(_LANGUAGES).values(name="By session")).rowcount
        language = db.session.scalars(select(Language)).first()
        assert language is not None
        assert language.name == "By session"
        language.name = "By object"
        if fails:
            raise KeyError("refused")

    def named(name: str) -> int:
        return int(shop.database.read(lambda db: db.value(_NAMED, name=name)))

    if fails:
        with pytest.raises(KeyError, match="refused"):
            shop.database.write(action)
    else:
        shop.database.write(action)
    assert named("By row") == 0
    assert named("By object") == (0 if fails else 1)
    # What was open is closed: the next writer does not wait, nor see it.
    shop.database.write(
        lambda db: db.update(_LANGUAGES, {"lang_code": "en"}, {"name": "At last"})
    )
    assert named("At last") == 1


@pytest.mark.parametrize("pool", ["reader", "writer"])
def test_a_connection_that_is_found_closed_is_replaced(shop: Shop, pool: str) -> None:
    # It came back to the pool as if nothing were wrong with it.
    idle = getattr(shop.database, pool).raw_connection()
    idle.driver_connection.close()
    idle.close()
    for _ in range(2):
        assert shop.database.read(lambda db: db.value(_NAMED, name="none")) == 0
        assert shop.database.write(lambda db: db.value(_NAMED, name="none")) == 0
