"""What orders keep of payment data (rules.payment_info; orders.md, rule 5.5.2)."""

from typing import Any

import orjson
import pytest

from storeapi.core.errors import InvalidInput
from storeapi.rules import payment_info
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


HIDDEN = "XXXXXXXXXXXX1111"
ELSEWHERE = [
    "".join(chr(zero + int(digit)) for digit in CARD)
    for zero in (0xFF10, 0x660, 0x6F0, 0x966, 0x1D7CE, 0x245F, 0x277F)
]
"""The number in digits of full width, Arabic, Persian, Indian, bold, and in circles."""

TRACK_1 = f"%B{CARD}^DOE/JOHN^25121011000012345678?"
TRACK_2 = f";{CARD}=25121011000012345678?"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (
            {"card_number": {"a": "41111111", "b": "11111111"}},
            {"card_number": {"a": "XXXXXXXX", "b": "XXXX1111"}},
        ),
        (
            {"card_number": {"a": ["4111111111", {"b": 111111}]}},
            {"card_number": {"a": ["XXXXXXXXXX", {"b": "XX1111"}]}},
        ),
        (
            {"card_number": ["5000 0000", "0000"]},
            {"card_number": ["XXXX XXXX", "0000"]},
        ),
        ({"pan": [CARD, "5500000000000004"]}, {"pan": [HIDDEN, "XXXXXXXXXXXX0004"]}),
        (
            {"card_number_1": "4111", "card_number_2": "1111"},
            {"card_number_1": "XXXX", "card_number_2": "XXXX"},
        ),
        (
            {"cardNumber1": "500000000", "cardNumber2": "000000000"},
            {"cardNumber1": "XXXXXXXXX", "cardNumber2": "XXXXX0000"},
        ),
        (
            {"card_no_part_1": 5000, "card-no-part-2": "00000000"},
            {"card_no_part_1": "XXXX", "card-no-part-2": "XXXX0000"},
        ),
        (
            {"card": {"number": "5000 0000 0000", "code": "123", "exp_month": 12}},
            {"card": {"number": "XXXX XXXX 0000", "code": "XXX", "exp_month": "12"}},
        ),
        ({"card": ["4111", "1111"]}, {"card": ["XXXX", "XXXX"]}),
        ({"card\u200b_numb\uff45r": "1234"}, {"card\u200b_numb\uff45r": "XXXX"}),
        ({"pan": ["50000000", "visa", "0000"]}, {"pan": ["XXXXXXXX", "visa", "0000"]}),
        ({"card.number[0]": "1234"}, {"card.number[0]": "XXXX"}),
    ],
)
def test_a_number_in_pieces_is_hidden_as_one(
    sent: dict[str, Any], kept: dict[str, Any]
) -> None:
    assert masked(sent) == kept
    assert masked(kept) == kept


@pytest.mark.parametrize(
    "text",
    [
        "4111,1111,1111,1111", "4111, 1111; 1111 : 1111", "4111|1111|1111|1111",
        "(4111) (1111) (1111) (1111)", "4111\u20131111\u20141111\u22121111",
        "4111=1111=1111=1111",
        "4111^1111^1111^1111", "4111+1111+1111+1111", "4111\n1111\t1111\r\n1111",
        "4111\u200b1111\u200b1111\u200b1111", "41\u00ad11\u2060111111\ufeff111111",
        "4\u03321\u033211 1111 1111 1111", "4\ufe0f\u20e311111111111\ufe0f\u20e31111",
        "4111 1111 1111 1111 4111 1111 1111 1111", *ELSEWHERE,
        "x4111111111111111y", "3782-822463-10005", "3782,822463,10005",
    ],
)  # fmt: skip
def test_numbers_are_hidden_however_they_are_spelt(text: str) -> None:
    for sent in ({"x": text}, {"x": [{"y": [text]}]}, {text: "x"}, {"pan": text}):
        kept = masked(sent)
        told = repr(kept)
        assert sum(character.isdigit() for character in told) in (4, 8)
        assert "1111" in told or "0005" in told or "XXXX" in told
        assert masked(kept) == kept


@pytest.mark.parametrize(
    "value",
    [
        ["4111", "1111", "1111", "1111"], [4111, 1111, 1111, 1111], [*CARD],
        ["4111-1111", "1111-1111"], [["4111", "1111"], None, ["1111", "1111"]],
        [{"a": "4111"}, {"a": "1111"}, {"a": "1111"}, {"a": "1111"}],
        {"a": "4111", "b": "1111", "c": "1111", "d": "1111"},
        {"a": "41111111", "b": True, "c": {"d": "11111111"}},
        {"a": "4111", "b": "visa", "c": "1111", "d": "1111", "e": " 1111"},
        {"a": "3782", "b": "822463", "c": "10005", "d": "x"},
    ],
)  # fmt: skip
def test_groups_that_follow_each_other_are_one_number(value: Any) -> None:
    kept = masked({"x": value, "y": "paid"})
    told = repr(kept)
    assert sum(character.isdigit() for character in told) == 4
    assert kept["y"] == "paid"
    assert masked(kept) == kept


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (TRACK_1, f"%B{HIDDEN}"),
        (TRACK_2, f";{HIDDEN}"),
        (f"{TRACK_1}{TRACK_2}", f"%B{HIDDEN};{HIDDEN}"),
        (f"{CARD}=25121011000012345678", HIDDEN),
        (f"{CARD}D25121011000012345678F", HIDDEN),
        (f"{CARD}=251", HIDDEN),
        (f"\uff14{CARD[1:]}\uff1d2512101", HIDDEN),
        ("4111 1111 1111 1111 = 2512 101", "XXXX XXXX XXXX 1111"),
        (f"{CARD} = mine", f"{HIDDEN} = mine"),
    ],
)
def test_what_a_stripe_says_goes(sent: str, kept: str) -> None:
    for name in ("x", "card_number"):
        assert masked({name: sent}) == {name: kept}
    assert masked({"x": [sent]}) == {"x": [kept]}


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("6011 9521 9191 9303 364408 70940", "XXXX XXXX XXXX XXXX XXXXXX X0940"),
        ("4111111111111111 12/26 123", f"{HIDDEN} 12/26 123"),
    ],
)
def test_what_a_mask_shows_is_read_again(sent: str, kept: str) -> None:
    """The last digits of a number may begin another one."""
    assert masked({"x": sent}) == {"x": kept}
    assert masked({"x": kept}) == {"x": kept}


def test_fields_of_stripes_are_hidden() -> None:
    names = ("track2", "track_1_data", "trackData", "magstripe_data", "swipe_data")
    assert masked(dict.fromkeys(names, "1")) == dict.fromkeys(names, "XXX")


def test_tokens_go_under_all_names() -> None:
    sent = {
        "Authorization": "Bearer tok", "proxy-authorization": "Basic dTpw",
        "authorisation_header": "t", "Cookie": "sid=1", "credentials": {"a": "b"},
        "pass\u200bword": "p", "jwt": "e", "authorization_code": "A12",
        "headers": [{"name": "Authorization", "value": "bearer tok, x"}],
        "curl": "-H 'Authorization: Bearer tok'", "note": "eyJhbGciOi.eyJzdWIi.c2ln!",
    }  # fmt: skip
    kept = masked(sent)
    assert kept == {
        "authorization_code": "A12",
        "headers": [{"name": "Authorization"}],
        "curl": "-H 'Authorization: Bearer XXX",
        "note": "XXX!",
    }
    assert masked(kept) == kept


@pytest.mark.parametrize(
    "value",
    [
        "2025-01-15 10:22:33.123", "2025-12-31T23:59:59.999999+02:00", 1767225600000,
        "DE89 3704 0044 0532 0130 00", "GB29 NWBK 6016 1331 9268 19",
        "order 4711, 2500.00 EUR, 12 pieces", "+49 (30) 1234567, +49 (30) 7654321",
        "192.168.100.101", "1,234,567,890,123.45", "tracking 1Z 999 AA1 01 2345 6784",
        ["100001", "100002", "100003"], ["2025-01-15", "2025-01-16"],
        "\u2167 \ufb01ne\u200b \xe9 \xbd",
        {"customer_phone": "5551234567", "zip": "03801", "order": "4711"},
        {"last4": "1111", "card_number_last4": "1111", "exp_year": "2030"},
        ["+49301234567", "+49307654321"], "\uff14111 12", "<b>4111</b> = 5 ^ 2",
    ],
)  # fmt: skip
def test_innocent_values_stay(value: Any) -> None:
    kept = masked({"x": value})["x"]
    assert kept == (str(value) if isinstance(value, int) else value)


@pytest.mark.parametrize("sent", [None, "", [], {}, {"password": "x"}])
def test_nothing_is_empty(sent: Any) -> None:
    assert read_payment_info(sent) == ""


@pytest.mark.parametrize(
    "sent",
    [
        "4111", 5, [1], {"a": "\0"}, {"\0": "a"}, {"a": "x" * 20_000},
        {"a": "1 " * 1_000_000}, {"password": "x" * 1_000_000},
    ],
)  # fmt: skip
def test_what_is_no_payment_data(sent: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_payment_info(sent)
    assert all(e.field.startswith("payment_info") for e in caught.value.errors)


def test_what_never_comes_to_rest_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payment_info, "_MOST_PASSES", 0)
    with pytest.raises(InvalidInput, match="holds too many numbers"):
        read_payment_info({"x": CARD})


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


@pytest.mark.parametrize(
    "sent",
    [
        {"n": CARD},
        {CARD: "x"},
        {"x": [CARD, "5"]},
        {"pan_1": "4111", "pan_2": "1111"},
        {"fields": [{"name": "card_number", "value": "41"}]},
        {"fields": [{"name": "expiry", "value": "12/30"}]},
    ],
)
def test_what_a_card_shows_is_dropped_under_all_names(sent: dict[str, Any]) -> None:
    """Rule 5.3.6: whatever field a number came in; sentences stay as they are."""
    note = {"note": "use XXXXXXXXXXXX1111"}
    assert without_card(orjson.dumps(note).decode()) == orjson.dumps(note).decode()
    kept = without_card(read_payment_info({**sent, "phone": "+15551234"}))
    assert "phone" in kept
    assert not any(each in kept for each in ("X", "12/30", "1111"))


@pytest.mark.parametrize(
    "key",
    [
        "cv2", "ccv", "CCV2", "cvd", "c_v_v", "C.V.V", "cv_code", "sec_code", "pinCode",
        "cryptogram", "cardSecurity", "pin-code", "pinblock", "icc_data", "track1data",
        "tracks", "swipe", "magnetic",
    ],
)  # fmt: skip
def test_codes_are_hidden_under_all_names(key: str) -> None:
    assert masked({key: "123"}) == {key: "XXX"}
    assert masked({"name": key, "value": "123"}) == {"name": key, "value": "XXX"}


@pytest.mark.parametrize(
    "key",
    ["pass_word", "PASS WORD", "pwd", "user_pw", "t_o_k_e_n", "session_id", "otp",
     "paymentNonce", "pass"],
)  # fmt: skip
def test_secrets_go_under_all_names(key: str) -> None:
    assert masked({key: "hunter2"}) == {}
    assert masked({"field": key, "value": "hunter2"}) == {"field": key}


@pytest.mark.parametrize(
    "parts",
    [
        ["4111 1111", "1111 1111"],
        ["4111-1111", "1111-1111"],
        ["4111 1111 1111", "1111"],
        ["4111 11", "11 1111", "1111"],
    ],
)
def test_groups_in_parts_of_any_size_are_hidden(parts: list[str]) -> None:
    sent = {f"part {n}": text for n, text in enumerate(parts)}
    kept = masked(sent)
    assert sum(map(str.isdigit, "".join(kept.values()))) == 4
    assert masked(kept) == kept


@pytest.mark.parametrize(
    "sent",
    [
        {"iban": "DE97 5187 3280 9274 6998 76"},
        {"account": "DE50 5744 7621 6827 5217 48"},
        {"note": "from DE65 2008 8951 1371 7030 76"},
        {"secretary": "Ann"},
        {"recv_currency": "EUR", "track_number": "JJD01", "boarding_pass": "7F"},
    ],
)
def test_what_only_looks_like_it_stays(sent: dict[str, str]) -> None:
    assert masked(sent) == sent
