"""Which entities may be registered, and what stops the start."""

import logging

import pytest

from storeapi import Entity, Fields, TableEntity, Text
from storeapi.core import registry as module
from storeapi.core.declaration import DeclarationError
from storeapi.core.errors import MethodNotAllowed
from storeapi.core.extensions import Extension
from storeapi.core.registry import Registry, RegistryError, load_registry
from storeapi.models import Language


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
    ],
)
def test_what_is_wrong_with_an_entity_stops_the_start(changes, fault):
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


def test_a_plugin_that_fails_to_load_is_left_out(monkeypatch, caplog):
    monkeypatch.setattr(module, "entry_points", lambda group: [])
    with caplog.at_level(logging.ERROR):
        registry = load_registry(["acme_gone:Gulls"], [], [])
    assert list(registry) == []
    assert "acme_gone:Gulls" in caplog.text
