"""From payloads to priced lines (rules.order_lines; orders.md 5.1 and 5.2)."""

from typing import Any

import pytest

from storeapi.core.database import Connection
from storeapi.core.errors import Conflict, InvalidInput
from storeapi.core.rows import table_of
from storeapi.models import Tax, TaxRate, Usergroup
from storeapi.rules.availability import check_stock
from storeapi.rules.groups import buyer_groups
from storeapi.rules.lines import Availability, item_id
from storeapi.rules.money import Currency
from storeapi.rules.tax_rules import tax_rules
from storeapi.rules.taxing import TaxRule
from tests.shop import Shop
from tests.wares import GUEST, make_combination, make_option, priced

MEMBER = 7


def faults(shop: Shop, payload: Any, **more: Any) -> dict[str, str]:
    with pytest.raises(InvalidInput) as caught:
        priced(shop, payload, **more)
    return {error.field: error.message for error in caught.value.errors}


def test_a_line_holds_what_the_catalogue_says(shop: Shop) -> None:
    tax = shop.make_tax()
    id = shop.make_product(
        "Lantern", price="24.50", product_code="LNT", weight="1.5", tax_ids=[tax],
        shipping_freight="0.30", free_shipping="Y", is_edp="Y", edp_shipping="Y",
        unlimited_download="Y", amount=9,
    )  # fmt: skip
    (line,) = priced(shop, {id: {"amount": "2"}})
    assert (line.product_id, line.company_id, line.amount) == (id, shop.store, 2)
    assert (line.price, line.base_price, line.original_price) == (2450, 2450, 2450)
    assert (line.product, line.product_code, line.status) == ("Lantern", "LNT", "A")
    assert (line.weight, line.shipping_freight, line.tax_ids) == (1500, 30, (tax,))
    flags = (line.free_shipping, line.is_edp, line.edp_shipping)
    assert (*flags, line.unlimited_download, line.needs_shipping) == (True,) * 5
    assert (line.main_category, line.options) == (shop.category, {})
    assert line.stock == Availability("B", 9)
    assert line.item_id == item_id(id, [])


def test_options_change_price_weight_code_and_stock(shop: Shop) -> None:
    id = shop.make_product(price="10", weight="1", product_code="MUG", tracking="O")
    size, (small, medium) = make_option(shop, id, required="Y")
    text, _ = make_option(shop, id, option_type="I", variants=[], position=5)
    number = make_combination(shop, id, {size: medium}, amount=3, product_code="MUG-M")
    make_combination(shop, id, {size: small}, amount=1)
    (line,) = priced(
        shop, {id: {"amount": 1, "product_options": {text: "Mira", size: medium}}}
    )
    assert (line.base_price, line.price, line.weight) == (1000, 1250, 1100)
    assert line.options == {size: medium, text: "Mira"}
    assert line.item_id == item_id(id, [medium, "Mira"])
    assert (line.product_code, line.stocked) == ("MUG-M", f"{size}_{medium}")
    assert line.stock == Availability("O", 3, False, number)


def test_equal_lines_are_merged_and_others_are_not(shop: Shop) -> None:
    id = shop.make_product()
    size, (small, medium) = make_option(shop, id)
    chosen = [small, medium, small, ""]
    lines = priced(
        shop,
        [
            {"product_id": id, "amount": n, "product_options": {size: variant}}
            for n, variant in enumerate(chosen, 1)
        ],
    )
    assert [(line.amount, line.options) for line in lines] == [
        (4, {size: small}),
        (2, {size: medium}),
        (4, {}),
    ]


def test_equal_checksums_are_told_apart(shop: Shop) -> None:
    """A text may read like another choice."""
    id = shop.make_product()
    first, _ = make_option(shop, id, option_type="I", variants=[], position=1)
    second, _ = make_option(shop, id, option_type="I", variants=[], position=2)
    lines = priced(
        shop,
        [
            {"product_id": id, "amount": 1, "product_options": {first: "a_b"}},
            {
                "product_id": id,
                "amount": 1,
                "product_options": {first: "a", second: "b"},
            },
        ],
    )
    assert lines[0].item_id == item_id(id, ["a_b"])
    assert lines[1].item_id == item_id(id, ["a_b", "1"])


def test_prices_by_quantity_count_all_lines_of_a_product(shop: Shop) -> None:
    group = shop.group(type="C")
    id = shop.make_product(
        price="18.90",
        prices=[
            {"lower_limit": 10, "price": "16.50"},
            {"lower_limit": 5, "usergroup_id": group, "percentage_discount": 10},
        ],
    )
    size, (small, medium) = make_option(shop, id)

    def prices(*amounts: int, **more: Any) -> list[int]:
        lines = [
            {"product_id": id, "amount": n, "product_options": {size: variant}}
            for n, variant in zip(amounts, (small, medium), strict=False)
        ]
        return [line.price for line in priced(shop, lines, **more)]

    assert prices(9) == [1890]
    assert prices(6, 4) == [1650, 1900]
    assert prices(5, groups=GUEST | {group}) == [1701]


@pytest.mark.parametrize(
    ("product", "amount", "fault"),
    [
        ({"min_qty": 3}, 2, "must be 3 or more for product 'Mug', not 2"),
        ({"max_qty": 3}, 4, "must be 3 or less for product 'Mug', not 4"),
        ({"qty_step": 2}, 3, "must be a multiple of 2 for product 'Mug', not 3"),
    ],
)
def test_quantities_keep_the_limits_of_the_product(
    shop: Shop, product: dict[str, int], amount: int, fault: str
) -> None:
    id = shop.make_product(**product)
    lines = [{"product_id": id, "amount": 1}, {"product_id": id, "amount": amount - 1}]
    assert faults(shop, lines) == {"products.0.amount": fault}


def test_only_what_is_sold_here_can_be_bought(shop: Shop) -> None:
    there = shop.make_category("There", company_id=shop.other_store)
    foreign = shop.make_product(category_ids=[there], company_id=shop.other_store)
    disabled = shop.make_product("Off", status="D")
    shop.insert(Usergroup, usergroup_id=MEMBER, type="C", status="A", text="Members")
    closed = shop.make_product("Club", usergroup_ids=str(MEMBER))
    payload = {str(id): {"amount": 1} for id in (foreign, disabled, closed, 99999)}
    assert faults(shop, payload) == {
        f"products.{foreign}.product_id": f"names product {foreign},"
        " which does not exist here",
        f"products.{disabled}.product_id": "names product 'Off', which is not sold",
        f"products.{closed}.product_id": "names product 'Club',"
        " which the buyer may not see",
        "products.99999.product_id": "names product 99999, which does not exist here",
    }
    assert len(priced(shop, {closed: {"amount": 1}}, groups=GUEST | {MEMBER})) == 1
    assert len(priced(shop, {foreign: {"amount": 1}}, companies=None)) == 1
    assert shop.root.put(f"products/{foreign}", {"shared_product": "Y"}).status_code
    (line,) = priced(shop, {foreign: {"amount": 1}})
    assert line.company_id == shop.other_store


def test_common_products_are_sold_by_their_offers(shop: Shop) -> None:
    answer = shop.root.post("master_products", {"product": "Card", "price": 5})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    id = answer.get_json()["product_id"]
    found = faults(shop, {id: {"amount": 1}}, companies=None)
    assert list(found) == [f"products.{id}.product_id"]


@pytest.mark.parametrize(
    ("statuses", "administrator", "sold"),
    [("AA", False, True), ("AD", False, False), ("AH", False, False),
     ("DA", True, False), ("AD", True, False), ("AH", True, True)],
)  # fmt: skip
def test_offers_are_sold_while_their_common_product_is(
    shop: Shop, statuses: str, administrator: bool, sold: bool
) -> None:
    """spec/entities/master_products.md, rule 5.7: both of them are on sale."""
    body = {"product": "Card", "price": 5, "status": statuses[1]}
    common = shop.root.post("master_products", body).get_json()["product_id"]
    body = {"company_id": shop.vendor, "status": statuses[0], "amount": 9}
    path = f"master_products/{common}/master_product_offers"
    id = shop.root.post(path, body).get_json()["product_id"]
    payload, more = {id: {"amount": 1}}, {"companies": None}
    if sold:
        assert len(priced(shop, payload, administrator=administrator, **more)) == 1
    else:
        assert faults(shop, payload, administrator=administrator, **more) == {
            f"products.{id}.product_id": "names product 'Card', which is not sold"
        }


def test_customers_buy_neither_hidden_nor_unpriced_products(shop: Shop) -> None:
    hidden = shop.make_product("Secret", status="H", price="1")
    unpriced = shop.make_product("Unpriced")
    free = shop.make_product("Free", zero_price_action="P")
    both = {id: {"amount": 1} for id in (hidden, unpriced)}
    assert [line.price for line in priced(shop, both)] == [100, 0]
    payload = {hidden: {"amount": 1}}
    assert faults(shop, payload, administrator=False) == {
        f"products.{hidden}.product_id": "names product 'Secret', which is not sold"
    }
    payload = {unpriced: {"amount": 1}}
    assert faults(shop, payload, administrator=False) == {
        "products": "names product 'Unpriced', which has no price"
    }
    assert priced(shop, {free: {"amount": 1}}, administrator=False)[0].price == 0


def test_faults_of_options_name_line_and_product(shop: Shop) -> None:
    id = shop.make_product("Shirt")
    size, (small, _) = make_option(shop, id, required="Y")
    lines = [
        {"product_id": id, "amount": 1},
        {"product_id": id, "amount": 1, "product_options": {size: "999999"}},
    ]
    assert faults(shop, lines) == {
        f"products.0.product_options.{size}": "is required (product 'Shirt')",
        f"products.1.product_options.{size}": "has no variant 999999 (product 'Shirt')",
    }
    body = {"product_id": id, "combination": {size: small}}
    assert shop.root.post("exceptions", body).status_code == 201
    lines = [{"product_id": id, "amount": 1, "product_options": {size: small}}]
    assert faults(shop, lines) == {
        "products.0.product_options": "the options chosen for product 'Shirt'"
        " do not go together"
    }


def test_a_sum_beyond_all_columns_is_refused(shop: Shop) -> None:
    id = shop.make_product(price="9999999999.99")
    assert faults(shop, {id: {"amount": 1001}}) == {
        "products": "is too much: subtotal would be more than 10000000000000.00"
    }


def test_prices_are_amounts_of_the_currency(shop: Shop) -> None:
    id = shop.make_product(price="1000")
    size, (_, medium) = make_option(
        shop,
        id,
        variants=[{"variant_name": "S"}, {"variant_name": "M", "modifier": 2.5}],
    )
    payload = {id: {"amount": 1, "product_options": {size: medium}}}
    assert priced(shop, payload)[0].price == 100250
    assert priced(shop, payload, currency=Currency("JPY", 0))[0].price == 100300


def test_stock_is_compared_over_all_lines(shop: Shop) -> None:
    id = shop.make_product("Mug", amount=3)
    size, (small, medium) = make_option(shop, id, inventory="N")
    lines = [
        {"product_id": id, "amount": 2, "product_options": {size: small}},
        {"product_id": id, "amount": 1, "product_options": {size: medium}},
    ]
    check_stock(priced(shop, lines))
    lines[1]["amount"] = 2
    with pytest.raises(Conflict, match=f"product {id} 'Mug': 4 wanted, 3 in stock"):
        check_stock(priced(shop, lines))
    for change in ({"tracking": "D"}, {"out_of_stock_actions": "B", "tracking": "B"}):
        assert shop.root.put(f"products/{id}", change).status_code == 200
        check_stock(priced(shop, lines))


@pytest.mark.parametrize(("combined", "amount"), [(True, 0), (False, 5)])
def test_a_choice_without_a_combination_has_no_stock(
    shop: Shop, combined: bool, amount: int
) -> None:
    """Unless the product has no combinations at all: then its own pieces count."""
    id = shop.make_product(tracking="O", amount=5)
    size, (small, medium) = make_option(shop, id)
    if combined:
        make_combination(shop, id, {size: small}, amount=9)
    (line,) = priced(shop, {id: {"amount": 1, "product_options": {size: medium}}})
    assert line.stock == Availability("O", amount)


def test_groups_of_buyers(shop: Shop) -> None:
    joined, left = shop.group(type="C"), shop.group(type="C", status="D")
    user = shop.caller(user_type="C").user_id
    shop.join(user, joined)
    shop.join(user, left)
    shop.join(user, shop.group(type="C"), status="P")

    def groups(id: int) -> frozenset[int]:
        return shop.database.read(lambda db: buyer_groups(db, id))

    assert groups(user) == {0, 2, joined}
    assert groups(0) == {0, 1}


@pytest.mark.parametrize("lines", [1, 60])
def test_statements_do_not_grow_with_the_lines(shop: Shop, lines: int) -> None:
    chosen = []
    for _ in range(lines):
        id = shop.make_product(tracking="O")
        size, (small, _) = make_option(shop, id)
        options = {size: small}
        chosen.append({"product_id": id, "amount": 1, "product_options": options})
    seen: list[str] = []
    shop.database.observer = seen.append
    priced(shop, chosen)
    shop.database.observer = None
    assert len(seen) == 8


def test_taxes_apply_by_the_deciding_address(shop: Shop) -> None:
    shipping, billing, off, elsewhere, none = (shop.make_tax() for _ in range(5))

    def change(id: int, **values: Any) -> None:
        shop.change(Tax, {"tax_id": id}, values)

    change(
        billing, address_type="B", priority=2, regnumber="NP", display_including_tax="Y"
    )
    change(off, status="D")
    rates = [(shipping, 1, 20_000), (billing, 1, 5_000), (billing, 2, 7_000)]
    rates += [(off, 1, 1_000), (elsewhere, 2, 1_000), (none, 1, 0)]

    def action(db: Any) -> None:
        names = ("tax_id", "destination_id", "rate_value")
        rows = [dict(zip(names, rate, strict=True)) for rate in rates]
        db.insert_many(table_of(TaxRate), rows)

    shop.database.write(action)

    def found(db: Connection) -> Any:
        ids = [shipping, billing, off, elsewhere, none, billing]
        assert tax_rules(db, [], {}, "en") == {}
        return tax_rules(db, ids, {"S": 1, "B": 2}, "en")

    assert shop.database.read(found) == {
        shipping: TaxRule(shipping, 20_000, description="VAT"),
        billing: TaxRule(
            billing, 7_000, "P", False, 2, "VAT", regnumber="NP", displayed=True
        ),
    }


def test_pieces_of_one_choice_are_limited_together(shop: Shop) -> None:
    id = shop.make_product(amount=9)
    half = {"product_id": id, "amount": 500_000}
    (line,) = priced(shop, [half, half])
    assert line.amount == 1_000_000
    found = faults(shop, [half, half, {"product_id": id, "amount": 1}])
    assert list(found) == ["products.0.amount"]
    assert "more than 1000000 pieces" in found["products.0.amount"]
