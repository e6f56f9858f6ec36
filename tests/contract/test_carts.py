"""Carts (spec/entities/carts.md)."""

import time
from typing import Any

import pytest
from sqlalchemy import select

from storeapi.core.rows import table_of
from storeapi.models import Cart, CartLine, Product, User
from storeapi.rules.lines import item_id
from tests.shop import Caller, Shop
from tests.wares import make_combination, make_option

DAY = 24 * 3600


class Baskets:
    """A customer, a lantern for 24.50, and a blanket of two sizes."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.user = shop.caller(
            user_type="C", company_id=shop.store, firstname="Mira", lastname="Kessler",
            person_key="mira kessler", name_key="kessler\tmira", b_country="US",
            b_state="NH",
        ).user_id  # fmt: skip
        self.lantern = shop.make_product("Lantern", price="24.50", amount=50)
        self.blanket = shop.make_product("Blanket", price="60", amount=9)
        self.size, (self.small, self.large) = make_option(
            shop, self.blanket, required="Y", inventory="N"
        )

    def put(self, body: Any, status: int = 200, path: str = "") -> Any:
        answer = self.shop.root.put(path or f"carts/{self.user}", body)
        assert answer.status_code == status, answer.get_data(as_text=True)
        return answer.get_json()

    def post(self, body: Any, status: int = 201, path: str = "carts") -> Any:
        answer = self.shop.root.post(path, body)
        assert answer.status_code == status, answer.get_data(as_text=True)
        return answer.get_json()

    def read(self, id: Any = None, query: str = "") -> Any:
        answer = self.shop.root.get(f"carts/{id or self.user}{query}")
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return answer.get_json()

    def lines(self, id: Any = None) -> dict[str, tuple[str, str, Any]]:
        """The lines by key: amount, price, chosen options."""
        return {
            line["item_id"]: (
                line["amount"], line["price"], line["extra"]["product_options"]
            )
            for line in self.read(id)["products"]
        }  # fmt: skip

    def is_gone(self, id: Any = None) -> bool:
        return self.shop.root.get(f"carts/{id or self.user}").status_code == 404

    def guest(self, **body: Any) -> int:
        made = self.post({"product_id": self.lantern, **body})
        return int(made["user_id"])

    def found(self, query: str = "", caller: Caller | None = None) -> list[str]:
        answer = (caller or self.shop.root).get(f"carts?{query}")
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return [record["user_id"] for record in answer.get_json()["carts"]]

    def change(self, id: int, **values: Any) -> None:
        self.shop.change(Cart, {"user_id": id}, values)

    def wish(self) -> None:
        """Add a blanket to the only cart, as a wish, which no client can write."""
        table = table_of(Cart)
        cart_id = self.shop.database.write(
            lambda db: db.execute(select(table.c.cart_id)).scalar_one()
        )
        wish = {"cart_id": cart_id, "type": "W", "item_id": 1, "options": "{}"}
        self.shop.insert(CartLine, product_id=self.blanket, amount=1, **wish)


@pytest.fixture
def baskets(shop: Shop) -> Baskets:
    return Baskets(shop)


# Records


def test_a_list_record_has_ten_fields(baskets: Baskets) -> None:
    baskets.put({"product_id": baskets.lantern, "amount": 2})
    body = baskets.shop.root.get("carts").get_json()
    (record,) = body["carts"]
    owner = record.pop("user_data")
    assert abs(int(record.pop("date")) - time.time()) < 60
    assert record == {
        "user_id": str(baskets.user),
        "firstname": "Mira",
        "lastname": "Kessler",
        "ip_address": "127.0.0.1",
        "company_id": str(baskets.shop.store),
        "cart_products": "2",
        "total": "49.00",
        "order_id": None,
    }
    assert owner["user_id"] == owner["profile_id"] == str(baskets.user)
    assert (owner["b_country_descr"], owner["b_state_descr"]) == (
        "United States",
        "New Hampshire",
    )
    assert (owner["usergroups"], owner["fields"], owner["points"]) == ([], [], 0)
    assert not {"password", "password_hash", "salt", "api_key"} & owner.keys()
    assert body["params"]["total_items"] == "1"
    assert body["params"]["sort_by"] == "date"
    assert body["params"]["sort_order"] == "desc"


def test_the_owner_is_shown_by_the_fields_of_samples(baskets: Baskets) -> None:
    """Section 2.1: the account with its profile; all texts but the last."""
    parts = "firstname lastname address address_2 city county state country zipcode"
    named = [*parts.split(), "phone", "country_descr", "state_descr"]
    expected = {
        "user_id", "status", "user_type", "user_login", "referer", "is_root",
        "company_id", "last_login", "timestamp", "firstname", "lastname", "company",
        "email", "phone", "fax", "url", "tax_exempt", "lang_code", "birthday",
        "purchase_timestamp_from", "purchase_timestamp_to", "responsible_email",
        "janrain_identifier", "usergroups", "profile_id", "profile_type",
        "profile_name", "fields", "s_address_type", "points",
        *(f"{side}_{part}" for side in "bs" for part in named),
    }  # fmt: skip
    baskets.put({"product_id": baskets.lantern})
    owner = baskets.read()["user_data"]
    assert {*owner} == expected
    others = {name for name, value in owner.items() if not isinstance(value, str)}
    assert others == {"usergroups", "fields", "points"}


def test_version_1_keys_carts_by_their_owner(baskets: Baskets) -> None:
    guest = baskets.guest()
    body = baskets.shop.root.get("/api/carts").get_json()
    assert list(body["carts"]) == [str(guest)]
    record = body["carts"][str(guest)]
    assert (record["firstname"], record["user_data"]) == (None, [])
    assert body["search"]["total_items"] == "1"


def test_the_single_record_has_the_lines(baskets: Baskets) -> None:
    shop, size = baskets.shop, baskets.size
    pair = {"detailed": {"image_path": "https://cdn.example/b.jpg"}}
    body = {"main_pair": pair, "product_code": "BLN"}
    assert shop.root.put(f"products/{baskets.blanket}", body).status_code == 200
    baskets.put({
        "product_id": baskets.blanket, "product_options": {size: baskets.large},
    })  # fmt: skip
    baskets.put({
        "product_id": baskets.blanket, "amount": 2,
        "product_options": {size: baskets.small},
    })  # fmt: skip
    record = baskets.read()
    assert (record["cart_products"], record["total"]) == ("3", "182.50")
    line = next(each for each in record["products"] if each["amount"] == "1")
    extra = line.pop("extra")
    key = str(item_id(baskets.blanket, [baskets.large]))
    assert line == {
        "item_id": key,
        "item_type": "P",
        "product_id": str(baskets.blanket),
        "amount": "1",
        "price": "62.50",
        "product": "Blanket",
    }
    main_pair, since = extra.pop("main_pair"), extra.pop("timestamp")
    assert main_pair["detailed"]["image_path"] == "https://cdn.example/b.jpg"
    assert since == record["date"]
    options = {size: baskets.large}
    assert extra == {
        "user_id": str(baskets.user), "type": "C", "user_type": "R", "item_id": key,
        "item_type": "P", "product_id": baskets.blanket, "amount": 1, "price": 62.5,
        "order_id": None, "company_id": str(shop.store), "product_code": "BLN",
        "product": "Blanket", "ip_address": "127.0.0.1",
        "extra": {"product_options": options, "unlimited_download": "N"},
        "product_options": options, "stored_price": "N", "stored_discount": None,
        "amount_total": 3, "options_type": "P", "exceptions_type": "F",
        "modifiers_price": 2.5, "base_price": 60, "display_price": 62.5, "discount": 0,
        "is_edp": "N", "edp_shipping": "N", "promotions": [],
        "category_ids": [shop.category],
    }  # fmt: skip


def test_a_line_shows_the_code_of_its_combination(baskets: Baskets) -> None:
    shop = baskets.shop
    mug = shop.make_product("Mug", product_code="MUG", amount=9)
    size, (small, large) = make_option(shop, mug, inventory="Y")
    lid, (without, _) = make_option(shop, mug, inventory="Y", option_type="C")
    choice = {size: small, lid: without}
    make_combination(shop, mug, choice, amount=5, product_code="MUG-S")
    make_combination(shop, mug, {size: large, lid: without}, amount=5)

    def codes() -> dict[str, str]:
        lines = [line["extra"] for line in baskets.read()["products"]]
        return {
            str(each["product_options"][size]): each["product_code"] for each in lines
        }

    for variant in (small, large):
        baskets.put({"product_id": mug, "product_options": {size: variant}})
    assert codes() == {small: "MUG-S", large: "MUG"}
    baskets.put({"products": baskets.read()["products"]})
    assert codes() == {small: "MUG-S", large: "MUG"}
    # A line that cannot be bought any more shows what the product has.
    assert shop.root.put(f"options/{size}", {"status": "D"}).status_code == 200
    assert codes() == {small: "MUG", large: "MUG"}


def test_no_answer_holds_a_session(baskets: Baskets) -> None:
    baskets.put({"product_id": baskets.lantern, "session_id": "secret-session"})
    for path in ("carts", f"carts/{baskets.user}", f"users/{baskets.user}/carts"):
        text = baskets.shop.root.get(path).get_data(as_text=True)
        assert "session" not in text


# Writing


def test_put_makes_the_cart_and_adds_to_its_lines(baskets: Baskets) -> None:
    key = str(item_id(baskets.lantern, []))
    answer = baskets.put({"product_id": str(baskets.lantern)})
    assert answer == {"user_id": str(baskets.user), "item_id": key}
    baskets.put({"product_id": baskets.lantern, "amount": "2", "price": "0.01"})
    assert baskets.lines() == {key: ("3", "24.50", [])}


def test_put_with_item_id_changes_a_line(baskets: Baskets) -> None:
    size, key = baskets.size, str(item_id(baskets.blanket, [baskets.small]))
    options = {size: baskets.small}
    baskets.put({"product_id": baskets.lantern})
    baskets.put({"product_id": baskets.blanket, "product_options": options})
    answer = baskets.put({"item_id": key, "amount": 4})
    assert answer["item_id"] == key
    assert baskets.lines()[key] == ("4", "60.00", options)
    new = str(item_id(baskets.blanket, [baskets.large]))
    answer = baskets.put({"item_id": key, "product_options": {size: baskets.large}})
    assert answer["item_id"] == new
    assert baskets.lines()[new] == ("4", "62.50", {size: baskets.large})
    assert baskets.put({"item_id": new, "amount": "0"})["item_id"] == new
    assert list(baskets.lines()) == [str(item_id(baskets.lantern, []))]


def test_a_line_that_becomes_equal_to_another_is_one_with_it(baskets: Baskets) -> None:
    size = baskets.size
    keys = [str(item_id(baskets.blanket, [v])) for v in (baskets.small, baskets.large)]
    for variant in (baskets.small, baskets.large):
        baskets.put({"product_id": baskets.blanket, "product_options": {size: variant}})
    body = {"item_id": keys[0], "amount": 2, "product_options": {size: baskets.large}}
    assert baskets.put(body)["item_id"] == keys[1]
    assert baskets.lines() == {keys[1]: ("3", "62.50", {size: baskets.large})}


def test_products_replace_the_contents(baskets: Baskets) -> None:
    size = baskets.size
    baskets.put({"product_id": baskets.lantern, "amount": 5})
    baskets.shop.change(Product, {"product_id": baskets.lantern}, {"price": 3000})
    lines = [
        {"product_id": baskets.blanket, "amount": 1, "product_options": {size: v}}
        for v in (baskets.small, baskets.large)
    ]
    answer = baskets.put({"products": [*lines, {"product_id": baskets.lantern}]})
    assert answer == {"user_id": str(baskets.user)}
    assert baskets.lines() == {
        str(item_id(baskets.lantern, [])): ("1", "30.00", []),
        str(item_id(baskets.blanket, [baskets.small])): (
            "1", "60.00", {size: baskets.small}
        ),
        str(item_id(baskets.blanket, [baskets.large])): (
            "1", "62.50", {size: baskets.large}
        ),
    }  # fmt: skip
    answer = baskets.put({"products": {str(baskets.lantern): {"amount": "2"}}})
    assert answer["item_id"] == str(item_id(baskets.lantern, []))
    assert baskets.read()["total"] == "60.00"


@pytest.mark.parametrize("body", [{"products": []}, {"products": {}}])
def test_a_cart_without_lines_is_gone(baskets: Baskets, body: Any) -> None:
    baskets.put({"product_id": baskets.lantern})
    assert baskets.put(body) == {"user_id": str(baskets.user)}
    assert baskets.is_gone()
    baskets.put({"product_id": baskets.lantern})
    baskets.put({"item_id": item_id(baskets.lantern, []), "amount": 0})
    assert baskets.is_gone()
    assert baskets.shop.root.delete(f"carts/{baskets.user}").status_code == 404


def test_prices_are_those_of_the_last_write(baskets: Baskets) -> None:
    shop = baskets.shop
    group = shop.group(type="C")
    shop.join(baskets.user, group)
    baskets.put({"product_id": baskets.lantern, "amount": 9})
    prices = [
        {"lower_limit": 10, "price": "20"},
        {"lower_limit": 10, "price": "19", "usergroup_id": group},
    ]
    answer = shop.root.put(f"products/{baskets.lantern}", {"prices": prices})
    assert answer.status_code == 200
    assert baskets.read()["total"] == "220.50"
    baskets.put({"product_id": baskets.lantern})
    assert (baskets.read()["total"], baskets.read()["cart_products"]) == (
        "190.00",
        "10",
    )
    shop.change(Product, {"product_id": baskets.lantern}, {"price": 100})
    baskets.put({"item_id": item_id(baskets.lantern, []), "amount": 1})
    assert baskets.read()["total"] == "1.00"


def test_the_date_is_that_of_the_oldest_line(baskets: Baskets) -> None:
    baskets.put({"product_id": baskets.lantern})
    baskets.change(baskets.user, timestamp=1000)
    baskets.shop.change(CartLine, {"product_id": baskets.lantern}, {"timestamp": 1000})
    options = {baskets.size: baskets.small}
    baskets.put({"product_id": baskets.blanket, "product_options": options})
    assert baskets.read()["date"] == "1000"
    baskets.put({"item_id": item_id(baskets.lantern, []), "amount": 0})
    assert int(baskets.read()["date"]) > 1000


def test_what_cannot_be_bought_any_more_stays_until_it_is_named(
    baskets: Baskets,
) -> None:
    shop, size = baskets.shop, baskets.size
    options = {size: baskets.small}
    baskets.put({"product_id": baskets.blanket, "product_options": options})
    answer = shop.root.put(f"products/{baskets.blanket}", {"status": "D", "price": 1})
    assert answer.status_code == 200
    baskets.put({"product_id": baskets.lantern})
    key = str(item_id(baskets.blanket, [baskets.small]))
    assert baskets.lines()[key] == ("1", "60.00", options)
    assert baskets.read()["total"] == "84.50"
    error = baskets.put({"item_id": key, "amount": 2}, 400)["errors"][0]
    assert error["field"] == "product_id"
    baskets.put({"item_id": key, "amount": 0})
    assert baskets.read()["total"] == "24.50"


def test_post_makes_the_cart_of_a_guest(baskets: Baskets) -> None:
    body = {
        "products": {str(baskets.lantern): {"amount": 3}},
        "user_data": {"email": "guest@example.com", "b_firstname": "Ola"},
    }
    answer = baskets.post(body)
    guest = answer["user_id"]
    assert answer == {"user_id": guest}
    assert type(guest) is int
    assert 2**31 <= guest < 2**32
    record = baskets.read(guest)
    assert (record["firstname"], record["lastname"]) == ("Ola", None)
    assert (record["total"], record["user_data"]) == ("73.50", [])
    assert record["products"][0]["extra"]["user_type"] == "G"
    assert baskets.put({"product_id": baskets.lantern}, path=f"carts/{guest}") == {
        "user_id": str(guest),
        "item_id": str(item_id(baskets.lantern, [])),
    }
    assert baskets.read(guest)["cart_products"] == "4"
    again = baskets.post({"user_id": guest, "product_id": baskets.lantern})
    assert again == {"user_id": guest}
    assert baskets.read(guest)["cart_products"] == "5"


def test_post_adds_to_the_cart_of_a_user(baskets: Baskets) -> None:
    for _ in range(2):
        body = {"user_id": str(baskets.user), "product_id": baskets.lantern}
        assert baskets.post(body) == {"user_id": baskets.user}
    lines = [{"product_id": baskets.lantern}, {"product_id": baskets.lantern}]
    baskets.post({"user_id": baskets.user, "products": lines})
    assert baskets.read()["cart_products"] == "4"


def test_contact_data_of_a_guest_change_in_part(baskets: Baskets) -> None:
    guest = baskets.guest(user_data={"email": "Ola@Example.com", "firstname": "Ola"})
    path = f"carts/{guest}"
    assert baskets.put({"user_data": {"lastname": "Ek"}}, path=path) == {
        "user_id": str(guest)
    }
    record = baskets.read(guest)
    assert (record["firstname"], record["lastname"]) == ("Ola", "Ek")
    assert baskets.found("email=ola@EXAMPLE.com") == [str(guest)]
    bad = {"email": "x", "b_city": ["y"], "s_firstname": "z" * 129}
    errors = baskets.put({"user_data": bad}, 400, path)["errors"]
    assert [error["field"] for error in errors] == [
        "user_data.email",
        "user_data.b_city",
        "user_data.s_firstname",
    ]


@pytest.mark.parametrize("data", ["x", {"email": "x"}, {"b_city": ["y"]}])
def test_what_is_sent_of_a_user_does_not_count(baskets: Baskets, data: Any) -> None:
    """Section 2.4: ignored, so not judged either; of a guest it is."""
    body = {"product_id": baskets.lantern, "user_data": data}
    baskets.put(body)
    baskets.post(body, path=f"users/{baskets.user}/carts")
    before = baskets.shop.everything()
    baskets.put({"user_data": data})
    baskets.post(body, 400)
    assert baskets.shop.everything() == before
    assert baskets.read()["cart_products"] == "2"


def test_contact_data_of_a_user_are_those_of_the_account(baskets: Baskets) -> None:
    body = {"product_id": baskets.lantern, "user_data": {"firstname": "Eve"}}
    baskets.put(body)
    assert baskets.read()["firstname"] == "Mira"
    baskets.shop.change(User, {"user_id": baskets.user}, {"firstname": "Mina"})
    assert baskets.read()["firstname"] == "Mina"
    assert baskets.put({"user_data": {}}) == {"user_id": str(baskets.user)}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"amount": 2}, "product_id"),
        ({"foo": 1}, "product_id"),
        ({"product_id": 999_999}, "product_id"),
        ({"product_id": "x"}, "product_id"),
        ({"product_id": "lantern", "amount": 0}, "amount"),
        ({"product_id": "lantern", "amount": "1.5"}, "amount"),
        ({"product_id": "lantern", "product_options": {"9": "9"}}, "product_options.9"),
        ({"product_id": "lantern", "product_options": "x"}, "product_options"),
        ({"product_id": "blanket"}, "product_options.{size}"),
        ({"products": "x"}, "products"),
        ({"products": [{"amount": 1}]}, "products.0.product_id"),
        ({"item_id": 5, "amount": 1}, "item_id"),
        ({"item_id": "x"}, "item_id"),
        ({"item_id": 5, "amount": -1}, "amount"),
        ({"item_id": 5, "product_options": 7}, "product_options"),
    ],
)
def test_a_bad_put_changes_nothing(baskets: Baskets, body: Any, field: str) -> None:
    names = {"lantern": baskets.lantern, "blanket": baskets.blanket}
    if body.get("product_id") in names:
        body = {**body, "product_id": names[body["product_id"]]}
    baskets.put({"product_id": baskets.lantern})
    before = baskets.shop.everything()
    errors = baskets.put(body, 400)["errors"]
    assert [e["field"] for e in errors] == [field.format(size=baskets.size)]
    assert baskets.shop.everything() == before


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"user_data": {"email": "a@example.com"}}, "product_id"),
        ({"products": []}, "products"),
        ({"user_id": 999_999, "product_id": 1}, "user_id"),
        ({"user_id": 2**31 + 5, "product_id": 1}, "user_id"),
        ({"user_id": 2**32, "product_id": 1}, "user_id"),
        ({"user_id": "x", "product_id": 1}, "user_id"),
        ({"company_id": 999_999, "product_id": 1}, "company_id"),
        ({"company_id": "0", "product_id": 1}, "company_id"),
        ({"item_id": 5, "amount": 1}, "product_id"),
    ],
)
def test_a_bad_post_leaves_nothing(baskets: Baskets, body: Any, field: str) -> None:
    before = baskets.shop.everything()
    errors = baskets.post(body, 400)["errors"]
    assert [error["field"] for error in errors] == [field]
    assert baskets.shop.everything() == before


def test_all_lines_of_a_request_succeed_or_none(baskets: Baskets) -> None:
    baskets.put({"product_id": baskets.lantern})
    lines = [{"product_id": baskets.lantern, "amount": 9}, {"product_id": 999_999}]
    baskets.put({"products": lines}, 400)
    assert baskets.read()["cart_products"] == "1"


def test_more_than_there_is_in_stock_is_a_conflict(baskets: Baskets) -> None:
    id, size = baskets.blanket, baskets.size
    line = {"product_id": id, "amount": 5, "product_options": {size: baskets.small}}
    baskets.put(line)
    other = {**line, "product_options": {size: baskets.large}}
    answer = baskets.put(other, 409)
    assert answer["status"] == 409
    assert answer["message"] == (
        f"Conflict: product {id} 'Blanket': 10 wanted, 9 in stock"
    )
    assert baskets.read()["cart_products"] == "5"
    baskets.put({**other, "amount": 4})
    key = item_id(id, [baskets.small])
    baskets.put({"item_id": key, "amount": 6}, 409)
    baskets.shop.change(Product, {"product_id": id}, {"amount": 0})
    baskets.put({"product_id": baskets.lantern})
    baskets.shop.change(Product, {"product_id": id}, {"out_of_stock_actions": "B"})
    baskets.put({"item_id": key, "amount": 60})
    assert baskets.shop.root.get(f"products/{id}").get_json()["amount"] == "0"


def test_a_cart_ends_with_its_number_of_pieces(
    baskets: Baskets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storeapi.rules.carts.LARGEST_ID", 2_500_000)
    pins, nails, tacks = (
        {"product_id": baskets.shop.make_product(name, price="0.01", tracking="D")}
        for name in ("Pins", "Nails", "Tacks")
    )
    most = {"amount": 1_000_000}
    baskets.put({"products": [pins | most, nails | most]})
    answer = baskets.put(tacks | {"amount": 500_001}, 400)
    assert answer["detail"] == (
        "field 'products' come to more than 2500000 pieces together"
    )
    baskets.put(pins | {"amount": 1}, 400)
    assert baskets.read()["cart_products"] == "2000000"
    baskets.put(tacks | {"amount": 500_000})


def test_the_limits_of_a_product_hold(baskets: Baskets) -> None:
    id = baskets.shop.make_product(min_qty=2, max_qty=6, qty_step=2, amount=99)
    for amount, status in ((1, 400), (3, 400), (4, 200), (4, 400)):
        baskets.put({"product_id": id, "amount": amount}, status)
    assert baskets.read()["cart_products"] == "4"


def test_only_an_owner_can_have_a_cart(baskets: Baskets) -> None:
    body = {"product_id": baskets.lantern}
    for id in (999_999, 2**31 + 7):
        baskets.put(body, 404, f"carts/{id}")
    baskets.put(body, 404, f"carts/{2**32}")
    assert baskets.shop.root.get(f"carts/{baskets.user}").status_code == 404


def test_unknown_fields_are_told(baskets: Baskets) -> None:
    body = {"product_id": baskets.lantern, "coupon": "x"}
    answer = baskets.shop.root.put(f"carts/{baskets.user}", body)
    assert answer.headers["X-Ignored-Fields"] == "coupon"
    answer = baskets.shop.root.put(
        f"carts/{baskets.user}", body, headers={"Prefer": "handling=strict"}
    )
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == "coupon"


def test_wishes_cannot_be_written(baskets: Baskets) -> None:
    """Rule 5.8."""
    baskets.put({"product_id": baskets.lantern, "type": "W"})
    (line,) = baskets.read()["products"]
    assert line["extra"]["type"] == "C"
    assert baskets.found("product_type_w=Y") == []


def test_a_wish_that_is_sent_back_stays_one(baskets: Baskets) -> None:
    """Rule 5.8: records show it among the lines."""
    baskets.put({"product_id": baskets.lantern})
    baskets.wish()
    record = baskets.read()
    assert len(record["products"]) == 2
    baskets.put(record)
    assert baskets.read() == record


def test_delete_removes_all_lines(baskets: Baskets) -> None:
    baskets.put({"product_id": baskets.lantern})
    baskets.wish()
    assert baskets.found("product_type_w=Y") == [str(baskets.user)]
    assert baskets.read()["cart_products"] == "1"
    answer = baskets.shop.root.delete(f"carts/{baskets.user}")
    assert (answer.status_code, answer.data) == (204, b"")
    assert baskets.is_gone()

    def lines(db: Any) -> list[Any]:
        return list(db.execute(select(table_of(CartLine))))

    assert baskets.shop.database.write(lines) == []


def test_if_match_guards_a_cart(baskets: Baskets) -> None:
    baskets.put({"product_id": baskets.lantern})
    path, body = f"carts/{baskets.user}", {"product_id": baskets.lantern}
    tag = baskets.shop.root.get(path).headers["ETag"]
    for status in (200, 412):
        answer = baskets.shop.root.put(path, body, headers={"If-Match": tag})
        assert answer.status_code == status
    answer = baskets.shop.root.delete("carts/999999", headers={"If-Match": tag})
    assert answer.status_code == 404


# Companies and parents


def test_an_owner_has_a_cart_at_each_company(baskets: Baskets) -> None:
    shop, user = baskets.shop, baskets.user
    there = shop.make_category("There", company_id=shop.other_store)
    other = shop.make_product(
        price="5", category_ids=[there], company_id=shop.other_store
    )
    baskets.put({"product_id": baskets.lantern})
    baskets.put({"product_id": other}, 400)
    baskets.put({"product_id": other, "company_id": shop.other_store})
    for company, product, since in (
        (shop.store, baskets.lantern, 1000),
        (shop.other_store, other, 5000),
    ):
        shop.change(Cart, {"company_id": company}, {"timestamp": since})
        shop.change(CartLine, {"product_id": product}, {"timestamp": since})
    assert baskets.read()["total"] == "5.00"
    assert baskets.read(query=f"?company_id={shop.store}")["total"] == "24.50"
    path = f"carts/{user}?company_id={shop.store}"
    baskets.put({"product_id": baskets.lantern}, path=path)
    nested = f"stores/{shop.store}/carts/{user}"
    assert shop.root.get(nested).get_json()["total"] == "49.00"
    assert baskets.found() == [str(user)] * 2
    totals = shop.root.get(f"users/{user}/carts").get_json()["carts"]
    assert [cart["total"] for cart in totals] == ["5.00", "49.00"]
    first = shop.root.get(f"/api/users/{user}/carts").get_json()["carts"]
    assert [cart["total"] for cart in first.values()] == ["5.00", "49.00"]
    newest, older = first
    assert newest == str(user)
    assert older.startswith(f"{user}-")
    nested = f"stores/{shop.store}/users/{user}/carts"
    totals = shop.root.get(nested).get_json()["carts"]
    assert [cart["total"] for cart in totals] == ["49.00"]
    assert (
        shop.root.delete(f"stores/{shop.other_store}/carts/{user}").status_code == 204
    )
    assert baskets.read()["total"] == "49.00"
    assert (
        shop.root.delete(f"stores/{shop.other_store}/carts/{user}").status_code == 404
    )


def test_parents_decide_owner_and_company(baskets: Baskets) -> None:
    shop, user = baskets.shop, baskets.user
    body = {"user_id": 1, "product_id": baskets.lantern}
    answer = baskets.post(body, path=f"users/{user}/carts")
    assert answer == {"user_id": user}
    assert shop.root.get(f"users/{user}/carts").get_json()["carts"][0]["user_id"] == (
        str(user)
    )
    someone = shop.caller(user_type="C").user_id
    baskets.put(body, 404, f"users/{user}/carts/{someone}")
    assert shop.root.get(f"users/{someone}/carts/{user}").status_code == 404
    shelf = shop.make_category("Pots", company_id=shop.vendor)
    pot = shop.make_product(price="8", category_ids=[shelf], company_id=shop.vendor)
    body = {"product_id": pot, "company_id": shop.store}
    guest = baskets.post(body, path=f"vendors/{shop.vendor}/carts")["user_id"]
    assert baskets.read(guest)["company_id"] == str(shop.vendor)
    assert baskets.put({"product_id": pot})["user_id"] == str(user)
    assert baskets.read()["company_id"] == str(shop.store)


def test_scoped_administrators_see_carts_of_their_company(baskets: Baskets) -> None:
    shop, user = baskets.shop, baskets.user
    rights = ("view_users", "manage_users")
    mine = shop.caller(*rights, company_id=shop.store)
    other = shop.caller(*rights, company_id=shop.other_store)
    guest = baskets.guest()
    body = {"product_id": baskets.lantern}
    assert mine.put(f"carts/{user}", body).status_code == 200
    assert sorted(baskets.found(caller=mine)) == sorted([str(user), str(guest)])
    assert baskets.found(caller=other) == []
    assert baskets.found(f"company_id={shop.store}", other) == []
    for id in (user, guest):
        assert other.get(f"carts/{id}").status_code == 404
        assert other.get(f"carts/{id}?company_id={shop.store}").status_code == 404
        assert other.put(f"carts/{id}", body).status_code == 404
        assert other.delete(f"carts/{id}").status_code == 404
    path = f"carts/{user}?company_id={shop.other_store}"
    assert mine.put(path, body).status_code == 404
    answer = other.post("carts", {**body, "user_id": user})
    assert answer.get_json()["errors"][0]["field"] == "user_id"
    made = mine.post("carts", {**body, "company_id": shop.other_store})
    assert made.status_code == 201
    id = made.get_json()["user_id"]
    assert baskets.read(id)["company_id"] == str(shop.store)


def test_scoped_administrators_name_products_that_they_see(baskets: Baskets) -> None:
    """spec/protocol.md, section 12: not those of vendors, nor their names."""
    shop, user = baskets.shop, baskets.user
    shelf = shop.make_category("Pots", company_id=shop.vendor)
    pot = shop.make_product(
        "Pot", price="8", category_ids=[shelf], company_id=shop.vendor
    )
    clerk = shop.caller("view_users", "manage_users", company_id=shop.store)
    before = shop.everything()
    for path in (f"carts/{user}", f"stores/{shop.store}/carts/{user}"):
        answer = clerk.put(path, {"products": {str(pot): {"amount": 1}}})
        assert answer.status_code in (400, 403)
        assert "Pot" not in answer.get_data(as_text=True)
    assert clerk.post("carts", {"product_id": pot}).status_code == 400
    assert shop.everything() == before
    # What is in a cart stays there when the clerk adds to it.
    baskets.put({"product_id": pot})
    answer = clerk.put(f"carts/{user}", {"product_id": baskets.lantern})
    assert answer.status_code == 200
    assert baskets.read()["total"] == "32.50"


def test_whoever_sees_orders_sees_carts(baskets: Baskets) -> None:
    guest = baskets.guest()
    clerk = baskets.shop.caller("view_orders")
    assert baskets.found(caller=clerk) == [str(guest)]
    assert clerk.delete(f"carts/{guest}").status_code == 403


# Lists


@pytest.fixture
def crowd(baskets: Baskets) -> tuple[Baskets, dict[str, str]]:
    """A user with two lanterns, a guest with a name, and one without."""
    baskets.put({"product_id": baskets.lantern, "amount": 2})
    jessup = baskets.guest(
        amount=4, user_data={"lastname": "Jessup", "email": "j@example.com"}
    )
    body = {"product_id": baskets.blanket}
    body["product_options"] = {baskets.size: baskets.small}
    nobody = baskets.post(body)["user_id"]
    ids = {"mira": baskets.user, "jessup": jessup, "nobody": nobody}
    for days, id in enumerate(ids.values(), 1):
        baskets.change(id, timestamp=int(time.time()) - days * DAY - 60)
    return baskets, {name: str(id) for name, id in ids.items()}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["mira", "jessup", "nobody"]),
        ("sort_order=asc", ["nobody", "jessup", "mira"]),
        ("sort_by=customer", ["mira", "jessup", "nobody"]),
        ("sort_by=name&sort_order=asc", ["nobody", "jessup", "mira"]),
        ("sort_by=total", ["jessup", "nobody", "mira"]),
        ("cname=ess", ["mira", "jessup"]),
        ("cname=ESSLER", ["mira"]),
        ("cname=ira k", ["mira"]),
        ("cname=%25", []),
        ("cname=%20", ["mira", "jessup", "nobody"]),
        ("cname=_", []),
        ("email=J@example.com", ["jessup"]),
        ("email=example.com", []),
        ("with_info_only=true", ["mira", "jessup"]),
        ("with_info_only=N", ["mira", "jessup", "nobody"]),
        ("users_type=R", ["mira"]),
        ("user_type=g", ["jessup", "nobody"]),
        ("total_from=49&total_to=60", ["mira", "nobody"]),
        ("total_from=49.01", ["jessup", "nobody"]),
        ("product_type_c=1", ["mira", "jessup", "nobody"]),
        ("product_type_w=Y", []),
        ("period=HW", ["mira", "jessup", "nobody"]),
        ("period=HH", []),
        ("time_to={yesterday}", ["jessup", "nobody"]),
        ("period=C&time_from={yesterday}", ["mira"]),
        ("p_ids={lantern},999999", ["mira", "jessup"]),
        ("p_ids[]={blanket}", ["nobody"]),
        ("cart_products=4", ["jessup"]),
        ("firstname=Mira", ["mira"]),
        ("lastname=Jessup&users_type=R", []),
        ("ip_address=127.0.0.1&total=60.00", ["nobody"]),
        ("user_id={mira}", ["mira"]),
        ("company_id=999999", []),
        ("items_per_page=1&page=2", ["jessup"]),
    ],
)
def test_lists_are_filtered_and_sorted(
    crowd: tuple[Baskets, dict[str, str]], query: str, names: list[str]
) -> None:
    baskets, ids = crowd
    query = query.format(
        yesterday=int(time.time()) - DAY * 3 // 2,
        lantern=baskets.lantern,
        blanket=baskets.blanket,
        **ids,
    )
    assert baskets.found(query) == [ids[name] for name in names]


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("sort", ["date", "customer", "name", "total"])
def test_equal_carts_are_listed_by_their_owners(
    baskets: Baskets, sort: str, order: str
) -> None:
    """Section 3: in the same direction."""
    ids = sorted(baskets.guest() for _ in range(5))
    for id in ids:
        baskets.change(id, timestamp=5)
    expected = [str(id) for id in (ids if order == "asc" else ids[::-1])]
    query = f"sort_by={sort}&sort_order={order}&items_per_page=2&page="
    assert [id for n in (1, 2, 3) for id in baskets.found(f"{query}{n}")] == expected


@pytest.mark.parametrize(
    "query",
    ["users_type=X", "with_info_only=x", "p_ids=x", "total_from=x", "cname[]=x",
     "product_type_c=7", "email[]=x", "user_type[]=R"],
)  # fmt: skip
def test_bad_filters_are_refused(baskets: Baskets, query: str) -> None:
    assert baskets.shop.root.get(f"carts?{query}").status_code == 400


# What goes


def test_carts_go_with_their_owner(baskets: Baskets) -> None:
    guest = baskets.guest()
    baskets.put({"product_id": baskets.lantern})
    assert baskets.shop.root.delete(f"users/{baskets.user}").status_code == 204
    assert baskets.found() == [str(guest)]


def test_lines_go_with_their_product(baskets: Baskets) -> None:
    guest = baskets.guest()
    options = {baskets.size: baskets.small}
    baskets.put({"product_id": baskets.lantern, "amount": 3})
    baskets.put({"product_id": baskets.blanket, "product_options": options})
    assert baskets.shop.root.delete(f"products/{baskets.lantern}").status_code == 204
    assert baskets.is_gone(guest)
    record = baskets.read()
    assert (record["total"], record["cart_products"]) == ("60.00", "1")
    assert len(record["products"]) == 1


def test_carts_go_with_a_company(baskets: Baskets) -> None:
    """Its carts, its people's carts elsewhere, and its products in other carts."""
    shop = baskets.shop
    shelf = shop.make_category("Pots", company_id=shop.vendor)
    pot = shop.make_product(price="8", category_ids=[shelf], company_id=shop.vendor)
    potter = shop.caller(user_type="V", company_id=shop.vendor).user_id
    baskets.put({"products": [{"product_id": pot}, {"product_id": baskets.lantern}]})
    baskets.put({"product_id": baskets.lantern}, path=f"carts/{potter}")
    baskets.post({"product_id": pot, "company_id": shop.vendor})
    assert len(baskets.found()) == 3
    assert shop.root.delete(f"vendors/{shop.vendor}").status_code == 204
    assert baskets.found() == [str(baskets.user)]
    assert (baskets.read()["total"], len(baskets.lines())) == ("24.50", 1)


def test_every_write_is_told(baskets: Baskets) -> None:
    told: list[Any] = []

    def subscriber(db: Any, changes: Any) -> None:
        told.extend(
            (str(c.operation), c.id, c.company_id, c.after.get("cart_products"))
            for c in changes
            if c.entity == "carts"
        )

    shop, owner = baskets.shop, (baskets.user, baskets.shop.store)
    shop.database.subscribers.append(subscriber)
    try:
        baskets.put({"product_id": baskets.lantern})
        baskets.put({"product_id": baskets.lantern})
        baskets.put({"item_id": item_id(baskets.lantern, []), "amount": 2})
        shop.root.delete(f"products/{baskets.lantern}")
    finally:
        shop.database.subscribers.remove(subscriber)
    assert told == [
        ("create", *owner, 1),
        ("update", *owner, 2),
        ("delete", *owner, None),
    ]


@pytest.mark.parametrize("lines", [1, 30])
def test_statements_do_not_grow_with_the_lines(baskets: Baskets, lines: int) -> None:
    shop = baskets.shop
    ids = [shop.make_product(price="1") for _ in range(lines)]
    products = [{"product_id": id} for id in ids]
    shop.root.get(f"carts/{baskets.guest()}")
    seen: list[str] = []
    shop.database.observer = seen.append
    try:
        baskets.put({"products": products})
        written = len(seen)
        baskets.read()
    finally:
        shop.database.observer = None
    assert (written, len(seen) - written) == (11, 6)
