"""A small shop to test with, and callers of every rank.

The rows are written straight into the database, so that a test of one entity does
not depend on the others.
"""

import base64
import itertools
import time
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.test import TestResponse

from storeapi.app import front_of
from storeapi.core.changes import Change, Operation
from storeapi.core.database import Database, Transaction
from storeapi.core.entity import Entity
from storeapi.core.rows import table_of
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
from storeapi.rules.folding import folded
from storeapi.seeding import seed_statuses

SECRET = "0123456789abcdef0123456789abcdef"
NOW = 1_700_000_000
_numbers = itertools.count(1)


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
        self.empty()
        self.insert(Language, lang_code="en", name="English", country_code="US")
        self.insert(Language, lang_code="de", name="Deutsch", country_code="DE")
        self.insert(Usergroup, usergroup_id=1, type="C", status="A", text="Guests")
        self.insert(Usergroup, usergroup_id=2, type="C", status="A", text="Registered")
        self.database.write(lambda db: seed_statuses(db, ("en", "de")))
        self.store = self.company("Harbour Shop")
        self.other_store = self.company("Hill Shop")
        self.vendor = self.company("Nets & Co", kind="V")
        self.root = self.caller(is_root="Y")
        self.anonymous = Caller(self.client, 0, "", "")
        self.category = self.make_category("Mugs")

    def empty(self) -> None:
        """Delete every row but the company that stands for the whole installation."""

        def action(db: Transaction) -> None:
            for table in reversed(Model.metadata.sorted_tables):
                if table.name == "companies":
                    db.execute(table.delete().where(table.c.company_id != 0))
                    continue
                for column in table.columns:
                    own = any(key.column.table is table for key in column.foreign_keys)
                    if own:
                        db.execute(table.update().values({column.name: None}))
                db.execute(table.delete())

        self.database.write(action)

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

        return self.database.write(action)

    def change(
        self, model: type[Any], where: dict[str, Any], values: dict[str, Any]
    ) -> None:
        """Change rows behind the back of the API."""
        self.database.write(lambda db: db.update(table_of(model), where, values))

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
        number = next(_numbers)
        login = f"user{number}@example.com"
        user_id = self.insert(
            User,
            **{
                "email": login,
                "email_key": login,
                "user_login": f"user_{number}",
                "login_key": f"user_{number}",
                "user_type": user_type,
                "company_id": company_id,
                "is_root": is_root,
                "timestamp": NOW,
                **values,
            },
        )
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

        return self.database.write(action)

    def make_tax(self, name: str = "VAT") -> int:
        """A tax."""

        def action(db: Transaction) -> int:
            id = db.insert(table_of(Tax), {})
            for code in ("en", "de"):
                row = {"tax_id": id, "lang_code": code, "tax": name}
                db.insert(table_of(TaxText), row)
            return id

        return self.database.write(action)

    def make_product(self, name: str = "Mug", **payload: Any) -> int:
        """A product, made through the API by the root caller."""
        body = {"product": name, "category_ids": [self.category], **payload}
        answer = self.root.post("products", body)
        assert answer.status_code == 201, answer.get_data(as_text=True)
        return int(answer.get_json()["product_id"])

    def entities(self) -> dict[str, type[Entity]]:
        """The entities that are registered, by name."""
        return {found.entity.name: found.entity for found in self.registry}

    def everything(self) -> dict[str, list[tuple[Any, ...]]]:
        """All rows of all tables, for proving that a refused request changed none."""
        skipped = {"api_keys", "alembic_version"}

        def action(db: Transaction) -> dict[str, list[tuple[Any, ...]]]:
            return {
                table.name: sorted(map(tuple, db.execute(table.select())), key=repr)
                for table in Model.metadata.sorted_tables
                if table.name not in skipped
            }

        return self.database.write(action)


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
