"""The words in which a change makes its tables; plug-ins use them too.

A change says what the tables were like when it was written, so it names columns
itself and imports no model.
"""

from typing import Any

from alembic import op
from sqlalchemy import BigInteger, Column, ForeignKey, Integer, Table
from sqlalchemy.schema import SchemaItem

from storeapi.models.base import str_, table_options, text_

Columns = list[Column[Any]]


def create_table(name: str, *items: SchemaItem) -> Table:
    """Make a table with the options that all tables have, and its indexes."""
    return op.create_table(name, *items, **table_options(*items))


def serial(name: str) -> Column[int]:
    """The number of an object, which the database counts."""
    return Column(name, Integer, primary_key=True)


def number(name: str) -> Column[int]:
    """A part of the primary key that counts nothing."""
    return Column(name, Integer, primary_key=True, autoincrement=False)


def code(length: int, name: str) -> Column[str]:
    """A text in the primary key."""
    return Column(name, str_(length), primary_key=True)


def owner(name: str, target: str) -> Column[int]:
    """A reference in the primary key: the row goes with the one it names."""
    key = ForeignKey(target, ondelete="CASCADE")
    return Column(name, Integer, key, primary_key=True)


def link(
    name: str, target: str, ondelete: str | None = None, *, null: bool = False
) -> Column[int]:
    """A reference. Shapes: `ondelete` is `CASCADE`, `SET NULL` or nothing."""
    return Column(name, Integer, ForeignKey(target, ondelete=ondelete), nullable=null)


def wholes(*names: str, null: bool = False) -> Columns:
    """Integers of 32 bits."""
    return [Column(name, Integer, nullable=null) for name in names]


def longs(*names: str, null: bool = False) -> Columns:
    """Integers of 64 bits: money, weights, times."""
    return [Column(name, BigInteger, nullable=null) for name in names]


def strings(length: int, *names: str, null: bool = False) -> Columns:
    """Texts of at most `length` characters; of one: flags and statuses."""
    return [Column(name, str_(length), nullable=null) for name in names]


def texts(*names: str, null: bool = False) -> Columns:
    """Texts without a limit."""
    return [Column(name, text_(), nullable=null) for name in names]


def contact() -> Columns:
    """A person with the addresses of bills and parcels, as users and orders have."""
    return [
        *strings(128, "email"),
        *strings(384, "email_key"),
        *strings(128, "firstname", "lastname"),
        *strings(255, "name_key"),
        *strings(765, "person_key"),
        *strings(255, "company"),
        *strings(64, "phone", "fax"),
        *strings(255, "url"),
        *_address("b"),
        *_address("s"),
        *strings(32, "s_address_type"),
    ]


def _address(side: str) -> Columns:
    return [
        *strings(128, f"{side}_firstname", f"{side}_lastname"),
        *strings(255, f"{side}_address", f"{side}_address_2"),
        *strings(128, f"{side}_city", f"{side}_county", f"{side}_state"),
        *strings(2, f"{side}_country"),
        *strings(32, f"{side}_zipcode"),
        *strings(64, f"{side}_phone"),
    ]
