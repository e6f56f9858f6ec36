"""The servers of a comparison: all of them up at once, on one core."""

import base64
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sqlalchemy import make_url

from bench.record import record
from bench.stores import EMAIL, FOLDER, DemoStore

_START_S = 60
# The client takes another one, if there is another.
_CORE = min(os.sched_getaffinity(0))
LINES = {
    "storeapi": "wsgi:app",
    "limit": "bench.limit:app",
    "usual": "bench.usual:app",
}


def authorization(store: DemoStore) -> str:
    """The header by which every line knows its caller."""
    return "Basic " + base64.b64encode(f"{EMAIL}:{store.key}".encode()).decode()


@contextmanager
def serving(
    store: DemoStore, lines: tuple[str, ...]
) -> Iterator[dict[str, tuple[int, int]]]:
    """Serve a store by each line; yields port and process ID by line."""
    extra = {}
    if "limit" in lines:
        extra = _limit_environment(store)
    with ExitStack() as stack:
        found = {}
        for line in lines:
            port = _free_port()
            process = stack.enter_context(_server(LINES[line], port, store, extra))
            found[line] = (port, process.pid)
        yield found


def _limit_environment(store: DemoStore) -> dict[str, str]:
    cases = record(store.settings, authorization(store), store.subject)
    file = FOLDER / f"record-{store.kind}.json"
    file.write_text(json.dumps(cases))
    url = make_url(store.url)
    driver = (
        str(url.database)
        if store.kind == "sqlite"
        else url.set(drivername="postgresql").render_as_string(hide_password=False)
    )
    return {
        "BENCH_RECORD": str(file),
        "BENCH_DRIVER_URL": driver,
        "BENCH_URL": store.url,
    }


@contextmanager
def _server(
    target: str, port: int, store: DemoStore, extra: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    command = [
        sys.executable, "-m", "granian", "--interface", "wsgi", "--workers", "1",
        "--blocking-threads", "1", "--no-ws", "--log-level", "warning",
        "--host", "127.0.0.1", "--port", str(port), target,
    ]  # fmt: skip
    process = subprocess.Popen(
        command,
        env={**os.environ, **store.environment, **extra},
        cwd=Path.cwd(),
    )
    os.sched_setaffinity(process.pid, {_CORE})  # its workers, which start later, too
    try:
        _wait(port)
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(port: int) -> None:
    end = time.monotonic() + _START_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def resident_mb(pid: int) -> float:
    """The resident memory of a server's largest process, in megabytes."""
    return max(_resident(each) for each in [pid, *_children(pid)])


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def _resident(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0
