"""Options: what a customer chooses or enters when buying a product."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, bindparam, exists, or_, select

from storeapi import (
    Condition,
    Forbidden,
    InvalidInput,
    Key,
    Listing,
    NotFound,
    Params,
    Record,
    Result,
    TableEntity,
    Where,
    allow,
    equals,
    query,
)
from storeapi.core.changes import Operation
from storeapi.core.entity import STATUS_CREATED, STATUS_OK
from storeapi.core.filters import read_value, scalar
from storeapi.core.folding import folded
from storeapi.core.kinds import Id
from storeapi.core.paging import PAGING_PARAMS, check_pages
from storeapi.core.reading import list_records
from storeapi.core.rows import table_of
from storeapi.core.writing import Values, without_null
from storeapi.entities.options.fields import OptionFields
from storeapi.models import Option, OptionText, Product, ProductOption
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.audience import for_reader
from storeapi.rules.companies import with_shown_company
from storeapi.rules.option_variants import VariantsWrite
from storeapi.rules.options import (
    CHECK_BOX,
    LISTED,
    SELECTED,
    drop_combinations,
    drop_exceptions,
    drop_variant_images,
    is_in_use,
    offered,
    products_of,
    refuse_borrowed,
    refuse_offer,
    seen_product,
)
from storeapi.rules.patterns import check_pattern
from storeapi.rules.seen_products import SHOWN
from storeapi.rules.touching import hold_sharing, sharing, touch_sharing

_PRODUCT_ID = Id(zero=True)
_GLOBAL = query(
    select(Option.company_id)
    .where(
        Option.option_id == bindparam("option_id", required=True),
        Option.product_id.is_(None),
    )
    .with_for_update()
)


class Options(TableEntity[Option]):
    """What a customer chooses or enters: of one product, or global ones."""

    name = "options"
    id_key = "option_id"
    list_key = "product_options"
    model = Option
    texts = OptionText
    fields = OptionFields
    filters = (Where("product_id", lambda entity, value: ()),)
    sortings = {
        "position": Option.position,
        "option_name": OptionText.option_name_key,
    }
    default_sort = "position"
    shared = True
    privileges = allow(view="view_catalog", manage="manage_catalog")
    privileges_customer = {"index": True}
    parents = {"products": None}

    _listed_product: int | None = None
    _lists_global = False
    _offered: list[int] | None = None

    @property
    def product_id(self) -> int | None:
        """The product that the path or the list names."""
        parent = self.context.parent
        return self._listed_product if parent is None else int(parent.id)

    # Reading

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one option, the options of a product, or the global ones."""
        if id is not None:
            return super().index(id, params)
        if self.context.parent is not None:
            params = {**params, "product_id": str(self.product_id)}
        asked = scalar(params, "product_id")
        product_id = asked and read_value("product_id", _PRODUCT_ID.parse, asked)
        if not product_id:
            self._lists_global = True
            return super().index(None, params)
        return Result(STATUS_OK, self._list_of_product(int(product_id), params))

    def _list_of_product(self, product_id: int, params: Params) -> Listing:
        """All options of a product with their variants: never paged.

        Source: spec/entities/options.md, 3.1 and section 4.
        """
        if self.context.parent is None:
            seen_product(self.reader, product_id, self.caller)
        self._listed_product = product_id
        check_pages(params)
        kept = {n: text for n, text in params.items() if n not in PAGING_PARAMS}
        listing = list_records(self, {**kept, "detailed_params": "Y"}, whole=True)
        if self.context.version != "1.0":
            listing.shape = "bare_map"
        return listing

    def scope(self) -> Iterable[Condition]:
        """Options are seen through their product, global ones by their company."""
        product_id = self.product_id
        if product_id is None:
            yield from super().scope()
        else:
            if self._offered is None:
                self._offered = offered(self.reader, [product_id]).get(product_id, [])
            yield equals(Option.option_id, self._offered, role="offered")
            if self.caller.is_customer:
                yield equals(Option.status, "A", role="shown")
        if self._lists_global:
            yield equals(Option.product_id, None, role="global")
        if self.caller.is_customer and product_id is None:
            yield with_shown_company(Option.company_id)
            yield self._of_seen_product()

    def _of_seen_product(self) -> Condition:
        """Options of products that customers see; global ones are for all."""
        mine = for_reader(Product.usergroup_ids, self.caller)

        def build() -> ColumnElement[bool]:
            own = Product.product_id == Option.product_id
            seen = exists().where(own, SHOWN == "Y", mine.build())
            return or_(Option.product_id.is_(None), seen)

        return Condition(("of a seen product", mine.key), build, mine.values)

    # Writing

    def create(self, params: Params) -> Result:
        """Create an option; below a product an `option_id` alone links a global one.

        Source: spec/entities/options.md, rules 11 and 12.
        """
        if self.context.parent is None:
            return super().create(params)
        if params.get("option_id") and "option_name" not in params:
            return self._link(params["option_id"])
        return super().create({**params, "product_id": self.context.parent.id})

    def _link(self, value: Any) -> Result:
        assert self.product_id is not None
        product_id = self.product_id
        self._check_product(product_id)
        hold_sharing(self.db, [product_id])
        option_id = read_value("option_id", Id().parse, str(value))
        row = self.db.row(_GLOBAL, option_id=option_id)
        if row is None or (
            self.caller.is_scoped and row[0] not in (0, self.caller.company_id)
        ):
            raise InvalidInput.of(
                "option_id", f"{option_id} is not a global option", "unknown"
            )
        link = {"product_id": product_id, "option_id": option_id}
        if option_id not in offered(self.db, [product_id]).get(product_id, ()):
            self.guarded(lambda: self.db.insert(table_of(ProductOption), link))
            self.record(Operation.UPDATE, option_id, {}, link)
            touch_sharing(self.db, [product_id], self.context)
        return Result(STATUS_CREATED, {self.id_key: option_id})

    def _check_product(self, product_id: int) -> int:
        """Return the company of a product that this caller may write.

        Raises: `Forbidden` for one of the whole installation; `Refused` for an offer.
        """
        company_id = seen_product(self.db, product_id, self.caller)
        if self.caller.is_scoped and company_id != self.caller.company_id:
            raise Forbidden("the product belongs to the whole installation")
        refuse_offer(self.db, product_id, "options")
        return company_id

    def place(self, values: Values) -> None:
        """An option belongs to the company of its product."""
        product_id = values["product_id"]
        if product_id is None:
            super().place(values)
            return
        try:
            values["company_id"] = self._check_product(product_id)
        except NotFound:
            raise InvalidInput.of(
                "product_id", f"{product_id} does not exist", "unknown"
            ) from None

    def load(self, params: Params, *, partial: bool) -> Values:
        """Read a payload; null says nothing of the variants."""
        return super().load(without_null(params, "variants"), partial=partial)

    def check(self, values: Values, row: Record | None) -> None:
        """Judge pattern and type; say what becomes of the variants.

        Only a global option has a company of its own to change.
        """
        if row is not None and row["product_id"] is not None:
            values.pop("company_id", None)
        if values.get("regexp"):
            check_pattern(values["regexp"])
        if "option_name" in values:
            values["option_name_key"] = folded(values["option_name"])[:KEY_LENGTH]
        before = None if row is None else str(row["option_type"])
        kind = values.get("option_type") or before or "S"
        if row is None and "inventory" not in values:
            values["inventory"] = "Y" if kind in SELECTED else "N"
        icons = values.pop("main_pair", {})
        entries = values.pop("variants", None)
        if entries and kind not in SELECTED:
            raise InvalidInput.of("variants", f"an option of type {kind} has none")
        reset = before is not None and loses_variants(before, kind)
        if reset and row is not None and is_in_use(self.db, row["option_id"]):
            raise InvalidInput.of(
                "option_type", "its variants are used by combinations or exceptions"
            )
        ticks = kind == CHECK_BOX != before
        if entries is not None or icons or reset or ticks or row is None:
            values["variants"] = VariantsWrite(kind, entries, icons, reset)

    def insert(self, values: Values, languages: Sequence[str]) -> Key:
        """Write the option; its product looks different now."""
        if values["product_id"] is not None:
            touch_sharing(self.db, [values["product_id"]], self.context)
        return super().insert(values, languages)

    def change(
        self, id: Key, row: Record, values: Values, languages: Sequence[str]
    ) -> bool:
        """Change the option; without inventory it is in no combination.

        Source: spec/entities/combinations.md, rule 8.
        """
        changed = super().change(id, row, values, languages)
        if not changed:
            return False
        touch_sharing(self.db, self._products(row), self.context)
        if row["inventory"] == "Y" and values.get("inventory") == "N":
            drop_combinations(self.db, "option", [int(id)], self.context)
        return True

    def locked_row(self, id: Key) -> Record:
        """Hold an option, after the products that show something of it."""
        if self.db.concurrent:
            below = self.product_id if self._deleting else None
            products = products_of(self.db, int(id))
            hold_sharing(self.db, [below] if below in products else products)
        return super().locked_row(id)

    def guard(self, row: Record) -> None:
        """Refuse a scoped caller; its own product may let a global option go."""
        if not self._unlinks(row):
            super().guard(row)

    def delete(self, id: Key) -> Result:
        """Delete the option; a global one below a product is only unlinked."""
        self._deleting = True
        if self.product_id is not None:
            refuse_borrowed(self.db, self.product_id, int(id))
        return super().delete(id)

    _deleting = False

    def _unlinks(self, row: Record) -> bool:
        below = self.context.parent is not None
        return self._deleting and below and row["product_id"] is None

    def remove(self, id: Key, row: Record) -> None:
        """Delete or unlink, with the combinations and exceptions that name it.

        Source: spec/entities/options.md, rules 6 and 11.
        """
        option_id, product_id = int(id), self.product_id
        unlinks = self._unlinks(row)
        if unlinks and product_id is not None:
            self._check_product(product_id)
        touched = [product_id] if unlinks and product_id else self._products(row)
        touch_sharing(self.db, touched, self.context)
        only = sharing(self.db, touched) if unlinks else None
        for drop in (drop_combinations, drop_exceptions):
            drop(self.db, "option", [option_id], self.context, only=only)
        if unlinks:
            link = {"product_id": product_id, "option_id": option_id}
            self.db.delete(table_of(ProductOption), link)
            self.record(Operation.UPDATE, option_id, link, {}, row=row)
            return
        drop_variant_images(self.db, [option_id], self.context)
        super().remove(id, row)

    def _products(self, row: Record) -> list[int]:
        return products_of(self.db, int(row["option_id"]), row["product_id"])


def loses_variants(before: str, after: str) -> bool:
    """Whether a change of the type drops the variants.

    Source: spec/entities/options.md, rule 5.
    """
    return before != after and before in SELECTED and not {before, after} <= LISTED
