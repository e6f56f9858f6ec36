"""What a customer chooses for a product: judged, priced, and named for the stock.

Nothing here reads the database; `rules.choosable` does, for many products at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, NamedTuple

from marshmallow import ValidationError

from storeapi.core.errors import FieldError, InvalidInput
from storeapi.core.kinds import integer_of, text_of
from storeapi.rules.choice_texts import ANY, NONE, choice_text
from storeapi.rules.patterns import agrees

_SELECTED = frozenset("SRC")
LONGEST_ENTRY = 65_535
"""The longest text that is entered; a row of an order holds it more than once."""

_WHOLE = 100_000
"""A hundred per cent, in thousandths of a per cent."""


@dataclass(frozen=True, slots=True)
class Modifier:
    """What a variant adds: an amount, or a part of the base.

    Units: thousandths, of a unit (`A`) or of a per cent (`P`).
    """

    number: int = 0
    type: str = "A"


@dataclass(frozen=True, slots=True)
class OfferedVariant:
    """A variant that can be chosen."""

    variant_id: int
    variant_name: str = ""
    price: Modifier = Modifier()
    weight: Modifier = Modifier()
    points: Modifier = Modifier()


@dataclass(frozen=True, slots=True)
class OfferedOption:
    """An active option of a product; a check box has its unticked variant first."""

    option_id: int
    option_type: str
    option_name: str = ""
    variants: Sequence[OfferedVariant] = ()
    inventory: bool = False
    required: bool = False
    regexp: str = ""
    incorrect_message: str = ""
    multiupload: bool = False
    allowed_extensions: str = ""
    missing_variants_handling: str = "M"

    @property
    def unticked(self) -> OfferedVariant | None:
        """The variant of a check box that stands for no choice."""
        has_one = self.option_type == "C" and self.variants
        return self.variants[0] if has_one else None

    @property
    def hidden(self) -> bool:
        """Whether it has nothing to choose, and is not shown for that."""
        empty = self.option_type in "SR" and not self.variants
        return empty and self.missing_variants_handling == "H"


class Offer(NamedTuple):
    """A product with its options in their order, and what goes together.

    Shapes: an exception maps option IDs to variant IDs, -1 or -2.
    """

    product_id: int
    product: str
    exceptions_type: str = "F"
    options: Sequence[OfferedOption] = ()
    exceptions: Sequence[Mapping[int, int]] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """An option with what was chosen: a variant, or what was entered."""

    option: OfferedOption
    variant: OfferedVariant | None = None
    text: str = ""

    @property
    def value(self) -> str:
        """The choice as clients send it."""
        return self.text if self.variant is None else str(self.variant.variant_id)


class Choice(NamedTuple):
    """A choice that the product's options allow.

    Shapes: `chosen` in the order of the options, without unticked boxes; `stocked`
    is the canonical text over the inventory options, or "" without any.
    """

    product_id: int
    chosen: Sequence[Chosen] = ()
    stocked: str = ""

    @property
    def values(self) -> dict[str, str]:
        """The choice as a map from option ID to variant ID or text."""
        return {str(each.option.option_id): each.value for each in self.chosen}

    def price(self, base: int, step: int = 1) -> int:
        """The price with modifiers, rounded once, to a multiple of `step`.

        Units: minor units.
        """
        return modified(base, 2, [v.price for v in self._variants()], step)

    def weight(self, base: int) -> int:
        """The weight with modifiers.

        Units: thousandths.
        """
        return modified(base, 3, [v.weight for v in self._variants()])

    def points(self, base: int) -> int:
        """The reward points with modifiers."""
        return modified(base, 0, [v.points for v in self._variants()])

    def _variants(self) -> list[OfferedVariant]:
        return [each.variant for each in self.chosen if each.variant is not None]


def modified(
    base: int, places: int, modifiers: Iterable[Modifier], step: int = 1
) -> int:
    """Add modifiers to a base; parts are taken of the base, not of the sum.

    Units: `base` and the result have so many decimal `places`; rounded half up to a
    multiple of `step`, and never below 0.
    Source: spec/entities/options.md, rule 8.
    """
    total = base * _WHOLE
    for modifier in modifiers:
        part = base if modifier.type == "P" else 10**places * (_WHOLE // 1000)
        total += part * modifier.number
    whole = _WHOLE * step
    return int(max(0, (total + whole // 2) // whole * step))


def is_allowed(
    exceptions_type: str,
    exceptions: Sequence[Mapping[int, int]],
    chosen: Mapping[int, int],
    unset: AbstractSet[int] = frozenset(),
) -> bool:
    """Whether a choice passes the exceptions of its product.

    Shapes: `chosen` maps options to variants; `unset` are variants that count as
    no choice (unticked boxes).
    Source: spec/entities/exceptions.md, rule 3.
    """
    forbids = exceptions_type == "F"
    for exception in exceptions:
        closed = [option for option, variant in exception.items() if variant == NONE]
        is_open = any(chosen.get(o, 0) not in (0, *unset) for o in closed)
        if not _agrees(exception, chosen):
            continue
        if forbids and (is_open or not closed):
            return False
        if not forbids and not is_open:
            return True
    return forbids or not exceptions


def _agrees(exception: Mapping[int, int], chosen: Mapping[int, int]) -> bool:
    """Whether the plain part of an exception fits the choice."""
    return all(
        variant in (ANY, NONE) or chosen.get(option) == variant
        for option, variant in exception.items()
    )


def judge(offer: Offer, sent: Any) -> Choice:
    """Judge the options that a payload chooses for a product.

    Shapes: `sent` maps option IDs to variant IDs or texts; `[]` is no choice.
    Raises: `InvalidInput` naming the product, and every option that is wrong.
    Source: spec/entities/options.md, rules 9 and 10; exceptions.md, rule 5.
    """
    if sent and not isinstance(sent, Mapping):
        raise InvalidInput.of("product_options", "must be an object by option IDs")
    texts = {str(key): value for key, value in (sent or {}).items()}
    chosen: list[Chosen] = []
    errors: list[FieldError] = []
    for option in offer.options:
        try:
            found = _choose(option, texts.pop(str(option.option_id), None))
        except ValidationError as error:
            errors.append(_fault(offer, option.option_id, str(error.messages[0])))
            continue
        if found is not None:
            chosen.append(found)
        elif option.required and not option.hidden:
            errors.append(_fault(offer, option.option_id, "is required", "required"))
    errors += [_fault(offer, key, "is not an option", "unknown") for key in texts]
    if errors:
        raise InvalidInput(errors=errors)
    return _passed(offer, chosen)


def shown_choice(offer: Offer, sent: Any) -> Choice:
    """Read a choice for which a price is to be shown: it need not be complete.

    Raises: `InvalidInput` naming every option that is wrong.
    Source: spec/entities/products.md, 2.4 (`selected_options`).
    """
    if not isinstance(sent, Mapping):
        raise InvalidInput.of("selected_options", "must name options by their IDs")
    known = {str(option.option_id): option for option in offer.options}
    chosen: list[Chosen] = []
    errors: list[FieldError] = []
    for key, value in sent.items():
        field = f"selected_options.{key}"
        try:
            found = _choose(known[str(key)], value)
        except KeyError:
            errors.append(FieldError(field, "is not an option", "unknown"))
        except ValidationError as error:
            errors.append(FieldError(field, str(error.messages[0])))
        else:
            chosen += [] if found is None else [found]
    if errors:
        raise InvalidInput(errors=errors)
    return Choice(offer.product_id, chosen)


def _fault(
    offer: Offer, option: object, message: str, code: str = "invalid"
) -> FieldError:
    text = f"{message} (product {offer.product!r})"
    return FieldError(f"product_options.{option}", text, code)


def _passed(offer: Offer, chosen: Sequence[Chosen]) -> Choice:
    variants = {
        each.option.option_id: each.variant.variant_id
        for each in chosen
        if each.variant is not None
    }
    unticked = {
        option.option_id: option.unticked.variant_id
        for option in offer.options
        if option.unticked is not None
    }
    whole = unticked | variants
    unset = frozenset(unticked.values())
    if not is_allowed(offer.exceptions_type, offer.exceptions, whole, unset):
        raise InvalidInput.of(
            "product_options",
            f"the options chosen for product {offer.product!r} do not go together",
        )
    stocked = {
        option.option_id: whole[option.option_id]
        for option in offer.options
        if option.inventory and option.option_id in whole
    }
    return Choice(offer.product_id, chosen, choice_text(stocked))


def _choose(option: OfferedOption, value: Any) -> Chosen | None:
    """Read what is chosen of one option; `None` where nothing is."""
    if option.option_type in _SELECTED:
        return _select(option, value)
    names = _entered(option, value)
    if not names:
        return None
    if option.option_type == "F":
        _check_files(option, names)
    elif _mismatches(option, names[0]):
        raise ValidationError(option.incorrect_message)
    text = ",".join(names)
    if len(text) > LONGEST_ENTRY:
        raise ValidationError(f"is longer than {LONGEST_ENTRY} characters")
    return Chosen(option, None, text)


def _select(option: OfferedOption, value: Any) -> Chosen | None:
    number = 0 if value in (None, "") else integer_of(value)
    if not number:
        return None
    for variant in option.variants:
        if variant.variant_id == number:
            return None if variant is option.unticked else Chosen(option, variant)
    raise ValidationError(f"has no variant {number}")


def _entered(option: OfferedOption, value: Any) -> list[str]:
    if value in (None, "", []):
        return []
    if isinstance(value, list) and option.option_type == "F":
        return [text_of(each) for each in value]
    return [text_of(value)]


def _mismatches(option: OfferedOption, text: str) -> bool:
    """Whether a text fails the pattern; without a message there is no pattern."""
    has_pattern = bool(option.regexp and option.incorrect_message)
    return has_pattern and not agrees(option.regexp, text)


def _check_files(option: OfferedOption, names: Sequence[str]) -> None:
    if len(names) > 1 and not option.multiupload:
        raise ValidationError("takes a single file")
    endings = {
        each.strip(" .").lower()
        for each in option.allowed_extensions.split(",")
        if each.strip(" .")
    }
    for name in names:
        if endings and name.rpartition(".")[2].lower() not in endings:
            raise ValidationError(f"takes only files of {option.allowed_extensions}")


__all__ = [
    "Choice",
    "Chosen",
    "Modifier",
    "Offer",
    "OfferedOption",
    "OfferedVariant",
    "is_allowed",
    "judge",
    "modified",
    "shown_choice",
]
