"""Lines of products in every form that clients send (orders.md 2.1)."""

from typing import Any

import pytest

from storeapi.core.errors import InvalidInput
from storeapi.rules.sent_lines import MOST_LINES, SentLine, read_line, read_lines


def line(**more: Any) -> SentLine:
    return SentLine(**{"product_id": 31, "amount": 2, **more})


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        ({"31": {"amount": "2"}}, "products.31"),
        ({"1": {"product_id": "31", "amount": 2}}, "products.1"),
        ([{"product_id": 31, "amount": 2}], "products.0"),
        ({"3832313845": {"product_id": "31", "amount": 2.0}}, "products.3832313845"),
        ({"31": {"product_id": "", "amount": 2, "price": "1"}}, "products.31"),
    ],
)
def test_all_forms_are_equal(payload: Any, field: str) -> None:
    assert read_lines(payload) == [line(field=field)]


@pytest.mark.parametrize(
    ("sent", "options"),
    [
        ({"5": "102"}, {"5": "102"}),
        ([{"option_id": "5", "value": "102", "modifier": "0"}], {"5": "102"}),
        ({}, {}),
        ([], {}),
        ("", {}),
        (None, {}),
    ],
)
def test_options_are_a_map_or_as_shown(sent: Any, options: Any) -> None:
    body = {"product_id": 31, "amount": 2, "product_options": sent}
    assert read_line(body).product_options == options


@pytest.mark.parametrize(
    ("payload", "errors"),
    [
        (None, {"products": "is required"}),
        ([], {"products": "is required"}),
        ({}, {"products": "is required"}),
        ("31", {"products": "must be an array or an object of lines"}),
        ([{}] * (MOST_LINES + 1), {"products": "has more than 1000 lines"}),
        (
            {"31": 2},
            {"products.31": "must be an object with product_id and amount"},
        ),
        (
            [{"amount": 1}, {"product_id": 31}],
            {
                "products.0.product_id": "is required",
                "products.1.amount": "is required",
            },
        ),
        (
            {
                "x": {"amount": 0},
                "32": {"amount": "1.5"},
                "33": {"amount": True},
                "34": {"amount": 1_000_001},
                "35": {"amount": 1, "product_options": ["5"]},
            },
            {
                "products.x.product_id": "must be an integer",
                "products.x.amount": "must be between 1 and 1000000",
                "products.32.amount": "must be an integer",
                "products.33.amount": "must be an integer",
                "products.34.amount": "must be between 1 and 1000000",
                "products.35.product_options": "must be an object by option IDs",
            },
        ),
    ],
)
def test_bad_lines_are_named(payload: Any, errors: dict[str, str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_lines(payload)
    found = {error.field: error.message for error in caught.value.errors}
    assert found == errors


def test_an_amount_may_have_a_default() -> None:
    assert read_lines([{"product_id": 31}], default_amount=1)[0].amount == 1
    assert read_line({"product_id": "31", "amount": "2"}) == line()
    with pytest.raises(InvalidInput) as caught:
        read_line({"product_id": 31, "amount": 0}, default_amount=1)
    assert caught.value.errors[0].field == "amount"
