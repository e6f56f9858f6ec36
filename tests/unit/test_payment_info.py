"""What orders keep of payment data (rules.payment_info; orders.md, rule 5.5.2)."""

from typing import Any

import orjson
import pytest

from storeapi.core.errors import InvalidInput
from storeapi.rules.payment_info import masked, read_payment_info, without_card

CARD = "4111111111111111"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"card_number": CARD}, {"card_number": "XXXXXXXXXXXX1111"}),
        ({"cardNumber": 4111111111111111}, {"cardNumber": "XXXXXXXXXXXX1111"}),
        (
            {"card-number": "4111-1111-1111-1111"},
            {"card-number": "XXXX-XXXX-XXXX-1111"},
        ),
        ({"card_number": "1234"}, {"card_number": "XXXX"}),
        (
            {"cvv2": "123", "CVC": 999, "security_code": "1"},
            {"cvv2": "XXX", "CVC": "XXX", "security_code": "XXX"},
        ),
        ({"password": "p", "access_token": "t", "api_key": "k", "x": "y"}, {"x": "y"}),
        ({"note": f"pay by {CARD}."}, {"note": "pay by XXXXXXXXXXXX1111."}),
        ({"note": "4111 1111 1111 1112"}, {"note": "4111 1111 1111 1112"}),
        (
            {"a": {"b": [{"pan": CARD}, CARD]}},
            {"a": {"b": [{"pan": "XXXXXXXXXXXX1111"}, "XXXXXXXXXXXX1111"]}},
        ),
        (
            {"customer_phone": "+49 30 1234567", "paid": True, "code": None},
            {"customer_phone": "+49 30 1234567", "paid": True, "code": None},
        ),
    ],
)
def test_cards_are_hidden(sent: dict[str, Any], kept: dict[str, Any]) -> None:
    assert masked(sent) == kept
    assert CARD not in read_payment_info(sent)


@pytest.mark.parametrize("sent", [None, "", [], {}, {"password": "x"}])
def test_nothing_is_empty(sent: Any) -> None:
    assert read_payment_info(sent) == ""


@pytest.mark.parametrize(
    "sent", ["4111", 5, [1], {"a": "\0"}, {"\0": "a"}, {"a": "x" * 20_000}]
)
def test_what_is_no_payment_data(sent: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_payment_info(sent)
    assert all(e.field.startswith("payment_info") for e in caught.value.errors)


def test_card_data_is_dropped() -> None:
    kept = {
        "card": "visa",
        "card_number": "XX",
        "expiry_month": "1",
        "cvv2": "XXX",
        "cardholder_name": "M",
        "customer_phone": "5",
    }
    stored = orjson.dumps(kept).decode()
    assert without_card(stored) == '{"customer_phone":"5"}'
    assert without_card('{"card":"visa"}') == without_card("") == ""
