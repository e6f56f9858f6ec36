"""The lines of orders and carts, priced. Pure."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from zlib import crc32

from storeapi.rules.choices import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxedLine:
    """What the totals want to know of a line.

    Units: money in minor units for one piece; `price` is after modifiers and
    discounts, `original_price` before discounts.
    """

    item_id: int
    price: int
    amount: int
    original_price: int | None = None
    discount: int = 0
    tax_ids: tuple[int, ...] = ()

    @property
    def subtotal(self) -> int:
        """The price of all pieces."""
        return self.price * self.amount

    @property
    def undiscounted(self) -> int:
        """The price of all pieces before discounts."""
        price = self.original_price
        return (self.price + self.discount if price is None else price) * self.amount


class Wanted(NamedTuple):
    """So many pieces of a product in one choice, which is judged but not priced."""

    product_id: int
    product: str
    amount: int
    choice: Choice


class Availability(NamedTuple):
    """How much of a line's product, or of its combination, there is.

    Shapes: `tracking` is `D` where nobody counts; `combination_hash` is set where
    the stock is that of a combination.
    """

    tracking: str = "D"
    amount: int = 0
    back_orders: bool = False
    combination_hash: int | None = None

    @property
    def is_limited(self) -> bool:
        """Whether no more can be sold than there is."""
        return self.tracking != "D" and not self.back_orders


@dataclass(frozen=True, slots=True, kw_only=True)
class Goods(TaxedLine):
    """A line with what is known of its product, before it is sold and after.

    Units: `weight` in thousandths for one piece, with modifiers; `base_price` is the
    catalogue's before modifiers.
    """

    product_id: int
    company_id: int
    base_price: int = 0
    product: str = ""
    product_code: str = ""
    weight: int = 0
    shipping_freight: int = 0
    free_shipping: bool = False
    is_edp: bool = False
    edp_shipping: bool = False
    unlimited_download: bool = False

    @property
    def needs_shipping(self) -> bool:
        """Whether it is carried: downloads are, only if they say so."""
        return not self.is_edp or self.edp_shipping


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Goods):
    """A product as it is bought: chosen, judged and priced.

    Shapes: `stocked` names the choice over the inventory options, as stocks do.
    """

    choice: Choice
    status: str = "A"
    main_category: int | None = None
    options_type: str = "P"
    exceptions_type: str = "F"
    stock: Availability = field(default_factory=Availability)

    @property
    def stocked(self) -> str:
        """The choice over the inventory options, as stocks name it."""
        return self.choice.stocked

    @property
    def options(self) -> dict[str, str]:
        """What was chosen: option ID to variant ID or text."""
        return self.choice.values


def item_id(
    product_id: int, values: Iterable[str], taken: Container[int] = frozenset()
) -> int:
    """The key of a line: CRC-32 of its product and variants, in option order.

    A key that another line has is passed over by a counter behind the text.
    Source: spec/entities/orders.md, rule 5.2.1.
    """
    text, tries = "_".join([str(product_id), *values]), 0
    found = crc32(text.encode())
    while found in taken:
        tries += 1
        found = crc32(f"{text}_{tries}".encode())
    return found


NO_PIECES: Mapping[int, int] = {}


def pieces_of(
    lines: Iterable[Goods | Wanted], beside: Mapping[int, int] = NO_PIECES
) -> Mapping[int, int]:
    """The pieces of each product over all lines, with those that it has `beside`."""
    found = dict(beside)
    for line in lines:
        found[line.product_id] = found.get(line.product_id, 0) + line.amount
    return found
