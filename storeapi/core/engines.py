"""How the two engines of a database are set up, for each kind of database."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import URL, Dialect, Engine, event, make_url

_SQLITE_BUSY_TIMEOUT_MS = 5000
_SQLITE_ROWS_ANALYZED = 400
# A connection knows the statistics that there were when it was made.
_SQLITE_RECYCLED_S = 600
_RECYCLED_S = 3600
_POSTGRESQL = {
    "jit": "off",
    "work_mem": "32MB",
    "max_parallel_workers_per_gather": "0",
}

_SNAPSHOTS = {
    "sqlite": "BEGIN",
    "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
}
_SNAPSHOT = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"

STATISTICS: Mapping[str, tuple[str, ...]] = {
    # Of small tables SQLite rather knows nothing: it takes them for large ones, which
    # they may be soon. The tables behind a full-text index are planned for as they are.
    "sqlite": (
        "ANALYZE",
        "DELETE FROM sqlite_stat1 WHERE CAST(stat AS INTEGER) < 1000",
        (
            "DELETE FROM sqlite_stat1 WHERE EXISTS (SELECT * FROM sqlite_master"
            " WHERE sql LIKE 'CREATE VIRTUAL TABLE%'"
            " AND substr(tbl, 1, length(name) + 1) = name || '_')"
        ),
    ),
    "postgresql": ("ANALYZE",),
}
"""What lets the planner of a kind of database look at the tables."""


def normalized(text: str) -> URL:
    """Read a database URL and choose the driver that this project tests.

    Raises: `ValueError` for another kind of database, or SQLite in memory.
    """
    url = make_url(text)
    kind = url.get_backend_name()
    if kind == "sqlite":
        if url.database in (None, "", ":memory:"):
            raise ValueError("SQLite needs a file: sqlite:///path/to/store.db")
        return url.set(drivername="sqlite+pysqlite")
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if kind in ("mysql", "mariadb"):
        return url.set(drivername=f"{kind}+pymysql").update_query_dict(
            {"charset": "utf8mb4"}
        )
    raise ValueError(f"no support for the database kind '{kind}'")


def writer_options(url: URL, pool_size: int) -> dict[str, Any]:
    """Engine options for transactions.

    All of them are ended by who began them, so that a connection that comes back has
    nothing to be rolled back once more.
    """
    options: dict[str, Any] = {
        "pool_size": pool_size,
        "max_overflow": pool_size,
        "pool_reset_on_return": None,
    }
    if url.get_backend_name() == "sqlite":
        return options | {"pool_recycle": _SQLITE_RECYCLED_S}
    return options | {"pool_recycle": _RECYCLED_S, "isolation_level": "READ COMMITTED"}


def reader_options(url: URL, pool_size: int) -> dict[str, Any]:
    """Engine options for reads in autocommit."""
    return writer_options(url, pool_size) | {"isolation_level": "AUTOCOMMIT"}


def set_up(engine: Engine, *, synchronous: str, writes: bool) -> None:
    """Attach what each new connection of an engine needs.

    SQLite: WAL, foreign keys, a busy timeout, and write transactions that take
    their lock at once, so that none fails half-way. PostgreSQL: no compilation of
    plans and no parallel workers, whose start takes longer than our statements; room
    for the rows of a search. MariaDB: a reader's transactions see one state.
    """
    if engine.dialect.name == "postgresql":
        event.listen(engine, "connect", _set_up_postgresql)
    if engine.dialect.name in ("mysql", "mariadb") and not writes:
        event.listen(engine, "connect", _set_up_snapshots)
    if engine.dialect.name != "sqlite":
        return

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        for name, value in _pragmas(synchronous).items():
            connection.execute(f"PRAGMA {name} = {value}")
        connection.create_function("casefold", 1, _casefold, deterministic=True)

    if writes:

        @event.listens_for(engine, "begin")
        def begin_core(core: Any) -> None:
            begin(engine.dialect, core.connection.driver_connection)


def begin(dialect: Dialect, driver: Any) -> None:
    """Begin a transaction, if none is open: the servers do it by themselves."""
    if dialect.name == "sqlite" and not driver.in_transaction:
        driver.execute("BEGIN IMMEDIATE")


def snapshot(dialect: Dialect) -> str:
    """What begins a transaction that reads, all of it from one state."""
    return _SNAPSHOTS.get(dialect.name, _SNAPSHOT)


def _set_up_snapshots(connection: Any, _record: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def _set_up_postgresql(connection: Any, _record: Any) -> None:
    before, connection.autocommit = connection.autocommit, True
    for name, value in _POSTGRESQL.items():
        connection.execute(f"SET {name} = '{value}'")
    connection.autocommit = before


def _casefold(text: Any) -> Any:
    return text.casefold() if isinstance(text, str) else text


def _pragmas(synchronous: str) -> Mapping[str, object]:
    return {
        "busy_timeout": _SQLITE_BUSY_TIMEOUT_MS,
        "journal_mode": "WAL",
        "foreign_keys": "ON",
        "synchronous": synchronous,
        "cache_size": -24576,
        "analysis_limit": _SQLITE_ROWS_ANALYZED,
    }
