"""A small shop to test with, and callers of every rank.

The rows are written straight into the database, so that a test of one entity does
not depend on the others.
"""

import base64
import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, TypeVar

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Table, exists, literal, select, text, union_all
from werkzeug.test import TestResponse

from storeapi.app import front_of
from storeapi.core.changes import Change, Operation
from storeapi.core.database import Database, Transaction
from storeapi.core.entity import Entity
from storeapi.core.folding import folded
from storeapi.core.following import Following
from storeapi.core.rows import table_of
from storeapi.core.statement import Query
from storeapi.models import (
    ApiKey,
    Category,
    CategoryText,
    Company,
    Language,
    Model,
    Product,
    ProductCategory,
    ProductText,
    Tax,
    TaxText,
    User,
    Usergroup,
    UsergroupLink,
    UsergroupPrivilege,
    UsergroupText,
)
from storeapi.rules.api_keys import digest, generate_key
from storeapi.seeding import seed_statuses

SECRET = "0123456789abcdef0123456789abcdef"
NOW = 1_700_000_000
_numbers = itertools.count(1)
T = TypeVar("T")


class Caller:
    """A client with credentials; paths are given without `/api`."""

    def __init__(self, client: FlaskClient, user_id: int, login: str, key: str) -> None:
        self.client = client
        self.user_id = user_id
        self.login = login
        self.key = key

    @property
    def authorization(self) -> str:
        """The header field that carries the credentials."""
        pair = base64.b64encode(f"{self.login}:{self.key}".encode())
        return f"Basic {pair.decode()}"

    def request(self, method: str, path: str, **options: Any) -> TestResponse:
        """Send a request; `path` begins with `/api` or with the entity's name."""
        if not path.startswith("/"):
            path = f"/api/2.0/{path}"
        if self.key:
            options.setdefault("auth", (self.login, self.key))
        return self.client.open(path, method=method, **options)

    def get(self, path: str, **options: Any) -> TestResponse:
        """GET."""
        return self.request("GET", path, **options)

    def post(self, path: str, json: Any = None, **options: Any) -> TestResponse:
        """POST a JSON body."""
        return self.request("POST", path, json=json, **options)

    def make(self, path: str, **fields: Any) -> int:
        """Make an object; returns its number."""
        answer = self.post(path, fields)
        assert answer.status_code == 201, (path, answer.get_data(as_text=True))
        return int(next(iter(answer.get_json().values())))

    def put(self, path: str, json: Any = None, **options: Any) -> TestResponse:
        """PUT a JSON body."""
        return self.request("PUT", path, json=json, **options)

    def delete(self, path: str, **options: Any) -> TestResponse:
        """DELETE."""
        return self.request("DELETE", path, **options)


class Shop:
    """The shop of one test: two stores, a vendor, categories, and a root caller.

    Attributes: `store`, `other_store`, `vendor` are company IDs; `root` may do
    everything; `anonymous` sends no credentials; languages are `en` and `de`.
    """

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.database: Database = front_of(app).database
        self.settings = front_of(app).settings
        self.registry = front_of(app).registry
        self.client = app.test_client()
        self._open: Transaction | None = None
        self._at_once(self._make)

    def _make(self) -> None:
        self.empty()
        self.insert(Language, lang_code="en", name="English", country_code="US")
        self.insert(Language, lang_code="de", name="Deutsch", country_code="DE")
        self.insert(Usergroup, usergroup_id=1, type="C", status="A", text="Guests")
        self.insert(Usergroup, usergroup_id=2, type="C", status="A", text="Registered")
        self._write(lambda db: seed_statuses(db, ("en", "de")))
        self.store = self.company("Harbour Shop")
        self.other_store = self.company("Hill Shop")
        self.vendor = self.company("Nets & Co", kind="V")
        self.root = self.caller(is_root="Y")
        self.anonymous = Caller(self.client, 0, "", "")
        self.category = self.make_category("Mugs")

    def _write(self, action: Callable[[Transaction], T]) -> T:
        """Run in the transaction that is open, or in one of its own."""
        if self._open is not None:
            return action(self._open)
        return self.database.write(action)

    def _at_once(self, make: Callable[[], T]) -> T:
        """Make several rows in one transaction: a commit costs as much as its rows."""

        def action(db: Transaction) -> T:
            self._open = db
            try:
                return make()
            finally:
                self._open = None

        return make() if self._open is not None else self.database.write(action)

    def empty(self) -> None:
        """Delete every row but the company that stands for the whole installation."""
        self._write(_empty)

    def insert(self, model: type[Any], **values: Any) -> int:
        """Insert a row; `text` fills the name in its texts, in both languages."""
        name = values.pop("text", None)

        def action(db: Transaction) -> int:
            id = db.insert(table_of(model), values)
            if model is Usergroup:
                id = values.get("usergroup_id", id)
                for code in ("en", "de"):
                    row = {"usergroup_id": id, "lang_code": code, "usergroup": name}
                    row["usergroup_key"] = folded(name)
                    db.insert(table_of(UsergroupText), row)
                if "usergroup_id" in values:
                    _let_next_id_follow(db)
            return id

        return self._write(action)

    def change(
        self, model: type[Any], where: dict[str, Any], values: dict[str, Any]
    ) -> None:
        """Change rows behind the back of the API."""
        self._write(lambda db: db.update(table_of(model), where, values))

    def company(self, name: str, *, kind: str = "S", status: str = "A") -> int:
        """A store or a vendor."""
        number = next(_numbers)
        return self.insert(
            Company,
            kind=kind,
            company=name,
            company_key=folded(name),
            status=status,
            storefront=f"shop{number}.example",
            storefront_key=f"shop{number}.example",
            secure_storefront=f"shop{number}.example",
            email=f"shop{number}@example.com",
            email_key=f"shop{number}@example.com" if kind == "V" else None,
            lang_code="en",
            timestamp=NOW,
            seo_name=f"vendor-{number}" if kind == "V" else None,
        )

    def caller(
        self,
        *privileges: str,
        user_type: str = "A",
        company_id: int = 0,
        is_root: str = "N",
        **values: Any,
    ) -> Caller:
        """A user with an API key, in a group that holds the privileges."""
        known = {"user_type": user_type, "company_id": company_id, "is_root": is_root}
        return self._at_once(lambda: self._caller(privileges, {**known, **values}))

    def _caller(self, privileges: Iterable[str], values: dict[str, Any]) -> Caller:
        number = next(_numbers)
        login = f"user{number}@example.com"
        known = {"email": login, "email_key": login, "timestamp": NOW}
        known |= {"user_login": f"user_{number}", "login_key": f"user_{number}"}
        user_id = self.insert(User, **{**known, **values})
        key = generate_key()
        self.insert(
            ApiKey,
            user_id=user_id,
            digest=digest(self.settings.secret_key, key),
            created_at=NOW,
            last_used_at=int(time.time()),
        )
        if privileges:
            self.join(user_id, self.group(*privileges))
        return Caller(self.client, user_id, login, key)

    def group(self, *privileges: str, type: str = "A", status: str = "A") -> int:
        """A user group."""
        group = self.insert(Usergroup, type=type, status=status, text="Group")
        for privilege in privileges:
            self.insert(UsergroupPrivilege, usergroup_id=group, privilege=privilege)
        return group

    def join(self, user_id: int, usergroup_id: int, status: str = "A") -> int:
        """Put a user into a group."""
        return self.insert(
            UsergroupLink, user_id=user_id, usergroup_id=usergroup_id, status=status
        )

    def make_category(
        self, name: str, *, parent: int | None = None, company_id: int | None = None
    ) -> int:
        """A category."""
        company = self.store if company_id is None else company_id

        def action(db: Transaction) -> int:
            row = {"company_id": company, "parent_id": parent, "timestamp": NOW}
            id = db.insert(table_of(Category), row)
            above = "" if parent is None else _path(db, parent) + "/"
            db.update(
                table_of(Category), {"category_id": id}, {"id_path": f"{above}{id}"}
            )
            for code in ("en", "de"):
                texts = {"category": name, "category_key": folded(name)}
                texts |= {"seo_name": f"{folded(name)}-{id}"}
                db.insert(
                    table_of(CategoryText),
                    {
                        "category_id": id,
                        "lang_code": code,
                        "company_id": company,
                        "parent_id": parent or 0,
                        **texts,
                    },
                )
            change = Change("categories", Operation.CREATE, id, company)
            db.record(change)
            return id

        return self._write(action)

    def make_tax(self, name: str = "VAT") -> int:
        """A tax."""

        def action(db: Transaction) -> int:
            id = db.insert(table_of(Tax), {})
            for code in ("en", "de"):
                row = {"tax_id": id, "lang_code": code, "tax": name}
                db.insert(table_of(TaxText), row)
            return id

        return self._write(action)

    def make_product(self, name: str = "Mug", **payload: Any) -> int:
        """A product, made through the API by the root caller."""
        body = {"product": name, "category_ids": [self.category], **payload}
        answer = self.root.post("products", body)
        assert answer.status_code == 201, answer.get_data(as_text=True)
        return int(answer.get_json()["product_id"])

    def following(self) -> Following:
        """What follows lists of any length, and none yet."""
        counts = self.database.counts
        assert counts is not None
        return Following(counts, long=0)

    def entities(self) -> dict[str, type[Entity]]:
        """The entities that are registered, by name."""
        return {found.entity.name: found.entity for found in self.registry}

    def everything(self) -> dict[str, list[tuple[Any, ...]]]:
        """All rows of all tables, for proving that a refused request changed none."""

        def action(db: Transaction) -> dict[str, list[tuple[Any, ...]]]:
            found: dict[str, list[tuple[Any, ...]]] = {
                table.name: [] for table in _tables() if table.name not in SKIPPED
            }
            for table in _filled(db, found):
                found[table.name] = sorted(db.rows(_reading(table)), key=repr)
            return found

        return self.database.write(action)


SKIPPED = frozenset({"api_keys", "alembic_version"})
"""Tables that requests may change even when they are refused."""


@cache
def _tables() -> tuple[Table, ...]:
    """The tables of the server, what refers to a table before it."""
    return tuple(reversed(Model.metadata.sorted_tables))


@cache
def _finding() -> Query:
    """Names the tables that hold rows: most are empty in most tests."""
    return Query(
        union_all(
            *(
                select(literal(table.name)).where(exists(select(1).select_from(table)))
                for table in _tables()
            )
        )
    )


@cache
def _reading(table: Table) -> Query:
    return Query(table.select())


@cache
def _emptying(table: Table) -> tuple[Query, ...]:
    own = {
        column.name: None
        for column in table.columns
        if any(key.column.table is table for key in column.foreign_keys)
    }
    if table.name == "companies":
        return (Query(table.delete().where(table.c.company_id != 0)),)
    cut = (Query(table.update().values(own)),) if own else ()
    return (*cut, Query(table.delete()))


def _filled(db: Transaction, names: Iterable[str]) -> Iterator[Table]:
    wanted = {*names} & {name for (name,) in db.rows(_finding())}
    return (table for table in _tables() if table.name in wanted)


def _empty(db: Transaction) -> None:
    for table in _filled(db, [table.name for table in _tables()]):
        for query in _emptying(table):
            db.run(query)


def _let_next_id_follow(db: Transaction) -> None:
    """PostgreSQL does not look at IDs that were given when it makes the next."""
    if db.session.get_bind().dialect.name == "postgresql":
        db.execute(
            text(
                "SELECT setval(pg_get_serial_sequence('usergroups', 'usergroup_id'),"
                " max(usergroup_id)) FROM usergroups"
            )
        )


def _path(db: Transaction, category_id: int) -> str:
    table = table_of(Category)
    row = db.execute(table.select().where(table.c.category_id == category_id)).one()
    return str(row.id_path)


__all__ = [
    "NOW",
    "SECRET",
    "Caller",
    "Product",
    "ProductCategory",
    "ProductText",
    "Shop",
]
