"""The tables of a database: what it carries, what it should, and the way there.

Changes of the tables lie in branches: one of the server, one for each plug-in that
has tables. All of them share one version table, which names the head of each.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext, MigrationStep
from alembic.script import Script, ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

LOCK_TIMEOUT_S = 60
_LOCK_NUMBER = 0x73746F7265  # "store"
_FOLDER = Path(__file__).with_name("migrations")


class SchemaError(Exception):
    """The tables cannot be brought to the wanted state; the text says why."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of changes.

    Shapes: every revision in `folder` is named `<label>_...`, and the first one
    carries the label; so a row of the version table tells whose it is.
    """

    label: str
    folder: Path

    @classmethod
    def of_package(cls, label: str, package: str) -> "Branch":
        """Take the changes that lie in an importable package.

        Raises: `SchemaError` if there is no such package.
        """
        try:
            return cls(label, Path(str(files(package))))
        except (ImportError, TypeError) as error:
            raise SchemaError(f"changes of '{label}': {error}") from error

    def owns(self, revision: str) -> bool:
        """Whether a revision is named as one of this branch."""
        return revision.startswith(f"{self.label}_")


STOREAPI = Branch("storeapi", _FOLDER / "versions")


def current_heads(engine: Engine) -> frozenset[str]:
    """The revisions that the database carries; none if it is empty."""
    with engine.connect() as connection:
        return frozenset(MigrationContext.configure(connection).get_current_heads())


def expected_heads(branches: Sequence[Branch] = ()) -> frozenset[str]:
    """The revisions that the database should carry.

    Shapes: `branches` are those of plug-ins; the server's own is always there.
    """
    return frozenset(_Plan(branches).heads.values())


def is_at_head(engine: Engine, branches: Sequence[Branch] = ()) -> bool:
    """Whether every branch is applied, or is newer than this program knows.

    A newer database serves older programs: changes add first and remove a release
    later.
    """
    return head_check(branches)(engine)


def head_check(branches: Sequence[Branch]) -> Callable[[Engine], bool]:
    """Read the changes once, and return what judges databases as `is_at_head`."""
    plan = _Plan(branches)

    def is_at_head(engine: Engine) -> bool:
        carried = current_heads(engine)
        return all(
            head in carried or plan.newer(carried, label)
            for label, head in plan.heads.items()
        )

    return is_at_head


def upgrade(engine: Engine, branches: Sequence[Branch] = ()) -> None:
    """Apply what is missing; two processes that do so at once take turns.

    Raises: `SchemaError` if the database is newer than this program, or another
    process keeps it locked.
    """
    plan = _Plan(branches)
    if set(plan.heads.values()) <= current_heads(engine):
        return
    with _alone(engine) as connection:
        plan.apply(connection)


class _Plan:
    """The branches, read from their folders: the server's own comes first."""

    def __init__(self, branches: Sequence[Branch]) -> None:
        self._branches = [STOREAPI, *branches]
        folders = [str(branch.folder) for branch in self._branches]
        self._script = ScriptDirectory(str(_FOLDER), version_locations=folders)
        self._known = self._revisions()
        self.heads = {branch.label: self._head(branch) for branch in self._branches}

    def _revisions(self) -> dict[str, Path]:
        """All revisions, and the folder of each."""
        try:
            return {
                revision.revision: Path(revision.path).parent
                for revision in self._script.walk_revisions()
            }
        except KeyError as error:
            raise SchemaError(f"a change names {error}, which is not there") from error
        except CommandError as error:
            raise SchemaError(str(error)) from error

    def _head(self, branch: Branch) -> str:
        folder = branch.folder.resolve()
        for revision, place in self._known.items():
            if (place.resolve() == folder) is not branch.owns(revision):
                raise SchemaError(
                    f"revision '{revision}' in {place} must be named as its branch"
                )
        try:
            head = self._script.get_revision(f"{branch.label}@head")
        except CommandError as error:
            raise SchemaError(f"changes of '{branch.label}': {error}") from error
        return str(head.revision)

    def newer(self, carried: frozenset[str], label: str) -> list[str]:
        """The revisions of a branch that only a newer release knows."""
        branch = next(branch for branch in self._branches if branch.label == label)
        return sorted(
            revision
            for revision in carried - self._known.keys()
            if branch.owns(revision)
        )

    def apply(self, connection: Connection) -> None:
        """Run what is missing, and note the head of every branch."""
        config = Config(attributes={"connection": connection})
        with EnvironmentContext(config, self._script, fn=self._steps):
            self._script.run_env()
        self._complete(connection)

    def _steps(
        self, carried: tuple[str, ...], _context: MigrationContext
    ) -> Iterator[MigrationStep]:
        for label in self.heads:
            if unknown := self.newer(frozenset(carried), label):
                raise SchemaError(
                    f"the database is newer than this program: {', '.join(unknown)}"
                )
        # Other unknown ones are of plug-ins that are not installed any more.
        applied: set[str] = set()
        for revision in self._known.keys() & carried:
            applied.update(script.revision for script in self._way_to(revision))
        for head in self.heads.values():
            for script in reversed(self._way_to(head)):
                if script.revision not in applied:
                    applied.add(script.revision)
                    yield MigrationStep.upgrade_from_script(
                        self._script.revision_map, script
                    )

    def _way_to(self, revision: str) -> list[Script]:
        """A revision and all that it needs, the newest first."""
        return list(self._script.iterate_revisions(revision, "base"))

    def _complete(self, connection: Connection) -> None:
        """Write down heads that alembic leaves out.

        A revision on which another one depends is implied by that one, and its row
        goes. If a plug-in is removed later, the server's row has to be there.
        """
        carried = MigrationContext.configure(connection).get_current_heads()
        note = text("INSERT INTO alembic_version (version_num) VALUES (:head)")
        for head in sorted(set(self.heads.values()) - set(carried)):
            connection.execute(note, {"head": head})


def _alone(engine: Engine) -> AbstractContextManager[Connection]:
    """A transaction that no other process changing tables runs beside."""
    if engine.dialect.name == "sqlite":
        return _alone_on_sqlite(engine)
    if engine.dialect.name == "postgresql":
        return _alone_on_postgresql(engine)
    return _alone_on_mysql(engine)


@contextmanager
def _alone_on_postgresql(engine: Engine) -> Iterator[Connection]:
    engine = engine.execution_options(isolation_level="READ COMMITTED")
    with engine.begin() as connection:
        connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_S}s'"))
        lock = text("SELECT pg_advisory_xact_lock(:number)")
        with _named_failure():
            connection.execute(lock, {"number": _LOCK_NUMBER})
        yield connection


@contextmanager
def _alone_on_mysql(engine: Engine) -> Iterator[Connection]:
    """Hold a lock of the session: each change of a table ends a transaction."""
    name = "CONCAT('storeapi.', MD5(DATABASE()))"
    engine = engine.execution_options(isolation_level="READ COMMITTED")
    with engine.connect() as connection:
        dialect = connection.dialect
        if dialect.name == "mysql" and getattr(dialect, "is_mariadb", False):
            raise SchemaError("this is MariaDB: begin the URL with mariadb://")
        lock = text(f"SELECT GET_LOCK({name}, :seconds)")
        if not connection.scalar(lock, {"seconds": LOCK_TIMEOUT_S}):
            raise SchemaError("another process is changing the tables")
        try:
            yield connection
            connection.commit()
        finally:
            connection.rollback()
            connection.scalar(text(f"SELECT RELEASE_LOCK({name})"))


@contextmanager
def _alone_on_sqlite(engine: Engine) -> Iterator[Connection]:
    """Take the write lock at once, with foreign keys unwatched until the end.

    SQLite makes a table anew to change it; watched keys would delete the rows that
    refer to the old one.
    """
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        (watched,) = driver.execute("PRAGMA foreign_keys").fetchone()
        driver.execute("PRAGMA foreign_keys = OFF")
        try:
            with _named_failure():
                transaction = connection.begin()
                if not driver.in_transaction:
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
            with transaction:
                yield connection
                _check_references(connection)
        finally:
            driver.execute(f"PRAGMA foreign_keys = {watched}")


def _check_references(connection: Connection) -> None:
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchone()
    if broken is not None:
        raise SchemaError(f"rows of '{broken[0]}' refer to rows that do not exist")


@contextmanager
def _named_failure() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        raise SchemaError(f"the database is busy: {error.orig}") from error
