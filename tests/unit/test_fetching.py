"""Images fetched over a network that is only played."""

import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO

import pytest
from PIL import Image

from storeapi.rules.fetching import MAXIMUM_REDIRECTS, fetch_image, may_fetch
from storeapi.rules.image_content import NotAnImage
from storeapi.rules.outgoing import Network, NoAnswer, UnsafeAddress, check_address


@dataclass(frozen=True)
class Limits:
    fetch_images: bool = True
    fetch_hosts: tuple[str, ...] = ()
    fetch_timeout: float = 5
    fetch_max_bytes: int = 100_000
    max_image_pixels: int = 10_000


def picture(extension: str = "png", size: tuple[int, int] = (8, 6)) -> bytes:
    file = BytesIO()
    Image.new("RGB", size, "red").save(file, extension)
    return file.getvalue()


def reply(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Web:
    """Answers by host and path; keeps the requests it saw."""

    def __init__(self, pages: dict[str, bytes | Callable[[socket.socket], None]]):
        self.pages = pages
        self.seen: list[str] = []
        self.ips = {"inside.example": "10.0.0.7"}

    def resolve(self, host: str, port: int) -> list[str]:
        return [self.ips.get(host, "8.8.8.8")]

    def connect(self, ip: str, port: int, timeout_s: float) -> socket.socket:
        near, far = socket.socketpair()
        threading.Thread(target=self.serve, args=(far,), daemon=True).start()
        return near

    def serve(self, wire: socket.socket) -> None:
        with wire:
            request = b""
            while b"\r\n\r\n" not in request:
                request += wire.recv(4096)
            lines = request.decode().split("\r\n")
            host = next(line[6:] for line in lines if line.startswith("Host: "))
            url = host + lines[0].split(" ")[1]
            self.seen.append(url)
            page = self.pages.get(url, reply(b"", "404 Not Found"))
            if callable(page):
                page(wire)
            else:
                wire.sendall(page)

    def network(self) -> Network:
        return Network(self.resolve, self.connect, lambda plain, host: plain)


def fetch(web: Web, url: str, limits: Limits | None = None):
    return fetch_image(check_address(url), limits or Limits(), web.network())


def test_image_is_fetched() -> None:
    data = picture()
    web = Web({"cdn.example/x.png?v=1": reply(data)})
    content = fetch(web, "https://cdn.example/x.png?v=1")
    found = content.data, content.extension, content.width, content.height
    assert found == (data, "png", 8, 6)


def test_chunked_body_is_read() -> None:
    data = picture()
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert (
        fetch(Web({"cdn.example/x": head + body}), "http://cdn.example/x").data == data
    )


def test_nothing_is_fetched_unless_allowed() -> None:
    web = Web({})
    with pytest.raises(NoAnswer):
        fetch(web, "http://cdn.example/x", Limits(fetch_images=False))
    assert web.seen == []


def test_only_named_hosts_are_visited_and_at_any_port() -> None:
    limits = Limits(fetch_hosts=("CDN.example.",))
    assert may_fetch(check_address("http://cdn.example:8080/x"), limits)
    assert not may_fetch(check_address("http://other.example/x"), limits)


def test_unusual_port_is_not_visited() -> None:
    assert not may_fetch(check_address("http://cdn.example:6379/x"), Limits())


def test_redirects_are_followed() -> None:
    data = picture("jpeg")
    web = Web(
        {
            "a.example/x": reply(b"", "302 Found", "Location: /y"),
            "a.example/y": reply(b"", "301 Moved", "Location: https://b.example/z"),
            "b.example/z": reply(data),
        }
    )
    assert fetch(web, "http://a.example/x").extension == "jpg"
    assert web.seen == ["a.example/x", "a.example/y", "b.example/z"]


@pytest.mark.parametrize(
    "location",
    [
        "http://inside.example/",
        "http://127.0.0.1/",
        "http://[::1]/",
        "file:///etc/passwd",
        "//localhost/x",
    ],
)
def test_redirect_inward_is_refused(location: str) -> None:
    web = Web({"a.example/x": reply(b"", "302 Found", f"Location: {location}")})
    with pytest.raises(UnsafeAddress):
        fetch(web, "http://a.example/x")
    assert web.seen == ["a.example/x"]


def test_redirect_to_a_host_not_named_brings_no_answer() -> None:
    web = Web({"a.example/x": reply(b"", "302 Found", "Location: http://b.example/")})
    with pytest.raises(NoAnswer):
        fetch(web, "http://a.example/x", Limits(fetch_hosts=("a.example",)))
    assert web.seen == ["a.example/x"]


def test_endless_redirects_end() -> None:
    web = Web({"a.example/x": reply(b"", "302 Found", "Location: /x")})
    with pytest.raises(NoAnswer):
        fetch(web, "http://a.example/x")
    assert len(web.seen) == MAXIMUM_REDIRECTS + 1


@pytest.mark.parametrize(
    "answer",
    [
        reply(b"", "404 Not Found"),
        reply(b"", "500 Oops"),
        reply(b"", "204 No Content"),
        reply(b"", "302 Found"),
        reply(picture(), "200 OK", "Content-Encoding: gzip"),
        reply(picture())[:-10],
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"",
    ],
)
def test_no_proper_answer(answer: bytes) -> None:
    with pytest.raises(NoAnswer):
        fetch(Web({"a.example/x": answer}), "http://a.example/x")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        picture("bmp"),
        picture("png", (101, 100)),
        picture()[:40],
        b"x" * 100_001,
    ],
)
def test_what_is_no_image_is_refused(body: bytes) -> None:
    with pytest.raises(NotAnImage):
        fetch(Web({"a.example/x": reply(body)}), "http://a.example/x")


def test_endless_body_ends_at_the_limit() -> None:
    def endless(wire: socket.socket) -> None:
        wire.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            while True:
                wire.sendall(b"x" * 4096)
        except OSError:
            return

    with pytest.raises(NotAnImage):
        fetch(Web({"a.example/x": endless}), "http://a.example/x")


@pytest.mark.parametrize(
    "start", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "]
)
def test_dripping_server_ends_at_the_deadline(start: bytes) -> None:
    def drip(wire: socket.socket) -> None:
        wire.sendall(start)
        try:
            for _ in range(100):
                wire.sendall(b"x")
                time.sleep(0.02)
        except OSError:
            return

    limits = replace(Limits(), fetch_timeout=0.2)
    begun = time.monotonic()
    with pytest.raises(NoAnswer):
        fetch(Web({"a.example/x": drip}), "http://a.example/x", limits)
    assert time.monotonic() - begun < 1
