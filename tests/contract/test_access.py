"""Who may do what, where: every caller, path and method of every entity."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from storeapi.core.declaration import COMPANY_ALIAS
from storeapi.core.declared import DeclaredEntity
from tests.conftest import applications
from tests.contract.expected import (
    OPERATION,
    PRIVILEGES,
    PUBLIC,
    STRANGERS,
    Step,
    expected,
    holds,
    path_of,
)
from tests.contract.samples import (
    CHANGES,
    NAMES,
    OF_PRODUCTS,
    PAYLOADS,
    REGISTRY,
    filtered_by,
    shown_id,
)
from tests.contract.world import (
    FOREIGN_HOST,
    FOREIGN_ID,
    GLOBAL,
    NOBODY,
    SPECIAL,
    Branch,
    Id,
    World,
    number_from,
    owned,
)
from tests.shop import Caller, Shop

EVERY = pytest.mark.parametrize("name", NAMES)
COMPANIES = ("stores", "vendors")
_STORED = sorted({*PAYLOADS, *SPECIAL} & {*NAMES} - {*COMPANIES})
EVERY_STORED = pytest.mark.parametrize("name", _STORED)
BODY = {"nosuch": "1"}
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.\w")


class Table:
    """The world, its callers, and what was wrong of all that was asked."""

    def __init__(self, world: World, open_app: Flask) -> None:
        self.world = world
        self.callers = world.callers()
        client, customer = open_app.test_client(), self.callers["customer"]
        self.callers["open anonymous"] = Caller(client, 0, "", "")
        self.callers["open customer"] = Caller(client, 0, customer.login, customer.key)
        every = sorted(world.shop.registry.privileges)
        self.single = {privilege: world.shop.caller(privilege) for privilege in every}

    def company_of(self, who: str) -> int:
        """The company of a caller."""
        found = {"clerk": self.world.own, "vendor": self.world.vendor}.get(who)
        return 0 if found is None else found.company_id

    def ask(self, who: str, path: str, method: str, body: Any = None) -> Any:
        """Send a request; what is foreign must not be told of."""
        caller = self.callers.get(who) or self.single[who]
        if method in ("POST", "PUT"):
            name = path.split("/")[-1 - path.count("/") % 2]
            sent = CHANGES.get(name, BODY) if body is None else body
            answer = caller.request(method, path, json=sent)
        else:
            answer = caller.request(method, path)
        self.judge(who, path, answer, body)
        return answer

    def judge(self, who: str, path: str, answer: Any, body: Any) -> None:
        """Nothing foreign is told to whom it does not concern."""
        told = f"{answer.headers}{answer.get_data(as_text=True)}"
        if who in ("root", *self.single):
            return
        assert FOREIGN_HOST not in told, (who, path)
        if who == "open anonymous":
            assert ADDRESS.search(told) is None, (who, path, told)
        if not who.startswith("open"):
            sent = {*FOREIGN_ID.findall(path), *FOREIGN_ID.findall(str(body))}
            assert {*FOREIGN_ID.findall(told)} <= sent, (who, path, told)


@pytest.fixture(scope="module")
def table(app: Flask, schema_url: str, media: Path) -> Iterator[Table]:
    """One world for the whole module; what is refused leaves it as it is."""
    shop = Shop(app)
    with applications(schema_url, media) as make:
        yield Table(World(shop), make(api_allow_customer=True))
    shop.empty()
    number_from(shop, 1)


# Paths


def paths(world: World, name: str) -> Iterator[list[Step]]:
    """The paths to an entity: flat, below right and wrong parents, and no parents."""
    yield [Step(name)]
    yield [Step(name, NOBODY)]
    for branch in (world.own, world.vendor, world.foreign, world.shared):
        id = world.objects.get((name, branch))
        if id is not None:
            yield [Step(name, id, branch)]
    for parent in NAMES:
        if name in REGISTRY.children(parent):
            yield from _below(world, parent, name)
    stranger = next(n for n in NAMES if name not in REGISTRY.children(n))
    yield [Step(stranger, 1), Step(name)]
    yield [Step(stranger, 1), Step(name, 1)]


def _below(world: World, parent: str, name: str) -> Iterator[list[Step]]:
    yield [Step(parent, NOBODY), Step(name)]
    yield [Step(parent, NOBODY), Step(name, NOBODY)]
    for branch in (world.own, world.vendor, world.foreign):
        id, wrong = world.objects.get((name, branch)), _wrong(world, parent, branch)
        if wrong is not None:
            yield [wrong, Step(name)]
            yield [wrong, Step(name, NOBODY)]
        if id is None:
            continue
        right = _right(world, parent, name, branch, id)
        if right is not None:
            yield [right, Step(name)]
            yield [right, Step(name, id, branch)]
        if wrong is not None and wrong != right and _tells(parent, name):
            inside = name in GLOBAL and (parent, name) != ("users", "usergroups")
            yield [wrong, Step(name, id, branch, inside)]


def _tells(parent: str, name: str) -> bool:
    """Whether the entity below a parent is the same as elsewhere."""
    return parent not in REGISTRY.get(name).under


def _right(world: World, parent: str, name: str, branch: Branch, id: Id) -> Step | None:
    """The parent that an object belongs to, where a column tells."""
    if parent in COMPANIES:
        inside = branch.kind == parent
        return Step(parent, branch.company_id, branch) if inside else None
    if name == "discussions" and parent != "products":
        return None
    entity: Any = REGISTRY.get(name)
    column = dict(entity.parents)[parent] if isinstance(entity.parents, dict) else None
    if column is None or not issubclass(entity, DeclaredEntity):
        return None
    table, key = entity.declaration.table, entity.declaration.id
    if shown_id(name) != entity.declaration.id_name:
        return None
    rows = world.shop.database.write(
        lambda db: db.execute(table.select().where(key == id)).mappings().all()
    )
    number = int(rows[0][column])
    above = world.shared if parent == "master_products" else branch
    return Step(parent, number, above) if number else None


def _wrong(world: World, parent: str, branch: Branch) -> Step | None:
    """A parent that has nothing of what is asked for."""
    if parent in COMPANIES:
        other = world.foreign if branch is not world.foreign else world.own
        return Step(parent, other.company_id, other) if parent == "stores" else None
    place = world.shared if parent == "master_products" else branch
    id = world.common if parent == "master_products" else None
    id = world.objects.get((parent, place)) if id is None else id
    return None if id is None else Step(parent, id, place)


# The tables


METHODS = ("GET", "POST", "PUT", "DELETE")


@EVERY
def test_callers_meet_what_the_contract_says(table: Table, name: str) -> None:
    """Sections 9 to 12 and 14: as told; what is refused changes nothing."""
    before = table.world.shop.everything()
    wrong = []
    for steps in paths(table.world, name):
        strangers = len(steps) == 1
        for who in table.callers:
            if (who in STRANGERS or who == "no group") and not strangers:
                continue
            for method in METHODS:
                status = expected(who, steps, method, table.company_of(who))
                if status in (201, 204) or (method == "PUT" and status == 200):
                    continue
                if name in OF_PRODUCTS and steps == [Step(name)] and status == 200:
                    continue
                path = path_of(steps)
                answer = table.ask(who, path, method)
                if answer.status_code != status:
                    told = answer.get_data(as_text=True)[:120]
                    wrong.append((who, method, path, status, answer.status_code, told))
    assert wrong == [], "\n".join(map(str, wrong))
    assert table.world.shop.everything() == before


@EVERY
def test_one_privilege_opens_what_it_is_for(table: Table, name: str) -> None:
    """An administrator with each single privilege."""
    entity = REGISTRY.get(name)
    before, wrong = table.world.shop.everything(), []
    id = table.world.objects.get((name, table.world.own), NOBODY)
    for privilege in table.single:
        for method in METHODS:
            operation = OPERATION[method]
            if operation not in entity.privileges:
                continue
            opens = holds(privilege, name, operation, entity)
            if opens and method != "GET":
                continue
            if opens and id == NOBODY:
                continue
            path = name if method == "POST" else f"{name}/{id}"
            status = table.ask(privilege, path, method).status_code
            if status != (200 if opens else 403):
                wrong.append((privilege, method, path, status))
    assert wrong == [], "\n".join(map(str, wrong))
    assert table.world.shop.everything() == before


def test_privileges_are_those_of_the_contract() -> None:
    """Section 11."""
    operations = ("index", "create", "update", "delete")
    for name in NAMES:
        view, *writes = PRIVILEGES[name]
        needed = (view, *(writes * 3)[:3])
        told = {o: p for o, p in zip(operations, needed, strict=True) if p}
        assert (name, REGISTRY.get(name).privileges) == (name, told)


def test_customer_maps_are_those_of_the_contract() -> None:
    """Section 9, rule 4."""
    declared = {
        name: {each for each, allowed in entity.privileges_customer.items() if allowed}
        for name in NAMES
        if (entity := REGISTRY.get(name)).privileges_customer
    }
    assert declared == {name: PUBLIC[name] for name in declared}


# What is allowed


RANKS = ("root", "clerk", "vendor")


@EVERY_STORED
def test_writes_stay_in_the_company(table: Table, name: str) -> None:
    """Sections 12 and 14: whatever a body says of the company."""
    world = table.world
    foreign = {"company_id": world.foreign.company_id}
    for who in RANKS:
        branch = world.vendor if who == "vendor" else world.own
        made = _made(table, who, name, branch, foreign if who != "root" else {})
        if made is None:
            continue
        path = f"{name}/{made}"
        record = table.ask("root", path, "GET").get_json()
        owner = record.get("company_id")
        if who != "root" and owner is not None:
            assert owner == str(branch.company_id)
        body = CHANGES.get(name, BODY) | (foreign if who != "root" else {})
        assert table.ask(who, path, "PUT", body).status_code == 200
        assert table.ask("root", path, "GET").get_json().get("company_id") == owner
        steps, company = [Step(name, made, branch)], table.company_of(who)
        remover = who if expected(who, steps, "DELETE", company) == 204 else "root"
        assert table.ask(remover, path, "DELETE").status_code == 204
        assert table.ask("root", path, "GET").status_code == 404


def _made(table: Table, who: str, name: str, branch: Branch, more: Any) -> Id | None:
    """An object made by a caller, or by root where the caller may only change it."""
    world, company = table.world, table.company_of(who)
    body = world.payload(name, branch)
    if body is None or "_made" in body:
        return None
    if expected(who, [Step(name)], "POST", company) == 201:
        answer = table.ask(who, name, "POST", {**body, **more})
        assert answer.status_code == 201, answer.get_data(as_text=True)
        id: Id = answer.get_json()[REGISTRY.get(name).id_key]
        return id
    id = world.make(name, branch)
    allowed = expected(who, [Step(name, id, branch)], "PUT", company) == 200
    return id if allowed else None


@pytest.mark.parametrize("name", filtered_by(_STORED, "company_id"))
@pytest.mark.parametrize("key", ["company_id", COMPANY_ALIAS])
def test_filters_for_other_companies_find_nothing(
    table: Table, name: str, key: str
) -> None:
    """Section 12: an empty list, never an error that reveals the company."""
    world = table.world
    for who in ("clerk", "vendor"):
        if expected(who, [Step(name)], "GET") == 200:
            path = f"{name}?{key}={world.foreign.company_id}"
            answer = table.ask(who, path, "GET")
            told = (answer.status_code, answer.headers["X-Total-Count"])
            assert (who, *told) == (who, 200, "0")


@EVERY_STORED
def test_children_belong_to_their_company(table: Table, name: str) -> None:
    """Section 14, rule 5: the path decides, in lists, on POST and on PUT."""
    world = table.world
    foreign = {"company_id": world.foreign.company_id}
    for branch in (world.own, world.vendor):
        parent = [Step(branch.kind, branch.company_id, branch), Step(name)]
        body = world.payload(name, branch)
        if expected("root", parent, "POST") != 201 or body is None or "_made" in body:
            continue
        path = path_of(parent)
        answer = table.ask("root", path, "POST", {**body, **foreign})
        assert answer.status_code == 201, answer.get_data(as_text=True)
        id = answer.get_json()[REGISTRY.get(name).id_key]
        change = CHANGES.get(name, BODY) | foreign
        elsewhere = f"stores/{world.foreign.company_id}/{name}/{id}"
        found = table.ask("root", elsewhere, "GET").status_code
        assert found == (200 if name in GLOBAL else 404)
        assert table.ask("root", f"{path}/{id}", "PUT", change).status_code == 200
        assert table.ask("root", f"{path}/{id}", "GET").status_code == 200
        assert table.ask("root", f"{path}/{id}", "DELETE").status_code == 204


@EVERY_STORED
def test_references_to_other_companies_are_refused(table: Table, name: str) -> None:
    """Section 12: what a body names must be visible to the caller."""
    world = table.world
    foreign = world.payload(name, world.foreign) or {}
    naming = {key: v for key, v in foreign.items() if FOREIGN_ID.search(str(v))}
    before = world.shop.everything()
    for who, branch in (("clerk", world.own), ("vendor", world.vendor)):
        own, company = world.objects.get((name, branch)), table.company_of(who)
        if not naming or own is None:
            continue
        if expected(who, [Step(name)], "POST", company) == 201:
            assert table.ask(who, name, "POST", foreign).status_code in (400, 404)
        if expected(who, [Step(name, own, branch)], "PUT", company) == 200:
            answer = table.ask(who, f"{name}/{own}", "PUT", naming)
            assert answer.status_code in _refusals(name, naming, answer)
    assert world.shop.everything() == before


def _refusals(name: str, sent: Any, answer: Any) -> tuple[int, ...]:
    """What a PUT with these fields may answer: 200 where none of them can change."""
    kinds = REGISTRY.get(name).declaration.kinds
    ignored = answer.headers.get("X-Ignored-Fields", "").split(", ")
    fixed = all(
        key in ignored or (key in kinds and kinds[key].create_only) for key in sent
    )
    return (200,) if fixed else (400, 404)


def test_companies_nest_all_that_belongs_to_them() -> None:
    """Section 14, but for what is nobody's, and options, which hang on products."""
    belonging = {name for name in NAMES if owned(name)}
    belonging -= {"master_products", "options", "usergroups"}
    belonging |= {"settings", "statuses", "taxes"}
    assert REGISTRY.children("vendors") == belonging
    assert REGISTRY.children("stores") == belonging - {"master_product_offers"}
