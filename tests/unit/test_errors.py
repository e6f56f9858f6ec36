"""Bad fields of several parts are told at once."""

import pytest

from storeapi.core.errors import FieldErrors, InvalidInput


def test_all_bad_fields_are_told_in_the_order_in_which_they_were_read() -> None:
    errors = FieldErrors()
    for name in ("price", "amount"):
        with errors:
            raise InvalidInput.of(name, "must be a number")
    with pytest.raises(InvalidInput) as caught:
        errors.tell()
    assert [each.field for each in caught.value.errors] == ["price", "amount"]


def test_nothing_is_told_where_nothing_was_bad() -> None:
    errors = FieldErrors()
    with errors:
        pass
    errors.tell()


def test_a_fault_that_names_no_field_is_let_through() -> None:
    errors = FieldErrors()
    with pytest.raises(InvalidInput, match="it names no host"), errors:
        raise InvalidInput("it names no host")
