"""What payloads want of carts (spec/entities/carts.md, section 2.4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import ValidationError

from storeapi import InvalidInput, Params
from storeapi.core.kinds import integer_of
from storeapi.rules.cart_contents import ItemChange, Wish
from storeapi.rules.cart_removal import WISHED
from storeapi.rules.carts import LARGEST_OWNER
from storeapi.rules.sent_lines import (
    MOST_PIECES,
    SentLine,
    read_line,
    read_lines,
    read_options,
)


@dataclass(frozen=True, slots=True)
class Sent:
    """What a payload wants of a cart.

    Shapes: `contact` is as it was sent, and counts for guests alone.
    """

    wish: Wish
    contact: Any = None

    @classmethod
    def read(cls, params: Params, *, adds: bool) -> "Sent":
        """Read a payload; one that `adds` does not change what is there.

        Raises: `InvalidInput` naming every bad part, and a payload without any.
        """
        if params.get("products") is not None:
            lines = _lines(params["products"], required=adds)
            wish = Wish(added=lines) if adds else Wish(products=lines)
        elif params.get("item_id") not in (None, "") and not adds:
            wish = Wish(change=_change(params))
        elif params.get("product_id") not in (None, "") or adds:
            wish = Wish(added=[read_line(params, default_amount=1)])
        elif "user_data" in params:
            wish = Wish()
        else:
            text = "is required, or products, item_id or user_data"
            raise InvalidInput.of("product_id", text, "required")
        return cls(wish, params.get("user_data"))


def _lines(sent: Any, *, required: bool) -> list[SentLine]:
    """The lines of a payload, also as records show them; no lines are contents, too."""
    if isinstance(sent, list):
        sent = [_plain(each) for each in sent if not _is_wish(each)]
    if sent in ("", [], {}) and not required:
        return []
    return read_lines(sent, default_amount=1)


def _extra(line: Any) -> Mapping[str, Any]:
    """What a record says of a line besides."""
    extra = line.get("extra") if isinstance(line, Mapping) else None
    return extra if isinstance(extra, Mapping) else {}


def _is_wish(line: Any) -> bool:
    """Whether a line was shown of the wish list, which is not written."""
    return bool(_extra(line).get("type") == WISHED)


def _plain(line: Any) -> Any:
    """A line with its options where payloads have them."""
    options = _extra(line).get("product_options")
    return line if options is None else {"product_options": options, **line}


def _change(params: Params) -> ItemChange:
    amount = params.get("amount")
    options = None
    try:
        if "product_options" in params:
            options = read_options(params["product_options"])
    except ValidationError as error:
        raise InvalidInput.of("product_options", str(error.messages[0])) from None
    return ItemChange(
        number_of("item_id", params["item_id"], 1, LARGEST_OWNER),
        None if amount in (None, "") else number_of("amount", amount, 0, MOST_PIECES),
        options,
    )


def number_of(name: str, value: Any, least: int, most: int) -> int:
    """Read a whole number within limits.

    Raises: `InvalidInput` naming the field.
    """
    try:
        number = integer_of(value)
    except ValidationError as error:
        raise InvalidInput.of(name, str(error.messages[0])) from None
    if not least <= number <= most:
        text = f"must be between {least} and {most}"
        raise InvalidInput.of(name, text, "out_of_range")
    return number
