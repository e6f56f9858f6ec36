"""Box data in the text form that clients echo (rules.packing)."""

import pytest

from storeapi.rules.packing import packed, unpacked

TEXT = packed(1, 20, 300, 0, 2_147_483_647)


def test_what_was_packed_is_unpacked() -> None:
    assert unpacked(TEXT) == [1, 20, 300, 0, 2_147_483_647]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a:0:{}",
        f" {TEXT}",
        TEXT.replace("i:20;", "i:020;"),
        TEXT.replace("i:20;", "i:-20;"),
        TEXT.replace("box_width", "box_depth"),
        TEXT.replace("i:20;", "i:99999999999;"),
        TEXT.replace("i:20;", 'i:20;s:1:"x";i:1;'),
    ],
)
def test_any_other_text_is_none(text: str) -> None:
    assert unpacked(text) is None
