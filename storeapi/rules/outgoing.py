"""Addresses that the server may connect to, and the connection itself.

A caller who names an address must not make the server reach inside its own
network. The text of the address is checked, then every IP address its name
resolves to; the connection goes to the very IP address that was checked, so a
name that resolves differently a moment later (DNS rebinding) gains nothing.

Source: spec/pitfalls.md, "webhook (or image) URL reaches inside the network".
"""

import ipaddress
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

MAXIMUM_URL = 2048
PORTS = {"http": 80, "https": 443}

# Names that stand for the own machine or an own network, whatever they resolve to.
_INSIDE = (
    "corp",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "private",
)
# Special-purpose ranges of the IANA registries; 224/3 is multicast and reserved.
_IPV4_INSIDE = tuple(
    ipaddress.IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
    )
)
# Global unicast is 2000::/3. That leaves out loopback, link-local, unique-local,
# multicast, IPv4-mapped and NAT64 addresses; the exceptions within it are the
# IETF block with Teredo, documentation, and 6to4, which carries IPv4 addresses.
_IPV6_GLOBAL = ipaddress.IPv6Network("2000::/3")
_IPV6_INSIDE = tuple(
    ipaddress.IPv6Network(text)
    for text in (
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)


class UnsafeAddress(ValueError):
    """An address that the server must neither keep nor connect to."""


class NoAnswer(Exception):
    """An address that may be fine but brought nothing: no name, no route, no time."""


@dataclass(frozen=True, slots=True)
class Address:
    """A checked http or https address, in the form in which it is requested."""

    url: str
    scheme: str
    host: str
    port: int
    target: str

    @property
    def is_usual_port(self) -> bool:
        """Whether the port is the one that belongs to the scheme or its sibling."""
        return self.port in PORTS.values()

    @property
    def authority(self) -> str:
        """The value of the Host header field."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Network:
    """The three ways out of the machine; tests put their own in place.

    Shapes: `resolve(host, port)` returns IP addresses as text; `connect(ip, port,
    timeout_s)` a connected socket; `secure(socket, host)` the socket under TLS.
    """

    resolve: Callable[[str, int], Sequence[str]]
    connect: Callable[[str, int, float], socket.socket]
    secure: Callable[[socket.socket, str], socket.socket]


class Deadline:
    """A point in time that all steps of one job share."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Return the seconds left; `NoAnswer` when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise NoAnswer("took too long")
        return left


def check_address(text: str) -> Address:
    """Read an address, and refuse what is not public by its text alone.

    No name is resolved, so this is also the check for addresses that are stored
    without being visited.
    Raises: `UnsafeAddress` with the reason.
    """
    parts, port = _split(text)
    host = _checked_host(parts.hostname or "")
    usual = PORTS[parts.scheme]
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~")
    search = quote(parts.query, safe="/%:@!$&'()*+,;=~?[]")
    fragment = quote(parts.fragment, safe="/%:@!$&'()*+,;=~?")
    shown = f"[{host}]" if ":" in host else host
    authority = shown if port in (None, usual) else f"{shown}:{port}"
    return Address(
        url=urlunsplit((parts.scheme, authority, path, search, fragment)),
        scheme=parts.scheme,
        host=host,
        port=usual if port is None else port,
        target=f"{path}?{search}" if search else path,
    )


def _split(text: str) -> tuple[SplitResult, int | None]:
    if len(text) > MAXIMUM_URL:
        raise UnsafeAddress(f"must have at most {MAXIMUM_URL} characters")
    if re.search(r"[\x00-\x1f\x7f\\\ud800-\udfff]", text):
        raise UnsafeAddress("holds characters that no address may hold")
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise UnsafeAddress("is not an address") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise UnsafeAddress("must begin with http:// or https:// and name a host")
    if "@" in parts.netloc:
        raise UnsafeAddress("must not hold a user name or password")
    if port == 0 or ("[" in parts.netloc) != (":" in parts.hostname):
        raise UnsafeAddress("names an impossible host or port")
    return parts, port


def _checked_host(host: str) -> str:
    """Return the host in lower case ASCII; refuse own names and IP addresses."""
    if ":" in host:
        check_ip(host)
        return host
    try:
        name = host.encode("idna").decode("ascii").lower().removesuffix(".")
    except UnicodeError:
        raise UnsafeAddress("names an impossible host") from None
    if not re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", name):
        raise UnsafeAddress("names an impossible host")
    last = name.rpartition(".")[2]
    if re.fullmatch(r"[0-9]+|0x[0-9a-f]*", last):
        check_ip(name)
    elif "." not in name or any(f".{name}".endswith(f".{own}") for own in _INSIDE):
        raise UnsafeAddress("names a host that is not public")
    return name


def check_ip(text: str) -> None:
    """Refuse an IP address that is not public, or not in its usual spelling.

    Raises: `UnsafeAddress`.
    """
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        raise UnsafeAddress("names an impossible IP address") from None
    if isinstance(ip, ipaddress.IPv4Address):
        public = not any(ip in network for network in _IPV4_INSIDE)
    else:
        inside = any(ip in network for network in _IPV6_INSIDE)
        public = ip.scope_id is None and ip in _IPV6_GLOBAL and not inside
    if not public:
        raise UnsafeAddress("leads to an IP address that is not public")


def open_connection(
    address: Address, deadline: Deadline, network: Network
) -> socket.socket:
    """Resolve the host, check each IP address, and connect to one of those.

    Raises: `UnsafeAddress` if any of them is not public; `NoAnswer` if the name
    is unknown or nothing accepts the connection in time.
    """
    found = _resolve(address, deadline, network)
    for ip in found:
        check_ip(ip)
    for ip in found:
        try:
            plain = network.connect(ip, address.port, deadline.remaining())
        except OSError:
            continue
        return _secured(plain, address, deadline, network)
    raise NoAnswer("does not accept connections")


def _secured(
    plain: socket.socket, address: Address, deadline: Deadline, network: Network
) -> socket.socket:
    if address.scheme != "https":
        return plain
    try:
        plain.settimeout(deadline.remaining())
        return network.secure(plain, address.host)
    except (OSError, NoAnswer) as error:
        plain.close()
        raise NoAnswer("does not answer under TLS") from error


def _resolve(address: Address, deadline: Deadline, network: Network) -> Sequence[str]:
    """Resolve in a thread, for the system's resolver knows no time limit."""
    found: list[str] = []

    def work() -> None:
        try:
            found.extend(network.resolve(address.host, address.port))
        except (OSError, UnicodeError):
            found.clear()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(deadline.remaining())
    if thread.is_alive():
        raise NoAnswer("is not resolved in time")
    if not found:
        raise NoAnswer("names an unknown host")
    return tuple(dict.fromkeys(found))


def _system_resolve(host: str, port: int) -> Sequence[str]:
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(answer[4][0]) for answer in answers]


def _system_connect(ip: str, port: int, timeout_s: float) -> socket.socket:
    return socket.create_connection((ip, port), timeout=timeout_s)


def _system_secure(plain: socket.socket, host: str) -> socket.socket:
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


SYSTEM = Network(_system_resolve, _system_connect, _system_secure)
