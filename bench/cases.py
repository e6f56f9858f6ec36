"""The requests that are measured; each is asked of the lines that can answer it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from json import dumps

from bench.load import Request
from bench.orders import Sale

MARK = 7654321
"""Stands in recorded values for what is fresh in each request."""

PAGES = {
    "get one": "products/{product}",
    "list 10": "products",
    "list 100": "products?items_per_page=100",
    "list 100 full": "products?items_per_page=100&detailed_params=Y&get_features=Y"
    "&get_additional=Y",
    "get order": "orders/{order}",
    "list 100 orders": "orders?items_per_page=100",
}
USUAL = frozenset(("get one", "list 10", "list 100", "post", "put"))
"""The cases that the usual line is written for."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is asked for.

    Shapes: `values` maps ten features to values, as they are sent.
    """

    product: int
    category: int
    values: Mapping[str, object] = field(default_factory=dict)
    sale: Sale = field(default_factory=Sale)


def requests(
    authorization: str, subject: Subject, *, prefix: str = "/api/2.0/"
) -> dict[str, Request]:
    """The cases by name, for one line; a line of its own has its own prefix."""

    def write(method: str, path: str, body: object) -> Request:
        return Request(method, prefix + path, authorization, dumps(body))

    own = f"products/{subject.product}"
    found = {
        name: Request(
            "GET",
            prefix + path.format(product=subject.product, order=subject.sale.order),
            authorization,
        )
        for name, path in PAGES.items()
    }
    found["put"] = write(
        "PUT", own, {"amount": "{n}", "short_description": "Bench {n}"}
    )
    found["put stock"] = write("PUT", own, {"amount": "{n}"})
    found["post order"] = write("POST", "orders", subject.sale.body)
    order = f"orders/{subject.sale.order}"
    found["put status"] = write("PUT", order, {"status": "{letter}"})
    found["post"] = write("POST", "products", _product(subject))
    found["post full"] = write("POST", "products", _full(subject))
    found["post option"] = write("POST", "options", _option("Size"))
    return found


def _product(subject: Subject) -> dict[str, object]:
    return {
        "product": "Bench mug {n}",
        "category_ids": [subject.category],
        "price": "18.90",
        "amount": 5,
        "product_code": "B-{n}",
    }


def _full(subject: Subject) -> dict[str, object]:
    """A product with three images, whose addresses are only stored, and values."""
    pairs = [
        {"detailed": {"http_image_path": f"https://img.example/{{n}}-{place}.jpg"}}
        for place in range(3)
    ]
    return {
        **_product(subject),
        "main_pair": pairs[0],
        "image_pairs": pairs[1:],
        "product_features": subject.values,
    }


def _option(name: str) -> dict[str, object]:
    return {
        "product_id": "{id}",
        "option_name": name,
        "option_type": "S",
        "variants": [
            {"variant_name": "small", "modifier": "0"},
            {"variant_name": "large", "modifier": "2.50"},
        ],
    }


def unit_of(found: dict[str, Request]) -> dict[str, Request]:
    """The cases as they are measured: options follow their product."""
    option = found["post option"]
    whole = {name: case for name, case in found.items() if name != "post option"}
    whole["post full"] = whole["post full"].followed_by(option, option)
    return whole
