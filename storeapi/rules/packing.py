"""The packed box data of a product, in the text form that clients echo."""


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
    fields = {
        "min_items_in_box": min_items_in_box,
        "max_items_in_box": max_items_in_box,
        "box_length": box_length,
        "box_width": box_width,
        "box_height": box_height,
    }
    pairs = "".join(f's:{len(k)}:"{k}";i:{v};' for k, v in fields.items())
    return f"a:{len(fields)}:{{{pairs}}}"
