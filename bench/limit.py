"""The limit line: the same statements on the raw driver, the same JSON library.

A bare Flask route on the same server. It authenticates by the same statement, runs
the recorded statements with fixed text, makes a dict of each row, and encodes. It
checks nothing and decides nothing, so no server that does can pass it.
"""

import json
import os
import sqlite3
import threading
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import psycopg
from flask import Flask, Response, request

from bench.cases import AMOUNT_MARK, NAME_MARK

_cases: dict[str, Any] = json.loads(Path(os.environ["BENCH_RECORD"]).read_text())
_url = os.environ["BENCH_DRIVER_URL"]
_local = threading.local()
_fresh = count(int.from_bytes(os.urandom(4), "big") * 1000)

app = Flask(__name__, static_folder=None)


def _cursors() -> tuple[Any, Any]:
    if not hasattr(_local, "cursors"):
        _local.cursors = (_connect().cursor(), _connect().cursor())
    return _local.cursors  # type: ignore[no-any-return] # set above


def _connect() -> Any:
    if _url.startswith("postgresql"):
        return psycopg.connect(_url, autocommit=True)
    link = sqlite3.connect(_url, isolation_level=None, check_same_thread=False)
    for pragma in (
        "journal_mode = WAL", "foreign_keys = ON", "synchronous = FULL",
        "cache_size = -32768", "busy_timeout = 5000",
    ):  # fmt: skip
        link.execute(f"PRAGMA {pragma}")
    return link


def _run(cursor: Any, text: str, parameters: Any, prepare: bool) -> list[Any]:
    if prepare or _url.startswith("/"):
        cursor.execute(text, parameters)
    else:
        cursor.execute(text, parameters, prepare=False)
    if cursor.description is None:
        return []
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@app.get("/limit/<name>")
def read(name: str) -> Response:
    """Replay a read."""
    cursor, _ = _cursors()
    found = [
        _run(cursor, text, parameters, prepare)
        for text, parameters, prepare in _cases[name]["statements"]
    ]
    return Response(orjson.dumps(found[1:], default=str), content_type="application/json")


@app.post("/limit/<name>")
@app.put("/limit/<name>")
def write(name: str) -> Response:
    """Replay a write with fresh values, in one transaction."""
    orjson.loads(request.get_data())
    case = _cases[name]
    reader, writer = _cursors()
    number = next(_fresh)
    new_id = None
    statements = case["statements"]
    _run(reader, *statements[0])
    writer.execute("BEGIN" if _url.startswith("postgresql") else "BEGIN IMMEDIATE")
    for text, parameters, prepare in statements[1:]:
        values = [_fresh_value(v, number, case["new_id"], new_id) for v in parameters]
        rows = _run(writer, text, values, prepare)
        if new_id is None and text.startswith("INSERT INTO products "):
            new_id = rows[0]["product_id"] if rows else writer.lastrowid
    writer.execute("COMMIT")
    return Response(
        orjson.dumps({"product_id": new_id or 1}), content_type="application/json"
    )


def _fresh_value(value: Any, number: int, recorded_id: Any, new_id: Any) -> Any:
    if value == AMOUNT_MARK:
        return number % 1_000_000
    if isinstance(value, str) and str(NAME_MARK) in value:
        return value.replace(str(NAME_MARK), str(number))
    if new_id is not None and value == recorded_id and isinstance(value, int):
        return new_id
    return value
