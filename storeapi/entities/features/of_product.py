"""The features of a product: a path that acts on values, never on definitions."""

from collections.abc import Iterable

from storeapi import Condition, Forbidden, InvalidInput, Key, NotFound, Params, Result
from storeapi.core.entity import STATUS_CREATED, STATUS_NO_CONTENT, STATUS_OK
from storeapi.core.filters import read_value
from storeapi.core.kinds import Id
from storeapi.core.listing import values_of
from storeapi.core.writing import write_languages
from storeapi.entities.features.definitions import VALUE_FIELDS, Definitions
from storeapi.entities.features.filters import of_product
from storeapi.rules.feature_saving import set_value
from storeapi.rules.feature_values import (
    ProductRow,
    has_value,
    held_product,
    visible_product,
)
from storeapi.rules.options import common_of, refuse_offer
from storeapi.rules.variation_groups import hold_groups

_SENT = ("value", "value_int", "variant_id")
_FEATURE_ID = Id()


class FeaturesOfProduct(Definitions):
    """The features that apply to a product, with its values.

    Source: spec/entities/features.md, rule 5.9.
    """

    parents = {"products": None}
    accepts = frozenset(_SENT)

    def index(self, id: Key | None, params: Params) -> Result:
        """Return a feature with the product's value, or a page."""
        parent = self.context.parent
        assert parent is not None, "this class serves below products only"
        self.product = visible_product(self.reader, int(parent.id), self.caller)
        if self.product is None:
            raise NotFound(f"products {parent.id} does not exist")
        return super().index(id, params)

    def scope(self) -> Iterable[Condition]:
        """Features that apply to the product, and all that it shows a value of.

        Who sees the product sees its values, whatever company the feature is of.
        """
        product, caller = self.product, self.caller
        if product is None or caller.is_customer:
            yield from super().scope()
        if product is not None:
            owners = {0, product.company_id}
            if caller.is_scoped:
                owners &= {0, caller.company_id}
            yield of_product(self.reader, product.product_id, owners)

    def lock(self, id: Key) -> None:
        """Hold the product: its values are what is written."""
        self._held()

    def _held(self) -> ProductRow:
        """The product, held against other writers.

        Raises: `Forbidden` for a common product and a scoped caller.
        """
        assert self.context.parent is not None
        hold_groups(self.db, (), [int(self.context.parent.id)])
        product = held_product(self.db, int(self.context.parent.id))
        if self.caller.is_scoped and product.company_id != self.caller.company_id:
            raise Forbidden("the product belongs to the whole installation")
        return product

    def _known(self, id: Key, product: ProductRow) -> bool:
        """Whether the caller sees the feature at all, or by the product's value."""
        conditions = [self.identity(id), *super().scope()]
        query = self.declaration.source.columns(
            "known", [self.declaration.id], conditions
        )
        values = values_of(conditions)
        lang_code = self.context.lang_code
        if self.reader.row(query, lang_code=lang_code, **values) is not None:
            return True
        return has_value(self.reader, product.product_id, int(id))

    def create(self, params: Params) -> Result:
        """Set a value, or make a feature of the product's main category."""
        product = self._held()
        refuse_offer(self.db, product.product_id, "features")
        if params.get("feature_id") in (None, ""):
            return self._define(product, params)
        id = read_value(
            "feature_id", _FEATURE_ID.read_filter, str(params["feature_id"])
        )
        if not self._known(id, product):
            raise InvalidInput.of("feature_id", f"{id} does not exist", "unknown")
        if not any(name in params for name in (*_SENT, "variants")):
            raise InvalidInput.of("value", "is required", "required")
        self._set(product, id, params)
        return Result(STATUS_CREATED, {self.id_key: id})

    def _define(self, product: ProductRow, params: Params) -> Result:
        body = {**params, "categories_path": str(product.main_category or "")}
        result = super().create(body)
        assert isinstance(result.data, dict)
        sent = {name: params[name] for name in _SENT if name in params}
        if sent:
            set_value(
                self.db,
                product.product_id,
                int(result.data[self.id_key]),
                sent,
                self.context,
            )
        return result

    def _set(self, product: ProductRow, id: int, params: Params) -> bool:
        self.context.written = write_languages(self, params, every=False)
        known = {*VALUE_FIELDS, "lang_code", *self.declaration.kinds}
        unknown = [name for name in params if name not in known]
        unknown = [name for name in unknown if not self.is_parent_id(name)]
        self.context.pass_over(unknown)
        return set_value(self.db, product.product_id, id, dict(params), self.context)

    def update(self, id: Key, params: Params) -> Result:
        """Set the value of a feature."""
        product = self._held()
        if not self._known(id, product):
            raise self.missing(id)
        if common_of(self.db, product.product_id) is not None:
            # A whole record may be sent back: what is inherited is not heard.
            self.context.ignored_fields.extend(n for n in params if n in VALUE_FIELDS)
        else:
            self._set(product, int(id), params)
        return Result(STATUS_OK, {self.id_key: id})

    def delete(self, id: Key) -> Result:
        """Remove the value of a feature.

        Raises: `NotFound` where the product has none.
        """
        product = self._held()
        refuse_offer(self.db, product.product_id, "features")
        removed = self._known(id, product) and set_value(
            self.db, product.product_id, int(id), None, self.context
        )
        if not removed:
            text = f"product {product.product_id} has no value of feature {id}"
            raise NotFound(text)
        return Result(STATUS_NO_CONTENT)
