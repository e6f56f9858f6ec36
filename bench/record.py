"""Writes down the statements that the server runs for each case.

The limit line replays them, so it runs the very same SQL whatever the server's
code comes to; marks in a recorded value tell what to replace by fresh values.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench.cases import AMOUNT_MARK, NAME_MARK, requests
from config.settings import Settings
from storeapi.app import create_app, front_of
from storeapi.core import database
from storeapi.core.database import Connection, Transaction

Recorded = dict[str, Any]


@contextmanager
def _recording() -> Iterator[list[list[Any]]]:
    found: list[list[Any]] = []
    execute, insert_many = Connection._execute, Transaction.insert_many

    def noted(self: Connection, query: Any, values: Any) -> None:
        compiled = query.compiled(self._dialect, values)
        found.append([compiled.text, list(compiled.parameters(values)), query.prepare])
        execute(self, query, values)

    def noted_many(self: Transaction, table: Any, rows: Any) -> None:
        for row in rows:
            self.insert(table, row)

    Connection._execute = noted  # type: ignore[method-assign] # watched for a while
    Transaction.insert_many = noted_many  # type: ignore[method-assign] # the same
    try:
        yield found
    finally:
        Connection._execute = execute  # type: ignore[method-assign] # as it was
        Transaction.insert_many = insert_many  # type: ignore[method-assign] # as it was


def record(
    settings: Settings, authorization: str, product: int, category: int
) -> dict[str, Recorded]:
    """Run each case once and return its statements."""
    app = create_app(settings)
    client = app.test_client()
    cases: dict[str, Recorded] = {}
    wanted = requests(authorization, product=product, category=category)
    for name, request in wanted.items():
        mark = AMOUNT_MARK if name == "put" else NAME_MARK
        headers = {"Authorization": authorization, "Content-Type": "application/json"}
        for number in (mark - 1, mark):  # the first run compiles, and is not the same
            with _recording() as statements:
                answer = client.open(
                    request.path,
                    method=request.method,
                    data=request.body.replace("{n}", str(number)) or None,
                    headers=headers,
                )
        if answer.status_code >= 300:
            raise RuntimeError(f"{name}: {answer.get_data(as_text=True)}")
        new_id = answer.get_json()["product_id"] if name == "post" else None
        cases[name] = {
            "statements": statements,
            "writes": name in ("post", "put"),
            "new_id": new_id,
            "bytes": len(answer.data),
        }
        if new_id is not None:
            client.delete(f"/api/2.0/products/{new_id}", headers=headers)
    front_of(app).database.close()
    return json.loads(json.dumps(cases))  # type: ignore[no-any-return] # what was put in


__all__ = ["database", "record"]
