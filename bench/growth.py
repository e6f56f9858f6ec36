"""How latency and memory grow with the catalogue."""

import http.client
import json
import statistics
from collections.abc import Iterator
from typing import Any

from bench.cases import requests
from bench.load import Request, latency, run
from bench.servers import authorization, resident_mb, serving
from bench.stores import DemoStore, prepared

_TIMES = 200
_LOAD_S = 5.0
_COMMON = "oak"
"""In about one product of twelve."""
_ASKED_ONCE = ("walnut", "bamboo", "steel", "brass", "marble")
"""As common; who asks for them again has lists that are followed."""


def compare(kind: str, small: int, large: int, fresh: Iterator[int]) -> None:
    """Print the latency of the same requests on both stores, and their ratio."""
    print(f"\n{kind}: milliseconds per request, one at a time")
    print(f"{'':28}{small:>12,}{large:>12,}{'grows':>8}")
    found = [_measure(prepared(kind, products), fresh) for products in (small, large)]
    for name in found[0]:
        low, high = found[0][name], found[1][name]
        if name == "memory":
            print(f"{'resident memory, MB':28}{low:12.0f}{high:12.0f}")
        else:
            print(f"{name:28}{low * 1e3:12.2f}{high * 1e3:12.2f}{high / low:8.2f}")


def compare_orders(kind: str, small: int, large: int, fresh: Iterator[int]) -> None:
    """The same for orders: two stores of as many products, and their orders."""
    print(f"\n{kind}: milliseconds per request by number of orders")
    print(f"{'':28}{small:>12,}{large:>12,}{'grows':>8}")
    stores = [prepared(kind, small, orders) for orders in (small, large)]
    found = [_measure_orders(store, fresh) for store in stores]
    for name in found[0]:
        low, high = found[0][name], found[1][name]
        print(f"{name:28}{low * 1e3:12.2f}{high * 1e3:12.2f}{high / low:8.2f}")


def _measure_orders(store: DemoStore, fresh: Iterator[int]) -> dict[str, float]:
    base, who = "/api/2.0/orders", authorization(store)
    with serving(store, ("storeapi",)) as servers:
        port, _ = servers["storeapi"]
        order = _get(port, store, f"{base}/{store.subject.sale.order}")[0]
        paths = {
            "get order": f"{base}/{order['order_id']}",
            "first page": base,
            "list 100": f"{base}?items_per_page=100",
            "filter company": f"{base}?company_id=2",
            "filter status": f"{base}?status=O",
            "filter user": f"{base}?user_id={order['user_id']}",
            "filter e-mail": f"{base}?email={order['email']}",
            "filter invoice": f"{base}?invoice_id={order['invoice_id']}",
        }
        found = {
            name: latency(port, Request("GET", path, who), _TIMES, fresh)
            for name, path in paths.items()
        }
        cases = requests(who, store.subject)
        for name in ("post order", "put status"):
            found[name] = latency(port, cases[name], _TIMES, fresh)
    return found


def _measure(store: DemoStore, fresh: Iterator[int]) -> dict[str, float]:
    with serving(store, ("storeapi",)) as servers:
        port, pid = servers["storeapi"]
        found = {}
        for name, path in _paths(port, store).items():
            request = Request("GET", path, authorization(store))
            found[name] = latency(port, request, _TIMES, fresh)
        found["a common word, first"] = statistics.median(
            _first(port, store, word, fresh) for word in _ASKED_ONCE
        )
        for path in ("/api/2.0/products?items_per_page=100", "/api/2.0/products"):
            run(port, Request("GET", path, authorization(store)), _LOAD_S, fresh)
        found["memory"] = resident_mb(pid)
    return found


def _first(port: int, store: DemoStore, word: str, fresh: Iterator[int]) -> float:
    path = f"/api/2.0/products?q={word}"
    return latency(port, Request("GET", path, authorization(store)), 1, fresh)


def _paths(port: int, store: DemoStore) -> dict[str, str]:
    base = "/api/2.0/products"
    product = _get(port, store, f"{base}/{store.subject.product}")[0]
    category = store.subject.category
    path = _get(port, store, f"/api/2.0/categories/{category}")[0]["id_path"]
    number = product["product_code"].rpartition("-")[2]
    paths = {
        "first page": base,
        "filter company": f"{base}?company_id=1",
        "filter status": f"{base}?status=D",
        "filter category": f"{base}?cid={category}",
        "category subtree": f"{base}?cid={path.split('/')[0]}&subcats=Y",
        "filter code": f"{base}?code={product['product_code']}",
        "search a rare word": f"{base}?q={number}",
        "search a common word": f"{base}?q={_COMMON}",
    }
    for sort in ("product", "updated_timestamp"):
        start = f"{base}?sort_by={sort}&cursor=*&items_per_page=1000"
        cursor = ""
        for _ in range(5):
            cursor = _get(port, store, start)[1]
            start = f"{base}?sort_by={sort}&cursor={cursor}&items_per_page=1000"
        paths[f"cursor by {sort}"] = f"{base}?sort_by={sort}&cursor={cursor}"
    return paths


def _get(port: int, store: DemoStore, path: str) -> tuple[Any, str]:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    link.request("GET", path, headers={"Authorization": authorization(store)})
    answer = link.getresponse()
    body = json.loads(answer.read())
    link.close()
    return body, answer.headers.get("X-Next-Cursor") or ""
