"""What stands beside a write follows the write, also when a commit goes wrong."""

import pytest

from storeapi.core.database import Transaction
from storeapi.core.failures import CommitUnknown
from tests.shop import Shop


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
