"""The values that are set to features of a product, or taken away: judged, written.

Source: spec/entities/products.md, 2.6; spec/entities/features.md, rule 5.8.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from marshmallow import ValidationError
from sqlalchemy import and_, bindparam, select

from storeapi.core.database import Row, Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import FieldError
from storeapi.core.kinds import errors_of, invalid
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import (
    Feature,
    FeatureCategory,
    FeatureVariant,
    ProductFeatureText,
    ProductFeatureValue,
)
from storeapi.rules.feature_sent import NONE, Value, sent_value
from storeapi.rules.feature_values import category_chain
from storeapi.rules.features import VARIANT_TYPES, faults, touch_products
from storeapi.rules.sharing import Work
from storeapi.rules.variations import values_changed

_VALUES = table_of(ProductFeatureValue)
_TEXTS = table_of(ProductFeatureText)
_ids: Any = bindparam("ids", expanding=True)

_DEFINITIONS = query(
    select(Feature.feature_id, Feature.feature_type, Feature.status, Feature.company_id)
    .where(Feature.feature_id.in_(_ids))
    .order_by(Feature.feature_id)
    .with_for_update(read=True)
)
_STORED = query(
    select(
        ProductFeatureValue.feature_id,
        ProductFeatureValue.variant_id,
        ProductFeatureValue.value,
        ProductFeatureValue.value_int,
        ProductFeatureText.value,
    )
    .outerjoin(
        ProductFeatureText,
        and_(
            ProductFeatureText.product_id == ProductFeatureValue.product_id,
            ProductFeatureText.feature_id == ProductFeatureValue.feature_id,
            ProductFeatureText.lang_code == bindparam("lang_code", required=True),
        ),
    )
    .where(
        ProductFeatureValue.product_id == bindparam("product_id", required=True),
        ProductFeatureValue.feature_id.in_(_ids),
    )
)
_LIMITS = query(
    select(FeatureCategory.feature_id, FeatureCategory.category_id).where(
        FeatureCategory.feature_id.in_(_ids)
    )
)
_VARIANTS = query(
    select(FeatureVariant.variant_id, FeatureVariant.feature_id).where(
        FeatureVariant.variant_id.in_(_ids)
    )
)
_NUMBERED = query(
    select(FeatureVariant.variant_id)
    .where(
        FeatureVariant.feature_id == bindparam("id", required=True),
        FeatureVariant.value_int == bindparam("number", required=True),
    )
    .order_by(FeatureVariant.position, FeatureVariant.variant_id)
    .limit(1)
)

_SPOKEN = ("variant_id", "variants", "value_int", "value")
"""The keys of a value, in the order in which an error takes one for its field."""


def save_values(
    db: Transaction,
    product_id: int,
    sent: Mapping[int, Any],
    context: Context,
    *,
    field: str = "product_features.{}",
) -> frozenset[int]:
    """Set or remove the values that are sent; return the features that changed.

    A value that is sent as it stands is not judged: a record may be sent back
    though a feature was disabled since. The caller holds the product, and notes
    its change.
    Shapes: `sent` maps a feature ID to a value of any shape; `field` names the
    value in errors. Raises: `InvalidInput` naming every bad value.
    """
    if not sent:
        return frozenset()
    saving = _Saving(db, product_id, context, field)
    changed = saving.differing(sent)
    saving.judge(changed)
    faults(saving.errors)
    saving.write(changed)
    if changed:
        values_changed(Work(db, context), product_id, changed)
    return frozenset(changed)


def judge_variants(
    db: Transaction,
    product_id: int,
    wanted: Mapping[int, Iterable[int]],
    context: Context,
    *,
    field: str,
) -> None:
    """Judge variants that copies of a product are to have, as if it got them itself.

    That which it has is not judged.
    Shapes: `wanted` maps a feature ID to variant IDs. Raises: `InvalidInput` naming
    every bad one.
    """
    saving = _Saving(db, product_id, context, field)
    saving.load(wanted)
    new: dict[int, Value] = {}
    for id, variants in wanted.items():
        if id not in saving.types:
            saving.fault(id, invalid("names a feature that does not exist", "unknown"))
            continue
        has = saving.stored.get(id, NONE).variants
        new[id] = Value(variants=frozenset(variants) - has)
    saving.judge(new)
    faults(saving.errors)


def set_value(
    db: Transaction, product_id: int, feature_id: int, value: Any, context: Context
) -> bool:
    """Set the value of one feature, and note the change of the product.

    Shapes: `value` in any shape of a payload; `None` removes it.
    Raises: `InvalidInput`.
    """
    sent = {feature_id: value}
    names = value if isinstance(value, dict) else {}
    field = next((name for name in _SPOKEN if names.get(name)), "value")
    if not save_values(db, product_id, sent, context, field=field):
        return False
    touch_products(db, [product_id], context, sent)
    return True


class _Saving:
    """The work on the values of one product."""

    def __init__(
        self, db: Transaction, product_id: int, context: Context, field: str
    ) -> None:
        self.db = db
        self.product_id = product_id
        self.context = context
        self.field = field
        self.errors: list[FieldError] = []
        self.types: dict[int, str] = {}
        self.states: dict[int, tuple[str, int]] = {}
        self.stored: dict[int, Value] = {}
        every = context.installation.languages
        self.languages = context.written or every[:1]

    def fault(self, id: int, error: ValidationError) -> None:
        """Note what is wrong with a value."""
        name = self.field.format(id)
        for each in errors_of(error):
            inner = each.field
            path = name if inner in ("", "_schema") else f"{name}.{inner}"
            self.errors.append(FieldError(path, each.message, each.code))

    def differing(self, sent: Mapping[int, Any]) -> dict[int, Value]:
        """Read what is sent, and keep what is not so already."""
        self.load(sent)
        changed: dict[int, Value] = {}
        for id, raw in sent.items():
            try:
                value = self._read(id, raw)
            except ValidationError as error:
                self.fault(id, error)
                continue
            if value is not None and value != self.stored.get(id, NONE):
                changed[id] = value
        return changed

    def load(self, ids: Iterable[int]) -> None:
        """Read features, and what the product has of them."""
        for batch in batches(sorted(ids)):
            for id, letter, *state in self.db.rows(_DEFINITIONS, ids=batch):
                self.types[id] = letter
                self.states[id] = (state[0], state[1])
            self._load_stored(batch)

    def _load_stored(self, ids: Sequence[int]) -> None:
        rows: dict[int, list[Row]] = {}
        for row in self.db.rows(
            _STORED, product_id=self.product_id, ids=ids, lang_code=self.languages[0]
        ):
            rows.setdefault(row[0], []).append(row)
        for id, found in rows.items():
            self.stored[id] = _stored_value(self.types.get(id, "S"), found)

    def _read(self, id: int, raw: Any) -> Value | None:
        if id not in self.types:
            raise invalid("names a feature that does not exist", "unknown")
        value = sent_value(self.types[id], raw)
        if value is None or self.types[id] != "N" or value.number is None:
            return value
        found = self.db.value(_NUMBERED, id=id, number=value.number)
        if found is None:
            raise invalid("is the number of no variant", "unknown")
        return Value(variants=frozenset((found,)))

    def judge(self, changed: Mapping[int, Value]) -> None:
        """Note what the features do not accept."""
        given = {id: value for id, value in changed.items() if value != NONE}
        limits = self._limits(given)
        chain = set(category_chain(self.db, self.product_id)) if limits else set()
        owners = self._owners(given)
        for id, value in given.items():
            try:
                self._judge(id, value, owners)
                if id in limits and chain.isdisjoint(limits[id]):
                    raise invalid("is a feature of other categories")
            except ValidationError as error:
                self.fault(id, error)

    def _judge(self, id: int, value: Value, owners: Mapping[int, int]) -> None:
        status, company_id = self.states[id]
        caller = self.context.caller
        if caller.is_scoped and company_id not in (0, caller.company_id):
            raise invalid("names a feature that does not exist", "unknown")
        if status == "D":
            raise invalid("is a feature that is disabled")
        foreign = sorted(v for v in value.variants if owners.get(v) != id)
        if foreign:
            text = f"names variants that the feature does not have: {foreign[0]}"
            raise invalid(text, "unknown")

    def _limits(self, ids: Iterable[int]) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {}
        for batch in batches(ids):
            for feature_id, category_id in self.db.rows(_LIMITS, ids=batch):
                found.setdefault(feature_id, set()).add(category_id)
        return found

    def _owners(self, changed: Mapping[int, Value]) -> dict[int, int]:
        ids = [id for value in changed.values() for id in value.variants]
        return {
            row[0]: row[1]
            for batch in batches(ids)
            for row in self.db.rows(_VARIANTS, ids=batch)
        }

    def write(self, changed: Mapping[int, Value]) -> None:
        """Replace the rows of the values that differ."""
        texts = {
            id: value
            for id, value in changed.items()
            if self.types[id] == "T" and value != NONE
        }
        for batch in batches(id for id in changed if id not in texts):
            where = {"product_id": self.product_id, "feature_id": batch}
            self.db.delete(_TEXTS, where)
            self.db.delete(_VALUES, where)
        rows = [
            row
            for id, value in changed.items()
            if value != NONE and not (id in texts and id in self.stored)
            for row in _rows(self.product_id, id, value, self.types[id])
        ]
        self.db.insert_many(_VALUES, rows)
        for id, value in texts.items():
            self._write_text(id, value.text)

    def _write_text(self, id: int, text: str) -> None:
        key = {"product_id": self.product_id, "feature_id": id}
        if id in self.stored:
            where = {**key, "lang_code": list(self.languages)}
            self.db.update(_TEXTS, where, {"value": text})
            return
        every = self.context.installation.languages
        rows = [{**key, "lang_code": code, "value": text} for code in every]
        self.db.insert_many(_TEXTS, rows)


def _stored_value(feature_type: str, rows: Sequence[Row]) -> Value:
    """The value that rows of `product_feature_values` stand for.

    Shapes: feature, variant, flag, number, and the text in one language.
    """
    if feature_type in VARIANT_TYPES:
        return Value(variants=frozenset(row[1] for row in rows if row[1] is not None))
    _, _, flag, number, text = rows[0]
    return Value(text if feature_type == "T" and text else flag, number)


def _rows(
    product_id: int, feature_id: int, value: Value, feature_type: str
) -> list[dict[str, Any]]:
    base = {
        "product_id": product_id,
        "feature_id": feature_id,
        "slot": 0,
        "variant_id": None,
        "value": value.text if feature_type == "C" else "",
        "value_int": value.number,
    }
    if feature_type not in VARIANT_TYPES:
        return [base]
    return [base | {"slot": id, "variant_id": id} for id in sorted(value.variants)]
