"""Variation groups: similar products, and the features in which they differ."""

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi import (
    AnyOf,
    Condition,
    InvalidInput,
    Key,
    Params,
    Record,
    Refused,
    Result,
    TableEntity,
    Where,
    allow,
    equals,
    query,
)
from storeapi.core.conditions import linked
from storeapi.core.entity import STATUS_CREATED, STATUS_NO_CONTENT, STATUS_OK
from storeapi.core.filters import read_ids
from storeapi.core.writing import Values
from storeapi.entities.product_variations_groups.fields import (
    ChosenFeature,
    ProductVariationsGroupFields,
)
from storeapi.models import Product, VariationGroup, VariationGroupFeature
from storeapi.rules.catalog_items import MOST_FEATURES, GroupFeature, Joined
from storeapi.rules.sharing import Work
from storeapi.rules.touching import touch_products
from storeapi.rules.variation_groups import (
    Group,
    chosen_features,
    common_features,
    hold_groups,
    hold_members,
    read_group,
)
from storeapi.rules.variations import (
    create_group,
    disband,
    join,
    refuse_all,
    set_members,
)

_CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NUMBER = query(
    select(VariationGroup.id).where(
        VariationGroup.code == bindparam("code", required=True)
    )
)
_COMPANIES = query(
    select(Product.product_id, Product.company_id).where(
        Product.product_id.in_(bindparam("ids", expanding=True))
    )
)


def _with_products(entity: Any, value: Any) -> Condition:
    return linked(
        "has products",
        VariationGroup.id,
        Product.variation_group_id,
        lambda: Product.product_id.in_(bindparam("product_ids", expanding=True)),
        {"product_ids": read_ids("product_ids", value)},
    )


def _with_features(entity: Any, value: Any) -> Condition:
    link = VariationGroupFeature
    return linked(
        "has features",
        VariationGroup.id,
        link.group_id,
        lambda: link.feature_id.in_(bindparam("feature_ids", expanding=True)),
        {"feature_ids": read_ids("feature_ids", value)},
    )


class ProductVariationsGroups(TableEntity[VariationGroup]):
    """Similar products tied together; found by ID or by code."""

    name = "product_variations_groups"
    list_key = "groups"
    model = VariationGroup
    fields = ProductVariationsGroupFields
    filters = (
        Where("product_ids", _with_products),
        Where("feature_ids", _with_features),
        AnyOf(company_id=VariationGroup.company_id),
    )
    touched = "updated_at"
    unique = {"code": "code"}
    privileges = allow(view="view_catalog", manage="manage_catalog")
    parents = {"stores": "company_id", "vendors": "company_id"}
    answers = {"create": int, "update": int}

    # A path names a group by its ID or its code.

    def is_valid_identifier(self, id: str) -> bool:
        """Digits only are an ID; anything else of the right letters is a code."""
        if id.isascii() and id.isdigit():
            return super().is_valid_identifier(id)
        return _CODE.fullmatch(id) is not None

    def identifier(self, id: str) -> Key:
        """Read an ID or a code from the path."""
        if not self.is_valid_identifier(id):
            raise self.missing(id[:40])
        return int(id) if id.isdigit() else id

    def identity(self, id: Key) -> Condition:
        """The condition that finds a group by its ID or its code."""
        if isinstance(id, str):
            return equals(VariationGroup.code, id, role="id")
        return super().identity(id)

    # Writing

    _comers: Sequence[int] = ()

    def locked_row(self, id: Key) -> Record:
        """Hold a group, along with those out of which products are to come."""
        if self._comers:
            number = self.db.value(_NUMBER, code=id) if isinstance(id, str) else id
            hold_groups(self.db, [number] if number else (), self._comers)
        return super().locked_row(id)

    @property
    def work(self) -> Work:
        """The transaction, as the rules of variations want it."""
        return Work(self.db, self.context)

    def create(self, params: Params) -> Result:
        """Make a group of the products that can join it.

        Source: spec/entities/product_variations_groups.md, rules 2 to 5.
        """
        values = self.load(params, partial=False)
        self.check(values, None)
        ids = values["product_ids"]
        hold_groups(self.db, (), ids)
        company_id = self._company_of(ids)
        features = self._features(values.get("features"), ids)
        code = values.get("code") or ""
        group = self.guarded(
            lambda: create_group(self.work, company_id, code, features)
        )
        statuses = join(self.work, group, ids)
        refuse_all(statuses)
        return Result(
            STATUS_CREATED,
            {
                "id": group.id,
                "group": self.read_one(group.id, {}),
                "products_status": _numbers(statuses),
            },
        )

    def check(self, values: Values, row: Record | None) -> None:
        """Judge the code.

        Source: spec/entities/product_variations_groups.md, rule 1.
        """
        code = values.get("code")
        if not code:
            if row is not None and code is not None:
                raise InvalidInput.of("code", "is required", "required")
            return
        if not _CODE.fullmatch(code):
            text = "must be 1 to 64 Latin letters, digits, - and _"
            raise InvalidInput.of("code", text)
        if code.isdigit():
            raise InvalidInput.of("code", "must not be digits only")

    def _company_of(self, ids: Sequence[int]) -> int:
        """The company of a new group: that of its first product.

        Raises: `InvalidInput` for products that the caller does not have.
        """
        companies: dict[int, int] = dict(self.db.rows(_COMPANIES, ids=ids))
        if self.context.parent is not None:
            allowed = {self.context.parent.id}
        elif self.caller.is_scoped:
            allowed = {self.caller.company_id}
        else:
            allowed = set(companies.values())
        missing = [str(id) for id in ids if companies.get(id, -1) not in allowed]
        if missing:
            text = f"names products that do not exist: {', '.join(missing)}"
            raise InvalidInput.of("product_ids", text, "unknown")
        return int(companies[ids[0]])

    def _features(
        self, chosen: Sequence[ChosenFeature] | None, ids: Sequence[int]
    ) -> tuple[GroupFeature, ...]:
        if chosen:
            features = chosen_features(self.db, chosen, self.caller)
            if features is None:
                text = "names a feature by which variations cannot differ"
                raise InvalidInput.of("features", text)
            return features
        features = common_features(self.db, ids, self.caller)
        if not features:
            raise Refused("the products have no variation feature in common")
        if len(features) > MOST_FEATURES:
            raise Refused(f"more than {MOST_FEATURES} features: choose some of them")
        return features

    def update(self, id: Key, params: Params) -> Result:
        """Rename a group, or say exactly which products are its members.

        Source: spec/entities/product_variations_groups.md, rule 6 and 7.2.
        """
        try:
            values = self.load(params, partial=True)
        except InvalidInput:
            self.read_parent(id)  # that there is no such group is told first
            raise
        self._comers = values.get("product_ids", ())
        row = self.locked_row(id)
        self.guard(row)
        self.check(values, row)
        number = int(row["id"])
        ids = values.pop("product_ids", None)
        if self.guarded(lambda: self.change(number, row, values, ())):
            # The members show the code.
            touch_products(self.db, hold_members(self.db, number), self.context)
        answer: Record = {"id": number, "code": values.get("code", row["code"])}
        if ids is not None:
            self._company_of(ids)
            statuses = set_members(self.work, self._group(number), ids)
            answer["products_status"] = _numbers(statuses)
        return Result(STATUS_OK, answer)

    def _group(self, id: int) -> Group:
        group = read_group(self.db, id, lock=True)
        assert group is not None, "its row is held"
        return group

    def delete(self, id: Key) -> Result:
        """Disband a group; its members stay as ordinary products.

        Source: spec/entities/product_variations_groups.md, rule 7.
        """
        row = self.locked_row(id)
        self.guard(row)
        disband(self.work, self._group(int(row["id"])))
        return Result(STATUS_NO_CONTENT)


def _numbers(statuses: dict[int, Joined]) -> dict[str, int]:
    return {str(id): int(status) for id, status in statuses.items()}
