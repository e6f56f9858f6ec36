"""A server with two worker processes on each database."""

from collections.abc import Iterator

import pytest

from tests.serving import Server, serving

LEASE_S = 2


@pytest.fixture(scope="session")
def server(
    schema_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A running server; a key of an unfinished request is free after two seconds."""
    folder = tmp_path_factory.mktemp("server")
    with serving(schema_url, folder, idempotency_lease=LEASE_S) as running:
        yield running
