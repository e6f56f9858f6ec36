"""The route that login links lead to, where no shop front serves it.

It takes the key, says in a signed cookie who came in, and sends the browser on.
What the cookie is good for is the shop front's business.
Source: spec/entities/auth.md, rules 2 and 3 and open questions.
"""

import logging
import time

from flask import Flask, Response, redirect, request

from config.settings import Settings
from storeapi.core.answers import Answers
from storeapi.core.database import Database
from storeapi.core.errors import Fault, Forbidden
from storeapi.rules.login_links import signed_user, use

COOKIE = "storeapi_user"

_log = logging.getLogger("storeapi.auth")


def add_login(app: Flask, settings: Settings, database: Database) -> None:
    """Serve `/auth?ekey=…` to anyone who has a key."""
    answers = Answers(settings)

    def login() -> Response:
        try:
            response = _enter(settings, database)
        except Fault as fault:
            response = answers.fault(fault, request)
        response.headers["Cache-Control"] = "no-store"
        return answers.complete(answers.secured(response), request)

    app.add_url_rule("/auth", "login", login, methods=["GET"])


def _enter(settings: Settings, database: Database) -> Response:
    """Use the key of the request; a HEAD, as programs send it to look, uses none."""
    if request.method == "HEAD":
        return Response(status=204)
    key, now = request.args.get("ekey", ""), int(time.time())
    visit = database.write(lambda db: use(db, settings.secret_key, key, now))
    if visit is None:
        raise Forbidden("the link was used already, has ended, or was never made")
    _log.info(
        "login link used",
        extra={
            "caller_id": visit.caller_id,
            "user_id": visit.user_id,
            "address": request.remote_addr,
        },
    )
    # Never where the address says: only where the caller of the API has said.
    response = redirect(visit.target, Response=Response)
    assert isinstance(response, Response)
    lifetime_s = settings.ekey_ttl
    response.set_cookie(
        COOKIE,
        signed_user(settings.secret_key, visit.user_id, now + lifetime_s),
        max_age=lifetime_s,
        secure=request.is_secure,
        httponly=True,
        samesite="Lax",
    )
    return response
