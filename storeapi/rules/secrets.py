"""Settings that hold secrets: accounts of carriers, keys of payment processors.

Source: spec/entities/payments.md, rule 4; spec/entities/shippings.md, rule 5.3.2.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from storeapi.core.errors import InvalidInput
from storeapi.core.kinds import JsonSchema, Kind, Writer, invalid
from storeapi.rules.blocks import in_texts

MASK = "***"
"""What stands for a value that the caller may not see, or does not change."""


SECRET_COLUMNS = frozenset({"processor_params", "service_params"})


def without_secrets(values: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a row, for those who are told of a write."""
    return {n: MASK if n in SECRET_COLUMNS and v else v for n, v in values.items()}


def masked(value: Any) -> Any:
    """The same settings with every value hidden."""
    if isinstance(value, dict):
        return {name: masked(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [masked(inner) for inner in value]
    return MASK


def unmasked(sent: str, stored: str, field: str) -> str:
    """The settings after a write, as JSON: a masked value keeps the stored one.

    Raises: `InvalidInput` for a masked value where none is stored.
    """
    if MASK not in sent:
        return sent
    before = orjson.loads(stored) if stored else {}
    return orjson.dumps(_filled(orjson.loads(sent), before, field)).decode()


def _filled(sent: Any, stored: Any, path: str) -> Any:
    if isinstance(sent, dict):
        inner = stored if isinstance(stored, dict) else {}
        return {n: _filled(v, inner.get(n), f"{path}.{n}") for n, v in sent.items()}
    if isinstance(sent, list):
        listed = stored if isinstance(stored, list) else []
        padded = [*listed, *[None] * len(sent)]
        return [_filled(v, padded[i], f"{path}.{i}") for i, v in enumerate(sent)]
    if sent != MASK:
        return sent
    if not isinstance(stored, str):
        raise InvalidInput.of(path, "has no stored value to keep")
    return stored


class SecretMap(Kind):
    """Settings as a map, stored as JSON; in full records only, else an empty text."""

    def parse(self, value: Any) -> str:
        """Read a map; an empty array is PHP's empty map."""
        if value in ("", [], {}):
            return ""
        if not isinstance(value, dict):
            raise invalid("must be an object")
        return orjson.dumps(in_texts(value)).decode()

    def null(self) -> str:
        """Null is no settings."""
        return ""

    def conversion(self, *, full: bool) -> Writer | None:
        """Write the map."""
        return _shown if full else _hidden

    def record_schema(self) -> JsonSchema:
        """Describe the map, or the empty text."""
        return {"type": ["object", "string"]}

    def payload_schema(self) -> JsonSchema:
        """Describe what is taken."""
        return {"type": ["object", "array", "string"]}


def _shown(stored: str) -> Any:
    return orjson.loads(stored) if stored else ""


def _hidden(_stored: str) -> str:
    return ""
