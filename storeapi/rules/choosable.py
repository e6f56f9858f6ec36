"""What products offer to choose, and the stock of what was chosen.

Each function takes the same statements for one product and for a thousand.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection, Row
from storeapi.core.errors import InvalidInput
from storeapi.core.statement import batches, query
from storeapi.models import (
    Combination,
    Option,
    OptionException,
    OptionText,
    OptionVariant,
    OptionVariantText,
    Product,
    ProductText,
)
from storeapi.rules import images
from storeapi.rules.choice_texts import choice_of
from storeapi.rules.choices import (
    Choice,
    Modifier,
    Offer,
    OfferedOption,
    OfferedVariant,
    judge,
)
from storeapi.rules.images import MAIN, Media
from storeapi.rules.options import HOLDERS, offered

_ids: Any = bindparam("ids", expanding=True)
_lang_code: Any = bindparam("lang_code", required=True)
_PRODUCTS = query(
    select(Product.product_id, ProductText.product, Product.exceptions_type)
    .join(ProductText, ProductText.product_id == Product.product_id)
    .where(Product.product_id.in_(_ids), ProductText.lang_code == _lang_code)
)
_OPTIONS = query(
    select(
        Option.option_id,
        Option.option_type,
        OptionText.option_name,
        Option.inventory,
        Option.required,
        Option.regexp,
        OptionText.incorrect_message,
        Option.multiupload,
        Option.allowed_extensions,
        Option.missing_variants_handling,
        Option.position,
    )
    .join(OptionText, OptionText.option_id == Option.option_id)
    .where(
        Option.option_id.in_(_ids),
        Option.status == "A",
        OptionText.lang_code == _lang_code,
    )
)
_VARIANTS = query(
    select(
        OptionVariant.option_id,
        OptionVariant.variant_id,
        OptionVariantText.variant_name,
        OptionVariant.modifier,
        OptionVariant.modifier_type,
        OptionVariant.weight_modifier,
        OptionVariant.weight_modifier_type,
        OptionVariant.point_modifier,
        OptionVariant.point_modifier_type,
    )
    .join(OptionVariantText, OptionVariantText.variant_id == OptionVariant.variant_id)
    .where(OptionVariant.option_id.in_(_ids), OptionVariantText.lang_code == _lang_code)
    .order_by(OptionVariant.position, OptionVariant.variant_id)
)
_EXCEPTIONS = query(
    select(Product.product_id, OptionException.choice)
    .join(
        OptionException,
        OptionException.product_id.in_(HOLDERS),
    )
    .where(Product.product_id.in_(_ids))
    .order_by(OptionException.exception_id)
)
_STOCKS = query(
    select(
        Combination.product_id,
        Combination.choice,
        Combination.combination_hash,
        Combination.amount,
        Combination.product_code,
    ).where(
        Combination.product_id.in_(_ids),
        Combination.choice.in_(bindparam("choices", expanding=True)),
    )
)


class Stock(NamedTuple):
    """The combination that a choice means: its ID, stock and code."""

    combination_hash: int
    amount: int
    product_code: str


def offers_of(
    db: Connection, product_ids: Iterable[int], lang_code: str
) -> dict[int, Offer]:
    """What products offer; those that do not exist are left out."""
    ids = sorted(set(product_ids))
    rows = db.rows(_PRODUCTS, ids=ids, lang_code=lang_code)
    return offers_on(db, {id: Offer(id, *row) for id, *row in rows}, lang_code)


def offers_on(
    db: Connection, products: Mapping[int, Offer], lang_code: str
) -> dict[int, Offer]:
    """The same for products of which all but their options is known, by ID."""
    ids = sorted(products)
    options_of = offered(db, ids)
    wanted = sorted({option for options in options_of.values() for option in options})
    options = _options(db, wanted, lang_code) if wanted else {}
    exceptions: dict[int, list[Mapping[int, int]]] = {}
    for product_id, choice in db.rows(_EXCEPTIONS, ids=ids) if wanted else ():
        exceptions.setdefault(product_id, []).append(choice_of(choice))
    places = {key: place for place, key in enumerate(options)}
    found = dict(products)
    for id, mine in options_of.items():
        known = sorted(places.keys() & mine, key=places.__getitem__)
        chosen = [options[key] for key in known]
        found[id] = products[id]._replace(
            options=chosen, exceptions=exceptions.get(id, ())
        )
    return found


def _options(
    db: Connection, ids: Sequence[int], lang_code: str
) -> dict[int, OfferedOption]:
    variants: dict[int, list[OfferedVariant]] = {}
    rows: list[Row] = []
    for batch in batches(ids):
        rows += db.rows(_OPTIONS, ids=batch, lang_code=lang_code)
        for row in db.rows(_VARIANTS, ids=batch, lang_code=lang_code):
            variants.setdefault(row[0], []).append(_variant(row))
    rows.sort(key=lambda row: (row[-1], row[0]))
    return {row[0]: _option(row, variants.get(row[0], ())) for row in rows}


def _variant(row: Row) -> OfferedVariant:
    modifiers = Modifier(*row[3:5]), Modifier(*row[5:7]), Modifier(*row[7:9])
    return OfferedVariant(row[1], row[2], *modifiers)


def _option(row: Row, variants: Sequence[OfferedVariant]) -> OfferedOption:
    return OfferedOption(
        row[0],
        row[1],
        row[2],
        variants,
        inventory=row[3] == "Y",
        required=row[4] == "Y",
        regexp=row[5],
        incorrect_message=row[6],
        multiupload=row[7] == "Y",
        allowed_extensions=row[8],
        missing_variants_handling=row[9],
    )


def stocks_of(
    db: Connection, choices: Iterable[Choice]
) -> dict[tuple[int, str], Stock]:
    """The combinations that choices mean, by product and `Choice.stocked`.

    A choice that equals no combination over all inventory options is left out.
    Source: spec/entities/combinations.md, section 7.
    """
    wanted = {(each.product_id, each.stocked) for each in choices if each.stocked}
    if not wanted:
        return {}
    rows = db.rows(
        _STOCKS,
        ids=sorted({id for id, _ in wanted}),
        choices=sorted({text for _, text in wanted}),
    )
    return {(row[0], row[1]): Stock(*row[2:]) for row in rows if row[:2] in wanted}


def codes_of(
    db: Connection, wanted: Sequence[tuple[int, Mapping[str, Any]]], lang_code: str
) -> list[str]:
    """The codes of the combinations that choices mean, in the order of the choices.

    Shapes: a choice is a product and its options by ID; "" where there is no code, or
    where the product does not allow the choice any more.
    """
    offers = offers_of(db, (product_id for product_id, _ in wanted), lang_code)
    choices = [_allowed(offers[product_id], chosen) for product_id, chosen in wanted]
    stocks = stocks_of(db, [each for each in choices if each is not None])
    codes = {key: stock.product_code for key, stock in stocks.items()}
    return [
        "" if each is None else codes.get((each.product_id, each.stocked), "")
        for each in choices
    ]


def _allowed(offer: Offer, chosen: Mapping[str, Any]) -> Choice | None:
    try:
        return judge(offer, chosen)
    except InvalidInput:
        return None


def pictures_of(
    db: Connection, hashes: Sequence[int], media: Media
) -> dict[int, dict[str, Any]]:
    """The image pairs of combinations, by hash; those without are left out."""
    found = images.load(db, "product_option", hashes, media, MAIN)
    return {id: next(iter(pairs[MAIN].values())) for id, pairs in found.items()}
