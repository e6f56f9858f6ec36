"""The people of a demo store: administrators in groups, and customers."""

import random
from typing import Any, NamedTuple

from storeapi.core.folding import folded
from storeapi.demo.words import CITIES, FIRST_NAMES, LAST_NAMES, STREETS
from storeapi.models.base import KEY_LENGTH, UNIQUE_KEY_LENGTH

Row = dict[str, Any]

_YEAR_S = 365 * 24 * 3600


class Group(NamedTuple):
    """A user group: its name in English and German, and its privileges."""

    name: tuple[str, str]
    type: str
    privileges: tuple[str, ...]


GROUPS: tuple[Group, ...] = (
    Group(("Catalogue", "Katalog"), "A", ("view_catalog", "manage_catalog")),
    Group(
        ("Order desk", "Bestellannahme"),
        "A",
        ("view_orders", "manage_orders", "view_users", "view_catalog"),
    ),
    Group(
        ("Support", "Kundendienst"),
        "A",
        ("view_orders", "view_users", "manage_users", "view_discussions"),
    ),
    Group(("Wholesale", "Großhandel"), "C", ()),
)

# E-mail, first and last name, and the group of each by its place in GROUPS.
STAFF: tuple[tuple[str, str, str, int], ...] = (
    ("catalogue@example.com", "Clara", "Berg", 0),
    ("orders@example.com", "Oskar", "Weber", 1),
    ("support@example.com", "Amara", "Okafor", 2),
)

POTTER = ("potter@kilnbrook.example", ("Lena", "Moreau"))
"""The administrator of the vendor."""


def account(
    user_id: int, email: str, user_type: str, company_id: int, name: tuple[str, str]
) -> Row:
    """Make the row of an account, without a password and without an address."""
    first, last = name
    return {
        "user_id": user_id,
        "company_id": company_id,
        "user_type": user_type,
        "email": email,
        "email_key": folded(email),
        "user_login": f"user_{user_id}",
        "login_key": f"user_{user_id}",
        "firstname": first,
        "lastname": last,
        "name_key": folded(f"{last} {first}")[:KEY_LENGTH],
        "person_key": folded(f"{first} {last}")[:UNIQUE_KEY_LENGTH],
    }


def customer(user_id: int, company_id: int, now: int, chance: random.Random) -> Row:
    """Make a customer, whose goods go where the bill goes."""
    name = chance.choice(FIRST_NAMES), chance.choice(LAST_NAMES)
    email = f"{folded(name[0])}.{user_id}@example.com"
    city, country, zipcode = chance.choice(CITIES)
    phone = f"+{chance.randrange(10**10, 10**11)}"
    address = {
        "firstname": name[0],
        "lastname": name[1],
        "address": f"{chance.randrange(1, 120)} {chance.choice(STREETS)}",
        "city": city,
        "country": country,
        "zipcode": zipcode,
        "phone": phone,
    }
    return {
        **account(user_id, email, "C", company_id, name),
        "timestamp": now - chance.randrange(2 * _YEAR_S),
        "phone": phone,
        **{f"b_{key}": value for key, value in address.items()},
        **{f"s_{key}": value for key, value in address.items()},
    }
