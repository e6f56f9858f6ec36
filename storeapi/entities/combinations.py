"""Combinations: choices of variants with a stock of their own."""

from collections.abc import Sequence

from storeapi import Constant, Fields, Id, Integer, Key, Record, Text
from storeapi.core.kinds import LARGEST_ID
from storeapi.core.writing import Values
from storeapi.entities.product_choices import ProductChoices
from storeapi.models import Combination, CombinationVariant
from storeapi.rules.choice_texts import ChoiceMap, free_hash
from storeapi.rules.image_kinds import ImagePair
from storeapi.rules.stock_books import check_written_amount

_LARGEST_HASH = 2**32 - 1


class CombinationFields(Fields):
    """The fields of a combination."""

    combination_hash = Integer(
        minimum=1, maximum=_LARGEST_HASH, dump_only=True, listed=True
    )
    product_id = Id(required=True, create_only=True, listed=True)
    combination = ChoiceMap(
        column=Combination.choice,
        required=True,
        create_only=True,
        listed=True,
        filterable=False,
    )
    product_code = Text(listed=True)
    amount = Integer(minimum=-LARGEST_ID, listed=True)
    position = Integer(listed=True)
    temp = Constant("N", listed=True)
    image_pairs = ImagePair(object_type="product_option", listed=True)


class Combinations(ProductChoices[Combination]):
    """Choices of variants over the inventory options of a product."""

    name = "combinations"
    id_key = "combination_hash"
    model = Combination
    fields = CombinationFields
    sortings = {"position": Combination.position, "amount": Combination.amount}
    links = CombinationVariant
    stocked = True
    ignored = {
        "create": frozenset({"product_code", "image_pairs"}),
        "update": frozenset({"combination", "product_id"}),
    }

    def is_valid_identifier(self, id: str) -> bool:
        """A hash is an unsigned number of 32 bits."""
        return (
            id.isascii()
            and id.isdigit()
            and len(id) <= 10
            and 0 < int(id) <= _LARGEST_HASH
        )

    def check(self, values: Values, row: Record | None) -> None:
        """Judge the stock, and the choice."""
        check_written_amount(values, row)
        super().check(values, row)

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Find the hash of the choice, and write it."""
        values["combination_hash"] = free_hash(
            self.db, values["product_id"], values["combination"]
        )
        return super().insert(values, languages)
