"""A load client: eight connections kept alive, one thread, no library in the way."""

import selectors
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass

CONNECTIONS = 8
_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request; `{n}` in path or body becomes a fresh number each time."""

    method: str
    path: str
    authorization: str
    body: str = ""

    def encode(self, number: int) -> bytes:
        """The bytes on the wire."""
        number %= 1_000_000_000
        body = self.body.replace("{n}", str(number)).encode()
        path = self.path.replace("{n}", str(number))
        head = (
            f"{self.method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: {self.authorization}\r\n"
        )
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return head.encode() + b"\r\n" + body


@dataclass(frozen=True, slots=True)
class Measured:
    """What one round showed. Units: requests per second, seconds per request."""

    rate: float
    latency_s: float


def numbers() -> Iterator[int]:
    """Numbers that no earlier round of this machine gave."""
    number = time.time_ns() // 1000
    while True:
        number += 1
        yield number


def run(port: int, request: Request, seconds: float, fresh: Iterator[int]) -> Measured:
    """Send requests for a while over all connections and count the answers.

    Raises: `RuntimeError` for an answer that is not a success.
    """
    waiting = selectors.DefaultSelector()
    for _ in range(CONNECTIONS):
        link = socket.create_connection(("127.0.0.1", port), _TIMEOUT_S)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.sendall(request.encode(next(fresh)))
        waiting.register(link, selectors.EVENT_READ, bytearray())
    started = time.perf_counter()
    end, done = started + seconds, 0
    while time.perf_counter() < end:
        for key, _ in waiting.select(_TIMEOUT_S):
            if _answered(key):
                done += 1
                key.fileobj.sendall(request.encode(next(fresh)))  # type: ignore[union-attr] # a socket
    elapsed = time.perf_counter() - started
    for key in list(waiting.get_map().values()):
        key.fileobj.close()  # type: ignore[union-attr] # a socket
    return Measured(done / elapsed, CONNECTIONS * elapsed / max(done, 1))


def latency(port: int, request: Request, times: int, fresh: Iterator[int]) -> float:
    """The median time of one request after another on one connection, in seconds."""
    taken = []
    with socket.create_connection(("127.0.0.1", port), _TIMEOUT_S) as link:
        for _ in range(times):
            started = time.perf_counter()
            link.sendall(request.encode(next(fresh)))
            held = bytearray()
            while not _take(link, held):
                pass
            taken.append(time.perf_counter() - started)
    return sorted(taken)[len(taken) // 2]


def _answered(key: selectors.SelectorKey) -> bool:
    link = key.fileobj
    assert isinstance(link, socket.socket)
    return _take(link, key.data)


def _take(link: socket.socket, held: bytearray) -> bool:
    chunk = link.recv(262144)
    if not chunk:
        raise RuntimeError("the server closed the connection")
    held += chunk
    end = held.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = bytes(held[:end]).lower()
    if not head.startswith(b"http/1.1 2"):
        raise RuntimeError(bytes(held[:600]).decode(errors="replace"))
    at = head.find(b"content-length:")
    length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
    if len(held) < end + 4 + length:
        return False
    held.clear()
    return True
