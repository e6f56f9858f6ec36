"""Fixtures that every test may use."""

from collections.abc import Iterator

import pytest

from tests import databases


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


@pytest.fixture(scope="session", params=databases.kinds())
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """Give the address of an empty scratch database; a test runs once per kind."""
    with databases.scratch_database(request.param) as url:
        yield url
