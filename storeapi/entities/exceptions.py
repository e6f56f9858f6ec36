"""Exceptions: choices that are forbidden, or the only ones allowed."""

from collections.abc import Iterable
from typing import Any

from storeapi import Condition, Fields, Id, Key, Record, Refused, Where, equals
from storeapi.core.writing import Values
from storeapi.entities.product_choices import ProductChoices
from storeapi.models import ExceptionVariant, OptionException
from storeapi.rules.choice_texts import ChoiceMap
from storeapi.rules.options import holders_of, refuse_offer


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
    filters = (Where("product_id", lambda entity, value: ()),)
    default_sort = "exception_id"
    shared = True
    links = ExceptionVariant
    ignored = {"update": frozenset({"product_id"})}

    def scope(self) -> Iterable[Condition]:
        """The exceptions that count for the product of the list."""
        yield from super().scope()
        if self.listed_product is not None and self.context.parent is None:
            column = self.declaration.table.c.product_id
            yield self.of_parent(column, self.listed_product)

    def of_parent(self, column: Any, id: Key) -> Condition:
        """A product obeys its own, and those of whose options it has."""
        return equals(column, holders_of(self.reader, int(id)), role="counts")

    def guard(self, row: Record) -> None:
        """Refuse to write below a product what another one holds."""
        super().guard(row)
        parent, holder = self.context.parent, row["product_id"]
        if parent is not None and int(parent.id) != holder:
            raise Refused(f"product {parent.id} has this exception of product {holder}")

    def place(self, values: Values) -> None:
        """An offer has the exceptions of its common product."""
        super().place(values)
        refuse_offer(self.db, values["product_id"], "exceptions")
