"""A load client: eight connections kept alive, one thread, no library in the way."""

import json
import selectors
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

CONNECTIONS = 8
_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request; `{n}` in path or body becomes a fresh number each time.

    `{letter}` is a status of orders that changes from request to request.

    Those that follow are sent when it is answered; `{id}` in them is its product.
    """

    method: str
    path: str
    authorization: str
    body: str = ""
    then: "tuple[Request, ...]" = ()

    def followed_by(self, *others: "Request") -> "Request":
        """The same with more requests to make one unit of work."""
        return replace(self, then=others)

    def encode(self, number: int, id: str = "") -> bytes:
        """The bytes on the wire."""
        number %= 1_000_000_000
        filled = fill(self.body, number).replace("{id}", id)
        body = filled.encode()
        path = self.path.replace("{n}", str(number))
        head = (
            f"{self.method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: {self.authorization}\r\n"
        )
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return head.encode() + b"\r\n" + body


def fill(body: str, number: int) -> str:
    """Put the number, and the status that it stands for, into a body."""
    return body.replace("{n}", str(number)).replace("{letter}", "PI"[number % 2])


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


@dataclass(slots=True)
class _Link:
    """A connection, and where it is in a unit of work."""

    socket: socket.socket
    request: Request
    fresh: Iterator[int]
    held: bytearray = field(default_factory=bytearray)
    step: int = 0
    id: str = ""

    def send(self) -> None:
        """Send the request of this step."""
        steps = (self.request, *self.request.then)
        self.socket.sendall(steps[self.step].encode(next(self.fresh), self.id))

    def advance(self) -> int:
        """Read what came, and go on; returns 1 when it ends a unit of work."""
        if not self.receive():
            return 0
        self.send()
        return int(self.step == 0)

    def receive(self) -> bool:
        """Read what came; tells whether the answer is whole."""
        body = _take(self.socket, self.held)
        if body is None:
            return False
        then = self.request.then
        if then and self.step == 0:
            self.id = str(json.loads(body)["product_id"])
        self.step = (self.step + 1) % (len(then) + 1)
        return True


def run(port: int, request: Request, seconds: float, fresh: Iterator[int]) -> Measured:
    """Do units of work for a while over all connections and count them.

    Raises: `RuntimeError` for an answer that is not a success.
    """
    waiting = selectors.DefaultSelector()
    for _ in range(CONNECTIONS):
        link = socket.create_connection(("127.0.0.1", port), _TIMEOUT_S)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        worker = _Link(link, request, fresh)
        worker.send()
        waiting.register(link, selectors.EVENT_READ, worker)
    started = time.perf_counter()
    end, done = started + seconds, 0
    while time.perf_counter() < end or not done:
        for key, _ in waiting.select(_TIMEOUT_S):
            done += key.data.advance()
    elapsed = time.perf_counter() - started
    for key in list(waiting.get_map().values()):
        while not key.data.receive():  # the server is idle when the next one is asked
            pass
        key.data.socket.close()
    return Measured(done / elapsed, CONNECTIONS * elapsed / max(done, 1))


def latency(port: int, request: Request, times: int, fresh: Iterator[int]) -> float:
    """The median time of one request after another on one connection, in seconds."""
    taken = []
    with socket.create_connection(("127.0.0.1", port), _TIMEOUT_S) as link:
        for _ in range(times):
            started = time.perf_counter()
            link.sendall(request.encode(next(fresh)))
            held = bytearray()
            while _take(link, held) is None:
                pass
            taken.append(time.perf_counter() - started)
    return sorted(taken)[len(taken) // 2]


def _take(link: socket.socket, held: bytearray) -> bytes | None:
    """Read what came; the body of the answer once it is whole."""
    chunk = link.recv(262144)
    if not chunk:
        raise RuntimeError("the server closed the connection")
    held += chunk
    end = held.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = bytes(held[:end]).lower()
    if not head.startswith(b"http/1.1 2"):
        raise RuntimeError(bytes(held[:600]).decode(errors="replace"))
    at = head.find(b"content-length:")
    length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
    if len(held) < end + 4 + length:
        return None
    body = bytes(held[end + 4 :])
    held.clear()
    return body
