"""The contract of an entity, and what it is given and gives back."""

from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from storeapi.core.access import Caller, Installation, Needed
from storeapi.core.database import Connection, Transaction
from storeapi.core.errors import (
    Fault,
    FieldError,
    InvalidInput,
    MethodNotAllowed,
    NotFound,
)

if TYPE_CHECKING:
    from config.settings import Settings
    from storeapi.core.registry import Registry

T = TypeVar("T")
Key = int | str
Params = Mapping[str, Any]
Record = dict[str, Any]
Version = Literal["1.0", "2.0"]
WRITES = ("create", "update", "delete")
OPERATIONS = ("index", *WRITES)
Shape = Literal["map", "array", "bare_map", "bare_array"]

STATUS_OK = int(HTTPStatus.OK)
STATUS_CREATED = int(HTTPStatus.CREATED)
STATUS_NO_CONTENT = int(HTTPStatus.NO_CONTENT)
STATUS_BAD_REQUEST = int(HTTPStatus.BAD_REQUEST)
STATUS_UNAUTHORIZED = int(HTTPStatus.UNAUTHORIZED)
STATUS_FORBIDDEN = int(HTTPStatus.FORBIDDEN)
STATUS_NOT_FOUND = int(HTTPStatus.NOT_FOUND)
STATUS_METHOD_NOT_ALLOWED = int(HTTPStatus.METHOD_NOT_ALLOWED)

MAX_ID = 2**31 - 1


def allow(*, view: Needed, manage: Needed) -> Mapping[str, Needed]:
    """Make a privilege map: one privilege for reading, one for writing."""
    return {"index": view, "create": manage, "update": manage, "delete": manage}


@dataclass(frozen=True, slots=True)
class Parent:
    """The parent of a nested request, already read under the caller's scope."""

    name: str
    id: Key
    id_name: str = ""
    data: Record = field(default_factory=dict)
    above: "Parent | None" = None


@dataclass(slots=True)
class Context:
    """What an entity knows of the request beside its parameters.

    `lang_code` is an installed language; `lang_explicit` tells that the request
    named one; a write stores its texts in the languages `written`. `base_url` is
    the scheme and host of the request, `query` its parameters, also of a write;
    `remote_address` is where it came from, as far as trusted proxies tell.
    Names of parameters and fields that were ignored are collected in `ignored`.
    """

    caller: Caller
    installation: Installation
    settings: "Settings"
    version: Version = "2.0"
    lang_code: str = "en"
    lang_requested: str | None = None
    parent: Parent | None = None
    base_url: str = ""
    remote_address: str = ""
    strict: bool = False
    now: int = 0
    registry: "Registry | None" = None
    flags: Mapping[str, bool] = field(default_factory=dict)
    written: Sequence[str] = ()
    query: Params = field(default_factory=dict)
    ignored_fields: list[str] = field(default_factory=list)
    ignored_params: list[str] = field(default_factory=list)
    memo: dict[Hashable, Any] = field(default_factory=dict)
    nested: Sequence[Any] = ()

    @property
    def time_zone(self) -> str:
        """The zone in which days begin for this caller."""
        return self.installation.time_zone or self.settings.time_zone

    @property
    def items_per_page(self) -> int:
        """The page size where the request names none."""
        size = self.installation.items_per_page or self.settings.items_per_page
        return min(size, self.settings.max_items_per_page)

    def begin_page(self, nested: Sequence[Any]) -> None:
        """Forget what the last page loaded; `nested` are the kinds of this one."""
        self.memo.clear()
        self.nested = nested

    def once(self, key: Hashable, load: Callable[[], T]) -> T:
        """Load what several nested kinds of one page want, for all of them.

        What is kept is dropped when the next page of records begins.
        """
        if key not in self.memo:
            self.memo[key] = load()
        found: T = self.memo[key]
        return found

    def without(self, params: Params, names: Container[str]) -> Params:
        """Leave out properties that this caller does not decide, and note them."""
        self.ignored_fields.extend(name for name in params if name in names)
        return {name: params[name] for name in params if name not in names}

    def pass_over(self, unknown: Sequence[str]) -> None:
        """Note properties that do nothing.

        Raises: `InvalidInput` naming them where handling is strict.
        """
        self.ignored_fields.extend(unknown)
        if unknown and self.strict:
            raise InvalidInput(
                errors=[FieldError(name, "is unknown", "unknown") for name in unknown]
            )

    def below(self, parent: Parent) -> "Context":
        """The same context, one level deeper in the path."""
        return replace(self, parent=parent)


@dataclass(slots=True)
class Listing:
    """A page of records, before any envelope.

    Shapes: `ids` stand in the order of `records`; `params` is the echo of what
    was asked and applied; `total` counts all matches. `cursor` continues after
    this page. Without `items_per_page` the list is not paged. `shape` is set where
    this list has another one than its entity declares.
    """

    ids: Sequence[Key]
    records: Sequence[Record]
    total: int
    params: Record = field(default_factory=dict)
    page: int = 1
    items_per_page: int | None = None
    cursor: str | None = None
    by_cursor: bool = False
    shape: Shape | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What an operation returns: a status and data.

    Data is a record, a `Listing`, or nothing (204). `once` is added to the record
    as it leaves, and is kept nowhere: a secret that is shown when it is made.
    """

    status: int
    data: Record | Listing | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    once: Mapping[str, Any] = field(default_factory=dict)


def succeeded(result: Result) -> Result:
    """Pass a success on; a failure that was returned is raised.

    So it leaves as the one error body, and nothing of it is committed.
    Source: spec/protocol.md, sections 14 (rule 2) and 15 (rule 1).
    """
    if result.status < STATUS_BAD_REQUEST:
        return result
    data = result.data if isinstance(result.data, dict) else {}
    fault = Fault(str(data.get("message", "")), headers=result.headers)
    fault.status = HTTPStatus(result.status)
    raise fault


class Entity:
    """A kind of thing that the API serves under one path name.

    One object is made per request; it keeps nothing between requests. Success is
    returned, failure is raised from `storeapi.core.errors`.
    """

    name: ClassVar[str]
    """Path name, plural and lower case; the class name is its CamelCase form."""

    privileges: ClassVar[Mapping[str, Needed]] = {}
    """Operation to privilege, several of which one is enough, `True` or `False`.

    An operation that is missing is not offered: 405.
    The method of each operation that is offered has to be there.
    """

    privileges_customer: ClassVar[Mapping[str, bool]] = {}
    """The same for anonymous callers and customers, where they are let in."""

    closed_to_companies: ClassVar[Sequence[str]] = ()
    """Operations that callers of one company may not do, whatever they hold.

    Source: spec/protocol.md, section 12.
    """

    parents: ClassVar[Sequence[str] | Mapping[str, str | None]] = ()
    """Entities under which this one may be nested.

    A table entity may map them to its column that holds the parent's ID; `None`
    says that no column does, and the entity finds its rows by `scope`.
    """

    child_entities: ClassVar[Sequence[str]] = ()
    """Entities that may be nested under this one (beside those that name it)."""

    under: ClassVar[Mapping[str, "type[Entity]"]] = {}
    """The class that serves below a parent, by its name, where it is another one."""

    replaces: ClassVar[str | None] = None
    """The name of the built-in entity that this class stands in for."""

    migrations: ClassVar[str | None] = None
    """Package that holds the migrations of a plug-in's own tables."""

    id_key: ClassVar[str] = "id"
    """Name of the identifier in the answers to POST and PUT."""

    list_key: ClassVar[str | None] = None
    """Name of the list in 2.0 envelopes, where it is not the path name."""

    shapes: ClassVar[Mapping[Version, Shape]] = {"1.0": "map", "2.0": "array"}
    """Shape of a list per version; none where there is but one object, without ID."""

    echoes: ClassVar[Mapping[Version, Sequence[str]]] = {
        "1.0": ("search",),
        "2.0": ("params",),
    }
    """Keys under which an envelope shows the search parameters."""

    map_key: ClassVar[str | None] = None
    """Record field that keys a map-shaped list, where it is not the ID."""

    answers: ClassVar[Mapping[str, type]] = {"create": int, "update": str}
    """Type of the identifier in the answers of version 2.0."""

    accepts_empty: ClassVar[bool] = False
    """Whether POST may come without properties (documented actions only)."""

    def __init__(self, context: Context, db: Connection) -> None:
        self.context = context
        self._db = db

    @property
    def caller(self) -> Caller:
        """Who calls."""
        return self.context.caller

    @property
    def reader(self) -> Connection:
        """The connection for reading; inside a write, the transaction itself."""
        return self._db

    @property
    def db(self) -> Transaction:
        """The transaction of a write."""
        assert isinstance(self._db, Transaction), "a read has no transaction"
        return self._db

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one object, or the list when there is no ID."""
        raise MethodNotAllowed(())

    def create(self, params: Params) -> Result:
        """Create an object; 201 and its identifier."""
        raise MethodNotAllowed(())

    def update(self, id: Key, params: Params) -> Result:
        """Change the properties that were sent; 200 and the identifier."""
        raise MethodNotAllowed(())

    def delete(self, id: Key) -> Result:
        """Remove an object; 204."""
        raise MethodNotAllowed(())

    def is_accessible(self) -> bool:
        """Whether the entity is available at all to this request."""
        return True

    def is_valid_identifier(self, id: str) -> bool:
        """Whether a path segment can be an ID of this entity."""
        return id.isascii() and id.isdigit() and len(id) <= 10 and 0 < int(id) <= MAX_ID

    def identifier(self, id: str) -> Key:
        """Read an ID from the path.

        Raises: `NotFound` when nothing can have that ID.
        """
        if not self.is_valid_identifier(id):
            raise NotFound(f"{self.name}: no object has the ID {id[:40]!r}")
        return int(id)

    def permits(self, operation: str, id: Key | None) -> bool:
        """Whether the caller may do an operation here at all.

        Customers and anonymous callers have a map of their own.
        """
        if self.caller.is_customer:
            return self.context.settings.api_allow_customer and bool(
                self.privileges_customer.get(operation, False)
            )
        if self.caller.is_scoped and operation in self.closed_to_companies:
            return False
        return self.caller.allows(self.privileges.get(operation, False))

    def parent_key(self) -> str:
        """The name of the identifier in the records of a child."""
        return self.id_key

    def read_parent(self, id: Key) -> Record:
        """Check that the caller may see an object, as the parent of a child.

        Raises: `NotFound`. Returns what the child may want to know of it.
        """
        result = succeeded(self.index(id, {}))
        return result.data if isinstance(result.data, dict) else {}

    def lock(self, id: Key) -> None:
        """Hold an object against other writers until this one commits.

        An entity that keeps its objects elsewhere has nothing to hold.
        """

    def view_of(self, params: Params) -> Params:
        """What a read is asked for to show what a write with this payload changes.

        `If-Match` is compared with that, be it in the language `lang_code`.
        """
        return {}

    def known_params(self, *, listing: bool) -> frozenset[str]:
        """Names of the query parameters that a read understands."""
        return frozenset()
