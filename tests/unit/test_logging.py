"""Log lines: their form, and that secrets stay out."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from config.logging import configure
from config.settings import Settings

KEY = "a-secret-key-of-more-than-32-characters"


@pytest.fixture(autouse=True)
def _restored_root_logger() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    logging.captureWarnings(False)
    root.handlers[:] = handlers
    root.setLevel(level)


def logged(form: str, message: str, *args: object, **extra: object) -> str:
    stream = io.StringIO()
    url = "postgresql://shop:p%40ss-word@db/shop"
    settings = Settings(secret_key=KEY, database_url=url, log_format=form)
    configure(settings, stream)
    logging.getLogger("storeapi.access").info(message, *args, extra=extra)
    return stream.getvalue()


def logged_json(message: str, *args: object, **extra: object) -> dict[str, Any]:
    line = logged("json", message, *args, **extra)
    assert line.count("\n") == 1
    return json.loads(line)


def test_json_line_holds_the_fields_of_the_call() -> None:
    line = logged_json("request", method="GET", status=200, ms=1.5, caller=None)
    time = line.pop("time")
    assert (len(time), time[10], time[-6:]) == (29, "T", "+00:00")
    assert line == {
        "level": "info",
        "logger": "storeapi.access",
        "message": "request",
        "method": "GET",
        "status": 200,
        "ms": 1.5,
        "caller": None,
    }


def test_console_line_is_one_line() -> None:
    line = logged("console", "request\nforged", path="/api/\x1b[2J")
    assert line[12:] == (
        " info    storeapi.access: request\\nforged path=/api/\\x1b[2J\n"
    )


def test_odd_text_is_logged() -> None:
    assert logged_json("request", path="/\udcff\u2028")["path"] == "/\udcff\u2028"


@pytest.mark.parametrize("form", ["json", "console"])
@pytest.mark.parametrize(
    ("message", "extra"),
    [
        (f"key is {KEY}", {}),
        ("cannot reach postgresql://shop:hunter2@db/shop", {}),
        ("cannot reach db with p@ss-word or p%40ss-word", {}),
        ("header Authorization: Basic aHVudGVyMg==", {}),
        ("body {'password': 'hunter2'}", {}),
        ("GET /?ekey=hunter2&x=1", {}),
        ("request", {"password1": "hunter2"}),
        ("request", {"api_key": "hunter2"}),
        ("request", {"headers": {"Cookie": "hunter2", "Authorization": "hunter2"}}),
        ("request", {"items": [{"secret": "hunter2"}]}),
        ("request", {"query": "ekey=hunter2"}),
    ],
)
def test_secrets_are_masked(form: str, message: str, extra: dict[str, object]) -> None:
    line = logged(form, message, **extra)
    for secret in (KEY, "hunter2", "p@ss-word", "p%40ss-word", "aHVudGVyMg"):
        assert secret not in line
    assert "***" in line


def test_text_that_is_no_secret_stays() -> None:
    text = "GET /api/products?q=basic&page=2 from shop.example:8080"
    assert logged_json(text)["message"] == text


def test_traceback_is_logged_without_secrets() -> None:
    stream = io.StringIO()
    configure(Settings(secret_key=KEY), stream)
    try:
        raise ValueError(KEY)
    except ValueError:
        logging.getLogger("storeapi").exception("failed")
    line = json.loads(stream.getvalue())
    assert line["exception"].endswith("ValueError: ***")


def test_level_is_applied() -> None:
    stream = io.StringIO()
    configure(Settings(secret_key=KEY, log_level="WARNING"), stream)
    logging.getLogger("storeapi").info("quiet")
    assert stream.getvalue() == ""
