"""A real server in processes of its own, and clients that speak HTTP to it."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from threading import Barrier
from typing import Any, NamedTuple, TypeVar

from tests.shop import SECRET, Caller

T = TypeVar("T")
START_S = 30
ANSWER_S = 60
PORTS = range(15_000, 32_000)


class Reply(NamedTuple):
    """An answer: its status, header fields in lower case, and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Server:
    """The address of a running server, and its processes."""

    def __init__(self, port: int, process: "subprocess.Popen[bytes]") -> None:
        self.port = port
        self.process = process

    @property
    def base(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def workers(self) -> list[int]:
        """The processes that answer requests."""
        parent = self.process.pid
        path = Path(f"/proc/{parent}/task/{parent}/children")
        children = [int(pid) for pid in path.read_text().split()]
        return [pid for pid in children if b"resource_tracker" not in _command(pid)]

    def kill_workers(self) -> None:
        """End them without a word, as a crash would."""
        for pid in self.workers():
            os.kill(pid, signal.SIGKILL)

    def wait(self) -> None:
        """Wait until a request is answered."""
        deadline = time.monotonic() + START_S
        while True:
            try:
                self.raw("GET", "/healthz")
            except OSError:
                assert self.process.poll() is None, "the server has ended"
                assert time.monotonic() < deadline, "the server does not answer"
                time.sleep(0.05)
            else:
                return

    def raw(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Reply:
        """Send a request on a connection of its own."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_S)
        try:
            connection.request(method, path, body, dict(headers or {}), **options)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, found, answer.read())
        finally:
            connection.close()

    def send(
        self,
        caller: Caller,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send a JSON request with a caller's credentials."""
        if not path.startswith("/"):
            path = f"/api/2.0/{path}"
        sent = {"Authorization": caller.authorization, **(headers or {})}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        return self.raw(method, path, data, sent)


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b"resource_tracker"


def free_port() -> int:
    """A port on which nobody listens.

    The system gives the upper ports to connections, at any moment; these lie below,
    and two runs that start servers at once seldom try the same one.
    """
    while True:
        port = PORTS[secrets.randbelow(len(PORTS))]
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def serving(
    database_url: str, folder: Path, *, workers: int = 2, **settings: object
) -> Iterator[Server]:
    """Start `storeapi serve`, and stop it at the end."""
    port = free_port()
    environ = {
        **{k: v for k, v in os.environ.items() if not k.startswith("STOREAPI_")},
        "STOREAPI_ENVIRONMENT": "test",
        "STOREAPI_DATABASE_URL": database_url,
        "STOREAPI_SECRET_KEY": SECRET,
        "STOREAPI_LOG_LEVEL": "WARNING",
        "STOREAPI_MEDIA_FOLDER": str(folder / "media"),
        **{f"STOREAPI_{name.upper()}": str(v) for name, v in settings.items()},
    }
    command = ["serve", "--port", str(port), "--workers", str(workers)]
    start = (
        "import sys; from storeapi.cli import main; sys.argv[0] = 'storeapi'; main()"
    )
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", start, *command],
            env=environ,
            cwd=folder,
            stdout=log,
            stderr=log,
        )
    server = Server(port, process)
    try:
        server.wait()
        yield server
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            server.kill_workers()
            process.kill()
            process.wait(10)


def together(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Send requests at the same moment; the answers in the order of the calls."""
    barrier = Barrier(len(calls))

    def start(call: Callable[[], T]) -> T:
        barrier.wait(ANSWER_S)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(start, calls, timeout=2 * ANSWER_S))
