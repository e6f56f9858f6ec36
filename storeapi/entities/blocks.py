"""Blocks: the parts that layouts place on the pages of a storefront."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from storeapi import (
    Code,
    Condition,
    Contains,
    Fields,
    Id,
    InvalidInput,
    Key,
    Params,
    Record,
    Result,
    TableEntity,
    Text,
    allow,
)
from storeapi.core.folding import folded
from storeapi.core.kinds import Document, JsonSchema, invalid
from storeapi.core.rows import table_of
from storeapi.core.writing import Values
from storeapi.models import Block, BlockText
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.blocks import TYPES, check_template, in_texts, types_of
from storeapi.rules.companies import with_shown_company


class Settings(Document):
    """The settings of a block: an object that names its template."""

    def take(self, value: Any) -> Any:
        """Read the object."""
        if not isinstance(value, dict):
            raise invalid("must be an object")
        properties = in_texts(value)
        check_template(properties)
        return properties

    def record_schema(self) -> JsonSchema:
        """Describe the object."""
        return {"type": "object", "required": ["template"]}


class Content(Document):
    """What a block shows: an object, or an empty text for nothing."""

    def take(self, value: Any) -> Any:
        """Read the object."""
        if not isinstance(value, dict):
            raise invalid("must be an object")
        return in_texts(value)

    def record_schema(self) -> JsonSchema:
        """Describe the object, or nothing."""
        return {"type": ["object", "string"]}


class BlockFields(Fields):
    """The fields of a block."""

    block_id = Id(dump_only=True, listed=True)
    type = Text(required=True, listed=True)
    name = Text(required=True, translated=True, listed=True)
    properties = Settings(required=True, listed=True, filterable=False)
    content = Content(blank=True, translated=True)
    company_id = Id(create_only=True, listed=True)
    lang_code = Code(
        column=BlockText.lang_code, dump_only=True, listed=True, filterable=False
    )


class Blocks(TableEntity[Block]):
    """Parts of storefront pages: menus, banners, HTML pieces, product lists."""

    name = "blocks"
    id_key = "block_id"
    model = Block
    texts = BlockText
    fields = BlockFields
    filters = (Contains(folded=True, texts=True, name=BlockText.name_key),)
    sortings = {"name": BlockText.name_key, "type": Block.type}
    default_sort = "name"
    shapes = {"1.0": "map", "2.0": "bare_array"}
    unpaged = ("2.0",)
    privileges = allow(view=("edit_blocks", "view_pages"), manage="edit_blocks")
    privileges_customer = {"index": True}
    parents = {"stores": "company_id", "vendors": "company_id"}
    block_types = TYPES

    def scope(self) -> Iterable[Condition]:
        """Customers see the blocks of active companies."""
        yield from super().scope()
        if self.caller.is_customer:
            yield with_shown_company(Block.company_id)

    def update(self, id: Key, params: Params) -> Result:
        """Change a block; in 2.0 its type has to be named.

        Source: spec/entities/blocks.md, rule 1.
        """
        if self.context.version != "1.0" and "type" not in params:
            self.locked_row(id)
            raise InvalidInput.of("type", "is required", "required")
        return super().update(id, params)

    def check(self, values: Values, row: Record | None) -> None:
        """Judge the type; content is kept only where there can be any."""
        if "name" in values:
            values["name_key"] = folded(values["name"])[:KEY_LENGTH]
        block_type = str({**(row or {}), **values}["type"])
        known = self.known_types()
        if "type" in values and block_type not in known:
            raise InvalidInput.of("type", "is no known type of block", "unknown")
        if not known.get(block_type):
            values.pop("content", None)

    def known_types(self) -> Mapping[str, bool]:
        """The types that there are, and which of them have content."""
        return types_of(each.entity for each in self.context.registry or ())

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change a block; one whose new type has no content loses it."""
        new_type = str(values.get("type", row["type"]))
        if new_type != row["type"] and not self.known_types().get(new_type):
            self.db.update(table_of(BlockText), {"block_id": id}, {"content": ""})
        return super().change(id, row, values, languages)
