"""The fields of a category, in the order of spec/entities/categories.md."""

from typing import Any

from storeapi import (
    Choice,
    Code,
    Derived,
    Fields,
    Flag,
    Id,
    IdList,
    Integer,
    Text,
    Timestamp,
)
from storeapi.core.kinds import Document, JsonSchema, invalid, text_of
from storeapi.models import CategoryText
from storeapi.rules.image_kinds import ImagePair

AUTOMATIC = -1
"""What null stores as a position until the siblings are known."""

_LAYOUTS = 32
_LAYOUT_LENGTH = 64


class Layouts(Document):
    """Names of page layouts: an array.

    Shapes: also takes the values of an object, and a comma list.
    """

    def take(self, value: Any) -> Any:
        """Read the names, each once."""
        if isinstance(value, str):
            value = value.split(",") if value.strip() else []
        elif isinstance(value, dict):
            value = list(value.values())
        if not isinstance(value, list):
            raise invalid("must be a list of layouts")
        names = list(dict.fromkeys(text_of(item).strip() for item in value))
        if len(names) > _LAYOUTS or any(len(n) > _LAYOUT_LENGTH for n in names):
            raise invalid("holds too many or too long names", "too_long")
        return names

    def record_schema(self) -> JsonSchema:
        """Describe the array."""
        return {"type": "array", "items": {"type": "string"}}

    def payload_schema(self) -> JsonSchema:
        """Describe what is taken."""
        return {"type": ["array", "object", "string"]}


def _above(id_path: str) -> str:
    return id_path.rpartition("/")[0]


class CategoryFields(Fields):
    """All fields of `categories`."""

    category = Text(required=True, translated=True, listed=True)
    company_id = Id(zero=True, create_only=True, listed=True)
    status = Choice("A", "D", "H", listed=True)
    category_id = Id(dump_only=True, listed=True)
    parent_id = Id(zero=True, listed=True)
    id_path = Text(dump_only=True, listed=True)
    position = Integer(default=AUTOMATIC, listed=True)
    product_count = Integer(dump_only=True, listed=True)
    timestamp = Timestamp()
    description = Text(translated=True)
    page_title = Text(translated=True)
    meta_keywords = Text(translated=True)
    meta_description = Text(translated=True)
    seo_name = Text(translated=True)
    seo_path = Derived(("id_path",), _above, schema={"type": "string"})
    usergroup_ids = IdList()
    age_verification = Flag()
    age_limit = Integer()
    age_warning_message = Text(translated=True)
    parent_age_verification = Flag(dump_only=True)
    parent_age_limit = Integer(dump_only=True)
    product_columns = Integer()
    selected_layouts = Layouts(aliases=("selected_views",))
    default_layout = Text(aliases=("default_view",))
    product_details_layout = Text(aliases=("product_details_view",))
    localization = IdList()
    lang_code = Code(column=CategoryText.lang_code, dump_only=True)
    main_pair = ImagePair(object_type="category")
    is_op = Flag(dump_only=True)
    external_id = Text(internal=True)
