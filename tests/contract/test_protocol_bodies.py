"""Body formats and content negotiation (spec/protocol.md, section 7)."""

import base64
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import EnvironBuilder, run_wsgi_app

from tests.shop import Shop

pytestmark = pytest.mark.any_database  # decided before an entity is asked
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
EVERY_VERSION = pytest.mark.parametrize("version", ["1.0", "2.0"])


def _post(shop: Shop, version: str, data: bytes, kind: str | None) -> Any:
    path = f"/api/{version}/languages"
    return shop.root.request("POST", path, data=data, content_type=kind)


def _json(**more: Any) -> bytes:
    return json.dumps({"lang_code": "fr", "name": "French", **more}).encode()


@EVERY_VERSION
def test_the_last_of_equal_names_counts(shop: Shop, version: str) -> None:
    """Section 7, request: as all parsers of JSON that clients use have it."""
    data = b'{"lang_code": "fr", "name": "First", "name": "Last", "name": "French"}'
    assert _post(shop, version, data, JSON).status_code == 201
    found = shop.root.get(f"/api/{version}/languages/fr").get_json()
    assert found["name"] == "French"


@EVERY_VERSION
@pytest.mark.parametrize(
    "kind",
    [JSON, "application/json; charset=utf-8", "APPLICATION/JSON",
     "application/json;charset=UTF-8", " application/json ; x=\"y;z\" "],
)  # fmt: skip
def test_json_is_read_whatever_its_parameters(
    shop: Shop, version: str, kind: str
) -> None:
    """Section 7, request."""
    assert _post(shop, version, _json(), kind).status_code == 201


@EVERY_VERSION
def test_a_byte_order_mark_is_skipped(shop: Shop, version: str) -> None:
    """spec/pitfalls.md, HTTP behaviour."""
    assert _post(shop, version, b"\xef\xbb\xbf" + _json(), JSON).status_code == 201


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [(None, 415, 201), ("", 415, 201), ("text/plain", 415, 201),
     ("text/plain; charset=utf-8", 415, 201), ("Text/Plain", 415, 201),
     (FORM, 415, 201), ("application/xml", 415, 415), ("text/html", 415, 415),
     ("application/vnd.api+json", 415, 415), ("nonsense", 415, 415),
     ("multipart/mixed; boundary=x", 415, 415)],
)  # fmt: skip
def test_formats_of_the_versions(
    shop: Shop, kind: str | None, first: int, second: int
) -> None:
    """Section 7, request: 1.0 takes JSON only, 2.0 pairs too."""
    data = b"lang_code=fr&name=French"
    answer = _post(shop, "1.0", data, kind)
    assert answer.status_code == first
    assert answer.get_json()["status"] == first
    assert _post(shop, "2.0", data, kind).status_code == second


def test_multipart_parts_are_properties(shop: Shop) -> None:
    """Section 7, request: those without a file name."""
    kind = "multipart/form-data; boundary=XX"
    data = (
        b'--XX\r\nContent-Disposition: form-data; name="lang_code"\r\n\r\nfr\r\n'
        b'--XX\r\nContent-Disposition: form-data; name="name"\r\n\r\nFrench\r\n'
        b'--XX\r\nContent-Disposition: form-data; name="name"; filename="a"\r\n\r\n'
        b"file\r\n--XX--\r\n"
    )
    assert _post(shop, "1.0", data, kind).status_code == 415
    id = _post(shop, "2.0", data, kind).get_json()["lang_id"]
    assert shop.root.get(f"languages/{id}").get_json()["name"] == "French"
    for broken in (data[:-20], b"--XX\r\n", b"nothing"):
        assert _post(shop, "2.0", broken, kind).status_code == 400
    assert _post(shop, "2.0", data, "multipart/form-data").status_code == 400


@pytest.mark.parametrize(
    "data",
    [b"[1]", b'"text"', b"5", b"null", b"true", b'{"a":1', b'{"a":1}x', b"{'a':1}",
     b'{"a":1}{"b":2}', b'{"a":NaN}', b'{"a":Infinity}', b'{"a":"\xff"}', b"\xff",
     b'{"a":"\\ud800"}', b"name=French", b"[]x", b'{"a":1e999}x', b'{"a":01}'],
)  # fmt: skip
@EVERY_VERSION
def test_json_must_be_one_object(shop: Shop, version: str, data: bytes) -> None:
    """Section 7, request, rule 1."""
    before = shop.everything()
    answer = _post(shop, version, data, JSON)
    assert answer.status_code == 400
    assert answer.get_json()["message"].startswith("Bad Request: ")
    assert shop.everything() == before


def test_the_last_of_repeated_keys_counts(shop: Shop) -> None:
    """spec/pitfalls.md, T5: decided, so that no check sees another value."""
    data = b'{"lang_code":"fr","name":"A","name":"B"}'
    id = _post(shop, "2.0", data, JSON).get_json()["lang_id"]
    assert shop.root.get(f"languages/{id}").get_json()["name"] == "B"


@pytest.mark.parametrize(
    ("text", "name"),
    [("a+b%20c", "a b c"), ("%C3%A4", "ä"), ("a%26b%3Dc", "a&b=c"), ("x=y", "x=y"),
     ("%", "%"), ("%zz", "%zz"), ("\u00e9", "é")],
)  # fmt: skip
def test_pairs_are_percent_decoded(shop: Shop, text: str, name: str) -> None:
    """Section 7, request, rule 2: `+` and `%20` are both spaces."""
    data = f"lang_code=fr&name={text}".encode()
    id = _post(shop, "2.0", data, "text/plain").get_json()["lang_id"]
    assert shop.root.get(f"languages/{id}").get_json()["name"] == name


@pytest.mark.parametrize(
    "data",
    [b"name", b"a=1&b", b"=x", b"&", b"a=1&", b"a b=1", b"a.b=1", b"a[=1", b"a]=1",
     b"a[b]c=1", b"%C3%A4=1", b"a=%ff", b'{"name":"French"}', b'{"a":"b=c"}',
     b"a=1&a[b]=2"],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["text/plain", FORM, None])
def test_broken_pairs_are_400(shop: Shop, data: bytes, kind: str | None) -> None:
    """Section 7, request, rule 2: JSON sent as text fails in 2.0 as well."""
    before = shop.everything()
    assert _post(shop, "2.0", data, kind).status_code == 400
    assert shop.everything() == before


def test_brackets_build_maps_and_lists(shop: Shop) -> None:
    """Section 7, request, rule 2."""
    other = shop.make_category("Cups")
    for keys in ("category_ids[]=%d&category_ids[]=%d",
                 "category_ids[0]=%d&category_ids[1]=%d"):  # fmt: skip
        data = f"product=Mug&{keys % (shop.category, other)}"
        answer = shop.root.request(
            "POST", "products", data=data, content_type="text/plain"
        )
        id = answer.get_json()["product_id"]
        record = shop.root.get(f"products/{id}").get_json()
        assert record["category_ids"] == [shop.category, other]


def test_large_bodies_are_413(shop: Shop, make_app: Callable[..., Flask]) -> None:
    """Section 7, request, rule 3: declared, and chunked without a length."""
    client = make_app(max_content_length=100).test_client()
    auth = (shop.root.login, shop.root.key)
    sound = _json()
    options: dict[str, Any] = {"auth": auth, "content_type": JSON}
    large = _json(x="y" * 100)
    answer = client.post("/api/2.0/languages", data=large, **options)
    assert (answer.status_code, answer.get_json()["status"]) == (413, 413)
    environ = EnvironBuilder(path="/api/2.0/languages", method="POST").get_environ()
    environ |= {"wsgi.input_terminated": True, "CONTENT_TYPE": JSON}
    environ |= {"wsgi.input": _Endless(), "HTTP_AUTHORIZATION": _basic(*auth)}
    _, status, _ = run_wsgi_app(client.application, environ)
    assert status == "413 REQUEST ENTITY TOO LARGE"
    assert client.post("/api/2.0/languages", data=sound, **options).status_code == 201
    assert client.post("/api/2.0/languages", data=large).status_code == 401
    wrong_type = {**options, "content_type": "text/html"}
    assert client.post("/api/2.0/languages", data=large, **wrong_type).status_code in (
        413,
        415,
    )


def test_a_body_whose_end_is_unknown_is_411(shop: Shop) -> None:
    """Some WSGI servers hand chunks on as they came: nothing is lost in silence."""
    chunks = {"HTTP_TRANSFER_ENCODING": "chunked"}
    for method, path in (("POST", "languages"), ("PUT", "languages/1")):
        answer = shop.root.request(method, path, environ_overrides=chunks)
        assert (answer.status_code, answer.get_json()["status"]) == (411, 411)


def _basic(login: str, key: str) -> str:
    return "Basic " + base64.b64encode(f"{login}:{key}".encode()).decode()


class _Endless(io.RawIOBase):
    """A body that never ends, as a chunked one may be."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        buffer[:] = b" " * len(buffer)
        return len(buffer)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_deep_bodies_are_400(shop: Shop, opening: bytes) -> None:
    """`MAX_JSON_DEPTH`; spec/pitfalls.md, T5: 100,000 brackets."""
    for depth in (33, 1000, 100_000):
        data = b'{"name":' + opening * depth
        assert _post(shop, "2.0", data, JSON).status_code == 400
    key = b"a" + b"[b]" * 40 + b"=1"
    assert _post(shop, "2.0", key, "text/plain").status_code == 400


@pytest.mark.parametrize(
    ("accept", "kind"),
    [(None, JSON), ("", JSON), ("*/*", JSON), ("application/*", JSON), (JSON, JSON),
     ("application/json; charset=utf-8", JSON), ("text/plain", "text/plain"),
     ("text/*", "text/plain"), ("TEXT/PLAIN", "text/plain"),
     ("text/plain;q=0.5, application/json;q=0.4", "text/plain"),
     ("text/plain;q=0.5, application/json", JSON),
     ("application/xml, text/plain;q=0.1", "text/plain"),
     ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", JSON),
     ("application/json;q=0, */*", "text/plain")],
)  # fmt: skip
def test_accept_chooses_the_format(shop: Shop, accept: str | None, kind: str) -> None:
    """Section 7, response, rule 1: quality values count."""
    headers = {} if accept is None else {"Accept": accept}
    answer = shop.root.get("languages", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == (
        kind if kind == JSON else "text/plain; charset=utf-8"
    )


@pytest.mark.parametrize(
    "accept", ["application/xml", "image/*", "text/html", "*/*;q=0",
               "application/json;q=0", "application/xml;q=0.9, text/csv"],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nothing_acceptable_is_406(shop: Shop, accept: str, method: str) -> None:
    """Section 7, response, rule 2: an error body in JSON; nothing is written."""
    before = shop.everything()
    answer = shop.root.request(
        method, "languages", headers={"Accept": accept}, data=_json(), content_type=JSON
    )
    assert answer.status_code == 406
    assert answer.headers["Content-Type"] == JSON
    assert answer.get_json()["message"].startswith("Not Acceptable")
    assert shop.everything() == before


def test_plain_text_mirrors_the_input(shop: Shop) -> None:
    """Section 7, response, rule 3: one line of percent-encoded pairs."""
    id = shop.make_product('Mug & "Co" = 5%\nä', tax_ids=[shop.make_tax()])
    text = {"Accept": "text/plain"}
    answer = shop.root.get(f"products/{id}", headers=text)
    line = answer.get_data(as_text=True)
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "\n" not in line
    assert "product=Mug%20%26%20%22Co%22%20%3D%205%25%0A%C3%A4&" in line
    assert f"category_ids[0]={shop.category}&" in line
    listed = shop.root.get("/api/products", headers=text).get_data(as_text=True)
    assert listed.startswith(f"products[{id}][product_id]={id}&")
    assert "&search[page]=1&" in listed
    made = shop.root.request(
        "POST", "languages", headers=text, data=_json(), content_type=JSON
    )
    assert made.status_code == 201
    assert made.get_data(as_text=True).startswith("lang_id=")


def test_plain_text_comes_back_as_input(shop: Shop) -> None:
    """Section 7, response, rule 3: what was read can be sent."""
    id = shop.make_product("Mug", price="3", amount="2")
    path = f"products/{id}"
    before = shop.root.get(path).get_json()
    line = shop.root.get(path, headers={"Accept": "text/plain"}).data
    answer = shop.root.request("PUT", path, data=line, content_type="text/plain")
    assert answer.status_code == 200
    after = shop.root.get(path).get_json()
    assert {n for n in after if after[n] != before[n]} <= {"updated_timestamp"}


@EVERY_VERSION
def test_a_record_can_be_sent_back(shop: Shop, version: str) -> None:
    """spec/pitfalls.md: the answer of GET is a PUT that changes nothing."""
    id = shop.make_product("Mug", price="3", amount="2", tax_ids=[shop.make_tax()])
    path = f"/api/{version}/products/{id}"
    before = shop.everything()
    assert shop.root.put(path, shop.root.get(path).get_json()).status_code == 200
    assert shop.everything() == before


def test_json_has_no_byte_order_mark(shop: Shop) -> None:
    """Section 7, response, rule 4."""
    answer = shop.root.get("languages")
    assert answer.headers["Content-Type"] == JSON
    assert answer.data.startswith(b"{")


def test_get_and_delete_may_declare_a_type(shop: Shop) -> None:
    """spec/clients.md, T2; spec/pitfalls.md: the header without a body."""
    id = shop.make_product()
    for kind in (JSON, "application/xml"):
        headers = {"Content-Type": kind}
        assert shop.root.get(f"products/{id}", headers=headers).status_code == 200
    answer = shop.root.delete(f"products/{id}", headers={"Content-Type": JSON})
    assert answer.status_code == 204
