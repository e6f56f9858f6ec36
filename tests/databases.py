"""The databases that tests run on, and scratch databases on each.

SQLite is always there. A server is used when its variable is set (an address whose
user may create databases) or when one on this machine lets the usual user in.
STOREAPI_TEST_REQUIRE_ALL=1 makes a missing server an error.
"""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from sqlalchemy import URL, Connection, create_engine, make_url, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import NullPool

PROBE_TIMEOUT_S = 3
LOCK_TIMEOUT_S = 20

VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "postgresql": "STOREAPI_TEST_POSTGRESQL_URL",
        "mariadb": "STOREAPI_TEST_MARIADB_URL",
    }
)
LOCAL: Mapping[str, str] = MappingProxyType(
    {
        "postgresql": "postgresql+psycopg://postgres@127.0.0.1/postgres",
        "mariadb": "mariadb+pymysql://root@127.0.0.1/",
    }
)


@cache
def servers() -> Mapping[str, URL]:
    """Find the database servers: kind to an address that may create databases."""
    found = {}
    for kind, variable in VARIABLES.items():
        given = os.environ.get(variable)
        if given:
            found[kind] = make_url(given)
        elif answers(make_url(LOCAL[kind])):
            found[kind] = make_url(LOCAL[kind])
    return MappingProxyType(found)


def kinds() -> list[str]:
    """Name the kinds of database that this run uses."""
    return ["sqlite", *servers()]


def missing() -> list[str]:
    """Name the variables of the servers that were not found."""
    return [name for kind, name in VARIABLES.items() if kind not in servers()]


def all_required() -> bool:
    """Tell whether a missing server is an error."""
    return os.environ.get("STOREAPI_TEST_REQUIRE_ALL", "") not in ("", "0")


@contextmanager
def scratch_database(kind: str) -> Iterator[str]:
    """Make an empty database, yield its address, and drop it.

    The name is unique, so that runs beside each other do not meet.
    """
    name = f"storeapi_test_{os.getpid()}_{secrets.token_hex(4)}"
    if kind == "sqlite":
        with TemporaryDirectory(prefix=name, ignore_cleanup_errors=True) as folder:
            yield f"sqlite:///{Path(folder, 'store.db')}"
        return
    server = servers()[kind]
    with administration(server) as connection:
        create(connection, name)
    try:
        address = server.set(database=name)
        yield address.render_as_string(hide_password=False)
    finally:
        with administration(server) as connection:
            drop(connection, name)


@contextmanager
def administration(server: URL) -> Iterator[Connection]:
    """Connect for statements that stand outside transactions."""
    engine = create_engine(
        server,
        isolation_level="AUTOCOMMIT",
        poolclass=NullPool,
        connect_args={"connect_timeout": PROBE_TIMEOUT_S},
    )
    with engine.connect() as connection:
        yield connection


def answers(server: URL) -> bool:
    """Tell whether the server lets this user in."""
    try:
        with administration(server):
            return True
    except OperationalError:
        return False


def create(connection: Connection, name: str) -> None:
    """Create a database for any text, with the server's own order of texts.

    That order is seldom the one of the bytes, which the columns have to ask for.
    Nothing has to outlive a power cut, so commits do not wait for the disk.
    """
    if connection.dialect.name != "postgresql":
        connection.execute(text(f"CREATE DATABASE {name} CHARACTER SET utf8mb4"))
        return
    options = "ENCODING 'UTF8' TEMPLATE template0"
    connection.execute(text(f"CREATE DATABASE {name} {options}"))
    connection.execute(text(f"ALTER DATABASE {name} SET synchronous_commit = off"))


def drop(connection: Connection, name: str) -> None:
    """Drop a database; connections that a failed test left open are closed."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
        return
    connection.execute(text(f"SET SESSION lock_wait_timeout = {LOCK_TIMEOUT_S}"))
    left_open = text("SELECT id FROM information_schema.processlist WHERE db = :db")
    for id in connection.scalars(left_open, {"db": name}).all():
        with suppress(DBAPIError):  # it may have ended by itself
            connection.execute(text(f"KILL {int(id)}"))
    connection.execute(text(f"DROP DATABASE IF EXISTS {name}"))
