"""Every reference that rows make to others, by foreign keys and by numbers in texts.

A column that looks like a reference is one of these, or is said to be none, so that
a new one is judged the day it appears.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import Column, Table

from storeapi.models import Model
from tests.shop import SKIPPED, Shop

Row = dict[str, Any]
Rows = dict[str, dict[tuple[Any, ...], Row]]
Target = tuple[str, int]


class Reference(NamedTuple):
    """A row, by table and key, that names a row of another table by its number."""

    table: str
    key: tuple[Any, ...]
    column: str
    target: str
    number: int


def _number(target: str) -> Callable[[str, Row], Iterator[Target]]:
    """A number, 0 for none."""

    def found(column: str, row: Row) -> Iterator[Target]:
        if row[column]:
            yield target, row[column]

    return found


def _listed(target: str) -> Callable[[str, Row], Iterator[Target]]:
    """Numbers in a text, with anything between them, 0 for none."""

    def found(column: str, row: Row) -> Iterator[Target]:
        for number in re.findall(r"\d+", row[column] or ""):
            if int(number):
                yield target, int(number)

    return found


def _choice(column: str, row: Row) -> Iterator[Target]:
    """Options with their variants, -1 and -2 for any and none (`44_118:45_-1`)."""
    for option, variant in re.findall(r"(\d+)_(-?\d+)", row[column]):
        yield "options", int(option)
        if int(variant) > 0:
            yield "option_variants", int(variant)


def _values(column: str, row: Row) -> Iterator[Target]:
    """Features with their variants (`72:331_73:340`), of an item after its group."""
    text = row[column] or ""
    if column == "variation_sub_group_id" and text:
        group, _, text = text.partition("_")
        yield "variation_groups", int(group)
    for feature, variant in re.findall(r"(\d+):(\d+)", text):
        yield "features", int(feature)
        yield "feature_variants", int(variant)


_DISCUSSED = {"P": "products", "C": "categories", "A": "pages", "O": "orders",
              "M": "companies"}  # fmt: skip
_PICTURED = {
    "product": "products", "category": "categories", "blog": "pages",
    "payment": "payments", "shipping": "shippings", "product_option": "combinations",
    "variant_image": "option_variants", "feature_variant": "feature_variants",
}  # fmt: skip


def _discussed(column: str, row: Row) -> Iterator[Target]:
    """What a discussion is about; a store is number 0 there."""
    if row["object_type"] != "E":
        yield _DISCUSSED[row["object_type"]], row[column]


def _pictured(column: str, row: Row) -> Iterator[Target]:
    """What a pair of images shows."""
    yield _PICTURED[row["object_type"]], row[column]


def _of_account(column: str, row: Row) -> Iterator[Target]:
    """The user that a cart belongs to; a guest has a number of no user."""
    if row["user_type"] == "R":
        yield "users", row[column]


_GROUPS = _listed("usergroups")
_TAXES = _listed("taxes")
NAMED: dict[str, Callable[[str, Row], Iterator[Target]]] = {
    "carts.user_id": _of_account,
    "categories.id_path": _listed("categories"),
    "categories.usergroup_ids": _GROUPS,
    "category_texts.company_id": _number("companies"),
    "category_texts.parent_id": _number("categories"),
    "combinations.choice": _choice,
    "companies.categories": _listed("categories"),
    "companies.shippings": _listed("shippings"),
    "discussion_posts.object_id": _discussed,
    "discussion_threads.object_id": _discussed,
    "exceptions.choice": _choice,
    "image_pairs.object_id": _pictured,
    "object_counts.company_id": _number("companies"),
    "pages.id_path": _listed("pages"),
    "pages.usergroup_ids": _GROUPS,
    "payments.tax_ids": _TAXES,
    "payments.usergroup_ids": _GROUPS,
    "product_categories.first_id": _number("categories"),
    "product_feature_values.slot": _number("feature_variants"),
    "product_prices.usergroup_id": _number("usergroups"),
    "product_texts.company_id": _number("companies"),
    "products.tax_ids": _TAXES,
    "products.usergroup_ids": _GROUPS,
    "products.variation_key": _values,
    "products.variation_sub_group_id": _values,
    "shippings.tax_ids": _TAXES,
    "shippings.usergroup_ids": _GROUPS,
}
"""Columns that are no foreign keys, and what their values name."""

HISTORY = frozenset(
    {
        "cart_lines.item_id", "login_keys.caller_id", "notifications.company_id",
        "order_items.company_id", "order_items.item_id", "order_items.product_id",
        "order_items.tax_ids", "order_shippings.shipping_id",
        "order_shippings.tax_ids", "order_status_changes.user_id",
        "order_taxes.tax_id", "orders.credit_memo_id", "orders.invoice_id",
        "orders.issuer_id", "orders.payment_id", "orders.profile_id",
        "orders.user_id", "shipment_items.item_id", "shipments.shipping_id",
        "shipments.user_id",
    }
)  # fmt: skip
"""Columns that say what was: the order stays when that goes."""

ELSEWHERE = frozenset(
    {
        "categories.external_id", "payments.processor_id",
        "shipping_rates.destination_id",
        "shippings.service_id", "tax_rates.destination_id",
    }
)  # fmt: skip
"""Columns that name what is in no table: configuration, plug-ins, other programs."""


def tables() -> Iterator[Table]:
    """The tables of the server, but for those that requests may always change."""
    for table in Model.metadata.sorted_tables:
        if table.name not in SKIPPED:
            yield table


def unjudged() -> list[str]:
    """The columns that look like references, of which nothing is said."""
    return [
        str(column)
        for table in tables()
        for column in table.columns
        if re.search(r"_ids?$|^choice$|^id_path$", column.name)
        and not (column.foreign_keys or _is_number_of(table, column))
        and str(column) not in {*NAMED, *HISTORY, *ELSEWHERE}
    ]


def _is_number_of(table: Table, column: Column[Any]) -> bool:
    return column is table.autoincrement_column


def rows_of(shop: Shop) -> Rows:
    """All rows of all tables, by table and key."""
    stored = shop.everything()
    found: Rows = {}
    for table in tables():
        keys = [column.name for column in table.primary_key.columns]
        names = table.columns.keys()
        rows = [dict(zip(names, row, strict=True)) for row in stored[table.name]]
        found[table.name] = {tuple(row[name] for name in keys): row for row in rows}
    return found


def references(rows: Rows) -> Iterator[Reference]:
    """Every reference of every row."""
    for table in tables():
        named = _named_by(table)
        for key, row in rows[table.name].items():
            for column, targets in named:
                for target, number in targets(column, row):
                    yield Reference(table.name, key, column, target, number)


def _named_by(table: Table) -> list[tuple[str, Callable[[str, Row], Iterable[Target]]]]:
    found = [
        (column.name, _number(key.column.table.name))
        for column in table.columns
        for key in column.foreign_keys
    ]
    texts = [column for column in table.columns if str(column) in NAMED]
    return [*found, *[(column.name, NAMED[str(column)]) for column in texts]]


def dangling(rows: Rows) -> list[Reference]:
    """The references to what is not there."""
    return [
        each for each in references(rows) if (each.number,) not in rows[each.target]
    ]


def files(shop: Shop, rows: Rows) -> tuple[set[str], set[str]]:
    """The image files that rows name, and those that are in the media folder."""
    named = {row["path"] for row in rows["images"].values() if row["path"]}
    folder = shop.settings.media_folder
    found = (each for each in folder.rglob("*") if each.is_file())
    return named, {each.relative_to(folder).as_posix() for each in found}
