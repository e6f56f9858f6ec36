"""What a product's record shows, and a payload says, of its variation group.

Source: spec/entities/product_variations.md, sections 2 and 3.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from sqlalchemy import ColumnElement, Select, and_, bindparam, case, func, or_, select
from sqlalchemy.orm import aliased
from sqlalchemy.sql.util import ClauseAdapter

from storeapi import (
    AnyOf,
    Condition,
    Connection,
    Context,
    Id,
    Integer,
    InvalidInput,
    Nested,
    Params,
    Transaction,
    Where,
)
from storeapi.core.conditions import constant
from storeapi.core.declared import DeclaredEntity
from storeapi.core.filters import Filter, read_ids, read_texts
from storeapi.core.kinds import (
    ABSENT,
    LARGEST_ID,
    JsonSchema,
    Options,
    Writer,
    integer_of,
    invalid,
)
from storeapi.core.matching import matching_among
from storeapi.core.reading import read_flag
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import Product, ProductText, VariationGroup
from storeapi.rules.catalog_items import PURPOSES
from storeapi.rules.feature_records import load_values
from storeapi.rules.variation_records import (
    features_variants,
    group_features,
    variation_names,
)

INFO = ("get_variation_info", False)
"""The flag with which list records tell of the group."""

GROUP_CODE = (
    select(VariationGroup.code)
    .where(VariationGroup.id == Product.variation_group_id)
    .scalar_subquery()
)
PARENT = case(
    (
        Product.variation_group_id.is_not(None),
        func.coalesce(Product.parent_product_id, 0),
    )
)
_other = aliased(Product)


class GroupId(Id):
    """The group of a product, or null; 0, null and an empty text are no group."""

    def __init__(self, **options: Unpack[Options]) -> None:
        super().__init__(zero=True, **options)

    def parse(self, value: Any) -> Any:
        """Read an ID, or none."""
        return super().parse(0 if value == "" else value)

    def writer(self, *, full: bool = True) -> Writer | None:
        """Write null as it is."""
        return Integer.writer(self, full=full)


class ChosenValues(Nested):
    """Variants by feature ID, for the features on which the group is based."""

    def parse(self, value: Any) -> dict[int, int]:
        """Read an object of variant IDs."""
        if value == []:
            return {}
        if not isinstance(value, dict):
            raise invalid("must be an object of variant IDs by feature ID")
        found = {integer_of(key): integer_of(raw) for key, raw in value.items()}
        if any(not 0 < id <= LARGEST_ID for pair in found.items() for id in pair):
            raise invalid("holds an ID that cannot be")
        return found

    def save(
        self, db: Transaction, owner_id: Any, value: Any, context: Context
    ) -> bool:
        """They are saved among the other feature values."""
        return False

    def payload_schema(self) -> JsonSchema:
        """Describe the object."""
        return {"type": "object", "additionalProperties": {"type": "integer"}}


class VariationFeatures(Nested):
    """The values of all features with a variation purpose."""

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the values of a page."""
        return load_values(db, ids, context, purposes=PURPOSES)


def _group_features(
    db: Connection, ids: Sequence[int], context: Context
) -> dict[int, list[tuple[int, str]]]:
    """The features of the groups of a page, read once for the fields that want them."""
    found: dict[int, list[tuple[int, str]]] = context.once(
        "group features", lambda: group_features(db, ids, context.caller)
    )
    return found


class VariationFeatureIds(Nested):
    """The features on which the group is based."""

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the features of a page."""
        found = _group_features(db, ids, context)
        return {id: [str(pair[0]) for pair in pairs] for id, pairs in found.items()}


class VariationFeatureCollection(Nested):
    """The same features with their purposes."""

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the features of a page."""
        return {
            id: {
                str(feature): {"feature_id": str(feature), "purpose": purpose}
                for feature, purpose in pairs
            }
            for id, pairs in _group_features(db, ids, context).items()
        }


class VariationFeaturesVariants(Nested):
    """What a selector on the storefront needs."""

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Load the features and variants of the groups of a page."""
        return features_variants(db, ids, context)


class VariationName(Nested):
    """The name with the varying values."""

    optional = True

    def load(
        self, db: Connection, ids: Sequence[int], context: Context
    ) -> Mapping[int, Any]:
        """Make the names of a page."""
        return variation_names(db, ids, context)

    def empty(self) -> Any:
        """Every product has a name."""
        return ABSENT

    def record_schema(self) -> JsonSchema:
        """Describe the name."""
        return {"type": "string"}


def _of_same_group(entity: Any, value: Any) -> Condition:
    bound: Any = bindparam("variations_by", expanding=True)
    return Condition(
        "variations by product",
        lambda: Product.variation_group_id.in_(
            select(_other.variation_group_id).where(
                _other.product_id.in_(bound), _other.variation_group_id.is_not(None)
            )
        ),
        {"variations_by": read_ids("variations_by_product_id", value)},
    )


def _has_group(entity: Any, value: Any) -> Condition:
    if read_switch("has_variation_group", value):
        return IN_A_GROUP
    return constant("in no group", lambda: Product.variation_group_id.is_(None))


def read_switch(name: str, value: Any) -> bool:
    """Read a parameter that is on or off.

    Raises: `InvalidInput`.
    """
    flag = read_flag(value)
    if flag is None:
        raise InvalidInput.of(name, "must be 0 or 1")
    return flag


IN_A_GROUP = constant("in a group", lambda: Product.variation_group_id > 0)
_CHILD = constant("child", lambda: Product.parent_product_id > 0)
_NO_CHILD = replace(
    constant("no child", lambda: Product.parent_product_id.is_(None)),
    rest=_CHILD,
    own=True,
)
_FEW_CHILDREN = 1000
_CHILDREN = query(
    select(Product.product_id)
    .where(_CHILD.build())
    .limit(bindparam("most", required=True))
)
FOLDED = constant("folded", lambda: Product.parent_product_id.is_(None))
"""Stands for the wish to fold; `folded` does it."""


class ChildVariations(Filter):
    """Whether child variations stand beside their default product, or are folded in.

    A default stands for its whole catalog item: it is listed if it meets the other
    filters itself, or a child does that is folded into it.
    """

    params = ("include_child_variations", "group_child_variations")

    def conditions(
        self, entity: Any, params: Params, applied: dict[str, Any]
    ) -> Iterable[Condition]:
        """Leave child variations out if one of the two says so."""
        given = read_texts(params, self.params)
        found = {name: read_switch(name, text) for name, text in given.items()}
        applied.update(found)
        if found.get(self.params[1], False):
            yield FOLDED
        elif not found.get(self.params[0], True):
            yield _NO_CHILD


_member = table_of(Product).alias("member")
_ADAPTER = ClauseAdapter(_member)
_OWN_TEXTS = and_(
    ProductText.product_id == _member.c.product_id,
    ProductText.lang_code == bindparam("lang_code", required=True),
)


def folded(
    entity: DeclaredEntity, conditions: Sequence[Condition], scope: int
) -> list[Condition]:
    """Let defaults meet what their child variations meet, if that was asked for.

    Shapes: the first conditions, as many as `scope` says, are no filters: both
    the default and the child have to meet them.
    """
    if FOLDED not in conditions:
        return list(conditions)
    inner = [each for each in conditions if each is not FOLDED]
    if len(inner) == scope or not _any_child(entity, inner):
        return [*inner, _NO_CHILD]

    def members(leader: Any, clauses: Sequence[Any]) -> Select[Any]:
        found = select(leader).select_from(_member)
        if any(each.texts for each in inner):
            found = found.join(ProductText, _OWN_TEXTS)
        return found.where(*[_ADAPTER.traverse(clause) for clause in clauses])

    def build() -> ColumnElement[bool]:
        leader = func.coalesce(_member.c.parent_product_id, _member.c.product_id)
        clauses = [each.build() for each in inner]
        return Product.product_id.in_(members(leader, clauses))

    def test() -> ColumnElement[bool]:
        keys = (_member.c.product_id, _member.c.parent_product_id)
        own = or_(*[key == Product.product_id for key in keys])
        clauses = [(each.test or each.build)() for each in inner]
        found = members(_member.c.product_id, clauses).where(own).exists()
        return and_(_NO_CHILD.build(), found)

    values: dict[str, Any] = {}
    for each in inner:
        values |= each.values
    key = ("folded", *[each.key for each in inner])
    prepare = all(each.prepare for each in inner)
    leads = Condition(key, build, values, prepare=prepare, test=test)
    return [*inner[:scope], leads]


def _any_child(entity: DeclaredEntity, conditions: Sequence[Condition]) -> bool:
    """Whether a child variation meets the conditions, or there are too many to ask.

    Shops that have few or none are so spared to look for them among all matches.
    """
    rows = entity.reader.rows(_CHILDREN, most=_FEW_CHILDREN + 1)
    if len(rows) > _FEW_CHILDREN:
        return True
    return any(matching_among(entity, [row[0] for row in rows], conditions))


VARIATION_FILTERS: tuple[Filter, ...] = (
    AnyOf(variation_group_id=Product.variation_group_id),
    Where("variations_by_product_id", _of_same_group),
    Where("has_variation_group", _has_group),
    ChildVariations(),
)
NAMING_VARIATIONS = frozenset(
    {
        *(name for each in VARIATION_FILTERS for name in each.params),
        "product_type",
        "parent_product_id",
        "pid",
    }
)
"""Filters with which a list is meant to hold child variations, or says itself."""
