"""Take an image from an address on the internet, guarded.

Nothing is fetched unless the operator allowed it. What the guard keeps out, and
how, is said in `outgoing`; here are redirects, limits of size and time, and the
demand that what comes is an image.
"""

import http.client
import io
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urljoin

from storeapi.rules import outgoing
from storeapi.rules.image_content import ImageContent, NotAnImage, read_image
from storeapi.rules.outgoing import (
    Address,
    Deadline,
    Network,
    NoAnswer,
    check_address,
    open_connection,
)

MAXIMUM_REDIRECTS = 3
_CHUNK = 64 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class FetchSettings(Protocol):
    """The settings of the shop that this rule reads."""

    @property
    def fetch_images(self) -> bool:
        """Whether images are fetched at all."""

    @property
    def fetch_hosts(self) -> tuple[str, ...]:
        """Hosts to fetch from; empty means any public one."""

    @property
    def fetch_timeout(self) -> int:
        """Seconds for one image as a whole."""

    @property
    def fetch_max_bytes(self) -> int:
        """Largest file in bytes."""

    @property
    def max_image_pixels(self) -> int:
        """Largest image in pixels."""


class MediaSettings(FetchSettings, Protocol):
    """Those, and where images are kept and served."""

    @property
    def media_folder(self) -> Path:
        """The folder in which images are stored."""

    @property
    def media_url(self) -> str:
        """What stands before the path of an image; empty: the requested host."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request brought: a body, or the address of a redirect."""

    body: bytes = b""
    location: str | None = None


def may_fetch(address: Address, settings: FetchSettings) -> bool:
    """Tell whether the operator allows the server to visit an address.

    Unusual ports are visited only on hosts that the operator names.
    """
    if not settings.fetch_images:
        return False
    hosts = {host.lower().rstrip(".") for host in settings.fetch_hosts}
    if hosts:
        return address.host in hosts
    return address.is_usual_port


def fetch_image(
    address: Address, settings: FetchSettings, network: Network | None = None
) -> ImageContent:
    """Fetch an image, following at most three redirects.

    Raises: `NoAnswer` when the address brings nothing, or may not be visited;
    `UnsafeAddress` when it, or a redirect, leads to what is not public;
    `NotAnImage` when what comes is too large or not an image.
    Source: spec/entities/products.md, 7.5; spec/pitfalls.md (image URLs).
    """
    way = network or outgoing.SYSTEM
    deadline = Deadline(settings.fetch_timeout)
    for _ in range(MAXIMUM_REDIRECTS + 1):
        if not may_fetch(address, settings):
            raise NoAnswer("may not be visited")
        answer = _request(address, deadline, settings.fetch_max_bytes, way)
        if answer.location is None:
            return read_image(answer.body, settings.max_image_pixels)
        address = check_address(urljoin(address.url, answer.location))
    raise NoAnswer("redirects too often")


def _request(
    address: Address, deadline: Deadline, max_bytes: int, network: Network
) -> Answer:
    """Make one GET request over a connection to a checked IP address."""
    connection = http.client.HTTPConnection(address.host, address.port)
    wire = open_connection(address, deadline, network)
    try:
        connection.sock = _DeadlineSocket(wire, deadline)
        headers = {
            "Host": address.authority,
            "Accept": "image/*",
            "Accept-Encoding": "identity",
            "User-Agent": "storeapi",
        }
        connection.request("GET", address.target, headers=headers)
        return _answer(connection.getresponse(), max_bytes)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, NotAnImage):
            raise
        raise NoAnswer("broke off") from error
    finally:
        connection.close()
        wire.close()


def _answer(response: http.client.HTTPResponse, max_bytes: int) -> Answer:
    if response.status in _REDIRECTS:
        location = response.headers.get("Location")
        if not location:
            raise NoAnswer("redirects to nowhere")
        return Answer(location=location)
    encoding = response.headers.get("Content-Encoding", "identity")
    if response.status != http.client.OK or encoding.lower() != "identity":
        raise NoAnswer(f"answers with status {response.status}")
    body = bytearray()
    while chunk := response.read(min(_CHUNK, max_bytes + 1 - len(body))):
        body += chunk
        if len(body) > max_bytes:
            raise NotAnImage(f"holds more than {max_bytes} bytes")
    if response.length:
        raise NoAnswer("broke off")
    return Answer(bytes(body))


class _DeadlineSocket:
    """The part of a socket that `http.client` uses, within one time limit.

    A plain socket timeout starts anew with every byte, so a server that sends
    one byte at a time could hold a worker for ever.
    """

    def __init__(self, wire: socket.socket, deadline: Deadline) -> None:
        self._wire = wire
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._wire.settimeout(self._deadline.remaining())
        self._wire.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_DeadlineReader(self._wire, self._deadline))

    def close(self) -> None:
        """Leave the socket open; the request closes it when it is done."""


class _DeadlineReader(io.RawIOBase):
    def __init__(self, wire: socket.socket, deadline: Deadline) -> None:
        super().__init__()
        self._wire = wire
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._wire.settimeout(self._deadline.remaining())
        return self._wire.recv_into(buffer)
