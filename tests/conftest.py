"""Fixtures that every test may use."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import settings as hypothesis_settings

from config.settings import Settings
from storeapi.app import create_app, front_of
from storeapi.operation import branches_of
from storeapi.schema import upgrade
from tests import databases
from tests.shop import SECRET, Shop

# Each run tries the same examples; --hypothesis-profile=default looks for others.
hypothesis_settings.register_profile("same", derandomize=True, database=None)
hypothesis_settings.load_profile("same")


def pytest_configure() -> None:
    """Stop before the first test when a database that is required is missing."""
    if databases.all_required() and databases.missing():
        names = " and ".join(databases.missing())
        raise pytest.UsageError(f"no database server answers; start it or set {names}")


def pytest_report_header() -> list[str]:
    """Say which databases the run uses."""
    lines = [f"databases: {', '.join(databases.kinds())}"]
    lines += [f"left out: no server, {name} not set" for name in databases.missing()]
    return lines


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave out what has no meaning on a database, or was shown on another one."""
    left_out = [item for item in items if not _is_wanted(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if _is_wanted(item)]


def _is_wanted(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    kind = callspec.params.get("database_url") if callspec else None
    if kind is None:
        return True
    own = item.get_closest_marker("only_on")
    if own is not None:
        return kind in own.args
    repeats = item.get_closest_marker("any_database") and kind != databases.kinds()[0]
    return not repeats


@pytest.fixture(scope="session", params=databases.kinds())
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """Give the address of an empty scratch database; a test runs once per kind."""
    with databases.scratch_database(request.param) as url:
        yield url


@pytest.fixture(scope="session")
def schema_url(database_url: str) -> str:
    """The address of a scratch database with all tables."""
    settings = Settings(
        environment="test", database_url=database_url, secret_key=SECRET
    )
    app = create_app(settings)
    front = front_of(app)
    upgrade(front.database.writer, branches_of(front.registry))
    front.database.close()
    return database_url


@pytest.fixture(scope="session")
def media(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The media folder of all applications."""
    return tmp_path_factory.mktemp("media")


@contextmanager
def applications(url: str, media: Path) -> Iterator[Callable[..., Flask]]:
    """Make applications on a database; their connections are closed at the end."""
    made: list[Flask] = []

    def make(**changes: Any) -> Flask:
        known = {"secret_key": SECRET, "media_folder": media, **changes}
        app = create_app(Settings(environment="test", database_url=url, **known))
        made.append(app)
        return app

    yield make
    for app in made:
        front_of(app).database.close()


@pytest.fixture
def make_app(schema_url: str, media: Path) -> Iterator[Callable[..., Flask]]:
    """Make the application on the scratch database, with other settings if wanted."""
    with applications(schema_url, media) as make:
        yield make


@pytest.fixture(scope="session")
def app(schema_url: str, media: Path) -> Iterator[Flask]:
    """The application with the settings of a new installation."""
    with applications(schema_url, media) as make:
        yield make()


@pytest.fixture
def shop(app: Flask) -> Shop:
    """A small shop, made anew for each test."""
    return Shop(app)
