"""Which entity a request means, and whether this caller may ask it.

The checks stand in their order: credentials, entities, method, body, privileges,
parents. Nothing of what they judge is left to the entities.
Source: spec/protocol.md, section 4.
"""

import time
from typing import Any

from config.settings import Settings
from storeapi.core.access import Caller, Callers, Installation
from storeapi.core.call import Call
from storeapi.core.database import Connection
from storeapi.core.entity import Context, Entity, Key, Parent
from storeapi.core.errors import (
    Forbidden,
    MethodNotAllowed,
    NotFound,
    Unauthorized,
)
from storeapi.core.headers import read_address
from storeapi.core.registry import Registry

METHODS = {"GET": "index", "POST": "create", "PUT": "update", "DELETE": "delete"}


class Dispatch:
    """The checks before an operation, and the way down the path."""

    def __init__(
        self, settings: Settings, registry: Registry, callers: Callers
    ) -> None:
        self.settings = settings
        self.registry = registry
        self._callers = callers

    def admit(self, call: Call, db: Connection) -> tuple[Caller, Installation]:
        """Find the caller of the credentials.

        Raises: `Unauthorized`.
        """
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

    def opened(
        self, call: Call, db: Connection
    ) -> tuple[tuple[Caller, Installation], list[type[Entity]]]:
        """Find the caller, then the entities of the path."""
        admitted = self.admit(call, db)
        chain = self._chain(call)
        for kind in chain:
            if kind.is_accessible is Entity.is_accessible:
                continue
            if not kind(self.context(call, *admitted), db).is_accessible():
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

    def operation(self, call: Call, entity: type[Entity]) -> str:
        """Judge the method and the presence of an ID.

        Source: spec/protocol.md, sections 3.2 and 3.3.
        """
        operation = METHODS.get(call.method)
        has_id = call.path.steps[-1].id is not None
        fits = operation == "index" or has_id == (operation in ("update", "delete"))
        if operation is None or not fits or not _offers(entity, operation):
            raise MethodNotAllowed(self.allowed(entity, call))
        return operation

    def allowed(self, entity: type[Entity] | None, call: Call) -> list[str]:
        """The methods that a path offers; without an entity, the usual ones."""
        has_id = call.path.steps[-1].id is not None
        wanted = ("index", "update", "delete") if has_id else ("index", "create")
        verbs = {operation: verb for verb, operation in METHODS.items()}
        found = [
            verbs[name] for name in wanted if entity is None or _offers(entity, name)
        ]
        if "GET" in found:
            found.insert(1, "HEAD")
        return [*found, "OPTIONS"]

    def properties(self, call: Call, entity: type[Entity], operation: str) -> Any:
        """The body of a POST or PUT; one without properties is 405."""
        if operation not in ("create", "update"):
            return {}
        properties = call.properties()
        empty_is_fine = entity.accepts_empty and call.path.version != "1.0"
        if not properties and not (empty_is_fine and operation == "create"):
            raise MethodNotAllowed(
                self.allowed(entity, call), "no properties were sent"
            )
        return properties

    def _permit(self, entity: Entity, operation: str, id: Key | None) -> None:
        """Refuse what the caller's privileges do not grant."""
        if not entity.permits(operation, id):
            if entity.caller.is_anonymous:
                raise _unauthorized("no credentials were sent")
            raise Forbidden(f"no privilege for {operation} of {entity.name}")

    def context(
        self, call: Call, caller: Caller, installation: Installation
    ) -> Context:
        """What the entities are told of the request."""
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
            remote_address=read_address(call.request.remote_addr),
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
                Parent(
                    kind.name,
                    data.get(entity.parent_key(), parent_id),
                    entity.parent_key(),
                    data,
                    context.parent,
                )
            )
        raise AssertionError("a path has at least one step")

    def entered(
        self,
        call: Call,
        chain: list[type[Entity]],
        operation: str,
        admitted: tuple[Caller, Installation],
        db: Connection,
    ) -> tuple[Entity, Key | None]:
        """Judge the privileges, read the parents, and make the entity meant."""
        context = self.context(call, *admitted)
        self.permit_all(call, chain, operation, context, db)
        return self._enter(call, chain, context, db)

    def permit_all(
        self,
        call: Call,
        chain: list[type[Entity]],
        operation: str,
        context: Context,
        db: Connection,
    ) -> None:
        """Judge the privileges for the operation, and for reading each parent.

        This comes before any parent is read.
        """
        wanted = ["index"] * (len(chain) - 1) + [operation]
        steps = zip(chain, call.path.steps, wanted, strict=True)
        for kind, step, needed in steps:
            self._permit(kind(context, db), needed, step.key)


def _offers(entity: type[Entity], operation: str) -> bool:
    """Whether the entity has an operation at all, for anybody."""
    return operation in entity.privileges or operation in entity.privileges_customer


def _unauthorized(detail: str) -> Unauthorized:
    return Unauthorized(detail, headers={"WWW-Authenticate": 'Basic realm="API"'})
