"""Addresses, by the tables of spec/protocol.md, sections 1 and 2."""

import pytest

from storeapi.core.errors import InvalidInput, NotFound
from storeapi.core.path import Path, Step, parse_api_php, parse_path
from storeapi.core.query import parse_query, wsgi_text


def path(raw: str, default: str = "1.0", *, encoded: bool = True) -> Path:
    return parse_path(raw, default_version=default, encoded=encoded)


def steps(raw: str) -> list[tuple[str, str | None]]:
    return [(step.name, step.id) for step in path(raw).steps]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("", []),
        ("/", []),
        ("/stores", [("stores", None)]),
        ("/stores/", [("stores", None)]),
        ("//stores///7//", [("stores", "7")]),
        ("/products/5/features", [("products", "5"), ("features", None)]),
        ("/products/5/features/8/", [("products", "5"), ("features", "8")]),
        (
            "/products/5/features/8/images",
            [("products", "5"), ("features", "8"), ("images", None)],
        ),
        (
            "/products/5/features/8/images/9",
            [("products", "5"), ("features", "8"), ("images", "9")],
        ),
        ("/categories//products", [("categories", "products")]),
        ("/products/" + "9" * 5000, [("products", "9" * 5000)]),
    ],
)
def test_segments_become_steps(raw: str, expected: list[tuple[str, str | None]]):
    assert steps(raw) == expected


@pytest.mark.parametrize("prefix", ["2", "2.0", "v2", "v2.0", "2%2E0", "/2.0/"])
def test_a_prefix_chooses_version_2(prefix: str):
    assert path(f"/{prefix}/stores") == Path("2.0", (Step("stores"),))


@pytest.mark.parametrize("prefix", ["1", "1.0", "v1", "v1.0"])
def test_a_prefix_chooses_version_1(prefix: str):
    assert path(f"/{prefix}/stores/3", "2.0") == Path("1.0", (Step("stores", "3"),))


@pytest.mark.parametrize("default", ["1.0", "2.0"])
def test_without_prefix_the_default_version_applies(default: str):
    assert path("/stores", default).version == default


def test_a_version_alone_names_nothing():
    assert path("/2.0/") == Path("2.0")


@pytest.mark.parametrize(
    "raw", ["/3.0/stores", "/9", "/4.0/sra_products", "/v3/x", "/02/x", "/2.00/x"]
)
def test_an_unknown_version_is_not_found(raw: str):
    with pytest.raises(NotFound):
        path(raw)


@pytest.mark.parametrize("name", ["V2", "1.0.0", "2.", ".2", "\u0661", "version"])
def test_what_is_no_version_is_a_name(name: str):
    assert path(f"/{name}").steps == (Step(name),)


@pytest.mark.parametrize(
    "raw",
    ["/a/1/b/2/c/3/d", "/a/1/b/2/c/3/d/4", "/2.0/a/1/b/2/c/3/d", "/a" * 100_000],
)
def test_more_than_three_names_is_not_found(raw: str):
    with pytest.raises(NotFound):
        path(raw)


def test_the_longest_path_may_have_a_version():
    assert len(path("/2.0/a/1/b/2/c/3").steps) == 3


@pytest.mark.parametrize(
    ("raw", "id_"),
    [
        ("a%2Fb", "a/b"),
        ("a%252Fb", "a%2Fb"),
        ("a+b", "a+b"),
        ("a%20b", "a b"),
        ("100%", "100%"),
        ("%zz", "%zz"),
        ("%D0%B8", "\u0438"),
        ("\u0438", "\u0438"),
    ],
)
def test_segments_are_decoded_once_after_splitting(raw: str, id_: str):
    assert path(f"/langvars/{raw}").steps == (Step("langvars", id_),)


def test_decoded_text_is_not_decoded_again():
    assert path("/langvars/a%20b", encoded=False).steps[0].id == "a%20b"


@pytest.mark.parametrize(
    "raw", ["%ff", "%C3", "%00", "a%00b", "\0", "\udcff", chr(0xD800)]
)
@pytest.mark.parametrize("encoded", [True, False])
def test_bad_text_is_not_found(raw: str, encoded: bool):
    if not encoded and "%" in raw:
        assert path(raw, encoded=False).steps == (Step(raw),)
        return
    with pytest.raises(NotFound):
        path(f"/stores/{raw}", encoded=encoded)


def test_raw_utf8_of_a_wsgi_server_is_read():
    raw = wsgi_text("/langvars/\u0438".encode().decode("latin-1"))
    assert path(raw).steps[0].id == "\u0438"


def test_raw_bytes_that_are_not_utf8_are_not_found():
    with pytest.raises(NotFound):
        path(wsgi_text("/langvars/\xe9"))


@pytest.mark.parametrize(
    ("query", "expected", "filters"),
    [
        ("_d=orders&page=2", Path("1.0", (Step("orders"),)), {"page": "2"}),
        ("_d=orders/12", Path("1.0", (Step("orders", "12"),)), {}),
        ("_d=orders%2F12", Path("1.0", (Step("orders", "12"),)), {}),
        (
            "_d=products/12&ajax_custom=1",
            Path("1.0", (Step("products", "12"),)),
            {"ajax_custom": "1"},
        ),
        ("_d=2.0/orders", Path("2.0", (Step("orders"),)), {}),
        ("q=products/5/", Path("1.0", (Step("products", "5"),)), {}),
        ("_d=products&q=shoes", Path("1.0", (Step("products"),)), {"q": "shoes"}),
        ("_d=a&_d=products", Path("1.0", (Step("products"),)), {}),
        ("_d=langvars/a%2520b", Path("1.0", (Step("langvars", "a%20b"),)), {}),
        ("_d=", Path("1.0"), {}),
        ("version", Path("1.0"), {"version": ""}),
    ],
)
def test_api_php_takes_the_path_from_the_query(
    query: str, expected: Path, filters: dict[str, str]
):
    params = parse_query(query, max_params=20)
    assert parse_api_php(params, default_version="1.0") == (expected, filters)


def test_api_php_with_a_list_for_a_path_is_not_found():
    with pytest.raises(NotFound):
        parse_api_php({"_d": ["orders"]}, default_version="1.0")


def test_api_php_with_a_broken_path_is_refused():
    with pytest.raises(InvalidInput):
        parse_query("_d=%ff", max_params=20)
