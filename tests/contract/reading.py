"""Reading the lists and records of a world, whatever their shape."""

from typing import Any

from tests.contract.samples import OF_PRODUCTS, REGISTRY, shown_id
from tests.contract.world import World


def read(world: World, path: str) -> Any:
    """The answer to a GET by root, which succeeds."""
    answer = world.shop.root.get(path)
    assert answer.status_code == 200, (path, answer.get_data(as_text=True))
    return answer


def address(world: World, name: str, version: str) -> str:
    """The address of the widest list, to which parameters can be added."""
    query = "period=A"
    if name in OF_PRODUCTS:
        record = read(world, f"{name}/{world.objects[name, world.own]}").get_json()
        query += f"&product_id={record['product_id']}"
    return f"/api/{version}/{name}?{query}"


def body_of(answer: Any, name: str, version: str) -> Any:
    """The records of a list, in the shape that they have."""
    body = answer.get_json()
    if REGISTRY.get(name).shapes[version].startswith("bare"):
        return body
    own = REGISTRY.get(name).list_key
    return body.get(own if own in body else name, body)


def ids(answer: Any, name: str, version: str) -> list[str]:
    """The IDs of a list, in its order."""
    body, key = body_of(answer, name, version), shown_id(name)
    records = body.values() if isinstance(body, dict) else body
    return [str(record[key]) for record in records]
