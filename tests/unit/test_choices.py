"""What a customer may choose (options.md 5, exceptions.md 5.3, combinations.md 7)."""

import time
from typing import Any

import pytest

from storeapi.core.errors import InvalidInput
from storeapi.rules.choice_texts import choice_of, choice_text
from storeapi.rules.choices import (
    LONGEST_ENTRY,
    Modifier,
    Offer,
    OfferedOption,
    OfferedVariant,
    is_allowed,
    judge,
    modified,
)
from storeapi.rules.patterns import TIME_LIMIT_S

M, XXL, RED, BLUE, UNTICKED, TICKED = 1, 2, 3, 4, 5, 6
SIZE, COLOUR, PRINT = 44, 45, 46
XXL_WITHOUT_PRINT = {SIZE: XXL, COLOUR: -1, PRINT: -2}


def option(id: int, kind: str, *variants: int, **more: Any) -> OfferedOption:
    return OfferedOption(
        id, kind, f"option {id}", [OfferedVariant(each) for each in variants], **more
    )


def offer(*options: OfferedOption, **more: Any) -> Offer:
    return Offer(7, "T-shirt", options=options, **more)


SHIRT = (
    option(SIZE, "S", M, XXL, inventory=True),
    option(COLOUR, "R", RED, BLUE, inventory=True),
    option(PRINT, "C", UNTICKED, TICKED),
)


def faults(product: Offer, sent: Any) -> dict[str, str]:
    with pytest.raises(InvalidInput) as caught:
        judge(product, sent)
    return {error.field: error.message for error in caught.value.errors}


@pytest.mark.parametrize(
    ("exception", "chosen", "allowed"),
    [
        # No closed entry: refused if the plain part agrees.
        ({SIZE: XXL, COLOUR: RED}, {SIZE: XXL, COLOUR: RED}, False),
        ({SIZE: XXL, COLOUR: RED}, {SIZE: XXL, COLOUR: BLUE}, True),
        ({SIZE: XXL, COLOUR: -1}, {SIZE: XXL, COLOUR: BLUE}, False),
        ({SIZE: XXL, COLOUR: -1}, {SIZE: M, COLOUR: BLUE}, True),
        # Options that are not named never matter.
        ({SIZE: XXL}, {SIZE: XXL, COLOUR: BLUE}, False),
        ({COLOUR: RED}, {SIZE: XXL}, True),
        # Closed entries: refused only if one of them is set.
        (XXL_WITHOUT_PRINT, {SIZE: XXL, COLOUR: RED, PRINT: TICKED}, False),
        (XXL_WITHOUT_PRINT, {SIZE: XXL, COLOUR: RED, PRINT: UNTICKED}, True),
        (XXL_WITHOUT_PRINT, {SIZE: XXL, COLOUR: RED}, True),
        (XXL_WITHOUT_PRINT, {SIZE: M, COLOUR: RED, PRINT: TICKED}, True),
        ({SIZE: XXL, COLOUR: -2, PRINT: -2}, {SIZE: XXL, COLOUR: RED}, False),
        ({PRINT: -2}, {SIZE: XXL, PRINT: TICKED}, False),
    ],
)
def test_forbidding_exceptions(
    exception: dict[int, int], chosen: dict[int, int], allowed: bool
) -> None:
    assert is_allowed("F", [exception], chosen, {UNTICKED}) is allowed


@pytest.mark.parametrize(
    ("chosen", "allowed"),
    [
        ({SIZE: XXL, COLOUR: RED}, True),
        ({SIZE: XXL, COLOUR: BLUE, PRINT: UNTICKED}, True),
        ({SIZE: XXL, COLOUR: RED, PRINT: TICKED}, False),
        ({SIZE: M, COLOUR: RED, PRINT: TICKED}, True),
        ({SIZE: M, COLOUR: BLUE}, False),
        ({}, False),
    ],
)
def test_allowing_exceptions(chosen: dict[int, int], allowed: bool) -> None:
    exceptions = [XXL_WITHOUT_PRINT, {SIZE: M, COLOUR: RED}]
    assert is_allowed("A", exceptions, chosen, {UNTICKED}) is allowed


@pytest.mark.parametrize("kind", ["F", "A"])
def test_without_exceptions_everything_is_allowed(kind: str) -> None:
    assert is_allowed(kind, [], {SIZE: XXL})


def test_choice_that_does_not_go_together_names_the_product() -> None:
    product = offer(*SHIRT, exceptions=[XXL_WITHOUT_PRINT])
    found = faults(product, {"44": "2", "45": 3, "46": TICKED})
    assert list(found) == ["product_options"]
    assert "'T-shirt'" in found["product_options"]
    assert judge(product, {"44": "2", "45": 3, "46": UNTICKED}).values == {
        "44": "2",
        "45": "3",
    }


def test_unticked_box_that_is_left_out_counts_as_unticked() -> None:
    product = offer(*SHIRT, exceptions_type="A", exceptions=[{PRINT: UNTICKED}])
    assert judge(product, {}).values == {}
    assert list(faults(product, {"46": TICKED})) == ["product_options"]


def test_stock_is_named_by_all_inventory_options() -> None:
    choice = judge(offer(*SHIRT), {"45": BLUE, "44": M, "46": TICKED})
    assert choice.stocked == "44_1:45_4"
    assert list(choice.values) == ["44", "45", "46"]
    assert judge(offer(*SHIRT), {"45": BLUE}).stocked == "45_4"
    box = option(PRINT, "C", UNTICKED, TICKED, inventory=True)
    assert judge(offer(box), None).stocked == "46_5"
    assert judge(offer(), []).stocked == ""


@pytest.mark.parametrize("kind", ["S", "R", "C", "I", "T", "F"])
@pytest.mark.parametrize("value", [None, "", UNTICKED])
def test_required_option_must_be_given(kind: str, value: Any) -> None:
    variants = (UNTICKED, TICKED) if kind == "C" else (M,) if kind in "SR" else ()
    if value == UNTICKED and kind != "C":
        value = None
    product = offer(option(9, kind, *variants, required=True))
    found = faults(product, {"9": value})
    assert found == {"product_options.9": "is required (product 'T-shirt')"}


def test_required_option_without_variants_is_let_by_only_if_hidden() -> None:
    hidden = option(9, "S", required=True, missing_variants_handling="H")
    assert judge(offer(hidden), {}).chosen == []
    assert list(faults(offer(option(9, "S", required=True)), {})) == [
        "product_options.9"
    ]


def test_every_wrong_option_is_named() -> None:
    found = faults(offer(*SHIRT), {"44": BLUE, "45": "x", "99": 1})
    assert list(found) == [
        "product_options.44",
        "product_options.45",
        "product_options.99",
    ]


@pytest.mark.parametrize("sent", ["x", [1], 7])
def test_choice_must_be_an_object(sent: Any) -> None:
    assert list(faults(offer(*SHIRT), sent)) == ["product_options"]


def test_pattern_is_applied_only_with_its_message() -> None:
    rule = {"regexp": "^[0-9]+$", "incorrect_message": "Digits, please"}
    strict = option(9, "I", **rule)
    assert judge(offer(strict), {"9": "123"}).values == {"9": "123"}
    found = faults(offer(strict), {"9": "12a"})
    assert found == {"product_options.9": "Digits, please (product 'T-shirt')"}
    lax = option(9, "T", **{**rule, "incorrect_message": ""})
    assert judge(offer(lax), {"9": "12a"}).values == {"9": "12a"}


@pytest.mark.parametrize("kind", ["I", "T", "F"])
def test_entries_are_bounded(kind: str) -> None:
    entered = option(9, kind)
    longest = "a" * LONGEST_ENTRY
    assert judge(offer(entered), {"9": longest}).values == {"9": longest}
    text = f"is longer than {LONGEST_ENTRY} characters (product 'T-shirt')"
    assert faults(offer(entered), {"9": longest + "a"}) == {"product_options.9": text}


def test_pattern_that_never_ends_is_cut_off() -> None:
    evil = option(9, "I", regexp="^(a|aa)+$", incorrect_message="No")
    started = time.monotonic()
    assert faults(offer(evil), {"9": "a" * 500 + "!"}) != {}
    assert TIME_LIMIT_S <= time.monotonic() - started < 20 * TIME_LIMIT_S


@pytest.mark.parametrize(
    ("value", "several", "passes"),
    [
        ("a.PDF", False, True),
        ("a.exe", False, False),
        (["a.pdf"], False, True),
        (["a.pdf", "b.jpg"], False, False),
        (["a.pdf", "b.jpg"], True, True),
        ("pdf", False, True),
    ],
)
def test_files_have_allowed_endings(value: Any, several: bool, passes: bool) -> None:
    upload = option(9, "F", allowed_extensions="jpg, .pdf", multiupload=several)
    if passes:
        assert judge(offer(upload), {"9": value}).chosen != []
    else:
        assert list(faults(offer(upload), {"9": value})) == ["product_options.9"]


@pytest.mark.parametrize(
    ("base", "modifiers", "expected"),
    [
        (1000, [], 1000),
        (1000, [(3500, "A")], 1350),
        (1000, [(10_000, "P")], 1100),
        # Parts are taken of the base, not of the running sum.
        (1000, [(5000, "A"), (10_000, "P")], 1600),
        # Rounded once, half up: 0.333 % + 0.333 % of 10.00 are 6.66 cents.
        (1000, [(333, "P"), (333, "P")], 1007),
        (100, [(5, "A")], 101),
        (100, [(4, "A")], 100),
        (100, [(4, "A"), (4, "A")], 101),
        (1000, [(-2500, "A")], 750),
        (100, [(-2500, "A")], 0),
    ],
)
def test_price_with_modifiers(
    base: int, modifiers: list[tuple[int, str]], expected: int
) -> None:
    assert modified(base, 2, [Modifier(*each) for each in modifiers]) == expected


def test_choice_modifies_price_weight_and_points() -> None:
    heavy = OfferedVariant(M, "M", Modifier(1500), Modifier(150), Modifier(50_000, "P"))
    choice = judge(offer(OfferedOption(9, "S", variants=[heavy])), {"9": str(M)})
    assert choice.price(1000) == 1150
    assert choice.weight(2000) == 2150
    assert choice.points(10) == 15


def test_choice_text_is_the_same_in_any_order() -> None:
    assert choice_text({45: 121, 44: 118}) == "44_118:45_121"
    assert choice_of("44_-1:45_-2") == {44: -1, 45: -2}
    assert choice_of("") == {}
