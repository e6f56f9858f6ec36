"""What a setting of the store is: declared in code, its value kept in the database."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from marshmallow import ValidationError

from storeapi.core.kinds import Code, Flag, Kind, Text, invalid, text_of

if TYPE_CHECKING:
    from config.settings import Settings
    from storeapi.core.database import Connection

Variants = Mapping[str, str]
SETS = "MNB"
CHOICES = "SR"
UNSETTABLE = "OH"
HIDDEN = "P"
_LINE = Text(maxlength=255)
_KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        **dict.fromkeys("IPWFEZ", _LINE),
        **dict.fromkeys("TD", Text()),
        "C": Flag(),
        "X": Code(upper=True, blank=True),
    }
)
_TYPES = frozenset({*_KINDS, *SETS, *CHOICES, *UNSETTABLE})
_NAME = re.compile(r"[a-z][a-z0-9_]{0,127}")
_OWNERS = {"VENDOR": "SV", "ULT:VENDOR": "S", "MVE:VENDOR": "V"}
_EDITIONS = {*_OWNERS, "ROOT", "PRO:ROOT", "ULT:ROOT", "MVE:ROOT"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting: what it is called, where it stands, and which values it takes.

    Shapes: `type` is one letter of spec/entities/settings.md; `variants` maps the
    allowed values of a choice or set to their labels, or is a function that reads
    them; `labels` and `tooltips` are translations by language code; `edition` names
    who may set it, as the wire does; `parent` is the name of another setting in the
    section. `kind` reads a value more strictly than its type does. `environment` is
    the field of the server's own settings that holds the default instead of
    `default`; `column` that of a company which holds the value of a store.
    """

    section: str
    name: str
    label: str
    type: str = "I"
    default: str = ""
    variants: "Variants | Callable[[Connection], Variants]" = field(
        default_factory=dict
    )
    tab: str = "main"
    tooltip: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    tooltips: Mapping[str, str] = field(default_factory=dict)
    edition: str = "ROOT"
    position: int = 0
    is_global: bool = False
    parent: str = ""
    kind: Kind | None = None
    environment: str = ""
    column: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What identifies a setting: a name is unique in its section."""
        return self.section, self.name

    def fallback(self, environment: "Settings") -> str:
        """The value where none is stored."""
        if self.environment:
            return str(getattr(environment, self.environment))
        return self.default

    def may_have_own(self, company_kind: str) -> bool:
        """Whether companies of a kind (`S`, `V`) may have values of their own."""
        parts = self.edition.split(",")
        return any(company_kind in _OWNERS.get(part, "") for part in parts)

    def read(self, value: Any, variants: Variants) -> str:
        """Read a value from JSON into the text that is stored.

        Raises: `ValidationError`.
        Source: spec/entities/settings.md, table of types.
        """
        if self.type in UNSETTABLE:
            raise invalid(f"of the setting {self.name} cannot be set")
        if self.type in SETS:
            return ",".join(_chosen(value, variants))
        if self.type in CHOICES:
            text = text_of(value)
            if text not in variants:
                raise invalid(f"must be one of {', '.join(variants)[:200]}", "unknown")
            return text
        kind = self.kind or _KINDS[self.type]
        parsed = kind.parse(value)
        write = kind.conversion(full=True)
        return str(parsed if write is None else write(parsed))

    def faults(self) -> list[str]:
        """What does not hold together in the declaration."""
        fixed = self.variants if isinstance(self.variants, Mapping) else None
        chooses = self.type in {*CHOICES, *SETS}
        found = {
            f"has the name {self.name!r}": not _NAME.fullmatch(self.name),
            "has no section": not 0 < len(self.section) <= 64,
            "has no tab": not 0 < len(self.tab) <= 64,
            f"has the type {self.type!r}": self.type not in _TYPES,
            f"has the edition {self.edition!r}": not _EDITIONS.issuperset(
                self.edition.split(",")
            ),
            "has variants that its type does not take": bool(fixed) and not chooses,
            "has no variants to choose from": chooses
            and fixed is not None
            and not fixed,
            "has a variant with a comma": self.type in SETS
            and any("," in key for key in fixed or ()),
            f"has the default {self.default!r}": not self._takes_default(fixed),
            f"is called {self.environment!r} in no environment": bool(self.environment)
            and self.environment not in _environment(),
        }
        return [text for text, wrong in found.items() if wrong]

    def _takes_default(self, fixed: Variants | None) -> bool:
        if self.type in UNSETTABLE or self.environment or fixed is None:
            return self.default == "" or fixed is None
        if self.type not in _TYPES:
            return True
        try:
            return self.read(self.default, fixed) == self.default
        except ValidationError:
            return False


def _environment() -> set[str]:
    from config.settings import Settings

    return {each.name for each in fields(Settings)}


def _chosen(value: Any, variants: Variants) -> list[str]:
    """The keys of a set, in the order of the variants.

    Shapes: an array of keys, a comma list, or an object from key to `Y`.
    """
    if isinstance(value, str):
        value = value.split(",") if value else []
    if isinstance(value, dict):
        flag = Flag()
        value = [key for key, flagged in value.items() if flag.parse(flagged) == "Y"]
    if not isinstance(value, list):
        raise invalid("must be a list of keys")
    keys = {text_of(key).strip() for key in value}
    unknown = sorted(keys - variants.keys())
    if unknown:
        raise invalid(f"holds unknown keys: {', '.join(unknown)[:100]}", "unknown")
    return [key for key in variants if key in keys]
