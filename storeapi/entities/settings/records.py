"""Records of settings, and the filters of their list."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from storeapi import Choice, Context, Id, Integer, Params, Record, Setting, Text
from storeapi.core.filters import read_equalities, scalar
from storeapi.core.folding import folded
from storeapi.core.kinds import Kind
from storeapi.core.setting import HIDDEN
from storeapi.rules.setting_numbers import Numbers

_NUMBER = Integer()
_TEXT = Text()
FIELDS: Mapping[str, Kind] = {
    "object_id": Id(),
    "name": _TEXT,
    "section_id": Id(),
    "section_tab_id": _NUMBER,
    "type": Choice(),
    "edition_type": _TEXT,
    "position": _NUMBER,
    "is_global": Choice(),
    "handler": _TEXT,
    "parent_id": _NUMBER,
    "description": _TEXT,
    "tooltip": _TEXT,
    "object_type": Choice(),
    "value": _TEXT,
    "section_name": _TEXT,
    "section_tab_name": _TEXT,
}
"""The fields of a record, but for `variants`, and how a filter by one is read."""


def record_of(
    setting: Setting, numbers: Numbers, value: str, context: Context
) -> Record:
    """The record of a setting, but for its variants.

    Source: spec/entities/settings.md, table of fields; passwords are never shown.
    """
    section, name = setting.key
    return {
        "object_id": str(numbers.of(section, name)),
        "name": name,
        "section_id": str(numbers.section(setting)),
        "section_tab_id": str(numbers.tab(setting)),
        "type": setting.type,
        "edition_type": setting.edition,
        "position": str(setting.position),
        "is_global": "Y" if setting.is_global else "N",
        "handler": "",
        "parent_id": str(numbers.of(section, setting.parent)),
        "description": _translated(setting.label, setting.labels, context),
        "tooltip": _translated(setting.tooltip, setting.tooltips, context),
        "object_type": "O",
        "value": "" if setting.type == HIDDEN else value,
        "section_name": section,
        "section_tab_name": setting.tab,
    }


def _translated(text: str, others: Mapping[str, str], context: Context) -> str:
    """The text in the language of the request, else the default, else English."""
    known = {"en": text, **others}
    default = context.installation.languages[0]
    return known.get(context.lang_code) or known.get(default) or text


def filtered(
    records: Iterable[Record], params: Params, applied: Record
) -> list[Record]:
    """The records that meet every filter; `applied` takes those that were sent.

    Raises: `InvalidInput` naming a parameter whose value cannot be.
    """
    tests = [*_equalities(params, applied), *_searches(params, applied)]
    return [record for record in records if all(test(record) for test in tests)]


Test = Callable[[Record], bool]


def _equalities(params: Params, applied: Record) -> Iterable[Test]:
    for name, values in read_equalities(FIELDS, params, applied).items():
        yield _is_one_of(name, frozenset(map(str, values)))


def _is_one_of(name: str, wanted: frozenset[str]) -> Test:
    return lambda record: record[name] in wanted


def _searches(params: Params, applied: Record) -> Iterable[Test]:
    """`q`: a part of name or label, in any letter case (an extension)."""
    text = scalar(params, "q")
    if text is not None and text.strip():
        applied["q"] = text
        part = folded(text.strip())
        yield (
            lambda record: (
                part in record["name"] or part in folded(record["description"])
            )
        )


def in_order(records: Iterable[Record]) -> list[Record]:
    """By section, tab, position and number."""
    return sorted(records, key=_place)


def _place(record: Mapping[str, Any]) -> tuple[int, ...]:
    names = ("section_id", "section_tab_id", "position", "object_id")
    return tuple(int(record[name]) for name in names)


def sparse(records: Iterable[Record], params: Params) -> list[Record]:
    """The records with the fields that `fields` names, if it names any."""
    value = params.get("fields")
    names = value.split(",") if isinstance(value, str) else value or ()
    known = {*FIELDS, "variants"}
    wanted = {n.strip() for n in names if isinstance(n, str) and n.strip() in known}
    if not wanted:
        return list(records)
    wanted.add("object_id")
    return [{n: r[n] for n in r if n in wanted} for r in records]
