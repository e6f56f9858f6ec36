"""What a request makes of the lines of a cart. Pure.

Source: spec/entities/carts.md, sections 2.4 and 5.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from storeapi.core.errors import InvalidInput
from storeapi.rules.lines import Line, item_id
from storeapi.rules.sent_lines import SentLine


@dataclass(frozen=True, slots=True)
class CartItem:
    """A line of a cart as it is kept. Units: money in minor units, for one piece."""

    item_id: int
    product_id: int
    amount: int
    price: int
    base_price: int
    timestamp: int
    options: Mapping[str, str]

    @property
    def choice(self) -> tuple[int, frozenset[tuple[str, str]]]:
        """What tells lines of a cart apart: the product and what is chosen."""
        return self.product_id, frozenset(self.options.items())

    @property
    def kept(self) -> SentLine:
        """The line as one that stays, whether it could be bought now or not."""
        return SentLine(self.product_id, self.amount, self.options, judged=False)


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A line that is to change. Shapes: `None` leaves a part as it is."""

    item_id: int
    amount: int | None = None
    product_options: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """What a request wants: other contents, one line changed, or products added."""

    products: Sequence[SentLine] | None = None
    change: ItemChange | None = None
    added: Sequence[SentLine] = ()

    def lines(self, items: Sequence[CartItem]) -> list[SentLine]:
        """The lines that the cart is to have.

        Raises: `InvalidInput` for a line that the cart does not have.
        """
        if self.products is not None:
            return [*self.products]
        change = self.change
        if change is None:
            return [*[item.kept for item in items], *self.added]
        if all(item.item_id != change.item_id for item in items):
            text = f"{change.item_id} is no line of the cart"
            raise InvalidInput.of("item_id", text, "unknown")
        found = []
        for item in items:
            if item.item_id != change.item_id:
                found.append(item.kept)
            elif change.amount != 0:
                found.append(_changed(item, change))
        return found


def _changed(item: CartItem, change: ItemChange) -> SentLine:
    options = change.product_options
    return SentLine(
        item.product_id,
        item.amount if change.amount is None else change.amount,
        item.options if options is None else options,
    )


def settled(
    items: Sequence[CartItem], lines: Iterable[Line], wish: Wish, now: int
) -> list[CartItem]:
    """The items of a cart after a request: `lines` are judged and priced.

    A line keeps its key and time as long as product and choice are the same. One
    that cannot be bought any more, and that the request does not name, stays as it
    is.
    """
    before = {item.choice: item for item in items}
    found: list[CartItem] = []
    for line in lines:
        made = CartItem(
            line.item_id,
            line.product_id,
            line.amount,
            line.price,
            line.base_price,
            now,
            line.options,
        )
        old = before.get(made.choice)
        if old is not None:
            made = replace(made, item_id=old.item_id, timestamp=old.timestamp)
        found.append(made)
    found = _with_times(found, items, wish)
    if wish.products is None:
        known = {item.choice for item in found}
        gone = None if wish.change is None else wish.change.item_id
        stay = [i for i in items if i.choice not in known and i.item_id != gone]
        found = [*stay, *found]
    return _with_keys(found, before.keys())


def _with_times(
    found: Sequence[CartItem], items: Iterable[CartItem], wish: Wish
) -> list[CartItem]:
    """Let a line whose options change keep the time at which it came."""
    if wish.change is None:
        return [*found]
    known = {item.choice for item in items}
    old = next((i for i in items if i.item_id == wish.change.item_id), None)
    return [
        item
        if old is None or item.choice in known
        else replace(item, timestamp=old.timestamp)
        for item in found
    ]


def _with_keys(found: Iterable[CartItem], known: Iterable[object]) -> list[CartItem]:
    """Give new lines keys that no other line has; old lines come first."""
    old = set(known)
    ordered = sorted(found, key=lambda item: item.choice not in old)
    taken: set[int] = set()
    keyed = []
    for item in ordered:
        key = item.item_id
        if key in taken:
            key = item_id(item.product_id, item.options.values(), taken)
        taken.add(key)
        keyed.append(replace(item, item_id=key))
    return keyed


def touched(
    before: Iterable[CartItem], after: Iterable[CartItem], wish: Wish
) -> list[int]:
    """The keys of the lines that a request names; that of a removed line too."""
    if wish.products is not None:
        return [item.item_id for item in after]
    amounts = {item.item_id: item.amount for item in before}
    moved = [i.item_id for i in after if amounts.get(i.item_id) != i.amount]
    return moved or ([] if wish.change is None else [wish.change.item_id])
