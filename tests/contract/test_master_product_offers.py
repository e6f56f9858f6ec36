"""Offers of vendors, as spec/entities/master_product_offers.md states them."""

from typing import Any

import pytest

from tests.marketplace import common
from tests.shop import Caller, Shop
from tests.variations import Mugs

FLAT = "master_product_offers"


@pytest.fixture
def kettle(shop: Shop) -> int:
    """A common product with a price for five and more."""
    mugs = Mugs(shop)
    body = {
        "product": "Kettle",
        "price": "24.00",
        "product_code": "K-2",
        "weight": "1.200",
        "amount": 5,
        "min_qty": 2,
        "full_description": "Steel",
        "category_ids": [shop.category],
        "product_features": mugs.values("green"),
        "prices": [{"lower_limit": 5, "price": "20.00"}],
    }
    answer = shop.root.post("master_products", body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["product_id"])


def path(product: int, offer: int | None = None) -> str:
    tail = "" if offer is None else f"/{offer}"
    return f"master_products/{product}/{FLAT}{tail}"


def make(shop: Shop, common: int, vendor: int | None = None, **payload: Any) -> int:
    body = {"company_id": vendor or shop.vendor, **payload}
    answer = shop.root.post(path(common), body)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return int(answer.get_json()["product_id"])


def record(shop: Shop, id: int) -> dict[str, Any]:
    found: dict[str, Any] = shop.root.get(f"products/{id}").get_json()
    return found


def seller(shop: Shop) -> Caller:
    """An administrator of the vendor."""
    return shop.caller("view_catalog", "manage_catalog", company_id=shop.vendor)


def refused(answer: Any, text: str) -> None:
    assert answer.status_code == 400
    assert text in answer.get_json()["message"]


# Create


def test_create_answers_with_the_id_of_the_offer(shop: Shop, kettle: int) -> None:
    answer = shop.root.post(path(kettle), {"company_id": str(shop.vendor)})
    id = answer.get_json()["product_id"]
    assert (answer.status_code, answer.get_json()) == (201, {"product_id": id})
    assert id != kettle
    assert answer.headers["Location"].endswith(f"/{path(kettle, id)}")


def test_offer_is_as_its_common_product(shop: Shop, kettle: int) -> None:
    offer, source = record(shop, make(shop, kettle)), record(shop, kettle)
    own = {"product_id", "company_id", "amount", "seo_name", "master_product_id"}
    own |= {"master_product_status", "master_product_offers_count"}
    assert {name for name in offer if offer[name] != source.get(name)} <= {
        *own, "timestamp", "updated_timestamp"
    }  # fmt: skip
    assert offer["company_id"] == str(shop.vendor)
    assert (offer["amount"], offer["prices"]) == ("0", source["prices"])
    assert offer["master_product_id"] == str(kettle)
    assert offer["master_product_status"] == "A"
    assert offer["master_product_offers_count"] == "1"


def test_texts_are_taken_in_every_language(shop: Shop, kettle: int) -> None:
    body = {"product": "Kessel", "lang_code": "de"}
    shop.root.put(f"master_products/{kettle}", body)
    id = make(shop, kettle)
    german = shop.root.get(f"products/{id}?lang_code=de").get_json()
    assert (record(shop, id)["product"], german["product"]) == ("Kettle", "Kessel")


def test_terms_are_the_vendors(shop: Shop, kettle: int) -> None:
    terms = {
        "price": "26.50",
        "amount": "5",
        "status": "H",
        "product_code": "MY-1",
        "weight": "1.300",
        "min_qty": "0",
        "prices": [],
    }
    found = record(shop, make(shop, kettle, **terms))
    assert {name: found[name] for name in terms} == terms


def test_inherited_fields_of_the_body_are_ignored(shop: Shop, kettle: int) -> None:
    other = shop.make_category("Other")
    body = {
        "product": "Mine",
        "full_description": "Mine",
        "category_ids": [other],
        "main_category": other,
        "product_features": {},
    }
    found, source = record(shop, make(shop, kettle, **body)), record(shop, kettle)
    assert {name: found[name] for name in body} == {n: source[n] for n in body}


def test_offer_is_found_by_name_and_category(shop: Shop, kettle: int) -> None:
    id = make(shop, kettle)
    query = f"products?q=kettle&cid={shop.category}&company_id={shop.vendor}"
    (found,) = shop.root.get(query).get_json()["products"]
    assert found["product_id"] == str(id)
    category = shop.root.get(f"categories/{shop.category}").get_json()
    assert category["product_count"] == "2"


def test_vendor_is_required_of_root(shop: Shop, kettle: int) -> None:
    refused(shop.root.post(path(kettle), {"price": "1"}), "'company_id' is required")


@pytest.mark.parametrize("company", ["store", "other"])
def test_only_vendors_make_offers(shop: Shop, kettle: int, company: str) -> None:
    id = shop.store if company == "store" else 999999
    answer = shop.root.post(path(kettle), {"company_id": id})
    refused(answer, f"field 'company_id' {id} is no vendor")


def test_one_offer_per_vendor(shop: Shop, kettle: int) -> None:
    id = make(shop, kettle)
    before = shop.everything()
    answer = shop.root.post(path(kettle), {"company_id": shop.vendor})
    refused(answer, f"vendor {shop.vendor} has offer {id} of common product {kettle}")
    assert shop.everything() == before


def test_flat_create_needs_the_common_product(shop: Shop, kettle: int) -> None:
    body: dict[str, Any] = {"company_id": shop.vendor}
    refused(shop.root.post(FLAT, body), "field 'master_product_id' is required")
    answer = shop.root.post(FLAT, {**body, "master_product_id": str(kettle)})
    assert answer.status_code == 201
    found = record(shop, answer.get_json()["product_id"])
    assert found["master_product_id"] == str(kettle)


def test_offer_of_another_product_is_refused(shop: Shop) -> None:
    ordinary = shop.make_product()
    body = {"company_id": shop.vendor, "master_product_id": ordinary}
    refused(shop.root.post(FLAT, body), f"{ordinary} is no common product")
    assert shop.root.post(path(ordinary), body).status_code == 404
    assert shop.root.post(path(999999), body).status_code == 404


# Read


def test_list_below_a_common_product(shop: Shop, kettle: int) -> None:
    second = shop.company("Second", kind="V")
    made = [make(shop, kettle), make(shop, kettle, second)]
    shop.make_product()
    body = shop.root.get(f"{path(kettle)}?sort_by=product_id").get_json()
    assert [int(p["product_id"]) for p in body["products"]] == made
    assert body["products"][0]["master_product_offers_count"] == "2"
    assert body["params"]["total_items"] == "2"
    flat = shop.root.get(f"{FLAT}?company_id={second}").get_json()
    assert [int(p["product_id"]) for p in flat["products"]] == made[1:]


def test_list_in_version_1_has_the_name_of_the_entity(shop: Shop, kettle: int) -> None:
    id = make(shop, kettle)
    body = shop.root.get(f"/api/{path(kettle)}").get_json()
    assert list(body) == [FLAT, "search"]
    assert list(body[FLAT]) == [str(id)]


def test_list_is_sorted_by_name_unless_asked(shop: Shop, kettle: int) -> None:
    params = shop.root.get(path(kettle)).get_json()["params"]
    assert (params["sort_by"], params["sort_order"]) == ("product", "asc")


def test_offer_of_another_common_product_is_404(shop: Shop, kettle: int) -> None:
    answer = shop.root.post("master_products", {"product": "Pan", "price": "1"})
    pan = answer.get_json()["product_id"]
    id = make(shop, pan)
    assert shop.root.get(path(pan, id)).status_code == 200
    for method in ("GET", "PUT", "DELETE"):
        found = shop.root.request(method, path(kettle, id), json={"price": "1"})
        assert found.status_code == 404
    assert shop.root.get(f"{FLAT}/{pan}").status_code == 404


# Change and delete


@pytest.mark.parametrize("below", [True, False])
def test_put_changes_the_terms(shop: Shop, kettle: int, below: bool) -> None:
    id = make(shop, kettle)
    body = {"price": "25.90", "amount": "7"}
    where = path(kettle, id) if below else f"{FLAT}/{id}"
    answer = shop.root.put(where, body)
    assert (answer.status_code, answer.get_json()) == (200, {"product_id": id})
    found = record(shop, id)
    assert (found["price"], found["amount"]) == ("25.90", "7")


@pytest.mark.parametrize("entity", [FLAT, "products"])
def test_put_ignores_inherited_fields(shop: Shop, kettle: int, entity: str) -> None:
    id = make(shop, kettle)
    other = shop.make_category("Other")
    before = shop.everything()
    body = {
        "product": "Mine",
        "full_description": "Mine",
        "category_ids": [other],
        "product_features": {},
        "company_id": shop.company("Second", kind="V"),
        "master_product_id": 0,
    }
    before["companies"] = shop.everything()["companies"]
    assert shop.root.put(f"{entity}/{id}", body).status_code == 200
    assert shop.everything() == before


def test_whole_record_can_be_sent_back(shop: Shop, kettle: int) -> None:
    id = make(shop, kettle)
    found = shop.root.get(path(kettle, id)).get_json()
    before = shop.everything()
    assert shop.root.put(path(kettle, id), found).status_code == 200
    assert shop.everything() == before


def test_delete_leaves_the_common_product(shop: Shop, kettle: int) -> None:
    id = make(shop, kettle)
    assert shop.root.delete(path(kettle, id)).status_code == 204
    assert shop.root.get(path(kettle, id)).status_code == 404
    assert record(shop, kettle)["master_product_offers_count"] == "0"


@pytest.mark.parametrize(
    ("method", "below"),
    [("PUT", ""), ("DELETE", ""), ("POST", "/1")],
)
def test_methods_that_a_path_lacks_are_405(
    shop: Shop, kettle: int, method: str, below: str
) -> None:
    answer = shop.root.request(method, path(kettle) + below, json={"price": "1"})
    assert answer.status_code == 405


# Who may


def test_vendor_makes_an_own_offer(shop: Shop, kettle: int) -> None:
    second = shop.company("Second", kind="V")
    answer = seller(shop).post(path(kettle), {"company_id": second, "price": "9"})
    id = answer.get_json()["product_id"]
    assert record(shop, id)["company_id"] == str(shop.vendor)


def test_vendor_offers_with_an_empty_price(shop: Shop, kettle: int) -> None:
    answer = seller(shop).post(path(kettle), {"amount": 3})
    found = record(shop, answer.get_json()["product_id"])
    assert (found["price"], found["amount"]) == ("24.00", "3")


def test_vendor_reaches_own_offers_only(shop: Shop, kettle: int) -> None:
    mine = make(shop, kettle)
    foreign = make(shop, kettle, shop.company("Second", kind="V"))
    vendor = seller(shop)
    body = vendor.get(path(kettle)).get_json()
    assert [p["product_id"] for p in body["products"]] == [str(mine)]
    for method in ("GET", "PUT", "DELETE"):
        answer = vendor.request(method, path(kettle, foreign), json={"price": "1"})
        assert answer.status_code == 404
    assert vendor.put(path(kettle, mine), {"price": "1"}).status_code == 200
    assert vendor.delete(path(kettle, mine)).status_code == 204


def test_privileges(shop: Shop, kettle: int) -> None:
    viewer, nobody = shop.caller("view_catalog"), shop.caller()
    assert viewer.get(path(kettle)).status_code == 200
    assert nobody.get(path(kettle)).status_code == 403
    body = {"company_id": shop.vendor}
    assert viewer.post(path(kettle), body).status_code == 403


def test_offers_have_no_variations_of_their_own(shop: Shop, kettle: int) -> None:
    id = make(shop, kettle)
    action = f"products/{id}/generate_product_variations"
    values = record(shop, id)["product_features"]
    ((feature, value),) = values.items()
    body = {"combinations": [{feature: value["variant_id"]}]}
    refused(shop.root.post(action, body), "an offer has no variations")


def mugs_to_offer(shop: Shop) -> tuple[Mugs, int, int]:
    """Mugs, an offer of a small common one, and a large one of the same vendor."""
    mugs = Mugs(shop)
    shop.root.put(f"features/{mugs.colour}", {"company_id": 0})
    shop.root.put(f"features/{mugs.size}", {"company_id": 0})
    card = common(shop, product_features=mugs.values("green", "small"))
    own = mugs.mug(
        "green",
        "large",
        company_id=shop.vendor,
        full_description="Own",
        category_ids=[shop.make_category("Shared", company_id=0)],
    )
    return mugs, make(shop, card), own


def test_offer_is_left_out_of_a_variation_group(shop: Shop) -> None:
    mugs, mine, own = mugs_to_offer(shop)
    statuses = mugs.post_group(own, mine).get_json()["products_status"]
    assert statuses == {str(own): 1, str(mine): 200}
    group = record(shop, own)["variation_group_id"]
    found = record(shop, mine)
    assert (found["variation_group_id"], found["full_description"]) == (None, "")
    body = {"product_ids": [own, mine]}
    answer = shop.root.put(f"product_variations_groups/{group}", body)
    assert answer.get_json()["products_status"] == {str(own): 0, str(mine): 200}
    refused(mugs.post_group(mine), f"product {mine}: an offer has no variations")


@pytest.mark.parametrize(
    "entity", ["products", "product_variations", "master_product_offers"]
)
def test_offer_joins_no_variation_group(shop: Shop, entity: str) -> None:
    mugs, mine, own = mugs_to_offer(shop)
    group = mugs.group(own)
    before = record(shop, mine)
    body = {"variation_group_id": group}
    refused(shop.root.put(f"{entity}/{mine}", body), "an offer has no variations")
    assert record(shop, mine) == before
    card = common(shop, product_features=mugs.values("green", "huge"))
    body = {"company_id": shop.vendor, **body}
    refused(shop.root.post(path(card), body), "an offer has no variations")
    assert record(shop, card)["master_product_offers_count"] == "0"


# What an offer has from its common product


def chosen(shop: Shop, product: int) -> tuple[int, str]:
    """A global option that a product is linked to, and its variant."""
    body = {"product_id": 0, "option_name": "Lid", "option_type": "S"}
    body["variants"] = [{"variant_name": "Glass"}]
    option = int(shop.root.post("options", body).get_json()["option_id"])
    link = {"option_id": option}
    answer = shop.root.post(f"products/{product}/options", link)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    (variant,) = shop.root.get(f"options/{option}").get_json()["variants"]
    return option, variant


def test_offer_takes_no_options_of_its_own(shop: Shop, kettle: int) -> None:
    offer = make(shop, kettle)
    option, variant = chosen(shop, kettle)
    choice = {"product_id": offer, "combination": {str(option): variant}}
    assert shop.root.post("combinations", choice).status_code == 201
    callers = (shop.root, seller(shop))
    before = shop.everything()
    text = f"is an offer, and has the options of common product {kettle}"
    for caller in callers:
        link = {"option_id": option}
        refused(caller.post(f"products/{offer}/options", link), text)
        body = {"option_name": "Lid"}
        refused(caller.post(f"products/{offer}/options", body), text)
        refused(caller.post("options", {"product_id": offer, **body}), text)
        refused(caller.delete(f"products/{offer}/options/{option}"), text)
        refused(caller.post("exceptions", choice), "the exceptions of common product")
    assert shop.everything() == before


def test_offers_lose_the_choices_of_an_option_with_its_link(
    shop: Shop, kettle: int
) -> None:
    offer = make(shop, kettle)
    option, variant = chosen(shop, kettle)
    choice = {"product_id": offer, "combination": {str(option): variant}}
    assert shop.root.post("combinations", choice).status_code == 201
    answer = shop.root.delete(f"products/{kettle}/options/{option}")
    assert answer.status_code == 204
    assert shop.root.get(f"products/{offer}/combinations").get_json() == []


def test_offer_takes_no_values_of_its_own(shop: Shop, kettle: int) -> None:
    offer = make(shop, kettle)
    id, value = next(iter(record(shop, offer)["product_features"].items()))
    variants = shop.root.get(f"features/{id}").get_json()["variants"]
    other = next(each for each in variants if each != value["variant_id"])
    shop.root.put(f"features/{id}", {"company_id": 0})
    callers = (shop.root, seller(shop))
    before = shop.everything()
    sent = {"variant_id": other}
    for caller in callers:
        answer = caller.put(f"products/{offer}/features/{id}", sent)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        text = "has the features of common product"
        body = {"feature_id": id, **sent}
        refused(caller.post(f"products/{offer}/features", body), text)
        refused(caller.delete(f"products/{offer}/features/{id}"), text)
        assert shop.everything() == before


def test_offers_are_where_the_vendor_sells(shop: Shop) -> None:
    open_to, closed = (shop.make_category(n, company_id=0) for n in ("Pots", "Nets"))
    below = shop.make_category("Kettles", parent=open_to, company_id=0)
    own = shop.make_category("Own", company_id=shop.vendor)
    answer = shop.root.put(f"vendors/{shop.vendor}", {"categories": str(open_to)})
    assert answer.status_code == 200
    body = {"company_id": shop.vendor}
    for ids in ([closed], [below, closed]):
        id = common(shop, category_ids=ids)
        before = shop.everything()
        answer = shop.root.post(path(id), body)
        assert answer.status_code == 400
        assert f"does not sell in categories {closed}, " in answer.get_json()["message"]
        assert shop.everything() == before
    for ids in ([], [open_to], [below, own]):
        make(shop, common(shop, category_ids=ids))
    id = common(shop, category_ids=[open_to])
    mine = make(shop, id)
    answer = shop.root.put(f"master_products/{id}", {"category_ids": [closed]})
    assert answer.status_code == 200
    assert shop.root.put(f"products/{mine}", {"amount": 7}).status_code == 200
    record = shop.root.get(f"products/{mine}").get_json()
    assert (record["category_ids"], record["amount"]) == ([closed], "7")
