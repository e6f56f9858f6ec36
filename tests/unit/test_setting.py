"""Declarations of settings: how values are read, and what is wrong with them."""

from typing import Any

import pytest
from marshmallow import ValidationError

from storeapi import Setting
from storeapi.core.registry import Registry, RegistryError


def setting(**values: Any) -> Setting:
    return Setting(**{"section": "Acme", "name": "x", "label": "X", **values})


DAYS = {"mo": "Monday", "tu": "Tuesday", "we": "Wednesday"}


@pytest.mark.parametrize("letter", ["M", "N", "B"])
@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (["we", "mo"], "mo,we"),
        ("we, mo", "mo,we"),
        ("", ""),
        ([], ""),
        ("tu", "tu"),
        ({"we": "Y", "mo": "N", "tu": True}, "tu,we"),
        (["xx"], None),
        (5, None),
        ({"mo": "maybe"}, None),
        ([["mo"]], None),
    ],
)
def test_sets_are_read_as_comma_lists(letter: str, sent: Any, kept: str | None) -> None:
    declared = setting(type=letter, variants=DAYS)
    if kept is not None:
        assert declared.read(sent, DAYS) == kept
        return
    with pytest.raises(ValidationError):
        declared.read(sent, DAYS)


@pytest.mark.parametrize("letter", ["I", "T", "D", "P", "W", "F", "E", "Z"])
def test_texts_are_read_as_sent(letter: str) -> None:
    assert setting(type=letter).read(" <b>\u00e4</b> ", {}) == " <b>\u00e4</b> "
    assert setting(type=letter).read(12, {}) == "12"
    with pytest.raises(ValidationError):
        setting(type=letter).read(["x"], {})


@pytest.mark.parametrize("letter", ["S", "R"])
def test_choices_are_one_of_the_variants(letter: str) -> None:
    declared = setting(type=letter, variants=DAYS, default="mo")
    assert declared.faults() == []
    assert declared.read("we", DAYS) == "we"
    for sent in ("fr", "", ["we"], None):
        with pytest.raises(ValidationError):
            declared.read(sent, DAYS)


@pytest.mark.parametrize("letter", ["O", "H"])
@pytest.mark.parametrize("sent", ["x", None, ""])
def test_headers_and_infos_take_nothing(letter: str, sent: Any) -> None:
    with pytest.raises(ValidationError):
        setting(type=letter).read(sent, {})


@pytest.mark.parametrize(
    ("declared", "fault"),
    [
        (setting(name="X y"), "has the name 'X y'"),
        (setting(section=""), "has no section"),
        (setting(tab=""), "has no tab"),
        (setting(type="Q"), "has the type 'Q'"),
        (setting(edition="ROOT,ALL"), "has the edition 'ROOT,ALL'"),
        (setting(variants={"a": "A"}), "has variants that its type does not take"),
        (setting(type="S"), "has no variants to choose from"),
        (setting(type="M", variants={"a,b": "A"}), "has a variant with a comma"),
        (setting(type="C", default="maybe"), "has the default 'maybe'"),
        (setting(environment="nosuch"), "is called 'nosuch' in no environment"),
        (setting(parent="nosuch"), "names nosuch, which is unknown"),
    ],
)
def test_declarations_are_checked_at_start(declared: Setting, fault: str) -> None:
    registry = Registry()

    def register() -> None:
        registry.add_settings([declared], "acme")
        registry.link()

    with pytest.raises(RegistryError, match=r"^setting ") as caught:
        register()
    assert fault in str(caught.value)
