"""Which entities, settings and extensions there are, built-in and third-party alike.

Every declaration is checked at start. One that does not hold together, a clash of
names or a wrong nesting stops the start; a plug-in that cannot be imported is logged
and left out.
"""

import importlib
import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from storeapi.core import forms
from storeapi.core.access import names_of
from storeapi.core.declared import DeclaredEntity
from storeapi.core.entity import MAX_ID, Entity
from storeapi.core.extensions import Extension
from storeapi.core.setting import Setting

GROUP = "storeapi.entities"
SETTINGS_GROUP = "storeapi.settings"
EXTENSIONS_GROUP = "storeapi.extensions"
BUILT_IN = "storeapi"

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_log = logging.getLogger("storeapi.registry")
E = TypeVar("E", bound=Extension)


class RegistryError(Exception):
    """The registered entities do not fit together; the server must not start."""


@dataclass(frozen=True, slots=True)
class Registered:
    """An entity class and the distribution that it comes from."""

    entity: type[Entity]
    package: str


class Registry:
    """The entities by path name, and which may be nested under which."""

    def __init__(self) -> None:
        self._entities: dict[str, Registered] = {}
        self._replaced: dict[str, Registered] = {}
        self._children: dict[str, set[str]] = {}
        self._removed: dict[str, Registered | None] = {}
        self._settings: dict[tuple[str, str], tuple[Setting, str]] = {}
        self._extensions: dict[tuple[str, int], Extension] = {}
        self.privileges: frozenset[str] = frozenset()
        self.left_out: list[str] = []

    def __iter__(self) -> Iterator[Registered]:
        return iter(sorted(self._entities.values(), key=lambda r: r.entity.name))

    def __contains__(self, name: str) -> bool:
        return name in self._entities

    def get(self, name: str) -> type[Entity] | None:
        """The entity of a path name."""
        found = self._entities.get(name)
        return None if found is None else found.entity

    def add(self, entity: type[Entity], package: str) -> None:
        """Register an entity class.

        Raises: `RegistryError` for a bad declaration or a name that is taken.
        """
        for each in (entity, *getattr(entity, "under", {}).values()):
            _check_class(each)
        if not self._has_room(entity, package):
            return
        for each in (entity, *entity.under.values()):
            compile_declaration = getattr(each, "compile", None)
            if compile_declaration is not None:
                compile_declaration()
        self._entities[entity.name] = Registered(entity, package)

    def _has_room(self, entity: type[Entity], package: str) -> bool:
        """Tell whether a class takes its name, or was replaced already.

        A name is for one class, and for one more that states to replace it, in
        whatever order they come.
        Raises: `RegistryError` for any other.
        """
        name = entity.name
        taken = self._entities.get(name)
        if taken is None:
            return True
        stands_in = taken.entity.replaces == name
        if entity.replaces == name:
            if stands_in and taken.entity is not entity:
                both = f"{taken.package} and {package}"
                raise RegistryError(f"entity {name} is replaced by both {both}")
            if not stands_in:
                self._replaced[name] = taken
            return True
        if stands_in:
            taken = self._replaced.setdefault(name, Registered(entity, package))
            if taken.entity is entity:
                return False
        raise RegistryError(
            f"entity {name} of {package} clashes with that of {taken.package};"
            f' a class that stands in for it states replaces = "{name}"'
        )

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings of the store, those of the server first."""
        return tuple(setting for setting, _ in self._settings.values())

    def add_settings(self, found: Iterable[Setting], package: str) -> None:
        """Register settings.

        Raises: `RegistryError` for a bad declaration or a name that is taken.
        """
        for setting in found:
            name = f"setting {setting.section}.{setting.name} of {package}"
            for fault in setting.faults():
                raise RegistryError(f"{name} {fault}")
            taken = self._settings.get(setting.key)
            if taken is not None:
                raise RegistryError(f"{name} clashes with that of {taken[1]}")
            self._settings[setting.key] = setting, package

    def extend(self, extension: Extension, package: str) -> None:
        """Register what a plug-in adds beside entities.

        Raises: `RegistryError` for one that is not sound, or a key that is taken.
        """
        kind, key = getattr(extension, "kind", "extension"), extension.key
        called = f"{kind} {key!r} of {package}"
        if type(key) is not int or not 0 < key <= MAX_ID:
            raise RegistryError(f"{called}: the key must be a number from 1")
        fault = extension.fault()
        if fault is not None:
            raise RegistryError(f"{called}: {fault}")
        if self._extensions.setdefault((kind, key), extension) is not extension:
            raise RegistryError(f"{called} clashes with another one")

    def extension(self, kind: type[E], key: int) -> E | None:
        """The extension of a kind that has a key, if there is one."""
        found = self._extensions.get((kind.kind, key))
        return found if isinstance(found, kind) else None

    def children(self, parent: str) -> frozenset[str]:
        """The names that may be nested under an entity."""
        return frozenset(self._children.get(parent, ()))

    def remove(self, names: Iterable[str]) -> None:
        """Leave entities out, by name; those that nest under them stay."""
        for name in names:
            self._removed[name] = self._entities.pop(name, None)
            if self._removed[name] is None:
                _log.warning("there is no entity %r to be switched off", name)

    def link(self, extra_privileges: Iterable[str] = ()) -> None:
        """Work out the nestings and the privilege names.

        A group keeps privileges for an entity that is switched off.
        Raises: `RegistryError` for a parent or child that does not exist.
        """
        for setting in self.settings:
            above = setting.section, setting.parent
            if setting.parent and above not in self._settings:
                name = f"setting {setting.section}.{setting.name}"
                raise RegistryError(f"{name} names {setting.parent}, which is unknown")
        self._children = {name: set() for name in self._entities}
        for name, registered in self._entities.items():
            entity = registered.entity
            for parent in entity.parents:
                self._nest(parent, name, named_by=name)
            for child in entity.child_entities:
                self._nest(name, child, named_by=name)
        self.privileges = frozenset(extra_privileges) | {
            privilege
            for registered in (*self._entities.values(), *self._removed.values())
            if registered is not None
            for entity in (registered.entity, *registered.entity.under.values())
            for needed in entity.privileges.values()
            for privilege in names_of(needed)
        }

    def _nest(self, parent: str, child: str, *, named_by: str) -> None:
        missing = child if parent == named_by else parent
        if missing not in self._entities:
            # A built-in may name entities that come later, anybody's parent may be
            # switched off.
            built_in = self._entities[named_by].package == BUILT_IN
            if built_in or missing in self._removed:
                return
            raise RegistryError(f"entity {named_by} names {missing}, which is unknown")
        self._children[parent].add(child)
        above, below = self._entities[parent].entity, self._entities[child].entity
        below = below.under.get(parent, below)
        if issubclass(below, DeclaredEntity):
            below.check_parent(above)


def _settings_of(found: Any) -> tuple[Setting, ...]:
    """What an entry point or import path names, if that is settings."""
    listed = found if isinstance(found, tuple | list) else (found,)
    if listed and all(isinstance(each, Setting) for each in listed):
        return tuple(listed)
    return ()


def _check_class(entity: Any) -> None:
    if not (isinstance(entity, type) and issubclass(entity, Entity)):
        raise RegistryError(f"{entity!r} is no entity class")
    name = getattr(entity, "name", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RegistryError(f"{entity.__qualname__} has no path name in lower case")
    fault = next(forms.faults(entity), None)
    if fault is not None:
        raise RegistryError(f"entity {name}: {fault}")


def discover(plugins: Iterable[str]) -> Iterator[tuple[Any, str, str]]:
    """Find entities, settings and extensions: by entry point, others by path.

    Yields a loader, the package it comes from, and what to call it in a message.
    """
    groups = (GROUP, SETTINGS_GROUP, EXTENSIONS_GROUP)
    found = sorted(
        (entry for group in groups for entry in entry_points(group=group)),
        key=lambda e: (_package(e) != BUILT_IN, e.name),
    )
    for entry in found:
        yield entry.load, _package(entry), entry.value
    for path in plugins:
        yield _loader(path), path.partition(":")[0].partition(".")[0], path


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "?"


def _loader(path: str) -> Any:
    def load() -> Any:
        module, colon, name = path.partition(":")
        if not colon:
            module, _, name = path.rpartition(".")
        if not (module and name):
            raise ImportError(f"{path!r} is not like package.module:Name")
        return getattr(importlib.import_module(module), name)

    return load


def _reason(error: BaseException) -> str:
    ends = isinstance(error, SystemExit)
    return f"it ends the program ({error})" if ends else str(error)


def load_registry(
    plugins: Iterable[str], disabled: Iterable[str], extra_privileges: Iterable[str]
) -> Registry:
    """Register every entity, setting and extension that is found, and link them."""
    registry = Registry()
    for load, package, called in discover(plugins):
        try:
            found = load()
        except (Exception, SystemExit) as error:  # whatever others' modules may do
            if package == BUILT_IN:
                raise
            fault = f"{called} of {package} left out: {_reason(error)}"
            registry.left_out.append(fault)
            _log.exception("plug-in %s", fault)
            continue
        if settings := _settings_of(found):
            registry.add_settings(settings, package)
        elif isinstance(found, Extension):
            registry.extend(found, package)
        elif isinstance(found, type):
            registry.add(found, package)
        else:
            kind = type(found).__name__
            raise RegistryError(f"{called} is no entity class: it is a {kind}")
    registry.remove(disabled)
    registry.link(extra_privileges)
    return registry
