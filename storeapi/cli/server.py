"""Commands that serve."""

import os
import socket
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from queue import Empty, SimpleQueue

import click

from storeapi.cli import accounts
from storeapi.cli.opening import opened
from storeapi.cli.store import fill, prepare
from storeapi.core.database import Transaction
from storeapi.core.errors import NotFound
from storeapi.core.front import Front
from storeapi.rules.api_keys import generate_key

_APPLICATION = "storeapi.serving:worker_application"
_STOP_TIMEOUT_S = 30
_THREADS = 4
_EVERYWHERE = (str(IPv4Address(0)), str(IPv6Address(0)))
_VAR = Path("var")
_EMAIL = "admin@example.com"
_PRODUCTS = 200

_host = click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on."
)
_port = click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8080,
    show_default=True,
    help="Port to listen on.",
)


@click.command()
@_host
@_port
@click.option(
    "--workers",
    type=click.IntRange(1, 512),
    default=1,
    show_default=True,
    help="Processes; as many as the machine has cores.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 64),
    default=_THREADS,
    show_default=True,
    help="Requests that one process works on at once; 1 is fastest if all are short.",
)
def serve(host: str, port: int, workers: int, threads: int) -> None:
    """Serve the API until SIGTERM or Ctrl-C; requests that run are finished."""
    with opened():
        pass  # a mistake in the settings is told here, not by a worker
    run(host, port, workers, threads)


def run(host: str, port: int, workers: int, threads: int) -> None:
    """Serve by granian, in worker processes that it watches over."""
    from granian import Granian
    from granian.constants import Interfaces
    from granian.log import LogLevels

    check_free(host, port)
    server = Granian(
        _APPLICATION,
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        factory=True,
        workers=workers,
        blocking_threads=threads,
        workers_kill_timeout=_STOP_TIMEOUT_S,
        respawn_failed_workers=True,
        websockets=False,
        log_access=False,
        log_level=LogLevels.error,
    )
    # Its own event takes a lock, which a second signal, or one in the moment when a
    # worker ends, would wait for in vain: Ctrl-C reaches parent and workers at once.
    server.main_loop_interrupt = Wakeup()  # type: ignore[assignment] # as an event
    server.serve()


class Wakeup:
    """An event that a signal handler may set at any moment, as no lock is held."""

    def __init__(self) -> None:
        self._marks: SimpleQueue[None] = SimpleQueue()

    def set(self) -> None:
        """Wake who waits, and whoever waits later."""
        self._marks.put(None)

    def clear(self) -> None:
        """Let the next one wait."""
        with suppress(Empty):
            while True:
                self._marks.get_nowait()

    def wait(self) -> None:
        """Wait until it is set."""
        self._marks.get()
        self._marks.put(None)


def check_free(host: str, port: int) -> None:
    """Fail if somebody listens there: workers share ports, so they would not notice.

    Raises: `ClickException`.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        reason = error.strerror or str(error)
        raise click.ClickException(
            f"cannot listen on {host}:{port}: {reason}"
        ) from None


@click.command()
@_host
@_port
def quickstart(host: str, port: int) -> None:
    """Try the server out: a demo store, a root user, a key, and all of it served.

    Secrets that are not set are made and kept in the folder var. A second run keeps
    the data and the key.
    """
    check_free(host, port)
    environment = os.environ.setdefault("STOREAPI_ENVIRONMENT", "development")
    if environment == "production":
        text = "quickstart is for trying out; production uses `storeapi serve`"
        raise click.ClickException(text)
    if not os.environ.get("STOREAPI_SECRET_KEY"):
        os.environ["STOREAPI_SECRET_KEY"] = kept_secret(_VAR / "secret_key")
    os.environ.setdefault("STOREAPI_LOG_FORMAT", "console")
    key = kept_secret(_VAR / "api_key")
    with opened(at_head=False) as front:
        prepare(front)
        _fill_if_empty(front)
        front.database.write(lambda db: _let_in(db, front.settings.secret_key, key))
    click.echo(_greeting(host, port, key))
    run(host, port, 1, _THREADS)


def _fill_if_empty(front: Front) -> None:
    from storeapi.demo import is_empty

    if front.database.write(is_empty):
        fill(front, _PRODUCTS, seed=1)


def _let_in(db: Transaction, secret_key: str, key: str) -> None:
    """Make the root user unless there is one, and see to it that the key works."""
    try:
        user_id = accounts.user_of(db, _EMAIL)
    except NotFound:
        user_id = accounts.create_root(db, _EMAIL)
    accounts.keep_key(db, secret_key, user_id, key)


def kept_secret(file: Path) -> str:
    """Read a secret from a file of its own, made at the first call."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        secret = file.read_text("ascii").strip()
        if secret:
            return secret
        descriptor = os.open(file, os.O_WRONLY | os.O_TRUNC)
    secret = generate_key()
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(secret + "\n")
    return secret


def _greeting(host: str, port: int, key: str) -> str:
    shown = "127.0.0.1" if host in _EVERYWHERE else host
    shown = f"[{shown}]" if ":" in shown else shown
    address = f"http://{shown}:{port}/api/2.0/"
    return f"""
Address  {address}
E-mail   {_EMAIL}
API key  {key}

Try it in another terminal:
  curl -u {_EMAIL}:{key} '{address}products?items_per_page=2'

Stop with Ctrl-C. The data stays; `make run` finds it again.
"""
