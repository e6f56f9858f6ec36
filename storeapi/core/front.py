"""The front controller: order of checks, dispatch, and the one error body.

It parses, authenticates, judges privileges and shapes answers; entities do none
of that. It alone reads the request of Flask.
Source: spec/protocol.md, section 4.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from flask import Request, Response

from config.settings import Settings
from storeapi.core.accept import ANSWERS, choose
from storeapi.core.access import Caller, Callers
from storeapi.core.answers import Answers
from storeapi.core.call import Call, read_call, request_id_of
from storeapi.core.conditional import check_match, tag_of
from storeapi.core.database import Connection, Database, Transaction
from storeapi.core.dispatch import METHODS, Dispatch
from storeapi.core.entity import (
    STATUS_CREATED,
    Entity,
    Key,
    Listing,
    Record,
    Result,
    succeeded,
)
from storeapi.core.errors import (
    Fault,
    FieldError,
    InvalidInput,
    MethodNotAllowed,
    NotAcceptable,
)
from storeapi.core.headers import entity_tags, read_address
from storeapi.core.idempotency import Answer, Claim, Idempotency, fingerprint
from storeapi.core.paging import PAGES
from storeapi.core.present import (
    body_of,
    encode,
    encode_json,
    list_headers,
    names_header,
)
from storeapi.core.registry import Registry

_READING = ("GET", "HEAD", "OPTIONS")
_ALWAYS_KNOWN = frozenset({"lang_code", "sl", "language", "ajax_custom"})

_log = logging.getLogger("storeapi.front")


class Front:
    """Answers every request below `/api`."""

    def __init__(
        self,
        settings: Settings,
        registry: Registry,
        database: Database,
        callers: Callers,
        idempotency: Idempotency,
    ) -> None:
        self.settings = settings
        self.registry = registry
        self.database = database
        self._callers = callers
        self._idempotency = idempotency
        self._answers = Answers(settings)
        self._dispatch = Dispatch(settings, registry, callers)

    def answer(self, request: Request) -> Response:
        """Serve a request; whatever goes wrong leaves as the one error body."""
        try:
            call = read_call(request, self.settings)
            return self._serve(call)
        except Fault as fault:
            return self._answers.fault(fault, request)
        except Exception:  # noqa: BLE001 (the one place where the unforeseen ends)
            facts = {"request_id": request_id_of(request)}
            _log.exception("unforeseen fault", extra=facts)
            return self._answers.fault(Fault(), request)

    def _serve(self, call: Call) -> Response:
        if call.method == "OPTIONS":
            return self._options(call)
        if call.asks_version:
            return self._answers.brand()
        if call.method == "GET":
            return self.database.read(lambda db: self._read(call, db))
        return self._write(call)

    def _options(self, call: Call) -> Response:
        """What a path offers; of an unknown entity what entities usually offer.

        No credentials are needed here, so nothing tells which entities exist.
        """
        names = [step.name for step in call.path.steps]
        entity = self.registry.get(names[-1]) if names else None
        if entity is not None and len(names) > 1:
            entity = entity.under.get(names[-2], entity)
        allow = self._dispatch.allowed(entity, call) if names else list(_READING)
        return self._answers.empty(204, {"Allow": ", ".join(allow)})

    def _read(self, call: Call, db: Connection) -> Response:
        admitted, chain = self._dispatch.opened(call, db)
        if not chain:
            return self._index(call)
        operation = self._dispatch.operation(call, chain[-1])
        media_type = self._acceptable(call)
        entity, id = self._dispatch.entered(call, chain, operation, admitted, db)
        self._judge_params(call, entity, listing=id is None)
        result = entity.index(id, call.params)
        answer = self._shape(call, entity, result, media_type)
        if id is not None and not isinstance(result.data, Listing):
            json = media_type == "application/json"
            body = answer.body if json else encode_json(result.data)
            tag = tag_of(body, media_type)
            answer = replace(answer, headers={**answer.headers, "ETag": str(tag)})
            tags = entity_tags(call.header("IF_NONE_MATCH"))
            if tags is not None and tags.weakly(tag):
                answer = Answer(304, answer.headers, b"")
        return self._finish(answer, admitted[0])

    def _write(self, call: Call) -> Response:
        admitted, chain = self.database.read(lambda db: self._dispatch.opened(call, db))
        if not chain:
            raise MethodNotAllowed(_READING)
        operation = self._dispatch.operation(call, chain[-1])
        media_type = self._acceptable(call)
        properties = self._dispatch.properties(call, chain[-1], operation)
        again = False
        if call.header("IDEMPOTENCY_KEY") is not None:
            # A kept answer is for a caller who may still ask for it.
            context = self._dispatch.context(call, *admitted)
            self.database.read(
                lambda db: self._dispatch.permit_all(
                    call, chain, operation, context, db
                )
            )

        def perform(db: Transaction) -> Answer:
            nonlocal admitted, again
            if again:
                db.wait_for_languages()
                # Whatever it was that came between may have changed the caller, too.
                admitted = self._dispatch.admit(call, db)
            again = True
            db.expect_languages(admitted[1].languages)
            entity, id = self._dispatch.entered(call, chain, operation, admitted, db)
            self._judge_params(call, entity, listing=False)
            tags = entity_tags(call.header("IF_MATCH"))
            if tags is not None and id is not None:
                check_match(entity, id, properties, tags)
            result = _perform(entity, operation, id, properties)
            return self._shape(call, entity, result, media_type)

        answer = self._once(call, admitted[0], perform)
        return self._finish(answer, admitted[0])

    def _once(
        self, call: Call, caller: Caller, perform: Callable[[Transaction], Answer]
    ) -> Answer:
        """Do a write, once for its `Idempotency-Key` if it has one."""
        key = call.header("IDEMPOTENCY_KEY")
        if key is None:
            return self.database.write(perform)
        mark = fingerprint(call.method.encode(), call.target, call.data)
        who = f"user {caller.user_id}"
        if caller.is_anonymous:
            who = f"visitor {read_address(call.request.remote_addr)}"
        held = self._idempotency.claim(self.database, who, key, mark)
        if isinstance(held, Answer):
            return held
        claim: Claim = held

        def kept(db: Transaction) -> Answer:
            answer = perform(db)
            self._idempotency.complete(db, claim, answer)
            return answer

        try:
            return self.database.write(kept)
        except BaseException:
            self._aside(
                "a free key", lambda: self._idempotency.release(self.database, claim)
            )
            raise

    # Answers

    def _acceptable(self, call: Call) -> str:
        media_type = choose(call.header("ACCEPT"), ANSWERS)
        if media_type is None:
            raise NotAcceptable(f"offered are {', '.join(ANSWERS)}")
        return media_type

    def _judge_params(self, call: Call, entity: Entity, *, listing: bool) -> None:
        """Name the parameters that do nothing; strict handling refuses them."""
        known = entity.known_params(listing=listing) | _ALWAYS_KNOWN
        unknown = [
            name
            for name in call.params
            if name not in known and not (listing and name in PAGES)
        ]
        entity.context.ignored_params.extend(unknown)
        if unknown and call.strict:
            raise InvalidInput(
                errors=[FieldError(name, "is unknown", "unknown") for name in unknown]
            )

    def _shape(
        self, call: Call, entity: Entity, result: Result, media_type: str
    ) -> Answer:
        result = succeeded(result)
        headers = dict(result.headers)
        if entity.context.strict:
            headers["Preference-Applied"] = "handling=strict"
        for name, ignored in (
            ("X-Ignored-Params", entity.context.ignored_params),
            ("X-Ignored-Fields", entity.context.ignored_fields),
        ):
            if ignored:
                headers[name] = names_header(ignored)
        if result.data is None:
            return Answer(result.status, headers, b"")
        if isinstance(result.data, Listing):
            headers |= list_headers(result.data, call.address, call.params)
        elif result.status == STATUS_CREATED and _has_address(entity, result.data):
            id = quote(str(result.data[entity.id_key]), safe="")
            headers["Location"] = f"{call.address}/{id}"
        headers["Content-Type"] = media_type
        body = body_of(entity, result, METHODS[call.method])
        encoded = encode(body, media_type)
        if not result.once:
            return Answer(result.status, headers, encoded)
        headers["Cache-Control"] = "no-store"
        whole = encode({**body, **result.once}, media_type)
        return Answer(result.status, headers, whole, kept=encoded)

    def _index(self, call: Call) -> Response:
        """The entities that there are: an extension at `/api` itself."""
        if call.method != "GET":
            raise MethodNotAllowed(_READING)
        base = call.address.rstrip("/")
        names = [registered.entity.name for registered in self.registry]
        body = {"entities": {name: f"{base}/{name}" for name in names}}
        kind = self._acceptable(call)
        return self._answers.plain(
            Answer(200, {"Content-Type": kind}, encode(body, kind))
        )

    def _finish(self, answer: Answer, caller: Caller) -> Response:
        response = self._answers.plain(answer)
        response.call_on_close(
            lambda: self._aside(
                "the use of a key", lambda: self._callers.seen(self.database, caller)
            )
        )
        response.call_on_close(
            lambda: self._aside("what the tables hold", self.database.tend)
        )
        return response

    def _aside(self, what: str, work: Callable[[], object]) -> None:
        """Do what the answer does not depend on; a failure is only logged."""
        try:
            work()
        except Exception:  # noqa: BLE001 (whatever it is, the answer stands)
            _log.exception("%s was not noted", what)


def _has_address(entity: Entity, made: Record) -> bool:
    """Whether a POST made an object that can be read; an action makes none."""
    return entity.id_key in made and "index" in entity.privileges


def _perform(entity: Entity, operation: str, id: Key | None, body: Any) -> Result:
    if operation == "create":
        return entity.create(body)
    assert id is not None
    return entity.update(id, body) if operation == "update" else entity.delete(id)
