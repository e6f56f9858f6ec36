"""How payloads of orders are read (rules.order_sent, rules.order_contacts)."""

from typing import Any

import pytest

from storeapi.core.errors import InvalidInput
from storeapi.rules.order_contacts import read_contact
from storeapi.rules.order_sent import read_notify, read_sent, read_shipping


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({}, None),
        ({"shipping_id": None}, None),
        ({"shipping_id": "0"}, None),
        ({"shipping_id": []}, None),
        ({"shipping_id": 4}, 4),
        ({"shipping_id": "4"}, 4),
        ({"shipping_id": ["4", 9]}, {0: 4, 1: 9}),
        ({"shipping_id": "4,9"}, {0: 4, 1: 9}),
        ({"shipping_id": {"0": "4", "2": 9, "3": ""}}, {0: 4, 2: 9}),
        ({"shipping_ids": ["4"]}, {0: 4}),
        ({"shipping_id": 4, "shipping_ids": [5]}, 4),
    ],
)
def test_shipping(sent: dict[str, Any], expected: Any) -> None:
    assert read_shipping(sent) == expected


@pytest.mark.parametrize("name", ["shipping_id", "shipping_ids"])
@pytest.mark.parametrize("value", ["x", -1, 1.5, {"a": 1}, {"0": "x"}, ["x"], True])
def test_shipping_that_cannot_be(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_shipping({name: value})
    assert [each.field for each in caught.value.errors] == [name]


@pytest.mark.parametrize("yes", ["Y", "y", "1", 1, True, "true"])
@pytest.mark.parametrize("no", ["N", "0", 0, False, "", None])
def test_notify(yes: Any, no: Any) -> None:
    sent = {"notify_user": yes, "notify_vendor": no}
    assert read_notify(sent) == {"notify_user"}


def test_every_fault_is_named_at_once() -> None:
    def load() -> Any:
        raise InvalidInput.of("notes", "is bad")

    bad = {
        "products": "x",
        "shipping_id": "x",
        "user_data": 5,
        "payment_info": 5,
        "notify_user": "x",
    }
    with pytest.raises(InvalidInput) as caught:
        read_sent(bad, load, whole=False)
    fields = [each.field for each in caught.value.errors]
    assert fields == ["notes", *bad]


@pytest.mark.parametrize("user_id", [7, "7"])
def test_what_does_not_count_is_not_judged(user_id: Any) -> None:
    """Section 2.1: of a registered customer the profile counts; POST tells nobody."""
    products = {"products": {"5": {"amount": 1}}}
    sent = {**products, "user_id": user_id, "user_data": 5, "notify_user": "x"}
    _, found = read_sent(sent, lambda: {"user_id": 7}, whole=True)
    assert (found.contact, found.notify) == (None, frozenset())
    with pytest.raises(InvalidInput) as caught:
        read_sent(sent, lambda: {"user_id": 7}, whole=False)
    fields = [each.field for each in caught.value.errors]
    assert fields == ["user_data", "notify_user"]


def test_contacts_keep_what_they_know() -> None:
    sent = {
        "email": "a@example.com",
        "b_city": None,
        "b_country": "us",
        "x": 1,
        "fields": {"3": 5, "4": None},
    }
    assert read_contact(sent) == {
        "email": "a@example.com",
        "b_city": "",
        "b_country": "US",
        "fields": '{"3":"5","4":""}',
    }
    assert read_contact({"fields": []}) == {"fields": ""}


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ("x", "user_data"),
        ({"email": ""}, "user_data.email"),
        ({"b_city": "x" * 129}, "user_data.b_city"),
        ({"s_address_type": "ship"}, "user_data.s_address_type"),
        ({"firstname": ["x"]}, "user_data.firstname"),
        ({"fields": "x"}, "user_data.fields"),
        ({"fields": {"3": ["x"]}}, "user_data.fields.3"),
    ],
)
def test_contacts_that_cannot_be(sent: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_contact(sent)
    assert [each.field for each in caught.value.errors] == [field]
