"""Products that root moves to another company, and those that stay whatever is sent."""

from typing import Any

import pytest

from tests.marketplace import common, offer
from tests.products import put, read, refused
from tests.shop import Shop
from tests.variations import Mugs


@pytest.mark.parametrize(
    "path",
    [
        "products",
        "product_variations",
        "master_products",
        "categories/{category}/products",
        "categories/{category}/master_products",
    ],
)
@pytest.mark.parametrize("offered", [True, False])
def test_common_product_belongs_to_no_company_whatever_is_sent(
    shop: Shop, path: str, offered: bool
) -> None:
    id = common(shop, category_ids=[shop.category])
    if offered:
        offer(shop, id)
    path = f"{path.format(category=shop.category)}/{id}"
    second = shop.company("Second", kind="V")
    before = shop.everything()
    for company in (second, str(shop.store), 0, 999999):
        answer = shop.root.put(path, {"company_id": company})
        assert answer.status_code == 200, answer.get_data(as_text=True)
    assert shop.everything() == before
    body = {"company_id": second, "price": "7", "seo_name": ""}
    assert shop.root.put(path, body).status_code == 200
    found = read(shop, id)
    assert (found["company_id"], found["price"]) == ("0", "7.00")
    assert shop.root.get(f"master_products/{id}").status_code == 200


def test_offers_go_on_to_follow_a_common_product_that_was_to_move(shop: Shop) -> None:
    id = common(shop)
    mine = offer(shop, id)
    second = shop.company("Second", kind="V")
    put(shop, id, company_id=second, full_description="Steel")
    assert read(shop, mine)["full_description"] == "Steel"
    assert shop.root.delete(f"vendors/{second}").status_code == 204
    assert shop.root.delete(f"products/{id}?force=Y").status_code == 204


def test_common_product_below_a_company_does_not_exist(shop: Shop) -> None:
    id = common(shop)
    for path in (f"vendors/{shop.vendor}", f"stores/{shop.store}"):
        answer = shop.root.put(f"{path}/products/{id}", {"price": "1"})
        assert answer.status_code == 404


@pytest.mark.parametrize("entity", ["products", "master_product_offers"])
def test_offer_stays_with_its_vendor_whatever_is_sent(shop: Shop, entity: str) -> None:
    mine = offer(shop, common(shop))
    before = shop.everything()
    for company in (shop.store, 0, 999999):
        answer = shop.root.put(f"{entity}/{mine}", {"company_id": company})
        assert answer.status_code == 200, answer.get_data(as_text=True)
    assert shop.everything() == before


def test_common_product_in_a_group_stays_in_it(shop: Shop) -> None:
    mugs = Mugs(shop)
    pair = [
        common(shop, product_features=mugs.values("green", size))
        for size in ("small", "large")
    ]
    group = mugs.group(*pair)
    mine = [offer(shop, each) for each in pair]
    for id in pair:
        put(shop, id, company_id=shop.vendor)
        found = read(shop, id)
        assert (found["company_id"], found["variation_group_id"]) == ("0", str(group))
    put(shop, pair[0], company_id=shop.vendor, full_description="Both")
    assert {read(shop, each)["full_description"] for each in mine} == {"Both"}


def test_product_becomes_a_common_product_and_stays_one(shop: Shop) -> None:
    id = shop.make_product("Mug", price=3, product_code="M")
    put(shop, id, company_id=0)
    assert shop.root.get(f"products/{id}").get_json()["company_id"] == "0"
    mine = offer(shop, id, amount=1)
    put(shop, id, company_id=shop.store)
    assert shop.root.get(f"master_products/{id}").status_code == 200
    found = read(shop, mine)
    assert (found["product"], found["category_ids"]) == ("Mug", [shop.category])


def test_variation_does_not_become_a_common_product(shop: Shop) -> None:
    mugs = Mugs(shop)
    ids = [mugs.mug("green", "small"), mugs.mug("green", "large")]
    mugs.group(*ids)
    before = shop.everything()
    for id in ids:
        answer = shop.root.put(f"products/{id}", {"company_id": 0})
        assert answer.status_code == 400
        assert "(253)" in answer.get_json()["message"]
    assert shop.everything() == before


# The address


def twins(shop: Shop, **payload: Any) -> tuple[int, int]:
    """Products of one name in a shared category, of both stores."""
    shared = shop.make_category("Shared", company_id=0)
    made = [
        shop.make_product("Slug", company_id=each, category_ids=[shared], **payload)
        for each in (shop.store, shop.other_store)
    ]
    return made[0], made[1]


def test_slug_is_numbered_where_a_product_moves_to(shop: Shop) -> None:
    first, second = twins(shop)
    put(shop, first, company_id=shop.other_store)
    found = read(shop, first)
    assert found["company_id"] == str(shop.other_store)
    assert (found["seo_name"], read(shop, second)["seo_name"]) == ("slug-2", "slug")


@pytest.mark.parametrize("seo_name", ["slug", ""])
@pytest.mark.parametrize("more", [{}, {"product": "Slug"}])
def test_echoed_and_emptied_slugs_are_numbered_too(
    shop: Shop, seo_name: str, more: dict[str, Any]
) -> None:
    first, _ = twins(shop)
    put(shop, first, company_id=shop.other_store, seo_name=seo_name, **more)
    assert read(shop, first)["seo_name"] == "slug-2"


def test_slug_of_a_new_name_is_made_where_the_product_moves_to(shop: Shop) -> None:
    first, _ = twins(shop)
    body = {"company_id": shop.other_store, "product": "Slug!!", "seo_name": ""}
    put(shop, first, **body)
    assert read(shop, first)["seo_name"] == "slug-2"


def test_whole_record_moves(shop: Shop) -> None:
    first, _ = twins(shop)
    put(shop, first, **{**read(shop, first), "company_id": shop.other_store})
    assert read(shop, first)["seo_name"] == "slug-2"


def test_slug_that_is_sent_and_taken_is_refused(shop: Shop) -> None:
    first, second = twins(shop)
    put(shop, second, seo_name="other")
    body = {"company_id": shop.other_store, "seo_name": "other"}
    refused(shop.root.put(f"products/{first}", body), "seo_name")


@pytest.mark.parametrize("slug", ["slug", "s" * 255])
def test_free_slug_is_kept(shop: Shop, slug: str) -> None:
    first, second = twins(shop)
    put(shop, second, seo_name="other")
    put(shop, first, seo_name=slug)
    put(shop, first, company_id=shop.other_store)
    assert read(shop, first)["seo_name"] == slug


def test_long_slug_that_is_taken_is_numbered(shop: Shop) -> None:
    first, second = twins(shop)
    for id in (first, second):
        put(shop, id, seo_name="s" * 255)
    put(shop, first, company_id=shop.other_store)
    found = read(shop, first)["seo_name"]
    assert len(found) <= 255
    assert found != read(shop, second)["seo_name"]


def test_slug_is_numbered_among_common_products(shop: Shop) -> None:
    common(shop, "Slug")
    first, _ = twins(shop)
    put(shop, first, company_id=0)
    assert read(shop, first)["seo_name"] == "slug-2"


@pytest.mark.parametrize("entity", ["categories", "pages"])
def test_what_stays_with_its_company_does_so_with_its_slug(
    shop: Shop, entity: str
) -> None:
    names = {"category": "Slug", "page": "Slug", "page_type": "T"}
    made = [
        shop.root.make(entity, **names, company_id=each)
        for each in (shop.store, shop.other_store)
    ]
    before = shop.everything()
    answer = shop.root.put(f"{entity}/{made[0]}", {"company_id": shop.other_store})
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert shop.everything() == before
