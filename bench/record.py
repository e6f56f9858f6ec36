"""Writes down the statements that the server runs for each case.

The limit line replays them, so it runs the very same SQL whatever the server's
code comes to. A mark in a recorded value tells what to replace by a fresh one, and
the IDs that an insert made are replaced by those that its replay makes.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import text

from bench.cases import MARK, Subject, requests
from bench.load import Request, fill
from config.settings import Settings
from storeapi.app import create_app, front_of
from storeapi.core.database import Connection, Database, Transaction
from storeapi.core.rows import insertion, table_of
from storeapi.models import Image, ImagePair, Option, OptionVariant, Order

Recorded = dict[str, Any]

# Numbers from here on are like no other value in a statement.
_FIRST_IDS: Mapping[type[Any], int] = {
    Image: 310_000_000,
    ImagePair: 320_000_000,
    Option: 330_000_000,
    OptionVariant: 340_000_000,
    Order: 350_000_000,
}


@contextmanager
def _recording() -> Iterator[list[Recorded]]:
    """Write down what connections run for a while."""
    found: list[Recorded] = []
    with ExitStack() as stack:
        for owner, name, watch in (
            (Connection, "_execute", _executing),
            (Transaction, "insert", _inserting),
            (Transaction, "insert_many", _inserting_many),
            (Transaction, "run_many", _running_many),
        ):
            method = getattr(owner, name)
            setattr(owner, name, watch(found, method))
            stack.callback(setattr, owner, name, method)
        yield found


def _note(
    found: list[Recorded], compiled: Any, rows: Any, *, prepare: bool = True
) -> None:
    listed = [list(compiled.parameters(row)) for row in rows]
    found.append(
        {"text": compiled.text, "rows": listed, "prepare": prepare, "made": None}
    )


def _executing(found: list[Recorded], method: Any) -> Any:
    def execute(self: Any, query: Any, values: Any) -> None:
        compiled = query.compiled(self._dialect, values)
        _note(found, compiled, [values], prepare=query.prepare)
        method(self, query, values)

    return execute


def _inserting(found: list[Recorded], method: Any) -> Any:
    def insert(self: Any, table: Any, values: Any) -> int:
        id: int = method(self, table, values)
        found[-1]["made"] = id or None
        return id

    return insert


def _inserting_many(found: list[Recorded], method: Any) -> Any:
    def insert_many(self: Any, table: Any, rows: Any) -> None:
        method(self, table, rows)
        if rows:
            whole = [insertion(table, row, self._dialect, many=True) for row in rows]
            compiled = whole[0][0].compiled(self._dialect, whole[0][1])
            _note(found, compiled, [row for _, row in whole])

    return insert_many


def _running_many(found: list[Recorded], method: Any) -> Any:
    def run_many(self: Any, query: Any, rows: Any) -> int:
        touched: int = method(self, query, rows)
        if rows:
            _note(found, query.compiled(self._dialect, rows[0]), rows)
        return touched

    return run_many


def record(
    settings: Settings, authorization: str, subject: Subject
) -> dict[str, Recorded]:
    """Run each case once and return its statements."""
    app = create_app(settings)
    _lift(front_of(app).database)
    client = app.test_client()
    cases = {
        name: _record(client, name, request, subject)
        for name, request in requests(authorization, subject).items()
    }
    front_of(app).database.close()
    return json.loads(json.dumps(cases))


def _record(
    client: FlaskClient, name: str, request: Request, subject: Subject
) -> Recorded:
    headers = {
        "Authorization": request.authorization,
        "Content-Type": "application/json",
    }
    made = []
    # Earlier runs compile, and make the first row of what is counted by status.
    for number in range(MARK - 3, MARK + 1):
        body = fill(request.body, number).replace("{id}", str(subject.product))
        with _recording() as statements:
            answer = client.open(
                request.path, method=request.method, data=body or None, headers=headers
            )
        if answer.status_code >= 300:
            raise RuntimeError(f"{name}: {answer.get_data(as_text=True)}")
        if request.method == "POST":
            made.append(next(iter(answer.get_json().values())))
    for id in made:
        client.delete(f"{request.path}/{id}", headers=headers)
    return {"statements": statements, "product": subject.product}


def _lift(database: Database) -> None:
    """Let the next IDs be numbers that mean nothing else."""

    def lift(db: Transaction) -> None:
        for model, first in _FIRST_IDS.items():
            table = table_of(model)
            (key,) = table.primary_key.columns
            values = {"table": table.name, "first": first}
            if db.kind == "sqlite":
                statement = (
                    "UPDATE sqlite_sequence SET seq = max(seq, :first)"
                    " WHERE name = :table"
                )
            else:
                statement = (
                    "SELECT setval(pg_get_serial_sequence(:table, :key),"
                    " greatest(:first, nextval(pg_get_serial_sequence(:table, :key))))"
                )
                values["key"] = key.name
            db.execute(text(statement).bindparams(**values))

    database.write(lift)
