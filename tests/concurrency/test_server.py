"""HTTP as it is on the wire: what a test client cannot show."""

import json
import socket
from base64 import b64encode
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest

from tests.serving import Server, together
from tests.shop import Shop


def _auth(shop: Shop, **more: str) -> dict[str, str]:
    return {"Authorization": shop.root.authorization, **more}


@pytest.mark.parametrize(
    "path",
    ["/api/2.0/products/{id}", "/api//2.0///products//{id}//",
     "/api/2.0/%70roducts/{id}",
     "/api.php?_d=2.0%2Fproducts%2F{id}",
     "/api.php?_d=2.0/products/{id}&ajax_custom=1"],
)  # fmt: skip
def test_paths_reach_the_front_unchanged(shop: Shop, server: Server, path: str) -> None:
    """Sections 1.2 and 1.3: no redirect, decoded once."""
    id = shop.make_product()
    reply = server.raw("GET", path.format(id=id), headers=_auth(shop))
    assert (reply.status, reply.json()["product_id"]) == (200, str(id))


def test_chunked_bodies_are_read(shop: Shop, server: Server) -> None:
    """spec/clients.md, T13."""
    body = json.dumps({"lang_code": "fr", "name": "French"}).encode()

    def parts() -> Iterator[bytes]:
        for start in range(0, len(body), 7):
            yield body[start : start + 7]

    reply = server.raw(
        "POST",
        "/api/2.0/languages",
        parts(),
        _auth(shop, **{"Content-Type": "application/json"}),
        encode_chunked=True,
    )
    assert reply.status == 201


@pytest.mark.parametrize("chunked", [True, False])
def test_bodies_above_the_limit_are_413(
    shop: Shop, server: Server, chunked: bool
) -> None:
    """Section 7: declared or not, and the server goes on."""
    piece = b" " * 2**20
    headers = _auth(shop, **{"Content-Type": "application/json"})
    body = iter([piece] * 17) if chunked else piece * 17
    try:
        reply = server.raw(
            "POST", "/api/2.0/languages", body, headers, encode_chunked=chunked
        )
    except (BrokenPipeError, ConnectionResetError):
        reply = None  # it answered before all was sent, and hung up
    if reply is not None:
        assert (reply.status, reply.json()["status"]) == (413, 413)
    assert server.raw("GET", "/api/2.0/languages", headers=_auth(shop)).status == 200


def test_connections_serve_on_or_are_said_to_end(shop: Shop, server: Server) -> None:
    """An error that leaves a body unread, as a wrong key does, ends its connection."""
    wrong = f"Basic {b64encode(b'nobody:x').decode()}"
    body = b'{"product": "' + b"x" * 2_000 + b'"}'
    for authorization, status, ends in (
        (wrong, 401, True), (shop.root.authorization, 400, False)
    ):  # fmt: skip
        headers = {"Authorization": authorization, "Content-Type": "application/json"}
        connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
        for _ in range(20):
            connection.request("POST", "/api/2.0/products", body, headers)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == status
            assert (answer.getheader("Connection") == "close") is ends
        connection.close()


def test_expect_continue(shop: Shop, server: Server) -> None:
    """spec/clients.md, T13: the client waits for a word before it sends."""
    body = b'{"lang_code":"fr","name":"French"}'
    head = (
        f"POST /api/2.0/languages HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: {shop.root.authorization}\r\nExpect: 100-continue\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as wire:
        wire.sendall(head.encode())
        assert wire.recv(1000).startswith(b"HTTP/1.1 100")
        wire.sendall(body)
        assert b"HTTP/1.1 201" in wire.recv(65536)


def test_head_has_the_length_and_no_body(shop: Shop, server: Server) -> None:
    """Section 3.4."""
    get = server.raw("GET", "/api/2.0/languages", headers=_auth(shop))
    head = server.raw("HEAD", "/api/2.0/languages", headers=_auth(shop))
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == str(len(get.body))


def test_deleted_is_empty(shop: Shop, server: Server) -> None:
    """Section 3: 204 without body and type; the connection can be used again."""
    id = shop.make_product()
    path = f"/api/2.0/products/{id}"
    reply = server.raw("DELETE", path, headers=_auth(shop))
    assert (reply.status, reply.body) == (204, b"")
    assert "content-type" not in reply.headers
    assert server.raw("GET", path, headers=_auth(shop)).status == 404


@pytest.mark.parametrize("method", ["PATCH", "PROPFIND", "FOO"])
def test_other_methods_are_405(shop: Shop, server: Server, method: str) -> None:
    """Section 3.4."""
    reply = server.raw(method, "/api/2.0/languages", headers=_auth(shop))
    assert (reply.status, reply.json()["status"]) == (405, 405)
    assert "GET" in reply.headers["allow"]


def test_raw_bytes_in_the_query(shop: Shop, server: Server) -> None:
    """spec/clients.md, T9: unescaped UTF-8."""
    shop.make_product("Tasse für Öl")
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as wire:
        head = (
            "GET /api/2.0/products?product=Öl HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: {shop.root.authorization}\r\nConnection: close\r\n\r\n"
        )
        wire.sendall(head.encode())
        answer = b""
        while piece := wire.recv(65536):
            answer += piece
    assert b" 200 " in answer.partition(b"\r\n")[0]
    assert b'"total_items":"1"' in answer


def test_many_connections_at_once(shop: Shop, server: Server) -> None:
    """spec/clients.md, T17: keep-alive and bursts."""
    replies = together(
        [lambda: server.raw("GET", "/api/2.0/languages", headers=_auth(shop))] * 40
    )
    assert {reply.status for reply in replies} == {200}
