"""Common products, as spec/entities/master_products.md states them."""

from typing import Any

import pytest

from tests.album import encoded
from tests.marketplace import common, offer
from tests.shop import Shop
from tests.variations import Mugs

COLOURS = ("red", "green", "blue", "white", "black")
PATH = "master_products"


def record(shop: Shop, id: int) -> dict[str, Any]:
    found: dict[str, Any] = shop.root.get(f"products/{id}").get_json()
    return found


def ids(shop: Shop, path: str) -> list[int]:
    mark = "&" if "?" in path else "?"
    body = shop.root.get(f"{path}{mark}sort_by=product_id").get_json()
    return [int(each["product_id"]) for each in body["products"]]


# Create and read


def test_create_answers_with_the_id_as_a_number(shop: Shop) -> None:
    answer = shop.root.post(PATH, {"product": "Kettle", "price": "24"})
    assert answer.status_code == 201
    assert answer.get_json() == {"product_id": int(answer.get_json()["product_id"])}


def test_common_product_is_a_full_product_of_company_0(shop: Shop) -> None:
    id = common(shop, company_id=shop.vendor)
    found = shop.root.get(f"{PATH}/{id}").get_json()
    assert found == record(shop, id)
    assert (found["company_id"], found["category_ids"]) == ("0", [])
    assert (found["master_product_id"], found["main_category"]) == ("0", 0)
    assert found["master_product_offers_count"] == "0"
    assert "master_product_status" not in found


@pytest.mark.parametrize("missing", ["product", "price"])
def test_name_and_price_are_required(shop: Shop, missing: str) -> None:
    body = {"product": "Kettle", "price": "24"}
    del body[missing]
    answer = shop.root.post(PATH, {**body, "status": "A"})
    assert answer.status_code == 400
    assert [e["field"] for e in answer.get_json()["errors"]] == [missing]


def test_categories_of_any_company_hold_common_products(shop: Shop) -> None:
    foreign = shop.make_category("Hill", company_id=shop.other_store)
    id = shop.make_product()
    body = {"company_id": 0, "category_ids": [shop.category, foreign]}
    assert shop.root.put(f"products/{id}", body).status_code == 200
    assert record(shop, id)["category_ids"] == [shop.category, foreign]
    sold = offer(shop, id)
    assert record(shop, sold)["category_ids"] == [shop.category, foreign]
    admin = shop.caller("view_catalog", "manage_catalog", company_id=shop.vendor)
    shown = admin.get(f"products/{sold}").get_json()
    assert admin.put(f"products/{sold}", shown).status_code == 200
    answer = shop.root.put(f"{PATH}/{id}", {"category_ids": [foreign]})
    assert answer.status_code == 200


def test_create_in_a_category(shop: Shop) -> None:
    path = f"categories/{shop.category}/{PATH}"
    answer = shop.root.post(path, {"product": "Kettle", "price": "24"})
    id = answer.get_json()["product_id"]
    assert record(shop, id)["category_ids"] == [shop.category]
    assert record(shop, id)["company_id"] == "0"
    assert ids(shop, path) == [id]


def test_list_holds_common_products_only(shop: Shop) -> None:
    shop.make_product()
    id = common(shop)
    offer(shop, id)
    body = shop.root.get(PATH).get_json()
    assert [each["product_id"] for each in body["products"]] == [str(id)]
    assert body["products"][0]["master_product_offers_count"] == "1"
    assert body["params"]["show_master_products_only"] is True
    assert body["params"]["total_items"] == "1"


@pytest.mark.parametrize("value", ["true", "false", "0", "maybe"])
def test_list_holds_common_products_whatever_is_asked(shop: Shop, value: str) -> None:
    shop.make_product()
    id = common(shop)
    body = shop.root.get(f"{PATH}?show_master_products_only={value}").get_json()
    assert [each["product_id"] for each in body["products"]] == [str(id)]
    assert body["params"]["show_master_products_only"] is True


def test_list_in_version_1_has_the_name_of_the_entity(shop: Shop) -> None:
    id = common(shop)
    body = shop.root.get(f"/api/{PATH}").get_json()
    assert list(body) == [PATH, "search"]
    assert list(body[PATH]) == [str(id)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "ordinary common offer"),
        ("?show_master_products_only=true", "common"),
        ("?show_master_products_only=1", "common"),
        ("?show_master_products_only=FALSE", "ordinary offer"),
        ("?show_master_products_only=0", "ordinary offer"),
        ("?vendor_products_by_product_id={common}", "offer"),
        ("?master_product_id={common}", "offer"),
        ("?master_product_status=A", "offer"),
        ("?master_product_status=D", ""),
    ],
)
def test_filters_of_products(shop: Shop, query: str, found: str) -> None:
    named = {"ordinary": shop.make_product(), "common": common(shop)}
    named["offer"] = offer(shop, named["common"])
    wanted = [named[name] for name in found.split()]
    assert ids(shop, f"products{query.format(**named)}") == wanted


@pytest.mark.parametrize(
    "query", ["show_master_products_only=maybe", "vendor_products_by_product_id=x"]
)
def test_bad_filter_is_named(shop: Shop, query: str) -> None:
    answer = shop.root.get(f"products?{query}")
    assert answer.status_code == 400
    assert answer.get_json()["errors"][0]["field"] == query.partition("=")[0]


def test_lists_are_empty_in_a_store_without_a_marketplace(shop: Shop) -> None:
    shop.make_product()
    assert shop.root.get(PATH).get_json()["products"] == []
    assert shop.root.get(f"/api/{PATH}").get_json()[PATH] == {}


def test_category_of_the_path_holds_the_product(shop: Shop) -> None:
    id = common(shop, category_ids=[shop.category])
    other = shop.make_category("Other")
    for method, status in (("GET", 200), ("PUT", 200), ("DELETE", 204)):
        answers = [
            shop.root.request(method, f"categories/{place}/{PATH}/{id}", json={"a": 1})
            for place in (other, shop.category)
        ]
        assert [answer.status_code for answer in answers] == [404, status]
    assert shop.root.get(f"products/{id}").status_code == 404


def test_other_products_are_404(shop: Shop) -> None:
    id = common(shop)
    for other in (shop.make_product(), offer(shop, id), 999999):
        for method in ("GET", "PUT", "DELETE"):
            path = f"{PATH}/{other}"
            answer = shop.root.request(method, path, json={"price": "1"})
            assert answer.status_code == 404


# The price of a list


def test_list_shows_the_lowest_price_to_buy_at(shop: Shop) -> None:
    id = common(shop)
    second, third, fourth = (shop.company(f"V{n}", kind="V") for n in range(3))
    offer(shop, id, price="26.50", amount=2)
    offer(shop, id, second, price="25.00", amount=1)
    offer(shop, id, third, price="3.00", amount=0)
    offer(shop, id, fourth, price="2.00", amount=9, status="D")
    (found,) = shop.root.get(PATH).get_json()["products"]
    assert (found["price"], found["base_price"]) == ("25.00", "24.00")
    assert shop.root.get(f"{PATH}/{id}").get_json()["price"] == "24.00"


def test_list_is_sorted_by_the_price_it_shows(shop: Shop) -> None:
    cheap, dear = common(shop, price="10"), common(shop, price="20")
    offer(shop, cheap, price="30", amount=1)
    body = shop.root.get(f"{PATH}?sort_by=price").get_json()
    assert [(p["product_id"], p["price"]) for p in body["products"]] == [
        (str(dear), "20.00"),
        (str(cheap), "30.00"),
    ]


def test_walk_by_price_meets_each_once(shop: Shop) -> None:
    made = [common(shop, price=str(price)) for price in (3, 1, 2)]
    path = f"{PATH}?sort_by=price&items_per_page=1&cursor="
    found, cursor = [], "*"
    while cursor:
        answer = shop.root.get(path + cursor)
        found += [int(p["product_id"]) for p in answer.get_json()["products"]]
        cursor = answer.headers.get("X-Next-Cursor", "")
    assert found == [made[1], made[2], made[0]]


def test_page_takes_the_same_statements_whatever_its_size(shop: Shop) -> None:
    counts = []
    for _ in range(3):
        offer(shop, common(shop))
        statements: list[str] = []
        shop.database.observer = statements.append
        shop.root.get(PATH)
        shop.database.observer = None
        counts.append(len(statements))
    assert counts[0] == counts[1] == counts[2]


# Change


def test_put_answers_with_the_id_as_a_number(shop: Shop) -> None:
    id = common(shop)
    body = {"full_description": "Steel", "company_id": shop.vendor}
    answer = shop.root.put(f"{PATH}/{id}", body)
    assert (answer.status_code, answer.get_json()) == (200, {"product_id": id})
    found = record(shop, id)
    assert (found["full_description"], found["company_id"]) == ("Steel", "0")


def test_offers_follow_their_common_product(shop: Shop) -> None:
    mugs = Mugs(shop)
    id = common(shop)
    mine = offer(shop, id)
    before = record(shop, mine)
    texts = ("product", "page_title", "short_description", "full_description")
    texts += ("promo_text", "meta_description", "meta_keywords", "search_words")
    body = {name: f"New {name}" for name in (*texts, "age_warning_message")}
    sent = {
        **body,
        "category_ids": [shop.category],
        "product_features": mugs.values("green", "small"),
    }
    answer = shop.root.put(f"{PATH}/{id}", sent)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    found, source = record(shop, mine), record(shop, id)
    for name in (*body, "category_ids", "main_category", "product_features"):
        assert found[name] == source[name] != before[name], name
    assert (found["price"], found["seo_name"]) == (before["price"], before["seo_name"])
    assert ids(shop, "products?pname=New+product") == [id, mine]
    category = shop.root.get(f"categories/{shop.category}").get_json()
    assert category["product_count"] == "2"


def test_disabling_makes_the_offers_unavailable_as_they_are(shop: Shop) -> None:
    """Rule 5.7; and rule 5.4: the common product itself is never for sale."""
    id = common(shop, amount=9)
    mine = offer(shop, id, amount=9)
    wanted = {"product_id": mine, "company_id": shop.vendor}
    assert shop.root.post("carts", {**wanted, "product_id": id}).status_code == 400
    for status, answer in (("A", 201), ("D", 400), ("A", 201)):
        shop.root.put(f"{PATH}/{id}", {"status": status})
        assert shop.root.post("carts", wanted).status_code == answer
        found = record(shop, mine)
        assert (found["status"], found["master_product_status"]) == ("A", status)


def test_offers_follow_in_the_language_written(shop: Shop) -> None:
    id = common(shop)
    mine = offer(shop, id)
    shop.root.put(f"{PATH}/{id}", {"product": "Kessel", "lang_code": "de"})
    german = shop.root.get(f"products/{mine}?lang_code=de").get_json()["product"]
    assert (record(shop, mine)["product"], german) == ("Kettle", "Kessel")


def test_value_set_below_a_common_product_is_followed(shop: Shop) -> None:
    mugs = Mugs(shop)
    id = common(shop)
    mine = offer(shop, id)
    body = {"variant_id": mugs.variants["green"]}
    shop.root.put(f"products/{id}/features/{mugs.colour}", body)
    values = record(shop, mine)["product_features"]
    assert values[str(mugs.colour)]["variant"] == "green"


def test_terms_of_offers_do_not_follow(shop: Shop) -> None:
    id = common(shop)
    mine = offer(shop, id)
    before = record(shop, mine)
    body = {"price": "1", "amount": 9, "weight": "2", "status": "D", "min_qty": 2}
    shop.root.put(f"{PATH}/{id}", body)
    found = record(shop, mine)
    assert {n: found[n] for n in body} == {n: before[n] for n in body}
    assert found["master_product_status"] == "D"


@pytest.mark.parametrize("gone", ["categories", "vendors"])
def test_it_stays_for_sale_without_its_last_category(shop: Shop, gone: str) -> None:
    """A vendor who removes a category, or is removed, stops nobody else's sales."""
    vendor = shop.company("Second", kind="V")
    category = shop.make_category("Own", company_id=vendor)
    id = common(shop, category_ids=[category])
    mine = offer(shop, id, amount=9)
    path = f"categories/{category}" if gone == "categories" else f"vendors/{vendor}"
    assert shop.root.delete(path).status_code == 204
    for each in (id, mine):
        found = record(shop, each)
        assert (found["status"], found["category_ids"]) == ("A", [])
        assert found["main_category"] == 0
        assert shop.root.put(f"products/{each}", found).status_code == 200
    wanted = {"product_id": mine, "company_id": shop.vendor}
    assert shop.root.post("carts", wanted).status_code == 201


# Delete


@pytest.mark.parametrize("entity", ["products", PATH])
def test_delete_is_refused_while_offers_exist(shop: Shop, entity: str) -> None:
    id = common(shop)
    offer(shop, id)
    before = shop.everything()
    answer = shop.root.delete(f"{entity}/{id}")
    assert answer.status_code == 400
    assert "has 1 offers" in answer.get_json()["message"]
    assert shop.everything() == before


@pytest.mark.parametrize("entity", ["products", PATH])
def test_forced_delete_takes_the_offers_along(shop: Shop, entity: str) -> None:
    id = common(shop, category_ids=[shop.category])
    mine = offer(shop, id)
    answer = shop.root.delete(f"{entity}/{id}?force=Y")
    assert answer.status_code == 204
    assert "X-Ignored-Params" not in answer.headers
    for gone in (id, mine):
        assert shop.root.get(f"products/{gone}").status_code == 404
    category = shop.root.get(f"categories/{shop.category}").get_json()
    assert category["product_count"] == "0"
    assert shop.root.get("products").get_json()["params"]["total_items"] == "0"


def test_delete_without_offers(shop: Shop) -> None:
    id = common(shop)
    assert shop.root.delete(f"{PATH}/{id}").status_code == 204
    assert shop.root.get(f"{PATH}/{id}").status_code == 404


# The number of offers


def test_offers_of_every_status_are_counted(shop: Shop) -> None:
    id = common(shop)
    offer(shop, id, status="D")
    second = offer(shop, id, shop.company("Second", kind="V"))
    assert record(shop, id)["master_product_offers_count"] == "2"
    assert record(shop, second)["master_product_offers_count"] == "2"
    shop.root.delete(f"products/{second}")
    assert record(shop, id)["master_product_offers_count"] == "1"


# Who may


def test_vendor_reads_common_products_and_writes_none(shop: Shop) -> None:
    id = common(shop)
    vendor = shop.caller("view_catalog", "manage_catalog", company_id=shop.vendor)
    mine = shop.make_category("V", company_id=shop.vendor)
    own = shop.make_product(company_id=shop.vendor, category_ids=[mine])
    shop.make_product()
    assert vendor.get(f"{PATH}/{id}").status_code == 200
    body = vendor.get("products?sort_by=product_id").get_json()
    assert [p["product_id"] for p in body["products"]] == [str(id), str(own)]
    before = shop.everything()
    new = {"product": "X", "price": "1"}
    assert vendor.post(PATH, new).status_code == 403
    for entity in (PATH, "products"):
        assert vendor.put(f"{entity}/{id}", {"price": "1"}).status_code == 403
        assert vendor.delete(f"{entity}/{id}").status_code == 403
    assert shop.everything() == before


@pytest.mark.parametrize("held", ["view_catalog", "manage_catalog"])
def test_privileges(shop: Shop, held: str) -> None:
    caller = shop.caller(held)
    assert caller.get(PATH).status_code == (200 if held == "view_catalog" else 403)
    answer = caller.post(PATH, {"product": "X", "price": "1"})
    assert answer.status_code == (201 if held == "manage_catalog" else 403)


# As variations


def test_common_products_may_be_variations(shop: Shop) -> None:
    mugs = Mugs(shop)
    first, second = (
        common(shop, product_features=mugs.values("green", size))
        for size in ("small", "large")
    )
    mugs.group(first, second)
    mine = offer(shop, second)
    assert record(shop, mine)["variation_group_id"] is None
    shop.root.put(f"{PATH}/{first}", {"full_description": "Both"})
    assert record(shop, second)["full_description"] == "Both"
    assert record(shop, mine)["full_description"] == "Both"


def test_common_variations_share_that_they_are_in_no_category(shop: Shop) -> None:
    mugs = Mugs(shop)
    first, second = (
        common(
            shop,
            product_features=mugs.values("green", size),
            category_ids=[shop.make_category("Shared", company_id=0)],
        )
        for size in ("small", "large")
    )
    mugs.group(first, second)
    mine = offer(shop, second)
    shop.root.put(f"{PATH}/{first}", {"category_ids": []})
    for id in (first, second, mine):
        found = record(shop, id)
        assert (found["category_ids"], found["main_category"]) == ([], 0)


@pytest.mark.parametrize("joins_later", [False, True])
def test_offers_follow_what_a_common_product_takes_over(
    shop: Shop, joins_later: bool
) -> None:
    mugs = Mugs(shop)
    place = shop.make_category("Kettles")
    note = mugs.feature("Note", "describe_product", ("new",))
    shared = {"full_description": "Both", "category_ids": [place]}
    variant = mugs.variants_of(note)["new"]
    values = {**mugs.values("green", "small"), str(note): variant}
    first = common(shop, product_features=values, **shared)
    second = common(shop, product_features=mugs.values("green", "large"))
    mine = offer(shop, second)
    group = mugs.group(first) if joins_later else mugs.group(first, second)
    if joins_later:
        shop.root.put(f"products/{second}", {"variation_group_id": group})
    taken, found = record(shop, second), record(shop, mine)
    assert {n: taken[n] for n in shared} == shared
    assert taken["product_features"][str(note)]["variant"] == "new"
    for name in (*shared, "main_category", "seo_path", "product_features"):
        assert found[name] == taken[name], name
    assert ids(shop, "products?q=Both&pfull=Y") == [first, second, mine]
    assert ids(shop, f"products?cid={place}") == [first, second, mine]


def test_offers_follow_the_images(shop: Shop) -> None:
    id = common(shop)
    mine = offer(shop, id)
    picture = {"detailed": {"data": encoded("red"), "alt": "A kettle"}}
    answer = shop.root.put(f"{PATH}/{id}", {"main_pair": picture})
    assert answer.status_code == 200, answer.get_data(as_text=True)
    shown = [record(shop, each)["main_pair"]["detailed"] for each in (id, mine)]
    assert shown[0]["image_path"] == shown[1]["image_path"]
    assert shown[1]["object_id"] == str(mine)
    later = offer(shop, id, shop.company("Second", kind="V"))
    assert record(shop, later)["main_pair"]["detailed"]["alt"] == "A kettle"
    other = {"detailed": {"data": encoded("blue")}}
    shop.root.put(f"{PATH}/{id}", {"main_pair": other})
    shown = [record(shop, each)["main_pair"]["detailed"] for each in (id, mine, later)]
    assert len({image["image_path"] for image in shown}) == 1


def test_images_that_stay_keep_their_pairs_in_offers(shop: Shop) -> None:
    main, other, more = ({"detailed": {"data": encoded(c)}} for c in COLOURS[:3])
    id = common(shop, main_pair=main, image_pairs=[other, more])
    mine = offer(shop, id)

    def pairs(of: int) -> list[tuple[str, str]]:
        found = record(shop, of)
        both = [found["main_pair"], *found["image_pairs"].values()]
        return [(pair["pair_id"], pair["detailed"]["image_path"]) for pair in both]

    def paths(of: int) -> list[str]:
        return [path for _, path in pairs(of)]

    before = pairs(mine)
    assert len(before) == 3
    new = {"detailed": {"data": encoded(COLOURS[3])}}
    shop.root.put(f"{PATH}/{id}", {"main_pair": new})
    assert paths(mine) == paths(id)
    assert pairs(mine)[1:] == before[1:]
    assert pairs(mine)[0][0] != before[0][0]
    before = pairs(mine)
    gone = {"pair_id": pairs(id)[1][0], "detailed": {"data": encoded(COLOURS[4])}}
    shop.root.put(f"{PATH}/{id}", {"image_pairs": [gone]})
    assert paths(mine) == paths(id)
    kept = [pair for pair in pairs(mine) if pair in before]
    assert kept[0] == before[0]
    assert len(kept) < len(before)


def test_offers_have_the_options_of_their_common_product(shop: Shop) -> None:
    id = common(shop)
    mine = offer(shop, id)
    body = {"option_name": "Lid", "variants": [{"variant_name": "Glass"}]}
    answer = shop.root.post(f"products/{id}/options", body)
    option = str(answer.get_json()["option_id"])
    found = record(shop, mine)
    assert (found["has_options"], list(found["product_options"])) == (True, [option])
    below = shop.root.get(f"products/{mine}/options").get_json()
    assert list(below) == [option]
