"""Documents: the generated parts are fresh, and every example does what it says."""

import importlib
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from flask import Flask

from storeapi.reference import Reference
from tests.shop import Shop
from tests.variations import Mugs

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ANY = "…"
_BLOCK = re.compile(r"^```api\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# A key 1 is no store but the destination that is everywhere.
_NUMBER = re.compile(r"(?<![\d.])(?!1\":)\b\d+\b(?!\.\d)")
_LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]+)[^)]*\)")
_ADDRESSES = re.compile(r"^\| Address \| (.*) \|$", re.MULTILINE)
_RATES = re.compile(r"^```python\n(\"\"\"Rates.*?)^```$", re.DOTALL | re.MULTILINE)


class Example(NamedTuple):
    """A request and the answer that a page promises."""

    method: str
    path: str
    body: str
    status: int
    answer: str


def examples(page: Path) -> list[Example]:
    found = []
    for block in _BLOCK.findall(page.read_text("utf-8")):
        request, _, answer = block.partition("\n\n")
        line, _, body = request.partition("\n")
        method, path = line.split(" ", 1)
        status, _, text = answer.partition("\n")
        found.append(Example(method, path, body.strip(), int(status), text.strip()))
    return found


class Numbers:
    """The IDs that a page shows, and those that they have in this run."""

    def __init__(self, shop: Shop) -> None:
        self._real: dict[str, str] = {"1": str(shop.store)}

    def real(self, text: str) -> str:
        return _NUMBER.sub(lambda m: self._real.get(m[0], m[0]), text)

    def learn(self, shown: Any, real: Any) -> None:
        """Take the IDs of an answer to a POST."""
        for name, value in shown.items():
            if name.endswith("_id"):
                self._real[str(value)] = str(real[name])

    def _meet(self, shown: list[str], real: list[str]) -> None:
        """Take the one key of a map that is a number, such as that of a line."""
        if len(shown) == len(real) == 1 and shown[0].isdigit() and real[0].isdigit():
            self._real.setdefault(shown[0], real[0])

    def holds(self, shown: Any, real: Any) -> bool:
        """Whether an answer has all that is shown; it may have more fields."""
        if shown == ANY:
            return True
        if isinstance(shown, dict) and isinstance(real, dict):
            self._meet(list(shown), list(real))
            return all(
                self.real(name) in real and self.holds(value, real[self.real(name)])
                for name, value in shown.items()
            )
        if isinstance(shown, list) and isinstance(real, list):
            same = len(shown) == len(real)
            return same and all(map(self.holds, shown, real))
        return shown == real or (
            type(shown) is type(real) and self.real(str(shown)) == str(real)
        )


PAGES = sorted(page for page in DOCS.rglob("*.md") if examples(page))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_of_a_page_answer_as_it_says(shop: Shop, page: Path) -> None:
    numbers = Numbers(shop)
    for example in examples(page):
        options = (
            {"json": json.loads(numbers.real(example.body))} if example.body else {}
        )
        answer = shop.root.request(
            example.method, numbers.real(example.path), **options
        )
        told = f"{example.method} {example.path}: {answer.get_data(as_text=True)}"
        assert answer.status_code == example.status, told
        shown = json.loads(example.answer) if example.answer else None
        if example.method == "POST" and answer.status_code == 201:
            numbers.learn(shown, answer.get_json())
        assert shown is None or numbers.holds(shown, answer.get_json()), told


def test_generated_parts_are_fresh() -> None:
    assert list(Reference(ROOT).faults()) == []


@pytest.mark.parametrize(
    ("action", "status"),
    [
        ("detach_product_variation", 201),
        ("generate_product_variations", 400),
        ("set_default_product_variation", 201),
    ],
)
def test_an_action_is_at_the_addresses_that_its_page_shows(
    shop: Shop, action: str, status: int
) -> None:
    page = (DOCS / "entities" / f"{action}.md").read_text("utf-8")
    (row,) = _ADDRESSES.findall(page)
    mugs = Mugs(shop)
    for address in re.findall(r"`(.*?)`", row):
        mug = mugs.mug("green", "small")
        mugs.group(mug)

        answer = shop.root.post(address.replace("<ID>", str(mug)), {})

        assert answer.status_code == status, answer.get_data(as_text=True)


def test_links_between_documents_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CHANGES.md", *DOCS.rglob("*.md")]
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages
        for target in _LINK.findall(page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


@pytest.fixture
def rates_service() -> Iterator[str]:
    class Service(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"EUR": "1.00", "USD": "1.08"}')

        def log_message(self, *_: Any) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_entity_without_a_table_works_as_it_stands(
    shop: Shop,
    make_app: Callable[..., Flask],
    rates_service: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (source,) = _RATES.findall((DOCS / "plugins.md").read_text("utf-8"))
    (tmp_path / "acme_rates.py").write_text(source, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("ACME_RATES_URL", rates_service)
    monkeypatch.delitem(sys.modules, "acme_rates", raising=False)
    importlib.invalidate_caches()
    shop.root.client = make_app(plugins=("acme_rates:Rates",)).test_client()
    euro, dollar = (
        {"currency": "EUR", "rate": "1.00"},
        {"currency": "USD", "rate": "1.08"},
    )

    assert shop.root.get("rates").get_json() == {"rates": [euro, dollar], "params": {}}
    assert shop.root.get("rates/usd").get_json() == dollar
    assert shop.root.get("rates/xxx").status_code == 404
    assert shop.root.post("rates", {"rate": "2"}).status_code == 405

    monkeypatch.setenv("ACME_RATES_URL", "http://127.0.0.1:1/")
    assert shop.root.get("rates").status_code == 503
