"""Exceptions: choices that are forbidden, or the only ones allowed."""

from storeapi import Fields, Id
from storeapi.core.writing import Values
from storeapi.entities.product_choices import ProductChoices
from storeapi.models import ExceptionVariant, OptionException
from storeapi.rules.choice_texts import ChoiceMap
from storeapi.rules.options import refuse_offer


class ExceptionFields(Fields):
    """The fields of an exception."""

    exception_id = Id(dump_only=True, listed=True)
    product_id = Id(required=True, create_only=True, listed=True)
    combination = ChoiceMap(
        wildcards=True,
        column=OptionException.choice,
        required=True,
        listed=True,
        filterable=False,
    )


class Exceptions(ProductChoices[OptionException]):
    """Choices of variants that the product's `exceptions_type` gives a sense."""

    name = "exceptions"
    id_key = "exception_id"
    model = OptionException
    fields = ExceptionFields
    default_sort = "exception_id"
    shared = True
    links = ExceptionVariant
    ignored = {"update": frozenset({"product_id"})}

    def place(self, values: Values) -> None:
        """An offer has the exceptions of its common product."""
        super().place(values)
        refuse_offer(self.db, values["product_id"], "exceptions")
