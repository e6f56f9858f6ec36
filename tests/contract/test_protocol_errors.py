"""Errors, limits, header fields of every answer (spec/protocol.md, section 8)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.album import encoded
from tests.shop import Shop

JSON = "application/json"
BODY_KEYS = ["message", "status", "type", "title", "detail", "request_id"]

# A name, the request of the root caller (or of nobody), and what it is answered.
FAULTS: list[tuple[str, str, dict[str, Any], int]] = [
    ("GET", "/nosuch", {}, 404),
    ("GET", "nosuch", {}, 404),
    ("GET", "products/999999", {}, 404),
    ("GET", "/api/9/products", {}, 404),
    ("GET", "products", {"auth": ("a@example.com", "wrong")}, 401),
    ("GET", "products", {"auth": None}, 401),
    ("GET", "products?page=x", {}, 400),
    ("POST", "products", {"json": {"product": ""}}, 400),
    ("POST", "products", {"data": b"{", "content_type": JSON}, 400),
    ("POST", "products", {"json": {}}, 405),
    ("PATCH", "products", {}, 405),
    ("TRACE", "products", {}, 405),
    ("DELETE", "products", {}, 405),
    ("GET", "products", {"headers": {"Accept": "image/png"}}, 406),
    ("POST", "products", {"data": b"a=b", "content_type": "text/html"}, 415),
]  # fmt: skip


def _fail(shop: Shop, method: str, path: str, options: dict[str, Any]) -> TestResponse:
    options = {**options, "headers": {**options.get("headers", {})}}
    caller = shop.anonymous if options.get("auth", True) is None else shop.root
    if options.get("auth", True) is None:
        del options["auth"]
    return caller.request(method, path, **options)


@pytest.mark.parametrize(("method", "path", "options", "status"), FAULTS)
def test_every_error_has_the_one_body(
    shop: Shop, method: str, path: str, options: dict[str, Any], status: int
) -> None:
    """Sections 8.1 and 8.2: `message` begins with the reason phrase."""
    answer = _fail(shop, method, path, options)
    body = answer.get_json()
    assert (answer.status_code, body["status"]) == (status, status)
    assert answer.headers["Content-Type"] == JSON
    assert list(body)[:6] == BODY_KEYS
    phrase = answer.status.partition(" ")[2].title()
    assert body["message"].title().startswith(phrase)
    if body["detail"]:
        assert body["message"] == f"{body['title']}: {body['detail']}"
    assert body["request_id"] == answer.headers["X-Request-ID"]


@pytest.mark.parametrize(
    ("method", "path", "options", "status"),
    [fault for fault in FAULTS if fault[3] != 406],  # which asks for another type
)
def test_errors_leave_as_problem_or_text_if_asked(
    shop: Shop, method: str, path: str, options: dict[str, Any], status: int
) -> None:
    """RFC 9457; section 7, response, for errors too."""
    for kind, sent in (
        ("application/problem+json", "application/problem+json, */*"),
        ("text/plain; charset=utf-8", "text/plain"),
    ):
        changed = {**options, "headers": {"Accept": sent}}
        answer = _fail(shop, method, path, changed)
        assert (answer.status_code, answer.headers["Content-Type"]) == (status, kind)


@pytest.mark.parametrize(("method", "path", "options", "status"), FAULTS)
@pytest.mark.parametrize("origin", ["https://shop.example", "null"])
def test_errors_can_be_read_by_browsers(
    shop: Shop,
    method: str,
    path: str,
    options: dict[str, Any],
    status: int,
    origin: str,
) -> None:
    """spec/pitfalls.md: CORS header fields also on errors."""
    headers = {**options.get("headers", {}), "Origin": origin}
    answer = _fail(shop, method, path, {**options, "headers": headers})
    assert answer.status_code == status
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "X-Request-ID" in answer.headers["Access-Control-Expose-Headers"]


@pytest.mark.parametrize("path", ["products", "products/1", "nosuch", "/api"])
def test_preflights_need_no_credentials(shop: Shop, path: str) -> None:
    """spec/clients.md, T8."""
    answer = shop.anonymous.request(
        "OPTIONS",
        path,
        headers={
            "Origin": "https://shop.example",
            "Access-Control-Request-Method": "PUT",
            "Access-Control-Request-Headers": "authorization,content-type,if-match",
        },
    )
    assert answer.status_code == 204
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "PUT" in answer.headers["Access-Control-Allow-Methods"]
    allowed = answer.headers["Access-Control-Allow-Headers"].lower()
    for name in (
        "authorization", "content-type", "accept", "if-match", "if-none-match",
        "prefer", "idempotency-key", "x-request-id", "storefront-api-access-key",
        "cache-control",
    ):  # fmt: skip
        assert name in allowed


@pytest.mark.parametrize(
    ("origins", "origin", "allowed"),
    [(("https://a.example",), "https://a.example", "https://a.example"),
     (("https://a.example",), "https://b.example", None),
     ((), "https://a.example", None), (("*",), "https://a.example", "*"),
     (("*",), None, None)],
)  # fmt: skip
def test_origins_are_a_setting(
    shop: Shop,
    make_app: Callable[..., Flask],
    origins: tuple[str, ...],
    origin: str | None,
    allowed: str | None,
) -> None:
    """`CORS_ORIGINS`; caches keep the origins apart where the answer names one."""
    client = make_app(cors_origins=origins).test_client()
    headers = {} if origin is None else {"Origin": origin}
    answer = client.get("/api/products", headers=headers)
    assert answer.headers.get("Access-Control-Allow-Origin") == allowed
    listed = origins not in ((), ("*",))
    assert ("Origin" in answer.headers["Vary"]) == listed


def test_401_says_how_to_sign_in(shop: Shop) -> None:
    """Section 8.4, and pitfalls: a clear message when no header arrived."""
    answer = shop.anonymous.get("products")
    assert answer.headers["WWW-Authenticate"] == 'Basic realm="API"'
    assert "no credentials were sent" in answer.get_json()["message"]
    wrong = shop.anonymous.get("products", auth=("a@example.com", "wrong"))
    assert wrong.headers["WWW-Authenticate"] == 'Basic realm="API"'


def test_every_invalid_field_is_named(shop: Shop) -> None:
    """Section 8.3: `errors` with field and message, all at once."""
    body = {"price": "x", "amount": "1.5", "status": "ZZ", "category_ids": "x"}
    answer = shop.root.post("products", body)
    assert answer.status_code == 400
    errors = answer.get_json()["errors"]
    assert {error["field"] for error in errors} == {*body, "product"}
    for error in errors:
        assert set(error) == {"field", "pointer", "code", "message"}
        assert error["pointer"] == "/" + error["field"]
        assert (
            f"field '{error['field']}' {error['message']}"
            in (answer.get_json()["message"])
        )


def test_conflicts_of_unique_values_are_400(shop: Shop) -> None:
    """Section 8.5: the documented set has no 409."""
    answer = shop.root.post("languages", {"lang_code": "de", "name": "German"})
    assert answer.status_code == 400
    (error,) = answer.get_json()["errors"]
    assert (error["field"], error["code"]) == ("lang_code", "taken")


def test_faults_of_the_server_show_no_internals(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Section 8: 500 with the request ID, the trace in the log only."""

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("SELECT secret FROM users")

    monkeypatch.setattr(shop.entities()["products"], "index", fail)
    answer = shop.root.get("products", headers={"X-Request-ID": "mine-1"})
    assert answer.status_code == 500
    assert answer.get_json()["message"] == "Internal Server Error"
    assert "secret" not in answer.get_data(as_text=True)
    assert answer.get_json()["request_id"] == "mine-1"
    assert "SELECT secret" in caplog.text


def test_a_media_folder_that_takes_nothing_is_503(
    shop: Shop, make_app: Callable[..., Flask], tmp_path: Path
) -> None:
    """As when its disk is full; nothing is written, and it is not a fault of ours."""
    id = shop.make_product()
    (tmp_path / "file").touch()
    shop.root.client = make_app(media_folder=tmp_path / "file").test_client()
    image = {"main_pair": {"detailed": {"data": encoded()}}}
    answer = shop.root.put(f"products/{id}", {"product": "Vase", **image})
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    assert answer.get_json()["detail"] == "images cannot be stored now"
    assert shop.root.get(f"products/{id}").get_json()["product"] != "Vase"


@pytest.mark.parametrize("given", ["a", "A-b_c.d:9", "x" * 64])
def test_sound_request_ids_are_kept(shop: Shop, given: str) -> None:
    """`X-Request-ID` of the client, in answers and errors."""
    for path, status in (
        ("languages", 200), ("nosuch", 404), ("/x", 404), ("/healthz", 200),
        ("/readyz", 200), ("/auth?ekey=x", 403),
    ):  # fmt: skip
        answer = shop.root.get(path, headers={"X-Request-ID": given})
        assert (answer.status_code, answer.headers["X-Request-ID"]) == (status, given)


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("languages?q=secret", [("/api/2.0/languages", 200)]),
        ("/", [("/", 404)]),
        ("/images/none.png", [("/images/none.png", 404)]),
        ("/auth?ekey=secret", [("/auth", 403)]),
        ("/healthz", []),
        ("/readyz", []),
    ],
)
def test_requests_have_a_line_in_the_log(
    shop: Shop,
    path: str,
    lines: list[tuple[str, int]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """All but health checks, with the ID of the answer and without parameters."""
    with caplog.at_level("INFO", "storeapi.access"):
        answer = shop.root.get(path)
    found = [each for each in caplog.records if each.name == "storeapi.access"]
    assert [(each.path, each.status) for each in found] == lines
    assert all(each.request_id == answer.headers["X-Request-ID"] for each in found)
    assert all(each.ms >= 0 for each in found)


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "<script>", "ä", 'a"b'])
def test_other_request_ids_are_replaced(shop: Shop, given: str) -> None:
    """Nothing that a log or a header could trip over."""
    answer = shop.root.get("languages", headers={"X-Request-ID": given})
    assert answer.headers["X-Request-ID"] != given
    assert len(answer.headers["X-Request-ID"]) == 16


@pytest.mark.parametrize(
    ("path", "status"),
    [("languages", 200), ("nosuch", 404), ("/x", 404), ("/api/?version", 200),
     ("products?page=x", 400)],
)  # fmt: skip
def test_every_answer_has_security_header_fields(
    shop: Shop, path: str, status: int
) -> None:
    """Nothing is sniffed, framed, run, or kept by a shared cache."""
    answer = shop.root.get(path)
    assert answer.status_code == status
    headers = answer.headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "private, no-cache"
    assert {"Authorization", "Accept"} <= set(headers["Vary"].split(", "))
    assert headers["X-Request-ID"]


def test_limits_of_parameters(shop: Shop) -> None:
    """`MAX_PARAMS`: 400; after 401."""
    query = "&".join(f"a{n}=1" for n in range(501))
    assert shop.root.get(f"languages?{query}").status_code == 400
    assert shop.anonymous.get(f"languages?{query}").status_code == 401
    fine = "&".join(f"a{n}=1" for n in range(500))
    assert shop.root.get(f"languages?{fine}").status_code == 200


def test_a_form_may_have_more_pairs_than_an_address_parameters(shop: Shop) -> None:
    """`MAX_PARAMS` is of addresses; bodies of all types have one limit."""
    pairs = "&".join(f"a{n}=1" for n in range(501))
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = shop.root.post("taxes", data=f"tax=VAT&{pairs}", headers=form)
    assert answer.status_code == 201
    pairs = "&".join(f"a{n}=1" for n in range(50_000))
    answer = shop.root.post("taxes", data=f"tax=VAT&{pairs}", headers=form)
    assert answer.status_code == 400


def test_limits_of_header_fields(shop: Shop) -> None:
    """`MAX_HEADERS`: 431 with the one body."""
    headers = {f"X-Field-{n}": "1" for n in range(101)}
    answer = shop.root.get("languages", headers=headers)
    assert (answer.status_code, answer.get_json()["status"]) == (431, 431)


@pytest.mark.parametrize(
    "query", ["a=%00", "%00=a", "a=%ff", "%ff=1", "a[%ff]=1", "\xff=1"]
)
def test_queries_that_are_no_text_are_400(shop: Shop, query: str) -> None:
    """Never 5xx, and 401 comes first."""
    assert shop.root.get(f"languages?{query}").status_code in (200, 400)
    assert shop.anonymous.get(f"languages?{query}").status_code == 401


@pytest.mark.parametrize("path", ["/api/%ff", "/api/products/%00", "/api/%C3%28/1"])
def test_paths_that_are_no_text_are_404(shop: Shop, path: str) -> None:
    """Section 4.1."""
    assert shop.root.get(path).status_code == 404
    assert shop.anonymous.get(path).status_code == 404


@pytest.mark.parametrize(
    "headers",
    [{"Host": 'a"b'}, {"Host": ""}, {"Accept": "\xff"}, {"Accept": ";;;,,"},
     {"Content-Type": "\xff/\xfe"}, {"Authorization": "Basic \xff"},
     {"If-Match": '"'}, {"If-None-Match": "W/"}, {"Prefer": "handling"},
     {"Content-Length": "x"}, {"Cookie": "\xff=;;"}, {"Range": "bytes=0-0"},
     {"Accept-Encoding": "gzip"}, {"X-Forwarded-For": "x" * 200}],
)  # fmt: skip
def test_strange_header_fields_do_no_harm(shop: Shop, headers: dict[str, str]) -> None:
    """Never 5xx."""
    for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS"):
        for path in ("languages", "languages/1"):
            caller = shop.anonymous if "Authorization" in headers else shop.root
            answer = caller.request(method, path, headers=headers, data=b'{"a":1}')
            assert answer.status_code < 500
            assert answer.status_code != 401 or "Authorization" in headers


@pytest.mark.parametrize("host", [".a", "a..b", "a" * 300])
def test_hosts_that_are_none_are_400(shop: Shop, host: str) -> None:
    """A part of a name that is empty or too long: no name of a host."""
    for answer in (
        shop.root.get("languages", headers={"Host": host}),
        shop.app.test_client().get("/healthz", headers={"Host": host}),
    ):
        assert answer.status_code == 400
        assert answer.get_json()["message"] == "Bad Request: it names no host"


def test_one_message_for_every_failed_login(shop: Shop) -> None:
    """Section 9.6: nothing tells a known user from an unknown one."""
    disabled = shop.caller(status="D")
    answers = [
        shop.anonymous.get("products", auth=auth)
        for auth in (
            ("nobody@example.com", "x" * 32),
            (shop.root.login, "x" * 32),
            (shop.root.login, ""),
            (disabled.login, disabled.key),
            ("", ""),
        )
    ]
    bodies = [{**answer.get_json(), "request_id": ""} for answer in answers]
    assert all(answer.status_code == 401 for answer in answers)
    assert all(body == bodies[0] for body in bodies)
    for text in ("Bearer abc", "Basic", "Basic !!!", "Digest x", "Basic YQ=="):
        answer = shop.anonymous.get("products", headers={"Authorization": text})
        assert {**answer.get_json(), "request_id": ""} == bodies[0]


def test_the_same_key_brings_the_same_answer(shop: Shop) -> None:
    """`Idempotency-Key`: replayed, 422 for another body, freed by a failure."""
    key = {"Idempotency-Key": "k1"}
    body = {"lang_code": "fr", "name": "French"}
    first = shop.root.post("languages", body, headers=key)
    again = shop.root.post("languages", body, headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.data == again.data
    assert first.headers["Location"] == again.headers["Location"]
    assert again.headers["Idempotency-Replayed"] == "true"
    other = shop.root.post("languages", {**body, "name": "X"}, headers=key)
    assert other.status_code == 422
    failed = {"Idempotency-Key": "k2"}
    bad = {"lang_code": "it1", "name": "Italian"}
    assert shop.root.post("languages", bad, headers=failed).status_code == 400
    good = {**bad, "lang_code": "it"}
    assert shop.root.post("languages", good, headers=failed).status_code == 201


def test_keys_belong_to_their_caller(shop: Shop) -> None:
    """A key of one caller says nothing to another."""
    other = shop.caller("manage_languages")
    key = {"Idempotency-Key": "k1"}
    body = {"lang_code": "fr", "name": "French"}
    assert shop.root.post("languages", body, headers=key).status_code == 201
    again = other.post("languages", body, headers=key)
    assert again.status_code == 400
    assert "Idempotency-Replayed" not in again.headers
    refused = shop.caller("view_languages").post("languages", body, headers=key)
    assert refused.status_code == 403


@pytest.mark.parametrize("key", ["", "x" * 256, "ä"])
def test_unusable_keys_are_400(shop: Shop, key: str) -> None:
    """1 to 255 printable characters."""
    body = {"lang_code": "fr", "name": "French"}
    answer = shop.root.post("languages", body, headers={"Idempotency-Key": key})
    assert answer.status_code == 400
