"""What combinations and exceptions share: choices of variants of one product."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from sqlalchemy import Table, bindparam, exists, select

from storeapi import (
    Condition,
    FieldError,
    Forbidden,
    InvalidInput,
    Key,
    NotFound,
    Params,
    Record,
    Result,
    TableEntity,
    allow,
    query,
)
from storeapi.core.filters import read_value, scalar
from storeapi.core.kinds import Id
from storeapi.core.paging import check_pages
from storeapi.core.rows import table_of
from storeapi.core.writing import Values
from storeapi.models import Option, OptionVariant, Product
from storeapi.rules.choice_texts import choice_of
from storeapi.rules.options import SELECTED, offered, seen_product
from storeapi.rules.touching import hold_sharing, touch_products, touch_sharing

M = TypeVar("M")

_PRODUCT_ID = Id()
_OPTIONS = query(
    select(Option.option_id, Option.option_type, Option.inventory)
    .where(Option.option_id.in_(bindparam("ids", expanding=True)))
    .order_by(Option.option_id)
    .with_for_update()
)
_VARIANTS = query(
    select(OptionVariant.variant_id, OptionVariant.option_id).where(
        OptionVariant.variant_id.in_(bindparam("ids", expanding=True))
    )
)


class ProductChoices(TableEntity[M]):
    """Rows of a product that hold a choice of variants; seen through the product."""

    default_sort = "position"
    shapes = {"1.0": "map", "2.0": "bare_array"}
    unpaged = ("1.0", "2.0")
    privileges = allow(view="view_catalog", manage="manage_catalog")
    parents = {"products": "product_id"}
    answers = {"create": str, "update": str}
    unique = {"product_id,choice": "combination"}

    links: ClassVar[type[Any]]
    """The model of the options and variants that a choice names."""

    ignored: ClassVar[Mapping[str, frozenset[str]]] = {}
    """Fields that an operation takes no notice of, whatever their value."""

    stocked: ClassVar[bool] = False
    """Whether an option must count in the stock to be chosen."""

    shared: ClassVar[bool] = False
    """Whether it counts for all products that have the options of its product."""

    listed_product: int | None = None
    """The product whose choices a list holds."""

    # Reading

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one choice, or those of a product; a page of them on demand.

        Source: spec/entities/combinations.md, section 3.
        """
        if id is not None:
            return super().index(id, params)
        if self.context.parent is not None:
            params = {**params, "product_id": str(self.context.parent.id)}
        asked = scalar(params, "product_id")
        if asked is None:
            raise InvalidInput.of("product_id", "is required", "required")
        product_id = read_value("product_id", _PRODUCT_ID.read_filter, asked)
        if self.context.parent is None:
            seen_product(self.reader, product_id, self.caller)
        self.listed_product = product_id
        check_pages(params)
        if not params.get("items_per_page"):
            params = {name: v for name, v in params.items() if name != "page"}
        return super().index(None, params)

    def scope(self) -> Iterable[Condition]:
        """The rows of products that the caller may see."""
        yield from super().scope()
        if self.caller.is_scoped:
            table = self.declaration.table
            yield Condition(
                "of a seen product",
                lambda: exists().where(
                    Product.product_id == table.c.product_id,
                    Product.company_id.in_(bindparam("companies", expanding=True)),
                ),
                {"companies": [0, self.caller.company_id]},
            )

    def known_params(self, *, listing: bool) -> frozenset[str]:
        """`product_id` is understood by DELETE too."""
        return super().known_params(listing=listing) | {"product_id"}

    # Writing

    def create(self, params: Params) -> Result:
        """Create a choice, without the fields that only PUT takes."""
        return super().create(self._heard("create", params))

    def update(self, id: Key, params: Params) -> Result:
        """Change a choice, without the fields that only POST takes."""
        return super().update(id, self._heard("update", params))

    def _heard(self, operation: str, params: Params) -> Params:
        ignored = self.ignored.get(operation, frozenset())
        heard = dict(self.context.without(params, ignored))
        if operation == "create" and self.context.parent is not None:
            heard["product_id"] = self.context.parent.id
        return heard

    def delete(self, id: Key) -> Result:
        """Delete a choice; a `product_id` that is sent must be its owner.

        Source: spec/entities/combinations.md, rule 6.
        """
        asked = scalar(self.context.query, "product_id")
        if asked is not None:
            owner = read_value("product_id", _PRODUCT_ID.read_filter, asked)
            if self.locked_row(id)["product_id"] != owner:
                raise self.missing(id)
        return super().delete(id)

    def guard(self, row: Record) -> None:
        """Refuse a scoped caller who would write for the whole installation."""
        self._check_product(row["product_id"])

    def _check_product(self, product_id: int) -> None:
        company_id = seen_product(self.db, product_id, self.caller)
        if self.caller.is_scoped and company_id != self.caller.company_id:
            raise Forbidden("the product belongs to the whole installation")

    def place(self, values: Values) -> None:
        """The product is to exist for the caller."""
        super().place(values)
        try:
            self._check_product(values["product_id"])
        except NotFound:
            raise InvalidInput.of(
                "product_id", f"{values['product_id']} does not exist", "unknown"
            ) from None

    def check(self, values: Values, row: Record | None) -> None:
        """Judge the choice: options of the product, and variants of theirs."""
        text = values.get("combination")
        if text is None or (row is not None and row["choice"] == text):
            return
        product_id = int(values["product_id"] if row is None else row["product_id"])
        hold_sharing(self.db, [product_id])
        errors = self._faults(product_id, choice_of(text))
        if errors:
            raise InvalidInput(errors=errors)

    def _faults(self, product_id: int, choice: Mapping[int, int]) -> list[FieldError]:
        mine = set(offered(self.db, [product_id]).get(product_id, ()))
        options = {row[0]: row[1:] for row in self.db.rows(_OPTIONS, ids=list(choice))}
        named = [variant for variant in choice.values() if variant > 0]
        option_of: dict[int, int] = dict(self.db.rows(_VARIANTS, ids=named))
        faults = []
        for option, variant in choice.items():
            problem = ""
            if option not in mine or option not in options:
                problem = "is no option of the product"
            elif options[option][0] not in SELECTED:
                problem = "is an option without variants"
            elif self.stocked and options[option][1] != "Y":
                problem = "is an option that does not count in the stock"
            elif variant > 0 and option_of.get(variant) != option:
                problem = f"has no variant {variant}"
            if problem:
                faults.append(FieldError(f"combination.{option}", problem))
        return faults

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write the choice and what it names; its product is different now."""
        self._touch(values["product_id"])
        id = super().insert(values, languages)
        self._link(id, values["combination"])
        return id

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change the choice, and what it names."""
        if not super().change(id, row, values, languages):
            return False
        text = values.get("combination")
        if text is not None and text != row["choice"]:
            self.db.delete(self._links, {self.declaration.id.name: id})
            self._link(id, text)
        self._touch(row["product_id"])
        return True

    def remove(self, id: Key, row: Record) -> None:
        """Delete the choice; its product is different now."""
        self._touch(row["product_id"])
        super().remove(id, row)

    def _touch(self, product_id: int) -> None:
        touch = touch_sharing if self.shared else touch_products
        touch(self.db, [product_id], self.context)

    @property
    def _links(self) -> Table:
        return table_of(self.links)

    def _link(self, id: Key, text: str) -> None:
        key = self.declaration.id.name
        rows = [
            {
                key: id,
                "option_id": option,
                "variant_id": variant if variant > 0 else None,
            }
            for option, variant in choice_of(text).items()
        ]
        self.db.insert_many(self._links, rows)
