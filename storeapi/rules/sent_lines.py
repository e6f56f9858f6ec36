"""Lines of products as payloads send them. Pure.

Source: spec/entities/orders.md, section 2.1.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from marshmallow import ValidationError

from storeapi.core.errors import FieldError, FieldErrors, InvalidInput
from storeapi.core.kinds import LARGEST_ID, Keys, integer_of

MOST_LINES = 1000
"""How many lines one payload may have; each of its statements names all products."""

MOST_PIECES = 1_000_000
"""The largest amount of a line: sums of lines stay within every column."""

LINE_KEYS = Keys(
    frozenset({"product_id", "amount", "product_options", "price", "extra"})
    | {"item_id", "item_type", "cart_id", "order_id", "company_id", "main_pair"}
    | {"product", "product_code", "product_status", "deleted_product"}
    | {"base_price", "original_price", "discount", "tax_value"}
    | {"subtotal", "display_subtotal", "shipped_amount", "shipment_amount"}
    | {"is_accessible", "shared_product"},
    many=True,
)
"""The keys of lines as they are sent, and as records of orders and carts show them."""


class SentLine(NamedTuple):
    """A product that is wanted.

    Shapes: `field` is the line's name in the payload. A line that is not `judged`
    stood there before: if it cannot be bought any more it is left out in silence.
    """

    product_id: int
    amount: int = 1
    product_options: Mapping[str, Any] = MappingProxyType({})
    field: str = ""
    judged: bool = True

    def named(self, name: str) -> str:
        """The name on the wire of a property of this line."""
        return f"{self.field}.{name}" if self.field else name


def read_lines(payload: Any, name: str = "products", **more: Any) -> list[SentLine]:
    """Read lines, sent as an array or as a map by product IDs or any other keys.

    A `product_id` inside wins over the key of a map. `more` as for `read_line`.
    Raises: `InvalidInput` naming every bad property, and what is no list of lines.
    """
    if payload in (None, "", [], {}):
        raise InvalidInput.of(name, "is required", "required")
    if not isinstance(payload, Mapping | list):
        raise InvalidInput.of(name, "must be an array or an object of lines")
    if len(payload) > MOST_LINES:
        raise InvalidInput.of(name, f"has more than {MOST_LINES} lines", "out_of_range")
    errors = FieldErrors()
    found = []
    for key, each in _entries(payload):
        with errors:
            found.append(read_line(each, f"{name}.{key}", **more))
    errors.tell()
    return found


def _entries(
    payload: Mapping[str, Any] | Sequence[Any],
) -> Iterator[tuple[str, Any]]:
    """The lines by name; the key of a map stands for a missing product ID."""
    if isinstance(payload, Mapping):
        for key, each in payload.items():
            known = isinstance(each, Mapping) and not _is_empty(each.get("product_id"))
            yield (
                key,
                each
                if known or not isinstance(each, Mapping)
                else {
                    **each,
                    "product_id": key,
                },
            )
    else:
        for index, each in enumerate(payload):
            yield str(index), each


def read_line(
    values: Any, name: str = "", *, default_amount: int | None = None
) -> SentLine:
    """Read one line; without a name its properties are those of the payload itself.

    Without `default_amount` the amount must be sent.
    Raises: `InvalidInput` naming every bad property.
    """
    if not isinstance(values, Mapping):
        raise InvalidInput.of(name, "must be an object with product_id and amount")
    line = SentLine(0, field=name)
    errors: list[FieldError] = []

    def number(key: str, most: int, default: int | None = None) -> int:
        sent = values.get(key)
        if _is_empty(sent) and default is not None:
            return default
        try:
            return _number(sent, most)
        except ValidationError as error:
            errors.append(FieldError(line.named(key), str(error.messages[0])))
            return 0

    product_id = number("product_id", LARGEST_ID)
    amount = number("amount", MOST_PIECES, default_amount)
    options: Mapping[str, Any] = {}
    try:
        options = read_options(values.get("product_options"))
    except ValidationError as error:
        text = str(error.messages[0])
        errors.append(FieldError(line.named("product_options"), text))
    if errors:
        raise InvalidInput(errors=errors)
    return SentLine(product_id, amount, options, name)


def read_options(sent: Any) -> Mapping[str, Any]:
    """Read chosen options: a map by option IDs, or the array that records show.

    Raises: `ValidationError`.
    """
    if sent in (None, "", [], {}):
        return {}
    if isinstance(sent, Mapping):
        return sent
    if isinstance(sent, list) and all(
        isinstance(each, Mapping) and {"option_id", "value"} <= each.keys()
        for each in sent
    ):
        return {str(each["option_id"]): each["value"] for each in sent}
    raise ValidationError("must be an object by option IDs")


def _is_empty(value: Any) -> bool:
    return value is None or value == ""


def _number(sent: Any, most: int) -> int:
    if _is_empty(sent):
        raise ValidationError("is required")
    number = integer_of(sent)
    if not 0 < number <= most:
        raise ValidationError(f"must be between 1 and {most}")
    return number
