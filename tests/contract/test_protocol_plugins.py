"""What a plug-in is given and may say (spec/protocol.md, section 15)."""

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from flask import Flask

import storeapi
from storeapi import (
    STATUS_BAD_REQUEST,
    STATUS_CREATED,
    STATUS_NO_CONTENT,
    STATUS_NOT_FOUND,
    STATUS_OK,
    Entity,
    Fields,
    Id,
    InvalidInput,
    Listing,
    NotFound,
    Record,
    Result,
    TableEntity,
    Text,
    allow,
)
from storeapi.app import front_of
from storeapi.core.declaration import DeclarationError
from storeapi.core.registry import RegistryError
from storeapi.entities.taxes import Taxes
from storeapi.models import CallRequest
from tests.shop import Caller, Shop


class Gulls(Entity):
    """Birds that are kept nowhere; two of them are known."""

    name = "gulls"
    id_key = "gull_id"
    privileges = allow(view="view_gulls", manage="manage_gulls")
    privileges_customer: ClassVar = {"index": True}
    child_entities = ("eggs",)
    parents = ("stores",)
    seen: ClassVar[list[Any]] = []

    def index(self, id: Any, params: Any) -> Result:
        context = self.context
        self.seen.append((context, self.caller, context.parent))
        if id is None:
            records = [{"gull_id": str(number)} for number in (9, 10)]
            return Result(STATUS_OK, Listing([9, 10], records, 2, {"sea": "North"}))
        if id not in (9, 10):
            raise NotFound(f"gull {id} does not exist")
        return Result(STATUS_OK, {"gull_id": str(id)})

    def create(self, params: Any) -> Result:
        if "name" not in params:
            raise InvalidInput.of("name", "is required", "required")
        return Result(STATUS_CREATED, {"gull_id": 11})

    def update(self, id: Any, params: Any) -> Result:
        self.db.run(_WRITE)
        return Result(STATUS_BAD_REQUEST, {"message": "gulls do not change"})

    def delete(self, id: Any) -> Result:
        return Result(STATUS_NO_CONTENT)


class Eggs(Entity):
    """Things below gulls, named by letters; a plug-in nests under another one."""

    name = "eggs"
    parents = ("nests",)
    privileges: ClassVar = {"index": "view_eggs", "delete": False}
    open = True

    def index(self, id: Any, params: Any) -> Result:
        return Result(STATUS_OK, {"id": id})

    def delete(self, id: Any) -> Result:
        raise AssertionError("nobody may")

    def is_accessible(self) -> bool:
        return self.open

    def is_valid_identifier(self, id: str) -> bool:
        return id.isalpha()

    def identifier(self, id: str) -> str:
        if not self.is_valid_identifier(id):
            raise NotFound(f"no egg has the ID {id}")
        return id


class Nests(Entity):
    """A parent that returns its failure, and says nothing of privileges."""

    name = "nests"
    privileges: ClassVar = {"index": True}

    def index(self, id: Any, params: Any) -> Result:
        return Result(STATUS_NOT_FOUND, {"message": f"nest {id} fell"})


class Locked(Entity):
    """Who forgets the privileges locks the entity."""

    name = "locked"


class BellFields(Fields):
    request_id = Id(dump_only=True, listed=True)
    company_id = Id(listed=True)
    product_id = Id(listed=True)
    user_id = Id()
    phone = Text(required=True, listed=True)


class Bells(TableEntity[CallRequest]):
    """Rows that name other objects."""

    name = "bells"
    model = CallRequest
    fields = BellFields
    references = ("product_id", "user_id")
    privileges = allow(view="view_catalog", manage="manage_catalog")
    parents = ("products",)

    def check(self, values: Record, row: Record | None) -> None:
        if row is None:
            values |= {"name": "", "name_key": "", "phone_key": "", "timestamp": 0}
            values["cart_products"] = ""


class MildTaxes(Taxes):
    """Stands in for a built-in entity."""

    replaces = "taxes"


class Misplaced(Gulls):
    """Nests what has no column for it."""

    name = "misplaced"
    child_entities = ("languages",)


class Clashing(Gulls):
    """Takes a name that is taken."""

    name = "products"
    child_entities = ()
    parents = ()


_WRITE = storeapi.query(CallRequest.__table__.delete())
PLUGINS = tuple(
    f"{__name__}:{name}" for name in ("Gulls", "Eggs", "Nests", "Locked", "Bells")
)


def _on(app: Flask, caller: Caller) -> Caller:
    return Caller(app.test_client(), caller.user_id, caller.login, caller.key)


@pytest.fixture
def plugged(make_app: Callable[..., Flask]) -> Flask:
    """A server with the plug-ins of this module."""
    Gulls.seen.clear()
    return make_app(plugins=PLUGINS)


@pytest.fixture
def root(shop: Shop, plugged: Flask) -> Caller:
    """The root caller of that server."""
    return _on(plugged, shop.root)


def test_four_methods_answer_in_both_versions(root: Caller) -> None:
    """Rules 1 to 3: the author returns data, the presenter makes the envelope."""
    first = root.get("/api/1.0/gulls")
    assert first.get_data(as_text=True) == (
        '{"gulls":{"9":{"gull_id":"9"},"10":{"gull_id":"10"}},"search":{"sea":"North"}}'
    )
    assert root.get("gulls").get_json() == {
        "gulls": [{"gull_id": "9"}, {"gull_id": "10"}], "params": {"sea": "North"}
    }  # fmt: skip
    assert first.headers["X-Total-Count"] == "2"
    assert root.get("gulls/9").get_json() == {"gull_id": "9"}
    for version, id in (("1.0", "11"), ("2.0", 11)):
        made = root.post(f"/api/{version}/gulls", {"name": "Ann"})
        assert (made.status_code, made.get_json()) == (201, {"gull_id": id})
    assert root.delete("gulls/9").data == b""
    for answer, status in (
        (root.post("gulls", {"wing": 1}), 400),
        (root.get("gulls/8"), 404),
        (root.post("gulls"), 405),
        (root.put("gulls/9", data="x", content_type="text/csv"), 415),
        (root.get("gulls", headers={"Accept": "image/png"}), 406),
    ):
        assert (answer.status_code, answer.get_json()["status"]) == (status, status)


def test_statuses_have_names() -> None:
    """Rule 1."""
    names = {n: getattr(storeapi, n) for n in storeapi.__all__ if n[:7] == "STATUS_"}
    assert names == {
        "STATUS_OK": 200, "STATUS_CREATED": 201, "STATUS_NO_CONTENT": 204,
        "STATUS_BAD_REQUEST": 400, "STATUS_FORBIDDEN": 403, "STATUS_NOT_FOUND": 404,
        "STATUS_METHOD_NOT_ALLOWED": 405,
    }  # fmt: skip


def test_a_returned_failure_is_an_error_that_stores_nothing(
    shop: Shop, root: Caller
) -> None:
    """Rule 1: a pair of status and data may say that it failed."""
    before = shop.everything()
    made = root.post("bells", {"phone": "1", "company_id": shop.store})
    answer = root.put("gulls/9", {"name": "x"})
    assert answer.status_code == 400
    assert answer.get_json()["message"] == "Bad Request: gulls do not change"
    id = made.get_json()["request_id"]
    assert root.delete(f"bells/{id}").status_code == 204
    assert shop.everything() == before


def test_the_parents_failure_is_the_answer(root: Caller) -> None:
    """Section 14, rule 2: its own status and body."""
    for path in ("nests/5", "nests/5/eggs"):
        answer = root.get(path)
        assert answer.status_code == 404
        assert answer.get_json()["message"] == "Not Found: nest 5 fell"


def test_the_context_tells_who_calls_and_where(shop: Shop, root: Caller) -> None:
    """Section 15, context: version, language, parent and caller."""
    path = f"/api/1.0/stores/{shop.store}/gulls?sl=de"
    assert root.get(path).status_code == 200
    context, caller, parent = Gulls.seen[-1]
    assert (context.version, context.lang_code) == ("1.0", "de")
    assert (parent.name, parent.id, parent.id_name) == (
        "stores", shop.store, "company_id",
    )  # fmt: skip
    assert parent.data["company_id"] == shop.store
    assert (caller.user_id, caller.user_type, caller.company_id, caller.is_root) == (
        shop.root.user_id, "A", 0, True,
    )  # fmt: skip


def test_privileges_are_what_the_map_says(shop: Shop, plugged: Flask) -> None:
    """`privileges`, section 11 too: false by default; names of plug-ins are granted."""
    keeper = _on(plugged, shop.caller("view_gulls"))
    assert keeper.get("gulls").status_code == 200
    assert keeper.post("gulls", {"name": "Ann"}).status_code == 403
    assert keeper.get("eggs").status_code == 403
    assert keeper.get("gulls/9/eggs").status_code == 403
    assert keeper.get("nests").status_code == 404  # true: whoever may call
    root = _on(plugged, shop.root)
    for method, path, status in (
        ("GET", "locked", 405), ("POST", "locked", 405), ("PUT", "locked/1", 405),
        ("DELETE", "locked/1", 405), ("DELETE", "eggs/a", 403), ("POST", "eggs", 405),
    ):  # fmt: skip
        sent = {"a": 1} if method[0] == "P" else None
        assert root.request(method, path, json=sent).status_code == status
    body = {"privileges": ["view_gulls", "view_eggs"]}
    group = f"usergroups/{shop.group('view_gulls')}"
    assert root.put(group, body).status_code == 200
    assert shop.root.put(group, {"privileges": ["view_eggs"]}).status_code == 400


def test_customers_have_a_map_of_their_own(
    shop: Shop, plugged: Flask, make_app: Callable[..., Flask]
) -> None:
    """`privileges_customer`, section 15: counts where `API_ALLOW_CUSTOMER` is on."""
    opened = make_app(plugins=PLUGINS, api_allow_customer=True)
    customer = shop.caller(user_type="C")
    table = (
        (shop.anonymous, (401, 401), (200, 401)), (customer, (403, 403), (200, 403)),
    )  # fmt: skip
    for caller, shut, wide in table:
        for app, expected in ((plugged, shut), (opened, wide)):
            asked = _on(app, caller)
            found = asked.get("gulls"), asked.post("gulls", {"name": "Ann"})
            assert tuple(each.status_code for each in found) == expected
            assert asked.get("eggs").status_code == expected[1]


def test_children_are_named_from_either_side(root: Caller) -> None:
    """Section 15: `child_entities` of the parent, `parents` of the child."""
    assert root.get("gulls/9/eggs/a").get_json() == {"id": "a"}
    for path in (
        "gulls/8/eggs",
        "eggs/a/gulls",
        "gulls/9/languages",
        "products/1/eggs",
    ):
        assert root.get(path).status_code == 404


def test_an_entity_may_be_away(root: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Section 15, `is_accessible`: as if unknown, and below a parent too."""
    assert root.get("eggs").status_code == 200
    monkeypatch.setattr(Eggs, "open", False)
    for path in ("eggs", "eggs/a", "gulls/9/eggs"):
        for method in ("GET", "DELETE", "PATCH"):
            answer = root.request(method, path)
            assert answer.status_code == 404
            assert answer.get_json()["message"] == (
                "Not Found: there is no entity 'eggs'"
            )


def test_an_entity_says_what_identifies_its_objects(root: Caller) -> None:
    """Section 15, `is_valid_identifier`: a positive number unless it says otherwise."""
    assert root.get("eggs/a").get_json() == {"id": "a"}
    for path in ("eggs/1", "gulls/a", "gulls/0", "gulls/-1", "gulls/9999999999"):
        assert root.get(path).status_code == 404


def test_references_are_judged_in_the_callers_scope(shop: Shop, plugged: Flask) -> None:
    """Section 12: what a body names must be visible to the caller, otherwise 400."""
    root = _on(plugged, shop.root)
    clerk = _on(plugged, shop.caller("manage_catalog", "view_catalog",
                                     company_id=shop.store))  # fmt: skip
    own = shop.make_product()
    foreign = shop.make_product(
        company_id=shop.other_store,
        category_ids=[shop.make_category("Hill", company_id=shop.other_store)],
    )
    body = {"phone": "1", "product_id": 99999, "user_id": 99999}
    for caller in (root, clerk):
        answer = caller.post("bells", body)
        assert answer.status_code == 400
        named = [error["field"] for error in answer.get_json()["errors"]]
        assert named == ["product_id", "user_id"]
    assert clerk.post("bells", {**body, "product_id": foreign}).status_code == 400
    made = clerk.post(f"products/{own}/bells", {"phone": "1", "product_id": foreign})
    path = f"bells/{made.get_json()['request_id']}"
    assert root.get(path).get_json()["product_id"] == str(own)
    assert clerk.put(path, {"product_id": foreign}).status_code == 400
    assert clerk.put(path, {"product_id": None}).status_code == 200
    assert root.put(path, {"product_id": foreign}).status_code == 200
    assert clerk.post(f"products/{foreign}/bells", {"phone": "1"}).status_code == 404


def test_a_plug_in_may_stand_in_for_a_built_in_entity(
    shop: Shop, make_app: Callable[..., Flask]
) -> None:
    """Rule 4: children, parents and answers stay."""
    app = make_app(plugins=(f"{__name__}:MildTaxes",))
    root = _on(app, shop.root)
    assert front_of(app).registry.get("taxes") is MildTaxes
    assert root.post("taxes", {"tax": "Sea duty"}).status_code == 201
    assert root.get(f"stores/{shop.store}/taxes").status_code == 200


def test_a_clash_of_names_stops_the_start(make_app: Callable[..., Flask]) -> None:
    """Rule 4; and so does a child that cannot hold its parent's ID."""
    with pytest.raises(DeclarationError, match="languages: no column gull_id holds"):
        make_app(plugins=(f"{__name__}:Misplaced",))
    with pytest.raises(RegistryError, match="products of tests clashes with that of"):
        make_app(plugins=(f"{__name__}:Clashing",))


@pytest.mark.parametrize("path", ["acme_gone:Gulls", "tests.shop:Gone", "nothing"])
def test_a_broken_plug_in_is_left_out(
    shop: Shop, make_app: Callable[..., Flask], path: str,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """Rule 5: it is logged, and the server serves the others."""
    root = _on(make_app(plugins=(path, *PLUGINS)), shop.root)
    assert root.get("gulls").status_code == 200
    assert root.get("languages").status_code == 200
    assert f"plug-in {path} of " in caplog.text
