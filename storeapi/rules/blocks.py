"""Blocks: which types there are, which have content, and what they hold."""

from collections.abc import Iterable, Mapping
from typing import Any

from storeapi.core.kinds import invalid, text_of

_WITH_CONTENT = """
    banners blog categories html_block menu pages product_filters products rss_feed
    smarty_block tags
"""
_WITHOUT = """
    breadcrumbs cart_content checkout currencies languages main my_account our_brands
    payment_methods shipping_methods template vendor_categories vendor_information
    vendor_logo vendor_search
"""
TYPES: Mapping[str, bool] = {
    **dict.fromkeys(_WITH_CONTENT.split(), True),
    **dict.fromkeys(_WITHOUT.split(), False),
}
"""The types of blocks, and whether one of them has content.

Source: spec/entities/blocks.md, Fields.
"""


def types_of(entities: Iterable[type[Any]]) -> Mapping[str, bool]:
    """The types that there are: ours, and those that entities of plug-ins bring.

    Shapes: an entity class states its own in `block_types`.
    """
    found = dict(TYPES)
    for entity in entities:
        found.update(getattr(entity, "block_types", {}))
    return found


def in_texts(value: Any) -> Any:
    """The parts of a block as they are kept: every value a text, nesting as sent.

    Raises: `ValidationError` for what is no JSON text or cannot be stored.
    Source: spec/entities/blocks.md, Fields (values as strings, flags `Y` and `N`).
    """
    if isinstance(value, dict):
        return {text_of(name): in_texts(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [in_texts(inner) for inner in value]
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Y" if value else "N"
    return text_of(value)


def check_template(properties: Mapping[str, Any]) -> None:
    """Refuse settings of a block that name no template.

    Raises: `ValidationError`.
    Source: spec/entities/blocks.md, statuses.
    """
    template = properties.get("template")
    if not (isinstance(template, str) and template.strip()):
        raise invalid("must hold a template", "required")
