"""No request whatever gives a 5xx, and every error has the one body."""

from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.samples import NAMES, REGISTRY
from tests.shop import Shop

MANY = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]
WORDS = [
    "products", "languages", "categories", "users", "stores", "1", "2", "0", "-1", "x",
    "", "2.0", "1.0", "v2", "9", "%2F", "%00", "%ff", "..", "9" * 12, "\u0661", "*",
    "a" * 300, "%0A", "'", '"', "<", "\U0001f375",
]  # fmt: skip
SEGMENT = st.sampled_from([*WORDS, *NAMES]) | st.text(max_size=8).map(
    lambda text: quote(text, safe="")
)
NAME = st.sampled_from(
    ["page", "items_per_page", "sort_by", "sort_order", "cursor", "fields", "status",
     "company_id", "price", "q", "pname", "cid", "period", "time_from", "lang_code",
     "ids", "pid", "version", "_d", "email", "user_type", "timestamp", "product_id"]
) | st.text(max_size=6)  # fmt: skip
VALUE = st.sampled_from(
    ["", "x", "1", "0", "-1", "1,2", "A,H", "%", "_", "\\", "'", "9" * 20, "1.5", "NaN",
     "\0", "*", "Y", "true", "C", "2024-01-01", "de", "products/1"]
) | st.text(max_size=8)  # fmt: skip
BRACKETS = st.sampled_from(["", "", "[]", "[0]", "[a]", "[a][b]", "[", "]", "[]["])
QUERY = st.lists(st.tuples(NAME, BRACKETS, VALUE), max_size=4)
SCALAR = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(["1", "A", "Y", "0", "a@example.com", "\0", "9" * 30])
)
JSON = st.recursive(
    SCALAR,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)


def _judge(answer: Any, method: str) -> None:
    assert answer.status_code < 500
    assert not 300 <= answer.status_code < 400
    if answer.status_code >= 400 and method != "HEAD":
        body = answer.get_json()
        assert body["status"] == answer.status_code
        assert body["message"]


@given(
    method=st.sampled_from(METHODS),
    segments=st.lists(SEGMENT, max_size=8),
    query=QUERY,
    anonymous=st.booleans(),
)
@MANY
def test_no_path_or_query_gives_500(
    shop: Shop,
    method: str,
    segments: list[str],
    query: list[tuple[str, str, str]],
    anonymous: bool,
) -> None:
    pairs = "&".join(f"{quote(n)}{b}={quote(v)}" for n, b, v in query)
    caller = shop.anonymous if anonymous else shop.root
    path = "/api/" + "/".join(segments)
    _judge(caller.request(method, path, query_string=pairs), method)


@given(
    name=st.sampled_from(NAMES), query=QUERY, version=st.sampled_from(["1.0", "2.0"])
)
@MANY
def test_no_query_of_a_list_gives_500(
    shop: Shop, name: str, query: list[tuple[str, str, str]], version: str
) -> None:
    pairs = "&".join(f"{quote(n)}{b}={quote(v)}" for n, b, v in query)
    _judge(shop.root.get(f"/api/{version}/{name}", query_string=pairs), "GET")


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(MANY, max_examples=60)
def test_no_body_gives_500(shop: Shop, name: str, data: st.DataObject) -> None:
    declaration = getattr(REGISTRY.get(name), "declaration", None)
    fields = sorted(declaration.kinds) if declaration else ["key"]
    body = data.draw(st.dictionaries(st.sampled_from(fields), JSON, max_size=5))
    method, path = data.draw(st.sampled_from([("POST", name), ("PUT", f"{name}/1")]))
    kind = data.draw(st.sampled_from(["json", "json", "json", "data"]))
    options: dict[str, Any] = {"json": body}
    if kind == "data":
        raw = data.draw(st.binary(max_size=40))
        types = ["application/json", "text/plain", "application/x-www-form-urlencoded"]
        options = {"data": raw, "content_type": data.draw(st.sampled_from(types))}
    _judge(shop.root.request(method, path, **options), method)


@given(
    name=st.sampled_from(
        ["Accept", "Content-Type", "Authorization", "If-Match", "If-None-Match",
         "Prefer",
         "Idempotency-Key", "Origin", "X-Request-ID", "Host", "Cookie", "Range"]
    ),
    value=st.text(
        st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"),
        max_size=40,
    ),
    method=st.sampled_from(METHODS),
)  # fmt: skip
@MANY
def test_no_header_field_gives_500(
    shop: Shop, name: str, value: str, method: str
) -> None:
    for path in ("languages", "languages/1"):
        answer = shop.root.request(
            method, path, headers={name: value}, data=b'{"name":"x"}'
        )
        if answer.status_code != 304:
            _judge(answer, method)
