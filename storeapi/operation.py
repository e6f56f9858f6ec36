"""Routes for those who operate the server: is it alive, is it ready."""

from collections.abc import Callable
from functools import cache
from typing import Any

import orjson
from flask import Flask, Response
from sqlalchemy import Engine, literal, select

from storeapi.core.errors import Unavailable
from storeapi.core.front import Front
from storeapi.core.registry import Registry
from storeapi.core.statement import query
from storeapi.schema import Branch, head_check

HEALTH = ("healthz", "readyz")
"""The endpoints of the checks."""

_ALIVE = query(select(literal(1)))


def add_health(app: Flask, front: Front) -> None:
    """Serve `/healthz` (the process) and `/readyz` (database and schema)."""

    @cache
    def is_at_head() -> Callable[[Engine], bool]:
        return head_check(branches_of(front.registry))

    def healthz() -> Response:
        return _answer(200, {"status": "ok"})

    def readyz() -> Response:
        checks = readiness(front, is_at_head())
        ready = all(word == "ok" for word in checks.values())
        return _answer(
            200 if ready else 503,
            {"status": "ok" if ready else "unavailable", "checks": checks},
        )

    app.add_url_rule("/healthz", "healthz", healthz)
    app.add_url_rule("/readyz", "readyz", readyz)


def readiness(front: Front, is_at_head: Callable[[Engine], bool]) -> dict[str, str]:
    """Ask the database for a row, and its schema for its version."""
    failures: tuple[type[Exception], ...] = (Unavailable, *front.database.failures)
    try:
        front.database.read(lambda db: db.value(_ALIVE))
        at_head = is_at_head(front.database.writer)
    except failures:
        return {"database": "unreachable"}
    return {"database": "ok", "schema": "ok" if at_head else "behind"}


def branches_of(registry: Registry) -> list[Branch]:
    """The branches of changes that the registered plug-ins bring.

    A branch is labelled by the top package that it lies in.
    """
    packages = {
        registered.entity.migrations
        for registered in registry
        if registered.entity.migrations is not None
    }
    return [
        Branch.of_package(package.partition(".")[0], package)
        for package in sorted(packages)
    ]


def _answer(status: int, body: Any) -> Response:
    response = Response(orjson.dumps(body), status, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response
