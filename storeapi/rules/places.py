"""Names of countries and of their states, by code."""

from functools import lru_cache
from typing import Any

import pycountry

_states: Any = pycountry.subdivisions  # its `get` is not typed


@lru_cache(maxsize=512)
def country_name(code: str) -> str:
    """The everyday English name of a country (`PT`); empty if the code is unknown.

    Source: ISO 3166-1, as pycountry has it.
    """
    found = pycountry.countries.get(alpha_2=code) if code else None
    if found is None:
        return ""
    return str(getattr(found, "common_name", found.name))


@lru_cache(maxsize=4096)
def state_name(country: str, state: str) -> str:
    """The name of a state (`US`, `CA`); empty if the state is no code but a text.

    Source: ISO 3166-2, as pycountry has it.
    """
    if not country or not state:
        return ""
    found = _states.get(code=f"{country}-{state.upper()}")
    return "" if found is None else str(found.name)


@lru_cache(maxsize=512)
def has_states(country: str) -> bool:
    """Whether a country has states at all: islands and cities have none.

    Source: ISO 3166-2, as pycountry has it.
    """
    return bool(country and _states.get(country_code=country))
