"""What stands before the first product: languages, companies, categories, people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from config.settings import Settings
from storeapi.core.database import Transaction
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.demo import people
from storeapi.demo.chance import chance_of
from storeapi.demo.content import publish
from storeapi.demo.goods import Shelf
from storeapi.demo.properties import define
from storeapi.demo.selling import hold, offer
from storeapi.demo.traits import CLOTHING
from storeapi.demo.tree import Node, Tree, grow
from storeapi.models import (
    Category,
    CategoryText,
    Company,
    Tax,
    TaxRate,
    TaxText,
    User,
    Usergroup,
    UsergroupLink,
    UsergroupPrivilege,
    UsergroupText,
)
from storeapi.rules.companies import VENDOR
from storeapi.seeding import advance, install_language, installed, largest

LANGUAGES = ("en", "de")
_CUSTOMERS = 40
_PRODUCTS_PER_CUSTOMER = 200
_MOST_CUSTOMERS = 5000

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """How large a store is wanted, and the chance and time that it is made of.

    Units: `now` in UNIX seconds.
    """

    products: int
    seed: int
    now: int


@dataclass(frozen=True, slots=True)
class Firm:
    """A company of the demo, with its part of the products in per cent."""

    name: str
    host: str
    kind: str
    percent: int
    departments: slice
    city: str
    country: str


FIRMS = (
    Firm("Harbour & Hearth", "harbour", "S", 50, slice(0, 6), "Porto", "PT"),
    Firm("Northmoor Outdoor", "outdoor", "S", 25, slice(2, 4), "Leeds", "GB"),
    Firm("Lindenhof Papier", "papier", "S", 15, slice(4, 6), "Berlin", "DE"),
    Firm("Kilnbrook Pottery", "kilnbrook", "V", 10, slice(0, 2), "Lyon", "FR"),
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What the products are made into: the companies' shelves, and their parts."""

    shelves: tuple[Shelf, ...]
    percents: tuple[int, ...]
    vendor_id: int


def furnish(db: Transaction, settings: Settings, plan: Plan) -> Setting:
    """Write all but the products."""
    languages = _languages(db, settings)
    tax_id = _taxes(db, languages)
    hold(db, languages)
    companies = _companies(db, settings, plan.now)
    trees = []
    for company_id, firm in zip(companies, FIRMS, strict=True):
        share = plan.products * firm.percent // 100
        first = largest(db, table_of(Category)) + 1
        tree = grow(first, share, departments=firm.departments)
        _categories(db, tree, company_id, languages, plan.now)
        publish(db, company_id, languages, plan.now)
        offer(db, company_id, languages, tax_id)
        trees.append(tree)
    known = define(db, languages, _worn_in(trees))
    shelves = [
        Shelf(company_id, tree.leaves, languages, known, tax_id, plan.now)
        for company_id, tree in zip(companies, trees, strict=True)
    ]
    _people(db, plan, companies, languages)
    percents = tuple(firm.percent for firm in FIRMS)
    ids = zip(companies, FIRMS, strict=True)
    vendor_id = next(id for id, firm in ids if firm.kind == VENDOR)
    return Setting(tuple(shelves), percents, vendor_id)


def _worn_in(trees: Sequence[Tree]) -> list[int]:
    """The categories of clothing, of all companies that have one."""
    return [
        node.category_id
        for tree in trees
        for node in tree.nodes
        if node.parent is None and node.name == CLOTHING.name
    ]


def _languages(db: Transaction, settings: Settings) -> tuple[str, ...]:
    present = installed(db)
    for code in (settings.default_language, *LANGUAGES):
        if code not in present:
            install_language(db, code, settings.default_language)
            present.append(code)
    return tuple(present)


def _taxes(db: Transaction, languages: Sequence[str]) -> int:
    names = (("VAT", "Mehrwertsteuer", 20_000), ("Reduced VAT", "Ermäßigt", 7_000))
    ids = []
    for number, (english, german, rate) in enumerate(names):
        row = {"priority": number, "price_includes_tax": "Y"}
        id = db.insert(table_of(Tax), row)
        texts = [
            {"tax_id": id, "lang_code": code, **_named("tax", english, german, code)}
            for code in languages
        ]
        db.insert_many(table_of(TaxText), texts)
        db.insert(
            table_of(TaxRate),
            {"tax_id": id, "destination_id": 1, "rate_value": rate},
        )
        ids.append(id)
    return ids[0]


def _named(column: str, english: str, german: str, code: str) -> Row:
    name = german if code == "de" else english
    return {column: name, f"{column}_key": folded(name)}


def _companies(db: Transaction, settings: Settings, now: int) -> list[int]:
    ids = []
    for firm in FIRMS:
        host = f"{firm.host}.example"
        vendor = firm.kind == "V"
        row = {
            "kind": firm.kind,
            "company": firm.name,
            "company_key": folded(firm.name),
            "storefront": host,
            "storefront_key": host,
            "secure_storefront": host,
            "lang_code": settings.default_language,
            "email": f"shop@{host}",
            "email_key": f"shop@{host}" if vendor else None,
            "timestamp": now,
            "company_name": firm.name,
            "company_city": firm.city,
            "company_country": firm.country,
            "city": firm.city if vendor else "",
            "country": firm.country if vendor else "",
            "seo_name": firm.host if vendor else None,
        }
        ids.append(db.insert(table_of(Company), row))
    return ids


def _categories(
    db: Transaction, tree: Tree, company_id: int, languages: Sequence[str], now: int
) -> None:
    db.insert_many(
        table_of(Category),
        [
            {
                "category_id": node.category_id,
                "parent_id": node.parent.category_id if node.parent else None,
                "company_id": company_id,
                "id_path": node.path,
                "position": node.position,
                "timestamp": now,
            }
            for node in tree.nodes
        ],
    )
    advance(db, table_of(Category))
    db.insert_many(
        table_of(CategoryText),
        [
            _category_text(node, company_id, code)
            for node in tree.nodes
            for code in languages
        ],
    )


def _category_text(node: Node, company_id: int, code: str) -> Row:
    return {
        "category_id": node.category_id,
        "lang_code": code,
        "company_id": company_id,
        "parent_id": node.parent.category_id if node.parent else 0,
        "seo_name": node.slug,
        **_named("category", *node.name, code),
    }


def _people(
    db: Transaction, plan: Plan, companies: Sequence[int], languages: Sequence[str]
) -> None:
    groups = [_group(db, group, languages) for group in people.GROUPS]
    next_id = largest(db, table_of(User)) + 1
    links = _staff(db, next_id, groups, companies[-1], plan.now)
    next_id = largest(db, table_of(User)) + 1
    chance = chance_of(f"{plan.seed} people")
    wanted = _CUSTOMERS + plan.products // _PRODUCTS_PER_CUSTOMER
    customers = [
        people.customer(id, chance.choice(companies[:-1]), plan.now, chance)
        for id in range(next_id, next_id + min(wanted, _MOST_CUSTOMERS))
    ]
    db.insert_many(table_of(User), customers)
    links += [
        {"user_id": customer["user_id"], "usergroup_id": groups[-1]}
        for customer in customers[::10]
    ]
    db.insert_many(table_of(UsergroupLink), [{"status": "A", **link} for link in links])
    advance(db, table_of(User))


def _staff(
    db: Transaction, next_id: int, groups: Sequence[int], vendor: int, now: int
) -> list[Row]:
    """Write the administrators of the shop and the vendor; returns memberships."""
    rows = []
    links = []
    for id, (email, first, last, group) in enumerate(people.STAFF, next_id):
        rows.append(people.account(id, email, "A", 0, (first, last)))
        links.append({"user_id": id, "usergroup_id": groups[group]})
    email, name = people.POTTER
    rows.append(people.account(next_id + len(rows), email, "V", vendor, name))
    db.insert_many(table_of(User), [{"timestamp": now, **row} for row in rows])
    return links


def _group(db: Transaction, group: people.Group, languages: Sequence[str]) -> int:
    row = {"type": group.type, "status": "A"}
    id = db.insert(table_of(Usergroup), row)
    db.insert_many(
        table_of(UsergroupText),
        [
            {
                "usergroup_id": id,
                "lang_code": code,
                **_named("usergroup", *group.name, code),
            }
            for code in languages
        ],
    )
    db.insert_many(
        table_of(UsergroupPrivilege),
        [{"usergroup_id": id, "privilege": name} for name in group.privileges],
    )
    return id
