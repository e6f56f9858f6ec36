"""The packed box data of a product, in the text form that clients echo."""

import re

_NUMBER = re.compile(r"i:([0-9]{1,10});")


def packed(
    min_items_in_box: int,
    max_items_in_box: int,
    box_length: int,
    box_width: int,
    box_height: int,
) -> str:
    """Pack the five box fields in PHP serialize notation.

    Source: spec/entities/products.md, 2.3 (`shipping_params`).
    """
    return (
        f'a:5:{{s:16:"min_items_in_box";i:{min_items_in_box};'
        f's:16:"max_items_in_box";i:{max_items_in_box};'
        f's:10:"box_length";i:{box_length};'
        f's:9:"box_width";i:{box_width};'
        f's:10:"box_height";i:{box_height};}}'
    )


def unpacked(text: str) -> list[int] | None:
    """Read the five box fields again; `None` for a text that `packed` cannot write."""
    found = [int(digits) for digits in _NUMBER.findall(text)]
    return found if len(found) == 5 and packed(*found) == text else None
