"""The variants of a feature: a set that a write replaces whole.

Source: spec/entities/features.md, 2.2, rules 5.2, 5.4 and 5.5.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import and_, bindparam, exists, select

from storeapi.core.database import Connection, Transaction
from storeapi.core.entity import Context
from storeapi.core.errors import FieldError, Refused
from storeapi.core.folding import folded
from storeapi.core.rows import table_of
from storeapi.core.statement import batches, query
from storeapi.models import (
    FeatureVariant,
    FeatureVariantText,
    Product,
    ProductFeatureValue,
    VariationGroupFeature,
)
from storeapi.models.base import KEY_LENGTH
from storeapi.rules.feature_records import PICTURE
from storeapi.rules.feature_variant_sent import OWN, WORDS, SentVariant, number_in
from storeapi.rules.features import faults, touch_products

_VARIANTS = table_of(FeatureVariant)
_TEXTS = table_of(FeatureVariantText)
_ids: Any = bindparam("ids", expanding=True)

_STORED = query(
    select(
        FeatureVariant.variant_id,
        *[getattr(FeatureVariant, name) for name in OWN],
        FeatureVariant.value_int,
        *[getattr(FeatureVariantText, name) for name in WORDS],
    )
    .join(
        FeatureVariantText,
        and_(
            FeatureVariantText.variant_id == FeatureVariant.variant_id,
            FeatureVariantText.lang_code == bindparam("lang_code", required=True),
        ),
    )
    .where(FeatureVariant.feature_id == bindparam("id", required=True))
    .order_by(FeatureVariant.position, FeatureVariant.variant_id)
)
_NAMES = ("variant_id", *OWN, "value_int", *WORDS)
_OF_FEATURES = query(
    select(FeatureVariant.variant_id).where(FeatureVariant.feature_id.in_(_ids))
)
_USED = query(
    select(ProductFeatureValue.product_id)
    .where(ProductFeatureValue.variant_id.in_(_ids))
    .distinct()
)
_ALL_NAMES = query(
    select(FeatureVariantText.variant)
    .join(FeatureVariant, FeatureVariant.variant_id == FeatureVariantText.variant_id)
    .where(FeatureVariant.feature_id == bindparam("id", required=True))
)
_IN_VARIATIONS = query(
    select(ProductFeatureValue.variant_id)
    .join(Product, Product.product_id == ProductFeatureValue.product_id)
    .where(
        ProductFeatureValue.variant_id.in_(_ids),
        exists().where(
            VariationGroupFeature.group_id == Product.variation_group_id,
            VariationGroupFeature.feature_id == ProductFeatureValue.feature_id,
        ),
    )
    .order_by(ProductFeatureValue.variant_id)
    .limit(1)
)


def check_numbers(
    db: Connection, feature_id: int | None, sent: Iterable[SentVariant]
) -> None:
    """Refuse names of type `N` that are no decimals, unless they stand so already.

    Raises: `InvalidInput`. Source: spec/entities/features.md, rule 5.10.
    """
    wrong = [each for each in sent if each.name and number_in(each.name) is None]
    if not wrong:
        return
    known: set[str] = set()
    if feature_id is not None:
        known = {row[0] for row in db.rows(_ALL_NAMES, id=feature_id)}
    faults(
        [
            FieldError(f"variants.{each.key}.variant", "must be a decimal number")
            for each in wrong
            if each.name not in known
        ]
    )


def save_variants(
    db: Transaction,
    feature_id: int,
    sent: Sequence[SentVariant],
    context: Context,
) -> bool:
    """Make the variants of a feature those that are sent; tell whether any changed.

    The caller holds the feature. Variants that are not named are deleted together
    with their use in products.
    Raises: `InvalidInput`; `Refused` for a variant that tells variations apart.
    """
    return _Saving(db, feature_id, context).apply(sent)


class _Saving:
    """The work on the variants of one feature."""

    def __init__(self, db: Transaction, feature_id: int, context: Context) -> None:
        self.db = db
        self.feature_id = feature_id
        self.context = context
        every = context.installation.languages
        self.languages = list(context.written or every[:1])
        self.numbers_move = every[0] in self.languages
        rows = db.rows(_STORED, id=feature_id, lang_code=self.languages[0])
        self.stored = {row[0]: dict(zip(_NAMES, row, strict=True)) for row in rows}
        self.errors: list[FieldError] = []
        self.changed = False

    def apply(self, sent: Sequence[SentVariant]) -> bool:
        """Match, judge, then delete, change and add."""
        matched = self._match(sent)
        self._judge_names(sent, matched)
        self._judge_numbers(sent, matched)
        faults(self.errors)
        gone = self.stored.keys() - matched.values()
        if gone:
            remove_variants(self.db, self.feature_id, gone, self.context)
            self.changed = True
        for number, each in enumerate(sent):
            id = matched.get(number)
            if id is None:
                id = self._add(each)
            else:
                self._change(id, each)
            if each.picture is not None:
                self.changed |= PICTURE.save(self.db, id, each.picture, self.context)
        return self.changed

    def _fault(self, each: SentVariant, name: str, message: str, code: str) -> None:
        path = f"variants.{each.key}.{name}"
        self.errors.append(FieldError(path, message, code))

    def _match(self, sent: Sequence[SentVariant]) -> dict[int, int]:
        """Find the stored variant of each entry: by its ID, its name, else its key.

        Source: spec/entities/features.md, rule 5.4, which knows nothing of keys.
        """
        found: dict[int, int] = {}
        for number, each in enumerate(sent):
            if each.id is not None and each.id in self.stored:
                found[number] = each.id
        by_name = {folded(row["variant"]): id for id, row in self._left(found).items()}
        for number, each in enumerate(sent):
            if number not in found and each.name is not None:
                named = by_name.get(folded(each.name))
                found |= {} if named is None else {number: named}
        left = self._left(found)
        for number, each in enumerate(sent):
            if number in found:
                continue
            if each.key_id is not None and each.key_id in left:
                found[number] = each.key_id
            elif each.id is not None:
                text = f"{each.id} is no variant of the feature"
                self._fault(each, "variant_id", text, "unknown")
        return found

    def _left(self, found: Mapping[int, int]) -> dict[int, dict[str, Any]]:
        """The stored variants that no entry was found to be."""
        taken = set(found.values())
        return {id: row for id, row in self.stored.items() if id not in taken}

    def _judge_names(
        self, sent: Sequence[SentVariant], matched: Mapping[int, int]
    ) -> None:
        """Refuse a new name that another variant has.

        Names that are alike already may stay so: a new variant has its name in every
        language, and in one of them another may have had it.
        """
        fresh: list[tuple[str, SentVariant]] = []
        taken: set[str] = set()
        ids: set[int] = set()
        for number, each in enumerate(sent):
            id = matched.get(number)
            if id is None and each.name is None:
                self._fault(each, "variant", "is required", "required")
                continue
            stored = "" if id is None else str(self.stored[id]["variant"])
            name = stored if each.name is None else each.name
            if id in ids:
                self._named_twice(each, name)
            elif id is not None and folded(name) == folded(stored):
                taken.add(folded(name))
            else:
                fresh.append((name, each))
            ids |= set() if id is None else {id}
        for name, each in fresh:
            if folded(name) in taken:
                self._named_twice(each, name)
            taken.add(folded(name))

    def _named_twice(self, each: SentVariant, name: str) -> None:
        self._fault(each, "variant", f"{name!r} is named twice", "taken")

    def _judge_numbers(
        self, sent: Sequence[SentVariant], matched: Mapping[int, int]
    ) -> None:
        """Refuse a new number that another variant has: a value would mean either.

        Numbers that are alike already may stay so.
        """
        fresh: list[tuple[int, SentVariant]] = []
        taken: set[int] = set()
        for place, each in enumerate(sent):
            id = matched.get(place)
            number = self._number(id, each)
            if number is None or not each.numbered:
                continue
            if id is not None and number == self.stored[id]["value_int"]:
                taken.add(number)
            else:
                fresh.append((number, each))
        for number, each in fresh:
            if number in taken:
                text = f"{each.name!r} is the number of another variant"
                self._fault(each, "variant", text, "taken")
            taken.add(number)

    def _number(self, id: int | None, each: SentVariant) -> int | None:
        """The number that a variant is to have, in millionths.

        There is one for all languages, that of the name in the default language: a
        translation does not move it.
        Source: spec/entities/features.md, 2.3; spec/protocol.md, 13.2.
        """
        if id is None:
            return number_in(each.name or "")
        stored = self.stored[id]
        if self.numbers_move and each.name not in (None, stored["variant"]):
            return number_in(str(each.name))
        number: int | None = stored["value_int"]
        return number

    def _add(self, each: SentVariant) -> int:
        words = _with_key(each.words)
        number = self._number(None, each)
        row = {"feature_id": self.feature_id, "value_int": number, **each.own}
        row = {"color": None, "seo_name": None} | row
        id = self.db.insert(_VARIANTS, row)
        every = self.context.installation.languages
        texts = [{"variant_id": id, "lang_code": code, **words} for code in every]
        self.db.insert_many(_TEXTS, texts)
        self.changed = True
        return id

    def _change(self, id: int, each: SentVariant) -> None:
        stored = self.stored[id]
        own = {n: v for n, v in each.own.items() if stored[n] != v}
        words = {n: v for n, v in each.words.items() if stored[n] != v}
        number = self._number(id, each)
        if number != stored["value_int"]:
            own["value_int"] = number
        key = {"variant_id": id}
        self.db.update(_VARIANTS, key, own)
        where = key | {"lang_code": self.languages}
        self.db.update(_TEXTS, where, _with_key(words))
        self.changed |= bool(own or words)


def _with_key(words: Mapping[str, str]) -> dict[str, str]:
    if "variant" not in words:
        return dict(words)
    return {**words, "variant_key": folded(words["variant"])[:KEY_LENGTH]}


def remove_variants(
    db: Transaction, feature_id: int, variant_ids: Iterable[int], context: Context
) -> None:
    """Delete variants, their pictures, and the values of products that are these.

    Raises: `Refused` for a variant that tells the variations of a group apart.
    """
    users: set[int] = set()
    for batch in batches(sorted(variant_ids)):
        row = db.row(_IN_VARIATIONS, ids=batch)
        if row is not None:
            raise Refused(f"variant {row[0]} tells variations apart")
        users |= {row[0] for row in db.rows(_USED, ids=batch)}
        PICTURE.remove(db, batch, context)
        db.delete(_VARIANTS, {"variant_id": batch})
    touch_products(db, sorted(users), context, {feature_id: None})


def variant_ids(db: Connection, feature_ids: Sequence[int]) -> list[int]:
    """The variants of some features."""
    return [row[0] for row in db.rows(_OF_FEATURES, ids=feature_ids)]
