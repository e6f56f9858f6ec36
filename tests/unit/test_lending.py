"""Who takes over the options of whom, when places in a group change."""

import pytest

from storeapi.rules.lending import Handover, plan


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({1: 1, 2: 1}, {1: 1, 2: 1}, [], id="nothing moves"),
        pytest.param({1: 1, 2: 2}, {1: 1, 2: 1}, [(2, None, (), True)], id="one joins"),
        pytest.param(
            {1: 1, 2: 1, 3: 1},
            {1: 3, 2: 3, 3: 3},
            [(1, 3, (), False)],
            id="another leads",
        ),
        pytest.param(
            {1: 1, 2: 1, 3: 1},
            {1: 1, 2: 2, 3: 2},
            [(1, None, (2,), False)],
            id="the default stands alone",
        ),
        pytest.param(
            {1: 1, 2: 1, 3: 1}, {2: 2, 3: 2}, [(1, 2, (), False)], id="it is deleted"
        ),
        pytest.param(
            {1: 1, 2: 1, 3: 1}, {2: 2, 3: 3}, [(1, 2, (3,), False)], id="two inherit"
        ),
        pytest.param(
            {1: 1, 2: 1}, {1: 1, 2: 2}, [(1, None, (2,), False)], id="a child leaves"
        ),
        pytest.param(
            {1: 1, 2: 1, 3: 3, 4: 3},
            {1: 3, 2: 2, 3: 3, 4: 3},
            [(1, 2, (), False)],
            id="the default moves to another item",
        ),
        pytest.param({1: 1}, {}, [], id="deleted alone"),
    ],
)
def test_plan(
    before: dict[int, int],
    after: dict[int, int],
    expected: list[tuple[int, int | None, tuple[int, ...], bool]],
) -> None:
    assert plan(before, after) == [Handover(*each) for each in expected]
