"""Variants of options, and the icons that are sent beside them."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi import (
    Choice,
    Connection,
    Context,
    Decimal,
    Fields,
    Id,
    Integer,
    Nested,
    Text,
    Transaction,
    query,
)
from storeapi.core.kinds import (
    Faults,
    JsonSchema,
    Keys,
    id_in,
    invalid,
)
from storeapi.models import OptionVariant, OptionVariantText
from storeapi.rules.image_kinds import ImagePair
from storeapi.rules.image_sent import PAIR_KEYS, SLOTS, Sent, parse_pair
from storeapi.rules.option_variants import (
    NO_IMAGE,
    SentVariant,
    VariantsWrite,
    save_variants,
)

Icons = dict[str, Sent]
"""Images by the key of their variant."""


class VariantFields(Fields):
    """The fields of a variant (spec/entities/options.md, 2.2)."""

    variant_id = Id(dump_only=True)
    option_id = Id(dump_only=True)
    position = Integer()
    modifier = Decimal(3)
    modifier_type = Choice("A", "P")
    weight_modifier = Decimal(3)
    weight_modifier_type = Choice("A", "P")
    point_modifier = Decimal(3)
    point_modifier_type = Choice("A", "P")
    variant_name = Text(column=OptionVariantText.variant_name)
    image_pair = ImagePair(object_type="variant_image")


_SCHEMA = VariantFields()
_PAIR = _SCHEMA.kinds["image_pair"]
_NAMES = tuple(name for name in _SCHEMA.kinds if name != "image_pair")
_columns: list[Any] = [
    _SCHEMA.kinds[name].column or OptionVariant.__table__.c[name] for name in _NAMES
]
for _name, _column in zip(_NAMES, _columns, strict=True):
    _SCHEMA.kinds[_name].bind(_column)
_WRITERS = tuple(_SCHEMA.kinds[name].writer() or str for name in _NAMES)
_VARIANTS = query(
    select(*_columns)
    .join(OptionVariantText, OptionVariantText.variant_id == OptionVariant.variant_id)
    .where(
        OptionVariant.option_id.in_(bindparam("ids", expanding=True)),
        OptionVariantText.lang_code == bindparam("lang_code", required=True),
    )
    .order_by(OptionVariant.option_id, OptionVariant.position, OptionVariant.variant_id)
)


class Variants(Nested):
    """The variants of an option, a map by their ID, or `[]`."""

    keys = Keys(frozenset(_NAMES), {"image_pair": PAIR_KEYS}, many=True)

    def parse(self, value: Any) -> tuple[SentVariant, ...]:
        """Read a map of variants under any keys, or an array of them."""
        if not isinstance(value, dict | list):
            raise invalid("must be an object or an array of variants")
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        found: list[SentVariant] = []
        faults = Faults()
        for key, entry in entries:
            with faults.of(str(key)):
                by_key = id_in(key) if isinstance(value, dict) else None
                found.append(_variant(str(key), by_key, entry))
        faults.tell()
        return tuple(found)

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the variants of a page of options, and their icons."""
        rows = db.rows(_VARIANTS, ids=ids, lang_code=context.lang_code)
        if not rows:
            return {}
        assert isinstance(_PAIR, ImagePair)
        icons = _PAIR.load(db, [row[0] for row in rows], context)
        found: dict[int, dict[str, Any]] = {}
        for row in rows:
            texts = [write(each) for write, each in zip(_WRITERS, row, strict=True)]
            record: dict[str, Any] = dict(zip(_NAMES, texts, strict=True))
            record["image_pair"] = icons.get(row[0], _PAIR.empty())
            found.setdefault(row[1], {})[record["variant_id"]] = record
        return found

    def save(
        self, db: Transaction, owner_id: int, value: VariantsWrite, context: Context
    ) -> bool:
        """Replace the set."""
        return save_variants(db, owner_id, value, context)

    def record_schema(self) -> JsonSchema:
        """Describe the map, or nothing."""
        properties = {name: kind.describe() for name, kind in _SCHEMA.kinds.items()}
        variant = {"type": "object", "properties": properties}
        variants = {"type": "object", "additionalProperties": variant}
        return {"anyOf": [variants, {"type": "array"}]}


class VariantIcons(Nested):
    """Icons of variants, sent as maps from the keys of `variants` to addresses.

    `Variants` saves them, because it knows which variant a key means.
    """

    keys = PAIR_KEYS

    def parse(self, value: Any) -> Icons:
        """Read `{"icon": {"image_path": {"2": "https://..."}}}`.

        Source: spec/entities/options.md, rule 4.
        """
        if not value:
            return {}
        if not isinstance(value, dict):
            raise invalid("must be an object with icon")
        pairs: dict[str, dict[str, dict[str, Any]]] = {}
        for slot in SLOTS:
            image = value.get(slot) or {}
            if not isinstance(image, dict):
                raise invalid(f"{slot} must be an object with image_path")
            for name, texts in image.items():
                for key, text in _by_key(name, texts):
                    pairs.setdefault(key, {}).setdefault(slot, {})[name] = text
        return {key: parse_pair(pair) for key, pair in pairs.items()}

    def save(
        self, db: Transaction, owner_id: int, value: Icons, context: Context
    ) -> bool:
        """Do nothing."""
        return False

    def payload_schema(self) -> JsonSchema:
        """Describe the maps."""
        paths = {"type": "object", "additionalProperties": {"type": "string"}}
        icon = {"type": "object", "properties": {"image_path": paths}}
        return {"type": ["object", "array"], "properties": {"icon": icon}}


def _by_key(name: str, texts: Any) -> list[tuple[str, Any]]:
    if isinstance(texts, dict):
        return list(texts.items())
    if isinstance(texts, list):
        return [(str(place), text) for place, text in enumerate(texts)]
    if texts in (None, ""):
        return []
    raise invalid(f"{name} must be an object by the keys of variants")


def _variant(key: str, key_id: int | None, entry: Any) -> SentVariant:
    if not isinstance(entry, dict):
        raise invalid("must be an object")
    values = _SCHEMA.load(entry, partial=True)
    image = values.pop("image_pair", NO_IMAGE)
    return SentVariant(key, key_id, id_in(entry.get("variant_id")), values, image)
