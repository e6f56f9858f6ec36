"""Query strings and `key=value` bodies: text to values, and values to text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import quote, unquote_to_bytes

from storeapi.core.errors import InvalidInput

Value: TypeAlias = "str | list[Value] | dict[str, Value]"
Params: TypeAlias = dict[str, Value]

MAX_DEPTH = 32
MAX_PAIRS = 50_000

_LOOSE_KEY = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_STRICT_KEY = re.compile(r"([A-Za-z0-9_-]+)((?:\[[A-Za-z0-9_-]*\])*)")
_BRACKETED = re.compile(r"\[([^\]]*)\]")
_LOOSE_DEPTH = 8


class _Branch(dict[str, "_Branch | str"]):
    """A map that is being built; `free` is the index that `[]` takes next."""

    __slots__ = ("free",)

    def __init__(self) -> None:
        super().__init__()
        self.free = 0

    def key(self, name: str) -> str:
        """Name the place meant by the inside of a pair of brackets."""
        if not name:
            name = str(self.free)
            self.free += 1
        elif name.isascii() and name.isdigit() and len(name) < 19:
            self.free = max(self.free, int(name) + 1)
        return name

    def plant(self, names: Sequence[str], value: str) -> bool:
        """Store the value; say whether it met only values of its own shape.

        The last one counts, also where a map meets a plain value.
        """
        branch, alike = self, True
        for name in names[:-1]:
            key = branch.key(name)
            inner = branch.get(key)
            if not isinstance(inner, _Branch):
                alike = alike and inner is None
                branch[key] = inner = _Branch()
            branch = inner
        key = branch.key(names[-1])
        alike = alike and not isinstance(branch.get(key), _Branch)
        branch[key] = value
        return alike

    def settle(self) -> Params:
        """Turn the tree into plain maps, lists and text."""
        return {
            key: inner if isinstance(inner, str) else inner._shape()
            for key, inner in self.items()
        }

    def _shape(self) -> Value:
        settled = self.settle()
        keys = [str(index) for index in range(len(settled))]
        if all(key in settled for key in keys):
            return [settled[key] for key in keys]
        return settled


def wsgi_text(raw: str) -> str:
    """Turn a WSGI string (a character per byte) into the text it carries.

    Bytes that are not UTF-8 become surrogate escapes, which the parsers of this
    package refuse.
    Source: PEP 3333, "Unicode Issues".
    """
    if raw.isascii():
        return raw
    try:
        return raw.encode("latin-1").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # The server has decoded it already.
        return raw


def decode(text: str) -> str:
    """Undo percent-encoding once; stray percent signs stay as they are.

    Raises: `UnicodeError` where the bytes are not UTF-8.
    """
    if text.isascii() and "%" not in text:
        return text
    return unquote_to_bytes(text.encode("utf-8", "surrogateescape")).decode("utf-8")


def parse_query(raw: str, *, max_params: int) -> Params:
    """Read a query string.

    Shapes: `raw` is text, after `wsgi_text`. `ids[]=1` and `ids[0]=1` make lists,
    other brackets maps; a name with odd brackets is taken as it is. A parameter
    without `=` is empty; one without a name is left out.
    Raises: `InvalidInput` for too many parameters, and for a name or value which
    is not UTF-8 or holds NUL (no text column on every database takes it).
    Source: spec/protocol.md, sections 5.5.4 and 5.5.5.
    """
    parts = [part for part in raw.split("&") if part]
    if len(parts) > max_params:
        raise InvalidInput(f"more than {max_params} query parameters")
    root = _Branch()
    for part in parts:
        name, value = _pair(part)
        if "\0" in name or "\0" in value:
            raise InvalidInput.of(name.replace("\0", ""), "holds a NUL character")
        if name:
            root.plant(_loose_names(name), value)
    return root.settle()


def parse_pairs(
    text: str, *, max_depth: int = MAX_DEPTH, max_pairs: int = MAX_PAIRS
) -> Params:
    """Read a body of `key=value` pairs; brackets in a key build maps and lists.

    Shapes: line ends around the whole text are not part of it. A map whose keys
    are 0, 1, 2 ... is a list.
    Raises: `InvalidInput`.
    Source: spec/protocol.md, section 7, request, rule 2.
    """
    text = text.strip("\r\n")
    if not text:
        return {}
    if text.count("&") >= max_pairs:
        raise InvalidInput(f"the body holds more than {max_pairs} properties")
    return nest(_strict_pairs(text), max_depth=max_depth)


def nest(pairs: Iterable[tuple[str, str]], *, max_depth: int = MAX_DEPTH) -> Params:
    """Build the properties that keys with brackets describe.

    Raises: `InvalidInput` for a key that is not made of letters, digits, `_`, `-`
    and paired brackets, is too deep, or is used for a value and a map at once.
    """
    root = _Branch()
    for key, value in pairs:
        match = _STRICT_KEY.fullmatch(key)
        if match is None:
            raise InvalidInput("the body has a key that is not a property name")
        names = [match[1], *_BRACKETED.findall(match[2])]
        if len(names) > max_depth:
            raise InvalidInput(f"the body nests deeper than {max_depth} levels")
        if not root.plant(names, value):
            raise InvalidInput.of(match[1], "is sent both as a value and as a map")
    return root.settle()


def emit_pairs(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Write a map or list as one line of pairs, the mirror of `parse_pairs`.

    Null and empty maps and lists leave as an empty value, so that every property
    shows; truth values leave as `true` and `false`.
    Source: spec/protocol.md, section 7, response, rule 3.
    """
    return "&".join(_emit("", value)) if value else ""


def _pair(part: str) -> tuple[str, str]:
    """Decode both sides of a pair.

    Raises: `InvalidInput` where one is not UTF-8.
    """
    name, _, value = part.replace("+", " ").partition("=")
    try:
        name = decode(name)
    except UnicodeError:
        raise InvalidInput("a name is not UTF-8 text") from None
    try:
        return name, decode(value)
    except UnicodeError:
        raise InvalidInput.of(name, "is not UTF-8 text") from None


def _strict_pairs(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split("&"):
        if "=" not in part:
            raise InvalidInput("the body is not made of key=value pairs")
        yield _pair(part)


def _loose_names(name: str) -> list[str]:
    if "[" not in name:
        return [name]
    match = _LOOSE_KEY.fullmatch(name)
    if match is None:
        return [name]
    names = [match[1], *_BRACKETED.findall(match[2])]
    return names if len(names) <= _LOOSE_DEPTH else [name]


def _emit(prefix: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        items: Iterable[tuple[Any, Any]] = value.items()
    elif isinstance(value, list | tuple) and value:
        items = enumerate(value)
    else:
        yield f"{prefix}={quote(_scalar(value), safe='')}"
        return
    for name, inner in items:
        part = quote(str(name), safe="")
        yield from _emit(f"{prefix}[{part}]" if prefix else part, inner)


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, Mapping | list | tuple):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
