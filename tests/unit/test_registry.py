"""Which entities may be registered, and what stops the start."""

import logging
import re
from importlib.metadata import entry_points

import pytest

from storeapi import Entity, Fields, Flag, Integer, TableEntity, Text
from storeapi.core import registry as module
from storeapi.core.declaration import DeclarationError
from storeapi.core.errors import MethodNotAllowed
from storeapi.core.extensions import Extension
from storeapi.core.kinds import Kind
from storeapi.core.registry import Registry, RegistryError, load_registry
from storeapi.models import Category, Language


class Gulls(Entity):
    name = "gulls"
    privileges = {"index": "view_gulls"}

    def index(self, id, params):
        raise AssertionError


class Eggs(Gulls):
    name = "eggs"
    parents = ("gulls",)


def test_an_entity_says_the_operations_that_it_offers():
    Registry().add(Gulls, "tests")
    gulls = Gulls(None, None)
    for call in (
        lambda: Entity.index(gulls, None, {}),
        lambda: gulls.create({}),
        lambda: gulls.update(1, {}),
        lambda: gulls.delete(1),
    ):
        with pytest.raises(MethodNotAllowed):
            call()


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"privileges": {"index": True, "create": True}}, "['create'] not implemented"),
        ({"privileges_customer": {"delete": False}}, "['delete'] not implemented"),
        ({"privileges": {"patch": True}}, "for unknown operations ['patch']"),
        ({"name": "Gulls"}, "has no path name in lower case"),
        ({"under": {"nests": object}}, "is no entity class"),
        ({"parents": "stores"}, "parents is a text, not a list"),
        ({"child_entities": 1}, "child_entities is of type int, not a list"),
        ({"privileges": "view_gulls"}, "privileges is a text, not a map"),
        ({"privileges": {"index": 5}}, "index needs 5, which is no privilege"),
        ({"privileges": {"index": "No Word"}}, "needs 'No Word', which is no priv"),
        ({"privileges_customer": {"index": "yes"}}, "index is neither True nor False"),
        ({"replaces": "terns"}, "replaces is 'terns', which is not its own name"),
        ({"shapes": {"3.0": "map"}}, "shapes names unknown versions ['3.0']"),
        ({"shapes": {"2.0": "heap"}}, "shapes has unknown ones ['heap']"),
        ({"block_types": ("acme_map",)}, "block_types is of type tuple, not a map"),
        ({"filters": ("name",)}, "filters holds 'name', which is no filter"),
        ({"sortings": ("name",)}, "sortings holds 'name', which is no column"),
    ],
)
def test_what_is_wrong_with_an_entity_stops_the_start(changes, fault):
    """Protocol, section 15: the name is a path name in lower case, and so on."""
    with pytest.raises(RegistryError) as caught:
        Registry().add(type("Odd", (Gulls,), changes), "tests")
    assert fault in str(caught.value)


def test_a_taken_name_stops_the_start_unless_replaced():
    registry = Registry()
    registry.add(Gulls, "storeapi")
    with pytest.raises(RegistryError, match="gulls of acme clashes with that of store"):
        registry.add(type("Others", (Gulls,), {}), "acme")
    better = type("Better", (Gulls,), {"replaces": "gulls"})
    registry.add(better, "acme")
    registry.add(Gulls, "storeapi")
    assert registry.get("gulls") is better


def test_a_name_is_replaced_once_in_whatever_order():
    first = type("First", (Gulls,), {"replaces": "gulls"})
    second = type("Second", (Gulls,), {"replaces": "gulls"})
    other = type("Other", (Gulls,), {})
    for order in ([Gulls, first], [first, Gulls], [first, first, Gulls]):
        registry = Registry()
        for each in order:
            registry.add(each, "acme")
        assert registry.get("gulls") is first
        with pytest.raises(RegistryError, match="replaced by both acme and bird"):
            registry.add(second, "bird")
        with pytest.raises(RegistryError, match="gulls of bird clashes with that of a"):
            registry.add(other, "bird")


def test_parents_have_to_be_known_unless_they_are_switched_off(caplog):
    registry = Registry()
    registry.add(Eggs, "acme")
    with pytest.raises(RegistryError, match="eggs names gulls, which is unknown"):
        registry.link()
    with caplog.at_level(logging.WARNING):
        registry.remove(["gulls"])
    registry.link()
    assert "no entity 'gulls'" in caplog.text
    registry.add(Gulls, "acme")
    registry.link()
    assert registry.children("gulls") == {"eggs"}


class Buoy(Extension):
    kind = "buoy"

    def __init__(self, key):
        self.number = key

    @property
    def key(self):
        return self.number


@pytest.mark.parametrize(
    ("key", "fault"), [(0, "must be a number from 1"), ("1", "must be"), (7, "clashes")]
)
def test_an_extension_with_a_bad_key_stops_the_start(key, fault):
    registry = Registry()
    registry.extend(Buoy(7), "acme")
    with pytest.raises(RegistryError, match=fault):
        registry.extend(Buoy(key), "acme")
    with pytest.raises(TypeError, match="abstract"):
        Extension()


def test_a_declaration_that_does_not_hold_together_stops_the_start(monkeypatch):
    class Nests(TableEntity[Language]):
        name = "nests"
        model = Language
        fields = type("NestFields", (Fields,), {"twigs": Text()})

    monkeypatch.setattr(module, "discover", lambda _: [(lambda: Nests, "acme", "acme")])
    with pytest.raises(DeclarationError, match="entity nests: field twigs has no col"):
        load_registry([], [], [])


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"fields": None}, "states no fields"),
        ({"model": None}, "states no model"),
        ({"name_": Text()}, "field name_ has no column"),
        ({"name": Integer()}, "field name: Integer cannot be kept by VARCHAR"),
        ({"lang_id": Flag()}, "field lang_id: Flag cannot be kept by INTEGER"),
        ({"texts": Category}, "the key of categories must be the ID and lang_code"),
        ({"references": ("name",)}, "field name is no foreign key"),
        ({"references": ("gone",)}, "field gone has no column"),
        ({"default_sort": "gone"}, "no sort name 'gone'"),
        ({"model": object}, "states no model"),
        ({"fields": Fields()}, "states no fields"),
        ({"unique": {"gone": "name"}}, "unique: no UniqueConstraint of 'gone'"),
        ({"unique": {"lang_code": "gone"}}, "unique: no field 'gone'"),
        (
            {"parents": ("gulls",)},
            'no column gull_id holds the ID of gulls; parents = {"',
        ),
        ({"parents": {"gulls": "gone"}}, "no column gone holds the ID of gulls"),
    ],
)
def test_what_a_table_entity_says_wrongly_is_named(changes, fault):
    kinds = {n: k for n, k in changes.items() if isinstance(k, Kind)}
    said = {n: v for n, v in changes.items() if n not in kinds}
    said = {"model": Language, "fields": type("Twigs", (Fields,), kinds), **said}
    said = {n: v for n, v in said.items() if v is not None}
    registry = Registry()
    registry.add(type("Gulls", (Gulls,), {"id_key": "gull_id"}), "acme")
    nests = type("Nests", (TableEntity,), {"name": "nests", **said})

    def start():
        registry.add(nests, "acme")
        registry.link()

    with pytest.raises(DeclarationError, match=re.escape(f"entity nests: {fault}")):
        start()


def test_a_plugin_that_fails_to_load_is_left_out(monkeypatch, caplog):
    monkeypatch.setattr(module, "entry_points", lambda group: [])
    with caplog.at_level(logging.ERROR):
        registry = load_registry(["acme_gone:Gulls"], [], [])
    assert list(registry) == []
    assert "acme_gone:Gulls" in caplog.text


def test_a_plugin_that_ends_the_program_is_left_out(monkeypatch):
    def leave():
        raise SystemExit(3)

    found = [(leave, "acme", "acme:Gulls")]
    monkeypatch.setattr(module, "discover", lambda _: found)
    left_out = load_registry([], [], []).left_out
    assert left_out == ["acme:Gulls of acme left out: it ends the program (3)"]


def test_the_built_in_entities_are_found_by_entry_points():
    """Protocol, section 15.4: in the same group as those of plug-ins."""
    announced = {entry.name for entry in entry_points(group="storeapi.entities")}
    found = {registered.entity.name for registered in load_registry([], [], [])}
    assert found <= announced
    assert len(found) > 30
