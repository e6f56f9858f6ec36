"""What requests make of the lines of a cart (carts.md, 2.4 and 5)."""

from dataclasses import replace

import pytest

from storeapi.core.errors import InvalidInput
from storeapi.rules.cart_contents import CartItem, ItemChange, Wish, settled, touched
from storeapi.rules.choices import Choice, Chosen, OfferedOption
from storeapi.rules.lines import Line, item_id
from storeapi.rules.sent_lines import SentLine

NOW = 2000
MUG = CartItem(item_id(1, []), 1, 2, 500, 500, 1000, {})
POT = CartItem(item_id(2, ["x"]), 2, 1, 900, 900, 1500, {"9": "x"})


def line(product_id: int, amount: int, price: int = 500, text: str = "") -> Line:
    chosen = [Chosen(OfferedOption(9, "I"), None, text)] if text else []
    choice = Choice(product_id, chosen)
    key = item_id(product_id, choice.values.values())
    return Line(
        item_id=key,
        price=price,
        amount=amount,
        base_price=price,
        product_id=product_id,
        company_id=1,
        choice=choice,
    )


def test_added_lines_follow_those_that_stay() -> None:
    wish = Wish(added=[SentLine(3, 4)])
    assert wish.lines([MUG]) == [SentLine(1, 2, {}, judged=False), SentLine(3, 4)]
    after = settled([MUG], [line(1, 2), line(3, 4)], wish, NOW)
    assert after[0] == MUG
    assert (after[1].timestamp, after[1].item_id) == (NOW, item_id(3, []))
    assert touched([MUG], after, wish) == [item_id(3, [])]


def test_contents_that_replace_keep_key_and_time_of_equal_lines() -> None:
    old = replace(MUG, item_id=77)
    wish = Wish(products=[SentLine(1, 5)])
    after = settled([old, POT], [line(1, 5)], wish, NOW)
    assert after == [replace(old, amount=5)]
    assert touched([old, POT], after, wish) == [77]


def test_lines_that_cannot_be_bought_stay() -> None:
    """`lines` holds only what can be."""
    wish = Wish(added=[SentLine(1, 1)])
    assert settled([POT, MUG], [line(1, 3)], wish, NOW) == [
        POT,
        replace(MUG, amount=3),
    ]


def test_a_changed_line_goes_or_keeps_its_time() -> None:
    gone = Wish(change=ItemChange(POT.item_id, 0))
    assert gone.lines([MUG, POT]) == [MUG.kept]
    assert settled([MUG, POT], [line(1, 2)], gone, NOW) == [MUG]
    assert touched([MUG, POT], [MUG], gone) == [POT.item_id]
    other = Wish(change=ItemChange(POT.item_id, None, {"9": "y"}))
    assert other.lines([POT]) == [SentLine(2, 1, {"9": "y"})]
    (after,) = settled([POT], [line(2, 1, 900, "y")], other, NOW)
    assert (after.timestamp, after.options) == (POT.timestamp, {"9": "y"})
    assert touched([POT], [after], other) == [item_id(2, ["y"])]
    same = Wish(change=ItemChange(POT.item_id, 1))
    assert touched([POT], [POT], same) == [POT.item_id]


def test_a_line_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        Wish(change=ItemChange(5, 1)).lines([MUG])
    assert caught.value.errors[0].field == "item_id"


def test_a_new_line_takes_no_key_of_another() -> None:
    """Old lines keep theirs, whichever comes first."""
    old = replace(POT, item_id=item_id(3, []))
    lines = [line(3, 1), line(2, 1, 900, "x")]
    after = settled([old], lines, Wish(added=[SentLine(3)]), NOW)
    assert [item.item_id for item in after] == [item_id(3, []), item_id(3, ["1"])]
    assert [item.product_id for item in after] == [2, 3]
