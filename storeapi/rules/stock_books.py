"""What moves in the stock: lines, and the steps that they come to. Pure.

Source: spec/entities/products.md, rule 12; combinations.md, rule 7; orders.md, rule
5.3.4.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from storeapi.core.errors import InvalidInput
from storeapi.core.kinds import LARGEST_ID
from storeapi.rules.availability import shortage

OWN, CHOSEN = "B", "O"
"""Which stock pieces are taken from, in the letters of `tracking`: that of the product,
or that of the combination that the line names."""

_MOST = LARGEST_ID
_FAR = 2**62  # further than any stock


def check_written_amount(
    values: Mapping[str, Any], row: Mapping[str, Any] | None
) -> None:
    """Judge the pieces that a write says there are, of a product or a combination.

    A stock that orders have brought below zero may be echoed, not written.
    Raises: `InvalidInput`.
    Source: spec/entities/products.md, rule 5.12; combinations.md, rule 5.9.
    """
    amount = int(values.get("amount", 0))
    if amount < 0 and (row is None or row["amount"] != amount):
        raise InvalidInput.of("amount", "must not be negative", "out_of_range")


class Movement(NamedTuple):
    """A line that holds pieces of a product, and is to hold another number of them.

    Shapes: `stocked` names the choice over the inventory options, as
    `choices.Choice.stocked`; `taken_from` says which stock what is held came from,
    `None` for none; `product` is the name for messages.
    """

    product_id: int
    stocked: str
    held: int
    wanted: int
    taken_from: str | None = None
    product: str = ""

    @property
    def key(self) -> tuple[int, str]:
        """What names a combination."""
        return self.product_id, self.stocked


class Held(NamedTuple):
    """A product that is held, as it was."""

    product_id: int
    tracking: str
    amount: int
    out_of_stock_actions: str
    company_id: int
    status: str
    updated_timestamp: int
    sales_amount: int
    master_product_id: int | None
    price: int

    @property
    def back_orders(self) -> bool:
        """Whether it is sold beyond its stock."""
        return self.out_of_stock_actions == "B"


class HeldCombination(NamedTuple):
    """A combination that is held, as it was."""

    combination_hash: int
    product_id: int
    choice: str
    amount: int


class Step(NamedTuple):
    """How one stock changes: `by` pieces leave it, of a product that sells `sold`."""

    product: Held
    amount: int
    by: int
    sold: int = 0

    @property
    def least(self) -> int:
        """The smallest stock that this can be taken from."""
        if self.by <= 0:
            return -_FAR
        return self.by - (_MOST if self.product.back_orders else 0)

    @property
    def most(self) -> int:
        """The largest stock that this can be given back to."""
        return _FAR if self.by >= 0 else _MOST + self.by

    @property
    def most_sold(self) -> int:
        """The largest number of sold pieces that this can be added to."""
        return _FAR if self.sold <= 0 else _MOST - self.sold

    def stock_values(self, id: int) -> dict[str, int]:
        """What the statement of a combination takes."""
        return {"id": id, "by": self.by, "least": self.least, "most": self.most}

    def values(self, id: int) -> dict[str, int]:
        """What the statement of a product takes."""
        sold = {"sold": self.sold, "most_sold": self.most_sold}
        return self.stock_values(id) | sold

    def faults(self, name: str) -> Iterable[str]:
        """Say why the statement touches nothing."""
        id, by, amount = self.product.product_id, self.by, self.amount
        if amount < self.least and not self.product.back_orders:
            yield shortage(name, id, by, amount)
        elif amount < self.least:
            yield f"product {id} {name!r}: {by} wanted, {-amount} owed, {_MOST} at most"
        elif amount > self.most:
            text = f"{-by} come back, {amount} in stock, {_MOST} at most"
            yield f"product {id} {name!r}: {text}"
        elif self.product.sales_amount > self.most_sold:
            text = f"{self.sold} wanted, {self.product.sales_amount} sold"
            yield f"product {id} {name!r}: {text}, {_MOST} at most"


Steps = tuple[Mapping[int, Step], Mapping[tuple[int, str], Step]]
"""Those of products, by ID, and those of combinations, by product and choice."""


@dataclass(slots=True)
class Books:
    """What is to be moved: pieces by product, and by combination.

    Shapes: `combined` are products that have combinations, though not the chosen one;
    `names` holds those of products; `gone` are products that do not exist.
    """

    products: Mapping[int, Held]
    combinations: Mapping[tuple[int, str], HeldCombination]
    combined: frozenset[int]
    own: Counter[int] = field(default_factory=Counter)
    sold: Counter[int] = field(default_factory=Counter)
    chosen: Counter[tuple[int, str]] = field(default_factory=Counter)
    missing: Counter[tuple[int, str]] = field(default_factory=Counter)
    names: dict[int, str] = field(default_factory=dict)
    gone: dict[int, str] = field(default_factory=dict)

    def enter(self, move: Movement) -> str | None:
        """Enter a line; returns where its pieces are taken from then.

        Whatever its stock, a product counts how many of it are sold.
        """
        id, source = move.product_id, move.taken_from
        if move.wanted > move.held:
            source = self._source(move)
        if id in self.products:
            self.names[id] = move.product
            self.sold[id] += move.wanted - move.held
            self._add(move, move.taken_from, -move.held)
            self._add(move, source, move.wanted)
        return source if move.wanted else None

    def _source(self, move: Movement) -> str | None:
        """The stock by which the product counts now."""
        id, product = move.product_id, self.products.get(move.product_id)
        if product is None:
            self.gone[id] = move.product
            return None
        if product.tracking == CHOSEN and move.key in self.combinations:
            return CHOSEN
        if product.tracking == CHOSEN and id in self.combined:
            if not product.back_orders:
                self.missing[move.key] += move.wanted
            return None
        return OWN if product.tracking in (OWN, CHOSEN) else None

    def _add(self, move: Movement, source: str | None, by: int) -> None:
        if source == OWN:
            self.own[move.product_id] += by
        elif source == CHOSEN and move.key in self.combinations:
            self.chosen[move.key] += by

    def steps(self) -> dict[int, Step]:
        """How the products change, by ID."""
        return {
            id: Step(product, product.amount, self.own[id], self.sold[id])
            for id, product in self.products.items()
            if self.own[id] or self.sold[id]
        }

    def chosen_steps(self) -> dict[tuple[int, str], Step]:
        """How the combinations change."""
        return {
            key: Step(self.products[key[0]], held.amount, self.chosen[key])
            for key, held in self.combinations.items()
            if self.chosen[key]
        }

    def faults(self, steps: Iterable[Step]) -> Iterable[str]:
        """Say what stands against it: products that are gone, or steps too far."""
        for id, name in self.gone.items():
            yield f"product {id} {name!r} does not exist"
        for (id, _), wanted in self.missing.items():
            yield shortage(self.names[id], id, wanted, 0)
        for step in steps:
            yield from step.faults(self.names[step.product.product_id])
