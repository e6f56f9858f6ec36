"""The application: settings, database, registry and front controller together."""

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from flask import Flask, Request, Response, request
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import BaseConverter, Rule

from config.settings import Settings
from storeapi.core.answers import Answers
from storeapi.core.call import leaves_body, request_id_of
from storeapi.core.counts import Counts
from storeapi.core.database import Database
from storeapi.core.engines import normalized, reader_options, set_up, writer_options
from storeapi.core.errors import Fault, InvalidInput, MethodNotAllowed, NotFound
from storeapi.core.following import Following
from storeapi.core.front import Front
from storeapi.core.idempotency import Idempotency
from storeapi.core.lateness import Lateness
from storeapi.core.registry import Registry, load_registry
from storeapi.core.rows import table_of
from storeapi.core.table import TableEntity
from storeapi.media import add_media
from storeapi.models import IdempotencyKey, ObjectCount
from storeapi.models.base import db as handle
from storeapi.operation import HEALTH, add_health
from storeapi.rules.callers import KNOWN_PRIVILEGES, Callers
from storeapi.rules.translations import installed_languages
from storeapi.signing_in import add_login

_F = TypeVar("_F", bound=Callable[..., Any])
_STARTED = "storeapi.started"
_ALLOWED = ["GET", "HEAD", "OPTIONS"]
_access = logging.getLogger("storeapi.access")


class _App(Flask):
    """Flask where no function is a coroutine, which it would ask at each call."""

    def ensure_sync(self, func: _F) -> _F:
        """The function as it is."""
        return func


def create_app(settings: Settings | None = None) -> Flask:
    """Make the WSGI application.

    Raises: `SettingError`, `RegistryError`, `DeclarationError`: the server must
    not start with a mistake that would show at some later request.
    """
    settings = settings or Settings.from_environment(os.environ)
    app = _App("storeapi", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = settings.max_content_length
    app.config["MAX_FORM_MEMORY_SIZE"] = settings.max_content_length
    registry = load_registry(
        settings.plugins, settings.disabled_entities, KNOWN_PRIVILEGES
    )
    database = open_database(app, settings, registry)
    front = Front(
        settings,
        registry,
        database,
        Callers(settings),
        Idempotency(
            table_of(IdempotencyKey),
            ttl_s=settings.idempotency_ttl,
            lease_s=settings.idempotency_lease,
        ),
    )
    app.extensions["storeapi"] = front
    _route(app, front, Answers(settings))
    add_health(app, front)
    add_media(app, settings)
    add_login(app, settings, database)
    _observe(app)
    if settings.trusted_proxies:
        count = settings.trusted_proxies
        # Ports are part of the host, and no proxy shown in the docs sets prefixes: what
        # it does not set would be the client's own.
        proxied = ProxyFix(app.wsgi_app, count, count, count, 0, 0)
        app.wsgi_app = proxied  # type: ignore[method-assign] # Flask's documented way
    return app


def front_of(app: Flask) -> Front:
    """The front controller of an application."""
    front = app.extensions["storeapi"]
    assert isinstance(front, Front)
    return front


def open_database(app: Flask, settings: Settings, registry: Registry) -> Database:
    """Set up the two engines through flask-sqlalchemy, and what stands on writes."""
    url = normalized(settings.database_url)
    if url.get_backend_name() == "sqlite":
        path = Path(str(url.database)).absolute()
        path.parent.mkdir(parents=True, exist_ok=True)
        url = url.set(database=str(path))
    writer = {"url": url, "hide_parameters": True}
    app.config["SQLALCHEMY_DATABASE_URI"] = url
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = writer | writer_options(
        url, settings.pool_size
    )
    app.config["SQLALCHEMY_BINDS"] = {
        "reader": writer | reader_options(url, settings.pool_size)
    }
    handle.init_app(app)
    with app.app_context():
        engines = handle.engines
    for name, engine in engines.items():
        set_up(engine, synchronous=settings.sqlite_synchronous, writes=name is None)
    database = Database(
        engines[None], engines["reader"], retries=settings.transaction_retries
    )
    database.counts = Counts(table_of(ObjectCount))
    database.following = Following(database.counts)
    database.lateness = Lateness(settings.sync_lag)
    database.subscribers += [database.counts, database.following, database.lateness]
    database.hold_languages = installed_languages
    for registered in registry:
        kept = registered.entity
        if not issubclass(kept, TableEntity):
            continue
        if kept.counted:
            database.counts.keep(kept.declaration.table.name)
        if kept.touched is not None:
            database.lateness.keep(kept.declaration, kept.touched)
    return database


class _Rest(BaseConverter):
    """The rest of a path, whatever it holds: the front judges it."""

    part_isolating = False
    regex = "(?s:.*)"


def _route(app: Flask, front: Front, answers: Answers) -> None:
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = False
    app.url_map.converters["rest"] = _Rest

    def serve(rest: str = "") -> Response:
        req = _current()
        return answers.complete(front.answer(req), req)

    # Any method: the front answers 405, after it has looked at the credentials.
    for rule in ("/api", "/api/", "/api/<rest:rest>", "/api.php"):
        app.url_map.add(Rule(rule, endpoint="api"))
    app.view_functions["api"] = serve

    def refuse(error: Exception) -> Response:
        req = _current()
        return answers.complete(answers.fault(_fault_of(error, req), req), req)

    app.register_error_handler(HTTPException, refuse)


def _current() -> Request:
    """The request itself: each look through `flask.request` has its price."""
    proxy: Any = request
    found: Request = proxy._get_current_object()
    return found


def _fault_of(error: Exception, req: Request) -> Fault:
    """The fault of an error that werkzeug found before the front saw the request."""
    code = error.code if isinstance(error, HTTPException) else 500
    if code == 404:
        return NotFound(f"{req.path[:100]!r} is not served here")
    if code == 405:
        return MethodNotAllowed(_ALLOWED, f"{req.method[:20]} is not supported")
    return InvalidInput("it names no host") if code == 400 else Fault()


def _observe(app: Flask) -> None:
    """Give every answer the ID of its request, and a line in the log.

    Health checks have no line: they come every few seconds, and say nothing new.
    """

    def begin() -> None:
        _current().environ[_STARTED] = time.perf_counter()

    def end(response: Response) -> Response:
        req = _current()
        response.headers["X-Request-ID"] = request_id_of(req)
        if leaves_body(req):
            # Servers close such a connection; a client has to know, or it sends more.
            response.headers["Connection"] = "close"
        if req.endpoint not in HEALTH:
            _log_access(req, response)
        return response

    app.before_request(begin)
    app.after_request(end)


def _log_access(req: Request, response: Response) -> None:
    if not _access.isEnabledFor(logging.INFO):
        return
    seconds = time.perf_counter() - req.environ[_STARTED]
    facts: dict[str, Any] = {
        "request_id": request_id_of(req),
        "method": req.method,
        "path": req.path,
        "status": response.status_code,
        "bytes": response.content_length,
        "ms": round(seconds * 1000, 2),
        "address": req.remote_addr,
    }
    _access.info("request", extra=facts)
