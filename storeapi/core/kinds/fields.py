"""The fields of an entity: a marshmallow schema made of kinds."""

from collections.abc import Mapping
from typing import Any

from marshmallow import EXCLUDE, Schema, ValidationError, missing, pre_load

from storeapi.core.kinds.base import Kind


class Fields(Schema):
    """Kinds in the order of the declaration; unknown names are dropped.

    `load(payload)` is for POST, `load(payload, partial=True)` for PUT; both report
    every bad field at once. Made once, at start: `bind` the kinds of the object,
    because marshmallow copies them from the class.
    """

    error_messages = {"type": "must be an object"}  # noqa: RUF012  (marshmallow's way)

    class Meta:
        """Ignore unknown names (spec/protocol.md leaves them to the front)."""

        unknown = EXCLUDE

    def __init__(self) -> None:
        super().__init__()
        self.kinds: dict[str, Kind] = {}
        self.renamed: dict[str, str] = {}
        for name, kind in self.fields.items():
            if not isinstance(kind, Kind):
                raise TypeError(f"field {name} is not a kind")
            self.kinds[name] = kind
        for name, kind in self.kinds.items():
            for alias in kind.aliases:
                if alias in self.kinds or alias in self.renamed:
                    raise TypeError(f"alias {alias} of field {name} is taken")
                self.renamed[alias] = name
        hooks = {hook[0] for found in self._hooks.values() for hook in found}
        self._is_plain = hooks == {"resolve_aliases"}

    def read(self, payload: Mapping[str, Any], *, partial: bool) -> dict[str, Any]:
        """The same as `load`, quicker with many fields.

        Raises: `ValidationError` of every bad field.
        """
        if not self._is_plain:
            found: dict[str, Any] = self.load(payload, partial=partial)
            return found
        data = self.resolve_aliases(payload)
        values: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        for name, kind in self.load_fields.items():
            if name not in data and (partial or not kind.required):
                continue
            try:
                values[name] = kind.deserialize(data.get(name, missing), name, data)
            except ValidationError as error:
                errors[name] = error.messages
        if errors:
            raise ValidationError(errors, data=payload, valid_data=values)
        return values

    def unknown_names(self, payload: Mapping[str, Any]) -> list[str]:
        """List the names in a payload that no field has.

        Shapes: keys inside the value of a field are dotted: `main_pair.detailed.x`.
        Fields that are read-only are known.
        """
        found = []
        for name, value in payload.items():
            kind = self.kinds.get(self.renamed.get(name, name))
            if kind is None:
                found.append(name)
            else:
                found += [f"{name}.{key}" for key in kind.unknown_keys(value)]
        return found

    @pre_load
    def resolve_aliases(self, data: Any, **kwargs: Any) -> Any:
        """Give aliased values their field's own name, which wins if both are sent."""
        renamed = self.renamed
        if not isinstance(data, Mapping) or renamed.keys().isdisjoint(data):
            return data
        resolved = dict(data)
        for alias, name in renamed.items():
            if alias in resolved:
                resolved.setdefault(name, resolved.pop(alias))
        return resolved
