"""The kinds of fields that hold image pairs, for any entity."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Context
from storeapi.core.kinds import JsonSchema, Nested, Options
from storeapi.rules import images
from storeapi.rules.image_owned import Owner
from storeapi.rules.image_saving import save
from storeapi.rules.image_sent import (
    PAIR_KEYS,
    SLOTS,
    Sent,
    parse_pair,
    parse_pairs,
)
from storeapi.rules.images import ADDITIONAL, MAIN, Kind, Media


def _texts(*names: str) -> JsonSchema:
    return {name: {"type": "string"} for name in names}


_IMAGE_SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {
        **_texts("object_id", "object_type", "type", "image_path", "alt"),
        **_texts("image_x", "image_y", "http_image_path", "https_image_path"),
        **_texts("relative_path"),
        "is_high_res": {"type": "boolean"},
    },
}
_PAIR_SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {
        **_texts("pair_id", "image_id", "detailed_id", "position"),
        **_texts("object_id", "object_type"),
        "icon": _IMAGE_SCHEMA,
        "detailed": _IMAGE_SCHEMA,
    },
}


class _Images(Nested):
    """What both kinds share: the owner's type, loading and saving."""

    kind: Kind

    def __init__(
        self,
        *,
        object_type: str,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        self.object_type = object_type

    def save(
        self, db: Transaction, owner_id: Any, value: Sent, context: Context
    ) -> bool:
        """Change the pairs as was sent, and tell whether anything is different.

        A kind that is no field by itself leaves them the name that they have.
        Raises: `InvalidInput` for an address that is not public, or no image.
        """
        return save(
            db,
            Owner(self.object_type, owner_id),
            self.kind,
            value.named(self.name) if self.name else value,
            Media.of(context.settings, context.base_url),
        )

    def remove(self, db: Transaction, ids: Sequence[Any], context: Context) -> None:
        """Remove the pairs of owners, of both kinds, and images that nobody shows.

        Where an owner has a field of each kind, the second finds nothing to do.
        """
        images.remove_all(db, self.object_type, ids, context.settings.media_folder)

    def _has_fellow(self, context: Context) -> bool:
        """Whether the page shows the pairs of the other kind as well."""
        fellows = [
            each
            for each in context.nested
            if isinstance(each, _Images) and each.object_type == self.object_type
        ]
        return len(fellows) > 1

    def _load(
        self, db: Connection, ids: Sequence[Any], context: Context
    ) -> Mapping[int, Mapping[str, Any]]:
        media = Media.of(context.settings, context.base_url)
        if not self._has_fellow(context):
            found = images.load(db, self.object_type, ids, media, self.kind)
        else:
            found = context.once(
                ("images", self.object_type),
                lambda: images.load(db, self.object_type, ids, media),
            )
        return {
            id: pairs
            for id, of_kind in found.items()
            if (pairs := of_kind.get(self.kind))
        }


class ImagePair(_Images):
    """The main image pair of an owner, written as one object, or `[]`.

    Shapes: `none` is the JSON value of an owner without a main pair.
    Source: spec/entities/products.md, 2.5.
    """

    keys = PAIR_KEYS

    def __init__(
        self,
        *,
        object_type: str,
        kind: Kind = MAIN,
        none: Any = (),
        **options: Unpack[Options],
    ) -> None:
        super().__init__(object_type=object_type, **options)
        self.kind = kind
        self.none = none

    def parse(self, value: Any) -> Sent:
        """Read one pair."""
        return parse_pair(value)

    def load(
        self, db: Connection, ids: Sequence[Any], context: Context
    ) -> Mapping[int, Any]:
        """Load the pairs of a page by one statement.

        The request flags `get_icon` and `get_detailed` leave an image out.
        Source: spec/entities/products.md, 3.1.
        """
        found = self._load(db, ids, context)
        pairs = {id: next(iter(of_kind.values())) for id, of_kind in found.items()}
        for slot in SLOTS:
            if not context.flags.get(f"get_{slot}", True):
                for pair in pairs.values():
                    pair.pop(slot, None)
        return pairs

    def empty(self) -> Any:
        """Return the value of an owner without a main pair."""
        return [] if self.none == () else self.none

    def record_schema(self) -> JsonSchema:
        """Describe the pair, or nothing."""
        nothing = {"type": "null"} if self.none is None else {"type": "array"}
        return {"anyOf": [_PAIR_SCHEMA, nothing]}


class ImagePairs(_Images):
    """The additional image pairs of an owner, an object by pair ID, or `[]`.

    Source: spec/entities/products.md, 2.5 and rule 5.10.
    """

    kind = ADDITIONAL
    keys = dataclasses.replace(PAIR_KEYS, many=True)

    def unknown_keys(self, value: Any) -> Iterable[str]:
        """The names of keys that pairs do not have; one pair may stand alone."""
        alone = isinstance(value, dict) and not value.keys().isdisjoint(SLOTS)
        return PAIR_KEYS.unknown(value) if alone else super().unknown_keys(value)

    def parse(self, value: Any) -> Sent:
        """Read an array or an object of pairs."""
        return parse_pairs(value)

    def load(
        self, db: Connection, ids: Sequence[Any], context: Context
    ) -> Mapping[int, Any]:
        """Load the pairs of a page by one statement."""
        return self._load(db, ids, context)

    def record_schema(self) -> JsonSchema:
        """Describe the pairs, or nothing."""
        pairs = {"type": "object", "additionalProperties": _PAIR_SCHEMA}
        return {"anyOf": [pairs, {"type": "array"}]}
