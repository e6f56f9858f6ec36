"""From the lines of a payload to lines that are judged, merged and priced.

The number of statements does not depend on the number of lines.
Source: spec/entities/orders.md, sections 5.1 and 5.2.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection
from storeapi.core.errors import FieldError, InvalidInput
from storeapi.core.kinds import money_text
from storeapi.core.statement import query
from storeapi.models import (
    Company,
    Product,
    ProductPrice,
    ProductText,
)
from storeapi.rules.availability import ChosenStock, Counted, find_stocks
from storeapi.rules.choices import Choice, Offer, judge
from storeapi.rules.choosable import offers_on
from storeapi.rules.common_products import COMMON_STATUS
from storeapi.rules.companies import VENDOR
from storeapi.rules.id_lists import ids_in
from storeapi.rules.lines import NO_PIECES, Goods, Line, Wanted, item_id, pieces_of
from storeapi.rules.money import LARGEST_SUM, Currency
from storeapi.rules.pricing import QuantityPrice, catalogue_price, check_quantity
from storeapi.rules.sent_lines import MOST_PIECES, SentLine

Limits = tuple[int, int, int]
"""The least and the most pieces (0: no limit), and the step."""

_ids: Any = bindparam("ids", expanding=True)
_TOO_MANY = f"comes to more than {MOST_PIECES} pieces of one choice"
_LIMITS = query(
    select(
        Product.product_id, Product.min_qty, Product.max_qty, Product.qty_step
    ).where(Product.product_id.in_(_ids))
)
_PRICES = query(
    select(
        ProductPrice.product_id,
        ProductPrice.lower_limit,
        ProductPrice.price,
        ProductPrice.percentage_discount,
    ).where(
        ProductPrice.product_id.in_(_ids),
        ProductPrice.usergroup_id.in_(bindparam("groups", expanding=True)),
    )
)


class _Sold(NamedTuple):
    """What the catalogue says of a product that is wanted."""

    product_id: int
    company_id: int
    shared_product: str
    status: str
    usergroup_ids: str
    price: int
    zero_price_action: str
    min_qty: int
    max_qty: int
    qty_step: int
    product_code: str
    main_category: int | None
    tax_ids: str
    weight: int
    shipping_freight: int
    free_shipping: str
    is_edp: str
    edp_shipping: str
    unlimited_download: str
    options_type: str
    exceptions_type: str
    amount: int
    tracking: str
    out_of_stock_actions: str
    product: str
    kind: str
    common_status: str | None

    @property
    def statuses(self) -> frozenset[str]:
        """The status of the product, and of the common product that it offers."""
        return frozenset({self.status, self.common_status or self.status})

    @property
    def offer(self) -> Offer:
        """What it offers, but for its options."""
        return Offer(self.product_id, self.product, self.exceptions_type)

    @property
    def limits(self) -> Limits:
        """How many pieces may be bought."""
        return self.min_qty, self.max_qty, self.qty_step

    @property
    def counted(self) -> Counted:
        """How the product counts its stock."""
        back_orders = self.out_of_stock_actions == "B"
        return Counted(self.product_id, self.tracking, self.amount, back_orders)


_PRODUCTS = query(
    select(
        *[getattr(Product, name) for name in _Sold._fields[:-3]],
        ProductText.product,
        Company.kind,
        COMMON_STATUS,
    )
    .join(Company, Company.company_id == Product.company_id)
    .join(ProductText, ProductText.product_id == Product.product_id)
    .where(
        Product.product_id.in_(_ids),
        ProductText.lang_code == bindparam("lang_code", required=True),
    )
)


@dataclass(frozen=True, slots=True)
class Sale:
    """Who sells to whom.

    Shapes: `company_ids` are those whose products may be bought, `None` for all;
    with `vendors`, those of every vendor too. `usergroup_ids` are the buyer's. An
    administrator may sell hidden products, and those without a price.
    """

    company_ids: frozenset[int] | None
    usergroup_ids: frozenset[int]
    lang_code: str
    administrator: bool = True
    vendors: bool = False
    currency: Currency = field(default_factory=Currency)


def price_lines(
    db: Connection,
    sent: Sequence[SentLine],
    sale: Sale,
    beside: Mapping[int, int] = NO_PIECES,
) -> list[Line]:
    """Judge, merge and price lines; equal choices of a product become one line.

    Shapes: `beside` are the pieces of products in lines that are not priced, which
    count with these.
    Raises: `InvalidInput` naming the lines and products that cannot be bought. The
    stock is not judged here.
    Source: spec/entities/orders.md, rules 5.1.3 to 5.1.5, 5.2.1 and 5.2.2.
    """
    ids = sorted({line.product_id for line in sent})
    if not ids:
        return []
    rows = db.rows(_PRODUCTS, ids=ids, lang_code=sale.lang_code)
    products = {row[0]: _Sold(*row) for row in rows}
    offers = offers_on(db, {id: p.offer for id, p in products.items()}, sale.lang_code)
    chosen: list[tuple[SentLine, Choice]] = []
    errors: list[FieldError] = []
    for line in sent:
        try:
            _check_sold(line, products.get(line.product_id), offers, sale)
            chosen.append((line, _judge(line, offers[line.product_id])))
        except InvalidInput as error:
            errors += error.errors if line.judged else ()
    if errors:
        raise InvalidInput(errors=errors)
    wanted = _merged(chosen, offers)
    firsts = {line.product_id: line for line in reversed(sent) if line.judged}
    pieces = pieces_of(wanted, beside)
    limits = {id: product.limits for id, product in products.items()}
    _check_quantities(wanted, pieces, limits, firsts)
    return _priced(db, wanted, pieces, products, sale)


def _check_sold(
    line: SentLine,
    product: _Sold | None,
    offers: Mapping[int, Offer],
    sale: Sale,
) -> None:
    """Refuse a product that is not sold here, or not to this buyer.

    Common products are sold by their offers alone, and these as long as both are
    on sale.
    Source: spec/entities/master_products.md, rules 5.4 and 5.7.
    """
    name = line.named("product_id")
    if product is None or not _is_sold(product, sale):
        text = f"names product {line.product_id}, which does not exist here"
        raise InvalidInput.of(name, text, "unknown")
    product_name = f"product {offers[line.product_id].product!r}"
    open_to = frozenset(ids_in(product.usergroup_ids))
    if not product.statuses <= frozenset("AH" if sale.administrator else "A"):
        raise InvalidInput.of(name, f"names {product_name}, which is not sold")
    if open_to and open_to.isdisjoint(sale.usergroup_ids):
        raise InvalidInput.of(
            name, f"names {product_name}, which the buyer may not see"
        )


def _is_sold(product: _Sold, sale: Sale) -> bool:
    """Whether the product belongs to one of the sellers, or is shared with them."""
    if product.company_id == 0:
        return False
    return (
        sale.company_ids is None
        or product.company_id in sale.company_ids
        or product.shared_product == "Y"
        or (sale.vendors and product.kind == VENDOR)
    )


def _judge(line: SentLine, offer: Offer) -> Choice:
    try:
        return judge(offer, line.product_options)
    except InvalidInput as error:
        raise InvalidInput(
            errors=[
                FieldError(line.named(each.field), each.message, each.code)
                for each in error.errors
            ]
        ) from None


def _merged(
    chosen: Iterable[tuple[SentLine, Choice]], offers: Mapping[int, Offer]
) -> list[Wanted]:
    """One line for each product and choice, in the order of their first mention."""
    found: dict[tuple[int, tuple[tuple[str, str], ...]], Wanted] = {}
    for sent, choice in chosen:
        key = sent.product_id, tuple(choice.values.items())
        before = found.get(key)
        amount = sent.amount if before is None else before.amount + sent.amount
        name = offers[sent.product_id].product
        found[key] = Wanted(sent.product_id, name, amount, choice)
    return list(found.values())


def _check_quantities(
    lines: Sequence[Goods | Wanted],
    pieces: Mapping[int, int],
    limits: Mapping[int, Limits],
    firsts: Mapping[int, SentLine],
) -> None:
    """Judge the pieces over all its lines of each product that is judged at all."""
    names = {line.product_id: line.product for line in lines}
    errors = [
        FieldError(firsts[line.product_id].named("amount"), _TOO_MANY, "out_of_range")
        for line in lines
        if line.amount > MOST_PIECES and line.product_id in firsts
    ]
    for id, number in pieces.items():
        if id not in firsts or id not in limits:
            continue
        fault = check_quantity(number, *limits[id])
        if fault:
            text = f"{fault} for product {names[id]!r}, not {number}"
            errors.append(FieldError(firsts[id].named("amount"), text, "out_of_range"))
    if errors:
        raise InvalidInput(errors=errors)


def check_changed(
    db: Connection,
    before: Iterable[Goods],
    after: Sequence[Goods],
    sent: Sequence[SentLine],
) -> None:
    """Judge the pieces of products of which an order is to have more, or fewer.

    What stays is not judged, nor a product that is gone.
    Raises: `InvalidInput` naming the lines that were sent.
    Source: spec/entities/orders.md, rule 5.1.4 and section 2.3.
    """
    had, has = pieces_of(before), pieces_of(after)
    moved = [id for id, pieces in has.items() if had.get(id) != pieces]
    rows = db.rows(_LIMITS, ids=sorted(moved)) if moved else []
    limits = {id: (least, most, step) for id, least, most, step in rows}
    firsts = {line.product_id: line for line in sent[::-1]}
    _check_quantities(after, has, limits, firsts)


def _priced(
    db: Connection,
    wanted: Sequence[Wanted],
    pieces: Mapping[int, int],
    products: Mapping[int, _Sold],
    sale: Sale,
) -> list[Line]:
    """Give lines their prices, and the stock and code of what was chosen."""
    prices: dict[int, list[QuantityPrice]] = {}
    groups = sorted(sale.usergroup_ids)
    for id, *row in db.rows(_PRICES, ids=sorted(products), groups=groups):
        prices.setdefault(id, []).append(QuantityPrice(*row))
    counted = {id: product.counted for id, product in products.items()}
    stocks = find_stocks(db, [each.choice for each in wanted], counted)
    taken: set[int] = set()
    lines = []
    for each in wanted:
        product = products[each.product_id]
        base = catalogue_price(
            product.price,
            prices.get(each.product_id, ()),
            pieces[each.product_id],
            sale.currency,
        )
        _check_price(base, product, each, sale)
        stock = stocks[each.product_id, each.choice.stocked]
        key = item_id(each.product_id, each.choice.values.values(), taken)
        taken.add(key)
        price = each.choice.price(base, sale.currency.step)
        lines.append(_line(key, each, product, stock, base_price=base, price=price))
    check_sums({"subtotal": sum(line.subtotal for line in lines)})
    return lines


def _line(
    key: int,
    wanted: Wanted,
    product: _Sold,
    stock: ChosenStock,
    **prices: int,
) -> Line:
    """A line of a product as it stands."""
    return Line(
        item_id=key,
        amount=wanted.amount,
        original_price=prices["price"],
        tax_ids=ids_in(product.tax_ids),
        product_id=product.product_id,
        company_id=product.company_id,
        product=wanted.product,
        product_code=stock.product_code or product.product_code,
        weight=wanted.choice.weight(product.weight),
        shipping_freight=product.shipping_freight,
        free_shipping=product.free_shipping == "Y",
        is_edp=product.is_edp == "Y",
        edp_shipping=product.edp_shipping == "Y",
        unlimited_download=product.unlimited_download == "Y",
        choice=wanted.choice,
        status=product.status,
        main_category=product.main_category,
        options_type=product.options_type,
        exceptions_type=product.exceptions_type,
        stock=stock.availability,
        **prices,
    )


def _check_price(base: int, product: _Sold, wanted: Wanted, sale: Sale) -> None:
    """Refuse to let customers buy what has no price, unless it is free.

    Source: spec/entities/products.md, field zero_price_action.
    """
    if not base and product.zero_price_action != "P" and not sale.administrator:
        text = f"names product {wanted.product!r}, which has no price"
        raise InvalidInput.of("products", text)


def check_sums(sums: Mapping[str, int], field: str = "products") -> None:
    """Refuse figures that are larger than what is kept, and can be sent back.

    Shapes: by the names of the figures; `field` is that of the payload.
    Units: minor units.
    Raises: `InvalidInput`.
    """
    for name, amount in sums.items():
        if abs(amount) > LARGEST_SUM:
            most = money_text(LARGEST_SUM)
            text = f"is too much: {name} would be more than {most}"
            raise InvalidInput.of(field, text, "out_of_range")
