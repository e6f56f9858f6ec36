"""The database as entities and rules see it.

Reads run in autocommit on an engine of their own; a write runs in one
transaction that the front controller opens, repeats when it fails for a passing
reason, and commits.
"""

import random
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Engine, PoolProxiedConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from storeapi.core.changes import Change
from storeapi.core.connection import (
    BROKEN_OFF,
    Connection,
    Outside,
    Row,
    Transaction,
)
from storeapi.core.engines import STATISTICS, begin
from storeapi.core.errors import BodyTooLarge, Unavailable
from storeapi.core.failures import (
    Again,
    CommitUnknown,
    is_lost,
    is_too_large,
    is_transient,
)

if TYPE_CHECKING:
    from storeapi.core.counts import Counts
    from storeapi.core.following import Following
    from storeapi.core.lateness import Lateness

T = TypeVar("T")
Subscriber = Callable[[Connection, Sequence[Change]], None]

_BACKOFF_S = 0.01
_FEW_WRITES = 1000
_MANY_WRITES = 100_000


class Database:
    """The two engines, and how work on them is opened and repeated.

    `writer` opens transactions; `reader` is the same database in autocommit,
    whose pool does not reset connections.
    """

    def __init__(self, writer: Engine, reader: Engine, *, retries: int = 5) -> None:
        self.writer = writer
        self.reader = reader
        self.retries = retries
        self.dialect = writer.dialect
        self.can_prepare = writer.dialect.driver == "psycopg"
        self.subscribers: list[Subscriber] = []
        self.counts: Counts | None = None
        self.following: Following | None = None
        self.lateness: Lateness | None = None
        self.hold_languages: Callable[[Transaction], Sequence[str]] | None = None
        self.observer: Callable[[str], None] | None = None
        self._written = 0
        self._writes_to_analyze = _FEW_WRITES
        driver = writer.dialect.dbapi
        assert driver is not None
        self.integrity_error: type[Exception] = driver.IntegrityError
        # What SQLite's driver says of a number that is too large is Python's own error.
        self.data_error = (driver.DataError, OverflowError)
        # Of the program, of a cursor, and of a cursor through SQLAlchemy.
        self.errors: tuple[type[Exception], ...] = (driver.Error, DBAPIError)
        self.failures = (Again, *self.errors)

    def close(self) -> None:
        """Close all connections that are not in use."""
        self.writer.dispose()
        self.reader.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Borrow a connection for reads, in autocommit."""
        pooled = self.reader.raw_connection()
        try:
            connection = Connection(self, pooled.driver_connection)
            try:
                yield connection
            finally:
                if connection.is_open:
                    pooled.invalidate()
        except self.failures as error:
            if is_transient(self.dialect, error):
                pooled.invalidate(error)
            raise
        finally:
            pooled.close()

    @contextmanager
    def writing(self, memo: dict[Hashable, Any] | None = None) -> Iterator[Transaction]:
        """Open a transaction; it commits unless the block raises.

        `memo` holds the results of work that was done outside of it.
        """
        pooled = self.writer.raw_connection()
        try:
            work = self._opened(pooled, {} if memo is None else memo)
            begun = time.monotonic()
            try:
                yield work
                if self.counts is not None:
                    self.counts.write(work)
                if self.following is not None:
                    self.following.tell(work, time.monotonic() - begun)
                if self.lateness is not None:
                    self.lateness.renew(work, time.monotonic() - begun)
                work.commit()
            except CommitUnknown:
                # The write may be true, so what was stored beside it has to stay.
                pooled.invalidate()
                raise
            except BaseException:
                work.rollback()
                raise
            work.finish()
        finally:
            pooled.close()

    def _opened(
        self, pooled: PoolProxiedConnection, memo: dict[Hashable, Any]
    ) -> Transaction:
        try:
            begin(self.dialect, pooled.driver_connection)
            return Transaction(self, pooled, memo)
        except self.errors as error:
            if is_lost(self.dialect, error):
                pooled.invalidate()
            raise

    def write(self, action: Callable[[Transaction], T]) -> T:
        """Run `action` in a transaction, again if it failed for a passing reason.

        Raises: `Unavailable` when the retries are used up.
        """
        memo: dict[Hashable, Any] = {}
        result = self._repeat(lambda: self._write_once(action, memo))
        self._written += 1
        return result

    def tend(self) -> None:
        """Do what a database server does by itself, where there is none.

        It takes about 0.1 s, after many writes: call it when nobody waits. Each time
        it waits for twice as many, since a store changes less and less by a number.
        """
        if self.dialect.name == "sqlite" and self._written >= self._writes_to_analyze:
            self._written = 0
            self._writes_to_analyze = min(2 * self._writes_to_analyze, _MANY_WRITES)
            self.analyze()

    def analyze(self) -> None:
        """Let the planner look at the tables, where nothing else lets it by now.

        SQLite never does it unasked, PostgreSQL within minutes, MariaDB while it
        writes.
        """
        kind = self.dialect.name
        if kind in STATISTICS:
            with self.writer.begin() as core:
                for statement in STATISTICS[kind]:
                    core.exec_driver_sql(statement)
            self.close()

    def _write_once(
        self, action: Callable[[Transaction], T], memo: dict[Hashable, Any]
    ) -> T:
        while True:
            try:
                with self.writing(memo) as work:
                    return action(work)
            except Outside as wanted:
                memo[wanted.key] = wanted.work()
            except self.errors:
                memo[BROKEN_OFF] = True
                raise

    def read(self, action: Callable[[Connection], T]) -> T:
        """Run `action` on a reading connection, again after a passing failure."""

        def once() -> T:
            with self.reading() as connection:
                return action(connection)

        return self._repeat(once)

    def _repeat(self, once: Callable[[], T]) -> T:
        for attempt in range(self.retries + 1):
            try:
                return once()
            except PoolTimeout as error:
                raise _busy() from error
            except self.failures as error:
                if is_too_large(error):
                    text = "the database takes no statement that large"
                    raise BodyTooLarge(text) from error
                if not is_transient(self.dialect, error):
                    raise
                if attempt == self.retries:
                    raise _busy() from error
                time.sleep(_BACKOFF_S * 2**attempt * (0.5 + random.random()))  # noqa: S311 (jitter, not a secret)
        raise AssertionError("unreachable")


def _busy() -> Unavailable:
    return Unavailable("the database is busy", headers={"Retry-After": "1"})


__all__ = ["Connection", "Database", "Row", "Transaction"]
