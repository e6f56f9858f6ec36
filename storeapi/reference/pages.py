"""The generated parts of all documents, and whether the files hold them."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from config.settings import descriptions
from storeapi.core.access import names_of
from storeapi.core.entity import OPERATIONS
from storeapi.core.registry import BUILT_IN, Registry, load_registry
from storeapi.reference import entity as entity_page
from storeapi.reference.blocks import code, is_generated, table, with_block
from storeapi.rules.callers import KNOWN_PRIVILEGES


class Reference:
    """The documents of a checkout: `README.md` and the folder `docs`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        # As installed, whatever the environment of this run says.
        self._registry = load_registry((), (), KNOWN_PRIVILEGES)
        self._own = [r.entity for r in self._registry if r.package == BUILT_IN]

    def write(self) -> list[Path]:
        """Bring all documents up to date; returns those that changed."""
        changed = []
        for file, text in self._wanted().items():
            if not file.exists() or file.read_text("utf-8") != text:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, "utf-8")
                changed.append(file)
        for file in self._left_over():
            file.unlink()
            changed.append(file)
        return changed

    def faults(self) -> Iterator[str]:
        """Name what is stale or missing."""
        for file, text in self._wanted().items():
            place = file.relative_to(self._root)
            if not file.exists():
                yield f"{place} is missing"
            elif file.read_text("utf-8") != text:
                yield f"{place} is stale"
        for file in self._left_over():
            yield f"{file.relative_to(self._root)} is about an entity that is gone"
        for file, names in self._declared().items():
            held = file.read_text("utf-8") if file.exists() else ""
            for name in sorted(set(names)):
                if f"`{name}`" not in held:
                    yield f"{file.relative_to(self._root)} does not name `{name}`"

    def _page(self, name: str) -> Path:
        return self._root / "docs" / "entities" / f"{name}.md"

    def _wanted(self) -> dict[Path, str]:
        found = {
            self._page(entity.name): (
                f"# {entity.name}",
                entity_page.block(entity, self._registry),
            )
            for entity in self._own
        }
        found[self._page("README")] = ("# Entities", self._entities(""))
        docs = self._root / "docs"
        found[docs / "settings.md"] = ("# Settings", settings_table())
        found[docs / "privileges.md"] = ("# Privileges", privileges(self._registry))
        readme = self._root / "README.md"
        found[readme] = ("# storeapi", self._entities("docs/entities/"))
        return {
            file: with_block(self._held(file, title), block)
            for file, (title, block) in found.items()
        }

    def _held(self, file: Path, title: str) -> str:
        return file.read_text("utf-8") if file.exists() else title

    def _left_over(self) -> list[Path]:
        known = {f"{entity.name}.md" for entity in self._own} | {"README.md"}
        pages = sorted((self._root / "docs" / "entities").glob("*.md"))
        return [
            page
            for page in pages
            if page.name not in known and is_generated(page.read_text("utf-8"))
        ]

    def _declared(self) -> Mapping[Path, list[str]]:
        found = {
            self._page(entity.name): list(entity_page.names(entity))
            for entity in self._own
        }
        docs = self._root / "docs"
        found[docs / "settings.md"] = [each.variable for each in descriptions()]
        found[docs / "privileges.md"] = sorted(self._registry.privileges)
        return found

    def _entities(self, folder: str) -> str:
        rows = [
            (
                f"[{entity.name}]({folder}{entity.name}.md)",
                entity_page.summary(entity),
                code(*sorted(p for p in entity.parents if p in self._registry)),
            )
            for entity in self._own
        ]
        return table(("Entity", "Holds", "Also under"), rows)


def settings_table() -> str:
    """Write one line for each setting."""
    rows = [
        (
            f"`{each.variable}`",
            each.type,
            f"`{each.default}`" if each.default else "none",
            each.unit,
            each.meaning,
        )
        for each in descriptions()
    ]
    return table(("Variable", "Type", "Default", "Unit", "Meaning"), rows)


def privileges(registry: Registry) -> str:
    """Write what each privilege opens."""
    uses: dict[str, list[str]] = {name: [] for name in registry.privileges}
    for registered in registry:
        entity = registered.entity
        if registered.package != BUILT_IN:
            continue
        for operation in OPERATIONS:
            for name in names_of(entity.privileges.get(operation, False)):
                uses[name].append(f"{entity_page.METHODS[operation]} {entity.name}")
    rows = [
        (f"`{name}`", ", ".join(uses[name]) or KNOWN_PRIVILEGES[name])
        for name in sorted(uses)
    ]
    return table(("Privilege", "Opens"), rows)
