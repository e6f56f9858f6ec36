"""What orders keep of payment data (rules.payment_info; orders.md, rule 5.5.2)."""

from typing import Any

import orjson
import pytest

from storeapi.core.errors import InvalidInput
from storeapi.rules.payment_info import masked, read_payment_info, without_card

CARD = "4111111111111111"
PHONE = "+4930123456703"  # its digits check as those of a card do


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
        ({"credit_card_no": "5000 0000 0000"}, {"credit_card_no": "XXXX XXXX 0000"}),
        ({"card_number": 4111111111111111.0}, {"card_number": "XXXXXXXXXXXX1111"}),
        (
            {"cvv2": "123", "CVC": 999, "security_code": "1"},
            {"cvv2": "XXX", "CVC": "XXX", "security_code": "XXX"},
        ),
        (
            {"card_cvv": "1", "cvvCode": "2", "verification_value": "3", "card_pin": 4},
            dict.fromkeys(
                ("card_cvv", "cvvCode", "verification_value", "card_pin"), "XXX"
            ),
        ),
        ({"shipping": "12", "company": "5"}, {"shipping": "12", "company": "5"}),
        ({CARD: "yes"}, {"XXXXXXXXXXXX1111": "yes"}),
        (
            {"note": f"{CARD} 12/26 123, {CARD[:4]}_{CARD[4:]}"},
            {"note": "XXXXXXXXXXXX1111 12/26 123, XXXX_XXXXXXXX1111"},
        ),
        ({"password": "p", "access_token": "t", "api_key": "k", "x": "y"}, {"x": "y"}),
        ({"note": f"pay by {CARD}."}, {"note": "pay by XXXXXXXXXXXX1111."}),
        ({"note": "4111 1111 1111 1112"}, {"note": "4111 1111 1111 1112"}),
        (
            {"a": {"b": [{"pan": CARD}, CARD]}},
            {"a": {"b": [{"pan": "XXXXXXXXXXXX1111"}, "XXXXXXXXXXXX1111"]}},
        ),
        (
            {"phone": PHONE, "fax": "0049151123456703"},
            {"phone": PHONE, "fax": "0049151123456703"},
        ),
        ({"phone": f"+{CARD}"}, {"phone": "+XXXXXXXXXXXX1111"}),
        (
            {"customer_phone": "+49 30 1234567", "paid": True, "code": None},
            {"customer_phone": "+49 30 1234567", "paid": True, "code": None},
        ),
    ],
)
def test_cards_are_hidden(sent: dict[str, Any], kept: dict[str, Any]) -> None:
    assert masked(sent) == kept
    # Sent as it is shown, it stays.
    assert masked(kept) == kept


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
        "credit_card": {"holder": "M"},
        "security_code": "XXX",
        "valid_thru": "12/26",
        "expiry_month": "1",
        "cvv2": "XXX",
        "cardholder_name": "M",
        "customer_phone": "5",
    }
    stored = orjson.dumps(kept).decode()
    assert without_card(stored) == '{"customer_phone":"5"}'
    nested = '{"a":[{"pan":"XX","b":"1"}]}'
    assert without_card(nested) == '{"a":[{"b":"1"}]}'
    assert without_card('{"card":"visa"}') == without_card("") == ""
