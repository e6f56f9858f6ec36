"""A shop with an object of every entity in every company, for tables over them.

What belongs to the foreign store has IDs and e-mail addresses that are known at
sight, so that an answer which tells of it gives itself away.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import text

from storeapi.core.database import Transaction
from storeapi.core.declared import DeclaredEntity
from storeapi.models import ApiKey, Company, Model, User
from tests.contract.samples import PAYLOADS, REGISTRY
from tests.shop import Caller, Shop
from tests.wares import make_option

FOREIGN_ID = re.compile(r"(?<![\w.])71\d{5}(?![\w.])")
FOREIGN_HOST = "foreign.example"
NOBODY = 1_999_999_999
"""An ID that no object has."""

GLOBAL = frozenset({"languages", "langvars", "statuses", "taxes", "usergroups"})
"""Entities that belong to the whole installation."""

_FIRST_FOREIGN = 7_100_001
_numbers = itertools.count(1)

Payload = dict[str, Any]
Id = int | str


class Branch(Shop):
    """The shop, as it looks from one of its companies."""

    def __init__(self, shop: Shop, company_id: int, kind: str) -> None:
        self.__dict__ |= shop.__dict__
        self.company_id = company_id
        self.kind = kind
        self.store = company_id
        self.category = shop.make_category("Shelf", company_id=company_id)

    @property
    def parent(self) -> str:
        """The path of the company, as a parent."""
        return f"{self.kind}/{self.company_id}"

    def make_product(self, name: str = "Mug", **payload: Any) -> int:
        """A product of the company."""
        return super().make_product(name, company_id=self.company_id, **payload)


class Family:
    """Products that may be in one variation group; the feature is for all."""

    def __init__(self, shop: Shop) -> None:
        body = {
            "description": "Glaze",
            "feature_type": "S",
            "purpose": "group_variation_catalog_item",
            "variants": [{"variant": str(number)} for number in range(60)],
            "company_id": "0",
        }
        answer = shop.root.post("features", body)
        assert answer.status_code == 201, answer.get_data(as_text=True)
        self.feature = answer.get_json()["feature_id"]
        record = shop.root.get(f"features/{self.feature}").get_json()
        self._variants = iter(record["variants"])

    def member(self, branch: Branch) -> int:
        """A product that differs from all others in its glaze."""
        values = {str(self.feature): next(self._variants)}
        return branch.make_product(product_features=values)


class World:
    """Objects of every entity in the companies of a shop.

    Attributes: `own` is the store that scoped callers belong to, `foreign` another
    one, `vendor` and `shared` (company 0) are further places of objects. `objects`
    maps an entity and a branch to the ID of an object.
    """

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.own = Branch(shop, shop.store, "stores")
        self.vendor = Branch(shop, shop.vendor, "vendors")
        self.shared = Branch(shop, 0, "")
        self._family = Family(shop)
        self.common = self._made("master_products", self._common_product(self.shared))
        shop.root.get("settings")  # its names are numbered when they are first read
        self.objects: dict[tuple[str, Branch], Id] = {}
        self._fill(self.own, self.vendor, self.shared)
        number_from(shop, _FIRST_FOREIGN)
        id = shop.company("Foreign Shop")
        address = f"desk@{FOREIGN_HOST}"
        shop.change(Company, {"company_id": id}, {"email": address})
        self.foreign = Branch(shop, id, "stores")
        self._fill(self.foreign)
        shop.change(
            User,
            {"user_id": self.objects["users", self.foreign]},
            {"email": f"ines@{FOREIGN_HOST}", "email_key": f"ines@{FOREIGN_HOST}"},
        )
        boss = f"boss@{FOREIGN_HOST}"
        shop.caller(company_id=id, email=boss, email_key=boss)
        number_from(shop, 7_300_001)

    # Objects

    def _fill(self, *branches: Branch) -> None:
        for branch in branches:
            for name in self.sampled():
                if name in GLOBAL and branch is not self.own:
                    continue
                id = self.make(name, branch)
                if id is not None:
                    self.objects[name, branch] = id

    def sampled(self) -> list[str]:
        """The entities of which there are objects, those named by others first."""
        known = {*PAYLOADS, *SPECIAL} & {r.entity.name for r in REGISTRY}
        return sorted(known)

    def payload(self, name: str, branch: Branch) -> Payload | None:
        """A sound payload for an object in a company; `None` if none can be there."""
        if name in SPECIAL:
            return SPECIAL[name](self, branch)
        if name not in PAYLOADS:
            return None
        if branch.company_id == 0 and not _is_shared(name):
            return None
        if name == "stores" and branch.kind == "vendors":
            return None
        return PAYLOADS[name](branch)

    def make(self, name: str, branch: Branch) -> Id | None:
        """An object in a company, made by root."""
        if name == branch.kind:
            return branch.company_id
        body = self.payload(name, branch)
        if body is None:
            return None
        if "_made" in body:
            made: int = body["_made"]
            return made
        if owned(name):
            body = {"company_id": str(branch.company_id), **body}
        return self._made(name, body)

    def _made(self, name: str, body: Payload) -> Id:
        answer = self.shop.root.post(name, body)
        told = f"{name}: {answer.get_data(as_text=True)}"
        assert answer.status_code == 201, told
        id = answer.get_json()[REGISTRY.get(name).id_key]
        return int(id) if str(id).isdigit() else str(id)

    def _option(self, branch: Branch) -> Payload | None:
        if not branch.company_id:
            return None
        return {**PAYLOADS["options"](branch), "product_id": branch.make_product()}

    def _combination(self, branch: Branch) -> Payload | None:
        if not branch.company_id:
            return None
        product_id = branch.make_product()
        option, variants = make_option(branch, product_id)
        return {"product_id": product_id, "combination": {option: variants[0]}}

    _exception = _combination

    def _group(self, branch: Branch) -> Payload | None:
        if not branch.company_id:
            return None
        ids = [self._family.member(branch) for _ in range(2)]
        return {"product_ids": ids, "code": f"G{next(_numbers)}"}

    def _variation(self, branch: Branch) -> Payload | None:
        body = self._group(branch)
        if body is None:
            return None
        self._made("product_variations_groups", body)
        return {"_made": body["product_ids"][0]}

    def _common_product(self, branch: Branch) -> Payload | None:
        if branch.company_id:
            return None
        category = branch.category
        return {"product": "Bowl", "price": "3", "category_ids": [category]}

    def _offer(self, branch: Branch) -> Payload | None:
        if branch.kind != "vendors":
            return None
        common = self._made("master_products", self._common_product(self.shared) or {})
        return {"master_product_id": common, "company_id": branch.company_id}

    def _discussion(self, branch: Branch) -> Payload | None:
        if not branch.company_id:
            return None
        body = {"object_type": "P", "object_id": branch.make_product()}
        return {**PAYLOADS["discussions"](branch), **body, "status": "A"}

    # Callers

    def callers(self) -> dict[str, Caller]:
        """Callers by their rank; those of one company hold every privilege."""
        shop = self.shop
        every = sorted(shop.registry.privileges)
        expired = shop.caller(*every)
        shop.change(ApiKey, {"user_id": expired.user_id}, {"expires_at": 1})
        return {
            "root": shop.root,
            "anonymous": shop.anonymous,
            "wrong key": Caller(shop.client, 0, shop.root.login, "x" * 40),
            "expired key": expired,
            "disabled": shop.caller(*every, status="D"),
            "no group": shop.caller(),
            "customer": shop.caller(user_type="C", company_id=self.own.company_id),
            "clerk": shop.caller(*every, company_id=self.own.company_id),
            "vendor": shop.caller(user_type="V", company_id=self.vendor.company_id),
        }


SPECIAL: dict[str, Callable[[World, Branch], Payload | None]] = {
    "options": World._option,
    "combinations": World._combination,
    "exceptions": World._exception,
    "product_variations": World._variation,
    "product_variations_groups": World._group,
    "master_products": World._common_product,
    "master_product_offers": World._offer,
    "discussions": World._discussion,
}
"""Entities whose objects need others; `_made` names one that came with them."""


def owned(name: str) -> bool:
    """Whether objects of an entity belong to a company that a payload may name."""
    entity = REGISTRY.get(name)
    return (
        issubclass(entity, DeclaredEntity)
        and entity.declaration.company is not None
        and not entity.declaration.company.primary_key
    )


def _is_shared(name: str) -> bool:
    """Whether an object of company 0 is more than an object of a store."""
    return bool(getattr(REGISTRY.get(name), "shared", False)) or not owned(name)


def number_from(shop: Shop, first: int, *names: str) -> None:
    """Let the objects that are made from now on have IDs from `first` on.

    Shapes: `names` are tables; without any it counts for all of them.
    """
    dialect = shop.database.dialect.name

    def action(db: Transaction) -> None:
        for table, column in _numbered():
            if names and table not in names:
                continue
            for statement in _STATEMENTS[dialect]:
                words = {"table": table, "column": column, "first": first}
                db.execute(text(statement.format(**words, last=first - 1)))

    shop.database.write(action)


def _numbered() -> Iterator[tuple[str, str]]:
    for table in Model.metadata.sorted_tables:
        column = table.autoincrement_column
        if column is not None:
            yield table.name, column.name


_STATEMENTS = {
    "sqlite": (
        "DELETE FROM sqlite_sequence WHERE name = '{table}'",
        "INSERT INTO sqlite_sequence (name, seq) VALUES ('{table}', {last})",
    ),
    "postgresql": (
        "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), {first}, false)",
    ),
    "mariadb": ("ALTER TABLE {table} AUTO_INCREMENT = {first}",),
}
"""How each database is told where to go on counting."""
_STATEMENTS["mysql"] = _STATEMENTS["mariadb"]
