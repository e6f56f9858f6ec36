"""The requests that are measured; each is asked of every line."""

from bench.load import Request

NAME_MARK = 7654321
AMOUNT_MARK = 1234567

PAGES = {
    "get one": "products/{id}",
    "page 10": "products",
    "page 100": "products?items_per_page=100",
    "page 100 full": "products?items_per_page=100&detailed_params=Y&get_features=Y",
}
POST_BODY = (
    '{"product": "Bench mug {n}", "category_ids": [%d], "price": "18.90",'
    ' "amount": 5, "product_code": "B-{n}"}'
)


def requests(
    authorization: str, *, product: int, category: int, prefix: str = "/api/2.0/"
) -> dict[str, Request]:
    """The cases by name, for one line; a line of its own has its own prefix."""
    found = {
        name: Request("GET", prefix + path.replace("{id}", str(product)), authorization)
        for name, path in PAGES.items()
    }
    found["post"] = Request(
        "POST", f"{prefix}products", authorization, POST_BODY % category
    )
    found["put"] = Request(
        "PUT",
        f"{prefix}products/{product}",
        authorization,
        '{"amount": "{n}"}',
    )
    return found
