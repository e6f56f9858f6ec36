"""Blocks: which types there are, which have content, and what they hold."""

from collections.abc import Iterable, Mapping
from typing import Any

from storeapi.core.kinds import invalid, text_of

TYPES: Mapping[str, bool] = {
    "banners": True, "blog": True, "breadcrumbs": False, "cart_content": False,
    "categories": True, "checkout": False, "currencies": False, "html_block": True,
    "languages": False, "main": False, "menu": True, "my_account": False,
    "our_brands": False, "pages": True, "payment_methods": False,
    "product_filters": True, "products": True, "rss_feed": True,
    "shipping_methods": False, "smarty_block": True, "tags": True, "template": False,
    "vendor_categories": False, "vendor_information": False, "vendor_logo": False,
    "vendor_search": False,
}  # fmt: skip
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
