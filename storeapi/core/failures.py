"""What a database error means: a passing failure, or a violated constraint."""

import re
import sqlite3
from http import HTTPStatus
from typing import Any

from sqlalchemy import Dialect
from sqlalchemy.exc import DBAPIError

from storeapi.core.errors import Fault, Refused

_POSTGRESQL_TRANSIENT = {
    "40001",  # serialization failure
    "40P01",  # deadlock
    "55P03",  # lock not available
    "57P01",  # the server is being shut down
    "57P02",
    "57P03",
}
_MYSQL_TRANSIENT = {
    1020,  # record changed since last read
    1040,  # too many connections
    1047,  # a cluster node that is not ready
    1205,  # lock wait timeout
    1213,  # deadlock
}
_MYSQL_TOO_LARGE = 1153  # a packet above max_allowed_packet
_SQLITE_BUSY = ("database is locked", "database table is locked")


class Again(Exception):
    """The transaction met another one; the same work is to be done again."""


class CommitUnknown(Fault):
    """503: the connection was lost while committing; nobody knows the outcome."""

    status = HTTPStatus.SERVICE_UNAVAILABLE


class Violation(Refused):
    """A constraint refused a row; `constraint` is its name or its columns.

    Shapes: SQLite names columns (`users.email_key`) where others name the
    constraint (`uq_users_email_key`); `reference` is true for foreign keys.
    """

    def __init__(self, constraint: str, *, reference: bool = False) -> None:
        super().__init__(
            "another object still refers to it, or it refers to one that is gone"
            if reference
            else "the value is already in use"
        )
        self.constraint = constraint
        self.reference = reference


def _driver_error(error: BaseException) -> BaseException:
    if isinstance(error, DBAPIError) and error.orig is not None:
        return error.orig
    return error


def is_lost(dialect: Dialect, error: BaseException) -> bool:
    """Whether the connection itself is gone."""
    error = _driver_error(error)
    driver = dialect.dbapi
    if driver is None or not isinstance(error, driver.Error):
        return False
    if dialect.driver == "psycopg":
        # An error that no server sent: the connection was closed, or never made.
        state = getattr(error, "sqlstate", None)
        return isinstance(error, driver.OperationalError) and (
            state is None or state.startswith("08")
        )
    return bool(dialect.is_disconnect(error, None, None))


def is_transient(dialect: Dialect, error: BaseException) -> bool:
    """Whether the same work may well succeed when it is done again."""
    if isinstance(error, Again):
        return True
    error = _driver_error(error)
    driver = dialect.dbapi
    if driver is None or not isinstance(error, driver.Error):
        return False
    if isinstance(error, sqlite3.Error) and str(error).startswith(_SQLITE_BUSY):
        return True
    state = getattr(error, "sqlstate", None)
    if state in _POSTGRESQL_TRANSIENT:
        return True
    if error.args and error.args[0] in _MYSQL_TRANSIENT:
        return True
    return is_lost(dialect, error)


def is_too_large(error: BaseException) -> bool:
    """Whether the server refused a statement for its length."""
    error = _driver_error(error)
    return bool(error.args) and error.args[0] == _MYSQL_TOO_LARGE


def violation(dialect_name: str, error: BaseException) -> Violation:
    """Read the violated constraint from a driver's integrity error."""
    if dialect_name == "postgresql":
        diagnostics: Any = getattr(error, "diag", None)
        name = getattr(diagnostics, "constraint_name", None) or ""
        state = getattr(error, "sqlstate", "") or ""
        return Violation(name, reference=state in ("23503", "23001"))
    text = str(error)
    if dialect_name == "sqlite":
        if text.startswith("FOREIGN KEY"):
            return Violation("", reference=True)
        return Violation(text.partition(": ")[2].removeprefix("index '").rstrip("'"))
    found = re.search(r"for key '(?:[^'.]*\.)?([^']+)'", text)
    reference = re.search(r"CONSTRAINT [`'\"]([^`'\"]+)", text)
    if reference:
        return Violation(reference.group(1), reference=True)
    return Violation(found.group(1) if found else "")
