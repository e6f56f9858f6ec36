"""The special filters of products (spec/entities/products.md, 3.1)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.orm import aliased

from storeapi import (
    AnyOf,
    AtLeast,
    AtMost,
    Condition,
    InvalidInput,
    Params,
    Period,
    Text,
    Where,
    equals,
)
from storeapi.core.conditions import NOTHING
from storeapi.core.filters import (
    Equal,
    Filter,
    read_ids,
    read_letters,
    read_texts,
    single,
)
from storeapi.core.folding import folded
from storeapi.core.patterns import like_pattern
from storeapi.core.reading import read_flag
from storeapi.entities.products.categories import InCategory
from storeapi.entities.products.feature_values import with_features
from storeapi.entities.products.figures import figures
from storeapi.entities.products.variations import VARIATION_FILTERS
from storeapi.models import (
    Order,
    OrderItem,
    Product,
    ProductCategory,
    ProductSearch,
    ProductText,
)
from storeapi.rules.fulltext import (
    groups_of,
    holds_words,
    match_text,
    number_found,
    tests_words,
)
from storeapi.rules.tokens import is_one_word

_FIELDS = {
    "pname": ProductSearch.product,
    "pshort": ProductSearch.short_description,
    "pfull": ProductSearch.full_description,
    "pkeywords": ProductSearch.meta_keywords,
}
_common = aliased(Product)
_MATCHES = ("all", "any", "exact")
_MAX_WORDS = 16
_OWN_ROW = and_(
    ProductSearch.product_id == Product.product_id,
    ProductSearch.lang_code == bindparam("lang_code", required=True),
)


class Search(Filter):
    """`q` in the texts that the flags choose; the flags also take a text.

    Without a flag `q` is looked for in all of them, in the search words and in the
    product code.
    """

    params = ("q", "match", *_FIELDS, "pcode_from_q")

    def conditions(
        self, entity: Any, params: Params, applied: dict[str, Any]
    ) -> Iterable[Condition]:
        """Match words by their beginnings, ignoring case; `%`, `_` are literal."""
        given = read_texts(params, self.params)
        flags: dict[str, bool] = {}
        for name, column in {**_FIELDS, "pcode_from_q": None}.items():
            text = given.get(name)
            if text is None:
                continue
            applied[name] = text
            flag = read_flag(text)
            if flag is not None:
                flags[name] = flag
            elif column is None:
                raise InvalidInput.of(name, "must be Y or N")
            elif text.strip():
                yield _holds(name, column, text)
        words = given.get("q", "").strip()
        match = given.get("match", "all").lower()
        if match not in _MATCHES:
            raise InvalidInput.of("match", "must be one of all, any, exact")
        if words:
            applied |= {"q": words, "match": match}
            names = _searched(flags)
            if names:
                yield from _words(entity, words, match, names)
            else:
                yield NOTHING


def _searched(flags: Mapping[str, bool]) -> tuple[str, ...]:
    """The columns that `q` is looked for in."""
    chosen = tuple(name for name in _FIELDS if flags.get(name))
    if chosen:
        return (*chosen, "product_code") if flags.get("pcode_from_q") else chosen
    kept = [name for name in (*_FIELDS, "search_words") if flags.get(name, True)]
    if flags.get("pcode_from_q", True):
        kept.append("product_code")
    return tuple(kept)


_SEARCHED = {
    **_FIELDS,
    "search_words": ProductSearch.search_words,
    "product_code": ProductSearch.product_code,
}


def _words(
    entity: Any, text: str, match: str, names: tuple[str, ...]
) -> Iterable[Condition]:
    """The words are in the index, and, where that does not say enough, in the texts.

    The index knows words of all texts together; marks between words, chosen texts
    and exact sequences are looked up in the texts of what it finds.
    """
    parts = [text] if match == "exact" else text.split()
    parts = list(dict.fromkeys(folded(part) for part in parts))
    if len(parts) > _MAX_WORDS:
        raise InvalidInput.of("q", f"has more than {_MAX_WORDS} words")
    any_of = match == "any"
    code = entity.context.lang_code
    written = match_text(entity.reader.kind, parts, code, any_of=any_of)
    if written is not None:
        yield _indexed(written, parts, any_of=any_of)
    if (
        written is None
        or set(names) != set(_SEARCHED)
        or not all(map(is_one_word, parts))
    ):
        yield _in_texts(parts, names, any_of=any_of)


def _indexed(written: str, parts: Sequence[str], *, any_of: bool) -> Condition:
    groups = groups_of(parts) or []
    _, values = tests_words(ProductSearch.tokens, groups, any_of=any_of)

    words: Any = bindparam("q_words", required=True)
    code: Any = bindparam("lang_code", required=True)

    def test() -> ColumnElement[bool]:
        clause, _ = tests_words(ProductSearch.tokens, groups, any_of=any_of)
        # An offset keeps PostgreSQL from testing all rows and joining them.
        return (
            select(ProductSearch.product_id).where(_OWN_ROW, clause).offset(0).exists()
        )

    return Condition(
        ("q words", any_of, *map(len, groups)),
        lambda: holds_words(Product.product_id, words, code),
        {"q_words": written, **values},
        prepare=False,
        test=test,
        number=lambda: number_found(words, code),
        own=True,
    )


def _in_texts(
    parts: Sequence[str], names: tuple[str, ...], *, any_of: bool
) -> Condition:
    values = {f"q_{n}": like_pattern("q", part) for n, part in enumerate(parts)}
    columns: list[Any] = [_SEARCHED[name] for name in names]

    def build() -> ColumnElement[bool]:
        found = [
            or_(*[c.like(bindparam(name, required=True), escape="!") for c in columns])
            for name in values
        ]
        joined = or_(*found) if any_of else and_(*found)
        return exists().where(_OWN_ROW, joined)

    key = ("q", any_of, len(parts), names)
    return Condition(key, build, values, prepare=False, own=True)


def _holds(name: str, column: Any, text: str) -> Condition:
    bound = f"q_{name}"
    return Condition(
        ("holds", name),
        lambda: exists().where(
            _OWN_ROW, column.like(bindparam(bound, required=True), escape="!")
        ),
        {bound: like_pattern(name, folded(text.strip()))},
        prepare=False,
        own=True,
    )


def _in_text(name: str, column: Any) -> Where:
    def make(entity: Any, value: Any) -> Condition | None:
        text = single(name, value)
        return _holds(name, column, text) if text.strip() else None

    return Where(name, make)


def _kind_of_product(entity: Any, value: Any) -> Condition:
    """Common products only, or products of vendors and stores only."""
    flag = read_flag(value)
    if flag is None:
        raise InvalidInput.of("show_master_products_only", "must be true or false")
    if flag:
        return equals(Product.company_id, 0, role="master")
    return Condition("no master", lambda: Product.company_id != 0)


def _in_orders(entity: Any, value: Any) -> Condition:
    """Products in orders that the caller reads, in those of a parent too."""
    ids: Any = bindparam("order_ids", expanding=True)
    wanted: dict[str, Any] = {"order_ids": read_ids("order_ids", value)}
    caller = entity.caller
    if not (caller.reads_own if caller.is_customer else caller.allows("view_orders")):
        return NOTHING
    orders = select(Order.order_id).where(
        or_(Order.order_id.in_(ids), Order.parent_order_id.in_(ids))
    )
    if caller.is_customer:
        buyer: Any = bindparam("buyer", required=True)
        orders = orders.where(Order.user_id == buyer)
        wanted["buyer"] = caller.user_id
    elif caller.is_scoped:
        seller: Any = bindparam("seller", required=True)
        orders = orders.where(Order.company_id == seller)
        wanted["seller"] = entity.caller.company_id
    return Condition(
        ("in orders", *sorted(wanted)),
        lambda: Product.product_id.in_(
            select(OrderItem.product_id).where(OrderItem.order_id.in_(orders))
        ),
        wanted,
    )


def _with_common_status(entity: Any, value: Any) -> Condition:
    """Offers of common products with a status, or one of several."""
    letters = read_letters("master_product_status", value)
    bound: Any = bindparam("common_status", expanding=True)
    return Condition(
        "common status",
        lambda: Product.master_product_id.in_(
            select(_common.product_id).where(_common.status.in_(bound))
        ),
        {"common_status": letters},
    )


def filters_of(price: Any) -> tuple[Filter, ...]:
    """The special filters of a list of products that shows this price."""
    return (
        Where("order_ids", _in_orders),
        Search(),
        InCategory(),
        _in_text("product", ProductSearch.product),
        _in_text("pcode", ProductSearch.product_code),
        _in_text("age_warning_message", ProductSearch.age_warning_message),
        Equal("code", Product.product_code, Text()),
        AtLeast(price_from=price, amount_from=Product.amount),
        AtMost(price_to=price, amount_to=Product.amount),
        AnyOf(
            pid=Product.product_id,
            vendor_products_by_product_id=Product.master_product_id,
        ),
        Where("show_master_products_only", _kind_of_product),
        Where("master_product_status", _with_common_status),
        Where("features_hash", with_features),
        *figures(price),
        *VARIATION_FILTERS,
        AtLeast(updated_at_from=Product.updated_timestamp),
        AtMost(updated_at_to=Product.updated_timestamp),
        Period(Product.timestamp),
    )


FILTERS = filters_of(Product.price)


_POSITION = (
    select(ProductCategory.position)
    .where(
        ProductCategory.product_id == Product.product_id,
        ProductCategory.category_id == bindparam("sort_cid", required=True),
    )
    .scalar_subquery()
)

SORTINGS = {
    "product": ProductText.product_key,
    "price": Product.price,
    "list_price": Product.list_price,
    "code": Product.product_code,
    "amount": Product.amount,
    "status": Product.status,
    "date": Product.timestamp,
    "timestamp": Product.timestamp,
    "updated_timestamp": Product.updated_timestamp,
    "popularity": Product.popularity,
    "weight": Product.weight,
    "position": func.coalesce(_POSITION, 0),
}
