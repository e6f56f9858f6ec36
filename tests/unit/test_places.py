"""Names of countries and states."""

import pytest

from storeapi.rules.places import country_name, state_name


@pytest.mark.parametrize(
    ("code", "name"),
    [("PT", "Portugal"), ("BO", "Bolivia"), ("XX", ""), ("", ""), ("pt", "Portugal")],
)
def test_country_has_its_everyday_name(code: str, name: str) -> None:
    assert country_name(code) == name


@pytest.mark.parametrize(
    ("country", "state", "name"),
    [
        ("US", "CA", "California"),
        ("US", "ca", "California"),
        ("PT", "Porto district", ""),
        ("", "CA", ""),
        ("US", "", ""),
    ],
)
def test_state_has_a_name_where_it_is_a_code(
    country: str, state: str, name: str
) -> None:
    assert state_name(country, state) == name
