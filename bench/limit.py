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

from bench.cases import MARK

_cases: dict[str, Any] = json.loads(Path(os.environ["BENCH_RECORD"]).read_text())
_url = os.environ["BENCH_DRIVER_URL"]
_local = threading.local()
_MARK = str(MARK)
_fresh = count(int.from_bytes(os.urandom(4), "big") * 1000)

app = Flask(__name__, static_folder=None)


def _cursors() -> tuple[Any, Any]:
    if not hasattr(_local, "cursors"):
        _local.cursors = (_connect().cursor(), _connect().cursor())
    return _local.cursors


def _connect() -> Any:
    if _url.startswith("postgresql"):
        return psycopg.connect(_url, autocommit=True)
    link = sqlite3.connect(_url, isolation_level=None, check_same_thread=False)
    for pragma in (
        "journal_mode = WAL", "foreign_keys = ON", "synchronous = FULL",
        "cache_size = -24576", "busy_timeout = 5000",
    ):  # fmt: skip
        link.execute(f"PRAGMA {pragma}")
    return link


def _run(cursor: Any, statement: Any, rows: Any) -> list[Any]:
    text = statement["text"]
    if len(rows) > 1:
        cursor.executemany(text, rows)
        return []
    if statement["prepare"] or _url.startswith("/"):
        cursor.execute(text, rows[0])
    else:
        cursor.execute(text, rows[0], prepare=False)
    if cursor.description is None:
        return []
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@app.get("/limit/<name>")
def read(name: str) -> Response:
    """Replay a read."""
    cursor, _ = _cursors()
    found = [_run(cursor, each, each["rows"]) for each in _cases[name]["statements"]]
    return Response(
        orjson.dumps(found[1:], default=str), content_type="application/json"
    )


@app.post("/limit/<name>")
@app.put("/limit/<name>")
def write(name: str) -> Response:
    """Replay a write in one transaction, with fresh values and the IDs it makes."""
    body = orjson.loads(request.get_data())
    case = _cases[name]
    reader, writer = _cursors()
    number = str(next(_fresh) % 1_000_000_000)
    ids = {MARK: int(number)}
    if "product_id" in body:
        ids[case["product"]] = int(body["product_id"])
    first, *rest = case["statements"]
    _run(reader, first, first["rows"])
    writer.execute("BEGIN" if _url.startswith("postgresql") else "BEGIN IMMEDIATE")
    made = 1
    for each in rest:
        rows = [[_fresh_value(v, number, ids) for v in row] for row in each["rows"]]
        found = _run(writer, each, rows)
        if each["made"] is not None:
            id = next(iter(found[0].values())) if found else writer.lastrowid
            made = id if made == 1 else made
            ids[each["made"]] = id
    writer.execute("COMMIT")
    return Response(orjson.dumps({"product_id": made}), content_type="application/json")


def _fresh_value(value: Any, number: str, ids: Any) -> Any:
    if isinstance(value, int):
        return ids.get(value, value)
    if isinstance(value, str) and _MARK in value:
        return value.replace(_MARK, number)
    return value
