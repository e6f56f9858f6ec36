"""The parts of orders as records show them.

Stored columns are strings, computed figures are numbers, empty maps are `[]`.
Source: spec/entities/orders.md, sections 2.5 to 2.8; clients.md, section 5.2.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import orjson

from storeapi.core.kinds import decimal_number, decimal_text, money_text
from storeapi.rules.order_parts import Item, Part, Parts, Present, Shipping, Tax
from storeapi.rules.places import country_name, state_name

JsonMap = dict[str, Any]

money_number = partial(decimal_number, places=2)


def json_or_empty(text: str) -> Any:
    """A JSON value; an empty text is an empty map, which the wire shows as `[]`."""
    return orjson.loads(text) if text else []


def names_of(text: str) -> JsonMap | list[Any]:
    """A comma list as the map from each number to true; `[]` if it is empty."""
    return {name: True for name in text.split(",") if name} or []


# Lines


def chosen_options(item: Item) -> JsonMap | list[Any]:
    """What was chosen: option ID to variant ID or text."""
    chosen = json_or_empty(item.options)
    return {each["option_id"]: each["value"] for each in chosen} or []


def _extra(item: Item) -> JsonMap:
    return {
        "product_options": chosen_options(item),
        "product_options_value": json_or_empty(item.options),
        "product": item.product,
        "company_id": str(item.company_id),
        "is_edp": item.is_edp,
        "edp_shipping": item.edp_shipping,
        "unlimited_download": item.unlimited_download,
        "discount": money_number(item.discount),
        "base_price": money_number(item.base_price),
        "stored_price": "N",
    }


def item_record(
    item: Item, product: Present | None, company_id: int, image: Any
) -> JsonMap:
    """A line of an order, as a caller of a company (0: of all) sees it."""
    key = str(item.item_id)
    shared = product is not None and product.shared_product == "Y"
    own = product is not None and company_id in (0, product.company_id)
    record = {
        "item_id": key,
        "cart_id": key,
        "order_id": str(item.order_id),
        "product_id": str(item.product_id),
        "product_code": item.product_code,
        "product": item.product,
        "product_status": "" if product is None else product.status,
        "deleted_product": product is None,
        "price": money_text(item.price),
        "amount": str(item.amount),
        "base_price": money_number(item.base_price),
        "original_price": money_number(item.original_price),
        "discount": money_number(item.discount),
        "tax_value": money_number(item.tax_value),
        "subtotal": money_number(item.subtotal),
        "display_subtotal": money_number(item.display_subtotal),
        "company_id": str(item.company_id),
        "shipped_amount": item.shipped_amount,
        "shipment_amount": str(item.unshipped),
        "is_accessible": own or shared,
        "shared_product": shared,
        "extra": _extra(item),
        "main_pair": image or [],
    }
    if item.options:
        record["product_options"] = json_or_empty(item.options)
    return record


# Taxes


def tax_records(taxes: Iterable[Tax]) -> JsonMap | list[Any]:
    """The taxes by ID; those of several orders are added up."""
    found: dict[int, Tax] = {}
    for tax in taxes:
        before = found.get(tax.tax_id)
        found[tax.tax_id] = tax if before is None else _together(before, tax)
    return {str(id): _tax_record(tax) for id, tax in found.items()} or []


def _together(one: Tax, other: Tax) -> Tax:
    def joined(*lists: str) -> str:
        return ",".join(filter(None, lists))

    return one._replace(
        of_products=one.of_products + other.of_products,
        of_shipping=one.of_shipping + other.of_shipping,
        of_surcharge=one.of_surcharge + other.of_surcharge,
        items=joined(one.items, other.items),
        shippings=joined(one.shippings, other.shippings),
        payments=joined(one.payments, other.payments),
    )


def _tax_record(tax: Tax) -> JsonMap:
    amount = tax.of_products + tax.of_shipping + tax.of_surcharge
    applies: JsonMap = {
        "P": money_number(tax.of_products),
        "S": money_number(tax.of_shipping),
        "items": {"P": names_of(tax.items), "S": names_of(tax.shippings)},
    }
    if tax.of_surcharge:
        applies["PS"] = money_number(tax.of_surcharge)
        applies["items"]["PS"] = names_of(tax.payments)
    return {
        "description": tax.description,
        "rate_type": tax.rate_type,
        "rate_value": decimal_text(tax.rate_value, 3),
        "price_includes_tax": tax.price_includes_tax,
        "regnumber": tax.regnumber,
        "priority": tax.priority,
        "tax_subtotal": money_number(amount),
        "applies": applies,
    }


# Shipping


def must_ship(items: Iterable[Item]) -> bool:
    """Whether something is still to be shipped."""
    return any(item.needs_shipping and item.unshipped > 0 for item in items)


def _chosen(shipping: Shipping, key: int, name: str) -> JsonMap:
    return {
        "rate_info": [],
        **json_or_empty(shipping.record),
        "shipping_id": str(shipping.shipping_id),
        "rate": money_number(shipping.rate),
        "group_key": key,
        "group_name": name,
    }


def shipping_records(parts: Sequence[Part]) -> list[JsonMap]:
    """The chosen methods of an order, or of all orders of a parent."""
    found = []
    for part in parts:
        groups = json_or_empty(part.head.groups)
        for each in part.shippings:
            waits = must_ship(i for i in part.items if i.group_key == each.group_key)
            key = part.key + each.group_key
            record = _chosen(each, key, groups[each.group_key]["name"])
            found.append({**record, "need_shipment": waits})
    return found


# Groups


def group_records(parts: Sequence[Part]) -> list[JsonMap]:
    """The products of an order by where they come from."""
    return [
        _group(part, key, group)
        for part in parts
        for key, group in enumerate(json_or_empty(part.head.groups))
    ]


def _group(part: Part, key: int, group: Mapping[str, Any]) -> JsonMap:
    items = [item for item in part.items if item.group_key == key]
    carried = [item for item in items if item.needs_shipping]
    free = bool(carried) and all(item.free_shipping == "Y" for item in carried)
    return {
        "name": group["name"],
        "company_id": group["company_id"],
        "products": {str(item.item_id): _grouped(item) for item in items} or [],
        "package_info": _package(part, carried, group),
        "all_edp_free_shipping": not carried,
        "all_free_shipping": free,
        "free_shipping": free,
        "shipping_no_required": not carried,
        "shippings": [],
        "chosen_shippings": [
            _chosen(each, part.key + key, group["name"])
            for each in part.shippings
            if each.group_key == key
        ],
    }


def _grouped(item: Item) -> JsonMap:
    return {
        "product_id": str(item.product_id),
        "product_code": item.product_code,
        "product": item.product,
        "amount": str(item.amount),
        "price": money_text(item.price),
        "product_options": chosen_options(item),
        "extra": _extra(item),
    }


def _package(part: Part, items: Sequence[Item], group: Mapping[str, Any]) -> JsonMap:
    cost = money_number(sum(item.subtotal for item in items))
    weight = decimal_text(sum(item.weight * item.amount for item in items), 3)
    pieces = sum(item.amount for item in items)
    freight = sum(item.shipping_freight * item.amount for item in items)
    packages = []
    if items:
        amounts = {str(item.item_id): item.amount for item in items}
        packages = [
            {"products": amounts, "amount": pieces, "weight": weight, "cost": cost}
        ]
    return {
        "C": cost,
        "W": weight,
        "I": pieces,
        "shipping_freight": money_number(freight),
        "packages": packages,
        "origination": group["origination"],
        "location": _location(part),
    }


def _location(part: Part) -> JsonMap:
    head = part.head._asdict()
    location = {
        name.removeprefix("s_"): value
        for name, value in head.items()
        if name.startswith("s_")
    }
    return {
        **location,
        "country_descr": country_name(location["country"]),
        "state_descr": state_name(location["country"], location["state"]),
    }


def items_of(parts: Parts, id: int) -> list[Item]:
    """The lines of an order, or of all orders of a parent."""
    return [item for part in parts.of[id] for item in part.items]
