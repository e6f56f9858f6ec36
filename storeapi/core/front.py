"""The front controller: order of checks, dispatch, and the one error body.

It parses, authenticates, judges privileges and shapes answers; entities do none
of that. It alone reads the request of Flask.
Source: spec/protocol.md, section 4.
"""

import logging
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from flask import Request, Response

from config.settings import Settings
from storeapi.core.accept import ANSWERS, choose
from storeapi.core.access import Caller, Callers, Credentials, Installation
from storeapi.core.answers import Answers
from storeapi.core.call import Call, read_call
from storeapi.core.conditional import check_match, tag_of
from storeapi.core.database import Connection, Database, Transaction
from storeapi.core.entity import Context, Entity, Key, Listing, Parent, Result
from storeapi.core.errors import (
    Fault,
    FieldError,
    Forbidden,
    InvalidInput,
    MethodNotAllowed,
    NotAcceptable,
    NotFound,
    Unauthorized,
)
from storeapi.core.headers import entity_tags
from storeapi.core.idempotency import Answer, Claim, Idempotency, fingerprint
from storeapi.core.present import (
    body_of,
    encode,
    encode_json,
    list_headers,
    names_header,
)
from storeapi.core.registry import Registry

_METHODS = {"GET": "index", "POST": "create", "PUT": "update", "DELETE": "delete"}
_ALWAYS_KNOWN = frozenset({"lang_code", "sl", "language", "ajax_custom"})
_PAGING = frozenset({"page", "items_per_page", "cursor"})

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

    def answer(self, request: Request, request_id: str) -> Response:
        """Serve a request; whatever goes wrong leaves as the one error body."""
        try:
            call = read_call(request, self.settings)
            return self._serve(call)
        except Fault as fault:
            return self._answers.fault(fault, request, request_id)
        except Exception:  # noqa: BLE001 (the one place where the unforeseen ends)
            _log.exception("unforeseen fault", extra={"request_id": request_id})
            return self._answers.fault(Fault(), request, request_id)

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
        allow = self._allowed(entity, call) if names else ["GET", "HEAD", "OPTIONS"]
        return self._answers.empty(204, {"Allow": ", ".join(allow)})

    # The checks, in their order

    def _admit(self, call: Call, db: Connection) -> tuple[Caller, Installation]:
        credentials = call.credentials
        caller, installation = self._callers.find(db, credentials)
        if caller is None:
            detail = "" if call.authorization else "no credentials were sent"
            raise _unauthorized(detail)
        if credentials is None and not self.settings.api_allow_customer:
            raise _unauthorized(
                "the credentials are not usable"
                if call.authorization
                else "no credentials were sent"
            )
        return caller, installation

    def _opened(
        self, call: Call, db: Connection
    ) -> tuple[tuple[Caller, Installation], list[type[Entity]]]:
        """Find the caller, then the entities of the path."""
        admitted = self._admit(call, db)
        chain = self._chain(call)
        for kind in chain:
            if kind.is_accessible is Entity.is_accessible:
                continue
            if not kind(self._context(call, *admitted), db).is_accessible():
                raise NotFound(f"there is no entity {kind.name!r}")
        return admitted, chain

    def _chain(self, call: Call) -> list[type[Entity]]:
        """The entities of the path; a child must be listed by its parent."""
        chain: list[type[Entity]] = []
        for step in call.path.steps:
            entity = self.registry.get(step.name)
            if entity is None:
                raise NotFound(f"there is no entity {step.name[:64]!r}")
            if chain and step.name not in self.registry.children(chain[-1].name):
                raise NotFound(f"{chain[-1].name} have no {step.name[:64]!r}")
            chain.append(entity.under.get(chain[-1].name, entity) if chain else entity)
        return chain

    def _operation(self, call: Call, entity: type[Entity]) -> str:
        """Judge the method and the presence of an ID.

        Source: spec/protocol.md, sections 3.2 and 3.3.
        """
        operation = _METHODS.get(call.method)
        has_id = call.path.steps[-1].id is not None
        fits = operation == "index" or has_id == (operation in ("update", "delete"))
        if operation is None or not fits or not _offers(entity, operation):
            raise MethodNotAllowed(self._allowed(entity, call))
        return operation

    def _allowed(self, entity: type[Entity] | None, call: Call) -> list[str]:
        has_id = call.path.steps[-1].id is not None
        wanted = ("index", "update", "delete") if has_id else ("index", "create")
        verbs = {operation: verb for verb, operation in _METHODS.items()}
        found = [
            verbs[name] for name in wanted if entity is None or _offers(entity, name)
        ]
        if "GET" in found:
            found.insert(1, "HEAD")
        return [*found, "OPTIONS"]

    def _properties(self, call: Call, entity: type[Entity], operation: str) -> Any:
        """The body of a POST or PUT; one without properties is 405."""
        if operation not in ("create", "update"):
            return {}
        properties = call.properties()
        empty_is_fine = entity.accepts_empty and call.path.version != "1.0"
        if not properties and not (empty_is_fine and operation == "create"):
            raise MethodNotAllowed(
                self._allowed(entity, call), "no properties were sent"
            )
        return properties

    def _permit(self, entity: Entity, operation: str, id: Key | None) -> None:
        """Refuse what the caller's privileges do not grant."""
        if not entity.permits(operation, id):
            if entity.caller.is_anonymous:
                raise _unauthorized("no credentials were sent")
            raise Forbidden(f"no privilege for {operation} of {entity.name}")

    # Dispatch

    def _context(
        self, call: Call, caller: Caller, installation: Installation
    ) -> Context:
        asked = call.language()
        code = asked or caller.lang_code or ""
        languages = installation.languages
        return Context(
            caller,
            installation,
            self.settings,
            version=call.path.version,
            lang_code=code if code in languages else languages[0],
            lang_requested=asked,
            base_url=call.base_url,
            query=call.params,
            strict=call.strict,
            now=int(time.time()),
            registry=self.registry,
        )

    def _enter(
        self, call: Call, chain: list[type[Entity]], context: Context, db: Connection
    ) -> tuple[Entity, Key | None]:
        """Make the entity meant; read its parents under the caller's scope first."""
        for number, (kind, step) in enumerate(zip(chain, call.path.steps, strict=True)):
            entity = kind(context, db)
            if number == len(chain) - 1:
                id = None if step.id is None else entity.identifier(step.id)
                return entity, id
            parent_id = entity.identifier(step.id or "")
            data = entity.read_parent(parent_id)
            context = context.below(
                Parent(kind.name, data.get(entity.parent_key(), parent_id),
                       entity.parent_key(), data, context.parent)
            )  # fmt: skip
        raise AssertionError("a path has at least one step")

    def _entered(
        self, call: Call, chain: list[type[Entity]], operation: str,
        admitted: tuple[Caller, Installation], db: Connection,
    ) -> tuple[Entity, Key | None]:  # fmt: skip
        context = self._context(call, *admitted)
        self._permit_all(call, chain, operation, context, db)
        return self._enter(call, chain, context, db)

    def _permit_all(
        self, call: Call, chain: list[type[Entity]], operation: str,
        context: Context, db: Connection,
    ) -> None:  # fmt: skip
        """Judge the privileges for the operation, and for reading each parent.

        This comes before any parent is read.
        """
        wanted = ["index"] * (len(chain) - 1) + [operation]
        steps = zip(chain, call.path.steps, wanted, strict=True)
        for kind, step, needed in steps:
            self._permit(kind(context, db), needed, step.key)

    def _read(self, call: Call, db: Connection) -> Response:
        admitted, chain = self._opened(call, db)
        if not chain:
            return self._index(call)
        operation = self._operation(call, chain[-1])
        media_type = self._acceptable(call)
        entity, id = self._entered(call, chain, operation, admitted, db)
        self._judge_params(call, entity, listing=id is None)
        result = entity.index(id, call.params)
        answer = self._shape(call, entity, result, media_type)
        if id is not None and not isinstance(result.data, Listing):
            json = media_type == "application/json"
            body = answer.body if json else encode_json(result.data)
            tag = tag_of(body, media_type)
            answer.headers["ETag"] = str(tag)  # type: ignore[index] # made here as a dict
            tags = entity_tags(call.header("IF_NONE_MATCH"))
            if tags is not None and tags.weakly(tag):
                answer = Answer(304, answer.headers, b"")
        return self._finish(answer, admitted[0])

    def _write(self, call: Call) -> Response:
        admitted, chain = self.database.read(lambda db: self._opened(call, db))
        if not chain:
            raise MethodNotAllowed(["GET", "HEAD", "OPTIONS"])
        operation = self._operation(call, chain[-1])
        media_type = self._acceptable(call)
        properties = self._properties(call, chain[-1], operation)
        again = False
        if call.header("IDEMPOTENCY_KEY") is not None:
            # A kept answer is for a caller who may still ask for it.
            context = self._context(call, *admitted)
            self.database.read(
                lambda db: self._permit_all(call, chain, operation, context, db)
            )

        def perform(db: Transaction) -> Answer:
            nonlocal admitted, again
            if again:
                # Whatever it was that came between may have changed the caller, too.
                admitted = self._admit(call, db)
            again = True
            db.expect_languages(admitted[1].languages)
            entity, id = self._entered(call, chain, operation, admitted, db)
            self._judge_params(call, entity, listing=False)
            tags = entity_tags(call.header("IF_MATCH"))
            if tags is not None and id is not None:
                check_match(entity, id, call.params, tags)
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
            if name not in known and not (listing and name in _PAGING)
        ]
        entity.context.ignored_params.extend(unknown)
        if unknown and call.strict:
            raise InvalidInput(
                errors=[FieldError(name, "is unknown", "unknown") for name in unknown]
            )

    def _shape(
        self, call: Call, entity: Entity, result: Result, media_type: str
    ) -> Answer:
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
        elif result.status == 201 and entity.id_key in result.data:
            id = quote(str(result.data[entity.id_key]), safe="")
            headers["Location"] = f"{call.address}/{id}"
        headers["Content-Type"] = media_type
        body = body_of(entity, result, _METHODS[call.method])
        encoded = encode(body, media_type)
        if not result.once:
            return Answer(result.status, headers, encoded)
        headers["Cache-Control"] = "no-store"
        whole = encode({**body, **result.once}, media_type)
        return Answer(result.status, headers, whole, kept=encoded)

    def _index(self, call: Call) -> Response:
        """The entities that there are: an extension at `/api` itself."""
        if call.method != "GET":
            raise MethodNotAllowed(["GET", "HEAD", "OPTIONS"])
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
        return response

    def _aside(self, what: str, work: Callable[[], object]) -> None:
        """Do what the answer does not depend on; a failure is only logged."""
        try:
            work()
        except Exception:  # noqa: BLE001 (whatever it is, the answer stands)
            _log.exception("%s was not noted", what)


def _perform(entity: Entity, operation: str, id: Key | None, body: Any) -> Result:
    if operation == "create":
        return entity.create(body)
    assert id is not None
    return entity.update(id, body) if operation == "update" else entity.delete(id)


def _offers(entity: type[Entity], operation: str) -> bool:
    """Whether the entity has an operation at all, for anybody."""
    return operation in entity.privileges or operation in entity.privileges_customer


def _unauthorized(detail: str) -> Unauthorized:
    return Unauthorized(detail, headers={"WWW-Authenticate": 'Basic realm="API"'})


__all__ = ["Credentials", "Front"]
