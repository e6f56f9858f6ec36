"""Which addresses the server may keep or connect to."""

import socket
import time

import pytest

from storeapi.rules.outgoing import (
    SYSTEM,
    Deadline,
    Network,
    NoAnswer,
    UnsafeAddress,
    check_address,
    check_ip,
    open_connection,
)


@pytest.mark.parametrize(
    "text",
    [
        "http://169.254.169.254/",
        "http://localhost/",
        "http://LOCALHOST./x",
        "http://shop.localhost/",
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.0.0.1/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://10.0.0.1/",
        "http://100.64.0.1/",
        "http://192.168.1.1/",
        "http://224.0.0.1/",
        "http://255.255.255.255/",
        "http://0.0.0.0/",
        "http://[::1]/",
        "http://[::]/",
        "http://[fe80::1%25eth0]/",
        "http://[fc00::1]/",
        "http://[::ffff:8.8.8.8]/",
        "http://[64:ff9b::808:808]/",
        "http://[2002:7f00:1::]/",
        "http://[2001:db8::1]/",
        "http://db/",
        "http://printer.local/",
        "http://metadata.google.internal/",
        "http://\uff11\uff12\uff17.0.0.1/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "ftp://cdn.example/x.jpg",
        "gopher://cdn.example/",
        "//cdn.example/x.jpg",
        "images/x.jpg",
        "",
        "http://",
        "http:///x",
        "http://user:pass@cdn.example/",
        "http://cdn.example:99999/",
        "http://cdn.example:0/",
        "http://cdn.example\\@127.0.0.1/",
        "http://cdn.example/\r\nHost: x",
        "http://a b.example/",
        "http://[::1/",
        "http://[v1.x]/",
        "http://" + "a" * 70 + ".example/",
        "https://cdn.example/" + "x" * 2048,
        "https://cdn.example/\ud800",
    ],
)
def test_unsafe_address_is_refused(text: str) -> None:
    with pytest.raises(UnsafeAddress):
        check_address(text)


@pytest.mark.parametrize(
    ("text", "url", "authority", "target"),
    [
        (
            "https://cdn.example/mug-500.jpg",
            "https://cdn.example/mug-500.jpg",
            "cdn.example",
            "/mug-500.jpg",
        ),
        (
            " HTTP://CDN.Example:80/a b/%20?q=ä#top ",
            "http://cdn.example/a%20b/%20?q=%C3%A4#top",
            "cdn.example",
            "/a%20b/%20?q=%C3%A4",
        ),
        ("https://cdn.example", "https://cdn.example/", "cdn.example", "/"),
        (
            "http://8.8.8.8:8080/x",
            "http://8.8.8.8:8080/x",
            "8.8.8.8:8080",
            "/x",
        ),
        (
            "https://[2606:4700::1111]/x",
            "https://[2606:4700::1111]/x",
            "[2606:4700::1111]",
            "/x",
        ),
        (
            "http://bücher.example/",
            "http://xn--bcher-kva.example/",
            "xn--bcher-kva.example",
            "/",
        ),
    ],
)
def test_public_address_is_read(
    text: str, url: str, authority: str, target: str
) -> None:
    address = check_address(text)
    assert (address.url, address.authority, address.target) == (url, authority, target)


@pytest.mark.parametrize(
    "ip", ["172.16.0.1", "198.18.0.1", "ff02::1", "fe80::1", "::ffff:10.0.0.1", "nope"]
)
def test_ip_that_is_not_public_is_refused(ip: str) -> None:
    with pytest.raises(UnsafeAddress):
        check_ip(ip)


class Wire(socket.socket):
    """A socket that goes nowhere."""


def network(
    ips: list[str], tried: list[str], refusing: tuple[str, ...] = ()
) -> Network:
    def connect(ip: str, port: int, timeout_s: float) -> socket.socket:
        tried.append(f"{ip}:{port}")
        if ip in refusing:
            raise ConnectionRefusedError
        return Wire()

    return Network(lambda host, port: ips, connect, lambda plain, host: plain)


def test_connects_to_the_address_that_was_checked() -> None:
    tried: list[str] = []
    address = check_address("http://cdn.example/x")
    open_connection(address, Deadline(5), network(["8.8.4.4"], tried)).close()
    assert tried == ["8.8.4.4:80"]


def test_next_ip_is_tried_when_one_refuses() -> None:
    tried: list[str] = []
    address = check_address("https://cdn.example/x")
    way = network(["8.8.4.4", "8.8.8.8"], tried, refusing=("8.8.4.4",))
    open_connection(address, Deadline(5), way).close()
    assert tried == ["8.8.4.4:443", "8.8.8.8:443"]


@pytest.mark.parametrize("inside", ["10.1.2.3", "::1", "::ffff:8.8.8.8"])
def test_one_private_ip_refuses_the_name(inside: str) -> None:
    tried: list[str] = []
    address = check_address("http://cdn.example/x")
    with pytest.raises(UnsafeAddress):
        open_connection(address, Deadline(5), network(["8.8.4.4", inside], tried))
    assert tried == []


def test_unknown_name_brings_no_answer() -> None:
    with pytest.raises(NoAnswer):
        open_connection(
            check_address("http://cdn.example/"), Deadline(5), network([], [])
        )


def test_refused_connection_brings_no_answer() -> None:
    way = network(["8.8.4.4"], [], refusing=("8.8.4.4",))
    with pytest.raises(NoAnswer):
        open_connection(check_address("http://cdn.example/"), Deadline(5), way)


def test_failing_resolver_brings_no_answer() -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise socket.gaierror("unknown")

    way = Network(resolve, network([], []).connect, lambda plain, host: plain)
    with pytest.raises(NoAnswer):
        open_connection(check_address("http://cdn.example/"), Deadline(5), way)


def test_slow_resolver_ends_at_the_deadline() -> None:
    def resolve(host: str, port: int) -> list[str]:
        time.sleep(0.5)
        return ["8.8.8.8"]

    way = Network(resolve, network([], []).connect, lambda plain, host: plain)
    with pytest.raises(NoAnswer):
        open_connection(check_address("http://cdn.example/"), Deadline(0.05), way)


def test_failed_tls_closes_the_connection() -> None:
    wire = Wire()

    def secure(plain: socket.socket, host: str) -> socket.socket:
        raise OSError("certificate")

    way = Network(lambda host, port: ["8.8.8.8"], lambda *_: wire, secure)
    with pytest.raises(NoAnswer):
        open_connection(check_address("https://cdn.example/"), Deadline(5), way)
    assert wire.fileno() == -1


def test_deadline_passes() -> None:
    with pytest.raises(NoAnswer):
        Deadline(0).remaining()


def test_ways_of_the_system_lead_where_they_are_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert SYSTEM.resolve("127.0.0.1", port) == ["127.0.0.1"]
        with SYSTEM.connect("127.0.0.1", port, 5) as plain:
            accepted, _ = server.accept()
            accepted.close()
            with pytest.raises(OSError, match=r".+"):
                SYSTEM.secure(plain, "cdn.example").close()
