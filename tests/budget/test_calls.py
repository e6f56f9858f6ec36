"""Python calls per encoded row: what a longer page adds, on any machine the same."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from tests.contract.samples import SAMPLED, create
from tests.shop import Shop

ROWS = 40
# There are no more letters for statuses.
ROWS_OF = {"statuses": 20}
# Calls of Python functions for one more row of a list, by entity.
BUDGET = {"products": 25, "orders": 5}
USUAL = 4


def _calls(ask: Callable[[], Any]) -> int:
    count = 0

    def note(_frame: FrameType, what: str, _argument: Any) -> None:
        nonlocal count
        count += what == "call"

    for _ in range(3):
        ask()
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        ask()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", SAMPLED)
@pytest.mark.any_database  # the drivers count differently
def test_calls_per_row(shop: Shop, name: str) -> None:
    rows = ROWS_OF.get(name, ROWS)
    for _ in range(rows + 2):
        create(shop, name)
    few = _calls(lambda: shop.root.get(f"{name}?items_per_page=2"))
    many = _calls(lambda: shop.root.get(f"{name}?items_per_page={rows + 2}"))
    per_row = (many - few) / rows
    assert per_row <= BUDGET.get(name, USUAL)
