"""Types and fields that strict parsers want (spec/clients.md, sections 5.1 and 6)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.reading import read
from tests.contract.world import World

pytestmark = pytest.mark.any_database  # shapes and types, which no database decides
EVERY_VERSION = pytest.mark.parametrize("version", ["1.0", "2.0"])

# Section 5.1: the typed client


def words(text: str) -> frozenset[str]:
    """The names in a text."""
    return frozenset(text.split())


STRINGS = {
    "products": words(
        "product price status avail_since details_layout edp_shipping exceptions_type"
        " free_shipping list_qty_count low_avail_limit max_qty out_of_stock_actions"
        " product_code return_period seo_name shipping_freight shipping_params"
        " timestamp unlimited_download updated_timestamp zero_price_action"
    ),
    "categories": words("category company_id status"),
    "users": words("email user_type company_id status is_root"),
    "vendors": words("company_id"),
    "blocks": words("block_id type company_id lang_code name"),
    "carts": words("user_id date ip_address cart_products total"),
    "call_requests": words("phone"),
    "discussions": words(
        "post_id thread_id object_type object_id name message rating_value timestamp"
        " status user_id ip_address type company_id"
    ),
    "langvars": words("name value"),
    "languages": words("lang_id lang_code name country_code direction"),
    "payments": words("payment a_surcharge status surcharge_title template"),
    "settings": words("name type"),
    "statuses": words("description"),
    "taxes": words("tax tax_id"),
    "shippings": words("shipping"),
}
"""Fields that have to be there, as JSON strings."""

EITHER = {
    "products": words("company_id amount length min_qty product_id qty_step list_price"
                      " weight"),
    "orders": words("order_id"),
    "payments": words("company_id"),
    "features": words("company_id"),
}  # fmt: skip
"""Fields that are a number or a string of digits."""

INTEGERS = {"products": words("main_category"), "pages": words("level")}
"""Fields that have to be JSON numbers."""

TYPED = sorted({*STRINGS, *EITHER, *INTEGERS, "usergroups"})


def seen(world: World, name: str) -> Iterator[dict[str, Any]]:
    """Every record of an entity in 2.0: those of the list, and the single ones."""
    body = read(world, f"{name}?items_per_page=1000&period=A").get_json()
    listed = body.get(name, body) if isinstance(body, dict) else body
    yield from listed.values() if isinstance(listed, dict) else listed
    for (each, _), id in world.objects.items():
        if each == name:
            yield read(world, f"{name}/{id}").get_json()


@pytest.mark.parametrize("name", TYPED)
def test_the_typed_client_reads_every_record(world: World, name: str) -> None:
    """Section 5.1: types that a strict parser wants, in lists and single records."""
    for record in seen(world, name):
        for field in STRINGS.get(name, ()):
            assert (field, type(record[field])) == (field, str)
        for field in EITHER.get(name, ()):
            assert float(record[field]) >= 0
        for field in INTEGERS.get(name, ()):
            assert (field, type(record[field])) == (field, int)
        for field in ("tax_ids", "usergroup_ids"):
            value = record.get(field, "")
            parts = value if isinstance(value, list) else value.split(",")
            assert all(part == "" or part.isdigit() for part in parts)


@pytest.mark.parametrize("name", ["orders", "users", "vendors", "categories", "pages"])
def test_what_the_typed_client_may_lack_is_no_number(world: World, name: str) -> None:
    """Section 5.1: everything else it knows of these is a string or null."""
    known = {
        "orders": "status total firstname lastname email phone timestamp notes details"
        " company user_id payment_id lang_code ip_address invoice_id discount",
        "users": "user_id firstname lastname user_login company phone timestamp",
        "vendors": "company email storefront status lang_code average_rating",
        "categories": "category_id parent_id position id_path product_count timestamp",
        "pages": "page_id page parent_id status position timestamp page_type",
    }[name]
    for record in seen(world, name):
        for field in words(known) & {*record}:
            assert record[field] is None or isinstance(record[field], str)


def test_parts_that_the_typed_client_reads_as_they_are(world: World) -> None:
    """Section 5.1, last column: arrays, empty values, and what must be left out."""
    for record in seen(world, "products"):
        assert all(type(each) is int for each in record["category_ids"])
    for record in seen(world, "categories"):
        assert record.get("main_pair", []) in (None, [])
    body = read(world, "features?items_per_page=1000").get_json()
    assert all(isinstance(r.get("variants", ""), str) for r in body["features"])
    body = read(world, "settings?items_per_page=1000").get_json()
    assert all(isinstance(r.get("variants", []), list) for r in body["settings"])
    assert all(isinstance(r["value"], str | None) for r in body["settings"])
    for record in seen(world, "carts"):
        for line in record.get("products", ()):
            texts = words("item_id item_type product_id amount price product")
            assert all(isinstance(line[field], str) for field in texts)
            assert isinstance(line["extra"], dict)
    for record in seen(world, "usergroups"):
        assert record["type"] in ("A", "C")
        assert record["status"] in ("A", "H", "D")
        assert all(isinstance(p, str) for p in record.get("privileges", ()))


# Section 6: strict readers


LISTED_FIELDS = {
    "carts": words("user_id firstname lastname date ip_address company_id"
                   " cart_products total order_id user_data"),
    "languages": words("lang_id lang_code name status country_code direction"),
    "langvars": words("name value"),
    "discussions": STRINGS["discussions"],
    "blocks": words("block_id type name properties company_id lang_code"),
    "categories": words("category_id parent_id id_path category position status"
                        " product_count company_id"),
    "payments": words(
        "payment_id company_id usergroup_ids position status template processor_id"
        " processor_params a_surcharge p_surcharge tax_ids localization"
        " payment_category payment description instructions surcharge_title lang_code"),
}  # fmt: skip
"""List records to which nothing may be added."""


@pytest.mark.parametrize("name", LISTED_FIELDS)
@EVERY_VERSION
def test_list_records_have_no_other_fields(
    world: World, version: str, name: str
) -> None:
    """Section 6: one client builds records of a fixed list, and fails on any other."""
    body = read(world, f"/api/{version}/{name}?items_per_page=1000").get_json()
    listed = body[name] if isinstance(body, dict) else body
    records = [*listed.values()] if isinstance(listed, dict) else listed
    assert records
    assert {frozenset(record) for record in records} == {LISTED_FIELDS[name]}
