"""What all tables share: the handle, the names, the column types.

Every column holds an integer or a text, so that the rows of a driver need no
conversion on any database. Texts compare exactly and sort by code point on all
of them. Two names follow a rule: a column `<field>_key` holds the text of `<field>`
folded (to compare without regard to case, and to sort), and a table
`<thing>_texts` holds one row per object and language. An object that refers to
no other has null there, which the wire shows as 0; company 0 is a row.
"""

from typing import Annotated, Any

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.dialects.mysql import MEDIUMTEXT
from sqlalchemy.orm import DeclarativeBase, MappedColumn, mapped_column
from sqlalchemy.types import TypeEngine

NAMING_CONVENTION = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
}

KEY_LENGTH = 255
"""Length of keys that only sort: the folded text is cut at it."""

UNIQUE_KEY_LENGTH = 765
"""Length of keys that keep 255 characters unique: folding triples at most."""

_SERVER_OPTIONS = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
    "mysql_engine": "InnoDB",
    "mysql_charset": "utf8mb4",
    "mysql_collate": "utf8mb4_0900_bin",
}


def str_(length: int) -> TypeEngine[str]:
    """A text of at most `length` characters, ordered by code point."""
    ordered = String(length, collation="C")
    return String(length).with_variant(ordered, "postgresql")


def text_() -> TypeEngine[str]:
    """A text without a limit of its own, ordered by code point.

    MariaDB's TEXT ends at 64 KiB; MEDIUMTEXT holds any body the server takes.
    """
    ordered = Text(collation="C")
    return (
        Text()
        .with_variant(ordered, "postgresql")
        .with_variant(MEDIUMTEXT(), "mysql", "mariadb")
    )


def table_options(*items: object) -> dict[str, Any]:
    """Options of a table made of these columns and constraints.

    SQLite gives the number of a deleted row out again unless told otherwise;
    the other databases do not, and old orders name deleted users by number.
    """
    keys = [item for item in items if isinstance(item, Column) and item.primary_key]
    numbered = (
        len(keys) == 1
        and type(keys[0].type) is Integer
        and keys[0].autoincrement is not False
        and not keys[0].foreign_keys
    )
    return _SERVER_OPTIONS | ({"sqlite_autoincrement": True} if numbered else {})


class Base(DeclarativeBase):
    """The declarative base that the flask-sqlalchemy handle is built on."""

    metadata = MetaData(naming_convention=NAMING_CONVENTION)

    @classmethod
    def __table_cls__(cls, *args: Any, **kwargs: Any) -> Table:
        """Make the table of a model, with the options that all tables have."""
        return Table(*args, **(table_options(*args) | kwargs))


db = SQLAlchemy(model_class=Base)


class Model(Base):
    """Base class of every model, of the server's and of plug-ins."""

    __abstract__ = True


def owner(target: str) -> MappedColumn[Any]:
    """A reference in the primary key: the row goes with the one it names."""
    return mapped_column(ForeignKey(target, ondelete="CASCADE"), primary_key=True)


def link(target: str, ondelete: str | None = None) -> MappedColumn[Any]:
    """A reference. Shapes: `ondelete` is `CASCADE`, `SET NULL` or nothing."""
    return mapped_column(ForeignKey(target, ondelete=ondelete))


Serial = Annotated[int, mapped_column(Integer, primary_key=True)]
Number = Annotated[int, mapped_column(Integer, primary_key=True, autoincrement=False)]
Whole = Annotated[int, mapped_column(Integer, default=0)]
Long = Annotated[int, mapped_column(BigInteger, default=0)]
Flag = Annotated[str, mapped_column(str_(1), default="N")]
Letter = Annotated[str, mapped_column(str_(1))]
LangCode = Annotated[str, mapped_column(str_(5))]
InLanguage = Annotated[str, mapped_column(str_(5), primary_key=True)]
Label = Annotated[str, mapped_column(str_(64), default="")]
Name = Annotated[str, mapped_column(str_(128), default="")]
Line = Annotated[str, mapped_column(str_(255), default="")]
SortKey = Annotated[str, mapped_column(str_(KEY_LENGTH), default="")]
Prose = Annotated[str, mapped_column(text_(), default="")]
