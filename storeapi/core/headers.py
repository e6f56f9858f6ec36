"""Header fields read into values: media types, preferences, entity tags.

Nothing here raises: a malformed element is left out, or can match nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address

_QUOTED = r'"(?:[^"\\]++|\\.)*+"?'
_BETWEEN = {
    separator: re.compile(rf'(?:[^"{separator}]++|{_QUOTED})++', re.DOTALL)
    for separator in ",;"
}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_WORD = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
_MEDIA_TYPE = re.compile(rf"{_WORD}/{_WORD}")
_ENTITY_TAG = re.compile(r'([Ww]/)?"([^"]*)"|([^\s",]+)')


@dataclass(frozen=True, slots=True)
class MediaType:
    """A media type (or range) in lower case, and its parameters."""

    name: str
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntityTag:
    """The validator of one representation."""

    value: str
    weak: bool = False

    def __str__(self) -> str:
        return f'W/"{self.value}"' if self.weak else f'"{self.value}"'


@dataclass(frozen=True, slots=True)
class EntityTags:
    """What `If-Match` or `If-None-Match` names: some tags, or any."""

    tags: tuple[EntityTag, ...] = ()
    any: bool = False

    def strongly(self, current: EntityTag | None) -> bool:
        """Say whether `current` is named, by strong comparison (`If-Match`).

        Shapes: `current` is `None` where no such object exists; `*` needs one.
        """
        if current is None or self.any:
            return current is not None
        return not current.weak and current in self.tags

    def weakly(self, current: EntityTag | None) -> bool:
        """Say whether `current` is named, by weak comparison (`If-None-Match`)."""
        if current is None or self.any:
            return current is not None
        return any(tag.value == current.value for tag in self.tags)


def elements(text: str, separator: str = ",") -> list[str]:
    """Split at the separator, but not inside quoted strings; leave out blanks.

    Shapes: `separator` is a comma or a semicolon.
    """
    if '"' in text:
        parts = _BETWEEN[separator].findall(text)
    else:
        parts = text.split(separator)
    return [part.strip() for part in parts if not part.isspace() and part]


def parameters(text: str) -> tuple[str, dict[str, str]]:
    """Read `value; name=value; name="value"`; the first of equal names counts."""
    first, *rest = elements(text, ";") or [""]
    if text.lstrip().startswith(";"):
        first, rest = "", [first, *rest]
    found: dict[str, str] = {}
    for part in rest:
        name, value = _pair(part)
        found.setdefault(name, value)
    return first, found


def media_type(text: str) -> MediaType | None:
    """Read a media type or a range of them; `None` where it is malformed."""
    name, found = parameters(text)
    if not _MEDIA_TYPE.fullmatch(name):
        return None
    return MediaType(name.lower(), found)


def preferences(prefer: str | None) -> dict[str, str]:
    """Read `Prefer`: the value of each preference, empty where it has none.

    Shapes: names are in lower case (`handling`, `return`); of equal names the
    first counts.
    Source: RFC 7240, section 2.
    """
    found: dict[str, str] = {}
    for element in elements(prefer or ""):
        name, value = _pair(parameters(element)[0])
        if name:
            found.setdefault(name, value)
    return found


def entity_tags(text: str | None) -> EntityTags | None:
    """Read `If-Match` or `If-None-Match`; `None` where the field is absent.

    A field that is present but names nothing gives a set that nothing matches, so
    a client that lost its tag is refused rather than left to overwrite. A tag
    without quotes is taken as a strong one.
    Source: RFC 9110, sections 8.8.3 and 13.1.
    """
    if text is None:
        return None
    if text.strip() == "*":
        return EntityTags(any=True)
    return EntityTags(
        tuple(
            EntityTag(match[2] if match[3] is None else match[3], bool(match[1]))
            for match in _ENTITY_TAG.finditer(text)
        )
    )


def _pair(text: str) -> tuple[str, str]:
    """Split `name=value`; the name in lower case, the value without quotes."""
    name, _, value = text.partition("=")
    value = value.strip()
    if value.startswith('"'):
        value = _ESCAPED.sub(r"\1", value[1:].removesuffix('"'))
    return name.strip().lower(), value


def read_address(text: str | None) -> str:
    """Read the IP address of a caller, which some proxies tell with its port.

    Shapes: empty for anything else, as a client may send to a proxy that adds none.
    """
    host = (text or "").strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        return str(ip_address(host.partition("%")[0]))
    except ValueError:
        return ""
