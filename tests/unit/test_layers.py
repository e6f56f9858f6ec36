"""Imports point one way: app, entities, rules, models; the core knows none of them."""

import ast
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import storeapi

ROOT = Path(storeapi.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
ROOMS = ("core", "models", "rules", "entities")
MAY_IMPORT = {
    "core": {"core"},
    "models": {"models"},
    "rules": {"core", "models", "rules"},
    "entities": {"core", "models", "rules", "entities"},
}
FLASK = {"core/front.py", "core/answers.py", "core/call.py", "models/base.py"}
ENTITIES = {entry.name for entry in entry_points(group="storeapi.entities")}


def _imports(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "imports are absolute"
            yield node.module


@pytest.mark.parametrize("module", MODULES, ids=lambda m: str(m.relative_to(ROOT)))
def test_imports_point_one_way(module: Path) -> None:
    place = module.relative_to(ROOT)
    room = place.parts[0] if place.parts[0] in ROOMS else None
    for name in _imports(module):
        parts = name.split(".")
        if parts[0] in ("flask", "werkzeug") and name != "werkzeug.security":
            assert str(place) in FLASK or room is None
        if room is None or parts[0] != "storeapi" or len(parts) < 2:
            continue
        assert parts[1] in MAY_IMPORT[room], name
        if room == "entities" and parts[1] == "entities":
            own = place.parts[1].removesuffix(".py")
            # What two entities share may stand beside them, as a base of both.
            assert parts[2] == own or parts[2] not in ENTITIES, name
