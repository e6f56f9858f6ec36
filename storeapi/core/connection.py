"""One connection, for reads, and one transaction, for writes.

Both execute compiled text on the driver's cursor.
"""

import logging
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection as CoreConnection
from sqlalchemy import CursorResult, Executable, PoolProxiedConnection, Table
from sqlalchemy import insert as sql_insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from storeapi.core.changes import Change
from storeapi.core.engines import snapshot
from storeapi.core.errors import InvalidInput
from storeapi.core.failures import Again, CommitUnknown, is_lost, violation
from storeapi.core.rows import (
    column_defaults,
    deletion,
    insertion,
    is_by_language,
    is_generated,
    update,
)
from storeapi.core.statement import Compiled, Query

if TYPE_CHECKING:
    from storeapi.core.counts import Counts
    from storeapi.core.database import Database
    from storeapi.core.following import Following

T = TypeVar("T")
Row = tuple[Any, ...]

BROKEN_OFF = "broken off"
"""What a write remembers when another transaction broke off an attempt of it."""

_ALTERS_LANGUAGES = "alters languages"

_log = logging.getLogger("storeapi.database")


class Connection:
    """One connection, for the length of one request or command."""

    def __init__(self, database: "Database", driver: Any) -> None:
        self._database = database
        self._dialect = database.dialect
        self._unprepared = {"prepare": False} if database.can_prepare else {}
        self._cursor = driver.cursor()
        self.is_open = False
        """Whether a transaction is open that the pool must not be given."""

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all that the block reads be of one moment, whoever writes meanwhile."""
        self._cursor.execute(snapshot(self._dialect), **self._unprepared)
        self.is_open = True
        try:
            yield
        finally:
            self._cursor.execute("COMMIT", **self._unprepared)
            self.is_open = False

    @property
    def counts(self) -> "Counts | None":
        """The numbers of objects that are kept, if any are."""
        return self._database.counts

    @property
    def following(self) -> "Following | None":
        """The long lists that are followed, if any are."""
        return self._database.following

    @property
    def kind(self) -> str:
        """The kind of the database: sqlite, postgresql, mysql or mariadb."""
        return self._dialect.name

    def _execute(self, query: Query, values: Mapping[str, Any]) -> None:
        compiled = query.compiled(self._dialect, values)
        parameters = compiled.parameters(values)
        observer = self._database.observer
        if observer is not None:
            observer(compiled.text)
        try:
            if query.prepare:
                self._cursor.execute(compiled.text, parameters)
            else:
                self._cursor.execute(compiled.text, parameters, **self._unprepared)
        except self._database.integrity_error as error:
            raise violation(self._dialect.name, error) from error
        except self._database.data_error as error:
            raise InvalidInput("a value is out of range") from error

    def apart(self, action: "Callable[[Transaction], T]") -> T:
        """Write what a read found missing, in a transaction of its own."""
        return self._database.write(action)

    def rows(self, query: Query, /, **values: Any) -> list[Row]:
        """Run a query and return all its rows."""
        self._execute(query, values)
        rows = self._cursor.fetchall()
        return rows if isinstance(rows, list) else list(rows)

    def row(self, query: Query, /, **values: Any) -> Row | None:
        """Run a query and return its first row, if there is one."""
        rows = self.rows(query, **values)
        return rows[0] if rows else None

    def value(self, query: Query, /, **values: Any) -> Any:
        """Run a query and return the first column of its first row, or `None`."""
        rows = self.rows(query, **values)
        return rows[0][0] if rows else None


class Outside(Exception):
    """Slow work that is to be done between two attempts of a write."""

    def __init__(self, key: Hashable, work: Callable[[], Any]) -> None:
        super().__init__(key)
        self.key = key
        self.work = work


class Transaction(Connection):
    """A connection that writes, inside one transaction."""

    def __init__(
        self,
        database: "Database",
        pooled: PoolProxiedConnection,
        memo: dict[Hashable, Any],
    ) -> None:
        super().__init__(database, pooled.driver_connection)
        self._memo = memo
        self._pooled = pooled
        self._made: CoreConnection | None = None
        self._session: Session | None = None
        self._languages: Sequence[str] | None = None
        self._holds_languages = False
        self.unseen = False
        """Whether it does what the times of change of rows do not show."""
        self.counted: dict[tuple[str, tuple[int, str]], int] = {}
        """What is to be added to kept numbers: by table, then company and status."""
        self.changed: dict[str, set[Any]] = {}
        """What is made or changed, where times of change are kept: IDs by table."""
        self._after_commit: list[Callable[[], None]] = []
        self._after_rollback: list[Callable[[], None]] = []

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Nothing: who writes holds what the block reads, or reads what was written."""
        yield

    @property
    def following(self) -> None:
        """No list: its own writes are not yet there for others."""
        return None

    @property
    def concurrent(self) -> bool:
        """Whether other transactions can write at the same time."""
        return self._dialect.name != "sqlite"

    def expect_languages(self, languages: Sequence[str] | None) -> None:
        """Say for which languages this write was prepared, the default one first.

        They are compared with the installed ones before the first text is written;
        `None` is for who changes them.
        """
        self._languages = None if self._holds_languages else languages
        if languages is None:
            self.remember(_ALTERS_LANGUAGES)

    def hold_languages(self) -> None:
        """Keep the languages as they are until the commit, if not yet done.

        The first write to a table of texts does it; who is about to lock rows that
        others want, too, does it before.
        Raises: `Again` if one has come or gone since the write was prepared: its
        texts would be missing in one, or stay behind in the other.
        """
        hold, expected = self._database.hold_languages, self._languages
        if hold is None or expected is None:
            return
        self._languages = None
        default, *others = expected
        if {*hold(self), default} != {default, *others}:
            self.remember(BROKEN_OFF)
            raise Again("the languages have changed")

    def wait_for_languages(self) -> None:
        """Hold the languages before all else, if a transaction broke off this write.

        Who changes them touches the texts of everything, as long as that takes. So
        that nobody meets it twice, it is waited for before the write is prepared for
        the languages that there are, and before it locks what the other one wants.
        """
        hold = self._database.hold_languages
        alters = self.remembers(_ALTERS_LANGUAGES)
        if hold is not None and self.remembers(BROKEN_OFF) and not alters:
            hold(self)
            self._holds_languages = True

    def _prepare(self, table: Table) -> None:
        if is_by_language(table):
            self.hold_languages()

    def run(self, query: Query, /, **values: Any) -> int:
        """Run a writing statement and return the number of rows it touched."""
        self._execute(query, values)
        return int(self._cursor.rowcount)

    def insert(self, table: Table, values: Mapping[str, Any]) -> int:
        """Insert one row, with the columns' defaults, and return its new ID.

        A table whose key the caller chooses returns 0.
        """
        self._prepare(table)
        statement, row = insertion(table, values, self._dialect)
        self._execute(statement, row)
        if not is_generated(table, values):
            return 0
        if self._dialect.name == "postgresql":
            return int(self._cursor.fetchone()[0])
        return int(self._cursor.lastrowid)

    def insert_many(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows that have the same keys, by one prepared statement."""
        if not rows:
            return
        self._prepare(table)
        statement, first = insertion(table, rows[0], self._dialect, many=True)
        defaults = column_defaults(table)
        filled = [first, *[{**defaults, **row} for row in rows[1:]]]
        self._execute_many(statement.compiled(self._dialect, first), filled)

    def insert_numbered(
        self, table: Table, rows: Sequence[Mapping[str, Any]]
    ) -> list[int]:
        """Insert rows that have the same keys; returns their new IDs in that order."""
        if not self._dialect.insert_executemany_returning_sort_by_parameter_order:
            return [self.insert(table, row) for row in rows]
        if not rows:
            return []
        defaults = column_defaults(table)
        key: Any = table.autoincrement_column
        statement = sql_insert(table).returning(key, sort_by_parameter_order=True)
        if self._database.observer is not None:
            self._database.observer(f"INSERT INTO {table.name}")
        try:
            found = self._core.execute(statement, [{**defaults, **row} for row in rows])
        except IntegrityError as error:
            raise violation(self._dialect.name, error.orig or error) from error
        return [int(row[0]) for row in found]

    def run_many(self, query: Query, rows: Sequence[Mapping[str, Any]]) -> int:
        """Run a writing statement once for each set of values.

        Returns the number of rows that it touched in all.
        """
        if not rows:
            return 0
        self._execute_many(query.compiled(self._dialect, rows[0]), rows)
        return int(self._cursor.rowcount)

    def _execute_many(
        self, compiled: Compiled, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        if self._database.observer is not None:
            self._database.observer(compiled.text)
        try:
            self._cursor.executemany(
                compiled.text, [compiled.parameters(row) for row in rows]
            )
        except self._database.integrity_error as error:
            raise violation(self._dialect.name, error) from error
        except self._database.data_error as error:
            raise InvalidInput("a value is out of range") from error

    def update(
        self, table: Table, where: Mapping[str, Any], values: Mapping[str, Any]
    ) -> int:
        """Set columns of the rows that equal `where`; a list there means any of it."""
        if not values:
            return 0
        self._prepare(table)
        statement, parameters = update(table, where, values)
        return self.run(statement, **parameters)

    def delete(self, table: Table, where: Mapping[str, Any]) -> int:
        """Delete the rows that equal `where`; a list there means any of it."""
        statement, parameters = deletion(table, where)
        return self.run(statement, **parameters)

    def execute(self, statement: Executable) -> CursorResult[Any]:
        """Run any SQLAlchemy statement; slower, for what is built at run time."""
        result = self._core.execute(statement)
        assert isinstance(result, CursorResult)
        return result

    @property
    def _core(self) -> CoreConnection:
        """The same connection for SQLAlchemy, which few writes need."""
        if self._made is None:
            self._made = CoreConnection(self._database.writer, self._pooled)
            self._made.begin()
        return self._made

    @property
    def session(self) -> Session:
        """An ORM session inside the same transaction, for plug-ins that want one."""
        if self._session is None:
            self._session = Session(self._core, expire_on_commit=False)
        return self._session

    def outside(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return the result of slow work that no transaction may be held for.

        The first time, the transaction is rolled back, the work done, and the write
        started anew with the result at hand.
        """
        if key not in self._memo:
            raise Outside(key, work)
        result: T = self._memo[key]
        return result

    def remember(self, note: Hashable) -> None:
        """Note something for the attempts to come, should this one fail."""
        self._memo[note] = True

    def remembers(self, note: Hashable) -> bool:
        """Whether an earlier attempt of this write noted that."""
        return note in self._memo

    def record(self, *changes: Change) -> None:
        """Tell every subscriber of writes, inside the same transaction."""
        for subscriber in self._database.subscribers:
            subscriber(self, changes)

    def after_commit(self, action: Callable[[], None]) -> None:
        """Do something outside the database once the write is safe."""
        self._after_commit.append(action)

    def after_rollback(self, action: Callable[[], None]) -> None:
        """Undo something outside the database if the write does not come true."""
        self._after_rollback.append(action)

    def commit(self) -> None:
        """Make the writes durable.

        Raises: `CommitUnknown` if the connection was lost meanwhile.
        """
        if self._session is not None:
            self._session.flush()
        try:
            (self._made or self._pooled).commit()
        except self._database.errors as error:
            if is_lost(self._dialect, error):
                raise CommitUnknown("the outcome of the write is unknown") from error
            raise

    def finish(self) -> None:
        """Do what waited for the commit; a file that stays behind is only logged."""
        for action in self._after_commit:
            try:
                action()
            except OSError:
                _log.exception("what follows a write was not done")

    def rollback(self) -> None:
        """Take the writes back, then undo what was done beside them.

        A connection that is lost has taken them back already, and is not kept.
        """
        try:
            (self._made or self._pooled).rollback()
        except self._database.errors:
            self._pooled.invalidate()
            # The server that took it back has taken back the others, too.
            self._database.writer.dispose()
        for action in self._after_rollback:
            action()
