"""The page of one entity, made from its declaration."""

import json
from collections.abc import Iterator, Sequence
from inspect import cleandoc

from storeapi.core.access import names_of
from storeapi.core.column_filters import AnyOf, AtLeast, AtMost, Contains, Same
from storeapi.core.declaration import Declaration
from storeapi.core.declared import DeclaredEntity
from storeapi.core.entity import OPERATIONS, Entity, Version
from storeapi.core.filters import Equal, Filter, Period, Where
from storeapi.core.kinds import Choice, Constant, Derived, Kind, Nested, Timestamp
from storeapi.core.registry import Registry
from storeapi.reference.blocks import code, table

METHODS = {"index": "GET", "create": "POST", "update": "PUT", "delete": "DELETE"}
_VERSIONS: tuple[Version, ...] = ("1.0", "2.0")
_SHAPES = {
    "map": "`{{{key}: {{<{id}>: record, …}}, {echoes}}}`",
    "array": "`{{{key}: [record, …], {echoes}}}`",
    "bare_map": "`{{<{id}>: record, …}}`",
    "bare_array": "`[record, …]`",
}


_FILTERS: tuple[tuple[type[Filter], str], ...] = (
    (AtLeast, "this value or a larger one"),
    (AtMost, "this value or a smaller one"),
    (AnyOf, "one of these IDs"),
    (Contains, "this text anywhere in theirs, in any letter case"),
    (Same, "this text, in any letter case"),
    (Period, "a time in this interval (protocol.md, section 4)"),
)


def summary(entity: type[Entity]) -> str:
    """The first sentence of an entity's docstring."""
    return cleandoc(entity.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


def block(entity: type[Entity], registry: Registry) -> str:
    """Write the generated part of an entity's page."""
    parts = [summary(entity), _facts(entity, registry), _privileges(entity)]
    if issubclass(entity, DeclaredEntity):
        declaration = entity.declaration
        parts += [_fields(declaration), _filters(declaration), _sorting(entity)]
    return "\n\n".join(part for part in parts if part)


def names(entity: type[Entity]) -> Iterator[str]:
    """Every name of the interface of an entity: a page without one is stale."""
    for needed in entity.privileges.values():
        yield from names_of(needed)
    if issubclass(entity, DeclaredEntity):
        declaration = entity.declaration
        yield from declaration.kinds
        yield from declaration.params
        yield from declaration.orders
        yield from entity.flags


def _facts(entity: type[Entity], registry: Registry) -> str:
    offered = {*entity.privileges}
    single = bool(entity.shapes) and offered != {"create"}
    above = [name for name in entity.parents if name in registry]
    rows = [("Address", code(*_addresses(entity, above, single=single)))]
    if single or entity.id_key != Entity.id_key:
        rows += [("ID in the answers to POST and PUT", code(entity.id_key))]
    if above:
        rows += [("Nested under", code(*sorted(above)))]
    below = sorted(registry.children(entity.name))
    if below:
        rows += [("Parent of", code(*below))]
    if "index" in offered and entity.shapes:
        rows += [(f"List in {v}", _shape(entity, v)) for v in _VERSIONS]
    return table(("", ""), rows)


def _addresses(
    entity: type[Entity], above: Sequence[str], *, single: bool
) -> list[str]:
    """Where an entity is found; an action is nowhere but below its parents."""
    if entity.accepts_empty and above:
        return [f"/api/2.0/{name}/<ID>/{entity.name}" for name in sorted(above)]
    path = f"/api/2.0/{entity.name}"
    return [path, f"{path}/<ID>"] if single else [path]


def _shape(entity: type[Entity], version: Version) -> str:
    id = entity.map_key or "ID"
    key = entity.list_key if version == "2.0" and entity.list_key else entity.name
    echoes = ", ".join(f"{name}: {{…}}" for name in entity.echoes.get(version, ()))
    shape = entity.shapes.get(version, "array")
    text = _SHAPES[shape].format(key=key, id=id, echoes=echoes).replace(", }", "}")
    if issubclass(entity, DeclaredEntity) and version in entity.unpaged:
        text += " with all objects, unless a page is asked for"
    return text


def _privileges(entity: type[Entity]) -> str:
    rows = [
        (METHODS[operation], privilege_text(entity, operation))
        for operation in OPERATIONS
    ]
    return "## Privileges\n\n" + table(("Method", "Who may"), rows)


def privilege_text(entity: type[Entity], operation: str) -> str:
    """Say who may do an operation."""
    needed = entity.privileges.get(operation, False)
    if isinstance(needed, bool):
        text = "every user" if needed else "nobody"
    else:
        text = " or ".join(map(code, names_of(needed)))
    if entity.privileges_customer.get(operation):
        text += "; customers and anonymous callers, where they are let in"
    if operation in entity.closed_to_companies and operation in entity.privileges:
        text += "; not callers of one company"
    return text


def _fields(declaration: Declaration) -> str:
    head = ("Field", "Kind", "JSON", "POST", "PUT", "In lists", "Notes")
    rows = [
        (
            code(name),
            type(kind).__name__,
            json_type(kind),
            "required"
            if kind.required
            else _takes(not (kind.dump_only or kind.update_only)),
            _takes(not (kind.dump_only or kind.create_only)),
            _takes(kind.listed),
            "; ".join(_notes(kind)),
        )
        for name, kind in declaration.kinds.items()
    ]
    return "## Fields\n\n" + table(head, rows)


def _takes(answer: bool) -> str:
    return "yes" if answer else "no"


def json_type(kind: Kind) -> str:
    """Name the JSON type of a field in records."""
    schema = kind.describe()
    if "const" in schema:
        return "constant"
    types = schema.get("type", "")
    if not types and "anyOf" in schema:
        types = [each.get("type", "") for each in schema["anyOf"]]
    found = [types] if isinstance(types, str) else list(types)
    return " or ".join(dict.fromkeys(name for name in found if name)) or "any"


def _notes(kind: Kind) -> Iterator[str]:
    if kind.load_only:
        yield "write-only"
    if isinstance(kind, Choice):
        schema = kind.describe()
        values = [str(each) for each in schema.get("enum") or () if each is not None]
        yield f"one of {code(*values)}" if values else f"as `{schema['pattern']}`"
    if isinstance(kind, Constant):
        yield f"always `{json.dumps(kind.value)}`"
    if isinstance(kind, Derived):
        yield "from " + code(*kind.inputs)
    yield from _limits(kind)
    if kind.internal:
        yield "not shown to customers"
    if kind.versions != _VERSIONS:
        yield f"in {' and '.join(kind.versions)} only"
    if kind.aliases:
        yield f"also taken as {code(*kind.aliases)}"
    if kind.flag:
        flag, on = kind.flag
        yield f"in lists with `{flag}`" + (" (on)" if on else "")


def _limits(kind: Kind) -> Iterator[str]:
    schema = kind.describe(payload=True)
    if schema.get("maxLength") and not kind.dump_only:
        yield f"at most {schema['maxLength']} characters"
    if kind.translated:
        yield "per language"
    plain = not isinstance(kind, Nested | Timestamp)
    writable = not (kind.dump_only or kind.required or kind.load_only)
    if plain and writable and kind.fallback not in (None, ""):
        yield f"default `{_shown(kind)}`"


def _shown(kind: Kind) -> object:
    write = kind.conversion(full=True)
    return kind.fallback if write is None else write(kind.fallback)


def _filters(declaration: Declaration) -> str:
    special = [each for each in declaration.filters if not _is_plain(each, declaration)]
    plain = [each for each in declaration.filters if _is_plain(each, declaration)]
    compared = [
        name for each in plain if isinstance(each, Equal) for name in each.params
    ]
    others = [
        name for each in plain if not isinstance(each, Equal) for name in each.params
    ]
    text = "## Filters\n"
    if special:
        rows = [(code(*each.params), filter_text(each)) for each in special]
        text += "\n" + table(("Parameter", "Finds records by"), rows) + "\n"
    if compared:
        text += "\nThe value of a field, or one of several (`status[]=A&status[]=H`): "
        text += code(*compared) + ".\n"
    if others:
        text += "\nFields that no column holds, and so cannot cut a list: "
        text += code(*others) + ".\n"
    return text.rstrip() if declaration.filters else ""


def _is_plain(each: Filter, declaration: Declaration) -> bool:
    """Whether a filter was made from a listed field, not declared by itself."""
    return each not in declaration.entity.filters


def filter_text(each: Filter) -> str:
    """Say what a filter finds: a known kind, or the first sentence that is there."""
    known = next((text for kind, text in _FILTERS if isinstance(each, kind)), None)
    if known is not None:
        return known
    own = each.make if isinstance(each, Where) else type(each)
    text = cleandoc(getattr(own, "__doc__", None) or "a rule of its own")
    return text.partition("\n\n")[0].replace("\n", " ").rstrip(".")


def _sorting(entity: type[DeclaredEntity]) -> str:
    orders = sorted(entity.declaration.orders)
    direction = "descending" if entity.default_descending else "ascending"
    text = f"## Order and flags\n\n`sort_by`: {code(*orders)}. Without it the order is"
    text += f" `{entity.default_sort}`, {direction}."
    if entity.default_descending:
        text += " Every order is descending unless `sort_order` is `asc`."
    if entity.flags:
        flags = [
            f"`{name}` ({'on' if on else 'off'})" for name, on in entity.flags.items()
        ]
        text += f" Flags, with what they are when not sent: {', '.join(flags)}."
    return text
